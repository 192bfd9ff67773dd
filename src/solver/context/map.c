/* map.c - plumb_map, out = op(x, y, z) entry by entry: checks the views, divides them into runs, and passes them to
 * the machine that holds them. */
#include <stdbool.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "solver/context/context.h"

static int operand_count(plumb_op op)
{
#define OPERANDS(code, name, operands) operands,
    static const signed char counts[] = {PLUMB_OP_LIST(OPERANDS)};
#undef OPERANDS
    return counts[op];
}

/* True for operations whose y is a real array of doubles for every kind of x. */
static bool y_is_double(plumb_op op)
{
    return op == PLUMB_OP_ADD_D || op == PLUMB_OP_MUL_D || op == PLUMB_OP_DIV_D || op == PLUMB_OP_SCALE;
}

typedef struct call_check {
    plumb_op op;
    const plumb_view *x, *out;
    char *message;
    size_t size;
} call_check;

static plumb_status expect_kind(const call_check *c, const char *name, const plumb_view *view, int32_t prec,
                                int32_t parts)
{
    if (view->where != c->x->where)
        return plumb_say(PLUMB_ERR_ARGUMENT, c->message, c->size, "%s: it is on the %s, x is not", name,
                         view->where == PLUMB_HOST ? "host" : "device");
    if (view->prec != prec)
        return plumb_say(PLUMB_ERR_ARGUMENT, c->message, c->size, "%s: its precision is %s, %s needs %s here", name,
                         plumb_prec_name(view->prec), plumb_op_name(c->op), plumb_prec_name(prec));
    if (view->parts != parts)
        return plumb_say(PLUMB_ERR_ARGUMENT, c->message, c->size, "%s: it is %s, %s needs a %s array here", name,
                         view->parts == PLUMB_COMPLEX ? "complex" : "real", plumb_op_name(c->op),
                         parts == PLUMB_COMPLEX ? "complex" : "real");
    return PLUMB_OK;
}

static plumb_status expect_shape(const call_check *c, const char *name, const plumb_view *view, int64_t cols)
{
    if (view->rows != c->x->rows || view->cols != cols || view->batch != c->x->batch)
        return plumb_say(PLUMB_ERR_ARGUMENT, c->message, c->size,
                         "%s: its shape is %lld x %lld, batch %lld; %s needs %lld x %lld, batch %lld here", name,
                         (long long)view->rows, (long long)view->cols, (long long)view->batch, plumb_op_name(c->op),
                         (long long)c->x->rows, (long long)cols, (long long)c->x->batch);
    return PLUMB_OK;
}

static plumb_status check_operand(const call_check *c, const char *name, const plumb_view *view, bool used)
{
    if (!used)
        return view ? plumb_say(PLUMB_ERR_ARGUMENT, c->message, c->size, "%s: %s has no such operand, it must be NULL",
                                name, plumb_op_name(c->op))
                    : PLUMB_OK;
    plumb_status status = plumb_view_check(view, name, c->message, c->size);
    bool as_double = name[0] == 'y' && y_is_double(c->op);
    if (status == PLUMB_OK)
        status = as_double ? expect_kind(c, name, view, PLUMB_D, PLUMB_REAL)
                           : expect_kind(c, name, view, c->x->prec, c->x->parts);
    if (status == PLUMB_OK)
        status = expect_shape(c, name, view, c->x->cols);
    return status;
}

static plumb_status check_overlap(const call_check *c, const char *name, const plumb_view *view)
{
    if (view && !plumb_view_same(view, c->out) && plumb_view_overlap(view, c->out))
        return plumb_say(PLUMB_ERR_ARGUMENT, c->message, c->size, "out: it overlaps %s without being %s", name, name);
    return PLUMB_OK;
}

static plumb_status check(const call_check *c, const plumb_view *y, const plumb_view *z)
{
    if ((int)c->op < 0 || c->op >= PLUMB_OP_COUNT)
        return plumb_say(PLUMB_ERR_ARGUMENT, c->message, c->size, "op: there is no operation %d", (int)c->op);
    int operands = operand_count(c->op);
    plumb_status status = plumb_view_check(c->x, "x", c->message, c->size);
    if (status == PLUMB_OK && c->op == PLUMB_OP_CMP && c->x->parts != PLUMB_REAL)
        status = plumb_say(PLUMB_ERR_ARGUMENT, c->message, c->size, "x: it is complex, cmp needs real numbers");
    if (status == PLUMB_OK)
        status = check_operand(c, "y", y, operands > 1);
    if (status == PLUMB_OK)
        status = check_operand(c, "z", z, operands > 2);
    if (status == PLUMB_OK)
        status = plumb_view_check(c->out, "out", c->message, c->size);
    if (status == PLUMB_OK)
        status = expect_kind(c, "out", c->out, c->op == PLUMB_OP_CMP ? PLUMB_D : c->x->prec,
                             c->op == PLUMB_OP_ABS ? PLUMB_REAL : c->x->parts);
    if (status == PLUMB_OK)
        status = expect_shape(c, "out", c->out, c->op == PLUMB_OP_DOT ? 1 : c->x->cols);
    if (status == PLUMB_OK)
        status = check_overlap(c, "x", c->x);
    if (status == PLUMB_OK)
        status = check_overlap(c, "y", y);
    if (status == PLUMB_OK)
        status = check_overlap(c, "z", z);
    return status;
}

/* An absent operand is replaced by x, so that it does not prevent runs from being merged. */
static map_call cut(plumb_op op, const plumb_view *x, const plumb_view *y, const plumb_view *z, const plumb_view *out)
{
    bool dot = op == PLUMB_OP_DOT;
    const plumb_view *operands[RUNS_OPERANDS];
    operands[MAP_X] = x;
    operands[MAP_Y] = y ? y : x;
    operands[MAP_Z] = z ? z : x;
    operands[MAP_OUT] = out;

    map_call call = {.prec = x->prec, .parts = x->parts, .op = op};
    call.loop = (runs){.length = x->rows, .count = {dot ? 1 : x->cols, x->batch, 1}};
    for (int v = 0; v < RUNS_OPERANDS; v++) {
        call.loop.step[0][v] = operands[v]->col;
        call.loop.step[1][v] = operands[v]->next;
    }
    plumb_runs_merge(&call.loop);
    /* A dot product of no columns reads nothing, but its pointers are still advanced; they point into out, so that
     * this is valid. */
    bool nothing = view_is_empty(x);
    call.first = (map_job){.x = nothing ? out->data : x->data,
                           .y = y ? (nothing ? out->data : y->data) : NULL,
                           .z = z ? z->data : NULL,
                           .out = out->data,
                           .x_plane = x->plane,
                           .y_plane = y ? y->plane : 0,
                           .z_plane = z ? z->plane : 0,
                           .out_plane = out->plane,
                           .n = call.loop.length,
                           .terms = dot ? x->cols : 0,
                           .x_col = x->col,
                           .y_col = y ? y->col : 0};
    return call;
}

plumb_status plumb_map(plumb_context *context, plumb_op op, const plumb_view *x, const plumb_view *y,
                       const plumb_view *z, plumb_view *out, plumb_stream stream)
{
    if (!context)
        return plumb_no_context();
    call_check c = {op, x, out, context->message, sizeof context->message};
    plumb_status status = check(&c, y, z);
    if (status != PLUMB_OK || view_is_empty(out))
        return status;
    machine *m;
    status = plumb_context_machine(context, x->where, &m);
    if (status != PLUMB_OK)
        return status;
    map_call call = cut(op, x, y, z, out);
    return m->ops->map(m, &call, stream);
}
