/* complex.h - complex numbers over `real`, the type of the precision being compiled (real.h).
 *
 * The error bounds are normwise, |error| <= c u |result|, where u is 2^-53, 2^-104 or 2^-208 depending on the
 * precision; docs/arithmetic.md lists the constants c. The formulas are plain: an infinite part can produce a NaN in
 * the other part, as in C without Annex G, and division by zero gives NaN in both parts. Products are made of rounded
 * real products, so that they commute bit for bit and z * conj(z) has an imaginary part of exactly zero. Division,
 * modulus and square root first scale by powers of two, so that they overflow only if the result does. */
#ifndef PLUMB_ARITH_COMPLEX_H
#define PLUMB_ARITH_COMPLEX_H

#include "arith/real.h"

typedef struct cplx {
    real re, im;
} cplx;

LANE_FN cplx cplx_make(real re, real im)
{
    cplx z;
    z.re = re;
    z.im = im;
    return z;
}

/* The imaginary planes follow the real ones. */
LANE_FN cplx cplx_load(const double *p, int64_t plane, int count)
{
    return cplx_make(real_load(p, plane, count), real_load(p + PLUMB_LIMBS * plane, plane, count));
}
LANE_FN void cplx_store(double *p, int64_t plane, cplx z, int count)
{
    real_store(p, plane, z.re, count);
    real_store(p + PLUMB_LIMBS * plane, plane, z.im, count);
}

LANE_FN cplx cplx_neg(cplx z) { return cplx_make(real_neg(z.re), real_neg(z.im)); }
LANE_FN cplx cplx_conj(cplx z) { return cplx_make(z.re, real_neg(z.im)); }
LANE_FN cplx cplx_shift(cplx z, lane power) { return cplx_make(real_shift(z.re, power), real_shift(z.im, power)); }
LANE_FN cplx cplx_scale(cplx z, lane power) { return cplx_make(real_scale(z.re, power), real_scale(z.im, power)); }
LANE_FN cplx cplx_add(cplx a, cplx b) { return cplx_make(real_add(a.re, b.re), real_add(a.im, b.im)); }
LANE_FN cplx cplx_sub(cplx a, cplx b) { return cplx_make(real_sub(a.re, b.re), real_sub(a.im, b.im)); }
LANE_FN cplx cplx_add_d(cplx a, lane b) { return cplx_make(real_add_d(a.re, b), a.im); }
LANE_FN cplx cplx_mul_d(cplx a, lane b) { return cplx_make(real_mul_d(a.re, b), real_mul_d(a.im, b)); }
LANE_FN cplx cplx_div_d(cplx a, lane b) { return cplx_make(real_div_d(a.re, b), real_div_d(a.im, b)); }
LANE_FN cplx cplx_mul_real(cplx a, real b) { return cplx_make(real_mul(a.re, b), real_mul(a.im, b)); }

LANE_FN cplx cplx_mul(cplx a, cplx b)
{
    return cplx_make(real_sub(real_mul(a.re, b.re), real_mul(a.im, b.im)),
                     real_add(real_mul(a.re, b.im), real_mul(a.im, b.re)));
}

LANE_FN cplx cplx_sqr(cplx a)
{
    return cplx_make(real_mul(real_add(a.re, a.im), real_sub(a.re, a.im)),
                     real_scale(real_mul(a.re, a.im), lane_set(2.0)));
}

/* The larger of the leading limbs of the two parts in modulus; infinite or NaN if one of them is. */
LANE_FN lane cplx_size(cplx a)
{
    lane re = lane_abs(real_head(a.re)), im = lane_abs(real_head(a.im));
    return lane_select(lane_lt(re, im), im, lane_select(lane_eq(im, im), re, im));
}

/* A sum of products, with one accumulator for each part. */
typedef struct cplx_acc {
    real_acc re, im;
} cplx_acc;

LANE_FN cplx_acc cplx_acc_of(cplx a)
{
    cplx_acc s;
    s.re = real_acc_of(a.re);
    s.im = real_acc_of(a.im);
    return s;
}
LANE_FN cplx_acc cplx_acc_zero(void)
{
    cplx_acc s;
    s.re = real_acc_zero();
    s.im = real_acc_zero();
    return s;
}
LANE_FN cplx_acc cplx_acc_add(cplx_acc s, cplx a, cplx b) /* s + a b */
{
    s.re = real_acc_sub(real_acc_add(s.re, a.re, b.re), a.im, b.im);
    s.im = real_acc_add(real_acc_add(s.im, a.re, b.im), a.im, b.re);
    return s;
}
LANE_FN cplx_acc cplx_acc_sub(cplx_acc s, cplx a, cplx b) /* s - a b */
{
    s.re = real_acc_add(real_acc_sub(s.re, a.re, b.re), a.im, b.im);
    s.im = real_acc_sub(real_acc_sub(s.im, a.re, b.im), a.im, b.re);
    return s;
}
LANE_FN cplx_acc cplx_acc_add_conj(cplx_acc s, cplx a, cplx b) /* s + conj(a) b */
{
    s.re = real_acc_add(real_acc_add(s.re, a.re, b.re), a.im, b.im);
    s.im = real_acc_sub(real_acc_add(s.im, a.re, b.im), a.im, b.re);
    return s;
}
LANE_FN cplx cplx_acc_value(cplx_acc s) { return cplx_make(real_acc_value(s.re), real_acc_value(s.im)); }

/* x - a b, each part rounded as real_rest_2 does. */
LANE_FN cplx cplx_rest(cplx x, cplx a, cplx b)
{
    return cplx_make(real_rest_2(x.re, a.re, b.re, a.im, b.im, 0), real_rest_2(x.im, a.re, b.im, a.im, b.re, 1));
}

LANE_FN cplx cplx_fma(cplx a, cplx b, cplx c) { return cplx_acc_value(cplx_acc_add(cplx_acc_of(c), a, b)); }

/* |a|^2 for an a whose square neither overflows nor underflows. */
LANE_FN real cplx_norm_near_one(cplx a) { return real_add(real_sqr(a.re), real_sqr(a.im)); }

/* a conj(b) / |b|^2, where each part of the product is an accumulator, which is normalised once. */
LANE_FN cplx cplx_div(cplx a, cplx b)
{
    quotient_range r = quotient_range_of(cplx_size(a), cplx_size(b));
    cplx x = cplx_shift(a, r.from_x), y = cplx_shift(b, r.from_y);
    real re = real_acc_value(real_acc_add(real_acc_start(x.re, y.re), x.im, y.im));
    real im = real_acc_value(real_acc_sub(real_acc_start(x.im, y.re), x.re, y.im));
    cplx q = cplx_mul_real(cplx_make(re, im), real_inv_near_one(cplx_norm_near_one(y)));
    return cplx_scale(q, r.to);
}

/* conj(a) / |a|^2. */
LANE_FN cplx cplx_inv(cplx a)
{
    lane by = inverse_range_of(cplx_size(a));
    cplx x = cplx_shift(a, by);
    return cplx_scale(cplx_mul_real(cplx_conj(x), real_inv_near_one(cplx_norm_near_one(x))), by);
}

LANE_FN real cplx_abs(cplx a)
{
    lane size = cplx_size(a);
    norm_range r = norm_range_of(size);
    real s = real_sqrt_near_one(cplx_norm_near_one(cplx_shift(a, r.from)));
    s = real_scale(real_shift(s, r.half), r.to);
    return real_select(lane_is_finite(size), s, real_of(size)); /* if a is infinite or NaN, so is its size */
}

/* w = sqrt((|a| + |re a|) / 2) is the larger part of the root, the other is |im a| / (2 w). */
LANE_FN cplx cplx_sqrt(cplx a)
{
    lane zero = lane_set(0.0);
    root_range range = root_range_of(cplx_size(a));
    cplx x = cplx_shift(a, range.from);
    real modulus = real_sqrt_near_one(cplx_norm_near_one(x));
    real w = real_sqrt_near_one(real_shift(real_add(modulus, real_abs(x.re)), lane_set(0.5)));
    real v = real_div(real_abs(x.im), real_shift(w, lane_set(2.0)));
    v = real_select(lane_eq(real_head(w), zero), real_set(0.0), v); /* the root of zero */
    lane_mask left = lane_lt(real_head(a.re), zero); /* of a, not of x: scaling may flush a small part to 0 */
    real re = real_select(left, v, w), im = real_select(left, w, v);
    im = real_select(lane_lt(real_head(a.im), zero), real_neg(im), im);
    return cplx_shift(cplx_make(re, im), range.to);
}

#endif
