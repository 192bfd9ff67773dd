/* triangles.c - plumb_trsm, plumb_cholesky and plumb_cholesky_solve: check the operands; backend/common/triangles.c does the rest. */
#include <stdbool.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/call/options.h"
#include "solver/context/context.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

void plumb_triangle_options_init(plumb_triangle_options *options)
{
    if (options)
        *options = (plumb_triangle_options){.size = sizeof *options};
}

static plumb_status settle(plumb_context *context, const plumb_triangle_options *given, plumb_triangle_options *options)
{
    static const option_field fields[] = {
        OPTION_RANGE(plumb_triangle_options, triangle, OPTION_INT32, PLUMB_LOWER, PLUMB_UPPER),
        OPTION_RANGE(plumb_triangle_options, side, OPTION_INT32, PLUMB_SIDE_LEFT, PLUMB_SIDE_RIGHT),
        OPTION_RANGE(plumb_triangle_options, of_t, OPTION_INT32, PLUMB_OPERAND_PLAIN, PLUMB_OPERAND_ADJOINT),
        OPTION_FLAG(plumb_triangle_options, unit),
        OPTION_RANGE(plumb_triangle_options, method, OPTION_INT32, PLUMB_GEMM_AUTO, PLUMB_GEMM_RESIDUES),
        OPTION_RESERVED(plumb_triangle_options, reserved),
        OPTION_RANGE(plumb_triangle_options, workspace, OPTION_INT64, 0.0, INFINITY),
        OPTION_END};
    plumb_triangle_options_init(options);
    return plumb_options_take(given, options, fields, context->message, sizeof context->message);
}

/* ---- Calls --------------------------------------------------------------------------------------------------------- */

static plumb_status check_square(plumb_context *context, const plumb_view *v, const char *name)
{
    plumb_status status = plumb_view_check(v, name, context->message, sizeof context->message);
    if (status == PLUMB_OK && v->rows != v->cols)
        status = SAY(PLUMB_ERR_ARGUMENT, "%s is %lld x %lld, expected a square matrix", name, (long long)v->rows,
                     (long long)v->cols);
    return status;
}

/* Checks t and b, and prepares the call on their machine. */
static plumb_status enter(plumb_context *context, const plumb_view *t, const char *name, const plumb_view *b,
                          const plumb_triangle_options *options, int32_t side, triangles *call)
{
    plumb_status status = check_square(context, t, name);
    if (status == PLUMB_OK)
        status = plumb_view_check(b, "b", context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    if (t->where != b->where)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is on the %s, b is not", name, t->where == PLUMB_HOST ? "host" : "device");
    if (t->prec != b->prec || t->parts != b->parts)
        return SAY(PLUMB_ERR_ARGUMENT, "%s and b differ in precision, or in being real or complex", name);
    if (t->batch != b->batch && t->batch != 1)
        return SAY(PLUMB_ERR_ARGUMENT, "%s: a batch of %lld, where 1 or %lld are expected", name, (long long)t->batch,
                   (long long)b->batch);
    if (plumb_view_overlap(t, b))
        return SAY(PLUMB_ERR_ARGUMENT, "b overlaps %s, which is not to be changed", name);
    if (t->rows != (side == PLUMB_SIDE_LEFT ? b->rows : b->cols))
        return SAY(PLUMB_ERR_ARGUMENT, "%s is %lld x %lld and b %lld x %lld, which do not match", name,
                   (long long)t->rows, (long long)t->cols, (long long)b->rows, (long long)b->cols);
    if (options->method == PLUMB_GEMM_RESIDUES && (b->where == PLUMB_HOST || b->prec == PLUMB_D))
        return SAY(PLUMB_ERR_UNSUPPORTED, "method: residues are for arrays on the device in dd and qd");
    *call = (triangles){.triangle = options->triangle,
                        .side = side,
                        .of = options->of_t,
                        .unit = options->unit,
                        .method = options->method,
                        .workspace = options->workspace,
                        .stream = options->stream};
    return view_is_empty(b) ? PLUMB_OK : plumb_context_machine(context, b->where, &call->m);
}

plumb_status plumb_trsm(plumb_context *context, const plumb_view *t, plumb_view *b, const plumb_triangle_options *given)
{
    if (!context)
        return plumb_no_context();
    plumb_triangle_options options;
    triangles call;
    plumb_status status = settle(context, given, &options);
    if (status == PLUMB_OK)
        status = enter(context, t, "t", b, &options, options.side, &call);
    return status != PLUMB_OK || view_is_empty(b) ? status : backend_solve_triangle(&call, t, b);
}

/* These options are for plumb_trsm alone. */
static plumb_status check_plain(plumb_context *context, const plumb_triangle_options *options)
{
    if (options->side != PLUMB_SIDE_LEFT || options->of_t != PLUMB_OPERAND_PLAIN || options->unit)
        return SAY(PLUMB_ERR_ARGUMENT, "side, of_t and unit are options of plumb_trsm, expected 0");
    return PLUMB_OK;
}

plumb_status plumb_cholesky_solve(plumb_context *context, const plumb_view *factor_, plumb_view *b,
                                  const plumb_triangle_options *given)
{
    if (!context)
        return plumb_no_context();
    plumb_triangle_options options;
    triangles call;
    plumb_status status = settle(context, given, &options);
    if (status == PLUMB_OK)
        status = check_plain(context, &options);
    if (status == PLUMB_OK)
        status = enter(context, factor_, "factor", b, &options, PLUMB_SIDE_LEFT, &call);
    if (status != PLUMB_OK || view_is_empty(b))
        return status;
    call.of = options.triangle == PLUMB_LOWER ? PLUMB_OPERAND_PLAIN : PLUMB_OPERAND_ADJOINT;
    status = backend_solve_triangle(&call, factor_, b);
    call.of = PLUMB_OPERAND_ADJOINT - call.of;
    return status == PLUMB_OK ? backend_solve_triangle(&call, factor_, b) : status;
}

/* The outcomes of a call without info, on its machine; the first failure becomes the status. */
static plumb_status outcome_of(plumb_context *context, const triangles *call, const plumb_view *a)
{
    const plumb_view info = {.data = (double *)(void *)call->info,
                             .rows = a->batch,
                             .cols = 1,
                             .batch = 1,
                             .plane = a->batch,
                             .col = a->batch,
                             .next = a->batch,
                             .prec = PLUMB_D,
                             .parts = PLUMB_REAL,
                             .where = a->where};
    plumb_view found;
    plumb_status status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_REAL, a->batch, 1, 1, &found);
    if (status != PLUMB_OK)
        return status;
    status = plumb_copy(context, &info, &found, call->stream);
    for (int64_t k = 0; k < a->batch && status == PLUMB_OK; k++) {
        const plumb_info one = ((const plumb_info *)(const void *)found.data)[k];
        if (one > 0)
            status = SAY(PLUMB_ERR_SINGULAR, "the leading %lld columns of the matrix are not positive definite",
                         (long long)one);
        else if (one < 0)
            status = SAY((plumb_status)-one, "the matrix has infinities or NaN, or its factor overflows");
    }
    plumb_array_destroy(context, &found);
    return status;
}

plumb_status plumb_cholesky(plumb_context *context, plumb_view *a, plumb_info *info,
                            const plumb_triangle_options *given)
{
    if (!context)
        return plumb_no_context();
    plumb_triangle_options options;
    plumb_status status = settle(context, given, &options);
    if (status == PLUMB_OK)
        status = check_plain(context, &options);
    triangles call = {.triangle = options.triangle,
                      .method = options.method,
                      .workspace = options.workspace,
                      .stream = options.stream,
                      .info = info};
    if (status == PLUMB_OK)
        status = check_square(context, a, "a");
    if (status == PLUMB_OK && options.method == PLUMB_GEMM_RESIDUES && (a->where == PLUMB_HOST || a->prec == PLUMB_D))
        status = SAY(PLUMB_ERR_UNSUPPORTED, "method: residues are for arrays on the device in dd and qd");
    if (status != PLUMB_OK || a->batch == 0)
        return status;
    plumb_view own = {0};
    if (a->rows == 0) { /* 0 for every matrix, and nothing else */
        if (a->where == PLUMB_HOST)
            for (int64_t k = 0; k < a->batch && info; k++)
                info[k] = 0;
        return PLUMB_OK;
    }
    machine *m;
    status = plumb_context_machine(context, a->where, &m);
    if (status != PLUMB_OK)
        return status;
    call.m = m;
    if (!info) {
        status = plumb_array_create(context, a->where, PLUMB_D, PLUMB_REAL, a->batch, 1, 1, &own);
        if (status != PLUMB_OK)
            return status;
        call.info = (plumb_info *)(void *)own.data;
    }
    status = backend_cholesky(&call, a, 0);
    const cholesky_call finish = {.a = a, .triangle = options.triangle, .finish = 1, .info = call.info};
    if (status == PLUMB_OK)
        status = m->ops->cholesky(m, &finish, options.stream);
    if (!info) {
        if (status == PLUMB_OK)
            status = outcome_of(context, &call, a);
        plumb_array_destroy(context, &own);
    }
    return status;
}
