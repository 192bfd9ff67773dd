/* decompose.c - plumb decompose: the irreducible components of the solution set of a polynomial system. */
#include "cli/decompose/decompose.h"

#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "app/format.h"
#include "app/models.h"
#include "app/run/files.h"
#include "app/run/host.h"
#include "app/stop.h"
#include "base/os/clock.h"
#include "cli/cli.h"
#include "text/components/text.h"

static const char command[] = "decompose";

static const app_option options[] = {
    APP_EQUATIONS(decompose_words, equations),
    {0, "dimension", APP_COUNT, offsetof(decompose_words, dimension), "K", "lowest dimension to look at", NULL, 0, 1e15,
     NULL},
    APP_SEED_OPTION(decompose_words, seed, "(slices, combinations, start systems)"),
    APP_BACKEND(decompose_words, backend),
    APP_THREADS(decompose_words, threads),
    APP_MPI(decompose_words, mpi),
    APP_OUTPUT_OPTION(
        decompose_words, output,
        "write the components with their witness points, and the isolated solutions, to FILE (.json); - is "
        "standard output",
        "they are only counted"),
    {0, "resume", APP_FLAG, offsetof(decompose_words, resume), NULL,
     "continue a run that was stopped, from the folder FILE.journal", NULL, 0, 0, NULL},
    {0, "html", APP_OUTPUT, offsetof(decompose_words, html), "FILE",
     "write a page with the system, tables of the components and of their points, and a picture (.html)", "not written",
     0, 0, NULL},
    APP_CURVES_OPTIONS(decompose_words, curves),
    {0, "certify", APP_FLAG, offsetof(decompose_words, certify), NULL,
     "certify the witness points of components of multiplicity 1, and fail if one cannot be certified (without this "
     "option up to 10,000 points in up to 20 unknowns are certified, if FLINT is installed)",
     NULL, 0, 0, NULL},
    {0, "no-certify", APP_FLAG, offsetof(decompose_words, no_certify), NULL, "skip certification", NULL, 0, 0, NULL},
    APP_JSON(decompose_words, json),
    APP_QUIET(decompose_words, quiet, "show no text and no progress"),
    APP_OPTIONS_END,
};

static const decompose_words defaults = {.seed = 1};

static int on_stop(void *data)
{
    (void)data;
    return app_stopped();
}

static int check_words(const decompose_words *words)
{
    static const app_format json[] = {PLUMB_FORMAT_JSON, FORMAT_END}, html[] = {FORMAT_HTML, FORMAT_END};
    app_format format;
    int result;
    if (app_is_stream(words->html))
        return app_misuse(command, "--html needs a file; - is none");
    if ((result = app_format_of(command, "--html", words->html, html, &format)) != APP_OK)
        return result;
    if (app_is_stream(words->output) && words->json)
        return app_misuse(command, "--output - and --json cannot both have standard output");
    if (words->certify && words->no_certify)
        return app_misuse(command, "--certify and --no-certify exclude each other");
    if (words->mpi && app_is_stream(words->file[0]))
        return app_misuse(command, "--mpi needs a file: standard input reaches one of the processes only");
    return app_format_of(command, "--output", words->output, json, &format);
}

static void on_note(void *data, const char *line)
{
    (void)data;
    app_progress_end();
    app_note(command, "%s", line);
}

static void on_begin(void *data, int64_t dimension)
{
    char text[48];
    (void)data;
    snprintf(text, sizeof text, "dimension %lld: ", (long long)dimension);
    app_progress_part(text);
}

static bool begins_with(const char *text, const char *name)
{
    return name != NULL && strncmp(text, name, strlen(name)) == 0;
}

static int fail(const decompose_job *job, plumb_status status)
{
    const decompose_words *words = job->words;
    const char *message = plumb_context_message(job->context);
    if (status == PLUMB_ERR_ARGUMENT && (begins_with(message, job->journal) || begins_with(message, "cannot resume")))
        return app_misuse(command, "%s", message);
    if (status == PLUMB_ERR_ARGUMENT)
        return app_misuse(command, "%s: %s", words->file[0] != NULL ? app_input_name(words->file[0]) : "-e", message);
    if (status == PLUMB_ERR_IO || strcmp(message, plumb_status_text(status)) == 0)
        return app_fail(command, "%s", message);
    return app_context_fail(command, job->context, status);
}

static int call(decompose_job *job)
{
    const decompose_words *words = job->words;
    const double began = plumb_clock_seconds();
    plumb_decompose_options settings;
    plumb_decompose_options_init(&settings);
    settings.dimension = words->dimension;
    settings.seed = words->seed;
    settings.progress = app_progress(words->quiet, job->journal != NULL);
    settings.stop = on_stop;
    settings.note = on_note;
    settings.begins = on_begin;
    settings.journal = job->journal;
    settings.resume = words->resume;
    settings.ranks = words->mpi;
    settings.rank_threads = (int32_t)words->threads;
    app_stop_on_signals();
    const plumb_status status = plumb_decompose(job->context, job->system, &settings, &job->components);
    app_progress_end();
    job->seconds = plumb_clock_seconds() - began;
    return status == PLUMB_OK ? APP_OK : fail(job, status);
}

static int write_output(const decompose_job *job)
{
    app_output output = {.path = NULL};
    const char *path = job->words->output;
    int result = app_output_open(command, &output, path);
    if (result != APP_OK || path == NULL)
        return result;
    const plumb_status status = plumb_components_write_json(output.file, job->components);
    if (status == PLUMB_OK || status == PLUMB_ERR_IO)
        return app_output_commit(command, &output);
    app_output_discard(&output);
    return app_fail(command, "%s could not be written: %s", path, plumb_status_text(status));
}

/* The exit status: 1, with one line about what may be missing, if not every path is accounted for. */
static int verdict(const decompose_job *job)
{
    char line[256];
    const int32_t found = plumb_components_verdict(job->components, line, sizeof line);
    const char *next = found != PLUMB_SOLVE_STOPPED ? ""
                       : job->journal != NULL       ? "; --resume continues it"
                                                    : "; a run with -o FILE can be continued by --resume";
    return found == PLUMB_SOLVE_COMPLETE ? APP_OK : app_fail(command, "%s%s", line, next);
}

/* The components are written: the journal has served, unless the run was stopped. */
static void remove_journal(const decompose_job *job)
{
    if (job->journal != NULL && !job->certify_stopped &&
        plumb_components_verdict(job->components, NULL, 0) != PLUMB_SOLVE_STOPPED)
        (void)!plumb_decompose_remove_journal(job->journal);
}

static int answer(decompose_job *job)
{
    const decompose_words *words = job->words;
    int result = write_output(job);
    if (result == APP_OK)
        remove_journal(job);
    if (result == APP_OK && words->html != NULL)
        result = decompose_page(job);
    if (result == APP_OK && words->curves.svg != NULL)
        result = app_curves_draw(command, &words->curves, job->context, job->components, words->seed, &job->drawn);
    if (result == APP_OK && words->json && !decompose_print_json(job, stdout))
        result = app_fail(command, "a point is beyond the range of a double");
    if (result == APP_OK && !words->json && !words->quiet)
        decompose_print(job, app_is_stream(words->output) ? stderr : stdout);
    if (result == APP_OK && words->curves.svg != NULL && !words->json && !words->quiet)
        app_curves_print(&job->drawn, app_is_stream(words->output) ? stderr : stdout);
    if (result == APP_OK)
        result = verdict(job);
    if (result == APP_OK && job->drawn.doubtful > 0)
        result = app_fail(command, "%s may not have all real points", words->curves.svg);
    return result == APP_OK ? decompose_certify_verdict(job) : result;
}

static int decompose(const void *values)
{
    decompose_job job = {.words = values};
    const decompose_words *words = job.words;
    const char *const others[] = {words->file[0], words->html};
    plumb_context_options settings;
    plumb_context_options_init(&settings);
    int result = check_words(words);
    if (result == APP_OK && words->mpi)
        result = app_ranks_begin(command);
    app_ranks_context(&settings, words->threads, words->backend);
    if (result == APP_OK)
        result = app_polynomials_get(command, words->file[0], &words->equations, &job.system);
    if (result == APP_OK)
        result = app_curves_check(command, &job.words->curves, job.system);
    if (result == APP_OK)
        result = app_context_create(command, &settings, &job.context);
    if (result == APP_OK)
        result = app_journal_path(command, words->output, others, 2, words->resume, &job.journal);
    if (result == APP_OK)
        result = call(&job);
    if (result == APP_OK && job.components != NULL)
        result = decompose_certify(&job);
    if (result == APP_OK && job.components != NULL)
        result = answer(&job);
    free(job.journal);
    plumb_components_destroy(job.components);
    plumb_system_destroy(job.system);
    plumb_context_destroy(job.context);
    return app_ranks_end(result);
}

static const char *const file_names[] = {"SYSTEM", NULL};

const app_command plumb_cli_decompose = {
    .name = "decompose",
    .summary = "find curves, surfaces and all other components of the solutions",
    .arguments = "SYSTEM [OPTIONS]\n"
                 "-e EQ [-e EQ]... [OPTIONS]",
    .about = "Finds the irreducible components of the solution set of the polynomial system in SYSTEM (- is standard "
             "input), over the complex numbers, in every dimension, with their degrees and multiplicities, and the "
             "isolated solutions. The system may have any number of equations. Each component is represented by its "
             "witness points: those that it has in common with a random linear space of the complementary dimension.",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .least_files = 1,
    .most_files = 1,
    .file_names = file_names,
    .files = offsetof(decompose_words, file),
    .summary_shown = true,
    .run = decompose,
    .after = "Witness points are certified where that is quick, which proves lower bounds for degrees. They are "
             "grouped into components by monodromy loops and trace tests, which are numerical "
             "evidence, and not a proof. Embedded components are not reported. Ctrl-C stops a run: "
             "the dimensions that are finished are written, and --resume continues later to the same result.\n\n"
             "Exit status: 0 every path is accounted for, and every witness point belongs to a component; 1 some paths "
             "failed or are undecided, or some points could not be decomposed, or the run was stopped; 2 bad "
             "input or misuse.",
};
