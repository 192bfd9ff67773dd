/* eval_global.cu - evaluation of systems too large for shared memory: numbers are in global memory, and each level of
 * products, the pieces, and each stage of their sums take one launch. */
#include "backend/cuda/eval/launch.h"
#include "backend/cuda/eval/steps.h"

/* One thread per item, one row of blocks per group of points. */
static __global__ void __launch_bounds__(EVAL_THREADS, EVAL_RESIDENT(PLUMB_LIMBS))
    NUM_NAME(eval_step)(const eval_gpu_job job, const eval_gpu_step todo)
{
    const int64_t thread = (int64_t)gpu_block() * gpu_threads() + gpu_thread();
    const int64_t threads = (int64_t)gpu_blocks() * gpu_threads(), group = gpu_block_y();
    double *numbers = job.slots + group * EVAL_PLANES * ((int64_t)job.program.slots << job.log_points);
    const real none[2] = {real_set(0.0), real_set(0.0)};
    eval_place<int64_t, -1> at;
    at.take(&job, job.program.parts_at, numbers, thread, threads);
    at.go_to(group << job.log_points);
    const int64_t first = todo.first + at.first;
    switch (todo.what) {
    case EVAL_DO_LOAD:
        load_points(&at, numbers, thread, threads, source_of(&at, thread));
        break;
    case EVAL_DO_PRODUCTS:
        make_products(&at, todo.first, todo.last, factors_of(&at, first, todo.last));
        break;
    case EVAL_DO_PIECES:
        make_pieces(&at, todo.first, todo.last, piece_of(&at, first, todo.last));
        break;
    case EVAL_DO_FOLDS:
        make_folds(&at, todo.first, todo.last, fold_of(&at, first, todo.last));
        break;
    default: /* entry i of the Jacobians, column by column */
        for (int64_t item = at.first; item < todo.last; item += at.step)
            put_sum(&at, none, (int)(item % job.program.equations), 1 + (int)(item / job.program.equations), 0);
    }
}

extern "C" plumb_status NUM_NAME(plumb_cuda_eval_step)(const eval_gpu_job *given, const eval_gpu_step *step,
                                                       void *stream, char *message, size_t message_size)
{
    enum { MOST_BLOCKS = 1 << 20 };
    eval_gpu_job job = *given;
    eval_gpu_step todo = *step;
    const int64_t turns = (todo.last - todo.first) << (HALVES + job.log_points);
    int64_t blocks = (turns + EVAL_THREADS - 1) / EVAL_THREADS;
    if (blocks < 1)
        return PLUMB_OK;
    if (blocks > MOST_BLOCKS)
        blocks = MOST_BLOCKS;
    void *arguments[] = {&job, &todo};
    return eval_say(cudaLaunchKernel((const void *)NUM_NAME(eval_step), dim3((unsigned)blocks, (unsigned)job.blocks),
                                     dim3(EVAL_THREADS), arguments, 0, (cudaStream_t)stream),
                    message, message_size);
}
