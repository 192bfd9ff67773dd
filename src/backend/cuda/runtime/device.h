/* device.h - declarations shared by the CUDA backend: errors of the CUDA runtime as statuses, and the current device. */
#ifndef PLUMB_BACKEND_CUDA_RUNTIME_DEVICE_H
#define PLUMB_BACKEND_CUDA_RUNTIME_DEVICE_H

#include <cuda_runtime_api.h>

#include "backend/backend.h"

/* Converts a CUDA error to a status, and is the only place that does: PLUMB_OK, PLUMB_ERR_MEMORY or PLUMB_ERR_DEVICE
 * with the line "what: text of CUDA". Clears the last error of the runtime. */
plumb_status plumb_cuda_status(cudaError_t error, const char *what, char *message, size_t size);

/* The current device belongs to the thread of the caller: set that of the machine, and restore the previous one
 * afterwards. */
plumb_status plumb_cuda_enter(const machine *m, int *previous);
void plumb_cuda_leave(int previous);

/* Defined in memory.c and map.c. */
plumb_status plumb_cuda_alloc(machine *m, size_t bytes, void **memory);
void plumb_cuda_release(machine *m, void *memory);
plumb_status plumb_cuda_copy(machine *m, const plumb_view *src, const plumb_view *dst, void *stream);
plumb_status plumb_cuda_map(machine *m, const map_call *call, void *stream);

/* Defined in lsq/device.c; close frees everything that is kept between calls. */
plumb_status plumb_cuda_lsq(machine *m, const lsq_call *given, void *stream);
void plumb_cuda_lsq_close(machine *m);

/* Defined in eval/device.c and eval/device_program.c. */
plumb_status plumb_cuda_eval(machine *m, const eval_call *call, void *stream);
void plumb_cuda_eval_close(machine *m);

/* Defined in gemm/device.c. */
plumb_status plumb_cuda_gemm(machine *m, const gemm_call *call, void *stream);
plumb_status plumb_cuda_triangle(machine *m, const triangle_call *call, void *stream);
plumb_status plumb_cuda_cholesky(machine *m, const cholesky_call *call, void *stream);

/* Defined in track/device.c. */
plumb_status plumb_cuda_track(machine *m, track_call *call, void *stream);
void plumb_cuda_track_close(machine *m);

#endif
