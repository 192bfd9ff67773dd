/* qd_quotient.h - quotients, reciprocals and square roots of quad doubles, by long division with digits that are
 * doubles.
 *
 * The first digit of a / b is the quotient of the leading limbs, and the others follow from what remains, times the
 * reciprocal of the leading limb of b. A digit leaves an exact remainder, which is one FMA (quotient_digit_of). After two
 * digits, terms of 2^-106 and less remain, besides the remainder of the second digit: products of these digits with the
 * limbs of b, and limbs of a. Those of 2^-106 are summed exactly, those of 2^-159 exactly where that matters, and those
 * of 2^-212 in double. Three more digits come from this sum. As in the method of Karp and Markstein ("High-precision
 * division and square root", ACM TOMS 23, 1997), the last correction takes short products only, and no full product is
 * ever formed. A digit may exceed the last place of the one before it, so the digits are normalised at the end.
 *
 * Sizes in the comments are relative to a dividend and a divisor near 1. Operands are scaled first (range.h), so that
 * nothing overflows or underflows. Special values are treated as in dd.h. */
#ifndef PLUMB_ARITH_QD_QUOTIENT_H
#define PLUMB_ARITH_QD_QUOTIENT_H

#include "arith/qd.h"

/* A digit q of y / b and what it leaves, y - b q. Exact, if inverse is the double nearest to 1 / b: the first quotient is
 * wrong by at most 1.5 units in its last place, the second by less than one, and then y - b q is a double (Markstein,
 * "Computation of elementary functions on the IBM RISC System/6000 processor", IBM J. Res. Dev. 34, 1990). */
typedef struct quotient_digit {
    lane q, rest;
} quotient_digit;

LANE_FN quotient_digit quotient_digit_of(lane y, lane b, lane inverse)
{
    quotient_digit r;
    lane q = lane_mul(y, inverse);
    r.q = lane_fma(lane_fnma(q, b, y), inverse, q);
    r.rest = lane_fnma(r.q, b, y);
    return r;
}

/* Normalises digits, each of which may be a few units of the one before, or larger if that one happens to be small. */
LANE_FN qd qd_of_digits(lane q0, lane q1, lane q2, lane q3, lane q4)
{
    lane v[5] = {q0, q1, q2, q3, q4};
    quick_sum_in_place(&v[3], &v[4]);
    sum_in_place(&v[2], &v[3]);
    sum_in_place(&v[1], &v[2]);
    quick_sum_in_place(&v[0], &v[1]);
    sweep_up(v, 1, 4);
    return gather_limbs(v, 4);
}

/* The last two digits, of a remainder t0 + t1 + t2 + t3 of terms of 2^-159, low of 2^-212, and a divisor b0 + b1. */
LANE_FN qd qd_last_digits(lane q0, lane q1, lane q2, lane t0, lane t1, lane t2, lane t3, lane low, lane b0, lane b1,
                          lane inverse)
{
    dd s = two_sum(t0, t1), t = two_sum(t2, t3), u = two_sum(s.hi, t.hi);
    lane q3 = lane_mul(u.hi, inverse);
    low = lane_fnma(q3, b1, lane_add(lane_add(low, s.lo), lane_add(t.lo, u.lo)));
    return qd_of_digits(q0, q1, q2, q3, lane_mul(lane_add(lane_fnma(q3, b0, u.hi), low), inverse));
}

/* What follows the second digit of a quotient by b. Besides the remainder of that digit there are h.hi of 2^-106, and
 * h.lo, l and s of 2^-159. */
LANE_FN qd qd_div_finish(lane q0, quotient_digit d1, dd h, lane l, lane s, qd b, lane inverse)
{
    dd p11 = two_prod_neg(d1.q, b.x1), p12 = two_prod_neg(d1.q, b.x2);
    dd i = two_diff(d1.rest, p11.hi), k = two_sum(h.hi, i.hi), m = two_diff(p11.lo, p12.hi);
    quotient_digit d2 = quotient_digit_of(k.hi, b.x0, inverse);
    dd p21 = two_prod_neg(d2.q, b.x1);
    dd t0 = two_sum(s, m.hi), t1 = two_sum(l, h.lo), t2 = two_sum(i.lo, k.lo), t3 = two_diff(d2.rest, p21.hi);
    lane low = lane_add(lane_add(t0.lo, t1.lo), lane_add(m.lo, p12.lo));
    low = lane_add(lane_fnma(d1.q, b.x3, low), lane_add(t2.lo, t3.lo));
    low = lane_fnma(d2.q, b.x2, lane_add(low, p21.lo));
    return qd_last_digits(q0, d1.q, d2.q, t0.hi, t1.hi, t2.hi, t3.hi, low, b.x0, b.x1, inverse);
}

/* 2^-209: all sums but the four additions of l and s are exact to 2^-213, and the errors of these sum to 1.5 2^-210. */
LANE_FN qd qd_div(qd a, qd b)
{
    quotient_range range = quotient_range_of(a.x0, b.x0);
    qd x = qd_shift(a, range.from_x), y = qd_shift(b, range.from_y);
    lane q = lane_div(x.x0, y.x0), inverse = lane_div(lane_set(1.0), y.x0);
    dd p01 = two_prod_neg(q, y.x1), p02 = two_prod_neg(q, y.x2);
    dd c = two_diff(x.x1, p01.hi), r = two_sum(lane_fnma(q, y.x0, x.x0), c.hi); /* the fnma is exact */
    dd e = two_sum(c.lo, p01.lo), f = two_diff(x.x2, p02.hi), g = two_sum(e.hi, f.hi);
    lane l = lane_add(lane_add(e.lo, f.lo), g.lo), s = lane_fnma(q, y.x3, lane_add(x.x3, p02.lo));
    qd z = qd_div_finish(q, quotient_digit_of(r.hi, y.x0, inverse), two_sum(g.hi, r.lo), l, s, y, inverse);
    return qd_settle(qd_shift(z, range.to), lane_mul(q, range.to));
}

/* 2^-211: every digit leaves an exact remainder. */
LANE_FN qd qd_div_d(qd a, lane b)
{
    quotient_range range = quotient_range_of(a.x0, b);
    qd x = qd_shift(a, range.from_x);
    lane y = lane_mul(b, range.from_y), zero = lane_set(0.0);
    lane q = lane_div(x.x0, y), inverse = lane_div(lane_set(1.0), y);
    dd r = two_sum(lane_fnma(q, y, x.x0), x.x1); /* the fnma is exact */
    quotient_digit d1 = quotient_digit_of(r.hi, y, inverse);
    dd h = two_sum(r.lo, x.x2), k = two_sum(h.hi, d1.rest);
    quotient_digit d2 = quotient_digit_of(k.hi, y, inverse);
    qd z = qd_last_digits(q, d1.q, d2.q, x.x3, h.lo, k.lo, d2.rest, zero, y, zero, inverse);
    return qd_settle(qd_shift(z, range.to), lane_mul(q, range.to));
}

/* 2^-210: as in division with 1 for a. The second function is for numbers in the middle of the range. */
LANE_FN qd qd_inv_with(qd b, lane q)
{
    dd p01 = two_prod_neg(q, b.x1), p02 = two_prod_neg(q, b.x2);
    dd r = two_diff(lane_fnma(q, b.x0, lane_set(1.0)), p01.hi), e = two_diff(p01.lo, p02.hi); /* the fnma is exact */
    lane s = lane_fnma(q, b.x3, p02.lo);
    return qd_div_finish(q, quotient_digit_of(r.hi, b.x0, q), two_sum(e.hi, r.lo), e.lo, s, b, q);
}
LANE_FN qd qd_inv_near_one(qd a) { return qd_inv_with(a, lane_div(lane_set(1.0), a.x0)); }
LANE_FN qd qd_inv(qd a)
{
    lane by = inverse_range_of(a.x0);
    qd x = qd_shift(a, by);
    lane q = lane_div(lane_set(1.0), x.x0);
    return qd_settle(qd_shift(qd_inv_with(x, q), by), lane_mul(q, by));
}

/* 2^-211: digits of the remainder by 2 s, where the square of the digits so far is subtracted instead of a product. */
LANE_FN qd qd_sqrt_near_one(qd a)
{
    lane s = lane_sqrt(a.x0), b0 = lane_add(s, s), inverse = lane_div(lane_set(1.0), b0);
    dd r = two_sum(lane_fnma(s, s, a.x0), a.x1); /* the fnma is exact */
    quotient_digit d1 = quotient_digit_of(r.hi, b0, inverse);
    lane b1 = lane_add(d1.q, d1.q);
    dd square = two_prod_neg(d1.q, d1.q), h = two_sum(r.lo, a.x2);
    dd i = two_diff(d1.rest, square.hi), k = two_sum(h.hi, i.hi);
    quotient_digit d2 = quotient_digit_of(k.hi, b0, inverse);
    dd p = two_prod_neg(d2.q, b1);
    dd t1 = two_sum(a.x3, h.lo), t2 = two_sum(i.lo, k.lo), t3 = two_diff(d2.rest, p.hi);
    lane low = lane_fnma(d2.q, d2.q, lane_add(lane_add(t1.lo, t2.lo), lane_add(t3.lo, p.lo)));
    return qd_settle(qd_last_digits(s, d1.q, d2.q, square.lo, t1.hi, t2.hi, t3.hi, low, b0, b1, inverse), s);
}
LANE_FN qd qd_sqrt(qd a)
{
    root_range range = root_range_of(a.x0);
    return qd_shift(qd_sqrt_near_one(qd_shift(a, range.from)), range.to);
}

#endif
