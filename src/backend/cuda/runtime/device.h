/* device.h - what the files of this folder share: errors of the CUDA runtime as statuses, and the current device. */
#ifndef PLUMB_BACKEND_CUDA_RUNTIME_DEVICE_H
#define PLUMB_BACKEND_CUDA_RUNTIME_DEVICE_H

#include <cuda_runtime_api.h>

#include "backend/backend.h"

/* The one place where a CUDA error becomes a status: PLUMB_OK, PLUMB_ERR_MEMORY or PLUMB_ERR_DEVICE with a line "what: CUDA's
 * text". Clears the runtime's memory of it. */
plumb_status plumb_cuda_status(cudaError_t error, const char *what, char *message, size_t size);

/* The current device belongs to the caller's thread: set ours, and put theirs back afterwards. */
plumb_status plumb_cuda_enter(const machine *m, int *previous);
void plumb_cuda_leave(int previous);

/* device_memory.c and device_map.c */
plumb_status plumb_cuda_alloc(machine *m, size_t bytes, void **memory);
void plumb_cuda_release(machine *m, void *memory);
plumb_status plumb_cuda_copy(machine *m, const plumb_view *src, const plumb_view *dst, void *stream);
plumb_status plumb_cuda_map(machine *m, const map_call *call, void *stream);

/* device_mgs.c; close frees what calls have kept. */
plumb_status plumb_cuda_lsq(machine *m, const lsq_call *call, void *stream);
void plumb_cuda_lsq_close(machine *m);

/* device_eval.c, device_eval_program.c */
plumb_status plumb_cuda_eval(machine *m, const eval_call *call, void *stream);
void plumb_cuda_eval_close(machine *m);

/* device_track.c */
plumb_status plumb_cuda_track(machine *m, track_call *call, void *stream);
void plumb_cuda_track_close(machine *m);

#endif
