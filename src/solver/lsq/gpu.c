/* gpu.c - modified Gram-Schmidt on a GPU, from the host's side: when, with copies or without, and the report. */
#include "solver/lsq/gpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "solver/lsq/check.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

bool lsq_gpu_can(const plumb_lsq_options *options)
{
    const bool refines = options->method == PLUMB_METHOD_REFINED && options->factor_prec <= PLUMB_D;
    return (options->method == PLUMB_METHOD_MGS || refines) && !options->pivot && !options->reorthogonalize &&
           !options->orthogonality;
}

bool lsq_gpu_pays(const plumb_context *context, const lsq_operands *on, const plumb_lsq_options *options)
{
    if (context->backend != PLUMB_BACKEND_GPU || !lsq_gpu_can(options))
        return false;
    if (context->wanted == PLUMB_BACKEND_GPU)
        return true;
    if (on->refine) /* little work: the copies would take longer */
        return false;
    /* Flops, by precision about 1, 20 and 200 a product: memory of the GPU and copies take a fraction of a millisecond, in
     * which a processor does this many. */
    const double enough = 3e7, products = (double)on->a->parts * on->a->parts;
    const double each = on->a->prec == PLUMB_D ? 1.0 : on->a->prec == PLUMB_DD ? 20.0 : 200.0;
    const double columns = (double)on->a->cols + (on->b ? (double)on->b->cols : 0.0);
    return 2.0 * each * products * (double)on->a->rows * (double)on->a->cols * columns * (double)on->a->batch >= enough;
}

void lsq_gpu_note(const plumb_context *context, int32_t where, const plumb_lsq_options *options,
                  plumb_lsq_report *report)
{
    if (report->note[0] || lsq_gpu_can(options) || (where == PLUMB_HOST && context->wanted != PLUMB_BACKEND_GPU))
        return;
    const char *what = options->method == PLUMB_METHOD_LU        ? "elimination"
                       : options->method == PLUMB_METHOD_REFINED ? "refinement of a factor in dd"
                       : options->pivot                          ? "pivoting"
                       : options->reorthogonalize                ? "a second orthogonalisation"
                                                                 : "the loss of orthogonality";
    snprintf(report->note, sizeof report->note, "%s has no GPU form: done on the CPU", what);
}

/* ---- estimates ------------------------------------------------------------------------------------------------ */

static plumb_status triangle_create(plumb_context *context, const lsq_operands *on, lsq_triangle *triangle)
{
    const size_t all = (size_t)on->a->cols + (on->b ? (size_t)on->b->cols : 0), c = all * (size_t)on->a->cols;
    *triangle = (lsq_triangle){.re = malloc(c * sizeof(double)),
                               .im = on->a->parts == PLUMB_COMPLEX ? malloc(c * sizeof(double)) : NULL,
                               .square = malloc(all * sizeof(double)),
                               .exponent = malloc(all * sizeof(int32_t))};
    if (triangle->re && triangle->square && triangle->exponent && (triangle->im || on->a->parts == PLUMB_REAL))
        return PLUMB_OK;
    return SAY(PLUMB_ERR_MEMORY, "out of memory");
}

static void triangle_destroy(lsq_triangle *triangle)
{
    free(triangle->re);
    free(triangle->im);
    free(triangle->square);
    free(triangle->exponent);
}

void lsq_gpu_put_triangle(const lsq_operands *on, const lsq_triangle *from, const plumb_view *x, lsq_work *work)
{
    mgs_job *job = &work->job;
    job->rows = on->a->rows;
    for (int64_t j = 0; j < job->all; j++) {
        const bool rhs = j >= job->cols;
        work->exponent[j] = from->exponent[j];
        for (int64_t k = 0; k < job->cols && (rhs || k < j); k++) {
            double *to = job->c + k * job->ld + j, re = from->re[j * job->cols + k], im = 0.0;
            if (from->im)
                im = from->im[j * job->cols + k];
            if (rhs && x) { /* what solves the scaled system */
                const double *entry = x->data + (j - job->cols) * x->col + k;
                const int back = from->exponent[k] - from->exponent[j];
                re = ldexp(entry[0], back);
                im = from->im ? ldexp(entry[x->prec * x->plane], back) : 0.0;
            }
            to[0] = re;
            if (from->im)
                to[work->prec * job->c_plane] = im;
        }
        if (rhs)
            job->c[job->cols * job->ld + j] = sqrt(fmax(from->square[j], 0.0));
        else
            job->s[j] = from->square[j];
    }
}

static plumb_status fill_report(plumb_context *context, const lsq_operands *on, const lsq_triangle *triangle,
                                const lsq_refinement *refined, const plumb_view *x, plumb_lsq_report *report)
{
    lsq_work work;
    const plumb_view *a = on->a;
    if (on->refine && refined->converged)
        return lsq_refined_gpu_report(context, on, triangle, refined, x, report);
    if (on->refine)
        snprintf(report->note, sizeof report->note, "modified Gram-Schmidt in %s: %s", plumb_prec_name(a->prec),
                 a->prec == PLUMB_D ? "there is no lower precision to factor in"
                 : refined->tried   ? "refinement does not converge at this condition"
                                    : "no refinement of this shape on a GPU");
    report->method = PLUMB_METHOD_MGS;
    report->factor_prec = a->prec;
    report->backend = PLUMB_BACKEND_GPU;
    report->rank = a->cols;
    plumb_status status = lsq_work_create(context, a->prec, a->parts, 1, a->cols, on->b ? on->b->cols : 0, &work);
    if (status != PLUMB_OK)
        return status;
    lsq_gpu_put_triangle(on, triangle, x, &work);
    status = lsq_work_estimate(&work, &report->condition, x ? &report->digits : NULL);
    lsq_work_destroy(&work);
    return status;
}

/* ---- calls ---------------------------------------------------------------------------------------------------- */

static plumb_status queue(plumb_context *context, const lsq_operands *on, lsq_triangle *triangle,
                          lsq_refinement *refined, plumb_stream stream)
{
    machine *m;
    plumb_status status = plumb_context_machine(context, PLUMB_DEVICE, &m);
    if (status != PLUMB_OK)
        return status;
    const lsq_call call = {.a = on->a,
                           .b = on->b && on->b->cols > 0 ? on->b : NULL,
                           .x = on->b && on->b->cols > 0 ? on->x : NULL,
                           .residual = on->b && on->b->cols > 0 ? on->residual : NULL,
                           .q = on->q,
                           .r = on->r,
                           .corrected = on->corrected,
                           .info = on->info,
                           .triangle = triangle,
                           .refined = on->refine ? refined : NULL};
    return m->ops->lsq(m, &call, stream);
}

/* x of a device array, where the estimate can see it. */
static plumb_status fetch(plumb_context *context, const plumb_view *x, plumb_stream stream, plumb_view *copy)
{
    plumb_status status = plumb_array_create(context, PLUMB_HOST, x->prec, x->parts, x->rows, x->cols, x->batch, copy);
    return status == PLUMB_OK ? plumb_copy(context, x, copy, stream) : status;
}

static plumb_status device_with_report(plumb_context *context, const lsq_operands *given, plumb_stream stream,
                                       plumb_lsq_report *report)
{
    lsq_triangle triangle = {0};
    lsq_operands on = *given;
    plumb_view x = {0}, mine = {0};
    plumb_info outcome = 0;
    lsq_refinement refined = {0};
    plumb_status status = triangle_create(context, &on, &triangle);
    if (status == PLUMB_OK && !on.info) {
        status = plumb_array_create(context, PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, 1, &mine);
        on.info = (plumb_info *)(void *)mine.data;
    }
    const plumb_view from = lsq_info_view(on.info, PLUMB_DEVICE, 1);
    plumb_view to = lsq_info_view(&outcome, PLUMB_HOST, 1);
    if (status == PLUMB_OK)
        status = queue(context, &on, &triangle, &refined, stream);
    if (status == PLUMB_OK)
        status = plumb_copy(context, &from, &to, stream);
    if (status == PLUMB_OK && on.x)
        status = fetch(context, on.x, stream, &x);
    report->backend = PLUMB_BACKEND_GPU;
    if (status == PLUMB_OK && outcome == 0)
        status = fill_report(context, &on, &triangle, &refined, on.x ? &x : NULL, report);
    if (status == PLUMB_OK) {
        lsq_name_outcome(context, outcome);
        status = given->info ? PLUMB_OK : lsq_give_outcome(outcome, NULL);
    }
    triangle_destroy(&triangle);
    plumb_array_destroy(context, &x);
    plumb_array_destroy(context, &mine);
    return status;
}

plumb_status lsq_gpu_device(plumb_context *context, const lsq_operands *on, plumb_stream stream,
                            plumb_lsq_report *report)
{
    lsq_refinement refined;
    return report ? device_with_report(context, on, stream, report) : queue(context, on, NULL, &refined, stream);
}

plumb_status lsq_gpu_host(plumb_context *context, const lsq_operands *on, plumb_lsq_report *report)
{
    lsq_mirror device;
    lsq_triangle triangle = {0};
    lsq_refinement refined = {0};
    plumb_status status = lsq_mirror_in(context, on, PLUMB_DEVICE, NULL, &device);
    device.on.refine = on->refine;
    if (status == PLUMB_OK && report)
        status = triangle_create(context, on, &triangle);
    if (status == PLUMB_OK)
        status = queue(context, &device.on, report ? &triangle : NULL, &refined, NULL);
    if (status == PLUMB_OK)
        status = lsq_mirror_out(context, on, NULL, &device);
    if (status == PLUMB_OK && report && on->info[0] == 0)
        status = fill_report(context, on, &triangle, &refined, on->x, report);
    if (report)
        report->backend = PLUMB_BACKEND_GPU;
    triangle_destroy(&triangle);
    lsq_mirror_destroy(context, &device);
    return status;
}
