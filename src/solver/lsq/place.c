/* place.c - see place.h. */
#include "solver/lsq/place.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/number/precision.h"
#include "solver/lsq/check.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* The batch and place of the operands; without a matrix those of the right-hand sides. */
static const plumb_view *any_of(const lsq_call *call)
{
    return call->a ? call->a : call->b;
}

/* ---- The outcome of the problems ---------------------------------------------------------------------------------------- */

/* Says where the first entry of a problem is that is not finite; false when there is none. */
static bool name_nonfinite(plumb_context *context, const plumb_view *view, const char *name, int64_t k, const char *of)
{
    for (int64_t j = 0; view && j < view->cols; j++)
        for (int64_t c = 0; c < view_planes(view); c++)
            for (int64_t i = 0; i < view->rows; i++)
                if (!isfinite(view->data[k * view->next + c * view->plane + j * view->col + i])) {
                    (void)SAY(PLUMB_ERR_NONFINITE, "%sentry (%lld, %lld) of %s is not finite", of, (long long)i + 1,
                              (long long)j + 1, name);
                    return true;
                }
    return false;
}

/* One line about the first problem that could not be solved: that is data, and no failure of the call. Operands on the host. */
static void name_failure(plumb_context *context, const lsq_call *call)
{
    const int64_t batch = any_of(call)->batch;
    for (int64_t k = 0; call->info && k < batch; k++) {
        const plumb_info info = call->info[k];
        char of[40] = "";
        if (info == 0)
            continue;
        if (batch > 1)
            snprintf(of, sizeof of, "system %lld: ", (long long)k + 1);
        if (info > 0)
            (void)SAY(PLUMB_ERR_SINGULAR, "%s%s %lld depends on those before it", of,
                      call->a && call->a->rows < call->a->cols ? "row" : "column", (long long)info);
        else if (info == -PLUMB_ERR_RANGE)
            (void)SAY(PLUMB_ERR_RANGE, "%san entry of the result is beyond the largest double", of);
        else if (!name_nonfinite(context, call->a, "a", k, of) && !name_nonfinite(context, call->b, "b", k, of))
            (void)SAY((plumb_status)-info, "%s%s", of, plumb_status_text((plumb_status)-info));
        return;
    }
}

/* A word in the report about what ran on the processor although a GPU was asked for or has the arrays. */
static void note_processor(const lsq_call *call)
{
    const plumb_lsq_options *options = call->options;
    plumb_lsq_report *report = call->report;
    if (!report || report->note[0] || !options)
        return;
    const char *what = options->method == PLUMB_METHOD_LU        ? "elimination"
                       : options->method == PLUMB_METHOD_REFINED ? "refinement of a factor in dd"
                       : options->pivot                          ? "pivoting"
                       : options->reorthogonalize                ? "a second orthogonalisation"
                                                                 : "the loss of orthogonality";
    snprintf(report->note, sizeof report->note, "%s has no GPU form: done on the CPU", what);
}

/* ---- Copies in the other place ------------------------------------------------------------------------------------------ */

enum { OPERANDS = 6, READ = 2 }; /* a and b are read, the others written */

/* The operands of a call in the other place. In goes what is read, out comes the rest. */
typedef struct mirror {
    plumb_view copy[OPERANDS], info;
    lsq_call call; /* with the copies */
} mirror;

plumb_view lsq_info_view(plumb_info *info, int32_t where, int64_t count)
{
    return (plumb_view){.data = (double *)(void *)info,
                        .rows = count,
                        .cols = 1,
                        .batch = 1,
                        .plane = count,
                        .col = count,
                        .next = count,
                        .prec = PLUMB_D,
                        .parts = PLUMB_REAL,
                        .where = where};
}

static plumb_status copy_in(plumb_context *context, const lsq_call *call, int32_t where, plumb_stream stream, mirror *m)
{
    const plumb_view *const given[OPERANDS] = {call->a, call->b, call->x, call->residual, call->q, call->r};
    lsq_call *to = &m->call;
    memset(m, 0, sizeof *m);
    *to = *call;
    to->a = call->a ? &m->copy[0] : NULL;
    to->b = call->b ? &m->copy[1] : NULL;
    to->x = call->x ? &m->copy[2] : NULL;
    to->residual = call->residual ? &m->copy[3] : NULL;
    to->q = call->q ? &m->copy[4] : NULL;
    to->r = call->r ? &m->copy[5] : NULL;
    to->corrected = NULL; /* that is done where the arrays are */
    plumb_status status = plumb_array_create(context, where, PLUMB_D, PLUMB_REAL, any_of(call)->batch, 1, 1, &m->info);
    to->info = (plumb_info *)(void *)m->info.data;
    for (int k = 0; k < OPERANDS && status == PLUMB_OK; k++) {
        if (!given[k])
            continue;
        status = plumb_array_create(context, where, given[k]->prec, given[k]->parts, given[k]->rows, given[k]->cols,
                                    given[k]->batch, &m->copy[k]);
        if (status == PLUMB_OK && k < READ)
            status = plumb_copy(context, given[k], &m->copy[k], stream);
    }
    return status;
}

static plumb_status copy_out(plumb_context *context, const lsq_call *call, plumb_stream stream, const mirror *m)
{
    const plumb_view *some = any_of(call);
    plumb_view info = lsq_info_view(call->info, some->where, some->batch);
    plumb_view *const given[OPERANDS] = {NULL, NULL, call->x, call->residual, call->q, call->r};
    plumb_status status = call->info ? plumb_copy(context, &m->info, &info, stream) : PLUMB_OK;
    for (int k = READ; k < OPERANDS && status == PLUMB_OK; k++)
        if (given[k])
            status = plumb_copy(context, &m->copy[k], given[k], stream);
    if (status == PLUMB_OK && call->corrected)
        status = plumb_map(context, PLUMB_OP_SUB, call->corrected, call->x, NULL, call->corrected, stream);
    return status;
}

static plumb_status run_on(plumb_context *context, int32_t where, const lsq_call *call, plumb_stream stream)
{
    machine *m;
    plumb_status status = plumb_context_machine(context, where, &m);
    return status == PLUMB_OK ? m->ops->lsq(m, call, stream) : status;
}

/* Where the host takes part nothing is left under way. */
static plumb_status run_elsewhere(plumb_context *context, int32_t where, const lsq_call *call, plumb_stream stream)
{
    mirror m;
    plumb_status status = copy_in(context, call, where, stream, &m);
    if (status == PLUMB_OK)
        status = run_on(context, where, &m.call, stream);
    if (status == PLUMB_OK)
        status = copy_out(context, call, stream, &m);
    if (status == PLUMB_OK)
        name_failure(context, where == PLUMB_HOST ? &m.call : call);
    if (status == PLUMB_OK && where == PLUMB_HOST && !call->info)
        status = lsq_give_outcomes(m.call.info, any_of(call)->batch);
    for (int k = 0; k < OPERANDS; k++)
        plumb_array_destroy(context, &m.copy[k]);
    plumb_array_destroy(context, &m.info);
    return status;
}

/* ---- The choice --------------------------------------------------------------------------------------------------------- */

/* Should a call on arrays of the host go to the GPU: the context asks for one by name, or leaves it open and there is enough to do. */
static bool gpu_pays(plumb_context *context, const lsq_call *call)
{
    const plumb_view *a = call->a;
    if (context->wanted == PLUMB_BACKEND_CPU || !plumb_gpu_can_lsq(call))
        return false;
    if (context->wanted == PLUMB_BACKEND_GPU)
        return true;
    if (call->options && call->options->method == PLUMB_METHOD_REFINED) /* little work: the copies would take longer */
        return false;
    /* Flops, by precision about 1, 20 and 200 per product: memory of the GPU and copies take a fraction of a millisecond, in
     * which a processor does this many. */
    const double enough = 3e7, products = (double)a->parts * a->parts;
    const double each = precision_flops(a->prec);
    const double factored = (double)(a->rows < a->cols ? a->rows : a->cols); /* columns, or rows if there are fewer */
    const double columns = factored + (call->b ? (double)call->b->cols : 0.0);
    const double systems = (double)(call->like > 0 ? call->like : a->batch);
    return 2.0 * each * products * (double)(a->rows > a->cols ? a->rows : a->cols) * factored * columns * systems >=
               enough &&
           plumb_context_has_gpu(context);
}

static plumb_status run_device(plumb_context *context, const lsq_call *call, plumb_stream stream)
{
    if (plumb_gpu_can_lsq(call))
        return run_on(context, PLUMB_DEVICE, call, stream);
    plumb_status status = run_elsewhere(context, PLUMB_HOST, call, stream);
    if (status == PLUMB_OK)
        note_processor(call);
    return status;
}

/* With an entry of info for each problem. */
static plumb_status run_host(plumb_context *context, const lsq_call *call)
{
    if (gpu_pays(context, call)) {
        plumb_status status = run_elsewhere(context, PLUMB_DEVICE, call, NULL);
        if (status == PLUMB_OK || context->wanted == PLUMB_BACKEND_GPU)
            return status;
        context->message[0] = 0; /* the processor does it as well */
    }
    plumb_status status = run_on(context, PLUMB_HOST, call, NULL);
    if (status == PLUMB_OK)
        name_failure(context, call);
    if (status == PLUMB_OK && context->wanted == PLUMB_BACKEND_GPU)
        note_processor(call);
    return status;
}

plumb_status lsq_run(plumb_context *context, const lsq_call *given, plumb_stream stream)
{
    lsq_call call = *given;
    const int64_t batch = any_of(given)->batch;
    if (any_of(given)->where == PLUMB_DEVICE)
        return run_device(context, given, stream);
    if (call.info)
        return run_host(context, &call);
    plumb_info *info = calloc((size_t)batch, sizeof *info);
    if (!info)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    call.info = info;
    plumb_status status = run_host(context, &call);
    if (status == PLUMB_OK)
        status = lsq_give_outcomes(info, batch);
    free(info);
    return status;
}
