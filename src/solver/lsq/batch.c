/* batch.c - plumb_lsq_batch: many systems of one shape.
 *
 * Modified Gram-Schmidt works on groups of systems, lanes across systems and threads across groups; every other method, and
 * systems so large that a group of them would leave the caches, go one by one through plumb_lsq. The bits are the same
 * either way, and one system never sees another. */
#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "backend/cpu/kernels.h"
#include "base/message.h"
#include "base/view.h"
#include "solver/lsq/check.h"
#include "solver/lsq/gpu.h"
#include "solver/lsq/group.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* Doubles a group may take: 8 MiB. */
enum { GROUP_LIMIT = 1 << 20 };

/* Below this many limb products a team of threads costs more to wake than it saves. */
static const double worth_threads = 1 << 17;

/* System number `index` of a batch, or the shape of them all. */
static plumb_view one_of(const plumb_view *view, int64_t index)
{
    plumb_view one = *view;
    if (index > 0 && !view_is_empty(view))
        one.data += index * view->next;
    one.batch = 1;
    return one;
}

/* The view as a whole, and that its systems are what plumb_lsq takes. */
static plumb_status check_operand(plumb_context *context, const plumb_view *view, const char *name, const plumb_view *a,
                                  int32_t parts, int64_t rows, int64_t cols)
{
    plumb_status status = plumb_view_check(view, name, context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    plumb_view one = one_of(view, 0);
    if (view->batch > 0) /* there is no first one otherwise */
        status = view == a ? lsq_check_matrix(context, &one) : lsq_check(context, &one, name, a, parts, rows, cols);
    if (status == PLUMB_OK && view->batch != a->batch)
        status = SAY(PLUMB_ERR_ARGUMENT, "%s is a batch of %lld, a of %lld", name, (long long)view->batch,
                     (long long)a->batch);
    return status;
}

/* Systems are solved in no particular order, so no result may lie where another system's data do. */
static plumb_status check_apart(plumb_context *context, const plumb_view *out, const char *out_name,
                                const plumb_view *other, const char *name)
{
    if (plumb_view_overlap(out, other))
        return SAY(PLUMB_ERR_ARGUMENT, "%s overlaps %s", out_name, name);
    return PLUMB_OK;
}

static plumb_status check(plumb_context *context, const lsq_batch *batch)
{
    const plumb_view *a = batch->a, *b = batch->b, *x = batch->x, *residual = batch->residual;
    if (!a || !b || !x)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", !a ? "a" : !b ? "b" : "x");
    plumb_status status = check_operand(context, a, "a", a, a->parts, a->rows, a->cols);
    if (status == PLUMB_OK)
        status = check_operand(context, b, "b", a, a->parts, a->rows, b->cols);
    if (status == PLUMB_OK)
        status = check_operand(context, x, "x", a, a->parts, a->cols, b->cols);
    if (status == PLUMB_OK && residual)
        status = check_operand(context, residual, "residual", a, PLUMB_REAL, 1, b->cols);
    if (status == PLUMB_OK)
        status = check_apart(context, x, "x", a, "a");
    if (status == PLUMB_OK)
        status = check_apart(context, x, "x", b, "b");
    if (status == PLUMB_OK && residual)
        status = check_apart(context, residual, "residual", a, "a");
    if (status == PLUMB_OK && residual)
        status = check_apart(context, residual, "residual", b, "b");
    if (status == PLUMB_OK && residual)
        status = check_apart(context, residual, "residual", x, "x");
    return status;
}

static plumb_status one_by_one(plumb_context *context, const lsq_batch *batch, const plumb_lsq_options *options)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < batch->a->batch && status == PLUMB_OK; k++) {
        plumb_view a = one_of(batch->a, k), b = one_of(batch->b, k), x = one_of(batch->x, k), residual;
        if (batch->residual)
            residual = one_of(batch->residual, k);
        status = plumb_lsq(context, &a, &b, &x, batch->residual ? &residual : NULL, &batch->info[k], options, NULL);
    }
    return status;
}

/* Do groups pay? Not for other methods, not when most of a group's places would be empty, not beyond the caches. */
static bool grouped(const lsq_batch *batch, const plumb_lsq_options *options, int64_t *doubles)
{
    bool plain = options->method == PLUMB_METHOD_MGS && !options->pivot && !options->reorthogonalize;
    return plain && batch->a->batch > batch->kernel->width / 2 && lsq_group_size(batch, doubles) &&
           *doubles <= GROUP_LIMIT;
}

static int32_t team_of(const plumb_context *context, const lsq_batch *batch, int64_t groups)
{
    double planes = (double)view_planes(batch->a), all = (double)batch->a->cols + (double)batch->b->cols;
    double products = planes * planes * (double)batch->a->rows * (double)batch->a->cols * all * (double)batch->a->batch;
    int64_t threads = context->cpu.threads < groups ? context->cpu.threads : groups;
    return products >= worth_threads ? (int32_t)threads : 1;
}

static plumb_status in_groups(plumb_context *context, const lsq_batch *batch, int64_t doubles)
{
    int64_t width = batch->kernel->width, groups = (batch->a->batch - 1) / width + 1;
    int32_t team = team_of(context, batch, groups);
    /* doubles is a multiple of 8 and at most GROUP_LIMIT: no product overflows, and every part begins on a cache line. */
    double *memory = aligned_alloc(64, (size_t)team * (size_t)doubles * sizeof(double));
    if (!memory)
        return SAY(PLUMB_ERR_MEMORY, "out of memory: %lld doubles for each of %d threads", (long long)doubles,
                   (int)team);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(team) if (team > 1)
#endif
    for (int64_t g = 0; g < groups; g++) {
#ifdef _OPENMP
        int64_t mine = omp_get_thread_num();
#else
        int64_t mine = 0;
#endif
        lsq_group_solve(batch, g * width, memory + mine * doubles);
    }
    free(memory);
    return PLUMB_OK;
}

/* One line about the first system that could not be solved. */
static void name_first_failure(plumb_context *context, const lsq_batch *batch)
{
    for (int64_t k = 0; k < batch->a->batch; k++) {
        plumb_info info = batch->info[k];
        if (info == 0)
            continue;
        if (info > 0)
            (void)SAY(PLUMB_ERR_SINGULAR, "system %lld: column %lld depends on those before it", (long long)k + 1,
                      (long long)info);
        else if (info == -PLUMB_ERR_RANGE)
            (void)SAY(PLUMB_ERR_RANGE, "system %lld: an entry of the result is beyond the largest double",
                      (long long)k + 1);
        else if (info != -PLUMB_ERR_NONFINITE || (!lsq_name_nonfinite(context, batch->a, "a", k, true) &&
                                                  !lsq_name_nonfinite(context, batch->b, "b", k, true)))
            (void)SAY((plumb_status)-info, "system %lld: %s", (long long)k + 1, plumb_status_text((plumb_status)-info));
        return;
    }
}

/* Device arrays: queued, or by way of the host what only the processor does. */
static plumb_status on_device(plumb_context *context, const lsq_operands *on, const plumb_lsq_options *options)
{
    lsq_mirror mirror;
    if (lsq_gpu_can(options))
        return lsq_gpu_device(context, on, options->stream, NULL);
    plumb_status status = lsq_mirror_in(context, on, PLUMB_HOST, options->stream, &mirror);
    if (status == PLUMB_OK)
        status = plumb_lsq_batch(context, mirror.on.a, mirror.on.b, mirror.on.x, mirror.on.residual, mirror.on.info,
                                 options);
    if (status == PLUMB_OK)
        status = lsq_mirror_out(context, on, options->stream, &mirror);
    if (status == PLUMB_OK && !on->info)
        status = lsq_give_outcomes(mirror.on.info, on->a->batch);
    lsq_mirror_destroy(context, &mirror);
    return status;
}

plumb_status lsq_give_outcomes(const plumb_info *info, int64_t count)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++)
        status = lsq_give_outcome(info[k], NULL);
    return status;
}

/* Host arrays, checked; an entry of info for each system. */
static plumb_status on_host(plumb_context *context, lsq_batch *batch, const plumb_lsq_options *options)
{
    const lsq_operands on = {.a = batch->a,
                             .b = batch->b,
                             .x = batch->x,
                             .residual = batch->residual,
                             .info = batch->info,
                             .refine = options->method == PLUMB_METHOD_REFINED};
    plumb_status status;
    int64_t doubles;
    if (lsq_gpu_pays(context, &on, options)) {
        status = lsq_gpu_host(context, &on, NULL);
        if (status == PLUMB_OK)
            name_first_failure(context, batch);
        if (status == PLUMB_OK || context->wanted == PLUMB_BACKEND_GPU)
            return status;
    }
    batch->kernel = context->cpu.isa->prec[batch->a->prec]->mgs_batch[batch->a->parts];
    if (grouped(batch, options, &doubles))
        status = in_groups(context, batch, doubles);
    else
        status = one_by_one(context, batch, options);
    if (status == PLUMB_OK)
        name_first_failure(context, batch);
    return status;
}

plumb_status plumb_lsq_batch(plumb_context *context, const plumb_view *a, const plumb_view *b, plumb_view *x,
                             plumb_view *residual, plumb_info *info, const plumb_lsq_options *given)
{
    plumb_lsq_options options;
    lsq_batch batch = {NULL, a, b, x, residual, info};
    if (!context)
        return plumb_no_context();
    plumb_status status = check(context, &batch);
    if (status == PLUMB_OK)
        status = lsq_settle_options(context, given, &options);
    if (status != PLUMB_OK || a->batch == 0)
        return status;
    if (a->where == PLUMB_DEVICE) {
        const lsq_operands on = {.a = a,
                                 .b = b,
                                 .x = x,
                                 .residual = residual,
                                 .info = info,
                                 .refine = options.method == PLUMB_METHOD_REFINED};
        return on_device(context, &on, &options);
    }
    if (!info) { /* nobody asks: the first failure becomes the status */
        batch.info = calloc((size_t)a->batch, sizeof *batch.info);
        if (!batch.info)
            return SAY(PLUMB_ERR_MEMORY, "out of memory");
    }
    status = on_host(context, &batch, &options);
    if (!info) {
        if (status == PLUMB_OK)
            status = lsq_give_outcomes(batch.info, a->batch);
        free(batch.info);
    }
    return status;
}
