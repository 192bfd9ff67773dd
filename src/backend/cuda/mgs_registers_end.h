/* mgs_registers_end.h - what is left to do when the columns are orthogonal, for the kernels of mgs_registers.cu: what others need to
 * global memory, back substitution, the outcome.
 *
 * W is one of their in_registers. */
#ifndef PLUMB_CUDA_MGS_REGISTERS_END_H
#define PLUMB_CUDA_MGS_REGISTERS_END_H

#include "backend/cuda/mgs_back.h"
#include "backend/cuda/mgs_group.h"

/* Columns of coefficients that one warp has read ahead: it never waits for them, nor branches. */
enum { READ_AHEAD = LIMBS == 1 ? 4 : 2 };

/* c_kj, or 0 where k >= j or there is no column j. */
GPU_FN num kept_coefficient(int n, int k, int j, const double *kept)
{
    const int there = k < j && j < n;
    const double *at = kept + (there ? SMALL_COEFFICIENTS(n, j) + k : 0) * PARTS * LIMBS;
    double v[PARTS * LIMBS];
    LANE_UNROLL
    for (int q = 0; q < PARTS * LIMBS; q++)
        v[q] = there ? at[q] : 0.0;
    return num_of_limbs(v);
}

/* As warp_substitute does it, for complex numbers, with columns read before they are needed and zeros instead of branches. */
template <int ROWS> GPU_FN void warp_substitute_ahead(int n, int b, const double *kept, double *found)
{
    const int lane = gpu_thread() % GPU_WARP;
    num_acc rest[ROWS];
    const double *y = kept + SMALL_COEFFICIENTS(n, b) * PARTS * LIMBS;
    LANE_UNROLL
    for (int i = 0; i < ROWS; i++) {
        int k = lane + GPU_WARP * i;
        rest[i] = k < n ? num_acc_of(num_of_limbs(y + k * PARTS * LIMBS)) : num_acc_zero();
    }
    LANE_UNROLL
    for (int i = ROWS - 1; i >= 0; i--) {
        const int first = GPU_WARP * i, last = n - first < GPU_WARP ? n - first - 1 : GPU_WARP - 1;
        num c[READ_AHEAD][ROWS];
        int l = last < 0 ? -1 : last / READ_AHEAD * READ_AHEAD + READ_AHEAD - 1; /* rows beyond the last one are zero */
        LANE_UNROLL
        for (int p = 0; p < READ_AHEAD; p++) {
            LANE_UNROLL
            for (int r = 0; r <= i; r++)
                c[p][r] = kept_coefficient(n, lane + GPU_WARP * r, first + l - p, kept);
        }
#pragma unroll 1
        for (; l >= 0; l -= READ_AHEAD) {
            LANE_UNROLL
            for (int p = 0; p < READ_AHEAD; p++) {
                num x = num_shuffle(num_acc_value(rest[i]), l - p);
                LANE_UNROLL
                for (int r = 0; r <= i; r++) {
                    rest[r] = num_acc_sub(rest[r], c[p][r], x);
                    c[p][r] = kept_coefficient(n, lane + GPU_WARP * r, first + l - p - READ_AHEAD, kept);
                }
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

/* The first column whose square norm nobody has added up while it was a pivot. */
template <class W> GPU_FN int first_without_square(const W *w)
{
    if (W::together == 2)
        return w->cols / 2 * 2;
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
            real_acc sum = w->square(w->own[c]);
            group_sums<W::lanes, 1>(&sum);
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
        const int before = W::together == 2 ? j % 2 == 1 && j < last : j > 0 && j <= w->cols;
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            if (before)
                gpu_store_remote(w->leader, w->squares + (j - 1) * LIMBS + q, w->squares[(j - 1) * LIMBS + q]);
            if (j >= last || (W::together == 2 && before))
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

/* Right-hand side b, by this warp: x; 0 where it leaves the range. With a row a thread, what x is subtracted from is read before
 * there is an x. */
template <class W> GPU_FN int registers_solve_one(const W *w, const mgs_gpu_job *job, int b, int failed)
{
    const int rows = (W::height + GPU_WARP - 1) / GPU_WARP, ahead = rows == 1;
    double *found = w->pivots + w->warp * W::step;
    num corrected[rows];
    int fits = 1;
    if (ahead)
        corrected[0] = registers_corrected(w, job, w->lane);
    warp_substitute_ahead<rows>(w->cols, b, w->kept, found);
    LANE_UNROLL
    for (int i = 0; i < rows; i++) {
        const int k = w->lane + GPU_WARP * i, power = k < w->cols ? (int)w->exponent[b] - (int)w->exponent[k] : 0;
        if (!ahead)
            corrected[i] = registers_corrected(w, job, k);
        if (k >= w->cols)
            continue;
        num x = num_of_limbs(found + k * W::a_number);
        x = cplx_make(scaled(x.re, power, &fits), scaled(x.im, power, &fits));
        num_store(result_at(&job->x, w->problem, k, b - w->cols, 0), job->x.plane,
                  failed ? cplx_make(real_set(0.0), real_set(0.0)) : x, 1);
        corrected[i] = num_sub(corrected[i], x);
    }
    if (!job->corrected.data || failed || gpu_any(!fits))
        return fits;
    LANE_UNROLL
    for (int i = 0; i < rows; i++) {
        const int k = w->lane + GPU_WARP * i;
        if (k < w->cols)
            num_store(result_at(&job->corrected, w->problem, k, 0, 0), job->corrected.plane, corrected[i], 1);
    }
    return fits;
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
    for (int b = w->cols + w->warp; job->x.data && b < w->all; b += all_warps)
        if (!registers_solve_one(w, job, b, failed))
            *w->out_of_range = 1;
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
