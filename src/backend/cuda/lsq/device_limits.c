/* device_limits.c - the limits of a device that the planner of least squares needs, asked once per machine. */
#include <stdlib.h>

#include "backend/cuda/lsq/device.h"
#include "base/call/message.h"

/* The architecture that the kernels were compiled for, 10 * major + minor. Code compiled for an older GPU cannot use
 * the features of the newer one it runs on. */
int plumb_cuda_mgs_code_real_d(void);

/* The number of clusters of this many blocks, each block on its own multiprocessor, that the current device runs at a
 * time; 0: none. */
int plumb_cuda_mgs_clusters_cplx_d(int blocks);

static cudaError_t query(mgs_limits *limits, int device)
{
    int major = 0, minor = 0, multiprocessors = 0, shared = 0;
    cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error != cudaSuccess)
        return error;
    int capability = 10 * major + minor, code = plumb_cuda_mgs_code_real_d();
    if (code < capability)
        capability = code;
    *limits = (mgs_limits){
        .capability = capability, .multiprocessors = multiprocessors, .shared = shared, .clusters = {multiprocessors}};
#ifndef PLUMB_RACECHECK /* racecheck of compute-sanitizer does not follow messages between blocks */
    for (int k = 1; k < MGS_CLUSTER_SIZES && capability >= 90; k++)
        limits->clusters[k] = plumb_cuda_mgs_clusters_cplx_d(1 << k);
#endif
    return cudaSuccess;
}

plumb_status plumb_cuda_mgs_open(machine *m)
{
    if (m->lsq)
        return PLUMB_OK;
    struct device_lsq *made = calloc(1, sizeof *made);
    if (!made)
        return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "out of memory");
    plumb_status status =
        plumb_cuda_status(query(&made->limits, m->device), "asking a GPU for its limits", m->message, m->message_size);
    if (status != PLUMB_OK) {
        free(made);
        return status;
    }
    m->lsq = made;
    return PLUMB_OK;
}

int plumb_cuda_mgs_limits(machine *m, mgs_limits *limits)
{
    const plumb_status status = plumb_cuda_mgs_open(m);
    if (status == PLUMB_OK)
        *limits = m->lsq->limits;
    return status;
}

void plumb_cuda_lsq_close(machine *m)
{
    free(m->lsq);
    m->lsq = NULL;
}
