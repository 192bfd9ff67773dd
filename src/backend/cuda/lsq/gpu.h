/* gpu.h - a batch of least-squares problems of one shape, as the kernels of a GPU see it.
 *
 * The columns stay unnormalised: with s_k = a_k^H a_k and c_kj = a_k^H a_j / s_k, step k is a_j -= c_kj a_k for all
 * columns j > k, right-hand sides included; then x solves C x = c_b, whose diagonal is 1. Each column is multiplied
 * by 2^-exponent first, so that its largest entry lies in [1/2, 1).
 *
 * Several families of kernels do this (plan.h). All of them leave the same data behind. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_GPU_H
#define PLUMB_BACKEND_CUDA_LSQ_GPU_H

#include <stdint.h>

#include "plumb.h"

/* Arrays of the caller: plane p of entry (i, j) of problem b is data[b*next + j*col + p*plane + i]. */
typedef struct mgs_gpu_array {
    double *data; /* NULL: not needed */
    int64_t plane, col, next;
} mgs_gpu_array;

/* Words after the flags of the columns, at least as many as a cluster has blocks. */
enum { MGS_OUTCOME, MGS_TICKET, MGS_COLUMNS_READY, MGS_FLAGS = 16 };

/* Words beside a column that is passed from block to block: its size and its bound, which its square norm must exceed
 * (panel: the bound alone, first); then the inverse of its square norm. Registers in double double: the inverse, or the square norm of a
 * residual; then the exponent, or the mark that the column is not finite. Panels in quad double: the digits of that
 * inverse and the power of two that the column was multiplied by, its exponent or the mark that it is not finite, and
 * for column 0 the number of blocks that have begun, minus one. */
enum {
    FLOW_BESIDE = 2,
    QUAD_DIGITS = 5,
    PANEL_QUAD_INVERSE = 0,
    PANEL_QUAD_POWER = QUAD_DIGITS,
    PANEL_QUAD_EXPONENT,
    PANEL_QUAD_TICKET,
    BESIDE_NONFINITE = 1 << 20
};
#define FLOW_WORDS(limbs) ((limbs) == 4 ? PANEL_QUAD_TICKET + 1 : FLOW_BESIDE + (limbs))

/* Columns that panels in d and dd send begin at multiples of 128 bytes, the lines of the cache: behind this many doubles, and with
 * this many rows, each a pair of doubles. */
#define PANEL_SENT(before) (((before) + 15) / 16 * 16)
#define PANEL_SENT_ROWS(rows) (((rows) + 7) / 8 * 8)

/* Words of an unknown of panels in d and dd, and of registers in dd, on its way to the block that stores it, in pairs: see
 * panel/inverse.h. */
#define INVERSE_WORDS(limbs) (2 * (limbs) + 2)

typedef struct mgs_gpu_job {
    mgs_gpu_array a, b, x, residual; /* a and b are only read; residual is real, 1 x right-hand sides */
    mgs_gpu_array corrected; /* no data, or x of a single right-hand side is subtracted from it (registers, small) */
    plumb_info *info;        /* one per problem */
    int32_t *failures;       /* words of the context that note failures, or NULL; see outcome.h */
    int32_t rows, cols, all, batch; /* all = cols + right-hand sides */

    /* Scratch on the device, stored by problem: problem p begins at p times the step. */
    /* Column j, orthogonalised: plane q at w[q*w_plane + j*rows + i]; then FLOW_WORDS doubles per column (flow, panel);
     * panel: columns as they are sent, in planes of pairs; in qd these are digits, behind origins, which are as large as
     * c; at the end unknowns, see flow/relay.h and panel/inverse.h. NULL if not needed (small only). */
    double *w;
    double *c;         /* c_kj, k < min(j, cols): plane q at c[q*c_plane + j*cols + k] */
    double *s;         /* s_k, real; after the columns of A the squared residual norms: s[q*all + k] */
    int32_t *exponent; /* exponent of each column */
    int32_t *flags;    /* all + MGS_FLAGS per problem; zero when flow starts */
    double *products;  /* for large, see large/mgs_large.cu; registers: kept words, see flow/mark.h */
    int64_t w_plane, w_step, c_plane, c_step, s_step;

    int32_t coefficients; /* 1: c is needed at the end, not only x (small) */
    int32_t loaded;       /* 1: w has the scaled columns, c_jj square norms, flags which are not finite (flow) */
    int32_t near;  /* number of steps before its turn from which on a block polls words instead of a counter (flow) */
    int32_t first; /* the first column that flow processes; all before it are finished */
    double dependent; /* column k is dependent if s_k <= dependent * its original square norm */
} mgs_gpu_job;

#endif
