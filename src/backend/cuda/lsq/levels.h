/* levels.h - sums of products in qd on a grid common to a team, directly in the slices that team.h adds.
 *
 * Level t is a multiple of a unit that all threads of the team know. It starts at a bias so large that every sum with
 * it is rounded to that unit: three operations add a term and give the exact rounding error, which goes to the next
 * level (the idea of arith/qd_rest.h). The sum of a thread thus comes out in slices and need not be cut into them.
 * The whole sum has E terms and is below 2^top. Each unit is so much larger than the next that a level has room for
 * everything that E products pass down to it, up to 1, 4 and 9 numbers each: 49 bits, then 53, 51 and 49 minus those
 * of E. The rounding errors of the last level are summed in double, with an error of about 2^-220 of 2^top for E up
 * to 256. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_LEVELS_H
#define PLUMB_BACKEND_CUDA_LSQ_LEVELS_H

#include "backend/cuda/lsq/column.h"

struct level_sum {
    static const int count = 5;
    double v[5];
};

/* The grid: the exponent below which the sum stays, and the number of bits of the number of products. */
typedef struct level_grid {
    int top, bits;
} level_grid;

GPU_FN double level_bias(level_grid g, int t)
{
    const int unit = g.top - 49 - (t > 0 ? 53 - g.bits : 0) - (t > 1 ? 51 - g.bits : 0) - (t > 2 ? 49 - g.bits : 0);
    return gpu_of_high_word(((1023 + 52 + unit) << 20) | 0x80000);
}

GPU_FN level_sum levels_begin(level_grid g)
{
    level_sum s;
    LANE_UNROLL
    for (int t = 0; t < 4; t++)
        s.v[t] = level_bias(g, t);
    s.v[4] = 0.0;
    return s;
}

GPU_FN level_sum levels_end(level_sum s, level_grid g)
{
    LANE_UNROLL
    for (int t = 0; t < 4; t++)
        s.v[t] = lane_sub(s.v[t], level_bias(g, t));
    return s;
}

/* Adds terms to level 2, passes their rounding errors to level 3 together with `last`, and the rounding errors of
 * that to the double. */
template <int COUNT> GPU_FN void levels_low(level_sum *s, double *term, double last)
{
    LANE_UNROLL
    for (int i = 0; i < COUNT; i++)
        term[i] = level_take(&s->v[2], term[i], 0);
    double rest = level_take(&s->v[3], last, 0);
    LANE_UNROLL
    for (int i = 0; i < COUNT; i++)
        rest = lane_add(rest, level_take(&s->v[3], term[i], 0));
    s->v[4] = lane_add(s->v[4], rest);
}

/* s + a b. two_prod_neg negates the error of a product. */
GPU_FN void levels_take(level_sum *s, qd a, qd b)
{
    dd p00 = two_prod_neg(a.x0, b.x0), p01 = two_prod_neg(a.x0, b.x1), p10 = two_prod_neg(a.x1, b.x0),
       p02 = two_prod_neg(a.x0, b.x2), p11 = two_prod_neg(a.x1, b.x1), p20 = two_prod_neg(a.x2, b.x0);
    double m = lane_fnma(a.x3, b.x0, lane_add(lane_add(p02.lo, p20.lo), p11.lo));
    m = lane_fma(a.x0, b.x3, lane_fma(a.x1, b.x2, lane_fma(a.x2, b.x1, lane_neg(m))));
    double term[9];
    term[0] = level_take(&s->v[0], p00.hi, 0);
    term[0] = level_take(&s->v[1], term[0], 0);
    term[1] = level_take(&s->v[1], p00.lo, 1);
    term[2] = level_take(&s->v[1], p01.hi, 0);
    term[3] = level_take(&s->v[1], p10.hi, 0);
    term[4] = p02.hi;
    term[5] = p11.hi;
    term[6] = p20.hi;
    term[7] = lane_neg(p01.lo);
    term[8] = lane_neg(p10.lo);
    levels_low<9>(s, term, m);
}

/* s + a a: products that occur twice are computed once and doubled. */
GPU_FN void levels_take_square(level_sum *s, qd a)
{
    double twice0 = lane_add(a.x0, a.x0), twice1 = lane_add(a.x1, a.x1);
    dd p00 = two_prod_neg(a.x0, a.x0), p01 = two_prod_neg(twice0, a.x1), p02 = two_prod_neg(twice0, a.x2),
       p11 = two_prod_neg(a.x1, a.x1);
    double m = lane_fma(twice0, a.x3, lane_fma(twice1, a.x2, lane_neg(lane_add(p02.lo, p11.lo))));
    double term[6];
    term[0] = level_take(&s->v[0], p00.hi, 0);
    term[0] = level_take(&s->v[1], term[0], 0);
    term[1] = level_take(&s->v[1], p00.lo, 1);
    term[2] = level_take(&s->v[1], p01.hi, 0);
    term[3] = p02.hi;
    term[4] = p11.hi;
    term[5] = lane_neg(p01.lo);
    levels_low<6>(s, term, m);
}

/* Level t is a multiple of its unit, and the following levels are small relative to 2^53 units, so quick sums are
 * exact. */
GPU_FN qd levels_value(level_sum s)
{
    sweep_up(s.v, 0, 4);
    sweep_up(s.v, 1, 4);
    return gather_limbs(s.v, 4);
}

GPU_FN level_grid grid_of(int top, int entries)
{
    level_grid g = {top, 32 - gpu_leading_zeros(entries)};
    return g;
}

/* Like column_dots and column_squares: the share of this thread in pivot^H column, for its part of the result, */
template <int TEAM>
GPU_FN level_sum column_dot_levels(int lane, int share, const double *pivot, const double *column, level_grid grid)
{
    const int entries = TEAM * share, sign = sign_of(lane);
    level_sum sum = levels_begin(grid);
    LANE_UNROLL
    for (int i = 0; i < share; i++) {
        real re, im, own;
        int e = lane + TEAM * i;
        row_load(pivot, entries, e, &re, &im);
        own = entry_load(column, entries, e);
        levels_take(&sum, re, own);
        if (PARTS == 2)
            levels_take(&sum, im, real_flip(entry_load(column, entries, e ^ 1), sign));
    }
    return levels_end(sum, grid);
}

/* and of column^H column. */
template <int TEAM> GPU_FN level_sum column_square_levels(int lane, int share, const double *column, level_grid grid)
{
    const int entries = TEAM * share;
    level_sum sum = levels_begin(grid);
    LANE_UNROLL
    for (int i = 0; i < share; i++)
        levels_take_square(&sum, entry_load(column, entries, lane + TEAM * i));
    return levels_end(sum, grid);
}

#endif
