/* qd_rest.h - x - a b and x - a b - u v in quad double with the error of one or two roundings, for orthogonalisation.
 *
 * An accumulator (qd.h) rounds its last level a dozen times per product, which is noticeable in short sums. Here
 * every level starts at a bias: a multiple of a bound on the whole sum that is larger than everything that will be
 * added to the level. The level is then always the larger operand, so that quick_two_sum is exact and two_sum is
 * never needed (Dekker 1971; the idea of summing on a common grid is from Rump, Ogita and Oishi, "Accurate
 * floating-point summation", SIAM J. Sci. Comput. 31, 2008). This saves three operations per addition, which pay for
 * keeping the rounding errors of the last level. In the end the bias is subtracted, which is exact as well.
 *
 * With M = |x0| + |a0 b0| + |u0 v0| the levels hold terms of at most M, 2^-50 M, 2^-99 M and 2^-146 M; the rounding
 * errors of the last one, below 2^-192 M each, are summed in double. Only three terms per product, each below 2^-158
 * |a0 b0|, are rounded before. The result has |error| <= 2^-211 M, root mean square below 2^-216 M, including the
 * rounding of the result to four limbs. The operands must be finite with M < 2^1021; below 2^-810 the last limbs lose
 * bits to underflow, as everywhere in qd. */
#ifndef PLUMB_ARITH_QD_REST_H
#define PLUMB_ARITH_QD_REST_H

#include "arith/qd.h"

/* The partial sum; the value of level k is s[k] - bias[k] M. */
typedef struct qd_rest_sum {
    lane bound, s0, s1, s2, s3, s4;
} qd_rest_sum;

/* Each bias is more than twice the sum of what x and two products add to its level, so that a level stays within a
 * factor of two of its bias and the difference of the two is exact. */
#define QD_REST_BIAS_0 0x1p2
#define QD_REST_BIAS_1 0x1p-47
#define QD_REST_BIAS_2 0x1p-94
#define QD_REST_BIAS_3 0x1p-140

/* Adds a term to a level or subtracts it; returns the exact rounding error. */
LANE_FN lane level_take(lane *level, lane term, int minus)
{
    dd s = minus ? quick_two_diff(*level, term) : quick_two_sum(*level, term);
    *level = s.hi;
    return s.lo;
}

/* The same for a product, which is not rounded before it is added. */
LANE_FN lane level_take_product(lane *level, lane a, lane b, int minus)
{
    lane s = minus ? lane_fnma(a, b, *level) : lane_fma(a, b, *level);
    lane gone = lane_sub(*level, s);
    *level = s;
    return minus ? lane_fnma(a, b, gone) : lane_fma(a, b, gone);
}

/* Returns bias M + term; *rest becomes the rounding error. */
LANE_FN lane level_start(lane bound, double bias, lane term, lane *rest)
{
    lane s = lane_fma(bound, lane_set(bias), term);
    *rest = lane_sub(term, lane_fnma(bound, lane_set(bias), s));
    return s;
}

LANE_FN void qd_rest_take_last(qd_rest_sum *s, lane term, int minus)
{
    s->s4 = lane_add(s->s4, level_take(&s->s3, term, minus));
}

LANE_FN void qd_rest_take_last_product(qd_rest_sum *s, lane a, lane b, int minus)
{
    s->s4 = lane_add(s->s4, level_take_product(&s->s3, a, b, minus));
}

LANE_FN qd_rest_sum qd_rest_start(qd x, lane bound)
{
    qd_rest_sum s;
    lane v[3];
    s.bound = bound;
    s.s0 = level_start(bound, QD_REST_BIAS_0, x.x0, &v[0]);
    s.s1 = level_start(bound, QD_REST_BIAS_1, x.x1, &v[1]);
    v[0] = level_take(&s.s1, v[0], 0);
    s.s2 = level_start(bound, QD_REST_BIAS_2, x.x2, &v[2]);
    v[0] = level_take(&s.s2, v[0], 0);
    v[1] = level_take(&s.s2, v[1], 0);
    s.s3 = level_start(bound, QD_REST_BIAS_3, x.x3, &s.s4);
    LANE_UNROLL
    for (int k = 0; k < 3; k++)
        qd_rest_take_last(&s, v[k], 0);
    return s;
}

/* s - a b, or s + a b if minus is 0; p is the exact product of the leading limbs. Unless whole is set, terms of the
 * size of the last limb are added in pairs, fused and rounded once, which saves a tenth of the operations. */
LANE_FN qd_rest_sum qd_rest_take(qd_rest_sum s, qd a, qd b, dd p, int minus, int whole)
{
    const int plus = !minus; /* two_prod_neg negates the error of a product */
    dd p01 = two_prod_neg(a.x0, b.x1), p10 = two_prod_neg(a.x1, b.x0), p02 = two_prod_neg(a.x0, b.x2),
       p11 = two_prod_neg(a.x1, b.x1), p20 = two_prod_neg(a.x2, b.x0);
    lane v[9];
    v[0] = level_take(&s.s0, p.hi, minus);
    v[0] = level_take(&s.s1, v[0], 0);
    v[1] = level_take(&s.s1, p.lo, plus);
    v[2] = level_take(&s.s1, p01.hi, minus);
    v[3] = level_take(&s.s1, p10.hi, minus);
    LANE_UNROLL
    for (int k = 0; k < 4; k++)
        v[k] = level_take(&s.s2, v[k], 0);
    v[4] = level_take(&s.s2, p01.lo, plus);
    v[5] = level_take(&s.s2, p10.lo, plus);
    v[6] = level_take(&s.s2, p02.hi, minus);
    v[7] = level_take(&s.s2, p11.hi, minus);
    v[8] = level_take(&s.s2, p20.hi, minus);
    LANE_UNROLL
    for (int k = 0; k < 9; k++)
        qd_rest_take_last(&s, v[k], 0);
    if (whole) {
        qd_rest_take_last(&s, p02.lo, plus);
        qd_rest_take_last(&s, p11.lo, plus);
        qd_rest_take_last(&s, p20.lo, plus);
        qd_rest_take_last_product(&s, a.x3, b.x0, minus);
        qd_rest_take_last_product(&s, a.x0, b.x3, minus);
        qd_rest_take_last_product(&s, a.x1, b.x2, minus);
    } else {
        qd_rest_take_last(&s, lane_fnma(a.x3, b.x0, p02.lo), plus);
        qd_rest_take_last(&s, lane_fnma(a.x0, b.x3, p20.lo), plus);
        qd_rest_take_last(&s, lane_fnma(a.x1, b.x2, p11.lo), plus);
    }
    qd_rest_take_last_product(&s, a.x2, b.x1, minus);
    return s;
}

/* Every level is a multiple of the last place of the next, so that the sweeps are exact. */
LANE_FN qd qd_rest_value(qd_rest_sum s)
{
    lane v[5] = {lane_fnma(s.bound, lane_set(QD_REST_BIAS_0), s.s0), lane_fnma(s.bound, lane_set(QD_REST_BIAS_1), s.s1),
                 lane_fnma(s.bound, lane_set(QD_REST_BIAS_2), s.s2), lane_fnma(s.bound, lane_set(QD_REST_BIAS_3), s.s3),
                 s.s4};
    sweep_up(v, 0, 4);
    sweep_up(v, 1, 4);
    return gather_limbs(v, 4);
}

LANE_FN qd qd_rest(qd x, qd a, qd b)
{
    dd p = two_prod_neg(a.x0, b.x0);
    qd_rest_sum s = qd_rest_start(x, lane_add(lane_abs(x.x0), lane_abs(p.hi)));
    return qd_rest_value(qd_rest_take(s, a, b, p, 1, 0));
}

/* a b rounded once, error 2^-212. */
LANE_FN qd qd_product_fine(qd a, qd b)
{
    dd p = two_prod_neg(a.x0, b.x0);
    qd_rest_sum s = qd_rest_start(qd_set(0.0), lane_abs(p.hi));
    return qd_rest_value(qd_rest_take(s, a, b, p, 0, 1));
}

/* x - a b - u v, or x - a b + u v if minus is 0. */
LANE_FN qd qd_rest_2(qd x, qd a, qd b, qd u, qd v, int minus)
{
    dd p = two_prod_neg(a.x0, b.x0), q = two_prod_neg(u.x0, v.x0);
    lane bound = lane_add(lane_add(lane_abs(x.x0), lane_abs(p.hi)), lane_abs(q.hi));
    qd_rest_sum s = qd_rest_take(qd_rest_start(x, bound), a, b, p, 1, 0);
    return qd_rest_value(qd_rest_take(s, u, v, q, minus, 0));
}

#endif
