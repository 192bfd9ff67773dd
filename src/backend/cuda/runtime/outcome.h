/* outcome.h - failures of calls without info: if a call on device arrays was given no info, a failure is recorded in
 * host memory that the GPU can write to, and the next plumb_stream_wait of the context returns it.
 *
 * The GPU writes only where something failed, and the host reads without a copy. Streams that are still running may
 * note a failure at any time; it is returned by the first wait that sees it. */
#ifndef PLUMB_BACKEND_CUDA_RUNTIME_OUTCOME_H
#define PLUMB_BACKEND_CUDA_RUNTIME_OUTCOME_H

#include "plumb.h"

/* One word for each kind of failure: several kinds may be noted between two waits, in any order. */
enum { OUTCOME_SINGULAR, OUTCOME_NONFINITE, OUTCOME_OTHER, OUTCOME_WORDS };

#ifndef __cplusplus
#include "backend/backend.h"

/* Allocates the words if they are not there yet: a call without info begins with it, before anything is queued.
 * PLUMB_ERR_DEVICE if the stream is being recorded and they are not there. */
plumb_status plumb_cuda_outcome_open(machine *m, void *stream);

/* What has been noted since it was last asked: PLUMB_OK, or the status with a line. */
plumb_status plumb_cuda_outcome_tell(machine *m);

void plumb_cuda_outcome_close(machine *m);
#endif

#endif
