/* mgs_small.h - what the host must know about the kernels for small systems to make room for them. */
#ifndef PLUMB_CUDA_MGS_SMALL_H
#define PLUMB_CUDA_MGS_SMALL_H

#include <stdint.h>

typedef struct small_shape {
    int32_t cluster; /* blocks a problem */
    int32_t share;   /* entries a thread */
    int32_t slots;   /* columns of A that can be on their way at a time; all of them when cluster is 1 */
    int32_t keep;    /* whether the coefficients stay in shared memory of block 0 */
} small_shape;

/* Doubles of shared memory from one column to the next: its entries, a pair for each warp of a team, a real number. */
#define SMALL_COLUMN_STEP(limbs, team, share) \
    ((team) * (share) * (limbs) + 2 * ((team) > 32 ? (team) / 32 : 1) + ((limbs) == 4 ? 4 : 0))

/* Doubles that a team of several warps exchanges sums in, a warp. */
#define SMALL_SLICES(limbs) ((limbs) == 1 ? 1 : (limbs) == 2 ? 3 : 6)
#define SMALL_EXCHANGE(parts, limbs) ((parts)*SMALL_SLICES(limbs) + 2)

/* The most threads a block may have. */
#define SMALL_THREADS(limbs) ((limbs) == 4 ? 256 : 512)

/* Numbers in the first j columns of coefficients, where column j < cols has j of them and a right-hand side cols. */
#define SMALL_COEFFICIENTS(cols, j) \
    ((j) <= (cols) ? (j) * ((j)-1) / 2 : (cols) * ((cols)-1) / 2 + ((j) - (cols)) * (cols))

/* What went wrong with a problem, the larger value counting. Column k depends on others: DEPENDENT - k. */
enum { MGS_DEPENDENT = 1 << 30, MGS_NONFINITE = INT32_MAX };

#endif
