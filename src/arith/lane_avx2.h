/* lane_avx2.h - a lane of four doubles on x86-64 with AVX2 and FMA. */
#ifndef PLUMB_ARITH_LANE_AVX2_H
#define PLUMB_ARITH_LANE_AVX2_H

#include <immintrin.h>
#include <math.h>
#include <stdint.h>

#define LANE_FN static inline __attribute__((always_inline, unused))
#define LANE_WIDTH 4

typedef __m256d lane;
typedef __m256d lane_mask;
typedef __m256i lane_int;

LANE_FN lane lane_set(double a) { return _mm256_set1_pd(a); }
LANE_FN lane lane_load(const double *p) { return _mm256_loadu_pd(p); }
LANE_FN void lane_store(double *p, lane a) { _mm256_storeu_pd(p, a); }

LANE_FN lane lane_add(lane a, lane b) { return _mm256_add_pd(a, b); }
LANE_FN lane lane_sub(lane a, lane b) { return _mm256_sub_pd(a, b); }
LANE_FN lane lane_mul(lane a, lane b) { return _mm256_mul_pd(a, b); }
LANE_FN lane lane_div(lane a, lane b) { return _mm256_div_pd(a, b); }
LANE_FN lane lane_sqrt(lane a) { return _mm256_sqrt_pd(a); }
LANE_FN lane lane_fma(lane a, lane b, lane c) { return _mm256_fmadd_pd(a, b, c); }
LANE_FN lane lane_fnma(lane a, lane b, lane c) { return _mm256_fnmadd_pd(a, b, c); }
LANE_FN lane lane_abs(lane a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
LANE_FN lane lane_neg(lane a) { return _mm256_xor_pd(_mm256_set1_pd(-0.0), a); }

LANE_FN lane_mask lane_lt(lane a, lane b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
LANE_FN lane_mask lane_eq(lane a, lane b) { return _mm256_cmp_pd(a, b, _CMP_EQ_OQ); }
LANE_FN lane_mask lane_is_finite(lane a) { return lane_lt(lane_abs(a), _mm256_set1_pd((double)INFINITY)); }
LANE_FN lane lane_select(lane_mask m, lane a, lane b) { return _mm256_blendv_pd(b, a, m); }
LANE_FN lane lane_keep(lane_mask m, lane a) { return _mm256_and_pd(m, a); }
LANE_FN lane_mask lane_mask_and(lane_mask a, lane_mask b) { return _mm256_and_pd(a, b); }
LANE_FN lane_mask lane_mask_or(lane_mask a, lane_mask b) { return _mm256_or_pd(a, b); }

/* See lane.h. */
#define LANE_PARTS
LANE_FN __m256i lane_first(int count)
{
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_set_epi64x(3, 2, 1, 0));
}
LANE_FN lane lane_load_part(const double *p, int count, double other)
{
    const __m256i first = lane_first(count);
    return _mm256_blendv_pd(_mm256_set1_pd(other), _mm256_maskload_pd(p, first), _mm256_castsi256_pd(first));
}
LANE_FN void lane_store_part(double *p, lane a, int count) { _mm256_maskstore_pd(p, lane_first(count), a); }

/* See lane.h. Places of single precision, two by two, because there a variable may choose them. */
#define LANE_PICKS
LANE_FN lane lane_pick(lane a, int place)
{
    const __m256i places = _mm256_set_epi32(2 * place + 1, 2 * place, 2 * place + 1, 2 * place, 2 * place + 1,
                                            2 * place, 2 * place + 1, 2 * place);
    return _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(a), places));
}

/* See lane.h. */
#define LANE_TRANSPOSES
LANE_FN void lane_transpose(lane *a)
{
    const lane even = _mm256_unpacklo_pd(a[0], a[1]), odd = _mm256_unpackhi_pd(a[0], a[1]);
    const lane more_even = _mm256_unpacklo_pd(a[2], a[3]), more_odd = _mm256_unpackhi_pd(a[2], a[3]);
    a[0] = _mm256_permute2f128_pd(even, more_even, 0x20);
    a[1] = _mm256_permute2f128_pd(odd, more_odd, 0x20);
    a[2] = _mm256_permute2f128_pd(even, more_even, 0x31);
    a[3] = _mm256_permute2f128_pd(odd, more_odd, 0x31);
}

LANE_FN lane_int lane_to_int(lane a) { return _mm256_castpd_si256(a); }
LANE_FN lane lane_from_int(lane_int a) { return _mm256_castsi256_pd(a); }
LANE_FN lane_int lane_int_set(uint64_t a) { return _mm256_set1_epi64x((long long)a); }
LANE_FN lane_int lane_int_add(lane_int a, lane_int b) { return _mm256_add_epi64(a, b); }
LANE_FN lane_int lane_int_sub(lane_int a, lane_int b) { return _mm256_sub_epi64(a, b); }
LANE_FN lane_int lane_int_and(lane_int a, lane_int b) { return _mm256_and_si256(a, b); }
LANE_FN lane_int lane_int_shr(lane_int a, int k) { return _mm256_srli_epi64(a, k); }
LANE_FN lane_int lane_int_shl(lane_int a, int k) { return _mm256_slli_epi64(a, k); }

#endif
