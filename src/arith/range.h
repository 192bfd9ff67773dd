/* range.h - powers of two that scale operands to moderate magnitudes, so that no intermediate result of a division or a
 * square root overflows or underflows. Multiplication by them is exact.
 *
 * A power follows from the exponent of the operand without its last two bits: a double has 2046 exponents of normal
 * numbers, and the reciprocal of the largest power of two is subnormal, whereas here every power has a reciprocal, and
 * zero, subnormal numbers, infinities and NaN need no treatment of their own. Scaled operands lie in [1, 16) instead
 * of [1, 2); subnormal ones are smaller, down to 2^-51, and infinities and NaN remain what they are. */
#ifndef PLUMB_ARITH_RANGE_H
#define PLUMB_ARITH_RANGE_H

#include "arith/lane.h"

/* A power of two 2^k is held as its biased exponent k + 1023 in the place of the exponent of a double. */
#define LANE_BIASED(k) lane_int_set((uint64_t)(1023 + (k)) << 52)

/* The biased exponent of x, rounded down to a multiple of four; zero and subnormal numbers give 0, infinity and NaN
 * 2044. */
LANE_FN lane_int lane_coarse_exponent(lane x)
{
    return lane_int_and(lane_to_int(x), lane_int_set((uint64_t)0x7fc << 52));
}

/* Scaling for a reciprocal: x*by is in [1, 16), and its reciprocal times by is 1 / x. */
LANE_FN lane inverse_range_of(lane x)
{
    return lane_from_int(lane_int_sub(LANE_BIASED(1023), lane_coarse_exponent(x)));
}

/* Scaling for a quotient x / y: y*from_y is in [1, 16), x*from_x is x times a power of two, and their quotient times to
 * is x / y. The exponent of x / y is split evenly between the quotient and to, because to alone could exceed the range
 * of exponents. If x / y is within the range, x*from_x is between 2^-540 and 2^520. */
typedef struct quotient_range {
    lane from_x, from_y, to;
} quotient_range;

LANE_FN quotient_range quotient_range_of(lane x, lane y)
{
    quotient_range r;
    lane_int ex = lane_coarse_exponent(x), ey = lane_coarse_exponent(y);
    lane_int half = lane_int_shr(lane_int_add(ex, ey), 1); /* even, since ex and ey are multiples of four */
    r.from_x = lane_from_int(lane_int_sub(LANE_BIASED(1023), half));
    r.from_y = lane_from_int(lane_int_sub(LANE_BIASED(1023), ey));
    r.to = lane_from_int(lane_int_add(lane_int_sub(half, ey), LANE_BIASED(0)));
    return r;
}

/* Scaling for a square root: x*from is in [1/2, 8), and its square root times to is the square root of x. */
typedef struct root_range {
    lane from, to;
} root_range;

LANE_FN root_range root_range_of(lane x)
{
    root_range r;
    lane_int e = lane_coarse_exponent(x);
    r.from = lane_from_int(lane_int_sub(LANE_BIASED(1022), e));
    r.to = lane_from_int(lane_int_add(lane_int_shr(e, 1), LANE_BIASED(-511)));
    return r;
}

/* Scaling for a modulus: x*from is in [1, 16), and the result times half times to, in this order, restores the size of
 * x. */
typedef struct norm_range {
    lane from, half, to;
} norm_range;

LANE_FN norm_range norm_range_of(lane x)
{
    norm_range r;
    lane_int e = lane_coarse_exponent(x);
    r.from = lane_from_int(lane_int_sub(LANE_BIASED(1023), e));
    r.half = lane_set(0.5);
    r.to = lane_from_int(lane_int_add(e, LANE_BIASED(-1022)));
    return r;
}

#undef LANE_BIASED

#endif
