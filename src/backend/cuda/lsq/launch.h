/* launch.h - launches of least-squares kernels by the host: their attributes and their error messages. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_LAUNCH_H
#define PLUMB_BACKEND_CUDA_LSQ_LAUNCH_H

#include <stdio.h>

#include <atomic>

#include "backend/cuda/lsq/gpu.h"
#include "backend/cuda/lsq/plan.h"

/* Allows kernels, once per device, to use all shared memory that a block may have, and clusters of more than 8
 * blocks. An entry names a kernel and says whether it uses clusters. */
template <class ENTRY, int COUNT> static cudaError_t mgs_prepare(const ENTRY (&entries)[COUNT])
{
    static std::atomic<uint64_t> prepared;
    int device = 0, most = 0;
    cudaError_t error = cudaGetDevice(&device);
    const uint64_t bit = device < 64 ? (uint64_t)1 << device : 0; /* other devices are set up each time */
    if (error != cudaSuccess || (prepared.load() & bit))
        return error;
    error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    for (const ENTRY &e : entries) {
        if (error == cudaSuccess)
            error = cudaFuncSetAttribute(e.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
        if (error == cudaSuccess && e.cluster)
            error = cudaFuncSetAttribute(e.kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    }
    if (error == cudaSuccess)
        prepared.fetch_or(bit);
    return error;
}

/* Launches a kernel with one block or one cluster for each problem, according to the plan. */
static inline cudaError_t mgs_launch(const void *kernel, const mgs_plan *plan, int64_t batch, void **arguments,
                                     void *stream)
{
    cudaLaunchAttribute attribute[2];
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)(batch * plan->cluster));
    config.blockDim = dim3((unsigned)plan->threads);
    config.dynamicSmemBytes = plan->shared;
    config.stream = (cudaStream_t)stream;
    config.attrs = attribute;
    if (plan->cluster > 1) {
        cudaLaunchAttribute *a = &attribute[config.numAttrs++];
        a->id = cudaLaunchAttributeClusterDimension;
        a->val.clusterDim.x = (unsigned)plan->cluster;
        a->val.clusterDim.y = a->val.clusterDim.z = 1;
    }
    if (plan->early) {
        cudaLaunchAttribute *a = &attribute[config.numAttrs++];
        a->id = cudaLaunchAttributeProgrammaticStreamSerialization;
        a->val.programmaticStreamSerializationAllowed = 1;
    }
    return cudaLaunchKernelExC(&config, kernel, arguments);
}

/* The status and message after all launches. */
static inline plumb_status mgs_say(cudaError_t error, char *message, size_t message_size)
{
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of least squares failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

#endif
