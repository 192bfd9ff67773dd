/* gemm_tmpl.h - see gemm.h. The including file defines GEMM_LANES, the lanes of rows, and GEMM_COLS, the columns, of a tile, whose
 * accumulators are in registers. */
#include <stdbool.h>

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

/* ---- Panels --------------------------------------------------------------------------------------------------------- */

/* Terms first .. last-1 of one plane of a panel, whose rows are from `from` on; rows from `count` on do not exist. */
LANE_FN void GEMM_FN(pack_some)(const gemm_pack *pack, const double *restrict from, double *restrict to, double sign,
                                int width, int count, int64_t first, int64_t last)
{
    for (int64_t l = first; l < last; l++)
        for (int r = 0; r < width; r++)
            to[l * GEMM_PLANES * width + r] = r < count ? sign * from[l * pack->step + r * pack->row] : 0.0;
}

/* The same for a full panel of whole lanes; its terms side by side (rows far apart) are transposed in registers. */
LANE_FN void GEMM_FN(pack_lanes)(const gemm_pack *pack, const double *restrict from, double *restrict to, double sign,
                                 int width, bool transposes)
{
    const lane by = lane_set(sign);
    int64_t l = 0;
    for (; l < pack->terms && !transposes; l++) {
        LANE_UNROLL
        for (int r = 0; r < width; r += LANE_WIDTH)
            lane_store(to + l * GEMM_PLANES * width + r, lane_mul(by, lane_load(from + l * pack->step + r)));
    }
    for (; l + LANE_WIDTH <= pack->terms; l += LANE_WIDTH) {
        LANE_UNROLL
        for (int r = 0; r < width; r += LANE_WIDTH) {
            lane a[LANE_WIDTH];
            LANE_UNROLL
            for (int e = 0; e < LANE_WIDTH; e++)
                a[e] = lane_load(from + (r + e) * pack->row + l);
            lane_transpose(a);
            LANE_UNROLL
            for (int e = 0; e < LANE_WIDTH; e++)
                lane_store(to + (l + e) * GEMM_PLANES * width + r, lane_mul(by, a[e]));
        }
    }
    GEMM_FN(pack_some)(pack, from, to, sign, width, width, l, pack->terms);
}

LANE_FN void GEMM_FN(pack)(const gemm_pack *pack, const int width)
{
    for (int64_t i = 0; i < pack->rows; i += width)
        for (int p = 0; p < GEMM_PLANES; p++) {
            const double *from = pack->from + p * pack->plane + i * pack->row;
            double *to = pack->to + i * pack->terms * GEMM_PLANES + p * width;
            const double sign = pack->conjugate && p >= PLUMB_LIMBS ? -1.0 : 1.0;
            if (pack->rows - i < width)
                GEMM_FN(pack_some)(pack, from, to, sign, width, (int)(pack->rows - i), 0, pack->terms);
            else if (width % LANE_WIDTH != 0)
                GEMM_FN(pack_some)(pack, from, to, sign, width, width, 0, pack->terms);
            else if (pack->row == 1)
                GEMM_FN(pack_lanes)(pack, from, to, sign, width, false);
            else
                GEMM_FN(pack_lanes)(pack, from, to, sign, width, true);
        }
}

static void GEMM_FN(pack_rows)(const gemm_pack *given)
{
    const gemm_pack value = *given;
    GEMM_FN(pack)(&value, GEMM_ROWS);
}

static void GEMM_FN(pack_cols)(const gemm_pack *given)
{
    const gemm_pack value = *given;
    GEMM_FN(pack)(&value, GEMM_COLS);
}

/* ---- Without terms -------------------------------------------------------------------------------------------------- */

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

#define GEMM_KERNELS                                                                               \
    {                                                                                              \
        GEMM_ROWS, GEMM_COLS, GEMM_FN(pack_rows), GEMM_FN(pack_cols), GEMM_FN(add), GEMM_FN(scale) \
    }
