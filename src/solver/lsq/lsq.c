/* lsq.c - plumb_qr and plumb_lsq: check the operands and have the problem solved where place.h says. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/call/message.h"
#include "base/call/options.h"
#include "method/lsq/error.h"
#include "solver/lsq/check.h"
#include "solver/lsq/place.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* Runs the call of one problem, and gives the caller its outcome (on the host) and its report. */
static plumb_status run(plumb_context *context, lsq_call *call, plumb_info *info, plumb_lsq_report *report)
{
    plumb_lsq_report mine = {.orthogonality = (double)NAN};
    plumb_info outcome = 0;
    call->info = call->a->where == PLUMB_HOST ? &outcome : info;
    call->report = report ? &mine : NULL;
    plumb_status status = lsq_run(context, call, call->options->stream);
    if (status != PLUMB_OK)
        return status;
    if (call->options->rounded && call->b)
        mine.digits = fmax(
            0.0, mine.digits - lsq_digits_of_rounding(call->a->rows > call->a->cols ? call->a->rows : call->a->cols));
    if (report)
        *report = mine;
    return call->a->where == PLUMB_HOST ? lsq_give_outcome(outcome, info) : PLUMB_OK;
}

plumb_status plumb_qr(plumb_context *context, const plumb_view *a, plumb_view *q, plumb_view *r, int64_t *permutation,
                      plumb_info *info, const plumb_lsq_options *given, plumb_lsq_report *report)
{
    plumb_lsq_options options;
    if (!context)
        return plumb_no_context();
    plumb_status status = lsq_check_tall(context, a);
    if (status == PLUMB_OK && q)
        status = lsq_check(context, q, "q", a, a->parts, a->rows, a->cols);
    if (status == PLUMB_OK && r)
        status = lsq_check(context, r, "r", a, a->parts, a->cols, a->cols);
    if (status == PLUMB_OK)
        status = lsq_check_apart(context, q, "q", a, "a");
    if (status == PLUMB_OK)
        status = lsq_check_apart(context, r, "r", a, "a");
    if (status == PLUMB_OK)
        status = lsq_check_apart(context, q, "q", r, "r");
    if (status == PLUMB_OK)
        status = lsq_settle_options(context, given, &options);
    if (status == PLUMB_OK && options.method != PLUMB_METHOD_MGS)
        status = SAY(PLUMB_ERR_ARGUMENT, "a QR decomposition is made by modified Gram-Schmidt");
    if (status != PLUMB_OK)
        return status;
    lsq_call call = {.a = a, .q = q, .r = r, .permutation = permutation, .options = &options};
    return run(context, &call, info, report);
}

plumb_status plumb_lsq(plumb_context *context, const plumb_view *a, const plumb_view *b, plumb_view *x,
                       plumb_view *residual, plumb_info *info, const plumb_lsq_options *given, plumb_lsq_report *report)
{
    plumb_lsq_options options;
    if (!context)
        return plumb_no_context();
    if (!b || !x)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", b ? "x" : "b");
    plumb_status status = lsq_check_matrix(context, a);
    if (status == PLUMB_OK)
        status = lsq_check(context, b, "b", a, a->parts, a->rows, b->cols);
    if (status == PLUMB_OK)
        status = lsq_check(context, x, "x", a, a->parts, a->cols, b->cols);
    if (status == PLUMB_OK && residual)
        status = lsq_check(context, residual, "residual", a, PLUMB_REAL, 1, b->cols);
    const plumb_view *results[] = {x, residual};
    static const char *const names[] = {"x", "residual"};
    for (int k = 0; k < 2 && status == PLUMB_OK; k++) {
        status = lsq_check_apart(context, results[k], names[k], a, "a");
        if (status == PLUMB_OK)
            status = lsq_check_apart(context, results[k], names[k], b, "b");
    }
    if (status == PLUMB_OK)
        status = lsq_settle_options(context, given, &options);
    const int32_t wanted = status == PLUMB_OK ? options.method : PLUMB_METHOD_MGS;
    if (status == PLUMB_OK)
        status = lsq_check_method(context, a, &options);
    if (status != PLUMB_OK)
        return status;
    lsq_call call = {
        .a = a, .b = b, .x = x, .residual = residual, .options = &options, .dependent = lsq_dependent_rows(a)};
    status = run(context, &call, info, report);
    if (status == PLUMB_OK && report && options.method != wanted && !report->note[0])
        snprintf(report->note, sizeof report->note,
                 "modified Gram-Schmidt: solutions of least norm are not refined on a GPU");
    return status;
}
