/* follow.h - a kernel that follows the paths of a deck for many ticks: one warp per slot, or a few of them. See track_follow.cu.
 *
 * What a tick writes for its next steps is in shared memory, in doubles from the beginning of the share of a path: */
#ifndef PLUMB_BACKEND_CUDA_TRACK_FOLLOW_H
#define PLUMB_BACKEND_CUDA_TRACK_FOLLOW_H

#include "backend/cuda/eval/gpu.h"
#include "backend/cuda/lsq/registers/registers.h"
#include "backend/cuda/track/gpu.h"

/* Ways to solve a step's least squares by one warp: columns in registers, right-hand sides beside them (lsq/registers/sides.h). Threads
 * per column, rows and columns per thread, and the number of warps for which a multiprocessor has registers. */
#define FOLLOW_SOLVERS_1(X) X(4, 4, 2, 12)
#define FOLLOW_SOLVERS_2(X) X(4, 4, 2, 8)

enum { FOLLOW_WARPS = 4 }; /* maximum per path */

/* Arrays of a path. Those up to FOLLOW_VALUES share their memory with least squares and with the board of the decision. */
enum {
    FOLLOW_NUMBERS,   /* of the evaluation */
    FOLLOW_JACOBIANS, /* 2m x n */
    FOLLOW_VALUES,    /* 2m x 1, then what stays until the decision */
    FOLLOW_ROOM,      /* see follow_room in track_follow.cu */
    FOLLOW_VECTORS,
    FOLLOW_A,
    FOLLOW_B,
    FOLLOW_X,
    FOLLOW_SCALE,  /* m, and the levels of the rows */
    FOLLOW_SIZES,  /* 2m */
    FOLLOW_MODULI, /* of the unknowns and parameters */
    FOLLOW_POINT,  /* the point and its parameters, where coefficients move */
    FOLLOW_END
};

typedef struct track_follow_job {
    track_gpu_job job;
    eval_gpu_program system, magnitudes; /* with one part each, in global memory */
    registers_shape shape;
    double dependent;       /* see lsq_call */
    int32_t at[FOLLOW_END]; /* where the arrays begin */
    int32_t share;          /* doubles of a path */
    int32_t paths, warps;   /* of a block, at a time; of a path */
    int32_t slots;          /* that are followed */
    int32_t ticks;          /* the most ticks of a path in this launch */
} track_follow_job;

/* What the host asks for, see device_follow.c. */
typedef struct track_follow_launch {
    int32_t team, share, columns; /* the solver */
    int32_t blocks, threads;
    size_t shared; /* bytes per block */
} track_follow_launch;

/* Doubles of follow_room. */
enum { FOLLOW_ROOM_DOUBLES = 320 };

#endif
