/* mgs_blocks_tmpl.h - modified Gram-Schmidt in d with the steps of eight columns at a time.
 *
 * Columns 8b .. 8b+7 of A are a block. The columns of a block take the steps of one another one by one, as in
 * mgs_tmpl.h. All other columns take the steps of a finished block at once: first their inner products p_m = a_m^H a_j
 * with all its columns a_m, then
 *
 *     c_m = (p_m - sum over i < m of (a_m^H a_i) c_i) / s_m,
 *
 * then a_j -= c_0 a_0, a_j -= c_1 a_1 and so on. The sum is what the steps before step m would have removed from p_m. It is
 * as small as the columns of a block are orthogonal, but without it the method would be classical Gram-Schmidt within
 * a block, which loses orthogonality with the square of the condition number; with it the loss is proportional to the
 * condition number, as in one step after the other (Swirydowicz et al., "Low synchronization Gram-Schmidt and GMRES
 * algorithms", 2021). The products a_m^H a_i are by-products of the steps within the block.
 *
 * Both halves are products of matrices: a number of a tile is loaded once for several columns, and stored once per block.
 * One step after the other, each number is loaded and stored for each column, which the caches of most machines deliver at
 * half the speed of the FMAs.
 *
 * Lanes run across columns, sums run down the rows and along a block in order. The right-hand sides have tiles of their
 * own and take the steps of all blocks at once, whatever their number, so that the solution for one does not depend on the
 * others. */
#include <stdbool.h>
#include <string.h>

#include "method/lsq/mgs_tmpl.h"

/* The kernel of inner products takes MGS_STRIP lanes of a tile with MGS_FACTORS columns of a block; the kernel that removes
 * a block takes MGS_STRIP lanes of MGS_ROWS rows. All their sums and entries are in registers. */
enum {
    MGS_TILE = MGS_LANES * LANE_WIDTH,
    MGS_BLOCK_LANES = MGS_BLOCK / LANE_WIDTH,
    MGS_ROW = PLUMB_PARTS * MGS_TILE,       /* doubles of a row of a tile */
    MGS_BLOCK_ROW = PLUMB_PARTS * MGS_BLOCK /* doubles of a row of a finished block */
};
_Static_assert(MGS_BLOCK % LANE_WIDTH == 0 && MGS_TILE % MGS_BLOCK == 0, "a block consists of lanes, a tile of blocks");
_Static_assert(MGS_BLOCK % MGS_FACTORS == 0 && MGS_BLOCK_LANES <= MGS_LANES, "kernels take whole parts of a block");
_Static_assert(2 * (int)MGS_TILE <= (int)MGS_OVERHANG,
               "the last tiles of columns and of right-hand sides reach no further than the padding");

/* The first tile of right-hand sides, and the columns of a tile. */
LANE_FN int64_t MGS_FN(factors)(const mgs_job *job) { return (job->cols + MGS_TILE - 1) / MGS_TILE; }
LANE_FN int64_t MGS_FN(begin)(const mgs_job *job, int64_t t)
{
    const int64_t factors = MGS_FN(factors)(job);
    return t < factors ? t * MGS_TILE : job->cols + (t - factors) * MGS_TILE;
}
LANE_FN int64_t MGS_FN(end)(const mgs_job *job, int64_t t)
{
    const int64_t last = t < MGS_FN(factors)(job) ? job->cols : job->all, end = MGS_FN(begin)(job, t) + MGS_TILE;
    return end < last ? end : last;
}

/* Part p of entry (i, j) of a tile is tile[(i*PLUMB_PARTS + p)*MGS_TILE + j]; that of column m of a finished block is
 * block[(i*PLUMB_PARTS + p)*MGS_BLOCK + m], or block[(i*MGS_BLOCK + m)*PLUMB_PARTS + p] on machines that multiply by a part
 * of a register. */
LANE_FN double *MGS_FN(tile)(const mgs_job *job, int64_t t)
{
    return job->tiles + (t - job->first_tile) * job->rows * MGS_ROW;
}
#if LANE_FACTORS_APART
enum { MGS_NEXT = 1, MGS_APART = MGS_BLOCK }; /* doubles to the next column of a block, and between parts of a number */
#else
enum { MGS_NEXT = PLUMB_PARTS, MGS_APART = 1 };
#endif
LANE_FN double *MGS_FN(block)(const mgs_job *job, int64_t b) { return job->finished + b * job->rows * MGS_BLOCK_ROW; }

/* Part p of a_k^H a_i, for column k and column i of its block, i < k: [k*MGS_BLOCK_ROW + i*MGS_NEXT + p*MGS_APART]. */
LANE_FN double *MGS_FN(products)(const mgs_job *job, int64_t k) { return job->products + k * MGS_BLOCK_ROW; }

/* Loads `count` columns, at most LANE_WIDTH of them, as a lane of rows that are MGS_ROW apart, and zeros behind them. Each
 * column is multiplied by its factor. Returns the sums of squares, plus sum. */
LANE_FN lane MGS_FN(load_lane)(double *restrict to, const double *restrict from, int64_t col, int64_t rows, int count,
                               lane factor, lane sum)
{
    const double zeros[LANE_WIDTH] = {0.0};
    int64_t i = 0;
    for (; i + LANE_WIDTH <= rows; i += LANE_WIDTH) {
        lane a[LANE_WIDTH];
        LANE_UNROLL
        for (int l = 0; l < LANE_WIDTH; l++)
            a[l] = lane_load(l < count ? from + l * col + i : zeros);
        lane_transpose(a);
        LANE_UNROLL
        for (int l = 0; l < LANE_WIDTH; l++) {
            a[l] = lane_mul(a[l], factor);
            sum = lane_add(sum, lane_mul(a[l], a[l]));
            lane_store(to + (i + l) * MGS_ROW, a[l]);
        }
    }
    for (; i < rows; i++) {
        double part[LANE_WIDTH] = {0.0};
        for (int l = 0; l < count; l++)
            part[l] = from[l * col + i];
        const lane a = lane_mul(lane_load(part), factor);
        sum = lane_add(sum, lane_mul(a, a));
        lane_store(to + i * MGS_ROW, a);
    }
    return sum;
}

/* Loads a tile as it was given, scaled, and finds the limits of its columns. The sums of squares run down the real parts,
 * then down the imaginary ones, as for all other matrices. */
static void MGS_FN(load_given)(const mgs_job *job, int64_t t, const mgs_columns *columns)
{
    const int64_t begin = MGS_FN(begin)(job, t), end = MGS_FN(end)(job, t);
    const bool factors = t < MGS_FN(factors)(job);
    double *x = MGS_FN(tile)(job, t);
    for (int l = 0; l < MGS_LANES; l++) {
        const int64_t j = begin + l * LANE_WIDTH, left = end - j;
        const int count = left >= LANE_WIDTH ? LANE_WIDTH : left > 0 ? (int)left : 0;
        const double *from = columns->data + (factors ? j : j - job->cols) * columns->col;
        const lane factor = lane_get(job->source->factor + j, count);
        lane sum = lane_set(0.0);
        for (int p = 0; p < PLUMB_PARTS; p++, from += columns->plane) {
            double *to = x + p * MGS_TILE + l * LANE_WIDTH;
            sum = count == LANE_WIDTH ? MGS_FN(load_lane)(to, from, columns->col, job->rows, LANE_WIDTH, factor, sum)
                                      : MGS_FN(load_lane)(to, from, columns->col, job->rows, count, factor, sum);
        }
        if (factors)
            lane_put(job->source->least + j, lane_mul(sum, lane_set(job->source->share)), count);
    }
}

static void MGS_FN(load_tile)(const mgs_job *given, int64_t t)
{
    const mgs_job value = *given, *job = &value;
    const mgs_columns *columns = !job->source ? NULL : t < MGS_FN(factors)(job) ? &job->source->a : &job->source->b;
    if (columns && columns->data) {
        MGS_FN(load_given)(job, t, columns);
        return;
    }
    double *x = MGS_FN(tile)(job, t);
    const int64_t begin = MGS_FN(begin)(job, t), end = MGS_FN(end)(job, t);
    for (int64_t i = 0; i < job->rows; i++)
        for (int l = 0; l < MGS_LANES; l++) {
            const int64_t j = begin + l * LANE_WIDTH, left = end - j;
            const int count = left >= LANE_WIDTH ? LANE_WIDTH : left > 0 ? (int)left : 0;
            num_store(x + i * MGS_ROW + l * LANE_WIDTH, MGS_TILE, num_load(MGS_W(i, j), count), LANE_WIDTH);
        }
}

/* Writes a tile back to w; the columns of a finished one are in finished blocks. */
static void MGS_FN(store_tile)(const mgs_job *given, int64_t t, int finished)
{
    const mgs_job value = *given, *job = &value;
    const int64_t begin = MGS_FN(begin)(job, t), end = MGS_FN(end)(job, t), next = finished ? MGS_NEXT : 1;
    for (int64_t j = begin; j < end; j += MGS_BLOCK) {
        const int64_t columns = end - j < MGS_BLOCK ? end - j : MGS_BLOCK;
        const double *from = finished ? MGS_FN(block)(job, j / MGS_BLOCK) : MGS_FN(tile)(job, t) + (j - begin);
        for (int64_t i = 0; i < job->rows; i++, from += finished ? MGS_BLOCK_ROW : MGS_ROW)
            for (int p = 0; p < PLUMB_PARTS; p++) {
                const double *part = from + p * (finished ? MGS_APART : MGS_TILE);
                double *to = job->w + p * job->w_plane + i * job->ld + j;
                for (int64_t m = 0; m < columns; m++)
                    to[m] = part[m * next];
            }
    }
}

/* An entry of a finished column, and the two operations with it: the FMAs of num_rest and num_acc_add_conj, written out so
 * that a machine can take the entry from half a register (lane_factors). */
#if PLUMB_PARTS == 1
LANE_FN lane_factors MGS_FN(entry)(const double *p) { return lane_factors_one(p); }
LANE_FN num MGS_FN(rest)(num a, num c, lane_factors q) { return d_make(lane_fnma_first(c.x, q, a.x)); }
LANE_FN num_acc MGS_FN(sum)(num_acc s, lane_factors q, num a) { return d_make(lane_fma_first(a.x, q, s.x)); }
#else
LANE_FN lane_factors MGS_FN(entry)(const double *p) { return lane_factors_two(p, MGS_APART); }
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

/* p[m] = a_m^H a_j for MGS_FACTORS columns m of a block, from q on, and some lanes from x on. */
LANE_FN void MGS_FN(project_strip)(const double *restrict x, const double *restrict q, int64_t rows, int lanes,
                                   double *restrict p)
{
    num_acc sum[MGS_FACTORS * MGS_STRIP];
    LANE_UNROLL
    for (int s = 0; s < MGS_FACTORS * lanes; s++)
        sum[s] = num_acc_zero();
    for (int64_t i = 0; i < rows; i++, x += MGS_ROW, q += MGS_BLOCK_ROW) {
        num a[MGS_STRIP];
        LANE_UNROLL
        for (int l = 0; l < lanes; l++)
            a[l] = num_load(x + l * LANE_WIDTH, MGS_TILE, LANE_WIDTH);
        LANE_UNROLL
        for (int m = 0; m < MGS_FACTORS; m++) {
            const lane_factors with = MGS_FN(entry)(q + m * MGS_NEXT);
            LANE_UNROLL
            for (int l = 0; l < lanes; l++)
                sum[m * lanes + l] = MGS_FN(sum)(sum[m * lanes + l], with, a[l]);
        }
    }
    LANE_UNROLL
    for (int m = 0; m < MGS_FACTORS; m++)
        LANE_UNROLL
    for (int l = 0; l < lanes; l++)
        num_store(p + m * MGS_ROW + l * LANE_WIDTH, MGS_TILE, num_acc_value(sum[m * lanes + l]), LANE_WIDTH);
}

/* a_j -= c[m] a_m for `count` columns m of a block in order, in some lanes of some rows from x on. */
#ifdef __clang__
#define MGS_UNROLL_TWO _Pragma("unroll(2)")
#else
#define MGS_UNROLL_TWO _Pragma("GCC unroll 2")
#endif
LANE_FN void MGS_FN(remove_rows)(double *restrict x, const double *restrict q, int rows, int lanes, int count,
                                 const double *restrict c)
{
    num a[MGS_ROWS * MGS_STRIP];
    LANE_UNROLL
    for (int r = 0; r < rows; r++)
        LANE_UNROLL
    for (int l = 0; l < lanes; l++)
        a[r * lanes + l] = num_load(x + r * MGS_ROW + l * LANE_WIDTH, MGS_TILE, LANE_WIDTH);
    MGS_UNROLL_TWO
    for (int m = 0; m < count; m++, q += MGS_NEXT, c += MGS_ROW) {
        num factor[MGS_STRIP];
        LANE_UNROLL
        for (int l = 0; l < lanes; l++)
            factor[l] = num_load(c + l * LANE_WIDTH, MGS_TILE, LANE_WIDTH);
        LANE_UNROLL
        for (int r = 0; r < rows; r++) {
            const lane_factors from = MGS_FN(entry)(q + r * MGS_BLOCK_ROW);
            LANE_UNROLL
            for (int l = 0; l < lanes; l++)
                a[r * lanes + l] = MGS_FN(rest)(a[r * lanes + l], factor[l], from);
        }
    }
    LANE_UNROLL
    for (int r = 0; r < rows; r++)
        LANE_UNROLL
    for (int l = 0; l < lanes; l++)
        num_store(x + r * MGS_ROW + l * LANE_WIDTH, MGS_TILE, a[r * lanes + l], LANE_WIDTH);
}

/* The coefficients of one lane of columns from their inner products, in place: c_m, then what it removes from all later
 * products. The coefficients also go to row k + m of c, which is at `to`; `columns` of the lane exist. */
LANE_FN void MGS_FN(find_coefficients)(const mgs_job *job, int64_t k, int count, double *restrict c,
                                       double *restrict to, int64_t columns)
{
    num p[MGS_BLOCK];
    LANE_UNROLL
    for (int m = 0; m < MGS_BLOCK; m++)
        p[m] = num_load(c + (m < count ? m : 0) * MGS_ROW, MGS_TILE, LANE_WIDTH);
    LANE_UNROLL
    for (int m = 0; m < MGS_BLOCK; m++)
        if (m < count) {
            p[m] = num_mul_real(p[m], real_spread(job->inverse + k + m, 1));
            num_store(c + m * MGS_ROW, MGS_TILE, p[m], LANE_WIDTH);
            if (columns >= LANE_WIDTH)
                num_store(to + m * job->ld, job->c_plane, p[m], LANE_WIDTH);
            else if (columns > 0) /* what lies behind the end may belong to another thread */
                num_store(to + m * job->ld, job->c_plane, p[m], (int)columns);
            LANE_UNROLL
            for (int i = m + 1; i < MGS_BLOCK; i++)
                if (i < count)
                    p[i] = MGS_FN(rest)(p[i], p[m], MGS_FN(entry)(MGS_FN(products)(job, k + i) + m * MGS_NEXT));
        }
}

/* Applies the steps of the first `count` columns of block b to some lanes from x on, which are columns j .. end-1. */
LANE_FN void MGS_FN(apply_strip)(const mgs_job *job, int64_t b, int count, double *x, int64_t j, int64_t end, int lanes)
{
    const double *q = MGS_FN(block)(job, b);
    const int64_t k = b * MGS_BLOCK, rows = job->rows;
    _Alignas(64) double c[MGS_BLOCK * MGS_ROW];
    for (int m = 0; m < MGS_BLOCK; m += MGS_FACTORS)
        if (m < count) /* products with columns that do not exist are not used */
            MGS_FN(project_strip)(x, q + m * MGS_NEXT, rows, lanes, c + m * MGS_ROW);
    for (int l = 0; l < lanes; l++) {
        const int64_t at = j + l * LANE_WIDTH;
        double *to = job->c + k * job->ld + at;
        if (count == MGS_BLOCK)
            MGS_FN(find_coefficients)(job, k, MGS_BLOCK, c + l * LANE_WIDTH, to, end - at);
        else
            MGS_FN(find_coefficients)(job, k, count, c + l * LANE_WIDTH, to, end - at);
    }
    int64_t i = rows; /* upwards, because the last rows are in the first-level cache */
    for (; i >= MGS_ROWS && count == MGS_BLOCK; i -= MGS_ROWS)
        MGS_FN(remove_rows)
    (x + (i - MGS_ROWS) * MGS_ROW, q + (i - MGS_ROWS) * MGS_BLOCK_ROW, MGS_ROWS, lanes, MGS_BLOCK, c);
    for (; i > 0; i--)
        MGS_FN(remove_rows)(x + (i - 1) * MGS_ROW, q + (i - 1) * MGS_BLOCK_ROW, 1, lanes, count, c);
}

/* The same for any number of columns. */
static void MGS_FN(apply_block)(const mgs_job *job, int64_t b, int count, double *x, int64_t j, int64_t end)
{
    const int64_t lanes = (end - j + LANE_WIDTH - 1) / LANE_WIDTH;
    int64_t l = 0;
    for (; l + MGS_STRIP <= lanes; l += MGS_STRIP)
        MGS_FN(apply_strip)(job, b, count, x + l * LANE_WIDTH, j + l * LANE_WIDTH, end, MGS_STRIP);
    for (; l < lanes; l++)
        MGS_FN(apply_strip)(job, b, count, x + l * LANE_WIDTH, j + l * LANE_WIDTH, end, 1);
}

/* Applies the steps of the finished columns first .. last-1 to tile t; first is the first column of a block, last the end
 * of one. */
static void MGS_FN(apply)(const mgs_job *given, int64_t first, int64_t last, int64_t t)
{
    const mgs_job value = *given, *job = &value;
    for (int64_t k = first; k < last; k += MGS_BLOCK)
        MGS_FN(apply_block)
    (job, k / MGS_BLOCK, last - k < MGS_BLOCK ? (int)(last - k) : MGS_BLOCK, MGS_FN(tile)(job, t),
     MGS_FN(begin)(job, t), MGS_FN(end)(job, t));
}

/* The numbers of the columns of a block, to distinguish finished ones from others. */
static const double MGS_FN(numbers)[] = {0, 1, 2, 3, 4, 5, 6, 7};
_Static_assert((int)MGS_BLOCK == 8, "there are eight numbers");

/* Column m of a row of a block, in a register already. */
LANE_FN lane_factors MGS_FN(pick)(const num *a, int m)
{
    const num from = a[m / LANE_WIDTH];
#if PLUMB_PARTS == 1
    return lane_factors_pick(from.x, from.x, m % LANE_WIDTH);
#else
    return lane_factors_pick(from.re.x, from.im.x, m % LANE_WIDTH);
#endif
}

/* One pass down the rows of a block, which is at y with its parts MGS_BLOCK apart: removes column at - 1 from columns at
 * .. 7 and projects all columns on column at, those before it, too. The first pass, for at = 0, removes nothing and copies
 * the block from its tile, where it is at x. */
LANE_FN void MGS_FN(finish_pass)(double *y, const double *x, int64_t rows, int at, const num *c, num_acc *sum)
{
    const int live = at / LANE_WIDTH; /* the lane of column at */
    const lane_mask done = lane_lt(lane_load(MGS_FN(numbers) + live * LANE_WIDTH), lane_set((double)at));
    for (int64_t i = 0; i < rows; i++, y += MGS_BLOCK_ROW) {
        num a[MGS_BLOCK_LANES];
        LANE_UNROLL
        for (int l = 0; l < MGS_BLOCK_LANES; l++)
            a[l] = at == 0 ? num_load(x + i * MGS_ROW + l * LANE_WIDTH, MGS_TILE, LANE_WIDTH)
                           : num_load(y + l * LANE_WIDTH, MGS_BLOCK, LANE_WIDTH);
        if (at > 0) {
            const lane_factors from = LANE_FACTORS_APART ? MGS_FN(entry)(y + at - 1) : MGS_FN(pick)(a, at - 1);
            LANE_UNROLL
            for (int l = live; l < MGS_BLOCK_LANES; l++) {
                const num rest = MGS_FN(rest)(a[l], c[l], from);
                a[l] = l * LANE_WIDTH < at ? MGS_FN(select)(done, a[l], rest) : rest;
            }
        }
        LANE_UNROLL
        for (int l = live; l < MGS_BLOCK_LANES; l++)
            num_store(y + l * LANE_WIDTH, MGS_BLOCK, a[l], LANE_WIDTH);
        const lane_factors with = MGS_FN(pick)(a, at);
        LANE_UNROLL
        for (int l = 0; l < MGS_BLOCK_LANES; l++)
            sum[l] = MGS_FN(sum)(sum[l], with, a[l]);
    }
}

/* Takes the steps of columns begin .. end-1, which are a block and lie at x in their tile, among themselves. They move from
 * the tile to the finished blocks, where they lie without gaps and fit in a first-level cache. Returns 0 or a dependent
 * column, from 1. */
static int64_t MGS_FN(finish_block)(const mgs_job *job, const double *x, int64_t begin, int64_t end,
                                    const double *least)
{
    double row[MGS_BLOCK_ROW] = {0.0}; /* coefficients of the last step; those of finished columns mean nothing */
    double *y = MGS_FN(block)(job, begin / MGS_BLOCK);
    for (int64_t k = begin; k < end; k++) {
        const int64_t at = k - begin;
        num c[MGS_BLOCK_LANES];
        num_acc sum[MGS_BLOCK_LANES];
        double *g = MGS_FN(products)(job, k);
        LANE_UNROLL
        for (int l = 0; l < MGS_BLOCK_LANES; l++)
            c[l] = num_load(row + l * LANE_WIDTH, MGS_BLOCK, LANE_WIDTH);
        LANE_UNROLL
        for (int l = 0; l < MGS_BLOCK_LANES; l++)
            sum[l] = num_acc_zero();
        LANE_UNROLL
        for (int pass = 0; pass < MGS_BLOCK; pass++) /* each with a constant */
            if (pass == at)
                MGS_FN(finish_pass)(y, x, job->rows, pass, c, sum);
        LANE_UNROLL
        for (int l = 0; l < MGS_BLOCK_LANES; l++)
            num_store(row + l * LANE_WIDTH, MGS_BLOCK, num_acc_value(sum[l]), LANE_WIDTH);
        for (int p = 0; p < PLUMB_PARTS; p++) {
            for (int64_t i = 0; i < at; i++)
                g[i * MGS_NEXT + p * MGS_APART] = row[p * MGS_BLOCK + i];
            job->c[p * job->c_plane + k * job->ld + k] = row[p * MGS_BLOCK + at];
        }
        job->s[k] = row[at];
        if (!(job->s[k] > least[k])) /* a NaN, too */
            return k + 1;
        const real inverse = real_inv(real_spread(job->s + k, job->s_plane));
        real_store(job->inverse + k, 1, inverse, 1);
        LANE_UNROLL
        for (int l = 0; l < MGS_BLOCK_LANES; l++) {
            const num value = num_mul_real(num_acc_value(sum[l]), inverse);
            num_store(row + l * LANE_WIDTH, MGS_BLOCK, value, LANE_WIDTH);
        }
        for (int p = 0; p < PLUMB_PARTS; p++)
            for (int64_t j = at + 1; j < end - begin; j++)
                job->c[p * job->c_plane + k * job->ld + begin + j] = row[p * MGS_BLOCK + j];
    }
#if PLUMB_PARTS > 1 && !LANE_FACTORS_APART
    for (int64_t i = 0; i < job->rows; i++, y += MGS_BLOCK_ROW) {
        double parts[MGS_BLOCK_ROW];
        memcpy(parts, y, sizeof parts);
        for (int m = 0; m < MGS_BLOCK; m++)
            for (int p = 0; p < PLUMB_PARTS; p++)
                y[m * MGS_NEXT + p * MGS_APART] = parts[p * MGS_BLOCK + m];
    }
#endif
    return 0;
}

/* Takes the steps of the columns of tile t itself, after those of all columns before it. Returns 0 or a dependent
 * column, from 1. */
static int64_t MGS_FN(finish)(const mgs_job *given, int64_t t, const double *least)
{
    const mgs_job value = *given, *job = &value;
    const int64_t begin = t * MGS_TILE, end = MGS_FN(end)(job, t);
    int64_t dependent = 0;
    for (int64_t k = begin; k < end && !dependent; k += MGS_BLOCK) {
        const int64_t stop = k + MGS_BLOCK < end ? k + MGS_BLOCK : end;
        double *x = MGS_FN(tile)(job, t) + (k - begin);
        for (int64_t before = begin; before < k; before += MGS_BLOCK)
            MGS_FN(apply_block)(job, before / MGS_BLOCK, MGS_BLOCK, x, k, stop);
        dependent = MGS_FN(finish_block)(job, x, k, stop, least);
    }
    return dependent;
}

#define MGS_KERNELS                                                                                                \
    {                                                                                                              \
        LANE_WIDTH, PLUMB_LIMBS, PLUMB_PARTS, MGS_FN(project), MGS_FN(divide), MGS_FN(remove), MGS_FN(squares),    \
            MGS_TILE, MGS_BLOCK, MGS_FN(load_tile), MGS_FN(store_tile), MGS_FN(apply), MGS_FN(finish),             \
            MGS_FN(compose), MGS_FN(back), MGS_FN(triangle), MGS_FN(normalize), MGS_FN(residuals), MGS_FN(largest) \
    }
