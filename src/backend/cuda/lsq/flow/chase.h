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

/* The rest of the work when the coefficients are known: x, residuals, info, with one thread per unknown. shared has
 * room for as many numbers as there are threads, and two doubles. */
template <int CHUNK> GPU_FN void chase_solve(const mgs_gpu_job *job, int problem, double *shared)
{
    const int n = job->cols, k = gpu_thread(), failed = gpu_flag_get(job_flag(job, problem, MGS_OUTCOME));
    const int32_t *exponent = job->exponent + (int64_t)problem * job->all;
    const int own_exponent = k < n ? exponent[k] : 0;
    const num zero = num_acc_value(num_acc_zero());
    int32_t *out_of_range = (int32_t *)(shared + gpu_threads() * PARTS * LIMBS);
    int fits = 1;
    if (k == 0)
        *out_of_range = 0;
    for (int b = n; b < job->all && job->x.data; b++) {
        gpu_sync();
        chase<CHUNK>(job, problem, b, shared);
        num x = zero;
        real norm = real_set(0.0);
        if (k < n && !failed)
            x = num_scaled(chase_settled(num_of_limbs(shared + k * PARTS * LIMBS)), exponent[b] - own_exponent, &fits);
        if (k == 0 && !failed)
            norm = scaled(real_sqrt(real_load(job->s + problem * job->s_step + b, job->all, 1)), exponent[b], &fits);
        chase_store(job, problem, b, x, norm);
    }
    gpu_sync();
    if (!fits)
        *out_of_range = 1;
    gpu_sync();
    const int beyond = !failed && *out_of_range;
    for (int b = n; beyond && b < job->all && job->x.data; b++)
        chase_store(job, problem, b, zero, real_set(0.0));
    if (k == 0)
        put_info(job->info + problem, job->failures, beyond ? -PLUMB_ERR_RANGE : outcome_info(failed));
}

#endif
