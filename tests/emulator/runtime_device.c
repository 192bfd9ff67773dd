/* runtime_device.c - errors, devices, streams and events. Work is done when it is submitted, so streams have nothing to do.
 * There is one device, or as many as PLUMB_EMULATOR_DEVICES says; they are all the same, and share one memory. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine.h"
#include "runtime.h"

enum { REGISTERS = 65536, L2_BYTES = 4 << 20, SHARED_MULTIPROCESSOR = 228 << 10, BLOCKS = 32 };

static _Thread_local cudaError_t last_error;
static _Thread_local int current; /* device */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int devices(void)
{
    const char *text = getenv("PLUMB_EMULATOR_DEVICES");
    const long count = text ? strtol(text, NULL, 10) : 1;
    return count >= 1 && count <= 16 ? (int)count : 1;
}

void emu_lock(void)
{
    pthread_mutex_lock(&mutex);
}

void emu_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

cudaError_t emu_result(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
#define ERROR_NAME(name, value, text) \
    case name:                        \
        return #name;
        EMU_ERROR_LIST(ERROR_NAME)
#undef ERROR_NAME
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
#define ERROR_TEXT(name, value, text) \
    case name:                        \
        return text;
        EMU_ERROR_LIST(ERROR_TEXT)
#undef ERROR_TEXT
    }
    return "unrecognized error code";
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = devices();
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = current;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    if (device < 0 || device >= devices())
        return emu_result(cudaErrorInvalidDevice);
    current = device;
    return emu_result(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = *greatest = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    static const struct {
        enum cudaDeviceAttr attribute;
        int value;
    } known[] = {
        {cudaDevAttrMaxThreadsPerBlock, EMU_MAX_THREADS},
        {cudaDevAttrMaxGridDimX, INT32_MAX},
        {cudaDevAttrMaxGridDimY, 65535},
        {cudaDevAttrMaxSharedMemoryPerBlock, EMU_SHARED_DEFAULT},
        {cudaDevAttrWarpSize, EMU_WARP},
        {cudaDevAttrMaxRegistersPerBlock, REGISTERS},
        {cudaDevAttrClockRate, 1000000},
        {cudaDevAttrMultiProcessorCount, EMU_MULTIPROCESSORS},
        {cudaDevAttrComputeMode, cudaComputeModeDefault},
        {cudaDevAttrL2CacheSize, L2_BYTES},
        {cudaDevAttrMaxThreadsPerMultiProcessor, 2 * EMU_MAX_THREADS},
        {cudaDevAttrUnifiedAddressing, 1},
        {cudaDevAttrComputeCapabilityMajor, 9},
        {cudaDevAttrComputeCapabilityMinor, 0},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, SHARED_MULTIPROCESSOR},
        {cudaDevAttrMaxRegistersPerMultiprocessor, REGISTERS},
        {cudaDevAttrCooperativeLaunch, 0},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, EMU_SHARED_MOST},
        {cudaDevAttrMaxBlocksPerMultiprocessor, BLOCKS},
        {cudaDevAttrReservedSharedMemoryPerBlock, 1024},
        {cudaDevAttrMemoryPoolsSupported, 1},
        {cudaDevAttrClusterLaunch, 1},
    };
    if (device < 0 || device >= devices())
        return emu_result(cudaErrorInvalidDevice);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (known[k].attribute == attribute) {
            *value = known[k].value;
            return cudaSuccess;
        }
    return emu_result(cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    if (device < 0 || device >= devices())
        return emu_result(cudaErrorInvalidDevice);
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "emulated GPU");
    properties->totalGlobalMem = emu_memory_total();
    properties->sharedMemPerBlock = EMU_SHARED_DEFAULT;
    properties->sharedMemPerBlockOptin = EMU_SHARED_MOST;
    properties->sharedMemPerMultiprocessor = SHARED_MULTIPROCESSOR;
    properties->major = 9;
    properties->multiProcessorCount = EMU_MULTIPROCESSORS;
    properties->warpSize = EMU_WARP;
    properties->maxThreadsPerBlock = EMU_MAX_THREADS;
    properties->maxThreadsPerMultiProcessor = 2 * EMU_MAX_THREADS;
    properties->regsPerBlock = REGISTERS;
    properties->l2CacheSize = L2_BYTES;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    *stream = calloc(1, sizeof **stream);
    if (!*stream)
        return emu_result(cudaErrorMemoryAllocation);
    static unsigned long long numbers;
    (*stream)->flags = flags;
    (*stream)->number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
    return cudaSuccess;
}

/* As on a GPU, asking a stream that records spoils the recording, whatever the mode. */
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *number)
{
    if (emu_capture_of(stream))
        return emu_result(emu_refuse_while_recording());
    *number = stream ? stream->number : 0;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    (void)priority;
    return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    if (!stream)
        return emu_result(cudaErrorInvalidResourceHandle);
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return emu_capture_of(stream) ? emu_result(emu_refuse_while_recording()) : cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    return emu_result(event ? emu_record_wait(stream, event) : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof **event);
    return emu_result(*event ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    if (!event)
        return emu_result(cudaErrorInvalidResourceHandle);
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (!event)
        return emu_result(cudaErrorInvalidResourceHandle);
    emu_record_event(event, stream);
    clock_gettime(CLOCK_MONOTONIC, &event->when);
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return emu_result(event ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return cudaEventQuery(event);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (!start || !end)
        return emu_result(cudaErrorInvalidResourceHandle);
    double seconds = (double)(end->when.tv_sec - start->when.tv_sec);
    *milliseconds = (float)(1e3 * seconds + 1e-6 * (double)(end->when.tv_nsec - start->when.tv_nsec));
    return cudaSuccess;
}
