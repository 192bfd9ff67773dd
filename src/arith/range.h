/* range.h - powers of two that scale operands to magnitudes near 1, so that no intermediate result of a division or a
 * square root overflows or underflows. Multiplication by them is exact. */
#ifndef PLUMB_ARITH_RANGE_H
#define PLUMB_ARITH_RANGE_H

#include "arith/lane.h"

/* The biased exponent of x, 1 .. 2046; zero and subnormal numbers give 1, infinity and NaN give 2047. */
LANE_FN lane_int lane_exponent(lane x)
{
    lane a = lane_abs(x), tiny = lane_set(0x1p-1022);
    a = lane_select(lane_lt(a, tiny), tiny, a);
    return lane_int_and(lane_int_shr(lane_to_int(a), 52), lane_int_set(2047)); /* a NaN may have kept its sign */
}

/* 2^(e - 1023) for a biased exponent 1 .. 2046; 0 gives 0 and 2047 infinity. */
LANE_FN lane lane_power(lane_int e) { return lane_from_int(lane_int_shl(e, 52)); }

/* Scaling for a quotient x / y: x*from_x and y*from_y have moduli in [2, 4), and their quotient times to_1 times to_2
 * is x / y. */
typedef struct quotient_range {
    lane from_x, from_y, to_1, to_2;
} quotient_range;

LANE_FN quotient_range quotient_range_of(lane x, lane y)
{
    quotient_range r;
    lane_int ex = lane_exponent(x), ey = lane_exponent(y);
    lane_int top = lane_int_set(2047);
    r.from_x = lane_power(lane_int_sub(top, ex));
    r.from_y = lane_power(lane_int_sub(top, ey));
    /* ex - ey, shifted to be positive and split into two halves, because a single factor could exceed the range of
     * exponents. */
    lane_int both = lane_int_sub(lane_int_add(ex, lane_int_set(4096)), ey);
    lane_int half = lane_int_shr(both, 1);
    r.to_1 = lane_power(lane_int_sub(half, lane_int_set(1025)));
    r.to_2 = lane_power(lane_int_sub(lane_int_sub(both, half), lane_int_set(1025)));
    return r;
}

/* Scaling for a square root: x*from*from has a modulus in [1/2, 2), and its square root times to is the square root
 * of x. */
typedef struct root_range {
    lane from, to;
} root_range;

LANE_FN root_range root_range_of(lane x)
{
    root_range r;
    lane_int half = lane_int_shr(lane_exponent(x), 1);
    r.from = lane_power(lane_int_sub(lane_int_set(1534), half));
    r.to = lane_power(lane_int_add(half, lane_int_set(512)));
    return r;
}

/* Scaling for a modulus: x*from is in [2, 4), and the result times half times to, in this order, restores the size of
 * x. */
typedef struct norm_range {
    lane from, half, to;
} norm_range;

LANE_FN norm_range norm_range_of(lane x)
{
    norm_range r;
    lane_int e = lane_exponent(x);
    r.from = lane_power(lane_int_sub(lane_int_set(2047), e));
    r.half = lane_set(0.5);
    r.to = lane_power(e);
    return r;
}

#endif
