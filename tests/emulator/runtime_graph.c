/* runtime_graph.c - graphs of the emulated runtime: a list of the operations submitted to a stream while it was
 * recorded, and to streams that joined the recording by waiting for its events, with copies of their arguments; a
 * launch of the graph runs them in the order of submission, which is one of those that the events allow. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

enum { MOST_ARGUMENTS = 16, MOST_ATTRIBUTES = 4 };

typedef struct node {
    struct node *next;
    enum { LAUNCH, COPY, SET } what;
    /* a launch */
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attributes[MOST_ATTRIBUTES];
    const void *kernel;
    void *arguments[MOST_ARGUMENTS + 1];
    char *values; /* of the arguments */
    /* a copy, a setting */
    void *to;
    const void *from;
    int value;
    size_t bytes;
} node;

/* A graph and its executable form share the list. */
struct CUgraph_st {
    node *first, **end;
    int holders;
    cudaStream_t origin; /* on which the recording began; the streams that joined follow it */
    unsigned long long number;
    int spoiled; /* something was called that must not be while a stream records */
};
struct CUgraphExec_st {
    cudaGraph_t graph;
};

/* The graph that this thread is recording; one at a time is enough for us. */
static _Thread_local cudaGraph_t recording;

cudaError_t emu_refuse_while_recording(void)
{
    if (!recording)
        return cudaSuccess;
    recording->spoiled = 1;
    return cudaErrorStreamCaptureUnsupported;
}

/* The handles 1 and 2 are CUDA's names of the default streams, which are never recorded. */
cudaGraph_t emu_capture_of(cudaStream_t stream)
{
    return (uintptr_t)stream > 2 ? stream->capture : NULL;
}

static node *append(cudaStream_t stream)
{
    node *made = calloc(1, sizeof *made);
    if (made) {
        *stream->capture->end = made;
        stream->capture->end = &made->next;
        stream->nodes++;
    }
    return made;
}

cudaError_t emu_record_launch(const cudaLaunchConfig_t *config, const void *kernel, void **arguments,
                              const size_t *sizes)
{
    enum { ALIGNMENT = 64 };
    size_t bytes = 0, count = 0, at = 0;
    for (; sizes[count] > 0; count++)
        bytes += (sizes[count] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (count > MOST_ARGUMENTS || config->numAttrs > MOST_ATTRIBUTES)
        return cudaErrorNotSupported;
    node *n = append(config->stream);
    if (!n || posix_memalign((void **)&n->values, ALIGNMENT, bytes + ALIGNMENT) != 0)
        return cudaErrorMemoryAllocation;
    n->what = LAUNCH;
    n->kernel = kernel;
    n->config = *config;
    n->config.stream = NULL;
    memcpy(n->attributes, config->attrs, config->numAttrs * sizeof *n->attributes);
    n->config.attrs = n->attributes;
    for (size_t k = 0; k < count; k++) {
        n->arguments[k] = memcpy(n->values + at, arguments[k], sizes[k]);
        at += (sizes[k] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return cudaSuccess;
}

cudaError_t emu_record_copy(cudaStream_t stream, void *to, const void *from, size_t bytes)
{
    node *n = append(stream);
    if (!n)
        return cudaErrorMemoryAllocation;
    n->what = COPY;
    n->to = to;
    n->from = from;
    n->bytes = bytes;
    return cudaSuccess;
}

cudaError_t emu_record_set(cudaStream_t stream, void *memory, int value, size_t bytes)
{
    node *n = append(stream);
    if (!n)
        return cudaErrorMemoryAllocation;
    n->what = SET;
    n->to = memory;
    n->value = value;
    n->bytes = bytes;
    return cudaSuccess;
}

static void let_go(cudaGraph_t graph)
{
    if (--graph->holders > 0)
        return;
    for (node *n = graph->first, *next; n; n = next) {
        next = n->next;
        free(n->values);
        free(n);
    }
    free(graph);
}

/* ---- Streams of a recording ---------------------------------------------------------------------------------- */

static unsigned long long recordings; /* so far */

static void enter(cudaStream_t stream, cudaGraph_t graph)
{
    stream->capture = graph;
    stream->next = NULL;
    stream->nodes = stream->joined = 0;
}

void emu_record_event(cudaEvent_t event, cudaStream_t stream)
{
    cudaGraph_t graph = emu_capture_of(stream);
    event->stream = stream;
    event->capture = graph ? graph->number : 0;
    event->nodes = graph ? stream->nodes : 0;
}

cudaError_t emu_record_wait(cudaStream_t stream, cudaEvent_t event)
{
    if (event->capture == 0) /* a recording cannot wait for what is not in it */
        return emu_capture_of(stream) ? cudaErrorStreamCaptureIsolation : cudaSuccess;
    cudaGraph_t graph = emu_capture_of(event->stream);
    if (!stream || !graph || graph->number != event->capture || (stream->capture && stream->capture != graph))
        return cudaErrorCapturedEvent;
    if (!stream->capture) {
        enter(stream, graph);
        stream->next = graph->origin->next;
        graph->origin->next = stream;
    }
    if (stream == graph->origin && event->stream->joined < event->nodes)
        event->stream->joined = event->nodes;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    if (!stream || stream->capture)
        return emu_result(cudaErrorInvalidResourceHandle);
    cudaGraph_t graph = calloc(1, sizeof *graph);
    if (!graph)
        return emu_result(cudaErrorMemoryAllocation);
    graph->end = &graph->first;
    graph->holders = 1;
    graph->origin = stream;
    graph->number = __atomic_add_fetch(&recordings, 1, __ATOMIC_RELAXED);
    enter(stream, graph);
    recording = mode == cudaStreamCaptureModeRelaxed ? NULL : graph;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    if (!stream || !stream->capture || stream->capture->origin != stream)
        return emu_result(cudaErrorInvalidResourceHandle);
    *graph = stream->capture;
    cudaError_t error = (*graph)->spoiled ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    for (cudaStream_t member = stream; member; member = member->next) {
        if (error == cudaSuccess && member != stream && member->joined < member->nodes)
            error = cudaErrorStreamCaptureUnjoined;
        member->capture = NULL;
    }
    recording = NULL;
    if (error != cudaSuccess) {
        let_go(*graph);
        *graph = NULL;
    }
    return emu_result(error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    *status = emu_capture_of(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *ready, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    *ready = calloc(1, sizeof **ready);
    if (!*ready)
        return emu_result(cudaErrorMemoryAllocation);
    (*ready)->graph = graph;
    graph->holders++;
    return cudaSuccess;
}

static cudaError_t do_node(node *n)
{
    switch (n->what) {
    case LAUNCH:
        return cudaLaunchKernelExC(&n->config, n->kernel, n->arguments);
    case COPY:
        return cudaMemcpy(n->to, n->from, n->bytes, cudaMemcpyDefault);
    default:
        return cudaMemset(n->to, n->value, n->bytes);
    }
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t ready, cudaStream_t stream)
{
    cudaError_t error = ready && !emu_capture_of(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    for (node *n = ready ? ready->graph->first : NULL; n && error == cudaSuccess; n = n->next)
        error = do_node(n);
    return emu_result(error);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    let_go(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t ready)
{
    let_go(ready->graph);
    free(ready);
    return cudaSuccess;
}
