/* lane_pairs.h - gathers numbers from arbitrary places of an array into lanes, and stores lanes to consecutive
 * places.
 *
 * The numbers are interleaved: all limbs of an entry are adjacent. Two neighbouring limbs are one load of 16 bytes,
 * and lanes are made from such pairs by a transposition in registers, which costs far less than one load per double.
 * The functions only move data; no bits change. */
#ifndef PLUMB_ARITH_LANE_PAIRS_H
#define PLUMB_ARITH_LANE_PAIRS_H

#include "arith/number.h"

/* For numbers of a single double: place i of the lane is p[at[i] * step]. */
LANE_FN lane lane_collect(const double *p, const int32_t *at, int64_t step)
{
    double part[LANE_WIDTH];
    for (int i = 0; i < LANE_WIDTH; i++)
        part[i] = p[at[i] * step];
    return lane_load(part);
}

#define PAIR(i) (p + at[i] * step)
#define PLACE(i) (p + (i)*step)

#if defined(PLUMB_ARITH_LANE_NEON_H)

LANE_FN void lane_collect_pair(const double *p, const int32_t *at, int64_t step, lane *x, lane *y)
{
#define STEP(v, i)                                                             \
    {                                                                          \
        float64x2_t even = vld1q_f64(PAIR(i)), odd = vld1q_f64(PAIR((i) + 1)); \
        x->v = vzip1q_f64(even, odd), y->v = vzip2q_f64(even, odd);            \
    }
    STEP(v0, 0)
#if LANE_VECTORS > 1
    STEP(v1, 2)
#endif
#if LANE_VECTORS > 2
    STEP(v2, 4)
#endif
#if LANE_VECTORS > 3
    STEP(v3, 6)
#endif
#undef STEP
}
LANE_FN void lane_deal_pair(double *p, int64_t step, lane x, lane y)
{
#define STEP(v, i) vst1q_f64(PLACE(i), vzip1q_f64(x.v, y.v)), vst1q_f64(PLACE((i) + 1), vzip2q_f64(x.v, y.v));
    STEP(v0, 0)
#if LANE_VECTORS > 1
    STEP(v1, 2)
#endif
#if LANE_VECTORS > 2
    STEP(v2, 4)
#endif
#if LANE_VECTORS > 3
    STEP(v3, 6)
#endif
#undef STEP
}

#elif defined(PLUMB_ARITH_LANE_AVX2_H)

LANE_FN void lane_collect_pair(const double *p, const int32_t *at, int64_t step, lane *x, lane *y)
{
    __m256d even = _mm256_castpd128_pd256(_mm_loadu_pd(PAIR(0))), odd = _mm256_castpd128_pd256(_mm_loadu_pd(PAIR(1)));
    even = _mm256_insertf128_pd(even, _mm_loadu_pd(PAIR(2)), 1);
    odd = _mm256_insertf128_pd(odd, _mm_loadu_pd(PAIR(3)), 1);
    *x = _mm256_unpacklo_pd(even, odd);
    *y = _mm256_unpackhi_pd(even, odd);
}
LANE_FN void lane_deal_pair(double *p, int64_t step, lane x, lane y)
{
    __m256d even = _mm256_unpacklo_pd(x, y), odd = _mm256_unpackhi_pd(x, y);
    _mm_storeu_pd(PLACE(0), _mm256_castpd256_pd128(even));
    _mm_storeu_pd(PLACE(1), _mm256_castpd256_pd128(odd));
    _mm_storeu_pd(PLACE(2), _mm256_extractf128_pd(even, 1));
    _mm_storeu_pd(PLACE(3), _mm256_extractf128_pd(odd, 1));
}

#elif defined(PLUMB_ARITH_LANE_AVX512_H)

LANE_FN void lane_collect_pair(const double *p, const int32_t *at, int64_t step, lane *x, lane *y)
{
    __m512d even = _mm512_castpd128_pd512(_mm_loadu_pd(PAIR(0))), odd = _mm512_castpd128_pd512(_mm_loadu_pd(PAIR(1)));
    even = _mm512_insertf64x2(even, _mm_loadu_pd(PAIR(2)), 1);
    odd = _mm512_insertf64x2(odd, _mm_loadu_pd(PAIR(3)), 1);
    even = _mm512_insertf64x2(even, _mm_loadu_pd(PAIR(4)), 2);
    odd = _mm512_insertf64x2(odd, _mm_loadu_pd(PAIR(5)), 2);
    even = _mm512_insertf64x2(even, _mm_loadu_pd(PAIR(6)), 3);
    odd = _mm512_insertf64x2(odd, _mm_loadu_pd(PAIR(7)), 3);
    *x = _mm512_unpacklo_pd(even, odd);
    *y = _mm512_unpackhi_pd(even, odd);
}
LANE_FN void lane_deal_pair(double *p, int64_t step, lane x, lane y)
{
    __m512d even = _mm512_unpacklo_pd(x, y), odd = _mm512_unpackhi_pd(x, y);
    _mm_storeu_pd(PLACE(0), _mm512_castpd512_pd128(even));
    _mm_storeu_pd(PLACE(1), _mm512_castpd512_pd128(odd));
    _mm_storeu_pd(PLACE(2), _mm512_extractf64x2_pd(even, 1));
    _mm_storeu_pd(PLACE(3), _mm512_extractf64x2_pd(odd, 1));
    _mm_storeu_pd(PLACE(4), _mm512_extractf64x2_pd(even, 2));
    _mm_storeu_pd(PLACE(5), _mm512_extractf64x2_pd(odd, 2));
    _mm_storeu_pd(PLACE(6), _mm512_extractf64x2_pd(even, 3));
    _mm_storeu_pd(PLACE(7), _mm512_extractf64x2_pd(odd, 3));
}

#else

LANE_FN void lane_collect_pair(const double *p, const int32_t *at, int64_t step, lane *x, lane *y)
{
    *x = lane_collect(p, at, step);
    *y = lane_collect(p + 1, at, step);
}
LANE_FN void lane_deal_pair(double *p, int64_t step, lane x, lane y)
{
    double part[2][LANE_WIDTH];
    lane_store(part[0], x);
    lane_store(part[1], y);
    for (int i = 0; i < LANE_WIDTH; i++)
        PLACE(i)[0] = part[0][i], PLACE(i)[1] = part[1][i];
}

#endif

#undef PAIR
#undef PLACE

/* Place i of the lane is the real number whose limbs begin at p + at[i]*step. */
LANE_FN d d_collect(const double *p, const int32_t *at, int64_t step) { return d_make(lane_collect(p, at, step)); }
LANE_FN dd dd_collect(const double *p, const int32_t *at, int64_t step)
{
    dd x;
    lane_collect_pair(p, at, step, &x.hi, &x.lo);
    return x;
}
LANE_FN qd qd_collect(const double *p, const int32_t *at, int64_t step)
{
    qd x;
    lane_collect_pair(p, at, step, &x.x0, &x.x1);
    lane_collect_pair(p + 2, at, step, &x.x2, &x.x3);
    return x;
}
#define real_collect REAL_FN(_collect)

/* Stores place i of the lane at p + i*step. */
LANE_FN void d_deal(double *p, int64_t step, d x)
{
    double part[LANE_WIDTH];
    lane_store(part, x.x);
    for (int i = 0; i < LANE_WIDTH; i++)
        p[i * step] = part[i];
}
LANE_FN void dd_deal(double *p, int64_t step, dd x) { lane_deal_pair(p, step, x.hi, x.lo); }
LANE_FN void qd_deal(double *p, int64_t step, qd x)
{
    lane_deal_pair(p, step, x.x0, x.x1);
    lane_deal_pair(p + 2, step, x.x2, x.x3);
}
#define real_deal REAL_FN(_deal)

LANE_FN cplx cplx_collect(const double *p, const int32_t *at, int64_t step)
{
#if PLUMB_LIMBS == 1
    cplx z;
    lane_collect_pair(p, at, step, &z.re.x, &z.im.x);
    return z;
#else
    return cplx_make(real_collect(p, at, step), real_collect(p + PLUMB_LIMBS, at, step));
#endif
}
LANE_FN void cplx_deal(double *p, int64_t step, cplx z)
{
#if PLUMB_LIMBS == 1
    lane_deal_pair(p, step, z.re.x, z.im.x);
#else
    real_deal(p, step, z.re);
    real_deal(p + PLUMB_LIMBS, step, z.im);
#endif
}
#define num_collect NUM_FN(collect)
#define num_deal NUM_FN(deal)

#endif
