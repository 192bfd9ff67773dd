/* run.c - plumb solve --at: reads targets, solves them in batches, and writes each in its turn; see family.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "app/models.h"
#include "app/numbers.h"
#include "app/report.h"
#include "app/stop.h"
#include "base/number/modulus.h"
#include "base/number/precision.h"
#include "cli/family/family.h"
#include "text/escape.h"

/* Targets that are solved together; fewer if each has many paths. */
enum { MOST_TARGETS = 1024, MOST_PATHS = 1 << 15 };

typedef enum family_form { FORM_NONE, FORM_TEXT, FORM_LINES, FORM_TABLE } family_form;

typedef struct family_job {
    const family_words *words;
    plumb_context *context;
    plumb_family *family;
    bool doubtful;      /* generic solutions may be missing */
    const char **names; /* of the parameters */
    family_rows *rows;
    family_form form;
    app_output output;
    FILE *out;
    int64_t each;  /* targets of a batch */
    double *limbs; /* of the targets of a batch */
    plumb_view solutions;
    plumb_solution_record *records;
    plumb_instance *instances;
    int64_t targets; /* so far */
    int64_t outcome[PLUMB_INSTANCE_STOPPED + 1], real, positive;
} family_job;

/* ---- The family -------------------------------------------------------------------------------------------------- */

/* Declares the unknowns of --parameters. */
static int declare(const family_job *job, plumb_system **system)
{
    const family_words *words = job->words;
    char *list = strdup(words->parameters);
    const char **names = calloc(strlen(words->parameters) + 2, sizeof *names);
    plumb_system *declared = NULL;
    int64_t count = 0;
    int result = list != NULL && names != NULL ? APP_OK : app_fail(words->command, "out of memory");
    if (result == APP_OK && plumb_system_parameters(*system) > 0)
        result = app_misuse(words->command, "--parameters: the system declares its parameters already");
    for (char *at = list; result == APP_OK && names != NULL && at != NULL;) {
        char *comma = strchr(at, ',');
        if (comma != NULL)
            *comma++ = 0;
        names[count++] = at;
        at = comma;
    }
    if (result == APP_OK) {
        const plumb_status status = plumb_system_declare(*system, names, count, &declared);
        if (status != PLUMB_OK)
            result = app_misuse(words->command, "--parameters: %s", plumb_last_message());
    }
    if (result == APP_OK) {
        plumb_system_destroy(*system);
        *system = declared;
    }
    free(list);
    free(names);
    return result;
}

static int make_family(family_job *job)
{
    const family_words *words = job->words;
    plumb_system *system = NULL;
    int result = app_system_get(words->command, words->file, words->equations, &system);
    if (result == APP_OK && words->parameters != NULL)
        result = declare(job, &system);
    if (result == APP_OK && plumb_family_create(system, &job->family) != PLUMB_OK)
        result = app_misuse(words->command, "%s: %s", app_input_name(words->file), plumb_last_message());
    plumb_system_destroy(system);
    const int64_t n = plumb_family_unknowns(job->family), m = plumb_family_parameters(job->family);
    job->names = calloc((size_t)m + 1, sizeof *job->names);
    if (result == APP_OK && job->names == NULL)
        result = app_fail(words->command, "out of memory");
    for (int64_t k = 0; result == APP_OK && job->names != NULL && k < m; k++)
        job->names[k] = plumb_system_name(plumb_family_system(job->family), n + k);
    return result;
}

/* Takes the generic solutions from the file of --family. */
static int load(const family_job *job)
{
    const family_words *words = job->words;
    unsigned char *bytes = NULL;
    size_t length = 0;
    plumb_text_error error;
    int result = app_bytes_load(words->command, words->store, file_may_be_text, &bytes, &length);
    if (result == APP_OK) {
        const plumb_status status = plumb_family_read(job->family, (const char *)bytes, length, &error);
        if (status == PLUMB_ERR_MEMORY)
            result = app_fail(words->command, "%s: out of memory", words->store);
        else if (status != PLUMB_OK)
            result = app_misuse(NULL, "%s:%lld:%lld: %s", words->store, (long long)error.line, (long long)error.column,
                                error.message);
    }
    free(bytes);
    return result;
}

static int save(const family_job *job)
{
    const family_words *words = job->words;
    app_output output = {.path = NULL};
    size_t needed = 0;
    char *text = NULL;
    plumb_status status = plumb_family_write(job->family, NULL, 0, &needed);
    if (status == PLUMB_ERR_BUFFER) {
        text = malloc(needed);
        status = text != NULL ? plumb_family_write(job->family, text, needed, NULL) : PLUMB_ERR_MEMORY;
    }
    int result = status == PLUMB_OK ? app_output_open(words->command, &output, words->store)
                                    : app_fail(words->command, "%s", plumb_status_text(status));
    if (result == APP_OK) {
        fputs(text, output.file); /* the commit finds out whether all of it could be written */
        result = app_output_commit(words->command, &output);
    }
    app_output_discard(&output);
    free(text);
    return result;
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
    const plumb_status status = plumb_family_generic(job->context, job->family, &options, &report);
    if (status == PLUMB_ERR_ARGUMENT)
        return app_misuse(words->command, "%s: %s", app_input_name(words->file), plumb_context_message(job->context));
    if (status != PLUMB_OK)
        return app_context_fail(words->command, job->context, status);
    job->doubtful = plumb_solve_verdict(&report, line, sizeof line) != PLUMB_SOLVE_COMPLETE;
    if (job->doubtful)
        app_note(words->command, "note: generic parameters: %s%s%s", line,
                 words->store ? "; the generic solutions are not kept in " : "", words->store ? words->store : "");
    if (plumb_family_paths(job->family) < report.distinct)
        app_note(words->command,
                 "note: %lld of the %lld generic solutions are not regular, and are left out of all targets",
                 (long long)(report.distinct - plumb_family_paths(job->family)), (long long)report.distinct);
    return APP_OK;
}

static int find_start(family_job *job)
{
    const family_words *words = job->words;
    FILE *there = words->store != NULL ? fopen(words->store, "rb") : NULL;
    if (there != NULL) {
        fclose(there);
        return load(job);
    }
    const int result = find_generic(job);
    return result == APP_OK && words->store != NULL && !job->doubtful ? save(job) : result;
}

/* ---- Output ------------------------------------------------------------------------------------------------------ */

/* Positive solutions come first, then the other real ones. */
static int64_t shown_of(const family_job *job, const plumb_instance *instance)
{
    return job->words->positive ? instance->positive : job->words->real ? instance->real : instance->solutions;
}

/* The limbs of a part of an unknown, in the precision of the solution. */
static void limbs_of(const family_job *job, int64_t entry, int64_t unknown, int32_t part, double limbs[PLUMB_QD])
{
    app_entry(&job->solutions, entry, unknown, 0, part, limbs);
}

/* The absolute error of a solution, which is known relative to its largest unknown. */
static double error_of(const family_job *job, int64_t entry)
{
    double size = 0.0, re[PLUMB_QD], im[PLUMB_QD];
    const double error = job->records[entry].error;
    for (int64_t i = 0; i < job->solutions.rows; i++) {
        limbs_of(job, entry, i, 0, re);
        limbs_of(job, entry, i, 1, im);
        size = fmax(size, plumb_modulus(re[0], im[0]));
    }
    return size > error ? size * error : error;
}

static const char *name_of(const family_job *job, int64_t unknown)
{
    return plumb_system_name(plumb_family_system(job->family), unknown);
}

static void write_text(const family_job *job, const plumb_instance *instance, int64_t first)
{
    fprintf(job->out, "target %lld: %lld solution%s, %lld real", (long long)job->targets,
            (long long)instance->solutions, instance->solutions == 1 ? "" : "s", (long long)instance->real);
    if (job->words->positive)
        fprintf(job->out, ", %lld positive", (long long)instance->positive);
    if (instance->code == PLUMB_INSTANCE_ANEW)
        fprintf(job->out, "; special, solved anew");
    else if (instance->code != PLUMB_INSTANCE_GENERIC)
        fprintf(job->out, "; %s: of %lld paths %lld to singular solutions, %lld to infinity, %lld failed",
                plumb_instance_name(instance->code), (long long)plumb_family_paths(job->family),
                (long long)instance->singular, (long long)instance->infinite, (long long)instance->failed);
    fputc('\n', job->out);
    for (int64_t k = first; k < first + shown_of(job, instance) && !job->words->count; k++) {
        const plumb_solution_record *record = &job->records[k];
        const double error = error_of(job, k);
        fputs(" ", job->out);
        for (int64_t i = 0; i < job->solutions.rows; i++) {
            char text[2][APP_KNOWN_ROOM];
            double part[2][PLUMB_QD];
            for (int32_t c = 0; c < 2; c++) {
                limbs_of(job, k, i, c, part[c]);
                app_known_text(record->prec, part[c], error, 0, text[c]);
            }
            const bool minus = text[1][0] == '-';
            fprintf(job->out, "%s %s = %s", i > 0 ? "," : "", name_of(job, i), text[0]);
            if (!record->real && strcmp(text[1], "0") != 0)
                fprintf(job->out, " %c %s*i", minus ? '-' : '+', text[1] + minus);
        }
        if (record->kind != PLUMB_SOLUTION_REGULAR)
            fprintf(job->out, "  (%s, %lld path%s)", plumb_solution_kind_name(record->kind),
                    (long long)record->multiplicity, record->multiplicity == 1 ? "" : "s");
        fputc('\n', job->out);
    }
}

static void write_line(const family_job *job, const plumb_instance *instance, int64_t first)
{
    json_writer w = json_begin_line(job->out);
    json_open_object(&w, NULL);
    json_string(&w, "schema", JSON_SCHEMA);
    json_int(&w, "target", job->targets);
    json_string(&w, "outcome", plumb_instance_name(instance->code));
    json_int(&w, "arcs", instance->arcs);
    json_open_object(&w, "paths");
    json_int(&w, "total", plumb_family_paths(job->family));
    json_int(&w, "regular", instance->regular);
    json_int(&w, "singular", instance->singular);
    json_int(&w, "infinite", instance->infinite);
    json_int(&w, "failed", instance->failed);
    json_close_object(&w);
    json_int(&w, "count", instance->solutions);
    json_int(&w, "real_count", instance->real);
    json_int(&w, "positive_count", instance->positive);
    json_double(&w, "error", instance->error);
    if (!job->words->count)
        json_open_array(&w, "solutions");
    for (int64_t k = first; k < first + shown_of(job, instance) && !job->words->count; k++) {
        const plumb_solution_record *record = &job->records[k];
        json_open_object(&w, NULL);
        json_open_array(&w, "x");
        for (int64_t i = 0; i < job->solutions.rows; i++) {
            double re[PLUMB_QD], im[PLUMB_QD];
            limbs_of(job, k, i, 0, re);
            limbs_of(job, k, i, 1, im);
            (void)app_report_number(&w, NULL, record->prec, re, im);
        }
        json_close_array(&w);
        json_string(&w, "kind", plumb_solution_kind_name(record->kind));
        json_int(&w, "multiplicity", record->multiplicity);
        json_bool(&w, "real", record->real);
        json_double(&w, "err", record->error);
        json_double(&w, "condition", record->rcond > 0.0 ? 1.0 / record->rcond : INFINITY);
        json_string(&w, "precision", plumb_prec_name(record->prec));
        json_close_object(&w);
    }
    if (!job->words->count)
        json_close_array(&w);
    json_close_object(&w);
    json_end(&w);
}

static void begin_table(const family_job *job)
{
    if (job->words->count) {
        fputs("target,outcome,solutions,real,positive,regular,singular,infinite,failed\n", job->out);
        return;
    }
    fputs("target,outcome,kind,multiplicity,real,error", job->out);
    for (int64_t i = 0; i < job->solutions.rows; i++)
        for (int part = 0; part < 2; part++) {
            fputc(',', job->out);
            escape_csv(job->out, name_of(job, i));
            fputs(part == 0 ? ".re" : ".im", job->out);
        }
    fputc('\n', job->out);
}

static void write_rows(const family_job *job, const plumb_instance *instance, int64_t first)
{
    if (job->words->count) {
        fprintf(job->out, "%lld,%s,%lld,%lld,%lld,%lld,%lld,%lld,%lld\n", (long long)job->targets,
                plumb_instance_name(instance->code), (long long)instance->solutions, (long long)instance->real,
                (long long)instance->positive, (long long)instance->regular, (long long)instance->singular,
                (long long)instance->infinite, (long long)instance->failed);
        return;
    }
    for (int64_t k = first; k < first + shown_of(job, instance); k++) {
        const plumb_solution_record *record = &job->records[k];
        char text[CLI_NUMBER_ROOM];
        (void)app_limbs_text(PLUMB_D, &record->error, NULL, text);
        fprintf(job->out, "%lld,%s,%s,%lld,%d,%s", (long long)job->targets, plumb_instance_name(instance->code),
                plumb_solution_kind_name(record->kind), (long long)record->multiplicity, record->real ? 1 : 0, text);
        for (int64_t i = 0; i < job->solutions.rows; i++)
            for (int32_t part = 0; part < 2; part++) {
                double limbs[PLUMB_QD];
                limbs_of(job, k, i, part, limbs);
                (void)app_limbs_text(record->prec, limbs, NULL, text);
                fprintf(job->out, ",%s", text);
            }
        fputc('\n', job->out);
    }
}

/* ---- Batches ----------------------------------------------------------------------------------------------------- */

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    (void)data, (void)done, (void)failed, (void)total;
    return app_stopped();
}

static int solve_batch(family_job *job, int64_t count)
{
    const family_words *words = job->words;
    const int64_t m = plumb_family_parameters(job->family), paths = plumb_family_paths(job->family);
    plumb_family_options options;
    plumb_view targets, solutions = job->solutions;
    plumb_family_options_init(&options);
    options.prec = app_precision(words->prec);
    options.reruns = (int32_t)words->reruns;
    options.max_steps = words->max_steps;
    options.seed = words->seed;
    options.anew = words->anew;
    options.progress = on_progress;
    plumb_status status = plumb_view_init(&targets, job->limbs, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, m, 1, count, NULL);
    solutions.batch = count * paths;
    if (status == PLUMB_OK)
        status =
            plumb_family_solve(job->context, job->family, &targets, &options, &solutions, job->records, job->instances);
    if (status != PLUMB_OK)
        return app_context_fail(words->command, job->context, status);
    for (int64_t t = 0; t < count; t++) {
        const plumb_instance *instance = &job->instances[t];
        job->outcome[instance->code]++;
        if (instance->code == PLUMB_INSTANCE_STOPPED)
            continue;
        job->targets++;
        job->real += instance->real;
        job->positive += instance->positive;
        if (job->form == FORM_TEXT && (!words->real || shown_of(job, instance) > 0 || !words->count))
            write_text(job, instance, t * paths);
        else if (job->form == FORM_LINES)
            write_line(job, instance, t * paths);
        else if (job->form == FORM_TABLE)
            write_rows(job, instance, t * paths);
    }
    if (job->out != NULL && fflush(job->out) != 0)
        return app_fail(words->command, "the solutions could not be written");
    return APP_OK;
}

static int prepare(family_job *job)
{
    const family_words *words = job->words;
    static const app_format possible[] = {PLUMB_FORMAT_CSV, FORMAT_LINES, FORMAT_END};
    const int64_t paths = plumb_family_paths(job->family), m = plumb_family_parameters(job->family);
    const int32_t prec = words->prec == APP_AUTO ? PLUMB_QD : app_precision(words->prec);
    app_format format = PLUMB_FORMAT_CSV;
    int result = app_format_of(words->command, "--output", words->output, possible, &format);
    job->form = words->output != NULL ? (format == FORMAT_LINES ? FORM_LINES : FORM_TABLE)
                : words->json         ? FORM_LINES
                : words->quiet        ? FORM_NONE
                                      : FORM_TEXT;
    job->each = paths >= MOST_PATHS ? 1 : MOST_PATHS / paths < MOST_TARGETS ? MOST_PATHS / paths : MOST_TARGETS;
    job->limbs = malloc((size_t)(job->each * 2 * PLUMB_QD * m) * sizeof *job->limbs);
    job->records = malloc((size_t)(job->each * paths) * sizeof *job->records);
    job->instances = malloc((size_t)job->each * sizeof *job->instances);
    if (result == APP_OK && (job->limbs == NULL || job->records == NULL || job->instances == NULL))
        result = app_fail(words->command, "out of memory");
    if (result == APP_OK &&
        plumb_array_create(job->context, PLUMB_HOST, prec, PLUMB_COMPLEX, plumb_family_unknowns(job->family), 1,
                           job->each * paths, &job->solutions) != PLUMB_OK)
        result = app_context_fail(words->command, job->context, PLUMB_ERR_MEMORY);
    if (result == APP_OK && words->output != NULL)
        result = app_output_open(words->command, &job->output, words->output);
    job->out = words->output != NULL ? job->output.file : stdout;
    if (result == APP_OK && job->form == FORM_TABLE)
        begin_table(job);
    return result;
}

/* One line about all targets; and 1 if solutions of some of them may be missing. */
static int verdict(const family_job *job)
{
    const family_words *words = job->words;
    const int64_t *outcome = job->outcome, open = outcome[PLUMB_INSTANCE_INCOMPLETE],
                  special = outcome[PLUMB_INSTANCE_SPECIAL] + outcome[PLUMB_INSTANCE_ANEW];
    if (!words->quiet && !words->json && !app_is_stream(words->output))
        printf("%lld target%s, %lld paths each: %lld generic, %lld special, %lld incomplete; %lld real solutions, %lld "
               "positive\n",
               (long long)job->targets, job->targets == 1 ? "" : "s", (long long)plumb_family_paths(job->family),
               (long long)outcome[PLUMB_INSTANCE_GENERIC], (long long)special, (long long)open, (long long)job->real,
               (long long)job->positive);
    if (app_stopped())
        return app_fail(words->command, "stopped after %lld targets", (long long)job->targets);
    if (job->doubtful)
        return app_fail(
            words->command,
            "generic solutions may be missing, and as many solutions of every target; another --seed may help");
    if (open > 0)
        return app_fail(words->command, "solutions of %lld target%s may be missing", (long long)open,
                        open == 1 ? "" : "s");
    return APP_OK;
}

static int solve(family_job *job)
{
    int result = APP_OK, rows = APP_OK;
    int64_t count = 1;
    app_stop_on_signals();
    while (result == APP_OK && rows == APP_OK && count > 0 && !app_stopped()) {
        rows = family_rows_next(job->rows, job->each, job->limbs, &count);
        if (count > 0)
            result = solve_batch(job, count);
    }
    if (result == APP_OK)
        result = rows;
    if (result == APP_OK && job->output.path != NULL)
        result = app_output_commit(job->words->command, &job->output);
    return result == APP_OK ? verdict(job) : result;
}

int family_run(const family_words *words)
{
    family_job job = {.words = words};
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.threads = (int32_t)words->threads;
    options.backend = words->backend;
    int result = app_context_create(words->command, &options, &job.context);
    if (result == APP_OK)
        result = make_family(&job);
    if (result == APP_OK)
        result = family_rows_open(words->command, words->at, job.names, plumb_family_parameters(job.family), &job.rows);
    if (result == APP_OK)
        result = find_start(&job);
    if (result == APP_OK)
        result = prepare(&job);
    if (result == APP_OK)
        result = solve(&job);
    app_output_discard(&job.output);
    family_rows_close(job.rows);
    free(job.limbs);
    free(job.records);
    free(job.instances);
    free(job.names);
    plumb_array_destroy(job.context, &job.solutions);
    plumb_family_destroy(job.family);
    plumb_context_destroy(job.context);
    return result;
}
