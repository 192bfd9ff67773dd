/* random.c - plumb random: the random matrices of the experiments, as files. */
#include <stdbool.h>
#include <stdio.h>

#include "app/app.h"
#include "app/command/command.h"
#include "app/matrices.h"
#include "cli/cli.h"
#include "text/matrix/random.h"

typedef struct random_words {
    int64_t m, n;
    int32_t kind, prec; /* kind: -1 when not given */
    double g;           /* -1: not given */
    uint64_t seed;
    const char *output;
} random_words;

enum { KIND_UNIT, KIND_RANGE };
static const char *const kinds[] = {"unit", "range", NULL};

static const app_option options[] = {
    {'m', "rows", APP_COUNT, offsetof(random_words, m), "N", "number of rows", NULL, 1, 0x1p53, NULL},
    {'n', "columns", APP_COUNT, offsetof(random_words, n), "N", "number of columns", "as many as rows", 1, 0x1p53,
     NULL},
    {0, "kind", APP_WORD, offsetof(random_words, kind), "KIND",
     "unit: r = 1; range: r = 10^e with e uniform in [-G, G]", "unit, or range with --g", 0, 0, kinds},
    {0, "g", APP_REAL, offsetof(random_words, g), "G", "decades above and below 1, for --kind range", NULL, 0, 300,
     NULL},
    APP_SEED_OPTION(random_words, seed, "of the matrix"),
    {'p', "precision", APP_WORD, offsetof(random_words, prec), "PREC", "about 16, 32 or 64 digits", NULL, 0, 0,
     app_precisions},
    APP_OUTPUT_OPTION(random_words, output, "write to FILE (.mtx, .npy, .csv or .json); - is standard output", NULL),
    APP_OPTIONS_END,
};

static const random_words defaults = {.kind = -1, .prec = APP_QD, .g = -1, .seed = 1, .output = "-"};

static int check(const random_words *words, bool *unit, app_format *format)
{
    *unit = words->kind >= 0 ? words->kind == KIND_UNIT : words->g < 0;
    if (*unit && words->g >= 0)
        return app_misuse("random", "--g goes with --kind range");
    if (!*unit && words->g < 0)
        return app_misuse("random", "--kind range needs --g");
    if (words->m == 0)
        return app_misuse("random", "-m/--rows is missing: expected the number of rows");
    return app_format_of("random", "--output", words->output, app_matrix_formats, format);
}

static int make_random(const void *values)
{
    const random_words *words = values;
    bool unit = false;
    app_format format = PLUMB_FORMAT_MTX;
    int result = check(words, &unit, &format);
    if (result != APP_OK)
        return result;
    plumb_context *context = NULL;
    plumb_context_options settings;
    plumb_context_options_init(&settings);
    settings.backend = PLUMB_BACKEND_CPU;
    plumb_view view = {.data = NULL};
    app_output output = {.path = NULL};
    if ((result = app_context_create("random", &settings, &context)) != APP_OK ||
        (result = app_array_create("random", context, app_precision(words->prec), PLUMB_COMPLEX, words->m,
                                   words->n > 0 ? words->n : words->m, &view)) != APP_OK)
        goto done;
    plumb_status status = plumb_random_matrix(&view, unit, words->g, words->seed);
    if (status != PLUMB_OK)
        result = app_fail("random", "%s", plumb_status_text(status));
    else if ((result = app_output_matrix("random", &output, words->output, format, &view)) == APP_OK)
        result = app_output_commit("random", &output);
done:
    plumb_array_destroy(context, &view);
    plumb_context_destroy(context);
    return result;
}

const app_command plumb_cli_random = {
    .name = "random",
    .summary = "make a random matrix",
    .arguments = "-m ROWS [OPTIONS]",
    .about =
        "Makes a random complex matrix with entries r e^(i theta), theta uniform in [0, 2 pi). A seed gives the same "
        "matrix on every machine, and the same numbers in every precision, rounded.",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = make_random,
};
