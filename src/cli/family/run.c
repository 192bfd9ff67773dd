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
#include "cli/family/page.h"
#include "text/escape.h"
#include "text/solutions/certificate.h"

/* Targets that are solved together; fewer if each has many paths. */
enum { MOST_TARGETS = 1024, MOST_PATHS = 1 << 15 };

typedef enum family_form { FORM_NONE, FORM_TEXT, FORM_LINES, FORM_TABLE, FORM_ARRAY } family_form;

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
    family_page page;
    int64_t targets; /* so far */
    int64_t outcome[PLUMB_INSTANCE_STOPPED + 1], real, positive;
    family_proof proof; /* of the target that is written */
    int64_t certified, missed;
} family_job;

/* ---- The family -------------------------------------------------------------------------------------------------- */

static int make_family(family_job *job)
{
    const family_words *words = job->words;
    const int result = family_make(words->command, words->file, words->equations, words->parameters, &job->family);
    if (result != APP_OK)
        return result;
    const int64_t n = plumb_family_unknowns(job->family), m = plumb_family_parameters(job->family);
    job->names = calloc((size_t)m + 1, sizeof *job->names);
    if (job->names == NULL)
        return app_fail(words->command, "out of memory");
    for (int64_t k = 0; k < m; k++)
        job->names[k] = plumb_system_name(plumb_family_system(job->family), n + k);
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
    const plumb_status status = plumb_family_generic(job->context, job->family, &options, &report);
    if (status == PLUMB_ERR_ARGUMENT)
        return app_misuse(words->command, "%s: %s", app_input_name(words->file), plumb_context_message(job->context));
    if (status != PLUMB_OK)
        return app_context_fail(words->command, job->context, status);
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
        return family_load(words->command, words->store, job->family);
    }
    const int result = find_generic(job);
    return result == APP_OK && words->store != NULL && !job->doubtful
               ? family_save(words->command, words->store, job->family)
               : result;
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
    if (job->words->certify)
        fprintf(job->out, "; %lld certified, %lld of them real", (long long)job->proof.counts.distinct,
                (long long)job->proof.counts.real);
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
    if (job->words->certify) {
        json_int(&w, "certified_distinct", job->proof.counts.distinct);
        json_int(&w, "certified_real", job->proof.counts.real);
        json_int(&w, "certified_positive", job->proof.counts.positive);
    }
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
        if (job->words->certify)
            plumb_certificate_json(&w, "certificate", job->proof.certificates, k - first);
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

enum { ARRAY_HEADER = 128 }; /* bytes; the number of targets is known at the end */

/* The header of an npy file of complex doubles: targets x paths x unknowns. */
static void write_header(const family_job *job)
{
    const uint16_t one = 1;
    char text[ARRAY_HEADER + 1];
    const int count =
        snprintf(text, sizeof text, "{'descr': '%cc16', 'fortran_order': False, 'shape': (%lld, %lld, %lld), }",
                 *(const unsigned char *)&one == 1 ? '<' : '>', (long long)job->targets,
                 (long long)plumb_family_paths(job->family), (long long)job->solutions.rows);
    fwrite("\x93NUMPY\1\0\x76\0", 1, 10, job->out); /* 118 bytes follow */
    fprintf(job->out, "%s%*s\n", text, ARRAY_HEADER - 11 - count, "");
}

/* One entry per path; those without a solution are not a number. */
static void write_array(const family_job *job, const plumb_instance *instance, int64_t first)
{
    for (int64_t k = 0; k < plumb_family_paths(job->family); k++)
        for (int64_t i = 0; i < job->solutions.rows; i++)
            for (int32_t part = 0; part < 2; part++) {
                double limbs[PLUMB_QD] = {(double)NAN};
                if (k < shown_of(job, instance))
                    limbs_of(job, first + k, i, part, limbs);
                fwrite(limbs, sizeof *limbs, 1, job->out);
            }
}

/* ---- Batches ----------------------------------------------------------------------------------------------------- */

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    (void)data, (void)done, (void)failed, (void)total;
    return app_stopped();
}

/* Certifies the solutions of target t of a batch. */
static int certify(family_job *job, const plumb_view *targets, int64_t t)
{
    const int64_t paths = plumb_family_paths(job->family);
    plumb_view target = *targets, solutions = job->solutions;
    target.data += t * target.next;
    target.batch = 1;
    solutions.data += t * paths * solutions.next;
    solutions.batch = job->instances[t].solutions;
    const int result = family_certify(job->words->command, job->context, job->family, &target, &solutions,
                                      job->records + t * paths, job->words->seed, &job->proof);
    job->certified += job->proof.counts.distinct;
    job->missed += job->proof.missed;
    return result;
}

static int solve_batch(family_job *job, int64_t count)
{
    int result = APP_OK;
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
    for (int64_t t = 0; t < count && result == APP_OK; t++) {
        const plumb_instance *instance = &job->instances[t];
        job->outcome[instance->code]++;
        if (instance->code == PLUMB_INSTANCE_STOPPED)
            continue;
        job->targets++;
        if (words->certify && result == APP_OK)
            result = certify(job, &targets, t);
        job->real += instance->real;
        job->positive += instance->positive;
        if (job->form == FORM_TEXT && (!words->real || shown_of(job, instance) > 0 || !words->count))
            write_text(job, instance, t * paths);
        else if (job->form == FORM_LINES)
            write_line(job, instance, t * paths);
        else if (job->form == FORM_TABLE)
            write_rows(job, instance, t * paths);
        else if (job->form == FORM_ARRAY)
            write_array(job, instance, t * paths);
        if (words->html != NULL)
            family_page_target(&job->page, instance, job->limbs + t * 2 * PLUMB_QD * m, &solutions, job->records,
                               t * paths, words->count ? 0 : shown_of(job, instance));
        plumb_certificates_destroy(job->proof.certificates);
        job->proof = (family_proof){.certificates = NULL};
    }
    if (result != APP_OK)
        return result;
    if (job->out != NULL && fflush(job->out) != 0)
        return app_fail(words->command, "the solutions could not be written");
    return APP_OK;
}

static int prepare(family_job *job)
{
    const family_words *words = job->words;
    static const app_format possible[] = {PLUMB_FORMAT_CSV, FORMAT_LINES, PLUMB_FORMAT_NPY, FORMAT_END};
    const int64_t paths = plumb_family_paths(job->family), m = plumb_family_parameters(job->family);
    const int32_t prec = words->prec == APP_AUTO ? PLUMB_QD : app_precision(words->prec);
    app_format format = PLUMB_FORMAT_CSV;
    int result = app_format_of(words->command, "--output", words->output, possible, &format);
    if (result == APP_OK && words->output != NULL && format == PLUMB_FORMAT_NPY && words->count)
        result = app_misuse(words->command, "--count needs a file that ends in .csv or .jsonl: an array has solutions");
    job->form = words->output == NULL        ? (words->json    ? FORM_LINES
                                                : words->quiet ? FORM_NONE
                                                               : FORM_TEXT)
                : format == FORMAT_LINES     ? FORM_LINES
                : format == PLUMB_FORMAT_NPY ? FORM_ARRAY
                                             : FORM_TABLE;
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
    if (result == APP_OK && words->html != NULL)
        result = family_page_begin(&job->page, words, job->family);
    job->out = words->output != NULL ? job->output.file : stdout;
    if (result == APP_OK && job->form == FORM_TABLE)
        begin_table(job);
    if (result == APP_OK && job->form == FORM_ARRAY)
        write_header(job); /* in its place, and again at the end */
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
    const int64_t omitted = plumb_family_omitted(job->family);
    if (omitted > 0)
        return app_fail(words->command,
                        "%lld of the %lld generic solutions are not regular, and are left out of all targets%s",
                        (long long)omitted, (long long)omitted + (long long)plumb_family_paths(job->family),
                        open > 0 ? "; other solutions of some targets may be missing, too" : "");
    if (job->missed > 0)
        return app_fail(words->command, "%lld regular solution%s could not be certified", (long long)job->missed,
                        job->missed == 1 ? "" : "s");
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
    if (result == APP_OK && job->form == FORM_ARRAY) {
        if (fseek(job->out, 0, SEEK_SET) != 0)
            result = app_fail(job->words->command, "an array needs a file");
        else
            write_header(job);
    }
    if (result == APP_OK && job->output.path != NULL)
        result = app_output_commit(job->words->command, &job->output);
    if (result == APP_OK && job->words->html != NULL)
        result = family_page_save(&job->page, job->doubtful, app_stopped());
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
    if (result == APP_OK && words->certify)
        result = family_certify_check(words->command);
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
    app_page_discard(&job.page.data);
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
