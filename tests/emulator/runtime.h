/* runtime.h - declarations shared by the files of the emulated CUDA runtime. */
#ifndef PLUMB_EMULATOR_RUNTIME_H
#define PLUMB_EMULATOR_RUNTIME_H

#include <stdint.h>
#include <time.h>

#include "cuda_runtime_api.h"

/* Remembers an error for cudaGetLastError, and returns it. */
cudaError_t emu_result(cudaError_t error);

/* The emulated GPU does one thing at a time, for any number of host threads. */
void emu_lock(void);
void emu_unlock(void);

struct CUstream_st {
    unsigned flags;
    cudaGraph_t capture;      /* what it records into; NULL: it runs */
    struct CUstream_st *next; /* the next stream that joined this recording */
    int64_t nodes, joined;    /* nodes that it recorded, and how many of them the stream that began it waits for */
    unsigned long long number;
};

/* runtime_graph.c: while a stream is being recorded, operations are stored with copies of their arguments, and run
 * when the graph is launched. */
cudaGraph_t emu_capture_of(cudaStream_t stream);
cudaError_t emu_record_launch(const cudaLaunchConfig_t *config, const void *kernel, void **arguments,
                              const size_t *sizes);
cudaError_t emu_record_copy(cudaStream_t stream, void *to, const void *from, size_t bytes);
cudaError_t emu_record_set(cudaStream_t stream, void *memory, int value, size_t bytes);

/* Calls that allocate, free or wait are not allowed while a stream records, and spoil what it records: the error of such a call, or
 * cudaSuccess. */
cudaError_t emu_refuse_while_recording(void);

/* An event that is recorded while its stream records belongs to the recording: a stream that waits for it joins. */
struct CUevent_st {
    struct timespec when;
    cudaStream_t stream;        /* of the recording; not used if */
    unsigned long long capture; /* the number of the recording is 0: there was none */
    int64_t nodes;              /* nodes of the stream by then */
};
void emu_record_event(cudaEvent_t event, cudaStream_t stream);
cudaError_t emu_record_wait(cudaStream_t stream, cudaEvent_t event);

/* PLUMB_EMULATOR_MEMORY in MiB, 1024 unless set. */
size_t emu_memory_total(void);

#endif
