/* run.c - plumb solve --at: the order of the work; see family.h. */
#include "cli/family/run.h"

#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "app/models.h"
#include "app/run/host.h"
#include "app/stop.h"

/* Targets that are solved together: few enough that they are seen soon; or more, so that a GPU has enough to do, if it is asked for or there are
 * many. */
enum { MOST_TARGETS = 1024, MOST_FOR_GPU = 16384, MANY_TARGETS = 1 << 17 };

/* ---- The family -------------------------------------------------------------------------------------------------- */

static int make_family(family_job *job)
{
    const family_words *words = job->words;
    const int result =
        family_make(words->command, words->file, words->equations, words->parameters, &job->batch.family);
    if (result != APP_OK)
        return result;
    const int64_t n = plumb_family_unknowns(job->batch.family), m = plumb_family_parameters(job->batch.family);
    job->names = calloc((size_t)m + 1, sizeof *job->names);
    if (job->names == NULL)
        return app_fail(words->command, "out of memory");
    for (int64_t k = 0; k < m; k++)
        job->names[k] = plumb_system_name(plumb_family_system(job->batch.family), n + k);
    return APP_OK;
}

/* All paths of a start system, for generic parameters. */
static int find_generic(family_job *job)
{
    const family_words *words = job->words;
    plumb_solve_options options;
    plumb_solve_report report;
    char line[256];
    plumb_solve_options_init(&options);
    options.start = words->start;
    options.seed = words->seed;
    options.max_steps = words->max_steps;
    options.reruns = (int32_t)words->reruns;
    const plumb_status status = plumb_family_generic(job->batch.context, job->batch.family, &options, &report);
    if (status == PLUMB_ERR_ARGUMENT)
        return app_misuse(words->command, "%s: %s", app_input_name(words->file),
                          plumb_context_message(job->batch.context));
    if (status != PLUMB_OK)
        return app_context_fail(words->command, job->batch.context, status);
    job->doubtful = plumb_solve_verdict(&report, line, sizeof line) != PLUMB_SOLVE_COMPLETE;
    if (job->doubtful)
        app_note(words->command, "note: generic parameters: %s%s%s", line,
                 words->store ? "; the generic solutions are not kept in " : "", words->store ? words->store : "");
    return APP_OK;
}

static int find_start(family_job *job)
{
    const family_words *words = job->words;
    FILE *there = words->store != NULL ? fopen(words->store, "rb") : NULL;
    if (there != NULL) {
        fclose(there);
        return family_load(words->command, words->store, job->batch.family);
    }
    const int result = find_generic(job);
    return result == APP_OK && words->store != NULL && !job->doubtful
               ? family_save(words->command, words->store, job->batch.family)
               : result;
}

/* ---- Output ------------------------------------------------------------------------------------------------------ */

int family_take(family_job *job, const char *text, size_t length, const family_totals *more)
{
    family_totals_add(&job->totals, more);
    if (job->show != NULL)
        (void)job->show(NULL, job->totals.targets, job->totals.outcome[PLUMB_INSTANCE_INCOMPLETE],
                        family_rows_count(job->rows));
    if (job->kept.file != NULL)
        return family_kept_add(&job->kept, text, length, &job->totals);
    FILE *out = job->output.file != NULL ? job->output.file : stdout;
    if (length > 0 && (fwrite(text, 1, length, out) != length || fflush(out) != 0))
        return app_fail(job->words->command, "the solutions could not be written");
    return APP_OK;
}

static const app_format possible[] = {PLUMB_FORMAT_CSV, FORMAT_LINES, PLUMB_FORMAT_NPY, FORMAT_END};

family_form family_form_of(const family_words *words)
{
    app_format format = PLUMB_FORMAT_CSV;
    if (words->output == NULL)
        return words->json ? FORM_LINES : words->quiet || words->plot != NULL ? FORM_NONE : FORM_TEXT;
    (void)app_format_of(words->command, "--output", words->output, possible, &format); /* it was checked */
    return format == FORMAT_LINES ? FORM_LINES : format == PLUMB_FORMAT_NPY ? FORM_ARRAY : FORM_TABLE;
}

/* Refuses files that cannot hold the solutions. */
static int check_output(const family_words *words)
{
    app_format format = PLUMB_FORMAT_CSV;
    const int result = app_format_of(words->command, "--output", words->output, possible, &format);
    if (result == APP_OK && words->output != NULL && format == PLUMB_FORMAT_NPY && words->count)
        return app_misuse(words->command, "--count needs a file that ends in .csv or .jsonl: an array has solutions");
    return result;
}

/* A plain file grows under another name, with a journal; anything else is written to directly. */
static int open_output(family_job *job)
{
    const family_words *words = job->words;
    int result = family_kept_begin(&job->kept, &job->batch, &job->totals);
    if (result == APP_OK && job->kept.file == NULL && words->output != NULL)
        result = app_output_open(words->command, &job->output, words->output);
    if (result == APP_OK && job->output.file != NULL)
        family_write_head(&job->batch, job->output.file);
    if (result == APP_OK && words->html != NULL)
        result = family_page_begin(&job->page, words, job->batch.family);
    job->batch.page = words->html != NULL ? &job->page : NULL;
    return result;
}

/* Skips the targets that an earlier run has solved. */
static int skip(family_job *job)
{
    const family_words *words = job->words;
    const int64_t each = 2 * PLUMB_QD * plumb_family_parameters(job->batch.family), done = job->totals.targets;
    const uint64_t values = job->kept.values;
    int64_t count = 1;
    int result = APP_OK;
    if (done == 0)
        return APP_OK;
    family_kept_restart(&job->kept);
    for (int64_t k = 0; k < done && count > 0 && result == APP_OK; k += count) {
        result = family_rows_next(job->rows, done - k < job->batch.each ? done - k : job->batch.each, job->batch.limbs,
                                  &count);
        family_kept_read(&job->kept, job->batch.limbs, count * each);
    }
    if (result == APP_OK && values != job->kept.values)
        result = app_misuse(words->command, "cannot resume: the first %lld targets of %s differ from what they were",
                            (long long)done, app_input_name(words->at != NULL ? words->at : "--map"));
    if (words->neighbours > 1)
        job->again = done % job->batch.each % words->neighbours;
    if (result == APP_OK) /* the last ones that were read */
        memmove(job->batch.limbs, job->batch.limbs + (count - job->again) * each,
                (size_t)(job->again * each) * sizeof *job->batch.limbs);
    return result;
}

static int commit(family_job *job)
{
    const family_words *words = job->words;
    int result = APP_OK;
    if (job->kept.file != NULL)
        return family_kept_commit(&job->kept, &job->batch, &job->totals, app_stopped());
    if (job->output.path != NULL && job->batch.form == FORM_ARRAY) {
        if (fseek(job->output.file, 0, SEEK_SET) != 0)
            return app_fail(words->command, "an array needs a file");
        family_write_array_header(&job->batch, job->output.file, job->totals.targets);
    }
    if (job->output.path != NULL)
        result = app_output_commit(words->command, &job->output);
    return result;
}

/* One line about all targets; and 1 if solutions of some of them may be missing. */
static int verdict(const family_job *job)
{
    const family_words *words = job->words;
    const int64_t *outcome = job->totals.outcome, open = outcome[PLUMB_INSTANCE_INCOMPLETE],
                  special = outcome[PLUMB_INSTANCE_SPECIAL] + outcome[PLUMB_INSTANCE_ANEW];
    if (!words->quiet && !words->json && !app_is_stream(words->output) && words->neighbours > 1 && !job->pictures_only)
        printf("%lld of %lld targets from the one before; %lld of these had lost solutions, and were solved from the "
               "generic "
               "ones\n",
               (long long)job->totals.neighbours, (long long)job->totals.targets, (long long)job->totals.repaired);
    if (!words->quiet && !words->json && !app_is_stream(words->output) && !job->pictures_only)
        printf("%lld target%s, %lld paths each: %lld generic, %lld special, %lld incomplete; %lld real solutions, %lld "
               "positive\n",
               (long long)job->totals.targets, job->totals.targets == 1 ? "" : "s",
               (long long)plumb_family_paths(job->batch.family), (long long)outcome[PLUMB_INSTANCE_GENERIC],
               (long long)special, (long long)open, (long long)job->totals.real, (long long)job->totals.positive);
    if (app_stopped())
        return app_fail(words->command, "stopped after %lld target%s%s", (long long)job->totals.targets,
                        job->totals.targets == 1 ? "" : "s", job->kept.file != NULL ? "; --resume continues it" : "");
    if (job->doubtful)
        return app_fail(
            words->command,
            "generic solutions may be missing, and as many solutions of every target; another --seed may help");
    const int64_t omitted = plumb_family_omitted(job->batch.family);
    if (omitted > 0)
        return app_fail(words->command,
                        "%lld of the %lld generic solutions are not regular, and are left out of all targets%s",
                        (long long)omitted, (long long)omitted + (long long)plumb_family_paths(job->batch.family),
                        open > 0 ? "; other solutions of some targets may be missing, too" : "");
    if (job->totals.missed > 0)
        return app_fail(words->command, "%lld regular solution%s could not be certified", (long long)job->totals.missed,
                        job->totals.missed == 1 ? "" : "s");
    if (open > 0)
        return app_fail(words->command, "solutions of %lld target%s may be missing", (long long)open,
                        open == 1 ? "" : "s");
    return APP_OK;
}

/* ---- All targets ------------------------------------------------------------------------------------------------- */

/* One batch after the other. *rows: what reading them said. */
static int solve_alone(family_job *job, int *rows)
{
    int result = APP_OK;
    int64_t count = 1;
    const int64_t each = 2 * PLUMB_QD * plumb_family_parameters(job->batch.family);
    while (result == APP_OK && *rows == APP_OK && count > 0 && !app_stopped()) {
        memory_file text = {.text = NULL};
        family_totals totals = {.targets = 0};
        const int64_t again = job->again;
        job->again = 0;
        *rows = family_rows_next(job->rows, job->batch.each - again, job->batch.limbs + again * each, &count);
        if (count == 0)
            break;
        result = family_batch_solve(&job->batch, job->totals.targets, again, again + count, &text, &totals);
        family_kept_read(&job->kept, job->batch.limbs + again * each, totals.targets * each);
        if (result == APP_OK)
            result = family_take(job, text.text, text.length, &totals);
        free(text.text);
    }
    return result;
}

static int solve(family_job *job)
{
    int rows = APP_OK;
    const family_words *words = job->words;
    /* Solutions on a terminal are progress enough. */
    job->show = words->output != NULL && !app_is_stream(words->output) ? app_targets_progress(words->quiet) : NULL;
    app_stop_on_signals();
    int result = skip(job);
    if (result == APP_OK && !job->pictures_only)
        result = words->mpi ? family_crew_solve(job, &rows) : solve_alone(job, &rows);
    app_progress_end();
    if (result == APP_OK && rows != APP_OK && job->kept.file != NULL) /* what comes before a bad row of a stream */
        result = family_kept_commit(&job->kept, &job->batch, &job->totals, true);
    if (result == APP_OK)
        result = rows;
    if (result == APP_OK)
        result = commit(job);
    if (result == APP_OK && words->html != NULL)
        result = family_page_save(&job->page, job->doubtful, app_stopped());
    if (result == APP_OK && words->plot != NULL && !app_stopped())
        result = family_map_save(&job->map, job->batch.context);
    return result == APP_OK ? verdict(job) : result;
}

/* Rank 0, or the only process: everything but its part of the targets. */
static int manage(family_job *job)
{
    const family_words *words = job->words;
    int result = check_output(words);
    if (result == APP_OK && words->map != NULL)
        result = family_map_begin(words, job->batch.family, job->names, &job->map);
    job->pictures_only = words->map != NULL && job->map.axes == 1 && words->plot != NULL && words->output == NULL &&
                         words->html == NULL && !words->json;
    if (result == APP_OK)
        result = words->map != NULL ? family_rows_open_map(words->command, &job->map,
                                                           plumb_family_parameters(job->batch.family), &job->rows)
                                    : family_rows_open(words->command, words->at, job->names,
                                                       plumb_family_parameters(job->batch.family), &job->rows);
    if (result == APP_OK)
        family_rows_group(job->rows, words->neighbours);
    job->batch.map = words->map != NULL ? &job->map : NULL;
    job->batch.form = family_form_of(words);
    if (result == APP_OK)
        result = find_start(job);
    if (result == APP_OK && words->mpi)
        result = family_crew_begin(job);
    job->batch.targets = result == APP_OK ? family_rows_count(job->rows) : 0;
    const bool many = words->backend == PLUMB_BACKEND_GPU || job->batch.targets > MANY_TARGETS;
    job->batch.each = result == APP_OK ? family_batch_size(job->batch.family, words->neighbours,
                                                           words->mpi ? CREW_TARGETS
                                                           : many     ? MOST_FOR_GPU
                                                                      : MOST_TARGETS)
                                       : 0;
    if (result == APP_OK)
        result = family_batch_begin(&job->batch);
    if (result == APP_OK)
        result = open_output(job);
    return result == APP_OK ? solve(job) : result;
}

static int run(family_job *job)
{
    const family_words *words = job->words;
    plumb_context_options options;
    plumb_context_options_init(&options);
    app_ranks_context(&options, words->threads, words->backend);
    int result = app_context_create(words->command, &options, &job->batch.context);
    if (result == APP_OK && words->certify)
        result = family_certify_check(words->command);
    if (result == APP_OK)
        result = make_family(job);
    if (result == APP_OK)
        result = app_is_worker() ? family_crew_serve(job) : manage(job);
    family_kept_end(&job->kept);
    app_output_discard(&job->output);
    app_page_discard(&job->page.data);
    family_map_end(&job->map);
    family_rows_close(job->rows);
    family_batch_end(&job->batch);
    free(job->names);
    plumb_family_destroy(job->batch.family);
    plumb_context_destroy(job->batch.context);
    return result;
}

int family_run(const family_words *words)
{
    family_job job = {.words = words, .batch = {.words = words}};
    int result = words->mpi ? app_ranks_begin(words->command) : APP_OK;
    if (result == APP_OK)
        result = run(&job);
    return app_ranks_end(result);
}
