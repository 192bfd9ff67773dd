/* work.h - the work array of one least-squares problem on the CPU: loading, scaling, factoring, solving.
 *
 * Every column is brought to a largest entry in [1/2, 1) by an exact power of two, so that no inner product overflows
 * and underflow stays below the unit of the norm of the column; results are scaled back at the end. The array is
 * stored by rows. plumb_cpu_lsq makes a work array per call; tracking has one per thread and precision in memory of
 * its own and allocates nothing while it tracks. */
#ifndef PLUMB_BACKEND_CPU_LSQ_WORK_H
#define PLUMB_BACKEND_CPU_LSQ_WORK_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "backend/backend.h"
#include "base/number/scale.h"
#include "method/lsq/estimate.h"
#include "method/lsq/mgs.h"

typedef struct lsq_work {
    mgs_job job;
    const mgs_kernels *kernels;
    const mgs_wide_kernels *wide; /* NULL: the matrix is too small for them (mgs_is_wide) */
    int32_t prec, parts, threads;
    struct team *team; /* or NULL */
    double dependent;  /* a column is dependent if its norm is at most this share of its original norm */
    int32_t *exponent; /* of each column, right-hand sides included: it was multiplied by 2^-exponent */
    bool blocked;      /* it was factored by blocks of columns (mgs_is_blocked, mgs_is_wide) */
    bool no_columns;   /* nobody needs the orthogonal columns in job.w */
    double *least;     /* for each column of A the largest square of a norm that counts as dependent */
    int64_t *order;    /* column k of the work array is column order[k] of A */
    void *memory;      /* what lsq_work_destroy frees; NULL: the memory is the caller's */
} lsq_work;

/* The number of doubles, a multiple of 8, that m x n with this many right-hand sides needs; false when it does not fit. */
bool lsq_work_size(int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t rhs, int64_t *doubles);

/* A work array in memory of that size, which begins on a cache line and is zero. */
void lsq_work_place(const machine *m, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t rhs,
                    double *memory, lsq_work *work);

/* The same in memory of its own. */
plumb_status lsq_work_create(const machine *m, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t rhs,
                             lsq_work *work);
void lsq_work_destroy(lsq_work *work);

/* Copies the columns of matrix number `batch` of a view to the columns first, first + 1, ... of the work array, scaled.
 * If there is a job.source, columns may stay where they are until they are factored.
 * -PLUMB_ERR_NONFINITE: there is an infinity or a NaN. */
plumb_info lsq_work_load(lsq_work *work, const plumb_view *view, int64_t batch, int64_t first);

/* Factors A, and takes the right-hand sides along: 0 or the dependent column, as plumb_info; with pivoting always 0, and
 * job.rank is the rank. */
plumb_info lsq_work_factor(lsq_work *work, int pivot);

/* A second pass of modified Gram-Schmidt on the orthogonalised columns; the coefficients become those of both passes. */
plumb_status lsq_work_repeat(const machine *m, lsq_work *work);

/* Norms of the residuals of the scaled right-hand sides; before lsq_work_solve, where it or an estimate needs them. */
void lsq_work_norms(lsq_work *work);

/* Solutions out of the coefficients, scaled back, and norms of residuals (residual may be NULL), into matrix `batch` of the
 * views. -PLUMB_ERR_RANGE when an entry of x or a norm is beyond the largest double. */
plumb_info lsq_work_solve(lsq_work *work, const plumb_view *x, const plumb_view *residual, int64_t batch);

/* R and Q (each may be NULL), scaled back; the coefficients are lost. -PLUMB_ERR_RANGE when an entry of R is beyond the largest
 * double. */
plumb_info lsq_work_store(lsq_work *work, const plumb_view *q, const plumb_view *r);

/* What estimates need, in place: after lsq_work_norms and lsq_work_solve, before lsq_work_store. */
lsq_triangle lsq_work_triangle(const lsq_work *work);

/* ---- Also for groups of systems and for refinement ---- */

/* The largest modulus in a column of a view, all limbs: infinite or a NaN when one of them is. */
double lsq_largest(const plumb_view *view, const double *column);

/* Sets matrix number `batch` of a view (or NULL) to zero. */
void lsq_clear(const plumb_view *view, int64_t batch);

/* dst = src 2^e; false when an entry overflows. */
static inline bool lsq_put_scaled(const double *src, int64_t src_plane, double *dst, int64_t dst_plane, int64_t planes,
                                  int32_t e)
{
    bool fits = true;
    const bool normal = scale_is_normal(e); /* nearly always */
    const double factor = normal ? scale_normal_power(e) : 0.0;
    const power_of_two power = normal ? (power_of_two){{0.0}} : scale_power(e);
    for (int64_t c = 0; c < planes; c++) {
        double value = normal ? src[c * src_plane] * factor : scale_by(src[c * src_plane], &power);
        fits = fits && fabs(value) <= DBL_MAX;
        dst[c * dst_plane] = value;
    }
    return fits;
}

#endif
