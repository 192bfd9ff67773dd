/* device_refine.c - least squares by refinement on a GPU: a factor in double of the leading limbs, then one launch
 * that refines.
 *
 * Only the GPU knows whether the corrections decrease. A problem where they do not is solved in the precision of x:
 * by the same launch if it is small, so that nothing waits; otherwise the host checks, and modified Gram-Schmidt
 * solves the remaining problems. */
#include <stdlib.h>

#include "backend/cuda/lsq/device.h"
#include "backend/cuda/lsq/refine/refine.h"
#include "base/call/message.h"
#include "base/memory/size.h"
#include "method/lsq/error.h"

typedef plumb_status (*refine_entry)(const mgs_refine_job *, size_t, void *, char *, size_t);

plumb_status plumb_cuda_mgs_refine_real_dd(const mgs_refine_job *, size_t, void *, char *, size_t);
plumb_status plumb_cuda_mgs_refine_cplx_dd(const mgs_refine_job *, size_t, void *, char *, size_t);
plumb_status plumb_cuda_mgs_refine_real_qd(const mgs_refine_job *, size_t, void *, char *, size_t);
plumb_status plumb_cuda_mgs_refine_cplx_qd(const mgs_refine_job *, size_t, void *, char *, size_t);

static const refine_entry entries[PLUMB_QD + 1][PLUMB_COMPLEX + 1] = {
    [PLUMB_DD] = {[PLUMB_REAL] = plumb_cuda_mgs_refine_real_dd, [PLUMB_COMPLEX] = plumb_cuda_mgs_refine_cplx_dd},
    [PLUMB_QD] = {[PLUMB_REAL] = plumb_cuda_mgs_refine_real_qd, [PLUMB_COMPLEX] = plumb_cuda_mgs_refine_cplx_qd},
};

/* The parameters of refinement for a shape. */
typedef struct refine_plan {
    size_t shared;      /* bytes */
    int inverse_shared; /* 1: P is in shared memory */
    int64_t slices;     /* doubles of A in slices in global memory; 0: in shared memory */
    int64_t full;       /* doubles for solving in full precision; 0: the host checks */
} refine_plan;

/* The maximum number of products for which one block is fast enough in full precision. */
static const int64_t small_enough = INT64_C(1) << 21;

/* Returns false if the kernel does not support the shape. */
static bool plan_shape(const mgs_limits *limits, const plumb_view *a, int64_t rhs, refine_plan *plan)
{
    if (a->prec < PLUMB_DD || a->cols > REFINE_MOST_COLS || a->rows > REFINE_MOST_ROWS || rhs > REFINE_MOST_COLS)
        return false;
    const int64_t vectors = (a->cols + a->rows) * a->parts * a->prec + (2 * a->cols + a->rows) * a->parts;
    const int64_t plane = REFINE_LD(a->rows) * a->cols, room = limits->shared / 8;
    const int64_t slices = plane * a->parts * REFINE_SLICES(a->prec);
    int64_t used = REFINE_WORDS + vectors;
    if (used > room)
        return false;
    *plan = (refine_plan){.slices = slices};
    if (used + plane * a->parts <= room) {
        plan->inverse_shared = 1;
        used += plane * a->parts;
    }
    if (used + slices <= room) { /* more than the coefficients need when they pass through */
        plan->slices = 0;
        used += slices;
    }
    plan->shared = (size_t)used * 8;
    if (a->rows * a->cols * (a->cols + rhs) * a->parts * a->parts <= small_enough)
        plan->full = REFINE_FULL(a->rows, a->cols, a->cols + rhs, a->prec * a->parts);
    return true;
}

/* The leading limbs of A as a matrix of doubles. */
static plumb_view leading_limbs(const plumb_view *a)
{
    plumb_view low = *a;
    low.prec = PLUMB_D;
    low.plane = a->prec * a->plane;
    return low;
}

/* Fetches the triangle of the first problem if the kernel solved it in full precision. */
static plumb_status full_triangle(machine *m, const lsq_call *call, double *full, const mgs_findings *found,
                                  void *stream)
{
    const int64_t n = call->a->cols, all = n + call->b->cols, planes = (int64_t)call->a->prec * call->a->parts;
    mgs_gpu_job job = {.cols = (int32_t)n, .all = (int32_t)all, .c_plane = n * all};
    job.c = full + call->a->rows * all * planes;
    job.s = job.c + job.c_plane * planes;
    job.exponent = (int32_t *)(void *)(job.s + all);
    return plumb_cuda_mgs_triangle(m, call, &job, found, stream);
}

static plumb_status refine_part(machine *m, const lsq_call *call, const lsq_call *low, const refine_plan *how,
                                const mgs_plan *plan, const mgs_layout *layout, int64_t first, int64_t count,
                                char *memory, const mgs_findings *found /* or NULL */, double *outcome /* or NULL */,
                                void *stream)
{
    const plumb_view *a = call->a;
    const double unit = precision_unit(a->prec);
    double *on_device = plumb_cuda_mgs_take(&memory, count * REFINED_WORDS * 8);
    plumb_info *info = call->info ? call->info + first : plumb_cuda_mgs_take(&memory, count * 8);
    double *slices = how->slices > 0 ? plumb_cuda_mgs_take(&memory, count * how->slices * 8) : NULL;
    double *full = how->full > 0 ? plumb_cuda_mgs_take(&memory, count * how->full * 8) : NULL;
    const double share = (double)a->rows * unit;
    const mgs_refine_job job = {.low = plumb_cuda_mgs_job(low, layout, a->cols, first, count, memory),
                                .a = plumb_cuda_mgs_array(a, first),
                                .b = plumb_cuda_mgs_array(call->b, first),
                                .x = plumb_cuda_mgs_array(call->x, first),
                                .residual = plumb_cuda_mgs_array(call->residual, first),
                                .info = info,
                                .failures = call->info ? NULL : m->outcome,
                                .outcome = on_device,
                                .slices = slices,
                                .slices_step = how->slices,
                                .full = full,
                                .full_step = how->full,
                                .rhs = (int32_t)call->b->cols,
                                .inverse_shared = how->inverse_shared,
                                .dependent = share * share,
                                .unit = unit,
                                .noise = lsq_growth(a->rows, a->cols, a->prec) * unit};
    plumb_status status = plumb_cuda_mgs_factor(m, PLUMB_D, a->parts, plan, &job.low, stream);
    if (status == PLUMB_OK)
        status = entries[a->prec][a->parts](&job, how->shared, stream, m->message, m->message_size);
    if (status == PLUMB_OK && first == 0 && found)
        status = plumb_cuda_mgs_triangle(m, low, &job.low, found, stream);
    if (status == PLUMB_OK && outcome)
        status = plumb_cuda_status(
            cudaMemcpyAsync(outcome, on_device, (size_t)count * REFINED_WORDS * 8, cudaMemcpyDeviceToHost, stream),
            "copying outcomes from the GPU", m->message, m->message_size);
    if (status == PLUMB_OK && outcome)
        status = plumb_cuda_status(cudaStreamSynchronize(stream), "refining on the GPU", m->message, m->message_size);
    if (status == PLUMB_OK && first == 0 && found && full && outcome[REFINED_CONVERGED] == 0.0)
        status = full_triangle(m, call, full, found, stream);
    return status;
}

static plumb_view some_of(const plumb_view *view, int64_t first, int64_t count)
{
    plumb_view some = *view;
    some.data += first * view->next;
    some.batch = count;
    return some;
}

/* Solves problems first .. first + count - 1 in full precision. */
static plumb_status solve_plainly(machine *m, const lsq_call *call, int64_t first, int64_t count, mgs_findings *found,
                                  void *stream)
{
    const plumb_view a = some_of(call->a, first, count), b = some_of(call->b, first, count);
    plumb_view x = some_of(call->x, first, count);
    plumb_view residual = {0};
    if (call->residual)
        residual = some_of(call->residual, first, count);
    const lsq_call plain = {.a = &a,
                            .b = &b,
                            .x = &x,
                            .residual = call->residual ? &residual : NULL,
                            .info = call->info ? call->info + first : NULL};
    return plumb_cuda_mgs_solve(m, &plain, first == 0 ? found : NULL, stream);
}

static plumb_status solve_rest(machine *m, const lsq_call *call, int64_t first, int64_t count, const double *outcome,
                               mgs_findings *found, void *stream)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0, run; k < count && status == PLUMB_OK; k += run) {
        const int converged = outcome[k * REFINED_WORDS + REFINED_CONVERGED] != 0.0;
        for (run = 1; k + run < count; run++)
            if ((outcome[(k + run) * REFINED_WORDS + REFINED_CONVERGED] != 0.0) != converged)
                break;
        if (!converged)
            status = solve_plainly(m, call, first + k, run, found, stream);
    }
    return status;
}

/* One after the other, and those that do not converge in full precision. */
static plumb_status refine_large(machine *m, const lsq_call *call, mgs_findings *found, void *stream)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < call->a->batch && status == PLUMB_OK; k++) {
        int converged = 0;
        mgs_findings *own = k == 0 ? found : NULL;
        status = plumb_cuda_mgs_gram(m, call, k, own, &converged, stream);
        if (status == PLUMB_OK && !converged)
            status = solve_plainly(m, call, k, 1, own, stream);
    }
    return status;
}

plumb_status plumb_cuda_mgs_refined(machine *m, const lsq_call *call, mgs_findings *found, void *stream)
{
    const plumb_view *a = call->a;
    plumb_view low_a = leading_limbs(a);
    const lsq_call low = {.a = &low_a, .q = &low_a}; /* q: columns and coefficients are needed */
    refine_plan how;
    mgs_layout layout;
    char *memory = NULL;
    int64_t part = 1, more;
    plumb_status status = plumb_cuda_mgs_open(m);
    if (status != PLUMB_OK)
        return status;
    const bool fits = call->b && plan_shape(&m->lsq->limits, a, call->b->cols, &how) && !m->hooks.lsq_gram;
    if (!fits && plumb_cuda_mgs_gram_takes(m, call, stream))
        return refine_large(m, call, found, stream);
    if (!fits)
        return plumb_cuda_mgs_solve(m, call, found, stream);
    const mgs_plan plan = plumb_cuda_mgs_choose(
        m, &(mgs_problem){PLUMB_D, a->parts, a->rows, a->cols, a->cols, call->like > 0 ? call->like : a->batch});
    if (plan.family == MGS_AUTO)
        return PLUMB_ERR_UNSUPPORTED;
    if (!plumb_cuda_mgs_lay_out(&low, a->cols, plan.keep_columns > 1 ? plan.keep_columns : 1, plan.family == MGS_LARGE,
                                0, &layout) ||
        !size_mul(how.slices + how.full, 8, &more) ||
        !size_add(layout.bytes, more + (REFINED_WORDS + 1) * 8 + 4 * (int64_t)MGS_ALIGNMENT, &layout.bytes))
        return plumb_say(PLUMB_ERR_SIZE, m->message, m->message_size, "scratch for %lld x %lld does not fit in memory",
                         (long long)a->rows, (long long)a->cols);
    const bool looks = how.full == 0 || found;
    for (int64_t first = 0; first < a->batch && status == PLUMB_OK; first += part) {
        status = plumb_cuda_mgs_find_room(m, &layout, a->cols, a->batch - first, stream, &part, &memory);
        if (status != PLUMB_OK)
            break;
        double *outcome = looks ? malloc((size_t)part * REFINED_WORDS * sizeof(double)) : NULL;
        if (looks && !outcome)
            return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "out of memory");
        status = refine_part(m, call, &low, &how, &plan, &layout, first, part, memory, found, outcome, stream);
        if (status == PLUMB_OK && found && first == 0) {
            found->tried = 1;
            found->factor_prec = PLUMB_D;
            found->converged = outcome[REFINED_CONVERGED] != 0.0;
            found->steps = (int32_t)outcome[REFINED_STEPS];
            found->left = outcome[REFINED_LEFT];
            found->last = outcome[REFINED_LAST];
        }
        if (status == PLUMB_OK && how.full == 0)
            status = solve_rest(m, call, first, part, outcome, found, stream);
        free(outcome);
    }
    return status;
}
