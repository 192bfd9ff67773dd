/* eval.c - plumb eval: the values of a polynomial system at a point, and its Jacobian. */
#include "cli/eval/eval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/command/command.h"
#include "app/models.h"
#include "cli/cli.h"

static const char command[] = "eval";

typedef struct eval_words {
    const char *file[1];
    app_texts equations;
    const char *at;
    int32_t prec;
    bool random, jacobian, json;
    uint64_t seed;
    int64_t threads;
} eval_words;

static const app_option options[] = {
    APP_EQUATIONS(eval_words, equations),
    {0, "at", APP_TEXT, offsetof(eval_words, at), "POINT",
     "where to evaluate: 'x=1/3,y=(2-i)', a number for each unknown; or a file of solutions (- is standard input), "
     "then at "
     "each of them",
     NULL, 0, 0, NULL},
    {0, "random", APP_FLAG, offsetof(eval_words, random), NULL,
     "evaluate at a random point with coordinates of modulus 1", NULL, 0, 0, NULL},
    APP_SEED_OPTION(eval_words, seed, "of --random"),
    {'p', "precision", APP_WORD, offsetof(eval_words, prec), "PREC", "about 16, 32 or 64 digits", NULL, 0, 0,
     app_precisions},
    {0, "jacobian", APP_FLAG, offsetof(eval_words, jacobian), NULL, "show the derivatives too", NULL, 0, 0, NULL},
    APP_THREADS(eval_words, threads),
    APP_JSON(eval_words, json),
    APP_OPTIONS_END,
};

static const eval_words defaults = {.prec = APP_QD, .seed = 1};

static int check(const eval_words *words)
{
    if (words->at == NULL && !words->random)
        return app_misuse(command, "the point is missing; expected --at POINT or --random");
    if (words->at != NULL && words->random)
        return app_misuse(command, "--at and --random exclude each other");
    if (app_is_stream(words->at) && app_is_stream(words->file[0]))
        return app_misuse(command, "the system and the points cannot both come from standard input");
    return APP_OK;
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
    if (status == PLUMB_ERR_RANGE) /* of a coefficient: an error of the input */
        return app_misuse(command, "%s", plumb_context_message(context));
    return status == PLUMB_OK ? APP_OK : app_context_fail(command, context, status);
}

static bool is_finite(const plumb_view *view, int64_t k)
{
    for (int64_t plane = 0; view->data && plane < (int64_t)view->prec * view->parts; plane++)
        for (int64_t j = 0; j < view->cols; j++)
            for (int64_t i = 0; i < view->rows; i++)
                if (!isfinite(view->data[k * view->next + plane * view->plane + j * view->col + i]))
                    return false;
    return true;
}

/* Everything has been shown; but what overflowed has no value. */
static int check_range(const eval_points *e)
{
    int64_t lost = 0;
    for (int64_t k = 0; k < e->points.batch; k++)
        lost += !(is_finite(&e->values, k) && is_finite(&e->jacobians, k));
    if (lost == 0)
        return APP_OK;
    return app_fail(command, "values at %lld of %lld point%s are out of the range of a double", (long long)lost,
                    (long long)e->points.batch, e->points.batch == 1 ? "" : "s");
}

static int eval(const void *values)
{
    const eval_words *words = values;
    plumb_system *system = NULL;
    plumb_context *context = NULL;
    plumb_context_options settings;
    eval_points e = {.system = NULL};
    int result = check(words);
    if (result != APP_OK)
        return result;
    plumb_context_options_init(&settings);
    settings.backend = PLUMB_BACKEND_CPU;
    settings.threads = (int32_t)words->threads;
    if ((result = app_context_create(command, &settings, &context)) != APP_OK ||
        (result = app_polynomials_get(command, words->file[0], &words->equations, &system)) != APP_OK)
        goto done;
    e.system = system;
    if ((result = make_points(words, context, app_precision(words->prec), &e)) != APP_OK ||
        (result = evaluate(context, words->jacobian, &e)) != APP_OK)
        goto done;
    if (!(words->json ? eval_print_json(&e) : eval_print_text(&e)))
        result = app_fail(command, "a result could not be printed");
    else
        result = check_range(&e);
done:
    plumb_array_destroy(context, &e.points);
    plumb_array_destroy(context, &e.values);
    plumb_array_destroy(context, &e.jacobians);
    plumb_system_destroy(system);
    plumb_context_destroy(context);
    return result;
}

static const char *const file_names[] = {"SYSTEM", NULL};

const app_command plumb_cli_eval = {
    .name = "eval",
    .summary = "evaluate a polynomial system at a point, with its Jacobian",
    .arguments = "SYSTEM (--at POINT | --random) [OPTIONS]\n"
                 "-e EQ [-e EQ]... (--at POINT | --random) [OPTIONS]",
    .about =
        "Evaluates a polynomial system (- is standard input) at complex points. Coefficients and coordinates are exact "
        "until they are rounded, correctly, to the precision; results are shown in full digits.",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .least_files = 1,
    .most_files = 1,
    .file_names = file_names,
    .files = offsetof(eval_words, file),
    .run = eval,
    .after =
        "Exit status: 0 success; 1 values that are out of the range of a double (all are shown), or the work failed; 2 "
        "bad input or misuse.",
};
