/* mgs_tiles_tmpl.h - modified Gram-Schmidt on tiles, for matrices in dd and qd that are larger than a first-level cache;
 * mgs_blocks_tmpl.h is for d.
 *
 * A tile is MGS_LANES lanes of neighbouring columns in contiguous memory. The steps of many finished columns are
 * applied to a tile while it stays in a cache. A finished tile is stored column after column, because the numbers of a
 * column are then copied into lanes one by one; each of them is stored LANE_COPIES times. A pass down the rows removes a
 * column or computes inner products with one: both at once need more registers than there are, and take 5 to 20% longer.
 *
 * Every number is computed by the operations of mgs_tmpl.h in the same order, so the results have the same bits. */
#include "method/lsq/mgs_tmpl.h"

/* Rows that are taken at a time, one or two, by passes that only remove a column and by those that only project. */
#ifndef MGS_REMOVED_ROWS
#define MGS_REMOVED_ROWS 1
#endif
#ifndef MGS_PROJECTED_ROWS
#define MGS_PROJECTED_ROWS 1
#endif

enum {
    MGS_TILE = MGS_LANES * LANE_WIDTH,
    MGS_PLANES = PLUMB_PARTS * PLUMB_LIMBS,
    MGS_FINISHED = MGS_PLANES * LANE_COPIES, /* doubles per number of a finished column */
};

/* Plane c of entry (i, j) of an unfinished tile is tile[(i*MGS_PLANES + c)*MGS_TILE + j]; that of column j of a
 * finished one is tile[(j*rows + i)*MGS_FINISHED + c*LANE_COPIES]. */
static double *MGS_FN(tile)(const mgs_job *job, int64_t t)
{
    return job->tiles + t * job->rows * (MGS_FINISHED * MGS_TILE);
}

LANE_FN const double *MGS_FN(column)(const mgs_job *job, int64_t k)
{
    return job->tiles + k * job->rows * MGS_FINISHED;
}

LANE_FN num MGS_FN(zero)(void) { return num_acc_value(num_acc_zero()); }

static void MGS_FN(load_tile)(const mgs_job *given, int64_t t)
{
    const mgs_job value = *given, *job = &value;
    double *x = MGS_FN(tile)(job, t);
    for (int64_t i = 0; i < job->rows; i++)
        LANE_UNROLL
    for (int l = 0; l < MGS_LANES; l++)
        num_store(x + i * (MGS_PLANES * MGS_TILE) + l * LANE_WIDTH, MGS_TILE,
                  num_load(MGS_W(i, t * MGS_TILE + l * LANE_WIDTH), LANE_WIDTH), LANE_WIDTH);
}

/* Writes a tile back to w; if it is finished, its columns also become contiguous, for MGS_FN(apply). */
static void MGS_FN(store_tile)(const mgs_job *given, int64_t t, int finished)
{
    const mgs_job value = *given, *job = &value;
    double *x = MGS_FN(tile)(job, t);
    const int64_t left = job->all - t * MGS_TILE, columns = left < MGS_TILE ? left : MGS_TILE;
    for (int64_t i = 0; i < job->rows; i++)
        for (int c = 0; c < MGS_PLANES; c++) {
            const double *from = x + (i * MGS_PLANES + c) * MGS_TILE;
            double *to = job->w + c * job->w_plane + i * job->ld + t * MGS_TILE;
            for (int64_t j = 0; j < columns; j++)
                to[j] = from[j];
        }
    for (int64_t j = 0; finished && j < columns; j++)
        for (int64_t i = 0; i < job->rows; i++)
            for (int c = 0; c < MGS_FINISHED; c++)
                x[(j * job->rows + i) * MGS_FINISHED + c] =
                    job->w[c / LANE_COPIES * job->w_plane + i * job->ld + t * MGS_TILE + j];
}

/* Two neighbouring rows of a pass that only removes or only projects. */
LANE_FN void MGS_FN(pass_pair)(double *x, int lanes, int removes, const num *c, const double *column, num_acc *sum)
{
    const num q0 = num_of_copies(column), q1 = num_of_copies(column + MGS_FINISHED);
    LANE_UNROLL
    for (int l = 0; l < lanes; l++) {
        double *x0 = x + l * LANE_WIDTH, *x1 = x0 + MGS_PLANES * MGS_TILE;
        num a0 = num_load(x0, MGS_TILE, LANE_WIDTH), a1 = num_load(x1, MGS_TILE, LANE_WIDTH);
        if (removes) {
            a0 = num_rest(a0, c[l], q0);
            a1 = num_rest(a1, c[l], q1);
            num_store(x0, MGS_TILE, a0, LANE_WIDTH);
            num_store(x1, MGS_TILE, a1, LANE_WIDTH);
        } else {
            sum[l] = num_acc_add_conj(num_acc_add_conj(sum[l], q0, a0), q1, a1);
        }
    }
}

/* One pass down the rows of some lanes of a tile: a_j -= c_j a_k, if it removes, otherwise sum_j += a_k^H a_j. Column k
 * is not in this tile. */
LANE_FN void MGS_FN(pass)(double *restrict x, int64_t rows, int lanes, int removes, const double *restrict column,
                          const num *c, num_acc *sum)
{
    int64_t i = 0;
    if ((removes ? MGS_REMOVED_ROWS : MGS_PROJECTED_ROWS) == 2)
        for (; i + 1 < rows; i += 2, x += 2 * MGS_PLANES * MGS_TILE)
            MGS_FN(pass_pair)(x, lanes, removes, c, column + i * MGS_FINISHED, sum);
    for (; i < rows; i++, x += MGS_PLANES * MGS_TILE) {
        const num q = num_of_copies(column + i * MGS_FINISHED);
        LANE_UNROLL
        for (int l = 0; l < lanes; l++) {
            const num a = num_load(x + l * LANE_WIDTH, MGS_TILE, LANE_WIDTH);
            if (removes)
                num_store(x + l * LANE_WIDTH, MGS_TILE, num_rest(a, c[l], q), LANE_WIDTH);
            else
                sum[l] = num_acc_add_conj(sum[l], q, a);
        }
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

/* Applies the steps of the finished columns first .. last-1 to the first lanes of tile t. */
LANE_FN void MGS_FN(apply_to)(const mgs_job *job, int64_t first, int64_t last, int64_t t, int lanes)
{
    double *x = MGS_FN(tile)(job, t);
    const int together = lanes < MGS_SUMS ? lanes : MGS_SUMS;
    for (int64_t k = first; k < last; k++) {
        num c[MGS_LANES];
        for (int l = 0; l < lanes; l += together) {
            num_acc sum[MGS_SUMS];
            LANE_UNROLL
            for (int m = 0; m < together; m++)
                sum[m] = num_acc_zero();
            MGS_FN(pass)(x + l * LANE_WIDTH, job->rows, together, 0, MGS_FN(column)(job, k), NULL, sum);
            MGS_FN(coefficients)(job, k, t * MGS_TILE + l * LANE_WIDTH, together, sum, c + l);
        }
        MGS_FN(pass)(x, job->rows, lanes, 1, MGS_FN(column)(job, k), c, NULL);
    }
}

static void MGS_FN(apply)(const mgs_job *given, int64_t first, int64_t last, int64_t t)
{
    const mgs_job value = *given, *job = &value;
    if (job->all - t * MGS_TILE <= LANE_WIDTH) /* the others hold no columns */
        MGS_FN(apply_to)(job, first, last, t, 1);
    else
        MGS_FN(apply_to)(job, first, last, t, MGS_LANES);
}

/* The numbers of the columns of a tile, to tell finished ones from others. */
static const double MGS_FN(numbers)[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

_Static_assert((int)MGS_TILE <= (int)MGS_OVERHANG,
               "a tile may not reach further behind the last column than the padding");
_Static_assert(LANE_COPIES <= (int)MGS_MOST_COPIES, "tiles do not have enough memory for the copies");

/* One pass down the rows of a tile over the columns from number `at` on: removes column at - 1 of the tile, and projects
 * on column at. Lanes that are finished or hold no columns are left out. */
#define MGS_IS_LIVE(l) (MGS_LANES == 1 || (((l) + 1) * LANE_WIDTH > at && (l) < lanes))
LANE_FN void MGS_FN(finish_pass)(double *x, int64_t rows, int64_t at, int64_t lanes, int removes, const num *c,
                                 int projects, num_acc *sum)
{
    const lane first = lane_set((double)at);
    (void)lanes;
    for (int64_t i = 0; i < rows; i++, x += MGS_PLANES * MGS_TILE) {
        if (removes) {
            const num from = num_spread(x + at - 1, MGS_TILE);
            LANE_UNROLL
            for (int l = 0; l < MGS_LANES; l++) {
                if (!MGS_IS_LIVE(l))
                    continue;
                const num a = num_load(x + l * LANE_WIDTH, MGS_TILE, LANE_WIDTH);
                const lane_mask done = lane_lt(lane_load(MGS_FN(numbers) + l * LANE_WIDTH), first);
                num_store(x + l * LANE_WIDTH, MGS_TILE, MGS_FN(select)(done, a, num_rest(a, c[l], from)), LANE_WIDTH);
            }
        }
        if (projects) {
            const num with = num_spread(x + at, MGS_TILE);
            LANE_UNROLL
            for (int l = 0; l < MGS_LANES; l++)
                if (MGS_IS_LIVE(l))
                    sum[l] = num_acc_add_conj(sum[l], with, num_load(x + l * LANE_WIDTH, MGS_TILE, LANE_WIDTH));
        }
    }
}

/* Takes the steps of the columns of tile t itself, after those of all columns before it. Returns 0 or a dependent
 * column, from 1. */
static int64_t MGS_FN(finish)(const mgs_job *given, int64_t t, const double *least)
{
    const mgs_job value = *given, *job = &value;
    double *tile = MGS_FN(tile)(job, t);
    const int64_t begin = t * MGS_TILE, end = begin + MGS_TILE < job->cols ? begin + MGS_TILE : job->cols;
    num c[MGS_LANES];
    LANE_UNROLL
    for (int l = 0; l < MGS_LANES; l++)
        c[l] = MGS_FN(zero)();
    const int64_t others = begin + MGS_TILE < job->all ? begin + MGS_TILE : job->all; /* right-hand sides end here */
    const int64_t lanes = (others - begin + LANE_WIDTH - 1) / LANE_WIDTH;
    for (int64_t k = begin; k < end || (k == end && k < others); k++) {
        const int64_t at = k - begin;
        num_acc sum[MGS_LANES];
        LANE_UNROLL
        for (int l = 0; l < MGS_LANES; l++)
            sum[l] = num_acc_zero();
        if (k > begin)
            MGS_FN(finish_pass)(tile, job->rows, at, lanes, 1, c, 0, sum);
        if (k < end)
            MGS_FN(finish_pass)(tile, job->rows, at, lanes, 0, c, 1, sum);
        if (k == end)
            break;
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
    return 0;
}

#define MGS_KERNELS                                                                                             \
    {                                                                                                           \
        LANE_WIDTH, PLUMB_LIMBS, MGS_PLANES, MGS_FN(project), MGS_FN(divide), MGS_FN(remove), MGS_FN(squares),  \
            MGS_TILE, 0, MGS_FN(load_tile), MGS_FN(store_tile), MGS_FN(apply), MGS_FN(finish), MGS_FN(compose), \
            MGS_FN(back), MGS_FN(triangle), MGS_FN(normalize), MGS_FN(residuals), NULL                          \
    }
