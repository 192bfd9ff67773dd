/* start.c - plumb system start: makes a start system of total degree and writes its solutions, block by block. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/app.h"
#include "app/report.h"
#include "cli/system/system.h"
#include "model/homotopy/start_form.h"
#include "solver/homotopy/start_system.h"

static const char command[] = "system start";

enum {
    MOST_UNASKED = 1000000, /* solutions that are written without --limit; the help says so too */
    BLOCK = 256             /* of them in memory at a time */
};

/* The command line. */
typedef struct start_words {
    const char *file[1];
    app_texts equations;
    const char *output, *solutions; /* NULL: not asked for */
    uint64_t seed;
    int64_t limit; /* 0: none given */
    int32_t prec, form;
    bool no_scale, count_only, json;
} start_words;

typedef struct start_job {
    const start_words *words;
    const char *output; /* NULL: nowhere */
    app_format output_format, solutions_format;
    int32_t prec;
    plumb_system *target, *start;
    char *count;     /* of all solutions, in decimal */
    int64_t written; /* of them */
} start_job;

static const app_option options[] = {
    APP_EQUATIONS(start_words, equations),
    APP_SEED_OPTION(start_words, seed, "of the constants c_i"),
    {0, "no-scale", APP_FLAG, offsetof(start_words, no_scale), NULL,
     "use x_i^d_i - c_i for every system, whatever the size of its coefficients", NULL, 0, 0, NULL},
    APP_OUTPUT_OPTION(start_words, output, "write the start system to FILE (.phc, .sol or .txt); - is standard output",
                      "-, or nowhere with --json"),
    SYSTEM_FORM(start_words, form),
    {0, "solutions", APP_OUTPUT, offsetof(start_words, solutions), "FILE",
     "write its solutions to FILE (.phc, .sol, .json or .csv); on standard output they come after the system",
     "not written", 0, 0, NULL},
    {'p', "precision", APP_WORD, offsetof(start_words, prec), "PREC", "precision of the solutions", NULL, 0, 0,
     app_precisions},
    {0, "limit", APP_COUNT, offsetof(start_words, limit), "N", "write at most the first N solutions",
     "all, at most 1000000", 1, 1e15, NULL},
    {0, "count-only", APP_FLAG, offsetof(start_words, count_only), NULL,
     "show the number of solutions and write nothing else", NULL, 0, 0, NULL},
    {0, "json", APP_FLAG, offsetof(start_words, json), NULL, "write a summary as one JSON object to standard output",
     NULL, 0, 0, NULL},
    APP_OPTIONS_END,
};

static const start_words defaults = {.seed = 1, .prec = APP_QD, .form = -1};

/* ---- Solutions --------------------------------------------------------------------------------------------------- */

/* Puts solutions first, first + 1, ... into the block, by way of an array of planes of the same size. */
static plumb_status fill_block(const start_job *job, int64_t first, plumb_view *planes, plumb_solutions *block)
{
    planes->batch = block->count;
    plumb_status status = plumb_system_start_solutions(job->start, first, planes);
    return status == PLUMB_OK ? plumb_unpack(planes, block->x) : status;
}

static plumb_status write_solutions(const start_job *job, FILE *out)
{
    plumb_view planes = {.data = NULL};
    plumb_solutions *block = NULL;
    int64_t doubles, n = job->start->unknowns;
    plumb_status status = plumb_view_init(&planes, NULL, PLUMB_HOST, job->prec, PLUMB_COMPLEX, n, 1, BLOCK, &doubles);
    if (status == PLUMB_OK)
        status = plumb_solutions_create(BLOCK, n, job->prec, (const char *const *)job->start->names, &block);
    if (status == PLUMB_OK) {
        planes.data = malloc((size_t)doubles * sizeof *planes.data);
        status = planes.data != NULL ? PLUMB_OK : PLUMB_ERR_MEMORY;
    }
    app_solution_writer writer = {.out = out, .format = job->solutions_format, .system = job->start};
    app_solutions_begin(&writer, job->written);
    for (int64_t first = 0; first < job->written && status == PLUMB_OK; first += BLOCK) {
        block->count = job->written - first < BLOCK ? job->written - first : BLOCK;
        status = fill_block(job, first, &planes, block);
        for (int64_t k = 0; k < block->count && status == PLUMB_OK; k++)
            status = app_solutions_one(&writer, block, k, NULL);
        if (status == PLUMB_OK && ferror(out))
            status = PLUMB_ERR_IO;
    }
    plumb_status end = app_solutions_end(&writer);
    plumb_solutions_destroy(block);
    free(planes.data);
    return status != PLUMB_OK ? status : end;
}

/* ---- Counting ---------------------------------------------------------------------------------------------------- */

/* Finds the number of solutions, as a text, and how many of them are to be written. */
static int count_solutions(start_job *job)
{
    mpz_t count;
    mpz_init(count);
    plumb_system_bezout(job->start, count);
    job->count = mpz_get_str(NULL, 10, count);
    const int64_t most = job->words->limit > 0 ? job->words->limit : MOST_UNASKED;
    bool all = mpz_cmp_si(count, (long)most) <= 0;
    if (job->words->solutions != NULL)
        job->written = all ? mpz_get_si(count) : most;
    mpz_clear(count);
    if (job->words->solutions != NULL && !all && job->words->limit == 0)
        return app_misuse(command,
                          "found %s solutions, expected at most %d without --limit N, which writes the first N",
                          job->count, MOST_UNASKED);
    return APP_OK;
}

static void show_summary(const start_job *job)
{
    json_writer w = app_report_begin(stdout, command);
    app_report_unknowns(&w, job->start);
    json_open_array(&w, "degrees");
    for (int64_t i = 0; i < job->start->equations; i++)
        json_int(&w, NULL, plumb_system_degree(job->start, i));
    json_close_array(&w);
    json_string(&w, "bezout", job->count);
    json_uint(&w, "seed", job->words->seed);
    json_string(&w, "system_file", job->output);
    json_string(&w, "solutions_file", job->words->solutions);
    json_int(&w, "written", job->written);
    json_string(&w, "precision", job->words->solutions != NULL ? plumb_prec_name(job->prec) : NULL);
    app_report_end(&w);
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

/* Writes both files or neither. */
static int write_files(const start_job *job)
{
    app_output system = {.path = NULL}, solutions = {.path = NULL};
    int result = APP_OK;
    if (job->output != NULL)
        result = app_system_write(command, job->start, job->output_format, job->output, &system);
    if (result == APP_OK)
        result = app_output_open(command, &solutions, job->words->solutions);
    if (result == APP_OK && job->words->solutions != NULL) {
        plumb_status status = write_solutions(job, solutions.file);
        if (status != PLUMB_OK)
            result = app_fail(command, "%s could not be written: %s", job->words->solutions, plumb_status_text(status));
    }
    if (result == APP_OK)
        result = app_outputs_commit(command, (app_output *const[]){&solutions, &system}, 2);
    app_output_discard(&solutions);
    app_output_discard(&system);
    return result;
}

static int run(start_job *job)
{
    char message[200] = "";
    int result = app_polynomials_get(command, job->words->file[0], &job->words->equations, &job->target);
    if (result != APP_OK)
        return result;
    plumb_status status = plumb_start_check(job->target, message, sizeof message);
    if (status != PLUMB_OK)
        return app_misuse(command, "%s: %s", app_input_name(job->words->file[0]), message);
    status = plumb_start_make(job->target, job->words->seed, !job->words->no_scale, &job->start);
    if (status != PLUMB_OK)
        return app_fail(command, "%s", plumb_status_text(status));
    result = count_solutions(job);
    if (result == APP_OK)
        result = write_files(job);
    if (result == APP_OK && job->words->json)
        show_summary(job);
    else if (result == APP_OK && job->words->count_only)
        printf("%s\n", job->count);
    return result;
}

/* Where the files go, and whether that makes sense. */
static int choose(start_job *job)
{
    const start_words *words = job->words;
    job->prec = app_precision(words->prec);
    job->output = words->output;
    if (words->count_only && (words->output != NULL || words->solutions != NULL))
        return app_misuse(command, "found --count-only with %s, expected one of them",
                          words->output != NULL ? "--output" : "--solutions");
    if (job->output == NULL && !words->json && !words->count_only)
        job->output = "-";
    const char *streams[] = {job->output, words->solutions};
    for (int i = 0; i < 2; i++)
        if (words->json && app_is_stream(streams[i]))
            return app_misuse(command, "found --json with %s -, expected a file: there is one standard output",
                              i == 0 ? "--output" : "--solutions");
    int result = system_format(command, words->form, job->output, &job->output_format);
    return result == APP_OK
               ? app_format_of(command, "--solutions", words->solutions, app_solution_formats, &job->solutions_format)
               : result;
}

static int start(const void *values)
{
    start_job job = {.words = values};
    int result = choose(&job);
    if (result == APP_OK)
        result = run(&job);
    plumb_system_destroy(job.target);
    plumb_system_destroy(job.start);
    free(job.count);
    return result;
}

static const char *const file_names[] = {"SYSTEM", NULL};

const app_command plumb_cli_system_start = {
    .name = "system start",
    .summary = "make a start system of total degree, and its solutions",
    .arguments = "SYSTEM [OPTIONS]\n"
                 "-e EQ [-e EQ]... [OPTIONS]",
    .about =
        "Reads a polynomial system with as many equations as unknowns (- is standard input) and makes a start system "
        "of total "
        "degree for it: x_i^d_i - c_i with the degree d_i of equation i and c_i random on the complex unit circle, "
        "doubles "
        "written exactly. Where the coefficients of the system differ much in size (see plumb track), both terms are "
        "multiplied by powers of two, so that the unknowns are as large as in the system. The number of solutions is "
        "the "
        "product of the degrees. They are written in full digits and in a fixed order: roots of the last unknown "
        "change "
        "first.",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .least_files = 1,
    .most_files = 1,
    .file_names = file_names,
    .files = offsetof(start_words, file),
    .run = start,
};
