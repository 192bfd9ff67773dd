/* input.c - what is to be tracked: reads and checks the systems, the start solutions and the options. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/command.h"
#include "app/models.h"
#include "base/size.h"
#include "cli/track/track.h"
#include "model/homotopy/start_form.h"
#include "solver/homotopy/start_system.h"

static const char command[] = "track";

/* ---- Options ---------------------------------------------------------------------------------------------------- */

/* "RE,IM", both doubles. */
static int read_gamma(const char *text, double gamma[2])
{
    const char *comma = text != NULL ? strchr(text, ',') : NULL;
    gamma[0] = gamma[1] = 0;
    if (text == NULL)
        return CLI_OK;
    bool good = comma != NULL &&
                plumb_number_read(text, (size_t)(comma - text), PLUMB_D, &gamma[0], NULL, NULL) == PLUMB_OK &&
                plumb_number_read(comma + 1, strlen(comma + 1), PLUMB_D, &gamma[1], NULL, NULL) == PLUMB_OK &&
                isfinite(gamma[0]) && isfinite(gamma[1]) && (gamma[0] != 0 || gamma[1] != 0);
    return good ? CLI_OK : cli_misuse(command, "--gamma: found '%s', expected RE,IM, not both zero", text);
}

static bool read_number(const char **text, int64_t *value)
{
    const char *s = *text;
    for (*value = 0; *s >= '0' && *s <= '9' && *value < INT64_MAX / 10 - 1; s++)
        *value = 10 * *value + (*s - '0');
    bool good = s > *text;
    *text = s;
    return good;
}

/* "A-B" or "A", from 1. */
static int read_paths(track_job *job)
{
    const char *text = job->words->paths;
    int64_t first = 1, last = job->all_paths;
    if (text != NULL) {
        const char *s = text;
        bool good = read_number(&s, &first);
        last = first;
        if (good && *s == '-')
            s++, good = read_number(&s, &last);
        if (!good || *s != 0 || first < 1 || first > last)
            return cli_misuse(command, "--paths: found '%s', expected A-B or A, counted from 1", text);
        if (last > job->all_paths)
            return cli_misuse(command, "--paths: found '%s', expected numbers up to %lld, the number of paths", text,
                              (long long)job->all_paths);
    }
    job->first = first - 1;
    job->count = last - first + 1;
    return CLI_OK;
}

static void set_options(track_job *job)
{
    const track_words *words = job->words;
    plumb_track_options *o = &job->options;
    plumb_track_options_init(o);
    o->prec = app_precision(words->prec);
    o->endgame = !words->no_endgame;
    o->most_winding = (int32_t)words->max_winding;
    o->reruns = 0; /* endpoints are compared over all calls, in run.c */
    o->most_steps = words->max_steps;
    o->tolerance = words->tol;
    o->turn = words->turn;
    o->seed = words->seed;
    job->prec = o->prec != 0 ? o->prec : PLUMB_QD;
}

/* ---- Systems ---------------------------------------------------------------------------------------------------- */

static int load_systems(track_job *job)
{
    const track_words *words = job->words;
    int result = cli_system_load(command, words->file[0], &job->target);
    if (result != CLI_OK)
        return result;
    job->unknowns = plumb_system_unknowns(job->target);
    if (words->start != NULL)
        return cli_system_load(command, words->start, &job->start);
    plumb_status status = plumb_start_make(job->target, words->seed, !words->no_scale, &job->start);
    if (status == PLUMB_ERR_ARGUMENT)
        return cli_misuse(command,
                          "%s: found %lld equations in %lld unknowns, or a constant equation; expected a square system "
                          "for a start system of total degree (--start gives another one)",
                          cli_input_name(words->file[0]), (long long)plumb_system_equations(job->target),
                          (long long)job->unknowns);
    return status == PLUMB_OK ? CLI_OK : cli_fail(command, "%s", plumb_status_text(status));
}

static int64_t find_unknown(const plumb_system *system, const char *name)
{
    for (int64_t v = 0; v < plumb_system_unknowns(system); v++)
        if (strcmp(plumb_system_name(system, v), name) == 0)
            return v;
    return -1;
}

static bool same_names(const plumb_system *a, const plumb_system *b)
{
    for (int64_t v = 0; v < plumb_system_unknowns(a); v++)
        if (find_unknown(b, plumb_system_name(a, v)) < 0)
            return false;
    return true;
}

/* A homotopy matches unknowns by name where the names are the same, otherwise by position; points follow the same rule. */
static int make_homotopy(track_job *job)
{
    char why[256];
    plumb_homotopy_options options;
    const track_words *words = job->words;
    if (plumb_homotopy_check(job->start, job->target, why, sizeof why) != PLUMB_OK)
        return cli_misuse(command, "%s", why);
    plumb_homotopy_options_init(&options);
    options.seed = words->seed;
    memcpy(options.gamma, job->gamma, sizeof options.gamma);
    options.projective = !words->affine;
    options.unscaled = words->no_scale;
    plumb_status status = plumb_homotopy_create(job->start, job->target, &options, &job->homotopy);
    if (status == PLUMB_ERR_MEMORY)
        return cli_fail(command, "out of memory");
    if (status != PLUMB_OK)
        return cli_misuse(command, "the systems cannot form a homotopy: %s", plumb_status_text(status));
    job->place = calloc((size_t)job->unknowns + 1, sizeof *job->place);
    if (job->place == NULL)
        return cli_fail(command, "out of memory");
    bool by_name = same_names(job->start, job->target);
    for (int64_t i = 0; i < job->unknowns; i++)
        job->place[i] = by_name ? find_unknown(job->target, plumb_system_name(job->start, i)) : i;
    return CLI_OK;
}

/* ---- Start solutions -------------------------------------------------------------------------------------------- */

/* Finds where the unknowns of the solutions, which have an order of their own, stand in the target. */
static int place_solutions(track_job *job, const char *path)
{
    const plumb_solutions *s = job->solutions;
    if (s->unknowns != job->unknowns)
        return cli_misuse(command, "%s: found solutions of %lld unknowns, expected %lld", path, (long long)s->unknowns,
                          (long long)job->unknowns);
    if (s->count == 0)
        return cli_misuse(command, "%s: found no solution, expected at least one", path);
    int64_t *place = calloc((size_t)job->unknowns + 1, sizeof *place);
    if (place == NULL)
        return cli_fail(command, "out of memory");
    for (int64_t i = 0; i < job->unknowns; i++) {
        int64_t in_start = s->names[i] != NULL ? find_unknown(job->start, s->names[i]) : i;
        if (in_start < 0) {
            free(place);
            return cli_misuse(command, "%s: the start system has no unknown '%s'", path, s->names[i]);
        }
        place[i] = job->place[in_start];
    }
    free(job->place);
    job->place = place;
    return CLI_OK;
}

static int load_solutions(track_job *job)
{
    const char *path = job->words->solutions;
    int result = cli_solutions_load(command, path, PLUMB_QD, &job->solutions);
    if (result == CLI_OK)
        result = place_solutions(job, cli_input_name(path));
    job->all_paths = job->solutions != NULL ? job->solutions->count : 0;
    return result;
}

static int count_solutions(track_job *job)
{
    char why[256] = "";
    start_form form;
    plumb_status status = plumb_start_form(job->start, &form, why, sizeof why);
    if (status == PLUMB_ERR_ARGUMENT)
        return cli_misuse(command, "--start-solutions is missing, and the solutions of %s are not known: %s",
                          job->words->start, why);
    if (status != PLUMB_OK)
        return cli_fail(command, "%s", why);
    plumb_start_form_clear(&form);
    status = plumb_system_start_count(job->start, &job->all_paths);
    if (status != PLUMB_OK)
        return cli_misuse(command, "there are more than 2^63 start solutions");
    return CLI_OK;
}

/* With --backend auto the library takes a GPU for calls with enough paths. Which paths share a call depends on --paths and on when a run
 * was stopped, and the two machines give different bits: so one machine is chosen here for all paths there are. */
static int make_context(track_job *job, plumb_context_options *options)
{
    const int64_t worth = 64;
    int result = cli_context_create(command, options, &job->context);
    if (result != CLI_OK || options->backend != PLUMB_BACKEND_AUTO ||
        plumb_context_backend(job->context) != PLUMB_BACKEND_GPU)
        return result;
    plumb_context_destroy(job->context);
    job->context = NULL;
    options->backend = job->all_paths >= worth ? PLUMB_BACKEND_GPU : PLUMB_BACKEND_CPU;
    return cli_context_create(command, options, &job->context);
}

int track_job_load(track_job *job)
{
    const track_words *words = job->words;
    plumb_context_options context;
    plumb_context_options_init(&context);
    context.threads = (int32_t)words->threads;
    context.backend = words->backend;
    set_options(job);
    int result = read_gamma(words->gamma, job->gamma);
    if (result == CLI_OK)
        result = load_systems(job);
    if (result == CLI_OK)
        result = make_homotopy(job);
    if (result == CLI_OK)
        result = words->solutions != NULL ? load_solutions(job) : count_solutions(job);
    if (result == CLI_OK)
        result = read_paths(job);
    if (result == CLI_OK)
        result = make_context(job, &context);
    if (result == CLI_OK && job->solutions != NULL)
        result = track_job_check_starts(job);
    return result;
}

void track_job_clear(track_job *job)
{
    plumb_solutions_destroy(job->solutions);
    plumb_homotopy_destroy(job->homotopy);
    plumb_system_destroy(job->start);
    plumb_system_destroy(job->target);
    plumb_context_destroy(job->context);
    free(job->place);
    *job = (track_job){.words = NULL};
}
