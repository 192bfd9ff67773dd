/* lsq.c - plumb lsq: solves A x = b in the least-squares sense, from files to a file or the screen.
 *
 * Everything that can be wrong with the input is found before anything is computed, and nothing is written before
 * everything is computed. */
#include "cli/lsq/lsq.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "app/app.h"
#include "app/command/command.h"
#include "app/matrices.h"
#include "app/sample.h"
#include "backend/backend.h"
#include "base/memory/memory.h"
#include "cli/cli.h"

enum { DEFAULT_DIGITS = 15 };
_Static_assert(DEFAULT_DIGITS == 15, "the help says so");

/* ---- The command line --------------------------------------------------------------------------------------------- */

enum { METHOD_MGS, METHOD_REFINED, METHOD_LU, METHOD_AUTO };
static const char *const method_names[] = {"mgs", "refined", "lu", "auto", NULL};

static const app_option options[] = {
    {'p', "precision", APP_WORD, offsetof(lsq_words, prec), "PREC",
     "about 16, 32 or 64 digits; auto takes the lowest precision that gives the digits wanted",
     "dd, or auto with --digits", 0, 0, app_precisions_auto},
    {0, "digits", APP_COUNT, offsetof(lsq_words, digits), "N",
     "correct digits of x wanted, with -p auto; the exit status is 1 when they are not reached", "15", 1, 64, NULL},
    {0, "method", APP_WORD, offsetof(lsq_words, method), "NAME",
     "mgs: modified Gram-Schmidt; refined: factor in a lower precision and refine, mgs where that fails; lu: Gaussian "
     "elimination, square systems only; auto: refined above d",
     "mgs", 0, 0, method_names},
    {0, "pivot", APP_FLAG, offsetof(lsq_words, pivot), NULL,
     "exchange columns and decide the rank, with m >= n; a rank below n gives a basic solution, whose digits are "
     "claimed only if "
     "the "
     "other columns depend exactly on those used. Without it a dependent column is an "
     "error",
     NULL, 0, 0, NULL},
    {0, "reorth", APP_FLAG, offsetof(lsq_words, reorth), NULL, "orthogonalise twice", NULL, 0, 0, NULL},
    {0, "errors", APP_FLAG, offsetof(lsq_words, errors), NULL,
     "report the standard error of each entry of x: the square roots of the diagonal of the covariance", NULL, 0, 0,
     NULL},
    {0, "covariance", APP_OUTPUT, offsetof(lsq_words, covariance), "FILE",
     "write the covariance of x to FILE: |b - A x|^2 / (m - n) times the inverse of A^H A, for one right-hand side",
     "not computed", 0, 0, NULL},
    APP_BACKEND(lsq_words, backend),
    APP_THREADS(lsq_words, threads),
    APP_OUTPUT_OPTION(lsq_words, output,
                      "write x to FILE (.mtx, .npy, .csv; .json: the whole report); - is standard output, with nothing "
                      "else on it",
                      "x is shown"),
    APP_JSON(lsq_words, json),
    APP_QUIET(lsq_words, quiet, "show x alone, or with -o nothing"),
    APP_OPTIONS_END,
};

static const lsq_words defaults = {.prec = -1, .method = -1};

static int choose_method(lsq_run *run)
{
    const lsq_words *words = run->words;
    int32_t method = words->method >= 0 ? words->method : METHOD_MGS;
    bool mgs_only = words->pivot || words->reorth;
    if (run->prec == 0 && (mgs_only || (words->method >= 0 && method != METHOD_AUTO)))
        return app_misuse("lsq", "-p auto chooses the method too; %s needs -p d, dd or qd",
                          words->pivot    ? "--pivot"
                          : words->reorth ? "--reorth"
                                          : "--method");
    if (mgs_only && (method == METHOD_REFINED || method == METHOD_LU))
        return app_misuse("lsq", "%s goes with --method mgs, not %s", words->pivot ? "--pivot" : "--reorth",
                          method_names[method]);
    if (method == METHOD_AUTO)
        method = run->prec > PLUMB_D && !mgs_only ? METHOD_REFINED : METHOD_MGS;
    static const int32_t methods[] = {PLUMB_METHOD_MGS, PLUMB_METHOD_REFINED, PLUMB_METHOD_LU};
    plumb_lsq_options_init(&run->options);
    run->options.method = methods[method];
    run->options.pivot = words->pivot;
    run->options.reorthogonalize = words->reorth;
    return APP_OK;
}

/* What the words mean together. */
static int choose(lsq_run *run)
{
    const lsq_words *words = run->words;
    bool automatic = words->prec >= 0 ? words->prec == APP_AUTO : words->digits > 0;
    int result;
    run->prec = automatic ? 0 : words->prec >= 0 ? app_precision(words->prec) : PLUMB_DD;
    if (!automatic && words->digits > 0)
        return app_misuse("lsq", "--digits goes with -p auto, which chooses the precision; found -p %s",
                          app_precisions_auto[words->prec]);
    run->digits = words->digits > 0 ? (double)words->digits : DEFAULT_DIGITS;
    if ((result = choose_method(run)) != APP_OK ||
        (result = app_format_of("lsq", "--output", words->output, app_matrix_formats, &run->output_format)) != APP_OK ||
        (result = app_format_of("lsq", "--covariance", words->covariance, app_matrix_formats,
                                &run->covariance_format)) != APP_OK)
        return result;
    if (words->json && words->quiet)
        return app_misuse("lsq", "--json and --quiet exclude each other");
    if (words->json + app_is_stream(words->output) + app_is_stream(words->covariance) > 1)
        return app_misuse("lsq", "only one of --json, --output - and --covariance - can have standard output");
    if (words->output != NULL && words->covariance != NULL && strcmp(words->output, words->covariance) == 0)
        return app_misuse("lsq", "--output and --covariance name the same file: %s", words->output);
    if (app_is_stream(words->file[0]) && app_is_stream(words->file[1]))
        return app_misuse("lsq", "A and b cannot both come from standard input");
    return APP_OK;
}

/* ---- Solving ------------------------------------------------------------------------------------------------------ */

static int check_shapes(const lsq_run *run, const plumb_view *a, const plumb_view *b)
{
    const char *a_name = app_input_name(run->words->file[0]), *b_name = app_input_name(run->words->file[1]);
    if (run->options.pivot && a->rows < a->cols)
        return app_misuse(NULL, "%s: found %lld x %lld, expected at least as many rows as columns: --pivot needs them",
                          a_name, (long long)a->rows, (long long)a->cols);
    if (b->rows != a->rows)
        return app_misuse(NULL, "%s: found %lld row%s, expected %lld as in %s", b_name, (long long)b->rows,
                          b->rows == 1 ? "" : "s", (long long)a->rows, a_name);
    if (run->options.method == PLUMB_METHOD_LU && a->rows != a->cols)
        return app_misuse(NULL, "%s: found %lld x %lld, expected a square matrix: --method lu needs one", a_name,
                          (long long)a->rows, (long long)a->cols);
    if ((run->words->errors || run->words->covariance != NULL) && a->rows <= a->cols)
        return app_misuse(
            NULL, "%s: found %lld x %lld, expected more rows than columns: --errors and --covariance need m > n",
            a_name, (long long)a->rows, (long long)a->cols);
    if (run->words->covariance != NULL && b->cols != 1)
        return app_misuse(NULL, "%s: found %lld columns, expected one: --covariance is that of one right-hand side",
                          b_name, (long long)b->cols);
    return APP_OK;
}

/* Why there is no solution. */
static int explain(const lsq_run *run, const plumb_context *context, plumb_status status, plumb_info info)
{
    const char *name = app_input_name(run->words->file[0]);
    if (info > 0 && run->options.method == PLUMB_METHOD_LU)
        return app_fail(NULL, "%s: column %lld has no pivot: the matrix is numerically singular", name,
                        (long long)info);
    const char *prec = plumb_prec_name(run->prec != 0 ? run->prec : PLUMB_QD);
    if (info > 0 && run->m < run->n)
        return app_fail(NULL,
                        "%s: row %lld depends numerically on those before it (in %s); a higher precision may help",
                        name, (long long)info, prec);
    if (info > 0)
        return app_fail(NULL,
                        "%s: column %lld depends numerically on those before it (in %s); a higher precision "
                        "or --pivot may help",
                        name, (long long)info, prec);
    if (info < 0 && status == PLUMB_OK)
        status = (plumb_status)-info;
    if (status == PLUMB_ERR_RANGE)
        return app_fail(NULL, "%s: the solution is out of the range of a double", name);
    return app_context_fail("lsq", context, status);
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
    int result = app_array_create("lsq", context, prec, view->parts, view->rows, view->cols, &low);
    if (result != APP_OK)
        return result;
    plumb_status status = plumb_copy(context, view, &low, NULL);
    plumb_array_destroy(context, view);
    *view = low;
    return status == PLUMB_OK ? APP_OK : app_context_fail("lsq", context, status);
}

/* The work of solving with one right-hand side; for --errors and --covariance R, its inverse in higher precision, and the
 * covariance. */
static int64_t memory_for(const plumb_view *shape, const void *data)
{
    const lsq_run *run = data;
    const plumb_view b = {.rows = shape->rows, .cols = 1, .batch = 1, .prec = shape->prec, .parts = shape->parts};
    const lsq_call call = {.a = shape, .b = &b, .options = &run->options};
    const int64_t squares = plumb_memory_add(0, shape->cols, shape->cols), entry = 224; /* two numbers of MPFR */
    const int64_t each = 2 * (int64_t)sizeof(double) * shape->prec * shape->parts + entry;
    const bool covariance = run->words->errors || run->words->covariance != NULL;
    return plumb_memory_add(plumb_cpu_lsq_bytes(&call), covariance ? squares : 0, each);
}

static int solve(lsq_run *run, plumb_context *context, const plumb_view *a, const plumb_view *b)
{
    int result;
    if ((result = app_array_create("lsq", context, a->prec, a->parts, a->cols, b->cols, &run->x)) != APP_OK ||
        (result = app_array_create("lsq", context, a->prec, PLUMB_REAL, 1, b->cols, &run->residual)) != APP_OK)
        return result;
    plumb_info info = 0;
    plumb_lsq_auto_options automatic;
    plumb_lsq_auto_options_init(&automatic);
    automatic.rounded = run->options.rounded = run->rounded;
    double start = bench_now_ns();
    plumb_status status =
        run->prec == 0
            ? plumb_lsq_auto(context, a, b, &run->x, &run->residual, &info, run->digits, &automatic, &run->report)
            : plumb_lsq(context, a, b, &run->x, &run->residual, &info, &run->options, &run->report);
    run->seconds = (bench_now_ns() - start) * 1e-9;
    if (status != PLUMB_OK || info != 0)
        return explain(run, context, status, info);
    if (run->prec != 0)
        return APP_OK;
    int32_t prec = precision_of(&run->x);
    if (prec < run->report.factor_prec)
        prec = run->report.factor_prec;
    if (prec == a->prec)
        return APP_OK;
    result = lower(context, &run->x, prec);
    return result == APP_OK ? lower(context, &run->residual, prec) : result;
}

/* The files first, all complete before one takes its name: what is shown afterwards is then true. */
static int write_files(const lsq_run *run)
{
    const lsq_words *words = run->words;
    app_output x = {.path = NULL}, covariance = {.path = NULL};
    int result = app_output_matrix("lsq", &covariance, words->covariance, run->covariance_format, &run->covariance);
    if (result == APP_OK && run->output_format == PLUMB_FORMAT_JSON) {
        result = app_output_open("lsq", &x, words->output);
        if (result == APP_OK && words->output != NULL && !lsq_print_json(run, x.file))
            result = app_fail("lsq", "%s: a number of the result is out of the range of a double", words->output);
    } else if (result == APP_OK) {
        result = app_output_matrix("lsq", &x, words->output, run->output_format, &run->x);
    }
    if (result == APP_OK)
        result = app_outputs_commit("lsq", (app_output *const[]){&covariance, &x}, 2);
    app_output_discard(&covariance);
    app_output_discard(&x);
    return result;
}

static int report(const lsq_run *run)
{
    const lsq_words *words = run->words;
    int result = write_files(run);
    if (result != APP_OK)
        return result;
    if (!app_is_stream(words->output) && !app_is_stream(words->covariance) &&
        !(words->json ? lsq_print_json(run, stdout) : lsq_print(run)))
        return app_fail("lsq", "a number of the result is out of the range of a double");
    if (run->prec != 0 && run->report.digits < 1.0)
        return app_fail("lsq", "x has no correct digits (estimated) in %s%s%s", plumb_prec_name(run->prec),
                        lsq_lacks_rank(run) ? ": " : "", lsq_lacks_rank(run) ? run->report.note : "");
    if (run->prec == 0 && run->report.digits < run->digits)
        return app_fail("lsq", "x has about %.0f correct digits (estimated), fewer than the %.0f wanted",
                        floor(run->report.digits), run->digits);
    return APP_OK;
}

static int lsq(const void *values)
{
    const lsq_words *words = values;
    lsq_run run = {.words = words};
    plumb_context_options settings;
    int result = choose(&run);
    if (result != APP_OK)
        return result;
    plumb_context_options_init(&settings);
    settings.threads = (int32_t)words->threads;
    settings.backend = words->backend;

    plumb_context *context = NULL;
    text_matrix a = {.memory = NULL}, b = {.memory = NULL};
    plumb_view a_made = {.data = NULL}, b_made = {.data = NULL}, a_view, b_view;
    int32_t prec = run.prec != 0 ? run.prec : PLUMB_QD;
    if ((result = app_context_create("lsq", &settings, &context)) != APP_OK ||
        (result = app_matrix_load("lsq", words->file[0], prec, memory_for, &run, &a)) != APP_OK ||
        (result = app_matrix_load("lsq", words->file[1], prec, NULL, NULL, &b)) != APP_OK ||
        (result = check_shapes(&run, &a.view, &b.view)) != APP_OK)
        goto done;
    a_view = a.view;
    b_view = b.view;
    if (a_view.parts != b_view.parts && /* then both as complex matrices */
        ((result = app_matrix_complex("lsq", context, &a.view, &a_made, &a_view)) != APP_OK ||
         (result = app_matrix_complex("lsq", context, &b.view, &b_made, &b_view)) != APP_OK))
        goto done;
    run.rounded = !a.exact ? PLUMB_ROUNDED_DATA : !b.exact ? PLUMB_ROUNDED_SIDES : 0;
    run.m = a_view.rows;
    run.n = a_view.cols;
    run.threads = plumb_context_threads(context);
    result = solve(&run, context, &a_view, &b_view);
    if (result == APP_OK && (words->errors || words->covariance != NULL))
        result = lsq_covariance(&run, context, &a_view);
    if (result == APP_OK)
        result = report(&run);
done:
    plumb_array_destroy(context, &run.x);
    plumb_array_destroy(context, &run.residual);
    plumb_array_destroy(context, &run.errors);
    plumb_array_destroy(context, &run.covariance);
    plumb_array_destroy(context, &a_made);
    plumb_array_destroy(context, &b_made);
    plumb_matrix_destroy(&a);
    plumb_matrix_destroy(&b);
    plumb_context_destroy(context);
    return result;
}

static const char *const file_names[] = {"A", "b", NULL};

const app_command plumb_cli_lsq = {
    .name = "lsq",
    .summary = "solve A x = b in the least-squares sense",
    .arguments = "A b [OPTIONS]",
    .about =
        "Solves A x = b in the least-squares sense. A is m x n; b has m rows and any number of columns. With m < n, x "
        "is "
        "the solution of least norm. "
        "Files are Matrix Market, npy, or tables of numbers (CSV or separated by white space), recognised by content; "
        "- "
        "is standard input. Shows x in full digits, the norms of b - A x, an estimate of the condition number, the "
        "estimated number of correct digits, and the time.",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .least_files = 2,
    .most_files = 2,
    .file_names = file_names,
    .files = offsetof(lsq_words, file),
    .summary_shown = true,
    .run = lsq,
    .after =
        "Exit status: 0 success; 1 a numerical failure (a dependent column or row, no correct digits), fewer digits "
        "than "
        "wanted, or an output that cannot be written; 2 bad input or misuse. Nothing is written unless the work was "
        "done.",
};
