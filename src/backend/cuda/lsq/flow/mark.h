/* mark.h - what has to be done before a launch of flow or panel: all words of w, and of c where another kernel waits for
 * coefficients, are marked as not written yet (GPU_NOT_YET), all bits set, and flags are cleared.
 *
 * This is a kernel and not a call of the runtime for its place in the stream: it is launched while the kernel before it is
 * still running, and so is the kernel behind it. Both wait before they touch memory. That kernel must not allow its own
 * successor to begin before it has waited. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_FLOW_MARK_H
#define PLUMB_BACKEND_CUDA_LSQ_FLOW_MARK_H

#include "backend/cuda/lsq/gpu.h"
#include "backend/cuda/runtime/launch.h"

enum { MARK_THREADS = 256, MARK_BLOCKS = 132 };

struct alignas(8) mark_bits {
    int32_t word[2];
};

static __global__ void __launch_bounds__(MARK_THREADS)
    mgs_mark(double *w, const int64_t w_step, const int64_t skip, double *c, const int64_t c_step, int32_t *flags,
             const int flag_count)
{
    gpu_next_may_begin();
    gpu_previous_done();
    const int64_t first = (int64_t)gpu_block() * gpu_threads() + gpu_thread(),
                  step = (int64_t)gpu_blocks() * gpu_threads(), problem = gpu_block_y();
    mark_bits *words = (mark_bits *)(w + problem * w_step + skip), *more = (mark_bits *)(c + problem * c_step);
    for (int64_t i = first; i < flag_count; i += step)
        flags[problem * flag_count + i] = 0;
    for (int64_t i = first; i < w_step - skip; i += step)
        words[i] = mark_bits{{-1, -1}};
    for (int64_t i = first; i < c_step; i += step)
        more[i] = mark_bits{{-1, -1}};
}

/* Marks the words of each problem except for the first `skip`; coefficients, too, if these announce themselves. */
static inline cudaError_t mark_words(const mgs_gpu_job *job, int64_t skip, int coefficients, int early, void *stream)
{
    mgs_gpu_job value = *job;
    int flag_count = job->all + MGS_FLAGS;
    if (!coefficients)
        value.c_step = 0;
    void *arguments[] = {&value.w, &value.w_step, &skip, &value.c, &value.c_step, &value.flags, &flag_count};
    const int64_t words = job->w_step - skip, most = words > value.c_step ? words : value.c_step,
                  enough = (most + MARK_THREADS - 1) / MARK_THREADS;
    const dim3 grid((unsigned)(enough < MARK_BLOCKS ? enough : (int64_t)MARK_BLOCKS), (unsigned)job->batch);
    return gpu_launch((const void *)mgs_mark, grid, MARK_THREADS, 0, early, arguments, stream);
}

#endif
