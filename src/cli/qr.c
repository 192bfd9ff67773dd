/* qr.c - plumb qr: A = Q R by modified Gram-Schmidt, from a file to files. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "app/app.h"
#include "app/matrix_io.h"
#include "app/options.h"
#include "app/sample.h"
#include "cli/cli.h"
#include "text/json/json.h"

typedef struct qr_run {
    const char *path, *q_path, *r_path, *order_path;
    int32_t prec;
    bool json, quiet;
    plumb_lsq_options options;

    int64_t m, n;
    plumb_view q, r, order_view; /* order_view: a column of doubles, counted from 1 */
    int64_t *order;
    plumb_lsq_report report;
    double seconds;
} qr_run;

static int help(void)
{
    printf(
        "usage: plumb qr [OPTIONS] A\n"
        "\n"
        "Decomposes A (m x n, m >= n) into Q R by modified Gram-Schmidt: Q is m x n with orthonormal columns, R upper\n"
        "triangular with a real positive diagonal. A is Matrix Market or npy, recognised by content; - is standard\n"
        "input. Shows a summary.\n"
        "\n"
        "options:\n"
        "  -p PREC             d, dd or qd: about 16, 32, 64 digits (default: dd)\n"
        "  -q FILE             write Q, npy if FILE ends in .npy, else Matrix Market; - is standard output, with\n"
        "                      nothing else on it (default: not written)\n"
        "  -r FILE             write R, likewise (default: not written)\n"
        "  --pivot             exchange columns so that A P = Q R, and decide the rank (default: off; a dependent\n"
        "                      column is an error)\n"
        "  --permutation FILE  with --pivot: write which column of A stands at each place, from 1 (default: shown)\n"
        "  --reorth            orthogonalise twice (default: once)\n"
        "  --orthogonality     also the largest entry of Q^H Q - I, as much work again (default: off)\n"
        "  --backend NAME      auto, cpu or gpu; auto: a GPU where there is one and enough to do (default: auto)\n"
        "  -t THREADS          threads (default: one a core); the result does not depend on it\n"
        "  --json              the summary as one JSON object (default: text)\n"
        "  --quiet             no summary (default: off)\n"
        "  --help              this text\n"
        "\n"
        "exit status: 0 success, 1 a numerical failure (a dependent column) or an output that cannot be written,\n"
        "2 bad input or misuse; nothing is written unless it is 0\n");
    return CLI_OK;
}

static int outputs_on_stdout(const qr_run *run)
{
    return cli_is_stream(run->q_path) + cli_is_stream(run->r_path) + cli_is_stream(run->order_path);
}

static int parse(int argc, char **argv, qr_run *run, plumb_context_options *settings)
{
    const char *prec = "dd", *backend = "auto";
    int64_t thread_count = 0;
    bool pivot = false, reorth = false, orthogonality = false;
    const cli_option table[] = {{"-p", CLI_TEXT, &prec, 0, 0},
                                {"-q", CLI_TEXT, &run->q_path, 0, 0},
                                {"-r", CLI_TEXT, &run->r_path, 0, 0},
                                {"--permutation", CLI_TEXT, &run->order_path, 0, 0},
                                {"--pivot", CLI_FLAG, &pivot, 0, 0},
                                {"--reorth", CLI_FLAG, &reorth, 0, 0},
                                {"--orthogonality", CLI_FLAG, &orthogonality, 0, 0},
                                {"--backend", CLI_TEXT, &backend, 0, 0},
                                {"-t", CLI_COUNT, &thread_count, 1, 4096},
                                {"--json", CLI_FLAG, &run->json, 0, 0},
                                {"--quiet", CLI_FLAG, &run->quiet, 0, 0},
                                {NULL, CLI_FLAG, NULL, 0, 0}};
    const cli_options options = {"qr", table, &run->path, 1};
    int files;
    int result = cli_options_parse(&options, argc, argv, &files);
    if (result == CLI_OK)
        result = cli_option_prec("qr", prec, &run->prec);
    if (result != CLI_OK)
        return result;
    if (files == 0)
        return cli_misuse("qr", "no file given; usage: plumb qr [OPTIONS] A");
    if (run->order_path != NULL && !pivot)
        return cli_misuse("qr", "--permutation goes with --pivot");
    if (outputs_on_stdout(run) + (run->json ? 1 : 0) > 1)
        return cli_misuse("qr", "only one of -q, -r, --permutation and --json can be on standard output");
    if (run->json && run->quiet)
        return cli_misuse("qr", "--json and --quiet exclude each other");
    plumb_lsq_options_init(&run->options);
    run->options.pivot = pivot;
    run->options.reorthogonalize = reorth;
    run->options.orthogonality = orthogonality;
    settings->threads = (int32_t)thread_count;
    return cli_option_backend("qr", backend, &settings->backend);
}

static int decompose(qr_run *run, plumb_context *context, const plumb_view *a)
{
    const char *name = cli_input_name(run->path);
    int result;
    if (a->rows < a->cols)
        return cli_misuse(NULL, "%s: found %lld x %lld, expected at least as many rows as columns", name,
                          (long long)a->rows, (long long)a->cols);
    run->m = a->rows;
    run->n = a->cols;
    if ((result = cli_array_create("qr", context, a->prec, a->parts, a->rows, a->cols, &run->q)) != CLI_OK ||
        (result = cli_array_create("qr", context, a->prec, a->parts, a->cols, a->cols, &run->r)) != CLI_OK ||
        (result = cli_array_create("qr", context, PLUMB_D, PLUMB_REAL, a->cols, 1, &run->order_view)) != CLI_OK)
        return result;
    run->order = calloc((size_t)a->cols, sizeof *run->order); /* smaller than the arrays above */
    if (run->order == NULL)
        return cli_fail("qr", "out of memory");
    plumb_info info = 0;
    plumb_lsq_report_init(&run->report);
    double start = bench_now_ns();
    plumb_status status = plumb_qr(context, a, &run->q, &run->r, run->order, &info, &run->options, &run->report);
    run->seconds = (bench_now_ns() - start) * 1e-9;
    if (info > 0)
        return cli_fail(NULL,
                        "%s: column %lld depends numerically on those before it (in %s); a higher precision "
                        "or --pivot may help",
                        name, (long long)info, plumb_prec_name(run->prec));
    if (status == PLUMB_OK && info < 0)
        status = (plumb_status)-info;
    if (status != PLUMB_OK)
        return cli_context_fail("qr", context, status);
    for (int64_t k = 0; k < run->n; k++)
        run->order_view.data[k] = (double)(run->order[k] + 1);
    return CLI_OK;
}

static void print_summary(const qr_run *run)
{
    const plumb_lsq_report *r = &run->report;
    printf("condition       %.2g\n", r->condition);
    if (run->options.orthogonality)
        printf("orthogonality   %.2g, the largest entry of Q^H Q - I\n", r->orthogonality);
    if (run->options.pivot) {
        printf("rank            %lld of %lld\n", (long long)r->rank, (long long)run->n);
        if (run->order_path == NULL) {
            printf("columns        ");
            for (int64_t k = 0; k < run->n; k++)
                printf(" %lld", (long long)run->order[k] + 1);
            printf("\n");
        }
    }
    printf("decomposed      %lld x %lld in %s, CPU, %.3g s\n", (long long)run->m, (long long)run->n,
           plumb_prec_name(run->prec), run->seconds);
    if (r->note[0] != 0)
        printf("note            %s\n", r->note);
}

static void print_json(const qr_run *run)
{
    const plumb_lsq_report *r = &run->report;
    json_writer w = json_begin(stdout);
    json_open_object(&w, NULL);
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
    json_double(&w, "seconds", run->seconds);
    json_string(&w, "backend", r->backend == PLUMB_BACKEND_GPU ? "gpu" : "cpu");
    json_close_object(&w);
    json_end(&w);
}

/* All files are complete before the first takes its name. */
static int report(qr_run *run)
{
    cli_output q = {.path = NULL}, r = {.path = NULL}, order = {.path = NULL};
    int result;
    if ((result = cli_output_matrix("qr", &q, run->q_path, &run->q)) == CLI_OK &&
        (result = cli_output_matrix("qr", &r, run->r_path, &run->r)) == CLI_OK &&
        (result = cli_output_matrix("qr", &order, run->order_path, &run->order_view)) == CLI_OK &&
        (result = cli_output_commit("qr", &q)) == CLI_OK && (result = cli_output_commit("qr", &r)) == CLI_OK)
        result = cli_output_commit("qr", &order);
    cli_output_discard(&q);
    cli_output_discard(&r);
    cli_output_discard(&order);
    if (result == CLI_OK && run->json)
        print_json(run);
    else if (result == CLI_OK && !run->quiet && outputs_on_stdout(run) == 0)
        print_summary(run);
    return result;
}

int plumb_cli_qr(int argc, char **argv)
{
    if (cli_wants_help(argc, argv))
        return help();
    qr_run run = {.path = NULL};
    plumb_context_options settings;
    plumb_context_options_init(&settings);
    int result = parse(argc, argv, &run, &settings);
    if (result != CLI_OK)
        return result;
    plumb_context *context = NULL;
    text_matrix a = {.memory = NULL};
    if ((result = cli_context_create("qr", &settings, &context)) == CLI_OK &&
        (result = cli_matrix_load("qr", run.path, run.prec, &a)) == CLI_OK &&
        (result = decompose(&run, context, &a.view)) == CLI_OK)
        result = report(&run);
    free(run.order);
    plumb_array_destroy(context, &run.q);
    plumb_array_destroy(context, &run.r);
    plumb_array_destroy(context, &run.order_view);
    plumb_matrix_destroy(&a);
    plumb_context_destroy(context);
    return result;
}
