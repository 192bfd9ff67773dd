/* lu.c - A x = b by Gaussian elimination with partial pivoting, and an estimate of its error.
 *
 * Columns are scaled by powers of two, as everywhere, then rows: a pivot is chosen among entries of similar size, and no product
 * overflows. Both powers are applied at once, because a small row of a column that was scaled alone would lose its last limbs. Row
 * exchanges are made in the work array, right-hand sides included.
 *
 * The estimate needs no bound on the growth of entries: |x - exact| <= |A^-1| f entry by entry, where f is the computed residual
 * |b - A x| plus a bound of its own rounding errors (Higham, Accuracy and Stability of Numerical Algorithms, 7.4). The largest entry of
 * |A^-1| f is the norm of A^-1 diag(f), which is estimated by a few solves with the factors, in double. Where the factors are noise
 * nothing can be said. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "backend/cpu/kernels.h"
#include "backend/cpu/lsq/inverse_norm.h"
#include "backend/cpu/lsq/lsq.h"
#include "backend/cpu/lsq/scaled.h"
#include "base/array/view.h"
#include "base/call/message.h"
#include "base/memory/size.h"
#include "base/number/modulus.h"
#include "base/os/team.h"
#include "method/lsq/error.h"
#include "method/lsq/estimate.h"

typedef struct elimination {
    lu_job job;
    const lu_kernels *kernels;
    int32_t prec, parts, threads;
    struct team *team;                               /* or NULL */
    int32_t *a_exponent, *b_exponent, *row_exponent; /* of columns of A and b, of rows of A in the order given */
    int64_t *row_at;                                 /* row k of the work array is row row_at[k] of A */
    double *limit;                                   /* a pivot of column k must be larger than this */
    double *vectors;                                 /* 4 n, for the estimate */
    double *left, *right;                            /* n each: the estimate is for diag(left) A^-1 diag(right) */
    plumb_view a, b, x, r;                           /* scaled by columns and rows; r = b - A x */
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
               take(b_size, planes, &total, &at[5]) && take(n, 6, &total, &at[6]) && take(n, 1, &total, &at[7]) &&
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
    e->left = e->vectors + 4 * n;
    e->right = e->left + n;
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

/* Fills the work array from the scaled matrices, and sets the limits of pivots. */
static void fill(elimination *e)
{
    const lu_job *job = &e->job;
    double share = (double)job->n * precision_unit(e->prec);
    for (int64_t i = 0; i < job->n; i++) {
        e->row_at[i] = i;
        for (int32_t c = 0; c < e->prec * e->parts; c++)
            for (int64_t j = 0; j < job->all; j++) {
                const plumb_view *from = j < job->n ? &e->a : &e->b;
                int64_t column = j < job->n ? j : j - job->n;
                *elimination_at(e, c, i, j) = from->data[c * from->plane + column * from->col + i];
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

/* The sum of a_j v_j over first <= j < last, in four sums that do not wait for one another. */
static double dot(const double *a, const double *v, int64_t first, int64_t last)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t j = first;
    for (; j + 4 <= last; j += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += a[j + k] * v[j + k];
    for (; j < last; j++)
        sum[0] += a[j] * v[j];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* v_i -= sum of w_ij v_j over first <= j < last. Imaginary parts are zero where the matrix is real, and stay so. */
static void gather(const elimination *e, int64_t i, int64_t first, int64_t last, double *re, double *im)
{
    const double *a = row_re(e, i), *b = row_im(e, i);
    re[i] -= dot(a, re, first, last);
    if (!b)
        return;
    re[i] += dot(b, im, first, last);
    im[i] -= dot(a, im, first, last) + dot(b, re, first, last);
}

/* v_j -= conj(w_ij) v_i for first <= j < last. */
static void scatter(const elimination *e, int64_t i, int64_t first, int64_t last, double *re, double *im)
{
    const double *a = row_re(e, i), *b = row_im(e, i);
    const double x = re[i], y = im[i];
    for (int64_t j = first; j < last; j++)
        re[j] -= a[j] * x;
    for (int64_t j = first; b && j < last; j++) {
        re[j] -= b[j] * y;
        im[j] += b[j] * x - a[j] * y;
    }
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

/* With rows exchanged P A = L U: A^-1 v = U^-1 L^-1 P v and A^-H v = P^T L^-H U^-H v. In double. */
static void apply_inverse(const elimination *e, int adjoint, double *re, double *im)
{
    int64_t n = e->job.n;
    double *x = e->vectors + 2 * n, *y = e->vectors + 3 * n;
    for (int64_t k = 0; k < n; k++) {
        int64_t row = e->row_at[k];
        x[k] = adjoint ? re[k] : re[row];
        y[k] = adjoint ? im[k] : im[row];
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
        re[adjoint ? row : k] = x[k];
        im[adjoint ? row : k] = y[k];
    }
}

static void multiply(int64_t n, const double *by, double *re, double *im)
{
    for (int64_t k = 0; k < n; k++)
        re[k] *= by[k], im[k] *= by[k];
}

/* The operator of which inverse_norm estimates the 1-norm: the adjoint of diag(left) A^-1 diag(right), whose largest row sum is
 * wanted. */
static void apply_weighted(const void *data, int adjoint, double *re, double *im)
{
    const elimination *e = data;
    multiply(e->job.n, adjoint ? e->right : e->left, re, im);
    apply_inverse(e, !adjoint, re, im);
    multiply(e->job.n, adjoint ? e->left : e->right, re, im);
}

/* The largest row sum of diag(left) |A^-1| diag(right). */
static double weighted_norm(const elimination *e)
{
    const double caution = 2.0; /* the estimator is rarely below half of the truth */
    return caution * plumb_inverse_norm(e->job.n, apply_weighted, e, e->vectors);
}

static double modulus(const elimination *e, const plumb_view *view, int64_t i, int64_t j)
{
    const double *entry = view->data + j * view->col + i;
    return e->parts == PLUMB_REAL ? fabs(entry[0]) : plumb_modulus(entry[0], entry[e->prec * view->plane]);
}

/* Of the scaled matrix and its factors. */
typedef struct matrix_sizes {
    double largest, unscaled; /* row sums of moduli: the largest, and without the scaling of the rows */
    double growth;            /* the largest entry of U */
    bool differ;              /* the scaling of rows changes much */
} matrix_sizes;

static matrix_sizes measure(elimination *e)
{
    matrix_sizes sizes = {.differ = false};
    double *sum = e->vectors;
    for (int64_t i = 0; i < e->job.n; i++)
        sum[i] = 0.0;
    for (int64_t j = 0; j < e->job.n; j++)
        for (int64_t i = 0; i < e->job.n; i++)
            sum[i] += modulus(e, &e->a, i, j);
    for (int64_t i = 0; i < e->job.n; i++) {
        sizes.largest = fmax(sizes.largest, sum[i]);
        sizes.unscaled = fmax(sizes.unscaled, ldexp(sum[i], e->row_exponent[i]));
        sizes.differ = sizes.differ || e->row_exponent[i] < -3;
        for (int64_t j = i; j < e->job.n; j++)
            sizes.growth = fmax(sizes.growth, size_at(e, i, j));
    }
    return sizes;
}

/* The condition number of A with its columns scaled: row sums of |A| and of its inverse, without the scaling of the rows. */
static double find_condition(elimination *e, const matrix_sizes *sizes)
{
    for (int64_t i = 0; i < e->job.n; i++) {
        e->left[i] = 1.0;
        e->right[i] = ldexp(1.0, -e->row_exponent[i]);
    }
    const double condition = sizes->unscaled * weighted_norm(e);
    return condition <= DBL_MAX ? condition : (double)INFINITY;
}

/* The relative error of the factors as far as it matters: u times the growth of entries times the condition number of the scaled
 * matrix. */
static double find_noise(elimination *e, const matrix_sizes *sizes, double condition)
{
    for (int64_t i = 0; i < e->job.n; i++)
        e->left[i] = e->right[i] = 1.0;
    return precision_slack(e->prec) * precision_unit(e->prec) * fmax(sizes->growth, 1.0) *
           (sizes->differ ? sizes->largest * weighted_norm(e) : condition);
}

/* 2^-1075 in the scaling of an entry that may have been rounded to that: one that is too small for all its limbs, unless those
 * that it has are plainly not all used. */
static double cut_of(const elimination *e, const plumb_view *view, int64_t i, int64_t j, int32_t scaled_by)
{
    double cut = 0.0;
    for (int32_t part = 0; part < e->parts; part++) {
        const double *entry = view->data + part * e->prec * view->plane + j * view->col + i;
        int exponent = 0;
        if (entry[0] == 0.0 || (scaled_by > -500 && fabs(entry[0]) > 0x1p-200)) /* zero, or plainly large enough */
            continue;
        frexp(entry[0], &exponent);
        exponent += scaled_by;
        const bool short_one = e->prec > PLUMB_D && entry[view->plane] == 0.0;
        if (exponent <= DBL_MIN_EXP + (short_one ? 0 : DBL_MANT_DIG * (e->prec - 1)))
            cut += ldexp(1.0, DBL_MIN_EXP - DBL_MANT_DIG - 1 - scaled_by);
    }
    return cut;
}

/* Raises right to the largest residual that x may have, relative to the largest entry of x (unscaled, over 2^scale). */
static void bound_residual(elimination *e, int64_t j, int32_t scale)
{
    const double unit = precision_unit(e->prec) * lsq_roundings(e->job.n);
    const double least = 0x1p-1074; /* scaled entries of a row may be as far apart as doubles can be */
    double largest = 0.0, *x = e->vectors;
    for (int64_t k = 0; k < e->job.n; k++) {
        x[k] = modulus(e, &e->x, k, j);
        largest = fmax(largest, ldexp(x[k], -e->a_exponent[k] - scale));
    }
    for (int64_t i = 0; i < e->job.n; i++) {
        double terms = modulus(e, &e->b, i, j),
               cut = least + cut_of(e, &e->b, i, j, e->b_exponent[j] + e->row_exponent[i]);
        for (int64_t k = 0; k < e->job.n; k++) {
            const int32_t scaled_by = e->a_exponent[k] + e->row_exponent[i];
            const double size = modulus(e, &e->a, i, k);
            const bool large = e->parts == PLUMB_REAL && size > 0x1p-200 && scaled_by > -500; /* as most entries are */
            terms += size * x[k];
            cut += (least + (large ? 0.0 : cut_of(e, &e->a, i, k, scaled_by))) * x[k];
        }
        const double bound = modulus(e, &e->r, i, j) + unit * terms + cut;
        const double share = bound > 0.0 ? bound / largest : 0.0; /* infinite if x has become zero */
        e->right[i] = share >= e->right[i] ? share : isnan(share) ? (double)INFINITY : e->right[i];
    }
}

static void estimate(elimination *e, plumb_lsq_report *report)
{
    const double most_noise = 0.1;
    int32_t scale = INT32_MIN;
    double cut = 0.0;
    const matrix_sizes sizes = measure(e);
    report->condition = find_condition(e, &sizes);
    report->digits = 0.0;
    if (!(find_noise(e, &sizes, report->condition) <= most_noise))
        return;
    for (int64_t k = 0; k < e->job.n; k++)
        scale = -e->a_exponent[k] > scale ? -e->a_exponent[k] : scale;
    for (int64_t k = 0; k < e->job.n; k++) {
        e->left[k] = ldexp(1.0, -e->a_exponent[k] - scale);
        e->right[k] = 0.0;
    }
    for (int64_t j = 0; j < e->x.cols; j++) {
        double largest = 0.0;
        if (lsq_scaled_sum(&e->b, j) == 0.0) /* and x is zero, exactly */
            continue;
        bound_residual(e, j, scale);
        for (int64_t k = 0; k < e->job.n; k++)
            largest = fmax(largest, ldexp(modulus(e, &e->x, k, j), -e->a_exponent[k] + e->b_exponent[j]));
        cut = fmax(cut, 0x1p-1073 / largest); /* x itself is rounded where it is below the normal doubles */
    }
    report->digits = lsq_digits(e->prec, weighted_norm(e) + cut);
}

plumb_status lsq_lu(machine *m, const lsq_call *call, plumb_info *info)
{
    elimination e;
    plumb_status status = create(m, call->a, call->b->cols, &e);
    if (status != PLUMB_OK)
        return status;
    *info = lsq_scaled_load_rows(call->a, &e.a, e.a_exponent, e.row_exponent, true);
    if (*info == 0)
        *info = lsq_scaled_load_rows(call->b, &e.b, e.b_exponent, e.row_exponent, false);
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
        lsq_scaled_back(&e.r, e.row_exponent, e.b_exponent);
        lsq_scaled_norms(m, &e.r, call->residual);
        /* A norm beyond the largest double is out of range like an entry of x. */
        *info = lsq_scaled_store(call->residual, call->residual, NULL, e.b_exponent);
    }
    free(e.memory);
    return PLUMB_OK;
}
