/* device_map.c - a call of plumb_map on device arrays: one launch a run. kernels.cu has the kernels, one compilation a
 * precision. */
#include "backend/cuda/device.h"

#define CUDA_MAP(prec)                                                                                              \
    plumb_status plumb_cuda_map_##prec(int32_t parts, plumb_op op, const map_job *job, void *stream, char *message, \
                                       size_t message_size)
CUDA_MAP(d);
CUDA_MAP(dd);
CUDA_MAP(qd);

plumb_status plumb_cuda_map(machine *m, const map_call *call, void *stream)
{
    int previous;
    plumb_status status = plumb_cuda_enter(m, &previous);
    void *queue = stream ? stream : m->stream;
    for (int64_t i = 0; i < runs_total(&call->loop) && status == PLUMB_OK; i++) {
        map_job job = call->first;
        job.x += runs_offset(&call->loop, i, MAP_X);
        if (job.y)
            job.y += runs_offset(&call->loop, i, MAP_Y);
        if (job.z)
            job.z += runs_offset(&call->loop, i, MAP_Z);
        job.out += runs_offset(&call->loop, i, MAP_OUT);
        if (call->prec == PLUMB_D)
            status = plumb_cuda_map_d(call->parts, call->op, &job, queue, m->message, m->message_size);
        else if (call->prec == PLUMB_DD)
            status = plumb_cuda_map_dd(call->parts, call->op, &job, queue, m->message, m->message_size);
        else
            status = plumb_cuda_map_qd(call->parts, call->op, &job, queue, m->message, m->message_size);
    }
    plumb_cuda_leave(previous);
    return status;
}
