/* norm.h - a batch of problems with fewer rows than columns on a GPU: A is m x n with m < n. Its conjugate transpose is
 * factored by one of the families of kernels; mgs_norm.cu makes it before and the solutions of least norm after. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_NORM_NORM_H
#define PLUMB_BACKEND_CUDA_LSQ_NORM_NORM_H

#include "backend/cuda/lsq/gpu.h"

typedef struct mgs_norm_job {
    mgs_gpu_job factor;              /* of A^H, n x m, which is dense in scratch: rows = n, cols = all = m */
    mgs_gpu_array a, b, x, residual; /* of the caller; residual may have no data */
    plumb_info *info;                /* one per problem: that of the factor before, and of everything after */
    int32_t *failures;               /* or NULL; see outcome.h */
    double *z;       /* by right-hand sides: m numbers, planes m apart, then n numbers, planes n apart */
    double *inverse; /* by problems: 1 / s_k, planes m apart */
    int32_t *flags;  /* by right-hand sides: NORM_... */
    int64_t z_step, inverse_step;
    int32_t rhs;
} mgs_norm_job;

/* What is wrong with a right-hand side; the largest counts. */
enum { NORM_FINE, NORM_OUT_OF_RANGE, NORM_NONFINITE };

#endif
