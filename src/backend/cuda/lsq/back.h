/* back.h - computes the solution of one problem from its coefficients, by one block: back substitution, scaling,
 * outcome. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_BACK_H
#define PLUMB_BACKEND_CUDA_LSQ_BACK_H

#include "backend/cuda/lsq/column.h"
#include "backend/cuda/lsq/outcome.h"
#include "backend/cuda/lsq/small/small.h"

/* The number of columns of coefficients that are being loaded from global memory while earlier ones are processed. */
enum { AHEAD = LIMBS == 1 ? 8 : LIMBS == 2 ? 4 : 2 };

/* x_k = c_kb - sum over j > k of c_kj x_j, by the first `threads` threads of the block, whole warps: thread k * PARTS
 * + part has that part of x_k. Coefficients are read from global memory. found is shared memory for cols * PARTS
 * numbers. */
GPU_FN void block_substitute(const mgs_gpu_job *job, int problem, int b, double *found, int threads)
{
    const int n = job->cols, k = gpu_thread() / PARTS, part = gpu_thread() % PARTS;
    const int64_t plane = job->c_plane;
    const double *row = job->c + problem * job->c_step + k; /* c_kj is at row + j * n */
    real_acc rest = real_acc_zero();
    if (k < n)
        rest = real_acc_of(real_load(row + (int64_t)b * n + part * LIMBS * plane, plane, 1));
    real re[AHEAD], im[AHEAD];
    const double *next = row + (int64_t)(n - 1) * n;
    LANE_UNROLL
    for (int i = 0; i < AHEAD; i++) {
        re[i] = im[i] = real_set(0.0);
        if (k < n - 1 - i) {
            re[i] = real_load(next, plane, 1);
            if (PARTS == 2)
                im[i] = real_load(next + LIMBS * plane, plane, 1);
        }
        next -= n;
    }
    for (int top = n - 1; top >= 0; top -= AHEAD) {
        LANE_UNROLL
        for (int i = 0; i < AHEAD; i++) {
            int j = top - i;
            if (j < 0)
                break;
            double *x = found + j * PARTS * LIMBS;
            if (k == j)
                limbs_of_real(x + part * LIMBS, real_acc_value(rest));
            gpu_sync_some(1, threads);
            if (k < j) {
                rest = real_acc_sub(rest, re[i], real_of_limbs(x + part * LIMBS));
                if (PARTS == 2)
                    rest =
                        real_acc_sub(rest, real_flip(im[i], sign_of(part + 1)), real_of_limbs(x + (1 - part) * LIMBS));
            }
            if (k < j - AHEAD) {
                re[i] = real_load(next, plane, 1);
                if (PARTS == 2)
                    im[i] = real_load(next + LIMBS * plane, plane, 1);
            }
            next -= n;
        }
    }
}

GPU_FN num num_of_limbs(const double *v)
{
#if PLUMB_PARTS == 2
    return cplx_make(real_of_limbs(v), real_of_limbs(v + LIMBS));
#else
    return real_of_limbs(v);
#endif
}

/* log2 of how much larger the terms of x may be than x, if it is found without back substitution. */
enum { GROWTH = 6 };

#if PLUMB_PARTS == 2
GPU_FN double modulus_bound(num a)
{
    return lane_add(lane_abs(real_head(a.re)), lane_abs(real_head(a.im)));
}
#endif
/* Nonnegative numbers compare like these; a NaN is larger than any number. */
GPU_FN int size_of(double a)
{
    return gpu_high_word(a) & 0x7fffffff;
}

GPU_FN num num_shuffle(num a, int from)
{
    double v[PARTS * LIMBS];
#if PLUMB_PARTS == 2
    limbs_of_real(v, a.re);
    limbs_of_real(v + LIMBS, a.im);
#else
    limbs_of_real(v, a);
#endif
    LANE_UNROLL
    for (int q = 0; q < PARTS * LIMBS; q++)
        v[q] = gpu_shuffle(v[q], from);
    return num_of_limbs(v);
}

/* The same by one warp, thread l having the rows l, l + 32, ...; coefficients in shared memory, see
 * SMALL_COEFFICIENTS. The unknowns are stored in found as well. */
template <int ROWS> GPU_FN void warp_substitute(int n, int b, const double *kept, double *found)
{
    const int lane = gpu_thread() % GPU_WARP;
    num_acc rest[ROWS];
    const double *y = kept + SMALL_COEFFICIENTS(n, b) * PARTS * LIMBS;
    LANE_UNROLL
    for (int i = 0; i < ROWS; i++) {
        int k = lane + GPU_WARP * i;
        rest[i] = k < n ? num_acc_of(num_of_limbs(y + k * PARTS * LIMBS)) : num_acc_zero();
    }
    const double *column = kept + SMALL_COEFFICIENTS(n, n) * PARTS * LIMBS;
    LANE_UNROLL
    for (int i = ROWS - 1; i >= 0; i--) {
        int last = n - GPU_WARP * i < GPU_WARP ? n - GPU_WARP * i - 1 : GPU_WARP - 1;
#pragma unroll 2
        for (int l = last; l >= 0; l--) {
            int j = GPU_WARP * i + l;
            column -= j * PARTS * LIMBS;
            num x = num_shuffle(num_acc_value(rest[i]), l);
            LANE_UNROLL
            for (int r = 0; r <= i; r++) {
                int k = lane + GPU_WARP * r;
                if (k < j)
                    rest[r] = num_acc_sub(rest[r], num_of_limbs(column + k * PARTS * LIMBS), x);
            }
        }
    }
    LANE_UNROLL
    for (int i = 0; i < ROWS; i++) {
        int k = lane + GPU_WARP * i;
        if (k < n)
            num_store(found + k * PARTS * LIMBS, 1, num_acc_value(rest[i]), 1);
    }
}

/* a * 2^exponent; *fits becomes 0 if that is out of range. It is done in steps, because a single power may be out of
 * range itself. */
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

/* Solves C x = c_b into shared memory. */
GPU_FN void substitute(const mgs_gpu_job *job, int problem, int b, double *found, const double *kept)
{
    int n = job->cols, threads = (n * PARTS + GPU_WARP - 1) / GPU_WARP * GPU_WARP;
#if PLUMB_LIMBS < 4
    if (kept && n <= 4 * GPU_WARP) {
        if (gpu_thread() >= GPU_WARP)
            return;
        if (n <= GPU_WARP)
            warp_substitute<1>(n, b, kept, found);
        else if (n <= 2 * GPU_WARP)
            warp_substitute<2>(n, b, kept, found);
        else if (n <= 3 * GPU_WARP)
            warp_substitute<3>(n, b, kept, found);
        else
            warp_substitute<4>(n, b, kept, found);
        return;
    }
#else
    (void)kept;
#endif
    if (gpu_thread() < threads)
        block_substitute(job, problem, b, found, threads);
}

/* The rest of the work when the coefficients are known: x, residuals, info. Called by all threads of the block, at
 * least cols * PARTS of them. The first `outcomes` words after the flags of the columns tell what went wrong. shared
 * has room for cols * PARTS numbers and 2 doubles. If -x of each right-hand side is already known, minus_x points to
 * it. */
GPU_FN void small_solve(const mgs_gpu_job *job, int problem, int outcomes, double *shared, const double *kept,
                        const double *minus_x)
{
    int n = job->cols, k = gpu_thread() / PARTS, part = gpu_thread() % PARTS, failed = 0, fits = 1;
    for (int i = 0; i < outcomes; i++) {
        int outcome = gpu_flag_get(job_flag(job, problem, MGS_OUTCOME + i));
        failed = outcome > failed ? outcome : failed;
    }
    int32_t *out_of_range = (int32_t *)(shared + n * PARTS * LIMBS);
    real corrected = real_set(0.0);
    const int32_t *exponent = job->exponent + (int64_t)problem * job->all;
    int own_exponent = k < n ? exponent[k] : 0, last = gpu_thread() == gpu_threads() - 1;
    if (gpu_thread() == 0)
        *out_of_range = 0;
    for (int b = n; b < job->all && job->x.data; b++) {
        int exponent_b = exponent[b];
        if (job->residual.data && last) {
            real norm = real_sqrt(real_load(job->s + problem * job->s_step + b, job->all, 1));
            norm = scaled(norm, exponent_b, &fits);
            real_store(result_at(&job->residual, problem, 0, b - n, 0), job->residual.plane,
                       failed ? real_set(0.0) : norm, 1);
        }
        const double *found = minus_x ? minus_x + (b - n) * n * PARTS * LIMBS : shared;
        gpu_sync_warp();
        if (!minus_x)
            substitute(job, problem, b, shared, kept);
        gpu_sync();
        if (k < n) {
            real x = real_flip(real_of_limbs(found + gpu_thread() * LIMBS), minus_x ? (int)0x80000000u : 0);
            x = scaled(x, exponent_b - own_exponent, &fits);
            real_store(result_at(&job->x, problem, k, b - n, part), job->x.plane, failed ? real_set(0.0) : x, 1);
            if (job->corrected.data)
                corrected =
                    real_sub(real_load(result_at(&job->corrected, problem, k, 0, part), job->corrected.plane, 1), x);
        }
        gpu_sync();
    }
    if (!fits)
        *out_of_range = 1;
    gpu_sync();
    if (job->corrected.data && k < n && !failed && !*out_of_range)
        real_store(result_at(&job->corrected, problem, k, 0, part), job->corrected.plane, corrected, 1);
    if (!failed && *out_of_range) {
        for (int b = n; b < job->all; b++) {
            if (k < n)
                real_store(result_at(&job->x, problem, k, b - n, part), job->x.plane, real_set(0.0), 1);
            if (job->residual.data && last)
                real_store(result_at(&job->residual, problem, 0, b - n, 0), job->residual.plane, real_set(0.0), 1);
        }
    }
    if (gpu_thread() == 0)
        put_info(job->info + problem, job->failures,
                 !failed && *out_of_range ? -PLUMB_ERR_RANGE : outcome_info(failed));
}

#endif
