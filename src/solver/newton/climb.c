/* climb.c - plumb_newton_refine: Newton's method in d, dd and qd, going up where the lower precision is not accurate
 * enough.
 *
 * The next precision continues from the point, unless it diverged, and with the precision of the Jacobian that was
 * sufficient. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/number/precision.h"
#include "solver/newton/newton.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* Some points of a batch in one precision: point k is point which[k] of the batch. */
typedef struct climb_stage {
    plumb_view points;
    int64_t *which;
    plumb_newton_report *reports;
    newton_trace *traces;
    bool *within, *done; /* within the tolerance: these points; all points of the batch */
} climb_stage;

static plumb_view one_of(const plumb_view *view, int64_t k)
{
    plumb_view one = *view;
    one.data += k * view->next;
    one.batch = 1;
    return one;
}

static bool good_enough(const plumb_newton_report *report, double wanted)
{
    return report->code == PLUMB_NEWTON_CONVERGED && report->error <= wanted;
}

/* A point that diverged in a lower precision starts again from its given value; one that is only slow continues. */
static bool worth_keeping(const plumb_newton_report *report)
{
    return report->code == PLUMB_NEWTON_CONVERGED || report->code == PLUMB_NEWTON_SLOW;
}

static plumb_status stage_create(plumb_context *context, const plumb_view *x, bool traced, climb_stage *stage)
{
    const size_t most = (size_t)x->batch;
    *stage = (climb_stage){.which = malloc(most * sizeof *stage->which),
                           .reports = malloc(most * sizeof *stage->reports),
                           .traces = traced ? malloc(most * sizeof *stage->traces) : NULL,
                           .within = calloc(most, sizeof *stage->within),
                           .done = calloc(most, sizeof *stage->done)};
    if (!stage->which || !stage->reports || !stage->within || !stage->done || (traced && !stage->traces))
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    return plumb_array_create(context, PLUMB_HOST, x->prec, PLUMB_COMPLEX, x->rows, 1, x->batch, &stage->points);
}

static void stage_destroy(plumb_context *context, climb_stage *stage)
{
    plumb_array_destroy(context, &stage->points);
    free(stage->which);
    free(stage->reports);
    free(stage->traces);
    free(stage->within);
    free(stage->done);
}

/* Refines all points that are not accurate enough yet in one precision. Useful results go into x, and all into
 * reports. */
static plumb_status climb(plumb_context *context, const plumb_system *system, const plumb_view *x, int32_t prec,
                          const newton_settings *settings, climb_stage *stage, plumb_newton_report *reports)
{
    int64_t count = 0;
    plumb_view points;
    plumb_status status = PLUMB_OK;
    newton_settings mine = *settings;
    for (int64_t k = 0; k < x->batch; k++)
        if (!stage->done[k] && !good_enough(&reports[k], settings->wanted))
            stage->which[count++] = k;
    if (count == 0)
        return PLUMB_OK;
    status = plumb_view_init(&points, stage->points.data, PLUMB_HOST, prec, PLUMB_COMPLEX, x->rows, 1, count, NULL);
    if (mine.jacobian_prec > prec)
        mine.jacobian_prec = prec;
    mine.traces = settings->traces ? stage->traces : NULL;
    mine.within = stage->within;
    for (int64_t l = 0; l < count && status == PLUMB_OK; l++) {
        const plumb_view from = one_of(x, stage->which[l]);
        plumb_view to = one_of(&points, l);
        status = plumb_copy(context, &from, &to, NULL);
        stage->reports[l] = reports[stage->which[l]];
        if (settings->traces && mine.traces)
            mine.traces[l] = settings->traces[stage->which[l]];
    }
    if (status == PLUMB_OK)
        status = newton_run(context, system, &points, &mine, stage->reports);
    for (int64_t l = 0; l < count && status == PLUMB_OK; l++) {
        const int64_t k = stage->which[l];
        const plumb_view from = one_of(&points, l);
        plumb_view to = one_of(x, k);
        const int64_t steps = reports[k].steps;
        const int32_t quadratic = reports[k].quadratic;
        reports[k] = stage->reports[l];
        stage->done[k] = stage->within[l];
        reports[k].steps += steps;
        reports[k].quadratic |= quadratic;
        if (settings->traces && mine.traces)
            settings->traces[k] = mine.traces[l];
        if (prec == x->prec || worth_keeping(&reports[k]))
            status = plumb_copy(context, &from, &to, NULL);
    }
    return status;
}

plumb_status newton_climb(plumb_context *context, const plumb_system *system, const plumb_view *x, double digits,
                          const newton_settings *settings, plumb_newton_report *reports)
{
    climb_stage stage;
    newton_settings mine = *settings;
    if (x->batch == 0)
        return PLUMB_OK;
    mine.wanted = pow(10.0, -digits);
    for (int64_t k = 0; k < x->batch; k++)
        reports[k] = (plumb_newton_report){.error = (double)INFINITY};
    plumb_status status = stage_create(context, x, settings->traces != NULL, &stage);
    EACH_PRECISION (prec, settings->first_prec > PLUMB_D ? settings->first_prec : PLUMB_D, x->prec)
        if (status == PLUMB_OK)
            status = climb(context, system, x, prec, &mine, &stage, reports);
    stage_destroy(context, &stage);
    return status;
}

plumb_status plumb_newton_refine(plumb_context *context, const plumb_system *system, plumb_view *x, double digits,
                                 const plumb_newton_options *options, plumb_newton_report *report)
{
    newton_settings settings = {0};
    if (!context)
        return plumb_no_context();
    plumb_status status = newton_check(context, system, x, report);
    if (status == PLUMB_OK && x->batch != 1)
        status = SAY(PLUMB_ERR_ARGUMENT, "x is a batch of %lld points, expected one", (long long)x->batch);
    if (status == PLUMB_OK && !(digits > 0.0 && digits <= 100.0))
        status = SAY(PLUMB_ERR_ARGUMENT, "digits is %g, expected more than 0 and at most 100", digits);
    if (status == PLUMB_OK)
        status = newton_settle(context, options, x->prec, &settings);
    return status == PLUMB_OK ? newton_climb(context, system, x, digits, &settings, report) : status;
}
