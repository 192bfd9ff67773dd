/* eval.c - plumb_system_eval: checks the views, prepares the program and its coefficients, and passes both to the
 * machine that holds the points. */
#include "solver/eval/eval.h"

#include <stdbool.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "solver/context/context.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

static plumb_status check_view(plumb_context *context, const plumb_view *view, const char *name, int64_t rows,
                               int64_t cols, const plumb_view *points)
{
    if (!view)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", name);
    plumb_status status = plumb_view_check(view, name, context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    if (view->rows != rows || view->cols != cols)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is %lld x %lld, expected %lld x %lld", name, (long long)view->rows,
                   (long long)view->cols, (long long)rows, (long long)cols);
    if (view->prec != points->prec || view->parts != points->parts || view->where != points->where)
        return SAY(PLUMB_ERR_ARGUMENT, "%s differs from points in its precision, kind or place", name);
    if (view->batch != points->batch)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is a batch of %lld, points of %lld", name, (long long)view->batch,
                   (long long)points->batch);
    return PLUMB_OK;
}

static plumb_status check_apart(plumb_context *context, const plumb_view *out, const char *out_name,
                                const plumb_view *other, const char *name)
{
    if (plumb_view_overlap(out, other))
        return SAY(PLUMB_ERR_ARGUMENT, "%s overlaps %s", out_name, name);
    return PLUMB_OK;
}

static plumb_status check(plumb_context *context, const plumb_system *system, const eval_call *call)
{
    if (!system)
        return SAY(PLUMB_ERR_ARGUMENT, "system is NULL");
    if (system->denominators)
        return SAY(PLUMB_ERR_ARGUMENT, SYSTEM_HAS_DENOMINATORS);
    plumb_status status = check_view(context, call->points, "points", system->unknowns, 1, call->points);
    if (status == PLUMB_OK)
        status = check_view(context, call->values, "values", system->equations, 1, call->points);
    if (status == PLUMB_OK)
        status = check_apart(context, call->values, "values", call->points, "points");
    if (status != PLUMB_OK || !call->jacobians)
        return status;
    status = check_view(context, call->jacobians, "jacobians", system->equations, system->unknowns, call->points);
    if (status == PLUMB_OK)
        status = check_apart(context, call->jacobians, "jacobians", call->points, "points");
    if (status == PLUMB_OK)
        status = check_apart(context, call->jacobians, "jacobians", call->values, "values");
    return status;
}

static plumb_status prepare(plumb_context *context, const plumb_system *system, eval_call *call)
{
    int64_t term = -1;
    int32_t prec = call->points->prec, parts = call->points->parts;
    plumb_status status = plumb_program_of(system, &call->program);
    if (status != PLUMB_OK)
        return SAY(status, "the system cannot be compiled for evaluation: %s", plumb_status_text(status));
    if (parts == PLUMB_REAL && !call->program->is_real)
        return SAY(PLUMB_ERR_ARGUMENT, "the system has complex coefficients: points must be complex");
    status = plumb_system_coefficients(system, call->program, prec, parts, &call->coefficients, &term);
    if (status == PLUMB_ERR_RANGE)
        return SAY(status, "the coefficient of term %lld, or a derivative's, is beyond the largest double",
                   (long long)term + 1);
    return status == PLUMB_OK ? status : SAY(status, "coefficients: %s", plumb_status_text(status));
}

/* ---- Host arrays on a GPU ---------------------------------------------------------------------------------------- */

/* True if a call on host arrays should run on the GPU: the context requests a GPU, or leaves the choice open and
 * there is enough work. */
static bool gpu_pays(plumb_context *context, const eval_call *call)
{
    if (context->wanted == PLUMB_BACKEND_CPU || call->points->batch == 0)
        return false;
    if (context->wanted == PLUMB_BACKEND_GPU)
        return true;
    /* Flops, about 1, 10 and 120 per product in d, dd and qd. The threshold is a fraction of a millisecond on a CPU,
     * the time that allocation on the GPU and copies take. In d, copying the results takes longer than computing them
     * on the CPU. */
    const plumb_view *points = call->points;
    const double enough = 3e7, each = points->prec == PLUMB_DD ? 10.0 : 120.0, pairs = points->parts * points->parts;
    const double products = (double)call->program->products + (double)call->program->sum_terms;
    return points->prec > PLUMB_D && each * pairs * products * (double)points->batch >= enough &&
           plumb_context_has_gpu(context);
}

static plumb_status mirror(plumb_context *context, const plumb_view *host, plumb_view *device)
{
    return plumb_array_create(context, PLUMB_DEVICE, host->prec, host->parts, host->rows, host->cols, host->batch,
                              device);
}

/* Copies the points to the GPU, evaluates there, and copies the results back. */
static plumb_status eval_by_copies(plumb_context *context, const eval_call *host)
{
    plumb_view points = {0}, values = {0}, jacobians = {0};
    eval_call call = *host;
    machine *m = NULL;
    plumb_status status = mirror(context, host->points, &points);
    if (status == PLUMB_OK)
        status = mirror(context, host->values, &values);
    if (status == PLUMB_OK && host->jacobians)
        status = mirror(context, host->jacobians, &jacobians);
    call.points = &points;
    call.values = &values;
    call.jacobians = host->jacobians ? &jacobians : NULL;
    if (status == PLUMB_OK)
        status = plumb_copy(context, host->points, &points, NULL);
    if (status == PLUMB_OK)
        status = plumb_context_machine(context, PLUMB_DEVICE, &m);
    if (status == PLUMB_OK)
        status = m->ops->eval(m, &call, NULL);
    if (status == PLUMB_OK)
        status = plumb_copy(context, &values, host->values, NULL);
    if (status == PLUMB_OK && host->jacobians)
        status = plumb_copy(context, &jacobians, host->jacobians, NULL);
    plumb_array_destroy(context, &points);
    plumb_array_destroy(context, &values);
    plumb_array_destroy(context, &jacobians);
    return status;
}

plumb_status plumb_system_eval(plumb_context *context, const plumb_system *system, const plumb_view *points,
                               plumb_view *values, plumb_view *jacobians, plumb_stream stream)
{
    machine *m = NULL;
    eval_call call = {.points = points, .values = values, .jacobians = jacobians};
    if (!context)
        return plumb_no_context();
    plumb_status status = check(context, system, &call);
    if (status == PLUMB_OK)
        status = prepare(context, system, &call);
    if (status == PLUMB_OK && points->where == PLUMB_HOST && gpu_pays(context, &call))
        return eval_by_copies(context, &call);
    if (status == PLUMB_OK)
        status = plumb_context_machine(context, points->where, &m);
    if (status != PLUMB_OK)
        return status;
    return m->ops->eval(m, &call, stream);
}
