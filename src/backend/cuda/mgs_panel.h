/* mgs_panel.h - what the host must know about the kernels in which a block has a few columns and many blocks share a problem. */
#ifndef PLUMB_CUDA_MGS_PANEL_H
#define PLUMB_CUDA_MGS_PANEL_H

#include "backend/cuda/mgs_small.h"

/* The kernels there are, complex: warps a column, rows a thread, the most threads of a block, columns of a block where one system was
 * fastest on an H200. A column has at most 32 * warps * rows rows; low ones come first. */
#define PANEL_KERNELS_1(X) X(2, 4, 384, 4) X(4, 4, 512, 3) X(4, 8, 512, 3)
#define PANEL_KERNELS_2(X) X(2, 2, 256, 2) X(4, 2, 384, 1)

/* Doubles of a column in shared memory: its entries, and a pair for the least square norm of an independent column. */
#define PANEL_STEP(limbs, warps, rows) (2 * (limbs)*32 * (warps) * (rows) + 2)

/* Doubles in which the warps of a column exchange what they add up. */
#define PANEL_EXCHANGE(limbs, warps) (2 * (warps)*SMALL_EXCHANGE(2, limbs))

/* Doubles a block needs: places for columns of others, and of `columns` columns of its own a place, an exchange and a barrier. */
#define PANEL_ROOM(limbs, warps, rows, columns, slots)                                                   \
    ((slots) * (PANEL_STEP(limbs, warps, rows) + 2) + (columns) * (PANEL_STEP(limbs, warps, rows) + 1) + \
     ((columns)*PANEL_EXCHANGE(limbs, warps) + 1) / 2 * 2 + 2)

#endif
