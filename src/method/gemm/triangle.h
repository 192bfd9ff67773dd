/* triangle.h - the blocks of triangular systems and Cholesky factors on the CPU (backend/gemm.h): their data and kernels.
 *
 * Unknowns are found one after the other. The sum of an unknown is one accumulator, started with the right-hand side, from which its
 * terms are subtracted in order; lanes run down right-hand sides, or down the rows of a factor, so that the bits do not depend on them.
 *
 * In d the value is divided by the diagonal; in dd and qd it is multiplied by the inverse, which costs a few units and makes
 * a GPU wait for one division per block instead of one per unknown. */
#ifndef PLUMB_METHOD_GEMM_TRIANGLE_H
#define PLUMB_METHOD_GEMM_TRIANGLE_H

#include <stdint.h>

/* Triangular systems and Cholesky factors are divided into blocks of at most this many columns, of which a machine solves or factors one
 * at a time; everything else is products. */
enum { TRIANGLE_BLOCK = 32 };

/* The maximum number of unknowns of a triangular system that a GPU may solve at once, with the sums of its halves. */
enum { TRIANGLE_DEVICE = 256 };

/* Coefficient (l, j), l <= j, of unknown l in the equation of unknown j: plane c is at t[triangle_place(l, j) * planes + c]. */
static inline int64_t triangle_place(int64_t l, int64_t j) { return j * (j + 1) / 2 + l; }

typedef struct triangle_block {
    double *t; /* the diagonal may be replaced by its inverses */
    int64_t n;
    int32_t unit;
    double *x; /* plane c of unknown j of right-hand side r: x[j*col + c*plane + r] */
    int64_t rows, plane, col;
} triangle_block;

/* The lower half of a Hermitian matrix: plane c of entry (i, j) is a[c*plane + j*col + i]. */
typedef struct cholesky_block {
    double *a;
    int64_t n, plane, col;
} cholesky_block;

typedef struct triangle_kernels {
    void (*prepare)(triangle_block *block); /* replaces the diagonal by what values are multiplied with */
    void (*solve)(const triangle_block *block);
    /* Replaces the lower half by the factor. Returns 0, the number (from 1) of the column whose pivot is not positive, or -1 where
     * the pivot is not finite. */
    int64_t (*factor)(const cholesky_block *block);
} triangle_kernels;

#endif
