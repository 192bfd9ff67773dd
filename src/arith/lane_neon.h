/* lane_neon.h - a lane of several vectors of two doubles side by side on arm64.
 *
 * One vector would leave most of a core with four vector pipes idle: the networks of the arithmetic are long chains, and
 * several of them must be in flight, side by side so that waiting instructions do not fill the core's queues. SVE is left out on purpose: see docs/performance.md. */
#ifndef PLUMB_ARITH_LANE_NEON_H
#define PLUMB_ARITH_LANE_NEON_H

#include <arm_neon.h>
#include <math.h>
#include <stdint.h>

#define LANE_FN static inline __attribute__((always_inline, unused))
/* How many is a matter of registers, and measured (docs/performance.md). */
#ifndef LANE_VECTORS
#if PLUMB_LIMBS == 1
#define LANE_VECTORS 4
#elif PLUMB_PARTS == 2
#define LANE_VECTORS 2
#elif PLUMB_LIMBS == 2
#define LANE_VECTORS 6
#else
#define LANE_VECTORS 3
#endif
#endif
#define LANE_WIDTH (2 * LANE_VECTORS)

/* Spelled out rather than looped over: gcc keeps an array in memory where the function around it is large. */
#if LANE_VECTORS == 1
#define EACH(S) S(v0)
#define FIELDS(type) type v0
#elif LANE_VECTORS == 2
#define EACH(S) S(v0) S(v1)
#define FIELDS(type) type v0, v1
#elif LANE_VECTORS == 3
#define EACH(S) S(v0) S(v1) S(v2)
#define FIELDS(type) type v0, v1, v2
#elif LANE_VECTORS == 4
#define EACH(S) S(v0) S(v1) S(v2) S(v3)
#define FIELDS(type) type v0, v1, v2, v3
#else
#define EACH(S) S(v0) S(v1) S(v2) S(v3) S(v4) S(v5)
#define FIELDS(type) type v0, v1, v2, v3, v4, v5
#endif

typedef struct lane {
    FIELDS(float64x2_t);
} lane;
typedef struct lane_int {
    FIELDS(uint64x2_t);
} lane_int;
typedef lane_int lane_mask;

#define STEP(f) r.f = vdupq_n_f64(x);
LANE_FN lane lane_set(double x)
{
    lane r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vld1q_f64(p), p += 2;
LANE_FN lane lane_load(const double *p)
{
    lane r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) vst1q_f64(p, x.f), p += 2;
LANE_FN void lane_store(double *p, lane x){EACH(STEP)}
#undef STEP
#define STEP(f) r.f = vaddq_f64(x.f, y.f);
LANE_FN lane lane_add(lane x, lane y)
{
    lane r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vsubq_f64(x.f, y.f);
LANE_FN lane lane_sub(lane x, lane y)
{
    lane r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vmulq_f64(x.f, y.f);
LANE_FN lane lane_mul(lane x, lane y)
{
    lane r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vdivq_f64(x.f, y.f);
LANE_FN lane lane_div(lane x, lane y)
{
    lane r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vsqrtq_f64(x.f);
LANE_FN lane lane_sqrt(lane x)
{
    lane r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vabsq_f64(x.f);
LANE_FN lane lane_abs(lane x)
{
    lane r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vnegq_f64(x.f);
LANE_FN lane lane_neg(lane x)
{
    lane r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vfmaq_f64(z.f, x.f, y.f);
LANE_FN lane lane_fma(lane x, lane y, lane z)
{
    lane r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vfmsq_f64(z.f, x.f, y.f);
LANE_FN lane lane_fnma(lane x, lane y, lane z)
{
    lane r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vcltq_f64(x.f, y.f);
LANE_FN lane_mask lane_lt(lane x, lane y)
{
    lane_mask r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vceqq_f64(x.f, y.f);
LANE_FN lane_mask lane_eq(lane x, lane y)
{
    lane_mask r;
    EACH(STEP)
    return r;
}
#undef STEP
/* In assembly because gcc makes two instructions of vcagtq_f64. */
#define STEP(f) __asm__("facgt %0.2d, %1.2d, %2.2d" : "=w"(r.f) : "w"(infinity), "w"(x.f));
LANE_FN lane_mask lane_is_finite(lane x)
{
    float64x2_t infinity = vdupq_n_f64((double)INFINITY);
    lane_mask r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vbslq_f64(m.f, x.f, y.f);
LANE_FN lane lane_select(lane_mask m, lane x, lane y)
{
    lane r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vandq_u64(x.f, y.f);
LANE_FN lane_mask lane_mask_and(lane_mask x, lane_mask y)
{
    lane_mask r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vorrq_u64(x.f, y.f);
LANE_FN lane_mask lane_mask_or(lane_mask x, lane_mask y)
{
    lane_mask r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vreinterpretq_u64_f64(x.f);
LANE_FN lane_int lane_to_int(lane x)
{
    lane_int r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vreinterpretq_f64_u64(x.f);
LANE_FN lane lane_from_int(lane_int x)
{
    lane r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vdupq_n_u64(x);
LANE_FN lane_int lane_int_set(uint64_t x)
{
    lane_int r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vaddq_u64(x.f, y.f);
LANE_FN lane_int lane_int_add(lane_int x, lane_int y)
{
    lane_int r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vsubq_u64(x.f, y.f);
LANE_FN lane_int lane_int_sub(lane_int x, lane_int y)
{
    lane_int r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vandq_u64(x.f, y.f);
LANE_FN lane_int lane_int_and(lane_int x, lane_int y)
{
    lane_int r;
    EACH(STEP)
    return r;
}
#undef STEP
#define STEP(f) r.f = vshlq_u64(x.f, vdupq_n_s64(count));
LANE_FN lane_int lane_int_shl(lane_int x, int count)
{
    lane_int r;
    EACH(STEP)
    return r;
}
#undef STEP
LANE_FN lane_int lane_int_shr(lane_int x, int count) { return lane_int_shl(x, -count); }
LANE_FN lane lane_keep(lane_mask m, lane x) { return lane_from_int(lane_int_and(m, lane_to_int(x))); }

#undef EACH
#undef FIELDS

#endif
