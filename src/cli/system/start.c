/* start.c - plumb system start: a start system of total degree and its solutions, which go to a file block by block. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/options.h"
#include "cli/system/system.h"
#include "model/homotopy/start_form.h"
#include "solver/homotopy/start_system.h"
#include "text/json/json.h"
#include "text/solutions/text.h"

static const char command[] = "system start";

enum {
    MOST_UNASKED = 1000000, /* solutions that are written without --limit */
    BLOCK = 256             /* of them in memory at a time */
};

static int help(void)
{
    printf(
        "usage: plumb system start SYSTEM [OPTIONS]\n"
        "\n"
        "Reads a polynomial system with as many equations as unknowns ('-': standard input) and makes a start system "
        "of\n"
        "total degree for it: x_i^d_i - c_i with the degree d_i of equation i and c_i random on the complex unit "
        "circle,\n"
        "doubles written exactly. Where coefficients of the system call for it (see plumb track), both terms are "
        "multiplied\n"
        "by powers of two, so that unknowns are as large as in the system. Its solutions are known, as many as the "
        "product\n"
        "of the degrees says; each is written in full digits, in a fixed order: roots of the last unknown change "
        "first.\n"
        "\n"
        "options:\n"
        "  --seed S          of the c_i, a whole number below 2^64 (default: 1)\n"
        "  --no-scale        x_i^d_i - c_i for every system (default: at its scale)\n"
        "  -o FILE           where the start system goes (default: -, standard output; with --json nowhere)\n"
        "  --form FORM       phc or plain (default: phc)\n"
        "  --solutions FILE  where its solutions go, in PHCpack's form; after the system if both go to standard "
        "output\n"
        "                    (default: nowhere)\n"
        "  -p PREC           d, dd or qd, of the solutions (default: qd)\n"
        "  --limit N         write the first N solutions at most (default: all, refused when there are more than %d)\n"
        "  --count-only      tell the number of solutions and write nothing else (default: no)\n"
        "  --json            a summary as JSON on standard output (default: none)\n"
        "  --help            this text\n",
        MOST_UNASKED);
    return CLI_OK;
}

typedef struct start_job {
    const char *path, *output, *solutions; /* NULL: not asked for */
    uint64_t seed;
    int64_t limit; /* 0: none given */
    int32_t prec, form;
    bool no_scale, count_only, json;
    plumb_system *target, *start;
    char *count;     /* of all solutions, in decimal */
    int64_t written; /* of them */
} start_job;

/* ---- Solutions --------------------------------------------------------------------------------------------------- */

/* Solutions first, first + 1, ... into the block, through an array of planes of the same size. */
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
    plumb_solutions_phc_begin(out, job->written, n);
    for (int64_t first = 0; first < job->written && status == PLUMB_OK; first += BLOCK) {
        block->count = job->written - first < BLOCK ? job->written - first : BLOCK;
        status = fill_block(job, first, &planes, block);
        for (int64_t k = 0; k < block->count && status == PLUMB_OK; k++)
            status = plumb_solutions_phc_one(out, block, k, first + k + 1, NULL);
        if (status == PLUMB_OK && ferror(out))
            status = PLUMB_ERR_IO;
    }
    if (status == PLUMB_OK)
        status = plumb_solutions_phc_end(out);
    plumb_solutions_destroy(block);
    free(planes.data);
    return status;
}

/* ---- Counting ---------------------------------------------------------------------------------------------------- */

/* The number of solutions as a text, and how many of them are written. */
static int count_solutions(start_job *job)
{
    mpz_t count;
    mpz_init(count);
    plumb_system_bezout(job->start, count);
    job->count = mpz_get_str(NULL, 10, count);
    const int64_t most = job->limit > 0 ? job->limit : MOST_UNASKED;
    bool all = mpz_cmp_si(count, (long)most) <= 0;
    if (job->solutions != NULL)
        job->written = all ? mpz_get_si(count) : most;
    mpz_clear(count);
    if (job->solutions != NULL && !all && job->limit == 0)
        return cli_misuse(command, "found %s solutions, expected at most %d; --limit N writes the first N", job->count,
                          MOST_UNASKED);
    return CLI_OK;
}

static void show_summary(const start_job *job)
{
    json_writer w = json_begin(stdout);
    json_open_object(&w, NULL);
    json_int(&w, "unknowns", job->start->unknowns);
    json_open_array(&w, "degrees");
    for (int64_t i = 0; i < job->start->equations; i++)
        json_int(&w, NULL, plumb_system_degree(job->start, i));
    json_close_array(&w);
    json_string(&w, "count", job->count);
    json_string(&w, "system", job->output);
    json_string(&w, "solutions", job->solutions);
    json_int(&w, "written", job->written);
    json_string(&w, "precision", job->solutions != NULL ? plumb_prec_name(job->prec) : NULL);
    json_close_object(&w);
    json_end(&w);
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

/* Both files, or neither. */
static int write_files(const start_job *job)
{
    cli_output system = {.path = NULL}, solutions = {.path = NULL};
    int result = CLI_OK;
    if (job->output != NULL)
        result = cli_system_write(command, job->start, job->form, job->output, &system);
    if (result == CLI_OK)
        result = cli_output_open(command, &solutions, job->solutions);
    if (result == CLI_OK && job->solutions != NULL) {
        plumb_status status = write_solutions(job, solutions.file);
        if (status != PLUMB_OK)
            result = cli_fail(command, "%s could not be written: %s", job->solutions, plumb_status_text(status));
    }
    if (result == CLI_OK)
        result = cli_output_commit(command, &solutions);
    if (result == CLI_OK)
        result = cli_output_commit(command, &system);
    cli_output_discard(&solutions);
    cli_output_discard(&system);
    return result;
}

static int run(start_job *job)
{
    char message[200] = "";
    int result = cli_system_load(command, job->path, &job->target);
    if (result != CLI_OK)
        return result;
    plumb_status status = plumb_start_check(job->target, message, sizeof message);
    if (status != PLUMB_OK)
        return cli_misuse(command, "%s: %s", cli_input_name(job->path), message);
    status = plumb_start_make(job->target, job->seed, !job->no_scale, &job->start);
    if (status != PLUMB_OK)
        return cli_fail(command, "%s", plumb_status_text(status));
    result = count_solutions(job);
    if (result == CLI_OK)
        result = write_files(job);
    if (result == CLI_OK && job->json)
        show_summary(job);
    else if (result == CLI_OK && job->count_only)
        printf("%s\n", job->count);
    return result;
}

/* Files that cannot be what was meant; and where the system goes when nothing is said. */
static int settle_files(start_job *job)
{
    if (job->count_only && (job->output != NULL || job->solutions != NULL))
        return cli_misuse(command, "found --count-only with %s, expected one of them",
                          job->output != NULL ? "-o" : "--solutions");
    if (job->output == NULL && !job->json && !job->count_only)
        job->output = "-";
    const char *streams[] = {job->output, job->solutions};
    for (int i = 0; i < 2; i++)
        if (job->json && streams[i] != NULL && cli_is_stream(streams[i]))
            return cli_misuse(command, "found --json with %s -, expected a file: there is one standard output",
                              i == 0 ? "-o" : "--solutions");
    if (job->output != NULL && job->solutions != NULL && !cli_is_stream(job->output) &&
        strcmp(job->output, job->solutions) == 0)
        return cli_misuse(command, "found %s for the system and its solutions, expected two files", job->output);
    return CLI_OK;
}

int plumb_cli_system_start(int argc, char **argv)
{
    start_job job = {.seed = 1, .prec = PLUMB_QD};
    const char *prec = "qd", *form = "phc";
    const cli_option table[] = {{"--seed", CLI_SEED, &job.seed, 0, 0},
                                {"--no-scale", CLI_FLAG, &job.no_scale, 0, 0},
                                {"-o", CLI_TEXT, &job.output, 0, 0},
                                {"--form", CLI_TEXT, &form, 0, 0},
                                {"--solutions", CLI_TEXT, &job.solutions, 0, 0},
                                {"-p", CLI_TEXT, &prec, 0, 0},
                                {"--limit", CLI_COUNT, &job.limit, 1, 1e15},
                                {"--count-only", CLI_FLAG, &job.count_only, 0, 0},
                                {"--json", CLI_FLAG, &job.json, 0, 0},
                                {NULL, CLI_FLAG, NULL, 0, 0}};
    const cli_options options = {command, table, &job.path, 1};
    int files;
    if (cli_wants_help(argc, argv))
        return help();
    int result = cli_options_parse(&options, argc, argv, &files);
    if (result == CLI_OK)
        result = cli_option_prec(command, prec, &job.prec);
    if (result == CLI_OK)
        result = cli_system_form(command, form, &job.form);
    if (result == CLI_OK && files == 0)
        result = cli_misuse(command, "no system given");
    if (result == CLI_OK)
        result = settle_files(&job);
    if (result == CLI_OK)
        result = run(&job);
    plumb_system_destroy(job.target);
    plumb_system_destroy(job.start);
    free(job.count);
    return result;
}
