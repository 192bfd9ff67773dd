/* certify.c - plumb certify: proves that there is exactly one zero of the system near each solution in a file.
 *
 * A solution that cannot be certified is a result, too: it is reported and written like the others, and the exit status is 1. */
#include "cli/certify/certify.h"

#include <stdlib.h>

#include "app/app.h"
#include "app/command/command.h"
#include "app/models.h"
#include "cli/cli.h"
#include "cli/eval/eval.h"

static const char command[] = "certify";

static const app_option options[] = {
    APP_EQUATIONS(certify_words, equations),
    {0, "check", APP_INPUT, offsetof(certify_words, check), "FILE",
     "check the certificates in FILE (JSON) for SYSTEM instead, with arithmetic that shares nothing with the one that "
     "made them",
     NULL, 0, 0, NULL},
    {0, "bits", APP_COUNT, offsetof(certify_words, bits), "N",
     "maximum precision of the arithmetic, which begins with 64 bits and doubles where they do not suffice", NULL, 64,
     1024, NULL},
    APP_SEED_OPTION(certify_words, seed, "(combinations of equations, order of comparisons)"),
    APP_THREADS(certify_words, threads),
    APP_OUTPUT_OPTION(certify_words, output,
                      "write the solutions to FILE, with their certificates if it is .json (.phc, .sol, .json or "
                      ".csv); - is standard "
                      "output, with nothing else on it",
                      NULL),
    APP_JSON(certify_words, json),
    APP_QUIET(certify_words, quiet, "show nothing"),
    APP_OPTIONS_END,
};

static const certify_words defaults = {.bits = 1024};

static int choose(certify_cli *run)
{
    const certify_words *words = run->words;
    if (!words->check && !words->file[1])
        return app_misuse(command, "the argument SOLUTIONS is missing; usage: plumb certify SYSTEM SOLUTIONS");
    if (words->check && words->file[1])
        return app_misuse(command, "--check FILE goes with one argument, SYSTEM; found '%s', too", words->file[1]);
    if (words->check && words->output)
        return app_misuse(command, "--check writes no solutions: leave out --output");
    if (words->json && app_is_stream(words->output))
        return app_misuse(command, "--json and --output - cannot both have standard output");
    if (words->json && words->quiet)
        return app_misuse(command, "--json and --quiet exclude each other");
    if (app_is_stream(words->file[0]) && (app_is_stream(words->file[1]) || app_is_stream(words->check)))
        return app_misuse(command, "the system and the solutions cannot both come from standard input");
    return app_format_of(command, "--output", words->output, app_solution_formats, &run->output_format);
}

/* ---- Working ------------------------------------------------------------------------------------------------------ */

static int prove(certify_cli *run, plumb_context *context)
{
    plumb_certify_options settings;
    plumb_certify_options_init(&settings);
    settings.max_bits = (int32_t)run->words->bits;
    settings.seed = run->words->seed;
    plumb_status status =
        app_certify(context, run->system, &run->x, &settings, !run->words->quiet, &run->certificates, &run->seconds);
    if (status == PLUMB_ERR_ARGUMENT)
        return app_misuse(NULL, "%s: %s", app_input_name(run->words->file[0]), plumb_context_message(context));
    if (status != PLUMB_OK)
        return app_context_fail(command, context, status);
    run->threads = plumb_context_threads(context);
    run->counts = app_certified_count(run->certificates);
    run->bound = app_bound_of(context, run->system, run->counts.distinct);
    return APP_OK;
}

/* ---- Telling ------------------------------------------------------------------------------------------------------ */

/* The solutions as they were given, with their certificates. */
static plumb_status write_solutions(const certify_cli *run, FILE *out)
{
    plumb_solutions *s = NULL;
    plumb_status status = plumb_solutions_create(run->given->count, run->x.rows, run->x.prec,
                                                 (const char *const *)run->system->names, &s);
    if (status == PLUMB_OK && s->count > 0)
        status = plumb_unpack(&run->x, s->x);
    app_solution_writer writer = {
        .out = out, .format = run->output_format, .system = run->system, .certificates = run->certificates};
    app_solutions_begin(&writer, run->given->count);
    for (int64_t k = 0; status == PLUMB_OK && k < run->given->count && !ferror(out); k++) {
        char words[CLI_CERTIFICATE_WORDS];
        plumb_certificate c;
        for (int64_t i = 0; i < 2 * s->prec; i++)
            s->t[k * 2 * s->prec + i] = run->given->t[k * 2 * s->prec + i];
        s->record[k] = run->given->record[k];
        status = plumb_certificates_get(run->certificates, k, &c);
        if (status == PLUMB_OK && (c.code == PLUMB_CERTIFIED || c.code == PLUMB_CERTIFY_SQUARED))
            s->record[k].multiplicity = 1; /* that is proven, and may differ from the file */
        if (status == PLUMB_OK)
            status = app_solutions_one(&writer, s, k, app_certificate_words(&c, words));
    }
    plumb_status end = app_solutions_end(&writer);
    plumb_solutions_destroy(s);
    return status != PLUMB_OK ? status : end;
}

static int report(const certify_cli *run)
{
    const certify_words *words = run->words;
    app_output output = {.path = NULL};
    int result = app_output_open(command, &output, words->output);
    if (result == APP_OK && words->output) {
        plumb_status status = write_solutions(run, output.file);
        if (status != PLUMB_OK)
            result = app_fail(command, "%s could not be written: %s", words->output, plumb_status_text(status));
        else
            result = app_output_commit(command, &output);
    }
    app_output_discard(&output);
    if (result == APP_OK && !app_is_stream(words->output) &&
        !(words->json ? certify_print_json(run) : certify_print(run)))
        result = app_fail(command, "a result could not be printed");
    const int64_t left = run->counts.points - run->counts.certified - run->counts.squared;
    if (result == APP_OK && left > 0)
        return app_fail(command, "%lld of %lld solution%s could not be certified", (long long)left,
                        (long long)run->counts.points, run->counts.points == 1 ? "" : "s");
    return result;
}

static int certify(const void *values)
{
    certify_cli run = {.words = values};
    plumb_context_options settings;
    eval_inputs in = {.context = NULL};
    int result = choose(&run);
    if (result != APP_OK)
        return result;
    if (run.words->check)
        return certify_check(run.words);
    plumb_context_options_init(&settings);
    settings.threads = (int32_t)run.words->threads;
    settings.backend = PLUMB_BACKEND_CPU;
    result = eval_inputs_open(command, &settings, run.words->file, &run.words->equations, PLUMB_QD, &in, &run.x);
    run.system = in.system;
    run.given = in.solutions;
    if (result == APP_OK && (result = prove(&run, in.context)) == APP_OK)
        result = report(&run);
    plumb_array_destroy(in.context, &run.x);
    plumb_certificates_destroy(run.certificates);
    eval_inputs_close(&in);
    return result;
}

static const char *const file_names[] = {"SYSTEM", "SOLUTIONS", NULL};

const app_command plumb_cli_certify = {
    .name = "certify",
    .summary = "prove that solutions exist, are distinct, and are real or not",
    .arguments = "SYSTEM SOLUTIONS [OPTIONS]\n"
                 "-e EQ [-e EQ]... SOLUTIONS [OPTIONS]\n"
                 "--check FILE SYSTEM [OPTIONS]",
    .about = "Proves for every solution in SOLUTIONS (PHCpack's form or JSON) that the polynomial system has exactly "
             "one zero in a "
             "small box around it, by Krawczyk's test with exact coefficients in ball arithmetic. - is standard input, "
             "for one of the "
             "two files. Shows for each solution whether its zero is real, positive, and distinct from the others, and "
             "compares the number "
             "of distinct zeros with an upper bound. A box with its verdicts is a certificate; --output FILE.json "
             "keeps them, and "
             "--check proves them again.\n"
             "\n"
             "Singular solutions cannot be certified. Equations that follow from others are left out. If there are "
             "still more equations than unknowns, the boxes are those of a system of "
             "random combinations of the equations; that all equations vanish there is not proven. Certificates need "
             "the library FLINT with "
             "Arb; 'plumb info' shows whether it is installed. Checking certificates does not need it.",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .least_files = 1,
    .most_files = 2,
    .file_names = file_names,
    .files = offsetof(certify_words, file),
    .summary_shown = true,
    .run = certify,
    .after = "Exit status: 0 all solutions are certified, or all certificates hold; 1 some are not (all are written), "
             "or the work "
             "failed; 2 bad input or misuse.",
};
