/* memory.c - memory of a GPU, and copies to, from and within it. */
#include "backend/cuda/runtime/device.h"
#include "base/array/view.h"

plumb_status plumb_cuda_alloc(machine *m, size_t bytes, void **memory)
{
    int previous;
    plumb_status status = plumb_cuda_enter(m, &previous);
    if (status != PLUMB_OK)
        return status;
    *memory = NULL;
    status = plumb_cuda_status(cudaMalloc(memory, bytes), "memory on the GPU", m->message, m->message_size);
    if (status == PLUMB_OK) {
        /* Wait until this is finished, because the caller may use the memory on any stream. */
        cudaError_t error = cudaMemsetAsync(*memory, 0, bytes, m->stream);
        if (error == cudaSuccess)
            error = cudaStreamSynchronize(m->stream);
        status = plumb_cuda_status(error, "clearing memory on the GPU", m->message, m->message_size);
        if (status != PLUMB_OK && cudaFree(*memory) != cudaSuccess)
            (void)cudaGetLastError();
    }
    plumb_cuda_leave(previous);
    return status;
}

void plumb_cuda_release(machine *m, void *memory)
{
    int previous;
    if (plumb_cuda_enter(m, &previous) == PLUMB_OK && cudaFree(memory) != cudaSuccess)
        (void)cudaGetLastError();
    plumb_cuda_leave(previous);
}

/* Copies the innermost loop of the runs as one transfer of rows with a pitch, if CUDA accepts such a pitch. */
static cudaError_t copy_block(const runs *r, int64_t index, const plumb_view *src, const plumb_view *dst,
                              cudaStream_t stream)
{
    const double *from = src->data + runs_offset(r, index, 0);
    double *to = dst->data + runs_offset(r, index, 1);
    size_t width = (size_t)r->length * sizeof(double);
    if (r->count[0] == 1)
        return cudaMemcpyAsync(to, from, width, cudaMemcpyDefault, stream);

    size_t from_pitch = (size_t)r->step[0][0] * sizeof(double), to_pitch = (size_t)r->step[0][1] * sizeof(double);
    if (from_pitch <= INT32_MAX && to_pitch <= INT32_MAX)
        return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, (size_t)r->count[0], cudaMemcpyDefault, stream);
    cudaError_t error = cudaSuccess;
    for (int64_t k = 0; k < r->count[0] && error == cudaSuccess; k++)
        error = cudaMemcpyAsync(to + k * r->step[0][1], from + k * r->step[0][0], width, cudaMemcpyDefault, stream);
    return error;
}

plumb_status plumb_cuda_copy(machine *m, const plumb_view *src, const plumb_view *dst, void *stream)
{
    int previous;
    plumb_status status = plumb_cuda_enter(m, &previous);
    if (status != PLUMB_OK)
        return status;
    cudaStream_t queue = stream ? stream : m->stream;
    runs r = {src->rows,
              {src->cols, view_planes(src), src->batch},
              {{src->col, dst->col, dst->col, dst->col},
               {src->plane, dst->plane, dst->plane, dst->plane},
               {src->next, dst->next, dst->next, dst->next}}};
    plumb_runs_merge(&r);
    cudaError_t error = cudaSuccess;
    for (int64_t i = 0; i < runs_total(&r) && error == cudaSuccess; i += r.count[0])
        error = copy_block(&r, i, src, dst, queue);
    if (error == cudaSuccess && (src->where == PLUMB_HOST || dst->where == PLUMB_HOST))
        error = cudaStreamSynchronize(queue);
    status = plumb_cuda_status(error, "copying to or from the GPU", m->message, m->message_size);
    plumb_cuda_leave(previous);
    return status;
}
