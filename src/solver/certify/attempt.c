/* attempt.c - one attempt for each of many points: Jacobians in ball arithmetic, approximate inverses by our own least squares, and
 * Krawczyk's test with them. The points are taken in runs, so that the matrices of a run fit into the caches. */
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/os/team.h"
#include "solver/certify/certify.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

enum { RUN_DOUBLES = 1 << 20, RUN_POINTS = 256 };

/* The matrices of a run, and the points they belong to. */
typedef struct attempt_run {
    certify_work *work;
    const int64_t *point;
    int64_t count;
    plumb_view jacobians, sides, inverses;
    plumb_info *info; /* of a matrix; -1: it has a row or a column of zeros */
    bool test;        /* false: evaluate the Jacobians; true: use the inverses */
    team_counter next;
    bool failed; /* out of memory */
} attempt_run;

static void work_on(attempt_run *run, balls_worker *worker, int64_t k)
{
    certify_point *p = &run->work->point[run->point[k]];
    const balls_ops *ops = run->work->ops;
    const int32_t prec = run->jacobians.prec;
    p->tried = p->bits;
    if (!run->test) {
        double *j = run->jacobians.data + k * run->jacobians.next;
        run->info[k] = 0;
        if (!ops->jacobian(worker, p->box, p->bits, prec, j)) {
            memset(j, 0, (size_t)run->jacobians.next * sizeof *j);
            run->info[k] = -1;
        }
    } else if (run->info[k] != 0) {
        p->outcome = BALLS_INVERSE;
    } else {
        balls_verdict verdict;
        p->outcome = ops->prove(worker, p->box, p->bits, prec, run->inverses.data + k * run->inverses.next, &verdict);
        if (p->outcome == BALLS_PROVEN) {
            p->proven = p->bits;
            p->verdict = verdict;
        }
    }
}

static void share(void *data, team *t, int32_t index, int32_t threads)
{
    attempt_run *run = data;
    (void)t;
    (void)threads;
    balls_worker *worker = run->work->ops->worker_create(run->work->system);
    if (!worker)
        __atomic_store_n(&run->failed, true, __ATOMIC_RELAXED);
    for (int64_t k; worker && (k = team_take(&run->next, 1)) < run->count;)
        work_on(run, worker, k);
    run->work->ops->worker_destroy(worker, index > 0);
}

/* All points of the run, by the threads of the context. */
static plumb_status go(attempt_run *run, bool test)
{
    plumb_context *context = run->work->context;
    machine *cpu = &context->cpu;
    const int32_t threads = run->count < cpu->threads ? (int32_t)run->count : cpu->threads;
    plumb_status status = PLUMB_OK;
    run->test = test;
    run->next.next = 0;
    if (threads > 1)
        status = team_start(&cpu->team, threads, context->message, sizeof context->message);
    if (status == PLUMB_OK)
        team_run(cpu->team, threads, share, run);
    return status == PLUMB_OK && run->failed ? SAY(PLUMB_ERR_MEMORY, "out of memory") : status;
}

/* The inverses, always on the CPU, so that the bits are the same on every computer. */
static plumb_status invert(attempt_run *run)
{
    plumb_context *context = run->work->context;
    const lsq_call call = {.a = &run->jacobians, .b = &run->sides, .x = &run->inverses, .info = run->info};
    plumb_info *before = malloc((size_t)run->count * sizeof *before);
    if (!before)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    memcpy(before, run->info, (size_t)run->count * sizeof *before);
    plumb_status status = context->cpu.ops->lsq(&context->cpu, &call, NULL);
    for (int64_t k = 0; k < run->count; k++)
        if (before[k] != 0)
            run->info[k] = before[k];
    free(before);
    return status;
}

static plumb_status attempt_run_of(attempt_run *run)
{
    plumb_status status = go(run, false);
    if (status == PLUMB_OK)
        status = invert(run);
    if (status == PLUMB_OK)
        status = go(run, true);
    return status;
}

/* Points whose inverses have this precision. */
static plumb_status attempt_in(certify_work *work, const int64_t *list, int64_t count, int32_t prec)
{
    plumb_context *context = work->context;
    const int64_t n = work->unknowns, each = 2 * prec * n * n;
    int64_t most = RUN_DOUBLES / each;
    most = most < 1 ? 1 : most > RUN_POINTS ? RUN_POINTS : most;
    int64_t *points = malloc((size_t)most * sizeof *points);
    plumb_info *info = calloc((size_t)most, sizeof *info);
    attempt_run run = {.work = work, .point = points, .info = info};
    plumb_status status = points && info ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    plumb_view *const views[] = {&run.jacobians, &run.sides, &run.inverses};
    for (int i = 0; i < 3 && status == PLUMB_OK; i++)
        status = plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, n, n, most, views[i]);
    for (int64_t k = 0; status == PLUMB_OK && k < most; k++) /* identities */
        for (int64_t i = 0; i < n; i++)
            run.sides.data[k * run.sides.next + i * n + i] = 1.0;
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        if (work->point[list[k]].prec == prec)
            points[run.count++] = list[k];
        if (run.count == 0 || (run.count < most && k + 1 < count))
            continue;
        for (int i = 0; i < 3; i++)
            views[i]->batch = run.count;
        status = attempt_run_of(&run);
        run.count = 0;
        if (status == PLUMB_OK && work->options.progress &&
            work->options.progress(work->options.data, work->done, work->failed, work->count) != 0)
            status = SAY(PLUMB_ERR_STOPPED, "stopped on request");
    }
    for (int i = 0; i < 3; i++)
        plumb_array_destroy(context, views[i]);
    free(points);
    free(info);
    return status;
}

plumb_status certify_attempt(certify_work *work, const int64_t *list, int64_t count)
{
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
    plumb_status status = PLUMB_OK;
    for (int i = 0; i < 3 && status == PLUMB_OK; i++) {
        bool any = false;
        for (int64_t k = 0; k < count; k++)
            any |= work->point[list[k]].prec == precisions[i];
        if (any)
            status = attempt_in(work, list, count, precisions[i]);
    }
    return status;
}
