/* map.c - plumb_map on device arrays, with one launch per run. The kernels are in map.cu, compiled once for each
 * precision and kind. */
#include "backend/cuda/lsq/device.h"

typedef plumb_status (*map_entry)(plumb_op op, const map_job *job, int early, void *stream, char *message,
                                  size_t message_size);

#define CUDA_MAP(prec)                                                                               \
    plumb_status plumb_cuda_map_real_##prec(plumb_op, const map_job *, int, void *, char *, size_t); \
    plumb_status plumb_cuda_map_cplx_##prec(plumb_op, const map_job *, int, void *, char *, size_t)
CUDA_MAP(d);
CUDA_MAP(dd);
CUDA_MAP(qd);

static const map_entry entries[PLUMB_QD + 1][PLUMB_COMPLEX + 1] = {
    [PLUMB_D] = {NULL, plumb_cuda_map_real_d, plumb_cuda_map_cplx_d},
    [PLUMB_DD] = {NULL, plumb_cuda_map_real_dd, plumb_cuda_map_cplx_dd},
    [PLUMB_QD] = {NULL, plumb_cuda_map_real_qd, plumb_cuda_map_cplx_qd},
};

plumb_status plumb_cuda_map(machine *m, const map_call *call, void *stream)
{
    int previous;
    plumb_status status = plumb_cuda_enter(m, &previous);
    void *queue = stream ? stream : m->stream;
    if (status == PLUMB_OK)
        status = plumb_cuda_mgs_open(m); /* to know the limits of the device */
    const int early = status == PLUMB_OK && m->lsq->limits.capability >= 90;
    for (int64_t i = 0; i < runs_total(&call->loop) && status == PLUMB_OK; i++) {
        map_job job = call->first;
        job.x += runs_offset(&call->loop, i, MAP_X);
        if (job.y)
            job.y += runs_offset(&call->loop, i, MAP_Y);
        if (job.z)
            job.z += runs_offset(&call->loop, i, MAP_Z);
        job.out += runs_offset(&call->loop, i, MAP_OUT);
        status = entries[call->prec][call->parts](call->op, &job, early, queue, m->message, m->message_size);
    }
    plumb_cuda_leave(previous);
    return status;
}
