/* lane_neon.h - a lane of two doubles on arm64. SVE is left out on purpose: see docs/performance.md. */
#ifndef PLUMB_ARITH_LANE_NEON_H
#define PLUMB_ARITH_LANE_NEON_H

#include <arm_neon.h>
#include <math.h>
#include <stdint.h>

#define LANE_FN static inline __attribute__((always_inline, unused))
#define LANE_WIDTH 2

typedef float64x2_t lane;
typedef uint64x2_t lane_mask;
typedef uint64x2_t lane_int;

LANE_FN lane lane_set(double a) { return vdupq_n_f64(a); }
LANE_FN lane lane_load(const double *p) { return vld1q_f64(p); }
LANE_FN void lane_store(double *p, lane a) { vst1q_f64(p, a); }

LANE_FN lane lane_add(lane a, lane b) { return vaddq_f64(a, b); }
LANE_FN lane lane_sub(lane a, lane b) { return vsubq_f64(a, b); }
LANE_FN lane lane_mul(lane a, lane b) { return vmulq_f64(a, b); }
LANE_FN lane lane_div(lane a, lane b) { return vdivq_f64(a, b); }
LANE_FN lane lane_sqrt(lane a) { return vsqrtq_f64(a); }
LANE_FN lane lane_fma(lane a, lane b, lane c) { return vfmaq_f64(c, a, b); }
LANE_FN lane lane_fnma(lane a, lane b, lane c) { return vfmsq_f64(c, a, b); }
LANE_FN lane lane_abs(lane a) { return vabsq_f64(a); }
LANE_FN lane lane_neg(lane a) { return vnegq_f64(a); }

LANE_FN lane_mask lane_lt(lane a, lane b) { return vcltq_f64(a, b); }
LANE_FN lane_mask lane_eq(lane a, lane b) { return vceqq_f64(a, b); }
LANE_FN lane_mask lane_is_finite(lane a) { return vcaltq_f64(a, vdupq_n_f64((double)INFINITY)); }
LANE_FN lane lane_select(lane_mask m, lane a, lane b) { return vbslq_f64(m, a, b); }
LANE_FN lane lane_keep(lane_mask m, lane a)
{
    return vreinterpretq_f64_u64(vandq_u64(m, vreinterpretq_u64_f64(a)));
}
LANE_FN lane_mask lane_mask_and(lane_mask a, lane_mask b) { return vandq_u64(a, b); }
LANE_FN lane_mask lane_mask_or(lane_mask a, lane_mask b) { return vorrq_u64(a, b); }

LANE_FN lane_int lane_to_int(lane a) { return vreinterpretq_u64_f64(a); }
LANE_FN lane lane_from_int(lane_int a) { return vreinterpretq_f64_u64(a); }
LANE_FN lane_int lane_int_set(uint64_t a) { return vdupq_n_u64(a); }
LANE_FN lane_int lane_int_add(lane_int a, lane_int b) { return vaddq_u64(a, b); }
LANE_FN lane_int lane_int_sub(lane_int a, lane_int b) { return vsubq_u64(a, b); }
LANE_FN lane_int lane_int_and(lane_int a, lane_int b) { return vandq_u64(a, b); }
LANE_FN lane_int lane_int_shr(lane_int a, int k) { return vshlq_u64(a, vdupq_n_s64(-k)); }
LANE_FN lane_int lane_int_shl(lane_int a, int k) { return vshlq_u64(a, vdupq_n_s64(k)); }

#endif
