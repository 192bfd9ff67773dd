/* time.c - see time.h. */
#include "backend/cuda/runtime/time.h"

#include "backend/cuda/runtime/device.h"
#include "base/call/message.h"

/* Two events with work between them; keeps the first error. */
typedef struct stopwatch {
    cudaEvent_t begin, end;
} stopwatch;

static cudaError_t stopwatch_create(stopwatch *watch)
{
    *watch = (stopwatch){NULL, NULL};
    cudaError_t error = cudaEventCreate(&watch->begin);
    return error == cudaSuccess ? cudaEventCreate(&watch->end) : error;
}

static cudaError_t stopwatch_read(const stopwatch *watch, cudaStream_t stream, double *us)
{
    float milliseconds = 0.0F;
    cudaError_t error = cudaEventRecord(watch->end, stream);
    if (error == cudaSuccess)
        error = cudaEventSynchronize(watch->end);
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&milliseconds, watch->begin, watch->end);
    *us = 1e3 * (double)milliseconds;
    return error;
}

static void stopwatch_destroy(const stopwatch *watch)
{
    if (watch->begin && cudaEventDestroy(watch->begin) != cudaSuccess)
        (void)cudaGetLastError();
    if (watch->end && cudaEventDestroy(watch->end) != cudaSuccess)
        (void)cudaGetLastError();
}

static plumb_status said(machine *m, cudaError_t error)
{
    return plumb_cuda_status(error, "timing the GPU", m->message, m->message_size);
}

static plumb_status repeat(device_work work, void *data, int64_t count)
{
    plumb_status status = PLUMB_OK;
    for (int64_t i = 0; i < count && status == PLUMB_OK; i++)
        status = work(data);
    return status;
}

plumb_status plumb_gpu_time_launches(machine *m, device_work work, void *data, int64_t count, double *us)
{
    stopwatch watch;
    int previous;
    plumb_status status = plumb_cuda_enter(m, &previous);
    if (status != PLUMB_OK)
        return status;
    status = said(m, stopwatch_create(&watch));
    if (status == PLUMB_OK)
        status = said(m, cudaStreamSynchronize(m->stream));
    if (status == PLUMB_OK)
        status = said(m, cudaEventRecord(watch.begin, m->stream));
    if (status == PLUMB_OK)
        status = repeat(work, data, count);
    if (status == PLUMB_OK)
        status = said(m, stopwatch_read(&watch, m->stream, us));
    *us /= (double)count;
    stopwatch_destroy(&watch);
    plumb_cuda_leave(previous);
    return status;
}

/* Recording must end even after an error, or the stream stays unusable. */
static plumb_status record(machine *m, device_work work, void *data, int64_t pieces, cudaGraph_t *graph)
{
    plumb_status status = said(m, cudaStreamBeginCapture(m->stream, cudaStreamCaptureModeThreadLocal));
    if (status != PLUMB_OK)
        return status;
    status = repeat(work, data, pieces);
    cudaError_t error = cudaStreamEndCapture(m->stream, graph);
    return status == PLUMB_OK ? said(m, error) : status;
}

static cudaError_t replay(machine *m, cudaGraphExec_t ready, int64_t replays, double *us)
{
    stopwatch watch;
    cudaError_t error = stopwatch_create(&watch);
    if (error == cudaSuccess)
        error = cudaGraphLaunch(ready, m->stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(m->stream);
    if (error == cudaSuccess)
        error = cudaEventRecord(watch.begin, m->stream);
    for (int64_t i = 0; i < replays && error == cudaSuccess; i++)
        error = cudaGraphLaunch(ready, m->stream);
    if (error == cudaSuccess)
        error = stopwatch_read(&watch, m->stream, us);
    stopwatch_destroy(&watch);
    return error;
}

plumb_status plumb_gpu_time_replays(machine *m, device_work work, void *data, int64_t pieces, int64_t replays,
                                    double *us)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    int previous;
    plumb_status status = plumb_cuda_enter(m, &previous);
    if (status != PLUMB_OK)
        return status;
    status = record(m, work, data, pieces, &graph);
    if (status == PLUMB_OK)
        status = said(m, cudaGraphInstantiate(&ready, graph, 0));
    if (status == PLUMB_OK)
        status = said(m, replay(m, ready, replays, us));
    *us /= (double)pieces * (double)replays;
    if (ready && cudaGraphExecDestroy(ready) != cudaSuccess)
        (void)cudaGetLastError();
    if (graph && cudaGraphDestroy(graph) != cudaSuccess)
        (void)cudaGetLastError();
    plumb_cuda_leave(previous);
    return status;
}

/* Double-precision instructions per multiprocessor and clock, from the throughput table of the CUDA C++ programming
 * guide. */
static int doubles_a_clock(int major, int minor)
{
    if (major == 9 || (major == 10 && minor == 0))
        return 64;
    if ((major == 7 || major == 8) && minor == 0)
        return 32;
    return 2;
}

plumb_status plumb_gpu_double_rate(machine *m, double *rate)
{
    int major = 0, minor = 0, multiprocessors = 0, kilohertz = 0;
    cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, m->device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, m->device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, m->device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, m->device);
    *rate = 1e3 * kilohertz * multiprocessors * doubles_a_clock(major, minor);
    return said(m, error);
}

int32_t plumb_gpu_driver(void)
{
    int version = 0;
    return cudaDriverGetVersion(&version) == cudaSuccess ? version : 0;
}
