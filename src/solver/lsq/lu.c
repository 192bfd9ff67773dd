/* lu.c - A x = b by Gaussian elimination with partial pivoting.
 *
 * Columns are scaled by powers of two as everywhere, then rows: a pivot is chosen among entries of like size, and no product
 * overflows. Row exchanges are made in the work array, right-hand sides included. */
#include <math.h>
#include <stdlib.h>

#include "backend/cpu/kernels.h"
#include "base/message.h"
#include "base/size.h"
#include "base/view.h"
#include "solver/lsq/check.h"
#include "solver/lsq/elimination.h"
#include "solver/lsq/methods.h"
#include "solver/lsq/scaled.h"
#include "solver/lsq/work.h"

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

static plumb_status create(plumb_context *context, const plumb_view *a, int64_t rhs, elimination *e)
{
    int64_t n = a->cols, planes = view_planes(a), all, ld, total = 0, at[11], w_plane, a_size, b_size;
    *e = (elimination){.prec = a->prec, .parts = a->parts, .threads = context->cpu.threads};
    e->kernels = context->cpu.isa->prec[a->prec]->lu[a->parts];
    int fits = size_add(n, rhs, &all) && size_add(all, LU_OVERHANG, &ld) && size_mul(n, ld, &w_plane) &&
               size_mul(n, n, &a_size) && size_mul(n, rhs, &b_size) && take(w_plane, planes, &total, &at[0]) &&
               take(n, planes, &total, &at[1]) && take(a_size, planes, &total, &at[2]) &&
               take(b_size, planes, &total, &at[3]) && take(b_size, planes, &total, &at[4]) &&
               take(b_size, planes, &total, &at[5]) && take(n, 4, &total, &at[6]) && take(n, 1, &total, &at[7]) &&
               take(n, 1, &total, &at[8]) && take(n, 2, &total, &at[9]) && take(rhs, 1, &total, &at[10]) &&
               total < INT64_MAX / 8;
    if (!fits)
        return plumb_say(PLUMB_ERR_SIZE, context->message, sizeof context->message,
                         "a work array for %lld x %lld does not fit in memory", (long long)n, (long long)n);
    e->memory = calloc((size_t)total, sizeof(double));
    if (!e->memory)
        return plumb_say(PLUMB_ERR_MEMORY, context->message, sizeof context->message, "out of memory: %lld bytes",
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

/* The work array out of the scaled columns, rows scaled too; and how small a pivot may be. */
static void fill(elimination *e)
{
    const lu_job *job = &e->job;
    double share = (double)job->n * lsq_unit(e->prec);
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
static void eliminate(const elimination *e, int64_t k)
{
    const lu_job *job = &e->job;
    const int64_t worth = 4096, left = job->n - k - 1;
    if (e->threads <= 1 || left * (job->all - k) / e->threads < worth) {
        e->kernels->eliminate(job, k, k + 1, job->n);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(e->threads)
    for (int64_t i = k + 1; i < job->n; i++)
        e->kernels->eliminate(job, k, i, i + 1);
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

plumb_status lsq_lu(plumb_context *context, const plumb_view *a, const plumb_view *b, const plumb_view *x,
                    const plumb_view *residual, plumb_info *info, plumb_lsq_report *report)
{
    elimination e;
    if (a->rows != a->cols)
        return plumb_say(PLUMB_ERR_ARGUMENT, context->message, sizeof context->message,
                         "Gaussian elimination needs a square matrix, a is %lld x %lld", (long long)a->rows,
                         (long long)a->cols);
    plumb_status status = create(context, a, b->cols, &e);
    if (status != PLUMB_OK)
        return status;
    *info = lsq_scaled_load(a, &e.a, e.a_exponent, "a", context->message, sizeof context->message);
    if (*info == 0)
        *info = lsq_scaled_load(b, &e.b, e.b_exponent, "b", context->message, sizeof context->message);
    if (*info == 0) {
        fill(&e);
        *info = factor(&e);
    }
    if (*info == 0) {
        e.kernels->back(&e.job);
        take_solution(&e);
        lsq_scaled_residual(context, &e.a, &e.x, &e.b, &e.r);
        report->method = PLUMB_METHOD_LU;
        report->factor_prec = a->prec;
        report->backend = PLUMB_BACKEND_CPU;
        report->rank = a->cols;
        elimination_estimate(&e, report);
        *info = lsq_scaled_store(&e.x, x, e.a_exponent, e.b_exponent);
    }
    if (*info != 0)
        lsq_clear(x);
    if (residual && *info != 0)
        lsq_clear(residual);
    if (residual && *info == 0) {
        lsq_scaled_norms(context, &e.r, residual);
        /* A norm beyond the largest double is out of range like an entry of x. */
        *info = lsq_scaled_store(residual, residual, NULL, e.b_exponent);
    }
    free(e.memory);
    return PLUMB_OK;
}
