/* gemm.h - products of matrices on the CPU: the data of a block of C (gemm_block) and the kernels.
 *
 * C = alpha op(A) op(B) + beta C is computed in blocks of terms: the sum over the terms l of a block is one accumulator per
 * entry, started at zero and normalised at its end, and C receives alpha times the sums of the blocks in order. The length of a
 * block depends on the precision alone, and lanes run down the columns of C, so that the bits depend neither on the lane nor on
 * how C is divided among threads.
 *
 * Error of an entry, with S the sum of |a_il b_lj|, q the length of a block and k the number of terms, u = 2^-53: the
 * accumulators contribute (q + 3)^2 u^2 S in dd and (q + 4) 2^-208 S in qd (q u S in d), however many blocks there are, because the
 * sums S of the blocks add up to that of all; and each of the ceil(k / q) additions to C one rounding of a number that is at
 * most S. A block of 64 terms is as accurate as it is cheap: normalising costs 2% of its products. */
#ifndef PLUMB_METHOD_GEMM_GEMM_H
#define PLUMB_METHOD_GEMM_GEMM_H

#include <stdint.h>

/* The terms of a block, by limbs. In d a block is as long as a panel of B fits into a first-level cache. */
enum { GEMM_TERMS_D = 256, GEMM_TERMS = 64 };
static inline int64_t gemm_terms(int32_t prec) { return prec == 1 ? GEMM_TERMS_D : GEMM_TERMS; }

/* The terms of a block of `rows` x `cols` entries of C. A panel of A has as many rows as a tile of the kernel, one of B as many
 * columns: plane c of row r of term l of panel p of A is a[((p*terms + l)*planes + c)*tile_rows + r]. Missing rows and columns of
 * the last panels are zero. */
typedef struct gemm_block {
    const double *a, *b;
    int64_t rows, cols, terms;
    double *c; /* plane p of entry (i, j): c[p*c_plane + j*c_col + i] */
    int64_t c_plane, c_col;
    const double *alpha; /* limbs of the real part, then of the imaginary part; NULL: 1 */
    const double *beta;  /* NULL: 1 */
    int32_t fresh;       /* 1: C is not read, beta is zero */
} gemm_block;

/* Some terms of some rows of A, or columns of B, on their way into a panel: plane p of term l of row i is at from[p*plane + i*row +
 * l*step], where row or step is 1. */
typedef struct gemm_pack {
    const double *from;
    int64_t plane, row, step, rows, terms;
    int32_t conjugate;
    double *to; /* panels as in gemm_block */
} gemm_pack;

typedef struct gemm_kernels {
    int32_t tile_rows, tile_cols;
    void (*pack_rows)(const gemm_pack *pack); /* panels of A */
    void (*pack_cols)(const gemm_pack *pack); /* panels of B */
    void (*add)(const gemm_block *block);     /* C = alpha A B + beta C */
    void (*scale)(const gemm_block *block);   /* C = beta C: no terms */
} gemm_kernels;

#endif
