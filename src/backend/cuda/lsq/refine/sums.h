/* sums.h - sums of A dx that are exact but for their last bits: see mgs_refine.cu. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REFINE_SUMS_H
#define PLUMB_BACKEND_CUDA_LSQ_REFINE_SUMS_H

#include "backend/cuda/lsq/refine/refine.h"
#include "backend/cuda/lsq/team.h"

enum {
    AS = REFINE_SLICES(LIMBS),
    LEVEL_BITS = 41, /* from level to level, and from slice to slice of A: 12 for the number of terms */
    GRID_BITS = 51   /* of a correction: with those of a slice of A what a level drops has at most 53 */
};

typedef struct levels {
    double v[LIMBS + 1]; /* the last one plain */
} levels;

/* All that comes to level 0 is below 2^top. */
GPU_FN double level_bias(int top, int t)
{
    return gpu_of_high_word(((1024 + top - LEVEL_BITS * t) << 20) | 0x80000);
}

GPU_FN levels levels_start(int top)
{
    levels s;
    LANE_UNROLL
    for (int t = 0; t < LIMBS; t++)
        s.v[t] = level_bias(top, t);
    s.v[LIMBS] = 0.0;
    return s;
}

GPU_FN void levels_take(levels *s, const double *a, int64_t plane, double d)
{
    double gone[LIMBS];
    LANE_UNROLL
    for (int t = 0; t < LIMBS; t++) {
        gone[t] = level_take_product(&s->v[t], a[t * plane], d, 0);
        LANE_UNROLL
        for (int i = 0; i < t; i++)
            gone[i] = level_take(&s->v[t], gone[i], 0);
    }
    double last = lane_fma(a[LIMBS * plane], d, lane_add(gone[0], gone[1]));
    if (LIMBS == 4)
        last = lane_add(last, lane_add(gone[LIMBS - 2], gone[LIMBS - 1]));
    s->v[LIMBS] = lane_add(s->v[LIMBS], last);
}

/* The sum over `group` neighbours. */
GPU_FN real levels_total(levels s, int top, int group)
{
    LANE_UNROLL
    for (int t = 0; t < LIMBS; t++)
        s.v[t] = lane_sub(s.v[t], level_bias(top, t));
    for (int with = 1; with < group; with <<= 1) {
        LANE_UNROLL
        for (int t = 0; t <= LIMBS; t++)
            s.v[t] = lane_add(s.v[t], gpu_shuffle_xor(s.v[t], with));
    }
    sweep_up(s.v, 0, LIMBS);
    sweep_up(s.v, 0, LIMBS);
#if PLUMB_LIMBS == 2
    return dd_make(s.v[0], lane_add(s.v[1], s.v[2]));
#else
    sweep_up(s.v, 1, LIMBS);
    return gather_limbs(s.v, LIMBS);
#endif
}

/* A number below 1 in slices of fixed point; only the last one has an exponent of its own. */
GPU_FN void slices_of_entry(double *limb, double *to, int64_t plane)
{
    LANE_UNROLL
    for (int t = 0; t < AS; t++) {
        double rounder = gpu_of_high_word(((1023 + 52 - LEVEL_BITS * (t + 1)) << 20) | 0x80000), slice = 0.0;
        LANE_UNROLL
        for (int i = 0; i < LIMBS; i++)
            slice = lane_add(slice, t < AS - 1 ? slice_cut(&limb[i], rounder) : limb[i]);
        to[t * plane] = slice;
    }
}

/* An entry of A as a number again. */
GPU_FN real entry_of(const double *a, int64_t plane)
{
    double v[AS];
    LANE_UNROLL
    for (int t = 0; t < AS; t++)
        v[t] = a[t * plane];
#if PLUMB_LIMBS == 2
    sweep_up(v, 0, 2);
    return quick_two_sum(v[0], lane_add(v[1], v[2]));
#else
    return qd_renormalize_5(v[0], v[1], v[2], v[3], v[4]);
#endif
}

/* A correction as it is used: GRID_BITS bits below 2^exponent. */
GPU_FN double on_grid(double dx, int exponent)
{
    double rounder = gpu_of_high_word(((1023 + 52 + exponent - GRID_BITS) << 20) | 0x80000);
    return lane_sub(lane_add(dx, rounder), rounder);
}

#endif
