/* refine.h - least squares by refinement on a GPU: a factor in double, residuals in the precision of x.
 *
 * The factor is computed by the kernels for double (gpu.h) from the leading limbs of A. One block per problem then
 * computes its pseudo-inverse P in double and repeats dx = P r, x += dx, r -= A dx or, for m > n, dx = P P^H (A^H r);
 * see mgs_refine.cu. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REFINE_H
#define PLUMB_BACKEND_CUDA_LSQ_REFINE_H

#include "backend/cuda/lsq/gpu.h"

/* The outcome of a problem, in doubles: whether the corrections converged, how many there were after the first, and
 * the maxima over the right-hand sides of the scaled residual norm and of the last correction, both relative to the
 * largest entry of the solution. */
enum { REFINED_CONVERGED, REFINED_STEPS, REFINED_LEFT, REFINED_LAST, REFINED_WORDS };

enum {
    REFINE_THREADS = 256,
    REFINE_MOST_COLS = 256,  /* sums of A dx have enough bits for this many products */
    REFINE_MOST_ROWS = 2048, /* and so have sums of A^H r */
    REFINE_WORDS = 16        /* doubles of shared memory for sums and sizes */
};

/* The number of doubles of an entry of A; see slices_of_entry. */
#define REFINE_SLICES(limbs) ((limbs) + 1)

/* Doubles of scratch of a problem in full precision: columns and coefficients with their right-hand sides, then leading limbs of
 * squares and exponents of all of them, and limits of the columns of A. */
#define REFINE_FULL(rows, cols, all, planes) (((rows) + (cols)) * (all) * (planes) + 2 * (all) + (cols))

/* The distance of columns in shared memory, such that four columns of four entries use no bank twice. */
#define REFINE_LD(rows) (((rows) + 11) / 16 * 16 + 4)

typedef struct mgs_refine_job {
    mgs_gpu_job low;                 /* the factor, w included: P takes its place */
    mgs_gpu_array a, b, x, residual; /* as in mgs_gpu_job */
    plumb_info *info;
    int32_t *failures; /* as in mgs_gpu_job; those of low are NULL */
    double *outcome;   /* REFINED_WORDS per problem */
    double *slices;    /* A in slices, where shared memory has no room for it; slices_step from problem to problem */
    int64_t slices_step;
    double *full; /* scratch for solving in the precision of x what does not converge; NULL: the host does that */
    int64_t full_step;
    int32_t rhs;
    int32_t inverse_shared; /* whether P lies in shared memory */
    double dependent;       /* as in mgs_gpu_job, in the precision of x */
    double unit, noise;     /* unit roundoff of the precision of x, and accumulated rounding error */
} mgs_refine_job;

#endif
