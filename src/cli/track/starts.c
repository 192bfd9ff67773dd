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

static void take_given(const track_job *job, const int64_t *paths, int64_t count, const plumb_view *x)
{
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = 0; i < job->unknowns; i++)
            set_value(x, k, job->place[i], solution_value(job->solutions, paths[k], i), job->solutions->prec);
}

/* Puts one point into the order of the target's unknowns, in place. row: room for a plane. */
static void reorder(const track_job *job, const plumb_view *x, int64_t k, double *row)
{
    for (int32_t c = 0; c < 2 * x->prec; c++) {
        double *plane = x->data + k * x->next + c * x->plane;
        memcpy(row, plane, (size_t)job->unknowns * sizeof *row);
        for (int64_t i = 0; i < job->unknowns; i++)
            plane[job->place[i]] = row[i];
    }
}

/* Makes start points; those with consecutive numbers are made together. */
static plumb_status make(const track_job *job, const int64_t *paths, int64_t count, const plumb_view *x)
{
    for (int64_t k = 0, run; k < count; k += run) {
        for (run = 1; k + run < count && paths[k + run] == paths[k] + run;)
            run++;
        plumb_view part = *x;
        part.data += k * x->next;
        part.batch = run;
        plumb_status status = plumb_system_start_solutions(job->start, paths[k], &part);
        if (status != PLUMB_OK)
            return status;
    }
    double *row = malloc((size_t)job->unknowns * sizeof *row);
    if (row == NULL)
        return PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < count; k++)
        reorder(job, x, k, row);
    free(row);
    return PLUMB_OK;
}

int track_job_starts(const track_job *job, const int64_t *paths, int64_t count, const plumb_view *x)
{
    if (job->solutions != NULL) {
        take_given(job, paths, count, x);
        return CLI_OK;
    }
    plumb_status status = make(job, paths, count, x);
    return status == PLUMB_OK ? CLI_OK : cli_fail(command, "start solutions: %s", plumb_status_text(status));
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

static int check_one(const track_job *job, int64_t path, double size, double correction, plumb_info info)
{
    const char *name = cli_input_name(job->words->solutions);
    long long number = (long long)path + 1;
    if (!isfinite(size))
        return cli_misuse(command, "%s: solution %lld is not finite", name, number);
    if (info != 0)
        return cli_misuse(command, "%s: solution %lld is singular: no path starts there", name, number);
    if (!(correction <= START_TOLERANCE * fmax(size, 1)))
        return cli_misuse(command,
                          "%s: solution %lld does not satisfy the start system: Newton's method moves it by %.1e", name,
                          number, correction);
    return CLI_OK;
}

/* The start system of the homotopy has scaled unknowns. */
static void scale(const track_job *job, const plumb_view *x)
{
    const int32_t *exponent = job->homotopy->exponent;
    for (int64_t k = 0; k < x->batch && exponent != NULL; k++)
        for (int64_t c = 0; c < 2 * x->prec; c++)
            for (int64_t i = 0; i < x->rows; i++) {
                double *limb = x->data + k * x->next + c * x->plane + i;
                *limb = ldexp(*limb, -exponent[i]);
            }
}

/* Takes one Newton step in dd from each point of a block. */
static int check_block(const track_job *job, const int64_t *paths, int64_t count, plumb_view *x, plumb_view *dx,
                       plumb_info *info, double *size)
{
    x->batch = dx->batch = count;
    take_given(job, paths, count, x);
    scale(job, x);
    for (int64_t k = 0; k < count; k++)
        size[k] = size_of(x, k);
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(size[k]))
            return check_one(job, paths[k], size[k], 0, 0);
    plumb_status status = plumb_newton_step(job->context, job->homotopy->start, x, dx, info, NULL);
    if (status != PLUMB_OK)
        return cli_context_fail(command, job->context, status);
    int result = CLI_OK;
    for (int64_t k = 0; k < count && result == CLI_OK; k++)
        result = check_one(job, paths[k], size[k], size_of(dx, k), info[k]);
    return result;
}

int track_job_check_starts(const track_job *job)
{
    int64_t most = job->count < CHECKED_AT_ONCE ? job->count : CHECKED_AT_ONCE, paths[CHECKED_AT_ONCE];
    plumb_view x = {.data = NULL}, dx = {.data = NULL};
    double size[CHECKED_AT_ONCE];
    plumb_info info[CHECKED_AT_ONCE];
    plumb_status status =
        plumb_array_create(job->context, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, job->unknowns, 1, most, &x);
    if (status == PLUMB_OK)
        status = plumb_array_create(job->context, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, job->unknowns, 1, most, &dx);
    int result = status == PLUMB_OK ? CLI_OK : cli_context_fail(command, job->context, status);
    for (int64_t k = 0, count; k < job->count && result == CLI_OK; k += count) {
        count = job->count - k < most ? job->count - k : most;
        for (int64_t i = 0; i < count; i++)
            paths[i] = job->first + k + i;
        result = check_block(job, paths, count, &x, &dx, info, size);
    }
    plumb_array_destroy(job->context, &x);
    plumb_array_destroy(job->context, &dx);
    return result;
}
