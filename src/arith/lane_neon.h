/* lane_neon.h - a lane of several vectors of two doubles each, on arm64.
 *
 * A single vector would leave a core with four vector pipes mostly idle: the networks of the arithmetic are long
 * chains of dependent instructions, and several of them must be in flight, interleaved so that waiting instructions
 * do not fill the queues of the core. docs/notes/cpu-arithmetic.md explains this, and why SVE is not used. */
#ifndef PLUMB_ARITH_LANE_NEON_H
#define PLUMB_ARITH_LANE_NEON_H

#include <arm_neon.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define LANE_FN static inline __attribute__((always_inline, unused))
/* The number of vectors is limited by the registers and was chosen by measurement (docs/notes/cpu-arithmetic.md). */
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

/* Written out instead of a loop, because gcc keeps an array in memory if the surrounding function is large. */
#if LANE_VECTORS == 1
#define EACH(STEP, f) STEP(f, v0)
#define FIELDS v0
#elif LANE_VECTORS == 2
#define EACH(STEP, f) STEP(f, v0) STEP(f, v1)
#define FIELDS v0, v1
#elif LANE_VECTORS == 3
#define EACH(STEP, f) STEP(f, v0) STEP(f, v1) STEP(f, v2)
#define FIELDS v0, v1, v2
#elif LANE_VECTORS == 4
#define EACH(STEP, f) STEP(f, v0) STEP(f, v1) STEP(f, v2) STEP(f, v3)
#define FIELDS v0, v1, v2, v3
#else
#define EACH(STEP, f) STEP(f, v0) STEP(f, v1) STEP(f, v2) STEP(f, v3) STEP(f, v4) STEP(f, v5)
#define FIELDS v0, v1, v2, v3, v4, v5
#endif

typedef struct lane {
    float64x2_t FIELDS;
} lane;
typedef struct lane_int {
    uint64x2_t FIELDS;
} lane_int;
typedef lane_int lane_mask;

/* These macros make functions of one, two or three lanes, or of a lane and another argument, from a function of
 * vectors. */
#define STEP_1(f, v) r.v = f(x.v);
#define STEP_2(f, v) r.v = f(x.v, y.v);
#define STEP_3(f, v) r.v = f(x.v, y.v, z.v);
#define STEP_WITH(f, v) r.v = f(x.v, with);
#define STEP_SAME(f, v) r.v = f(x);
#define LANE_BODY(result, step, f) \
    {                              \
        result r;                  \
        EACH(step, f)              \
        return r;                  \
    }
#define LANE_1(result, name, of, f) LANE_FN result name(of x) LANE_BODY(result, STEP_1, f)
#define LANE_2(result, name, of, f) LANE_FN result name(of x, of y) LANE_BODY(result, STEP_2, f)

/* clang-format does not recognise a macro as the body of a function. */
/* clang-format off */
LANE_2(lane, lane_add, lane, vaddq_f64)
LANE_2(lane, lane_sub, lane, vsubq_f64)
LANE_2(lane, lane_mul, lane, vmulq_f64)
LANE_2(lane, lane_div, lane, vdivq_f64)
LANE_1(lane, lane_sqrt, lane, vsqrtq_f64)
LANE_1(lane, lane_abs, lane, vabsq_f64)
LANE_1(lane, lane_neg, lane, vnegq_f64)
LANE_FN lane lane_fma(lane y, lane z, lane x) LANE_BODY(lane, STEP_3, vfmaq_f64)
LANE_FN lane lane_fnma(lane y, lane z, lane x) LANE_BODY(lane, STEP_3, vfmsq_f64)

LANE_2(lane_mask, lane_lt, lane, vcltq_f64)
LANE_2(lane_mask, lane_eq, lane, vceqq_f64)
LANE_2(lane_mask, lane_mask_and, lane_mask, vandq_u64)
LANE_2(lane_mask, lane_mask_or, lane_mask, vorrq_u64)
LANE_FN lane lane_select(lane_mask x, lane y, lane z) LANE_BODY(lane, STEP_3, vbslq_f64)

LANE_1(lane_int, lane_to_int, lane, vreinterpretq_u64_f64)
LANE_1(lane, lane_from_int, lane_int, vreinterpretq_f64_u64)
LANE_2(lane_int, lane_int_add, lane_int, vaddq_u64)
LANE_2(lane_int, lane_int_sub, lane_int, vsubq_u64)
LANE_2(lane_int, lane_int_and, lane_int, vandq_u64)
LANE_FN lane_int lane_int_set(uint64_t x) LANE_BODY(lane_int, STEP_SAME, vdupq_n_u64)
LANE_FN lane_int lane_int_shift(lane_int x, int64x2_t with) LANE_BODY(lane_int, STEP_WITH, vshlq_u64)
LANE_FN lane_int lane_int_shl(lane_int x, int count) { return lane_int_shift(x, vdupq_n_s64(count)); }
LANE_FN lane_int lane_int_shr(lane_int x, int count) { return lane_int_shift(x, vdupq_n_s64(-count)); }

LANE_FN lane lane_keep(lane_mask m, lane x) { return lane_from_int(lane_int_and(m, lane_to_int(x))); }
LANE_FN lane lane_set(double x) LANE_BODY(lane, STEP_SAME, vdupq_n_f64)

#define STEP_LOAD(f, v) r.v = f(p), p += 2;
LANE_FN lane lane_load(const double *p) LANE_BODY(lane, STEP_LOAD, vld1q_f64)
#define STEP_STORE(f, v) f(p, x.v), p += 2;
LANE_FN void lane_store(double *p, lane x) { EACH(STEP_STORE, vst1q_f64) }

/* Loading one number into both halves of a vector takes one of the four pipes of the arithmetic; loading two does not. */
#define LANE_COPIES 2
#define STEP_THIS(f, v) r.v = f;
LANE_FN lane lane_of_vector(float64x2_t x) LANE_BODY(lane, STEP_THIS, x)
LANE_FN lane lane_of_copies(const double *p) { return lane_of_vector(vld1q_f64(p)); }

/* clang-format on */

/* |x| < infinity; in assembly, because gcc compiles vcagtq_f64 to two instructions. */
LANE_FN uint64x2_t lane_vector_below(float64x2_t x, float64x2_t top)
{
    uint64x2_t r;
    __asm__("facgt %0.2d, %1.2d, %2.2d" : "=w"(r) : "w"(top), "w"(x));
    return r;
}
LANE_FN lane_mask lane_is_finite(lane x)
{
    float64x2_t with = vdupq_n_f64((double)INFINITY);
    LANE_BODY(lane_mask, STEP_WITH, lane_vector_below)
}

/* See lane.h. Gcc would copy a factor into a vector of its own first; a multiplication by one half of a register saves
 * these instructions, and reads less from the register file, which limits how many FMAs a Neoverse-V1 starts per cycle. */
#define LANE_FACTORS
#define LANE_FACTORS_APART 0
typedef float64x2_t lane_factors;
LANE_FN lane_factors lane_factors_one(const double *p) { return vcombine_f64(vld1_f64(p), vdup_n_f64(0.0)); }
LANE_FN lane_factors lane_factors_two(const double *p, int64_t apart)
{
    (void)apart;
    return vld1q_f64(p);
}
/* All vectors of a lane are asked for a place, which is a constant, so one instruction is left. */
#define STEP_PICK(f, v)                                                   \
    if (at == place / 2)                                                  \
        r = place % 2 == 0 ? vzip1q_f64(a.v, b.v) : vzip2q_f64(a.v, b.v); \
    at++;
LANE_FN lane_factors lane_factors_pick(lane a, lane b, int place)
{
    lane_factors r = vdupq_n_f64(0.0);
    int at = 0;
    EACH(STEP_PICK, 0)
    return r;
}
#define STEP_FACTOR(code, v) __asm__(code : "+w"(c.v) : "w"(a.v), "w"(f));
/* clang-format off */
LANE_FN lane lane_fma_first(lane a, lane_factors f, lane c) { EACH(STEP_FACTOR, "fmla %0.2d, %1.2d, %2.d[0]") return c; }
LANE_FN lane lane_fma_second(lane a, lane_factors f, lane c) { EACH(STEP_FACTOR, "fmla %0.2d, %1.2d, %2.d[1]") return c; }
LANE_FN lane lane_fnma_first(lane a, lane_factors f, lane c) { EACH(STEP_FACTOR, "fmls %0.2d, %1.2d, %2.d[0]") return c; }
LANE_FN lane lane_fnma_second(lane a, lane_factors f, lane c) { EACH(STEP_FACTOR, "fmls %0.2d, %1.2d, %2.d[1]") return c; }
/* clang-format on */

/* See lane.h. */
#if LANE_VECTORS == 2
#define LANE_TRANSPOSES
LANE_FN void lane_transpose(lane *a)
{
    const lane b[4] = {a[0], a[1], a[2], a[3]};
    a[0] = (lane){vzip1q_f64(b[0].v0, b[1].v0), vzip1q_f64(b[2].v0, b[3].v0)};
    a[1] = (lane){vzip2q_f64(b[0].v0, b[1].v0), vzip2q_f64(b[2].v0, b[3].v0)};
    a[2] = (lane){vzip1q_f64(b[0].v1, b[1].v1), vzip1q_f64(b[2].v1, b[3].v1)};
    a[3] = (lane){vzip2q_f64(b[0].v1, b[1].v1), vzip2q_f64(b[2].v1, b[3].v1)};
}
#else
#define LANE_TRANSPOSES
LANE_FN void lane_transpose(lane *a)
{
    float64x2_t from[LANE_WIDTH][LANE_VECTORS], to[LANE_WIDTH][LANE_VECTORS];
    memcpy(from, a, sizeof from);
    for (int i = 0; i < LANE_VECTORS; i++)
        for (int j = 0; j < LANE_VECTORS; j++) {
            to[2 * j][i] = vzip1q_f64(from[2 * i][j], from[2 * i + 1][j]);
            to[2 * j + 1][i] = vzip2q_f64(from[2 * i][j], from[2 * i + 1][j]);
        }
    memcpy(a, to, sizeof to);
}
#endif

#undef STEP_FACTOR
#undef STEP_PICK
#undef EACH
#undef FIELDS
#undef STEP_1
#undef STEP_2
#undef STEP_3
#undef STEP_WITH
#undef STEP_SAME
#undef STEP_LOAD
#undef STEP_STORE
#undef STEP_THIS
#undef LANE_BODY
#undef LANE_1
#undef LANE_2

#endif
