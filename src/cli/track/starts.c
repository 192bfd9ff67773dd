/* starts.c - the start points of paths, from a file or made when they are needed; and the check that those of a file are solutions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "cli/track/track.h"

static const char command[] = "track";

static const double START_TOLERANCE =
    1e-6; /* maximum relative correction by a Newton step: six correct digits suffice */
enum { CHECKED_AT_ONCE = 1024 };

static void set_value(const plumb_view *x, int64_t k, int64_t unknown, const double *limbs, int32_t prec)
{
    double *to = x->data + k * x->next + unknown;
    for (int32_t part = 0; part < 2; part++)
        for (int32_t c = 0; c < x->prec; c++)
            to[(part * x->prec + c) * x->plane] = c < prec ? limbs[part * prec + c] : 0;
}

static void take_given(const track_input *input, const int64_t *paths, int64_t count, const plumb_view *x)
{
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = 0; i < input->job.unknowns; i++)
            set_value(x, k, input->place[i], solution_value(input->solutions, paths[k], i), input->solutions->prec);
}

/* Puts one point into the order of the target's unknowns, in place. row: room for a plane. */
static void reorder(const track_input *input, const plumb_view *x, int64_t k, double *row)
{
    for (int32_t c = 0; c < 2 * x->prec; c++) {
        double *plane = x->data + k * x->next + c * x->plane;
        memcpy(row, plane, (size_t)input->job.unknowns * sizeof *row);
        for (int64_t i = 0; i < input->job.unknowns; i++)
            plane[input->place[i]] = row[i];
    }
}

/* Makes start points; those with consecutive numbers are made together. */
static plumb_status make(const track_input *input, const int64_t *paths, int64_t count, const plumb_view *x)
{
    for (int64_t k = 0, run; k < count; k += run) {
        for (run = 1; k + run < count && paths[k + run] == paths[k] + run;)
            run++;
        plumb_view part = *x;
        part.data += k * x->next;
        part.batch = run;
        plumb_status status = plumb_system_start_solutions(input->start, paths[k], &part);
        if (status != PLUMB_OK)
            return status;
    }
    double *row = malloc((size_t)input->job.unknowns * sizeof *row);
    if (row == NULL)
        return PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < count; k++)
        reorder(input, x, k, row);
    free(row);
    return PLUMB_OK;
}

plumb_status track_input_starts(const run_job *job, plumb_context *context, const int64_t *paths, int32_t rerun,
                                plumb_view *x)
{
    const track_input *input = job->data;
    (void)context, (void)rerun;
    if (input->solutions == NULL)
        return make(input, paths, x->batch, x);
    take_given(input, paths, x->batch, x);
    return PLUMB_OK;
}

/* ---- Are they solutions? ---------------------------------------------------------------------------------------- */

/* The largest part of an entry of one point; infinity when one is not finite. */
static double size_of(const plumb_view *x, int64_t k)
{
    double most = 0;
    for (int32_t part = 0; part < 2; part++)
        for (int64_t i = 0; i < x->rows; i++) {
            double value = fabs(x->data[k * x->next + part * x->prec * x->plane + i]);
            most = isfinite(value) ? fmax(most, value) : (double)INFINITY;
        }
    return most;
}

static int check_one(const track_input *input, int64_t path, double size, double correction, plumb_info info)
{
    const char *name = app_input_name(input->words->solutions);
    long long number = (long long)path + 1;
    if (!isfinite(size))
        return app_misuse(command, "%s: solution %lld is not finite", name, number);
    if (info != 0)
        return app_misuse(command, "%s: solution %lld is singular: no path starts there", name, number);
    if (!(correction <= START_TOLERANCE * fmax(size, 1)))
        return app_misuse(command,
                          "%s: solution %lld does not satisfy the start system: Newton's method moves it by %.1e", name,
                          number, correction);
    return APP_OK;
}

/* The start system of the homotopy has scaled unknowns. */
static void scale(const track_input *input, const plumb_view *x)
{
    const int32_t *exponent = input->homotopy->exponent;
    for (int64_t k = 0; k < x->batch && exponent != NULL; k++)
        for (int64_t c = 0; c < 2 * x->prec; c++)
            for (int64_t i = 0; i < x->rows; i++) {
                double *limb = x->data + k * x->next + c * x->plane + i;
                *limb = ldexp(*limb, -exponent[i]);
            }
}

/* Takes one Newton step in dd from each point of a block. */
static int check_block(const track_input *input, const int64_t *paths, int64_t count, plumb_view *x, plumb_view *dx,
                       plumb_info *info, double *size)
{
    x->batch = dx->batch = count;
    take_given(input, paths, count, x);
    scale(input, x);
    for (int64_t k = 0; k < count; k++)
        size[k] = size_of(x, k);
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(size[k]))
            return check_one(input, paths[k], size[k], 0, 0);
    plumb_status status = plumb_newton_step(input->context, input->homotopy->start, x, dx, info, NULL);
    if (status != PLUMB_OK)
        return app_context_fail(command, input->context, status);
    int result = APP_OK;
    for (int64_t k = 0; k < count && result == APP_OK; k++)
        result = check_one(input, paths[k], size[k], size_of(dx, k), info[k]);
    return result;
}

int track_input_check_starts(const track_input *input)
{
    int64_t most = input->job.count < CHECKED_AT_ONCE ? input->job.count : CHECKED_AT_ONCE, paths[CHECKED_AT_ONCE];
    plumb_view x = {.data = NULL}, dx = {.data = NULL};
    double size[CHECKED_AT_ONCE];
    plumb_info info[CHECKED_AT_ONCE];
    plumb_status status =
        plumb_array_create(input->context, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, input->job.unknowns, 1, most, &x);
    if (status == PLUMB_OK)
        status =
            plumb_array_create(input->context, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, input->job.unknowns, 1, most, &dx);
    int result = status == PLUMB_OK ? APP_OK : app_context_fail(command, input->context, status);
    for (int64_t k = 0, count; k < input->job.count && result == APP_OK; k += count) {
        count = input->job.count - k < most ? input->job.count - k : most;
        for (int64_t i = 0; i < count; i++)
            paths[i] = input->job.first + k + i;
        result = check_block(input, paths, count, &x, &dx, info, size);
    }
    plumb_array_destroy(input->context, &x);
    plumb_array_destroy(input->context, &dx);
    return result;
}
