/* check.c - see check.h. */
#include "solver/lsq/check.h"

#include <math.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/call/options.h"
#include "method/lsq/error.h"

void plumb_lsq_options_init(plumb_lsq_options *options)
{
    if (options)
        *options = (plumb_lsq_options){.size = sizeof *options};
}

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

plumb_status lsq_check(plumb_context *context, const plumb_view *view, const char *name, const plumb_view *like,
                       int32_t parts, int64_t rows, int64_t cols)
{
    plumb_status status = plumb_view_check(view, name, context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    if (view->where != like->where)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is on the %s, a is not", name,
                   view->where == PLUMB_HOST ? "host" : "device");
    if (view->prec != like->prec || view->parts != parts)
        return SAY(PLUMB_ERR_ARGUMENT, "%s and a differ in precision, or in being real or complex", name);
    if (view->rows != rows || view->cols != cols || view->batch != 1)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is %lld x %lld, %lld of them, where one of %lld x %lld is expected", name,
                   (long long)view->rows, (long long)view->cols, (long long)view->batch, (long long)rows,
                   (long long)cols);
    return PLUMB_OK;
}

plumb_status lsq_check_matrix(plumb_context *context, const plumb_view *a)
{
    if (!a)
        return SAY(PLUMB_ERR_ARGUMENT, "a is NULL");
    plumb_status status = lsq_check(context, a, "a", a, a->parts, a->rows, a->cols);
    if (status == PLUMB_OK && (a->cols < 1 || a->rows < 1))
        status = SAY(PLUMB_ERR_ARGUMENT, "a is %lld x %lld: at least one row and one column are needed",
                     (long long)a->rows, (long long)a->cols);
    return status;
}

plumb_status lsq_check_tall(plumb_context *context, const plumb_view *a)
{
    plumb_status status = lsq_check_matrix(context, a);
    if (status == PLUMB_OK && a->rows < a->cols)
        status = SAY(PLUMB_ERR_ARGUMENT, "a is %lld x %lld: at least as many rows as columns are needed",
                     (long long)a->rows, (long long)a->cols);
    return status;
}

plumb_status lsq_check_method(plumb_context *context, const plumb_view *a, plumb_lsq_options *options)
{
    const bool wide = a->rows < a->cols;
    if (options->method == PLUMB_METHOD_LU && a->rows != a->cols)
        return SAY(PLUMB_ERR_ARGUMENT, "Gaussian elimination needs a square matrix, a is %lld x %lld",
                   (long long)a->rows, (long long)a->cols);
    if (options->pivot && wide)
        return SAY(PLUMB_ERR_ARGUMENT, "pivoting needs at least as many rows as columns, a is %lld x %lld",
                   (long long)a->rows, (long long)a->cols);
    if (wide && a->where == PLUMB_DEVICE)
        options->method = PLUMB_METHOD_MGS;
    return PLUMB_OK;
}

plumb_status lsq_check_apart(plumb_context *context, const plumb_view *result, const char *name,
                             const plumb_view *operand, const char *operand_name)
{
    if (result && operand && plumb_view_overlap(result, operand))
        return SAY(PLUMB_ERR_ARGUMENT, "%s overlaps %s, which is not to be changed", name, operand_name);
    return PLUMB_OK;
}

plumb_status lsq_settle_options(plumb_context *context, const plumb_lsq_options *given, plumb_lsq_options *options)
{
    static const option_field fields[] = {
        OPTION_RANGE(plumb_lsq_options, method, OPTION_INT32, PLUMB_METHOD_MGS, PLUMB_METHOD_LU),
        OPTION_PRECISION(plumb_lsq_options, factor_prec),
        OPTION_FLAG(plumb_lsq_options, pivot),
        OPTION_FLAG(plumb_lsq_options, reorthogonalize),
        OPTION_FLAG(plumb_lsq_options, orthogonality),
        OPTION_RANGE(plumb_lsq_options, rounded, OPTION_INT32, 0.0, PLUMB_ROUNDED_SIDES),
        OPTION_END};
    plumb_lsq_options_init(options);
    plumb_status status = plumb_options_take(given, options, fields, context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    if (options->method != PLUMB_METHOD_MGS && (options->pivot || options->reorthogonalize))
        return SAY(PLUMB_ERR_ARGUMENT, "pivoting and reorthogonalisation belong to modified Gram-Schmidt");
    return PLUMB_OK;
}

plumb_status lsq_give_outcome(plumb_info outcome, plumb_info *info)
{
    if (info)
        *info = outcome;
    if (info || outcome == 0)
        return PLUMB_OK;
    return outcome > 0 ? PLUMB_ERR_SINGULAR : (plumb_status)-outcome;
}

plumb_status lsq_give_outcomes(const plumb_info *info, int64_t count)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++)
        status = lsq_give_outcome(info[k], NULL);
    return status;
}

double lsq_dependent_rows(const plumb_view *a)
{
    return a->rows < a->cols ? lsq_dependent(a->cols, a->prec) : 0.0;
}
