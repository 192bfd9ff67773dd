/* group.h - sums and maxima over the threads of a warp that share a column: LANES threads, SPACING apart. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_GROUP_H
#define PLUMB_BACKEND_CUDA_LSQ_GROUP_H

#include "backend/cuda/lsq/column.h"

/* The sum of two accumulators, and the value of one. */
GPU_FN real_acc acc_merge(real_acc a, real_acc b)
{
#if PLUMB_LIMBS == 1
    return d_add(a, b);
#else
    dd s = two_sum(a.hi, b.hi);
    return dd_make(s.hi, lane_add(lane_add(a.lo, b.lo), s.lo));
#endif
}
GPU_FN real acc_total(real_acc s)
{
#if PLUMB_LIMBS == 1
    return s;
#else
    return two_sum(s.hi, s.lo);
#endif
}
/* On the critical path limbs may overlap: a number is the sum of the limbs of an accumulator, not normalised, and so
 * is a product. Entries and coefficients that are kept are normalised by `settled`, which assumes that the first limb
 * is the larger one. If sums cancel so far that it is not, one rounding of the second limb is lost, no more than each
 * of the terms has lost. */
GPU_FN real product_loose(real a, real b)
{
#if PLUMB_LIMBS == 1
    return d_mul(a, b);
#else
    const lane hi = lane_mul(a.hi, b.hi);
    return dd_make(hi, lane_fma(a.lo, b.hi, lane_fma(a.hi, b.lo, lane_fma(a.hi, b.hi, lane_neg(hi)))));
#endif
}
GPU_FN real settled(real a)
{
#if PLUMB_LIMBS == 1
    return a;
#else
    return quick_two_sum(a.hi, a.lo);
#endif
}
GPU_FN num num_settled(num a)
{
    return cplx_make(settled(a.re), settled(a.im));
}
GPU_FN num num_loose(real_acc re, real_acc im, real factor)
{
    return cplx_make(product_loose(re, factor), product_loose(im, factor));
}
#if PLUMB_LIMBS == 2
/* a - p + q; the errors of both sums, which are known last, are added last. */
GPU_FN dd_acc acc_rest(dd a, dd p, dd q)
{
    const dd s = two_diff(a.hi, p.hi), t = two_sum(s.hi, q.hi);
    return dd_make(t.hi, lane_add(lane_add(lane_sub(a.lo, p.lo), q.lo), lane_add(s.lo, t.lo)));
}
GPU_FN dd minus(dd a)
{
    return dd_make(lane_neg(a.hi), lane_neg(a.lo));
}
#endif
/* a - b c, a sum of limbs that may overlap */
GPU_FN num_acc rest_loose(num_acc a, num b, num c)
{
#if PLUMB_LIMBS == 1
    return num_acc_sub(a, b, c);
#else
    a.re = acc_rest(a.re, product_loose(b.re, c.re), product_loose(b.im, c.im));
    a.im = acc_rest(a.im, product_loose(b.re, c.im), product_loose(minus(b.im), c.re));
    return a;
#endif
}
/* column - pivot c */
GPU_FN num rest_near(num column, num pivot, num c)
{
    const num_acc rest = rest_loose(num_acc_of(column), pivot, c);
    return cplx_make(settled(rest.re), settled(rest.im));
}
GPU_FN real_acc acc_of_other(real_acc a, int with)
{
#if PLUMB_LIMBS == 1
    return d_make(gpu_shuffle_xor(a.x, with));
#else
    return dd_make(gpu_shuffle_xor(a.hi, with), gpu_shuffle_xor(a.lo, with));
#endif
}

/* conj(a) b for ROWS rows: real and imaginary part. In double double sums begin with a product, because an error-free sum with zero
 * would take its time. */
template <int ROWS> GPU_FN void rows_dot(const num *a, const num *b, real_acc *sum)
{
#if PLUMB_LIMBS == 1
    num_acc part = num_acc_zero();
    LANE_UNROLL
    for (int i = 0; i < ROWS; i++)
        part = num_acc_add_conj(part, a[i], b[i]);
    sum[0] = part.re, sum[1] = part.im;
#else
    LANE_UNROLL
    for (int i = 0; i < ROWS; i++) {
        const dd_acc re = acc_merge(product_loose(a[i].re, b[i].re), product_loose(a[i].im, b[i].im)),
                     im = acc_merge(product_loose(a[i].re, b[i].im), product_loose(minus(a[i].im), b[i].re));
        sum[0] = i == 0 ? re : acc_merge(sum[0], re);
        sum[1] = i == 0 ? im : acc_merge(sum[1], im);
    }
#endif
}

/* The sum of the squares of ROWS numbers. */
template <int ROWS> GPU_FN real_acc rows_square(const num *a)
{
#if PLUMB_LIMBS == 1
    real_acc re = real_acc_zero(), im = real_acc_zero();
    LANE_UNROLL
    for (int i = 0; i < ROWS; i++) {
        re = real_acc_add(re, a[i].re, a[i].re);
        im = real_acc_add(im, a[i].im, a[i].im);
    }
    return acc_merge(re, im);
#else
    real_acc sum = real_acc_zero();
    LANE_UNROLL
    for (int i = 0; i < ROWS; i++) {
        const real_acc both = acc_merge(product_loose(a[i].re, a[i].re), product_loose(a[i].im, a[i].im));
        sum = i == 0 ? both : acc_merge(sum, both);
    }
    return sum;
#endif
}

/* 1 / s for s away from the ends of the range; in double double by one Newton step from double. */
GPU_FN real inverse_near(real s)
{
#if PLUMB_LIMBS == 1
    return d_make(gpu_reciprocal_near(s.x));
#else
    const double r = gpu_reciprocal_near(s.hi), e = lane_fnma(s.lo, r, lane_fnma(s.hi, r, 1.0));
    return dd_make(r, lane_mul(r, lane_fma(e, e, e)));
#endif
}

/* Several sums over the threads of a group at once, interleaved to hide latency; all threads get the same bits. */
template <int LANES, int COUNT, int SPACING = GPU_WARP / LANES> GPU_FN void group_sums(real_acc *sum)
{
    LANE_UNROLL
    for (int with = SPACING; with < LANES * SPACING; with <<= 1) {
        real_acc other[COUNT];
        LANE_UNROLL
        for (int v = 0; v < COUNT; v++)
            other[v] = acc_of_other(sum[v], with);
        LANE_UNROLL
        for (int v = 0; v < COUNT; v++)
            sum[v] = acc_merge(sum[v], other[v]);
    }
}

template <int LANES, int SPACING> GPU_FN double group_sum(double a)
{
    LANE_UNROLL
    for (int with = SPACING; with < LANES * SPACING; with <<= 1)
        a = lane_add(a, gpu_shuffle_xor(a, with));
    return a;
}

template <int LANES, int SPACING> GPU_FN int group_max(int a)
{
    LANE_UNROLL
    for (int with = SPACING; with < LANES * SPACING; with <<= 1) {
        int other = gpu_shuffle_xor_int(a, with);
        a = other > a ? other : a;
    }
    return a;
}

#endif
