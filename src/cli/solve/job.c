/* job.c - the run of plumb solve: the paths of a plan, tracked with a journal. */
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/command.h"
#include "app/models.h"
#include "app/paths.h"
#include "base/call/message.h"
#include "base/os/clock.h"
#include "cli/solve/solve.h"
#include "solver/ranks/ranks.h"
#include "solver/run/header.h"

static const char command[] = "solve";

const run_voice solve_voice = {&app_host, command};

/* ---- What is to be tracked ----------------------------------------------------------------------------------------- */

static plumb_status make_starts(const track_job *track, plumb_context *context, const int64_t *paths, int32_t rerun,
                                plumb_view *x)
{
    const solve_job *job = track->data;
    plumb_status status = job->plan.start.make(&job->plan.start, context, paths, rerun, x);
    if (status == PLUMB_OK)
        return PLUMB_OK;
    if (status == PLUMB_ERR_ARGUMENT && job->cells_read)
        return plumb_say(status, context->message, sizeof context->message,
                         "%s has a mixed cell that is none, or has another volume; remove the file", job->words->cells);
    return plumb_say(status, context->message, sizeof context->message, "start solutions could not be made");
}

/* The homotopy follows from the system, the seed and the start system. */
static void describe(const track_job *track, track_fields *fields)
{
    const solve_job *job = track->data;
    track_field_system(fields, "SYSTEM", job->system);
    track_field_text(fields, "--start", "%s", plumb_start_name(job->plan.start.kind));
    track_field_system(fields, "the start system", job->plan.start.system);
    track_field_text(fields, "the start solutions", "%016llx", (unsigned long long)job->plan.start.hash);
}

static void set_track(solve_job *job)
{
    const solve_words *words = job->words;
    const solve_plan *plan = &job->plan;
    track_job *t = &job->track;
    *t = (track_job){.voice = &solve_voice,
                     .display = app_display(words->quiet),
                     .target = plumb_solve_target(plan),
                     .homotopy = plan->homotopy,
                     .context = job->context,
                     .unknowns = plumb_solve_target(plan)->unknowns,
                     .all_paths = plan->start.paths,
                     .complete = true,
                     .reruns = plan->options.reruns,
                     .retry = true,
                     .options = plan->track,
                     .threads = ranks_threads(words->threads),
                     .prec = plan->options.prec != 0 ? plan->options.prec : PLUMB_QD,
                     .data = job,
                     .starts = make_starts,
                     .describe = describe,
                     .output = words->output,
                     .path_log = words->path_log,
                     .plot = words->plot,
                     .inputs = {words->file[0], words->cells},
                     .resume = words->resume,
                     .parts = job->parts,
                     .fill = job->fill};
    t->options.reruns = 0; /* endpoints are compared over all calls */
}

int solve_job_plan(solve_job *job)
{
    const solve_words *words = job->words;
    plumb_context_options context;
    plumb_solve_options options;
    plumb_context_options_init(&context);
    context.threads = ranks_threads_alone(words->threads);
    context.device = ranks_device(words->backend);
    context.backend = words->backend;
    plumb_solve_options_init(&options);
    options.start = words->start;
    options.prec = app_precision(words->prec);
    options.digits = (int32_t)words->digits;
    options.real = words->real;
    options.positive = words->positive;
    options.nonzero = words->nonzero;
    options.reruns = (int32_t)words->reruns;
    options.max_steps = words->max_steps;
    options.largest = words->largest;
    options.residual = words->residual;
    options.seed = words->seed;
    int result = cli_system_get(command, words->file[0], &words->equations, &job->system);
    if (result == CLI_OK)
        result = cli_context_create(command, &context, &job->context);
    if (result == CLI_OK)
        result = solve_cells_take(job);
    if (result != CLI_OK)
        return result;
    job->context->cells = &job->cells;
    const double began = plumb_clock_seconds();
    plumb_status status = plumb_solve_plan_make(job->context, job->system, &options, &job->plan);
    job->plan.keep_all = true; /* solve_choose comes after certificates */
    job->seconds = plumb_clock_seconds() - began;
    if (status == PLUMB_ERR_ARGUMENT)
        return cli_misuse(command, "%s: %s", words->file[0] != NULL ? cli_input_name(words->file[0]) : "-e",
                          plumb_context_message(job->context));
    if (status != PLUMB_OK)
        return cli_context_fail(command, job->context, status);
    result = solve_cells_pass_on(job);
    if (job->plan.homotopy == NULL || result != CLI_OK)
        return result; /* no paths */
    set_track(job);
    result = track_job_read_paths(&job->track, words->paths);
    job->track.is_part = job->track.count < job->track.all_paths;
    return result;
}

/* ---- The solutions ------------------------------------------------------------------------------------------------- */

static bool read_path(void *data, int64_t k, plumb_path_record *record, double *x, int32_t *prec)
{
    track_found_path path = {.x = x};
    bool good = track_run_read(data, k, &path);
    *record = path.record;
    *prec = path.prec;
    return good;
}

/* The list of solutions is as large as the endpoints in memory, which have served then. */
static void drop_paths(void *data)
{
    track_run_drop(data);
}

int solve_job_run(solve_job *job)
{
    track_run *run = &job->run;
    solve_paths paths = {.read = read_path};
    if (job->plan.homotopy != NULL) {
        int result = job->words->plot != NULL ? track_plot_check(command) : CLI_OK;
        if (result == CLI_OK) {
            cli_stop_on_signals();
            result = track_run_paths(run, &job->track);
        }
        if (result != CLI_OK)
            return result;
        paths.taken = drop_paths;
        paths.ends = track_run_ends(run);
        paths.groups = run->grouped ? run->groups : NULL;
    }
    const double began = plumb_clock_seconds();
    plumb_status status = plumb_solve_collect(&job->plan, &paths, &job->solutions);
    if (status != PLUMB_OK)
        return cli_context_fail(command, job->context, status);
    job->report = *job->solutions->report;
    job->seconds += run->seconds + plumb_clock_seconds() - began;
    return CLI_OK;
}
