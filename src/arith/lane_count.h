/* lane_count.h - a lane that counts its operations; the benchmarks use it to find the cost of an operation.
 *
 * Compiled with this lane, the kernels compute like the scalar ones and count the instructions that a vector machine
 * would have issued: plumb_lane_flops for arithmetic, plumb_lane_others for comparisons, selections, sign and bit
 * operations. Loads, stores and constants are not counted, because other units of the machine execute them. */
#ifndef PLUMB_ARITH_LANE_COUNT_H
#define PLUMB_ARITH_LANE_COUNT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LANE_FN static inline __attribute__((always_inline, unused))
#define LANE_WIDTH 1

/* These are distinct types, so that arithmetic that bypasses the lane functions does not compile. */
typedef struct lane {
    double v;
} lane;
typedef struct lane_mask {
    int v;
} lane_mask;
typedef struct lane_int {
    uint64_t v;
} lane_int;

extern int64_t plumb_lane_flops, plumb_lane_others; /* defined in bench/common/count.c */

LANE_FN lane lane_flop(double v)
{
    plumb_lane_flops++;
    return (lane){v};
}
LANE_FN lane lane_other(double v)
{
    plumb_lane_others++;
    return (lane){v};
}
LANE_FN lane_mask lane_other_mask(int v)
{
    plumb_lane_others++;
    return (lane_mask){v};
}
LANE_FN lane_int lane_other_int(uint64_t v)
{
    plumb_lane_others++;
    return (lane_int){v};
}

LANE_FN lane lane_set(double a) { return (lane){a}; }
LANE_FN lane lane_load(const double *p) { return (lane){*p}; }
LANE_FN void lane_store(double *p, lane a) { *p = a.v; }

LANE_FN lane lane_add(lane a, lane b) { return lane_flop(a.v + b.v); }
LANE_FN lane lane_sub(lane a, lane b) { return lane_flop(a.v - b.v); }
LANE_FN lane lane_mul(lane a, lane b) { return lane_flop(a.v * b.v); }
LANE_FN lane lane_div(lane a, lane b) { return lane_flop(a.v / b.v); }
LANE_FN lane lane_sqrt(lane a) { return lane_flop(sqrt(a.v)); }
LANE_FN lane lane_fma(lane a, lane b, lane c) { return lane_flop(fma(a.v, b.v, c.v)); }
LANE_FN lane lane_fnma(lane a, lane b, lane c) { return lane_flop(fma(-a.v, b.v, c.v)); }
LANE_FN lane lane_abs(lane a) { return lane_other(fabs(a.v)); }
LANE_FN lane lane_neg(lane a) { return lane_other(-a.v); }

LANE_FN lane_mask lane_lt(lane a, lane b) { return lane_other_mask(a.v < b.v); }
LANE_FN lane_mask lane_eq(lane a, lane b) { return lane_other_mask(a.v == b.v); }
LANE_FN lane_mask lane_is_finite(lane a) { return lane_other_mask(fabs(a.v) < (double)INFINITY); }
LANE_FN lane lane_select(lane_mask m, lane a, lane b) { return lane_other(m.v ? a.v : b.v); }
LANE_FN lane lane_keep(lane_mask m, lane a) { return lane_other(m.v ? a.v : 0.0); }
LANE_FN lane_mask lane_mask_and(lane_mask a, lane_mask b) { return lane_other_mask(a.v & b.v); }
LANE_FN lane_mask lane_mask_or(lane_mask a, lane_mask b) { return lane_other_mask(a.v | b.v); }

LANE_FN lane_int lane_to_int(lane a) /* a reinterpretation of the same register, not counted */
{
    lane_int bits;
    memcpy(&bits.v, &a.v, sizeof bits.v);
    return bits;
}
LANE_FN lane lane_from_int(lane_int bits)
{
    lane a;
    memcpy(&a.v, &bits.v, sizeof a.v);
    return a;
}
LANE_FN lane_int lane_int_set(uint64_t a) { return (lane_int){a}; }
LANE_FN lane_int lane_int_add(lane_int a, lane_int b) { return lane_other_int(a.v + b.v); }
LANE_FN lane_int lane_int_sub(lane_int a, lane_int b) { return lane_other_int(a.v - b.v); }
LANE_FN lane_int lane_int_and(lane_int a, lane_int b) { return lane_other_int(a.v & b.v); }
LANE_FN lane_int lane_int_shr(lane_int a, int k) { return lane_other_int(a.v >> k); }
LANE_FN lane_int lane_int_shl(lane_int a, int k) { return lane_other_int(a.v << k); }

#endif
