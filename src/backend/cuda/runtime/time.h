/* time.h - times work that is queued on a GPU, for benchmarks: plainly launched, or recorded once and replayed.
 *
 * The work queues one piece on the machine's own stream and does not wait; pieces run one after the other. It has run at least
 * once before, so that whatever it allocates is there. */
#ifndef PLUMB_BACKEND_CUDA_RUNTIME_TIME_H
#define PLUMB_BACKEND_CUDA_RUNTIME_TIME_H

#include "backend/backend.h"

typedef plumb_status (*device_work)(void *data);

/* Microseconds a piece, over count of them, by the GPU's clock. */
plumb_status plumb_gpu_time_launches(machine *m, device_work work, void *data, int64_t count, double *us);

/* The same from a CUDA graph of `pieces` of them in a row, replayed `replays` times after once for nothing. PLUMB_ERR_DEVICE where
 * the work cannot be recorded. */
plumb_status plumb_gpu_time_replays(machine *m, device_work work, void *data, int64_t pieces, int64_t replays,
                                    double *us);

/* Double-precision instructions a second that all multiprocessors together can begin at their highest clock, outside tensor
 * cores; and the version of CUDA that the driver supports, as 1000 * major + 10 * minor. */
plumb_status plumb_gpu_double_rate(machine *m, double *rate);
int32_t plumb_gpu_driver(void);

#endif
