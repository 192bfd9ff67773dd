/* gemm_tmpl.h - see gemm.h. The including file defines GEMM_LANES, the lanes of rows, and GEMM_COLS, the columns, of a tile, whose
 * accumulators are in registers. */
#include "arith/number.h"
#include "method/gemm/gemm.h"

#define GEMM_FN(name) NUM_NAME(gemm_##name)

enum { GEMM_ROWS = GEMM_LANES * LANE_WIDTH, GEMM_PLANES = PLUMB_LIMBS * PLUMB_PARTS };

/* Plane c of entry (r, j) of the sums of a tile: sums[(c*GEMM_COLS + j)*GEMM_ROWS + r]. */
LANE_FN void GEMM_FN(sum)(const double *restrict a, const double *restrict b, int64_t terms, double *restrict sums)
{
    num_acc s[GEMM_LANES * GEMM_COLS];
    LANE_UNROLL
    for (int e = 0; e < GEMM_LANES * GEMM_COLS; e++)
        s[e] = num_acc_zero();
    for (int64_t l = 0; l < terms; l++, a += GEMM_PLANES * GEMM_ROWS, b += GEMM_PLANES * GEMM_COLS) {
        num x[GEMM_LANES];
        LANE_UNROLL
        for (int r = 0; r < GEMM_LANES; r++)
            x[r] = num_load(a + r * LANE_WIDTH, GEMM_ROWS, LANE_WIDTH);
        LANE_UNROLL
        for (int j = 0; j < GEMM_COLS; j++) {
            const num y = num_spread(b + j, GEMM_COLS);
            LANE_UNROLL
            for (int r = 0; r < GEMM_LANES; r++)
                s[j * GEMM_LANES + r] = num_acc_add(s[j * GEMM_LANES + r], x[r], y);
        }
    }
    LANE_UNROLL
    for (int j = 0; j < GEMM_COLS; j++)
        LANE_UNROLL
    for (int r = 0; r < GEMM_LANES; r++)
        num_store(sums + j * GEMM_ROWS + r * LANE_WIDTH, GEMM_COLS * GEMM_ROWS, num_acc_value(s[j * GEMM_LANES + r]),
                  LANE_WIDTH);
}

/* Some rows, at most a lane, of a column of C. */
LANE_FN void GEMM_FN(update)(const gemm_block *block, double *c, const double *sums, int count)
{
    num s = num_load(sums, GEMM_COLS * GEMM_ROWS, LANE_WIDTH);
    if (block->alpha)
        s = num_mul(num_spread(block->alpha, 1), s);
    if (!block->fresh) {
        num old = num_load(c, block->c_plane, count);
        if (block->beta)
            old = num_mul(num_spread(block->beta, 1), old);
        s = num_add(old, s);
    }
    num_store(c, block->c_plane, s, count);
}

static void GEMM_FN(add)(const gemm_block *given)
{
    const gemm_block value = *given, *block = &value;
    double sums[GEMM_PLANES * GEMM_COLS * GEMM_ROWS];
    const double *b = block->b;
    for (int64_t j = 0; j < block->cols; j += GEMM_COLS, b += block->terms * GEMM_PLANES * GEMM_COLS) {
        const double *a = block->a;
        const int cols = block->cols - j < GEMM_COLS ? (int)(block->cols - j) : GEMM_COLS;
        for (int64_t i = 0; i < block->rows; i += GEMM_ROWS, a += block->terms * GEMM_PLANES * GEMM_ROWS) {
            GEMM_FN(sum)(a, b, block->terms, sums);
            for (int q = 0; q < cols; q++)
                for (int r = 0; r < GEMM_ROWS && i + r < block->rows; r += LANE_WIDTH) {
                    const int64_t left = block->rows - (i + r);
                    double *c = block->c + (j + q) * block->c_col + i + r;
                    const double *from = sums + q * GEMM_ROWS + r;
                    if (left >= LANE_WIDTH)
                        GEMM_FN(update)(block, c, from, LANE_WIDTH);
                    else
                        GEMM_FN(update)(block, c, from, (int)left);
                }
        }
    }
}

LANE_FN void GEMM_FN(scale_part)(const gemm_block *block, double *c, int count)
{
    if (block->fresh)
        num_store(c, block->c_plane, num_acc_value(num_acc_zero()), count);
    else if (block->beta)
        num_store(c, block->c_plane, num_mul(num_spread(block->beta, 1), num_load(c, block->c_plane, count)), count);
}

static void GEMM_FN(scale)(const gemm_block *given)
{
    const gemm_block value = *given, *block = &value;
    for (int64_t j = 0; j < block->cols; j++)
        for (int64_t i = 0; i < block->rows; i += LANE_WIDTH) {
            const int64_t left = block->rows - i;
            GEMM_FN(scale_part)(block, block->c + j * block->c_col + i, left < LANE_WIDTH ? (int)left : LANE_WIDTH);
        }
}

#define GEMM_KERNELS                                       \
    {                                                      \
        GEMM_ROWS, GEMM_COLS, GEMM_FN(add), GEMM_FN(scale) \
    }
