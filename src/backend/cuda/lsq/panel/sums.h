/* sums.h - sums over the warps that share a column, for the kernels of mgs_panel.cu.
 *
 * W is one of their panels. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_PANEL_SUMS_H
#define PLUMB_BACKEND_CUDA_LSQ_PANEL_SUMS_H

#include "backend/cuda/lsq/group.h"
#include "backend/cuda/lsq/team.h"

/* A real in shared memory; in double double, in one piece. */
GPU_FN real shared_real(const double *at)
{
    if constexpr (LIMBS == 1)
        return real_of_limbs(at);
    else {
        const pair p = *(const pair *)at;
        const double v[] = {p.x, p.y};
        return real_of_limbs(v);
    }
}

/* The sums of COUNT values over the warps of the team, of which some threads of a warp have one each. */
template <int COUNT, class W> GPU_FN void panel_exchange(W *w, real_acc *sum, real_acc a, int has, int which)
{
    double *half = team_turn(&w->mates);
    if (has)
        limbs_of_real(half + w->mates.warp * W::a_share + which * LIMBS, a);
    gpu_sync_some(w->mates.barrier, W::threads);
    LANE_UNROLL
    for (int warp = 0; warp < W::warps; warp++) {
        LANE_UNROLL
        for (int v = 0; v < COUNT; v++) {
            const real_acc part = shared_real(half + warp * W::a_share + v * LIMBS);
            sum[v] = warp == 0 ? part : acc_merge(sum[v], part);
        }
    }
}

/* Three sums over the team, the same bits in all threads. Half of a warp goes on with the third one, a quarter each with the others:
 * in a warp that is six additions instead of fifteen. */
template <class W> GPU_FN void panel_add_up(W *w, real_acc *sum)
{
    const int lane = w->position % GPU_WARP, third = lane >= 16, second = !third && lane >= 8;
    const real_acc beside = acc_merge(sum[1], acc_of_other(sum[1], 16));
    real_acc a = acc_merge(real_select(third, sum[2], sum[0]), acc_of_other(real_select(third, sum[0], sum[2]), 16));
    a = acc_merge(real_select(second, beside, a), acc_of_other(real_select(third || second, a, beside), 8));
    LANE_UNROLL
    for (int with = 4; with > 0; with >>= 1)
        a = acc_merge(a, acc_of_other(a, with));
    panel_exchange<3>(w, sum, a, lane % 8 == 0 && lane < 24, lane / 8);
}

/* Two sums, half of a warp each. */
template <class W> GPU_FN void panel_add_up_two(W *w, real_acc *sum)
{
    const int lane = w->position % GPU_WARP, second = lane >= 16;
    real_acc a = acc_merge(real_select(second, sum[1], sum[0]), acc_of_other(real_select(second, sum[0], sum[1]), 16));
    LANE_UNROLL
    for (int with = 8; with > 0; with >>= 1)
        a = acc_merge(a, acc_of_other(a, with));
    panel_exchange<2>(w, sum, a, lane % 16 == 0, second);
}

template <class W> GPU_FN real_acc panel_add_up_one(W *w, real_acc sum)
{
    group_sums<GPU_WARP, 1>(&sum);
    real_acc all[1];
    panel_exchange<1>(w, all, sum, w->position % GPU_WARP == 0, 0);
    return all[0];
}

#endif
