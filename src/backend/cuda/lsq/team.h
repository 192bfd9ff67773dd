/* team.h - teams of threads: how they share a column, and how they sum.
 *
 * A team has TEAM threads: a part of a warp, a warp, or several. Its thread `lane` has the entries lane, lane + TEAM,
 * ... of a column, `share` of them; an entry is one part (real or imaginary) of one row, entry e being part e % PARTS
 * of row e / PARTS, so all arithmetic is real and neighbours hold the two parts of one number. Columns end in zeros
 * so that every thread has the same share. In shared memory the limbs of an entry are stored in pairs, 16 bytes that
 * are read at once and without bank conflicts (entry_load).
 *
 * Sums over a team: each thread cuts its own sum at exponents common to the team into slices of 41 bits, which then
 * add exactly in plain doubles, in any order; only the total becomes a multiple double again. A level of the
 * reduction costs one addition per slice, where an addition of quad doubles would cost 130. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_TEAM_H
#define PLUMB_BACKEND_CUDA_LSQ_TEAM_H

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/number.h"
#include "backend/cuda/lsq/small/small.h"
#include "backend/cuda/runtime/gpu.h"

enum {
    PARTS = PLUMB_PARTS,
    LIMBS = PLUMB_LIMBS,
    SLICES = SMALL_SLICES(PLUMB_LIMBS),
    SLICE_BITS = 41, /* leaves 12 bits for the number of terms: 4,096 */
    EXCHANGE = SMALL_EXCHANGE(PLUMB_PARTS, PLUMB_LIMBS)
};

typedef struct alignas(16) pair {
    double x, y;
} pair;

GPU_FN real real_of_limbs(const double *v)
{
#if PLUMB_LIMBS == 1
    return d_make(v[0]);
#elif PLUMB_LIMBS == 2
    return dd_make(v[0], v[1]);
#else
    return qd_make(v[0], v[1], v[2], v[3]);
#endif
}

GPU_FN void limbs_of_real(double *v, real a)
{
#if PLUMB_LIMBS == 1
    v[0] = a.x;
#elif PLUMB_LIMBS == 2
    v[0] = a.hi, v[1] = a.lo;
#else
    v[0] = a.x0, v[1] = a.x1, v[2] = a.x2, v[3] = a.x3;
#endif
}

/* Entry e of a column in shared memory; `entries` is even. Limbs 2q and 2q + 1 are pair e of block q. */
GPU_FN real entry_load(const double *column, int entries, int e)
{
    double v[LIMBS];
#if PLUMB_LIMBS == 1
    v[0] = column[e];
#else
    LANE_UNROLL
    for (int q = 0; q < LIMBS / 2; q++) {
        pair p = *(const pair *)(column + 2 * (q * entries + e));
        v[2 * q] = p.x, v[2 * q + 1] = p.y;
    }
#endif
    return real_of_limbs(v);
}

GPU_FN void entry_store(double *column, int entries, int e, real a)
{
    double v[LIMBS];
    limbs_of_real(v, a);
#if PLUMB_LIMBS == 1
    column[e] = v[0];
#else
    LANE_UNROLL
    for (int q = 0; q < LIMBS / 2; q++) {
        pair p;
        p.x = v[2 * q], p.y = v[2 * q + 1];
        *(pair *)(column + 2 * (q * entries + e)) = p;
    }
#endif
}

/* -a if sign is 0x80000000, a if it is 0, without arithmetic. */
GPU_FN real real_flip(real a, int sign)
{
    double v[LIMBS];
    limbs_of_real(v, a);
    LANE_UNROLL
    for (int q = 0; q < LIMBS; q++)
        v[q] = gpu_flip(v[q], sign);
    return real_of_limbs(v);
}

template <int TEAM> struct team {
    static const int size = TEAM, warps = TEAM > GPU_WARP ? TEAM / GPU_WARP : 1;
    int lane, warp;   /* of this thread in its team */
    int barrier;      /* a number for gpu_sync_some, for teams of several warps */
    int turn;         /* the half of exchange to use next */
    double *exchange; /* 2 * warps * EXCHANGE doubles of shared memory */
};

struct slices {
    static const int count = SLICES;
    double v[SLICES];
};

/* 1.5 * 2^52 units of slice t: adding and subtracting it rounds to a multiple of that unit. */
GPU_FN double slice_rounder(int top, int t)
{
    return gpu_of_high_word(((1023 + 52 + top - SLICE_BITS * (t + 1)) << 20) | 0x80000);
}

GPU_FN double slice_cut(double *x, double rounder)
{
    double h = lane_sub(lane_add(*x, rounder), rounder);
    *x = lane_sub(*x, h);
    return h;
}

/* The sum of a thread in slices; its modulus is below 2^top, and limb i below about 2^(top - 53 i + 8). */
GPU_FN slices slices_of(real_acc s, int top)
{
    slices r;
#if PLUMB_LIMBS == 1
    (void)top;
    r.v[0] = s.x;
#else
#if PLUMB_LIMBS == 2
    double limb[] = {s.hi, s.lo};
#else
    double limb[] = {s.s0, s.s1, s.s2, s.s3, s.s4};
#endif
    const int limbs = sizeof limb / sizeof limb[0];
    LANE_UNROLL
    for (int t = 0; t < SLICES; t++) { /* slice t has no part of limbs above t; the last one takes the remainder */
        double rounder = slice_rounder(top, t);
        r.v[t] = 0.0;
        LANE_UNROLL
        for (int i = 0; i < limbs && i <= t; i++)
            r.v[t] = lane_add(r.v[t], t < SLICES - 1 ? slice_cut(&limb[i], rounder) : limb[i]);
    }
#endif
    return r;
}

/* Slice t is a multiple of its unit, and the following slices are small relative to that, so quick sums are exact. */
GPU_FN real slices_value(slices s)
{
#if PLUMB_LIMBS == 1
    return d_make(s.v[0]);
#elif PLUMB_LIMBS == 2
    sweep_up(s.v, 0, 2);
    sweep_up(s.v, 0, 2);
    return dd_make(s.v[0], lane_add(s.v[1], s.v[2]));
#else
    sweep_up(s.v, 0, 5);
    sweep_up(s.v, 0, 5);
    sweep_up(s.v, 1, 5);
    return gather_limbs(s.v, 5);
#endif
}

/* Switches to the other half of exchange: a warp is at most one barrier ahead of the others of its team, so two
 * halves suffice. */
template <int TEAM> GPU_FN double *team_turn(team<TEAM> *t)
{
    double *half = t->exchange + t->turn * t->warps * EXCHANGE;
    t->turn ^= 1;
    return half;
}

/* Sums *s within a warp, over the threads with the same part, or with FROM = 1 over all. */
template <int FROM, int TEAM, class S> GPU_FN void warp_sum(S *s)
{
    LANE_UNROLL
    for (int with = FROM; with < GPU_WARP && with < TEAM; with <<= 1) {
        LANE_UNROLL
        for (int q = 0; q < S::count; q++)
            s->v[q] = lane_add(s->v[q], gpu_shuffle_xor(s->v[q], with));
    }
}

/* Combines the sums of the warps to that of the team. The slices of warp w and part p are at half + w * EXCHANGE + p
 * * SLICES; those over both parts follow. */
template <int TEAM, class S> GPU_FN void team_gather(const team<TEAM> *t, const double *half, int which, S *s)
{
    const double *mine = half + which * SLICES;
    LANE_UNROLL
    for (int q = 0; q < S::count; q++)
        s->v[q] = mine[q];
    LANE_UNROLL
    for (int w = 1; w < t->warps; w++) {
        LANE_UNROLL
        for (int q = 0; q < S::count; q++)
            s->v[q] = lane_add(s->v[q], mine[w * EXCHANGE + q]);
    }
}

template <class S> GPU_FN void slices_store(double *to, S s)
{
    LANE_UNROLL
    for (int q = 0; q < S::count; q++)
        to[q] = s.v[q];
}

/* Each thread gets the sum over the threads of its part, or, with FROM = 1, over all. The whole warp calls. */
template <int FROM, int TEAM, class S> GPU_FN S team_sum(team<TEAM> *t, S s)
{
    warp_sum<FROM, TEAM>(&s);
    if (TEAM <= GPU_WARP)
        return s;
    double *half = team_turn(t);
    int part = t->lane % PARTS;
    if (t->lane % GPU_WARP < PARTS)
        slices_store(half + t->warp * EXCHANGE + part * SLICES, s);
    gpu_sync_some(t->barrier, TEAM);
    team_gather(t, half, part, &s);
    return s;
}

/* Both at once: *dot over the threads of a part, *square over all. Interleaved shuffles hide latency. */
template <int TEAM> GPU_FN void team_sums(team<TEAM> *t, slices *dot, slices *square)
{
    LANE_UNROLL
    for (int with = 1; with < GPU_WARP && with < TEAM; with <<= 1) {
        double d[SLICES], s[SLICES];
        LANE_UNROLL
        for (int q = 0; q < SLICES; q++) {
            if (with >= PARTS)
                d[q] = gpu_shuffle_xor(dot->v[q], with);
            s[q] = gpu_shuffle_xor(square->v[q], with);
        }
        LANE_UNROLL
        for (int q = 0; q < SLICES; q++) {
            if (with >= PARTS)
                dot->v[q] = lane_add(dot->v[q], d[q]);
            square->v[q] = lane_add(square->v[q], s[q]);
        }
    }
    if (TEAM <= GPU_WARP)
        return;
    double *half = team_turn(t), *mine = half + t->warp * EXCHANGE;
    int part = t->lane % PARTS;
    if (t->lane % GPU_WARP < PARTS) {
        slices_store(mine + part * SLICES, *dot);
        slices_store(mine + PARTS * SLICES, *square);
    }
    gpu_sync_some(t->barrier, TEAM);
    team_gather(t, half, part, dot);
    team_gather(t, half, PARTS, square);
}

/* The maximum of nonnegative a over a team. The whole warp calls. */
template <int TEAM> GPU_FN int team_max(team<TEAM> *t, int a)
{
    if (TEAM >= GPU_WARP)
        a = gpu_max(a);
    LANE_UNROLL
    for (int with = 1; with < TEAM && TEAM < GPU_WARP; with <<= 1) {
        int other = gpu_shuffle_xor_int(a, with);
        a = other > a ? other : a;
    }
    if (TEAM <= GPU_WARP)
        return a;
    double *half = team_turn(t);
    if (t->lane % GPU_WARP == 0)
        half[t->warp * EXCHANGE] = (double)a;
    gpu_sync_some(t->barrier, TEAM);
    for (int w = 0; w < t->warps; w++) {
        int other = (int)half[w * EXCHANGE];
        a = other > a ? other : a;
    }
    return a;
}

/* Sums a double over all threads of a team, in a fixed order. */
template <int TEAM> GPU_FN double team_sum_double(team<TEAM> *t, double a)
{
    LANE_UNROLL
    for (int with = 1; with < GPU_WARP && with < TEAM; with <<= 1)
        a = lane_add(a, gpu_shuffle_xor(a, with));
    if (TEAM <= GPU_WARP)
        return a;
    double *half = team_turn(t);
    if (t->lane % GPU_WARP == 0)
        half[t->warp * EXCHANGE] = a;
    gpu_sync_some(t->barrier, TEAM);
    a = half[0];
    for (int w = 1; w < t->warps; w++)
        a = lane_add(a, half[w * EXCHANGE]);
    return a;
}

/* The number of the thread with the other part. */
GPU_FN real real_of_neighbour(real a)
{
    double v[LIMBS];
    limbs_of_real(v, a);
    LANE_UNROLL
    for (int q = 0; q < LIMBS; q++)
        v[q] = gpu_shuffle_xor(v[q], 1);
    return real_of_limbs(v);
}

#endif
