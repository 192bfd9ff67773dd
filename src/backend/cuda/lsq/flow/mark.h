/* mark.h - what has to be done before a launch of flow or panel: all words of w are marked as not written yet (GPU_NOT_YET), all
 * bits set, and flags are cleared.
 *
 * This is a kernel and not a call of the runtime for its place in the stream: it is launched while the kernel before it is
 * still running, and so is the kernel behind it. Both wait before they touch memory. That kernel must not allow its own
 * successor to begin before it has waited.
 *
 * Kept words need no kernel before a launch. They are in memory of their own, whose bits are all set from one call to the next
 * (SCRATCH_WORDS): the last block that reads them sets them again. Clusters of registers inform the kernel that finds x about
 * their columns that way, and that kernel passes on unknowns (panel/inverse.h). Coefficients, which many blocks read, are marked in
 * each call by the blocks that find them, before they allow that kernel to begin. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_FLOW_MARK_H
#define PLUMB_BACKEND_CUDA_LSQ_FLOW_MARK_H

#include "backend/cuda/lsq/column.h"
#include "backend/cuda/lsq/plan.h"
#include "backend/cuda/runtime/launch.h"

enum { MARK_THREADS = 256 };

static __global__ void __launch_bounds__(MARK_THREADS)
    mgs_mark(double *w, const int64_t w_step, const int64_t skip, int32_t *flags, const int flag_count)
{
    gpu_next_may_begin();
    gpu_previous_done();
    const int64_t first = (int64_t)gpu_block() * gpu_threads() + gpu_thread(),
                  step = (int64_t)gpu_blocks() * gpu_threads(), problem = gpu_block_y();
    double *words = w + problem * w_step + skip;
    for (int64_t i = first; i < flag_count; i += step)
        flags[problem * flag_count + i] = 0;
    for (int64_t i = first; i < w_step - skip; i += step)
        mark_word(words + i);
}

/* Marks the words of each problem except for the first `skip`, with at most one block per multiprocessor. */
static inline cudaError_t mark_words(const mgs_gpu_job *job, const mgs_plan *plan, int64_t skip, void *stream)
{
    mgs_gpu_job value = *job;
    int flag_count = job->all + MGS_FLAGS;
    void *arguments[] = {&value.w, &value.w_step, &skip, &value.flags, &flag_count};
    const int64_t enough = (job->w_step - skip + MARK_THREADS - 1) / MARK_THREADS;
    const int64_t blocks = enough < plan->multiprocessors ? enough : plan->multiprocessors;
    const dim3 grid((unsigned)blocks, (unsigned)job->batch);
    return gpu_launch((const void *)mgs_mark, grid, MARK_THREADS, 0, plan->early, arguments, stream);
}

#endif
