/* plan.h - which kernels take a shape: the one place that knows about sizes of multiprocessors.
 *
 * block: one block a problem or a few, the columns in registers; from load to x in one launch. Complex d and dd.
 * small: a cluster of 1 to 16 blocks a problem, the columns in shared memory; from load to x in one launch.
 * panel: a block a few columns, in registers, in any number; columns go from block to block through global memory. One launch, then
 *       back substitution, but in qd, where x comes along. Complex.
 * flow: a block a column, in any number; columns wait for each other through flags in global memory. One launch, then back
 *       substitution.
 * large: panels of columns by flow, what they take out of the others by products of matrices. Some launches a panel.
 * columns: the scheme of Verschelde and Yoffe, a launch a column: works everywhere, and is what the others are timed against. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_PLAN_H
#define PLUMB_BACKEND_CUDA_LSQ_PLAN_H

#include <stddef.h>
#include <stdint.h>

typedef enum mgs_regime { MGS_AUTO, MGS_SMALL, MGS_FLOW, MGS_COLUMNS, MGS_BLOCK, MGS_PANEL, MGS_LARGE } mgs_regime;

typedef struct mgs_limits { /* of a device */
    int32_t capability;     /* 10 * major + minor */
    int32_t multiprocessors;
    int32_t shared;  /* bytes a block may have, opted in */
    int32_t cluster; /* blocks in the largest cluster; 1 without clusters */
} mgs_limits;

typedef struct mgs_plan {
    mgs_regime regime;
    int32_t cluster;  /* blocks a problem (small, block) */
    int32_t team;     /* threads a column (small, block) */
    int32_t threads;  /* of a block */
    int32_t share;    /* entries a thread (small), rows a thread (block) */
    int32_t columns;  /* columns a thread has a part of (block) */
    int32_t together; /* pivots a step (block) */
    int32_t turn;     /* warps of a block that columns are dealt out to before others (block) */
    int32_t slots;    /* columns of other blocks (small), of all blocks (block) held at a time */
    int32_t near;     /* see mgs_gpu_job (flow) */
    int32_t each;     /* every block adds up square norms for itself (flow) */
    int32_t early;    /* begins, up to where it reads, while the one before it is still at work (block, end of panel) */
    int32_t keep;     /* coefficients stay in shared memory (small) */
    int32_t along;    /* x comes without back substitution (small; panel, see panel_solves) */
    size_t shared;    /* bytes a block */
    int keep_columns; /* whether w must be there; 2: with room for origins */
    int solves;       /* whether x and the outcome are there after it, or the finishing kernels are needed */
} mgs_plan;

/* The plan for a shape; want is MGS_AUTO but in tests and timings. With want a regime that cannot take the shape: regime is
 * MGS_AUTO in the result. */
mgs_plan plumb_mgs_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t all,
                        int64_t batch, mgs_regime want);

/* Whether there is a kernel for a small plan. */
int plumb_mgs_small_has(const mgs_plan *plan, int32_t prec, int32_t parts);

/* A plan for small kernels with these sizes; regime MGS_AUTO where that is not possible. Slots as many as needed, or fewer, when
 * there is no room for them: then the cluster meets now and then. */
mgs_plan plumb_mgs_small_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols,
                              int64_t all, int32_t cluster, int32_t team, int32_t threads);

/* The same for the block regime, complex: with kernel number `index` of those there are; one beyond the last gives threads 0.
 * A turn of more warps than one block needs is one of all of them. */
mgs_plan plumb_mgs_block_plan(const mgs_limits *limits, int32_t prec, int64_t rows, int64_t cols, int64_t all,
                              int32_t index, int32_t cluster, int32_t turn);

/* The same for panels of so many columns; with 0, as many as were fastest. */
mgs_plan plumb_mgs_panel_plan(const mgs_limits *limits, int32_t prec, int64_t rows, int64_t cols, int32_t index,
                              int32_t columns);

#endif
