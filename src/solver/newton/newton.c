/* newton.c - plumb_newton and plumb_newton_refine: options, checks, division of batches into runs that fit in the
 * caches, reports. */
#include "solver/newton/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/call/options.h"
#include "base/number/modulus.h"
#include "base/number/precision.h"
#include "model/system/system.h"
#include "solver/newton/round.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* The maximum number of doubles of the Jacobians of a run, and of its points. */
enum { RUN_DOUBLES = 1 << 22, RUN_POINTS = 1 << 12 };

void plumb_newton_options_init(plumb_newton_options *options)
{
    if (options)
        *options = (plumb_newton_options){.size = sizeof *options, .max_steps = 20};
}

const char *plumb_newton_text(plumb_newton_code code)
{
#define NEWTON_TEXT(name, text) text,
    static const char *const texts[] = {PLUMB_NEWTON_LIST(NEWTON_TEXT)};
#undef NEWTON_TEXT
    return (int)code >= 0 && code < PLUMB_NEWTON_CODES ? texts[code] : "unknown code";
}

plumb_status newton_settle(plumb_context *context, const plumb_newton_options *given, int32_t most,
                           newton_settings *settings)
{
    static const option_field fields[] = {
        OPTION_RANGE(plumb_newton_options, max_steps, OPTION_INT64, 1.0, (double)INFINITY),
        OPTION_RANGE(plumb_newton_options, tolerance, OPTION_REAL, 0.0, DBL_MAX),
        OPTION_PRECISION(plumb_newton_options, jacobian_prec), OPTION_RESERVED(plumb_newton_options, reserved),
        OPTION_END};
    plumb_newton_options options;
    plumb_newton_options_init(&options);
    plumb_status status = plumb_options_take(given, &options, fields, context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    if (options.jacobian_prec > most)
        return SAY(PLUMB_ERR_ARGUMENT, "jacobian_prec is %s, x has only %s", plumb_prec_name(options.jacobian_prec),
                   plumb_prec_name(most));
    *settings = (newton_settings){
        .most_steps = options.max_steps, .tolerance = options.tolerance, .jacobian_prec = options.jacobian_prec};
    return PLUMB_OK;
}

plumb_status newton_check_points(plumb_context *context, const plumb_system *system, const plumb_view *x)
{
    if (!system || !x)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", system ? "x" : "system");
    if (system->denominators)
        return SAY(PLUMB_ERR_ARGUMENT, SYSTEM_HAS_DENOMINATORS);
    plumb_status status = plumb_view_check(x, "x", context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    const int64_t m = plumb_system_equations(system), n = plumb_system_unknowns(system);
    if (m < n || n < 1)
        return SAY(PLUMB_ERR_ARGUMENT,
                   "the system has %lld equations in %lld unknowns: Newton's method needs as many or more",
                   (long long)m, (long long)n);
    if (x->rows != n || x->cols != 1)
        return SAY(PLUMB_ERR_ARGUMENT, "x is %lld x %lld, expected %lld x 1", (long long)x->rows, (long long)x->cols,
                   (long long)n);
    return PLUMB_OK;
}

plumb_status newton_check(plumb_context *context, const plumb_system *system, const plumb_view *x,
                          const plumb_newton_report *reports)
{
    plumb_status status = newton_check_points(context, system, x);
    if (status != PLUMB_OK)
        return status;
    if (x->parts != PLUMB_COMPLEX || x->where != PLUMB_HOST)
        return SAY(PLUMB_ERR_ARGUMENT, "x must be complex and on the host");
    if (!reports && x->batch > 0)
        return SAY(PLUMB_ERR_ARGUMENT, "reports is NULL: each point needs one");
    return PLUMB_OK;
}

/* ---- One run ---------------------------------------------------------------------------------------------------- */

static void begin(newton_work *work, const plumb_newton_report *reports)
{
    const newton_settings *settings = work->problem.settings;
    for (int64_t k = 0; k < work->count; k++) {
        const double size = newton_largest(&work->at.x, k, 0);
        int32_t low = settings->jacobian_prec ? settings->jacobian_prec : reports[k].jacobian_prec;
        if (!plumb_prec_name(low) || low > work->problem.prec)
            low = PLUMB_D;
        work->point[k] = (newton_point){.active = true,
                                        .jacobian_prec = low,
                                        .first_size = size > 0.0 && isfinite(size) ? size : 1.0,
                                        .moved = (double)INFINITY,
                                        .least_residual = (double)INFINITY,
                                        .condition = (double)INFINITY,
                                        .error = (double)INFINITY};
    }
}

static bool anyone_left(const newton_work *work)
{
    for (int64_t k = 0; k < work->count; k++)
        if (work->point[k].active)
            return true;
    return false;
}

/* The largest modulus of a - b among the leading limbs of two points. */
static double distance(const plumb_view *a, const plumb_view *b, int64_t k)
{
    double largest = 0.0;
    for (int64_t i = 0; i < a->rows; i++) {
        const double *x = a->data + k * a->next + i, *y = b->data + k * b->next + i;
        double re = 0.0, im = 0.0;
        for (int32_t c = 0; c < a->prec; c++) {
            re += x[c * a->plane] - y[c * b->plane];
            im += x[(a->prec + c) * a->plane] - y[(b->prec + c) * b->plane];
        }
        largest = fmax(largest, plumb_modulus(re, im));
    }
    return largest;
}

/* Points that did not converge return to the place where their residual was smallest; the error is then as much larger as that is
 * away. */
static plumb_status finish(newton_work *work, plumb_newton_report *reports)
{
    const plumb_view *x = &work->at.x, *best = &work->at.best;
    double *residual = work->at.terms; /* no longer needed */
    plumb_status status = newton_residuals(work, residual);
    for (int64_t k = 0; k < work->count && status == PLUMB_OK; k++) {
        newton_point *point = &work->point[k];
        if (point->code != PLUMB_NEWTON_CONVERGED && point->least_residual < residual[k]) {
            point->error += distance(x, best, k) / newton_largest(best, k, 0);
            if (isnan(point->error))
                point->error = (double)INFINITY;
            memcpy(x->data + k * x->next, best->data + k * best->next, (size_t)x->next * sizeof(double));
            residual[k] = point->least_residual;
        }
        reports[k] = (plumb_newton_report){.code = point->code,
                                           .prec = work->problem.prec,
                                           .jacobian_prec = point->jacobian_prec,
                                           .quadratic = point->quadratic,
                                           .steps = point->steps,
                                           .residual = residual[k],
                                           .error = point->error,
                                           .condition = point->condition};
        if (work->within)
            work->within[k] = point->code == PLUMB_NEWTON_CONVERGED &&
                              fmax(point->moved, point->noise) <= work->problem.settings->tolerance;
    }
    return status;
}

static plumb_view some_of(const plumb_view *view, int64_t first, int64_t count)
{
    plumb_view some = *view;
    some.data += first * view->next;
    some.batch = count;
    return some;
}

static plumb_status run(newton_work *work, plumb_view *x, plumb_newton_report *reports)
{
    plumb_view mine = some_of(&work->at.x, 0, x->batch);
    work->count = x->batch;
    plumb_status status = plumb_copy(work->context, x, &mine, NULL);
    begin(work, reports);
    while (status == PLUMB_OK && anyone_left(work))
        EACH_PRECISION (low, PLUMB_D, work->problem.prec)
            if (status == PLUMB_OK)
                status = newton_round(work, low);
    if (status == PLUMB_OK)
        status = finish(work, reports);
    if (status == PLUMB_OK)
        status = plumb_copy(work->context, &mine, x, NULL);
    return status;
}

plumb_status newton_run(plumb_context *context, const plumb_system *system, plumb_view *x,
                        const newton_settings *settings, plumb_newton_report *reports)
{
    newton_work work;
    if (x->batch == 0)
        return PLUMB_OK;
    const double each = (double)view_planes(x) * (double)plumb_system_equations(system) * ((double)x->rows + 8.0);
    int64_t most = each < RUN_DOUBLES ? (int64_t)(RUN_DOUBLES / each) : 1;
    most = most < RUN_POINTS ? most : RUN_POINTS;
    most = most < x->batch ? most : x->batch;
    plumb_status status = newton_work_create(context, system, x->prec, most, &work);
    if (status != PLUMB_OK)
        return status;
    work.problem.settings = settings;
    for (int64_t first = 0; first < x->batch && status == PLUMB_OK; first += most) {
        plumb_view part = some_of(x, first, x->batch - first < most ? x->batch - first : most);
        work.trace = settings->traces ? settings->traces + first : NULL;
        work.within = settings->within ? settings->within + first : NULL;
        status = run(&work, &part, reports + first);
    }
    newton_work_destroy(&work);
    if (status == PLUMB_OK)
        context->message[0] = 0; /* failed points are not a failure of the call */
    return status;
}

plumb_status plumb_newton(plumb_context *context, const plumb_system *system, plumb_view *x,
                          const plumb_newton_options *options, plumb_newton_report *reports)
{
    newton_settings settings = {0};
    if (!context)
        return plumb_no_context();
    plumb_status status = newton_check(context, system, x, reports);
    if (status == PLUMB_OK)
        status = newton_settle(context, options, x->prec, &settings);
    for (int64_t k = 0; status == PLUMB_OK && k < x->batch; k++)
        reports[k] = (plumb_newton_report){0};
    return status == PLUMB_OK ? newton_run(context, system, x, &settings, reports) : status;
}
