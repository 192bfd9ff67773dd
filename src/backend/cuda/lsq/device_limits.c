/* device_limits.c - what least squares ask of a device once. */
#include <stdlib.h>

#include "backend/cuda/lsq/device.h"
#include "base/message.h"

/* Of any kernel here: the architecture its code was compiled for, 10 * major + minor. What was compiled for an older GPU than
 * the one it runs on lacks what that one could do. */
int plumb_cuda_mgs_code_real_d(void);

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
#ifdef PLUMB_RACECHECK
    const int clusters = 0; /* racecheck of compute-sanitizer does not follow what one block sends to another */
#else
    const int clusters = capability >= 90;
#endif
    *limits = (mgs_limits){.capability = capability,
                           .multiprocessors = multiprocessors,
                           .shared = shared,
                           .cluster = !clusters          ? 1
                                      : capability < 120 ? 16
                                                         : 8};
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

void plumb_cuda_lsq_close(machine *m)
{
    free(m->lsq);
    m->lsq = NULL;
}
