/* solve.c - plumb_solve: tracks all paths of a plan in memory. The rounds are those of a run of the program (app/run), which
 * keeps its endpoints in a journal: paths that failed or share a regular endpoint are tracked again with shorter steps, and
 * then come the verdicts that need all endpoints. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/memory/memory.h"
#include "base/memory/size.h"
#include "solver/solve/collect.h"
#include "solver/track/judge.h"

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

/* Tracks the paths of all->numbers, in round `rerun`: from entry 0 of the views on, and then to their places. */
static plumb_status track_round(plumb_context *context, all_paths *all, int32_t rerun)
{
    const solve_plan *plan = all->plan;
    plumb_track_options options = plan->track;
    plumb_view starts = first_of(&all->starts, all->chosen);
    plumb_view ends = first_of(rerun > 0 ? &all->again : &all->ends, all->chosen);
    plumb_path_record *records = rerun > 0 ? all->new_records : all->records;
    options.separate = 1; /* endpoints are compared here */
    options.rerun = rerun;
    options.paths = all->numbers;
    options.progress = plan->options.progress ? on_progress : NULL;
    options.data = all;
    plumb_status status = plan->start.make(&plan->start, context, all->numbers, rerun, &starts);
    if (status != PLUMB_OK)
        return SAY(status, "start solutions: %s", plumb_last_message());
    status = plumb_track(context, plan->homotopy, &starts, &ends, &options, records);
    for (int64_t k = 0; k < all->chosen && status == PLUMB_OK; k++) {
        const int64_t to = all->numbers[k];
        if (records[k].code == PLUMB_PATH_STOPPED && rerun > 0)
            continue; /* what it was */
        if (rerun > 0) {
            all->records[to] = records[k];
            memcpy(all->ends.data + to * all->ends.next, ends.data + k * ends.next,
                   (size_t)ends.next * sizeof *ends.data);
        }
        all->end[to] = track_end_of(&all->records[to], all->ends.data + to * all->ends.next, all->ends.rows, 1,
                                    all->ends.prec * all->ends.plane, plan->homotopy->exponent);
        all->end[to].known = all->records[to].code != PLUMB_PATH_STOPPED;
    }
    return status;
}

/* Lists the paths to be tracked again: those that failed, and those that share a regular endpoint. */
static void choose(all_paths *all, const track_group *groups)
{
    all->chosen = 0;
    for (int64_t k = 0; k < all->count; k++)
        if (all->end[k].known && (groups[k].regular > 1 ||
                                  (track_code_failed(all->end[k].code) && all->end[k].code != PLUMB_PATH_UNDECIDED)))
            all->numbers[all->chosen++] = k;
}

static plumb_status group(plumb_context *context, const track_ends *ends, track_group *groups)
{
    plumb_status status = track_ends_group(ends, groups);
    return status == PLUMB_OK ? status : SAY(status, "out of memory");
}

static plumb_status track_all(plumb_context *context, all_paths *all, const track_ends *ends, track_group *groups)
{
    const solve_plan *plan = all->plan;
    const track_judge judge = {
        .context = context, .homotopy = plan->homotopy, .seed = plan->options.seed, .complete = true};
    all->chosen = all->count;
    for (int64_t k = 0; k < all->count; k++)
        all->numbers[k] = k;
    plumb_status status = track_round(context, all, 0);
    bool stopped = false;
    for (int64_t k = 0; k < all->count && status == PLUMB_OK; k++)
        stopped = stopped || !all->end[k].known;
    for (int32_t rerun = 1; rerun <= plan->options.reruns && status == PLUMB_OK && !stopped; rerun++) {
        status = group(context, ends, groups);
        if (status == PLUMB_OK)
            choose(all, groups);
        if (status != PLUMB_OK || all->chosen == 0)
            break;
        if (!all->again.data) {
            all->new_records = calloc((size_t)all->count, sizeof *all->new_records);
            status = all->new_records ? plumb_array_create(context, PLUMB_HOST, all->ends.prec, PLUMB_COMPLEX,
                                                           all->ends.rows, 1, all->count, &all->again)
                                      : SAY(PLUMB_ERR_MEMORY, "out of memory");
        }
        if (status == PLUMB_OK)
            status = track_round(context, all, rerun);
    }
    if (status == PLUMB_OK)
        status = group(context, ends, groups);
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
        status = solve(&plan, solutions);
    plumb_solve_plan_clear(&plan);
    return status;
}
