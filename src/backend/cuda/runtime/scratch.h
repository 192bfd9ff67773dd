/* scratch.h - memory on the GPU that calls keep from one to the next, so that a sequence of calls allocates nothing.
 *
 * Each stream has its own: calls on one stream run one after the other and share it, calls on two streams never do.
 * A stream is known by the number that the CUDA runtime gives it, not by its handle: the handle of a stream that was
 * destroyed can come again while work of the old stream is still running, the number cannot.
 *
 * While a stream is being recorded its number cannot be asked for. Then its handle counts, as the last call on it
 * that was not recorded saw it: a call must run once on a stream before it is recorded there.
 *
 * A graph that records a call keeps using the memory that the call was given. Such memory is marked, and stays until the context is
 * destroyed, whatever else runs: it is neither freed when its stream needs more nor evicted when there are many streams. Graphs of
 * tracking (machine.own_graphs) end with the call that records them and mark nothing.
 *
 * Asking the runtime for the number and the state of a stream takes about a microsecond, a third of a launch. So the small pieces of the
 * machine's own stream are never freed, and calls that use them ask nothing. */
#ifndef PLUMB_BACKEND_CUDA_RUNTIME_SCRATCH_H
#define PLUMB_BACKEND_CUDA_RUNTIME_SCRATCH_H

#include <stdbool.h>

#include "backend/cuda/runtime/device.h"

/* What the memory is for. Pieces of one stream for different purposes can be in use at the same time. */
typedef enum scratch_use {
    SCRATCH_KERNELS, /* inside one call of least squares or evaluation */
    SCRATCH_STEP,    /* values, Jacobians and corrections of a Newton step */
    SCRATCH_PRODUCT, /* residues of products of matrices */
    SCRATCH_GRAM,    /* refinement of large problems of least squares, which uses products */
    SCRATCH_WORDS, /* all bits are set when it is allocated, and kernels that change any set them again: see flow/mark.h */
    SCRATCH_USES
} scratch_use;

/* Streams that are not recorded and whose scratch is kept; the one not used for longest makes room. */
enum { SCRATCH_STREAMS = 16 };

/* *memory: this many bytes, aligned to 256, for the calls of a stream (not NULL). Allocates where more are wanted than
 * ever before. PLUMB_ERR_DEVICE where the stream is being recorded and memory would have to be allocated: run the
 * call once before it is recorded. After PLUMB_ERR_MEMORY a smaller amount may still be available. The device is the
 * current one. */
plumb_status plumb_cuda_scratch(machine *m, void *stream, scratch_use use, size_t bytes, char **memory);

/* Whether what is queued on the stream goes into a graph. */
bool plumb_cuda_is_recorded(void *stream);

void plumb_cuda_scratch_close(machine *m);

#endif
