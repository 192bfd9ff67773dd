/* decompose.c - plumb decompose: the irreducible components of the solution set of a polynomial system. */
#include "cli/decompose/decompose.h"

#include <stdlib.h>

#include "app/app.h"
#include "app/files.h"
#include "app/format.h"
#include "app/models.h"
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
    APP_OUTPUT_OPTION(
        decompose_words, output,
        "write the components with their witness points, and the isolated solutions, to FILE (.json); - is "
        "standard output",
        "they are only counted"),
    {0, "html", APP_OUTPUT, offsetof(decompose_words, html), "FILE",
     "write a page with the system, tables of the components and of their points, and a picture (.html)", "not written",
     0, 0, NULL},
    APP_CURVES_OPTIONS(decompose_words, curves),
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
    return app_format_of(command, "--output", words->output, json, &format);
}

static int call(decompose_job *job)
{
    const decompose_words *words = job->words;
    const double began = plumb_clock_seconds();
    plumb_decompose_options settings;
    plumb_decompose_options_init(&settings);
    settings.dimension = words->dimension;
    settings.seed = words->seed;
    settings.progress = app_progress(words->quiet, false);
    settings.stop = on_stop;
    app_stop_on_signals();
    const plumb_status status = plumb_decompose(job->context, job->system, &settings, &job->components);
    app_progress_end();
    job->seconds = plumb_clock_seconds() - began;
    if (status == PLUMB_ERR_STOPPED)
        return app_fail(command, "stopped; nothing was written");
    if (status == PLUMB_ERR_ARGUMENT)
        return app_misuse(command, "%s: %s", app_input_name(words->file[0]), plumb_context_message(job->context));
    return status == PLUMB_OK ? APP_OK : app_context_fail(command, job->context, status);
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

static int answer(decompose_job *job)
{
    const decompose_words *words = job->words;
    char line[256];
    int result = write_output(job);
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
    if (result == APP_OK && plumb_components_verdict(job->components, line, sizeof line) != PLUMB_SOLVE_COMPLETE)
        result = app_fail(command, "%s", line);
    if (result == APP_OK && job->drawn.doubtful > 0)
        result = app_fail(command, "%s may not have all real points", words->curves.svg);
    return result;
}

static int decompose(const void *values)
{
    decompose_job job = {.words = values};
    plumb_context_options settings;
    plumb_context_options_init(&settings);
    settings.threads = (int32_t)job.words->threads;
    settings.backend = job.words->backend;
    int result = check_words(job.words);
    if (result == APP_OK)
        result = app_polynomials_get(command, job.words->file[0], &job.words->equations, &job.system);
    if (result == APP_OK)
        result = app_curves_check(command, &job.words->curves, job.system);
    if (result == APP_OK)
        result = app_context_create(command, &settings, &job.context);
    if (result == APP_OK)
        result = call(&job);
    if (result == APP_OK)
        result = answer(&job);
    plumb_components_destroy(job.components);
    plumb_system_destroy(job.system);
    plumb_context_destroy(job.context);
    return result;
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
    .after = "Witness points are grouped into components by monodromy loops and trace tests, which are numerical "
             "evidence, and not a proof. Embedded components are not reported. Ctrl-C stops a run, and nothing is "
             "written.\n\n"
             "Exit status: 0 every path is accounted for, and every witness point belongs to a component; 1 some paths "
             "failed or are undecided, or some points could not be decomposed, or the run was stopped; 2 bad "
             "input or misuse.",
};
