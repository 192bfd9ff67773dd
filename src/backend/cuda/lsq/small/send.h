/* send.h - a column that is what it will be, and in qd the inverse of its square norm, to all blocks of the cluster: for the
 * kernels of mgs_small.cu. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_SMALL_SEND_H
#define PLUMB_BACKEND_CUDA_LSQ_SMALL_SEND_H

#include "backend/cuda/lsq/small/work.h"

/* Column k to where each block reads it; all threads of the warp call, `mine` those of the column's team. */
template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::publish_column(int slot, double *column, double bound,
                                                                            int size, int mine)
{
    gpu_barrier *ready = column_ready + slot;
    const pair about = {(double)size, bound};
    if (CLUSTER) {
        double *to = received + slot * step;
        if (!others_send())
            send_column(to, column, ready);
        if (mates.lane % GPU_WARP < cluster)
            gpu_send(there, to + tail() + 2 * mates.warp, about.x, about.y, ready);
        return;
    }
    if (mine && mates.lane % GPU_WARP == 0)
        *(pair *)(column + tail() + 2 * mates.warp) = about;
    gpu_sync_warp();
    if (mine && gpu_arrives(mates.lane % GPU_WARP))
        gpu_barrier_arrive(ready);
}

/* So many doubles, an even number, by one warp to one block: at once, but to its own block by pairs. (A bulk copy there works;
 * memcheck of compute-sanitizer objects to it.) */
template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::send_whole(int other, double *to, const double *from,
                                                                        int doubles, gpu_barrier *ready)
{
    const int lane = mates.lane % GPU_WARP;
    if (other != rank) {
        if (lane == 0)
            gpu_send_many(gpu_remote_of(other), to, from, doubles, ready);
        return;
    }
    for (int i = 2 * lane; i < doubles; i += 2 * GPU_WARP)
        gpu_send(gpu_remote_of(rank), to + i, from[i], from[i + 1], ready);
}

/* The entries of a column of another team, where others_send: each warp to some of the blocks, once they are written. */
template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::send_for(int team, int local, int slot)
{
    const int others = (teams - 1) * mates.warps, warp = (own < team ? own : own - 1) * mates.warps + mates.warp;
    const double *column = column_at(local);
    double *to = received + slot * step;
    gpu_barrier_wait(column_written, local & 1);
    for (int other = warp; other < cluster; other += others)
        send_whole(other, to, column, tail(), column_ready + slot);
    gpu_sync_warp();
}

/* The entries this thread has, to all blocks: a warp sends to one block at a time, which is what the network is fast at. */
template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::send_column(double *to, const double *column,
                                                                         gpu_barrier *ready)
{
    const int count = SHARE ? SHARE : share, entries = TEAM * count;
    LANE_UNROLL
    for (int i = 0; i < count; i++) {
        const int e = mates.lane + TEAM * i;
        double v[LIMBS];
        limbs_of_real(v, entry_load(column, entries, e));
        for (int other = 0; other < cluster; other++) {
            gpu_remote where = gpu_remote_of(other);
#if PLUMB_LIMBS == 1
            gpu_send_one(where, to + e, v[0], ready);
#else
            LANE_UNROLL
            for (int q = 0; q < LIMBS / 2; q++)
                gpu_send(where, to + 2 * (q * entries + e), v[2 * q], v[2 * q + 1], ready);
#endif
        }
    }
}

/* The square norm of a column whose largest entry has the high word size, and its inverse if asked for, which is anything
 * where the norm is zero. The whole warp calls. */
template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ real small<TEAM, SHARE, CLUSTER>::column_square(const double *column, int size,
                                                                           real *inverse)
{
    const int top = sum_top(size, (size >> 20) - 1022, used);
#if PLUMB_LIMBS == 4
    level_sum sum =
        team_sum<1>(&mates, column_square_levels<TEAM, SHARE>(mates.lane, share, column, grid_of(top, used)));
    real square = levels_value(sum);
    if (inverse)
        *inverse = inverse_from(square, gpu_reciprocal_near(lane_add(sum.v[0], sum.v[1])));
    return square;
#else
    (void)inverse;
    real_acc sum = column_squares<TEAM, SHARE>(mates.lane, share, column);
    return slices_value(team_sum<1>(&mates, slices_of(sum, top)));
#endif
}

/* In qd: the inverse of its square norm after it. Where a warp has several teams the others come along for the shuffles. */
template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::publish_inverse(int slot, const double *column, int size,
                                                                             double bound, int k, int mine)
{
    if (TEAM > GPU_WARP)
        size = team_max(&mates, size);
    real inverse, square = column_square(column, size, &inverse);
    int depends = !(real_head(square) > bound);
    if (!mine)
        return;
    double v[4] = {0.0};
    limbs_of_real(v, depends ? real_set(0.0) : inverse);
    double *to = (CLUSTER ? received + slot * step : columns + slot * step) + inverse_at();
    if (CLUSTER) {
        if (mates.lane < cluster) {
            gpu_send(there, to, v[0], v[1], inverse_ready + slot);
            gpu_send(there, to + 2, v[2], v[3], inverse_ready + slot);
        }
    } else if (mates.lane == 0) {
        *(pair *)to = pair{v[0], v[1]};
        *(pair *)(to + 2) = pair{v[2], v[3]};
        gpu_barrier_arrive(inverse_ready + slot);
    }
    note_square(k, square, depends);
}

template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::note_square(int k, real square, int depends)
{
    if (mates.lane != 0)
        return;
    real_store(s + k, all, square, 1);
    if (depends)
        gpu_raise(outcome, MGS_DEPENDENT - k);
}

/* Column k is what it will be, ready to be sent, and the threads of the warp have met since. */
template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::publish(int k, int slot, int local, int mine)
{
    double *column = column_at(local), bound = least[local];
    int size = 0;
    if (others_send() && gpu_arrives(mates.lane % GPU_WARP))
        gpu_barrier_arrive(column_written);
    if (LIMBS > 1) {
        size = mine ? column_size<TEAM, SHARE>(mates.lane, share, column) : 0;
        size = TEAM >= GPU_WARP ? gpu_max(size) : team_max(&mates, size);
    }
    publish_column(slot, column, bound, size, mine);
    if (sends_inverse)
        publish_inverse(slot, column, size, bound, k, mine);
}

#endif
