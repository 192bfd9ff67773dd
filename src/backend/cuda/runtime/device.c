/* device.c - the GPUs of this computer, and one of them as a machine, through the CUDA runtime.
 *
 * The runtime is linked statically and finds the driver by itself, so a library built with CUDA runs where there is none:
 * then there are 0 devices, and the reason is known. */
#include "backend/cuda/runtime/device.h"

#include <stdio.h>
#include <string.h>

#include "backend/cuda/runtime/outcome.h"
#include "backend/cuda/runtime/scratch.h"
#include "base/call/message.h"

/* Kernels are compiled to PTX for this capability and to machine code for newer ones. */
enum { LEAST_MAJOR = 7, LEAST_MINOR = 5 };

plumb_status plumb_cuda_status(cudaError_t error, const char *what, char *message, size_t size)
{
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    plumb_status status = error == cudaErrorMemoryAllocation ? PLUMB_ERR_MEMORY : PLUMB_ERR_DEVICE;
    return plumb_say(status, message, size, "%s: %s (%s)", what, cudaGetErrorString(error), cudaGetErrorName(error));
}

int plumb_gpu_built(void)
{
    return 1;
}

int32_t plumb_device_count(char *why, size_t why_size)
{
    int count = 0, driver = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0) {
        plumb_say(PLUMB_OK, why, why_size, "%s", "");
        return count;
    }
    (void)cudaGetLastError();
    if (cudaDriverGetVersion(&driver) != cudaSuccess)
        driver = 0;
    if (driver == 0)
        plumb_say(PLUMB_OK, why, why_size, "no NVIDIA driver");
    else if (error == cudaErrorInsufficientDriver)
        plumb_say(PLUMB_OK, why, why_size, "driver too old: it supports CUDA %d.%d, this build needs %d.%d",
                  driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    else if (error == cudaSuccess || error == cudaErrorNoDevice)
        plumb_say(PLUMB_OK, why, why_size, "no NVIDIA GPU");
    else
        plumb_say(PLUMB_OK, why, why_size, "CUDA: %s (%s)", cudaGetErrorString(error), cudaGetErrorName(error));
    return 0;
}

/* Capability, and whether others may compute on it: all without touching the GPU. */
static plumb_status attributes(int32_t device, int *major, int *minor, int *mode, char *why, size_t why_size)
{
    cudaError_t error = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(mode, cudaDevAttrComputeMode, device);
    return plumb_cuda_status(error, "asking a GPU for its capability", why, why_size);
}

plumb_status plumb_gpu_usable(int32_t device, char *why, size_t why_size)
{
    int32_t count = plumb_device_count(why, why_size);
    if (count == 0)
        return PLUMB_ERR_NO_DEVICE;
    if (device < 0 || device >= count)
        return plumb_say(PLUMB_ERR_NO_DEVICE, why, why_size, "there is no GPU %d, only 0 to %d", (int)device,
                         (int)count - 1);
    int major, minor, mode;
    if (attributes(device, &major, &minor, &mode, why, why_size) != PLUMB_OK)
        return PLUMB_ERR_NO_DEVICE;
    if (major < LEAST_MAJOR || (major == LEAST_MAJOR && minor < LEAST_MINOR))
        return plumb_say(PLUMB_ERR_NO_DEVICE, why, why_size, "compute capability %d.%d is below %d.%d", major, minor,
                         LEAST_MAJOR, LEAST_MINOR);
    if (mode == cudaComputeModeProhibited)
        return plumb_say(PLUMB_ERR_NO_DEVICE, why, why_size, "its compute mode is set to prohibited");
    return PLUMB_OK;
}

plumb_status plumb_device_query(int32_t index, plumb_device_info *info)
{
    if (!info || index < 0)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, info ? "a device has a number from 0" : "info is NULL");
    if (index >= plumb_device_count(NULL, 0))
        return plumb_say(PLUMB_ERR_NO_DEVICE, NULL, 0, "there is no GPU %d", (int)index);
    memset(info, 0, sizeof *info);
    struct cudaDeviceProp properties;
    plumb_status status =
        plumb_cuda_status(cudaGetDeviceProperties(&properties, index), "device", info->why, sizeof info->why);
    if (status != PLUMB_OK)
        return status;
    snprintf(info->name, sizeof info->name, "%s", properties.name);
    info->memory_total = (int64_t)properties.totalGlobalMem;
    info->capability_major = properties.major;
    info->capability_minor = properties.minor;
    info->multiprocessors = properties.multiProcessorCount;
    if (plumb_gpu_usable(index, info->why, sizeof info->why) != PLUMB_OK)
        return PLUMB_OK;

    /* Only now is the GPU itself asked: a card that is taken or broken shows here. */
    machine m = {.device = index, .message = info->why, .message_size = sizeof info->why};
    int previous;
    if (plumb_cuda_enter(&m, &previous) != PLUMB_OK)
        return PLUMB_OK;
    size_t unused = 0, total = 0;
    status = plumb_cuda_status(cudaMemGetInfo(&unused, &total), "opening it failed", info->why, sizeof info->why);
    plumb_cuda_leave(previous);
    info->memory_free = (int64_t)unused;
    info->usable = status == PLUMB_OK;
    return PLUMB_OK;
}

plumb_status plumb_cuda_enter(const machine *m, int *previous)
{
    *previous = -1;
    int current = 0;
    cudaError_t error = cudaGetDevice(&current);
    if (error == cudaSuccess && current != m->device) {
        *previous = current;
        error = cudaSetDevice(m->device);
    }
    return plumb_cuda_status(error, "choosing the GPU", m->message, m->message_size);
}

void plumb_cuda_leave(int previous)
{
    if (previous >= 0 && cudaSetDevice(previous) != cudaSuccess)
        (void)cudaGetLastError();
}

static plumb_status cuda_wait(machine *m, void *stream)
{
    int previous;
    plumb_status status = plumb_cuda_enter(m, &previous);
    if (status == PLUMB_OK)
        status = plumb_cuda_status(cudaStreamSynchronize(stream ? stream : m->stream), "waiting for the GPU",
                                   m->message, m->message_size);
    plumb_cuda_leave(previous);
    return status == PLUMB_OK ? plumb_cuda_outcome_tell(m) : status;
}

static plumb_status cuda_scratch(machine *m, size_t bytes, void **memory, void *stream)
{
    int previous;
    char *found = NULL;
    plumb_status status = plumb_cuda_enter(m, &previous);
    if (status == PLUMB_OK)
        status = plumb_cuda_scratch(m, stream ? stream : m->stream, SCRATCH_STEP, bytes, &found);
    plumb_cuda_leave(previous);
    *memory = found;
    return status;
}

static void cuda_close(machine *m)
{
    int previous;
    plumb_cuda_track_close(m);
    plumb_cuda_eval_close(m);
    plumb_cuda_lsq_close(m);
    plumb_cuda_scratch_close(m);
    plumb_cuda_outcome_close(m);
    if (plumb_cuda_enter(m, &previous) == PLUMB_OK && m->stream && cudaStreamDestroy(m->stream) != cudaSuccess)
        (void)cudaGetLastError();
    plumb_cuda_leave(previous);
    m->stream = NULL;
    m->ops = NULL;
}

static const machine_ops cuda_ops = {.name = "cuda",
                                     .alloc = plumb_cuda_alloc,
                                     .release = plumb_cuda_release,
                                     .copy = plumb_cuda_copy,
                                     .map = plumb_cuda_map,
                                     .wait = cuda_wait,
                                     .lsq = plumb_cuda_lsq,
                                     .close = cuda_close,
                                     .eval = plumb_cuda_eval,
                                     .track = plumb_cuda_track,
                                     .scratch = cuda_scratch,
                                     .gemm = plumb_cuda_gemm,
                                     .triangle = plumb_cuda_triangle,
                                     .cholesky = plumb_cuda_cholesky};

plumb_status plumb_gpu_open(machine *m, int32_t device)
{
    plumb_status status = plumb_gpu_usable(device, m->message, m->message_size);
    if (status != PLUMB_OK)
        return status;
    m->device = device;
    int previous;
    status = plumb_cuda_enter(m, &previous);
    cudaStream_t stream = NULL;
    if (status == PLUMB_OK)
        status = plumb_cuda_status(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "opening the GPU failed",
                                   m->message, m->message_size);
    plumb_cuda_leave(previous);
    if (status != PLUMB_OK)
        return status;
    m->stream = stream;
    m->ops = &cuda_ops;
    return PLUMB_OK;
}
