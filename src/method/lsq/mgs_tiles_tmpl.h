/* mgs_tiles_tmpl.h - modified Gram-Schmidt on tiles, for matrices in dd and qd that are larger than a first-level cache;
 * mgs_blocks_tmpl.h is for d.
 *
 * A tile is MGS_LANES lanes of neighbouring columns in contiguous memory. The steps of many finished columns are
 * applied to a tile while it stays in a cache. Finished columns are stored one after the other, because their numbers are
 * copied into lanes one by one; each of them is stored LANE_COPIES times. A pass down the rows removes a column or computes
 * inner products with one: both at once need more registers than there are, and take 5 to 20% longer.
 *
 * The last tile ends with the last column. The first one therefore begins with empty places (mgs_empty), which hold zeros
 * and count as finished. No column is applied to the first tile, so they cost little; a last tile with a single
 * right-hand side took a seventh of the time of 64 columns.
 *
 * Every number is computed by the operations of mgs_tmpl.h in the same order, so the results have the same bits. */
#include "arith/lane_pairs.h"
#include "method/lsq/mgs_tmpl.h"

/* Rows that are taken at a time, one or two, by passes that only remove a column and by those that only project. */
#ifndef MGS_REMOVED_ROWS
#define MGS_REMOVED_ROWS 1
#endif
#ifndef MGS_PROJECTED_ROWS
#define MGS_PROJECTED_ROWS 1
#endif
/* Lanes of a tile that project at a time. */
#ifndef MGS_TOGETHER
#define MGS_TOGETHER (MGS_SUMS < MGS_LANES ? MGS_SUMS : MGS_LANES)
#endif

enum {
    MGS_TILE = MGS_LANES * LANE_WIDTH,
    MGS_PLANES = PLUMB_PARTS * PLUMB_LIMBS,
    MGS_ROW = MGS_PLANES * MGS_TILE,         /* doubles of a row of a tile */
    MGS_FINISHED = MGS_PLANES * LANE_COPIES, /* doubles per number of a finished column */
    MGS_MOST_ROWS = 2,
};

LANE_FN int64_t MGS_FN(empty)(const mgs_job *job) { return mgs_empty(job->all, MGS_TILE); }

/* Plane c of entry (i, j) of a tile is tile[(i*MGS_PLANES + c)*MGS_TILE + j]; that of row i of a finished column is
 * column[i*MGS_FINISHED + c*LANE_COPIES]. */
static double *MGS_FN(tile)(const mgs_job *job, int64_t t)
{
    return job->tiles + (t - job->first_tile) * job->rows * MGS_ROW;
}

LANE_FN double *MGS_FN(column)(const mgs_job *job, int64_t k) { return job->finished + k * job->rows * MGS_FINISHED; }

LANE_FN num MGS_FN(zero)(void) { return num_acc_value(num_acc_zero()); }

/* Loads one lane of a tile, columns j, j + 1, ..., as they were given, scaled, and finds the limits of these columns. The sums
 * of squares run down the leading limbs of the real parts, then of the imaginary ones. There are zeros for columns below 0. */
static void MGS_FN(load_given)(const mgs_job *job, double *restrict x, int64_t j)
{
    static const double zeros[LANE_WIDTH];
    const mgs_source *source = job->source;
    const double *from[LANE_WIDTH];
    double factor[LANE_WIDTH], least[LANE_WIDTH];
    int64_t plane[LANE_WIDTH], step[LANE_WIDTH], i;
    for (int l = 0; l < LANE_WIDTH; l++) {
        const int64_t k = j + l;
        const mgs_columns *columns = k < job->cols ? &source->a : &source->b;
        from[l] = k < 0 ? zeros : columns->data + (k < job->cols ? k : k - job->cols) * columns->col;
        plane[l] = k < 0 ? 0 : columns->plane;
        step[l] = k < 0 ? 0 : 1;
        factor[l] = k < 0 ? 0.0 : source->factor[k];
    }
    const lane by = lane_load(factor);
    lane sum = lane_set(0.0);
    for (int c = 0; c < MGS_PLANES; c++, x += MGS_TILE) {
        for (i = 0; i < job->rows; i += LANE_WIDTH) {
            const int64_t left = job->rows - i;
            const int count = left < LANE_WIDTH ? (int)left : LANE_WIDTH;
            lane a[LANE_WIDTH];
            LANE_UNROLL
            for (int l = 0; l < LANE_WIDTH; l++)
                a[l] = lane_get(from[l] + i * step[l], count);
            lane_transpose(a);
            for (int l = 0; l < count; l++) {
                const lane scaled = lane_mul(a[l], by);
                if (c % PLUMB_LIMBS == 0)
                    sum = lane_add(sum, lane_mul(scaled, scaled));
                lane_store(x + (i + l) * MGS_ROW, scaled);
            }
        }
        for (int l = 0; l < LANE_WIDTH; l++)
            from[l] += plane[l];
    }
    lane_store(least, lane_mul(sum, lane_set(source->share)));
    for (int l = 0; l < LANE_WIDTH; l++)
        if (j + l >= 0 && j + l < job->cols)
            source->least[j + l] = least[l];
}

static void MGS_FN(load_tile)(const mgs_job *given, int64_t t)
{
    const mgs_job value = *given, *job = &value;
    double *x = MGS_FN(tile)(job, t);
    const int64_t empty = MGS_FN(empty)(job), begin = t * MGS_TILE - empty;
    if (job->source && job->source->a.data) {
        for (int l = 0; l < MGS_LANES; l++)
            MGS_FN(load_given)(job, x + l * LANE_WIDTH, begin + l * LANE_WIDTH);
        return;
    }
    for (int64_t i = 0; i < job->rows; i++)
        for (int c = 0; c < MGS_PLANES; c++)
            for (int64_t j = 0; j < MGS_TILE; j++)
                x[i * MGS_ROW + c * MGS_TILE + j] =
                    begin + j < 0 ? 0.0 : job->w[c * job->w_plane + i * job->ld + begin + j];
}

static void MGS_FN(store_tile)(const mgs_job *given, int64_t t, int finished)
{
    const mgs_job value = *given, *job = &value;
    const double *x = MGS_FN(tile)(job, t);
    const int64_t begin = t * MGS_TILE - MGS_FN(empty)(job), first = begin < 0 ? -begin : 0;
    (void)finished;
    for (int64_t i = 0; i < job->rows; i++)
        for (int c = 0; c < MGS_PLANES; c++)
            for (int64_t j = first; j < MGS_TILE; j++)
                job->w[c * job->w_plane + i * job->ld + begin + j] = x[i * MGS_ROW + c * MGS_TILE + j];
}

/* The columns of a tile become finished columns, from place `first` on. */
static void MGS_FN(publish)(const mgs_job *job, int64_t t, int64_t first)
{
    const double *x = MGS_FN(tile)(job, t);
    const int64_t step = job->rows * MGS_FINISHED;
    double *to = MGS_FN(column)(job, t * MGS_TILE - MGS_FN(empty)(job) + first);
    for (; first < MGS_TILE && first % LANE_WIDTH != 0; first++, to += step)
        for (int64_t i = 0; i < job->rows; i++)
            for (int c = 0; c < MGS_FINISHED; c++)
                to[i * MGS_FINISHED + c] = x[i * MGS_ROW + c / LANE_COPIES * MGS_TILE + first];
    for (; first < MGS_TILE; first += LANE_WIDTH, to += LANE_WIDTH * step)
        for (int64_t i = 0; i < job->rows; i++)
            LANE_UNROLL
    for (int c = 0; c < MGS_PLANES; c += 2 / LANE_COPIES) { /* two limbs, or one limb twice */
        const double *limb = x + i * MGS_ROW + c * MGS_TILE + first;
        lane_deal_pair(to + i * MGS_FINISHED + c * LANE_COPIES, step, lane_load(limb),
                       lane_load(limb + LANE_COPIES % 2 * MGS_TILE));
    }
}

/* Some neighbouring rows of some lanes of a tile: removes a_j -= c_j a_k, or projects: sum_j += a_k^H a_j. The rows of
 * column k are given. If it keeps some columns, they are those of the first lane that are done. */
LANE_FN void MGS_FN(rows)(double *x, int rows, int lanes, int removes, const num *column, const num *c, num_acc *sum,
                          int keeps, lane_mask done)
{
    LANE_UNROLL
    for (int l = 0; l < lanes; l++) {
        double *p = x + l * LANE_WIDTH;
        num a[MGS_MOST_ROWS];
        LANE_UNROLL
        for (int i = 0; i < rows; i++)
            a[i] = num_load(p + i * MGS_ROW, MGS_TILE, LANE_WIDTH);
        LANE_UNROLL
        for (int i = 0; i < rows; i++) {
            if (!removes) {
                sum[l] = num_acc_add_conj(sum[l], column[i], a[i]);
                continue;
            }
            const num left = num_rest(a[i], c[l], column[i]);
            num_store(p + i * MGS_ROW, MGS_TILE, keeps && l == 0 ? MGS_FN(select)(done, a[i], left) : left, LANE_WIDTH);
        }
    }
}

/* One pass down the rows of some lanes of a tile. Column k is finished. */
LANE_FN void MGS_FN(pass)(double *restrict x, int64_t rows, int lanes, int removes, const double *restrict column,
                          const num *c, num_acc *sum)
{
    const int together = removes ? MGS_REMOVED_ROWS : MGS_PROJECTED_ROWS;
    const lane_mask none = lane_lt(lane_set(0.0), lane_set(0.0));
    int64_t i = 0;
    for (; i + together <= rows; i += together) {
        num q[MGS_MOST_ROWS];
        LANE_UNROLL
        for (int r = 0; r < together; r++)
            q[r] = num_of_copies(column + (i + r) * MGS_FINISHED);
        MGS_FN(rows)(x + i * MGS_ROW, together, lanes, removes, q, c, sum, 0, none);
    }
    for (; together > 1 && i < rows; i++) {
        const num q = num_of_copies(column + i * MGS_FINISHED);
        MGS_FN(rows)(x + i * MGS_ROW, 1, lanes, removes, &q, c, sum, 0, none);
    }
}

/* c_kj from the inner products, for some lanes from column j on. */
LANE_FN void MGS_FN(coefficients)(const mgs_job *job, int64_t k, int64_t j, int lanes, const num_acc *sum, num *c)
{
    const real inverse = real_spread(job->inverse + k * PLUMB_LIMBS, 1);
    LANE_UNROLL
    for (int l = 0; l < lanes; l++) {
        c[l] = num_mul_real(num_acc_value(sum[l]), inverse);
        num_store(MGS_C(k, j + l * LANE_WIDTH), c[l], LANE_WIDTH);
    }
}

/* Applies the steps of the finished columns first .. last-1 to tile t. */
static void MGS_FN(apply)(const mgs_job *given, int64_t first, int64_t last, int64_t t)
{
    const mgs_job value = *given, *job = &value;
    double *x = MGS_FN(tile)(job, t);
    const int64_t begin = t * MGS_TILE - MGS_FN(empty)(job);
    for (int64_t k = first; k < last; k++) {
        num c[MGS_LANES];
        num_acc sum[MGS_LANES];
        LANE_UNROLL
        for (int l = 0; l < MGS_LANES; l++)
            sum[l] = num_acc_zero();
        for (int l = 0; l < MGS_LANES; l += MGS_TOGETHER)
            MGS_FN(pass)(x + l * LANE_WIDTH, job->rows, MGS_TOGETHER, 0, MGS_FN(column)(job, k), NULL, sum + l);
        MGS_FN(coefficients)(job, k, begin, MGS_LANES, sum, c);
        MGS_FN(pass)(x, job->rows, MGS_LANES, 1, MGS_FN(column)(job, k), c, NULL);
    }
}

/* The numbers of the columns of a tile, to distinguish finished ones from others. */
static const double MGS_FN(numbers)[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

_Static_assert((int)MGS_TILE <= (int)MGS_OVERHANG,
               "a tile may not reach further behind the last column than the padding");
_Static_assert(LANE_COPIES <= (int)MGS_MOST_COPIES, "finished columns do not have enough memory for the copies");

/* One pass down the rows of a tile, over the columns from number `at` on: removes column at - 1 of the tile, or projects on
 * column at. Finished lanes are left out; how many is a constant in each of the loops. */
LANE_FN void MGS_FN(pass_within)(double *x, int64_t rows, int64_t at, int removes, const num *c, num_acc *sum)
{
    LANE_UNROLL
    for (int live = 0; live < MGS_LANES; live++) {
        const int first = live * LANE_WIDTH, lanes = MGS_LANES - live;
        if (at / LANE_WIDTH != live)
            continue;
        const lane_mask done = lane_lt(lane_load(MGS_FN(numbers) + first), lane_set((double)at));
        int64_t i = 0;
        for (; i + MGS_PROJECTED_ROWS <= rows; i += MGS_PROJECTED_ROWS) {
            num column[MGS_MOST_ROWS];
            LANE_UNROLL
            for (int r = 0; r < MGS_PROJECTED_ROWS; r++)
                column[r] = num_spread(x + (i + r) * MGS_ROW + at - removes, MGS_TILE);
            MGS_FN(rows)
            (x + i * MGS_ROW + first, MGS_PROJECTED_ROWS, lanes, removes, column, c + live, sum + live, 1, done);
        }
        for (; MGS_PROJECTED_ROWS > 1 && i < rows; i++) {
            const num column = num_spread(x + i * MGS_ROW + at - removes, MGS_TILE);
            MGS_FN(rows)(x + i * MGS_ROW + first, 1, lanes, removes, &column, c + live, sum + live, 1, done);
        }
    }
}

/* Takes the steps of the columns of tile t itself, after those of all columns before it. Returns 0 or a dependent
 * column, from 1. */
static int64_t MGS_FN(finish)(const mgs_job *given, int64_t t, const double *least)
{
    const mgs_job value = *given, *job = &value;
    double *tile = MGS_FN(tile)(job, t);
    const int64_t begin = t * MGS_TILE - MGS_FN(empty)(job), first = begin < 0 ? 0 : begin;
    const int64_t after = begin + MGS_TILE, end = after < job->cols ? after : job->cols; /* then right-hand sides */
    num c[MGS_LANES];
    LANE_UNROLL
    for (int l = 0; l < MGS_LANES; l++)
        c[l] = MGS_FN(zero)();
    for (int64_t k = first; k < end || (k == end && k < after); k++) {
        const int64_t at = k - begin;
        num_acc sum[MGS_LANES];
        LANE_UNROLL
        for (int l = 0; l < MGS_LANES; l++)
            sum[l] = num_acc_zero();
        if (k > first)
            MGS_FN(pass_within)(tile, job->rows, at, 1, c, sum);
        if (k == end)
            break;
        MGS_FN(pass_within)(tile, job->rows, at, 0, c, sum);
        double row[MGS_PLANES * MGS_TILE]; /* c_kj, of which those before column k mean nothing */
        LANE_UNROLL
        for (int l = 0; l < MGS_LANES; l++) {
            c[l] = num_acc_value(sum[l]);
            num_store(row + l * LANE_WIDTH, MGS_TILE, c[l], LANE_WIDTH);
        }
        for (int limb = 0; limb < PLUMB_LIMBS; limb++)
            job->s[limb * job->s_plane + k] = row[limb * MGS_TILE + at];
        for (int p = 0; p < MGS_PLANES; p++)
            job->c[p * job->c_plane + k * job->ld + k] = row[p * MGS_TILE + at];
        if (!(job->s[k] > least[k])) /* a NaN, too */
            return k + 1;
        const real inverse = real_inv(real_spread(job->s + k, job->s_plane));
        real_store(job->inverse + k * PLUMB_LIMBS, 1, inverse, 1);
        LANE_UNROLL
        for (int l = 0; l < MGS_LANES; l++) {
            c[l] = num_mul_real(c[l], inverse);
            num_store(row + l * LANE_WIDTH, MGS_TILE, c[l], LANE_WIDTH);
        }
        for (int p = 0; p < MGS_PLANES; p++)
            for (int64_t j = at + 1; j < MGS_TILE; j++)
                job->c[p * job->c_plane + k * job->ld + begin + j] = row[p * MGS_TILE + j];
    }
    if (after < job->all) /* there are tiles behind this one */
        MGS_FN(publish)(job, t, first - begin);
    return 0;
}

#define MGS_KERNELS                                                                                             \
    {                                                                                                           \
        LANE_WIDTH, PLUMB_LIMBS, MGS_PLANES, MGS_FN(project), MGS_FN(divide), MGS_FN(remove), MGS_FN(squares),  \
            MGS_TILE, 0, MGS_FN(load_tile), MGS_FN(store_tile), MGS_FN(apply), MGS_FN(finish), MGS_FN(compose), \
            MGS_FN(back), MGS_FN(triangle), MGS_FN(normalize), MGS_FN(residuals), MGS_FN(largest)               \
    }
