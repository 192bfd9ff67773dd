/* chase.h - back substitution by one block with coefficients in global memory, after mgs_flow.cu and mgs_panel.cu: a warp has 32
 * rows, a thread one.
 *
 * The warp of the last rows finds their unknowns CHUNK at a time, and gives each to its other threads by a shuffle. Then all meet;
 * the warps of earlier rows remove these unknowns from their rows while the next ones are found. Coefficients are requested from
 * global memory one chunk ahead. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_FLOW_CHASE_H
#define PLUMB_BACKEND_CUDA_LSQ_FLOW_CHASE_H

#include "backend/cuda/lsq/back.h"

/* Columns of coefficients from j on for row k of a triangle with ones on its diagonal, zeros where it has none. */
template <int CHUNK> GPU_FN void chase_load(const mgs_gpu_job *job, const double *row, int k, int j, num *c)
{
    LANE_UNROLL
    for (int i = 0; i < CHUNK; i++) {
        c[i] = num_acc_value(num_acc_zero());
        if (k < j + i && j + i < job->cols)
            c[i] = num_load(row + (int64_t)(j + i) * job->cols, job->c_plane, 1);
    }
}

/* An unknown as it is passed to other threads, and its value, which accounts for infinities, too. In double double a cheap sum
 * normalises it, as accurate as a rounding: if its terms have cancelled, the first limb of an accumulator may be smaller than the
 * second one, whose products are rounded once only. */
GPU_FN num chase_passed(num_acc rest)
{
#if PLUMB_LIMBS == 2 && PLUMB_PARTS == 2
    return cplx_make(quick_two_sum(rest.re.hi, rest.re.lo), quick_two_sum(rest.im.hi, rest.im.lo));
#elif PLUMB_LIMBS == 2
    return quick_two_sum(rest.hi, rest.lo);
#else
    return num_acc_value(rest);
#endif
}
GPU_FN num chase_settled(num x)
{
    return LIMBS == 2 ? num_acc_value(num_acc_of(x)) : x;
}

/* Solves C x = c_b by whole warps, with one thread per row. found is shared memory for as many numbers as there are
 * threads. */
template <int CHUNK> GPU_FN void chase(const mgs_gpu_job *job, int problem, int b, double *found)
{
    const int n = job->cols, k = gpu_thread(), lane = k % GPU_WARP, group = k / GPU_WARP;
    const double *row = job->c + problem * job->c_step + (k < n ? k : 0);
    num_acc rest = num_acc_zero();
    if (k < n)
        rest = num_acc_of(num_load(row + (int64_t)b * n, job->c_plane, 1));
    num now[CHUNK], next[CHUNK];
    const int last = (n - 1) / CHUNK * CHUNK;
    chase_load<CHUNK>(job, row, k, last, next);
#pragma unroll 1
    for (int j = last; j >= 0; j -= CHUNK) {
        const int owner = j / GPU_WARP;
        LANE_UNROLL
        for (int i = 0; i < CHUNK; i++)
            now[i] = next[i];
        if (j - CHUNK >= group * GPU_WARP)
            chase_load<CHUNK>(job, row, k, j - CHUNK, next);
        if (group == owner) {
            LANE_UNROLL
            for (int i = CHUNK - 1; i >= 0; i--) {
                const num x = num_shuffle(chase_passed(rest), j % GPU_WARP + i);
                rest = num_acc_sub(rest, now[i], x);
                if (LIMBS == 4 && lane == j % GPU_WARP + i) /* a value that is too expensive to compute twice */
                    num_store(found + k * PARTS * LIMBS, 1, x, 1);
            }
            if (LIMBS < 4 && lane / CHUNK == j % GPU_WARP / CHUNK)
                num_store(found + k * PARTS * LIMBS, 1, chase_passed(rest), 1);
        }
        gpu_sync();
        if (group < owner) {
            LANE_UNROLL
            for (int i = 0; i < CHUNK; i++)
                rest = num_acc_sub(rest, now[i], num_of_limbs(found + (j + i) * PARTS * LIMBS));
        }
    }
}

GPU_FN num num_scaled(num x, int exponent, int *fits)
{
#if PLUMB_PARTS == 2
    return cplx_make(scaled(x.re, exponent, fits), scaled(x.im, exponent, fits));
#else
    return scaled(x, exponent, fits);
#endif
}

/* Stores the results of right-hand side b of the problem; all are zero if x is. */
GPU_FN void chase_store(const mgs_gpu_job *job, int problem, int b, num x, real norm)
{
    const int k = gpu_thread(), rhs = b - job->cols;
    if (k < job->cols)
        num_store(result_at(&job->x, problem, k, rhs, 0), job->x.plane, x, 1);
    if (k == 0 && job->residual.data)
        real_store(result_at(&job->residual, problem, 0, rhs, 0), job->residual.plane, norm, 1);
}

/* What a thread needs to store the results of right-hand side b: all of it is requested at once. */
typedef struct chase_scale {
    int own, of_b; /* exponents of its column and of the right-hand side */
    real square;   /* the square norm of the residual, for the first thread */
} chase_scale;

GPU_FN chase_scale chase_scale_of(const mgs_gpu_job *job, int problem, int b)
{
    const int32_t *exponent = job->exponent + (int64_t)problem * job->all;
    const int k = gpu_thread();
    const chase_scale by = {k < job->cols ? exponent[k] : 0, exponent[b],
                            real_load(job->s + problem * job->s_step + b, job->all, 1)};
    return by;
}

/* Scales back the unknown of this thread and stores it, or zero if the problem has failed; the first thread stores the norm of the
 * residual, too. Returns whether they are in range. */
GPU_FN int chase_result(const mgs_gpu_job *job, int problem, int b, int failed, num x, chase_scale by)
{
    const int k = gpu_thread();
    num found = num_acc_value(num_acc_zero());
    real norm = real_set(0.0);
    int fits = 1;
    if (k < job->cols && !failed)
        found = num_scaled(chase_settled(x), by.of_b - by.own, &fits);
    if (k == 0 && !failed)
        norm = scaled(real_sqrt(by.square), by.of_b, &fits);
    chase_store(job, problem, b, found, norm);
    return fits;
}

/* Stores the outcome of the problem; results are zero if one of them was not in range. out_of_range is a word of shared memory,
 * 0 before. */
GPU_FN void chase_outcome(const mgs_gpu_job *job, int problem, int failed, int fits, int32_t *out_of_range)
{
    gpu_sync();
    if (!fits)
        *out_of_range = 1;
    gpu_sync();
    const int beyond = !failed && *out_of_range;
    for (int b = job->cols; beyond && b < job->all && job->x.data; b++)
        chase_store(job, problem, b, num_acc_value(num_acc_zero()), real_set(0.0));
    if (gpu_thread() == 0)
        put_info(job->info + problem, job->failures, beyond ? -PLUMB_ERR_RANGE : outcome_info(failed));
}

/* The outcome for the columns of a problem. */
GPU_FN int chase_failed(const mgs_gpu_job *job, int problem)
{
    return gpu_flag_get(job_flag(job, problem, MGS_OUTCOME));
}

/* The rest of the work when the coefficients are known, and whether the columns have failed: x, residuals, info, with one thread per
 * unknown. shared has room for as many numbers as there are threads, and two doubles. */
template <int CHUNK> GPU_FN void chase_solve(const mgs_gpu_job *job, int problem, int failed, double *shared)
{
    const int n = job->cols, k = gpu_thread();
    int32_t *out_of_range = (int32_t *)(shared + gpu_threads() * PARTS * LIMBS);
    int fits = 1;
    if (k == 0)
        *out_of_range = 0;
    for (int b = n; b < job->all && job->x.data; b++) {
        const chase_scale by = chase_scale_of(job, problem, b);
        gpu_sync();
        chase<CHUNK>(job, problem, b, shared);
        fits &= chase_result(job, problem, b, failed, num_of_limbs(shared + k * PARTS * LIMBS), by);
    }
    chase_outcome(job, problem, failed, fits, out_of_range);
}

#endif
