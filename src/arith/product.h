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

LANE_FN real real_product(real a, real b) { return real_mul(a, b); }
LANE_FN cplx cplx_product(cplx a, cplx b)
{
    return cplx_make(real_acc_value(real_acc_sub(real_acc_start(a.re, b.re), a.im, b.im)),
                     real_acc_value(real_acc_add(real_acc_start(a.re, b.im), a.im, b.re)));
}
#define num_product NUM_FN(product)

#endif
