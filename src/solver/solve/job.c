/* job.c - see job.h. */
#include "solver/solve/job.h"

#include <stdio.h>

#include "base/call/message.h"
#include "solver/run/header.h"

/* ---- What is to be tracked ----------------------------------------------------------------------------------------- */

static plumb_status make_starts(const track_job *job, plumb_context *context, const int64_t *paths, int32_t rerun,
                                plumb_view *x)
{
    const solve_plan *plan = job->data;
    const plumb_status status = plan->start.make(&plan->start, context, paths, rerun, x);
    return status == PLUMB_OK
               ? status
               : plumb_say(status, context->message, sizeof context->message, "start solutions could not be made");
}

/* The homotopy follows from the system, the seed and the start system. */
static void describe(const track_job *job, track_fields *fields)
{
    const solve_plan *plan = job->data;
    track_field_system(fields, "SYSTEM", plan->system);
    track_field_text(fields, "--start", "%s", plumb_start_name(plan->start.kind));
    track_field_system(fields, "the start system", plan->start.system);
    track_field_text(fields, "the start solutions", "%016llx", (unsigned long long)plan->start.hash);
}

track_job plumb_solve_job(const solve_plan *plan)
{
    const plumb_system *target = plumb_solve_target(plan);
    track_job job = {.target = target,
                     .homotopy = plan->homotopy,
                     .context = plan->context,
                     .unknowns = target->unknowns,
                     .all_paths = plan->start.paths,
                     .count = plan->start.paths,
                     .complete = true,
                     .reruns = plan->options.reruns,
                     .retry = true,
                     .options = plan->track,
                     .prec = plan->options.prec != 0 ? plan->options.prec : PLUMB_QD,
                     .data = plan,
                     .starts = make_starts,
                     .describe = describe};
    job.options.reruns = 0; /* endpoints are compared over all calls */
    return job;
}

/* ---- The endpoints ------------------------------------------------------------------------------------------------- */

static bool read_path(void *data, int64_t k, plumb_path_record *record, double *x, int32_t *prec)
{
    track_found_path path = {.x = x};
    const bool good = track_run_read(data, k, &path);
    *record = path.record;
    *prec = path.prec;
    return good;
}

/* The list of solutions is as large as the endpoints in memory, which have served then. */
static void drop_paths(void *data)
{
    track_run_drop(data);
}

solve_paths plumb_solve_run_paths(track_run *run)
{
    return (solve_paths){.read = read_path,
                         .taken = drop_paths,
                         .ends = track_run_ends(run),
                         .groups = run->grouped ? run->groups : NULL};
}

/* ---- The library as a host ----------------------------------------------------------------------------------------- */

typedef struct library_host {
    const solve_plan *plan;
    char message[512];
    int64_t total;
    bool stopped;
} library_host;

static void say(const run_voice *voice, int what, bool placed, const char *line)
{
    library_host *h = voice->data;
    (void)placed;
    if (what != RUN_NOTE && !h->message[0])
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
    const int64_t paths = h->plan->start.paths;
    (void)rerun;
    if (options->progress && options->progress(options->data, paths - h->total + done, failed, paths) != 0)
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

plumb_status plumb_solve_with_journal(const solve_plan *plan, plumb_solutions **solutions)
{
    static const run_host host = {say, is_stopped, stop, defer, name_temporary, folder};
    static const run_display display = {begin_round, show_round, end_round};
    plumb_context *context = plan->context;
    library_host own = {.plan = plan};
    const run_voice voice = {&host, "solve", &own};
    track_job job = plumb_solve_job(plan);
    track_run run;
    job.voice = &voice;
    job.display = &display;
    job.journal = plan->options.journal;
    job.resume = plan->options.resume != 0;
    plumb_status status = PLUMB_OK;
    const int result = track_run_paths(&run, &job);
    if (result == RUN_OK) {
        const solve_paths paths = plumb_solve_run_paths(&run);
        status = plumb_solve_collect(plan, &paths, solutions);
    } else {
        status = plumb_say(result == RUN_MISUSE ? PLUMB_ERR_ARGUMENT : PLUMB_ERR_IO, context->message,
                           sizeof context->message, "%s", own.message);
    }
    track_run_end(&run, false); /* the journal stays: whoever has saved the solutions removes it */
    return status;
}
