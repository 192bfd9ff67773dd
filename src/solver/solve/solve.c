/* solve.c - plumb_solve: tracks all paths of a plan in memory, in rounds (solver/track/rounds.h), and then come the verdicts that
 * need all endpoints. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/memory/memory.h"
#include "base/memory/size.h"
#include "solver/solve/collect.h"
#include "solver/solve/job.h"
#include "solver/track/judge.h"
#include "solver/track/rounds.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

typedef struct all_paths {
    const solve_plan *plan;
    int64_t count;
    plumb_view starts, ends;
    plumb_path_record *records;
    track_end *end;
    int64_t *numbers; /* of the paths of a round, */
    int64_t chosen;   /* so many, */
    plumb_view again; /* and what became of them, if it is not the first round */
    plumb_path_record *new_records;
} all_paths;

static bool read_path(void *data, int64_t k, plumb_path_record *record, double *x, int32_t *prec)
{
    const all_paths *all = data;
    const plumb_view *ends = &all->ends;
    *record = all->records[k];
    *prec = ends->prec;
    for (int64_t i = 0; i < ends->rows; i++)
        for (int64_t c = 0; c < 2 * ends->prec; c++)
            x[2 * i * ends->prec + c] = ends->data[k * ends->next + c * ends->plane + i];
    return true;
}

static bool read_end(void *data, int64_t k, double *x, int32_t *prec, int64_t *number)
{
    const all_paths *all = data;
    const int32_t *exponent = all->plan->homotopy->exponent;
    plumb_path_record record;
    bool good = read_path(data, k, &record, x, prec);
    *number = record.path;
    for (int64_t i = 0; i < all->ends.rows && exponent; i++)
        for (int64_t c = 2 * i * *prec; c < 2 * (i + 1) * *prec; c++)
            x[c] = ldexp(x[c], -exponent[i]);
    return good;
}

static plumb_status make_room(plumb_context *context, int64_t count, all_paths *all)
{
    const solve_plan *plan = all->plan;
    const int64_t n = plumb_solve_target(plan)->unknowns;
    const int32_t prec = plan->options.prec ? plan->options.prec : PLUMB_QD;
    char what[64];
    int64_t bytes = plumb_memory_add(
        0, count, (int64_t)(sizeof *all->records + sizeof *all->numbers + sizeof *all->end + sizeof(track_group)));
    bytes = plumb_memory_add(bytes, count, plumb_memory_add(0, n, 2 * (PLUMB_QD + prec) * (int64_t)sizeof(double)));
    snprintf(what, sizeof what, "a call of %lld paths", (long long)count);
    plumb_status status = plumb_memory_check(bytes, what, context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    all->records = calloc((size_t)count, sizeof *all->records);
    all->numbers = calloc((size_t)count, sizeof *all->numbers);
    all->end = calloc((size_t)count, sizeof *all->end);
    if (!all->records || !all->numbers || !all->end)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, count, &all->starts);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, n, 1, count, &all->ends);
    return status;
}

/* ---- Rounds -------------------------------------------------------------------------------------------------------- */

/* A view of the first points of a batch. */
static plumb_view first_of(const plumb_view *view, int64_t count)
{
    plumb_view part = *view;
    part.batch = count;
    return part;
}

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    const all_paths *all = data;
    const plumb_solve_options *options = &all->plan->options;
    (void)total;
    return options->progress(options->data, all->count - all->chosen + done, failed, all->count);
}

/* Room for what becomes of paths that are tracked again. */
static plumb_status make_room_again(plumb_context *context, all_paths *all)
{
    if (all->again.data)
        return PLUMB_OK;
    all->new_records = calloc((size_t)all->count, sizeof *all->new_records);
    return all->new_records ? plumb_array_create(context, PLUMB_HOST, all->ends.prec, PLUMB_COMPLEX, all->ends.rows, 1,
                                                 all->count, &all->again)
                            : SAY(PLUMB_ERR_MEMORY, "out of memory");
}

/* A round: from entry 0 of the views on, and then to their places. */
static plumb_status track_round(void *data, bool *todo, int64_t left, int32_t rerun)
{
    all_paths *all = data;
    const solve_plan *plan = all->plan;
    plumb_context *context = plan->context;
    plumb_track_options options = plan->track;
    plumb_status status = rerun > 0 ? make_room_again(context, all) : PLUMB_OK;
    if (status != PLUMB_OK)
        return status;
    all->chosen = 0;
    for (int64_t k = 0; k < all->count; k++)
        if (todo[k])
            all->numbers[all->chosen++] = k;
    plumb_view starts = first_of(&all->starts, left), ends = first_of(rerun > 0 ? &all->again : &all->ends, left);
    plumb_path_record *records = rerun > 0 ? all->new_records : all->records;
    options.separate = 1; /* endpoints are compared here */
    options.rerun = rerun;
    options.paths = all->numbers;
    options.progress = plan->options.progress ? on_progress : NULL;
    options.data = all;
    status = plan->start.make(&plan->start, context, all->numbers, rerun, &starts);
    if (status != PLUMB_OK)
        return SAY(status, "start solutions: %s", plumb_last_message());
    status = plumb_track(context, plan->homotopy, &starts, &ends, &options, records);
    for (int64_t k = 0; k < left && status == PLUMB_OK; k++) {
        const int64_t to = all->numbers[k];
        todo[to] = records[k].code == PLUMB_PATH_STOPPED;
        if (todo[to] && rerun > 0)
            continue; /* what it was */
        if (rerun > 0) {
            all->records[to] = records[k];
            memcpy(all->ends.data + to * all->ends.next, ends.data + k * ends.next,
                   (size_t)ends.next * sizeof *ends.data);
        }
        all->end[to] = track_end_of(&all->records[to], all->ends.data + to * all->ends.next, all->ends.rows, 1,
                                    all->ends.prec * all->ends.plane, plan->homotopy->exponent);
        all->end[to].known = !todo[to];
    }
    return status;
}

static plumb_status track_all(plumb_context *context, all_paths *all, const track_ends *ends, track_group *groups)
{
    const solve_plan *plan = all->plan;
    const track_judge judge = {
        .context = context, .homotopy = plan->homotopy, .seed = plan->options.seed, .complete = true};
    const track_rounds rounds = {.ends = ends,
                                 .groups = groups,
                                 .todo = calloc((size_t)all->count + 1, sizeof *rounds.todo),
                                 .reruns = plan->options.reruns,
                                 .retry = true,
                                 .data = all,
                                 .track = track_round};
    bool stopped = false;
    plumb_status status = rounds.todo ? track_rounds_run(&rounds, &stopped) : PLUMB_ERR_MEMORY;
    free(rounds.todo);
    if (status == PLUMB_ERR_MEMORY)
        return SAY(status, "out of memory");
    return status == PLUMB_OK && !stopped ? track_judge_ends(&judge, ends, groups) : status;
}

static plumb_status solve(const solve_plan *plan, plumb_solutions **solutions)
{
    plumb_context *context = plan->context;
    all_paths all = {.plan = plan, .count = plan->start.paths};
    solve_paths paths = {.read = read_path};
    track_group *groups = calloc((size_t)all.count + 1, sizeof *groups);
    plumb_status status = groups ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK && all.count > 0) {
        status = make_room(context, all.count, &all);
        paths.ends = (track_ends){.first = all.end,
                                  .stride = sizeof *all.end,
                                  .count = all.count,
                                  .unknowns = all.ends.rows,
                                  .read = read_end,
                                  .data = &all};
        if (status == PLUMB_OK)
            status = track_all(context, &all, &paths.ends, groups);
    }
    if (status == PLUMB_OK)
        status = plumb_solve_collect(plan, &paths, solutions);
    plumb_array_destroy(context, &all.starts);
    plumb_array_destroy(context, &all.ends);
    plumb_array_destroy(context, &all.again);
    free(all.records);
    free(all.new_records);
    free(all.numbers);
    free(all.end);
    free(groups);
    return status;
}

plumb_status plumb_solve(plumb_context *context, const plumb_system *system, const plumb_solve_options *options,
                         plumb_solutions **solutions)
{
    solve_plan plan;
    if (!context)
        return plumb_no_context();
    if (!solutions)
        return SAY(PLUMB_ERR_ARGUMENT, "solutions is NULL");
    *solutions = NULL;
    plumb_status status = plumb_solve_plan_make(context, system, options, &plan);
    if (status == PLUMB_OK)
        status = plan.options.journal && plan.homotopy ? plumb_solve_with_journal(&plan, solutions)
                                                       : solve(&plan, solutions);
    plumb_solve_plan_clear(&plan);
    return status;
}
