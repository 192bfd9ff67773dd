/* end.h - what is left to do when the columns are orthogonal, for the kernels of mgs_registers.cu: what others need to
 * global memory, back substitution, the outcome.
 *
 * W is one of their in_registers. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_END_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_END_H

#include "backend/cuda/lsq/registers/back.h"

/* The first column whose square norm nobody has added up while it was a pivot. */
template <class W> GPU_FN int first_without_square(const W *w)
{
    if (W::together == 2)
        return w->cols / 2 * 2;
    if (W::apart)
        return w->cols;
    return w->all > w->cols ? w->cols : w->cols - 1;
}

/* Square norms nobody has added up yet: of what is left of the right-hand sides, and of a last column;
 * and all columns to global memory, if asked for. */
template <class W> GPU_FN void registers_leave(W *w, const mgs_gpu_job *job)
{
    const int last = first_without_square(w);
    LANE_UNROLL
    for (int c = 0; c < W::columns_each; c++) {
        const int j = w->column(c);
        if (w->last_column(c) >= last) {
            real_acc sum = rows_square<W::rows_each>(w->own[c]);
            group_sums<W::lanes, 1, W::spacing>(&sum);
            const real total = acc_total(sum);
            if (w->position == 0 && j >= last && j < w->all)
                w->note_square(j, total, j < w->cols && !(real_head(total) > w->least[c]));
        }
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++) {
            const int row = W::lanes * i + w->position;
            if (job->w && j < w->all && row < w->rows)
                num_store(job->w + w->problem * job->w_step + (int64_t)j * w->rows + row, job->w_plane, w->own[c][i],
                          1);
        }
    }
}

/* Coefficients of column j: so many doubles. */
template <class W> GPU_FN int coefficient_doubles(const W *w, int j)
{
    return (j < w->cols ? j : w->cols) * W::a_number;
}

/* What this warp knows and block 0 needs. */
template <class W> GPU_FN void registers_deliver(const W *w)
{
    const int last = first_without_square(w);
    gpu_send_ready();
    gpu_sync_warp();
    LANE_UNROLL
    for (int c = 0; c < W::columns_each; c++) {
        const int j = w->column(c);
        if (w->position != 0 || j >= w->all)
            continue;
        if (j > 0)
            gpu_send_many(w->leader, w->place[c], w->place[c], coefficient_doubles(w, j), w->delivered);
        gpu_store_remote(w->leader, w->exponent + j, w->exponent[j]);
        /* The warp with the next column has noted it; of two pivots, the one that has them. */
        const int before = W::together == 2 ? j % 2 == 1 && j < last : !W::apart && j > 0 && j <= w->cols;
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            if (before)
                gpu_store_remote(w->leader, w->squares + (j - 1) * LIMBS + q, w->squares[(j - 1) * LIMBS + q]);
            if (W::apart || j >= last || (W::together == 2 && before))
                gpu_store_remote(w->leader, w->squares + j * LIMBS + q, w->squares[j * LIMBS + q]);
        }
    }
}

/* What the finishing kernels or refinement go on with, to global memory. */
template <class W> GPU_FN void registers_keep(const W *w, const mgs_gpu_job *job)
{
    for (int j = gpu_threads() - 1 - gpu_thread(); j < w->all; j += gpu_threads()) { /* the first warps solve */
        job->exponent[(int64_t)w->problem * w->all + j] = (int32_t)w->exponent[j];
        real_store(job->s + w->problem * job->s_step + j, w->all, real_of_limbs(w->squares + j * LIMBS), 1);
    }
    for (int j = w->warp; job->coefficients && j < w->all; j += gpu_threads() / GPU_WARP) {
        const double *from = w->kept + SMALL_COEFFICIENTS(w->cols, j) * W::a_number;
        const int count = j < w->cols ? j : w->cols;
        for (int k = w->lane; k < count; k += GPU_WARP)
            num_store(job->c + w->problem * job->c_step + (int64_t)j * w->cols + k, job->c_plane,
                      num_of_limbs(from + k * W::a_number), 1);
    }
}

/* The norm of the residual of right-hand side b, by one thread; 0 where it leaves the range. */
template <class W> GPU_FN int registers_residual(const W *w, const mgs_gpu_job *job, int b, int failed)
{
    int fits = 1;
    const real norm = scaled(real_sqrt(real_of_limbs(w->squares + b * LIMBS)), (int)w->exponent[b], &fits);
    real_store(result_at(&job->residual, w->problem, 0, b - w->cols, 0), job->residual.plane,
               failed ? real_set(0.0) : norm, 1);
    return fits;
}

/* What x_k is to be subtracted from; zero where there is no such thing. */
template <class W> GPU_FN num registers_corrected(const W *w, const mgs_gpu_job *job, int k)
{
    if (!job->corrected.data || k >= w->cols)
        return cplx_make(real_set(0.0), real_set(0.0));
    return num_load(result_at(&job->corrected, w->problem, k, 0, 0), job->corrected.plane, 1);
}

/* One part of right-hand side b, by this warp: x; 0 where it leaves the range. What x is subtracted from is read before there is an x. */
template <class W>
GPU_FN int registers_solve_part(const W *w, const mgs_gpu_job *job, const back_team *t, int part, int b, int failed,
                                num *corrected)
{
    const int k = part * GPU_WARP + w->lane, power = k < w->cols ? (int)w->exponent[b] - (int)w->exponent[k] : 0;
    int fits = 1;
    *corrected = registers_corrected(w, job, k);
    num x = registers_unknown(w, t, part, b);
    x = cplx_make(scaled(x.re, power, &fits), scaled(x.im, power, &fits));
    if (k < w->cols)
        num_store(result_at(&job->x, w->problem, k, b - w->cols, 0), job->x.plane,
                  failed ? cplx_make(real_set(0.0), real_set(0.0)) : x, 1);
    *corrected = num_sub(*corrected, x);
    return fits;
}

/* Right-hand side b, by this warp and its team. */
template <class W>
GPU_FN void registers_solve_one(const W *w, const mgs_gpu_job *job, const back_team *t, int b, int failed)
{
    const int alone = t->warps == 1, last = alone ? t->parts - 1 : t->part, first = alone ? 0 : t->part;
    num corrected;
    for (int part = last; part >= first; part--)
        if (!registers_solve_part(w, job, t, part, b, failed, &corrected))
            *w->unfit = *w->out_of_range = 1;
    for (int lower = first - 1; lower > 0; lower--)
        for (int some = shows(w, lower); some > 0; some--)
            t->meet();
    t->meet(); /* all of them are there, before their places are used again */
    if (!job->corrected.data || failed || *w->unfit)
        return;
    for (int part = last; part >= first; part--) {
        const int k = part * GPU_WARP + w->lane;
        if (k >= w->cols)
            continue;
        if (last > first)
            corrected = num_sub(registers_corrected(w, job, k),
                                num_load(result_at(&job->x, w->problem, k, b - w->cols, 0), job->x.plane, 1));
        num_store(result_at(&job->corrected, w->problem, k, 0, 0), job->corrected.plane, corrected, 1);
    }
}

template <class W> GPU_FN void registers_clear(const W *w, const mgs_gpu_job *job, int b)
{
    const int rhs = b - w->cols;
    for (int k = w->lane; k < w->cols; k += GPU_WARP)
        num_store(result_at(&job->x, w->problem, k, rhs, 0), job->x.plane, cplx_make(real_set(0.0), real_set(0.0)), 1);
    if (job->residual.data && w->lane == 0)
        real_store(result_at(&job->residual, w->problem, 0, rhs, 0), job->residual.plane, real_set(0.0), 1);
}

/* By all threads of a block that knows everything. */
template <class W> GPU_FN void registers_solve(const W *w, const mgs_gpu_job *job)
{
    int failed = *w->outcome;
    for (int i = 1; i < w->cluster; i++)
        failed = (int)w->outcomes[i] > failed ? (int)w->outcomes[i] : failed;
    const int all_warps = gpu_threads() / GPU_WARP, from_last = gpu_threads() - 1 - gpu_thread();
    back_team t;
    t.set_up(w);
    for (int b = w->cols + t.number; job->x.data && t.number < t.teams && b < w->all; b += t.teams)
        registers_solve_one(w, job, &t, b, failed);
    for (int b = w->cols + from_last; job->x.data && job->residual.data && b < w->all; b += gpu_threads())
        if (!registers_residual(w, job, b, failed))
            *w->out_of_range = 1;
    registers_keep(w, job);
    gpu_sync();
    const int beyond = !failed && *w->out_of_range;
    for (int b = w->cols + w->warp; beyond && job->x.data && b < w->all; b += all_warps)
        registers_clear(w, job, b);
    if (gpu_thread() == 0)
        job->info[w->problem] = beyond ? -PLUMB_ERR_RANGE : outcome_info(failed);
}

#endif
