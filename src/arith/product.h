/* product.h - complex products for long chains of factors in a fixed order, where products need not commute bit for
 * bit.
 *
 * Each part of a complex product is a sum of two real products. In an accumulator it is renormalised once, whereas
 * cplx_mul rounds two products and their sum. Each part has |error| <= c |a| |b|, where c follows from the bounds of
 * the accumulators for two products: 2 * 2^-53 in d, 25 * 2^-106 in dd, 6 * 2^-208 in qd; errors in practice are far
 * smaller. */
#ifndef PLUMB_ARITH_PRODUCT_H
#define PLUMB_ARITH_PRODUCT_H

#include "arith/number.h"

/* An accumulator that begins with a product instead of zero. */
LANE_FN d_acc d_acc_start(d a, d b) { return d_mul(a, b); }
LANE_FN dd_acc dd_acc_start(dd a, dd b)
{
    dd p = two_prod_neg(a.hi, b.hi);
    return dd_make(p.hi, lane_fma(a.lo, b.hi, lane_sub(lane_mul(a.hi, b.lo), p.lo)));
}
LANE_FN qd_acc qd_acc_start(qd a, qd b)
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
#define real_acc_start REAL_FN(_acc_start)

LANE_FN real real_product(real a, real b) { return real_mul(a, b); }
LANE_FN cplx cplx_product(cplx a, cplx b)
{
    return cplx_make(real_acc_value(real_acc_sub(real_acc_start(a.re, b.re), a.im, b.im)),
                     real_acc_value(real_acc_add(real_acc_start(a.re, b.im), a.im, b.re)));
}
#define num_product NUM_FN(product)

#endif
