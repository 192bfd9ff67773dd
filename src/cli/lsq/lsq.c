/* lsq.c - plumb lsq: solves A x = b in the least-squares sense, from files to a file or the screen.
 *
 * Everything that can be wrong with the input is found before anything is computed, and nothing is written before
 * everything is computed. */
#include "cli/lsq/lsq.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "app/app.h"
#include "app/matrix_io.h"
#include "app/options.h"
#include "app/sample.h"
#include "cli/cli.h"

enum { DEFAULT_DIGITS = 15 };

/* The library estimates the error for data exact in the precision used, as that of data moved by 8 units in the last place or
 * more. Files that had to be rounded to be read move A and b by one more each: at most 10/8 of the estimate. (A lower
 * precision that -p auto took has this in its estimate already.) */
static const double digits_of_rounding = 0.0969100130080564; /* log10(10/8) */

static int help(void)
{
    printf(
        "usage: plumb lsq [OPTIONS] A b\n"
        "\n"
        "Solves A x = b in the least-squares sense: A is m x n with m >= n, b has m rows and any number of columns.\n"
        "Files are Matrix Market or npy, recognised by content; - is standard input. Shows x in full digits, the\n"
        "norms of b - A x, an estimate of the condition number, how many digits are believed right, and the time.\n"
        "\n"
        "options:\n"
        "  -p PREC         d, dd or qd (about 16, 32, 64 digits), or auto: the lowest that gives the digits asked for\n"
        "                  (default: dd, or auto when there is --digits)\n"
        "  --digits N      digits of x wanted, with -p auto (default: %d)\n"
        "  --method NAME   mgs: modified Gram-Schmidt; refined: factor in a lower precision, refine in PREC, mgs "
        "where\n"
        "                  that fails; lu: elimination, square systems; auto: refined above d (default: mgs)\n"
        "  --pivot         exchange columns, decide the rank, a basic solution (default: off; a dependent column is\n"
        "                  an error)\n"
        "  --reorth        orthogonalise twice (default: once)\n"
        "  --backend NAME  auto, cpu or gpu; auto: a GPU where there is one and enough to do (default: auto)\n"
        "  -t THREADS      threads (default: one a core); the result does not depend on it\n"
        "  -o FILE         write x to FILE, npy if it ends in .npy, else Matrix Market; - is standard output, with\n"
        "                  nothing else on it (default: x is shown)\n"
        "  --json          one JSON object (default: text)\n"
        "  --quiet         x alone, or with -o nothing (default: off)\n"
        "  --help          this text\n"
        "\n"
        "exit status: 0 success, 1 a numerical failure (a dependent column) or an output that cannot be written,\n"
        "2 bad input or misuse; nothing is written unless it is 0\n",
        DEFAULT_DIGITS);
    return CLI_OK;
}

/* ---- what was asked ------------------------------------------------------------------------------------------- */

typedef struct lsq_words {
    const char *prec, *method, *backend;
    int64_t digits, threads;
    bool pivot, reorth;
} lsq_words;

static int choose_method(const lsq_words *words, lsq_run *run)
{
    static const char *const names[] = {"mgs", "refined", "lu", "auto", NULL};
    int index = 0;
    int result = words->method != NULL ? cli_option_word("lsq", "--method", words->method, names, &index) : CLI_OK;
    if (result != CLI_OK)
        return result;
    bool mgs_only = words->pivot || words->reorth;
    if (run->prec == 0 && (mgs_only || (words->method != NULL && index != 3)))
        return cli_misuse("lsq", "-p auto chooses the method too; %s needs -p d, dd or qd",
                          words->pivot    ? "--pivot"
                          : words->reorth ? "--reorth"
                                          : "--method");
    if (mgs_only && (index == 1 || index == 2))
        return cli_misuse("lsq", "%s goes with --method mgs, not %s", words->pivot ? "--pivot" : "--reorth",
                          names[index]);
    if (index == 3)
        index = run->prec > PLUMB_D && !mgs_only ? 1 : 0;
    static const int32_t methods[] = {PLUMB_METHOD_MGS, PLUMB_METHOD_REFINED, PLUMB_METHOD_LU};
    plumb_lsq_options_init(&run->options);
    run->options.method = methods[index];
    run->options.pivot = words->pivot;
    run->options.reorthogonalize = words->reorth;
    return CLI_OK;
}

static int choose(const lsq_words *words, lsq_run *run)
{
    bool automatic = words->prec != NULL ? strcmp(words->prec, "auto") == 0 : words->digits > 0;
    int result = CLI_OK;
    run->prec = PLUMB_DD;
    if (automatic)
        run->prec = 0;
    else if (words->prec != NULL && (run->prec = plumb_prec_from_name(words->prec)) == 0)
        return cli_misuse("lsq", "-p: found '%s', expected d, dd, qd or auto", words->prec);
    if (!automatic && words->digits > 0)
        return cli_misuse("lsq", "--digits goes with -p auto, which chooses the precision; -p %s is given",
                          words->prec);
    run->digits = words->digits > 0 ? (double)words->digits : DEFAULT_DIGITS;
    if ((result = choose_method(words, run)) != CLI_OK)
        return result;
    if (run->json && cli_is_stream(run->output))
        return cli_misuse("lsq", "--json and -o - would share standard output");
    if (run->json && run->quiet)
        return cli_misuse("lsq", "--json and --quiet exclude each other");
    if (cli_is_stream(run->a_path) && cli_is_stream(run->b_path))
        return cli_misuse("lsq", "A and b cannot both come from standard input");
    return CLI_OK;
}

static int parse(int argc, char **argv, lsq_run *run, plumb_context_options *settings)
{
    lsq_words words = {.backend = "auto"};
    const char *file[2] = {NULL, NULL};
    int files;
    const cli_option table[] = {{"-p", CLI_TEXT, &words.prec, 0, 0},
                                {"--digits", CLI_COUNT, &words.digits, 1, 64},
                                {"--method", CLI_TEXT, &words.method, 0, 0},
                                {"--pivot", CLI_FLAG, &words.pivot, 0, 0},
                                {"--reorth", CLI_FLAG, &words.reorth, 0, 0},
                                {"--backend", CLI_TEXT, &words.backend, 0, 0},
                                {"-t", CLI_COUNT, &words.threads, 1, 4096},
                                {"-o", CLI_TEXT, &run->output, 0, 0},
                                {"--json", CLI_FLAG, &run->json, 0, 0},
                                {"--quiet", CLI_FLAG, &run->quiet, 0, 0},
                                {NULL, CLI_FLAG, NULL, 0, 0}};
    const cli_options options = {"lsq", table, file, 2};
    int result = cli_options_parse(&options, argc, argv, &files);
    if (result != CLI_OK)
        return result;
    if (files < 2)
        return cli_misuse("lsq", "%s; usage: plumb lsq [OPTIONS] A b",
                          files == 0 ? "no files given" : "no file for b given");
    run->a_path = file[0];
    run->b_path = file[1];
    settings->threads = (int32_t)words.threads;
    result = choose(&words, run);
    return result == CLI_OK ? cli_option_backend("lsq", words.backend, &settings->backend) : result;
}

/* ---- solving -------------------------------------------------------------------------------------------------- */

static int check_shapes(const lsq_run *run, const plumb_view *a, const plumb_view *b)
{
    const char *a_name = cli_input_name(run->a_path), *b_name = cli_input_name(run->b_path);
    if (a->rows < a->cols)
        return cli_misuse(NULL, "%s: found %lld x %lld, expected at least as many rows as columns", a_name,
                          (long long)a->rows, (long long)a->cols);
    if (b->rows != a->rows)
        return cli_misuse(NULL, "%s: found %lld row%s, expected %lld as in %s", b_name, (long long)b->rows,
                          b->rows == 1 ? "" : "s", (long long)a->rows, a_name);
    if (run->options.method == PLUMB_METHOD_LU && a->rows != a->cols)
        return cli_misuse(NULL, "%s: found %lld x %lld, expected a square matrix: --method lu needs one", a_name,
                          (long long)a->rows, (long long)a->cols);
    return CLI_OK;
}

/* What happened, when it is not a solution. */
static int explain(const lsq_run *run, const plumb_context *context, plumb_status status, plumb_info info)
{
    const char *name = cli_input_name(run->a_path);
    if (info > 0 && run->options.method == PLUMB_METHOD_LU)
        return cli_fail(NULL, "%s: column %lld has no pivot: the matrix is numerically singular", name,
                        (long long)info);
    if (info > 0)
        return cli_fail(NULL,
                        "%s: column %lld depends numerically on those before it (in %s); a higher precision "
                        "or --pivot may help",
                        name, (long long)info, plumb_prec_name(run->prec != 0 ? run->prec : PLUMB_QD));
    if (info < 0 && status == PLUMB_OK)
        status = (plumb_status)-info;
    if (status == PLUMB_ERR_RANGE)
        return cli_fail(NULL, "%s: the solution is out of the range of a double", name);
    return cli_context_fail("lsq", context, status);
}

/* The lowest precision that holds every entry. */
static int32_t precision_of(const plumb_view *v)
{
    int32_t prec = PLUMB_D;
    for (int32_t plane = 0; plane < v->prec * v->parts; plane++)
        for (int64_t j = 0; j < v->cols; j++)
            for (int64_t i = 0; i < v->rows; i++)
                if (v->data[plane * v->plane + j * v->col + i] != 0.0 && plane % v->prec >= prec)
                    prec = plane % v->prec < PLUMB_DD ? PLUMB_DD : PLUMB_QD;
    return prec;
}

/* *view in a lower precision. */
static int lower(plumb_context *context, plumb_view *view, int32_t prec)
{
    plumb_view low = {.data = NULL};
    int result = cli_array_create("lsq", context, prec, view->parts, view->rows, view->cols, &low);
    if (result != CLI_OK)
        return result;
    plumb_status status = plumb_copy(context, view, &low, NULL);
    plumb_array_destroy(context, view);
    *view = low;
    return status == PLUMB_OK ? CLI_OK : cli_context_fail("lsq", context, status);
}

static int solve(lsq_run *run, plumb_context *context, const plumb_view *a, const plumb_view *b)
{
    int result;
    if ((result = cli_array_create("lsq", context, a->prec, a->parts, a->cols, b->cols, &run->x)) != CLI_OK ||
        (result = cli_array_create("lsq", context, a->prec, PLUMB_REAL, 1, b->cols, &run->residual)) != CLI_OK)
        return result;
    plumb_info info = 0;
    plumb_lsq_report_init(&run->report);
    double start = bench_now_ns();
    plumb_status status = run->prec == 0
                              ? plumb_lsq_auto(context, a, b, &run->x, &run->residual, &info, run->digits, &run->report)
                              : plumb_lsq(context, a, b, &run->x, &run->residual, &info, &run->options, &run->report);
    run->seconds = (bench_now_ns() - start) * 1e-9;
    if (status != PLUMB_OK || info != 0)
        return explain(run, context, status, info);
    if (run->rounded && (run->prec != 0 || run->report.factor_prec == a->prec))
        run->report.digits = fmax(0.0, run->report.digits - digits_of_rounding);
    if (run->prec != 0)
        return CLI_OK;
    int32_t prec = precision_of(&run->x);
    if (prec < run->report.factor_prec)
        prec = run->report.factor_prec;
    if (prec == a->prec)
        return CLI_OK;
    result = lower(context, &run->x, prec);
    return result == CLI_OK ? lower(context, &run->residual, prec) : result;
}

/* x into its file first: what is said on the screen is then true. */
static int report(lsq_run *run)
{
    cli_output output = {.path = NULL};
    int result = cli_output_matrix("lsq", &output, run->output, &run->x);
    if (result == CLI_OK)
        result = cli_output_commit("lsq", &output);
    if (result != CLI_OK || cli_is_stream(run->output))
        return result;
    bool good = run->json ? lsq_print_json(run) : lsq_print(run);
    return good ? CLI_OK : cli_fail("lsq", "a number of the result is out of the range of a double");
}

int plumb_cli_lsq(int argc, char **argv)
{
    if (cli_wants_help(argc, argv))
        return help();
    lsq_run run = {.output = NULL};
    plumb_context_options settings;
    plumb_context_options_init(&settings);
    int result = parse(argc, argv, &run, &settings);
    if (result != CLI_OK)
        return result;

    plumb_context *context = NULL;
    text_matrix a = {.memory = NULL}, b = {.memory = NULL};
    plumb_view a_made = {.data = NULL}, b_made = {.data = NULL}, a_view, b_view;
    int32_t prec = run.prec != 0 ? run.prec : PLUMB_QD;
    if ((result = cli_context_create("lsq", &settings, &context)) != CLI_OK ||
        (result = cli_matrix_load("lsq", run.a_path, prec, &a)) != CLI_OK ||
        (result = cli_matrix_load("lsq", run.b_path, prec, &b)) != CLI_OK ||
        (result = check_shapes(&run, &a.view, &b.view)) != CLI_OK)
        goto done;
    a_view = a.view;
    b_view = b.view;
    if (a_view.parts != b_view.parts && /* then both as complex matrices */
        ((result = cli_matrix_complex("lsq", context, &a.view, &a_made, &a_view)) != CLI_OK ||
         (result = cli_matrix_complex("lsq", context, &b.view, &b_made, &b_view)) != CLI_OK))
        goto done;
    run.rounded = !a.exact || !b.exact;
    run.m = a_view.rows;
    run.n = a_view.cols;
    run.threads = plumb_context_threads(context);
    if ((result = solve(&run, context, &a_view, &b_view)) == CLI_OK)
        result = report(&run);
done:
    plumb_array_destroy(context, &run.x);
    plumb_array_destroy(context, &run.residual);
    plumb_array_destroy(context, &a_made);
    plumb_array_destroy(context, &b_made);
    plumb_matrix_destroy(&a);
    plumb_matrix_destroy(&b);
    plumb_context_destroy(context);
    return result;
}
