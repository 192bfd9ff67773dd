/* eval.c - evaluation on the CPU: the order of the steps, the distribution of points over threads and lanes, and the
 * transfer of numbers between views and slots.
 *
 * A slot is computed by one thread, always with the same operations, so the bits depend neither on threads nor on
 * lanes. */
#include "backend/cpu/eval/eval.h"

#include <math.h>
#include <stdlib.h>

#include "backend/cpu/kernels.h"
#include "base/array/view.h"
#include "base/call/message.h"
#include "base/memory/memory.h"
#include "base/memory/size.h"
#include "base/os/team.h"

/* The minimum number of limb products for a team of threads, and per thread; with fewer, waking and waiting for
 * threads costs more than they save. */
enum { WORTH_TEAM = 1 << 19, WORTH_THREAD = 1 << 16 };

/* The number of items that a thread takes at a time: a multiple of the lane width, and enough to make the request
 * worthwhile. */
enum { SHARE = 4 * PROGRAM_PAD };

/* If the slots of a lane of points take more doubles than this, single points are faster, because they stay in a
 * cache. */
enum { MANY_LIMIT = 1 << 19 };

typedef struct eval_run {
    const eval_call *call;
    const eval_kernels *kernels;
    eval_job job;                          /* slots and scratch of the first thread */
    int64_t slot_doubles, scratch_doubles; /* of each thread */
} eval_run;

/* ---- Between views and slots ---------------------------------------------------------------------------------- */

static double *entry_of(const plumb_view *view, int64_t point, int64_t row, int64_t col)
{
    return view->data + point * view->next + col * view->col + row;
}

/* Loads points first .. first + count - 1 into a lane of `width` places; the remaining places repeat the last point. */
static void load_points(const eval_run *run, double *slots, int64_t first, int32_t count, int32_t width)
{
    const plumb_view *x = run->call->points;
    int64_t planes = run->kernels->planes;
    for (int64_t c = 0; c < planes; c++)
        for (int32_t i = 0; i < width; i++)
            slots[c * width + i] = c == 0 ? 1.0 : 0.0;
    for (int64_t v = 0; v < x->rows; v++)
        for (int64_t c = 0; c < planes; c++)
            for (int32_t i = 0; i < width; i++) {
                int64_t point = first + (i < count ? i : count - 1);
                slots[((1 + v) * planes + c) * width + i] = entry_of(x, point, v, 0)[c * x->plane];
            }
}

static void clear(const plumb_view *view, int64_t point)
{
    for (int64_t c = 0; c < view_planes(view); c++)
        for (int64_t j = 0; j < view->cols; j++)
            for (int64_t i = 0; i < view->rows; i++)
                entry_of(view, point, i, j)[c * view->plane] = 0.0;
}

static void store_number(const plumb_view *view, int64_t point, int64_t row, int64_t col, const double *slot,
                         int64_t step)
{
    double *to = entry_of(view, point, row, col);
    int64_t planes = view_planes(view);
    for (int64_t c = 0; c < planes; c++)
        to[c * view->plane] = slot[c * step];
}

static void store_results(const eval_run *run, const double *slots, int64_t first, int32_t count, int32_t width)
{
    const eval_program *p = run->job.program;
    const plumb_view *values = run->call->values, *jacobians = run->call->jacobians;
    int64_t number = (int64_t)run->kernels->planes * width;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < p->equations; k++)
            store_number(values, first + i, k, 0, slots + p->value_slot[k] * number + i, width);
        if (!jacobians)
            continue;
        if (p->entries < (int64_t)p->equations * p->columns)
            clear(jacobians, first + i);
        for (int32_t k = 0; k < p->entries; k++)
            store_number(jacobians, first + i, p->entry_row[k], p->entry_col[k], slots + p->entry_slot[k] * number + i,
                         width);
    }
}

/* ---- The steps ------------------------------------------------------------------------------------------------- */

static int32_t stage_end(const eval_job *job, const program_stage *stage)
{
    return job->derivatives ? stage->all : stage->values;
}

void plumb_cpu_eval_run(const eval_job *job, const eval_steps *steps)
{
    const eval_program *p = job->program;
    for (int32_t l = 0; l < p->level_count; l++)
        steps->level(job, l, 0, p->level[l].count);
    for (int32_t g = 0; g < p->group_count; g++)
        steps->group(job, g, 0, p->group[g].count);
    for (int32_t s = 0; s < p->stage_count; s++)
        steps->rows(job, p->stage[s].first, stage_end(job, &p->stage[s]));
}

static eval_job job_of(const eval_run *run, int64_t thread)
{
    eval_job job = run->job;
    job.slots += thread * (run->slot_doubles + run->scratch_doubles);
    job.scratch = job.slots + run->slot_doubles;
    return job;
}

/* Evaluates one point with all threads: the products of a level or group and the rows of a stage are independent. Threads
 * wait for each other after a level and before a stage; groups are taken by the piece, in any order. */
typedef struct eval_together {
    const eval_run *run;
    team_counter *next; /* of each group and each stage */
} eval_together;

static void run_share(void *data, team *t, int32_t index, int32_t threads)
{
    const eval_together *together = data;
    const eval_run *run = together->run;
    const eval_program *p = run->job.program;
    const eval_steps *steps = &run->kernels->one;
    team_counter *next = together->next;
    eval_job job = job_of(run, index);
    job.slots = run->job.slots;
    for (int32_t l = 0; l < p->level_count; l++) {
        const int32_t count = p->level[l].count;
        int64_t last, share = team_share((count + SHARE - 1) / SHARE, index, threads, &last);
        for (; share < last; share++) {
            const int32_t first = (int32_t)share * SHARE;
            steps->level(&job, l, first, first + SHARE < count ? first + SHARE : count);
        }
        team_wait(t, threads);
    }
    for (int32_t g = 0; g < p->group_count; g++) {
        const int32_t count = p->group[g].count;
        for (int64_t first; (first = team_take(next + g, SHARE)) < count;)
            steps->group(&job, g, (int32_t)first, first + SHARE < count ? (int32_t)first + SHARE : count);
    }
    for (int32_t s = 0; s < p->stage_count; s++) {
        const int32_t begin = p->stage[s].first, count = stage_end(&job, &p->stage[s]) - begin;
        team_wait(t, threads);
        for (int64_t first; (first = team_take(next + p->group_count + s, SHARE)) < count;)
            steps->rows(&job, begin + (int32_t)first, begin + (first + SHARE < count ? (int32_t)first + SHARE : count));
    }
}

static plumb_status run_one(machine *m, const eval_run *run, int32_t threads)
{
    const eval_program *p = run->job.program;
    load_points(run, run->job.slots, 0, 1, 1);
    if (threads > 1) {
        const size_t counters = (size_t)p->group_count + (size_t)p->stage_count + 1;
        eval_together together = {run, calloc(counters, sizeof *together.next)};
        if (!together.next)
            return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "out of memory");
        team_run(m->team, threads, run_share, &together);
        free(together.next);
    } else {
        eval_job job = job_of(run, 0);
        plumb_cpu_eval_run(&job, &run->kernels->one);
    }
    store_results(run, run->job.slots, 0, 1, 1);
    return PLUMB_OK;
}

/* Evaluates all points, `width` at a time: 1 for kernels `one`, otherwise a lane of points. */
typedef struct eval_all {
    const eval_run *run;
    int32_t width;
    team_counter next; /* lane */
} eval_all;

static void run_lanes(void *data, team *t, int32_t index, int32_t threads)
{
    eval_all *all = data;
    const eval_run *run = all->run;
    const int32_t width = all->width;
    const int64_t batch = run->call->points->batch, lanes = (batch + width - 1) / width;
    const eval_steps *steps = width > 1 ? &run->kernels->many : &run->kernels->one;
    eval_job job = job_of(run, index);
    (void)t, (void)threads;
    for (int64_t k; (k = team_take(&all->next, 1)) < lanes;) {
        int64_t first = k * width, left = batch - first;
        int32_t count = left < width ? (int32_t)left : width;
        load_points(run, job.slots, first, count, width);
        plumb_cpu_eval_run(&job, steps);
        store_results(run, job.slots, first, count, width);
    }
}

/* ---- The call -------------------------------------------------------------------------------------------------- */

/* Allocates memory for every thread, which is kept with the machine. */
static plumb_status make_room(machine *m, eval_run *run, int32_t threads, int32_t width)
{
    const eval_program *p = run->job.program;
    int64_t each, all;
    /* A program has fewer than 2^31 slots and factors, so the products for one thread do not overflow. Each thread
     * has whole cache lines. */
    run->slot_doubles = ((int64_t)p->slots * run->kernels->planes * width + 7) / 8 * 8;
    run->scratch_doubles = (eval_scratch(p, run->kernels) + 7) / 8 * 8;
    if (!size_add(run->slot_doubles, run->scratch_doubles, &each) || !size_mul(each, threads, &all) ||
        all > (int64_t)(PTRDIFF_MAX / sizeof(double)))
        return plumb_say(PLUMB_ERR_SIZE, m->message, m->message_size, "the evaluation is too large for the memory");
    if (!m->work || all > m->work_doubles) {
        free(m->work);
        m->work_doubles = 0;
        m->work = NULL;
        plumb_status status =
            plumb_memory_check(all * (int64_t)sizeof(double), "the evaluation", m->message, m->message_size);
        if (status != PLUMB_OK)
            return status;
        m->work = aligned_alloc(64, (size_t)all * sizeof(double));
        if (!m->work)
            return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size,
                             "out of memory: %lld doubles for each of %d threads", (long long)each, (int)threads);
        m->work_doubles = all;
    }
    run->job.slots = m->work;
    return PLUMB_OK;
}

/* The number of points at a time: a lane if there are enough points to fill one and their slots stay in a cache. */
static int32_t width_of(const eval_run *run)
{
    int32_t width = run->kernels->width;
    int64_t doubles = (int64_t)run->job.program->slots * run->kernels->planes * width;
    return 2 * run->call->points->batch > width && doubles <= MANY_LIMIT ? width : 1;
}

static int32_t team_of(const machine *m, const eval_run *run, int64_t shares)
{
    const eval_program *p = run->job.program;
    double planes = run->kernels->planes, batch = (double)run->call->points->batch;
    double each = run->job.derivatives ? (double)p->products + (double)p->sum_terms
                                       : (double)p->value_products + (double)p->value_sum_terms;
    double work = planes * planes * each * batch;
    int64_t threads = m->threads < shares ? m->threads : shares, worth = (int64_t)fmin(work / WORTH_THREAD, 1 << 20);
    return work < WORTH_TEAM ? 1 : (int32_t)(threads < worth ? threads : worth);
}

plumb_status plumb_cpu_eval(machine *m, const eval_call *call, void *stream)
{
    (void)stream;
    const plumb_view *points = call->points;
    eval_run run = {
        .call = call,
        .kernels = m->isa->prec[points->prec]->eval[points->parts],
        .job = {.program = call->program, .coefficients = call->coefficients, .derivatives = call->jacobians != NULL}};
    if (points->batch == 0)
        return PLUMB_OK;
    int32_t width = width_of(&run);
    bool single = points->batch == 1;
    int32_t threads = team_of(m, &run, single ? INT32_MAX : (points->batch + width - 1) / width);
    plumb_status status = make_room(m, &run, threads, width);
    if (status == PLUMB_OK)
        status = team_start(&m->team, threads, m->message, m->message_size);
    if (status != PLUMB_OK)
        return status;
    if (single)
        return run_one(m, &run, threads);
    eval_all all = {.run = &run, .width = width};
    team_run(m->team, threads, run_lanes, &all);
    return PLUMB_OK;
}
