/* lsq.c - the entry of the CPU backend for least squares: chooses the method, solves batches in groups, keeps
 * factors.
 *
 * Modified Gram-Schmidt on many systems works on groups of them, lanes across systems and threads across groups;
 * systems in d that are factored by blocks of columns are shared among threads; every other method, and systems so large
 * that a group of them would leave the caches, are solved one by one. Results are batch-invariant: a system gives the
 * same bits alone, in a group, or beside other groups. */
#include "backend/cpu/lsq/lsq.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/kernels.h"
#include "backend/cpu/lsq/group.h"
#include "backend/cpu/lsq/mgs.h"
#include "backend/cpu/lsq/mgs_wide.h"
#include "backend/cpu/lsq/scaled.h"
#include "backend/cpu/lsq/work.h"
#include "base/array/view.h"
#include "base/call/message.h"
#include "base/memory/memory.h"
#include "base/number/modulus.h"
#include "base/os/team.h"
#include "method/lsq/dependence.h"
#include "method/lsq/error.h"

#define SAY(status, ...) plumb_say(status, m->message, m->message_size, __VA_ARGS__)

/* The maximum number of doubles of a group: 8 MiB. */
enum { GROUP_LIMIT = 1 << 20 };

/* Below this many limb products a team of threads costs more to wake than it saves. */
static const double worth_threads = 1 << 17;

/* ---- One problem -------------------------------------------------------------------------------------------------------- */

double lsq_loss_of_orthogonality(lsq_work *work)
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
            loss = fmax(loss, plumb_modulus(re, im));
        }
    }
    return loss;
}

/* Loads and factors [A b]; b may be NULL. The work array is to be destroyed in any case. */
static plumb_status factor(machine *m, const lsq_call *call, lsq_work *work, plumb_info *info)
{
    const plumb_view *a = call->a, *b = call->b;
    plumb_status status = lsq_work_create(m, a->prec, a->parts, a->rows, a->cols, b ? b->cols : 0, work);
    if (status != PLUMB_OK)
        return status;
    if (call->dependent > 0.0)
        work->dependent = call->dependent;
    work->no_columns = !call->q && !call->keep && !call->options->reorthogonalize && !call->options->orthogonality;
    if (call->options->pivot)
        work->job.source = NULL;
    *info = lsq_work_load(work, a, 0, 0);
    if (*info == 0 && b)
        *info = lsq_work_load(work, b, 0, a->cols);
    if (*info == 0)
        *info = lsq_work_factor(work, call->options->pivot);
    if (*info == 0 && call->options->reorthogonalize)
        status = lsq_work_repeat(m, work);
    return status;
}

/* A basic solution has the digits of the columns that were used only if the others are combinations of them. */
static plumb_status doubt_rank(const lsq_call *call, const lsq_work *work)
{
    plumb_lsq_report *report = call->report;
    const bool known = call->options->rounded != PLUMB_ROUNDED_DATA;
    bool dependent = false;
    plumb_status status = PLUMB_OK;
    if (known)
        status = lsq_find_dependence(call->a, work->order, work->job.rank, &dependent);
    if (status != PLUMB_OK || dependent)
        return status;
    report->digits = 0.0;
    snprintf(report->note, sizeof report->note, "the rank depends on rounding: %s, so no digit of x is claimed",
             known ? "the columns that were left out are no exact combinations of the others"
                   : "the matrix was rounded before its columns were compared");
    return PLUMB_OK;
}

static plumb_status fill_report(const machine *m, const lsq_call *call, const lsq_work *work)
{
    const lsq_triangle triangle = lsq_work_triangle(work);
    const lsq_data data = {call->a, call->b, call->x, work->order};
    plumb_lsq_report *report = call->report;
    report->method = PLUMB_METHOD_MGS;
    report->factor_prec = work->prec;
    report->rank = work->job.rank;
    plumb_status status = lsq_estimate(&triangle, call->options->rounded ? NULL : &data, &report->condition,
                                       call->b ? &report->digits : NULL);
    if (status == PLUMB_OK && call->b && report->rank < work->job.cols && report->digits > 0.0)
        status = doubt_rank(call, work);
    return status == PLUMB_OK ? status : SAY(status, "out of memory");
}

plumb_status lsq_mgs(machine *m, const lsq_call *call, plumb_info *info)
{
    lsq_work work = {0};
    plumb_status status = factor(m, call, &work, info);
    if (status == PLUMB_OK && *info == 0 && call->b) {
        if (call->residual || call->report)
            lsq_work_norms(&work);
        *info = lsq_work_solve(&work, call->x, call->residual, 0);
    }
    if (status == PLUMB_OK && *info == 0 && call->report)
        status = fill_report(m, call, &work);
    if (status == PLUMB_OK && *info == 0 && (call->q || call->r))
        *info = lsq_work_store(&work, call->q, call->r);
    if (status == PLUMB_OK && *info == 0 && call->report && call->options->orthogonality) {
        if (!call->q)
            work.kernels->normalize(&work.job);
        call->report->orthogonality = lsq_loss_of_orthogonality(&work);
    }
    for (int64_t k = 0; status == PLUMB_OK && *info == 0 && call->permutation && k < work.job.cols; k++)
        call->permutation[k] = work.order[k];
    lsq_work_destroy(&work);
    return status;
}

/* ---- Factors that are kept ---------------------------------------------------------------------------------------------- */

struct lsq_factor {
    lsq_work work;
};

void plumb_cpu_lsq_forget(struct lsq_factor *kept)
{
    if (kept)
        lsq_work_destroy(&kept->work);
    free(kept);
}

static plumb_status keep_factor(machine *m, const lsq_call *call, plumb_info *info)
{
    struct lsq_factor *made = calloc(1, sizeof *made);
    if (!made)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    plumb_status status = factor(m, call, &made->work, info);
    if (status == PLUMB_OK && *info == 0) {
        *call->keep = made;
        return PLUMB_OK;
    }
    plumb_cpu_lsq_forget(made);
    return status;
}

/* The kept columns and coefficients beside new right-hand sides, which then go through the steps alone. */
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
    if (from->blocked) {
        if (to->wide)
            plumb_cpu_mgs_wide_along(to->wide, source, job);
        else
            plumb_cpu_mgs_along(to->kernels, source, job);
        return;
    }
    for (int64_t k = 0; k < job->rank; k++) {
        to->kernels->project(job, k, job->cols, job->all);
        to->kernels->divide(job, k, job->cols);
        to->kernels->remove(job, k, job->cols, job->all);
    }
}

static plumb_status solve_with(machine *m, const lsq_call *call, plumb_info *info)
{
    const lsq_work *from = &call->factor->work;
    lsq_work work;
    plumb_status status =
        lsq_work_create(m, from->prec, from->parts, from->job.rows, from->job.cols, call->b->cols, &work);
    if (status != PLUMB_OK)
        return status;
    if (!from->blocked)
        work.job.source = NULL;
    *info = lsq_work_load(&work, call->b, 0, work.job.cols);
    if (*info == 0) {
        take_along(from, &work);
        if (call->residual)
            lsq_work_norms(&work);
        *info = lsq_work_solve(&work, call->x, call->residual, 0);
    }
    lsq_work_destroy(&work);
    return status;
}

/* ---- Batches ------------------------------------------------------------------------------------------------------------ */

static plumb_status solve_one(machine *m, const lsq_call *one, plumb_info *info)
{
    if (one->keep)
        return keep_factor(m, one, info);
    if (one->factor)
        return solve_with(m, one, info);
    return one->options->method == PLUMB_METHOD_REFINED ? lsq_refined(m, one, info)
           : one->a->rows < one->a->cols                ? lsq_least_norm(m, one, info)
           : one->options->method == PLUMB_METHOD_LU    ? lsq_lu(m, one, info)
                                                        : lsq_mgs(m, one, info);
}

/* System number k of each operand that there is. */
static plumb_status solve_in_turn(machine *m, const lsq_call *call, int64_t k, plumb_info *info)
{
    const plumb_view *const given[] = {call->a, call->b, call->x, call->residual, call->q, call->r};
    plumb_view view[6];
    lsq_call one = *call;
    for (int i = 0; i < 6; i++)
        if (given[i]) {
            view[i] = *given[i];
            view[i].batch = 1;
            if (!view_is_empty(&view[i]))
                view[i].data += k * given[i]->next;
        }
    one.a = given[0] ? &view[0] : NULL;
    one.b = given[1] ? &view[1] : NULL;
    one.x = given[2] ? &view[2] : NULL;
    one.residual = given[3] ? &view[3] : NULL;
    one.q = given[4] ? &view[4] : NULL;
    one.r = given[5] ? &view[5] : NULL;
    if (one.report)
        one.report->backend = PLUMB_BACKEND_CPU;
    plumb_status status = solve_one(m, &one, info);
    for (int i = 2; i < 6 && status == PLUMB_OK && *info != 0; i++)
        lsq_clear(given[i] ? &view[i] : NULL, 0);
    return status;
}

/* True if groups are faster: not for other methods, not if most places of a group would be empty, not beyond the
 * caches. */
static bool grouped(const lsq_call *call, const lsq_batch *batch, int64_t *doubles)
{
    const plumb_lsq_options *options = call->options;
    const bool plain = options->method == PLUMB_METHOD_MGS && !options->pivot && !options->reorthogonalize &&
                       !call->report && !call->q && !call->r && !call->keep && !call->factor && call->b && call->info &&
                       batch->a->rows >= batch->a->cols;
    return plain && !mgs_is_wide(batch->a->rows, batch->a->cols) &&
           !mgs_is_blocked(batch->a->prec, batch->a->rows, batch->a->cols) &&
           batch->a->batch > batch->kernel->width / 2 && lsq_group_size(batch, doubles) && *doubles <= GROUP_LIMIT;
}

static int32_t team_of(const machine *m, const lsq_batch *batch, int64_t groups)
{
    double planes = (double)view_planes(batch->a), all = (double)batch->a->cols + (double)batch->b->cols;
    double products = planes * planes * (double)batch->a->rows * (double)batch->a->cols * all * (double)batch->a->batch;
    int64_t threads = m->threads < groups ? m->threads : groups;
    return products >= worth_threads ? (int32_t)threads : 1;
}

/* Groups are taken by threads one by one; each thread has doubles of its own. */
typedef struct group_share {
    const lsq_batch *batch;
    double *memory;
    int64_t doubles, groups;
    team_counter next;
} group_share;

static void solve_share(void *data, team *t, int32_t index, int32_t threads)
{
    group_share *s = data;
    (void)t, (void)threads;
    for (int64_t g; (g = team_take(&s->next, 1)) < s->groups;)
        lsq_group_solve(s->batch, g * s->batch->kernel->width, s->memory + index * s->doubles);
}

static plumb_status solve_groups(machine *m, const lsq_batch *batch, int64_t doubles)
{
    int64_t width = batch->kernel->width, groups = (batch->a->batch - 1) / width + 1;
    int32_t threads = team_of(m, batch, groups);
    plumb_status status = team_start(&m->team, threads, m->message, m->message_size);
    if (status != PLUMB_OK)
        return status;
    /* doubles is a multiple of 8 and at most GROUP_LIMIT: no product overflows, and every part begins on a cache line. */
    double *memory = aligned_alloc(64, (size_t)threads * (size_t)doubles * sizeof(double));
    if (!memory)
        return SAY(PLUMB_ERR_MEMORY, "out of memory: %lld doubles for each of %d threads", (long long)doubles,
                   (int)threads);
    group_share share = {.batch = batch, .memory = memory, .doubles = doubles, .groups = groups};
    team_run(m->team, threads, solve_share, &share);
    free(memory);
    return PLUMB_OK;
}

int64_t plumb_cpu_lsq_bytes(const lsq_call *call)
{
    const plumb_view *a = call->a;
    const plumb_lsq_options *options = call->options;
    const int64_t rhs = call->b ? call->b->cols : 0, size = (int64_t)sizeof(double);
    int64_t doubles, bytes = 0;
    if (!a)
        return 0;
    const bool wide = a->rows < a->cols;
    if (!lsq_work_size(a->prec, a->parts, wide ? a->cols : a->rows, wide ? a->rows : a->cols, rhs, &doubles))
        return INT64_MAX;
    bytes = plumb_memory_add(0, doubles, options && options->reorthogonalize ? 2 * size : size);
    const bool refined = options && options->method == PLUMB_METHOD_REFINED;
    if (wide && !refined) /* the adjoint; right-hand sides, their coefficients and residuals; x */
        return plumb_memory_add(plumb_memory_add(bytes, plumb_memory_add(0, a->rows, a->cols), view_planes(a) * size),
                                plumb_memory_add(plumb_memory_add(0, 3 * a->rows, rhs), a->cols, rhs),
                                view_planes(a) * size);
    if (!refined)
        return bytes;
    /* A and its adjoint in the precision of x, and vectors, beside the factor */
    const int64_t each = view_planes(a) * size;
    bytes = plumb_memory_add(bytes, plumb_memory_add(0, a->rows, a->cols), a->rows != a->cols ? 2 * each : each);
    return plumb_memory_add(bytes, plumb_memory_add(0, wide ? a->cols : a->rows, rhs), 7 * each);
}

/* True if a single problem could be worth threads: mgs.c, lu.c and scaled.c decide how many. */
static bool worth_team(const lsq_call *call)
{
    const double all = (double)call->a->cols + (call->b ? (double)call->b->cols : 0.0);
    return (double)call->a->rows * all >= 8192.0;
}

/* Systems are taken by threads one by one. A thread has a machine of its own, without a team. */
typedef struct system_share {
    const machine *m;
    const lsq_call *call;
    plumb_status status; /* of a system that could not be tried */
    team_counter next;
} system_share;

static void solve_systems(void *data, team *t, int32_t index, int32_t threads)
{
    system_share *s = data;
    machine alone = *s->m;
    (void)t, (void)index, (void)threads;
    alone.threads = 1;
    alone.team = NULL;
    alone.message = NULL;
    alone.message_size = 0;
    for (int64_t k; (k = team_take(&s->next, 1)) < s->call->a->batch;) {
        const plumb_status status = solve_in_turn(&alone, s->call, k, &s->call->info[k]);
        if (status != PLUMB_OK)
            __atomic_store_n(&s->status, status, __ATOMIC_RELAXED);
    }
}

/* The number of threads for batches of systems that have no groups: those that would be small enough for them if they were not
 * factored by blocks, and those with fewer rows than columns. A system that all threads share is solved two to three
 * times as fast as by one of them, so this is for three or more. */
static int32_t threads_by_systems(const machine *m, const lsq_call *call)
{
    const bool many = m->threads > 1 && call->a && call->a->batch >= 3 && call->b && call->info && !call->report &&
                      !call->keep && !call->factor &&
                      (call->a->rows < call->a->cols || (call->options->method == PLUMB_METHOD_MGS &&
                                                         mgs_is_blocked(call->a->prec, call->a->rows, call->a->cols)));
    return !many ? 1 : call->a->batch < m->threads ? (int32_t)call->a->batch : m->threads;
}

static plumb_status solve_shared(machine *m, const lsq_call *call, int32_t threads)
{
    system_share share = {.m = m, .call = call, .status = PLUMB_OK};
    team_run(m->team, threads, solve_systems, &share);
    return share.status == PLUMB_OK ? PLUMB_OK
                                    : SAY(share.status, "no memory for the work arrays of %d threads", (int)threads);
}

static plumb_status solve(machine *m, const lsq_call *call)
{
    const plumb_view *like = call->a ? call->a : call->b;
    const int32_t shared = threads_by_systems(m, call);
    plumb_status status = PLUMB_OK;
    int64_t doubles;
    if (call->a) {
        const lsq_batch batch = {.kernel = m->isa->prec[call->a->prec]->mgs_batch[call->a->parts],
                                 .largest = m->isa->prec[call->a->prec]->mgs[call->a->parts]->largest,
                                 .a = call->a,
                                 .b = call->b,
                                 .x = call->x,
                                 .residual = call->residual,
                                 .info = call->info,
                                 .dependent = call->dependent > 0.0
                                                  ? call->dependent
                                                  : (double)call->a->rows * precision_unit(call->a->prec)};
        if (grouped(call, &batch, &doubles))
            return solve_groups(m, &batch, doubles);
        char what[96];
        snprintf(what, sizeof what, "least squares with %lld x %lld in %s", (long long)call->a->rows,
                 (long long)call->a->cols, plumb_prec_name(call->a->prec));
        status = plumb_memory_check(plumb_memory_add(0, plumb_cpu_lsq_bytes(call), shared), what, m->message,
                                    m->message_size);
    }
    if (status == PLUMB_OK && call->a && m->threads > 1 && (shared > 1 || worth_team(call)))
        status = team_start(&m->team, m->threads, m->message, m->message_size);
    if (status == PLUMB_OK && shared > 1)
        return solve_shared(m, call, shared);
    for (int64_t k = 0; k < like->batch && status == PLUMB_OK; k++) {
        plumb_info info = 0;
        status = solve_in_turn(m, call, k, &info);
        if (status == PLUMB_OK && call->info)
            call->info[k] = info;
    }
    return status;
}

plumb_status plumb_cpu_lsq(machine *m, const lsq_call *given, void *stream)
{
    static const plumb_lsq_options plain = {.size = sizeof plain, .method = PLUMB_METHOD_MGS};
    lsq_call call = *given;
    (void)stream;
    if (!call.options)
        call.options = &plain;
    plumb_status status = solve(m, &call);
    if (status == PLUMB_OK && call.corrected)
        status = lsq_scaled_map(m, PLUMB_OP_SUB, call.corrected, call.x, call.corrected);
    return status;
}
