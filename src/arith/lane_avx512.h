/* lane_avx512.h - a lane of eight doubles on x86-64 with AVX-512 (F and DQ). */
#ifndef PLUMB_ARITH_LANE_AVX512_H
#define PLUMB_ARITH_LANE_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#define LANE_FN static inline __attribute__((always_inline, unused))
#define LANE_WIDTH 8

typedef __m512d lane;
typedef __mmask8 lane_mask;
typedef __m512i lane_int;

LANE_FN lane lane_set(double a) { return _mm512_set1_pd(a); }
LANE_FN lane lane_load(const double *p) { return _mm512_loadu_pd(p); }
LANE_FN void lane_store(double *p, lane a) { _mm512_storeu_pd(p, a); }

LANE_FN lane lane_add(lane a, lane b) { return _mm512_add_pd(a, b); }
LANE_FN lane lane_sub(lane a, lane b) { return _mm512_sub_pd(a, b); }
LANE_FN lane lane_mul(lane a, lane b) { return _mm512_mul_pd(a, b); }
LANE_FN lane lane_div(lane a, lane b) { return _mm512_div_pd(a, b); }
LANE_FN lane lane_sqrt(lane a) { return _mm512_sqrt_pd(a); }
LANE_FN lane lane_fma(lane a, lane b, lane c) { return _mm512_fmadd_pd(a, b, c); }
LANE_FN lane lane_fnma(lane a, lane b, lane c) { return _mm512_fnmadd_pd(a, b, c); }
LANE_FN lane lane_abs(lane a) { return _mm512_abs_pd(a); }
LANE_FN lane lane_neg(lane a) { return _mm512_xor_pd(_mm512_set1_pd(-0.0), a); }

LANE_FN lane_mask lane_lt(lane a, lane b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
LANE_FN lane_mask lane_eq(lane a, lane b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
/* Classes 0x99: quiet and signalling NaN, both infinities. */
LANE_FN lane_mask lane_is_finite(lane a) { return (lane_mask)~_mm512_fpclass_pd_mask(a, 0x99); }
LANE_FN lane lane_select(lane_mask m, lane a, lane b) { return _mm512_mask_blend_pd(m, b, a); }
LANE_FN lane lane_keep(lane_mask m, lane a) { return _mm512_maskz_mov_pd(m, a); }
LANE_FN lane_mask lane_mask_and(lane_mask a, lane_mask b) { return (lane_mask)(a & b); }
LANE_FN lane_mask lane_mask_or(lane_mask a, lane_mask b) { return (lane_mask)(a | b); }

/* See lane.h. Here the mask marks the results that are not finite, which saves inverting it. */
#define LANE_SETTLES
LANE_FN lane_mask lane_sound(lane head) { return _mm512_fpclass_pd_mask(head, 0x99); }
LANE_FN lane lane_settle_head(lane_mask m, lane head, lane plain) { return _mm512_mask_mov_pd(head, m, plain); }
LANE_FN lane lane_settle_limb(lane_mask m, lane limb) { return _mm512_mask_mov_pd(limb, m, _mm512_setzero_pd()); }

/* See lane.h. */
#define LANE_PARTS
LANE_FN lane_mask lane_first(int count) { return (lane_mask)((1U << count) - 1); }
LANE_FN lane lane_load_part(const double *p, int count, double other)
{
    return _mm512_mask_loadu_pd(_mm512_set1_pd(other), lane_first(count), p);
}
LANE_FN void lane_store_part(double *p, lane a, int count) { _mm512_mask_storeu_pd(p, lane_first(count), a); }

/* See lane.h. */
#define LANE_PICKS
LANE_FN lane lane_pick(lane a, int place) { return _mm512_permutexvar_pd(_mm512_set1_epi64(place), a); }

/* See lane.h. Pairs of doubles first, then pairs of quarters of registers, then pairs of halves. */
#define LANE_TRANSPOSES
LANE_FN void lane_transpose(lane *a)
{
    const lane t0 = _mm512_unpacklo_pd(a[0], a[1]), t1 = _mm512_unpackhi_pd(a[0], a[1]);
    const lane t2 = _mm512_unpacklo_pd(a[2], a[3]), t3 = _mm512_unpackhi_pd(a[2], a[3]);
    const lane t4 = _mm512_unpacklo_pd(a[4], a[5]), t5 = _mm512_unpackhi_pd(a[4], a[5]);
    const lane t6 = _mm512_unpacklo_pd(a[6], a[7]), t7 = _mm512_unpackhi_pd(a[6], a[7]);
    const lane u0 = _mm512_shuffle_f64x2(t0, t2, 0x88), u1 = _mm512_shuffle_f64x2(t1, t3, 0x88);
    const lane u2 = _mm512_shuffle_f64x2(t0, t2, 0xdd), u3 = _mm512_shuffle_f64x2(t1, t3, 0xdd);
    const lane u4 = _mm512_shuffle_f64x2(t4, t6, 0x88), u5 = _mm512_shuffle_f64x2(t5, t7, 0x88);
    const lane u6 = _mm512_shuffle_f64x2(t4, t6, 0xdd), u7 = _mm512_shuffle_f64x2(t5, t7, 0xdd);
    a[0] = _mm512_shuffle_f64x2(u0, u4, 0x88);
    a[1] = _mm512_shuffle_f64x2(u1, u5, 0x88);
    a[2] = _mm512_shuffle_f64x2(u2, u6, 0x88);
    a[3] = _mm512_shuffle_f64x2(u3, u7, 0x88);
    a[4] = _mm512_shuffle_f64x2(u0, u4, 0xdd);
    a[5] = _mm512_shuffle_f64x2(u1, u5, 0xdd);
    a[6] = _mm512_shuffle_f64x2(u2, u6, 0xdd);
    a[7] = _mm512_shuffle_f64x2(u3, u7, 0xdd);
}

LANE_FN lane_int lane_to_int(lane a) { return _mm512_castpd_si512(a); }
LANE_FN lane lane_from_int(lane_int a) { return _mm512_castsi512_pd(a); }
LANE_FN lane_int lane_int_set(uint64_t a) { return _mm512_set1_epi64((long long)a); }
LANE_FN lane_int lane_int_add(lane_int a, lane_int b) { return _mm512_add_epi64(a, b); }
LANE_FN lane_int lane_int_sub(lane_int a, lane_int b) { return _mm512_sub_epi64(a, b); }
LANE_FN lane_int lane_int_and(lane_int a, lane_int b) { return _mm512_and_si512(a, b); }
LANE_FN lane_int lane_int_shr(lane_int a, int k) { return _mm512_srli_epi64(a, (unsigned)k); }
LANE_FN lane_int lane_int_shl(lane_int a, int k) { return _mm512_slli_epi64(a, (unsigned)k); }

#endif
