/* view.h - checks on array views, done once at the door so that nothing behind it has to.
 *
 * Invariant after plumb_view_check: every entry has its own place (no two share a double), and all offsets fit in
 * int64_t. The strides may nest in any order: planes of matrices, or matrices of planes, or columns of planes. */
#ifndef PLUMB_BASE_VIEW_H
#define PLUMB_BASE_VIEW_H

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

/* name is what the caller calls the view in the message. */
plumb_status plumb_view_check(const plumb_view *view, const char *name, char *message, size_t size);

/* Doubles from data to the end of the last entry; 0 for an empty view. The view has been checked. */
int64_t plumb_view_span(const plumb_view *view);

/* The same entries in the same places: shape, kind and every stride that matters agree. */
bool plumb_view_same(const plumb_view *a, const plumb_view *b);

/* Is there a double that belongs to both? Exact: two blocks of one matrix do not overlap although their spans do. */
bool plumb_view_overlap(const plumb_view *a, const plumb_view *b);

#endif
