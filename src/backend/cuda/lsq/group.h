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

/* Rows first, first + APART, ... of a column, ROWS numbers, or zeros behind its end and if it does not exist. */
template <int ROWS, int APART>
GPU_FN void rows_load_from(const double *from, int64_t plane, int rows, int exists, int first, num *a)
{
    LANE_UNROLL
    for (int i = 0; i < ROWS; i++) {
        double v[PARTS * LIMBS] = {0.0};
        const int row = APART * i + first;
        if (exists && row < rows) {
            LANE_UNROLL
            for (int q = 0; q < PARTS * LIMBS; q++)
                v[q] = from[q * plane + row];
        }
        a[i] = num_of_limbs(v);
    }
}
/* The same for a column of the job. */
template <int ROWS, int APART>
GPU_FN void rows_load(const mgs_gpu_job *job, int problem, int column, int exists, int first, num *a)
{
    int64_t plane;
    const double *from = job_column(job, problem, exists ? column : 0, &plane);
    rows_load_from<ROWS, APART>(from, plane, job->rows, exists, first, a);
}

/* The high word of the largest limb of ROWS numbers. */
template <int ROWS> GPU_FN int rows_largest(const num *a)
{
    int size = 0;
    LANE_UNROLL
    for (int i = 0; i < ROWS; i++) {
        double v[PARTS * LIMBS];
        num_store(v, 1, a[i], 1);
        LANE_UNROLL
        for (int q = 0; q < PARTS * LIMBS; q++) {
            const int high = gpu_high_word(v[q]) & 0x7fffffff;
            size = high > size ? high : size;
        }
    }
    return size;
}

/* Multiplies ROWS numbers of a column, whose largest limb has this high word, by a power of two. Returns the
 * exponent, and the sum of the squares of first limbs. */
template <int ROWS> GPU_FN int rows_scale(num *a, int size, double *squares)
{
    const int exponent = size < 0x7ff00000 ? size_exponent(size) : 0;
    const pair power = scale_factors(exponent);
    double sum = 0.0;
    LANE_UNROLL
    for (int i = 0; i < ROWS; i++) {
        double v[PARTS * LIMBS];
        num_store(v, 1, a[i], 1);
        LANE_UNROLL
        for (int q = 0; q < PARTS * LIMBS; q++)
            v[q] = lane_mul(lane_mul(v[q], power.x), power.y);
        sum = lane_fma(v[LIMBS], v[LIMBS], lane_fma(v[0], v[0], sum));
        a[i] = num_of_limbs(v);
    }
    *squares = sum;
    return exponent;
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

/* Three sums over a warp: after the first levels a thread goes on with one of them. All threads get the same bits. */
GPU_FN void warp_sums_3(real_acc *sum, int lane)
{
    const int third = lane & 16, second = (lane & 24) == 8, first = (lane & 24) == 0;
    real_acc a = acc_merge(real_select(third, sum[2], sum[0]), acc_of_other(real_select(third, sum[0], sum[2]), 16));
    const real_acc b = acc_merge(sum[1], acc_of_other(sum[1], 16));
    a = acc_merge(real_select(second, b, a), acc_of_other(real_select(first, b, a), 8));
    LANE_UNROLL
    for (int with = 4; with > 0; with >>= 1)
        a = acc_merge(a, acc_of_other(a, with));
    LANE_UNROLL
    for (int v = 0; v < 3; v++) {
        double limb[LIMBS];
        limbs_of_real(limb, a);
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            limb[q] = gpu_shuffle(limb[q], 8 * v);
        sum[v] = real_of_limbs(limb);
    }
}

/* ---- Columns in the two halves of a warp, in double double ------------------------------------------------------
 *
 * Thread l of the first half of a warp has the same rows of a column as thread l of the second half, which has them
 * times -i. Each of them works on the real part of what it has, so that both parts of a column are worked on at the
 * same time by the same instructions: the real part of conj(a) (-i b) is the imaginary part of conj(a) b.
 *
 * A tensor core adds over the threads of a warp in two instructions, where shuffles take five levels, each with an
 * error-free sum. It adds doubles, so the sums have to be exact in double. First limbs of products are cut at a unit common to
 * the warp, 2^52 units being larger than the sum of their moduli, and what is left of them at 2^-45 units: up to 8 products of each
 * thread have half a unit left, and 2^52 of the finer units are more than all of that. Both pieces add exactly. What is left then is
 * added to the other terms of the product, and is so small that rounding it does not matter. */
#if PLUMB_LIMBS == 2

enum { HALF_WARP = 16, WARP_PIECES = 3 };

/* Twice a power of two that is not smaller than A, as an exponent. */
template <int A> struct bits_of {
    static const int value = 1 + bits_of<(A + 1) / 2>::value;
};
template <> struct bits_of<1> {
    static const int value = 0;
};

/* 1.5 * 2^52 units for sums whose terms have together a modulus below 2^top. */
GPU_FN double warp_rounder(int top)
{
    return gpu_of_high_word(((1023 + (top < -600 ? -600 : top)) << 20) | 0x80000);
}

/* The high word of the largest first limb of ROWS numbers of this thread, or of their real parts. */
template <int ROWS, bool REAL> GPU_FN int rows_size(const num *a)
{
    int size = 0;
    LANE_UNROLL
    for (int i = 0; i < ROWS; i++) {
        const int re = gpu_high_word(a[i].re.hi) & 0x7fffffff, im = gpu_high_word(a[i].im.hi) & 0x7fffffff;
        size = re > size ? re : size;
        size = !REAL && im > size ? im : size;
    }
    return size;
}
/* Columns are scaled so that their largest entry is about 1, and what is left of them has no larger norm. The rounder for such columns
 * is good for sums of products with a pivot if the square norm of that is at least USUAL_SQUARE. This is known late, and seldom
 * otherwise: the usual rounder is tried first. */
#define USUAL_SQUARE 0x1p-32
template <int HEIGHT> GPU_FN double usual_rounder(void)
{
    return warp_rounder(bits_of<2 * HEIGHT>::value);
}
/* Otherwise the one for the largest entry: of products with another column, or with itself. */
template <int HEIGHT> GPU_FN double rounder_of(int size, int squares)
{
    const int exponent = (gpu_max(size) >> 20) - 1022;
    return warp_rounder((squares ? 2 * exponent : exponent) + bits_of<2 * HEIGHT>::value);
}

GPU_FN dd_acc from_pieces(double first, double second, double third)
{
    const dd s = quick_two_sum(first, second); /* exact: the first one is a multiple of the unit */
    return dd_make(s.hi, lane_add(s.lo, third));
}

/* Adds pieces over a warp in two products each: over four neighbours, which gives a thread the sums of two such quads, and
 * then over the places in a quad, with a factor of this thread. */
GPU_FN void sum_pieces(const double *v, double mine, double all[WARP_PIECES][2])
{
    double quads[WARP_PIECES][2];
    LANE_UNROLL
    for (int i = 0; i < WARP_PIECES; i++) {
        quads[i][0] = quads[i][1] = all[i][0] = all[i][1] = 0.0;
        gpu_multiply_upper(quads[i], 1.0, v[i]);
    }
    LANE_UNROLL
    for (int i = 0; i < WARP_PIECES; i++)
        gpu_multiply_upper(all[i], lane_add(quads[i][0], quads[i][1]), mine);
}

/* The sums of the first and of the second half of a warp; all threads get the same bits. A thread has quads of the first half if
 * its place in its own quad is 0 or 1, so half of the factors are zero in each sum. */
GPU_FN void sum_halves(const double *v, dd_acc *first, dd_acc *second)
{
    const int lane = gpu_thread() % GPU_WARP;
    double all[WARP_PIECES][2];
    sum_pieces(v, (lane >> 2 & 1) == (lane >> 1 & 1) ? 1.0 : 0.0, all);
    *first = from_pieces(all[0][0], all[1][0], all[2][0]);
    *second = from_pieces(all[0][1], all[1][1], all[2][1]);
}
/* The sum over the warp. */
GPU_FN dd_acc sum_warp(const double *v)
{
    double all[WARP_PIECES][2];
    sum_pieces(v, 1.0, all);
    return from_pieces(all[0][0], all[1][0], all[2][0]);
}

/* What a thread adds to a sum of products: both pieces, which begin with what cuts them, and the rest. Each product is cut when it is
 * made. To add double doubles and to cut the sum takes as many instructions, but the last of them wait for each other. */
struct half_sum_pieces {
    double rounder, finer, first, second, rest;

    __device__ __forceinline__ half_sum_pieces(double from)
        : rounder(from), finer(lane_mul(from, 0x1p-45)), first(from), second(finer), rest(0.0)
    {
    }
    __device__ __forceinline__ void add(dd a, dd b)
    {
        const double p = lane_mul(a.hi, b.hi), with = lane_add(first, p), left = lane_sub(p, lane_sub(with, first)),
                     with_left = lane_add(second, left), last = lane_sub(left, lane_sub(with_left, second)),
                     low = lane_fma(a.lo, b.hi, lane_fma(a.hi, b.lo, lane_fma(a.hi, b.hi, lane_neg(p))));
        first = with, second = with_left;
        rest = lane_add(rest, lane_add(low, last));
    }
    __device__ __forceinline__ void values(double *v) const
    {
        v[0] = lane_sub(first, rounder), v[1] = lane_sub(second, finer), v[2] = rest;
    }
};

/* What this thread adds to the product of the pivot and its column, and to the square norm of a column. */
template <int ROWS> GPU_FN void half_dot(const num *pivot, const num *own, double rounder, double *v)
{
    half_sum_pieces sum(rounder);
    LANE_UNROLL
    for (int i = 0; i < ROWS; i++) {
        sum.add(pivot[i].re, own[i].re);
        sum.add(pivot[i].im, own[i].im);
    }
    sum.values(v);
}
template <int ROWS> GPU_FN void half_square(const num *own, double rounder, double *v)
{
    half_sum_pieces sum(rounder);
    LANE_UNROLL
    for (int i = 0; i < ROWS; i++)
        sum.add(own[i].re, own[i].re);
    sum.values(v);
}
/* pivot^H column over a warp, and the square norm of a column, with this rounder. */
template <int ROWS> GPU_FN void halves_dot(const num *pivot, const num *own, double rounder, dd_acc *re, dd_acc *im)
{
    double v[WARP_PIECES];
    half_dot<ROWS>(pivot, own, rounder, v);
    sum_halves(v, re, im);
}
template <int ROWS> GPU_FN dd_acc halves_square(const num *own, double rounder)
{
    double v[WARP_PIECES];
    half_square<ROWS>(own, rounder, v);
    return sum_warp(v);
}
/* A number as a thread needs it, by which the pivot is multiplied: times -i in the second half. */
GPU_FN num half_factor(dd_acc re, dd_acc im, int second)
{
    return cplx_make(real_select(second, im, re), real_select(second, minus(re), im));
}
/* The real part of column - pivot c, with c as half_factor gives it. */
GPU_FN dd half_rest(dd own, num pivot, num c)
{
    return settled(acc_rest(own, product_loose(pivot.re, c.re), product_loose(pivot.im, c.im)));
}
/* The imaginary part again, after the real parts have changed. Signs change before numbers are sent, so that nobody waits for these
 * before they are used. */
GPU_FN dd half_other(dd re, int second)
{
    const int sign = second ? 0 : (int)0x80000000u;
    return dd_make(gpu_shuffle_xor(gpu_flip(re.hi, sign), HALF_WARP),
                   gpu_shuffle_xor(gpu_flip(re.lo, sign), HALF_WARP));
}
GPU_FN num half_of(num a, int second)
{
    return cplx_make(real_select(second, a.im, a.re), real_select(second, minus(a.re), a.im));
}
#endif

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
