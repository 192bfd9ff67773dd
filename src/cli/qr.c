/* qr.c - plumb qr: A = Q R by modified Gram-Schmidt, from a file to files. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "app/app.h"
#include "app/command/command.h"
#include "app/matrices.h"
#include "app/report.h"
#include "app/sample.h"
#include "backend/backend.h"
#include "base/memory/memory.h"
#include "cli/cli.h"

/* The command line. */
typedef struct qr_words {
    const char *file[1];
    const char *q, *r, *permutation;
    int32_t prec, backend;
    int64_t threads;
    bool pivot, reorth, orthogonality, json, quiet;
} qr_words;

typedef struct qr_run {
    const qr_words *words;
    int32_t prec;
    plumb_lsq_options options;
    app_format q_format, r_format, order_format;

    int64_t m, n;
    plumb_view q, r, order_view; /* order_view: a column of doubles, counted from 1 */
    int64_t *order;
    plumb_lsq_report report;
    double seconds;
} qr_run;

static const app_option options[] = {
    {'p', "precision", APP_WORD, offsetof(qr_words, prec), "PREC", "about 16, 32 or 64 digits", NULL, 0, 0,
     app_precisions},
    {0, "q", APP_OUTPUT, offsetof(qr_words, q), "FILE",
     "write Q to FILE (.mtx, .npy, .csv or .json); - is standard output, with nothing else on it", "not written", 0, 0,
     NULL},
    {0, "r", APP_OUTPUT, offsetof(qr_words, r), "FILE", "write R to FILE, likewise", "not written", 0, 0, NULL},
    {0, "pivot", APP_FLAG, offsetof(qr_words, pivot), NULL,
     "exchange columns so that A P = Q R, and decide the rank. Without it a dependent column is an error", NULL, 0, 0,
     NULL},
    {0, "permutation", APP_OUTPUT, offsetof(qr_words, permutation), "FILE",
     "with --pivot: write which column of A stands at each place, counted from 1", "shown", 0, 0, NULL},
    {0, "reorth", APP_FLAG, offsetof(qr_words, reorth), NULL, "orthogonalise twice", NULL, 0, 0, NULL},
    {0, "orthogonality", APP_FLAG, offsetof(qr_words, orthogonality), NULL,
     "report the largest entry of Q^H Q - I, which doubles the work", NULL, 0, 0, NULL},
    APP_BACKEND(qr_words, backend),
    APP_THREADS(qr_words, threads),
    APP_JSON(qr_words, json),
    APP_QUIET(qr_words, quiet, "show no summary"),
    APP_OPTIONS_END,
};

static const qr_words defaults = {.prec = APP_DD};

static int outputs_on_stdout(const qr_words *words)
{
    return app_is_stream(words->q) + app_is_stream(words->r) + app_is_stream(words->permutation);
}

static int choose(qr_run *run)
{
    const qr_words *words = run->words;
    int result;
    if (words->permutation != NULL && !words->pivot)
        return app_misuse("qr", "--permutation goes with --pivot");
    if (outputs_on_stdout(words) + (words->json ? 1 : 0) > 1)
        return app_misuse("qr", "only one of --q, --r, --permutation and --json can have standard output");
    if (words->json && words->quiet)
        return app_misuse("qr", "--json and --quiet exclude each other");
    if ((result = app_format_of("qr", "--q", words->q, app_matrix_formats, &run->q_format)) != APP_OK ||
        (result = app_format_of("qr", "--r", words->r, app_matrix_formats, &run->r_format)) != APP_OK ||
        (result = app_format_of("qr", "--permutation", words->permutation, app_matrix_formats, &run->order_format)) !=
            APP_OK)
        return result;
    run->prec = app_precision(words->prec);
    plumb_lsq_options_init(&run->options);
    run->options.pivot = words->pivot;
    run->options.reorthogonalize = words->reorth;
    run->options.orthogonality = words->orthogonality;
    return APP_OK;
}

/* Q, R, and the work of the factorisation. */
static int64_t memory_for(const plumb_view *shape, const void *data)
{
    const qr_run *run = data;
    const int64_t size = (int64_t)sizeof(double) * shape->prec * shape->parts;
    const lsq_call call = {.a = shape, .options = &run->options};
    const int64_t q = plumb_memory_add(0, plumb_memory_add(0, shape->rows, shape->cols), size);
    return plumb_memory_add(
        q, 1, plumb_memory_add(plumb_cpu_lsq_bytes(&call), plumb_memory_add(0, shape->cols, shape->cols), size));
}

static int decompose(qr_run *run, plumb_context *context, const plumb_view *a)
{
    const char *name = app_input_name(run->words->file[0]);
    int result;
    if (a->rows < a->cols)
        return app_misuse(NULL, "%s: found %lld x %lld, expected at least as many rows as columns", name,
                          (long long)a->rows, (long long)a->cols);
    run->m = a->rows;
    run->n = a->cols;
    if ((result = app_array_create("qr", context, a->prec, a->parts, a->rows, a->cols, &run->q)) != APP_OK ||
        (result = app_array_create("qr", context, a->prec, a->parts, a->cols, a->cols, &run->r)) != APP_OK ||
        (result = app_array_create("qr", context, PLUMB_D, PLUMB_REAL, a->cols, 1, &run->order_view)) != APP_OK)
        return result;
    run->order = calloc((size_t)a->cols, sizeof *run->order); /* smaller than the arrays above */
    if (run->order == NULL)
        return app_fail("qr", "out of memory");
    plumb_info info = 0;
    double start = bench_now_ns();
    plumb_status status = plumb_qr(context, a, &run->q, &run->r, run->order, &info, &run->options, &run->report);
    run->seconds = (bench_now_ns() - start) * 1e-9;
    if (info > 0)
        return app_fail(NULL,
                        "%s: column %lld depends numerically on those before it (in %s); a higher precision "
                        "or --pivot may help",
                        name, (long long)info, plumb_prec_name(run->prec));
    if (status == PLUMB_OK && info < 0)
        status = (plumb_status)-info;
    if (status != PLUMB_OK)
        return app_context_fail("qr", context, status);
    for (int64_t k = 0; k < run->n; k++)
        run->order_view.data[k] = (double)(run->order[k] + 1);
    return APP_OK;
}

static void print_summary(const qr_run *run)
{
    const plumb_lsq_report *r = &run->report;
    printf("condition       %.2g\n", r->condition);
    if (run->options.orthogonality)
        printf("orthogonality   %.2g, the largest entry of Q^H Q - I\n", r->orthogonality);
    if (run->options.pivot) {
        printf("rank            %lld of %lld\n", (long long)r->rank, (long long)run->n);
        if (run->words->permutation == NULL) {
            printf("columns        ");
            for (int64_t k = 0; k < run->n; k++)
                printf(" %lld", (long long)run->order[k] + 1);
            printf("\n");
        }
    }
    printf("decomposed      %lld x %lld in %s, %s, %.3g s\n", (long long)run->m, (long long)run->n,
           plumb_prec_name(run->prec), r->backend == PLUMB_BACKEND_GPU ? "GPU" : "CPU", run->seconds);
    if (r->note[0] != 0)
        printf("note            %s\n", r->note);
}

static void print_json(const qr_run *run)
{
    const plumb_lsq_report *r = &run->report;
    json_writer w = app_report_begin(stdout, "qr");
    json_string(&w, "precision", plumb_prec_name(run->prec));
    json_string(&w, "method", "mgs");
    json_int(&w, "m", run->m);
    json_int(&w, "n", run->n);
    json_int(&w, "rank", r->rank);
    json_double(&w, "condition", r->condition);
    json_double(&w, "orthogonality", r->orthogonality); /* null unless asked for */
    if (run->options.pivot) {
        json_open_array(&w, "permutation");
        for (int64_t k = 0; k < run->n; k++)
            json_int(&w, NULL, run->order[k] + 1);
        json_close_array(&w);
    }
    app_report_backend(&w, r->backend);
    json_double(&w, "seconds", run->seconds);
    json_string(&w, "note", r->note[0] != 0 ? r->note : NULL);
    app_report_end(&w);
}

/* All files are complete before the first takes its name. */
static int report(const qr_run *run)
{
    const qr_words *words = run->words;
    app_output q = {.path = NULL}, r = {.path = NULL}, order = {.path = NULL};
    int result;
    if ((result = app_output_matrix("qr", &q, words->q, run->q_format, &run->q)) == APP_OK &&
        (result = app_output_matrix("qr", &r, words->r, run->r_format, &run->r)) == APP_OK &&
        (result = app_output_matrix("qr", &order, words->permutation, run->order_format, &run->order_view)) == APP_OK)
        result = app_outputs_commit("qr", (app_output *const[]){&q, &r, &order}, 3);
    app_output_discard(&q);
    app_output_discard(&r);
    app_output_discard(&order);
    if (result == APP_OK && words->json)
        print_json(run);
    else if (result == APP_OK && !words->quiet && outputs_on_stdout(words) == 0)
        print_summary(run);
    return result;
}

static int qr(const void *values)
{
    const qr_words *words = values;
    qr_run run = {.words = words};
    plumb_context_options settings;
    int result = choose(&run);
    if (result != APP_OK)
        return result;
    plumb_context_options_init(&settings);
    settings.threads = (int32_t)words->threads;
    settings.backend = words->backend;
    plumb_context *context = NULL;
    text_matrix a = {.memory = NULL};
    if ((result = app_context_create("qr", &settings, &context)) == APP_OK &&
        (result = app_matrix_load("qr", words->file[0], run.prec, memory_for, &run, &a)) == APP_OK &&
        (result = decompose(&run, context, &a.view)) == APP_OK)
        result = report(&run);
    free(run.order);
    plumb_array_destroy(context, &run.q);
    plumb_array_destroy(context, &run.r);
    plumb_array_destroy(context, &run.order_view);
    plumb_matrix_destroy(&a);
    plumb_context_destroy(context);
    return result;
}

static const char *const file_names[] = {"A", NULL};

const app_command plumb_cli_qr = {
    .name = "qr",
    .summary = "decompose A = Q R",
    .arguments = "A [OPTIONS]",
    .about = "Decomposes A (m x n, m >= n) into Q R by modified Gram-Schmidt. Q is m x n with orthonormal columns, R "
             "is upper "
             "triangular with a real positive diagonal. A is Matrix Market, npy or a table of numbers, recognised by "
             "content; "
             "- is standard input. Shows a summary.",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .least_files = 1,
    .most_files = 1,
    .file_names = file_names,
    .files = offsetof(qr_words, file),
    .summary_shown = true,
    .run = qr,
    .after =
        "Exit status: 0 success; 1 a numerical failure (a dependent column) or an output that cannot be written; 2 bad "
        "input or misuse. Nothing is written unless it is 0.",
};
