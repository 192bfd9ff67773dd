/* full.h - modified Gram-Schmidt in the precision of x by one block, columns in global memory, for a problem whose
 * refinement did not converge. Only the GPU knows this, and it cannot launch the usual kernels, so this code is short
 * rather than fast. The steps, limits and outcomes are those of gpu.h. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REFINE_FULL_H
#define PLUMB_BACKEND_CUDA_LSQ_REFINE_FULL_H

#include "backend/cuda/lsq/back.h"
#include "backend/cuda/lsq/refine/refine.h"

/* Number (i, j): plane q at at[q*plane + j*ld + i]. */
typedef struct full {
    const mgs_refine_job *job;
    int problem, m, n, all, lane, warp, warps;
    double *w, *c; /* columns, coefficients */
    double *s;     /* leading limbs of squares */
    double *least; /* for each column of A the smallest square norm of an independent one */
    int64_t w_plane, c_plane;
    int32_t *exponent, *outcome; /* the largest MGS_... of all columns, in shared memory */
} full;

GPU_FN num num_of_warp(num a, int with)
{
    double v[PARTS * LIMBS];
    num_store(v, 1, a, 1);
    LANE_UNROLL
    for (int q = 0; q < PARTS * LIMBS; q++)
        v[q] = gpu_shuffle_xor(v[q], with);
    return num_load(v, 1, 1);
}

GPU_FN num num_sum(num a)
{
    for (int with = 1; with < GPU_WARP; with <<= 1)
        a = num_add(a, num_of_warp(a, with));
    return a;
}

GPU_FN num full_dot(const full *f, int k, int j)
{
    num_acc sum = num_acc_zero();
    for (int i = f->lane; i < f->m; i += GPU_WARP)
        sum = num_acc_add_conj(sum, num_load(f->w + (int64_t)k * f->m + i, f->w_plane, 1),
                               num_load(f->w + (int64_t)j * f->m + i, f->w_plane, 1));
    return num_sum(num_acc_value(sum));
}

/* Loads column j, scaled, by a warp. */
GPU_FN void full_load(const full *f, int j)
{
    const mgs_gpu_array *from = j < f->n ? &f->job->a : &f->job->b;
    const double *column = from->data + f->problem * from->next + (j < f->n ? j : j - f->n) * from->col;
    int size = 0;
    for (int i = f->lane; i < f->m; i += GPU_WARP)
        for (int q = 0; q < PARTS * LIMBS; q++) {
            int high = gpu_high_word(column[q * from->plane + i]) & 0x7fffffff;
            size = high > size ? high : size;
        }
    size = gpu_max(size);
    const int finite = size < 0x7ff00000, exponent = finite ? size_exponent(size) : 0;
    const pair power = scale_factors(exponent);
    double squares = 0.0;
    for (int i = f->lane; i < f->m; i += GPU_WARP)
        for (int q = 0; q < PARTS * LIMBS; q++) {
            double v = lane_mul(lane_mul(column[q * from->plane + i], power.x), power.y);
            f->w[q * f->w_plane + (int64_t)j * f->m + i] = v;
            if (q % LIMBS == 0)
                squares = lane_fma(v, v, squares);
        }
    for (int with = 1; with < GPU_WARP; with <<= 1)
        squares = lane_add(squares, gpu_shuffle_xor(squares, with));
    if (f->lane == 0) {
        f->exponent[j] = exponent;
        if (j < f->n)
            f->least[j] = lane_mul(f->job->dependent, squares);
        if (!finite)
            gpu_raise(f->outcome, MGS_NONFINITE);
    }
}

/* Step k for the columns of this warp. Each warp computes the square norm for itself. */
GPU_FN void full_step(const full *f, int k)
{
    const real square = num_re(full_dot(f, k, k));
    const int depends = !(real_head(square) > f->least[k]);
    if (f->lane == 0 && f->warp == 0) {
        f->s[k] = real_head(square);
        if (depends)
            gpu_raise(f->outcome, MGS_DEPENDENT - k);
    }
    const real inverse = depends ? real_set(0.0) : inverse_of(square);
    for (int j = k + 1 + f->warp; j < f->all; j += f->warps) {
        const num c = num_mul_real(full_dot(f, k, j), inverse);
        for (int i = f->lane; i < f->m; i += GPU_WARP) {
            double *to = f->w + (int64_t)j * f->m + i;
            num rest = num_rest(num_load(to, f->w_plane, 1), c, num_load(f->w + (int64_t)k * f->m + i, f->w_plane, 1));
            num_store(to, f->w_plane, rest, 1);
        }
        if (f->lane == 0)
            num_store(f->c + (int64_t)j * f->n + k, f->c_plane, c, 1);
    }
}

/* Solves C x = c_b in place, by a warp. */
GPU_FN void full_substitute(const full *f, int b)
{
    double *y = f->c + (int64_t)b * f->n;
    for (int j = f->n - 1; j > 0; j--) {
        gpu_sync_warp();
        const num x = num_load(y + j, f->c_plane, 1);
        for (int k = f->lane; k < j; k += GPU_WARP)
            num_store(
                y + k, f->c_plane,
                num_rest(num_load(y + k, f->c_plane, 1), num_load(f->c + (int64_t)j * f->n + k, f->c_plane, 1), x), 1);
    }
    gpu_sync_warp();
}

/* Stores x and the residual norm of right-hand side b, or zeros, by a warp. Returns 0 if a number is out of range. */
GPU_FN int full_give(const full *f, int b, int solved)
{
    const mgs_refine_job *job = f->job;
    const double *y = f->c + (int64_t)b * f->n;
    int fits = 1;
    for (int e = f->lane; e < f->n * PARTS; e += GPU_WARP) {
        const int k = e / PARTS, part = e % PARTS;
        real x = real_set(0.0);
        if (solved)
            x = scaled(real_load(y + part * LIMBS * f->c_plane + k, f->c_plane, 1), f->exponent[b] - f->exponent[k],
                       &fits);
        real_store(result_at(&job->x, f->problem, k, b - f->n, part), job->x.plane, x, 1);
    }
    const real square = num_re(full_dot(f, b, b)), norm = scaled(real_sqrt(square), f->exponent[b], &fits);
    if (f->lane == 0) {
        f->s[b] = real_head(square);
        if (job->residual.data)
            real_store(result_at(&job->residual, f->problem, 0, b - f->n, 0), job->residual.plane,
                       solved ? norm : real_set(0.0), 1);
    }
    return fits;
}

/* Solves the whole problem, by all threads of the block; `word` of shared memory is free. */
static __device__ __attribute__((noinline)) void full_solve(const mgs_refine_job *job, int problem, int32_t *word)
{
    full f;
    f.job = job;
    f.problem = problem;
    f.m = job->low.rows, f.n = job->low.cols, f.all = f.n + job->rhs;
    f.lane = gpu_thread() % GPU_WARP, f.warp = gpu_thread() / GPU_WARP, f.warps = gpu_threads() / GPU_WARP;
    f.w_plane = (int64_t)f.m * f.all, f.c_plane = (int64_t)f.n * f.all;
    f.w = job->full + problem * job->full_step;
    f.c = f.w + PARTS * LIMBS * f.w_plane;
    f.s = f.c + PARTS * LIMBS * f.c_plane;
    f.exponent = (int32_t *)(f.s + f.all);
    f.least = f.s + 2 * f.all;
    f.outcome = word;
    gpu_sync();
    if (gpu_thread() == 0)
        *word = 0;
    gpu_sync();
    for (int j = f.warp; j < f.all; j += f.warps)
        full_load(&f, j);
    for (int k = 0; k < f.n; k++) {
        gpu_sync();
        full_step(&f, k);
    }
    gpu_sync();
    const int failed = *word;
    int fits = 1;
    for (int b = f.n + f.warp; b < f.all; b += f.warps) {
        if (!failed)
            full_substitute(&f, b);
        fits &= full_give(&f, b, !failed);
    }
    gpu_sync();
    if (!fits)
        gpu_raise(word, 1);
    gpu_sync();
    const int out_of_range = !failed && *word;
    for (int b = f.n + f.warp; b < f.all && out_of_range; b += f.warps)
        (void)full_give(&f, b, 0);
    if (gpu_thread() == 0)
        put_info(job->info + problem, job->failures, out_of_range ? -PLUMB_ERR_RANGE : outcome_info(failed));
}

#endif
