/* sample.c - plumb sample: points of components, and their intersections with linear equations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/format.h"
#include "app/models.h"
#include "app/numbers.h"
#include "app/plot/curves.h"
#include "app/report.h"
#include "app/run/host.h"
#include "app/stop.h"
#include "base/os/clock.h"
#include "cli/cli.h"
#include "model/components.h"
#include "model/solutions.h"
#include "text/solutions/text.h"

static const char command[] = "sample";

enum { MOST_SHOWN = 100 };

typedef struct sample_words {
    const char *file[1], *output;
    app_texts slice;
    app_curves_words curves;
    int64_t component, count, threads;
    double radius;
    int32_t backend;
    uint64_t seed;
    bool real, json, quiet;
} sample_words;

/* The points of one component. */
typedef struct sample_part {
    int64_t component;
    plumb_solutions *points;
    plumb_intersection account;
} sample_part;

typedef struct sample_job {
    const sample_words *words;
    app_format format;
    plumb_context *context;
    plumb_components *components;
    plumb_system *slice; /* NULL: random slices */
    sample_part *part;
    int64_t parts;
    double seconds;
    plumb_curves_report drawn; /* with --plot */
} sample_job;

static const app_option options[] = {
    {0, "component", APP_COUNT, offsetof(sample_words, component), "K",
     "take points of component number K of the file only", "of all components, or of those that --slice fits", 1, 1e15,
     NULL},
    {'n', "points", APP_COUNT, offsetof(sample_words, count), "N", "points per component", "1, and none with --plot", 1,
     1e7, NULL},
    {0, "real", APP_FLAG, offsetof(sample_words, real), NULL, "find real points only", NULL, 0, 0, NULL},
    {0, "radius", APP_REAL, offsetof(sample_words, radius), "R",
     "with --real, slices pass through random points whose coordinates are at most R", NULL, 1e-100, 1e100, NULL},
    {0, "slice", APP_TEXTS, offsetof(sample_words, slice), "EQ",
     "a linear equation, such as 'x + 2*y = 3'; with as many of them as the dimension of a component, its intersection "
     "with "
     "them is computed instead of random points",
     NULL, 0, 0, NULL},
    APP_SEED_OPTION(sample_words, seed, "(slices, paths)"),
    APP_BACKEND(sample_words, backend),
    APP_THREADS(sample_words, threads),
    APP_OUTPUT_OPTION(sample_words, output,
                      "write the points to FILE, in the format of its name (.phc or .sol, .json, .csv); - is standard "
                      "output",
                      "they are only shown"),
    APP_CURVES_OPTIONS(sample_words, curves),
    APP_JSON(sample_words, json),
    APP_QUIET(sample_words, quiet, "show no text and no progress"),
    APP_OPTIONS_END,
};

static const sample_words defaults = {.seed = 1, .radius = 1.0};

static int64_t count_wanted(const sample_words *words)
{
    return words->count > 0 ? words->count : words->curves.svg == NULL;
}

/* ---- Which components ---------------------------------------------------------------------------------------------- */

static int choose(sample_job *job)
{
    const sample_words *words = job->words;
    const int64_t count = plumb_components_count(job->components);
    int result = APP_OK;
    if (words->component > count)
        return app_misuse(command, "--component %lld: %s has %lld", (long long)words->component,
                          app_input_name(words->file[0]), (long long)count);
    if (words->slice.count > 0 && (words->real || words->count > 0))
        return app_misuse(command, "--slice cannot be combined with --real or --points");
    job->part = calloc((size_t)count + 1, sizeof *job->part);
    if (job->part == NULL)
        return app_fail(command, "out of memory");
    if (words->slice.count > 0) {
        plumb_text_error error;
        const plumb_status status =
            plumb_system_parse_equations(words->slice.text, words->slice.count, &job->slice, &error);
        if (status != PLUMB_OK)
            return app_misuse(command, "--slice: %s", error.message);
    }
    for (int64_t k = 0; k < count; k++) {
        plumb_component info;
        if (plumb_components_get(job->components, k, &info) != PLUMB_OK ||
            (words->component && words->component != k + 1))
            continue;
        if (words->component || !job->slice || info.dimension == plumb_system_equations(job->slice))
            job->part[job->parts++].component = k;
    }
    if (job->parts == 0 && job->slice)
        result = app_misuse(command, "--slice: found %lld equation%s; there is no component of that dimension",
                            (long long)plumb_system_equations(job->slice),
                            plumb_system_equations(job->slice) == 1 ? "" : "s");
    else if (job->parts == 0)
        result = app_misuse(command, "%s has no components", app_input_name(words->file[0]));
    return result;
}

/* ---- The calls ----------------------------------------------------------------------------------------------------- */

static int call_one(const sample_job *job, sample_part *part)
{
    const sample_words *words = job->words;
    plumb_sample_options settings;
    plumb_status status;
    if (job->slice) {
        status = plumb_components_intersect(job->context, job->components, part->component, job->slice, words->seed,
                                            &part->points, &part->account);
    } else {
        plumb_sample_options_init(&settings);
        settings.count = count_wanted(words);
        settings.real = words->real;
        settings.radius = words->radius;
        settings.seed = words->seed;
        settings.progress = app_progress(words->quiet, false);
        status = plumb_components_sample(job->context, job->components, part->component, &settings, &part->points);
        app_progress_end();
    }
    if (status == PLUMB_ERR_STOPPED)
        return app_fail(command, "stopped; nothing was written");
    if (status == PLUMB_ERR_ARGUMENT)
        return app_misuse(command, "%s: %s", job->slice ? "--slice" : app_input_name(words->file[0]),
                          plumb_context_message(job->context));
    return status == PLUMB_OK ? APP_OK : app_context_fail(command, job->context, status);
}

static int call(sample_job *job)
{
    const double began = plumb_clock_seconds();
    int result = APP_OK;
    app_stop_on_signals();
    const bool any = job->slice || count_wanted(job->words) > 0;
    for (int64_t k = 0; any && k < job->parts && result == APP_OK; k++)
        result = call_one(job, &job->part[k]);
    job->seconds = plumb_clock_seconds() - began;
    return result;
}

/* ---- Answers ------------------------------------------------------------------------------------------------------- */

static int64_t count_points(const sample_job *job)
{
    int64_t count = 0;
    for (int64_t k = 0; k < job->parts; k++)
        count += plumb_solutions_count(job->part[k].points);
    return count;
}

static plumb_status write_points(const sample_job *job, FILE *out)
{
    app_solution_writer writer = {
        .out = out, .format = job->format, .system = plumb_components_system(job->components), .kinds = true};
    plumb_status status = PLUMB_OK;
    app_solutions_begin(&writer, count_points(job));
    for (int64_t k = 0; k < job->parts; k++)
        for (int64_t i = 0; i < plumb_solutions_count(job->part[k].points) && status == PLUMB_OK; i++)
            status = app_solutions_one(&writer, job->part[k].points, i, NULL);
    return status == PLUMB_OK ? app_solutions_end(&writer) : status;
}

static int write_output(const sample_job *job)
{
    app_output output = {.path = NULL};
    const char *path = job->words->output;
    int result = app_output_open(command, &output, path);
    if (result != APP_OK || path == NULL)
        return result;
    const plumb_status status = write_points(job, output.file);
    if (status == PLUMB_OK || status == PLUMB_ERR_IO)
        return app_output_commit(command, &output);
    app_output_discard(&output);
    return app_fail(command, "%s could not be written: %s", path, plumb_status_text(status));
}

static void print_numbers(const plumb_solutions *s, int64_t k)
{
    const solution_record *r = &s->record[k];
    for (int64_t i = 0; i < s->unknowns; i++) {
        const double *x = solution_value(s, k, i);
        app_known_pair pair;
        double size = 0.0;
        for (int64_t j = 0; j < s->unknowns; j++)
            size = size > fabs(solution_value(s, k, j)[0]) ? size : fabs(solution_value(s, k, j)[0]);
        app_known_number(s->prec, x, x + s->prec, r->real, r->err * (size > 0.0 ? size : 1.0), 16, &pair);
        printf("  %s = %s", s->names[i], pair.re);
        if (strcmp(pair.im, "0") != 0)
            printf(" %c %s*i", pair.im[0] == '-' ? '-' : '+', pair.im[0] == '-' ? pair.im + 1 : pair.im);
    }
    if (r->multiplicity > 1)
        printf("  (multiplicity %lld)", (long long)r->multiplicity);
    putchar('\n');
}

static void print_account(const plumb_intersection *a)
{
    const struct {
        int64_t count;
        const char *name;
    } entry[] = {{a->regular, "to regular points"},
                 {a->singular, "to singular points"},
                 {a->infinite, "at infinity"},
                 {a->not_isolated, "not isolated"},
                 {a->failed, "failed"}};
    printf("%lld path%s", (long long)a->paths, a->paths == 1 ? "" : "s");
    for (size_t k = 0, shown = 0; k < sizeof entry / sizeof entry[0]; k++)
        if (entry[k].count > 0)
            printf(" %s %lld %s", shown++ == 0 ? "=" : "+", (long long)entry[k].count, entry[k].name);
    putchar('\n');
}

static void print_text(const sample_job *job)
{
    for (int64_t k = 0; k < job->parts; k++) {
        const sample_part *part = &job->part[k];
        const int64_t count = plumb_solutions_count(part->points);
        plumb_component info = {.dimension = 0};
        if (plumb_components_get(job->components, part->component, &info) != PLUMB_OK ||
            (!job->slice && count_wanted(job->words) == 0))
            continue;
        printf("component %lld (dimension %lld, degree %lld): %lld %spoint%s\n", (long long)part->component + 1,
               (long long)info.dimension, (long long)info.degree, (long long)count, job->words->real ? "real " : "",
               count == 1 ? "" : "s");
        for (int64_t i = 0; i < count && i < MOST_SHOWN; i++)
            print_numbers(part->points, i);
        if (count > MOST_SHOWN)
            printf("  ... (%lld more; -o writes all of them)\n", (long long)(count - MOST_SHOWN));
        if (job->slice)
            print_account(&part->account);
    }
    if (job->words->curves.svg != NULL)
        app_curves_print(&job->drawn, stdout);
    printf("%.3g s\n", job->seconds);
}

static int print_json(const sample_job *job)
{
    json_writer w = app_report_begin(stdout, command);
    plumb_status status = PLUMB_OK;
    app_report_unknowns(&w, plumb_components_system(job->components));
    json_uint(&w, "seed", job->words->seed);
    json_open_array(&w, "sampled");
    for (int64_t k = 0; k < job->parts; k++) {
        const plumb_intersection *a = &job->part[k].account;
        json_open_object(&w, NULL);
        json_int(&w, "component", job->part[k].component + 1);
        json_int(&w, "points_found", plumb_solutions_count(job->part[k].points));
        if (job->slice) {
            json_open_object(&w, "paths");
            json_int(&w, "total", a->paths);
            json_int(&w, "regular", a->regular);
            json_int(&w, "singular", a->singular);
            json_int(&w, "infinite", a->infinite);
            json_int(&w, "not_isolated", a->not_isolated);
            json_int(&w, "failed", a->failed);
            json_close_object(&w);
        }
        json_close_object(&w);
    }
    json_close_array(&w);
    json_open_array(&w, "solutions");
    for (int64_t k = 0, number = 1; k < job->parts; k++)
        for (int64_t i = 0; i < plumb_solutions_count(job->part[k].points) && status == PLUMB_OK; i++)
            status = plumb_solutions_json_one(&w, job->part[k].points, i, number++, NULL, 0);
    json_close_array(&w);
    json_double(&w, "seconds", job->seconds);
    app_report_end(&w);
    return status == PLUMB_OK ? APP_OK : app_fail(command, "%s", plumb_status_text(status));
}

static int answer(sample_job *job)
{
    const int64_t wanted = count_wanted(job->words);
    int result = write_output(job);
    const double began = plumb_clock_seconds();
    if (result == APP_OK && job->words->curves.svg != NULL)
        result =
            app_curves_draw(command, &job->words->curves, job->context, job->components, job->words->seed, &job->drawn);
    job->seconds += plumb_clock_seconds() - began;
    if (result == APP_OK && job->words->json)
        result = print_json(job);
    else if (result == APP_OK && !job->words->quiet && !app_is_stream(job->words->output))
        print_text(job);
    if (result == APP_OK && job->drawn.doubtful > 0)
        result = app_fail(command, "%s may not have all real points", job->words->curves.svg);
    for (int64_t k = 0; k < job->parts && result == APP_OK; k++) {
        const sample_part *part = &job->part[k];
        const int64_t found = plumb_solutions_count(part->points);
        if (job->slice && part->account.failed > 0)
            result = app_fail(command, "component %lld: %lld path%s failed: points may be missing",
                              (long long)part->component + 1, (long long)part->account.failed,
                              part->account.failed == 1 ? "" : "s");
        else if (!job->slice && found < wanted)
            result = app_fail(command, "component %lld: found %lld %spoint%s, expected %lld%s",
                              (long long)part->component + 1, (long long)found, job->words->real ? "real " : "",
                              found == 1 ? "" : "s", (long long)wanted,
                              job->words->real ? " (--radius chooses where to look)" : "");
    }
    return result;
}

static int sample(const void *values)
{
    sample_job job = {.words = values};
    const sample_words *words = job.words;
    plumb_context_options settings;
    plumb_context_options_init(&settings);
    settings.threads = (int32_t)words->threads;
    settings.backend = words->backend;
    int result = app_is_stream(words->output) && words->json
                     ? app_misuse(command, "--output - and --json cannot both have standard output")
                     : app_format_of(command, "--output", words->output, app_solution_formats, &job.format);
    if (result == APP_OK)
        result = app_components_load(command, words->file[0], &job.components);
    if (result == APP_OK)
        result = app_curves_check(command, &words->curves, plumb_components_system(job.components));
    if (result == APP_OK)
        result = choose(&job);
    if (result == APP_OK)
        result = app_context_create(command, &settings, &job.context);
    if (result == APP_OK)
        result = call(&job);
    if (result == APP_OK)
        result = answer(&job);
    for (int64_t k = 0; k < job.parts; k++)
        plumb_solutions_destroy(job.part[k].points);
    free(job.part);
    plumb_system_destroy(job.slice);
    plumb_components_destroy(job.components);
    plumb_context_destroy(job.context);
    return result;
}

static const char *const file_names[] = {"COMPONENTS", NULL};

const app_command plumb_cli_sample = {
    .name = "sample",
    .summary = "find points of components, also real ones, and their intersections with linear equations",
    .arguments = "COMPONENTS [-n N] [--real] [OPTIONS]\n"
                 "COMPONENTS --plot FILE.svg [OPTIONS]\n"
                 "COMPONENTS --slice EQ [--slice EQ]... [OPTIONS]",
    .about =
        "Finds random points of the components in COMPONENTS (a file of plumb decompose -o): those that they have in "
        "common with random linear spaces. With --slice, it moves these spaces to given linear equations, as many as "
        "the dimension of the component, and finds the isolated points of their intersection.",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .least_files = 1,
    .most_files = 1,
    .file_names = file_names,
    .files = offsetof(sample_words, file),
    .summary_shown = true,
    .run = sample,
    .after =
        "Exit status: 0 as many points as were asked for, or with --slice every path is accounted for; 1 there are "
        "fewer, or paths failed; 2 bad input or misuse.",
};
