/* mgs_small.h - what the host must know about the kernel for small systems to make room for it. */
#ifndef PLUMB_CUDA_MGS_SMALL_H
#define PLUMB_CUDA_MGS_SMALL_H

#include <stdint.h>

typedef struct small_shape {
    int32_t cluster; /* blocks a problem */
    int32_t team;    /* threads a column */
    int32_t slots;   /* columns of A that can be on their way at a time; all of them when cluster is 1 */
} small_shape;

/* Doubles of shared memory from one column to the next: its entries, a pair for each warp of a team, a real number. */
#define SMALL_COLUMN_STEP(rows, parts, limbs, team) \
    (((rows) * (parts) + 1) / 2 * 2 * (limbs) + 2 * ((team) > 32 ? (team) / 32 : 1) + ((limbs) < 2 ? 2 : (limbs)))

/* Doubles that a team of several warps exchanges sums in, a warp. */
#define SMALL_SLICES(limbs) ((limbs) == 1 ? 1 : (limbs) == 2 ? 3 : 6)
#define SMALL_EXCHANGE(parts, limbs) ((parts)*SMALL_SLICES(limbs) + 2)

/* The most threads a block may have. */
#define SMALL_THREADS(limbs) ((limbs) == 4 ? 256 : (limbs) == 2 ? 512 : 1024)

/* flags[0] of a problem: what went wrong, the larger value counting; 0 between launches. Column k depends: DEPENDENT - k. */
enum { MGS_DEPENDENT = 1 << 30, MGS_NONFINITE = INT32_MAX };

#endif
