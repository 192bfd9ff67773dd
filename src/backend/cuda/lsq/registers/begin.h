/* begin.h - what comes before columns are loaded, for the kernels of mgs_registers.cu: who has which of them, what is
 * where in shared memory, and the barriers there.
 *
 * W is one of their in_registers. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_BEGIN_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_BEGIN_H

#include "backend/cuda/lsq/registers/courier.h"
#include "backend/cuda/lsq/registers/end.h"
#include "backend/cuda/lsq/registers/registers.h"

/* Who has which columns, and where everything is in shared memory: see REGISTERS_REST. */
template <class W> GPU_FN void registers_set_up(W *w, const mgs_gpu_job *job, const registers_shape *shape)
{
    w->cluster = W::in_cluster ? shape->cluster : 1;
    w->rank = 0;
    w->turn = shape->turn;
    w->problem = gpu_block() / w->cluster;
    w->cols = job->cols, w->all = job->all, w->rows = job->rows;
    w->lane = gpu_thread() % GPU_WARP;
    w->warp = gpu_thread() / GPU_WARP;
    w->warps = gpu_threads() / GPU_WARP - W::in_cluster;
    w->group = W::by_matrices ? w->lane / W::lanes : w->lane % W::groups;
    w->position = W::by_matrices ? w->lane % W::lanes : w->lane / W::groups;
    w->slots = shape->slots;
    w->first = w->parity = w->here = w->turn_here = 0;
    w->pivots = gpu_shared();
    w->kept = w->pivots + w->slots * W::step;
    w->squares = w->kept + SMALL_COEFFICIENTS(w->cols, w->all) * W::a_number;
    w->exponent = w->squares + w->all * LIMBS;
    w->outcomes = w->exponent + w->all;
    w->ready = (gpu_barrier *)(w->pivots + gpu_once((int)(w->outcomes + REGISTERS_CLUSTER - w->pivots)));
    w->inverted = w->ready + w->slots;
    w->delivered = w->inverted + (LIMBS - 1) * w->slots;
    w->outcome = (int32_t *)(w->delivered + 1);
    w->out_of_range = w->outcome + 1;
    w->unfit = w->outcome + 2;
    if constexpr (W::in_cluster) {
        w->rank = gpu_cluster_rank();
        w->leader = gpu_remote_of(0);
        w->there = gpu_remote_of((w->rank + w->lane) % w->cluster);
    }
    w->base = w->warp == w->warps
                  ? w->all
                  : (w->warp / w->turn * w->cluster + w->rank) * w->turn * W::a_warp + w->warp % w->turn * W::together;
    /* Groups without a column of their own are those of one that is not there. */
    w->own_first = w->group < W::groups
                       ? w->base + w->group / W::together * W::together * w->turn + w->group % W::together
                       : w->all + W::together;
    w->next = w->base;
    LANE_UNROLL
    for (int c = 0; c < W::columns_each; c++)
        w->place[c] = w->kept + SMALL_COEFFICIENTS(w->cols, w->column(c)) * W::a_number;
}

/* Barriers, and what they have to wait for. */
template <class W> GPU_FN void registers_prepare(const W *w)
{
    for (int k = gpu_thread(); k < w->slots; k += gpu_threads())
        gpu_barrier_init(w->ready + k, W::in_cluster ? 1 : gpu_arrivals(GPU_WARP));
    for (int k = gpu_thread(); W::apart && k < w->slots; k += gpu_threads())
        gpu_barrier_init(w->inverted + k, 1);
    if (gpu_thread() == 0) {
        gpu_barrier_init(w->delivered, 1);
        *w->outcome = *w->out_of_range = *w->unfit = 0;
    }
    if constexpr (W::in_cluster)
        gpu_barrier_init_done();
    gpu_sync();
    if constexpr (W::in_cluster) {
        registers_announce(w);
        if (w->warp == w->warps && w->rank == 0) { /* the courier has nothing else to do yet */
            int bytes = 0;
            for (int j = w->lane; j < w->all; j += GPU_WARP)
                bytes += w->block_of(j) != 0 ? coefficient_doubles(w, j) * 8 : 0;
            for (int with = 1; with < GPU_WARP; with <<= 1)
                bytes += gpu_shuffle_xor_int(bytes, with);
            if (w->lane == 0)
                gpu_barrier_expect(w->delivered, bytes);
        }
    }
}

#endif
