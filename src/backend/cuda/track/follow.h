/* follow.h - a kernel that follows the paths of a deck for many ticks: one warp per slot, or a few of them. See track_follow.cu.
 *
 * What a tick writes for its next steps is in shared memory, in doubles from the beginning of the share of a path: */
#ifndef PLUMB_BACKEND_CUDA_TRACK_FOLLOW_H
#define PLUMB_BACKEND_CUDA_TRACK_FOLLOW_H

#include "backend/cuda/eval/gpu.h"
#include "backend/cuda/track/gpu.h"

/* The number of warps for which a multiprocessor has registers, in d and in dd; and the maximum per path. */
enum { FOLLOW_ROOM_D = 12, FOLLOW_ROOM_DD = 8, FOLLOW_WARPS = 4 };

/* The maximum number of paths of a block, and the barrier at which they meet; those before are of the paths. */
enum { FOLLOW_MOST = FOLLOW_ROOM_D, FOLLOW_BARRIER = 15 };

/* Arrays of a path. Those up to FOLLOW_ROWS share their memory with the board of the decision. */
enum {
    FOLLOW_NUMBERS,   /* of the evaluation */
    FOLLOW_JACOBIANS, /* 2m x n */
    FOLLOW_VALUES,    /* 2m x 1, then what stays until the decision */
    FOLLOW_ROWS,      /* of elimination */
    FOLLOW_ROOM,      /* see follow_room in track_follow.cu */
    FOLLOW_VECTORS,
    FOLLOW_X,
    FOLLOW_SCALE,      /* m */
    FOLLOW_SIZES,      /* 2m */
    FOLLOW_DIRECTIONS, /* 2m */
    FOLLOW_MODULI,     /* of the unknowns and coefficients */
    FOLLOW_POINT,      /* the point and its coefficients, where they move */
    FOLLOW_PARAMETERS, /* from which they are computed, and the derivatives of these */
    FOLLOW_END
};

enum { FOLLOW_CLOCKS = 8 };

typedef struct track_follow_job {
    track_gpu_job job;
    eval_gpu_program system, magnitudes; /* with one part each, in global memory */
    eval_gpu_program moved;              /* of coefficients that are computed from parameters on arcs; or no slots */
    int32_t at[FOLLOW_END];              /* where the arrays begin */
    int32_t share;                       /* doubles of a path */
    int32_t paths, warps;                /* of a block, at a time; of a path */
    int32_t slots;                       /* that are followed */
    int32_t ticks;                       /* the most ticks of a path in this launch */
    int64_t *
        clocks; /* FOLLOW_CLOCKS per block, or NULL. Of its first path: ticks; the cycles of evaluation, elimination, short decisions, and
                        others; and the number of the others near the end, of points at fixed tau, and elsewhere */
} track_follow_job;

/* What the host asks for, see device_follow.c. */
typedef struct track_follow_launch {
    int32_t blocks, threads;
    size_t shared, most; /* bytes per block, and how many a block of the device may have */
} track_follow_launch;

/* Doubles of follow_room, and of the follow_group of a block. */
enum { FOLLOW_ROOM_DOUBLES = 320, FOLLOW_GROUP_DOUBLES = 16 };

#endif
