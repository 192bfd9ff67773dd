/* view_overlap.c - decides whether two views share a double.
 *
 * Disjoint spans settle most cases. Two blocks of one matrix have spans that intersect (plane 0 of one lies between
 * plane 0 and plane 1 of the other), so an exact test is needed. A checked view is a nest of strides, each at least
 * as long as everything inside it. An offset can therefore be decomposed along the strides from the longest to the
 * shortest, with at most two candidates per level. */
#include <stdint.h>

#include "base/array/view.h"

typedef struct nest {
    int levels;
    int64_t count[3], stride[3]; /* longest stride first */
} nest;

static nest nest_of(const plumb_view *view)
{
    const int64_t count[3] = {view->batch, view_planes(view), view->cols};
    const int64_t stride[3] = {view->next, view->plane, view->col};
    nest result = {0};
    for (int i = 0; i < 3; i++) {
        if (count[i] <= 1)
            continue;
        int at = result.levels++;
        for (; at > 0 && result.stride[at - 1] < stride[i]; at--) {
            result.stride[at] = result.stride[at - 1];
            result.count[at] = result.count[at - 1];
        }
        result.stride[at] = stride[i];
        result.count[at] = count[i];
    }
    return result;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* True if there is a place k of the nest (from level on) whose run of `rows` doubles intersects the run of `length`
 * doubles at offset. The indices k_i run over 0 .. count-1, or from -(count-1) on if differences of places are
 * considered. Everything inside a level extends less than one stride to either side, so only the two nearest k_i are
 * candidates. */
static bool meets(const nest *n, int level, bool differences, int64_t rows, int64_t offset, int64_t length)
{
    if (level == n->levels)
        return offset < rows && offset + length > 0;
    int64_t stride = n->stride[level], count = n->count[level];
    int64_t first = floor_div(offset, stride), last = floor_div(offset + length - 1, stride) + 1;
    int64_t least = differences ? 1 - count : 0;
    if (first < least)
        first = least;
    if (last > count - 1)
        last = count - 1;
    for (int64_t k = first; k <= last; k++)
        if (meets(n, level + 1, differences, rows, offset - k * stride, length))
            return true;
    return false;
}

static bool same_strides(const plumb_view *a, const plumb_view *b)
{
    return a->rows == b->rows && a->cols == b->cols && a->batch == b->batch && a->prec == b->prec &&
           a->parts == b->parts && a->col == b->col && a->plane == b->plane && a->next == b->next;
}

bool plumb_view_overlap(const plumb_view *a, const plumb_view *b)
{
    if (a->where != b->where || view_is_empty(a) || view_is_empty(b))
        return false;
    /* Compared as integers, because C does not define the order of pointers into two arrays. */
    uintptr_t a_begin = (uintptr_t)a->data, a_end = a_begin + (uintptr_t)plumb_view_span(a) * sizeof(double);
    uintptr_t b_begin = (uintptr_t)b->data, b_end = b_begin + (uintptr_t)plumb_view_span(b) * sizeof(double);
    if (a_end <= b_begin || b_end <= a_begin)
        return false;

    /* Both are aligned to doubles, and their distance is less than the longer span. */
    int64_t distance = b_begin >= a_begin ? (int64_t)((b_begin - a_begin) / sizeof(double))
                                          : -(int64_t)((a_begin - b_begin) / sizeof(double));
    nest places = nest_of(a);
    if (same_strides(a, b))
        return meets(&places, 0, true, a->rows, distance, b->rows);
    for (int64_t k = 0; k < b->batch; k++)
        for (int64_t c = 0; c < view_planes(b); c++)
            for (int64_t j = 0; j < b->cols; j++)
                if (meets(&places, 0, false, a->rows, distance + k * b->next + c * b->plane + j * b->col, b->rows))
                    return true;
    return false;
}
