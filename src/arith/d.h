/* d.h - one double with the function names of the other precisions, so that algorithms are written once.
 *
 * Every operation is the IEEE 754 operation: correctly rounded, |error| <= u |result| with u = 2^-53, including
 * signed zeros and NaN. */
#ifndef PLUMB_ARITH_D_H
#define PLUMB_ARITH_D_H

#include "arith/lane.h"

typedef struct d {
    lane x;
} d;

LANE_FN d d_make(lane x)
{
    d r;
    r.x = x;
    return r;
}

LANE_FN d d_of(lane head) { return d_make(head); }
LANE_FN d d_set(double a) { return d_make(lane_set(a)); }
LANE_FN d d_load(const double *p, int64_t plane, int count)
{
    (void)plane;
    return d_make(lane_get(p, count));
}
/* Copies one number into every lane. */
LANE_FN d d_spread(const double *p, int64_t plane)
{
    (void)plane;
    return d_make(lane_set(*p));
}
LANE_FN d d_of_copies(const double *p) { return d_make(lane_of_copies(p)); }
LANE_FN void d_store(double *p, int64_t plane, d a, int count)
{
    (void)plane;
    lane_put(p, a.x, count);
}

LANE_FN lane d_head(d a) { return a.x; }
LANE_FN d d_select(lane_mask m, d a, d b) { return d_make(lane_select(m, a.x, b.x)); }
LANE_FN d d_neg(d a) { return d_make(lane_neg(a.x)); }
LANE_FN d d_abs(d a) { return d_make(lane_abs(a.x)); }
LANE_FN d d_shift(d a, lane power) { return d_make(lane_mul(a.x, power)); }
LANE_FN d d_scale(d a, lane power) { return d_make(lane_mul(a.x, power)); }

LANE_FN d d_add(d a, d b) { return d_make(lane_add(a.x, b.x)); }
LANE_FN d d_sub(d a, d b) { return d_make(lane_sub(a.x, b.x)); }
LANE_FN d d_mul(d a, d b) { return d_make(lane_mul(a.x, b.x)); }
LANE_FN d d_sqr(d a) { return d_make(lane_mul(a.x, a.x)); }
LANE_FN d d_div(d a, d b) { return d_make(lane_div(a.x, b.x)); }
LANE_FN d d_inv(d a) { return d_make(lane_div(lane_set(1.0), a.x)); }
LANE_FN d d_inv_near_one(d a) { return d_inv(a); }
LANE_FN d d_sqrt(d a) { return d_make(lane_sqrt(a.x)); }
LANE_FN d d_sqrt_near_one(d a) { return d_sqrt(a); }
LANE_FN d d_add_d(d a, lane b) { return d_make(lane_add(a.x, b)); }
LANE_FN d d_mul_d(d a, lane b) { return d_make(lane_mul(a.x, b)); }
LANE_FN d d_div_d(d a, lane b) { return d_make(lane_div(a.x, b)); }

/* Sum of n products: |error| <= n u (sum of |a b|) to first order. */
typedef d d_acc;

LANE_FN d_acc d_acc_zero(void) { return d_set(0.0); }
LANE_FN d_acc d_acc_of(d a) { return a; }
LANE_FN d_acc d_acc_start(d a, d b) { return d_mul(a, b); } /* begins with a product instead of zero */
LANE_FN d_acc d_acc_add(d_acc s, d a, d b) { return d_make(lane_fma(a.x, b.x, s.x)); }
LANE_FN d_acc d_acc_sub(d_acc s, d a, d b) { return d_make(lane_fnma(a.x, b.x, s.x)); }
LANE_FN d d_acc_value(d_acc s) { return s; }

LANE_FN d d_product_fine(d a, d b) { return d_mul(a, b); }

/* x - a b, and x - a b - u v (x - a b + u v if minus is 0). */
LANE_FN d d_rest(d x, d a, d b) { return d_acc_sub(x, a, b); }
LANE_FN d d_rest_2(d x, d a, d b, d u, d v, int minus)
{
    d_acc s = d_acc_sub(x, a, b);
    return minus ? d_acc_sub(s, u, v) : d_acc_add(s, u, v);
}

#endif
