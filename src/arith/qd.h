/* qd.h - quad double: x = x0 + x1 + x2 + x3, each limb at most half a unit in the last place of the one before.
 *
 * Sums and products are networks of two_sum without branches. Terms of equal size are added level by level, and the
 * rounding error of each addition goes one level down, so that only the last level is rounded. Then sweeps of
 * quick_two_sum from the bottom up move the value into the leading limbs; a limb that has cancelled to zero moves
 * down by one place in each sweep. The ideas are from Hida, Li and Bailey, "Algorithms for quad-double precision
 * floating point arithmetic", ARITH-15 (2001); Joldes, Muller, Popescu and Tucker, "CAMPARY" (2016); Zhang and Aiken,
 * "High-performance branch-free algorithms for extended-precision floating-point arithmetic" (2025).
 *
 * The bounds are relative errors; the tests in tests/arith check each of them against MPFR. The lowest limb needs
 * exponents 212 bits below the first: below 2^-810 (about 1e-244) the last limbs lose bits to underflow, and 2^-1070
 * must be added to every absolute error. Special values are treated as in dd.h. */
#ifndef PLUMB_ARITH_QD_H
#define PLUMB_ARITH_QD_H

#include "arith/dd.h"

typedef struct qd {
    lane x0, x1, x2, x3;
} qd;

LANE_FN qd qd_make(lane x0, lane x1, lane x2, lane x3)
{
    qd r;
    r.x0 = x0;
    r.x1 = x1;
    r.x2 = x2;
    r.x3 = x3;
    return r;
}

LANE_FN qd qd_of_dd(lane hi, lane lo) { return qd_make(hi, lo, lane_set(0.0), lane_set(0.0)); }
LANE_FN qd qd_of(lane head) { return qd_of_dd(head, lane_set(0.0)); }
LANE_FN qd qd_set(double a) { return qd_of_dd(lane_set(a), lane_set(0.0)); }
LANE_FN qd qd_load(const double *p, int64_t plane, int count)
{
    return qd_make(lane_get(p, count), lane_get(p + plane, count), lane_get(p + 2 * plane, count),
                   lane_get(p + 3 * plane, count));
}
/* Copies one number into every lane. */
LANE_FN qd qd_spread(const double *p, int64_t plane)
{
    return qd_make(lane_set(p[0]), lane_set(p[plane]), lane_set(p[2 * plane]), lane_set(p[3 * plane]));
}
LANE_FN qd qd_of_copies(const double *p)
{
    return qd_make(lane_of_copies(p), lane_of_copies(p + LANE_COPIES), lane_of_copies(p + 2 * LANE_COPIES),
                   lane_of_copies(p + 3 * LANE_COPIES));
}
LANE_FN void qd_store(double *p, int64_t plane, qd a, int count)
{
    lane_put(p, a.x0, count);
    lane_put(p + plane, a.x1, count);
    lane_put(p + 2 * plane, a.x2, count);
    lane_put(p + 3 * plane, a.x3, count);
}

LANE_FN lane qd_head(qd a) { return a.x0; }
LANE_FN qd qd_select(lane_mask m, qd a, qd b)
{
    return qd_make(lane_select(m, a.x0, b.x0), lane_select(m, a.x1, b.x1), lane_select(m, a.x2, b.x2),
                   lane_select(m, a.x3, b.x3));
}
LANE_FN qd qd_neg(qd a)
{
    lane zero = lane_set(0.0);
    return qd_make(lane_neg(a.x0), lane_sub(zero, a.x1), lane_sub(zero, a.x2), lane_sub(zero, a.x3));
}
LANE_FN qd qd_abs(qd a)
{
    qd r = qd_select(lane_lt(a.x0, lane_set(0.0)), qd_neg(a), a);
    r.x0 = lane_abs(a.x0);
    return r;
}
/* a times a power of two, if the product cannot overflow. */
LANE_FN qd qd_shift(qd a, lane power)
{
    return qd_make(lane_mul(a.x0, power), lane_mul(a.x1, power), lane_mul(a.x2, power), lane_mul(a.x3, power));
}

/* Returns r if it is finite, otherwise plain, the result of double arithmetic on the leading limbs. */
LANE_FN qd qd_settle(qd r, lane plain)
{
    lane_mask sound = lane_sound(r.x0);
    return qd_make(lane_settle_head(sound, r.x0, plain), lane_settle_limb(sound, r.x1), lane_settle_limb(sound, r.x2),
                   lane_settle_limb(sound, r.x3));
}

/* Exact. */
LANE_FN qd qd_scale(qd a, lane power)
{
    qd r = qd_shift(a, power);
    return qd_settle(r, r.x0);
}

/* One sweep from the bottom up: v[from] becomes the rounded sum of v[from] .. v[to], the others the rounding errors. */
LANE_FN void sweep_up(lane *v, int from, int to)
{
    LANE_UNROLL
    for (int i = to - 1; i >= from; i--)
        quick_sum_in_place(&v[i], &v[i + 1]);
}

/* The same for terms in any order of magnitude. */
LANE_FN void sweep_up_any(lane *v, int from, int to)
{
    LANE_UNROLL
    for (int i = to - 1; i >= from; i--)
        sum_in_place(&v[i], &v[i + 1]);
}

/* Makes 4 limbs from last + 1 terms, the first two of which are already the rounded sums of themselves and all that
 * follows: collects v[2] .. v[last] into two limbs, then one sweep down resolves ties and overlaps. */
LANE_FN qd gather_limbs(lane *v, int last)
{
    sweep_up(v, 2, last);
    LANE_UNROLL
    for (int i = last - 1; i >= 3; i--)
        v[i] = lane_add(v[i], v[i + 1]);
    quick_sum_in_place(&v[0], &v[1]);
    quick_sum_in_place(&v[1], &v[2]);
    quick_sum_in_place(&v[2], &v[3]);
    return qd_make(v[0], v[1], v[2], v[3]);
}

/* Normalises four terms in decreasing order, the first of which does not cancel, as a product leaves them. */
LANE_FN qd qd_renormalize(lane v0, lane v1, lane v2, lane v3)
{
    lane v[4] = {v0, v1, v2, v3};
    sweep_up(v, 0, 3);
    quick_sum_in_place(&v[1], &v[2]);
    quick_sum_in_place(&v[2], &v[3]);
    quick_sum_in_place(&v[0], &v[1]);
    quick_sum_in_place(&v[1], &v[2]);
    quick_sum_in_place(&v[2], &v[3]);
    return qd_make(v[0], v[1], v[2], v[3]);
}

/* The same with a fifth term that does not overlap the fourth. */
LANE_FN qd qd_renormalize_5(lane v0, lane v1, lane v2, lane v3, lane v4)
{
    lane v[5] = {v0, v1, v2, v3, v4};
    sweep_up(v, 0, 3);
    sweep_up(v, 1, 4);
    return gather_limbs(v, 4);
}

/* The sum of four exact sums of limbs, in 79 operations.
 *
 * The network was found by a search: starting from sweeps over all terms, steps were removed, exchanged and weakened at
 * random as long as the results were right. They were judged in an exact model, the same steps on numbers of 5 to 11
 * bits instead of 53, where cancellations over several limbs, carries and ties are frequent; tests/arith/t_arith_short.c
 * repeats this. At first v[1] and v[2] hold terms of 2^-53, v[3] and v[4] of 2^-106, v[5] and v[6] of 2^-159, v[7] of
 * 2^-212. Four two_sum pass on what terms of similar size leave. From then on quick_two_sum suffices: where a first
 * operand has cancelled, it is a multiple of the last place of the second one. Plain additions join what is below the
 * last limb, once it is known how far the leading limbs cancel. */
LANE_FN qd qd_sum_of(dd s0, dd s1, dd s2, dd s3)
{
    lane v[8] = {s0.hi, s1.hi, s0.lo, s2.hi, s1.lo, s3.hi, s2.lo, s3.lo};
    sum_in_place(&v[1], &v[2]);
    sum_in_place(&v[5], &v[6]);
    sum_in_place(&v[4], &v[5]);
    quick_sum_in_place(&v[5], &v[6]);
    quick_sum_in_place(&v[2], &v[4]);
    sum_in_place(&v[2], &v[3]);
    v[4] = lane_add(v[4], v[5]);
    quick_sum_in_place(&v[0], &v[1]);
    quick_sum_in_place(&v[6], &v[7]);
    quick_sum_in_place(&v[0], &v[2]);
    quick_sum_in_place(&v[3], &v[4]);
    quick_sum_in_place(&v[4], &v[6]);
    sweep_up(v, 1, 3);
    quick_sum_in_place(&v[3], &v[4]);
    v[4] = lane_add(v[4], lane_add(v[6], v[7]));
    quick_sum_in_place(&v[2], &v[3]);
    quick_sum_in_place(&v[0], &v[1]);
    v[3] = lane_add(v[3], v[4]);
    quick_sum_in_place(&v[1], &v[2]);
    quick_sum_in_place(&v[0], &v[1]);
    quick_sum_in_place(&v[2], &v[3]);
    quick_sum_in_place(&v[1], &v[2]);
    quick_sum_in_place(&v[2], &v[3]);
    return qd_settle(qd_make(v[0], v[1], v[2], v[3]), s0.hi);
}

/* 2^-211 of the result, however much of the operands cancels; root mean square below 2^-217. */
LANE_FN qd qd_add(qd a, qd b)
{
    return qd_sum_of(two_sum(a.x0, b.x0), two_sum(a.x1, b.x1), two_sum(a.x2, b.x2), two_sum(a.x3, b.x3));
}
LANE_FN qd qd_sub(qd a, qd b)
{
    return qd_sum_of(two_diff(a.x0, b.x0), two_diff(a.x1, b.x1), two_diff(a.x2, b.x2), two_diff(a.x3, b.x3));
}

/* 2^-211. */
LANE_FN qd qd_add_d(qd a, lane b)
{
    dd s0 = two_sum(a.x0, b), s1 = two_sum(a.x1, s0.lo), s2 = two_sum(a.x2, s1.lo), s3 = two_sum(a.x3, s2.lo);
    lane v[5] = {s0.hi, s1.hi, s2.hi, s3.hi, s3.lo};
    sweep_up(v, 0, 4);
    sweep_up(v, 1, 4);
    return qd_settle(gather_limbs(v, 4), s0.hi);
}

/* A product without its last four terms: the exact product p of the leading limbs, the rounded sums l1 and l2 of the
 * terms of size 2^-53 and 2^-106, and those of size 2^-159 in two parts, the larger ones in t. It is symmetric in
 * both factors. The error of two_prod_neg is negated, and so is everything made of such errors alone. */
typedef struct qd_product {
    lane p, l1, l2, s, t;
} qd_product;

LANE_FN qd_product qd_product_of(qd a, qd b)
{
    dd p00 = two_prod_neg(a.x0, b.x0), p01 = two_prod_neg(a.x0, b.x1), p10 = two_prod_neg(a.x1, b.x0),
       p02 = two_prod_neg(a.x0, b.x2), p11 = two_prod_neg(a.x1, b.x1), p20 = two_prod_neg(a.x2, b.x0);
    dd i = two_sum(p01.hi, p10.hi); /* level 1 */
    dd j = two_diff(i.hi, p00.lo);
    dd c = two_sum(p02.hi, p20.hi); /* level 2 */
    dd e = two_sum(p01.lo, p10.lo);
    dd f = two_sum(i.lo, j.lo);
    dd g = two_sum(c.hi, p11.hi);
    dd h = two_diff(f.hi, e.hi);
    dd k = two_sum(g.hi, h.hi);
    qd_product r;
    r.p = p00.hi;
    r.l1 = j.hi;
    r.l2 = k.hi;
    r.s = lane_sub(lane_add(lane_sub(c.lo, e.lo), lane_add(f.lo, g.lo)), lane_add(lane_add(p02.lo, p20.lo), p11.lo));
    r.t = lane_add(h.lo, k.lo);
    return r;
}

/* 2^-208, root mean square under 2^-214. */
LANE_FN qd qd_mul(qd a, qd b)
{
    qd_product r = qd_product_of(a, b);
    lane m = lane_add(lane_add(lane_mul(a.x0, b.x3), lane_mul(a.x3, b.x0)),
                      lane_add(lane_mul(a.x1, b.x2), lane_mul(a.x2, b.x1)));
    return qd_settle(qd_renormalize(r.p, r.l1, r.l2, lane_add(lane_add(m, r.s), r.t)), r.p);
}

/* 2^-208, root mean square below 2^-214. Equal products are computed once and doubled, which is exact. */
LANE_FN qd qd_sqr(qd a)
{
    lane twice0 = lane_add(a.x0, a.x0), twice1 = lane_add(a.x1, a.x1);
    dd p00 = two_prod_neg(a.x0, a.x0), p01 = two_prod_neg(twice0, a.x1), p02 = two_prod_neg(twice0, a.x2),
       p11 = two_prod_neg(a.x1, a.x1);
    dd j = two_diff(p01.hi, p00.lo); /* level 1 */
    dd g = two_sum(p02.hi, p11.hi);  /* level 2 */
    dd h = two_diff(j.lo, p01.lo);
    dd k = two_sum(g.hi, h.hi);
    lane m = lane_fma(twice0, a.x3, lane_fma(twice1, a.x2, lane_sub(g.lo, lane_add(p02.lo, p11.lo))));
    dd l3 = two_sum(lane_add(m, h.lo), k.lo);
    return qd_settle(qd_renormalize_5(p00.hi, j.hi, k.hi, l3.hi, l3.lo), p00.hi);
}

/* 2^-210. */
LANE_FN qd qd_mul_d(qd a, lane b)
{
    dd p0 = two_prod_neg(a.x0, b), p1 = two_prod_neg(a.x1, b), p2 = two_prod_neg(a.x2, b), p3 = two_prod_neg(a.x3, b);
    dd l1 = two_diff(p1.hi, p0.lo);
    dd g = two_diff(p2.hi, p1.lo);
    dd l2 = two_sum(g.hi, l1.lo);
    dd h = two_diff(p3.hi, p2.lo);
    dd l3 = two_sum(h.hi, lane_add(g.lo, l2.lo));
    lane l4 = lane_sub(lane_add(h.lo, l3.lo), p3.lo);
    return qd_settle(qd_renormalize_5(p0.hi, l1.hi, l2.hi, l3.hi, l4), p0.hi);
}

/* Sum of n products, 118 operations per product: the levels of a product are added exactly to those of the sum, and a
 * fifth level collects the rounding errors of the last. |error| <= (n + 4) 2^-208 (sum of |a b|), near 2^-212 in
 * practice. */
typedef struct qd_acc {
    lane s0, s1, s2, s3, s4;
} qd_acc;

LANE_FN qd_acc qd_acc_of(qd a)
{
    qd_acc s;
    s.s0 = a.x0;
    s.s1 = a.x1;
    s.s2 = a.x2;
    s.s3 = a.x3;
    s.s4 = lane_set(0.0);
    return s;
}
LANE_FN qd_acc qd_acc_zero(void) { return qd_acc_of(qd_set(0.0)); }
LANE_FN qd_acc qd_acc_start(qd a, qd b) /* begins with a product instead of zero */
{
    qd_product r = qd_product_of(a, b);
    qd_acc s;
    s.s0 = r.p;
    s.s1 = r.l1;
    s.s2 = r.l2;
    s.s3 = lane_add(lane_fma(a.x0, b.x3, lane_fma(a.x1, b.x2, lane_fma(a.x2, b.x1, lane_fma(a.x3, b.x0, r.s)))), r.t);
    s.s4 = lane_set(0.0);
    return s;
}

LANE_FN qd_acc qd_acc_add(qd_acc s, qd a, qd b)
{
    qd_product r = qd_product_of(a, b);
    lane m = lane_fma(a.x0, b.x3, lane_fma(a.x1, b.x2, lane_fma(a.x2, b.x1, lane_fma(a.x3, b.x0, r.s))));
    dd t0 = two_sum(s.s0, r.p);
    dd t1 = two_sum(s.s1, r.l1);
    dd t2 = two_sum(s.s2, r.l2);
    sum_in_place(&t1.hi, &t0.lo); /* the rounding error of level 0 */
    sum_in_place(&t2.hi, &t1.lo); /* the rounding errors of level 1 */
    sum_in_place(&t2.hi, &t0.lo);
    dd t3 = two_sum(s.s3, lane_add(lane_add(m, r.t), lane_add(t2.lo, lane_add(t1.lo, t0.lo))));
    s.s0 = t0.hi;
    s.s1 = t1.hi;
    s.s2 = t2.hi;
    s.s3 = t3.hi;
    s.s4 = lane_add(s.s4, t3.lo);
    return s;
}
LANE_FN qd_acc qd_acc_sub(qd_acc s, qd a, qd b)
{
    return qd_acc_add(s, qd_make(lane_neg(a.x0), lane_neg(a.x1), lane_neg(a.x2), lane_neg(a.x3)), b);
}
LANE_FN qd qd_acc_value(qd_acc s)
{
    lane v[5] = {s.s0, s.s1, s.s2, s.s3, s.s4};
    sweep_up_any(v, 0, 4); /* levels may have cancelled, so their order of magnitude is arbitrary, */
    sweep_up_any(v, 0, 4); /* and so is that of the terms after the first sweep */
    sweep_up(v, 1, 4);
    return qd_settle(gather_limbs(v, 4), s.s0);
}

#endif
