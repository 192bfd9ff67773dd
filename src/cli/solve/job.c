/* job.c - the run of plumb solve: the paths of a plan, tracked with a journal. */
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/command.h"
#include "app/models.h"
#include "app/run/paths.h"
#include "base/os/clock.h"
#include "cli/solve/solve.h"
#include "solver/ranks/ranks.h"

static const char command[] = "solve";

const run_voice solve_voice = {&app_host, command, NULL};

/* ---- What is to be tracked ----------------------------------------------------------------------------------------- */

static void set_track(solve_job *job)
{
    const solve_words *words = job->words;
    run_job *t = &job->track;
    *t = plumb_solve_job(&job->plan);
    t->voice = &solve_voice;
    t->display = app_display(words->quiet);
    t->threads = ranks_threads(words->threads);
    t->output = words->output;
    t->path_log = words->path_log;
    t->plot = words->plot;
    t->inputs[0] = words->file[0];
    t->inputs[1] = words->cells;
    t->resume = words->resume;
    t->parts = job->parts;
    t->fill = job->fill;
    t->shared = words->mpi;
    t->cells = job->cells.were_read ? words->cells : NULL;
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
    job->cells.path = words->cells;
    job->cells.shared = words->mpi;
    int result = app_system_get(command, words->file[0], &words->equations, &job->system);
    if (result == APP_OK)
        result = app_context_create(command, &context, &job->context);
    if (result == APP_OK)
        result = plumb_solve_cells_take(&solve_voice, &job->cells);
    if (result != APP_OK)
        return result;
    const double began = plumb_clock_seconds();
    plumb_status status = plumb_solve_cells_plan(job->context, job->system, &options, &job->cells, &job->plan);
    job->plan.keep_all = true; /* solve_choose comes after certificates */
    job->seconds = plumb_clock_seconds() - began;
    if (status == PLUMB_ERR_ARGUMENT)
        return app_misuse(command, "%s: %s", words->file[0] != NULL ? app_input_name(words->file[0]) : "-e",
                          plumb_context_message(job->context));
    if (status != PLUMB_OK)
        return app_context_fail(command, job->context, status);
    result = plumb_solve_cells_pass_on(&solve_voice, &job->cells, &job->plan);
    if (job->plan.homotopy == NULL || result != APP_OK)
        return result; /* no paths */
    set_track(job);
    result = app_paths_read(&job->track, words->paths);
    job->track.is_part = job->track.count < job->track.all_paths;
    return result;
}

/* ---- The solutions ------------------------------------------------------------------------------------------------- */

int solve_job_run(solve_job *job)
{
    run_state *run = &job->run;
    solve_paths paths = {.read = NULL};
    if (job->plan.homotopy != NULL) {
        int result = job->words->plot != NULL ? app_plot_check(command) : APP_OK;
        if (result == APP_OK) {
            app_stop_on_signals();
            result = run_paths(run, &job->track);
        }
        if (result != APP_OK)
            return result;
        paths = plumb_solve_run_paths(run);
    }
    const double began = plumb_clock_seconds();
    plumb_status status = plumb_solve_collect(&job->plan, &paths, &job->solutions);
    if (status != PLUMB_OK)
        return app_context_fail(command, job->context, status);
    job->report = *job->solutions->report;
    job->seconds += run->seconds + plumb_clock_seconds() - began;
    return APP_OK;
}
