/* stage.c - see stage.h. */
#include "solver/sets/stage.h"

#include <stdlib.h>
#include <string.h>

#include "model/solutions.h"
#include "model/system/system.h"
#include "solver/ranks/ranks.h"

/* Steps after which paths to witness points are given up in a first attempt. Near a larger component predictions must be as accurate as the square root of tau, so
 * that steps become shorter and shorter on a path that runs along it to infinity. Others take up to some 1,500. */
enum { FIRST_STEPS = 2000 };

bool set_stopped(const plumb_decompose_options *options)
{
    return options->stop && options->stop(options->data) != 0;
}

/* The account of a solve call as that of a dimension. */
static void account(const plumb_solve_report *report, plumb_component_dimension *info)
{
    info->paths = report->paths;
    info->witness = report->regular + report->singular;
    info->infinite = report->infinite + report->beyond;
    info->not_isolated = report->not_isolated;
    info->extraneous = report->extraneous;
    info->undecided = report->undecided;
    info->failed = report->failed;
    info->verdict = plumb_solve_verdict(report, info->line, sizeof info->line);
}

static void tell_others(const set_solver *solver, const set_stage *stage)
{
    if (!solver->options->ranks || ranks_is_worker())
        return;
    for (int32_t k = 1; k < ranks_count(); k++)
        ranks_send(k, RANKS_STAGE, stage, sizeof *stage);
    ranks_deliver();
}

void set_stage_end(const set_solver *solver, plumb_status status)
{
    const set_stage stage = {.kind = SET_STAGE_END, .status = (int64_t)status};
    tell_others(solver, &stage);
}

set_stage set_stage_next(void)
{
    set_stage stage = {.kind = SET_STAGE_END, .status = PLUMB_ERR_STOPPED};
    ranks_message m;
    if (!ranks_wait(RANKS_STAGE, &m))
        return stage;
    if (m.length == sizeof stage)
        memcpy(&stage, m.bytes, sizeof stage);
    free(m.bytes);
    return stage;
}

/* What plumb_solve calls back. */
typedef struct stage_call {
    const plumb_decompose_options *options;
    bool planned;
} stage_call;

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    const stage_call *call = data;
    return call->options->progress ? call->options->progress(call->options->data, done, failed, total) : 0;
}

static int on_stop(void *data)
{
    const stage_call *call = data;
    return set_stopped(call->options);
}

static void on_note(void *data, const char *line)
{
    const stage_call *call = data;
    if (call->options->note)
        call->options->note(call->options->data, line);
}

static void on_planned(void *data, const plumb_solve_planned *planned)
{
    stage_call *call = data;
    (void)planned;
    call->planned = true;
}

plumb_status set_stage_solve(const set_solver *solver, const set_stage *stage, const plumb_system *system,
                             uint64_t seed, plumb_component_dimension *info, plumb_solutions **points)
{
    const plumb_decompose_options *options = solver->options;
    const bool serves = options->ranks && ranks_is_worker();
    stage_call call = {.options = options};
    plumb_solve_options solve;
    plumb_solve_report report;
    bool exists = false;
    char *journal =
        solver->journal.folder ? set_journal_file(&solver->journal, stage->dimension, stage->attempt, &exists) : NULL;
    *points = NULL;
    if (solver->journal.folder && !journal)
        return PLUMB_ERR_MEMORY;
    tell_others(solver, stage);
    plumb_solve_options_init(&solve);
    if (stage->kind == SET_STAGE_WITNESS && stage->attempt == 0)
        solve.max_steps = FIRST_STEPS;
    solve.seed = seed;
    solve.progress = options->progress ? on_progress : NULL;
    solve.stop = options->stop ? on_stop : NULL;
    solve.note = on_note;
    solve.planned = on_planned;
    solve.data = &call;
    solve.journal = journal;
    solve.resume = exists;
    solve.ranks = options->ranks;
    solve.rank_threads = options->rank_threads;
    plumb_status status = plumb_solve(solver->context, system, &solve, points);
    free(journal);
    if (serves)
        return status;
    if (status == PLUMB_ERR_ARGUMENT && !call.planned) { /* some unknown is free: exactly, no solution is isolated */
        solver->context->message[0] = 0;
        return plumb_solutions_create(0, system->unknowns, PLUMB_QD, (const char *const *)system->names, points);
    }
    if (status == PLUMB_OK)
        status = plumb_solutions_report(*points, &report);
    if (status == PLUMB_OK)
        account(&report, info);
    return status == PLUMB_OK && info->verdict == PLUMB_SOLVE_STOPPED ? PLUMB_ERR_STOPPED : status;
}
