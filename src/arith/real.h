/* real.h - selects the precision at compile time: real is d, dd or qd, and real_add is its addition. Compile with,
 * for example, -DPLUMB_PREC=dd.
 *
 * To add a precision (triple double, octo double), write a header with these functions and include it below. */
#ifndef PLUMB_ARITH_REAL_H
#define PLUMB_ARITH_REAL_H

#include "arith/d.h"
#include "arith/dd.h"
#include "arith/qd.h"
#include "arith/qd_quotient.h"
#include "arith/qd_rest.h"

#define REAL_JOIN_(a, b) a##b
#define REAL_JOIN(a, b) REAL_JOIN_(a, b)
#define REAL_FN(name) REAL_JOIN(PLUMB_PREC, name)

#define real PLUMB_PREC
#define real_set REAL_FN(_set)
#define real_of REAL_FN(_of)               /* (head): the number with this leading limb and no others */
#define real_load REAL_FN(_load)           /* (p, plane, count) */
#define real_spread REAL_FN(_spread)       /* (p, plane): copies one number into every lane */
#define real_of_copies REAL_FN(_of_copies) /* (p): the same from copies, see lane_of_copies */
#define real_store REAL_FN(_store)         /* (p, plane, x, count) */
#define real_head REAL_FN(_head)           /* the leading limb */
#define real_select REAL_FN(_select)
#define real_neg REAL_FN(_neg)
#define real_abs REAL_FN(_abs)
#define real_shift REAL_FN(_shift) /* by a power of two, if the product cannot overflow */
#define real_scale REAL_FN(_scale) /* by a power of two */
#define real_add REAL_FN(_add)
#define real_sub REAL_FN(_sub)
#define real_mul REAL_FN(_mul)
#define real_sqr REAL_FN(_sqr)
#define real_div REAL_FN(_div)
#define real_inv REAL_FN(_inv)
#define real_sqrt REAL_FN(_sqrt)
#define real_inv_near_one REAL_FN(_inv_near_one)   /* in the middle of the range; a zero gives NaN or infinity */
#define real_sqrt_near_one REAL_FN(_sqrt_near_one) /* in the middle of the range, or a special value */
#define real_add_d REAL_FN(_add_d)                 /* with a double */
#define real_mul_d REAL_FN(_mul_d)
#define real_div_d REAL_FN(_div_d)

#define real_acc REAL_FN(_acc) /* an accumulator: start, add products, take the value */
#define real_acc_zero REAL_FN(_acc_zero)
#define real_acc_of REAL_FN(_acc_of)
#define real_acc_start REAL_FN(_acc_start) /* (a, b): begins with a product */
#define real_acc_add REAL_FN(_acc_add)
#define real_acc_sub REAL_FN(_acc_sub)
#define real_acc_value REAL_FN(_acc_value)

#define real_product_fine REAL_FN(_product_fine) /* rounded once */
#define real_rest REAL_FN(_rest)                 /* (x, a, b): x - a b */
#define real_rest_2 REAL_FN(_rest_2)             /* (x, a, b, u, v, minus): x - a b - u v; + u v if minus is 0 */

/* a * b + c with one renormalisation; its error bound is relative to |a b| + |c|. */
LANE_FN real real_fma(real a, real b, real c) { return real_acc_value(real_acc_add(real_acc_of(c), a, b)); }

/* -1, 0 or 1 for a < b, a = b, a > b; NaN if an operand is NaN. The result is the sign of the difference, because a
 * number can have two expansions if a limb is exactly half a unit; infinities are compared directly. */
LANE_FN lane real_cmp(real a, real b)
{
    lane zero = lane_set(0.0), one = lane_set(1.0);
    lane_mask finite = lane_mask_and(lane_is_finite(real_head(a)), lane_is_finite(real_head(b)));
    lane x = lane_select(finite, real_head(real_sub(a, b)), real_head(a));
    lane y = lane_select(finite, zero, real_head(b));
    lane order = lane_sub(lane_keep(lane_lt(y, x), one), lane_keep(lane_lt(x, y), one));
    lane nan = lane_add(lane_select(lane_eq(x, x), zero, x), lane_select(lane_eq(y, y), zero, y));
    return lane_add(order, nan);
}

#endif
