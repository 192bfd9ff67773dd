/* mgs_registers_along.h - x without back substitution, for the kernels of mgs_registers.cu that have one right-hand side.
 *
 * What step k does to the columns, a_j -= c_kj a_k, it does to those of the identity too, v_j -= c_kj v_k, with zero for the
 * right-hand side: columns of C^-1 come out, and in the last place -C^-1 c_b = -x. A step does this after its next pivot has gone to
 * the others, in the time in which warps would wait: back substitution, n times the way from one unknown to the next, is gone. Row i
 * of v_k is zero for i > k. The warp with the right-hand side sees every pivot, so it knows what went wrong, and ends alone.
 *
 * W is one of their in_registers. */
#ifndef PLUMB_CUDA_MGS_REGISTERS_ALONG_H
#define PLUMB_CUDA_MGS_REGISTERS_ALONG_H

#include "backend/cuda/mgs_back.h"
#include "backend/cuda/mgs_group.h"

template <class W> GPU_FN void along_begin(W *w)
{
    LANE_UNROLL
    for (int c = 0; c < W::columns_each; c++) {
        const int j = w->column(c);
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++) {
            const double one = j < w->cols && j == W::lanes * i + w->position ? 1.0 : 0.0;
            w->along[c][i] = cplx_make(real_set(one), real_set(0.0));
        }
    }
}

/* Rows that may not be zero in v_k. In double, to know costs more than to work on zeros. */
template <class W> GPU_FN int along_reaches(int i, int k)
{
    return LIMBS == 1 || W::lanes * i <= k;
}

/* v_k, in this slot of the warp, is what it will be. */
template <int SLOT, class W> GPU_FN void along_publish(W *w, int k)
{
    double *to = w->pivots + (k - w->first) * W::step + W::main;
    if (w->column(SLOT) == k) {
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++)
            if (along_reaches<W>(i, k))
                w->store_pairs(to + 2 * (W::lanes * i + w->position), W::height, w->along[SLOT][i]);
    }
    gpu_sync_warp();
    if (w->lane == 0)
        gpu_barrier_arrive(w->followed + (k - w->first));
}

/* Step k for the slots from FIRST on, with their coefficients. */
template <int FIRST, class W> GPU_FN void along_take(W *w, int k, const num *coefficient)
{
    const double *from = w->pivots + (k - w->first) * W::step + W::main;
    w->await(w->followed, k);
    LANE_UNROLL
    for (int c = 0; c < W::columns_each - FIRST; c++) {
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++)
            if (along_reaches<W>(i, k))
                w->along[FIRST + c][i] = num_rest(w->along[FIRST + c][i], w->pivot_row(from, i), coefficient[c]);
        if (c == 0 && w->publishes(k + 1))
            along_publish<FIRST>(w, k + 1);
    }
}

/* What others go on with, where it is asked for: coefficients of step k and the square norm of its pivot. */
template <int FIRST, class W>
GPU_FN void along_keep(const W *w, const mgs_gpu_job *job, int k, const num *coefficient, real total)
{
    if (!job->coefficients || w->position != 0)
        return;
    LANE_UNROLL
    for (int c = 0; c < W::columns_each - FIRST; c++) {
        const int j = w->column(FIRST + c);
        if (j > k && j < w->all)
            num_store(job->c + w->problem * job->c_step + (int64_t)j * w->cols + k, job->c_plane, coefficient[c], 1);
    }
    if (w->column(FIRST) == k + 1)
        real_store(job->s + w->problem * job->s_step + k, w->all, total, 1);
}

/* By the warp with the right-hand side, in slot c of the threads that have it. */
template <class W> GPU_FN void along_end(W *w, const mgs_gpu_job *job, int c)
{
    const int mine = w->column(c) == w->cols;
    int fits = 1, failed = w->least[c] == w->least[c] ? w->failed : MGS_NONFINITE;
    real_acc sum = w->square(w->own[c]);
    group_sums<W::lanes, 1>(&sum);
    const real total = acc_total(sum), zero = real_set(0.0);
    num x[W::rows_each];
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++) {
        const int k = W::lanes * i + w->position;
        const int power = k < w->cols ? (int)(w->power[c] - w->exponent[k]) : 0;
        x[i] = cplx_make(scaled(real_neg(w->along[c][i].re), power, &fits),
                         scaled(real_neg(w->along[c][i].im), power, &fits));
    }
    const real norm = scaled(real_sqrt(total), (int)w->power[c], &fits);
    const int beyond = gpu_any(mine && !failed && !fits), nothing = failed || beyond;
    if (!mine)
        return;
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++) {
        const int k = W::lanes * i + w->position;
        if (job->x.data && k < w->cols)
            num_store(result_at(&job->x, w->problem, k, 0, 0), job->x.plane, nothing ? cplx_make(zero, zero) : x[i], 1);
    }
    if (w->position != 0)
        return;
    if (job->residual.data)
        real_store(result_at(&job->residual, w->problem, 0, 0, 0), job->residual.plane, nothing ? zero : norm, 1);
    if (job->coefficients)
        real_store(job->s + w->problem * job->s_step + w->cols, w->all, total, 1);
    job->info[w->problem] = beyond ? -PLUMB_ERR_RANGE : outcome_info(failed);
}

#endif
