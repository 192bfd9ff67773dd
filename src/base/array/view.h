/* view.h - checks of array views, done once when a call is entered, so that no other code needs to repeat them.
 *
 * Invariant after plumb_view_check: every entry has its own place (no two share a double), and all offsets fit in
 * int64_t. The strides may nest in any order: planes of matrices, or matrices of planes, or columns of planes. */
#ifndef PLUMB_BASE_ARRAY_VIEW_H
#define PLUMB_BASE_ARRAY_VIEW_H

#include <stdbool.h>

#include "plumb.h"

static inline int64_t view_planes(const plumb_view *view)
{
    return (int64_t)view->prec * view->parts;
}

static inline bool view_is_empty(const plumb_view *view)
{
    return view->rows == 0 || view->cols == 0 || view->batch == 0;
}

/* name is the name of the argument, used in messages. */
plumb_status plumb_view_check(const plumb_view *view, const char *name, char *message, size_t size);

/* The number of doubles from data to the end of the last entry; 0 for an empty view. The view has been checked. */
int64_t plumb_view_span(const plumb_view *view);

/* True if both views have the same entries in the same places: shape, kind and every stride that matters agree. */
bool plumb_view_same(const plumb_view *a, const plumb_view *b);

/* True if a double belongs to both views. The answer is exact: two blocks of one matrix do not overlap although their
 * spans do. */
bool plumb_view_overlap(const plumb_view *a, const plumb_view *b);

#endif
