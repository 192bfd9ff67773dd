/* mgs_refine.cu - refinement by one block a problem, all steps in one launch.
 *
 * With A = W C of the factor in double, P = C^-1 D^-1 W^H, D = W^H W, is made once: then a correction is a product with a
 * matrix and no substitution. The residual is not computed anew but kept: r -= A dx with dx a vector of doubles, which costs a third
 * of b - A x and is as accurate, since each step rounds relative to its own dx. For m > n it is g = A^H r that must vanish, and
 * dx = P P^H g; |A (x - x*)| shrinks by u cond(A) a step, whatever the size of r.
 *
 * Sums of A dx are exact but for their last bits: A is cut into slices of fixed point, dx is rounded to a multiple of 2^-51 of
 * its largest entry, and a product goes to a level that begins at a bias (as in arith/qd_rest.h): three instructions add it and
 * find what the level drops. All threads have the same levels, so partial sums add exactly in any order. */
#include <stdio.h>

#include <atomic>

#include "backend/cuda/lsq/back.h"
#include "backend/cuda/lsq/refine/refine.h"

#if PLUMB_LIMBS > 1

#include "backend/cuda/lsq/refine/full.h"
#include "backend/cuda/lsq/refine/inverse.h"
#include "backend/cuda/lsq/refine/steps.h"
#include "backend/cuda/lsq/refine/sums.h"

/* A scaled, in slices. Whether it is finite. */
GPU_FN int load_matrix(refine *w)
{
    const mgs_gpu_array *from = &w->job->a;
    const int32_t *exponent = w->job->low.exponent + (int64_t)w->problem * w->job->low.all;
    int size = 0;
    double squares = 0.0, inverse_squares = 0.0;
    for (int e = w->thread; e < w->m * w->n * PARTS; e += gpu_threads()) {
        const int i = e % w->m, part = e / w->m % PARTS, k = e / w->m / PARTS;
        const pair power = scale_factors(exponent[k]);
        double v[LIMBS];
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            v[q] = from->data[w->problem * from->next + k * from->col + (part * LIMBS + q) * from->plane + i];
            int high = gpu_high_word(v[q]) & 0x7fffffff;
            size = high > size ? high : size;
            v[q] = lane_mul(lane_mul(v[q], power.x), power.y);
        }
        squares = lane_fma(v[0], v[0], squares);
        double inverse = w->p[part * w->p_plane + k * w->p_ld + i];
        inverse_squares = lane_fma(inverse, inverse, inverse_squares);
        slices_of_entry(v, w->a + part * AS * w->a_plane + k * w->a_ld + i, w->a_plane);
    }
    w->a_norm = w->p_norm = 0.0;
    if (w->m > w->n) {
        w->a_norm = lane_sqrt(block_total(w, squares));
        w->p_norm = lane_sqrt(block_total(w, inverse_squares));
    }
    return block_total(w, size < 0x7ff00000 ? 0.0 : 1.0) == 0.0;
}

/* Right-hand side b into r, scaled; its exponent. Not finite: 0x7ff. */
GPU_FN int load_rhs(refine *w, int b)
{
    const mgs_gpu_array *from = &w->job->b;
    const double *column = from->data + w->problem * from->next + b * from->col;
    const int all = w->m * PARTS, rounds = (all + gpu_threads() - 1) / gpu_threads();
    gpu_sync();
    if (w->thread < SIZES)
        w->size[w->thread] = 0;
    gpu_sync();
    for (int round = 0; round < rounds; round++) {
        const int e = w->thread + round * gpu_threads(), there = e < all;
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            double v = there ? column[(e % PARTS * LIMBS + q) * from->plane + e / PARTS] : 0.0;
            if (there)
                w->r[q * all + e] = v;
            raise_size(&w->size[SIZE_X], v, there);
        }
    }
    gpu_sync();
    const int size = w->size[SIZE_X], exponent = size < 0x7ff00000 ? size_exponent(size) : 0;
    const pair power = scale_factors(exponent);
    for (int e = w->thread; e < all * LIMBS; e += gpu_threads())
        w->r[e] = lane_mul(lane_mul(w->r[e], power.x), power.y);
    for (int e = w->thread; e < w->n * PARTS * LIMBS; e += gpu_threads())
        w->x[e] = 0.0;
    gpu_sync();
    if (w->thread == 0)
        w->size[SIZE_X] = 0;
    return size < 0x7ff00000 ? exponent : 0x7ff;
}

/* The norm of r, by the first warp; every thread of it has it. */
GPU_FN real residual_norm(const refine *w, double *plain)
{
    const int all = w->m * PARTS;
    real_acc sum = real_acc_zero();
    int size = 0;
    for (int e = w->thread % GPU_WARP; e < all; e += GPU_WARP) {
        real r = real_load(w->r + e, all, 1);
        int high = gpu_high_word(real_head(r)) & 0x7fffffff;
        size = high > size ? high : size;
        sum = real_acc_add(sum, r, r);
    }
    size = gpu_max(size);
    slices s = slices_of(sum, sum_top(size, exponent_above(size), all));
    LANE_UNROLL
    for (int with = 1; with < GPU_WARP; with <<= 1) {
        LANE_UNROLL
        for (int q = 0; q < SLICES; q++)
            s.v[q] = lane_add(s.v[q], gpu_shuffle_xor(s.v[q], with));
    }
    real norm = real_sqrt(slices_value(s));
    *plain = real_head(norm);
    return norm;
}

GPU_FN void give_result(refine *w, int b, int b_exponent, double *left)
{
    const mgs_refine_job *job = w->job;
    const int32_t *exponent = job->low.exponent + (int64_t)w->problem * job->low.all;
    const int all = w->n * PARTS;
    int fits = 1;
    for (int e = w->thread; e < all; e += gpu_threads()) {
        real x = scaled(real_load(w->x + e, all, 1), b_exponent - exponent[e / PARTS], &fits);
        real_store(result_at(&job->x, w->problem, e / PARTS, b, e % PARTS), job->x.plane, x, 1);
    }
    if (w->thread < GPU_WARP && (job->residual.data || w->m > w->n)) {
        double plain;
        real norm = residual_norm(w, &plain);
        plain = w->size[SIZE_X] ? lane_div(plain, gpu_of_high_word(w->size[SIZE_X])) : 0.0;
        *left = plain > *left ? plain : *left;
        norm = scaled(norm, b_exponent, &fits);
        if (job->residual.data && w->thread == 0)
            real_store(result_at(&job->residual, w->problem, 0, b, 0), job->residual.plane, norm, 1);
    }
    if (!fits)
        gpu_raise((int32_t *)(w->sums + REFINE_WORDS - 1), 1);
}

/* A number beyond the largest double: no results at all. */
GPU_FN void clear_results(const refine *w)
{
    const mgs_refine_job *job = w->job;
    for (int b = 0; b < job->rhs; b++) {
        for (int e = w->thread; e < w->n * PARTS; e += gpu_threads())
            real_store(result_at(&job->x, w->problem, e / PARTS, b, e % PARTS), job->x.plane, real_set(0.0), 1);
        if (job->residual.data && w->thread == 0)
            real_store(result_at(&job->residual, w->problem, 0, b, 0), job->residual.plane, real_set(0.0), 1);
    }
}

GPU_FN refine place(const mgs_refine_job *job)
{
    refine w;
    double *shared = gpu_shared();
    w.job = job;
    w.problem = gpu_block();
    w.m = job->low.rows, w.n = job->low.cols;
    w.thread = gpu_thread();
    w.top_more = 32 - gpu_leading_zeros(w.n * PARTS);
    w.sums = shared;
    w.size = (int32_t *)(shared + gpu_threads() / GPU_WARP);
    w.x = shared + REFINE_WORDS;
    w.r = w.x + w.n * PARTS * LIMBS;
    w.dx = w.r + w.m * PARTS * LIMBS;
    w.g = w.dx + w.n * PARTS;
    w.t = w.g + w.n * PARTS;
    double *free = w.t + w.m * PARTS;
    w.a_ld = REFINE_LD(w.m);
    w.a_plane = w.a_ld * w.n;
    if (job->inverse_shared) {
        w.p = free;
        w.p_ld = w.a_ld;
        w.p_plane = w.a_plane;
        free += PARTS * w.p_plane;
    } else {
        w.p = job->low.w + w.problem * job->low.w_step;
        w.p_ld = w.m;
        w.p_plane = job->low.w_plane;
    }
    w.a = job->slices ? job->slices + w.problem * job->slices_step : free;
    return w;
}

static __global__ void __launch_bounds__(REFINE_THREADS, 1)
    NUM_NAME(mgs_refine)(const __grid_constant__ mgs_refine_job job)
{
    refine w = place(&job);
    int converged = job.low.info[w.problem] == 0, most = 0;
    double left = 0.0;
    int32_t *out_of_range = (int32_t *)(w.sums + REFINE_WORDS - 1);
    if (converged) {
        if (w.thread == 0)
            *out_of_range = 0;
        make_inverse(&w);
        converged = load_matrix(&w);
    }
    for (int b = 0; b < job.rhs && converged; b++) {
        int steps = 0, exponent = load_rhs(&w, b);
        converged = exponent != 0x7ff && iterate(&w, &steps);
        if (converged)
            give_result(&w, b, exponent, &left);
        most = steps > most ? steps : most;
    }
    gpu_sync();
    int bad = converged && *out_of_range;
    if (bad)
        clear_results(&w);
    if (w.thread == 0) {
        double *outcome = job.outcome + (int64_t)w.problem * REFINED_WORDS;
        outcome[REFINED_CONVERGED] = converged;
        outcome[REFINED_STEPS] = most;
        outcome[REFINED_LEFT] = left;
        if (converged)
            job.info[w.problem] = bad ? -PLUMB_ERR_RANGE : 0;
    }
    if (!converged && job.full)
        full_solve(&job, w.problem, out_of_range);
}

/* Refines a batch, a block a problem; shared is its dynamic shared memory in bytes. */
extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_refine)(const mgs_refine_job *job, size_t shared, void *stream,
                                                        char *message, size_t message_size)
{
    static std::atomic<uint64_t> prepared;
    const void *kernel = (const void *)NUM_NAME(mgs_refine);
    mgs_refine_job value = *job;
    void *arguments[] = {&value};
    int device = 0, most = 0;
    cudaError_t error = cudaGetDevice(&device);
    const uint64_t bit = (uint64_t)1 << (device & 63);
    if (error == cudaSuccess && !(prepared.load() & bit)) {
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
        if (error == cudaSuccess)
            error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
        if (error == cudaSuccess)
            prepared.fetch_or(bit);
    }
    if (error == cudaSuccess)
        error = cudaLaunchKernel(kernel, dim3((unsigned)job->low.batch), dim3(REFINE_THREADS), arguments, shared,
                                 (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of refinement failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

#endif
