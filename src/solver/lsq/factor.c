/* factor.c - factors a matrix once and solves later right-hand sides by the same recurrence with the stored columns.
 * Factors are kept on the CPU, also for matrices on a device. */
#include <stdlib.h>

#include "base/call/message.h"
#include "solver/lsq/check.h"
#include "solver/lsq/place.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

struct plumb_factor {
    struct lsq_factor *kept; /* NULL: the matrix could not be factored */
    const machine_ops *ops;  /* of the machine that keeps it */
    plumb_view like;         /* shape, precision, kind and place of the matrix */
};

plumb_status plumb_factor_create(plumb_context *context, const plumb_view *a, const plumb_lsq_options *given,
                                 plumb_info *info, plumb_factor **result)
{
    plumb_lsq_options options;
    plumb_info outcome = 0;
    if (!context)
        return plumb_no_context();
    if (!result)
        return SAY(PLUMB_ERR_ARGUMENT, "factor is NULL");
    *result = NULL;
    plumb_status status = lsq_check_tall(context, a);
    if (status == PLUMB_OK)
        status = lsq_settle_options(context, given, &options);
    if (status == PLUMB_OK && (options.method != PLUMB_METHOD_MGS || options.reorthogonalize))
        status = SAY(PLUMB_ERR_ARGUMENT, "a factor is made by modified Gram-Schmidt, once");
    if (status != PLUMB_OK)
        return status;
    plumb_factor *made = calloc(1, sizeof *made);
    if (!made)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    made->ops = context->cpu.ops;
    made->like = *a;
    made->like.data = NULL;
    const lsq_call call = {
        .a = a, .info = a->where == PLUMB_HOST ? &outcome : info, .options = &options, .keep = &made->kept};
    status = lsq_run(context, &call, options.stream);
    if (status == PLUMB_OK && a->where == PLUMB_HOST)
        status = lsq_give_outcome(outcome, info);
    if (status == PLUMB_OK)
        *result = made;
    else
        plumb_factor_destroy(made);
    return status;
}

plumb_status plumb_factor_solve(plumb_context *context, const plumb_factor *f, const plumb_view *b, plumb_view *x,
                                plumb_view *residual, plumb_info *info, plumb_stream stream)
{
    plumb_info outcome = 0;
    if (!context)
        return plumb_no_context();
    if (!f || !b || !x)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", !f ? "factor" : !b ? "b" : "x");
    const plumb_view *like = &f->like;
    plumb_status status = lsq_check(context, b, "b", like, like->parts, like->rows, b->cols);
    if (status == PLUMB_OK)
        status = lsq_check(context, x, "x", like, like->parts, like->cols, b->cols);
    if (status == PLUMB_OK && residual)
        status = lsq_check(context, residual, "residual", like, PLUMB_REAL, 1, b->cols);
    if (status == PLUMB_OK && !f->kept)
        status = SAY(PLUMB_ERR_SINGULAR, "the matrix of this factor could not be factored");
    if (status != PLUMB_OK)
        return status;
    const lsq_call call = {
        .b = b, .x = x, .residual = residual, .info = like->where == PLUMB_HOST ? &outcome : info, .factor = f->kept};
    status = lsq_run(context, &call, stream);
    return status == PLUMB_OK && like->where == PLUMB_HOST ? lsq_give_outcome(outcome, info) : status;
}

void plumb_factor_destroy(plumb_factor *f)
{
    if (f && f->kept)
        f->ops->lsq_forget(f->kept);
    free(f);
}
