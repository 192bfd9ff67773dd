/* gram.h - least squares by refinement for matrices that are too large for one block: what the host and the kernels share.
 *
 * Columns of A are scaled to entries of about 1 and rounded to the precision of the factor. Their Gram matrix and its Cholesky factor U
 * are computed; then x += (U^H U)^-1 A^H (b - A x), with residuals in the precision of x (in dd if that is d), until the corrections are
 * rounding. The factor has the square of the condition number: a correction leaves about n u times this square, where u is the unit of
 * the factor. In d, by one launch on the tensor cores (gram_tiles.cu), condition numbers up to about 1e6 converge in one to a few
 * steps; in dd, by products of matrices, up to about 1e14. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_GRAM_H
#define PLUMB_BACKEND_CUDA_LSQ_GRAM_H

#include "backend/cuda/lsq/gpu.h"
#include "method/gemm/triangle.h"

/* What the host looks at after a correction, in doubles: the largest entries of the correction and of x, of scaled columns; and at the
 * end the square norm of the residual. */
enum { GRAM_CHANGE, GRAM_LARGEST, GRAM_REST, GRAM_WORDS };

enum { GRAM_THREADS = 128, GRAM_TERMS = 64 /* of a partial sum of A x */, GRAM_MOST_SPLITS = 64 };

/* Of a factor in d: rows and columns of a tile, and rows that are multiplied at a time. */
enum { GRAM_TILE = 64, GRAM_DEPTH = 8 };

/* Words of such a factor, then one for each tile, which is set when it is there: whether it has failed; the high words of the squares of the
 * largest and the smallest entry of its diagonal, of which the latter is subtracted from INT32_MAX; and the numbers of blocks that have
 * begun. */
enum {
    GRAM_FAILED,
    GRAM_MOST,
    GRAM_LEAST,
    GRAM_LOOKED_AT,
    GRAM_NEXT_TILE = GRAM_LOOKED_AT,
    GRAM_NEXT_DOWN,
    GRAM_NEXT_UP,
    GRAM_FLAGS = 32
};

/* One problem. */
typedef struct gram_job {
    mgs_gpu_array a, b, x, residual;
    int32_t limbs; /* of A */
    int32_t rows, cols, side;
    int32_t first;     /* 1: x is zero so far */
    int32_t block;     /* of a system: number of its TRIANGLE_BLOCK unknowns */
    int32_t backwards; /* 0: with U^H, 1: with U */
    int32_t splits;    /* partial sums of A x, and the terms of each */
    int64_t terms;
    int32_t low; /* limbs of the factor: 1 or 2 */
    int32_t ld,
        wide; /* rows and cols, or with a factor in d the next multiples of GRAM_DEPTH and GRAM_TILE; what is beyond is zero */
    int32_t tiles; /* wide / GRAM_TILE */
    int32_t *exponent;
    double *scaled; /* plane c of entry (i, j): scaled[c*ld*wide + j*ld + i] */
    double *factor; /* likewise: factor[c*wide*wide + j*wide + i] */
    /* In dd of its diagonal blocks: entry (i, j) of block k: inverse[((k*planes + c)*TRIANGLE_BLOCK + j)*TRIANGLE_BLOCK + i]. In d of
     * the conjugate transposes of its diagonal tiles, by rows: inverse[((k*parts + p)*GRAM_TILE + i)*GRAM_TILE + j]. */
    double *inverse;
    double
        *rest; /* b - A x: rest[c*rows + i], in planes of the precision of x or of dd, which is at least that of dd */
    double *sums;      /* partial sums: sums[(s*planes + c)*rows + i], likewise */
    double *from, *to; /* right-hand side and unknowns of a system, in the precision of the factor: from[c*cols + j] */
    double *
        marks; /* with a factor in d: unknowns of both systems, which announce themselves: marks[(k*parts + p)*cols + j] */
    int32_t *flags; /* with a factor in d: GRAM_FLAGS words and tile (i, j) at [GRAM_FLAGS + i*tiles + j] */
    double *words;
} gram_job;

#endif
