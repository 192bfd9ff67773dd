/* column.h - operations of a team of threads on one column in shared memory: inner products with another column,
 * removal of that column, the square norm, loading and scaling. Each of the TEAM threads has `share` entries, TEAM
 * apart; an entry is one part (real or imaginary) of a number. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_COLUMN_H
#define PLUMB_BACKEND_CUDA_LSQ_COLUMN_H

#include "backend/cuda/lsq/gpu.h"
#include "backend/cuda/lsq/team.h"

/* Row e / PARTS of a column, both parts. */
GPU_FN void row_load(const double *column, int entries, int e, real *re, real *im)
{
#if PLUMB_PARTS == 1
    *re = *im = entry_load(column, entries, e);
#elif PLUMB_LIMBS == 1
    pair p = *(const pair *)(column + (e & ~1));
    *re = d_make(p.x), *im = d_make(p.y);
#else
    *re = entry_load(column, entries, e & ~1);
    *im = entry_load(column, entries, e | 1);
#endif
}

/* Let c and `other` be the parts of a number x that this thread and its neighbour have. The part of conj(a) x of this
 * thread is re c + im other, and that of a x is re c - im other, if `other` is negated for threads with imaginary
 * parts. */
GPU_FN int sign_of(int lane)
{
    return PARTS == 2 ? (int)((unsigned)lane << 31) : 0;
}

/* The share of this thread in pivot^H column, for its part of the result, and in pivot^H pivot. */
template <int TEAM>
GPU_FN void column_dots(int lane, int share, const double *pivot, const double *column, real_acc *dot, real_acc *square)
{
    real_acc sum = real_acc_zero(), squares = real_acc_zero();
#if PLUMB_LIMBS == 1
    real_acc more = real_acc_zero(); /* two independent chains instead of one */
#endif
    const int entries = TEAM * share, sign = sign_of(lane);
    LANE_UNROLL
    for (int i = 0; i < share; i++) {
        real re, im, own;
        int e = lane + TEAM * i;
        row_load(pivot, entries, e, &re, &im);
        own = entry_load(column, entries, e);
        if (square) {
            real a = PARTS == 2 && lane & 1 ? im : re;
            squares = real_acc_add(squares, a, a);
        }
        sum = real_acc_add(sum, re, own);
#if PLUMB_PARTS == 2
        real other = entry_load(column, entries, e ^ 1);
#if PLUMB_LIMBS == 1
        more = real_acc_add(more, im, other);
#else
        sum = real_acc_add(sum, im, real_flip(other, sign));
#endif
#endif
    }
#if PLUMB_LIMBS == 1
    sum.x = lane_add(sum.x, gpu_flip(more.x, sign));
#endif
    (void)sign;
    *dot = sum;
    if (square)
        *square = squares;
}

/* column -= c pivot, where c is the part of the coefficient of this thread and `other` that of its neighbour. */
template <int TEAM>
GPU_FN void column_remove(int lane, int share, const double *pivot, double *column, real c, real other)
{
    const int entries = TEAM * share;
    real minus = real_flip(other, sign_of(lane) ^ (int)0x80000000u);
    LANE_UNROLL
    for (int i = 0; i < share; i++) {
        int e = lane + TEAM * i;
        real re, im;
        row_load(pivot, entries, e, &re, &im);
        const real own = entry_load(column, entries, e);
#if PLUMB_LIMBS == 4 && PLUMB_PARTS == 2
        entry_store(column, entries, e, qd_rest_2(own, c, re, minus, im, 1));
#else
        real_acc rest = real_acc_sub(real_acc_of(own), c, re);
        if (PARTS == 2)
            rest = real_acc_sub(rest, minus, im);
        entry_store(column, entries, e, real_acc_value(rest));
#endif
    }
}

template <int TEAM> GPU_FN real_acc column_squares(int lane, int share, const double *column)
{
    real_acc sum = real_acc_zero();
    const int entries = TEAM * share;
    LANE_UNROLL
    for (int i = 0; i < share; i++) {
        real a = entry_load(column, entries, lane + TEAM * i);
        sum = real_acc_add(sum, a, a);
    }
    return sum;
}

/* The high word of the largest modulus among the entries of this thread. */
template <int TEAM> GPU_FN int column_size(int lane, int share, const double *column)
{
    int size = 0;
    LANE_UNROLL
    for (int i = 0; i < share; i++) {
        int high = gpu_high_word(column[(LIMBS == 1 ? 1 : 2) * (lane + TEAM * i)]) & 0x7fffffff;
        size = high > size ? high : size;
    }
    return size;
}

/* An upper bound for the exponent of all sums of `entries` products of two numbers: one has the high word `size`, the
 * other was at most 1 in modulus at the start, so that its norm is at most the root of `entries`. It is raised if a
 * slice could be out of the range of doubles. */
GPU_FN int sum_top(int size, int exponent_more, int entries)
{
    int top = ((size >> 20) - 1022) + exponent_more + (32 - gpu_leading_zeros(entries)) + 1;
    return top < -600 ? -600 : top;
}

/* 1 / s for s away from the ends of the range: r0 in double, one Newton step to double double, another to quad
 * double. The limbs of inverse_terms are not normalised: each is below 2^-51 times the one before. */
GPU_FN real inverse_terms(real s, double r0)
{
#if PLUMB_LIMBS == 1
    return d_make(r0);
#else
#if PLUMB_LIMBS == 2
    double s0 = s.hi, s1 = s.lo;
#else
    double s0 = s.x0, s1 = s.x1;
#endif
    double e = lane_fnma(s1, r0, lane_fnma(s0, r0, 1.0));
    dd r = quick_two_sum(r0, lane_mul(r0, lane_fma(e, e, e)));
#if PLUMB_LIMBS == 2
    return r;
#else
    /* rest = 1 - s r, about 2^-104, to twice that precision; the cancellation is exact. */
    dd p00 = two_prod_neg(s0, r.hi), p01 = two_prod_neg(s0, r.lo), p10 = two_prod_neg(s1, r.hi),
       p11 = two_prod_neg(s1, r.lo), p20 = two_prod_neg(s.x2, r.hi);
    double small = lane_fma(s.x3, r.hi, lane_mul(s.x2, r.lo));                 /* 2^-159 */
    dd a = two_sum(p01.hi, p10.hi), b = two_diff(lane_sub(1.0, p00.hi), a.hi); /* 2^-52 */
    b.hi = lane_add(b.hi, p00.lo);                                             /* the remainder is short: exact */
    dd c = two_diff(p01.lo, p11.hi), d = two_diff(p10.lo, p20.hi);             /* 2^-106, negated */
    dd e2 = two_diff(b.lo, a.lo), f = two_sum(c.hi, d.hi), g = two_sum(e2.hi, f.hi);
    double low = lane_add(lane_add(lane_add(c.lo, d.lo), lane_add(e2.lo, f.lo)),
                          lane_add(g.lo, lane_sub(lane_add(p11.lo, p20.lo), small)));
    dd rest = two_sum(b.hi, g.hi);
    rest.lo = lane_add(rest.lo, low);
    dd more = dd_mul(r, rest);
    return qd_make(r.hi, r.lo, more.hi, lane_fma(r.hi, lane_mul(rest.hi, rest.hi), more.lo));
#endif
#endif
}

GPU_FN real inverse_from(real s, double r0)
{
    const real r = inverse_terms(s, r0);
#if PLUMB_LIMBS == 4
    return qd_renormalize(r.x0, r.x1, r.x2, r.x3);
#else
    return r;
#endif
}

GPU_FN real inverse_of(real s)
{
    return inverse_from(s, gpu_reciprocal(real_head(s)));
}

GPU_FN int32_t *job_flag(const mgs_gpu_job *job, int problem, int which)
{
    return job->flags + (int64_t)problem * (job->all + MGS_FLAGS) + job->all + which;
}

/* Marks a word that announces itself as not written yet: GPU_NOT_YET. */
struct alignas(8) mark_bits {
    int32_t word[2];
};
GPU_FN void mark_word(double *to)
{
    *(mark_bits *)to = mark_bits{{-1, -1}};
}

/* The words stored beside column j in w. */
GPU_FN double *job_beside(const mgs_gpu_job *job, int problem, int j)
{
    return job->w + problem * job->w_step + PARTS * LIMBS * job->w_plane + (int64_t)j * FLOW_WORDS(LIMBS);
}

/* Columns on their way from panel to panel, in d and dd, in pairs of words: see mgs_gpu_job.w. */
GPU_FN double *job_sent(const mgs_gpu_job *job, int problem)
{
    return job->w + problem * job->w_step + PANEL_SENT(PARTS * LIMBS * job->w_plane + job->all * FLOW_WORDS(LIMBS));
}

/* Plane q of column j of the job; right-hand sides follow the columns of A. */
GPU_FN const double *job_column(const mgs_gpu_job *job, int problem, int j, int64_t *plane)
{
    const mgs_gpu_array *from = j < job->cols ? &job->a : &job->b;
    *plane = from->plane;
    return from->data + problem * from->next + (j < job->cols ? j : j - job->cols) * from->col;
}

/* 2^-exponent as two factors, because exponents range from -1073 to 1024. */
GPU_FN pair scale_factors(int exponent)
{
    int half = -exponent / 2;
    pair p;
    p.x = gpu_of_high_word((1023 + half) << 20);
    p.y = gpu_of_high_word((1023 - exponent - half) << 20);
    return p;
}

/* The exponent that frexp gives for a normal number with this high word; a column of subnormal numbers is treated as
 * one of the smallest normal numbers. */
GPU_FN int size_exponent(int size)
{
    return size == 0 ? 0 : (size >> 20) == 0 ? -1021 : (size >> 20) - 1022;
}

/* Loads column j into shared memory, scaled; finds its exponent, the sum of the squares of its leading limbs, and
 * whether it is finite. */
typedef struct loaded {
    int exponent, finite;
    double squares;
} loaded;

template <int TEAM>
GPU_FN loaded column_load(team<TEAM> *t, int share, const double *from, int64_t plane, int used, double *column)
{
    const int entries = TEAM * share;
    int size = 0;
    LANE_UNROLL
    for (int i = 0; i < share; i++) {
        double v[LIMBS] = {0.0};
        int e = t->lane + TEAM * i;
        if (e < used) {
            LANE_UNROLL
            for (int q = 0; q < LIMBS; q++) {
                v[q] = from[(e % PARTS * LIMBS + q) * plane + e / PARTS];
                int high = gpu_high_word(v[q]) & 0x7fffffff;
                size = high > size ? high : size;
            }
        }
        entry_store(column, entries, e, real_of_limbs(v));
    }
    loaded r;
    size = team_max(t, size);
    r.finite = size < 0x7ff00000;
    r.exponent = r.finite ? size_exponent(size) : 0;
    pair power = scale_factors(r.exponent);
    double sum = 0.0;
    LANE_UNROLL
    for (int i = 0; i < share; i++) {
        double v[LIMBS];
        int e = t->lane + TEAM * i;
        limbs_of_real(v, entry_load(column, entries, e));
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            v[q] = lane_mul(lane_mul(v[q], power.x), power.y);
        sum = lane_fma(v[0], v[0], sum);
        entry_store(column, entries, e, real_of_limbs(v));
    }
    r.squares = team_sum_double(t, sum);
    return r;
}

#endif
