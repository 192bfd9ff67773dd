/* residual.h - residuals, and the corrections that refinement makes of them.
 *
 * A residual r = b - A x is a sum for each row; lanes run across rows of the column-major A, columns are added up in one fixed
 * order: the same bits for every lane width and number of threads. A^H r is the same kernel on the conjugate transpose.
 *
 * A correction solves the augmented system [I A; A^H 0] [dr; dx] = [f; g] with A = Q R by modified Gram-Schmidt (Bjorck and
 * Paige, Solution of augmented linear systems using orthogonal factorizations, 1994): R^H z = g; then f loses its parts along
 * q_1, .., q_n, which are d, and gets z_k along q_k back to front; dr is what remains, and R dx = d - z. */
#ifndef PLUMB_METHOD_LSQ_RESIDUAL_H
#define PLUMB_METHOD_LSQ_RESIDUAL_H

#include "method/lsq/mgs.h"

/* Plane c of entry (i, j): a[c*a_plane + j*a_col + i], and so on: views without their shape. */
typedef struct residual_job {
    const double *a, *x, *b; /* rows x inner, inner x rhs, rows x rhs; b NULL: zero */
    double *r;               /* rows x rhs: b - A x */
    int64_t a_plane, a_col, x_plane, x_col, b_plane, b_col, r_plane, r_col;
    int64_t rows, inner, rhs;
} residual_job;

/* Kernels of one precision, kind and machine. */
typedef struct residual_kernels {
    int32_t width;                                                          /* rows a lane */
    void (*residual)(const residual_job *job, int64_t first, int64_t last); /* rows first .. last-1 */
    /* norm[j] = 2-norm of column j of r: real, planes norm_plane apart */
    void (*norms)(const residual_job *job, double *norm, int64_t norm_plane);
    /* factor holds Q (after normalize) and R (after triangle). f: the right-hand sides of w, where dr is left; dx: those of
     * c; z, cols x rhs in rows of ld like c's right-hand sides, holds g and is used up. z NULL: g = 0, dr is not wanted. */
    void (*correct)(const mgs_job *factor, double *z, int64_t z_plane, int64_t z_ld);
} residual_kernels;

#endif
