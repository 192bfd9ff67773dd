/* refine.h - least squares by refinement on a GPU: a factor in double, residuals in the precision of x.
 *
 * The factor is that of the kernels for double (mgs_gpu.h) on the leading limbs of A. One block a problem then makes the
 * pseudo-inverse P of it in double, and repeats dx = P r, x += dx, r -= A dx, or, for m > n, dx = P P^H (A^H r): see mgs_refine.cu. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REFINE_H
#define PLUMB_BACKEND_CUDA_LSQ_REFINE_H

#include "backend/cuda/lsq/gpu.h"

/* What became of a problem, in doubles: whether the corrections shrank as they must, how many there were after the first, and the
 * norm of the residual of the scaled system over the largest entry of its solution, the worst of the right-hand sides. */
enum { REFINED_CONVERGED, REFINED_STEPS, REFINED_LEFT, REFINED_WORDS = 4 };

enum {
    REFINE_THREADS = 256,
    REFINE_MOST_COLS = 256,  /* sums of A dx have bits for as many products */
    REFINE_MOST_ROWS = 2048, /* and so have sums of A^H r */
    REFINE_WORDS = 16        /* doubles of shared memory for sums and sizes */
};

/* Doubles that an entry of A takes: see slices_of_entry. */
#define REFINE_SLICES(limbs) ((limbs) + 1)

/* Doubles of scratch of a problem in full precision: columns and coefficients with their right-hand sides, then leading limbs of
 * squares and exponents of all of them, and limits of the columns of A. */
#define REFINE_FULL(rows, cols, all, planes) (((rows) + (cols)) * (all) * (planes) + 2 * (all) + (cols))

/* From one column to the next in shared memory, so that four columns of four entries meet no bank twice. */
#define REFINE_LD(rows) (((rows) + 11) / 16 * 16 + 4)

typedef struct mgs_refine_job {
    mgs_gpu_job low;                 /* the factor, w included: P takes its place */
    mgs_gpu_array a, b, x, residual; /* as in mgs_gpu_job */
    plumb_info *info;
    double *outcome; /* REFINED_WORDS a problem */
    double *slices;  /* A in slices, where shared memory has no room for it; slices_step from problem to problem */
    int64_t slices_step;
    double *full; /* scratch to solve in the precision of x what does not converge; NULL: the host sees to it */
    int64_t full_step;
    int32_t rhs;
    int32_t inverse_shared; /* whether P lies in shared memory */
    double dependent;       /* as in mgs_gpu_job, in the precision of x */
    double unit, noise;     /* of the precision of x; times what rounding errors add up to */
} mgs_refine_job;

#endif
