/* small.h - the kernels for small systems as the host sees them: the available kernels, and the shared memory they
 * need. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_SMALL_SMALL_H
#define PLUMB_BACKEND_CUDA_LSQ_SMALL_SMALL_H

#include <stdint.h>

typedef struct small_shape {
    int32_t cluster; /* blocks per problem */
    int32_t share;   /* entries per thread */
    int32_t slots;   /* columns of A that can be in transit at a time; all of them if cluster is 1 */
    int32_t keep;    /* whether the coefficients stay in shared memory of block 0 */
    int32_t along;   /* 1: origins are computed along with the columns (origin.h) */
} small_shape;

/* Doubles of an entry of a column in shared memory: in qd, digits (digits.h). */
#define SMALL_WORDS(limbs) ((limbs) == 4 ? 5 : (limbs))

/* Doubles of shared memory from one column to the next: its entries, and a pair for each warp of a team; or, in qd, the
 * inverse of its square norm and the power of two it was multiplied by. */
#define SMALL_COLUMN_STEP(limbs, team, share) \
    ((team) * (share)*SMALL_WORDS(limbs) + ((limbs) == 4 ? 6 : 2 * ((team) > 32 ? (team) / 32 : 1)))

/* Doubles beside the columns, for each of them: below which square norm it counts as dependent; in qd, what its square
 * norm was at first, and for each warp of a team an upper bound of it (digit_column.h). */
#define SMALL_BESIDE(limbs, team) ((limbs) == 4 ? 2 + ((team) > 32 ? (team) / 32 : 1) : 1)

/* Doubles per warp in which a team of several warps exchanges sums. */
#define SMALL_SLICES(limbs) ((limbs) == 1 ? 1 : (limbs) == 2 ? 3 : 6)
#define SMALL_EXCHANGE(parts, limbs) (((parts) + 1) * SMALL_SLICES(limbs))

/* The maximum number of threads of a block. */
#define SMALL_THREADS(limbs) ((limbs) == 4 ? 256 : 512)

/* The maximum number of unknowns that a block solves for when coefficients are in global memory. */
#define SMALL_UNKNOWNS(limbs) ((limbs) == 4 ? 256 : 1024)

/* Numbers in the first j columns of coefficients, where column j < cols has j of them and a right-hand side cols. */
#define SMALL_COEFFICIENTS(cols, j) \
    ((j) <= (cols) ? (j) * ((j)-1) / 2 : (cols) * ((cols)-1) / 2 + ((j) - (cols)) * (cols))

/* The kernels there are: threads per column; for one block per problem or for clusters. Real numbers in every precision; complex
 * ones in dd and qd, since those in d have kernels in registers and panels that are faster. */
#define SMALL_KERNELS_REAL(X) X(8, 0) X(32, 1)
#define SMALL_KERNELS_2(X) X(8, 0)
#define SMALL_KERNELS_4(X) X(32, 0) X(64, 1)

/* What went wrong with a problem, the larger value counting. Column k depends on others: DEPENDENT - k. */
enum { MGS_DEPENDENT = 1 << 30, MGS_NONFINITE = INT32_MAX };

#endif
