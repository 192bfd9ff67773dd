/* newton.c - plumb newton: every solution in a file goes through Newton's method, and the report says what became of each.
 *
 * A solution that does not converge is a result too: it is reported and written like the others, and the exit status is 1. */
#include "cli/newton/newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/options.h"
#include "app/sample.h"
#include "cli/cli.h"
#include "cli/eval/eval.h"
#include "cli/system/system.h"
#include "text/solutions/text.h"

static const char command[] = "newton";

enum { DEFAULT_DIGITS = 12, DEFAULT_STEPS = 20, MOST_STEPS = 100000 };

static int help(void)
{
    printf(
        "usage: plumb newton SYSTEM START [OPTIONS]\n"
        "\n"
        "Refines every solution in START (PHCpack's form or JSON) by Newton's method on a polynomial system; with\n"
        "more equations than unknowns by that of Gauss and Newton. '-' is standard input, for one of the two. Shows\n"
        "for each how it ended, the steps, the precision of the residual and of the Jacobian, the residual, an\n"
        "estimate of the relative error, of the condition number, and the digits believed right.\n"
        "\n"
        "options:\n"
        "  -p PREC            d, dd or qd (about 16, 32, 64 digits), or auto: from d up, until the digits wanted are\n"
        "                     there (default: auto)\n"
        "  --refine-to N      digits wanted: climbs from d, at most to qd or to PREC (default: %d with -p auto)\n"
        "  --tol X            converged when a correction is at most X times the largest coordinate; goes with -p d,\n"
        "                     dd or qd (default: what the precision allows)\n"
        "  --max-steps N      steps in each precision (default: %d)\n"
        "  --jacobian-prec P  precision of Jacobian and factor: d, dd, qd, or auto: the lowest that converges\n"
        "                     (default: auto)\n"
        "  --backend NAME     auto, cpu or gpu; auto: a GPU where there is one and enough to do (default: auto)\n"
        "  --threads N        threads (default: one a core); the result does not depend on it\n"
        "  -o FILE            write the solutions to FILE, JSON if it ends in .json, else PHCpack's form; - is\n"
        "                     standard output, with nothing else on it (default: they are shown)\n"
        "  --json             one JSON object, with the corrections of every step (default: text)\n"
        "  --quiet            the solutions alone, or with -o nothing (default: off)\n"
        "  --help             this text\n"
        "\n"
        "exit status: 0 all solutions converged, to the digits wanted; 1 some did not (all are written), or the work\n"
        "failed; 2 bad input or misuse\n",
        DEFAULT_DIGITS, DEFAULT_STEPS);
    return CLI_OK;
}

/* ---- what was asked ------------------------------------------------------------------------------------------- */

typedef struct newton_words {
    const char *prec, *jacobian, *backend;
    double digits, tolerance;
    int64_t steps, threads;
} newton_words;

/* A precision, or "auto": 0. */
static int read_prec(const char *option, const char *word, int32_t *prec)
{
    *prec = strcmp(word, "auto") == 0 ? 0 : plumb_prec_from_name(word);
    if (*prec == 0 && strcmp(word, "auto") != 0)
        return cli_misuse(command, "%s: found '%s', expected d, dd, qd or auto", option, word);
    return CLI_OK;
}

static int choose(const newton_words *words, newton_cli *run, int32_t *prec)
{
    int result = read_prec("-p", words->prec, prec);
    if (result == CLI_OK)
        result = read_prec("--jacobian-prec", words->jacobian, &run->settings.jacobian_prec);
    if (result != CLI_OK)
        return result;
    run->digits = words->digits > 0.0 ? words->digits : *prec == 0 ? DEFAULT_DIGITS : 0.0;
    if (words->tolerance > 0.0 && run->digits > 0.0)
        return cli_misuse(command, "--tol goes with -p d, dd or qd, and without --refine-to");
    if (*prec == 0)
        *prec = PLUMB_QD;
    if (run->settings.jacobian_prec > *prec)
        return cli_misuse(command, "--jacobian-prec %s is above -p %s", words->jacobian, words->prec);
    if (run->json && cli_is_stream(run->output))
        return cli_misuse(command, "--json and -o - would share standard output");
    if (run->json && run->quiet)
        return cli_misuse(command, "--json and --quiet exclude each other");
    if (cli_is_stream(run->system_path) && cli_is_stream(run->start_path))
        return cli_misuse(command, "the system and the solutions cannot both be standard input");
    run->settings.tolerance = words->tolerance;
    run->settings.most_steps = words->steps;
    return CLI_OK;
}

static int parse(int argc, char **argv, newton_cli *run, plumb_context_options *settings, int32_t *prec)
{
    newton_words words = {.prec = "auto", .jacobian = "auto", .backend = "auto", .steps = DEFAULT_STEPS};
    const char *file[2] = {NULL, NULL};
    int files;
    const cli_option table[] = {{"-p", CLI_TEXT, &words.prec, 0, 0},
                                {"--refine-to", CLI_REAL, &words.digits, 1, 100},
                                {"--tol", CLI_REAL, &words.tolerance, 0, 1},
                                {"--max-steps", CLI_COUNT, &words.steps, 1, MOST_STEPS},
                                {"--jacobian-prec", CLI_TEXT, &words.jacobian, 0, 0},
                                {"--backend", CLI_TEXT, &words.backend, 0, 0},
                                {"--threads", CLI_COUNT, &words.threads, 1, 1024},
                                {"-o", CLI_TEXT, &run->output, 0, 0},
                                {"--json", CLI_FLAG, &run->json, 0, 0},
                                {"--quiet", CLI_FLAG, &run->quiet, 0, 0},
                                {NULL, CLI_FLAG, NULL, 0, 0}};
    const cli_options options = {command, table, file, 2};
    int result = cli_options_parse(&options, argc, argv, &files);
    if (result != CLI_OK)
        return result;
    if (files < 2)
        return cli_misuse(command, "%s; usage: plumb newton SYSTEM START [OPTIONS]",
                          files == 0 ? "no system given" : "no solutions to start from given");
    run->system_path = file[0];
    run->start_path = file[1];
    settings->threads = (int32_t)words.threads;
    result = choose(&words, run, prec);
    return result == CLI_OK ? cli_option_backend(command, words.backend, &settings->backend) : result;
}

/* ---- working --------------------------------------------------------------------------------------------------- */

/* Reports, and room for the steps of every precision where JSON is to tell them. */
static int make_room(newton_cli *run, newton_trace_step **steps)
{
    const size_t count = (size_t)run->x.batch + 1;
    const int64_t room = 3 * run->settings.most_steps;
    run->reports = calloc(count, sizeof *run->reports);
    if (run->json) {
        run->traces = calloc(count, sizeof *run->traces);
        *steps = calloc(count * (size_t)room, sizeof **steps);
    }
    if (!run->reports || (run->json && (!run->traces || !*steps)))
        return cli_fail(command, "out of memory");
    for (int64_t k = 0; run->json && k < run->x.batch; k++)
        run->traces[k] = (newton_trace){.step = *steps + k * room, .room = room};
    run->settings.traces = run->traces;
    return CLI_OK;
}

double newton_digits(const plumb_newton_report *report)
{
    return report->error < 1.0 ? fmin(-log10(report->error), 99.0) : 0.0;
}

static int refine(newton_cli *run, plumb_context *context)
{
    plumb_status status = newton_check(context, run->system, &run->x, run->reports);
    if (status == PLUMB_ERR_ARGUMENT)
        return cli_misuse(NULL, "%s: %s", cli_input_name(run->system_path), plumb_context_message(context));
    const double begin = bench_now_ns();
    if (status == PLUMB_OK)
        status = run->digits > 0.0
                     ? newton_climb(context, run->system, &run->x, run->digits, &run->settings, run->reports)
                     : newton_run(context, run->system, &run->x, &run->settings, run->reports);
    run->seconds = (bench_now_ns() - begin) * 1e-9;
    if (status == PLUMB_ERR_RANGE) /* a coefficient: the input is to blame */
        return cli_misuse(NULL, "%s: %s", cli_input_name(run->system_path), plumb_context_message(context));
    if (status != PLUMB_OK)
        return cli_context_fail(command, context, status);
    for (int64_t k = 0; k < run->x.batch; k++)
        if (run->reports[k].code == PLUMB_NEWTON_CONVERGED) {
            run->converged++;
            run->enough += newton_digits(&run->reports[k]) >= run->digits;
        }
    return CLI_OK;
}

/* x in no higher precision than one of the solutions needed: the rest of it are zeros. */
static int lower(newton_cli *run, plumb_context *context)
{
    plumb_view low = {.data = NULL};
    int32_t prec = PLUMB_D;
    for (int64_t k = 0; k < run->x.batch; k++)
        prec = run->reports[k].prec > prec ? run->reports[k].prec : prec;
    if (prec == run->x.prec || run->x.batch == 0)
        return CLI_OK;
    plumb_status status =
        plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, run->x.rows, 1, run->x.batch, &low);
    if (status == PLUMB_OK)
        status = plumb_copy(context, &run->x, &low, NULL);
    if (status != PLUMB_OK)
        return cli_context_fail(command, context, status);
    plumb_array_destroy(context, &run->x);
    run->x = low;
    return CLI_OK;
}

/* ---- telling --------------------------------------------------------------------------------------------------- */

static bool ends_in_json(const char *path)
{
    const size_t length = strlen(path), tail = 5;
    return length >= tail && strcmp(path + length - tail, ".json") == 0;
}

/* As they were given, with what is known now. */
static plumb_status write_solutions(const newton_cli *run, const plumb_solutions *given, FILE *out)
{
    plumb_solutions *s = NULL;
    plumb_status status =
        plumb_solutions_create(given->count, run->x.rows, run->x.prec, (const char *const *)run->system->names, &s);
    if (status == PLUMB_OK && given->count > 0)
        status = plumb_unpack(&run->x, s->x);
    for (int64_t k = 0; status == PLUMB_OK && k < given->count; k++) {
        const plumb_newton_report *r = &run->reports[k];
        for (int part = 0; part < 2; part++) /* t has as many digits as it can */
            for (int32_t c = 0; c < s->prec && c < given->prec; c++)
                s->t[(k * 2 + part) * s->prec + c] = given->t[(k * 2 + part) * given->prec + c];
        s->record[k] = (solution_record){.multiplicity = given->record[k].multiplicity,
                                         .err = isfinite(r->error) ? r->error : 1.0,
                                         .rco = r->condition > 1.0 ? 1.0 / r->condition : 1.0,
                                         .res = isfinite(r->residual) ? r->residual : 0.0};
    }
    if (status == PLUMB_OK)
        status = ends_in_json(run->output) ? plumb_solutions_write_json(out, s) : plumb_solutions_write_phc(out, s);
    plumb_solutions_destroy(s);
    return status;
}

/* Solutions into their file first: what is said on the screen is then true. */
static int report(const newton_cli *run, const plumb_solutions *given)
{
    cli_output output = {.path = NULL};
    int result = cli_output_open(command, &output, run->output);
    if (result == CLI_OK && run->output) {
        plumb_status status = write_solutions(run, given, output.file);
        if (status != PLUMB_OK)
            result = cli_fail(command, "%s could not be written: %s", run->output, plumb_status_text(status));
        else
            result = cli_output_commit(command, &output);
    }
    cli_output_discard(&output);
    if (result == CLI_OK && !cli_is_stream(run->output) && !(run->json ? newton_print_json(run) : newton_print(run)))
        result = cli_fail(command, "a result could not be printed");
    if (result != CLI_OK)
        return result;
    const int64_t count = run->x.batch, lost = count - run->converged, short_of = run->converged - run->enough;
    const char *plural = count == 1 ? "" : "s";
    if (lost > 0)
        return cli_fail(command, "%lld of %lld solution%s did not converge", (long long)lost, (long long)count, plural);
    if (short_of > 0)
        return cli_fail(command, "%lld of %lld solution%s converged to fewer than %g digits", (long long)short_of,
                        (long long)count, plural, run->digits);
    return CLI_OK;
}

int plumb_cli_newton(int argc, char **argv)
{
    if (cli_wants_help(argc, argv))
        return help();
    newton_cli run = {.output = NULL};
    plumb_context *context = NULL;
    plumb_context_options settings;
    plumb_system *system = NULL;
    plumb_solutions *start = NULL;
    newton_trace_step *steps = NULL;
    eval_points e = {.system = NULL};
    int32_t prec = 0;
    plumb_context_options_init(&settings);
    int result = parse(argc, argv, &run, &settings, &prec);
    if (result != CLI_OK)
        return result;
    if ((result = cli_context_create(command, &settings, &context)) != CLI_OK ||
        (result = cli_system_load(command, run.system_path, &system)) != CLI_OK ||
        (result = eval_solutions_load(command, run.start_path, prec, &start)) != CLI_OK)
        goto done;
    e.system = run.system = system;
    run.threads = plumb_context_threads(context);
    run.backend = plumb_context_backend(context);
    result = eval_points_of_solutions(command, context, run.start_path, start, &e);
    run.x = e.points;
    if (result == CLI_OK && (result = make_room(&run, &steps)) == CLI_OK &&
        (result = refine(&run, context)) == CLI_OK && (result = lower(&run, context)) == CLI_OK)
        result = report(&run, start);
done:
    plumb_array_destroy(context, &run.x);
    free(run.reports);
    free(run.traces);
    free(steps);
    plumb_solutions_destroy(start);
    plumb_system_destroy(system);
    plumb_context_destroy(context);
    return result;
}
