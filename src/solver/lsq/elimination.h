/* elimination.h - what Gaussian elimination works on, shared by the solver and its error estimate. */
#ifndef PLUMB_SOLVER_LSQ_ELIMINATION_H
#define PLUMB_SOLVER_LSQ_ELIMINATION_H

#include "method/lsq/lu.h"
#include "plumb.h"

typedef struct elimination {
    lu_job job;
    const lu_kernels *kernels;
    int32_t prec, parts, threads;
    int32_t *a_exponent, *b_exponent, *row_exponent; /* of columns of A and b, of rows of A in the order given */
    int64_t *row_at;                                 /* row k of the work array is row row_at[k] of A */
    double *limit;                                   /* a pivot of column k at most this is none */
    int rows_stay_scaled;                            /* for the estimate: invert D A, not A */
    double *vectors;                                 /* 4 n, for the estimate */
    plumb_view a, b, x, r;                           /* scaled by columns; r = b - A x */
    double *memory;
} elimination;

/* Plane c of entry (i, j) of the work array. */
static inline double *elimination_at(const elimination *e, int64_t c, int64_t i, int64_t j)
{
    return e->job.w + c * e->job.w_plane + i * e->job.ld + j;
}

/* Fills condition and digits of the report; after the solution x and the residual r are there. */
void elimination_estimate(elimination *e, plumb_lsq_report *report);

#endif
