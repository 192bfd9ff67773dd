/* lane_short.h - a lane of one short number: its operations round to lane_bits bits instead of 53, ties to even.
 *
 * The arithmetic of src/arith compiled with this lane does on short numbers what it does on doubles; cancellations over
 * several limbs, carries and ties, which random doubles almost never meet, are frequent there. Sums are exact before they
 * are rounded as long as all numbers are integers below 2^53; products are not needed. */
#ifndef PLUMB_ARITH_LANE_SHORT_H
#define PLUMB_ARITH_LANE_SHORT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LANE_FN static inline __attribute__((unused))
#define LANE_WIDTH 1

typedef double lane;
typedef int lane_mask;
typedef uint64_t lane_int;

static int lane_bits = 53;

/* x rounded to lane_bits bits: a carry out of the fraction moves into the exponent, as it should. */
LANE_FN lane lane_short(double x)
{
    const int dropped = 53 - lane_bits;
    uint64_t bits;
    if (dropped == 0)
        return x;
    memcpy(&bits, &x, sizeof bits);
    bits += (((uint64_t)1 << (dropped - 1)) - 1) + ((bits >> dropped) & 1);
    bits &= ~(((uint64_t)1 << dropped) - 1);
    memcpy(&x, &bits, sizeof x);
    return x;
}

LANE_FN lane lane_set(double a)
{
    return a;
}
LANE_FN lane lane_load(const double *p)
{
    return *p;
}
LANE_FN void lane_store(double *p, lane a)
{
    *p = a;
}

LANE_FN lane lane_add(lane a, lane b)
{
    return lane_short(a + b);
}
LANE_FN lane lane_sub(lane a, lane b)
{
    return lane_short(a - b);
}
LANE_FN lane lane_mul(lane a, lane b)
{
    return lane_short(a * b);
}
LANE_FN lane lane_div(lane a, lane b)
{
    return lane_short(a / b);
}
LANE_FN lane lane_sqrt(lane a)
{
    return lane_short(sqrt(a));
}
LANE_FN lane lane_fma(lane a, lane b, lane c)
{
    return lane_short(fma(a, b, c));
}
LANE_FN lane lane_fnma(lane a, lane b, lane c)
{
    return lane_short(fma(-a, b, c));
}
LANE_FN lane lane_abs(lane a)
{
    return fabs(a);
}
LANE_FN lane lane_neg(lane a)
{
    return -a;
}

LANE_FN lane_mask lane_lt(lane a, lane b)
{
    return a < b;
}
LANE_FN lane_mask lane_eq(lane a, lane b)
{
    return a == b;
}
LANE_FN lane_mask lane_is_finite(lane a)
{
    return isfinite(a);
}
LANE_FN lane lane_select(lane_mask m, lane a, lane b)
{
    return m ? a : b;
}
LANE_FN lane lane_keep(lane_mask m, lane a)
{
    return m ? a : 0.0;
}
LANE_FN lane_mask lane_mask_and(lane_mask a, lane_mask b)
{
    return a & b;
}
LANE_FN lane_mask lane_mask_or(lane_mask a, lane_mask b)
{
    return a | b;
}

LANE_FN lane_int lane_to_int(lane a)
{
    lane_int bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}
LANE_FN lane lane_from_int(lane_int bits)
{
    lane a;
    memcpy(&a, &bits, sizeof a);
    return a;
}
LANE_FN lane_int lane_int_set(uint64_t a)
{
    return a;
}
LANE_FN lane_int lane_int_add(lane_int a, lane_int b)
{
    return a + b;
}
LANE_FN lane_int lane_int_sub(lane_int a, lane_int b)
{
    return a - b;
}
LANE_FN lane_int lane_int_and(lane_int a, lane_int b)
{
    return a & b;
}
LANE_FN lane_int lane_int_shr(lane_int a, int k)
{
    return a >> k;
}
LANE_FN lane_int lane_int_shl(lane_int a, int k)
{
    return a << k;
}

#endif
