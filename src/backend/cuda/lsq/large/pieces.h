/* pieces.h - products of tiles of matrices on the tensor cores, for the kernels of mgs_large.cu.
 *
 * Tensor cores multiply doubles. In dd and qd numbers are first cut into pieces of 22 bits, at positions common to a
 * column: products of pieces are short enough to be added exactly, each in the level of its size (Ozaki, Ogita, Oishi
 * and Rump, "Error-free transformations of matrix multiplication", Numer. Algorithms 59, 2012). There are 5 or 10
 * pieces, and products below the last piece are dropped: 15 or 55 instructions per product instead of 12 or 118, but
 * each takes half the time or less. The dropped terms are 2^-108 or 2^-218 of the largest entry of either column, as
 * large as the rounding errors of a column. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_LARGE_PIECES_H
#define PLUMB_BACKEND_CUDA_LSQ_LARGE_PIECES_H

#include "backend/cuda/lsq/block.h"
#include "backend/cuda/lsq/large/large.h"

enum {
    PARTS = PLUMB_PARTS,
    LIMBS = PLUMB_LIMBS,
    WIDTH = LARGE_WIDTH,         /* columns of a panel, of a tile of the others, rows of a tile */
    HALVES = LIMBS == 2 ? 2 : 1, /* 8 columns each: what a warp has of a tile, with 16 rows, real or imaginary parts */
    PIECES = LARGE_PIECES(LIMBS),
    PIECE_BITS = 22,
    CHUNK = LARGE_CHUNK(LIMBS),
    STEP = LARGE_STEP(LIMBS), /* entry (i, k) of a factor at i * STEP + k */
    PLANE = WIDTH * STEP,     /* a piece of a part of a factor */
    FACTOR = PARTS * PIECES * PLANE
};

/* An exponent e such that entries with high words up to size are below 2^e, limited to the range in which 2^e and
 * 2^-e are normal numbers. */
GPU_FN int exponent_of(int size)
{
    const int e = (size >> 20) - 1022;
    return LIMBS == 1 ? 0 : e > 1000 ? 1000 : e < -1000 ? -1000 : e;
}

GPU_FN double power_of(int e)
{
    return gpu_of_high_word((1023 + e) << 20);
}

/* Cuts the limbs of a number below 1 into pieces, each a multiple of 2^-22 of the unit before. The limbs are
 * overwritten. */
GPU_FN void put_pieces(double *limb, double *to)
{
#if PLUMB_LIMBS == 1
    *to = *limb;
#else
    LANE_UNROLL
    for (int t = 0; t < PIECES; t++) {
        const int unit = PIECE_BITS * (t + 1) - 1; /* the unit is 2^-unit */
        const double rounder = gpu_of_high_word(((1023 + 52 - unit) << 20) | 0x80000);
        double piece = 0.0;
        LANE_UNROLL
        for (int q = 0; q < LIMBS && 53 * q <= unit + 1; q++) { /* lower limbs do not contribute */
            const double h = lane_sub(lane_add(limb[q], rounder), rounder);
            limb[q] = lane_sub(limb[q], h);
            piece = lane_add(piece, h);
        }
        to[t * PLANE] = piece;
    }
#endif
}

/* Stores one part of entry (i, k) of a factor: that of the number at from, with planes `plane` apart, times a power
 * of two, or zero. */
GPU_FN void put_entry(double *factor, int part, int i, int k, const double *from, int64_t plane, double power,
                      int there)
{
    double limb[LIMBS];
    LANE_UNROLL
    for (int q = 0; q < LIMBS; q++) {
        limb[q] = there ? from[(part * LIMBS + q) * plane] : 0.0;
        if (LIMBS > 1)
            limb[q] = lane_mul(limb[q], power);
    }
    put_pieces(limb, factor + part * PIECES * PLANE + i * STEP + k);
}

/* Sums of products of pieces by level: the share of a thread in 16 x 8 of them, or twice as many. */
typedef struct level_sums {
    double v[PIECES][HALVES][4];
} level_sums;

GPU_FN void level_sums_clear(level_sums *s)
{
    LANE_UNROLL
    for (int t = 0; t < PIECES; t++) {
        LANE_UNROLL
        for (int r = 0; r < 4 * HALVES; r++)
            s->v[t][r / 4][r % 4] = 0.0;
    }
}

/* The place of this warp in the tile, and whether it has real (0) or imaginary parts. */
GPU_FN int warp_row(void)
{
    return gpu_thread() / GPU_WARP % 2 * 16;
}
GPU_FN int warp_column(void)
{
    return gpu_thread() / GPU_WARP / 2 % (4 / HALVES) * 8 * HALVES;
}
GPU_FN int warp_part(void)
{
    return gpu_thread() / GPU_WARP / (8 / HALVES);
}

/* Without this the compiler keeps loaded values for later and runs out of registers. */
GPU_FN double read_again(const double *from)
{
    return *(const volatile double *)from;
}

GPU_FN void level_sums_flip(level_sums *s, int sign)
{
    LANE_UNROLL
    for (int t = 0; t < PIECES; t++) {
        LANE_UNROLL
        for (int r = 0; r < 4 * HALVES; r++)
            s->v[t][r / 4][r % 4] = gpu_flip(s->v[t][r / 4][r % 4], sign);
    }
}

/* The sums over k of left(i, k) right(j, k), with left conjugated or not. */
template <bool CONJUGATED> GPU_FN void multiply(level_sums *s, const double *left, const double *right)
{
    const int g = gpu_thread() % GPU_WARP / 4, t = gpu_thread() % 4;
    const int sign =
        CONJUGATED == (warp_part() != 0) ? (int)0x80000000u : 0; /* sign of products with imaginary parts of left */
    left += (warp_row() + g) * STEP + t, right += (warp_column() + g) * STEP + t;
#pragma unroll 1
    for (int e = 0; e < PARTS * CHUNK; e += 8) {
        const int part = e / CHUNK, k = e % CHUNK;
        const double *with = right + (part ^ warp_part()) * PIECES * PLANE + k,
                     *from = left + part * PIECES * PLANE + k;
        if (PARTS == 2 && e == CHUNK)
            level_sums_flip(s, sign);
        LANE_UNROLL
        for (int i = 0; i < PIECES; i++) {
            double a[4];
            LANE_UNROLL
            for (int r = 0; r < 4; r++)
                a[r] = read_again(from + i * PLANE + r % 2 * 8 * STEP + r / 2 * 4);
            LANE_UNROLL
            for (int j = 0; i + j < PIECES; j++) {
                LANE_UNROLL
                for (int h = 0; h < HALVES; h++) {
                    const double *at = with + j * PLANE + h * 8 * STEP;
                    const double b[2] = {read_again(at), read_again(at + 4)};
                    gpu_multiply_add(s->v[i + j][h], a, b);
                }
            }
        }
    }
    if (PARTS == 2)
        level_sums_flip(s, sign);
}

/* The sum of all levels. Level t is a multiple of 2^-(42 + 22 t) and below 2^(11 - 22 t), so every second level is
 * split exactly: the multiple of the unit above goes to the level above, the rest to the level below. Then quick sums
 * are exact, too. */
GPU_FN real levels_value(const level_sums *s, int r)
{
#if PLUMB_LIMBS == 1
    return d_make(s->v[0][r / 4][r % 4]);
#else
    double v[PIECES / 2 + 1];
    v[0] = s->v[0][r / 4][r % 4];
    LANE_UNROLL
    for (int t = 1; t < PIECES; t += 2) {
        const int unit = 2 * (PIECE_BITS - 1) + PIECE_BITS * (t - 1);
        const double rounder = gpu_of_high_word(((1023 + 52 - unit) << 20) | 0x80000);
        const double level = s->v[t][r / 4][r % 4];
        const double up = lane_sub(lane_add(level, rounder), rounder), rest = lane_sub(level, up);
        v[t / 2] = lane_add(v[t / 2], up);
        v[t / 2 + 1] = t + 1 < PIECES ? lane_add(rest, s->v[t + 1 < PIECES ? t + 1 : 0][r / 4][r % 4]) : rest;
    }
#if PLUMB_LIMBS == 2
    sweep_up(v, 0, 2);
    sweep_up(v, 0, 2);
    return dd_make(v[0], lane_add(v[1], v[2]));
#else
    v[4] = lane_add(v[4], v[5]);
    sweep_up(v, 0, 4);
    sweep_up(v, 0, 4);
    sweep_up(v, 1, 4);
    return gather_limbs(v, 4);
#endif
#endif
}

/* Number r of a thread, times a power of two in two factors. */
GPU_FN real level_value(const level_sums *s, int r, double power, double power_more)
{
    double limb[LIMBS];
    real_store(limb, 1, levels_value(s, r), 1);
    LANE_UNROLL
    for (int q = 0; q < LIMBS && LIMBS > 1; q++)
        limb[q] = lane_mul(lane_mul(limb[q], power), power_more);
    return real_load(limb, 1, 1);
}

#endif
