/* lane_sse2.h - a lane of two doubles on any x86-64. SSE2 has no FMA instruction; the fma of libm is correctly
 * rounded too, so the bits are the same, only slower. */
#ifndef PLUMB_ARITH_LANE_SSE2_H
#define PLUMB_ARITH_LANE_SSE2_H

#include <emmintrin.h>
#include <math.h>
#include <stdint.h>

#define LANE_FN static inline __attribute__((always_inline, unused))
#define LANE_WIDTH 2

typedef __m128d lane;
typedef __m128d lane_mask;
typedef __m128i lane_int;

LANE_FN lane lane_set(double a) { return _mm_set1_pd(a); }
LANE_FN lane lane_load(const double *p) { return _mm_loadu_pd(p); }
LANE_FN void lane_store(double *p, lane a) { _mm_storeu_pd(p, a); }

LANE_FN lane lane_add(lane a, lane b) { return _mm_add_pd(a, b); }
LANE_FN lane lane_sub(lane a, lane b) { return _mm_sub_pd(a, b); }
LANE_FN lane lane_mul(lane a, lane b) { return _mm_mul_pd(a, b); }
LANE_FN lane lane_div(lane a, lane b) { return _mm_div_pd(a, b); }
LANE_FN lane lane_sqrt(lane a) { return _mm_sqrt_pd(a); }
LANE_FN lane lane_abs(lane a) { return _mm_andnot_pd(_mm_set1_pd(-0.0), a); }
LANE_FN lane lane_neg(lane a) { return _mm_xor_pd(_mm_set1_pd(-0.0), a); }
LANE_FN lane lane_fma(lane a, lane b, lane c)
{
    double lo = fma(_mm_cvtsd_f64(a), _mm_cvtsd_f64(b), _mm_cvtsd_f64(c));
    double hi = fma(_mm_cvtsd_f64(_mm_unpackhi_pd(a, a)), _mm_cvtsd_f64(_mm_unpackhi_pd(b, b)),
                    _mm_cvtsd_f64(_mm_unpackhi_pd(c, c)));
    return _mm_set_pd(hi, lo);
}
LANE_FN lane lane_fnma(lane a, lane b, lane c) { return lane_fma(lane_neg(a), b, c); }

LANE_FN lane_mask lane_lt(lane a, lane b) { return _mm_cmplt_pd(a, b); }
LANE_FN lane_mask lane_eq(lane a, lane b) { return _mm_cmpeq_pd(a, b); }
LANE_FN lane_mask lane_is_finite(lane a) { return _mm_cmplt_pd(lane_abs(a), _mm_set1_pd((double)INFINITY)); }
LANE_FN lane lane_select(lane_mask m, lane a, lane b) { return _mm_or_pd(_mm_and_pd(m, a), _mm_andnot_pd(m, b)); }
LANE_FN lane lane_keep(lane_mask m, lane a) { return _mm_and_pd(m, a); }
LANE_FN lane_mask lane_mask_and(lane_mask a, lane_mask b) { return _mm_and_pd(a, b); }
LANE_FN lane_mask lane_mask_or(lane_mask a, lane_mask b) { return _mm_or_pd(a, b); }

LANE_FN lane_int lane_to_int(lane a) { return _mm_castpd_si128(a); }
LANE_FN lane lane_from_int(lane_int a) { return _mm_castsi128_pd(a); }
LANE_FN lane_int lane_int_set(uint64_t a) { return _mm_set1_epi64x((long long)a); }
LANE_FN lane_int lane_int_add(lane_int a, lane_int b) { return _mm_add_epi64(a, b); }
LANE_FN lane_int lane_int_sub(lane_int a, lane_int b) { return _mm_sub_epi64(a, b); }
LANE_FN lane_int lane_int_and(lane_int a, lane_int b) { return _mm_and_si128(a, b); }
LANE_FN lane_int lane_int_shr(lane_int a, int k) { return _mm_srli_epi64(a, k); }
LANE_FN lane_int lane_int_shl(lane_int a, int k) { return _mm_slli_epi64(a, k); }

#endif
