/* cut.h - divides one block of memory into arrays. */
#ifndef PLUMB_BACKEND_CPU_TRACK_CUT_H
#define PLUMB_BACKEND_CPU_TRACK_CUT_H

#include <stdbool.h>

#include "base/memory/size.h"
#include "method/track/track.h"

/* In the first pass, with base NULL, it only counts. */
typedef struct cutter {
    double *base;
    int64_t used;
    bool fits;
} cutter;

/* rows * cols doubles at the beginning of a cache line. */
static inline double *cut(cutter *c, int64_t rows, int64_t cols)
{
    int64_t count = 0, at = c->used;
    c->fits = c->fits && size_mul(rows, cols, &count) && size_add(count, 7, &count) &&
              size_add(c->used, count / 8 * 8, &c->used);
    return c->base && c->fits ? c->base + at : NULL;
}

static inline track_view cut_view(cutter *c, int64_t rows, int64_t cols, int32_t prec)
{
    int64_t plane = 0;
    c->fits = c->fits && size_mul(rows, cols, &plane);
    return (track_view){cut(c, plane, 2 * (int64_t)prec), plane, rows};
}

#endif
