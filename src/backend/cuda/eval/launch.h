/* launch.h - launches of evaluation kernels: their attributes and their error messages. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_LAUNCH_H
#define PLUMB_BACKEND_CUDA_EVAL_LAUNCH_H

#include <stdio.h>

#include <atomic>

#include "backend/cuda/eval/gpu.h"
#include "backend/cuda/runtime/launch.h"

/* Kernels that need more than the default amount of shared memory must be allowed to use it, once per device. */
template <int COUNT> static cudaError_t eval_prepare(const void *const (&kernels)[COUNT])
{
    static std::atomic<uint64_t> prepared;
    int device = 0, most = 0;
    cudaError_t error = cudaGetDevice(&device);
    const uint64_t bit = (uint64_t)1 << (device & 63);
    if (error != cudaSuccess || (device < 64 && (prepared.load() & bit)))
        return error;
    error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    for (const void *kernel : kernels)
        if (error == cudaSuccess)
            error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    if (error == cudaSuccess)
        prepared.fetch_or(bit);
    return error;
}

static inline plumb_status eval_say(cudaError_t error, char *message, size_t message_size)
{
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of an evaluation failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

/* Launches one of the shared-memory kernels with all blocks of all parts. The program is loaded into shared memory while the
 * previous kernel is still running. */
static inline cudaError_t eval_launch(const void *kernel, const eval_gpu_job *given, size_t shared, void *stream)
{
    eval_gpu_job job = *given;
    void *arguments[] = {&job};
    return gpu_launch(kernel, dim3((unsigned)(job.program.parts * job.blocks)), EVAL_THREADS, shared, job.early,
                      arguments, stream);
}

#endif
