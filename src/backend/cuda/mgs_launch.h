/* mgs_launch.h - launches of least squares, on the host: what kernels must be allowed, and what is said where they fail. */
#ifndef PLUMB_CUDA_MGS_LAUNCH_H
#define PLUMB_CUDA_MGS_LAUNCH_H

#include <stdio.h>

#include <atomic>

#include "backend/cuda/mgs_gpu.h"

/* What kernels must be allowed once on each device: all shared memory that a block may have, and clusters of more than 8 blocks.
 * An entry has a kernel, and says whether blocks of it come in clusters. */
template <class ENTRY, int COUNT> static cudaError_t mgs_prepare(const ENTRY (&entries)[COUNT])
{
    static std::atomic<uint64_t> prepared;
    int device = 0, most = 0;
    cudaError_t error = cudaGetDevice(&device);
    uint64_t bit = (uint64_t)1 << (device & 63);
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

/* What is said when everything has been launched, or something has not. */
static inline plumb_status mgs_say(cudaError_t error, char *message, size_t message_size)
{
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of least squares failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

#endif
