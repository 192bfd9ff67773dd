/* gpu.h - a batch of least-squares problems of one shape on a GPU, as its kernels see it.
 *
 * The columns stay unnormalised: with s_k = a_k^H a_k and c_kj = a_k^H a_j / s_k, step k is a_j -= c_kj a_k for all columns j > k,
 * right-hand sides included; then x solves C x = c_b, whose diagonal is 1. Each column is multiplied by 2^-exponent first, so
 * that its largest entry lies in [1/2, 1).
 *
 * Several kinds of kernels do this, see mgs_plan.h. All of them leave the same things behind. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_GPU_H
#define PLUMB_BACKEND_CUDA_LSQ_GPU_H

#include <stdint.h>

#include "plumb.h"

/* Arrays of the caller: plane p of entry (i, j) of problem b is data[b*next + j*col + p*plane + i]. */
typedef struct mgs_gpu_array {
    double *data; /* NULL: not wanted */
    int64_t plane, col, next;
} mgs_gpu_array;

/* Words behind the flags of the columns, at least as many as a cluster has blocks. */
enum { MGS_OUTCOME, MGS_TICKET, MGS_COLUMNS_READY, MGS_FLAGS = 16 };

/* Beside a column that goes from block to block: its size and its bound, that is what its square norm must exceed (panel: the bound
 * alone, first); then the inverse of its square norm. Panels in quad double: the sizes that its warps found, that inverse, its exponent
 * or that it is not finite, and for column 0 how many blocks have begun, less one. */
enum {
    FLOW_BESIDE = 2,
    PANEL_QUAD_INVERSE = 8,
    PANEL_QUAD_EXPONENT = 12,
    PANEL_QUAD_TICKET = 13,
    PANEL_QUAD_NONFINITE = 1 << 20
};
#define FLOW_WORDS(limbs) ((limbs) == 4 ? PANEL_QUAD_TICKET + 1 : FLOW_BESIDE + (limbs))

typedef struct mgs_gpu_job {
    mgs_gpu_array a, b, x, residual; /* a and b are only read; residual is real, 1 x right-hand sides */
    mgs_gpu_array corrected;        /* no data, or x of a single right-hand side is subtracted from it (block, small) */
    plumb_info *info;               /* one a problem */
    int32_t rows, cols, all, batch; /* all = cols + right-hand sides */

    /* Scratch on the device, all of it by problem: problem p begins at p times the step. */
    double
        *w; /* what is left of column j: plane q at w[q*w_plane + j*rows + i], behind that FLOW_WORDS doubles a column
                  (flow, panel), and origins that lie as c does (panel in qd); NULL where not wanted (small only) */
    double *c; /* c_kj, k < min(j, cols): plane q at c[q*c_plane + j*cols + k] */
    double *s; /* s_k, real, and after the columns of A squares of what is left of each right-hand side: s[q*all + k] */
    int32_t *exponent; /* of each column */
    int32_t *flags;    /* all + MGS_FLAGS a problem; flow finds them zero */
    double *products;  /* for large: see mgs_large.cu */
    int64_t w_plane, w_step, c_plane, c_step, s_step;

    int32_t coefficients; /* whether c is wanted at the end, or only x (small) */
    int32_t
        loaded; /* whether w has the columns, scaled, c_jj their square norms and flags whether all is not finite (flow) */
    int32_t near;     /* steps before its own turn from which on a block looks for words, not at a counter (flow) */
    int32_t first;    /* the column before which all others are done, and the first that flow takes out */
    double dependent; /* column k depends on those before it when s_k <= dependent * its square norm before */
} mgs_gpu_job;

#endif
