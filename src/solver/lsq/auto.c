/* auto.c - the lowest precision that gives the digits wanted.
 *
 * From d upwards: the data are rounded, the problem is solved by modified Gram-Schmidt, and its error estimate decides. It is told
 * whether the data are exact in the precision used or were rounded: that changes A and b by one more u each. An estimate of
 * less than one digit counts as none. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/call/options.h"
#include "base/number/precision.h"
#include "solver/lsq/check.h"
#include "solver/lsq/place.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* Copies of the data in one precision, and room for the result. */
typedef struct rung {
    plumb_view a, b, x, residual;
} rung;

static plumb_status climb(plumb_context *context, const plumb_view *a, const plumb_view *b, int32_t prec, rung *to)
{
    memset(to, 0, sizeof *to);
    plumb_status status = plumb_array_create(context, PLUMB_HOST, prec, a->parts, a->rows, a->cols, 1, &to->a);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, prec, a->parts, b->rows, b->cols, 1, &to->b);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, prec, a->parts, a->cols, b->cols, 1, &to->x);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, prec, PLUMB_REAL, 1, b->cols, 1, &to->residual);
    if (status == PLUMB_OK)
        status = plumb_copy(context, a, &to->a, NULL);
    if (status == PLUMB_OK)
        status = plumb_copy(context, b, &to->b, NULL);
    return status;
}

static void leave(plumb_context *context, rung *from)
{
    plumb_view *const views[] = {&from->a, &from->b, &from->x, &from->residual};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        if (views[i]->data)
            plumb_array_destroy(context, views[i]);
}

/* True if the limbs after the first prec are zero, so that nothing was rounded. */
static int is_exact(const plumb_view *view, int32_t prec)
{
    for (int32_t part = 0; part < view->parts; part++)
        for (int32_t c = prec; c < view->prec; c++)
            for (int64_t j = 0; j < view->cols; j++) {
                const double *column = view->data + (part * view->prec + c) * view->plane + j * view->col;
                for (int64_t i = 0; i < view->rows; i++)
                    if (column[i] != 0.0)
                        return 0;
            }
    return 1;
}

static double credible(double digits)
{
    return digits >= 1.0 ? digits : 0.0;
}

/* Tries one precision below that of x. If *enough, the result is in x; otherwise nothing has changed. */
static plumb_status try_lower(plumb_context *context, const plumb_view *a, const plumb_view *b, plumb_view *x,
                              plumb_view *residual, int32_t prec, double digits, int32_t rounded, plumb_info *info,
                              plumb_lsq_report *report, int *enough)
{
    rung low;
    plumb_lsq_options options;
    plumb_lsq_options_init(&options);
    options.rounded = rounded || !is_exact(a, prec) || !is_exact(b, prec);
    plumb_status status = climb(context, a, b, prec, &low);
    *enough = 0;
    if (status == PLUMB_OK)
        status = plumb_lsq(context, &low.a, &low.b, &low.x, &low.residual, info, &options, report);
    if (status == PLUMB_OK && *info == 0) {
        report->digits = credible(report->digits);
        *enough = report->digits >= digits;
    }
    if (status == PLUMB_OK && *enough) {
        status = plumb_copy(context, &low.x, x, NULL);
        if (status == PLUMB_OK && residual)
            status = plumb_copy(context, &low.residual, residual, NULL);
    }
    leave(context, &low);
    return status;
}

static plumb_status check(plumb_context *context, const plumb_view *a, const plumb_view *b, const plumb_view *x,
                          const plumb_view *residual, double digits)
{
    if (!b || !x)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", b ? "x" : "b");
    if (!(digits >= 0.0))
        return SAY(PLUMB_ERR_ARGUMENT, "digits: not a number that is zero or more");
    plumb_status status = lsq_check_matrix(context, a);
    if (status == PLUMB_OK)
        status = lsq_check(context, b, "b", a, a->parts, a->rows, b->cols);
    if (status == PLUMB_OK)
        status = lsq_check(context, x, "x", a, a->parts, a->cols, b->cols);
    if (status == PLUMB_OK && residual)
        status = lsq_check(context, residual, "residual", a, PLUMB_REAL, 1, b->cols);
    return status;
}

/* Solves for device arrays with copies on the host, where data can be rounded. */
static plumb_status by_host(plumb_context *context, const plumb_view *a, const plumb_view *b, plumb_view *x,
                            plumb_view *residual, plumb_info *info, double digits,
                            const plumb_lsq_auto_options *options, plumb_lsq_report *report)
{
    rung host;
    plumb_info outcome = 0;
    const plumb_view from = lsq_info_view(&outcome, PLUMB_HOST, 1);
    plumb_view to = lsq_info_view(info, PLUMB_DEVICE, 1);
    plumb_status status = climb(context, a, b, a->prec, &host);
    if (status == PLUMB_OK)
        status = plumb_lsq_auto(context, &host.a, &host.b, &host.x, residual ? &host.residual : NULL, &outcome, digits,
                                options, report);
    if (status == PLUMB_OK)
        status = plumb_copy(context, &host.x, x, NULL);
    if (status == PLUMB_OK && residual)
        status = plumb_copy(context, &host.residual, residual, NULL);
    if (status == PLUMB_OK)
        status = info ? plumb_copy(context, &from, &to, NULL) : lsq_give_outcome(outcome, NULL);
    leave(context, &host);
    return status;
}

void plumb_lsq_auto_options_init(plumb_lsq_auto_options *options)
{
    if (options)
        *options = (plumb_lsq_auto_options){.size = sizeof *options, .rounded = PLUMB_ROUNDED_UNKNOWN};
}

static plumb_status read_options(plumb_context *context, const plumb_lsq_auto_options *given,
                                 plumb_lsq_auto_options *options)
{
    static const option_field fields[] = {
        OPTION_RANGE(plumb_lsq_auto_options, rounded, OPTION_INT32, PLUMB_ROUNDED_UNKNOWN, PLUMB_ROUNDED_SIDES),
        OPTION_RESERVED(plumb_lsq_auto_options, reserved), OPTION_END};
    plumb_lsq_auto_options_init(options);
    return plumb_options_take(given, options, fields, context->message, sizeof context->message);
}

plumb_status plumb_lsq_auto(plumb_context *context, const plumb_view *a, const plumb_view *b, plumb_view *x,
                            plumb_view *residual, plumb_info *info, double digits, const plumb_lsq_auto_options *given,
                            plumb_lsq_report *report)
{
    plumb_lsq_report mine = {.orthogonality = (double)NAN};
    plumb_lsq_auto_options chosen;
    plumb_lsq_options options;
    plumb_info outcome = 0;
    int enough = 0;
    if (!context)
        return plumb_no_context();
    plumb_status status = check(context, a, b, x, residual, digits);
    if (status == PLUMB_OK)
        status = read_options(context, given, &chosen);
    if (status != PLUMB_OK)
        return status;
    if (a->where == PLUMB_DEVICE)
        return by_host(context, a, b, x, residual, info, digits, &chosen, report);
    int32_t rounded = chosen.rounded;
    if (rounded == PLUMB_ROUNDED_UNKNOWN)
        rounded = a->prec > PLUMB_D && !(is_exact(a, a->prec - 1) && is_exact(b, a->prec - 1)) ? PLUMB_ROUNDED_DATA
                                                                                               : PLUMB_ROUNDED_NONE;
    EACH_PRECISION (prec, PLUMB_D, precision_below(a->prec))
        if (status == PLUMB_OK && !enough)
            status = try_lower(context, a, b, x, residual, prec, digits, rounded, &outcome, &mine, &enough);
    if (status == PLUMB_OK && !enough) {
        plumb_lsq_options_init(&options);
        options.rounded = rounded;
        status = plumb_lsq(context, a, b, x, residual, &outcome, &options, &mine);
        mine.digits = outcome == 0 ? credible(mine.digits) : 0.0;
        if (status == PLUMB_OK && outcome == 0 && mine.digits < digits)
            snprintf(mine.note, sizeof mine.note, "%s gives %.0f of the %.0f digits wanted", plumb_prec_name(a->prec),
                     floor(mine.digits), digits);
    }
    if (status == PLUMB_OK) {
        if (report)
            *report = mine;
        status = lsq_give_outcome(outcome, info);
    }
    return status;
}
