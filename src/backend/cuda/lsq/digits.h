/* digits.h - numbers of quad double as five digits on a grid, for orthogonalisation.
 *
 * All entries of a column have one exponent in common, and errors count relative to the norm of the column. Within a
 * column, fixed point is therefore as good as floating point, and it is cheaper: carries are known beforehand and need
 * not be looked for. A number x, |x| <= 2, is the sum of five digits; digit k is a double, a multiple of the unit
 * 2^-44(k+1), and except for the first one at most a little more than half a unit of the digit before. The last digit
 * may have more bits than that.
 *
 * A sum of products is kept in five levels. Level k starts at a bias so large that every sum with it is rounded to a
 * multiple of unit k. The product of digits i and j is a multiple of unit i + j + 1: one FMA adds it to level i + j, a
 * subtraction and a second FMA give what was lost there, exactly, and that is a multiple of unit i + j + 1 and is added
 * to the next level without error. This takes 45 operations per product of numbers, where qd limbs, which may begin
 * anywhere, take 100 to 145 (levels.h, arith/qd_rest.h). Products with i + j > 4, below 2^-220, are left out; the
 * last level is a double without bias. The error of a product is below 2^-219, for factors below 1.
 *
 * Levels 0 to 3 add exactly over threads, in any order, as long as a sum stays below 2^53 units: 32 products per
 * thread and 128 together, or as many as there are if threads carry first. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_DIGITS_H
#define PLUMB_BACKEND_CUDA_LSQ_DIGITS_H

#include "backend/cuda/lsq/levels.h"

enum { DIGITS = QUAD_DIGITS, DIGIT_BITS = 44 };

/* A number. The levels of a sum are a level_sum (levels.h), whose value levels_value makes once biases are subtracted. */
struct digits {
    double v[DIGITS];
};

/* 1.5 * 2^52 units of digit k: adding and subtracting it rounds to a multiple of that unit. */
GPU_FN double digit_bias(int k, int shift = 0)
{
    return gpu_of_high_word(((1023 + 52 - DIGIT_BITS * (k + 1) - shift) << 20) | 0x80000);
}

/* A sum that starts at x; at zero. */
GPU_FN level_sum digits_start(digits x)
{
    level_sum s;
    LANE_UNROLL
    for (int k = 0; k < DIGITS; k++)
        s.v[k] = k < DIGITS - 1 ? lane_add(digit_bias(k), x.v[k]) : x.v[k];
    return s;
}
GPU_FN level_sum digits_start(void)
{
    level_sum s;
    LANE_UNROLL
    for (int k = 0; k < DIGITS; k++)
        s.v[k] = k < DIGITS - 1 ? digit_bias(k) : 0.0;
    return s;
}

/* Adds a b to level k, for digits with so large a product. */
GPU_FN void digit_take(level_sum *s, int k, double a, double b)
{
    const double sum = lane_fma(a, b, s->v[k]);
    if (k < DIGITS - 1) {
        const double gone = lane_sub(s->v[k], sum); /* exact */
        s->v[k + 1] = lane_add(s->v[k + 1], lane_fma(a, b, gone));
    }
    s->v[k] = sum;
}

/* s + a b. The last level comes first: what a level loses goes to one that has taken its products, so that no level waits for
 * another. */
GPU_FN void digits_take(level_sum *s, digits a, digits b)
{
    LANE_UNROLL
    for (int k = DIGITS - 1; k >= 0; k--) {
        LANE_UNROLL
        for (int i = 0; i <= k; i++)
            digit_take(s, k, a.v[i], b.v[k - i]);
    }
}

/* s + a b + c d */
GPU_FN void digits_take_two(level_sum *s, digits a, digits b, digits c, digits d)
{
    LANE_UNROLL
    for (int k = DIGITS - 1; k >= 0; k--) {
        LANE_UNROLL
        for (int i = 0; i <= k; i++) {
            digit_take(s, k, a.v[i], b.v[k - i]);
            digit_take(s, k, c.v[i], d.v[k - i]);
        }
    }
}

/* s + a a: products that occur twice are doubled. */
GPU_FN void digits_take_square(level_sum *s, digits a)
{
    LANE_UNROLL
    for (int k = DIGITS - 1; k >= 0; k--) {
        LANE_UNROLL
        for (int i = 0; 2 * i <= k; i++)
            digit_take(s, k, 2 * i < k ? lane_add(a.v[i], a.v[i]) : a.v[i], a.v[k - i]);
    }
}

/* Subtracts the biases, which is exact. */
GPU_FN level_sum digits_end(level_sum s)
{
    LANE_UNROLL
    for (int k = 0; k < DIGITS - 1; k++)
        s.v[k] = lane_sub(s.v[k], digit_bias(k));
    return s;
}

/* 2^shift times a sum whose biases have been subtracted; shift is at most DIGIT_BITS - 8, and the result at most 2. All levels
 * carry at the same time: digits may come out a little larger than half a unit of the digit before. */
GPU_FN digits digits_carry(level_sum s, int shift)
{
    digits r;
    const double power = gpu_of_high_word((1023 + shift) << 20);
    double up = 0.0;
    LANE_UNROLL
    for (int k = DIGITS - 1; k >= 0; k--) {
        const double from_below = up;
        double rest = s.v[k];
        if (k > 0)
            up = slice_cut(&rest, digit_bias(k - 1, shift));
        r.v[k] = lane_mul(lane_add(rest, from_below), power);
    }
    return r;
}
GPU_FN digits digits_carry(level_sum s)
{
    digits r;
    double up = 0.0;
    LANE_UNROLL
    for (int k = DIGITS - 1; k >= 0; k--) {
        const double from_below = up;
        double rest = s.v[k];
        if (k > 0)
            up = slice_cut(&rest, digit_bias(k - 1));
        r.v[k] = k < DIGITS - 1 ? lane_add(rest, from_below) : rest;
    }
    return r;
}

GPU_FN digits digits_product(digits a, digits b)
{
    level_sum sum = digits_start();
    digits_take(&sum, a, b);
    return digits_carry(digits_end(sum));
}

/* From an address that is a multiple of 16 bytes. */
GPU_FN digits digits_at(const double *v)
{
    const pair first = *(const pair *)v, second = *(const pair *)(v + 2);
    digits a = {{first.x, first.y, second.x, second.y, v[4]}};
    return a;
}

/* The digits of a sum of four terms, each below 2^-52 times the one before. If whole is set, the first one is at least
 * 1 / 2, which saves operations. */
GPU_FN digits digits_of(qd x, int whole)
{
    digits r;
    double term[] = {x.x0, x.x1, x.x2, x.x3};
    LANE_UNROLL
    for (int k = 0; k < DIGITS; k++) {
        r.v[k] = 0.0;
        LANE_UNROLL
        for (int i = 0; i < 4 && i <= k; i++) {
            if (whole && i == 0 && k > 1)
                continue;
            const bool rest = k == DIGITS - 1 || (whole && i == 0 && k == 1);
            const double part = rest ? term[i] : slice_cut(&term[i], digit_bias(k));
            r.v[k] = i > 0 || k == 0 ? lane_add(r.v[k], part) : part;
        }
    }
    return r;
}

/* The first two digits, and the leading bits. */
GPU_FN double digits_two(digits a)
{
    return lane_add(a.v[0], a.v[1]);
}
GPU_FN double digits_head(digits a)
{
    return lane_add(a.v[0], lane_add(a.v[1], lane_add(a.v[2], lane_add(a.v[3], a.v[4]))));
}

GPU_FN level_sum digits_levels(digits a)
{
    level_sum s;
    LANE_UNROLL
    for (int k = 0; k < DIGITS; k++)
        s.v[k] = a.v[k];
    return s;
}

/* The number as four limbs, times a power of two. Leading digits may be zero or have few bits: limbs are filled from wherever
 * the number begins. */
GPU_FN qd digits_value(digits a, double power)
{
    return qd_shift(levels_value(digits_levels(a)), power);
}

GPU_FN digits digits_flip(digits a, int sign)
{
    LANE_UNROLL
    for (int k = 0; k < DIGITS; k++)
        a.v[k] = gpu_flip(a.v[k], sign);
    return a;
}

GPU_FN digits digits_neg(digits a)
{
    LANE_UNROLL
    for (int k = 0; k < DIGITS; k++)
        a.v[k] = lane_neg(a.v[k]);
    return a;
}

GPU_FN digits digits_select(bool first, digits a, digits b)
{
    LANE_UNROLL
    for (int k = 0; k < DIGITS; k++)
        a.v[k] = first ? a.v[k] : b.v[k];
    return a;
}

/* The number of the thread with the other part. */
GPU_FN digits digits_of_neighbour(digits a)
{
    LANE_UNROLL
    for (int k = 0; k < DIGITS; k++)
        a.v[k] = gpu_shuffle_xor(a.v[k], 1);
    return a;
}

/* Sums over a warp, over the threads with the same part or, with FROM = 1, over all, in which each thread ends with one level: it
 * returns that level's sum, and its number in *level, or -1 for threads that have none to give. At each step a thread gives away
 * half of the levels it has: 7 shuffles of doubles, where sums of all levels in all threads take 20. */
template <int FROM> GPU_FN double warp_scatter(level_sum s, int lane, int *level)
{
    const int upper = lane & 16, second = lane & 8, third = lane & 4;
    double a0 = upper ? s.v[3] : s.v[0], a1 = upper ? s.v[4] : s.v[1], a2 = upper ? 0.0 : s.v[2];
    a0 = lane_add(a0, gpu_shuffle_xor(upper ? s.v[0] : s.v[3], 16));
    a1 = lane_add(a1, gpu_shuffle_xor(upper ? s.v[1] : s.v[4], 16));
    a2 = lane_add(a2, gpu_shuffle_xor(upper ? s.v[2] : 0.0, 16));
    double b0 = second ? a2 : a0, b1 = second ? 0.0 : a1;
    b0 = lane_add(b0, gpu_shuffle_xor(second ? a0 : a2, 8));
    b1 = lane_add(b1, gpu_shuffle_xor(second ? a1 : 0.0, 8));
    double r = third ? b1 : b0;
    r = lane_add(r, gpu_shuffle_xor(third ? b0 : b1, 4));
    LANE_UNROLL
    for (int with = 2; with >= FROM; with >>= 1)
        r = lane_add(r, gpu_shuffle_xor(r, with));
    const int none = (second && (upper || third)) || lane % 4 >= FROM;
    *level = none ? -1 : (upper ? 3 : 0) + (second ? 2 : third ? 1 : 0);
    return r;
}

#endif
