/* solve.c - plumb_solve: tracks the paths of a plan as a run (solver/run/run.h), in memory or with a journal, and collects the solutions. */
#include <stdio.h>

#include "base/call/message.h"
#include "solver/solve/collect.h"
#include "solver/solve/job.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* ---- The library as a host ----------------------------------------------------------------------------------------- */

typedef struct library_host {
    const solve_plan *plan;
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
    const plumb_solve_options *options = &h->plan->options;
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

/* ---- The call ------------------------------------------------------------------------------------------------------ */

/* The paths that the options ask for. */
static plumb_status choose_paths(const solve_plan *plan, run_job *job)
{
    plumb_context *context = plan->context;
    const int64_t first = plan->options.path_first, count = plan->options.path_count;
    if (first >= job->all_paths || count > job->all_paths - first)
        return SAY(PLUMB_ERR_ARGUMENT, "options: path_first is %lld and path_count is %lld, but there are %lld paths",
                   (long long)first, (long long)count, (long long)job->all_paths);
    job->first = first;
    job->count = count > 0 ? count : job->all_paths - first;
    job->is_part = job->count < job->all_paths;
    return PLUMB_OK;
}

static plumb_status solve(const solve_plan *plan, plumb_solutions **solutions)
{
    static const run_host host = {say, is_stopped, stop, defer, name_temporary, folder};
    static const run_display display = {begin_round, show_round, end_round};
    plumb_context *context = plan->context;
    run_job job = plumb_solve_job(plan);
    plumb_status status = choose_paths(plan, &job);
    if (status != PLUMB_OK)
        return status;
    library_host own = {.plan = plan, .paths = job.count};
    const run_voice voice = {&host, "solve", &own};
    run_state run;
    job.voice = &voice;
    job.display = plan->options.progress ? &display : NULL;
    job.journal = plan->options.journal;
    job.in_memory = !job.journal;
    job.resume = plan->options.resume != 0;
    if (run_paths(&run, &job) == RUN_OK) {
        const solve_paths paths = plumb_solve_run_paths(&run);
        status = plumb_solve_collect(plan, &paths, solutions);
    } else {
        status = SAY(own.status, "%s", own.message);
    }
    run_end(&run, false); /* the journal stays: whoever has saved the solutions removes it */
    return status;
}

plumb_status plumb_solve(plumb_context *context, const plumb_system *system, const plumb_solve_options *options,
                         plumb_solutions **solutions)
{
    static const solve_paths none = {.read = NULL};
    solve_plan plan;
    if (!context)
        return plumb_no_context();
    if (!solutions)
        return SAY(PLUMB_ERR_ARGUMENT, "solutions is NULL");
    *solutions = NULL;
    plumb_status status = plumb_solve_plan_make(context, system, options, &plan);
    if (status == PLUMB_OK)
        status = plan.homotopy ? solve(&plan, solutions) : plumb_solve_collect(&plan, &none, solutions);
    plumb_solve_plan_clear(&plan);
    return status;
}
