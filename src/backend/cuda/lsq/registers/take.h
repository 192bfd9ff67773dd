/* take.h - one pivot a step, for the kernels of mgs_registers.cu: it is removed from the columns of a warp. Two of them:
 * mgs_registers_two.h.
 *
 * W is one of their in_registers. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_TAKE_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_TAKE_H

#include "backend/cuda/lsq/group.h"

/* Step k for the slots from FIRST on, the earlier ones being done; column k + 1, if the warp has it, is in slot FIRST. */
template <int FIRST, class W> GPU_FN void registers_take(W *w, int k)
{
    const int count = W::columns_each - FIRST;
    const double *at = w->pivots + w->here;
    w->await_others(k);
    const double bound = at[W::tail];
    num pivot[W::rows_each];
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++)
        pivot[i] = w->pivot_row(at, i);
    real_acc sum[1 + 2 * count];
    sum[0] = rows_square<W::rows_each>(pivot);
    LANE_UNROLL
    for (int c = 0; c < count; c++)
        w->dot(pivot, w->own[FIRST + c], sum + 1 + 2 * c);
    group_sums<W::lanes, 1 + 2 * count, W::spacing>(sum);
    const real total = sum[0], zero = real_set(0.0);
    const int depends = !(real_head(total) > bound);
    const real inverse = inverse_near(total);
    if (W::held < W::rows_each)
        gpu_sync_warp(); /* or the compiler keeps what it has read */
    num coefficient[count];
    LANE_UNROLL
    for (int c = 0; c < count; c++) {
        const int slot = FIRST + c; /* of the first one, columns up to k stay as they are */
        coefficient[c] = num_loose(sum[1 + 2 * c], sum[2 + 2 * c],
                                   real_select(!depends && (c > 0 || w->column(FIRST) > k), inverse, zero));
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++)
            w->own[slot][i] = rest_near(w->own[slot][i], i < W::held ? pivot[i] : w->pivot_row(at, i), coefficient[c]);
        if (c == 0)
            w->template publish_next<FIRST>(k);
    }
    LANE_UNROLL
    for (int c = 0; c < count; c++)
        w->store_pairs(w->place[FIRST + c] + k * W::a_number, 1, num_settled(coefficient[c]),
                       w->position == 0 && w->column(FIRST + c) > k && w->column(FIRST + c) < w->all);
    if (w->position == 0 && w->column(FIRST) == k + 1)
        w->note_square(k, acc_total(total), depends);
}

/* The same where the inverse comes after the column. */
template <class W> GPU_FN void registers_take_apart(W *w, int k)
{
    const double *at = w->pivots + w->here;
    gpu_barrier_sleep(w->ready + w->turn_here, w->parity);
    num pivot[W::rows_each];
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++)
        pivot[i] = w->pivot_row(at, i);
    real_acc sum[2];
    w->dot(pivot, w->own[0], sum);
    group_sums<W::lanes, 2, W::spacing>(sum);
    gpu_barrier_sleep(w->inverted + w->turn_here, w->parity);
    const pair p = *(const pair *)(at + W::tail);
    const double v[] = {p.x, p.y};
    const num coefficient = num_loose(sum[0], sum[1], real_of_limbs(v));
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++)
        w->own[0][i] = rest_near(w->own[0][i], pivot[i], coefficient);
    w->template publish_next<0>(k);
    w->store_pairs(w->place[0] + k * W::a_number, 1, num_settled(coefficient), w->lane == 0 && w->base < w->all);
}

#endif
