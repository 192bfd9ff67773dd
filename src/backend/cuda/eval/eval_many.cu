/* eval_many.cu - values and derivatives of a polynomial system at many points on a GPU; gpu.h describes the form of
 * the program.
 *
 * A block takes a part into shared memory and proceeds from one group of points to the next, by the steps of many.h. The bandwidth
 * of shared memory bounds many points in d; the threads of a block synchronise three times per group. */
#include "backend/cuda/eval/many.h"

#include "backend/cuda/eval/launch.h"

/* ---- The kernels -------------------------------------------------------------------------------------------------- */

template <int LOG> GPU_FN void many_points(const eval_gpu_job &job)
{
    const int part = gpu_block() % job.program.parts, thread = gpu_thread(), threads = gpu_threads();
    const int64_t points = (int64_t)1 << LOG;
    double *shared = gpu_shared(), *numbers = shared + job.program.part_doubles;
    const double *from = job.program.parts_at + part * job.program.part_doubles;
    for (int i = thread; i < (int)job.program.part_doubles; i += threads)
        gpu_copy(shared + i, from + i);
    const double constant[many_numbers::planes] = {1.0};
    const num one = num_load(constant, 1, 1);
    many_place<LOG> at;
    at.take(&job, shared, numbers, thread, threads);
    at.go_to(gpu_block() / job.program.parts * points);
    if (at.first == 0)
        at.put(0, one);
    gpu_copies_done();
    gpu_sync();
    gpu_previous_done(); /* the program is older than the previous kernel, the points may not be */
    gpu_next_may_begin();
    for (; at.first_point < job.batch; at.go_to(at.first_point + job.blocks * points))
        make_group(&at);
}

/* One kernel for each logarithm of the number of points of a group. */
#define MANY_KERNELS(X) X(2) X(3)
#define MANY_KERNEL(log)                                                                    \
    static __global__ void __launch_bounds__(EVAL_THREADS, EVAL_MANY_RESIDENT(PLUMB_LIMBS)) \
        eval_many_##log(const __grid_constant__ eval_gpu_job job)                           \
    {                                                                                       \
        many_points<log>(job);                                                              \
    }
MANY_KERNELS(MANY_KERNEL)

static const void *const kernels[] = {
#define MANY_ENTRY(log) (const void *)eval_many_##log,
    MANY_KERNELS(MANY_ENTRY)};

extern "C" plumb_status NUM_NAME(plumb_cuda_eval_many)(const eval_gpu_job *job, size_t shared, void *stream,
                                                       char *message, size_t message_size)
{
    cudaError_t error = eval_prepare(kernels);
    if (error == cudaSuccess)
        error = eval_launch(kernels[job->log_points - EVAL_MANY_LEAST_LOG], job, shared, stream);
    return eval_say(error, message, message_size);
}
