/* registers.h - the kernels that keep columns in registers as the host sees them: which there are, and how much shared memory they
 * need. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_H

#include <stdint.h>

#include "backend/cuda/lsq/small/small.h"

enum { REGISTERS_CLUSTER = 16 }; /* maximum number of blocks per problem */
enum { REGISTERS_FLAGS = 5 };    /* doubles for what went wrong in a block, and how stable its results are */
enum { GROWTH = 6 }; /* log2 of how much larger the terms of x may be than x, if it is found along with the columns */
enum { REGISTERS_SIDES = 3 }; /* maximum number of right-hand sides whose x is found along with the columns */

typedef struct registers_shape {
    int32_t cluster; /* blocks per problem */
    int32_t turn;    /* warps of a block that columns are dealt out to, before it is the next ones' turn */
    int32_t slots;   /* places for columns in shared memory: at least as many as there are warps */
    int32_t warps;   /* of a block, that have columns */
    int32_t along;   /* the last block has no columns, but finds x along with them: see follow.h */
} registers_shape;

/* The kernels there are, complex: threads that share a column, rows and columns that a thread has parts of, the maximum number of
 * threads of a block; for one block per problem or for clusters; pivots per step. A column has at most as many rows as the product
 * of the first two numbers. Two pivots per step are for latency; the lowest kernel, whose inner products are products of
 * matrices, is fastest for many systems, too. */
#define REGISTERS_KERNELS_1(X) \
    X(4, 4, 1, 128, 0, 2)      \
    X(8, 4, 2, 160, 0, 1)      \
    X(8, 8, 2, 288, 0, 1)      \
    X(8, 4, 1, 256, 1, 2)      \
    X(16, 3, 1, 256, 1, 2)     \
    X(16, 4, 1, 384, 1, 2)     \
    X(16, 6, 1, 384, 1, 2)     \
    X(16, 8, 1, 416, 1, 2)
#define REGISTERS_KERNELS_2(X) \
    X(8, 2, 1, 192, 0, 1)      \
    X(8, 4, 1, 320, 0, 1)      \
    X(16, 1, 1, 512, 1, 1)     \
    X(16, 2, 1, 512, 1, 1)     \
    X(16, 3, 1, 512, 1, 1)     \
    X(16, 4, 1, 512, 1, 1)

/* Groups of threads of a warp that have columns. Of those of four threads, two have the pivots instead: see steps.h. In double double
 * both halves of a warp have the same column: see group.h. */
enum { REGISTERS_QUAD = 4, REGISTERS_HALF = 16 };
#define REGISTERS_GROUPS(limbs, lanes) \
    ((lanes) == REGISTERS_QUAD ? 6 : (limbs) == 2 && (lanes) == REGISTERS_HALF ? 1 : 32 / (lanes))

/* Columns of a problem that a warp has. */
#define REGISTERS_A_WARP(limbs, lanes, columns) (REGISTERS_GROUPS(limbs, lanes) * (columns))

/* Doubles of a column in shared memory: its entries, and a pair for the least square norm of an independent column, or for
 * the inverse of its own. */
#define REGISTERS_STEP(limbs, lanes, rows) (2 * (limbs) * (lanes) * (rows) + 2)

/* Doubles behind the columns: coefficients, for each column the square norm and an exponent; what went wrong in each block, barriers,
 * what went wrong in this one, whether results leave the range, and how stable they are; and where x is found along with the
 * columns, the unknowns, and a part of 32 numbers. */
#define REGISTERS_REST(limbs, cols, all, slots, along)                                                             \
    (SMALL_COEFFICIENTS(cols, all) * 2 * (limbs) + (all) * (1 + (limbs)) + REGISTERS_CLUSTER + (limbs) * (slots) + \
     ((along) ? (((all) - (cols)) * (cols) + 32) * 2 * (limbs) + 1 : 0) + (cols) + REGISTERS_FLAGS)

#endif
