/* mgs_group.h - sums and largest values over the threads of a warp that share a column: those with the same number modulo the
 * groups of the warp, GPU_WARP / LANES. */
#ifndef PLUMB_CUDA_MGS_GROUP_H
#define PLUMB_CUDA_MGS_GROUP_H

#include "backend/cuda/mgs_column.h"

/* The sum of two accumulators, and what one holds. */
GPU_FN real_acc acc_merge(real_acc a, real_acc b)
{
#if PLUMB_LIMBS == 1
    return d_add(a, b);
#else
    dd s = two_sum(a.hi, b.hi);
    return dd_make(s.hi, lane_add(lane_add(a.lo, b.lo), s.lo));
#endif
}
GPU_FN real acc_total(real_acc s)
{
#if PLUMB_LIMBS == 1
    return s;
#else
    return two_sum(s.hi, s.lo);
#endif
}
GPU_FN real_acc acc_of_other(real_acc a, int with)
{
#if PLUMB_LIMBS == 1
    return d_make(gpu_shuffle_xor(a.x, with));
#else
    return dd_make(gpu_shuffle_xor(a.hi, with), gpu_shuffle_xor(a.lo, with));
#endif
}

/* 1 / s for s in the middle of the range. */
GPU_FN real inverse_near(real s)
{
#if PLUMB_LIMBS == 1
    return d_make(gpu_reciprocal_near(s.x));
#else
    return inverse_of(s);
#endif
}

/* Sums over the LANES threads of a group, all of them together, so that one fills the time another waits; the same bits in all. */
template <int LANES, int COUNT> GPU_FN void group_sums(real_acc *sum)
{
    LANE_UNROLL
    for (int with = GPU_WARP / LANES; with < GPU_WARP; with <<= 1) {
        real_acc other[COUNT];
        LANE_UNROLL
        for (int v = 0; v < COUNT; v++)
            other[v] = acc_of_other(sum[v], with);
        LANE_UNROLL
        for (int v = 0; v < COUNT; v++)
            sum[v] = acc_merge(sum[v], other[v]);
    }
}

template <int LANES> GPU_FN double group_sum(double a)
{
    LANE_UNROLL
    for (int with = GPU_WARP / LANES; with < GPU_WARP; with <<= 1)
        a = lane_add(a, gpu_shuffle_xor(a, with));
    return a;
}

template <int LANES> GPU_FN int group_max(int a)
{
    LANE_UNROLL
    for (int with = GPU_WARP / LANES; with < GPU_WARP; with <<= 1) {
        int other = gpu_shuffle_xor_int(a, with);
        a = other > a ? other : a;
    }
    return a;
}

#endif
