/* mgs_wide.h - modified Gram-Schmidt for large matrices on the CPU. */
#ifndef PLUMB_BACKEND_CPU_LSQ_MGS_WIDE_H
#define PLUMB_BACKEND_CPU_LSQ_MGS_WIDE_H

#include <stdbool.h>

#include "base/os/team.h"
#include "method/lsq/mgs.h"

/* What plumb_cpu_mgs_factor does, by the kernels of method/lsq/mgs_wide_tmpl.h; the job has tiles, and all its columns are factored. */
int64_t plumb_cpu_mgs_wide_factor(const mgs_wide_kernels *kernels, const mgs_job *job, const double *least, team *t,
                                  int32_t threads, bool columns);

/* Takes the right-hand sides of a job through the steps of another one with the same matrix, which were taken by
 * plumb_cpu_mgs_wide_factor. */
void plumb_cpu_mgs_wide_along(const mgs_wide_kernels *kernels, const mgs_job *factored, const mgs_job *job);

/* Back substitution, in the order of blocks: c_k,rhs becomes x_k. */
void plumb_cpu_mgs_wide_back(const mgs_wide_kernels *kernels, const mgs_job *job, team *t, int32_t threads);

#endif
