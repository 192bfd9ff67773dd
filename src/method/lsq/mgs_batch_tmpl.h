/* mgs_batch_tmpl.h - modified Gram-Schmidt on a group of systems, one in each place of a lane; see mgs_batch.h.
 *
 * Every operation on numbers has its counterpart in mgs_tmpl.h, with the same operands in the same order. */
#include "arith/number.h"
#include "method/lsq/mgs_batch.h"

/* Columns that take every step in turn; in d one, see below. */
#define BATCH_COLUMNS (PLUMB_LIMBS == 1 ? 1 : 2)
/* Rows from which a column is removed at a time. */
#ifndef BATCH_ROWS
#define BATCH_ROWS 1
#endif

#define BATCH_FN(name) REAL_JOIN(mgs_batch_##name##_, PLUMB_PREC)

/* Distance in doubles from one entry to the next, in arrays of numbers and of real numbers. */
enum { BATCH_NUM = PLUMB_PARTS * PLUMB_LIMBS * LANE_WIDTH, BATCH_REAL = PLUMB_LIMBS * LANE_WIDTH };

#define BATCH_LOAD(p) num_load((p), LANE_WIDTH, LANE_WIDTH)
#define BATCH_STORE(p, x) num_store((p), LANE_WIDTH, (x), LANE_WIDTH)
#define BATCH_W(j) (job->w + (j)*job->rows * BATCH_NUM)
#define BATCH_C(k, j) (job->c + ((j)*job->cols + (k)) * BATCH_NUM)

/* The real part of a_j^H a_j; the imaginary part is not needed. */
static real BATCH_FN(square)(const mgs_batch_job *job, int64_t j)
{
    const double *a = BATCH_W(j);
    real_acc sum = real_acc_zero();
    for (int64_t i = 0; i < job->rows; i++) {
        num x = BATCH_LOAD(a + i * BATCH_NUM);
#if PLUMB_PARTS == 2
        sum = real_acc_add(real_acc_add(sum, x.re, x.re), x.im, x.im);
#else
        sum = real_acc_add(sum, x, x);
#endif
    }
    return real_acc_value(sum);
}

/* a_k^H a_j */
LANE_FN num_acc BATCH_FN(project)(const double *q, const double *a, int64_t rows)
{
    num_acc sum = num_acc_zero();
    for (int64_t i = 0; i < rows; i++, q += BATCH_NUM, a += BATCH_NUM) {
        const num with = BATCH_LOAD(q);
        sum = num_acc_add_conj(sum, with, BATCH_LOAD(a));
    }
    return sum;
}

/* Entry i of a - c q, stored in a. */
LANE_FN num BATCH_FN(remove)(const double *q, double *a, int64_t i, num c)
{
    num left = num_rest(BATCH_LOAD(a + i * BATCH_NUM), c, BATCH_LOAD(q + i * BATCH_NUM));
    BATCH_STORE(a + i * BATCH_NUM, left);
    return left;
}

/* c_kj = sum / s_k, stored. */
LANE_FN num BATCH_FN(divide)(const mgs_batch_job *job, int64_t k, int64_t j, num_acc sum)
{
    num c = num_mul_real(num_acc_value(sum), real_load(job->inverse + k * BATCH_REAL, LANE_WIDTH, LANE_WIDTH));
    BATCH_STORE(BATCH_C(k, j), c);
    return c;
}

/* Orthogonalise columns against columns k before them, all of these final: c_kj = a_k^H a_j / s_k, a_j -= c_kj a_k. */
#if PLUMB_LIMBS == 1
/* Column j for k < before. In d a product takes less time than its loads, so the inner product with the next column is
 * computed in the same pass. */
static void BATCH_FN(take)(const mgs_batch_job *job, int64_t before, int64_t j)
{
    const int64_t rows = job->rows;
    double *a = BATCH_W(j);
    num_acc sum = num_acc_zero();
    if (before > 0)
        sum = BATCH_FN(project)(BATCH_W(0), a, rows);
    for (int64_t k = 0; k < before; k++) {
        const double *q = BATCH_W(k), *next = BATCH_W(k + 1);
        num c = BATCH_FN(divide)(job, k, j, sum);
        sum = num_acc_zero();
        if (k + 1 == before)
            for (int64_t i = 0; i < rows; i++)
                BATCH_FN(remove)(q, a, i, c);
        else
            for (int64_t i = 0; i < rows; i++)
                sum = num_acc_add_conj(sum, BATCH_LOAD(next + i * BATCH_NUM), BATCH_FN(remove)(q, a, i, c));
    }
}
#else
LANE_FN void BATCH_FN(remove_column)(const double *restrict q, double *restrict a, int64_t rows, const num *c)
{
    int64_t i = 0;
    for (; i + BATCH_ROWS <= rows; i += BATCH_ROWS, q += BATCH_ROWS * BATCH_NUM, a += BATCH_ROWS * BATCH_NUM) {
        num with[BATCH_ROWS], left[BATCH_ROWS];
        LANE_UNROLL
        for (int r = 0; r < BATCH_ROWS; r++)
            with[r] = BATCH_LOAD(q + r * BATCH_NUM);
        LANE_UNROLL
        for (int r = 0; r < BATCH_ROWS; r++)
            left[r] = num_rest(BATCH_LOAD(a + r * BATCH_NUM), *c, with[r]);
        LANE_UNROLL
        for (int r = 0; r < BATCH_ROWS; r++)
            BATCH_STORE(a + r * BATCH_NUM, left[r]);
    }
    if (BATCH_ROWS > 1 && i < rows)
        BATCH_FN(remove)(q, a, 0, *c);
}

/* So many columns from j on, for first <= k < last, which take every step in turn: a core that looks ahead computes the
 * coefficient of one while it is at work on the rows of another. */
static void BATCH_FN(take)(const mgs_batch_job *job, int64_t first, int64_t last, int64_t j, int columns)
{
    const int64_t rows = job->rows;
    for (int64_t k = first; k < last; k++) {
        const double *q = BATCH_W(k);
        num c[BATCH_COLUMNS];
        for (int l = 0; l < columns; l++)
            c[l] = BATCH_FN(divide)(job, k, j + l, BATCH_FN(project)(q, BATCH_W(j + l), rows));
        for (int l = 0; l < columns; l++)
            BATCH_FN(remove_column)(q, BATCH_W(j + l), rows, c + l);
    }
}
#endif

/* Computes the bound that the leading limb of s_j must exceed, from leading limbs, as for a single system. */
static void BATCH_FN(limit)(const mgs_batch_job *job, int64_t j)
{
    lane square = lane_set(0.0);
    for (int part = 0; part < PLUMB_PARTS; part++)
        for (int64_t i = 0; i < job->rows; i++) {
            const lane x = lane_load(BATCH_W(j) + i * BATCH_NUM + part * BATCH_REAL);
            square = lane_add(square, lane_mul(x, x));
        }
    lane_store(job->least + j * LANE_WIDTH, lane_mul(square, lane_set(job->share * job->share)));
}

/* Computes s_j and its inverse, which is 0 if column j is dependent, so that later columns do not change. */
static void BATCH_FN(finish)(const mgs_batch_job *job, int64_t j)
{
    real square = BATCH_FN(square)(job, j);
    real_store(job->s + j * BATCH_REAL, LANE_WIDTH, square, LANE_WIDTH);
    if (j >= job->cols)
        return;
    lane_mask independent = lane_lt(lane_load(job->least + j * LANE_WIDTH), real_head(square));
    real inverse = real_inv(real_select(independent, square, real_set(1.0)));
    real_store(job->inverse + j * BATCH_REAL, LANE_WIDTH, real_select(independent, inverse, real_set(0.0)), LANE_WIDTH);
}

/* x_k = c_k,rhs - sum over j > k of c_kj x_j, in place. */
static void BATCH_FN(back)(const mgs_batch_job *job, int64_t rhs)
{
    for (int64_t k = job->cols - 2; k >= 0; k--) {
        num_acc x = num_acc_of(BATCH_LOAD(BATCH_C(k, rhs)));
        for (int64_t j = k + 1; j < job->cols; j++)
            x = num_acc_sub(x, BATCH_LOAD(BATCH_C(k, j)), BATCH_LOAD(BATCH_C(j, rhs)));
        BATCH_STORE(BATCH_C(k, rhs), num_acc_value(x));
    }
}

/* Columns of A or right-hand sides, this many of them from j on. */
static void BATCH_FN(orthogonalise)(const mgs_batch_job *job, int64_t j, int columns)
{
    const int64_t before = j < job->cols ? j : job->cols;
    for (int l = 0; l < columns && j + l < job->cols; l++)
        BATCH_FN(limit)(job, j + l);
#if PLUMB_LIMBS == 1
    BATCH_FN(take)(job, before, j);
    BATCH_FN(finish)(job, j);
#else
    BATCH_FN(take)(job, 0, before, j, columns);
    for (int l = 0; l < columns; l++) {
        BATCH_FN(finish)(job, j + l);
        if (j + l < job->cols)
            BATCH_FN(take)(job, j + l, j + l + 1, j + l + 1, columns - l - 1);
    }
#endif
}

static void BATCH_FN(load)(double *restrict to, const double *restrict from, int64_t next, int32_t count,
                           const double *factor, int64_t rows)
{
    const lane by = lane_get(factor, count);
    for (int64_t i = 0; i < rows; i += LANE_WIDTH) {
        const int some = rows - i < LANE_WIDTH ? (int)(rows - i) : LANE_WIDTH;
        lane a[LANE_WIDTH];
        LANE_UNROLL
        for (int l = 0; l < LANE_WIDTH; l++)
            a[l] = lane_get(from + (l < count ? l : 0) * next + i, some);
        lane_transpose(a);
        for (int l = 0; l < some; l++)
            lane_store(to + (i + l) * BATCH_NUM, lane_mul(a[l], by));
    }
}

static void BATCH_FN(solve)(const mgs_batch_job *given)
{
    const mgs_batch_job value = *given, *job = &value;
    for (int64_t j = 0; j < job->all; j += BATCH_COLUMNS) {
        const int64_t left = job->all - j;
        BATCH_FN(orthogonalise)(job, j, left < BATCH_COLUMNS ? (int)left : BATCH_COLUMNS);
    }
    for (int64_t r = job->cols; r < job->all; r++) {
        double *norm = job->s + r * BATCH_REAL;
        real_store(norm, LANE_WIDTH, real_sqrt(real_load(norm, LANE_WIDTH, LANE_WIDTH)), LANE_WIDTH);
        BATCH_FN(back)(job, r);
    }
}
