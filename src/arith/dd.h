/* dd.h - double double: x = hi + lo, where hi is the double nearest to x.
 *
 * u = 2^-53. The bounds are relative errors. Those of sums, products and the square root are from Joldes, Muller and
 * Popescu, "Tight and rigorous error bounds for basic building blocks of double-word arithmetic", ACM TOMS 44 (2017),
 * improved by Muller and Rideau, ACM TOMS 48 (2022), and Lefevre, Louvet, Muller, Picot and Rideau, ACM TOMS 49 (2023)
 * for the square root. A limb below 2^-1022 is rounded to a multiple of 2^-1074, so 2^-1073 must be added to every
 * absolute error. The tests in tests/arith check each bound against MPFR.
 *
 * Special values: if the result is not finite, hi is the result of double arithmetic on the leading limbs, and lo is
 * 0. An overflow is therefore an infinity, except where the leading limbs alone do not overflow but their sum with
 * the lower limbs does (by less than one unit): then the result is the largest double or its neighbour. neg, abs and
 * scale keep the sign of a zero; elsewhere it carries no meaning. */
#ifndef PLUMB_ARITH_DD_H
#define PLUMB_ARITH_DD_H

#include "arith/eft.h"
#include "arith/range.h"

LANE_FN dd dd_of(lane head) { return dd_make(head, lane_set(0.0)); }
LANE_FN dd dd_set(double a) { return dd_make(lane_set(a), lane_set(0.0)); }
LANE_FN dd dd_load(const double *p, int64_t plane, int count)
{
    return dd_make(lane_get(p, count), count == LANE_WIDTH ? lane_load(p + plane) : lane_get(p + plane, count));
}
/* Copies one number into every lane. */
LANE_FN dd dd_spread(const double *p, int64_t plane) { return dd_make(lane_set(p[0]), lane_set(p[plane])); }
/* The same for a number that is stored for lane_of_copies, limb after limb. */
LANE_FN dd dd_of_copies(const double *p) { return dd_make(lane_of_copies(p), lane_of_copies(p + LANE_COPIES)); }
LANE_FN void dd_store(double *p, int64_t plane, dd a, int count)
{
    lane_put(p, a.hi, count);
    lane_put(p + plane, a.lo, count);
}

LANE_FN lane dd_head(dd a) { return a.hi; }
LANE_FN dd dd_select(lane_mask m, dd a, dd b)
{
    return dd_make(lane_select(m, a.hi, b.hi), lane_select(m, a.lo, b.lo));
}

/* 0 - lo instead of -lo, so that a zero limb stays +0. */
LANE_FN dd dd_neg(dd a) { return dd_make(lane_neg(a.hi), lane_sub(lane_set(0.0), a.lo)); }
LANE_FN dd dd_abs(dd a)
{
    lane_mask negative = lane_lt(a.hi, lane_set(0.0));
    return dd_make(lane_abs(a.hi), lane_select(negative, lane_sub(lane_set(0.0), a.lo), a.lo));
}
/* a times a power of two, if the product cannot overflow. */
LANE_FN dd dd_shift(dd a, lane power) { return dd_make(lane_mul(a.hi, power), lane_mul(a.lo, power)); }

/* Returns r if it is finite, otherwise plain, the result of double arithmetic on the leading limbs. */
LANE_FN dd dd_settle(dd r, lane plain)
{
    lane_mask sound = lane_sound(r.hi);
    return dd_make(lane_settle_head(sound, r.hi, plain), lane_settle_limb(sound, r.lo));
}

/* Exact. */
LANE_FN dd dd_scale(dd a, lane power)
{
    dd r = dd_shift(a, power);
    return dd_settle(r, r.hi);
}

/* 3u^2 + 13u^3 (AccurateDWPlusDW). */
LANE_FN dd dd_add(dd a, dd b)
{
    dd s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo); /* exact */
    dd v = quick_two_sum(s.hi, lane_add(s.lo, t.hi));
    return dd_settle(quick_two_sum(v.hi, lane_add(t.lo, v.lo)), s.hi);
}
LANE_FN dd dd_sub(dd a, dd b)
{
    dd s = two_diff(a.hi, b.hi), t = two_diff(a.lo, b.lo);
    dd v = quick_two_sum(s.hi, lane_add(s.lo, t.hi));
    return dd_settle(quick_two_sum(v.hi, lane_add(t.lo, v.lo)), s.hi);
}

/* 2u^2 (DWPlusFP). */
LANE_FN dd dd_add_d(dd a, lane b)
{
    dd s = two_sum(a.hi, b);
    return dd_settle(quick_two_sum(s.hi, lane_add(a.lo, s.lo)), s.hi);
}

/* 5u^2 (DWTimesDW1). Symmetric in a and b, so it commutes bit for bit. */
LANE_FN dd dd_mul(dd a, dd b)
{
    dd p = two_prod_neg(a.hi, b.hi); /* exact */
    lane c = lane_add(lane_mul(a.hi, b.lo), lane_mul(a.lo, b.hi));
    return dd_settle(quick_two_sum(p.hi, lane_sub(c, p.lo)), p.hi);
}

/* 5u^2: the two equal cross products of dd_mul(a, a) become one fused product. */
LANE_FN dd dd_sqr(dd a)
{
    dd p = two_prod_neg(a.hi, a.hi);
    return dd_settle(quick_two_diff(p.hi, lane_fnma(lane_add(a.hi, a.hi), a.lo, p.lo)), p.hi);
}

/* 2u^2 (DWTimesFP3). */
LANE_FN dd dd_mul_d(dd a, lane b)
{
    dd p = two_prod_neg(a.hi, b);
    return dd_settle(quick_two_diff(p.hi, lane_fnma(a.lo, b, p.lo)), p.hi);
}

/* 12u^2. The quotient of the leading limbs leaves an exact remainder. The second quotient is at most 3u; it leaves out
 * its product with b.lo, 3u^2, and its three roundings contribute 2u^2 + 3u^2 + 3u^2. */
LANE_FN dd dd_div(dd a, dd b)
{
    quotient_range r = quotient_range_of(a.hi, b.hi);
    dd x = dd_shift(a, r.from_x), y = dd_shift(b, r.from_y);
    lane q = lane_div(x.hi, y.hi);
    lane rest = lane_add(lane_fnma(q, y.hi, x.hi), lane_fnma(q, y.lo, x.lo)); /* the first fnma is exact */
    return dd_settle(dd_shift(quick_two_sum(q, lane_div(rest, y.hi)), r.to), lane_mul(q, r.to));
}

/* 5u^2: the same with b.lo = 0. */
LANE_FN dd dd_div_d(dd a, lane b)
{
    quotient_range r = quotient_range_of(a.hi, b);
    dd x = dd_shift(a, r.from_x);
    lane y = lane_mul(b, r.from_y), q = lane_div(x.hi, y), rest = lane_add(lane_fnma(q, y, x.hi), x.lo);
    return dd_settle(dd_shift(quick_two_sum(q, lane_div(rest, y)), r.to), lane_mul(q, r.to));
}

/* 8u^2: q (1 + e + e^2), where q is the reciprocal of the leading limb and e = 1 - a q, at most 2u; e and two more
 * roundings contribute 2u^2 each. Without scaling it is for numbers in the middle of the range. */
LANE_FN dd dd_inv_with(dd a, lane q)
{
    lane e = lane_fnma(q, a.lo, lane_fnma(q, a.hi, lane_set(1.0))); /* the inner fnma is exact */
    return quick_two_sum(q, lane_mul(q, lane_fma(e, e, e)));
}
LANE_FN dd dd_inv_near_one(dd a) { return dd_inv_with(a, lane_div(lane_set(1.0), a.hi)); }
LANE_FN dd dd_inv(dd a)
{
    lane by = inverse_range_of(a.hi);
    dd x = dd_shift(a, by);
    lane q = lane_div(lane_set(1.0), x.hi);
    return dd_settle(dd_shift(dd_inv_with(x, q), by), lane_mul(q, by));
}

/* 25/8 u^2 (SQRTDWtoDW). */
LANE_FN dd dd_sqrt_near_one(dd a)
{
    lane s = lane_sqrt(a.hi);
    lane r = lane_add(a.lo, lane_fnma(s, s, a.hi)); /* the fnma is exact */
    return dd_settle(quick_two_sum(s, lane_div(r, lane_add(s, s))), s);
}
LANE_FN dd dd_sqrt(dd a)
{
    root_range range = root_range_of(a.hi);
    return dd_shift(dd_sqrt_near_one(dd_shift(a, range.from)), range.to);
}

/* Sum of n products, 12 operations per product: the leading products are added exactly, all lower terms in double.
 * |error| <= (n + 3)^2 u^2 (sum of |a b|), and close to u^2 (sum of |a b|) sqrt(n) in practice. See Ogita, Rump and
 * Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26 (2005). */
typedef dd dd_acc;

LANE_FN dd_acc dd_acc_zero(void) { return dd_set(0.0); }
LANE_FN dd_acc dd_acc_of(dd a) { return a; }
LANE_FN dd_acc dd_acc_start(dd a, dd b) /* begins with a product instead of zero */
{
    dd p = two_prod_neg(a.hi, b.hi);
    return dd_make(p.hi, lane_fma(a.lo, b.hi, lane_sub(lane_mul(a.hi, b.lo), p.lo)));
}
LANE_FN dd_acc dd_acc_add(dd_acc s, dd a, dd b)
{
    dd p = two_prod_neg(a.hi, b.hi);
    dd t = two_sum(s.hi, p.hi);
    lane c = lane_fma(a.lo, b.hi, lane_fma(a.hi, b.lo, lane_sub(t.lo, p.lo)));
    return dd_make(t.hi, lane_add(s.lo, c));
}
LANE_FN dd_acc dd_acc_sub(dd_acc s, dd a, dd b)
{
    dd p = two_prod_neg(a.hi, b.hi);
    dd t = two_diff(s.hi, p.hi);
    lane c = lane_fnma(a.lo, b.hi, lane_fnma(a.hi, b.lo, lane_add(t.lo, p.lo)));
    return dd_make(t.hi, lane_add(s.lo, c));
}
LANE_FN dd dd_acc_value(dd_acc s) { return dd_settle(two_sum(s.hi, s.lo), s.hi); }

/* a b rounded once, error u^2: nothing is lost before the lower limb is rounded. The operands must be finite. */
LANE_FN dd dd_product_fine(dd a, dd b)
{
    dd p = two_prod_neg(a.hi, b.hi), q = two_prod_neg(a.hi, b.lo), r = two_prod_neg(a.lo, b.hi);
    dd s = two_sum(q.hi, r.hi), t = two_diff(s.hi, p.lo);
    lane rest = lane_fma(a.lo, b.lo, lane_sub(lane_add(s.lo, t.lo), lane_add(q.lo, r.lo)));
    return quick_two_sum(p.hi, lane_add(t.hi, rest));
}

/* x - a b, and x - a b - u v (x - a b + u v if minus is 0), by an accumulator, which in dd rounds a few times. The
 * operands must be finite: an infinity leaves a NaN in lo. */
LANE_FN dd dd_rest(dd x, dd a, dd b)
{
    dd_acc s = dd_acc_sub(x, a, b);
    return two_sum(s.hi, s.lo);
}
LANE_FN dd dd_rest_2(dd x, dd a, dd b, dd u, dd v, int minus)
{
    dd_acc s = dd_acc_sub(x, a, b);
    s = minus ? dd_acc_sub(s, u, v) : dd_acc_add(s, u, v);
    return two_sum(s.hi, s.lo);
}

#endif
