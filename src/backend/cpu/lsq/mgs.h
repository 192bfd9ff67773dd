/* mgs.h - modified Gram-Schmidt on the CPU. */
#ifndef PLUMB_BACKEND_CPU_LSQ_MGS_H
#define PLUMB_BACKEND_CPU_LSQ_MGS_H

#include <stdbool.h>

#include "base/os/team.h"
#include "method/lsq/mgs.h"

/* Orthogonalises the columns of a job: afterwards w holds orthogonal columns and the residuals of the right-hand
 * sides, and c and s are as described in method/lsq/mgs.h. Returns 0, or k > 0 if s_k (from 1) is at most least[k-1]:
 * column k depends on those before it, and the job stops there. threads is the maximum number of threads of the team
 * (or NULL). With columns = false only the right-hand sides in w mean something afterwards. */
int64_t plumb_cpu_mgs_factor(const mgs_kernels *kernels, const mgs_job *job, const double *least, team *t,
                             int32_t threads, bool columns);

/* Takes the right-hand sides of a job through the steps of another one with the same matrix, which were taken by blocks
 * (mgs_is_blocked). */
void plumb_cpu_mgs_along(const mgs_kernels *kernels, const mgs_job *factored, const mgs_job *job);

/* Runs step k alone. */
int64_t plumb_cpu_mgs_step(const mgs_kernels *kernels, const mgs_job *job, int64_t k, const double *least, team *t,
                           int32_t threads);

#endif
