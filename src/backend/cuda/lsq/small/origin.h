/* origin.h - computes x without back substitution, in qd for a cluster per problem.
 *
 * Every column has an origin: the combination of the original columns of A that it has become. The origin of column k
 * begins as unit vector k, that of a right-hand side as zero. Step k applies the operation on the column to the
 * origin, with the same coefficient, so a right-hand side ends with the origin -x. This uses only time outside the
 * critical path: origins are one step behind, pass through their own slots, and are processed by teams half a block
 * away from those that have the columns. Back substitution at the end would take a product, a sum over rows and a
 * normalisation for each unknown in turn. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_SMALL_ORIGIN_H
#define PLUMB_BACKEND_CUDA_LSQ_SMALL_ORIGIN_H

#include "backend/cuda/lsq/column.h"

struct origins {
    int along; /* 1: there are origins */
    int step;  /* doubles from one to the next */
    double *own, *received, *coefficients;
    double *found; /* in block 0: -x */
    gpu_barrier *ready;
};

/* The coefficient of step k for a column of this block, from one step to the next. */
template <class W> GPU_FN double *origin_coefficient(const W *w, int k, int local)
{
    return w->origin.coefficients + ((k & 1) * w->locals + local) * PARTS * LIMBS;
}

template <class W> GPU_FN void origin_place(W *w, int along, double *room)
{
    origins *o = &w->origin;
    o->along = along;
    o->step = w->mates.size * w->share * LIMBS;
    o->own = room;
    o->received = o->own + w->locals * o->step;
    o->coefficients = o->received + w->slots * o->step;
    o->found = o->coefficients + 2 * w->locals * PARTS * LIMBS;
    o->ready = (gpu_barrier *)(o->found + (w->all - w->cols) * w->cols * PARTS * LIMBS);
}

/* Called by one thread. */
template <class W> GPU_FN void origin_prepare(W *w)
{
    for (int k = 0; w->origin.along && k < w->slots; k++)
        gpu_barrier_init(w->origin.ready + k, 1);
}

template <class W> GPU_FN void origin_announce(W *w, int slot)
{
    gpu_barrier_expect(w->origin.ready + slot, w->origin.step * 8);
}

/* Sets unit vectors and zeros, by all threads. */
template <class W> GPU_FN void origin_begin(W *w)
{
    const origins *o = &w->origin;
    const int entries = o->step / LIMBS;
    for (int t = gpu_thread(); o->along && t < w->locals * entries; t += gpu_threads()) {
        const int local = t / entries, e = t % entries, j = w->number(local);
        entry_store(o->own + local * o->step, entries, e, real_set(j < w->cols && e == j * PARTS ? 1.0 : 0.0));
    }
}

/* origin -= c * origin of column k, for the entries of this thread in its first k + 1 rows. */
template <class W> GPU_FN void origin_remove(const W *w, int k, const double *pivot, double *origin, const double *c)
{
    const int entries = w->origin.step / LIMBS, lane = w->mates.lane, team = w->mates.size;
    const real own = real_of_limbs(c + lane % PARTS * LIMBS),
               minus =
                   real_flip(real_of_limbs(c + (PARTS - 1 - lane % PARTS) * LIMBS), sign_of(lane) ^ (int)0x80000000u);
#pragma unroll 1
    for (int e = lane; e < (k + 1) * PARTS; e += team) {
        real re, im;
        row_load(pivot, entries, e, &re, &im);
        real_acc rest = real_acc_sub(real_acc_of(entry_load(origin, entries, e)), own, re);
        if (PARTS == 2)
            rest = real_acc_sub(rest, minus, im);
        entry_store(origin, entries, e, real_acc_value(rest));
    }
}

/* Sends the origin of a finished column to all blocks, by its team. */
template <class W> GPU_FN void origin_send(W *w, int slot, const double *origin)
{
    const origins *o = &w->origin;
    gpu_send_ready();
    if (w->mates.warps > 1)
        gpu_sync_some(w->mates.barrier, w->mates.size);
    else
        gpu_sync_warp();
    for (int other = w->mates.warp; other < w->cluster; other += w->mates.warps)
        w->send_whole(other, o->received + slot * o->step, origin, o->step, o->ready + slot);
    gpu_sync_warp();
}

/* Sends -x of a right-hand side to block 0, where it is visible after the cluster has synchronised. */
template <class W> GPU_FN void origin_leave(const W *w, int b, const double *origin)
{
    const int entries = w->origin.step / LIMBS;
    double *to = w->origin.found + b * w->cols * PARTS * LIMBS;
    for (int e = w->mates.lane; e < w->cols * PARTS; e += w->mates.size) {
        double v[LIMBS];
        limbs_of_real(v, entry_load(origin, entries, e));
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            gpu_store_remote(w->leader, to + e * LIMBS + q, v[q]);
    }
}

/* Applies step k to the origins of the columns after column k; with k = -1 it only sends the origin of column 0.
 * After the last column the origins of right-hand sides are final. Called by all threads after the step of column k
 * has ended. */
template <class W> GPU_FN void origin_follow(W *w, int k, int slot, int parity)
{
    const origins *o = &w->origin;
    const int next_slot = slot + 1 == w->slots ? 0 : slot + 1;
    if (k >= 0)
        gpu_barrier_wait(o->ready + slot, parity);
    for (int local = (w->own + w->teams / 2) % w->teams; local < w->locals; local += w->teams) {
        const int j = w->number(local);
        double *origin = o->own + local * o->step;
        if (j <= k || j >= w->all)
            continue;
        if (k >= 0)
            origin_remove(w, k, o->received + slot * o->step, origin, origin_coefficient(w, k, local));
        if (j == k + 1 && j < w->cols)
            origin_send(w, next_slot, origin);
        if (k == w->cols - 1)
            origin_leave(w, j - w->cols, origin);
    }
    if (k >= 0 && gpu_thread() == 0)
        origin_announce(w, slot);
}

#endif
