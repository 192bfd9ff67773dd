/* factor.c - factor once, solve later right-hand sides by the same recurrence against the stored columns. */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "solver/lsq/check.h"
#include "solver/lsq/gpu.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

struct plumb_factor {
    lsq_work work; /* on the host, wherever the matrix was */
    plumb_info info;
    int32_t where; /* of the matrix, and of right-hand sides */
};

/* A matrix of the device is taken apart on the host. */
static plumb_status create_by_host(plumb_context *context, const plumb_view *a, const plumb_lsq_options *options,
                                   plumb_info *info, plumb_factor **result)
{
    lsq_mirror mirror;
    const lsq_operands on = {.a = a, .info = info};
    plumb_status status = lsq_mirror_in(context, &on, PLUMB_HOST, options->stream, &mirror);
    if (status == PLUMB_OK)
        status = plumb_factor_create(context, mirror.on.a, options, mirror.on.info, result);
    if (status == PLUMB_OK)
        status = lsq_mirror_out(context, &on, options->stream, &mirror);
    if (status == PLUMB_OK && !info)
        status = lsq_give_outcome(*mirror.on.info, NULL);
    lsq_mirror_destroy(context, &mirror);
    if (status == PLUMB_OK && *result) {
        (*result)->where = PLUMB_DEVICE;
    } else {
        plumb_factor_destroy(context, *result);
        *result = NULL;
    }
    return status;
}

plumb_status plumb_factor_create(plumb_context *context, const plumb_view *a, const plumb_lsq_options *given,
                                 plumb_info *info, plumb_factor **result)
{
    plumb_lsq_options options;
    if (!context)
        return plumb_no_context();
    if (!result)
        return SAY(PLUMB_ERR_ARGUMENT, "factor is NULL");
    *result = NULL;
    plumb_status status = lsq_check_matrix(context, a);
    if (status == PLUMB_OK)
        status = lsq_settle_options(context, given, &options);
    if (status == PLUMB_OK && (options.method != PLUMB_METHOD_MGS || options.reorthogonalize))
        status = SAY(PLUMB_ERR_ARGUMENT, "a factor is made by modified Gram-Schmidt, once");
    if (status != PLUMB_OK)
        return status;
    if (a->where == PLUMB_DEVICE)
        return create_by_host(context, a, &options, info, result);
    plumb_factor *made = calloc(1, sizeof *made);
    if (!made)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    status = lsq_factor(context, a, NULL, &options, &made->work, &made->info);
    if (status != PLUMB_OK) {
        plumb_factor_destroy(context, made);
        return status;
    }
    lsq_name_outcome(context, made->info);
    status = lsq_give_outcome(made->info, info);
    if (status == PLUMB_OK)
        *result = made;
    else
        plumb_factor_destroy(context, made);
    return status;
}

/* The stored columns and coefficients beside new right-hand sides, which then go through the steps alone. */
static void take_along(const lsq_work *from, lsq_work *to)
{
    const mgs_job *source = &from->job;
    mgs_job *job = &to->job;
    job->rank = source->rank;
    for (int32_t c = 0; c < from->prec * from->parts; c++) {
        for (int64_t i = 0; i < job->rows; i++)
            memcpy(job->w + c * job->w_plane + i * job->ld, source->w + c * source->w_plane + i * source->ld,
                   (size_t)job->cols * sizeof(double));
        for (int64_t k = 0; k < job->rank; k++)
            memcpy(job->c + c * job->c_plane + k * job->ld, source->c + c * source->c_plane + k * source->ld,
                   (size_t)job->cols * sizeof(double));
    }
    memcpy(job->s, source->s, (size_t)(from->prec * source->s_plane) * sizeof(double));
    memcpy(to->order, from->order, (size_t)job->cols * sizeof *to->order);
    memcpy(to->exponent, from->exponent, (size_t)job->cols * sizeof *to->exponent);
    for (int64_t k = 0; k < job->rank; k++) {
        to->kernels->project(job, k, job->cols, job->all);
        to->kernels->divide(job, k, job->cols);
        to->kernels->remove(job, k, job->cols, job->all);
    }
}

static plumb_status solve_by_host(plumb_context *context, const plumb_factor *f, const lsq_operands *on,
                                  plumb_stream stream)
{
    lsq_mirror mirror;
    plumb_factor here = *f;
    here.where = PLUMB_HOST;
    plumb_status status = lsq_mirror_in(context, on, PLUMB_HOST, stream, &mirror);
    if (status == PLUMB_OK)
        status =
            plumb_factor_solve(context, &here, mirror.on.b, mirror.on.x, mirror.on.residual, mirror.on.info, stream);
    if (status == PLUMB_OK)
        status = lsq_mirror_out(context, on, stream, &mirror);
    if (status == PLUMB_OK && !on->info)
        status = lsq_give_outcome(*mirror.on.info, NULL);
    lsq_mirror_destroy(context, &mirror);
    return status;
}

plumb_status plumb_factor_solve(plumb_context *context, const plumb_factor *f, const plumb_view *b, plumb_view *x,
                                plumb_view *residual, plumb_info *info, plumb_stream stream)
{
    lsq_work work = {0};
    plumb_info outcome;
    if (!context)
        return plumb_no_context();
    if (!f || !b || !x)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", !f ? "factor" : !b ? "b" : "x");
    const lsq_work *from = &f->work;
    const plumb_view like = {.prec = from->prec, .parts = from->parts, .where = f->where};
    plumb_status status = lsq_check(context, b, "b", &like, from->parts, from->job.rows, b->cols);
    if (status == PLUMB_OK)
        status = lsq_check(context, x, "x", &like, from->parts, from->job.cols, b->cols);
    if (status == PLUMB_OK && residual)
        status = lsq_check(context, residual, "residual", &like, PLUMB_REAL, 1, b->cols);
    if (status == PLUMB_OK && f->info != 0)
        status = SAY(PLUMB_ERR_SINGULAR, "the matrix of this factor could not be taken apart");
    if (status == PLUMB_OK && f->where == PLUMB_DEVICE)
        return solve_by_host(context, f, &(lsq_operands){.b = b, .x = x, .residual = residual, .info = info}, stream);
    if (status == PLUMB_OK)
        status = lsq_work_create(context, from->prec, from->parts, from->job.rows, from->job.cols, b->cols, &work);
    if (status != PLUMB_OK)
        return status;
    outcome = lsq_work_load(&work, b, 0, work.job.cols, "b", context->message, sizeof context->message);
    if (outcome == 0) {
        take_along(from, &work);
        outcome = lsq_work_solve(&work, x, residual, 0);
    }
    if (outcome != 0) {
        lsq_name_outcome(context, outcome);
        lsq_clear(x);
        lsq_clear(residual);
    }
    lsq_work_destroy(&work);
    return lsq_give_outcome(outcome, info);
}

void plumb_factor_destroy(plumb_context *context, plumb_factor *f)
{
    (void)context;
    if (f)
        lsq_work_destroy(&f->work);
    free(f);
}
