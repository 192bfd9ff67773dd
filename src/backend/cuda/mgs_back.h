/* mgs_back.h - from the coefficients of one problem to its solution, by one block: back substitution, scaling, outcome. */
#ifndef PLUMB_CUDA_MGS_BACK_H
#define PLUMB_CUDA_MGS_BACK_H

#include "backend/cuda/mgs_small.h"
#include "backend/cuda/mgs_team.h"

/* How many columns of coefficients are under way from global memory while earlier ones are worked on. */
enum { AHEAD = LIMBS == 1 ? 8 : LIMBS == 2 ? 4 : 2 };

/* Both parts of a coefficient, this thread's view of it: first multiplies x of the thread's own part, second the other. */
typedef struct coefficient {
    real first, second;
} coefficient;

GPU_FN real job_coefficient(const mgs_gpu_job *job, int problem, int k, int j, int part)
{
    return real_load(job->c + problem * job->c_step + part * LIMBS * job->c_plane + (int64_t)j * job->cols + k, job->c_plane,
                     1);
}

GPU_FN coefficient coefficient_load(const mgs_gpu_job *job, int problem, int k, int j, int part)
{
    coefficient c;
    c.first = job_coefficient(job, problem, k, j, 0);
#if PLUMB_PARTS == 2
    real im = job_coefficient(job, problem, k, j, 1);
    c.second = part ? im : real_flip(im);
#else
    (void)part;
    c.second = c.first;
#endif
    return c;
}

/* x_k = c_kb - sum over j > k of c_kj x_j. Thread k * PARTS + part has that part of x_k; found is shared memory for cols * PARTS
 * numbers. The first `threads` threads of the block call, whole warps. */
GPU_FN void back_substitute(const mgs_gpu_job *job, int problem, int b, double *found, int threads)
{
    int n = job->cols, k = gpu_thread() / PARTS, part = gpu_thread() % PARTS;
    real_acc rest = real_acc_zero();
    if (k < n)
        rest = real_acc_of(job_coefficient(job, problem, k, b, part));
    coefficient ahead[AHEAD];
    LANE_UNROLL
    for (int i = 0; i < AHEAD; i++)
        if (k < n - 1 - i)
            ahead[i] = coefficient_load(job, problem, k, n - 1 - i, part);
    for (int top = n - 1; top >= 0; top -= AHEAD) {
        LANE_UNROLL
        for (int i = 0; i < AHEAD; i++) {
            int j = top - i;
            if (j < 0)
                break;
            if (k == j) {
                double v[LIMBS];
                limbs_of_real(v, real_acc_value(rest));
                LANE_UNROLL
                for (int q = 0; q < LIMBS; q++)
                    found[(j * PARTS + part) * LIMBS + q] = v[q];
            }
            gpu_sync_some(1, threads);
            if (k < j) {
                rest = real_acc_sub(rest, ahead[i].first, real_of_limbs(found + (j * PARTS + part) * LIMBS));
#if PLUMB_PARTS == 2
                rest = real_acc_sub(rest, ahead[i].second, real_of_limbs(found + (j * PARTS + 1 - part) * LIMBS));
#endif
            }
            if (k < j - AHEAD)
                ahead[i] = coefficient_load(job, problem, k, j - AHEAD, part);
        }
    }
}

/* a * 2^exponent; *fits becomes 0 where that leaves the range. In steps, since one power may be out of range itself. */
GPU_FN real scaled(real a, int exponent, int *fits)
{
    double v[LIMBS];
    limbs_of_real(v, a);
    while (exponent != 0) {
        int some = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
        double power = gpu_of_high_word((1023 + some) << 20);
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            v[q] = lane_mul(v[q], power);
        exponent -= some;
    }
    if ((gpu_high_word(v[0]) & 0x7ff00000) == 0x7ff00000)
        *fits = 0;
    return real_of_limbs(v);
}

GPU_FN double *result_at(const mgs_gpu_array *to, int problem, int64_t row, int64_t column, int part)
{
    return to->data + problem * to->next + column * to->col + part * LIMBS * to->plane + row;
}

GPU_FN plumb_info outcome_info(int outcome)
{
    return outcome == MGS_NONFINITE ? -PLUMB_ERR_NONFINITE : outcome ? MGS_DEPENDENT - outcome + 1 : 0;
}

/* Everything that is left to do once the coefficients are in global memory: x, residuals, info. All threads of the block, at
 * least cols * PARTS of them. The first `outcomes` words behind the flags of columns tell what went wrong. */
GPU_FN void small_solve(const mgs_gpu_job *job, int problem, int outcomes, double *shared)
{
    int threads = (job->cols * PARTS + GPU_WARP - 1) / GPU_WARP * GPU_WARP;
    int k = gpu_thread() / PARTS, part = gpu_thread() % PARTS;
    int failed = 0, fits = 1;
    for (int i = 0; i < outcomes; i++) {
        int outcome = gpu_flag_get(job_flag(job, problem, MGS_OUTCOME + i));
        failed = outcome > failed ? outcome : failed;
    }
    int32_t *out_of_range = (int32_t *)(shared + job->cols * PARTS * LIMBS);
    const int32_t *exponent = job->exponent + (int64_t)problem * job->all;
    if (gpu_thread() == 0)
        *out_of_range = 0;
    gpu_sync();
    for (int b = job->cols; b < job->all && job->x.data; b++) {
        if (gpu_thread() < threads)
            back_substitute(job, problem, b, shared, threads);
        gpu_sync();
        if (k < job->cols) {
            real x = scaled(real_of_limbs(shared + gpu_thread() * LIMBS), exponent[b] - exponent[k], &fits);
            real_store(result_at(&job->x, problem, k, b - job->cols, part), job->x.plane, failed ? real_set(0.0) : x, 1);
        }
        if (job->residual.data && gpu_thread() == gpu_threads() - 1) {
            real norm = real_sqrt(real_load(job->s + problem * job->s_step + b, job->all, 1));
            norm = scaled(norm, exponent[b], &fits);
            real_store(result_at(&job->residual, problem, 0, b - job->cols, 0), job->residual.plane,
                       failed ? real_set(0.0) : norm, 1);
        }
        gpu_sync();
    }
    if (!fits)
        *out_of_range = 1;
    gpu_sync();
    if (!failed && *out_of_range) {
        for (int b = job->cols; b < job->all; b++) {
            if (k < job->cols)
                real_store(result_at(&job->x, problem, k, b - job->cols, part), job->x.plane, real_set(0.0), 1);
            if (job->residual.data && gpu_thread() == gpu_threads() - 1)
                real_store(result_at(&job->residual, problem, 0, b - job->cols, 0), job->residual.plane, real_set(0.0), 1);
        }
    }
    if (gpu_thread() == 0)
        job->info[problem] = !failed && *out_of_range ? -PLUMB_ERR_RANGE : outcome_info(failed);
}

#endif
