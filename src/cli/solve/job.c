/* job.c - the call of plumb_solve: options from the command line, and what it reports while it works. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/files.h"
#include "app/models.h"
#include "base/os/clock.h"
#include "cli/solve/solve.h"

/* ---- What the call reports ------------------------------------------------------------------------------------------- */

/* The texts of the library are gone after the callback. */
static const char *copy(solve_job *job, int place, const char *text)
{
    if (text == NULL)
        return NULL;
    snprintf(job->why[place], sizeof job->why[place], "%s", text);
    return job->why[place];
}

/* From here on signals stop the run, and what is finished is not lost. */
static void on_planned(void *data, const plumb_solve_planned *planned)
{
    solve_job *job = data;
    const solve_words *words = job->words;
    job->planned = *planned;
    for (int kind = 0; kind < SOLVE_KINDS; kind++)
        job->planned.given_up[kind] = copy(job, kind, planned->given_up[kind]);
    job->planned.no_solution = copy(job, SOLVE_KINDS, planned->no_solution);
    job->is_planned = true;
    if (!words->plan)
        app_stop_on_signals();
    app_progress_end();
    if (words->quiet || words->json)
        return;
    FILE *out = app_is_stream(words->output) ? stderr : stdout; /* standard output has the solutions alone */
    solve_answer_start(job, out);
    fflush(out);
}

static void on_note(void *data, const char *line)
{
    const solve_job *job = data;
    app_progress_end();
    app_note(job->words->command, "%s", line);
}

static int on_stop(void *data)
{
    (void)data;
    return app_stopped();
}

/* ---- The call ------------------------------------------------------------------------------------------------------ */

static void set_options(solve_job *job)
{
    const solve_words *words = job->words;
    plumb_solve_options *o = &job->options;
    o->start = words->start;
    o->prec = app_precision(words->prec);
    o->digits = (int32_t)words->digits;
    o->max_digits = (int32_t)words->max_digits;
    o->real = words->real;
    o->positive = words->positive;
    o->nonzero = words->nonzero;
    o->unfiltered = 1; /* certificates come first */
    o->reruns = (int32_t)words->reruns;
    o->max_steps = words->max_steps;
    o->largest = words->largest;
    o->residual = words->residual;
    o->seed = words->seed;
    o->cells = words->cells;
    o->parts = job->parts;
    o->fill = job->fill;
    o->ranks = words->mpi;
    o->rank_threads = (int32_t)words->threads;
    o->resume = words->resume;
    o->folder = app_folder();
    o->plan_only = words->plan;
    o->progress = app_progress(words->quiet, words->output != NULL && !app_is_stream(words->output));
    o->mpfr_progress = app_mpfr_progress(words->quiet);
    o->note = on_note;
    o->planned = on_planned;
    o->stop = on_stop;
    o->data = job;
}

/* The files that the run has beside its output. */
static int open_files(solve_job *job)
{
    const solve_words *words = job->words;
    const char *const others[] = {words->file[0], words->cells, words->path_log, words->plot, words->html};
    int result =
        app_panels_read(words->command, "--plot-coordinates", words->plot_coordinates, job->system, &job->panels);
    if (result == APP_OK)
        result = app_journal_path(words->command, words->output, others, 5, words->resume, &job->journal);
    if (result == APP_OK && !app_is_worker())
        result = app_log_begin(words->command, words->path_log, NULL, &job->log);
    job->options.journal = job->journal;
    job->options.path_log = job->log.path;
    return result;
}

static bool begins_with(const char *text, const char *name)
{
    return name != NULL && strncmp(text, name, strlen(name)) == 0;
}

/* Before there is a plan, what makes no sense is the system, or the file of mixed cells. */
static int fail(const solve_job *job, plumb_status status)
{
    const solve_words *words = job->words;
    const char *message = plumb_context_message(job->context);
    if (status == PLUMB_ERR_ARGUMENT && !job->is_planned && !begins_with(message, words->cells))
        return app_misuse(words->command, "%s: %s", words->file[0] != NULL ? app_input_name(words->file[0]) : "-e",
                          message);
    if (status == PLUMB_ERR_ARGUMENT)
        return app_misuse(words->command, "%s", message);
    if (status == PLUMB_ERR_IO || strcmp(message, plumb_status_text(status)) == 0)
        return app_fail(words->command, "%s", message);
    return app_context_fail(words->command, job->context, status);
}

/* Solutions that are only shown and written need not be in memory together. Everything else needs a list: certificates, pictures, pages,
 * JSON, more digits, and filters, which come after certificates. */
static bool is_list_needed(const solve_words *words)
{
    const bool filtered = words->real || words->positive || words->nonzero;
    return words->certify || words->json || words->plan || words->plot != NULL || words->html != NULL || filtered ||
           words->digits > 0;
}

/* The report that plumb_solve would give to the list of all solutions. */
static plumb_status add_report(solve_job *job)
{
    plumb_solve_report *report = job->solutions->report = malloc(sizeof *report);
    if (report == NULL)
        return PLUMB_ERR_MEMORY;
    *report = job->report;
    return PLUMB_OK;
}

/* Solutions that are few enough become a list. */
static plumb_status open_stream(solve_job *job)
{
    plumb_status status = plumb_solve_stream(job->context, job->system, &job->options, &job->stream);
    if (status != PLUMB_OK || job->stream == NULL)
        return status;
    job->count = plumb_solution_stream_count(job->stream);
    status = plumb_solution_stream_report(job->stream, &job->report);
    if (status == PLUMB_OK)
        status = plumb_solution_stream_next(job->stream, INT64_MAX, &job->solutions);
    if (status == PLUMB_OK && plumb_solutions_count(job->solutions) < job->count)
        return PLUMB_OK;
    plumb_solution_stream_destroy(job->stream);
    job->stream = NULL;
    return status == PLUMB_OK ? add_report(job) : status;
}

static plumb_status make_list(solve_job *job)
{
    const plumb_status status = plumb_solve(job->context, job->system, &job->options, &job->solutions);
    if (status != PLUMB_OK || job->solutions == NULL)
        return status;
    job->count = plumb_solutions_count(job->solutions);
    return plumb_solutions_report(job->solutions, &job->report);
}

static int solve(solve_job *job)
{
    const double began = plumb_clock_seconds();
    if (app_is_worker())
        app_stop_on_signals();
    const plumb_status status = is_list_needed(job->words) ? make_list(job) : open_stream(job);
    app_progress_end();
    job->seconds = plumb_clock_seconds() - began;
    return status == PLUMB_OK ? APP_OK : fail(job, status);
}

plumb_status solve_next(const solve_job *job, plumb_solutions **solutions)
{
    *solutions = NULL;
    if (job->stream == NULL)
        return PLUMB_OK;
    const plumb_status status = plumb_solution_stream_next(job->stream, INT64_MAX, solutions);
    if (*solutions != NULL && plumb_solutions_count(*solutions) == 0) {
        plumb_solutions_destroy(*solutions);
        *solutions = NULL;
    }
    return status;
}

int solve_call(solve_job *job)
{
    const solve_words *words = job->words;
    plumb_context_options context;
    plumb_context_options_init(&context);
    plumb_solve_options_init(&job->options);
    app_ranks_context(&context, words->threads, words->backend);
    set_options(job);
    int result = app_paths_read(words->command, words->paths, &job->options.path_first, &job->options.path_count);
    if (result == APP_OK)
        result = app_system_get(words->command, words->file[0], &words->equations, &job->system);
    if (result == APP_OK)
        result = app_context_create(words->command, &context, &job->context);
    if (result == APP_OK)
        result = open_files(job);
    return result == APP_OK ? solve(job) : result;
}

void solve_call_done(const solve_job *job)
{
    const bool is_part = job->report.paths < job->planned.report.paths;
    if (job->journal != NULL && !job->report.stopped && job->report.unfinished == 0 && !is_part)
        unlink(job->journal);
}
