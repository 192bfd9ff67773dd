/* newton.c - plumb newton: refines every solution in a file by Newton's method and reports how each one ended.
 *
 * A solution that does not converge is a result too: it is reported and written like the others, and the exit status is 1. */
#include "cli/newton/newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/command/command.h"
#include "app/digits.h"
#include "app/models.h"
#include "app/report.h"
#include "app/sample.h"
#include "cli/cli.h"
#include "cli/eval/eval.h"
#include "text/number/number.h"

static const char command[] = "newton";

enum { DEFAULT_DIGITS = 12, DEFAULT_STEPS = 20, MOST_STEPS = 100000 };
_Static_assert(DEFAULT_DIGITS == 12, "the help says so");

/* ---- The command line --------------------------------------------------------------------------------------------- */

static const app_option options[] = {
    APP_EQUATIONS(newton_words, equations),
    {'p', "precision", APP_WORD, offsetof(newton_words, prec), "PREC",
     "about 16, 32 or 64 digits; auto starts in d and goes up until the digits wanted are reached", NULL, 0, 0,
     app_precisions_auto},
    {0, "digits", APP_REAL, offsetof(newton_words, digits), "N",
     "number of correct digits: starts in d and goes up, at most to PREC; with -p auto more than 60 digits, up to "
     "10,000, are computed in MPFR; the exit status is 1 if they are not reached",
     "12 with -p auto", 1, APP_MOST_DIGITS, NULL},
    {0, "tol", APP_REAL, offsetof(newton_words, tolerance), "X",
     "converged when a correction is at most X times the largest coordinate; goes with -p d, dd or qd",
     "what the precision allows", 0, 1, NULL},
    {0, "max-steps", APP_COUNT, offsetof(newton_words, steps), "N", "maximum number of steps in each precision", NULL,
     1, MOST_STEPS, NULL},
    {0, "jacobian-precision", APP_WORD, offsetof(newton_words, jacobian), "PREC",
     "precision of the Jacobian and its factor; auto takes the lowest one that converges", NULL, 0, 0,
     app_precisions_auto},
    APP_BACKEND(newton_words, backend),
    APP_THREADS(newton_words, threads),
    APP_OUTPUT_OPTION(
        newton_words, output,
        "write the solutions to FILE (.phc, .sol, .json or .csv); - is standard output, with nothing else on it",
        "they are shown"),
    APP_JSON(newton_words, json),
    APP_QUIET(newton_words, quiet, "show the solutions alone, or with -o nothing"),
    APP_OPTIONS_END,
};

static const newton_words defaults = {.prec = APP_AUTO, .jacobian = APP_AUTO, .steps = DEFAULT_STEPS};

/* What the words mean together; *prec is that of the solutions. */
static int choose(newton_cli *run, int32_t *prec)
{
    const newton_words *words = run->words;
    *prec = app_precision(words->prec);
    run->settings.jacobian_prec = app_precision(words->jacobian);
    run->digits = words->digits > 0.0 ? words->digits : *prec == 0 ? DEFAULT_DIGITS : 0.0;
    if (words->tolerance > 0.0 && run->digits > 0.0)
        return app_misuse(command, "--tol goes with -p d, dd or qd, and without --digits");
    if (*prec == 0) {
        *prec = PLUMB_QD;
        run->many = run->digits > APP_LIMB_DIGITS ? (int64_t)ceil(run->digits) : 0;
    } else if (run->digits > APP_LIMB_DIGITS) {
        return app_misuse(command, "--digits %g goes with -p auto, expected at most %d with -p %s", run->digits,
                          APP_LIMB_DIGITS, app_precisions_auto[words->prec]);
    }
    if (run->settings.jacobian_prec > *prec)
        return app_misuse(command, "--jacobian-precision %s is above -p %s", app_precisions_auto[words->jacobian],
                          app_precisions_auto[words->prec]);
    if (words->json && app_is_stream(words->output))
        return app_misuse(command, "--json and --output - cannot both have standard output");
    if (words->json && words->quiet)
        return app_misuse(command, "--json and --quiet exclude each other");
    if (app_is_stream(words->file[0]) && app_is_stream(words->file[1]))
        return app_misuse(command, "the system and the solutions cannot both come from standard input");
    run->settings.tolerance = words->tolerance;
    run->settings.most_steps = words->steps;
    return app_format_of(command, "--output", words->output, app_solution_formats, &run->output_format);
}

/* ---- Working ------------------------------------------------------------------------------------------------------ */

/* Reports, and for JSON room for the steps in every precision. */
static int make_room(newton_cli *run, newton_trace_step **steps)
{
    const size_t count = (size_t)run->x.batch + 1;
    const int64_t room = 3 * run->settings.most_steps;
    run->reports = calloc(count, sizeof *run->reports);
    if (run->words->json) {
        run->traces = calloc(count, sizeof *run->traces);
        *steps = calloc(count, ((size_t)room + 1) * sizeof **steps);
    }
    if (!run->reports || (run->words->json && (!run->traces || !*steps)))
        return app_fail(command, "out of memory");
    for (int64_t k = 0; run->words->json && k < run->x.batch; k++)
        run->traces[k] = (newton_trace){.step = *steps + k * room, .room = room};
    run->settings.traces = run->traces;
    return APP_OK;
}

double newton_digits(const plumb_newton_report *report)
{
    return report->error < 1.0 ? fmin(-log10(report->error), 99.0) : 0.0;
}

static int refine(newton_cli *run, plumb_context *context)
{
    plumb_status status = newton_check(context, run->system, &run->x, run->reports);
    if (status == PLUMB_ERR_ARGUMENT)
        return app_misuse(NULL, "%s: %s", app_input_name(run->words->file[0]), plumb_context_message(context));
    const double begin = bench_now_ns();
    if (status == PLUMB_OK)
        status = run->digits > 0.0 ? newton_climb(context, run->system, &run->x, fmin(run->digits, APP_LIMB_DIGITS),
                                                  &run->settings, run->reports)
                                   : newton_run(context, run->system, &run->x, &run->settings, run->reports);
    if (status == PLUMB_OK && run->many > 0)
        status = app_digits_of_points(context, run->system, &run->x, run->many, !run->words->quiet, &run->refined);
    run->seconds = (bench_now_ns() - begin) * 1e-9;
    if (status == PLUMB_ERR_RANGE) /* of a coefficient: an error of the input */
        return app_misuse(NULL, "%s: %s", app_input_name(run->words->file[0]), plumb_context_message(context));
    if (status != PLUMB_OK)
        return app_context_fail(command, context, status);
    if (run->refined) {
        run->converged = app_digits_count(run->refined, 1);
        run->enough = app_digits_count(run->refined, run->many);
        return APP_OK;
    }
    for (int64_t k = 0; k < run->x.batch; k++)
        if (run->reports[k].code == PLUMB_NEWTON_CONVERGED) {
            run->converged++;
            run->enough += newton_digits(&run->reports[k]) >= fmax(run->digits, 1.0);
        }
    return APP_OK;
}

/* x in the highest precision that one of the solutions needed: the limbs beyond are zeros. */
static int lower(newton_cli *run, plumb_context *context)
{
    plumb_view low = {.data = NULL};
    int32_t prec = PLUMB_D;
    for (int64_t k = 0; k < run->x.batch; k++)
        prec = run->reports[k].prec > prec ? run->reports[k].prec : prec;
    if (prec == run->x.prec || run->x.batch == 0 || run->refined)
        return APP_OK;
    plumb_status status =
        plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, run->x.rows, 1, run->x.batch, &low);
    if (status == PLUMB_OK)
        status = plumb_copy(context, &run->x, &low, NULL);
    if (status != PLUMB_OK)
        return app_context_fail(command, context, status);
    plumb_array_destroy(context, &run->x);
    run->x = low;
    return APP_OK;
}

/* Numbers of solutions without limbs that say nothing. */
static void shorten(newton_cli *run)
{
    const plumb_view *x = &run->x;
    for (int64_t k = 0; k < x->batch; k++)
        for (int64_t i = 0; i < x->rows; i++)
            for (int32_t part = 0; part < x->parts; part++) {
                const plumb_newton_report *r = &run->reports[k];
                double limbs[PLUMB_QD], *first = x->data + k * x->next + part * x->prec * x->plane + i;
                app_entry(x, k, i, 0, part, limbs);
                plumb_number_shorten(r->prec, r->error, limbs);
                for (int32_t c = 0; c < r->prec; c++)
                    first[c * x->plane] = limbs[c];
            }
}

/* ---- Telling ------------------------------------------------------------------------------------------------------ */

/* The solutions as they were given, with what is known now, each in the precision that it needed. */
static plumb_status write_solutions(const newton_cli *run, const plumb_solutions *given, FILE *out)
{
    const char *const *names = (const char *const *)run->system->names;
    plumb_solutions *s = NULL, *one = NULL;
    plumb_digits digits;
    plumb_status status = plumb_solutions_create(given->count, run->x.rows, run->x.prec, names, &s);
    if (status == PLUMB_OK)
        status = plumb_solutions_create(1, run->x.rows, PLUMB_QD, names, &one);
    if (status == PLUMB_OK && given->count > 0)
        status = plumb_unpack(&run->x, s->x);
    app_solution_writer writer = {.out = out, .format = run->output_format, .system = run->system};
    if (status == PLUMB_OK)
        s->digits = run->refined;
    app_solutions_begin(&writer, given->count);
    for (int64_t k = 0; status == PLUMB_OK && k < given->count && !ferror(out); k++) {
        const plumb_newton_report *r = &run->reports[k];
        for (int part = 0; part < 2; part++) /* t, in the precision of the output */
            for (int32_t c = 0; c < s->prec && c < given->prec; c++)
                s->t[(k * 2 + part) * s->prec + c] = given->t[(k * 2 + part) * given->prec + c];
        s->record[k] = (solution_record){.multiplicity = given->record[k].multiplicity,
                                         .prec = run->refined ? s->prec : r->prec,
                                         .err = isfinite(r->error) ? r->error : 1.0,
                                         .rco = r->condition > 1.0 ? 1.0 / r->condition : 1.0,
                                         .res = isfinite(r->residual) ? r->residual : 0.0};
        plumb_digits_report many;
        if (run->refined && plumb_digits_get(run->refined, k, &many) == PLUMB_OK && many.known > 0)
            s->record[k].err = app_digits_error(&many);
        app_solution_take(s, k, one, &digits);
        status = app_solutions_one(&writer, one, 0, NULL);
    }
    plumb_status end = app_solutions_end(&writer);
    if (s)
        s->digits = NULL; /* they belong to the run */
    if (one)
        one->digits = NULL;
    plumb_solutions_destroy(one);
    plumb_solutions_destroy(s);
    return status != PLUMB_OK ? status : end;
}

/* Solutions into their file first: what is shown afterwards is then true. */
static int report(const newton_cli *run, const plumb_solutions *given)
{
    const newton_words *words = run->words;
    app_output output = {.path = NULL};
    int result = app_output_open(command, &output, words->output);
    if (result == APP_OK && words->output) {
        plumb_status status = write_solutions(run, given, output.file);
        if (status != PLUMB_OK)
            result = app_fail(command, "%s could not be written: %s", words->output, plumb_status_text(status));
        else
            result = app_output_commit(command, &output);
    }
    app_output_discard(&output);
    if (result == APP_OK && !app_is_stream(words->output) &&
        !(words->json ? newton_print_json(run) : newton_print(run)))
        result = app_fail(command, "a result could not be printed");
    if (result != APP_OK)
        return result;
    const int64_t count = run->x.batch, lost = count - run->converged, short_of = run->converged - run->enough;
    const char *plural = count == 1 ? "" : "s";
    if (lost > 0)
        return app_fail(command, "%lld of %lld solution%s did not converge", (long long)lost, (long long)count, plural);
    if (short_of > 0 && run->digits < 1.0)
        return app_fail(command, "%lld of %lld solution%s converged without a correct digit (estimated)",
                        (long long)short_of, (long long)count, plural);
    if (short_of > 0)
        return app_fail(command, "%lld of %lld solution%s converged to fewer than the %g digits wanted",
                        (long long)short_of, (long long)count, plural, run->digits);
    return APP_OK;
}

static int newton(const void *values)
{
    newton_cli run = {.words = values};
    plumb_context_options settings;
    eval_inputs in = {.context = NULL};
    newton_trace_step *steps = NULL;
    int32_t prec = 0;
    int result = choose(&run, &prec);
    if (result != APP_OK)
        return result;
    plumb_context_options_init(&settings);
    settings.threads = (int32_t)run.words->threads;
    settings.backend = run.words->backend;
    result = eval_inputs_open(command, &settings, run.words->file, &run.words->equations, prec, &in, &run.x);
    if (result == APP_OK) {
        run.system = in.system;
        run.threads = plumb_context_threads(in.context);
        run.backend = plumb_context_backend(in.context);
        result = make_room(&run, &steps);
    }
    if (result == APP_OK && (result = refine(&run, in.context)) == APP_OK &&
        (result = lower(&run, in.context)) == APP_OK) {
        shorten(&run);
        result = report(&run, in.solutions);
    }
    plumb_array_destroy(in.context, &run.x);
    plumb_digits_destroy(run.refined);
    free(run.reports);
    free(run.traces);
    free(steps);
    eval_inputs_close(&in);
    return result;
}

static const char *const file_names[] = {"SYSTEM", "SOLUTIONS", NULL};

const app_command plumb_cli_newton = {
    .name = "newton",
    .summary = "refine solutions of a polynomial system by Newton's method",
    .arguments = "SYSTEM SOLUTIONS [OPTIONS]\n"
                 "-e EQ [-e EQ]... SOLUTIONS [OPTIONS]",
    .about =
        "Refines every solution in SOLUTIONS (PHCpack's form or JSON) by Newton's method on a polynomial system; with "
        "more "
        "equations than unknowns by the Gauss-Newton method. - is standard input, for one of the two. Shows for each "
        "solution how it ended, the steps, the precision of the residual and of the Jacobian, the residual, estimates "
        "of the relative error and of the condition number, and the estimated number of correct digits. With --digits "
        "above 60, solutions with a regular Jacobian are refined further, with as many bits as necessary: the digits "
        "are then those of every unknown.",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .least_files = 2,
    .most_files = 2,
    .file_names = file_names,
    .files = offsetof(newton_words, file),
    .summary_shown = true,
    .run = newton,
    .after = "Exit status: 0 all solutions converged to the digits wanted; 1 some did not (all are written), or the "
             "work failed; "
             "2 bad input or misuse.",
};
