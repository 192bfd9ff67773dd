/* panel.h - the panel kernels as the host sees them: a block has a few columns, and many blocks share a problem. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_PANEL_H
#define PLUMB_BACKEND_CUDA_LSQ_PANEL_H

#include "backend/cuda/lsq/gpu.h"
#include "backend/cuda/lsq/plan.h"
#include "backend/cuda/lsq/small/small.h"

/* The available kernels, complex: warps per column, rows per thread, maximum number of threads of a block, and the
 * number of columns per block that was fastest for one system on an H200. A column has at most 32 * warps * rows
 * rows; smaller ones come first. */
#define PANEL_KERNELS_1(X) X(2, 4, 384, 4) X(4, 4, 512, 3) X(4, 8, 512, 3)
#define PANEL_KERNELS_2(X) X(2, 2, 256, 2) X(4, 2, 416, 2)

/* In quad double a thread has one or both parts of one row, and a block has one column. Besides it there are a courier and,
 * where threads have one part, some warps of followers. */
#define PANEL_QUAD_FOLLOWERS(warps, held) ((held) > 1 ? 0 : (warps) > 6 ? (warps) / 2 : (warps))
#define PANEL_QUAD(X, warps, held) X(warps, held, 32 * ((warps) + PANEL_QUAD_FOLLOWERS(warps, held) + 1), 1)
#define PANEL_KERNELS_4(X) \
    PANEL_QUAD(X, 3, 1) PANEL_QUAD(X, 4, 1) PANEL_QUAD(X, 5, 1) PANEL_QUAD(X, 8, 1) PANEL_QUAD(X, 8, 2)

/* Doubles of shared memory there: inverses and powers, coefficients and barriers of the steps, two coefficients in digits,
 * two exchanges, and four words. */
#define PANEL_QUAD_LEFT (QUAD_DIGITS + 1)
#define PANEL_QUAD_ROOM(warps, cols) \
    ((cols) * (QUAD_DIGITS + 10) + 4 * PANEL_QUAD_LEFT + 4 * (warps)*SMALL_EXCHANGE(2, 4) + 4)

/* True if x and the outcome are computed along with the columns, without flags and without another launch. */
static inline int panel_solves(const mgs_gpu_job *job, const mgs_plan *plan)
{
    return plan->family == MGS_PANEL && plan->along && !job->coefficients && job->x.data && job->all == job->cols + 1;
}

/* Kernels that find x beside the panels in d and dd (inverse.h): numbers of a row of the inverse per thread, of 32 threads,
 * and rows per block. */
#define PANEL_INVERSES_1(X) X(8, 4) X(16, 4)
#define PANEL_INVERSES_2(X) X(4, 4) X(8, 4)
#define INVERSE_COLS(limbs) ((limbs) == 1 ? 512 : (limbs) == 2 ? 256 : 0)
enum {
    INVERSE_ROWS = 4,     /* rows of the inverse per block, one for each quarter of a multiprocessor, */
    INVERSE_COURIERS = 4, /* warps per block that fetch columns of coefficients, */
    INVERSE_SLOTS = 4,    /* places for these, */
    INVERSE_NEAR = 3      /* and how many coefficients of a column may be missing before its turn is near */
};
/* Threads of a block: rows and couriers, or one for every unknown, whichever are more. */
#define INVERSE_THREADS(chunks, rows) \
    (32 * ((chunks) > (rows) + INVERSE_COURIERS ? (chunks) : (rows) + INVERSE_COURIERS))
#define INVERSE_ROOM(limbs, chunks) (INVERSE_SLOTS * (2 * (limbs)*32 * (chunks) + 2) + 2)

/* True if x is found by one of these. */
static inline int panel_inverts(const mgs_gpu_job *job, const mgs_plan *plan)
{
    return plan->family == MGS_PANEL && plan->inverts && job->x.data && job->all == job->cols + 1;
}

/* Doubles of a column in shared memory: its entries, and a pair for the least square norm of an independent column, or for
 * the inverse of its own. */
#define PANEL_STEP(limbs, warps, rows) (2 * (limbs)*32 * (warps) * (rows) + 2)

/* The number of doubles in which the warps of a column exchange their sums. */
#define PANEL_EXCHANGE(limbs, warps) (2 * (warps)*SMALL_EXCHANGE(2, limbs))

/* True if inverses of square norms are sent separately from columns and fetched by a separate warp. */
#define PANEL_APART(limbs) ((limbs) == 2)

/* The number of doubles that a block needs: places for columns of other blocks and for each of its own `columns` columns, with
 * barriers, and an exchange for each of its own columns. */
#define PANEL_ROOM(limbs, warps, rows, columns, slots)                       \
    ((slots) * (PANEL_STEP(limbs, warps, rows) + 2 + PANEL_APART(limbs)) +   \
     (columns) * (PANEL_STEP(limbs, warps, rows) + 2 + PANEL_APART(limbs)) + \
     ((columns)*PANEL_EXCHANGE(limbs, warps) + 1) / 2 * 2 + 2)

#endif
