/* registers.h - the kernels that keep columns in registers as the host sees them: which there are, and how much shared memory they
 * need. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_H

#include <stdint.h>

#include "backend/cuda/lsq/gpu.h"
#include "backend/cuda/lsq/plan.h"
#include "backend/cuda/lsq/small/small.h"

enum { REGISTERS_CLUSTER = 16 };    /* maximum number of blocks per problem */
enum { REGISTERS_FAN = 4 };         /* blocks that a block copies a column to, if not to all */
enum { REGISTERS_FLAGS = 5 };       /* doubles for what went wrong in a block, and how stable its results are */
enum { REGISTERS_SIDES = 3 };       /* maximum number of right-hand sides whose x is found along with the columns */
enum { REGISTERS_ALONE_SLOTS = 8 }; /* maximum number of places for columns where a problem has a single warp */

enum { REGISTERS_CHUNKS = 2 }; /* numbers per thread of a row of the inverse that another kernel finds */

typedef struct registers_shape {
    int32_t cluster; /* blocks per problem */
    int32_t turn;    /* warps of a block that columns are dealt out to, before it is the next ones' turn */
    int32_t slots;   /* places for columns in shared memory: at least as many as there are warps */
    int32_t warps;   /* of a block, that have columns */
    /* x is found along with the columns: in d by warps of the block that has the right-hand side (rows.h), in dd by the last
     * block, which has no columns then (follow.h). */
    int32_t along; /* in d, also where pivots are measured: REGISTERS_ELSEWHERE or REGISTERS_NEARBY */
} registers_shape;

/* True if another kernel finds x at the same time, panel/inverse.h, where nothing else is wanted: that kernel does not correct
 * anything, and scratch has words for the unknowns, but no room for columns. */
static inline int registers_inverts(const mgs_gpu_job *job, const mgs_plan *plan)
{
    return plan->family == MGS_REGISTERS && plan->inverts && job->products && job->x.data &&
           job->all == job->cols + 1 && !job->w && !job->coefficients && !job->corrected.data;
}

/* The kernels there are, complex: threads that share a column, rows and columns that a thread has parts of, the maximum number of
 * threads of a block; for one block per problem or for clusters; pivots per step; the number of blocks that share a
 * multiprocessor, which limits registers; whether right-hand sides are beside the columns (sides.h). A column has at most as many
 * rows as the product of the first two numbers.
 *
 * Two pivots per step are for latency. Right-hand sides beside the columns are for many problems with few right-hand sides: a
 * problem of up to 32 columns in d, or 16 in dd, has a single warp; larger ones have up to 8. */
#define REGISTERS_KERNELS_1(X)   \
    X(4, 4, 1, 128, 0, 2, 1, 0)  \
    X(4, 4, 2, 32, 0, 1, 16, 1)  \
    X(4, 6, 3, 32, 0, 1, 12, 1)  \
    X(4, 8, 4, 32, 0, 1, 8, 1)   \
    X(8, 6, 3, 128, 0, 1, 3, 1)  \
    X(8, 8, 4, 128, 0, 1, 2, 1)  \
    X(8, 4, 2, 160, 0, 1, 1, 0)  \
    X(8, 8, 2, 288, 0, 1, 1, 0)  \
    X(16, 2, 1, 256, 1, 2, 1, 0) \
    X(16, 3, 1, 256, 1, 2, 1, 0) \
    X(16, 5, 1, 384, 1, 2, 1, 0) \
    X(16, 6, 1, 384, 1, 2, 1, 0) \
    X(16, 8, 1, 416, 1, 2, 1, 0)
#define REGISTERS_KERNELS_2(X)   \
    X(4, 4, 2, 32, 0, 1, 8, 1)   \
    X(8, 4, 2, 128, 0, 1, 3, 1)  \
    X(8, 6, 2, 192, 0, 1, 1, 1)  \
    X(8, 8, 2, 256, 0, 1, 1, 1)  \
    X(8, 2, 1, 192, 0, 1, 1, 0)  \
    X(8, 4, 1, 320, 0, 1, 2, 0)  \
    X(16, 1, 1, 512, 1, 1, 1, 0) \
    X(16, 2, 1, 512, 1, 1, 1, 0) \
    X(16, 3, 1, 512, 1, 1, 1, 0) \
    X(16, 4, 1, 512, 1, 1, 1, 0)

/* In d, for one right-hand side whose x is found along with the columns, of problems that have several multiprocessors each. */
#define REGISTERS_ALONG_1(X) \
    X(4, 4, 1, 128, 0, 2)    \
    X(16, 2, 1, 256, 1, 2)   \
    X(16, 3, 1, 256, 1, 2)   \
    X(16, 4, 1, 384, 1, 2)   \
    X(16, 5, 1, 384, 1, 2)   \
    X(16, 6, 1, 384, 1, 2)   \
    X(16, 8, 1, 416, 1, 2)
/* In dd, for one right-hand side whose x another kernel finds at the same time: fewer warps, and more registers. (With 288 threads, which
 * no plan has, the steps of 64 rows are 1% shorter, those of 48 rows 1% longer.) */
#define REGISTERS_ALONG_2(X) \
    X(16, 3, 1, 256, 1, 1)   \
    X(16, 4, 1, 288, 1, 1)
enum { REGISTERS_ALONG_THREADS = 384, REGISTERS_ASIDE_THREADS = 256 }; /* maximum per block, in d and dd */
/* In dd, if all blocks have columns: no more blocks than that, and the warps of a block that have some. */
#define REGISTERS_ASIDE_BLOCKS(all, cluster, turn) \
    (((all) + (turn)-1) / (turn) < (cluster) ? ((all) + (turn)-1) / (turn) : (cluster))
#define REGISTERS_ASIDE_WARPS(all, cluster, turn) (((all) + (turn) * (cluster)-1) / ((turn) * (cluster)) * (turn))

/* Places in shared memory for right-hand sides that are beside the columns: one for each, and one if there are none. */
#define REGISTERS_SIDE_PLACES(cols, all) ((all) > (cols) ? (all) - (cols) : 1)

/* Barriers per place: for the column, and for its inverse if that comes later. */
#define REGISTERS_BARRIERS(limbs, beside) ((limbs) == 2 || (beside) ? 2 : 1)

/* Groups of threads of a warp that have columns. Of those of four threads, two have the pivots instead if there are two pivots per
 * step: see steps.h. In double double both halves of a warp have the same column: see group.h. */
enum { REGISTERS_QUAD = 4, REGISTERS_HALF = 16 };
#define REGISTERS_GROUPS(limbs, lanes, together) \
    ((lanes) == REGISTERS_QUAD && (together) == 2 ? 6 : (limbs) == 2 && (lanes) == REGISTERS_HALF ? 1 : 32 / (lanes))

/* Columns of a problem that a warp has. */
#define REGISTERS_A_WARP(limbs, lanes, columns, together) (REGISTERS_GROUPS(limbs, lanes, together) * (columns))

/* Doubles of a column in shared memory: its entries, and a pair for the least square norm of an independent column, or for
 * the inverse of its own. */
#define REGISTERS_STEP(limbs, lanes, rows) (2 * (limbs) * (lanes) * (rows) + 2)

/* In d, unknowns that a warp finds along with the columns. */
enum { REGISTERS_PART = 16 };
enum { REGISTERS_QUARTERS = 4 }; /* of a multiprocessor, that warps are dealt out to in turn */
#define REGISTERS_PARTS(cols) (((cols) + REGISTERS_PART - 1) / REGISTERS_PART)

/* Then, whether another warp measures the pivots for the warp of the right-hand side, which would be late otherwise: see
 * registers_measure. With 128 rows there is no warp left for this, and the right-hand side is in time. Also how many numbers
 * there are for each pair of pivots. */
#define REGISTERS_MEASURED(lanes, rows) ((lanes) == REGISTERS_HALF && (rows) < 8)
enum { REGISTERS_MEASURES = 8 };

#ifdef __CUDACC__
#define REGISTERS_FN static __host__ __device__ __forceinline__
#else
#define REGISTERS_FN static inline
#endif

/* How columns are dealt out where x is found along with the columns in d: `share` of them to a block at a time, two each to `turn`
 * warps in turn; this many blocks; warps of a block with columns, and all of them. One more warp measures pivots, if any (measured), in
 * another quarter of the multiprocessor than the right-hand side, or in the same one. */
enum { REGISTERS_ELSEWHERE = 1, REGISTERS_NEARBY = 2 };
typedef struct registers_deal {
    int32_t cols, all, share, turn, blocks, warps, all_warps, measured;
} registers_deal;

/* The block of the right-hand side, and which of its warps has that. */
REGISTERS_FN int32_t registers_home(const registers_deal *d)
{
    return d->cols / d->share % d->blocks;
}
REGISTERS_FN int32_t registers_side_warp(const registers_deal *d)
{
    return d->cols / (d->share * d->blocks) * d->turn + d->cols % d->share / 2 % d->turn;
}
/* The first column of a warp of that block. */
REGISTERS_FN int32_t registers_first(const registers_deal *d, int32_t warp)
{
    return (warp / d->turn * d->blocks + registers_home(d)) * d->share + warp % d->turn * 2;
}

/* What a warp of that block does beside its columns: it finds this part of x, or measures pivots, or nothing. First come warps
 * without columns, then those before the one of the right-hand side, which have nothing else to do by then: their part begins after
 * their last column (see rows_in_time in plan.c). Warps that share a quarter of the multiprocessor with the right-hand side have no
 * part: they would slow it down. Measuring there slows it down less, but is for problems that have no other warp left. */
enum { REGISTERS_NOTHING = -1, REGISTERS_MEASURING = -2 };
REGISTERS_FN int32_t registers_part(const registers_deal *d, int32_t warp)
{
    const int32_t side = registers_side_warp(d);
    int32_t part = 0, wanted = d->measured;
    for (int32_t columns = 0; columns < 2; columns++)
        for (int32_t w = 0; w < (columns ? side : d->all_warps); w++) {
            const int32_t has = w < d->warps && registers_first(d, w) < d->all,
                          where = w % REGISTERS_QUARTERS == side % REGISTERS_QUARTERS ? REGISTERS_NEARBY
                                                                                      : REGISTERS_ELSEWHERE;
            if (has != columns || w == d->warps)
                continue;
            if (!columns && wanted == where) {
                if (w == warp)
                    return REGISTERS_MEASURING;
                wanted = 0;
            } else if (where == REGISTERS_ELSEWHERE) {
                if (w == warp)
                    return part < REGISTERS_PARTS(d->cols) ? part : REGISTERS_NOTHING;
                part++;
            }
        }
    return REGISTERS_NOTHING;
}

/* What follows depends on `along`: 1 if x is found along with the columns, 2 if pivots are measured then.
 *
 * Barriers for coefficients; in d, if x is found along with the columns, two or three for each pair of pivots and one for each part of
 * x. */
#define REGISTERS_COMING(limbs, cols, along) \
    ((limbs) == 1 && (along) ? ((cols) + 1) / 2 * (1 + (along)) + REGISTERS_PARTS(cols) : (cols))

/* Doubles behind the columns: coefficients, for each column the square norm and an exponent; what went wrong in each block, barriers,
 * what went wrong in this one, whether results leave the range, and how stable they are; and where x is found along with the
 * columns, the unknowns, and a part of 32 numbers in dd, or, for each pair of pivots in d, the coefficient of the second one and what
 * was measured of both. */
#define REGISTERS_REST(limbs, cols, all, barriers, along)                                                   \
    (SMALL_COEFFICIENTS(cols, all) * 2 * (limbs) + (all) * (1 + (limbs)) + REGISTERS_CLUSTER + (barriers) + \
     ((along) ? (((all) - (cols)) * (cols) +                                                                \
                 ((limbs) == 2 ? 32 : ((cols) + 1) / 2 * (1 + ((along)-1) * REGISTERS_MEASURES / 2))) *     \
                        2 * (limbs) +                                                                       \
                    1                                                                                       \
              : 0) +                                                                                        \
     REGISTERS_COMING(limbs, cols, along) + REGISTERS_FLAGS)

#endif
