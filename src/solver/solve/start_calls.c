/* start_calls.c - plumb_start: the start systems of plumb_solve for those who make homotopies themselves. */
#include <math.h>
#include <stdlib.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/call/options.h"
#include "solver/solve/plan.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

struct plumb_start {
    solve_start of;
};

void plumb_start_options_init(plumb_start_options *options)
{
    if (options)
        *options = (plumb_start_options){.size = sizeof *options, .seed = 1, .max_work = 10000000};
}

static plumb_status read_options(plumb_context *context, const plumb_start_options *given, plumb_start_options *options)
{
    static const option_field fields[] = {
        OPTION_RANGE(plumb_start_options, kind, OPTION_INT32, PLUMB_START_AUTO, PLUMB_START_POLYHEDRAL),
        OPTION_FLAG(plumb_start_options, nonzero),
        OPTION_RANGE(plumb_start_options, max_work, OPTION_INT64, 0.0, (double)INFINITY), OPTION_END};
    plumb_start_options_init(options);
    return plumb_options_take(given, options, fields, context->message, sizeof context->message);
}

static plumb_status check(plumb_context *context, const plumb_system *target, plumb_start **start)
{
    if (!start)
        return SAY(PLUMB_ERR_ARGUMENT, "start is NULL");
    *start = NULL;
    if (!target)
        return SAY(PLUMB_ERR_ARGUMENT, "target is NULL");
    if (target->denominators)
        return SAY(PLUMB_ERR_ARGUMENT, SYSTEM_HAS_DENOMINATORS);
    if (target->equations != target->unknowns)
        return SAY(PLUMB_ERR_ARGUMENT, "target has %lld equations and %lld unknowns, expected as many",
                   (long long)target->equations, (long long)target->unknowns);
    for (int64_t k = 0; k < target->equations; k++)
        if (plumb_system_degree(target, k) < 1)
            return SAY(PLUMB_ERR_ARGUMENT, "equation %lld of target is constant", (long long)k);
    return PLUMB_OK;
}

plumb_status plumb_start_create(plumb_context *context, const plumb_system *target, const plumb_start_options *given,
                                plumb_start **start)
{
    plumb_start_options options;
    if (!context)
        return plumb_no_context();
    plumb_status status = check(context, target, start);
    if (status == PLUMB_OK)
        status = read_options(context, given, &options);
    if (status != PLUMB_OK)
        return status;
    plumb_start *made = calloc(1, sizeof *made);
    if (!made)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    solve_plan plan = {.context = context, .system = target};
    plumb_solve_options_init(&plan.options);
    plan.options.start = options.kind;
    plan.options.nonzero = options.nonzero;
    plan.options.seed = options.seed;
    plan.options.max_work = options.max_work;
    plan.report.total_degree = plan.report.multihomogeneous = plan.report.polyhedral = -1;
    status = plumb_solve_plan_start(context, &plan);
    if (status == PLUMB_OK && plan.start.paths == 0)
        status = SAY(PLUMB_ERR_ARGUMENT, "the start system has no solutions");
    if (status == PLUMB_OK) {
        made->of = plan.start;
        plan.start = (solve_start){.kind = PLUMB_START_AUTO};
        *start = made;
    } else {
        free(made);
    }
    plumb_solve_plan_clear(&plan);
    return status;
}

void plumb_start_destroy(plumb_start *start)
{
    if (start)
        plumb_solve_start_clear(&start->of);
    free(start);
}

int32_t plumb_start_kind(const plumb_start *start)
{
    return start ? start->of.kind : PLUMB_START_AUTO;
}

int64_t plumb_start_paths(const plumb_start *start)
{
    return start ? start->of.paths : 0;
}

const plumb_system *plumb_start_system(const plumb_start *start)
{
    return start ? start->of.system : NULL;
}

plumb_status plumb_start_homotopy(const plumb_start *start, const plumb_system *target,
                                  const plumb_homotopy_options *options, plumb_homotopy **homotopy)
{
    plumb_homotopy_options with;
    const option_field none[] = {OPTION_END}; /* plumb_homotopy_create checks the fields */
    plumb_call_begin();
    if (homotopy)
        *homotopy = NULL;
    if (!start)
        return plumb_call_end(plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "start is NULL"));
    plumb_homotopy_options_init(&with);
    char message[200] = "";
    plumb_status status = plumb_options_take(options, &with, none, message, sizeof message);
    if (status != PLUMB_OK)
        return plumb_call_end(plumb_say(status, NULL, 0, "%s", message));
    if (with.gamma[0] == 0.0 && with.gamma[1] == 0.0)
        with.gamma[0] = start->of.gamma; /* 0: at random */
    return plumb_homotopy_create(start->of.system, target, &with, homotopy);
}

static plumb_status check_points(plumb_context *context, const plumb_start *start, const int64_t *numbers,
                                 const plumb_view *x)
{
    if (!start || !x)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", start ? "x" : "start");
    plumb_status status = plumb_view_check(x, "x", context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    if (x->rows != start->of.system->unknowns || x->cols != 1 || x->parts != PLUMB_COMPLEX || x->where != PLUMB_HOST)
        return SAY(PLUMB_ERR_ARGUMENT, "x is to be %lld x 1, complex and on the host",
                   (long long)start->of.system->unknowns);
    for (int64_t k = 0; k < x->batch; k++) {
        const int64_t number = numbers ? numbers[k] : k;
        if (number < 0 || number >= start->of.paths || (numbers && k > 0 && number <= numbers[k - 1]))
            return SAY(PLUMB_ERR_ARGUMENT, "number %lld is %lld, expected ascending numbers from 0 to %lld",
                       (long long)k, (long long)number, (long long)start->of.paths - 1);
    }
    return PLUMB_OK;
}

plumb_status plumb_start_solutions(plumb_context *context, const plumb_start *start, const int64_t *numbers,
                                   plumb_view *x)
{
    if (!context)
        return plumb_no_context();
    plumb_status status = check_points(context, start, numbers, x);
    if (status != PLUMB_OK || x->batch == 0)
        return status;
    plumb_view made = {.data = NULL};
    int64_t *list = malloc((size_t)x->batch * sizeof *list);
    status = list ? plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, x->rows, 1, x->batch, &made)
                  : SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < x->batch && status == PLUMB_OK; k++)
        list[k] = numbers ? numbers[k] : k;
    if (status == PLUMB_OK)
        status = start->of.make(&start->of, context, list, 0, &made);
    if (status == PLUMB_OK)
        status = plumb_copy(context, &made, x, NULL);
    plumb_array_destroy(context, &made);
    free(list);
    return status;
}
