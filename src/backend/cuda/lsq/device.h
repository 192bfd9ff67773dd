/* device.h - what least squares on a GPU keep from call to call: the limits of the device, and scratch memory. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_DEVICE_H
#define PLUMB_BACKEND_CUDA_LSQ_DEVICE_H

#include <stdbool.h>

#include "backend/cuda/lsq/gpu.h"
#include "backend/cuda/lsq/plan.h"
#include "backend/cuda/runtime/device.h"

/* Scratch of one stream. Calls on a stream run one after the other and share it; two streams never do. */
typedef struct mgs_room {
    struct mgs_room *next;
    void *stream;
    char *memory;
    size_t bytes;
} mgs_room;

struct device_lsq {
    mgs_limits limits;
    mgs_room *rooms; /* the one used last comes first */
};

/* m->lsq, made by the first call. The device is the current one. */
plumb_status plumb_cuda_mgs_open(machine *m);

/* *memory: so many bytes for the calls of a stream, aligned to 256. Allocates only where more than ever before are wanted. After
 * PLUMB_ERR_MEMORY less may still be there. */
plumb_status plumb_cuda_mgs_room(machine *m, void *stream, size_t bytes, char **memory);

/* ---- device_mgs.c, for those who solve by way of its factors ---- */

enum { MGS_ALIGNMENT = 256 }; /* of a piece of scratch */

/* Doubles of one problem in each array; bytes of it in all of them together. */
typedef struct mgs_layout {
    int64_t w, c, s, products, bytes;
} mgs_layout;

bool plumb_cuda_mgs_lay_out(const lsq_call *call, int64_t all, int keep_columns, int products, mgs_layout *layout);

/* Problems of a part, and scratch for them: halved until there is memory for it. */
plumb_status plumb_cuda_mgs_find_room(machine *m, const mgs_layout *layout, int64_t all, int64_t batch, void *stream,
                                      int64_t *part, char **memory);

/* The next piece of scratch. */
void *plumb_cuda_mgs_take(char **memory, int64_t bytes);

/* Problems first .. first + count - 1 of the call, and of a view (or NULL). */
mgs_gpu_job plumb_cuda_mgs_job(const lsq_call *call, const mgs_layout *layout, int64_t all, int64_t first,
                               int64_t count, char *memory);
mgs_gpu_array plumb_cuda_mgs_array(const plumb_view *view, int64_t first);

/* Takes the columns apart, as the plan says. */
plumb_status plumb_cuda_mgs_factor(machine *m, int32_t prec, int32_t parts, const mgs_plan *plan,
                                   const mgs_gpu_job *job, void *stream);

/* What the estimates of the first problem need, to the host. */
plumb_status plumb_cuda_mgs_triangle(machine *m, const lsq_call *call, const mgs_gpu_job *job, void *stream);

/* The whole call: by modified Gram-Schmidt; by refinement, and the former for problems where that does not converge. */
plumb_status plumb_cuda_mgs_solve(machine *m, const lsq_call *call, void *stream);
plumb_status plumb_cuda_mgs_refined(machine *m, const lsq_call *call, void *stream);

#endif
