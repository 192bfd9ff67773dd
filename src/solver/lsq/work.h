/* work.h - the work array of a least-squares problem: columns scaled by powers of two, laid out row by row.
 *
 * Every column is brought to a largest entry in [1/2, 1) by an exact power of two, so that no inner product overflows and
 * what underflows is below the unit of the column's norm; results are scaled back on their way out. */
#ifndef PLUMB_SOLVER_LSQ_WORK_H
#define PLUMB_SOLVER_LSQ_WORK_H

#include "base/lsq_error.h"
#include "method/lsq/mgs.h"
#include "solver/context/context.h"

typedef struct lsq_work {
    mgs_job job;
    const mgs_kernels *kernels;
    int32_t prec, parts, threads;
    int32_t *exponent; /* of each column, right-hand sides included: it was multiplied by 2^-exponent */
    double *least;     /* for each column of A the least square of a norm that still counts as independent */
    int64_t *order;    /* column k of the work array is column order[k] of A */
    void *memory;
} lsq_work;

/* Room for m x n and so many right-hand sides, all zero. */
plumb_status lsq_work_create(plumb_context *context, int32_t prec, int32_t parts, int64_t rows, int64_t cols,
                             int64_t rhs, lsq_work *work);
void lsq_work_destroy(lsq_work *work);

/* Copies the columns of matrix number `batch` of a view to the columns first, first + 1, ... of the work array, scaled. An
 * infinity or a NaN: -PLUMB_ERR_NONFINITE, and its place (from 1) in the message as entry (row, column) of `name`. */
plumb_info lsq_work_load(lsq_work *work, const plumb_view *view, int64_t batch, int64_t first, const char *name,
                         char *message, size_t message_size);

/* Takes the columns of A apart (and the right-hand sides with them): 0 or the dependent column, as plumb_info; with pivoting
 * always 0, and job.rank tells. */
plumb_info lsq_work_factor(lsq_work *work, int pivot);

/* Modified Gram-Schmidt once more on what is left; the coefficients become those of both passes. */
plumb_status lsq_work_repeat(plumb_context *context, lsq_work *work);

/* Solutions out of the coefficients, scaled back, and norms of residuals (residual may be NULL), into matrix `batch` of the
 * views. -PLUMB_ERR_RANGE when an entry of x or a norm is beyond the largest double: then x is zero. */
plumb_info lsq_work_solve(lsq_work *work, const plumb_view *x, const plumb_view *residual, int64_t batch);

/* R and Q (each may be NULL), scaled back; the coefficients are lost. -PLUMB_ERR_RANGE when an entry of R is beyond the largest
 * double. */
plumb_info lsq_work_store(lsq_work *work, const plumb_view *q, const plumb_view *r);

/* Before lsq_work_store. condition: an upper estimate for that of the scaled columns, by inverting the triangle in double,
 * within a factor n of the truth; infinite where that overflows. digits (or NULL; after lsq_work_solve): decimal digits
 * believed right in the largest entry of each column of x, the least of them. */
plumb_status lsq_work_estimate(const lsq_work *work, double *condition, double *digits);

#endif
