/* plan.h - which kernels solve a problem, and with which launch parameters.
 *
 * There are six families of kernels. All leave the same results behind (gpu.h); they differ in where a column lives while it is
 * worked on:
 *
 * registers: in registers of one block per problem, or of a cluster of blocks; one launch from load to x. Complex d and dd.
 * small:     in shared memory of one block per problem, or of a cluster of blocks; one launch from load to x. Real numbers and
 *            complex dd and qd.
 * panel:     in registers, a block per few columns; finished columns go from block to block through global memory. Complex.
 * flow:      in shared memory, a block per column; finished columns go through global memory. Every kind and precision.
 * large:     panels of 32 columns, which are then removed from all later columns by products of matrices.
 * columns:   in global memory, one launch per column, the scheme of Verschelde and Yoffe. Takes every shape on every GPU; the others
 *            are timed against it.
 *
 * A family has one or more kernels, compiled for a number of threads per column and rows per thread (mgs_kernel). Which of them a
 * problem gets is read off a table (plan_tables.h): the first line whose conditions hold and whose kernel has room. There is a
 * measured table for compute capability 9.0, and one for other GPUs whose cluster sizes come from the occupancy of the
 * device. The choice depends on the device, the shape of the problem and the number of problems that the caller states; never
 * on timing, on free memory or on how many problems are left, so that a run repeats its bits. docs/notes/kernel-families.md shows
 * what each kernel gains. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_PLAN_H
#define PLUMB_BACKEND_CUDA_LSQ_PLAN_H

#include <stddef.h>
#include <stdint.h>

typedef enum mgs_family {
    MGS_AUTO, /* as the table says */
    MGS_REGISTERS,
    MGS_SMALL,
    MGS_PANEL,
    MGS_FLOW,
    MGS_LARGE,
    MGS_COLUMNS,
    MGS_FAMILIES
} mgs_family;

enum { MGS_CLUSTER_SIZES = 5 }; /* 1, 2, 4, 8 and 16 blocks */

typedef struct mgs_limits { /* of a device */
    int32_t capability;     /* 10 * major + minor */
    int32_t multiprocessors;
    int32_t shared;                      /* bytes of shared memory that a block may have, opted in */
    int32_t clusters[MGS_CLUSTER_SIZES]; /* clusters of 2^k blocks that can run at the same time; 0: none can */
} mgs_limits;

typedef struct mgs_problem {
    int32_t prec, parts;
    int64_t rows, cols;
    int64_t all;     /* columns of A and right-hand sides together */
    int64_t systems; /* problems of the call, or of the run that the call belongs to */
} mgs_problem;

/* A kernel of a family, as it was compiled. */
typedef struct mgs_kernel {
    int32_t team;  /* threads per column */
    int32_t share; /* rows per thread (registers, panel); 0: any number */
    int32_t
        columns; /* columns that a thread has a part of (registers); columns per block where one system was fastest (panel) */
    int32_t together; /* pivots per step (registers) */
    int32_t threads;  /* maximum per block */
    int32_t cluster;  /* whether it is for clusters of blocks */
    int32_t beside;   /* whether right-hand sides are beside the columns (registers) */
    int32_t along;    /* whether x is found along with the columns, for one right-hand side only (registers) */
} mgs_kernel;

typedef struct mgs_plan {
    mgs_family family;
    int32_t cluster;  /* blocks per problem (registers, small); of the panel's cluster (large, or 0) */
    int32_t team;     /* threads per column (registers, small, panel) */
    int32_t threads;  /* per block */
    int32_t share;    /* entries per thread (small), rows per thread (registers, panel) */
    int32_t columns;  /* columns that a thread has a part of (registers), columns per block (panel) */
    int32_t together; /* pivots per step (registers) */
    int32_t turn;     /* warps of a block that columns are dealt out to before others (registers) */
    int32_t warps;    /* of a block, that have columns (registers) */
    int32_t slots; /* places in shared memory for columns of other blocks (small, panel), of all blocks (registers) */
    int32_t near;  /* see mgs_gpu_job (flow) */
    int32_t multiprocessors; /* of the device: how the work of a launch is cut (panel, flow, large) */
    int32_t
        early; /* starts while the kernel before it is still running, up to its first read (registers, end of panel) */
    int32_t keep; /* coefficients stay in shared memory (small) */
    int32_t
        along; /* x is computed along with the columns, without back substitution (registers, see registers_shape; small; panel, see panel_solves) */
    size_t shared;    /* bytes of shared memory per block */
    int keep_columns; /* whether mgs_gpu_job.w must be there; 2: with room for what panels send */
    int solves;       /* whether x and the outcome are complete after it, or the finishing kernels are needed */
    int inverts;      /* x is computed by another kernel at the same time, see panel_inverts and registers_inverts */
} mgs_plan;

/* A line of a table: conditions on the problem, then what to launch. */
enum { MGS_ONE, MGS_FEW, MGS_ANY }; /* systems: one; fewer than half the multiprocessors; any number */
#define MGS_MANY(k) (8 + (k))       /* at least k systems per multiprocessor */
#define MGS_ROUNDS(k) (-(k))        /* at most k times as many as clusters of the size in the line that run at a time */
enum { MGS_SINGLE = -2 };           /* right-hand sides: exactly one */
enum {
    MGS_MOST = -1,
    MGS_LEAST = -2
}; /* clusters: the largest the device can run this many of at a time; the smallest with room */

typedef struct mgs_choice {
    int32_t prec, parts;
    int32_t systems;               /* MGS_ONE, MGS_FEW, MGS_ANY, MGS_MANY or MGS_ROUNDS */
    int32_t rows;                  /* at most this many; 0: any number */
    int32_t least_cols, most_cols; /* at least, at most this many columns of A; 0: any number */
    int32_t rhs;                   /* at most this many right-hand sides; -1: any number; or MGS_SINGLE */
    int32_t spread; /* only where at most this many columns of all problems share a multiprocessor; 0: always */
    mgs_family family;
    int32_t team, share, columns, together; /* which kernel of the family */
    int32_t cluster;                        /* blocks per problem, MGS_MOST or MGS_LEAST */
    int32_t turn, threads;
} mgs_choice;

/* The table for a device, most specific lines first. The last line of each precision and kind takes everything. */
const mgs_choice *plumb_mgs_table(const mgs_limits *limits, int *count);

/* The kernels of a family; none for flow, large and columns, which have one set per precision and kind. */
const mgs_kernel *plumb_mgs_kernels(mgs_family family, int32_t prec, int32_t parts, int *count);

/* The plan for a problem. want is MGS_AUTO except in tests and timings; with a family, its lines are tried in order without their
 * conditions on sizes, and MGS_AUTO in the result says that no kernel of the family takes the problem. */
mgs_plan plumb_mgs_plan(const mgs_limits *limits, const mgs_problem *problem, mgs_family want);

/* The plan that one line gives, for tests and timings; family MGS_AUTO where its kernel does not take the problem. */
mgs_plan plumb_mgs_plan_of(const mgs_limits *limits, const mgs_problem *problem, const mgs_choice *choice);

const char *plumb_mgs_family_name(mgs_family family);

/* The limits of the device of a machine, asked once (device_limits.c). */
struct machine;
int plumb_cuda_mgs_limits(struct machine *m, mgs_limits *limits); /* a plumb_status */

#endif
