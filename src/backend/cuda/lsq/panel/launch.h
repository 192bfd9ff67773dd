/* launch.h - launches of the kernels of mgs_panel.cu, on the host. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_PANEL_LAUNCH_H
#define PLUMB_BACKEND_CUDA_LSQ_PANEL_LAUNCH_H

#include "backend/cuda/lsq/launch.h"
#include "backend/cuda/lsq/panel/panel.h"
#include "backend/cuda/lsq/plan.h"

typedef struct panel_entry {
    int32_t team, rows;
    const void *kernel;
} panel_entry;

/* The one of the kernels that the plan asks for. */
template <int COUNT>
static cudaError_t panel_start(const panel_entry (&entries)[COUNT], const mgs_gpu_job *job, const mgs_plan *plan,
                               void *stream)
{
    mgs_gpu_job value = *job;
    int slots = PLUMB_LIMBS == 4 ? panel_solves(job, plan) : plan->slots;
    void *arguments[] = {&value, &slots};
    const unsigned panels = (unsigned)((job->all + plan->columns - 1) / plan->columns);
    for (const panel_entry &e : entries)
        if (e.team == plan->team && e.rows == plan->share) {
            cudaError_t error =
                cudaFuncSetAttribute(e.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)plan->shared);
            if (error == cudaSuccess)
                error =
                    cudaMemsetAsync(job->w, 0xff, (size_t)job->batch * (size_t)job->w_step * 8, (cudaStream_t)stream);
            if (error == cudaSuccess)
                error = cudaLaunchKernel(e.kernel, dim3(panels, (unsigned)job->batch), dim3((unsigned)plan->threads),
                                         arguments, plan->shared, (cudaStream_t)stream);
            return error;
        }
    return cudaErrorInvalidDeviceFunction;
}

#endif
