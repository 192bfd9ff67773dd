/* least_norm.c - see least_norm.h.
 *
 * With A^H = Q R, A x = b has the solution x = Q R^-H b of least norm. Modified Gram-Schmidt loses the orthogonality of Q in proportion
 * to the condition number, and then b - A x is larger than rounding; corrections Q R^-H (b - A x) make up for that. They lie in the
 * space of Q as well, so that the norm stays the least. Corrections end when they are as small as rounding, or no longer shrink.
 *
 * What is left is the rounding of b - A x, an error of a few units of |b| + |A| |x|, and that of Q, a few units times the condition number;
 * both enter x with the condition number of A, whose rows may be scaled in any way. The claim is ten times that, or the size of the
 * last correction if that is larger.
 *
 * Everything is done on the host; the decomposition itself may go to a GPU. */
#include "solver/lsq/least_norm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/number/precision.h"
#include "method/lsq/error.h"
#include "solver/lsq/check.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

enum { MOST_CORRECTIONS = 8 };

typedef struct least_norm {
    plumb_context *context;
    plumb_view a, b, at, q, r, x, rest, y, step; /* on the host; at is A^H, rest is b - A x, step a correction */
    plumb_view norms, squares;
} least_norm;

enum { VIEWS = 11 };
static plumb_view *view_of(least_norm *s, int k)
{
    plumb_view *const all[VIEWS] = {&s->a,    &s->b, &s->at,   &s->q,     &s->r,      &s->x,
                                    &s->rest, &s->y, &s->step, &s->norms, &s->squares};
    return all[k];
}

static plumb_status create(least_norm *s, const lsq_call *call)
{
    const plumb_view *a = call->a, *b = call->b;
    const int64_t m = a->rows, n = a->cols, p = b->cols;
    const int64_t shape[VIEWS][2] = {{m, n}, {m, p}, {n, m}, {n, m}, {m, m}, {n, p},
                                     {m, p}, {m, p}, {n, p}, {1, p}, {1, p}};
    plumb_status status = PLUMB_OK;
    for (int k = 0; k < VIEWS && status == PLUMB_OK; k++)
        status = plumb_array_create(s->context, PLUMB_HOST, a->prec, view_of(s, k) == &s->norms ? PLUMB_REAL : a->parts,
                                    shape[k][0], shape[k][1], 1, view_of(s, k));
    if (status == PLUMB_OK)
        status = plumb_copy(s->context, a, &s->a, call->options->stream);
    if (status == PLUMB_OK)
        status = plumb_copy(s->context, b, &s->b, call->options->stream);
    return status;
}

/* A^H. */
static void adjoin(const plumb_view *a, const plumb_view *to)
{
    for (int64_t c = 0; c < view_planes(a); c++)
        for (int64_t j = 0; j < a->cols; j++)
            for (int64_t i = 0; i < a->rows; i++) {
                const double x = a->data[c * a->plane + j * a->col + i];
                to->data[c * to->plane + i * to->col + j] = c >= a->prec ? 0.0 - x : x;
            }
}

static double largest(const plumb_view *v, int64_t j)
{
    double most = 0.0;
    for (int32_t part = 0; part < v->parts; part++)
        for (int64_t i = 0; i < v->rows; i++) {
            const double x = fabs(v->data[part * v->prec * v->plane + j * v->col + i]);
            most = x > most || isnan(x) ? x : most;
        }
    return most;
}

/* C = alpha op(A) B + beta C; alpha and beta are 1, -1 or 0. */
static plumb_status product(least_norm *s, double alpha, const plumb_view *a, const plumb_view *b, double beta,
                            plumb_view *c)
{
    const double by[PLUMB_COMPLEX * PLUMB_QD] = {alpha}, keep[PLUMB_COMPLEX * PLUMB_QD] = {beta};
    plumb_gemm_options options;
    plumb_gemm_options_init(&options);
    options.alpha = by;
    options.beta = beta != 0.0 ? keep : NULL;
    return plumb_gemm(s->context, a, b, c, &options, NULL);
}

/* step = Q R^-H rest */
static plumb_status correct(least_norm *s)
{
    plumb_triangle_options options;
    plumb_triangle_options_init(&options);
    options.triangle = PLUMB_UPPER, options.of_t = PLUMB_OPERAND_ADJOINT;
    plumb_status status = plumb_copy(s->context, &s->rest, &s->y, NULL);
    if (status == PLUMB_OK)
        status = plumb_trsm(s->context, &s->r, &s->y, &options);
    return status == PLUMB_OK ? product(s, 1.0, &s->q, &s->y, 0.0, &s->step) : status;
}

/* rest = b - A x */
static plumb_status find_rest(least_norm *s)
{
    plumb_status status = plumb_copy(s->context, &s->b, &s->rest, NULL);
    return status == PLUMB_OK ? product(s, -1.0, &s->a, &s->x, 1.0, &s->rest) : status;
}

/* Solves, and corrects as long as that helps. *left: the size of the last correction that was found, relative to the largest entry of its
 * column; the largest of all columns. */
static plumb_status solve(least_norm *s, double *left, int32_t *steps)
{
    const double enough = 2.0 * precision_unit(s->x.prec);
    plumb_status status = plumb_copy(s->context, &s->b, &s->rest, NULL);
    if (status == PLUMB_OK)
        status = correct(s);
    if (status == PLUMB_OK)
        status = plumb_copy(s->context, &s->step, &s->x, NULL);
    *left = INFINITY;
    for (*steps = 0; *steps < MOST_CORRECTIONS && status == PLUMB_OK && *left > enough; (*steps)++) {
        status = find_rest(s);
        if (status == PLUMB_OK)
            status = correct(s);
        double size = 0.0;
        for (int64_t j = 0; j < s->x.cols && status == PLUMB_OK; j++) {
            const double own = largest(&s->x, j), change = largest(&s->step, j);
            const double share = change == 0.0 ? 0.0 : change / own;
            size = share > size || isnan(share) ? share : size;
        }
        if (status != PLUMB_OK || !(size < *left / 2.0)) { /* this one would not improve x */
            *left = isnan(size) ? INFINITY : *left;
            break;
        }
        *left = size;
        status = plumb_map(s->context, PLUMB_OP_ADD, &s->x, &s->step, NULL, &s->x, NULL);
    }
    return status;
}

/* The norms of the columns of rest. */
static plumb_status find_norms(least_norm *s)
{
    plumb_status status = find_rest(s);
    for (int64_t j = 0; j < s->rest.cols && status == PLUMB_OK; j++) { /* scaled, so that squares are in range */
        const double most = largest(&s->rest, j);
        int e = 0;
        if (most > 0.0 && isfinite(most))
            (void)frexp(most, &e);
        plumb_view column = s->rest, square = s->squares, norm = s->norms;
        column.data += j * column.col, square.data += j * square.col, norm.data += j * norm.col;
        column.cols = square.cols = norm.cols = 1;
        for (int64_t c = 0; c < view_planes(&column); c++)
            for (int64_t i = 0; i < column.rows; i++)
                column.data[c * column.plane + i] = ldexp(column.data[c * column.plane + i], -e);
        plumb_gemm_options options;
        plumb_gemm_options_init(&options);
        options.of_a = PLUMB_OPERAND_ADJOINT;
        status = plumb_gemm(s->context, &column, &column, &square, &options, NULL);
        square.parts = PLUMB_REAL;
        if (status == PLUMB_OK)
            status = plumb_map(s->context, PLUMB_OP_SQRT, &square, NULL, NULL, &norm, NULL);
        for (int64_t c = 0; c < norm.prec && status == PLUMB_OK; c++)
            norm.data[c * norm.plane] = ldexp(norm.data[c * norm.plane], e);
    }
    return status;
}

static bool is_finite(const plumb_view *v)
{
    for (int64_t c = 0; c < view_planes(v); c++)
        for (int64_t j = 0; j < v->cols; j++)
            for (int64_t i = 0; i < v->rows; i++)
                if (!isfinite(v->data[c * v->plane + j * v->col + i]))
                    return false;
    return true;
}

static void clear(const plumb_view *v)
{
    for (int64_t c = 0; c < view_planes(v); c++)
        for (int64_t j = 0; j < v->cols; j++)
            memset(v->data + c * v->plane + j * v->col, 0, (size_t)v->rows * sizeof(double));
}

static double claim(const least_norm *s, double condition, double left, bool rounded)
{
    const double u = precision_unit(s->x.prec), roundings = lsq_roundings(s->a.cols);
    const double error = 10.0 * roundings * u * condition;
    double digits = -log10(error > left ? error : left);
    if (rounded)
        digits -= lsq_digits_of_rounding(s->a.cols);
    return digits > 0.0 ? digits : 0.0; /* NaN becomes 0 */
}

static plumb_status run(least_norm *s, const lsq_call *call, plumb_info *outcome, plumb_lsq_report *report)
{
    plumb_context *context = s->context;
    plumb_lsq_report own = {.orthogonality = (double)NAN}, *found = report ? report : &own;
    *found = own;
    adjoin(&s->a, &s->at);
    plumb_lsq_options plain;
    plumb_lsq_options_init(&plain);
    const lsq_call qr = {.a = &s->at, .q = &s->q, .r = &s->r, .info = outcome, .options = &plain, .report = found};
    plumb_status status = lsq_run(context, &qr, NULL);
    if (status == PLUMB_OK && *outcome == 0 && !is_finite(&s->b)) {
        *outcome = -(plumb_info)PLUMB_ERR_NONFINITE;
        (void)SAY(PLUMB_ERR_NONFINITE, "an entry of b is not finite");
    }
    if (status != PLUMB_OK)
        return status;
    if (*outcome > 0)
        (void)SAY(PLUMB_ERR_SINGULAR, "row %lld depends on those before it", (long long)*outcome);
    if (*outcome != 0)
        return PLUMB_OK;
    double left = INFINITY;
    status = solve(s, &left, &found->steps);
    if (status == PLUMB_OK)
        status = find_norms(s);
    if (status != PLUMB_OK)
        return status;
    if (!is_finite(&s->x) || !is_finite(&s->norms)) {
        *outcome = -(plumb_info)PLUMB_ERR_RANGE;
        (void)SAY(PLUMB_ERR_RANGE, "an entry of the result is beyond the largest double");
        return PLUMB_OK;
    }
    found->digits = claim(s, found->condition, left, call->options->rounded != 0);
    if (call->options->orthogonality)
        snprintf(found->note, sizeof found->note,
                 "the loss of orthogonality is not found for the solution of least norm");
    return PLUMB_OK;
}

plumb_status lsq_least_norm(plumb_context *context, const lsq_call *call, plumb_info *outcome, plumb_lsq_report *report)
{
    least_norm s = {.context = context};
    *outcome = 0;
    plumb_status status = create(&s, call);
    if (status == PLUMB_OK)
        status = run(&s, call, outcome, report);
    if (status == PLUMB_OK && *outcome != 0)
        clear(&s.x), clear(&s.norms);
    if (status == PLUMB_OK)
        status = plumb_copy(context, &s.x, call->x, call->options->stream);
    if (status == PLUMB_OK && call->residual)
        status = plumb_copy(context, &s.norms, call->residual, call->options->stream);
    for (int k = 0; k < VIEWS; k++)
        plumb_array_destroy(context, view_of(&s, k));
    return status;
}
