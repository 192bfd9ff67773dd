/* step.c - plumb_newton_step: evaluate, solve, subtract, for arrays on the host and on a GPU.
 *
 * On a GPU two launches are queued and nothing waits: the kernel that solves also subtracts, and values and Jacobians
 * stay in memory that belongs to the stream. A problem that could not be solved has a correction of zero, so its
 * point does not move. */
#include "base/array/view.h"
#include "base/call/message.h"
#include "base/memory/size.h"
#include "solver/lsq/check.h"
#include "solver/lsq/place.h"
#include "solver/newton/newton.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* The arrays of a step in addition to x, dense. */
typedef struct step_arrays {
    plumb_view values, jacobians, corrections;
    plumb_info *info;
} step_arrays;

/* A piece of the room begins where a machine would have begun it. */
static bool reserve(int64_t doubles, int64_t *total, int64_t *at)
{
    const int64_t alignment = 32;
    int64_t padded;
    *at = *total;
    return size_add(doubles, alignment - 1, &padded) && size_add(*total, padded / alignment * alignment, total);
}

static plumb_status lay_out(plumb_context *context, const plumb_system *system, const plumb_view *x,
                            plumb_stream stream, step_arrays *s)
{
    const int64_t m = plumb_system_equations(system), n = plumb_system_unknowns(system);
    plumb_view *const views[] = {&s->values, &s->jacobians, &s->corrections};
    const int64_t rows[] = {m, m, n}, cols[] = {1, n, 1};
    int64_t total = 0, at[4];
    bool fits = true;
    for (int k = 0; k < 3 && fits; k++) {
        int64_t doubles = 0;
        fits = plumb_view_init(views[k], NULL, x->where, x->prec, x->parts, rows[k], cols[k], x->batch, &doubles) ==
                   PLUMB_OK &&
               reserve(doubles, &total, &at[k]);
    }
    if (!fits || !reserve(x->batch, &total, &at[3]) || total >= INT64_MAX / 8)
        return SAY(PLUMB_ERR_SIZE, "a Newton step at %lld points is too large for the memory", (long long)x->batch);
    machine *machine_of_x;
    void *memory = NULL;
    plumb_status status = plumb_context_machine(context, x->where, &machine_of_x);
    if (status == PLUMB_OK)
        status = machine_of_x->ops->scratch(machine_of_x, (size_t)total * sizeof(double), &memory, stream);
    if (status != PLUMB_OK)
        return status;
    for (int k = 0; k < 3; k++)
        views[k]->data = (double *)memory + at[k];
    s->info = (plumb_info *)(void *)((double *)memory + at[3]);
    return PLUMB_OK;
}

static plumb_status check(plumb_context *context, const plumb_system *system, const plumb_view *x, const plumb_view *dx)
{
    plumb_status status = newton_check_points(context, system, x);
    if (status != PLUMB_OK || !dx)
        return status;
    status = plumb_view_check(dx, "dx", context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    if (dx->rows != x->rows || dx->cols != 1 || dx->batch != x->batch || dx->prec != x->prec || dx->parts != x->parts ||
        dx->where != x->where)
        return SAY(PLUMB_ERR_ARGUMENT, "dx differs from x in its shape, precision, kind or place");
    if (plumb_view_overlap(dx, x))
        return SAY(PLUMB_ERR_ARGUMENT, "dx overlaps x");
    return PLUMB_OK;
}

plumb_status plumb_newton_step(plumb_context *context, const plumb_system *system, plumb_view *x, plumb_view *dx,
                               plumb_info *info, plumb_stream stream)
{
    step_arrays s = {.info = NULL};
    if (!context)
        return plumb_no_context();
    plumb_status status = check(context, system, x, dx);
    if (status != PLUMB_OK || x->batch == 0)
        return status;
    status = lay_out(context, system, x, stream, &s);
    plumb_view *y = dx ? dx : &s.corrections; /* J y = f, x -= y: no launch for the sign unless dx is requested */
    if (status == PLUMB_OK)
        status = plumb_system_eval(context, system, x, &s.values, &s.jacobians, stream);
    const lsq_call solve = {.a = &s.jacobians,
                            .b = &s.values,
                            .x = y,
                            .info = info || x->where == PLUMB_DEVICE ? info : s.info,
                            .corrected = x};
    if (status == PLUMB_OK)
        status = lsq_run(context, &solve, stream);
    if (status == PLUMB_OK && dx)
        status = plumb_map(context, PLUMB_OP_NEG, dx, NULL, NULL, dx, stream);
    if (status == PLUMB_OK && !info && x->where == PLUMB_HOST)
        status = lsq_give_outcomes(s.info, x->batch);
    return status;
}
