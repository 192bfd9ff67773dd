/* launch.h - launches of the kernels of mgs_registers.cu, on the host. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_LAUNCH_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_LAUNCH_H

#include "backend/cuda/lsq/launch.h"
#include "backend/cuda/lsq/registers/registers.h"

typedef struct registers_entry {
    int32_t lanes, rows, columns, together;
    bool cluster;
    const void *kernel;
} registers_entry;

/* The one of the kernels that the plan asks for. */
template <int COUNT>
static cudaError_t registers_start(const registers_entry (&entries)[COUNT], const mgs_gpu_job *job,
                                   const mgs_plan *plan, void *stream)
{
    registers_shape shape = {plan->cluster, plan->turn, plan->slots};
    mgs_gpu_job value = *job;
    void *arguments[] = {&value, &shape};
    cudaError_t error = mgs_prepare(entries);
    for (const registers_entry &e : entries)
        if (error == cudaSuccess && e.lanes == plan->team && e.rows == plan->share && e.columns == plan->columns &&
            e.together == plan->together && e.cluster == (plan->cluster > 1))
            return mgs_launch(e.kernel, plan, job->batch, arguments, stream);
    return error == cudaSuccess ? cudaErrorInvalidDeviceFunction : error;
}

#endif
