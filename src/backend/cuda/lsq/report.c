/* report.c - the report of a least-squares problem on a GPU, by the same formulas as on the CPU: the leading limbs of
 * the triangle are copied to the host, and method/lsq/estimate.h does the rest. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/cuda/lsq/device.h"
#include "base/call/message.h"
#include "base/number/modulus.h"
#include "method/lsq/error.h"
#include "method/lsq/estimate.h"

#define SAY(status, ...) plumb_say(status, m->message, m->message_size, __VA_ARGS__)

/* The data of a report, on the host. */
typedef struct report_data {
    mgs_findings found;
    double *row_re, *row_im; /* the triangle by rows, with x of the scaled system as right-hand sides */
    double *norm;            /* norms of the residuals of the right-hand sides */
    plumb_view x;            /* the leading limbs of x; data NULL: there is none */
    double *side;            /* room for the leading limbs of a column of b */
} report_data;

static plumb_view host_view(double *data, int64_t rows, int64_t cols, int32_t parts)
{
    return (plumb_view){.data = data,
                        .rows = rows,
                        .cols = cols,
                        .batch = 1,
                        .plane = rows * cols,
                        .col = rows,
                        .next = rows * cols * parts,
                        .prec = PLUMB_D,
                        .parts = parts,
                        .where = PLUMB_HOST};
}

static plumb_status create(machine *m, const lsq_call *call, report_data *d)
{
    const size_t n = (size_t)call->a->cols, rhs = call->x ? (size_t)call->x->cols : 0, all = n + rhs;
    const size_t parts = (size_t)call->a->parts;
    *d = (report_data){.found = {.re = calloc(n * all, sizeof(double)),
                                 .im = parts > 1 ? calloc(n * all, sizeof(double)) : NULL,
                                 .square = calloc(all, sizeof(double)),
                                 .exponent = calloc(all, sizeof(int32_t))},
                       .row_re = calloc(n * all, sizeof(double)),
                       .row_im = parts > 1 ? calloc(n * all, sizeof(double)) : NULL,
                       .norm = calloc(all, sizeof(double)),
                       .x = host_view(call->x ? calloc(n * rhs * parts, sizeof(double)) : NULL, (int64_t)n,
                                      (int64_t)rhs, (int32_t)parts),
                       .side = call->x ? calloc((size_t)call->a->rows * parts, sizeof(double)) : NULL};
    const mgs_findings *f = &d->found;
    const int complete = f->re && f->square && f->exponent && d->row_re && d->norm &&
                         (!call->x || (d->x.data && d->side)) && (parts == 1 || (f->im && d->row_im));
    return complete ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
}

static void destroy(report_data *d)
{
    free(d->found.re);
    free(d->found.im);
    free(d->found.square);
    free(d->found.exponent);
    free(d->row_re);
    free(d->row_im);
    free(d->norm);
    free(d->x.data);
    free(d->side);
}

/* Column j of x is zero, which it should be if that of b is. Where that is not so, x was too small for a double: it becomes the
 * smallest one, so that estimates see an entry with an error as large as itself. The same for single entries. */
static plumb_status mark_underflow(machine *m, const lsq_call *call, report_data *d, void *stream)
{
    const plumb_view *x = &d->x;
    for (int64_t j = 0; j < x->cols; j++) {
        double *column = x->data + j * x->col, largest = 0.0, side = 0.0;
        for (int64_t k = 0; k < x->rows; k++)
            largest = fmax(largest, fmax(fabs(column[k]), x->parts > 1 ? fabs(column[x->plane + k]) : 0.0));
        if (largest == 0.0) {
            const plumb_view to = host_view(d->side, call->b->rows, 1, x->parts);
            plumb_view from = *call->b;
            from.data += j * from.col;
            from.cols = from.batch = 1;
            from.prec = PLUMB_D;
            from.plane = call->b->prec * call->b->plane;
            plumb_status status = m->ops->copy(m, &from, &to, stream);
            if (status != PLUMB_OK)
                return status;
            for (int64_t i = 0; i < to.rows * to.parts; i++)
                side = fmax(side, fabs(d->side[i]));
            if (side == 0.0)
                continue;
        }
        for (int64_t k = 0; k < x->rows; k++)
            if (column[k] == 0.0)
                column[k] = 0x1p-1074;
    }
    return PLUMB_OK;
}

/* Sets up the triangle for the estimates. Its right-hand sides are the solutions of the scaled system. */
static lsq_triangle triangle_of(const lsq_call *call, report_data *d, int32_t prec)
{
    const mgs_findings *f = &d->found;
    const int64_t n = call->a->cols, rhs = d->x.data ? d->x.cols : 0, all = n + rhs;
    for (int64_t j = 0; j < all; j++) {
        for (int64_t k = 0; k < n && (j >= n || k < j); k++) {
            const int64_t from = j * n + k, to = k * all + j;
            if (j < n) {
                d->row_re[to] = f->re[from];
                if (f->im)
                    d->row_im[to] = f->im[from];
            } else {
                const double *entry = d->x.data + (j - n) * d->x.col + k;
                const int back = f->exponent[k] - f->exponent[j];
                d->row_re[to] = ldexp(entry[0], back);
                if (f->im)
                    d->row_im[to] = ldexp(entry[d->x.plane], back);
            }
        }
        d->norm[j] = sqrt(fmax(f->square[j], 0.0));
    }
    return (lsq_triangle){.re = d->row_re,
                          .im = d->row_im,
                          .square = f->square,
                          .norm = d->norm,
                          .exponent = f->exponent,
                          .ld = all,
                          .rows = call->a->rows,
                          .cols = n,
                          .rank = n,
                          .all = all,
                          .prec = prec};
}

/* ---- Refinement --------------------------------------------------------------------------------------------------------- */

/* The claim for column j of x. The right-hand side counts as scaled such that the largest entry of the scaled solution is about 1. */
static double claim(const lsq_call *call, const report_data *d, const lsq_inverse *inverse, int64_t j)
{
    const plumb_view *a = call->a, *x = &d->x;
    int32_t most = INT32_MIN;
    for (int64_t k = 0; k < x->rows; k++) {
        const double *entry = x->data + j * x->col + k;
        int e = 0;
        inverse->modulus[k] = x->parts > 1 ? plumb_modulus(entry[0], entry[x->plane]) : fabs(entry[0]);
        frexp(inverse->modulus[k], &e);
        if (inverse->modulus[k] > 0.0 && e + d->found.exponent[k] > most)
            most = e + d->found.exponent[k];
    }
    if (most == INT32_MIN) /* x is zero */
        return precision_digits(a->prec);
    for (int64_t k = 0; k < x->rows; k++)
        inverse->modulus[k] = ldexp(inverse->modulus[k], d->found.exponent[k] - most);
    const lsq_answer answer = {.modulus = inverse->modulus,
                               .exponent = d->found.exponent,
                               .residual = a->rows > a->cols ? d->found.left : 0.0,
                               .shift = most,
                               .prec = a->prec,
                               .factor_prec = PLUMB_D,
                               .correction = d->found.last};
    return lsq_claim(inverse, &answer);
}

static plumb_status report_refined(const lsq_call *call, report_data *d, plumb_lsq_report *report)
{
    lsq_triangle triangle = triangle_of(call, d, PLUMB_D);
    lsq_inverse inverse;
    triangle.all = triangle.cols; /* the factor alone */
    plumb_status status = lsq_inverse_make(&triangle, &inverse);
    if (status != PLUMB_OK)
        return status;
    report->method = PLUMB_METHOD_REFINED;
    report->factor_prec = d->found.factor_prec;
    report->steps = d->found.steps;
    report->condition = inverse.condition;
    report->digits = precision_digits(call->a->prec);
    for (int64_t j = 0; j < d->x.cols; j++)
        report->digits = fmin(report->digits, claim(call, d, &inverse, j));
    if (d->found.remains > 0.0)
        report->digits = fmax(0.0, fmin(report->digits, -log10(d->found.remains)));
    lsq_inverse_free(&inverse);
    return PLUMB_OK;
}

/* ---- All ---------------------------------------------------------------------------------------------------------------- */

static plumb_status fill(const lsq_call *call, report_data *d)
{
    plumb_lsq_report *report = call->report;
    const mgs_findings *f = &d->found;
    report->rank = call->a->cols;
    if (f->converged)
        return report_refined(call, d, report);
    if (mgs_is_refined(call))
        snprintf(report->note, sizeof report->note, "modified Gram-Schmidt in %s: %s", plumb_prec_name(call->a->prec),
                 f->tried                   ? "refinement does not converge at this condition"
                 : call->a->prec == PLUMB_D ? "there is no lower precision to factor in"
                                            : "no refinement of this shape on a GPU");
    report->method = PLUMB_METHOD_MGS;
    report->factor_prec = call->a->prec;
    const lsq_triangle triangle = triangle_of(call, d, call->a->prec);
    return lsq_estimate(&triangle, NULL, &report->condition, d->x.data ? &report->digits : NULL);
}

/* Copies the outcome and the leading limbs of x to the host. */
static plumb_status fetch(machine *m, const lsq_call *call, report_data *d, plumb_info *outcome, void *stream)
{
    plumb_view from = host_view((double *)(void *)call->info, 1, 1, PLUMB_REAL);
    const plumb_view to = host_view((double *)(void *)outcome, 1, 1, PLUMB_REAL);
    from.where = PLUMB_DEVICE;
    plumb_status status = m->ops->copy(m, &from, &to, stream);
    if (status != PLUMB_OK || !d->x.data)
        return status;
    plumb_view leading = *call->x;
    leading.prec = PLUMB_D;
    leading.plane = call->x->prec * call->x->plane;
    status = m->ops->copy(m, &leading, &d->x, stream);
    return status == PLUMB_OK ? mark_underflow(m, call, d, stream) : status;
}

plumb_status plumb_cuda_mgs_reported(machine *m, const lsq_call *given, void *stream)
{
    report_data d;
    lsq_call call = *given;
    void *mine = NULL;
    plumb_info outcome = 0;
    plumb_status status = create(m, &call, &d);
    if (status == PLUMB_OK && !call.info) {
        status = m->ops->alloc(m, sizeof *call.info, &mine);
        call.info = mine;
    }
    call.report->backend = PLUMB_BACKEND_GPU;
    if (status == PLUMB_OK)
        status = (mgs_is_refined(&call) ? plumb_cuda_mgs_refined : plumb_cuda_mgs_solve)(m, &call, &d.found, stream);
    if (status == PLUMB_OK)
        status = fetch(m, &call, &d, &outcome, stream);
    if (status == PLUMB_OK && outcome == 0) {
        status = fill(&call, &d);
        if (status != PLUMB_OK)
            status = SAY(status, "out of memory");
    }
    if (status == PLUMB_OK && outcome > 0)
        status = SAY(PLUMB_ERR_SINGULAR, "column %lld depends on those before it", (long long)outcome);
    else if (status == PLUMB_OK && outcome < 0)
        status = SAY((plumb_status)-outcome, "%s", plumb_status_text((plumb_status)-outcome));
    if (outcome != 0 && given->info) /* with info, the outcome is data and not a failure */
        status = PLUMB_OK;
    if (mine)
        m->ops->release(m, mine);
    destroy(&d);
    return status;
}
