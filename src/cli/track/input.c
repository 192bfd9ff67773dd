/* input.c - what is to be tracked: reads and checks the systems, the start solutions and the options. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/command/command.h"
#include "app/models.h"
#include "base/memory/size.h"
#include "cli/track/track.h"
#include "model/homotopy/start_form.h"
#include "solver/homotopy/start_system.h"
#include "solver/ranks/ranks.h"
#include "solver/run/header.h"
#include "solver/run/line.h"

static const char command[] = "track";

/* ---- Options ---------------------------------------------------------------------------------------------------- */

/* "RE,IM", both doubles. */
static int read_gamma(const char *text, double gamma[2])
{
    const char *comma = text != NULL ? strchr(text, ',') : NULL;
    gamma[0] = gamma[1] = 0;
    if (text == NULL)
        return APP_OK;
    bool good = comma != NULL &&
                plumb_number_read(text, (size_t)(comma - text), PLUMB_D, &gamma[0], NULL, NULL) == PLUMB_OK &&
                plumb_number_read(comma + 1, strlen(comma + 1), PLUMB_D, &gamma[1], NULL, NULL) == PLUMB_OK &&
                isfinite(gamma[0]) && isfinite(gamma[1]) && (gamma[0] != 0 || gamma[1] != 0);
    return good ? APP_OK : app_misuse(command, "--gamma: found '%s', expected RE,IM, not both zero", text);
}

static void set_options(track_input *input)
{
    const track_words *words = input->words;
    run_job *job = &input->job;
    plumb_track_options *o = &job->options;
    plumb_track_options_init(o);
    o->prec = app_precision(words->prec);
    o->endgame = !words->no_endgame;
    o->max_winding = (int32_t)words->max_winding;
    o->reruns = 0; /* endpoints are compared over all calls */
    o->max_steps = words->max_steps;
    o->tolerance = words->tol;
    o->turn = words->turn;
    o->largest = words->largest;
    o->seed = words->seed;
    job->voice = &track_voice;
    job->prec = o->prec != 0 ? o->prec : PLUMB_QD;
    job->reruns = (int32_t)words->reruns;
    job->complete = words->start == NULL;
    job->resume = words->resume;
    job->progress = app_progress(words->quiet, words->output != NULL && !app_is_stream(words->output));
}

/* ---- Systems ---------------------------------------------------------------------------------------------------- */

static int load_systems(track_input *input)
{
    const track_words *words = input->words;
    int result = app_polynomials_get(command, words->file[0], &words->equations, &input->target);
    if (result != APP_OK)
        return result;
    input->job.unknowns = plumb_system_unknowns(input->target);
    if (words->start != NULL) {
        result = app_system_load(command, words->start, &input->start);
        return result == APP_OK ? app_polynomials_check(command, words->start, input->start) : result;
    }
    plumb_status status = plumb_start_make(input->target, words->seed, !words->no_scale, &input->start);
    if (status == PLUMB_ERR_ARGUMENT)
        return app_misuse(command,
                          "%s: found %lld equations in %lld unknowns, or a constant equation; expected a square system "
                          "for a start system of total degree (--start gives another one)",
                          app_input_name(words->file[0]), (long long)plumb_system_equations(input->target),
                          (long long)input->job.unknowns);
    return status == PLUMB_OK ? APP_OK : app_fail(command, "%s", plumb_status_text(status));
}

static int64_t find_unknown(const plumb_system *system, const char *name)
{
    return plumb_system_find_unknown(system, name, strlen(name));
}

static bool same_names(const plumb_system *a, const plumb_system *b)
{
    for (int64_t v = 0; v < plumb_system_unknowns(a); v++)
        if (find_unknown(b, plumb_system_name(a, v)) < 0)
            return false;
    return true;
}

/* A homotopy matches unknowns by name where the names are the same, otherwise by position; points follow the same rule. */
static int make_homotopy(track_input *input)
{
    char why[256];
    plumb_homotopy_options options;
    const track_words *words = input->words;
    if (plumb_homotopy_check(input->start, input->target, why, sizeof why) != PLUMB_OK)
        return app_misuse(command, "%s", why);
    plumb_homotopy_options_init(&options);
    options.seed = words->seed;
    memcpy(options.gamma, input->gamma, sizeof options.gamma);
    options.projective = !words->affine;
    options.unscaled = words->no_scale;
    plumb_status status = plumb_homotopy_create(input->start, input->target, &options, &input->homotopy);
    if (status == PLUMB_ERR_MEMORY)
        return app_fail(command, "out of memory");
    if (status != PLUMB_OK)
        return app_misuse(command, "the systems cannot form a homotopy: %s", plumb_status_text(status));
    input->place = calloc((size_t)input->job.unknowns + 1, sizeof *input->place);
    if (input->place == NULL)
        return app_fail(command, "out of memory");
    bool by_name = same_names(input->start, input->target);
    for (int64_t i = 0; i < input->job.unknowns; i++)
        input->place[i] = by_name ? find_unknown(input->target, plumb_system_name(input->start, i)) : i;
    return APP_OK;
}

/* ---- Start solutions -------------------------------------------------------------------------------------------- */

/* Finds where the unknowns of the solutions, which have an order of their own, stand in the target. */
static int place_solutions(track_input *input, const char *path)
{
    const plumb_solutions *s = input->solutions;
    if (s->unknowns != input->job.unknowns)
        return app_misuse(command, "%s: found solutions of %lld unknowns, expected %lld", path, (long long)s->unknowns,
                          (long long)input->job.unknowns);
    if (s->count == 0)
        return app_misuse(command, "%s: found no solution, expected at least one", path);
    int64_t *place = calloc((size_t)input->job.unknowns + 1, sizeof *place);
    if (place == NULL)
        return app_fail(command, "out of memory");
    for (int64_t i = 0; i < input->job.unknowns; i++) {
        int64_t in_start = s->names[i] != NULL ? find_unknown(input->start, s->names[i]) : i;
        if (in_start < 0) {
            free(place);
            return app_misuse(command, "%s: the start system has no unknown '%s'", path, s->names[i]);
        }
        place[i] = input->place[in_start];
    }
    free(input->place);
    input->place = place;
    return APP_OK;
}

static int load_solutions(track_input *input)
{
    const char *path = input->words->solutions;
    int result = app_solutions_load(command, path, PLUMB_QD, &input->solutions);
    if (result == APP_OK)
        result = place_solutions(input, app_input_name(path));
    input->job.all_paths = input->solutions != NULL ? input->solutions->count : 0;
    return result;
}

static int count_solutions(track_input *input)
{
    char why[256] = "";
    start_form form;
    plumb_status status = plumb_start_form(input->start, &form, why, sizeof why);
    if (status == PLUMB_ERR_ARGUMENT)
        return app_misuse(command, "--start-solutions is missing, and the solutions of %s are not known: %s",
                          input->words->start, why);
    if (status != PLUMB_OK)
        return app_fail(command, "%s", why);
    plumb_start_form_clear(&form);
    status = plumb_system_start_count(input->start, &input->job.all_paths);
    if (status != PLUMB_OK)
        return app_misuse(command, "there are more than 2^63 start solutions");
    return APP_OK;
}

/* What the first line of the journal has besides. */
static void describe(const run_job *job, run_fields *fields)
{
    const track_input *input = job->data;
    const track_words *words = input->words;
    const plumb_solutions *s = input->solutions;
    run_field_system(fields, "--start", input->start);
    run_field_hash(fields, "--start-solutions",
                   s == NULL
                       ? 0
                       : run_line_hash(LINE_SEED, s->x,
                                       (size_t)s->count * (size_t)s->unknowns * 2 * (size_t)s->prec * sizeof *s->x));
    run_field_text(fields, "--gamma", "%s", words->gamma != NULL ? words->gamma : "of the seed");
    run_field_flag(fields, "--affine", words->affine);
    run_field_flag(fields, "--no-scale", words->no_scale);
    run_field_real(fields, "--tol", job->options.tolerance);
    run_field_real(fields, "--turn", job->options.turn);
    run_field_flag(fields, "--no-endgame", words->no_endgame);
    run_field_text(fields, "--max-winding", "%d", (int)job->options.max_winding);
}

int track_input_load(track_input *input)
{
    const track_words *words = input->words;
    run_job *job = &input->job;
    plumb_context_options context;
    plumb_context_options_init(&context);
    app_ranks_context(&context, words->threads, words->backend);
    set_options(input);
    int result = read_gamma(words->gamma, input->gamma);
    if (result == APP_OK)
        result = load_systems(input);
    if (result == APP_OK)
        result = make_homotopy(input);
    if (result == APP_OK)
        result = words->solutions != NULL ? load_solutions(input) : count_solutions(input);
    if (result == APP_OK)
        result = app_paths_read(command, words->paths, &job->first, &job->count);
    if (result == APP_OK)
        result = app_paths_check(command, words->paths, job->first, job->count, job->all_paths);
    job->count = job->count > 0 ? job->count : job->all_paths;
    if (result == APP_OK)
        result = app_context_create(command, &context, &input->context);
    job->target = input->target;
    job->homotopy = input->homotopy;
    job->context = input->context;
    job->shared = words->mpi;
    job->threads = ranks_threads(words->threads);
    job->data = input;
    job->starts = track_input_starts;
    job->describe = describe;
    if (result == APP_OK && input->solutions != NULL)
        result = track_input_check_starts(input);
    return result;
}

void track_input_clear(track_input *input)
{
    plumb_solutions_destroy(input->solutions);
    plumb_homotopy_destroy(input->homotopy);
    plumb_system_destroy(input->start);
    plumb_system_destroy(input->target);
    plumb_context_destroy(input->context);
    free(input->place);
    *input = (track_input){.words = NULL};
}
