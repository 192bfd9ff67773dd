/* eval.c - plumb eval: the values of a polynomial system at a point, and its Jacobian. */
#include "cli/eval/eval.h"

#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/options.h"
#include "cli/cli.h"
#include "cli/system/system.h"

static const char command[] = "eval";

typedef struct eval_words {
    const char *system, *at, *prec;
    bool random, jacobian, json;
    uint64_t seed;
} eval_words;

static int help(void)
{
    printf("usage: plumb eval SYSTEM (--at POINT | --random) [OPTIONS]\n"
           "\n"
           "Evaluates a polynomial system ('-': standard input) at complex points. Coefficients and coordinates are "
           "exact\n"
           "until they are rounded, correctly, to the precision; results are printed in full.\n"
           "\n"
           "options:\n"
           "  --at POINT   where: 'x=1/3,y=(2-i)', a number for each unknown; or a file of solutions ('-': standard\n"
           "               input), then at each of them\n"
           "  --random     at a random point with coordinates of modulus 1\n"
           "  --seed S     of --random, a whole number below 2^64 (default: 1)\n"
           "  -p PREC      d, dd or qd (default: qd)\n"
           "  --jacobian   the derivatives too (default: values only)\n"
           "  --json       JSON (default: text to read)\n"
           "  --help       this text\n");
    return CLI_OK;
}

static int parse(int argc, char **argv, eval_words *words, int32_t *prec)
{
    const cli_option table[] = {{"--at", CLI_TEXT, &words->at, 0, 0},
                                {"--random", CLI_FLAG, &words->random, 0, 0},
                                {"--seed", CLI_SEED, &words->seed, 0, 0},
                                {"-p", CLI_TEXT, &words->prec, 0, 0},
                                {"--json", CLI_FLAG, &words->json, 0, 0},
                                {"--jacobian", CLI_FLAG, &words->jacobian, 0, 0},
                                {NULL, CLI_FLAG, NULL, 0, 0}};
    const cli_options options = {command, table, &words->system, 1};
    int files;
    int result = cli_options_parse(&options, argc, argv, &files);
    if (result == CLI_OK)
        result = cli_option_prec(command, words->prec, prec);
    if (result != CLI_OK)
        return result;
    if (files == 0)
        return cli_misuse(command, "no system given");
    if (words->at == NULL && !words->random)
        return cli_misuse(command, "no point given: --at POINT or --random");
    if (words->at != NULL && words->random)
        return cli_misuse(command, "--at and --random exclude each other");
    if (words->at != NULL && strcmp(words->at, "-") == 0 && strcmp(words->system, "-") == 0)
        return cli_misuse(command, "the system and the points cannot both be standard input");
    return CLI_OK;
}

static int make_points(const eval_words *words, plumb_context *context, int32_t prec, eval_points *e)
{
    if (words->random)
        return eval_points_random(command, context, words->seed, prec, e);
    if (strchr(words->at, '=') != NULL)
        return eval_points_from_text(command, context, words->at, prec, e);
    return eval_points_from_file(command, context, words->at, prec, e);
}

static int evaluate(plumb_context *context, bool jacobian, eval_points *e)
{
    int64_t equations = plumb_system_equations(e->system), batch = e->points.batch;
    plumb_status status =
        plumb_array_create(context, PLUMB_HOST, e->points.prec, PLUMB_COMPLEX, equations, 1, batch, &e->values);
    if (status == PLUMB_OK && jacobian)
        status = plumb_array_create(context, PLUMB_HOST, e->points.prec, PLUMB_COMPLEX, equations,
                                    plumb_system_unknowns(e->system), batch, &e->jacobians);
    if (status == PLUMB_OK)
        status = plumb_system_eval(context, e->system, &e->points, &e->values, jacobian ? &e->jacobians : NULL, NULL);
    if (status == PLUMB_ERR_RANGE) /* a coefficient: the input is to blame */
        return cli_misuse(command, "%s", plumb_context_message(context));
    return status == PLUMB_OK ? CLI_OK : cli_context_fail(command, context, status);
}

int plumb_cli_eval(int argc, char **argv)
{
    eval_words words = {.prec = "qd", .seed = 1};
    plumb_system *system = NULL;
    plumb_context *context = NULL;
    plumb_context_options settings;
    eval_points e = {.system = NULL};
    int32_t prec;
    if (cli_wants_help(argc, argv))
        return help();
    int result = parse(argc, argv, &words, &prec);
    if (result != CLI_OK)
        return result;
    plumb_context_options_init(&settings);
    settings.backend = PLUMB_BACKEND_CPU;
    if ((result = cli_context_create(command, &settings, &context)) != CLI_OK ||
        (result = cli_system_load(command, words.system, &system)) != CLI_OK)
        goto done;
    e.system = system;
    if ((result = make_points(&words, context, prec, &e)) != CLI_OK ||
        (result = evaluate(context, words.jacobian, &e)) != CLI_OK)
        goto done;
    if (!(words.json ? eval_print_json(&e) : eval_print_text(&e)))
        result = cli_fail(command, "a result could not be printed");
done:
    plumb_array_destroy(context, &e.points);
    plumb_array_destroy(context, &e.values);
    plumb_array_destroy(context, &e.jacobians);
    plumb_system_destroy(system);
    plumb_context_destroy(context);
    return result;
}
