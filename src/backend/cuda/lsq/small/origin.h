/* origin.h - in qd, where a cluster has a problem: x without back substitution.
 *
 * With every column goes its origin: which combination of the columns of A, in their first state, it is by now. That of column
 * k begins as unit vector k, that of a right-hand side as zero; step k does to it what it does to the column, with the same
 * coefficient, and so a right-hand side ends with the origin -x. Only what is not on the way of the columns is used for this:
 * origins are one step behind, follow one another through slots of their own, and are the business of teams half a block away
 * from those that have the columns. One after the other at the end, each unknown would take a product, a sum over rows and a
 * renormalisation. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_SMALL_ORIGIN_H
#define PLUMB_BACKEND_CUDA_LSQ_SMALL_ORIGIN_H

#include "backend/cuda/lsq/column.h"

struct origins {
    int along; /* whether there are any */
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
    o->step = w->tail();
    o->own = room;
    o->received = o->own + w->locals * o->step;
    o->coefficients = o->received + w->slots * o->step;
    o->found = o->coefficients + 2 * w->locals * PARTS * LIMBS;
    o->ready = (gpu_barrier *)(o->found + (w->all - w->cols) * w->cols * PARTS * LIMBS);
}

/* By one thread. */
template <class W> GPU_FN void origin_prepare(W *w)
{
    for (int k = 0; w->origin.along && k < w->slots; k++)
        gpu_barrier_init(w->origin.ready + k, 1);
}

template <class W> GPU_FN void origin_announce(W *w, int slot)
{
    gpu_barrier_expect(w->origin.ready + slot, w->origin.step * 8);
}

/* Unit vectors and zeros: by all threads. */
template <class W> GPU_FN void origin_begin(W *w)
{
    const origins *o = &w->origin;
    const int entries = o->step / LIMBS;
    for (int t = gpu_thread(); o->along && t < w->locals * entries; t += gpu_threads()) {
        const int local = t / entries, e = t % entries, j = w->number(local);
        entry_store(o->own + local * o->step, entries, e, real_set(j < w->cols && e == j * PARTS ? 1.0 : 0.0));
    }
}

/* origin -= c * that of column k, this thread's entries of its first k + 1 rows. */
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

/* The origin of a column that is what it will be, to all blocks; by its team. */
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

/* -x of a right-hand side to block 0, where it is seen after the cluster has met. */
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

/* What column k does to the origins of those that come after it; with k = -1 nothing, but that of column 0 is sent. After the last
 * column the origins of right-hand sides are ready. All threads, after the step of column k has ended. */
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
