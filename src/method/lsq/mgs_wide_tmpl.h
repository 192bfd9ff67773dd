/* mgs_wide_tmpl.h - modified Gram-Schmidt with the steps of a tile of columns at a time, for large matrices in any precision.
 *
 * The method is that of mgs_blocks_tmpl.h: all columns take the steps of a finished tile at once, with coefficients that
 * are corrected by the inner products within it,
 *
 *     c_m = (p_m - sum over i < m of (a_m^H a_i) c_i) / s_m,   p_m = a_m^H a_j.
 *
 * A finished tile stays where it is and is what other tiles take their steps from, so that nothing is copied. Inner products
 * are summed in chunks of WIDE_CHUNK rows, one accumulator each: a chunk of a tile and one of the finished tile are in a
 * first-level cache together, whatever the number of rows, and the error does not grow with their squared number. The
 * removal a_j -= c_m a_m has the operation of a single step (num_rest), column by column, so that |A - Q R| is what it is
 * without tiles.
 *
 * Lanes run across columns. A tile is one or two blocks of MGS_BLOCK columns; within a row the planes of a block are together,
 * so that the columns of a block take the steps of one another without the other block. */
#include <stdbool.h>

#include "method/lsq/mgs_number.h"

/* Lanes of a tile and columns of the finished tile whose sums are in registers; rows whose entries are. */
#ifndef WIDE_STRIP
#define WIDE_STRIP 1
#endif
#ifndef WIDE_FACTORS
#define WIDE_FACTORS 1
#endif
#ifndef WIDE_ROWS
#define WIDE_ROWS 1
#endif

enum {
    WIDE_BLOCKS = PLUMB_LIMBS == 1 ? 2 : 1, /* mgs_wide_blocks */
    WIDE_COLUMNS = WIDE_BLOCKS * MGS_BLOCK,
    WIDE_PLANES = PLUMB_PARTS * PLUMB_LIMBS,
    WIDE_ROW_OF_BLOCK = WIDE_PLANES * MGS_BLOCK,
    WIDE_ROW = WIDE_BLOCKS * WIDE_ROW_OF_BLOCK, /* doubles of a row of a tile */
    WIDE_BLOCK_LANES = MGS_BLOCK / LANE_WIDTH,
    WIDE_LANES = WIDE_BLOCKS * WIDE_BLOCK_LANES,
    WIDE_CHUNK = 64, /* rows */
};
_Static_assert(MGS_BLOCK % LANE_WIDTH == 0, "a block consists of whole lanes");
_Static_assert(MGS_BLOCK % WIDE_FACTORS == 0 && WIDE_LANES % WIDE_STRIP == 0, "kernels take whole parts of a tile");
_Static_assert(2 * (int)WIDE_COLUMNS <= (int)MGS_OVERHANG,
               "the last tiles of columns and of right-hand sides take no more room than the padding");

/* Plane c of column j of row i of a tile that is not finished: tile[i*WIDE_ROW + j/8*WIDE_ROW_OF_BLOCK + c*8 + j%8]. The columns of
 * a finished block are WIDE_NEXT and their planes WIDE_APART doubles apart: where a machine multiplies by a part of a register, the
 * two parts of a number are side by side. */
#if PLUMB_LIMBS == 1 && !LANE_FACTORS_APART
enum { WIDE_NEXT = PLUMB_PARTS, WIDE_APART = 1 };
#else
enum { WIDE_NEXT = 1, WIDE_APART = MGS_BLOCK };
#endif

LANE_FN int64_t MGS_FN(lane_at)(int l)
{
    return (int64_t)(l / WIDE_BLOCK_LANES) * WIDE_ROW_OF_BLOCK + (int64_t)(l % WIDE_BLOCK_LANES) * LANE_WIDTH;
}
LANE_FN int64_t MGS_FN(column_at)(int m)
{
    return (int64_t)(m / MGS_BLOCK) * WIDE_ROW_OF_BLOCK + (int64_t)(m % MGS_BLOCK) * WIDE_NEXT;
}

LANE_FN int64_t MGS_FN(wide_factors)(const mgs_job *job) { return (job->cols + WIDE_COLUMNS - 1) / WIDE_COLUMNS; }
LANE_FN int64_t MGS_FN(wide_begin)(const mgs_job *job, int64_t t)
{
    const int64_t factors = MGS_FN(wide_factors)(job);
    return t < factors ? t * WIDE_COLUMNS : job->cols + (t - factors) * WIDE_COLUMNS;
}
LANE_FN int64_t MGS_FN(wide_end)(const mgs_job *job, int64_t t)
{
    const int64_t last = t < MGS_FN(wide_factors)(job) ? job->cols : job->all;
    const int64_t end = MGS_FN(wide_begin)(job, t) + WIDE_COLUMNS;
    return end < last ? end : last;
}
LANE_FN double *MGS_FN(wide_tile)(const mgs_job *job, int64_t t) { return job->tiles + t * job->rows * WIDE_ROW; }
LANE_FN const double *MGS_FN(wide_finished)(const mgs_job *job, int64_t t)
{
    return job->finished + t * job->rows * WIDE_ROW;
}

/* a_k^H a_i for the columns i of its tile before column k, as a row of a finished tile. */
LANE_FN double *MGS_FN(wide_products)(const mgs_job *job, int64_t k) { return job->products + k * WIDE_ROW; }

/* ---- Numbers -------------------------------------------------------------------------------------------------------- */

/* An entry of a finished column, and the two operations with it. In d they are the FMAs of num_rest and num_acc_add_conj, written out
 * so that a machine can take the entry from half a register. */
#if PLUMB_LIMBS > 1
typedef num MGS_FN(factor);
LANE_FN num MGS_FN(entry)(const double *p) { return num_spread(p, WIDE_APART); }
LANE_FN num MGS_FN(rest)(num a, num c, num q) { return num_rest(a, c, q); }
LANE_FN num_acc MGS_FN(sum)(num_acc s, num q, num a) { return num_acc_add_conj(s, q, a); }
#elif PLUMB_PARTS == 1
typedef lane_factors MGS_FN(factor);
LANE_FN lane_factors MGS_FN(entry)(const double *p) { return lane_factors_one(p); }
LANE_FN num MGS_FN(rest)(num a, num c, lane_factors q) { return d_make(lane_fnma_first(c.x, q, a.x)); }
LANE_FN num_acc MGS_FN(sum)(num_acc s, lane_factors q, num a) { return d_make(lane_fma_first(a.x, q, s.x)); }
#else
typedef lane_factors MGS_FN(factor);
LANE_FN lane_factors MGS_FN(entry)(const double *p) { return lane_factors_two(p, WIDE_APART); }
LANE_FN num MGS_FN(rest)(num a, num c, lane_factors q)
{
    const lane re = lane_fnma_first(c.re.x, q, a.re.x), im = lane_fnma_second(c.re.x, q, a.im.x);
    return cplx_make(d_make(lane_fma_second(c.im.x, q, re)), d_make(lane_fnma_first(c.im.x, q, im)));
}
LANE_FN num_acc MGS_FN(sum)(num_acc s, lane_factors q, num a)
{
    const lane re = lane_fma_first(a.re.x, q, s.re.x), im = lane_fma_first(a.im.x, q, s.im.x);
    s.re = d_make(lane_fma_second(a.im.x, q, re));
    s.im = d_make(lane_fnma_second(a.re.x, q, im));
    return s;
}
#endif

/* ---- In and out ----------------------------------------------------------------------------------------------------- */

/* Loads one lane of a tile, `count` columns from column j on, as they were given, scaled, and finds the limits of columns of A. The
 * sums of squares run down the leading limbs of the real parts, then of the imaginary ones. There are zeros behind the columns. */
static void MGS_FN(wide_load_given)(const mgs_job *job, const mgs_columns *columns, bool factors, double *restrict x,
                                    int64_t j, int count)
{
    static const double zeros[LANE_WIDTH];
    const int64_t first = factors ? j : j - job->cols;
    const lane by = lane_load_part(job->source->factor + j, count, 0.0);
    lane sum = lane_set(0.0);
    for (int c = 0; c < WIDE_PLANES; c++, x += MGS_BLOCK) {
        const double *from = columns->data + c * columns->plane + first * columns->col;
        for (int64_t i = 0; i < job->rows; i += LANE_WIDTH) {
            const int64_t left = job->rows - i;
            const int rows = left < LANE_WIDTH ? (int)left : LANE_WIDTH;
            lane a[LANE_WIDTH];
            LANE_UNROLL
            for (int l = 0; l < LANE_WIDTH; l++)
                a[l] = l < count ? lane_get(from + l * columns->col + i, rows) : lane_load(zeros);
            lane_transpose(a);
            for (int l = 0; l < rows; l++) {
                const lane scaled = lane_mul(a[l], by);
                if (c % PLUMB_LIMBS == 0)
                    sum = lane_add(sum, lane_mul(scaled, scaled));
                lane_store(x + (i + l) * WIDE_ROW, scaled);
            }
        }
    }
    if (factors)
        lane_put(job->source->least + j, lane_mul(sum, lane_set(job->source->share)), count);
}

static void MGS_FN(wide_load)(const mgs_job *given, int64_t t)
{
    const mgs_job value = *given, *job = &value;
    double *x = MGS_FN(wide_tile)(job, t);
    const int64_t begin = MGS_FN(wide_begin)(job, t), end = MGS_FN(wide_end)(job, t);
    const bool factors = t < MGS_FN(wide_factors)(job);
    const mgs_columns *columns = !job->source ? NULL : factors ? &job->source->a : &job->source->b;
    for (int l = 0; l < WIDE_LANES; l++) {
        const int64_t j = begin + l * LANE_WIDTH, left = end - j;
        const int count = left >= LANE_WIDTH ? LANE_WIDTH : left > 0 ? (int)left : 0;
        double *to = x + MGS_FN(lane_at)(l);
        if (columns && columns->data && count > 0) {
            MGS_FN(wide_load_given)(job, columns, factors, to, j, count);
            continue;
        }
        for (int64_t i = 0; i < job->rows; i++)
            for (int c = 0; c < WIDE_PLANES; c++)
                for (int m = 0; m < LANE_WIDTH; m++)
                    to[i * WIDE_ROW + c * MGS_BLOCK + m] =
                        m < count ? job->w[c * job->w_plane + i * job->ld + j + m] : 0.0;
    }
}

static void MGS_FN(wide_store)(const mgs_job *given, int64_t t)
{
    const mgs_job value = *given, *job = &value;
    const double *x = MGS_FN(wide_tile)(job, t);
    const int64_t begin = MGS_FN(wide_begin)(job, t), end = MGS_FN(wide_end)(job, t);
    const bool finished = t < MGS_FN(wide_factors)(job);
    const int64_t apart = finished ? WIDE_APART : MGS_BLOCK, next = finished ? WIDE_NEXT : 1;
    for (int64_t i = 0; i < job->rows; i++, x += WIDE_ROW)
        for (int c = 0; c < WIDE_PLANES; c++)
            for (int64_t j = begin; j < end; j++) {
                const int64_t m = j - begin;
                job->w[c * job->w_plane + i * job->ld + j] =
                    x[m / MGS_BLOCK * WIDE_ROW_OF_BLOCK + c * apart + m % MGS_BLOCK * next];
            }
}

/* ---- The steps of a finished tile -------------------------------------------------------------------------------------- */

/* Adds the inner products of some rows to p: `lanes` lanes of a tile, from lane `first` on, with columns m .. m + WIDE_FACTORS - 1 of a
 * finished tile, at q. Those with column m are row m of p, which is like a row of a tile. With fresh = true p is not read. */
LANE_FN void MGS_FN(project_strip)(const double *restrict x, const double *restrict q, int64_t rows, int lanes,
                                   int first, int m, double *restrict p, bool fresh)
{
    num_acc sum[WIDE_FACTORS * WIDE_STRIP];
    LANE_UNROLL
    for (int s = 0; s < WIDE_FACTORS * lanes; s++)
        sum[s] = num_acc_zero();
    x += MGS_FN(lane_at)(first);
    q += MGS_FN(column_at)(m);
    for (int64_t i = 0; i < rows; i++, x += WIDE_ROW, q += WIDE_ROW) {
        num a[WIDE_STRIP];
        LANE_UNROLL
        for (int l = 0; l < lanes; l++)
            a[l] = num_load(x + MGS_FN(lane_at)(l), MGS_BLOCK, LANE_WIDTH);
        LANE_UNROLL
        for (int f = 0; f < WIDE_FACTORS; f++) {
            const MGS_FN(factor) with = MGS_FN(entry)(q + f * WIDE_NEXT);
            LANE_UNROLL
            for (int l = 0; l < lanes; l++)
                sum[f * lanes + l] = MGS_FN(sum)(sum[f * lanes + l], with, a[l]);
        }
    }
    LANE_UNROLL
    for (int f = 0; f < WIDE_FACTORS; f++) {
        LANE_UNROLL
        for (int l = 0; l < lanes; l++) {
            double *to = p + (m + f) * WIDE_ROW + MGS_FN(lane_at)(first + l);
            num value = num_acc_value(sum[f * lanes + l]);
            if (!fresh)
                value = num_add(num_load(to, MGS_BLOCK, LANE_WIDTH), value);
            num_store(to, MGS_BLOCK, value, LANE_WIDTH);
        }
    }
}

/* The same for lanes first .. last-1 and the first `count` columns; products with columns that do not exist are not used. */
LANE_FN void MGS_FN(project_chunk)(const double *x, const double *q, int64_t rows, int lanes, int first, int last,
                                   int count, double *p, bool fresh)
{
    for (int m = 0; m < count; m += WIDE_FACTORS)
        for (int l = first; l < last; l += lanes)
            MGS_FN(project_strip)(x, q, rows, lanes, l, m, p, fresh);
}

/* The coefficients of lane l, which holds the columns from j on, from their inner products with the first `count` columns of the tile
 * that begins with column k, in place and in c. Columns from `end` on do not exist. */
LANE_FN void MGS_FN(wide_coefficients)(const mgs_job *job, int64_t k, int count, double *restrict p, int l, int64_t j,
                                       int64_t end)
{
    const int64_t left = end - j;
    p += MGS_FN(lane_at)(l);
    for (int m = 0; m < count; m++) {
        const real inverse = real_spread(job->inverse + (k + m) * PLUMB_LIMBS, 1);
        const num c = num_mul_real(num_load(p + m * WIDE_ROW, MGS_BLOCK, LANE_WIDTH), inverse);
        num_store(p + m * WIDE_ROW, MGS_BLOCK, c, LANE_WIDTH);
        if (left >= LANE_WIDTH)
            num_store(MGS_C(k + m, j), c, LANE_WIDTH);
        else if (left > 0) /* what lies behind the end may belong to another thread */
            num_store(MGS_C(k + m, j), c, (int)left);
        for (int n = m + 1; n < count; n++) {
            double *to = p + n * WIDE_ROW;
            const MGS_FN(factor) with = MGS_FN(entry)(MGS_FN(wide_products)(job, k + n) + MGS_FN(column_at)(m));
            num_store(to, MGS_BLOCK, MGS_FN(rest)(num_load(to, MGS_BLOCK, LANE_WIDTH), c, with), LANE_WIDTH);
        }
    }
}

/* a_j -= c_m a_m for the first `count` columns of a finished tile, in order, in some rows of `lanes` lanes from lane `first` on. */
LANE_FN void MGS_FN(remove_strip)(double *restrict x, const double *restrict q, int rows, int lanes, int first,
                                  int count, const double *restrict c)
{
    num a[WIDE_ROWS * WIDE_STRIP];
    x += MGS_FN(lane_at)(first);
    c += MGS_FN(lane_at)(first);
    LANE_UNROLL
    for (int r = 0; r < rows; r++) {
        LANE_UNROLL
        for (int l = 0; l < lanes; l++)
            a[r * lanes + l] = num_load(x + r * WIDE_ROW + MGS_FN(lane_at)(l), MGS_BLOCK, LANE_WIDTH);
    }
    for (int m = 0; m < count; m++, c += WIDE_ROW) {
        const double *entries = q + MGS_FN(column_at)(m);
        num factor[WIDE_STRIP];
        LANE_UNROLL
        for (int l = 0; l < lanes; l++)
            factor[l] = num_load(c + MGS_FN(lane_at)(l), MGS_BLOCK, LANE_WIDTH);
        LANE_UNROLL
        for (int r = 0; r < rows; r++) {
            const MGS_FN(factor) from = MGS_FN(entry)(entries + r * WIDE_ROW);
            LANE_UNROLL
            for (int l = 0; l < lanes; l++)
                a[r * lanes + l] = MGS_FN(rest)(a[r * lanes + l], factor[l], from);
        }
    }
    LANE_UNROLL
    for (int r = 0; r < rows; r++) {
        LANE_UNROLL
        for (int l = 0; l < lanes; l++)
            num_store(x + r * WIDE_ROW + MGS_FN(lane_at)(l), MGS_BLOCK, a[r * lanes + l], LANE_WIDTH);
    }
}

LANE_FN void MGS_FN(remove_chunk)(double *x, const double *q, int64_t rows, int lanes, int first, int last, int count,
                                  const double *c)
{
    for (; rows >= WIDE_ROWS; rows -= WIDE_ROWS, x += WIDE_ROWS * WIDE_ROW, q += WIDE_ROWS * WIDE_ROW)
        for (int l = first; l < last; l += lanes)
            MGS_FN(remove_strip)(x, q, WIDE_ROWS, lanes, l, count, c);
    for (; rows > 0; rows--, x += WIDE_ROW, q += WIDE_ROW)
        for (int l = first; l < last; l += lanes)
            MGS_FN(remove_strip)(x, q, 1, lanes, l, count, c);
}

LANE_FN int64_t MGS_FN(chunk)(const mgs_job *job, int64_t i)
{
    return job->rows - i < WIDE_CHUNK ? job->rows - i : WIDE_CHUNK;
}

/* Applies the steps of finished tile b to at most MGS_WIDE_TILES others, one chunk of rows after the other, so that the finished tile is
 * read once for all of them. */
static void MGS_FN(wide_apply)(const mgs_job *given, int64_t b, const int64_t *tiles, int64_t count)
{
    const mgs_job value = *given, *job = &value;
    _Alignas(64) double p[MGS_WIDE_TILES][WIDE_COLUMNS * WIDE_ROW];
    const double *q = MGS_FN(wide_finished)(job, b);
    const int64_t k = MGS_FN(wide_begin)(job, b);
    const int columns = (int)(MGS_FN(wide_end)(job, b) - k);
    int64_t i = 0;
    for (; i < job->rows; i += WIDE_CHUNK) {
        const int64_t at = i * WIDE_ROW, rows = MGS_FN(chunk)(job, i);
        for (int64_t t = 0; t < count; t++) {
            const double *x = MGS_FN(wide_tile)(job, tiles[t]) + at;
            MGS_FN(project_chunk)(x, q + at, rows, WIDE_STRIP, 0, WIDE_LANES, columns, p[t], i == 0);
        }
    }
    for (int64_t t = 0; t < count; t++) {
        const int64_t begin = MGS_FN(wide_begin)(job, tiles[t]), end = MGS_FN(wide_end)(job, tiles[t]);
        for (int l = 0; l < WIDE_LANES; l++)
            MGS_FN(wide_coefficients)(job, k, columns, p[t], l, begin + l * LANE_WIDTH, end);
    }
    while (i > 0) { /* upwards, because the last rows are in caches */
        i -= WIDE_CHUNK;
        const int64_t at = i * WIDE_ROW, rows = MGS_FN(chunk)(job, i);
        for (int64_t t = 0; t < count; t++) {
            double *x = MGS_FN(wide_tile)(job, tiles[t]) + at;
            if (columns == WIDE_COLUMNS)
                MGS_FN(remove_chunk)(x, q + at, rows, WIDE_STRIP, 0, WIDE_LANES, WIDE_COLUMNS, p[t]);
            else
                MGS_FN(remove_chunk)(x, q + at, rows, WIDE_STRIP, 0, WIDE_LANES, columns, p[t]);
        }
    }
}

/* ---- The steps within a tile -------------------------------------------------------------------------------------------- */

/* The numbers of the columns of a block, to distinguish finished ones from others. */
static const double MGS_FN(wide_numbers)[] = {0, 1, 2, 3, 4, 5, 6, 7};
_Static_assert((int)MGS_BLOCK == 8, "there are eight numbers");

/* Column m of a row of a block that is not finished: in memory, or, where a machine wants the parts of a number side by side, picked
 * out of the lanes that have been loaded. */
LANE_FN MGS_FN(factor) MGS_FN(column)(const double *row, const num *a, int m)
{
#if PLUMB_LIMBS > 1
    (void)a;
    return num_spread(row + m, MGS_BLOCK);
#else
    const num from = a[m / LANE_WIDTH];
    (void)row;
#if PLUMB_PARTS == 1
    return lane_factors_pick(from.x, from.x, m % LANE_WIDTH);
#else
    return lane_factors_pick(from.re.x, from.im.x, m % LANE_WIDTH);
#endif
#endif
}

/* One row of a pass, at y. */
LANE_FN void MGS_FN(finish_row)(double *y, int at, bool removes, bool projects, lane_mask done, const num *c,
                                num_acc *sum)
{
    const int live = at / LANE_WIDTH; /* the lane of column at */
    num a[WIDE_BLOCK_LANES];
    LANE_UNROLL
    for (int l = 0; l < WIDE_BLOCK_LANES; l++)
        a[l] = num_load(y + l * LANE_WIDTH, MGS_BLOCK, LANE_WIDTH);
    if (removes) {
        const MGS_FN(factor) from = MGS_FN(column)(y, a, at - 1);
        LANE_UNROLL
        for (int l = live; l < WIDE_BLOCK_LANES; l++) {
            const num rest = MGS_FN(rest)(a[l], c[l], from);
            a[l] = l * LANE_WIDTH < at ? MGS_FN(select)(done, a[l], rest) : rest;
            num_store(y + l * LANE_WIDTH, MGS_BLOCK, a[l], LANE_WIDTH);
        }
    }
    if (projects) {
        const MGS_FN(factor) with = MGS_FN(column)(y, a, at);
        LANE_UNROLL
        for (int l = 0; l < WIDE_BLOCK_LANES; l++)
            sum[l] = MGS_FN(sum)(sum[l], with, a[l]);
    }
}

/* Sums of a pass: in d those of every other row are apart, because a row takes less time than two FMAs that wait for one another. */
enum { WIDE_PASS_SUMS = PLUMB_LIMBS == 1 ? 2 : 1 };

/* One pass down the rows of a block at y: removes column at - 1 from columns at .. 7, projects all columns, those before it, too, on
 * column at, or does both. */
LANE_FN void MGS_FN(finish_pass)(double *y, int64_t rows, int at, bool removes, bool projects, const num *c,
                                 num_acc *sum)
{
    const lane_mask done =
        lane_lt(lane_load(MGS_FN(wide_numbers) + at / LANE_WIDTH * LANE_WIDTH), lane_set((double)at));
    int64_t i = 0;
    for (; i + WIDE_PASS_SUMS <= rows; i += WIDE_PASS_SUMS, y += WIDE_PASS_SUMS * WIDE_ROW) {
        LANE_UNROLL
        for (int s = 0; s < WIDE_PASS_SUMS; s++)
            MGS_FN(finish_row)(y + s * WIDE_ROW, at, removes, projects, done, c, sum + s * WIDE_BLOCK_LANES);
    }
    if (i < rows)
        MGS_FN(finish_row)(y, at, removes, projects, done, c, sum);
}

/* Takes the steps of columns begin .. end-1 among themselves; they are block number `block` of a tile and lie at y. Returns 0 or a
 * dependent column, from 1. In d a pass removes a column and projects on the next one; in dd and qd that takes more registers than
 * there are. */
static int64_t MGS_FN(finish_block)(const mgs_job *job, double *y, int block, int64_t begin, int64_t end,
                                    const double *least)
{
    double row[WIDE_ROW_OF_BLOCK] = {0.0}; /* coefficients of the last step; those of finished columns mean nothing */
    for (int64_t k = begin; k < end; k++) {
        const int64_t at = k - begin;
        num c[WIDE_BLOCK_LANES];
        num_acc sum[WIDE_PASS_SUMS * WIDE_BLOCK_LANES];
        double *products = MGS_FN(wide_products)(job, k) + block * WIDE_ROW_OF_BLOCK;
        LANE_UNROLL
        for (int l = 0; l < WIDE_BLOCK_LANES; l++)
            c[l] = num_load(row + l * LANE_WIDTH, MGS_BLOCK, LANE_WIDTH);
        LANE_UNROLL
        for (int l = 0; l < WIDE_PASS_SUMS * WIDE_BLOCK_LANES; l++)
            sum[l] = num_acc_zero();
        LANE_UNROLL
        for (int pass = 0; pass < MGS_BLOCK; pass++) { /* each with a constant */
            if (pass != at)
                continue;
            if (pass > 0 && PLUMB_LIMBS > 1)
                MGS_FN(finish_pass)(y, job->rows, pass, true, false, c, sum);
            MGS_FN(finish_pass)(y, job->rows, pass, pass > 0 && PLUMB_LIMBS == 1, true, c, sum);
        }
        LANE_UNROLL
        for (int l = 0; l < WIDE_BLOCK_LANES; l++) {
            c[l] = num_acc_value(sum[l]);
            if (WIDE_PASS_SUMS > 1)
                c[l] = num_add(c[l], num_acc_value(sum[(WIDE_PASS_SUMS - 1) * WIDE_BLOCK_LANES + l]));
            num_store(row + l * LANE_WIDTH, MGS_BLOCK, c[l], LANE_WIDTH);
        }
        for (int p = 0; p < WIDE_PLANES; p++) {
            for (int64_t i = 0; i < at; i++)
                products[i * WIDE_NEXT + p * WIDE_APART] = row[p * MGS_BLOCK + i];
            job->c[p * job->c_plane + k * job->ld + k] = row[p * MGS_BLOCK + at];
        }
        for (int limb = 0; limb < PLUMB_LIMBS; limb++)
            job->s[limb * job->s_plane + k] = row[limb * MGS_BLOCK + at];
        if (!(job->s[k] > least[k])) /* a NaN, too */
            return k + 1;
        const real inverse = real_inv(real_spread(job->s + k, job->s_plane));
        real_store(job->inverse + k * PLUMB_LIMBS, 1, inverse, 1);
        LANE_UNROLL
        for (int l = 0; l < WIDE_BLOCK_LANES; l++)
            num_store(row + l * LANE_WIDTH, MGS_BLOCK, num_mul_real(c[l], inverse), LANE_WIDTH);
        for (int p = 0; p < WIDE_PLANES; p++)
            for (int64_t j = at + 1; j < end - begin; j++)
                job->c[p * job->c_plane + k * job->ld + begin + j] = row[p * MGS_BLOCK + j];
    }
    return 0;
}

#if PLUMB_LIMBS == 1
/* p receives the inner products of the first block of a tile with the second one. */
static void MGS_FN(project_within)(const mgs_job *job, const double *x, double *p)
{
    for (int64_t i = 0; i < job->rows; i += WIDE_CHUNK) {
        const double *at = x + i * WIDE_ROW;
        MGS_FN(project_chunk)(at, at, MGS_FN(chunk)(job, i), 1, WIDE_BLOCK_LANES, WIDE_LANES, MGS_BLOCK, p, i == 0);
    }
}

/* The columns of the second block of a tile, from column k on, take the steps of the first one. */
static void MGS_FN(apply_within)(const mgs_job *job, double *x, int64_t k, int64_t end)
{
    _Alignas(64) double p[WIDE_COLUMNS * WIDE_ROW];
    MGS_FN(project_within)(job, x, p);
    for (int l = WIDE_BLOCK_LANES; l < WIDE_LANES; l++) {
        const int64_t j = k + (l - WIDE_BLOCK_LANES) * LANE_WIDTH;
        MGS_FN(wide_coefficients)(job, k - MGS_BLOCK, MGS_BLOCK, p, l, j, end);
    }
    MGS_FN(remove_chunk)(x, x, job->rows, 1, WIDE_BLOCK_LANES, WIDE_LANES, MGS_BLOCK, p);
}

/* a_k^H a_i for the columns k of the second block, once they are final, and i of the first one. */
static void MGS_FN(keep_products)(const mgs_job *job, const double *x, int64_t k, int64_t end)
{
    _Alignas(64) double p[WIDE_COLUMNS * WIDE_ROW];
    MGS_FN(project_within)(job, x, p);
    for (int64_t m = 0; m < end - k; m++) {
        double *products = MGS_FN(wide_products)(job, k + m);
        for (int64_t i = 0; i < MGS_BLOCK; i++)
            for (int part = 0; part < PLUMB_PARTS; part++) {
                const double product = p[i * WIDE_ROW + WIDE_ROW_OF_BLOCK + part * MGS_BLOCK + m];
                products[i * WIDE_NEXT + part * WIDE_APART] = part == 0 ? product : -1.0 * product; /* conjugate */
            }
    }
}
#endif

/* Brings the numbers of a finished block to the places where entry() expects them. */
static void MGS_FN(settle_block)(double *y, int64_t rows)
{
#if PLUMB_PARTS > 1 && PLUMB_LIMBS == 1 && !LANE_FACTORS_APART
    for (int64_t i = 0; i < rows; i++, y += WIDE_ROW) {
        double parts[WIDE_ROW_OF_BLOCK];
        for (int c = 0; c < WIDE_ROW_OF_BLOCK; c++)
            parts[c] = y[c];
        for (int m = 0; m < MGS_BLOCK; m++)
            for (int p = 0; p < PLUMB_PARTS; p++)
                y[m * WIDE_NEXT + p * WIDE_APART] = parts[p * MGS_BLOCK + m];
    }
#else
    (void)y, (void)rows;
#endif
}

/* Takes the steps of the columns of tile t itself, after those of all columns before it. Returns 0 or a dependent column, from
 * 1. */
static int64_t MGS_FN(wide_finish)(const mgs_job *given, int64_t t, const double *least)
{
    const mgs_job value = *given, *job = &value;
    const int64_t begin = MGS_FN(wide_begin)(job, t), end = MGS_FN(wide_end)(job, t);
    const int64_t middle = end - begin > MGS_BLOCK ? begin + MGS_BLOCK : end;
    double *x = MGS_FN(wide_tile)(job, t);
    int64_t dependent = MGS_FN(finish_block)(job, x, 0, begin, middle, least);
    MGS_FN(settle_block)(x, job->rows);
#if PLUMB_LIMBS == 1
    if (dependent == 0 && middle < end) {
        MGS_FN(apply_within)(job, x, middle, end);
        dependent = MGS_FN(finish_block)(job, x + WIDE_ROW_OF_BLOCK, 1, middle, end, least);
        MGS_FN(keep_products)(job, x, middle, end);
    }
    MGS_FN(settle_block)(x + WIDE_ROW_OF_BLOCK, job->rows);
#endif
    return dependent;
}

/* ---- Back substitution ---------------------------------------------------------------------------------------------------- */

static void MGS_FN(wide_fold)(const mgs_job *given, int64_t k, int64_t first, int64_t last)
{
    const mgs_job value = *given, *job = &value;
    for (int64_t r = job->cols; r < job->all; r += LANE_WIDTH) {
        num_acc x = num_acc_of(num_load(MGS_C(k, r), LANE_WIDTH));
        for (int64_t j = first; j < last; j++)
            x = num_acc_sub(x, num_spread(MGS_C(k, j)), num_load(MGS_C(j, r), LANE_WIDTH));
        num_store(MGS_C(k, r), num_acc_value(x), LANE_WIDTH);
    }
}

#define MGS_WIDE_KERNELS                                                                                           \
    {                                                                                                              \
        WIDE_COLUMNS, WIDE_PLANES, MGS_FN(wide_load), MGS_FN(wide_store), MGS_FN(wide_finish), MGS_FN(wide_apply), \
            MGS_FN(wide_fold)                                                                                      \
    }
