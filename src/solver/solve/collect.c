/* collect.c - see collect.h.
 *
 * A solution is real if it equals its complex conjugate by the rule that endpoints are compared by (solver/track/ends.h):
 * if all imaginary parts are within a multiple of its estimated error. A coordinate is zero if it is within that distance
 * of zero. */
#include "solver/solve/collect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/precision.h"
#include "model/solutions.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* ---- The account of the paths -------------------------------------------------------------------------------------- */

static void count_path(const solve_paths *paths, const track_group *groups, int64_t k, plumb_solve_report *report)
{
    const track_end *end = track_ends_at(&paths->ends, k);
    if (!end->known) {
        report->failed++;
        report->unfinished++;
        return;
    }
    switch (end->code) {
    case PLUMB_PATH_SUCCESS:
        if (groups[k].centre == k)
            report->regular++;
        else
            report->failed++; /* a path has jumped to another one */
        break;
    case PLUMB_PATH_SINGULAR:
        report->singular++;
        break;
    case PLUMB_PATH_AT_INFINITY:
        report->infinite++;
        break;
    case PLUMB_PATH_NOT_ISOLATED:
        report->not_isolated++;
        break;
    case PLUMB_PATH_UNDECIDED:
        report->undecided++;
        break;
    default:
        report->failed++;
        break;
    }
}

static bool is_solution(const solve_paths *paths, const track_group *groups, int64_t k)
{
    const track_end *end = track_ends_at(&paths->ends, k);
    return end->known && groups[k].centre == k && (end->code == PLUMB_PATH_SUCCESS || end->code == PLUMB_PATH_SINGULAR);
}

/* ---- One solution -------------------------------------------------------------------------------------------------- */

typedef struct found_point {
    double *x; /* 2 * room doubles per unknown */
    solution_record record;
    double component_error; /* as in plumb_path_record */
    bool positive, nonzero;
} found_point;

/* Adds limbs that are zero, in place. */
static void widen(double *x, int64_t n, int32_t from, int32_t to)
{
    for (int64_t i = 2 * n - 1; i >= 0 && from < to; i--)
        for (int32_t c = to - 1; c >= 0; c--)
            x[i * to + c] = c < from ? x[i * from + c] : 0.0;
}

static double unit_of(const solve_plan *plan, int64_t i)
{
    const int32_t *exponent = plan->homotopy->exponent;
    return exponent ? ldexp(1.0, exponent[i]) : 1.0;
}

/* Real, positive, without zeros: decided within the errors. */
static void look(const solve_plan *plan, int32_t room, found_point *p)
{
    const double times = p->record.kind == PLUMB_SOLUTION_REGULAR ? 10.0 : 100.0;
    const double distance = fmin(2.0 * times * p->component_error, 1e-3);
    p->record.real = 1;
    p->positive = p->nonzero = true;
    for (int64_t i = 0; i < plan->system->unknowns; i++) {
        const double re = p->x[2 * i * room], im = p->x[(2 * i + 1) * room], size = hypot(re, im);
        const double most = distance * fmax(size, unit_of(plan, i));
        if (!(2.0 * fabs(im) <= most))
            p->record.real = 0;
        if (!(re > most))
            p->positive = false;
        if (!(size > most))
            p->nonzero = false;
    }
    p->positive = p->positive && p->record.real;
}

/* The number of decimal digits that an error relative to the largest unknown leaves. */
static int32_t digits_of(double error, int32_t prec)
{
    const double most = floor(53.0 * prec * log10(2.0));
    const double digits = error > 0.0 ? floor(-log10(error)) : most;
    return (int32_t)fmax(0.0, fmin(most, digits));
}

static plumb_status take_point(const solve_plan *plan, const solve_paths *paths, const track_group *groups, int64_t k,
                               int32_t room, found_point *p)
{
    plumb_context *context = plan->context;
    plumb_path_record path;
    int32_t prec = 0;
    const int64_t n = plan->system->unknowns;
    p->x = malloc((size_t)n * 2 * PLUMB_QD * sizeof *p->x);
    if (!p->x)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (!paths->read(paths->ends.data, k, &path, p->x, &prec))
        return SAY(PLUMB_ERR_IO, "an endpoint cannot be read");
    widen(p->x, n, prec, room);
    const bool regular = path.code == PLUMB_PATH_SUCCESS;
    prec = path.prec > prec ? path.prec : prec;
    p->record = (solution_record){.multiplicity = regular ? 1 : groups[k].all,
                                  .err = path.error,
                                  .rco = path.condition > 0.0 ? 1.0 / path.condition : 0.0,
                                  .res = path.residual,
                                  .kind = regular ? PLUMB_SOLUTION_REGULAR : PLUMB_SOLUTION_SINGULAR,
                                  .prec = prec < room ? prec : room};
    p->component_error = path.component_error;
    p->record.known = digits_of(p->record.err, p->record.prec);
    look(plan, room, p);
    return PLUMB_OK;
}

/* ---- The list ------------------------------------------------------------------------------------------------------ */

static bool is_wanted(const plumb_solve_options *options, const found_point *p)
{
    return (!options->real || p->record.real) && (!options->positive || p->positive) &&
           (!options->nonzero || p->nonzero);
}

static plumb_status make_list(const solve_plan *plan, const found_point *points, int64_t count, int32_t room,
                              plumb_solutions **solutions)
{
    plumb_context *context = plan->context;
    const plumb_system *system = plan->system;
    int64_t wanted = 0, place = 0;
    for (int64_t k = 0; k < count; k++)
        wanted += is_wanted(&plan->options, &points[k]);
    plumb_status status =
        plumb_solutions_create(wanted, system->unknowns, room, (const char *const *)system->names, solutions);
    if (status != PLUMB_OK)
        return SAY(status, "%s", plumb_last_message());
    for (int real = 1; real >= 0; real--)
        for (int64_t k = 0; k < count; k++) {
            if (!is_wanted(&plan->options, &points[k]) || points[k].record.real != real)
                continue;
            (*solutions)->record[place] = points[k].record;
            (*solutions)->t[place * 2 * room] = 1.0;
            memcpy(solution_value(*solutions, place, 0), points[k].x,
                   (size_t)(system->unknowns * 2 * room) * sizeof(double));
            place++;
        }
    return PLUMB_OK;
}

static plumb_status collect(const solve_plan *plan, const solve_paths *paths, const track_group *groups,
                            plumb_solve_report *report, plumb_solutions **solutions)
{
    plumb_context *context = plan->context;
    const int32_t room = plan->options.prec && !plan->options.digits ? plan->options.prec : PLUMB_QD;
    int64_t count = 0, taken = 0;
    for (int64_t k = 0; k < paths->ends.count; k++) {
        count_path(paths, groups, k, report);
        count += is_solution(paths, groups, k);
    }
    found_point *points = calloc((size_t)count + 1, sizeof *points);
    plumb_status status = points ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < paths->ends.count && status == PLUMB_OK; k++)
        if (is_solution(paths, groups, k))
            status = take_point(plan, paths, groups, k, room, &points[taken++]);
    for (int64_t k = 0; k < taken && status == PLUMB_OK; k++) {
        report->distinct++;
        report->real += points[k].record.real;
    }
    if (status == PLUMB_OK)
        status = make_list(plan, points, taken, room, solutions);
    for (int64_t k = 0; k < taken; k++)
        free(points[k].x);
    free(points);
    return status;
}

plumb_status plumb_solve_collect(const solve_plan *plan, const solve_paths *paths, plumb_solutions **solutions)
{
    plumb_context *context = plan->context;
    plumb_solve_report *report = malloc(sizeof *report);
    track_group *groups = calloc((size_t)paths->ends.count + 1, sizeof *groups);
    *solutions = NULL;
    plumb_status status = report && groups ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK) {
        *report = plan->report;
        report->paths = paths->ends.count;
        status = track_ends_group(&paths->ends, groups);
        if (status != PLUMB_OK)
            status = SAY(status, "%s", status == PLUMB_ERR_IO ? "an endpoint cannot be read" : "out of memory");
    }
    if (status == PLUMB_OK)
        status = collect(plan, paths, groups, report, solutions);
    free(groups);
    if (status != PLUMB_OK) {
        free(report);
        plumb_solutions_destroy(*solutions);
        *solutions = NULL;
        return status;
    }
    (*solutions)->report = report;
    return PLUMB_OK;
}
