/* batch.c - plumb_lsq_batch: many systems of one shape. Results are batch-invariant, and one system never sees another. */
#include "base/array/view.h"
#include "base/call/message.h"
#include "solver/lsq/check.h"
#include "solver/lsq/place.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* The first system of a batch, or the shape of them all. */
static plumb_view first_of(const plumb_view *view)
{
    plumb_view one = *view;
    one.batch = 1;
    return one;
}

/* The view as a whole, and that its systems are what plumb_lsq takes. */
static plumb_status check_operand(plumb_context *context, const plumb_view *view, const char *name, const plumb_view *a,
                                  int32_t parts, int64_t rows, int64_t cols)
{
    plumb_status status = plumb_view_check(view, name, context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    plumb_view one = first_of(view);
    if (view->batch > 0) /* there is no first one otherwise */
        status = view == a ? lsq_check_matrix(context, &one) : lsq_check(context, &one, name, a, parts, rows, cols);
    if (status == PLUMB_OK && view->batch != a->batch)
        status = SAY(PLUMB_ERR_ARGUMENT, "%s is a batch of %lld, a of %lld", name, (long long)view->batch,
                     (long long)a->batch);
    return status;
}

/* Systems are solved in no particular order, so no result may lie where another system's data do. */
static plumb_status check_apart(plumb_context *context, const plumb_view *out, const char *out_name,
                                const plumb_view *other, const char *name)
{
    if (plumb_view_overlap(out, other))
        return SAY(PLUMB_ERR_ARGUMENT, "%s overlaps %s", out_name, name);
    return PLUMB_OK;
}

static plumb_status check(plumb_context *context, const lsq_call *call)
{
    const plumb_view *a = call->a, *b = call->b, *x = call->x, *residual = call->residual;
    if (!a || !b || !x)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", !a ? "a" : !b ? "b" : "x");
    plumb_status status = check_operand(context, a, "a", a, a->parts, a->rows, a->cols);
    if (status == PLUMB_OK)
        status = check_operand(context, b, "b", a, a->parts, a->rows, b->cols);
    if (status == PLUMB_OK)
        status = check_operand(context, x, "x", a, a->parts, a->cols, b->cols);
    if (status == PLUMB_OK && residual)
        status = check_operand(context, residual, "residual", a, PLUMB_REAL, 1, b->cols);
    if (status == PLUMB_OK)
        status = check_apart(context, x, "x", a, "a");
    if (status == PLUMB_OK)
        status = check_apart(context, x, "x", b, "b");
    if (status == PLUMB_OK && residual)
        status = check_apart(context, residual, "residual", a, "a");
    if (status == PLUMB_OK && residual)
        status = check_apart(context, residual, "residual", b, "b");
    if (status == PLUMB_OK && residual)
        status = check_apart(context, residual, "residual", x, "x");
    return status;
}

plumb_status plumb_lsq_batch(plumb_context *context, const plumb_view *a, const plumb_view *b, plumb_view *x,
                             plumb_view *residual, plumb_info *info, const plumb_lsq_options *given)
{
    plumb_lsq_options options;
    lsq_call call = {.a = a, .b = b, .x = x, .residual = residual, .info = info, .options = &options};
    if (!context)
        return plumb_no_context();
    plumb_status status = check(context, &call);
    if (status == PLUMB_OK)
        status = lsq_settle_options(context, given, &options);
    if (status == PLUMB_OK)
        status = lsq_check_method(context, a, &options);
    if (status != PLUMB_OK || a->batch == 0)
        return status;
    call.dependent = lsq_dependent_rows(a);
    return lsq_run(context, &call, options.stream);
}
