/* triangles.c - plumb_trsm, plumb_cholesky and plumb_cholesky_solve: triangular matrices are halved until the machine solves or factors a
 * block of TRIANGLE_BLOCK columns; everything else is products of matrices.
 *
 * A system of n unknowns is one of n/2, a product that takes its solution away from the other right-hand sides, and another
 * system. A factor is that of the leading half, a system for the block next to it, a product, and the factor of the
 * rest. Halves are TRIANGLE_BLOCK times a power of two, so that the order of all sums depends on n alone. */
#include <stdbool.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/call/options.h"
#include "method/gemm/triangle.h"
#include "solver/context/context.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* Square blocks of a Hermitian matrix that are larger than this are updated in two halves and the block between them, which leaves out a
 * part of the other half; smaller ones are not worth more calls. */
enum { WHOLE_BLOCK = 256 };

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

/* A call while it is divided. */
typedef struct triangles {
    machine *m;
    const plumb_triangle_options *options;
    int32_t side, of, unit;
    plumb_info *info;
} triangles;

static plumb_view part(const plumb_view *v, int64_t row, int64_t col, int64_t rows, int64_t cols)
{
    plumb_view p = *v;
    p.data += col * v->col + row;
    p.rows = rows, p.cols = cols;
    return p;
}

/* TRIANGLE_BLOCK times the largest power of two that is less than n. */
static int64_t half_of(int64_t n)
{
    int64_t half = TRIANGLE_BLOCK;
    while (2 * half < n)
        half *= 2;
    return half;
}

/* C -= op(A) op(B) */
static plumb_status subtract(const triangles *t, const plumb_view *a, int32_t of_a, const plumb_view *b, int32_t of_b,
                             plumb_view *c)
{
    static const double minus[PLUMB_COMPLEX * PLUMB_QD] = {-1.0};
    plumb_gemm_report report = {.backend = PLUMB_BACKEND_CPU};
    const gemm_call call = {.a = a,
                            .b = b,
                            .c = c,
                            .of_a = of_a,
                            .of_b = of_b,
                            .alpha = minus,
                            .method = t->options->method,
                            .workspace = t->options->workspace ? t->options->workspace : INT64_C(1) << 31,
                            .report = &report};
    return view_is_empty(c) ? PLUMB_OK : t->m->ops->gemm(t->m, &call, t->options->stream);
}

static plumb_status solve(const triangles *call, const plumb_view *t, plumb_view *b)
{
    if (t->rows <= TRIANGLE_BLOCK) {
        const triangle_call leaf = {.t = t,
                                    .b = b,
                                    .triangle = call->options->triangle,
                                    .side = call->side,
                                    .of_t = call->of,
                                    .unit = call->unit};
        return call->m->ops->triangle(call->m, &leaf, call->options->stream);
    }
    const bool lower = call->options->triangle == PLUMB_LOWER, left = call->side == PLUMB_SIDE_LEFT;
    const bool transposed = (call->of & PLUMB_OPERAND_TRANSPOSE) != 0;
    const int64_t n = t->rows, half = half_of(n), rest = n - half;
    const plumb_view next = lower ? part(t, half, 0, rest, half) : part(t, 0, half, half, rest);
    const plumb_view corner[2] = {part(t, 0, 0, half, half), part(t, half, half, rest, rest)};
    plumb_view x[2] = {left ? part(b, 0, 0, half, b->cols) : part(b, 0, 0, b->rows, half),
                       left ? part(b, half, 0, rest, b->cols) : part(b, 0, half, b->rows, rest)};
    const int first = (lower != transposed) != left; /* the half of the unknowns that comes first */
    plumb_status status = solve(call, &corner[first], &x[first]);
    if (status == PLUMB_OK)
        status = left ? subtract(call, &next, call->of, &x[first], PLUMB_OPERAND_PLAIN, &x[!first])
                      : subtract(call, &x[first], PLUMB_OPERAND_PLAIN, &next, call->of, &x[!first]);
    return status == PLUMB_OK ? solve(call, &corner[!first], &x[!first]) : status;
}

/* ---- Cholesky ------------------------------------------------------------------------------------------------------ */

/* One half of C, and on small blocks all of it, minus V V^H (lower) or V^H V (upper). */
static plumb_status downdate(const triangles *call, const plumb_view *v, plumb_view *c)
{
    const bool lower = call->options->triangle == PLUMB_LOWER;
    const int32_t of_a = lower ? PLUMB_OPERAND_PLAIN : PLUMB_OPERAND_ADJOINT, of_b = PLUMB_OPERAND_ADJOINT - of_a;
    const int64_t n = c->rows;
    if (n <= WHOLE_BLOCK)
        return subtract(call, v, of_a, v, of_b, c);
    const int64_t half = half_of(n), rest = n - half;
    const plumb_view v1 = lower ? part(v, 0, 0, half, v->cols) : part(v, 0, 0, v->rows, half);
    const plumb_view v2 = lower ? part(v, half, 0, rest, v->cols) : part(v, 0, half, v->rows, rest);
    plumb_view c1 = part(c, 0, 0, half, half), c2 = part(c, half, half, rest, rest);
    plumb_view between = lower ? part(c, half, 0, rest, half) : part(c, 0, half, half, rest);
    plumb_status status = downdate(call, &v1, &c1);
    if (status == PLUMB_OK)
        status =
            lower ? subtract(call, &v2, of_a, &v1, of_b, &between) : subtract(call, &v1, of_a, &v2, of_b, &between);
    return status == PLUMB_OK ? downdate(call, &v2, &c2) : status;
}

/* True if no matrix has a factor, which the host knows only of its own. */
static bool none_is_left(const triangles *call, const plumb_view *a)
{
    if (a->where != PLUMB_HOST)
        return false;
    for (int64_t k = 0; k < a->batch; k++)
        if (call->info[k] == 0)
            return false;
    return true;
}

static plumb_status factor(const triangles *call, plumb_view *a, int64_t first)
{
    const bool lower = call->options->triangle == PLUMB_LOWER;
    if (a->rows <= TRIANGLE_BLOCK) {
        const cholesky_call leaf = {.a = a, .first = first, .triangle = call->options->triangle, .info = call->info};
        return call->m->ops->cholesky(call->m, &leaf, call->options->stream);
    }
    const int64_t n = a->rows, half = half_of(n), rest = n - half;
    plumb_view a1 = part(a, 0, 0, half, half), a2 = part(a, half, half, rest, rest);
    plumb_view next = lower ? part(a, half, 0, rest, half) : part(a, 0, half, half, rest);
    plumb_status status = factor(call, &a1, first);
    if (status != PLUMB_OK || none_is_left(call, a))
        return status;
    triangles system = *call; /* X L1^H = A21, or U1^H X = A12 */
    system.side = lower ? PLUMB_SIDE_RIGHT : PLUMB_SIDE_LEFT;
    system.of = PLUMB_OPERAND_ADJOINT;
    status = solve(&system, &a1, &next);
    if (status == PLUMB_OK)
        status = downdate(call, &next, &a2);
    return status == PLUMB_OK ? factor(call, &a2, first + half) : status;
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
    *call = (triangles){.options = options, .side = side, .of = options->of_t, .unit = options->unit};
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
    return status != PLUMB_OK || view_is_empty(b) ? status : solve(&call, t, b);
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
    status = solve(&call, factor_, b);
    call.of = PLUMB_OPERAND_ADJOINT - call.of;
    return status == PLUMB_OK ? solve(&call, factor_, b) : status;
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
    status = plumb_copy(context, &info, &found, call->options->stream);
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
    triangles call = {.options = &options, .info = info};
    plumb_status status = settle(context, given, &options);
    if (status == PLUMB_OK)
        status = check_plain(context, &options);
    if (status == PLUMB_OK)
        status = check_square(context, a, "a");
    if (status == PLUMB_OK && options.method == PLUMB_GEMM_RESIDUES && (a->where == PLUMB_HOST || a->prec == PLUMB_D))
        status = SAY(PLUMB_ERR_UNSUPPORTED, "method: residues are for arrays on the device in dd and qd");
    if (status == PLUMB_OK && a->batch > 0)
        status = plumb_context_machine(context, a->where, &call.m);
    if (status != PLUMB_OK || a->batch == 0)
        return status;
    plumb_view own = {0};
    if (a->rows == 0) { /* 0 for every matrix, and nothing else */
        if (a->where == PLUMB_HOST)
            for (int64_t k = 0; k < a->batch && info; k++)
                info[k] = 0;
        return PLUMB_OK;
    }
    if (!info) {
        status = plumb_array_create(context, a->where, PLUMB_D, PLUMB_REAL, a->batch, 1, 1, &own);
        if (status != PLUMB_OK)
            return status;
        call.info = (plumb_info *)(void *)own.data;
    }
    status = factor(&call, a, 0);
    const cholesky_call finish = {.a = a, .triangle = options.triangle, .finish = 1, .info = call.info};
    if (status == PLUMB_OK)
        status = call.m->ops->cholesky(call.m, &finish, options.stream);
    if (!info) {
        if (status == PLUMB_OK)
            status = outcome_of(context, &call, a);
        plumb_array_destroy(context, &own);
    }
    return status;
}
