/* lu.c - A x = b by Gaussian elimination with partial pivoting, and an estimate of its error.
 *
 * Columns are scaled by powers of two, as everywhere, then rows: a pivot is chosen among entries of similar size, and no product
 * overflows. Row exchanges are made in the work array, right-hand sides included.
 *
 * The estimate needs no bound on the growth of entries: |x - exact| <= |A^-1| |b - A x|, and the residual is computed, with its own
 * rounding errors added. The norm of the inverse is estimated by a few solves with the factors, in double. */
#include <math.h>
#include <stdlib.h>

#include "backend/cpu/kernels.h"
#include "backend/cpu/lsq/inverse_norm.h"
#include "backend/cpu/lsq/lsq.h"
#include "backend/cpu/lsq/scaled.h"
#include "base/lsq_error.h"
#include "base/message.h"
#include "base/size.h"
#include "base/team.h"
#include "base/view.h"
#include "method/lsq/estimate.h"

typedef struct elimination {
    lu_job job;
    const lu_kernels *kernels;
    int32_t prec, parts, threads;
    struct team *team;                               /* or NULL */
    int32_t *a_exponent, *b_exponent, *row_exponent; /* of columns of A and b, of rows of A in the order given */
    int64_t *row_at;                                 /* row k of the work array is row row_at[k] of A */
    double *limit;                                   /* a pivot of column k must be larger than this */
    int rows_stay_scaled;                            /* for the estimate: invert D A, not A */
    double *vectors;                                 /* 4 n, for the estimate */
    plumb_view a, b, x, r;                           /* scaled by columns; r = b - A x */
    double *memory;
} elimination;

/* Plane c of entry (i, j) of the work array. */
static inline double *elimination_at(const elimination *e, int64_t c, int64_t i, int64_t j)
{
    return e->job.w + c * e->job.w_plane + i * e->job.ld + j;
}

/* ---- Factoring ------------------------------------------------------------------------------------------------------------ */

/* 0 when the sum or product does not fit. */
static int take(int64_t count, int64_t each, int64_t *total, int64_t *at)
{
    int64_t size;
    *at = *total;
    return size_mul(count, each, &size) && size_add(size, 7, &size) && size_add(*total, size / 8 * 8, total);
}

static plumb_view dense(const elimination *e, double *data, int64_t rows, int64_t cols)
{
    return (plumb_view){.data = data,
                        .rows = rows,
                        .cols = cols,
                        .batch = 1,
                        .plane = rows * cols,
                        .col = rows,
                        .next = rows * cols * e->prec * e->parts,
                        .prec = e->prec,
                        .parts = e->parts};
}

static plumb_status create(const machine *m, const plumb_view *a, int64_t rhs, elimination *e)
{
    int64_t n = a->cols, planes = view_planes(a), all, ld, total = 0, at[11], w_plane, a_size, b_size;
    *e = (elimination){.prec = a->prec, .parts = a->parts, .threads = m->threads, .team = m->team};
    e->kernels = m->isa->prec[a->prec]->lu[a->parts];
    int fits = size_add(n, rhs, &all) && size_add(all, LU_OVERHANG, &ld) && size_mul(n, ld, &w_plane) &&
               size_mul(n, n, &a_size) && size_mul(n, rhs, &b_size) && take(w_plane, planes, &total, &at[0]) &&
               take(n, planes, &total, &at[1]) && take(a_size, planes, &total, &at[2]) &&
               take(b_size, planes, &total, &at[3]) && take(b_size, planes, &total, &at[4]) &&
               take(b_size, planes, &total, &at[5]) && take(n, 4, &total, &at[6]) && take(n, 1, &total, &at[7]) &&
               take(n, 1, &total, &at[8]) && take(n, 2, &total, &at[9]) && take(rhs, 1, &total, &at[10]) &&
               total < INT64_MAX / 8;
    if (!fits)
        return plumb_say(PLUMB_ERR_SIZE, m->message, m->message_size,
                         "a work array for %lld x %lld does not fit in memory", (long long)n, (long long)n);
    e->memory = calloc((size_t)total, sizeof(double));
    if (!e->memory)
        return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "no memory for a work array of %lld bytes",
                         (long long)total * 8);
    e->job = (lu_job){.w = e->memory + at[0],
                      .inverse = e->memory + at[1],
                      .w_plane = w_plane,
                      .inverse_plane = n,
                      .ld = ld,
                      .n = n,
                      .all = all};
    e->a = dense(e, e->memory + at[2], n, n);
    e->b = dense(e, e->memory + at[3], n, rhs);
    e->x = dense(e, e->memory + at[4], n, rhs);
    e->r = dense(e, e->memory + at[5], n, rhs);
    e->vectors = e->memory + at[6];
    e->limit = e->memory + at[7];
    e->row_at = (int64_t *)(void *)(e->memory + at[8]);
    e->a_exponent = (int32_t *)(void *)(e->memory + at[9]);
    e->row_exponent = e->a_exponent + n;
    e->b_exponent = (int32_t *)(void *)(e->memory + at[10]);
    return PLUMB_OK;
}

/* |re| + |im| of the leading limbs. */
static double size_at(const elimination *e, int64_t i, int64_t j)
{
    double re = fabs(*elimination_at(e, 0, i, j));
    return e->parts == PLUMB_REAL ? re : re + fabs(*elimination_at(e, e->prec, i, j));
}

/* Fills the work array from the scaled columns, with rows scaled as well; and sets the limits of pivots. */
static void fill(elimination *e)
{
    const lu_job *job = &e->job;
    double share = (double)job->n * precision_unit(e->prec);
    for (int64_t i = 0; i < job->n; i++) {
        double largest = 0.0, down, again;
        int power = 0;
        for (int32_t part = 0; part < e->parts; part++)
            for (int64_t j = 0; j < job->n; j++)
                largest = fmax(largest, fabs(e->a.data[part * e->prec * e->a.plane + j * e->a.col + i]));
        frexp(largest, &power);
        down = ldexp(1.0, -power / 2), again = ldexp(1.0, -power - (-power / 2));
        e->row_exponent[i] = power;
        e->row_at[i] = i;
        for (int32_t c = 0; c < e->prec * e->parts; c++)
            for (int64_t j = 0; j < job->all; j++) {
                const plumb_view *from = j < job->n ? &e->a : &e->b;
                int64_t column = j < job->n ? j : j - job->n;
                *elimination_at(e, c, i, j) = from->data[c * from->plane + column * from->col + i] * down * again;
            }
        for (int64_t j = 0; j < job->n; j++)
            e->limit[j] = fmax(e->limit[j], size_at(e, i, j) * share);
    }
}

static void exchange_rows(elimination *e, int64_t i, int64_t k)
{
    for (int32_t c = 0; c < e->prec * e->parts; c++)
        for (int64_t j = 0; j < e->job.all; j++) {
            double *p = elimination_at(e, c, i, j), *q = elimination_at(e, c, k, j), t = *p;
            *p = *q, *q = t;
        }
    int64_t row = e->row_at[i];
    e->row_at[i] = e->row_at[k], e->row_at[k] = row;
}

/* Rows are shared among threads: each is changed by one of them. */
typedef struct elimination_share {
    const elimination *e;
    int64_t k;
} elimination_share;

static void eliminate_rows(void *data, team *t, int32_t index, int32_t threads)
{
    const elimination_share *s = data;
    const lu_job *job = &s->e->job;
    int64_t end, i = team_share(job->n - s->k - 1, index, threads, &end);
    (void)t;
    for (; i < end; i++)
        s->e->kernels->eliminate(job, s->k, s->k + 1 + i, s->k + 2 + i);
}

static void eliminate(const elimination *e, int64_t k)
{
    const lu_job *job = &e->job;
    const int64_t worth = 4096, left = job->n - k - 1;
    if (e->threads <= 1 || left * (job->all - k) / e->threads < worth) {
        e->kernels->eliminate(job, k, k + 1, job->n);
        return;
    }
    elimination_share share = {e, k};
    team_run(e->team, e->threads, eliminate_rows, &share);
}

static plumb_info factor(elimination *e)
{
    for (int64_t k = 0; k < e->job.n; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < e->job.n; i++)
            if (size_at(e, i, k) > size_at(e, best, k))
                best = i;
        if (!(size_at(e, best, k) > e->limit[k]))
            return k + 1;
        if (best != k)
            exchange_rows(e, best, k);
        e->kernels->invert(&e->job, k);
        eliminate(e, k);
    }
    return 0;
}

static void take_solution(const elimination *e)
{
    for (int32_t c = 0; c < e->prec * e->parts; c++)
        for (int64_t j = 0; j < e->x.cols; j++)
            for (int64_t i = 0; i < e->job.n; i++)
                e->x.data[c * e->x.plane + j * e->x.col + i] = *elimination_at(e, c, i, e->job.n + j);
}

/* ---- The estimate -------------------------------------------------------------------------------------------------------- */

/* Row i of the work array in double: leading limbs, and the imaginary ones or NULL. */
static const double *row_re(const elimination *e, int64_t i)
{
    return elimination_at(e, 0, i, 0);
}
static const double *row_im(const elimination *e, int64_t i)
{
    return e->parts == PLUMB_COMPLEX ? elimination_at(e, e->prec, i, 0) : NULL;
}

/* v_i -= sum of w_ij v_j over first <= j < last. */
static void gather(const elimination *e, int64_t i, int64_t first, int64_t last, double *re, double *im)
{
    const double *a = row_re(e, i), *b = row_im(e, i);
    double x = re[i], y = im[i];
    for (int64_t j = first; j < last; j++)
        x -= a[j] * re[j], y -= a[j] * im[j];
    for (int64_t j = first; b && j < last; j++)
        x += b[j] * im[j], y -= b[j] * re[j];
    re[i] = x, im[i] = y;
}

/* v_j -= conj(w_ij) v_i for first <= j < last. */
static void scatter(const elimination *e, int64_t i, int64_t first, int64_t last, double *re, double *im)
{
    const double *a = row_re(e, i), *b = row_im(e, i);
    double x = re[i], y = im[i];
    for (int64_t j = first; j < last; j++)
        re[j] -= a[j] * x, im[j] -= a[j] * y;
    for (int64_t j = first; b && j < last; j++)
        re[j] -= b[j] * y, im[j] += b[j] * x;
}

/* v[k] /= w_kk, or its conjugate, by the stored inverse. */
static void divide(const elimination *e, int64_t k, int conjugate, double *re, double *im)
{
    const double *inverse = e->job.inverse + k;
    double a = inverse[0], b = e->parts == PLUMB_COMPLEX ? inverse[e->prec * e->job.inverse_plane] : 0.0, x = re[k];
    if (conjugate)
        b = -b;
    re[k] = a * x - b * im[k];
    im[k] = a * im[k] + b * x;
}

/* v[row] 2^-exponent of the row, or v[row] itself when it is the matrix with scaled rows that is inverted. */
static double scale_row(const elimination *e, double value, int64_t row)
{
    return e->rows_stay_scaled ? value : ldexp(value, -e->row_exponent[row]);
}

/* With rows exchanged and scaled P D A = L U: A^-1 v = U^-1 L^-1 P D v and A^-H v = D P^T L^-H U^-H v. In double. */
static void apply_inverse(const void *data, int adjoint, double *re, double *im)
{
    const elimination *e = data;
    int64_t n = e->job.n;
    double *x = e->vectors + 2 * n, *y = e->vectors + 3 * n;
    for (int64_t k = 0; k < n; k++) {
        int64_t row = e->row_at[k];
        x[k] = adjoint ? re[k] : scale_row(e, re[row], row);
        y[k] = adjoint ? im[k] : scale_row(e, im[row], row);
    }
    if (adjoint) {
        for (int64_t k = 0; k < n; k++) {
            divide(e, k, 1, x, y);
            scatter(e, k, k + 1, n, x, y);
        }
        for (int64_t k = n - 1; k > 0; k--)
            scatter(e, k, 0, k, x, y);
    } else {
        for (int64_t k = 1; k < n; k++)
            gather(e, k, 0, k, x, y);
        for (int64_t k = n - 1; k >= 0; k--) {
            gather(e, k, k + 1, n, x, y);
            divide(e, k, 0, x, y);
        }
    }
    for (int64_t k = 0; k < n; k++) {
        int64_t row = e->row_at[k];
        re[adjoint ? row : k] = adjoint ? scale_row(e, x[k], row) : x[k];
        im[adjoint ? row : k] = adjoint ? scale_row(e, y[k], row) : y[k];
    }
}

/* The 1-norm of column j of D times a view, or of the view itself; both parts of a number count. */
static double column_sum(const elimination *e, const plumb_view *view, int64_t j)
{
    double sum = 0.0;
    for (int32_t part = 0; part < e->parts; part++)
        for (int64_t i = 0; i < view->rows; i++) {
            double size = fabs(view->data[part * e->prec * view->plane + j * view->col + i]);
            sum += e->rows_stay_scaled ? ldexp(size, -e->row_exponent[i]) : size;
        }
    return sum;
}

static void estimate_inverse(elimination *e, int rows_stay_scaled, double *norm, double *inverse)
{
    const double caution = 3.0; /* the estimator is rarely below a third of the truth */
    e->rows_stay_scaled = rows_stay_scaled;
    *inverse = caution * plumb_inverse_norm(e->job.n, apply_inverse, e, e->vectors);
    *norm = 0.0;
    for (int64_t j = 0; j < e->job.n; j++)
        *norm = fmax(*norm, column_sum(e, &e->a, j));
}

static int rows_differ(const elimination *e)
{
    int32_t low = e->row_exponent[0], high = low;
    for (int64_t i = 1; i < e->job.n; i++) {
        low = e->row_exponent[i] < low ? e->row_exponent[i] : low;
        high = e->row_exponent[i] > high ? e->row_exponent[i] : high;
    }
    return high - low > 3;
}

/* The condition is that of A with its columns scaled. Where rows differ much in size the error is bounded with them
 * scaled too: the same bound for multiples of the equations, |x - exact| <= |(D A)^-1| |D (b - A x)|, which does not
 * depend on the sizes of the rows. */
static void estimate(elimination *e, plumb_lsq_report *report)
{
    double worst = 0.0, norm, inverse;
    double unit = precision_unit(e->prec) * precision_slack(e->prec) * sqrt((double)e->job.n);
    estimate_inverse(e, 0, &norm, &inverse);
    report->condition = norm * inverse;
    if (rows_differ(e))
        estimate_inverse(e, 1, &norm, &inverse);
    for (int64_t j = 0; j < e->x.cols; j++) {
        double rounding = unit * (norm * lsq_scaled_sum(&e->x, j) + column_sum(e, &e->b, j));
        double error = inverse * (column_sum(e, &e->r, j) + rounding) * lsq_amplify(&e->x, j, e->a_exponent);
        worst = isnan(error) ? (double)INFINITY : fmax(worst, error);
    }
    report->digits = lsq_digits(e->prec, worst);
}

plumb_status lsq_lu(machine *m, const lsq_call *call, plumb_info *info)
{
    elimination e;
    plumb_status status = create(m, call->a, call->b->cols, &e);
    if (status != PLUMB_OK)
        return status;
    *info = lsq_scaled_load(call->a, &e.a, e.a_exponent);
    if (*info == 0)
        *info = lsq_scaled_load(call->b, &e.b, e.b_exponent);
    if (*info == 0) {
        fill(&e);
        *info = factor(&e);
    }
    if (*info == 0) {
        e.kernels->back(&e.job);
        take_solution(&e);
        if (call->report || call->residual)
            lsq_scaled_residual(m, &e.a, &e.x, &e.b, &e.r);
        if (call->report) {
            call->report->method = PLUMB_METHOD_LU;
            call->report->factor_prec = call->a->prec;
            call->report->rank = call->a->cols;
            estimate(&e, call->report);
        }
        *info = lsq_scaled_store(&e.x, call->x, e.a_exponent, e.b_exponent);
    }
    if (call->residual && *info == 0) {
        lsq_scaled_norms(m, &e.r, call->residual);
        /* A norm beyond the largest double is out of range like an entry of x. */
        *info = lsq_scaled_store(call->residual, call->residual, NULL, e.b_exponent);
    }
    free(e.memory);
    return PLUMB_OK;
}
