/* system_eval.c - plumb_system_eval: checks the views, has the program and its coefficients ready, and hands both to the
 * machine where the points are. */
#include "solver/system_eval.h"

#include "base/message.h"
#include "base/view.h"
#include "solver/context.h"

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

plumb_status plumb_system_eval(plumb_context *context, const plumb_system *system, const plumb_view *points,
                               const plumb_view *values, const plumb_view *jacobians, plumb_stream stream)
{
    machine *m = NULL;
    eval_call call = {.points = points, .values = values, .jacobians = jacobians};
    if (!context)
        return PLUMB_ERR_ARGUMENT;
    plumb_status status = check(context, system, &call);
    if (status == PLUMB_OK)
        status = prepare(context, system, &call);
    if (status == PLUMB_OK)
        status = plumb_context_machine(context, points->where, &m);
    if (status != PLUMB_OK)
        return status;
    if (!m->ops->eval)
        return SAY(PLUMB_ERR_UNSUPPORTED, "evaluation has no GPU form in this version: points must be on the host");
    return m->ops->eval(m, &call, stream);
}
