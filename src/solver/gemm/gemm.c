/* gemm.c - plumb_gemm, C = alpha op(A) op(B) + beta C: checks the views and passes them to the machine that holds them. */
#include <stdbool.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/call/options.h"
#include "solver/context/context.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

void plumb_gemm_options_init(plumb_gemm_options *options)
{
    if (options)
        *options = (plumb_gemm_options){.size = sizeof *options};
}

static plumb_status settle(plumb_context *context, const plumb_gemm_options *given, plumb_gemm_options *options)
{
    static const option_field fields[] = {
        OPTION_RANGE(plumb_gemm_options, of_a, OPTION_INT32, PLUMB_OPERAND_PLAIN, PLUMB_OPERAND_ADJOINT),
        OPTION_RANGE(plumb_gemm_options, of_b, OPTION_INT32, PLUMB_OPERAND_PLAIN, PLUMB_OPERAND_ADJOINT),
        OPTION_RANGE(plumb_gemm_options, method, OPTION_INT32, PLUMB_GEMM_AUTO, PLUMB_GEMM_RESIDUES),
        OPTION_RESERVED(plumb_gemm_options, reserved),
        OPTION_RANGE(plumb_gemm_options, workspace, OPTION_INT64, 0.0, INFINITY),
        OPTION_END};
    plumb_gemm_options_init(options);
    return plumb_options_take(given, options, fields, context->message, sizeof context->message);
}

/* Checks an operand; *rows and *cols receive the shape of op(view). */
static plumb_status check_operand(plumb_context *context, const plumb_view *view, const char *name, int32_t of,
                                  const plumb_view *c, int64_t *rows, int64_t *cols)
{
    plumb_status status = plumb_view_check(view, name, context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    if (view->where != c->where)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is on the %s, c is not", name,
                   view->where == PLUMB_HOST ? "host" : "device");
    if (view->prec != c->prec || view->parts != c->parts)
        return SAY(PLUMB_ERR_ARGUMENT, "%s and c differ in precision, or in being real or complex", name);
    if (view->batch != c->batch && view->batch != 1)
        return SAY(PLUMB_ERR_ARGUMENT, "%s: a batch of %lld, where 1 or %lld are expected", name,
                   (long long)view->batch, (long long)c->batch);
    if (plumb_view_overlap(view, c))
        return SAY(PLUMB_ERR_ARGUMENT, "c overlaps %s, which is not to be changed", name);
    const bool transposed = (of & PLUMB_OPERAND_TRANSPOSE) != 0;
    *rows = transposed ? view->cols : view->rows;
    *cols = transposed ? view->rows : view->cols;
    return PLUMB_OK;
}

static plumb_status check(plumb_context *context, const plumb_view *a, const plumb_view *b, const plumb_view *c,
                          const plumb_gemm_options *options)
{
    int64_t m, k, inner, n;
    plumb_status status = plumb_view_check(c, "c", context->message, sizeof context->message);
    if (status == PLUMB_OK)
        status = check_operand(context, a, "a", options->of_a, c, &m, &k);
    if (status == PLUMB_OK)
        status = check_operand(context, b, "b", options->of_b, c, &inner, &n);
    if (status != PLUMB_OK)
        return status;
    if (k != inner || m != c->rows || n != c->cols)
        return SAY(PLUMB_ERR_ARGUMENT, "op(a) is %lld x %lld, op(b) %lld x %lld and c %lld x %lld, which do not match",
                   (long long)m, (long long)k, (long long)inner, (long long)n, (long long)c->rows, (long long)c->cols);
    if (options->method == PLUMB_GEMM_RESIDUES && (c->where == PLUMB_HOST || c->prec == PLUMB_D))
        return SAY(PLUMB_ERR_UNSUPPORTED, "method: residues are for arrays on the device in dd and qd");
    return PLUMB_OK;
}

/* True if a number is exactly `value` + 0i; NULL stands for `otherwise`. */
static bool is(const double *number, const plumb_view *c, double value, bool otherwise)
{
    if (!number)
        return otherwise;
    for (int32_t p = 1; p < c->prec * c->parts; p++)
        if (number[p] != 0.0)
            return false;
    return number[0] == value;
}

plumb_status plumb_gemm(plumb_context *context, const plumb_view *a, const plumb_view *b, plumb_view *c,
                        const plumb_gemm_options *given, plumb_gemm_report *report)
{
    if (!context)
        return plumb_no_context();
    plumb_gemm_report own, *to = report ? report : &own;
    *to = (plumb_gemm_report){.backend = PLUMB_BACKEND_CPU};
    plumb_gemm_options options;
    plumb_status status = settle(context, given, &options);
    if (status == PLUMB_OK)
        status = check(context, a, b, c, &options);
    if (status != PLUMB_OK || view_is_empty(c))
        return status;
    machine *m;
    status = plumb_context_machine(context, c->where, &m);
    if (status != PLUMB_OK)
        return status;
    if (!m->ops->gemm)
        return SAY(PLUMB_ERR_UNSUPPORTED, "products of arrays on the device are not part of this build");
    const gemm_call call = {.a = a,
                            .b = b,
                            .c = c,
                            .of_a = options.of_a,
                            .of_b = options.of_b,
                            .alpha = is(options.alpha, c, 1.0, true) ? NULL : options.alpha,
                            .beta = is(options.beta, c, 1.0, false) ? NULL : options.beta,
                            .no_terms = is(options.alpha, c, 0.0, false),
                            .fresh = is(options.beta, c, 0.0, true),
                            .method = options.method,
                            .workspace = options.workspace ? options.workspace : INT64_C(1) << 31,
                            .report = to,
                            .wait = report != NULL};
    return m->ops->gemm(m, &call, options.stream);
}
