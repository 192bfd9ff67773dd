/* group.h - a group of least-squares systems of one shape, solved together with one system in each place of a lane.
 *
 * Scaling, limits and results are those of work.h, bit for bit. */
#ifndef PLUMB_BACKEND_CPU_LSQ_GROUP_H
#define PLUMB_BACKEND_CPU_LSQ_GROUP_H

#include <stdbool.h>

#include "method/lsq/mgs_batch.h"
#include "plumb.h"

/* The views of a whole batch, checked. */
typedef struct lsq_batch {
    const mgs_batch_kernel *kernel;
    double (*largest)(const double *column, int64_t plane, int64_t rows); /* see mgs_kernels */
    const plumb_view *a, *b;
    plumb_view *x, *residual; /* residual may be NULL */
    plumb_info *info;
    double dependent; /* a column is dependent if its norm is at most this share of its original norm */
} lsq_batch;

/* The number of doubles that a group needs, a multiple of 8; false when it does not fit. */
bool lsq_group_size(const lsq_batch *batch, int64_t *doubles);

/* Solves systems first .. first + width - 1, as many of them as there are, in memory of that size (on a cache line). */
void lsq_group_solve(const lsq_batch *batch, int64_t first, double *memory);

#endif
