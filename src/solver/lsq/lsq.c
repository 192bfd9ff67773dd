/* lsq.c - plumb_qr and plumb_lsq: chooses the machine and the method, fills the report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/lsq/mgs.h"
#include "base/message.h"
#include "base/options.h"
#include "base/view.h"
#include "solver/lsq/check.h"
#include "solver/lsq/gpu.h"
#include "solver/lsq/methods.h"
#include "solver/lsq/work.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

static void fill_report(const lsq_work *work, plumb_lsq_report *report)
{
    report->method = PLUMB_METHOD_MGS;
    report->factor_prec = work->prec;
    report->backend = PLUMB_BACKEND_CPU;
    report->rank = work->job.rank;
}

/* The largest entry of Q^H Q - I, with the normalised columns in w: their inner products are the coefficients of one more
 * projection. */
static double loss_of_orthogonality(lsq_work *work)
{
    const mgs_job *job = &work->job;
    double loss = 0.0;
    for (int64_t k = 0; k < job->rank; k++) {
        work->kernels->project(job, k, k, job->rank);
        for (int64_t j = k; j < job->rank; j++) {
            const double *c = job->c + k * job->ld + j;
            double re = k == j ? -1.0 : 0.0, im = 0.0;
            for (int32_t limb = 0; limb < work->prec; limb++) {
                re += c[limb * job->c_plane];
                im += work->parts == PLUMB_COMPLEX ? c[(work->prec + limb) * job->c_plane] : 0.0;
            }
            loss = fmax(loss, hypot(re, im));
        }
    }
    return loss;
}

/* By way of the host, what only the processor does. */
static plumb_status device_by_host(plumb_context *context, const lsq_operands *on, int64_t *permutation,
                                   const plumb_lsq_options *options, plumb_lsq_report *report)
{
    lsq_mirror mirror;
    plumb_status status = lsq_mirror_in(context, on, PLUMB_HOST, options->stream, &mirror);
    const lsq_operands *host = &mirror.on;
    if (status == PLUMB_OK)
        status = on->b ? plumb_lsq(context, host->a, host->b, host->x, host->residual, mirror.on.info, options, report)
                       : plumb_qr(context, host->a, host->q, host->r, permutation, mirror.on.info, options, report);
    if (status == PLUMB_OK)
        status = lsq_mirror_out(context, on, options->stream, &mirror);
    if (status == PLUMB_OK && !on->info)
        status = lsq_give_outcome(*mirror.on.info, NULL);
    lsq_mirror_destroy(context, &mirror);
    lsq_gpu_note(context, PLUMB_DEVICE, options, report);
    return status;
}

static plumb_status on_device(plumb_context *context, const lsq_operands *on, int64_t *permutation,
                              const plumb_lsq_options *options, plumb_lsq_report *report)
{
    plumb_lsq_report mine;
    plumb_status status;
    plumb_lsq_report_init(&mine);
    if (lsq_gpu_can(options)) {
        status = lsq_gpu_device(context, on, options->stream, report ? &mine : NULL);
        for (int64_t k = 0; permutation && k < on->a->cols; k++)
            permutation[k] = k;
    } else {
        status = device_by_host(context, on, permutation, options, &mine);
    }
    if (status == PLUMB_OK)
        plumb_report_give(&mine, report);
    return status;
}

/* Host arrays on the GPU. False where that could not be, and the processor is as welcome. */
static bool done_on_gpu(plumb_context *context, const lsq_operands *on, const plumb_lsq_options *options,
                        plumb_lsq_report *report, plumb_status *status)
{
    if (!lsq_gpu_pays(context, on, options))
        return false;
    *status = lsq_gpu_host(context, on, report);
    if (*status == PLUMB_OK && *on->info == -PLUMB_ERR_NONFINITE &&
        !lsq_name_nonfinite(context, on->a, "a", 0, false) && on->b)
        (void)lsq_name_nonfinite(context, on->b, "b", 0, false);
    if (*status == PLUMB_OK || context->wanted == PLUMB_BACKEND_GPU)
        return true;
    *status = PLUMB_OK;
    *on->info = 0;
    context->message[0] = 0;
    return false;
}

plumb_status plumb_qr(plumb_context *context, const plumb_view *a, plumb_view *q, plumb_view *r, int64_t *permutation,
                      plumb_info *info, const plumb_lsq_options *given, plumb_lsq_report *report)
{
    plumb_lsq_options options;
    plumb_lsq_report mine;
    plumb_info outcome = 0;
    lsq_work work = {0};
    if (!context)
        return plumb_no_context();
    plumb_status status = lsq_check_matrix(context, a);
    if (status == PLUMB_OK && q)
        status = lsq_check(context, q, "q", a, a->parts, a->rows, a->cols);
    if (status == PLUMB_OK && r)
        status = lsq_check(context, r, "r", a, a->parts, a->cols, a->cols);
    if (status == PLUMB_OK)
        status = lsq_check_apart(context, q, "q", a, "a");
    if (status == PLUMB_OK)
        status = lsq_check_apart(context, r, "r", a, "a");
    if (status == PLUMB_OK)
        status = lsq_check_apart(context, q, "q", r, "r");
    if (status == PLUMB_OK)
        status = lsq_settle_options(context, given, &options);
    if (status == PLUMB_OK)
        status = plumb_report_check(report, context->message, sizeof context->message);
    if (status == PLUMB_OK && options.method != PLUMB_METHOD_MGS)
        status = SAY(PLUMB_ERR_ARGUMENT, "a QR decomposition is made by modified Gram-Schmidt");
    if (status != PLUMB_OK)
        return status;
    const lsq_operands on = {.a = a, .q = q, .r = r, .info = a->where == PLUMB_DEVICE ? info : &outcome};
    if (a->where == PLUMB_DEVICE)
        return on_device(context, &on, permutation, &options, report);
    plumb_lsq_report_init(&mine);
    bool on_gpu = done_on_gpu(context, &on, &options, report ? &mine : NULL, &status);
    for (int64_t k = 0; on_gpu && permutation && k < a->cols; k++)
        permutation[k] = k;
    if (!on_gpu)
        status = lsq_factor(context, a, NULL, &options, &work, &outcome);
    if (status == PLUMB_OK && outcome == 0 && !on_gpu) {
        fill_report(&work, &mine);
        if (report)
            status = lsq_work_estimate(&work, &mine.condition, NULL);
        outcome = lsq_work_store(&work, q, r);
        if (options.orthogonality) {
            if (!q)
                work.kernels->normalize(&work.job);
            mine.orthogonality = loss_of_orthogonality(&work);
        }
        for (int64_t k = 0; permutation && k < a->cols; k++)
            permutation[k] = work.order[k];
    }
    if (status == PLUMB_OK && outcome != 0) {
        lsq_name_outcome(context, outcome);
        lsq_clear(q);
        lsq_clear(r);
    }
    lsq_gpu_note(context, PLUMB_HOST, &options, &mine);
    if (status == PLUMB_OK) {
        plumb_report_give(&mine, report);
        status = lsq_give_outcome(outcome, info);
    }
    lsq_work_destroy(&work);
    return status;
}

static plumb_status lsq_mgs(plumb_context *context, const plumb_view *a, const plumb_view *b, const plumb_view *x,
                            const plumb_view *residual, plumb_info *info, const plumb_lsq_options *options,
                            plumb_lsq_report *report, int wants_report)
{
    lsq_work work = {0};
    plumb_status status = lsq_factor(context, a, b, options, &work, info);
    if (status == PLUMB_OK && *info == 0) {
        fill_report(&work, report);
        *info = lsq_work_solve(&work, x, residual, 0);
        if (wants_report && *info == 0)
            status = lsq_work_estimate(&work, &report->condition, &report->digits);
        if (status == PLUMB_OK && options->orthogonality) {
            work.kernels->normalize(&work.job);
            report->orthogonality = loss_of_orthogonality(&work);
        }
    }
    lsq_work_destroy(&work);
    return status;
}

plumb_status plumb_lsq(plumb_context *context, const plumb_view *a, const plumb_view *b, plumb_view *x,
                       plumb_view *residual, plumb_info *info, const plumb_lsq_options *given, plumb_lsq_report *report)
{
    plumb_lsq_options options;
    plumb_lsq_report mine;
    plumb_info outcome = 0;
    if (!context)
        return plumb_no_context();
    if (!b || !x)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", b ? "x" : "b");
    plumb_status status = lsq_check_matrix(context, a);
    if (status == PLUMB_OK)
        status = lsq_check(context, b, "b", a, a->parts, a->rows, b->cols);
    if (status == PLUMB_OK)
        status = lsq_check(context, x, "x", a, a->parts, a->cols, b->cols);
    if (status == PLUMB_OK && residual)
        status = lsq_check(context, residual, "residual", a, PLUMB_REAL, 1, b->cols);
    const plumb_view *results[] = {x, residual};
    static const char *const names[] = {"x", "residual"};
    for (int k = 0; k < 2 && status == PLUMB_OK; k++) {
        status = lsq_check_apart(context, results[k], names[k], a, "a");
        if (status == PLUMB_OK)
            status = lsq_check_apart(context, results[k], names[k], b, "b");
    }
    if (status == PLUMB_OK)
        status = lsq_settle_options(context, given, &options);
    if (status == PLUMB_OK)
        status = plumb_report_check(report, context->message, sizeof context->message);
    if (status == PLUMB_OK && options.method == PLUMB_METHOD_LU && a->rows != a->cols)
        status = SAY(PLUMB_ERR_ARGUMENT, "Gaussian elimination needs a square matrix, a is %lld x %lld",
                     (long long)a->rows, (long long)a->cols);
    if (status != PLUMB_OK)
        return status;
    const lsq_operands on = {.a = a,
                             .b = b,
                             .x = x,
                             .residual = residual,
                             .info = a->where == PLUMB_DEVICE ? info : &outcome,
                             .refine = options.method == PLUMB_METHOD_REFINED};
    if (a->where == PLUMB_DEVICE)
        return on_device(context, &on, NULL, &options, report);
    plumb_lsq_report_init(&mine);
    if (done_on_gpu(context, &on, &options, report ? &mine : NULL, &status))
        ;
    else if (options.method == PLUMB_METHOD_LU)
        status = lsq_lu(context, a, b, x, residual, &outcome, &mine);
    else if (options.method == PLUMB_METHOD_REFINED)
        status = lsq_refined(context, a, b, x, residual, &outcome, &options, &mine);
    else
        status = lsq_mgs(context, a, b, x, residual, &outcome, &options, &mine, report != NULL);
    if (status == PLUMB_OK && outcome != 0) {
        lsq_name_outcome(context, outcome);
        lsq_clear(x);
        lsq_clear(residual);
    }
    lsq_gpu_note(context, PLUMB_HOST, &options, &mine);
    if (status == PLUMB_OK) {
        plumb_report_give(&mine, report);
        status = lsq_give_outcome(outcome, info);
    }
    return status;
}
