/* monodromy.c - plumb monodromy: the generic solutions of a family from one of them. */
#include "cli/monodromy/monodromy.h"

#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "app/models.h"
#include "app/run/host.h"
#include "app/stop.h"
#include "base/os/clock.h"
#include "cli/cli.h"
#include "cli/family/family.h"

static const char command[] = "monodromy";

static const app_option options[] = {
    APP_EQUATIONS(monodromy_words, equations),
    {0, "parameters", APP_TEXT, offsetof(monodromy_words, parameters), "LIST",
     "these unknowns are parameters, such as a,b,c", "those that SYSTEM declares", 0, 0, NULL},
    {0, "from", APP_INPUT, offsetof(monodromy_words, from), "FILE",
     "begin at solutions in FILE: of this family, as this command or plumb solve --family has written them, or a list "
     "whose unknowns are those of the family and its parameters; without the parameters, some are computed for the "
     "first solution",
     "parameters are computed together with a solution", 0, 0, NULL},
    {0, "symmetry", APP_TEXTS, offsetof(monodromy_words, symmetry), "MAP",
     "a map that takes solutions to solutions, such as 'x = -x, y = -y'; solutions are then counted in classes, and "
     "only one of each class is followed; may be given several times",
     NULL, 0, 0, NULL},
    {0, "loops", APP_COUNT, offsetof(monodromy_words, quiet_loops), "N",
     "end after N loops in a row that found nothing new", NULL, 1, 1000, NULL},
    {0, "max-loops", APP_COUNT, offsetof(monodromy_words, max_loops), "N", "maximum number of loops", NULL, 1, 10000,
     NULL},
    {0, "solutions", APP_COUNT, offsetof(monodromy_words, max_solutions), "N", "end when N solutions are known",
     "as many as loops find", 1, 1e15, NULL},
    {0, "trace", APP_FLAG, offsetof(monodromy_words, trace), NULL,
     "test whether these are all solutions that loops connect with the first one: where the parameters are the "
     "coefficients of linear equations, when a loop finds nothing new, and end if they are; for other "
     "families after all loops, by a curve with more points than there are solutions",
     NULL, 0, 0, NULL},
    {0, "max-steps", APP_COUNT, offsetof(monodromy_words, max_steps), "N", "maximum number of steps per path", NULL, 1,
     1e15, NULL},
    APP_THREADS(monodromy_words, threads),
    APP_SEED_OPTION(monodromy_words, seed, "(parameters, loops)"),
    {'o', "output", APP_OUTPUT, offsetof(monodromy_words, output), "FILE",
     "write the family with its generic solutions to FILE, which plumb solve --at takes as --family; - is standard "
     "output",
     "they are only counted", 0, 0, NULL},
    APP_JSON(monodromy_words, json),
    APP_QUIET(monodromy_words, quiet, "show no text and no progress"),
    APP_OPTIONS_END,
};

static const monodromy_words defaults = {.quiet_loops = 10, .max_loops = 100, .max_steps = 10000, .seed = 1};

/* ---- The first solutions ----------------------------------------------------------------------------------------- */

/* True if the file has the generic solutions of a family. */
static bool is_family(const unsigned char *bytes, size_t length)
{
    static const char heading[] = "THE GENERIC PARAMETERS :";
    for (size_t k = 0; k + sizeof heading - 1 <= length; k++)
        if ((k == 0 || bytes[k - 1] == '\n') && memcmp(bytes + k, heading, sizeof heading - 1) == 0)
            return true;
    return false;
}

static int64_t find(const plumb_solutions *list, const char *name)
{
    for (int64_t i = 0; i < plumb_solutions_unknowns(list); i++)
        if (strcmp(plumb_solutions_name(list, i), name) == 0)
            return i;
    return -1;
}

/* A list of solutions, cut into values of the parameters, which is empty if the list has none, and of the unknowns. */
static int cut_list(const monodromy_job *job, const plumb_solutions *list, plumb_view *parameters, plumb_view *x)
{
    const monodromy_words *words = job->words;
    const plumb_system *system = plumb_family_system(job->family);
    const int64_t n = plumb_family_unknowns(job->family), m = plumb_family_parameters(job->family),
                  count = plumb_solutions_count(list), all = plumb_solutions_unknowns(list);
    plumb_view whole = {.data = NULL};
    int result = APP_OK;
    if (count < 1)
        return app_misuse(command, "%s: found no solution, expected at least one", words->from);
    if (all != n && all != n + m)
        return app_misuse(command,
                          "%s: found %lld unknowns, expected the %lld of the family, with or without its "
                          "%lld parameters",
                          words->from, (long long)all, (long long)n, (long long)m);
    if (plumb_array_create(job->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, all, 1, count, &whole) != PLUMB_OK ||
        plumb_array_create(job->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, count, x) != PLUMB_OK ||
        (all > n &&
         plumb_array_create(job->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, m, 1, 1, parameters) != PLUMB_OK) ||
        plumb_solutions_get(list, 0, &whole) != PLUMB_OK)
        result = app_fail(command, "out of memory");
    for (int64_t i = 0; i < all && result == APP_OK; i++) {
        const char *name = plumb_system_name(system, i);
        const int64_t from = find(list, name);
        if (from < 0)
            result = app_misuse(command, "%s: the solutions have no unknown %s", words->from, name);
        for (int64_t k = 0; k < count && result == APP_OK; k++)
            for (int64_t c = 0; c < 2 * PLUMB_QD; c++) {
                const double limb = whole.data[k * whole.next + c * whole.plane + from];
                if (x->data == NULL)
                    continue;
                if (i < n)
                    x->data[k * x->next + c * x->plane + i] = limb;
                else if (parameters->data == NULL)
                    continue;
                else if (k == 0)
                    parameters->data[c * parameters->plane + i - n] = limb;
                else if (parameters->data[c * parameters->plane + i - n] != limb)
                    result = app_misuse(command,
                                        "%s: solution %lld has another value of %s than the first one, "
                                        "expected solutions for the same parameters",
                                        words->from, (long long)k + 1, name);
            }
    }
    plumb_array_destroy(job->context, &whole);
    return result;
}

static int load(monodromy_job *job, plumb_view *parameters, plumb_view *x)
{
    const monodromy_words *words = job->words;
    unsigned char *bytes = NULL;
    size_t length = 0;
    plumb_solutions *list = NULL;
    if (words->from == NULL)
        return APP_OK;
    int result = app_bytes_load(command, words->from, file_may_be_text, &bytes, &length);
    const bool own = result == APP_OK && is_family(bytes, length);
    free(bytes);
    if (result == APP_OK && own)
        return family_load(command, words->from, job->family);
    if (result == APP_OK)
        result = app_solutions_load(command, words->from, PLUMB_QD, &list);
    if (result == APP_OK)
        result = cut_list(job, list, parameters, x);
    plumb_solutions_destroy(list);
    return result;
}

/* ---- The call ---------------------------------------------------------------------------------------------------- */

static plumb_progress shown;

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    return (shown != NULL && shown(data, done, failed, total) != 0) || app_stopped();
}

static int find_order(monodromy_job *job)
{
    size_t needed = 0;
    int32_t proven = 0;
    plumb_status status = plumb_permutations_order(job->permutations, NULL, 0, &needed, &proven);
    if (status == PLUMB_ERR_SIZE)
        return APP_OK;
    if (status != PLUMB_ERR_BUFFER)
        return app_fail(command, "the order of the group: %s", plumb_status_text(status));
    job->order = malloc(needed);
    if (job->order == NULL ||
        plumb_permutations_order(job->permutations, job->order, needed, NULL, &proven) != PLUMB_OK)
        return app_fail(command, "out of memory");
    job->proven = proven == 1;
    return APP_OK;
}

static int call(monodromy_job *job)
{
    const monodromy_words *words = job->words;
    const double began = plumb_clock_seconds();
    plumb_view parameters = {.data = NULL}, x = {.data = NULL};
    plumb_monodromy_options settings;
    plumb_monodromy_options_init(&settings);
    settings.quiet_loops = (int32_t)words->quiet_loops;
    settings.max_loops = (int32_t)words->max_loops;
    settings.max_solutions = words->max_solutions;
    settings.max_steps = words->max_steps;
    settings.seed = words->seed;
    settings.symmetries = (int32_t)words->symmetry.count;
    settings.symmetry = (const plumb_system *const *)job->symmetry;
    settings.trace = words->trace;
    settings.progress = on_progress;
    int result = load(job, &parameters, &x);
    if (result != APP_OK) {
        plumb_array_destroy(job->context, &parameters);
        plumb_array_destroy(job->context, &x);
        return result;
    }
    shown = app_progress(words->quiet, false);
    app_stop_on_signals();
    const plumb_status status =
        plumb_monodromy(job->context, job->family, parameters.data != NULL ? &parameters : NULL,
                        x.data != NULL ? &x : NULL, &settings, &job->permutations, &job->report);
    app_progress_end();
    plumb_array_destroy(job->context, &parameters);
    plumb_array_destroy(job->context, &x);
    if (status == PLUMB_ERR_STOPPED)
        return app_fail(command, "stopped; nothing was written");
    if (status == PLUMB_ERR_ARGUMENT)
        return app_misuse(command, "%s: %s", app_input_name(words->file[0]), plumb_context_message(job->context));
    if (status != PLUMB_OK)
        return app_context_fail(command, job->context, status);
    job->seconds = plumb_clock_seconds() - began;
    return find_order(job);
}

static int answer(const monodromy_job *job)
{
    const monodromy_words *words = job->words;
    int result = words->output != NULL ? family_save(command, words->output, job->family) : APP_OK;
    if (result == APP_OK && words->json)
        monodromy_print_json(job, stdout);
    if (result == APP_OK && !words->json && !words->quiet)
        monodromy_print(job, app_is_stream(words->output) ? stderr : stdout);
    if (result != APP_OK)
        return result;
    if (job->report.code == PLUMB_MONODROMY_STOPPED)
        return app_fail(command, "stopped; solutions may be missing");
    if (job->report.code == PLUMB_MONODROMY_LOOPS)
        return app_fail(command, "solutions may be missing after %lld loops (--max-loops)",
                        (long long)job->report.loops);
    if (job->report.trace == PLUMB_TRACE_MISSING)
        return app_fail(command, "solutions are missing: the trace test has failed; another --seed or more --loops may "
                                 "help");
    if (job->report.trace == PLUMB_TRACE_UNDECIDED)
        return app_fail(command, "the trace test has not decided whether solutions are missing");
    return APP_OK;
}

static int monodromy(const void *values)
{
    monodromy_job job = {.words = values};
    plumb_context_options settings;
    plumb_context_options_init(&settings);
    settings.threads = (int32_t)job.words->threads;
    settings.backend = PLUMB_BACKEND_CPU;
    int result = APP_OK;
    if (app_is_stream(job.words->output) && job.words->json)
        result = app_misuse(command, "--output - and --json cannot both have standard output");
    if (result == APP_OK)
        result = app_context_create(command, &settings, &job.context);
    if (result == APP_OK)
        result = family_make(command, job.words->file[0], &job.words->equations, job.words->parameters, &job.family);
    if (result == APP_OK)
        result = monodromy_symmetry(&job);
    if (result == APP_OK)
        result = call(&job);
    if (result == APP_OK)
        result = answer(&job);
    for (int64_t k = 0; job.symmetry != NULL && k < job.words->symmetry.count; k++)
        plumb_system_destroy(job.symmetry[k]);
    free(job.symmetry);
    free(job.order);
    plumb_permutations_destroy(job.permutations);
    plumb_family_destroy(job.family);
    plumb_context_destroy(job.context);
    return result;
}

static const char *const file_names[] = {"SYSTEM", NULL};

const app_command plumb_cli_monodromy = {
    .name = "monodromy",
    .summary = "find the generic solutions of a family from one of them",
    .arguments = "SYSTEM [OPTIONS]\n"
                 "-e EQ [-e EQ]... [OPTIONS]",
    .about = "Finds the solutions for generic parameters of the family in SYSTEM (- is standard input), a system with "
             "parameters, from one of them: along loops of the parameters a solution leads to others. This takes some "
             "paths per solution, where a start system may have many times as many paths. The solutions are the start "
             "of plumb solve --at.",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .least_files = 1,
    .most_files = 1,
    .file_names = file_names,
    .files = offsetof(monodromy_words, file),
    .summary_shown = true,
    .run = monodromy,
    .after =
        "Only solutions that loops connect with the first ones are found. Ctrl-C ends the search; what is known then "
        "is written.\n\n"
        "Exit status: 0 the last loops found nothing new, or --solutions are known; 1 solutions may be missing; 2 "
        "bad input or misuse.",
};
