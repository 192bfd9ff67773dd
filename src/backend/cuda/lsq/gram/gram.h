/* gram.h - least squares by refinement for matrices that are too large for one block: what the host and the kernels share.
 *
 * Columns of A are scaled to entries of about 1 and rounded to dd. Their Gram matrix and its Cholesky factor U are computed in dd, by
 * products of matrices; then x += (U^H U)^-1 A^H (b - A x), with residuals in the precision of x, until the corrections are rounding. The
 * factor has the square of the condition number, but errors of 2^-106: a correction leaves about n 2^-106 times this square, so that
 * condition numbers up to about 1e14 converge, in one step or two for most. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_GRAM_H
#define PLUMB_BACKEND_CUDA_LSQ_GRAM_H

#include "backend/cuda/lsq/gpu.h"
#include "method/gemm/triangle.h"

/* What the host looks at after a correction, in doubles: the largest entries of the correction and of x, of scaled columns; and at the
 * end the square norm of the residual. */
enum { GRAM_CHANGE, GRAM_LARGEST, GRAM_REST, GRAM_WORDS };

enum { GRAM_THREADS = 128, GRAM_TERMS = 64 /* of a partial sum of A x */, GRAM_MOST_SPLITS = 64 };

/* One problem; planes of dd are those of its parts. */
typedef struct gram_job {
    mgs_gpu_array a, b, x, residual;
    int32_t limbs; /* of A */
    int32_t rows, cols, side;
    int32_t first;     /* 1: x is zero so far */
    int32_t block;     /* of a system: number of its TRIANGLE_BLOCK unknowns */
    int32_t backwards; /* 0: with U^H, 1: with U */
    int32_t splits;    /* partial sums of A x, and the terms of each */
    int64_t terms;
    int32_t *exponent;
    double *scaled; /* plane c of entry (i, j), in dd: scaled[c*rows*cols + j*rows + i] */
    double *factor; /* likewise: factor[c*cols*cols + j*cols + i] */
    double *
        inverse; /* of its diagonal blocks: entry (i, j) of block k: inverse[((k*planes + c)*TRIANGLE_BLOCK + j)*TRIANGLE_BLOCK + i] */
    double *rest;      /* b - A x, in the precision of x: rest[c*rows + i] */
    double *sums;      /* partial sums: sums[(s*planes + c)*rows + i] */
    double *from, *to; /* right-hand side and unknowns of a system, in dd: from[c*cols + j] */
    double *words;
} gram_job;

#endif
