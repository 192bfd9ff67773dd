/* courier.h - what a courier does, the warp of a block that has no columns, for the kernels of mgs_registers.cu in which a
 * cluster of blocks shares a problem: it says which columns will come, waits for them, and copies those of its block to the others.
 *
 * W is one of their in_registers. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_COURIER_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_COURIER_H

#include "backend/cuda/lsq/column.h"

/* What others send to this block has come, before their next messages or the end: by the courier. Nobody else may wait for a column, where
 * the block has none behind it, and a copy must not be under way to a block that is gone. */
template <class W> GPU_FN void registers_await_all(const W *w)
{
    if constexpr (W::in_cluster)
        for (int k = w->first + w->lane * W::together; w->warp == w->warps && k < w->cols && k - w->first < w->slots;
             k += GPU_WARP * W::together) {
            gpu_barrier_sleep(w->ready_of(k), w->parity);
            if constexpr (W::apart)
                gpu_barrier_sleep(w->inverted + (k - w->first), w->parity);
        }
}

/* Columns of other blocks that will come, by the courier. */
template <class W> GPU_FN void registers_announce(const W *w)
{
    for (int k = w->first + w->lane * W::together; w->warp == w->warps && k < w->cols && k - w->first < w->slots;
         k += GPU_WARP * W::together)
        if (w->block_of(k) != w->rank) {
            gpu_barrier_expect(w->ready_of(k), W::together * W::sent * 8);
            if constexpr (W::apart)
                gpu_barrier_expect(w->inverted + (k - w->first), LIMBS * 8);
        }
}

/* The columns of this block, as they become ready, to the other blocks: one copy goes out after the other, first to the block whose
 * turn is next. */
template <class W> GPU_FN void registers_carry(W *w)
{
    const int round = W::a_warp * w->turn * w->cluster;
    for (int from = w->rank * W::a_warp * w->turn; from < w->cols; from += round)
        for (int k = from; k < from + W::a_warp * w->turn && k < w->cols; k += W::together) {
            while (k - w->first >= w->slots)
                w->turn_over(w->first + w->slots);
            double *at = w->pivots + (k - w->first) * W::step;
            gpu_barrier_sleep(w->ready_of(k), w->parity);
            gpu_send_ready();
            if (w->lane > 0 && w->lane < w->cluster)
                gpu_send_many(w->there, at, at, W::together * W::sent, w->ready_of(k));
        }
}

#endif
