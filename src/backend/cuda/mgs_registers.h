/* mgs_registers.h - what the host must know about the kernels that keep columns in registers. */
#ifndef PLUMB_CUDA_MGS_REGISTERS_H
#define PLUMB_CUDA_MGS_REGISTERS_H

#include <stdint.h>

#include "backend/cuda/mgs_small.h"

typedef struct registers_shape {
    int32_t sleep; /* whether warps sleep while they wait for a column, instead of asking again and again */
} registers_shape;

/* The kernels there are, complex: threads that share a column, rows a thread has of it, columns a thread has a part of, the most
 * threads of a block. A column has at most the product of the first two rows. Low ones
 * come first, and of the same height those that are fastest. */
#define REGISTERS_KERNELS_1(X) \
    X(4, 4, 1, 128)            \
    X(2, 8, 1, 64)             \
    X(8, 2, 1, 192)            \
    X(16, 1, 1, 384)           \
    X(8, 3, 1, 256)            \
    X(8, 4, 1, 320)            \
    X(4, 8, 1, 160)            \
    X(8, 4, 2, 160)            \
    X(16, 2, 1, 640)           \
    X(16, 2, 2, 320)           \
    X(8, 5, 1, 384)            \
    X(8, 6, 1, 448)            \
    X(4, 12, 1, 224)           \
    X(8, 6, 2, 224)            \
    X(16, 3, 2, 448)           \
    X(8, 7, 1, 512)            \
    X(8, 8, 1, 576)            \
    X(8, 8, 2, 288)            \
    X(16, 4, 2, 576)           \
    X(16, 4, 3, 384)           \
    X(8, 10, 2, 352)
#define REGISTERS_KERNELS_2(X) \
    X(4, 4, 1, 128)            \
    X(8, 2, 1, 192)            \
    X(16, 1, 1, 384)           \
    X(8, 3, 1, 256)            \
    X(8, 4, 1, 320)            \
    X(8, 4, 2, 160)            \
    X(16, 2, 1, 640)           \
    X(16, 2, 2, 320)           \
    X(8, 6, 1, 448)            \
    X(16, 3, 2, 448)
#define REGISTERS_KERNELS_4(X)

/* Columns of a problem that a warp has. */
#define REGISTERS_A_WARP(lanes, columns) (32 / (lanes) * (columns))

/* Doubles of a column in shared memory. */
#define REGISTERS_STEP(limbs, lanes, rows) (2 * (limbs) * (lanes) * (rows))

/* Columns there is room for in shared memory: those of A; at the end, a solution for each warp. */
#define REGISTERS_SLOTS(cols, warps) ((cols) > (warps) ? (cols) : (warps))

/* Doubles behind the columns: coefficients, for each column the least square norm, the square norm, a barrier and an exponent; what
 * went wrong, and whether a result leaves the range. */
#define REGISTERS_REST(limbs, cols, all) \
    (SMALL_COEFFICIENTS(cols, all) * 2 * (limbs) + (all) * (1 + (limbs)) + (cols) + ((all) + 1) / 2 + 1)

#endif
