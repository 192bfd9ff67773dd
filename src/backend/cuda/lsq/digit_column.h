/* digit_column.h - what column.h does, in qd with digits on a grid (digits.h): operations of a team of threads on a column
 * in shared memory.
 *
 * A column is loaded with a norm of at most 1: it is divided by 2^digit_headroom more than column.h divides it. When it is
 * final, it is multiplied by the power of two that brings its square norm to [1/4, 1), so that as a factor it has all its
 * digits. For that the team keeps an upper bound of the square norm, from which it subtracts what each step removes. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_DIGIT_COLUMN_H
#define PLUMB_BACKEND_CUDA_LSQ_DIGIT_COLUMN_H

#include "backend/cuda/lsq/digits.h"

enum {
    ENTRIES_EXACT = 128, /* products of this many entries add up exactly; of more, sums carry before that */
    ENTRIES_AT_ONCE = 16 /* a thread carries after this many entries */
};

/* Entry e of a column in shared memory: the first four digits in pairs, then the fifth. */
GPU_FN digits digits_load(const double *column, int entries, int e)
{
    digits a;
    LANE_UNROLL
    for (int q = 0; q < DIGITS / 2; q++) {
        const pair p = *(const pair *)(column + 2 * (q * entries + e));
        a.v[2 * q] = p.x, a.v[2 * q + 1] = p.y;
    }
    a.v[DIGITS - 1] = column[(DIGITS - 1) * entries + e];
    return a;
}
GPU_FN void digits_store(double *column, int entries, int e, digits a)
{
    LANE_UNROLL
    for (int q = 0; q < DIGITS / 2; q++)
        *(pair *)(column + 2 * (q * entries + e)) = pair{a.v[2 * q], a.v[2 * q + 1]};
    column[(DIGITS - 1) * entries + e] = a.v[DIGITS - 1];
}

GPU_FN double digit_power(int exponent)
{
    return gpu_of_high_word((1023 + exponent) << 20);
}

/* The entries of a column have at most this norm, as a power of two. */
GPU_FN int digit_headroom(int used)
{
    return used > 1 ? (32 - gpu_leading_zeros(used - 1) + 1) / 2 : 0;
}

/* Entries of a thread in registers. SHARE is their number; 0: any number, read from shared memory where they are used. */
template <int SHARE> struct digit_rows {
    digits re[SHARE > 0 ? SHARE : 1], im[SHARE > 0 ? SHARE : 1];
};

/* The rows of a pivot that a thread needs, both parts. */
template <int TEAM, int SHARE> GPU_FN void pivot_rows(digit_rows<SHARE> *rows, int lane, const double *pivot)
{
    LANE_UNROLL
    for (int i = 0; i < SHARE; i++) {
        const int e = lane + TEAM * i;
        rows->re[i] = digits_load(pivot, TEAM * SHARE, PARTS == 2 ? e & ~1 : e);
        if (PARTS == 2)
            rows->im[i] = digits_load(pivot, TEAM * SHARE, e | 1);
    }
}

/* sum + the product of row i of a pivot with an entry of the thread, `own` being its part and `beside` that of its
 * neighbour, the sign of which is `sign` */
template <int SHARE>
GPU_FN void row_take(level_sum *sum, const digit_rows<SHARE> *rows, int i, digits own, digits beside, int sign)
{
    if (PARTS == 2)
        digits_take_two(sum, rows->re[i], own, rows->im[i], digits_flip(beside, sign));
    else
        digits_take(sum, rows->re[i], own);
}

GPU_FN level_sum digits_settled(level_sum sum, int used)
{
    sum = digits_end(sum);
    return used > ENTRIES_EXACT ? digits_levels(digits_carry(sum)) : sum;
}

/* The share of this thread in pivot^H column, for its part of the result. own receives its entries, if SHARE is not 0. */
template <int TEAM, int SHARE>
GPU_FN level_sum column_dot_digits(int lane, int share, int used, const digit_rows<SHARE> *rows, const double *pivot,
                                   const double *column, digits *own)
{
    const int sign = sign_of(lane), entries = TEAM * share;
    level_sum sum = digits_start();
    LANE_UNROLL
    for (int i = 0; i < SHARE; i++) {
        const int e = lane + TEAM * i;
        own[i] = digits_load(column, entries, e);
        row_take(&sum, rows, i, own[i], PARTS == 2 ? digits_of_neighbour(own[i]) : own[i], sign);
    }
    for (int i = 0; SHARE == 0 && i < share; i++) {
        const int e = lane + TEAM * i;
        digit_rows<0> row;
        if (i > 0 && i % ENTRIES_AT_ONCE == 0)
            sum = digits_start(digits_carry(digits_end(sum)));
        row.re[0] = digits_load(pivot, entries, PARTS == 2 ? e & ~1 : e);
        row.im[0] = digits_load(pivot, entries, e | (PARTS - 1));
        row_take(&sum, &row, 0, digits_load(column, entries, e), digits_load(column, entries, e ^ (PARTS - 1)), sign);
    }
    return digits_settled(sum, used);
}

/* entry - c a, for the entry and row of a thread */
GPU_FN digits entry_without(digits own, digits re, digits im, digits minus_c, digits other)
{
    level_sum rest = digits_start(own);
    if (PARTS == 2)
        digits_take_two(&rest, minus_c, re, other, im);
    else
        digits_take(&rest, minus_c, re);
    return digits_carry(digits_end(rest));
}

/* column -= c pivot, where c is the part of the coefficient of this thread and `beside` that of its neighbour. */
template <int TEAM, int SHARE>
GPU_FN void column_remove_digits(int lane, int share, const digit_rows<SHARE> *rows, const double *pivot,
                                 double *column, const digits *own, digits c, digits beside)
{
    const int entries = TEAM * share;
    const digits minus_c = digits_flip(c, (int)0x80000000u), other = digits_flip(beside, sign_of(lane));
    LANE_UNROLL
    for (int i = 0; i < SHARE; i++)
        digits_store(column, entries, lane + TEAM * i, entry_without(own[i], rows->re[i], rows->im[i], minus_c, other));
    for (int i = 0; SHARE == 0 && i < share; i++) {
        const int e = lane + TEAM * i;
        digits_store(column, entries, e,
                     entry_without(digits_load(column, entries, e),
                                   digits_load(pivot, entries, PARTS == 2 ? e & ~1 : e),
                                   digits_load(pivot, entries, e | (PARTS - 1)), minus_c, other));
    }
}

/* The share of this thread in column^H column. */
template <int TEAM> GPU_FN level_sum column_square_digits(int lane, int share, int used, const double *column)
{
    level_sum sum = digits_start();
    for (int i = 0; i < share; i++) {
        if (i > 0 && i % ENTRIES_AT_ONCE == 0)
            sum = digits_start(digits_carry(digits_end(sum)));
        digits_take_square(&sum, digits_load(column, TEAM * share, lane + TEAM * i));
    }
    return digits_settled(sum, used);
}

/* An upper bound of a square norm after a step in which total and c were about the sum and the coefficient, of this part. */
GPU_FN double bound_after(double bound, double total, double c)
{
    double gone = lane_mul(total, c);
    if (PARTS == 2)
        gone = lane_add(gone, gpu_shuffle_xor(gone, 1));
    return lane_fma(bound, 0x1p-44, lane_sub(bound, gone));
}

/* True if so little is left of what a square norm was at first that its bound is not accurate. Below 2^-120, two digits are not enough to
 * see what a step removes: it must be added up in each step. */
GPU_FN bool bound_is_loose(double bound, double at_first)
{
    return bound < lane_mul(at_first, 0x1p-30) || bound < 0x1p-120;
}

/* The bound by adding up leading bits. The whole warp calls. */
template <int TEAM> GPU_FN double bound_of(team<TEAM> *t, int share, const double *column)
{
    double sum = 0.0;
    for (int i = 0; i < share; i++) {
        const double head = digits_head(digits_load(column, TEAM * share, t->lane + TEAM * i));
        sum = lane_fma(head, head, sum);
    }
    return lane_mul(team_sum_double(t, sum), 1.0 + 0x1p-40);
}

/* The power of two that brings a column with this bound of its square norm to [1/4, 1). */
GPU_FN int shift_for(double bound)
{
    const int exponent = bound > 0.0 ? (gpu_high_word(bound) >> 20) - 1022 : 0; /* bound < 2^exponent */
    return exponent < 0 ? -exponent / 2 : 0;
}

GPU_FN digits digits_shifted(level_sum rest, int by)
{
    const int most = DIGIT_BITS - 8;
    digits a = digits_carry(rest, by < most ? by : most);
    for (int more = by - most; more > 0; more -= most)
        a = digits_carry(digits_levels(a), more < most ? more : most);
    return a;
}

template <int TEAM> GPU_FN void column_shift(int lane, int share, double *column, int by)
{
    for (int i = 0; i < share; i++) {
        const int e = lane + TEAM * i;
        digits_store(column, TEAM * share, e, digits_shifted(digits_levels(digits_load(column, TEAM * share, e)), by));
    }
}

/* The inverse of a square norm between about 1/4 and 1, and that square norm as a number. */
GPU_FN digits square_inverse(level_sum sum, real *square)
{
    const double near = gpu_reciprocal_near(lane_add(sum.v[0], sum.v[1]));
    *square = levels_value(sum);
    return digits_of(inverse_terms(*square, near), 1);
}

GPU_FN real real_times(real a, double power)
{
    return qd_shift(a, power);
}

/* Like column_load: column j in shared memory, scaled, zeros if it is not finite. */
template <int TEAM>
GPU_FN loaded column_load_digits(team<TEAM> *t, int share, const double *from, int64_t plane, int used, int headroom,
                                 double *column)
{
    int size = 0;
    for (int e = t->lane; e < used; e += TEAM) {
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            const int high = gpu_high_word(from[(e % PARTS * LIMBS + q) * plane + e / PARTS]) & 0x7fffffff;
            size = high > size ? high : size;
        }
    }
    gpu_sync_warp();
    loaded r;
    size = team_max(t, size);
    r.finite = size < 0x7ff00000;
    r.exponent = r.finite ? size_exponent(size) : 0;
    const pair power = scale_factors(r.exponent);
    double sum = 0.0;
    for (int i = 0; i < share; i++) {
        const int e = t->lane + TEAM * i;
        double v[LIMBS] = {0.0};
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            if (e < used && r.finite)
                v[q] = lane_mul(lane_mul(from[(e % PARTS * LIMBS + q) * plane + e / PARTS], power.x), power.y);
        sum = lane_fma(v[0], v[0], sum);
        digits_store(column, TEAM * share, e, digits_of(real_times(real_of_limbs(v), digit_power(-headroom)), 0));
    }
    r.squares = team_sum_double(t, sum);
    return r;
}

#endif
