/* large.h - sizes of the kernels in mgs_large.cu, for the kernels and for the layout of their memory. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_LARGE_H
#define PLUMB_BACKEND_CUDA_LSQ_LARGE_H

#include <stdint.h>

enum {
    LARGE_WIDTH = 32, /* columns of a panel */
    LARGE_PARTS = 16  /* maximum number of parts of sums over rows */
};

/* The number of pieces of a number, and the length of a sum in shared memory at a time, plus four, so that threads
 * read from different banks. */
#define LARGE_PIECES(limbs) ((limbs) == 1 ? 1 : (limbs) == 2 ? 5 : 10)
#define LARGE_CHUNK(limbs) ((limbs) == 1 ? 32 : 16)
#define LARGE_STEP(limbs) (LARGE_CHUNK(limbs) + 4)

/* Doubles of two factors in shared memory, and exponents of columns. */
#define LARGE_SHARED(limbs, parts) (2 * (parts)*LARGE_PIECES(limbs) * LARGE_WIDTH * LARGE_STEP(limbs) + LARGE_WIDTH)

enum { LARGE_PANEL_TEAMS = 32 }; /* warps per block of a cluster that factors a panel */

/* Doubles of shared memory of a block of such a cluster: its rows of the columns, its own sums and those of all
 * blocks for two steps, and two barriers. */
#define LARGE_PANEL_SHARED(limbs, parts, rows, blocks) \
    (LARGE_WIDTH * (parts) * (limbs) * (((rows) + (blocks)-1) / (blocks) + 2 + 2 * (blocks)) + 2)

/* The maximum number of rows of a part, for which products of pieces add up exactly in double. In double there are no
 * pieces. */
#define LARGE_PART_ROWS(limbs) ((limbs) == 1 ? 1 << 20 : (limbs) == 2 ? 192 : 96)

/* The number of products of a panel with `columns` columns. */
#define LARGE_PRODUCTS(columns) ((int64_t)LARGE_PARTS * LARGE_WIDTH * (columns))

#endif
