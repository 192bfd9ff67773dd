/* time.h - times work that is queued on a GPU, for benchmarks: launched directly, or recorded once and replayed.
 *
 * The work queues one piece on the stream of the machine and does not wait; pieces run one after the other. It must
 * have run once before, so that all its allocations exist. */
#ifndef PLUMB_BACKEND_CUDA_RUNTIME_TIME_H
#define PLUMB_BACKEND_CUDA_RUNTIME_TIME_H

#include "backend/backend.h"

typedef plumb_status (*device_work)(void *data);

/* Microseconds per piece, averaged over count pieces, by the clock of the GPU. */
plumb_status plumb_gpu_time_launches(machine *m, device_work work, void *data, int64_t count, double *us);

/* The same from a CUDA graph of `pieces` consecutive pieces, replayed `replays` times after one warm-up. Returns
 * PLUMB_ERR_DEVICE if the work cannot be recorded. */
plumb_status plumb_gpu_time_replays(machine *m, device_work work, void *data, int64_t pieces, int64_t replays,
                                    double *us);

/* Double-precision instructions per second that all multiprocessors together can issue at their highest clock,
 * without tensor cores; and the CUDA version that the driver supports, as 1000 * major + 10 * minor. */
plumb_status plumb_gpu_double_rate(machine *m, double *rate);
int32_t plumb_gpu_driver(void);

#endif
