/* point.c - the points of plumb eval: from the command line, from a file of solutions, or random. */
#include <string.h>

#include "app/app.h"
#include "app/models.h"
#include "app/values.h"
#include "cli/eval/eval.h"
#include "text/matrix/random.h"

static int make_points(const char *command, plumb_context *context, int64_t count, int32_t prec, eval_points *e)
{
    plumb_status status = plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, plumb_system_unknowns(e->system),
                                             1, count, &e->points);
    return status == PLUMB_OK ? APP_OK : app_context_fail(command, context, status);
}

static void set_point(const eval_points *e, int64_t point, int64_t unknown, const double *re, const double *im)
{
    double *to = e->points.data + point * e->points.next + unknown;
    for (int32_t c = 0; c < e->points.prec; c++) {
        to[c * e->points.plane] = re[c];
        to[(e->points.prec + c) * e->points.plane] = im[c];
    }
}

/* ---- x=1/3,y=(2-i) --------------------------------------------------------------------------------------------- */

typedef struct point_reader {
    const char *command;
    const eval_points *points;
} point_reader;

static int take_value(void *data, int64_t unknown, const char *value, size_t length)
{
    const point_reader *r = data;
    double re[PLUMB_QD], im[PLUMB_QD];
    plumb_text_error error;
    if (plumb_number_read(value, length, r->points->points.prec, re, im, &error) != PLUMB_OK)
        return app_misuse(r->command, "--at: %s: %s", plumb_system_name(r->points->system, unknown), error.message);
    set_point(r->points, 0, unknown, re, im);
    return APP_OK;
}

int eval_points_from_text(const char *command, plumb_context *context, const char *text, int32_t prec, eval_points *e)
{
    point_reader reader = {command, e};
    const int result = make_points(command, context, 1, prec, e);
    if (result != APP_OK || plumb_system_unknowns(e->system) == 0)
        return result;
    return app_values_read(command, "--at", "NAME=NUMBER", e->system, text, take_value, &reader);
}

/* ---- A file of solutions --------------------------------------------------------------------------------------- */

int eval_points_of_solutions(const char *command, plumb_context *context, const char *path,
                             const plumb_solutions *solutions, eval_points *e)
{
    path = app_input_name(path);
    e->many = true;

    int64_t unknowns = plumb_system_unknowns(e->system);
    if (solutions->unknowns != unknowns)
        return app_misuse(command, "%s: found solutions of %lld unknowns, expected %lld", path,
                          (long long)solutions->unknowns, (long long)unknowns);
    int result = make_points(command, context, solutions->count, solutions->prec, e);
    for (int64_t i = 0; result == APP_OK && i < unknowns; i++) {
        const char *name = solutions->names[i];
        int64_t unknown = name != NULL ? plumb_system_find_unknown(e->system, name, strlen(name)) : i;
        if (unknown < 0)
            return app_misuse(command, "%s: the system has no unknown '%s'", path, name);
        for (int64_t k = 0; k < solutions->count; k++) {
            const double *x = solution_value(solutions, k, i);
            set_point(e, k, unknown, x, x + solutions->prec);
        }
    }
    return result;
}

int eval_inputs_open(const char *command, const plumb_context_options *settings, const char *const file[2],
                     const app_texts *equations, int32_t prec, eval_inputs *in, plumb_view *x)
{
    int result = app_context_create(command, settings, &in->context);
    if (result == APP_OK)
        result = app_polynomials_get(command, file[0], equations, &in->system);
    if (result == APP_OK)
        result = app_solutions_load(command, file[1], prec, &in->solutions);
    if (result != APP_OK)
        return result;
    eval_points e = {.system = in->system};
    result = eval_points_of_solutions(command, in->context, file[1], in->solutions, &e);
    *x = e.points;
    return result;
}

void eval_inputs_close(eval_inputs *in)
{
    plumb_solutions_destroy(in->solutions);
    plumb_system_destroy(in->system);
    plumb_context_destroy(in->context);
}

int eval_points_from_file(const char *command, plumb_context *context, const char *path, int32_t prec, eval_points *e)
{
    plumb_solutions *solutions = NULL;
    int result = app_solutions_load(command, path, prec, &solutions);
    if (result == APP_OK)
        result = eval_points_of_solutions(command, context, path, solutions, e);
    plumb_solutions_destroy(solutions);
    return result;
}

int eval_points_random(const char *command, plumb_context *context, uint64_t seed, int32_t prec, eval_points *e)
{
    int result = make_points(command, context, 1, prec, e);
    if (result != APP_OK)
        return result;
    plumb_status status = plumb_random_matrix(&e->points, 1, 0.0, seed);
    return status == PLUMB_OK ? APP_OK : app_fail(command, "%s", plumb_status_text(status));
}
