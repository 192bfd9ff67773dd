/* residual.h - residuals and the corrections computed from them, for iterative refinement.
 *
 * A residual r = b - A x has one sum per row. Lanes run across the rows of the column-major A, and columns are added
 * in one fixed order, so the bits are the same for every lane width and number of threads. A^H r uses the same kernel
 * on the conjugate transpose.
 *
 * A correction solves the augmented system [I A; A^H 0] [dr; dx] = [f; g] with A = Q R by modified Gram-Schmidt
 * (Bjorck and Paige, Solution of augmented linear systems using orthogonal factorizations, 1994): R^H z = g; then the
 * components d of f along q_1, .., q_n are removed from f, and z_k q_k is added from k = n down to 1; the result is
 * dr, and R dx = d - z. */
#ifndef PLUMB_METHOD_LSQ_RESIDUAL_H
#define PLUMB_METHOD_LSQ_RESIDUAL_H

#include "method/lsq/mgs.h"

/* Plane c of entry (i, j) of A is a[c*a_plane + j*a_col + i], and likewise for the other arrays. */
typedef struct residual_job {
    const double *a, *x, *b; /* rows x inner, inner x rhs, rows x rhs; b NULL: zero */
    double *r;               /* rows x rhs: b - A x */
    int64_t a_plane, a_col, x_plane, x_col, b_plane, b_col, r_plane, r_col;
    int64_t rows, inner, rhs;
} residual_job;

/* Kernels of one precision, kind and machine. */
typedef struct residual_kernels {
    int32_t width;                                                          /* rows per lane */
    void (*residual)(const residual_job *job, int64_t first, int64_t last); /* rows first .. last-1 */
    /* norm[j] is the 2-norm of column j of r, real, with planes norm_plane apart */
    void (*norms)(const residual_job *job, double *norm, int64_t norm_plane);
    /* factor holds Q (after normalize) and R (after triangle). f is in the right-hand sides of w, where dr is
     * returned; dx is returned in those of c. z, cols x rhs in rows of ld like the right-hand sides of c, holds g and
     * is overwritten. If z is NULL, g = 0 and dr is not computed. */
    void (*correct)(const mgs_job *factor, double *z, int64_t z_plane, int64_t z_ld);
} residual_kernels;

#endif
