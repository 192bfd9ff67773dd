/* random.c - plumb random: the matrices of the experiments, as files. */
#include <stdbool.h>
#include <stdio.h>

#include "app/app.h"
#include "app/matrix_io.h"
#include "app/options.h"
#include "cli/cli.h"
#include "text/matrix/random.h"

static int help(void)
{
    printf(
        "usage: plumb random -m ROWS [-n COLUMNS] [OPTIONS]\n"
        "\n"
        "Makes a random complex matrix with entries r e^(i theta), theta uniform in [0, 2 pi). A seed gives the same\n"
        "matrix on every machine, and at every precision the same numbers, rounded to it.\n"
        "\n"
        "options:\n"
        "  -m ROWS      rows\n"
        "  -n COLUMNS   columns (default: as many as rows)\n"
        "  --kind KIND  unit: r = 1; range: r = 10^e, e uniform in [-G, G] (default: unit, or range when there is "
        "--g)\n"
        "  --g G        decades up and down, 0 to 300, with --kind range\n"
        "  --seed S     a whole number below 2^64 (default: 1)\n"
        "  -p PREC      d, dd or qd (default: qd)\n"
        "  -o FILE      npy if it ends in .npy, else Matrix Market (default: -, standard output)\n"
        "  --help       this text\n");
    return CLI_OK;
}

typedef struct random_words {
    const char *kind, *prec, *output;
    int64_t m, n;
    double g;
    uint64_t seed;
} random_words;

static int parse(int argc, char **argv, random_words *words, bool *unit, int32_t *prec)
{
    static const char *const kinds[] = {"unit", "range", NULL};
    const double most = 0x1p53;
    const cli_option table[] = {{"-m", CLI_COUNT, &words->m, 1, most},    {"-n", CLI_COUNT, &words->n, 1, most},
                                {"--kind", CLI_TEXT, &words->kind, 0, 0}, {"--g", CLI_REAL, &words->g, 0, 300},
                                {"--seed", CLI_SEED, &words->seed, 0, 0}, {"-p", CLI_TEXT, &words->prec, 0, 0},
                                {"-o", CLI_TEXT, &words->output, 0, 0},   {NULL, CLI_FLAG, NULL, 0, 0}};
    const cli_options options = {"random", table, NULL, 0};
    int files, kind;
    int result = cli_options_parse(&options, argc, argv, &files);
    if (result == CLI_OK)
        result = cli_option_prec("random", words->prec, prec);
    if (result != CLI_OK)
        return result;
    kind = words->g < 0 ? 0 : 1;
    if (words->kind != NULL && (result = cli_option_word("random", "--kind", words->kind, kinds, &kind)) != CLI_OK)
        return result;
    *unit = kind == 0;
    if (*unit && words->g >= 0)
        return cli_misuse("random", "--g goes with --kind range");
    if (!*unit && words->g < 0)
        return cli_misuse("random", "--kind range needs --g");
    if (words->m == 0)
        return cli_misuse("random", "-m is missing: how many rows?");
    if (words->n == 0)
        words->n = words->m;
    return CLI_OK;
}

int plumb_cli_random(int argc, char **argv)
{
    random_words words = {.prec = "qd", .output = "-", .g = -1, .seed = 1};
    bool unit;
    int32_t prec;
    if (cli_wants_help(argc, argv))
        return help();
    int result = parse(argc, argv, &words, &unit, &prec);
    if (result != CLI_OK)
        return result;
    plumb_context *context = NULL;
    plumb_context_options settings;
    plumb_context_options_init(&settings);
    settings.backend = PLUMB_BACKEND_CPU;
    plumb_view view = {.data = NULL};
    cli_output output = {.path = NULL};
    if ((result = cli_context_create("random", &settings, &context)) != CLI_OK ||
        (result = cli_array_create("random", context, prec, PLUMB_COMPLEX, words.m, words.n, &view)) != CLI_OK)
        goto done;
    plumb_status status = plumb_random_matrix(&view, unit, words.g, words.seed);
    if (status != PLUMB_OK)
        result = cli_fail("random", "%s", plumb_status_text(status));
    else if ((result = cli_output_matrix("random", &output, words.output, &view)) == CLI_OK)
        result = cli_output_commit("random", &output);
done:
    plumb_array_destroy(context, &view);
    plumb_context_destroy(context);
    return result;
}
