/* solve.c - plumb_solve: tracks the paths of a plan as a run (solver/run/run.h), in memory or with a journal, and collects the solutions. */
#include <stdio.h>

#include "base/call/message.h"
#include "solver/ranks/ranks.h"
#include "solver/run/crew.h"
#include "solver/solve/cells.h"
#include "solver/solve/collect.h"
#include "solver/solve/job.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* ---- The library as a host ----------------------------------------------------------------------------------------- */

typedef struct library_host {
    const plumb_solve_options *options;
    plumb_status status; /* of the first failure, */
    char message[512];   /* and what is said about it */
    int64_t paths;       /* of the call, */
    int64_t total;       /* and of the round */
    bool stopped;
} library_host;

static void say(const run_voice *voice, int what, plumb_status status, bool placed, const char *line)
{
    library_host *h = voice->data;
    (void)placed;
    if (what == RUN_NOTE && h->options->note)
        h->options->note(h->options->data, line);
    if (what == RUN_NOTE || h->status != PLUMB_OK)
        return;
    h->status = status;
    snprintf(h->message, sizeof h->message, "%s", line);
}

static bool is_stopped(const run_voice *voice)
{
    const library_host *h = voice->data;
    return h->stopped;
}

static void stop(const run_voice *voice)
{
    library_host *h = voice->data;
    h->stopped = true;
}

static void begin_round(const run_voice *voice, int64_t total, int64_t before)
{
    library_host *h = voice->data;
    (void)before;
    h->total = total;
}

static void show_round(const run_voice *voice, int64_t done, int64_t failed, int32_t rerun)
{
    library_host *h = voice->data;
    const plumb_solve_options *options = h->options;
    (void)rerun;
    if (options->progress(options->data, h->paths - h->total + done, failed, h->paths) != 0)
        h->stopped = true;
}

static void end_round(const run_voice *voice)
{
    (void)voice;
}

/* Signals are the caller's. */
static void defer(bool on)
{
    (void)on;
}

static void name_temporary(const char *path, bool exists)
{
    (void)path, (void)exists;
}

static const char *folder(void)
{
    return "/tmp";
}

static const run_host library = {say, is_stopped, stop, defer, name_temporary, folder};
static const run_display display = {begin_round, show_round, end_round};

/* ---- The call ------------------------------------------------------------------------------------------------------ */

typedef struct solve_call {
    plumb_context *context;
    plumb_solve_options options;
    library_host host;
    run_voice voice;
    solve_cells cells;
    solve_plan plan;
    run_job job;
} solve_call;

/* The paths that the options ask for. */
static plumb_status choose_paths(solve_call *call)
{
    plumb_context *context = call->context;
    run_job *job = &call->job;
    const int64_t first = call->options.path_first, count = call->options.path_count;
    if (first >= job->all_paths || count > job->all_paths - first)
        return SAY(PLUMB_ERR_ARGUMENT, "options: path_first is %lld and path_count is %lld, but there are %lld paths",
                   (long long)first, (long long)count, (long long)job->all_paths);
    job->first = first;
    job->count = count > 0 ? count : job->all_paths - first;
    job->is_part = job->count < job->all_paths;
    call->host.paths = job->count;
    return PLUMB_OK;
}

/* What a call of the run returned, as a status with its message. */
static plumb_status status_of(const solve_call *call, int result)
{
    plumb_context *context = call->context;
    const plumb_status status = call->host.status;
    if (result == RUN_OK)
        return PLUMB_OK;
    return status != PLUMB_OK ? SAY(status, "%s", call->host.message)
                              : SAY(PLUMB_ERR_STOPPED, "rank 0 has ended the call");
}

/* Makes the plan and the job. */
static plumb_status prepare(solve_call *call, const plumb_system *system)
{
    const plumb_solve_options *options = &call->options;
    plumb_context *context = call->context;
    call->cells.path = options->cells;
    call->cells.shared = options->ranks != 0;
    const bool uses_cells = options->cells || options->ranks;
    plumb_status status = uses_cells ? status_of(call, plumb_solve_cells_take(&call->voice, &call->cells)) : PLUMB_OK;
    if (status != PLUMB_OK)
        return status;
    status = uses_cells ? plumb_solve_cells_plan(context, system, options, &call->cells, &call->plan)
                        : plumb_solve_plan_make(context, system, options, &call->plan);
    if (status == PLUMB_OK && uses_cells)
        status = status_of(call, plumb_solve_cells_pass_on(&call->voice, &call->cells, &call->plan));
    if (status != PLUMB_OK || !call->plan.homotopy)
        return status;
    call->job = plumb_solve_job(&call->plan);
    call->job.voice = &call->voice;
    call->job.display = options->progress ? &display : NULL;
    call->job.journal = options->journal;
    call->job.in_memory = !options->journal && !options->parts;
    call->job.parts = options->parts;
    call->job.fill = options->fill != 0;
    call->job.path_log = options->path_log;
    call->job.resume = options->resume != 0;
    call->job.cells = call->cells.were_read ? options->cells : NULL;
    call->job.shared = options->ranks != 0;
    call->job.threads = options->ranks ? ranks_threads(0) : 0;
    return choose_paths(call);
}

static plumb_status track(solve_call *call, plumb_solutions **solutions)
{
    run_state run;
    plumb_status status = status_of(call, run_paths(&run, &call->job));
    if (status == PLUMB_OK) {
        const solve_paths paths = plumb_solve_run_paths(&run);
        status = plumb_solve_collect(&call->plan, &paths, solutions);
    }
    run_end(&run, false); /* the journal stays: whoever has saved the solutions removes it */
    return status;
}

/* A rank other than 0, after it has prepared the call with this status: tracks what rank 0 sends, until it is sent home. */
static plumb_status serve(solve_call *call, plumb_status status)
{
    plumb_context *context = call->context;
    int32_t home;
    if (status == PLUMB_OK && call->plan.homotopy)
        status = status_of(call, run_crew_serve(&call->job));
    if (status != PLUMB_OK && !ranks_is_home(&home))
        ranks_tell_failure(RUN_FAILED, context->message);
    ranks_wait_for_home();
    if (!ranks_is_home(&home))
        return SAY(PLUMB_ERR_STOPPED, "rank 0 has ended");
    return home == PLUMB_OK ? PLUMB_OK
                            : SAY((plumb_status)home, "rank 0 failed: %s", plumb_status_text((plumb_status)home));
}

static plumb_status solve(solve_call *call, const plumb_system *system, plumb_solutions **solutions)
{
    static const solve_paths none = {.read = NULL};
    const bool shared = call->options.ranks != 0;
    plumb_status status = prepare(call, system);
    if (shared && ranks_is_worker())
        status = serve(call, status);
    else if (status == PLUMB_OK)
        status = call->plan.homotopy ? track(call, solutions) : plumb_solve_collect(&call->plan, &none, solutions);
    if (shared && !ranks_is_worker())
        ranks_send_home((int32_t)status);
    if (shared)
        ranks_next_job();
    return status;
}

plumb_status plumb_solve(plumb_context *context, const plumb_system *system, const plumb_solve_options *options,
                         plumb_solutions **solutions)
{
    if (!context)
        return plumb_no_context();
    if (!solutions)
        return SAY(PLUMB_ERR_ARGUMENT, "solutions is NULL");
    *solutions = NULL;
    solve_call call = {.context = context};
    plumb_status status = plumb_solve_read_options(context, options, &call.options);
    if (status != PLUMB_OK)
        return status;
    if (call.options.ranks && call.options.path_log)
        return SAY(PLUMB_ERR_ARGUMENT, "options: ranks excludes path_log: steps are not sent to rank 0");
    if (call.options.ranks && !ranks_are_used())
        return SAY(PLUMB_ERR_ARGUMENT, "options: ranks is 1, but plumb_ranks_begin has not been called");
    call.host.options = &call.options;
    call.voice = (run_voice){&library, "solve", &call.host};
    status = solve(&call, system, solutions);
    plumb_solve_plan_clear(&call.plan);
    plumb_store_clear(&call.cells.store);
    return status;
}
