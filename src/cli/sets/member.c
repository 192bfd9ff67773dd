/* member.c - plumb member: whether points lie on components of a solution set. */
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/models.h"
#include "app/report.h"
#include "app/run/host.h"
#include "app/stop.h"
#include "app/values.h"
#include "base/os/clock.h"
#include "cli/cli.h"
#include "model/components.h"
#include "model/points.h"
#include "text/number/number.h"

static const char command[] = "member";

typedef struct member_words {
    const char *file[2];
    app_texts at;
    double tolerance;
    int64_t threads;
    int32_t backend;
    uint64_t seed;
    bool json, quiet;
} member_words;

typedef struct member_job {
    const member_words *words;
    plumb_context *context;
    plumb_components *components;
    plumb_points *points;
    plumb_member *members;
    int64_t row; /* entries per point */
    double seconds;
} member_job;

static const app_option options[] = {
    {0, "at", APP_TEXTS, offsetof(member_words, at), "POINT",
     "a point, such as x=1/2,y=0.25, instead of the file POINTS; may be given several times", NULL, 0, 0, NULL},
    {0, "tol", APP_REAL, offsetof(member_words, tolerance), "X",
     "each coordinate is known to within X (absolute); a point is on a component that passes within X", "it is exact",
     0, 1e300, NULL},
    APP_SEED_OPTION(member_words, seed, "(paths)"),
    APP_BACKEND(member_words, backend),
    APP_THREADS(member_words, threads),
    APP_JSON(member_words, json),
    APP_QUIET(member_words, quiet, "show no progress, and of the text the last line only"),
    APP_OPTIONS_END,
};

static const member_words defaults = {.seed = 1};

/* ---- Points of the command line ------------------------------------------------------------------------------------ */

typedef struct point_reader {
    const plumb_system *system;
    plumb_points *points;
    int64_t point;
} point_reader;

static int take_value(void *data, int64_t unknown, const char *value, size_t length)
{
    const point_reader *r = data;
    mpq_t *number = point_value(r->points, r->point, unknown);
    plumb_text_error error;
    if (plumb_complex_exact(value, length, number[0], number[1], &error) != PLUMB_OK)
        return app_misuse(command, "--at: %s: %s", plumb_system_name(r->system, unknown), error.message);
    return APP_OK;
}

static int read_points(member_job *job)
{
    const member_words *words = job->words;
    const plumb_system *system = plumb_components_system(job->components);
    if (words->at.count > 0 && words->file[1] != NULL)
        return app_misuse(command, "found both --at and the file %s, expected one of them", words->file[1]);
    if (words->at.count == 0 && words->file[1] == NULL)
        return app_misuse(command, "expected a file with points, or --at");
    if (words->file[1] != NULL)
        return app_points_load(command, words->file[1], &job->points);
    int result = plumb_points_make(words->at.count, plumb_system_unknowns(system), &job->points) == PLUMB_OK
                     ? APP_OK
                     : app_fail(command, "out of memory");
    for (int64_t k = 0; k < words->at.count && result == APP_OK; k++) {
        point_reader reader = {system, job->points, k};
        result = app_values_read(command, "--at", "NAME=NUMBER", system, words->at.text[k], take_value, &reader);
    }
    return result;
}

/* ---- Answers ------------------------------------------------------------------------------------------------------- */

static const plumb_member *row_of(const member_job *job, int64_t point)
{
    return job->members + point * job->row;
}

/* "component 2", "components 1 and 3": those with a verdict; false if there are none. */
static bool print_list(const member_job *job, FILE *out, int64_t point, int32_t verdict, const char *before)
{
    const plumb_member *row = row_of(job, point);
    int64_t count = 0, shown = 0;
    for (int64_t c = 0; c < job->row - 1; c++)
        count += row[c].verdict == verdict;
    if (count > 0)
        fprintf(out, "%scomponent%s", before, count == 1 ? "" : "s");
    for (int64_t c = 0; c < job->row - 1; c++)
        if (row[c].verdict == verdict) {
            fprintf(out, "%s %lld", shown == 0 ? "" : shown == count - 1 ? " and" : ",", (long long)c + 1);
            shown++;
        }
    return count > 0;
}

typedef struct totals {
    int64_t on, off, undecided;
} totals;

static totals count_all(const member_job *job)
{
    totals t = {0, 0, 0};
    for (int64_t k = 0; k < job->points->count; k++) {
        int64_t on = 0, open = 0;
        for (int64_t c = 0; c < job->row; c++) {
            on += row_of(job, k)[c].verdict == PLUMB_MEMBER_ON;
            open += row_of(job, k)[c].verdict == PLUMB_MEMBER_UNDECIDED;
        }
        *(open > 0 ? &t.undecided : on > 0 ? &t.on : &t.off) += 1;
    }
    return t;
}

static void print_point(const member_job *job, FILE *out, int64_t k)
{
    const plumb_member *row = row_of(job, k), *isolated = &row[job->row - 1];
    fprintf(out, "point %lld   ", (long long)k + 1);
    bool any = print_list(job, out, k, PLUMB_MEMBER_ON, "on ");
    if (isolated->verdict == PLUMB_MEMBER_ON) {
        fprintf(out, "%san isolated solution", any ? ", " : "");
        any = true;
    }
    any |= print_list(job, out, k, PLUMB_MEMBER_UNDECIDED, any ? "; undecided: " : "undecided: ");
    if (isolated->verdict == PLUMB_MEMBER_UNDECIDED) {
        fprintf(out, "%sundecided: isolated solutions", any ? "; " : "");
        any = true;
    }
    if (!any)
        fprintf(out, "off%s", row[0].proven ? " (an equation does not vanish)" : "");
    fputc('\n', out);
}

static void print_text(const member_job *job)
{
    const totals t = count_all(job);
    for (int64_t k = 0; k < job->points->count && !job->words->quiet; k++)
        print_point(job, stdout, k);
    printf("%lld point%s: %lld on components, %lld off, %lld undecided, %.3g s\n", (long long)job->points->count,
           job->points->count == 1 ? "" : "s", (long long)t.on, (long long)t.off, (long long)t.undecided, job->seconds);
}

static void put_member(json_writer *w, const plumb_member *m)
{
    json_open_object(w, NULL);
    json_string(w, "member", plumb_member_name(m->verdict));
    json_bool(w, "proven", m->proven);
    if (m->distance >= 0.0) {
        json_double(w, "distance", m->distance);
        json_double(w, "distance_error", m->error);
    }
    json_close_object(w);
}

static void print_json(const member_job *job)
{
    json_writer w = app_report_begin(stdout, command);
    const totals t = count_all(job);
    app_report_unknowns(&w, plumb_components_system(job->components));
    json_double(&w, "tolerance", job->words->tolerance);
    json_uint(&w, "seed", job->words->seed);
    json_open_object(&w, "counts");
    json_int(&w, "on", t.on);
    json_int(&w, "off", t.off);
    json_int(&w, "undecided", t.undecided);
    json_close_object(&w);
    json_open_array(&w, "members");
    for (int64_t k = 0; k < job->points->count; k++) {
        json_open_object(&w, NULL);
        json_int(&w, "point", k + 1);
        json_open_array(&w, "of_components");
        for (int64_t c = 0; c < job->row - 1; c++)
            put_member(&w, &row_of(job, k)[c]);
        json_close_array(&w);
        json_string(&w, "isolated_member", plumb_member_name(row_of(job, k)[job->row - 1].verdict));
        json_close_object(&w);
    }
    json_close_array(&w);
    json_double(&w, "seconds", job->seconds);
    app_report_end(&w);
}

static int call(member_job *job)
{
    const member_words *words = job->words;
    const double began = plumb_clock_seconds();
    plumb_member_options settings;
    plumb_member_options_init(&settings);
    settings.tolerance = words->tolerance;
    settings.seed = words->seed;
    settings.progress = app_progress(words->quiet, false);
    job->row = plumb_components_count(job->components) + 1;
    job->members = calloc((size_t)(job->row * plumb_points_count(job->points)) + 1, sizeof *job->members);
    if (job->members == NULL)
        return app_fail(command, "out of memory");
    app_stop_on_signals();
    const plumb_status status =
        plumb_components_member(job->context, job->components, job->points, &settings, job->members);
    app_progress_end();
    job->seconds = plumb_clock_seconds() - began;
    if (status == PLUMB_ERR_STOPPED)
        return app_fail(command, "stopped");
    if (status == PLUMB_ERR_ARGUMENT)
        return app_misuse(command, "%s: %s", job->words->file[1] ? app_input_name(job->words->file[1]) : "--at",
                          plumb_context_message(job->context));
    return status == PLUMB_OK ? APP_OK : app_context_fail(command, job->context, status);
}

static int member(const void *values)
{
    member_job job = {.words = values};
    plumb_context_options settings;
    plumb_context_options_init(&settings);
    settings.threads = (int32_t)job.words->threads;
    settings.backend = job.words->backend;
    int result = app_components_load(command, job.words->file[0], &job.components);
    if (result == APP_OK)
        result = read_points(&job);
    if (result == APP_OK)
        result = app_context_create(command, &settings, &job.context);
    if (result == APP_OK)
        result = call(&job);
    if (result == APP_OK && job.words->json)
        print_json(&job);
    else if (result == APP_OK)
        print_text(&job);
    if (result == APP_OK && count_all(&job).undecided > 0)
        result = APP_FAILED;
    free(job.members);
    plumb_points_destroy(job.points);
    plumb_components_destroy(job.components);
    plumb_context_destroy(job.context);
    return result;
}

static const char *const file_names[] = {"COMPONENTS", "POINTS", NULL};

const app_command plumb_cli_member = {
    .name = "member",
    .summary = "find out on which components points lie",
    .arguments = "COMPONENTS POINTS [OPTIONS]\n"
                 "COMPONENTS --at x=1,y=2 [--at ...] [OPTIONS]",
    .about =
        "Decides for each of the points in POINTS (a file of solutions) on which components in COMPONENTS (a file of "
        "plumb decompose -o) it lies, and whether it is an isolated solution. Coordinates are exact as they are "
        "written, unless --tol says otherwise. Components are numbered as in the file.",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .least_files = 1,
    .most_files = 2,
    .file_names = file_names,
    .files = offsetof(member_words, file),
    .summary_shown = true,
    .run = member,
    .after =
        "A point at which an equation does not vanish is off all components, which is certain. For other points the "
        "slice of the component is moved until it contains the point, and paths of the witness points show whether "
        "one of them ends there, with as many digits as that needs; this is numerical evidence.\n\n"
        "Exit status: 0 every point is decided; 1 some are not; 2 bad input or misuse.",
};
