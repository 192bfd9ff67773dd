/* launch.h - launches a kernel that may begin while the one before it in the stream is still running. It waits by itself where
 * it needs the results of that one (gpu_previous_done). */
#ifndef PLUMB_BACKEND_CUDA_RUNTIME_LAUNCH_H
#define PLUMB_BACKEND_CUDA_RUNTIME_LAUNCH_H

#include "backend/cuda/runtime/gpu.h"

/* early: 1 if the device knows such launches. */
static inline cudaError_t gpu_launch(const void *kernel, dim3 grid, unsigned threads, size_t shared, int early,
                                     void **arguments, void *stream)
{
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.stream = (cudaStream_t)stream;
    config.attrs = &attribute;
    config.numAttrs = early ? 1 : 0;
    return cudaLaunchKernelExC(&config, kernel, arguments);
}

#endif
