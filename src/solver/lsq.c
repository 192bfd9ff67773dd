/* lsq.c - plumb_qr and plumb_lsq: chooses the method, fills the report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/mgs.h"
#include "base/message.h"
#include "base/view.h"
#include "solver/lsq_check.h"
#include "solver/lsq_methods.h"
#include "solver/lsq_work.h"

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

plumb_status plumb_qr(plumb_context *context, const plumb_view *a, const plumb_view *q, const plumb_view *r,
                      int64_t *permutation, plumb_info *info, const plumb_lsq_options *given, plumb_lsq_report *report)
{
    plumb_lsq_options options;
    plumb_lsq_report mine;
    plumb_info outcome = 0;
    lsq_work work = {0};
    if (!context)
        return PLUMB_ERR_ARGUMENT;
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
    if (status == PLUMB_OK && options.method != PLUMB_METHOD_MGS)
        status = SAY(PLUMB_ERR_ARGUMENT, "a QR decomposition is made by modified Gram-Schmidt");
    if (status != PLUMB_OK)
        return status;
    plumb_lsq_report_init(&mine);
    status = lsq_factor(context, a, NULL, &options, &work, &outcome);
    if (status == PLUMB_OK && outcome == 0) {
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
        status = lsq_refuse(context, outcome);
        lsq_clear(q);
        lsq_clear(r);
    }
    if (status == PLUMB_OK && info)
        *info = outcome;
    if (status == PLUMB_OK)
        lsq_give_report(report, &mine);
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

plumb_status plumb_lsq(plumb_context *context, const plumb_view *a, const plumb_view *b, const plumb_view *x,
                       const plumb_view *residual, plumb_info *info, const plumb_lsq_options *given,
                       plumb_lsq_report *report)
{
    plumb_lsq_options options;
    plumb_lsq_report mine;
    plumb_info outcome = 0;
    if (!context)
        return PLUMB_ERR_ARGUMENT;
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
    if (status == PLUMB_OK && options.method == PLUMB_METHOD_LU && a->rows != a->cols)
        status = SAY(PLUMB_ERR_ARGUMENT, "Gaussian elimination needs a square matrix, a is %lld x %lld",
                     (long long)a->rows, (long long)a->cols);
    if (status != PLUMB_OK)
        return status;
    plumb_lsq_report_init(&mine);
    if (options.method == PLUMB_METHOD_LU)
        status = lsq_lu(context, a, b, x, residual, &outcome, &mine);
    else if (options.method == PLUMB_METHOD_REFINED)
        status = lsq_refined(context, a, b, x, residual, &outcome, &options, &mine);
    else
        status = lsq_mgs(context, a, b, x, residual, &outcome, &options, &mine, report != NULL);
    if (status == PLUMB_OK && outcome != 0) {
        status = lsq_refuse(context, outcome);
        lsq_clear(x);
        lsq_clear(residual);
    }
    if (status == PLUMB_OK && info)
        *info = outcome;
    if (status == PLUMB_OK)
        lsq_give_report(report, &mine);
    return status;
}
