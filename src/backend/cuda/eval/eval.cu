/* eval.cu - values and derivatives of a polynomial system on a GPU, in shared memory; gpu.h describes the form of the
 * program.
 *
 * A block takes a part into shared memory together with its numbers, and one launch does everything. For one point
 * there are as many blocks as parts; for more points each block proceeds from one group of points to the next. Many
 * points in d and dd have a separate kernel (eval_many.cu); if a part does not fit, its numbers are in global memory
 * (eval_global.cu). */
#include "backend/cuda/eval/launch.h"
#include "backend/cuda/eval/steps.h"

/* Computes the numbers of one group of points, level by level. f has the factors of the first level. */
template <class PLACE> GPU_FN void make_all(const PLACE *at, eval_factors f, eval_piece piece)
{
    const int32_t *words = at->words, *level = words + words[EVAL_LEVEL_AT], *stage = words + words[EVAL_STAGE_AT];
    const int levels = words[EVAL_LEVELS], stages = words[EVAL_STAGES], pieces = words[EVAL_PIECES];
    int from = level[0], last = level[levels > 0];
    for (int l = 0; l < levels; l++) {
        make_products(at, from, last, f);
        from = last;
        last = level[l + 1 < levels ? l + 2 : l + 1];
        f = factors_of(at, from + at->first, last);
        gpu_sync();
    }
    make_pieces(at, 0, pieces, piece);
    put_zeros(at);
    for (int s = 0; s < stages; s++) {
        const eval_fold fold = fold_of(at, stage[s] + at->first, stage[s + 1]);
        gpu_sync();
        make_folds(at, stage[s], stage[s + 1], fold);
    }
}

/* True if a point of this group has to be evaluated. Its numbers are read beside the points. */
GPU_FN int is_wanted(const eval_gpu_job &job, int64_t first, int64_t points)
{
    int wanted = job.skip == nullptr;
    for (int64_t k = first; job.skip && k < first + points; k++)
        wanted |= k < job.batch && job.skip[k * job.skip_next] == 0;
    return wanted;
}

template <int LOG> GPU_FN void all_parts(const eval_gpu_job &job)
{
    const int part = gpu_block() % job.program.parts, thread = gpu_thread(), threads = gpu_threads();
    const int64_t points = (int64_t)1 << LOG;
    double *shared = gpu_shared(), *numbers = shared + job.program.part_doubles;
    const double *from = job.program.parts_at + part * job.program.part_doubles;
    for (int i = thread; i < (int)job.program.part_doubles; i += threads)
        gpu_copy(shared + i, from + i);
    gpu_copies_done();
    gpu_sync();

    eval_place<int32_t, LOG> at;
    at.take(&job, shared, numbers, thread, threads);
    at.go_to(gpu_block() / job.program.parts * points);
    const int32_t *level = at.words + at.words[EVAL_LEVEL_AT];
    const eval_factors factors = factors_of(&at, level[0] + at.first, level[at.words[EVAL_LEVELS] > 0]);
    const eval_piece piece = piece_of(&at, at.first, at.words[EVAL_PIECES]);
    const double *source = source_of(&at, thread);
    gpu_previous_done(); /* the program is older than the previous kernel, the points may not be */
    gpu_next_may_begin();
    while (at.first_point < job.batch) {
        const int wanted = is_wanted(job, at.first_point, points);
        load_points(&at, numbers, thread, threads, source);
        gpu_sync();
        if (wanted)
            make_all(&at, factors, piece);
        at.go_to(at.first_point + job.blocks * points);
        source = source_of(&at, thread);
        if (at.first_point < job.batch)
            gpu_sync(); /* the next points overwrite these */
    }
}

/* One kernel for each logarithm of the number of points of a group. */
#if PLUMB_LIMBS == 1
#define EVAL_KERNELS(X) X(0) X(1) X(2) X(3)
#elif PLUMB_LIMBS == 2
#define EVAL_KERNELS(X) X(0) X(1) X(2)
#else
#define EVAL_KERNELS(X) X(0) X(1)
#endif
#define EVAL_KERNEL(log)                                                               \
    static __global__ void __launch_bounds__(EVAL_THREADS, EVAL_RESIDENT(PLUMB_LIMBS)) \
        eval_parts_##log(const __grid_constant__ eval_gpu_job job)                     \
    {                                                                                  \
        all_parts<log>(job);                                                           \
    }
EVAL_KERNELS(EVAL_KERNEL)

/* ---- Launches ---------------------------------------------------------------------------------------------------- */

static const void *const kernels[] = {
#define EVAL_ENTRY(log) (const void *)eval_parts_##log,
    EVAL_KERNELS(EVAL_ENTRY)};
static_assert(sizeof kernels / sizeof kernels[0] == EVAL_MOST_LOG(PLUMB_LIMBS) + 1, "a kernel for each group");

extern "C" plumb_status NUM_NAME(plumb_cuda_eval_parts)(const eval_gpu_job *job, size_t shared, void *stream,
                                                        char *message, size_t message_size)
{
    cudaError_t error = eval_prepare(kernels);
    if (error == cudaSuccess)
        error = eval_launch(kernels[job->log_points], job, shared, stream);
    return eval_say(error, message, message_size);
}
