/* lane.h - the interface that every lane header defines, and the few functions common to all of them.
 *
 * A lane is a double, one or more SIMD vectors of doubles, or a double in a GPU thread. The arithmetic is written in
 * terms of lanes alone. A lane header (lane_scalar.h, lane_neon.h, ...) defines
 *
 *   lane, LANE_WIDTH        the type and how many doubles it holds
 *   lane_mask, lane_int     a truth value and a 64-bit integer for each double
 *   LANE_FN                 how a function of the arithmetic is declared
 *   lane_set lane_load lane_store
 *   lane_add lane_sub lane_mul lane_div lane_sqrt    each correctly rounded
 *   lane_fma(a, b, c)       a*b + c, rounded once
 *   lane_fnma(a, b, c)      c - a*b, rounded once
 *   lane_abs lane_neg
 *   lane_lt lane_eq         compare; false if an operand is NaN
 *   lane_is_finite          neither infinity nor NaN
 *   lane_select(m, a, b)    m ? a : b
 *   lane_keep(m, a)         m ? a : +0
 *   lane_mask_and lane_mask_or
 *   lane_to_int lane_from_int                        the bits of a double as an integer, and back
 *   lane_int_set lane_int_add lane_int_sub lane_int_and lane_int_shr lane_int_shl
 *
 * Each of these functions is exact or correctly rounded, so all machines return the same bits. */
#ifndef PLUMB_ARITH_LANE_H
#define PLUMB_ARITH_LANE_H

#ifndef PLUMB_LANE_HEADER
#define PLUMB_LANE_HEADER "arith/lane_scalar.h"
#endif
#include PLUMB_LANE_HEADER

/* Where speed does not matter (sanitizer builds, lane_count.h, builds for the emulated GPU), the compiler decides
 * whether to inline the arithmetic. The kernels then compile in a fraction of the time and give the same bits. */
#ifdef PLUMB_ARITH_CALLS
#undef LANE_FN
#define LANE_FN static inline __attribute__((unused))
#endif

/* LANE_UNROLL precedes a loop with constant bounds, so that the limbs it runs over become registers. In functions that are
 * not inlined, bounds may not be constants. */
#if defined(PLUMB_ARITH_CALLS)
#define LANE_UNROLL
#elif defined(__CUDACC__) || defined(__clang__)
#define LANE_UNROLL _Pragma("unroll")
#else
#define LANE_UNROLL _Pragma("GCC unroll 16")
#endif

/* If a result is not finite, its leading limb is replaced by the result of double arithmetic (plain) and its other
 * limbs by zero. A machine whose masks have the opposite sense defines these functions itself. */
#ifndef LANE_SETTLES
LANE_FN lane_mask lane_sound(lane head) { return lane_is_finite(head); }
LANE_FN lane lane_settle_head(lane_mask sound, lane head, lane plain) { return lane_select(sound, head, plain); }
LANE_FN lane lane_settle_limb(lane_mask sound, lane limb) { return lane_keep(sound, limb); }
#endif

/* One or two numbers by which all places of lanes are multiplied; the second one is this many doubles behind the first. A
 * machine that can multiply by a part of a register defines these functions itself; it needs the two numbers side by side.
 * lane_fma_first(a, f, c) is a times the first number + c, lane_fnma_first c minus that. */
#ifndef LANE_FACTORS
#define LANE_FACTORS_APART 1
typedef struct lane_factors {
    lane first, second;
} lane_factors;
LANE_FN lane_factors lane_factors_two(const double *p, int64_t apart)
{
    lane_factors f;
    f.first = lane_set(p[0]);
    f.second = lane_set(p[apart]);
    return f;
}
LANE_FN lane_factors lane_factors_one(const double *p)
{
    lane_factors f;
    f.first = f.second = lane_set(p[0]);
    return f;
}
#ifndef LANE_PICKS
LANE_FN lane lane_pick(lane a, int place)
{
    double all[LANE_WIDTH];
    lane_store(all, a);
    return lane_set(all[place]);
}
#endif
LANE_FN lane_factors lane_factors_pick(lane a, lane b, int place) /* one place of each of two lanes */
{
    lane_factors f;
    f.first = lane_pick(a, place);
    f.second = lane_pick(b, place);
    return f;
}
LANE_FN lane lane_fma_first(lane a, lane_factors f, lane c) { return lane_fma(a, f.first, c); }
LANE_FN lane lane_fma_second(lane a, lane_factors f, lane c) { return lane_fma(a, f.second, c); }
LANE_FN lane lane_fnma_first(lane a, lane_factors f, lane c) { return lane_fnma(a, f.first, c); }
LANE_FN lane lane_fnma_second(lane a, lane_factors f, lane c) { return lane_fnma(a, f.second, c); }
#endif

/* A number of which LANE_COPIES copies are stored one after the other, in every place of a lane. Most machines load one
 * number into all places as fast as a vector; others say how many copies they need. */
#ifndef LANE_COPIES
#define LANE_COPIES 1
LANE_FN lane lane_of_copies(const double *p) { return lane_set(*p); }
#endif

/* a[i] receives place i of all lanes: lanes become places. */
#ifndef LANE_TRANSPOSES
LANE_FN void lane_transpose(lane *a)
{
    double rows[LANE_WIDTH][LANE_WIDTH], columns[LANE_WIDTH][LANE_WIDTH];
    for (int i = 0; i < LANE_WIDTH; i++)
        lane_store(rows[i], a[i]);
    for (int i = 0; i < LANE_WIDTH; i++)
        for (int j = 0; j < LANE_WIDTH; j++)
            columns[i][j] = rows[j][i];
    for (int i = 0; i < LANE_WIDTH; i++)
        a[i] = lane_load(columns[i]);
}
#endif

/* The first count doubles at p (a full lane within a loop, fewer at its end), and `other` in the other places of the lane; and
 * storing the first count places. A machine that can leave out places of a vector defines these functions itself. */
#ifndef LANE_PARTS
LANE_FN lane lane_load_part(const double *p, int count, double other)
{
    double part[LANE_WIDTH];
    for (int i = 0; i < LANE_WIDTH; i++)
        part[i] = i < count ? p[i] : other;
    return lane_load(part);
}
LANE_FN void lane_store_part(double *p, lane a, int count)
{
    double part[LANE_WIDTH];
    lane_store(part, a);
    for (int i = 0; i < count; i++)
        p[i] = part[i];
}
#endif

/* The other places are 1, so that nothing is divided by zero there. */
LANE_FN lane lane_get(const double *p, int count)
{
    return count == LANE_WIDTH ? lane_load(p) : lane_load_part(p, count, 1.0);
}
LANE_FN void lane_put(double *p, lane a, int count)
{
    if (count == LANE_WIDTH)
        lane_store(p, a);
    else
        lane_store_part(p, a, count);
}

#endif
