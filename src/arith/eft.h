/* eft.h - error-free transformations: a rounded sum or product together with its exact rounding error.
 *
 * Reference: Knuth, TAOCP 2, 4.2.2; Dekker 1971; Boldo, Jeannerod, Melquiond, Muller, "Floating-point arithmetic",
 * Acta Numerica 2023, sections 3 and 4. Sums are exact whenever hi is finite; the error of a product is exact while
 * it is no smaller than 2^-1074, that is for |a*b| >= 2^-968. */
#ifndef PLUMB_ARITH_EFT_H
#define PLUMB_ARITH_EFT_H

#include "arith/lane.h"

typedef struct dd {
    lane hi, lo;
} dd;

LANE_FN dd dd_make(lane hi, lane lo)
{
    dd x;
    x.hi = hi;
    x.lo = lo;
    return x;
}

/* hi + lo = a + b, where hi is the rounded sum, for any a and b. two_sum(b, a) gives the same bits. */
LANE_FN dd two_sum(lane a, lane b)
{
    lane s = lane_add(a, b);
    lane bb = lane_sub(s, a);
    return dd_make(s, lane_add(lane_sub(a, lane_sub(s, bb)), lane_sub(b, bb)));
}

/* hi + lo = a - b. */
LANE_FN dd two_diff(lane a, lane b)
{
    lane s = lane_sub(a, b);
    lane bb = lane_sub(s, a);
    return dd_make(s, lane_sub(lane_sub(a, lane_sub(s, bb)), lane_add(b, bb)));
}

/* The same at half the cost, valid if |a| >= |b|, if a = 0, or if a is a multiple of ulp(b). */
LANE_FN dd quick_two_sum(lane a, lane b)
{
    lane s = lane_add(a, b);
    return dd_make(s, lane_sub(b, lane_sub(s, a)));
}

LANE_FN dd quick_two_diff(lane a, lane b)
{
    lane s = lane_sub(a, b);
    return dd_make(s, lane_sub(lane_sub(a, s), b));
}

/* hi - lo = a * b: the error is negated, because every machine has c - a*b in one instruction and NEON has no a*b -
 * c. */
LANE_FN dd two_prod_neg(lane a, lane b)
{
    lane p = lane_mul(a, b);
    return dd_make(p, lane_fnma(a, b, p));
}

/* a + b in place: a becomes the rounded sum, b its rounding error. */
LANE_FN void sum_in_place(lane *a, lane *b)
{
    dd s = two_sum(*a, *b);
    *a = s.hi;
    *b = s.lo;
}
LANE_FN void quick_sum_in_place(lane *a, lane *b)
{
    dd s = quick_two_sum(*a, *b);
    *a = s.hi;
    *b = s.lo;
}

#endif
