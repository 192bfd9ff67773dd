/* solve.c - plumb_solve: tracks all paths of a plan in one call, in memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/size.h"
#include "solver/solve/collect.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

typedef struct all_paths {
    const solve_plan *plan;
    plumb_view starts, ends;
    plumb_path_record *records;
    int64_t *numbers;
    track_end *end;
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

static plumb_status track_all(plumb_context *context, all_paths *all)
{
    const solve_plan *plan = all->plan;
    const int64_t count = plan->start.paths;
    plumb_track_options options = plan->track;
    options.progress = plan->options.progress;
    options.data = plan->options.data;
    for (int64_t k = 0; k < count; k++)
        all->numbers[k] = k;
    plumb_status status = plumb_solve_start_points(&plan->start, context, all->numbers, &all->starts);
    if (status != PLUMB_OK)
        return SAY(status, "start solutions: %s", plumb_last_message());
    status = plumb_track(context, plan->homotopy, &all->starts, &all->ends, &options, all->records);
    const plumb_view *x = &all->ends;
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        all->end[k] = track_end_of(&all->records[k], x->data + k * x->next, x->rows, 1, x->prec * x->plane,
                                   plan->homotopy->exponent);
        all->end[k].known = all->records[k].code != PLUMB_PATH_STOPPED;
    }
    return status;
}

static plumb_status solve(const solve_plan *plan, plumb_solutions **solutions)
{
    plumb_context *context = plan->context;
    const int64_t count = plan->start.paths;
    all_paths all = {.plan = plan};
    plumb_status status = count > 0 ? make_room(context, count, &all) : PLUMB_OK;
    if (status == PLUMB_OK && count > 0)
        status = track_all(context, &all);
    if (status == PLUMB_OK) {
        const solve_paths paths = {.ends = {.first = all.end,
                                            .stride = sizeof *all.end,
                                            .count = count,
                                            .unknowns = all.ends.rows,
                                            .read = read_end,
                                            .data = &all},
                                   .read = read_path};
        status = plumb_solve_collect(plan, &paths, solutions);
    }
    plumb_array_destroy(context, &all.starts);
    plumb_array_destroy(context, &all.ends);
    free(all.records);
    free(all.numbers);
    free(all.end);
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
