/* conditions.c - see conditions.h. */
#include "solver/solve/points/conditions.h"

#include <math.h>
#include <stdlib.h>

#include "base/call/message.h"
#include "base/number/modulus.h"
#include "solver/mp/exact.h"
#include "solver/mp/refine.h"
#include "solver/mp/system.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

enum { FIRST_BITS = 256 };
static const double MOST_MOVE = 0x1p-10; /* as in sift.c */
static const double MARGIN = 0x1p20;     /* errors of points are estimates: nearer to zero, digits decide */

typedef enum verdict { ALL_NONZERO, SOME_ZERO, UNDECIDED } verdict;

/* A point of the target, and the same of the given system. */
typedef struct lifted_point {
    const solve_plan *plan;
    int64_t own, given; /* unknowns of the target and of the system */
    mp_complex *x, *y;
    double *x_errors, *y_errors; /* log2, absolute */
} lifted_point;

static void clear(lifted_point *p)
{
    mp_free(p->x, p->x ? p->own : 0);
    mp_free(p->y, p->y ? p->given : 0);
    free(p->x_errors);
    free(p->y_errors);
}

static plumb_status begin(const solve_plan *plan, const solve_points *points, const solve_point *from, lifted_point *p)
{
    const int64_t own = plumb_solve_target(plan)->unknowns, given = plan->system->unknowns;
    const double error = MARGIN * fmax(fmax(from->error, from->component_error), 0x1p-190);
    *p = (lifted_point){.plan = plan, .own = own, .given = given};
    p->x = mp_make(own, FIRST_BITS);
    p->y = mp_make(given, FIRST_BITS);
    p->x_errors = calloc((size_t)own + 1, sizeof *p->x_errors);
    p->y_errors = calloc((size_t)given + 1, sizeof *p->y_errors);
    if (!p->x || !p->y || !p->x_errors || !p->y_errors)
        return PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < own; i++) {
        const double *re = from->x + 2 * i * points->room, *im = re + points->room;
        mp_set_limbs(&p->x[i], re, im, points->room);
        p->x_errors[i] = log2(error * fmax(plumb_modulus(re[0], im[0]), points->target_unit[i]));
    }
    return PLUMB_OK;
}

/* log2 of what the errors of x and rounding contribute to the polynomials of the lift, as in mp_vanishes. */
static void lift_errors(lifted_point *p, int64_t bits, const mp_complex *jacobian, const double *sizes)
{
    for (int64_t e = 0; e < p->given; e++) {
        double blur = sizes[e] + 10.0 - (double)bits;
        for (int64_t i = 0; i < p->own; i++)
            blur = fmax(blur, mp_log2(&jacobian[e * p->own + i]) + p->x_errors[i] + log2((double)p->own) + 2.0);
        p->y_errors[e] = blur;
    }
}

/* y becomes the point of the system that belongs to x. */
static plumb_status lift(lifted_point *p, int64_t bits)
{
    const plumb_system *system = p->plan->simple.lift;
    mp_resize(p->y, p->given, bits);
    if (!system) {
        for (int64_t i = 0; i < p->given; i++) {
            mp_set(&p->y[i], &p->x[i]);
            p->y_errors[i] = p->x_errors[i];
        }
        return PLUMB_OK;
    }
    mp_system s = {.system = NULL};
    mp_complex *jacobian = mp_make(p->given * p->own, bits);
    double *sizes = calloc((size_t)p->given + 1, sizeof *sizes);
    plumb_status status = jacobian && sizes ? mp_system_begin(system, bits, &s) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK) {
        mp_system_eval(&s, p->x, p->y, jacobian, sizes);
        lift_errors(p, bits, jacobian, sizes);
    }
    mp_system_clear(&s);
    mp_free(jacobian, jacobian ? p->given * p->own : 0);
    free(sizes);
    return status;
}

/* Is no denominator zero as far as this precision shows? */
static plumb_status look(const lifted_point *p, int64_t bits, bool *nonzero)
{
    plumb_status status = PLUMB_OK;
    *nonzero = true;
    for (int64_t k = 0; k < p->plan->denominator_count && *nonzero && status == PLUMB_OK; k++) {
        double miss;
        *nonzero = mp_vanishes(p->plan->denominator[k], p->y, bits, p->y_errors, &miss, &status) == MP_NOT_ZERO;
    }
    return status;
}

/* A regular point at which a denominator seems to vanish. */
static plumb_status refine(lifted_point *p, const double *unit, verdict *found)
{
    const plumb_system *target = plumb_solve_target(p->plan);
    int64_t last = mp_bits_for(target, 1024, 4);
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < p->plan->denominator_count; k++) {
        const int64_t bits = mp_bits_for(p->plan->denominator[k], 1024, 4);
        last = bits > last ? bits : last;
    }
    *found = SOME_ZERO;
    for (int64_t bits = FIRST_BITS; bits > 0 && *found == SOME_ZERO && status == PLUMB_OK;
         bits = bits < last ? last : 0) {
        bool nonzero = false;
        if (!mp_refine(target, p->x, bits, log2(MOST_MOVE), unit, p->x_errors, &status))
            *found = UNDECIDED;
        else if ((status = lift(p, bits)) == PLUMB_OK && (status = look(p, bits, &nonzero)) == PLUMB_OK && nonzero)
            *found = ALL_NONZERO;
    }
    return status;
}

/* A point with rational coordinates: exactly. */
static verdict decide_exactly(const solve_plan *plan, const exact_point *point)
{
    exact_point lifted = {.x = NULL};
    verdict found = ALL_NONZERO;
    if (plan->simple.lift && !exact_point_map(plan->simple.lift, point, &lifted))
        found = UNDECIDED;
    for (int64_t k = 0; k < plan->denominator_count && found == ALL_NONZERO; k++) {
        exact_point value = {.x = NULL};
        if (!exact_point_map(plan->denominator[k], plan->simple.lift ? &lifted : point, &value))
            found = UNDECIDED;
        else if (mpq_sgn(value.x[0]) == 0 && mpq_sgn(value.x[1]) == 0)
            found = SOME_ZERO;
        exact_point_clear(&value);
    }
    exact_point_clear(&lifted);
    return found;
}

static plumb_status decide(const solve_plan *plan, const solve_points *points, const solve_point *from, verdict *found)
{
    const plumb_system *target = plumb_solve_target(plan);
    lifted_point p;
    bool nonzero = false;
    plumb_status status = begin(plan, points, from, &p);
    if (status == PLUMB_OK)
        status = lift(&p, FIRST_BITS);
    if (status == PLUMB_OK)
        status = look(&p, FIRST_BITS, &nonzero);
    *found = nonzero ? ALL_NONZERO : UNDECIDED;
    if (status == PLUMB_OK && !nonzero && from->regular)
        status = refine(&p, points->target_unit, found);
    if (status == PLUMB_OK && !nonzero && !from->regular && !from->cluster) {
        exact_point point;
        if (exact_point_find_limbs(target, from->x, points->room, log2(100.0 / MARGIN) + p.x_errors[0], &point))
            *found = decide_exactly(plan, &point);
        exact_point_clear(&point);
    }
    clear(&p);
    return status;
}

/* The only solution of a system that elimination has solved: its unknowns are the constants of the lift. There are no paths to count. */
static plumb_status decide_solved(const solve_plan *plan, solve_points *points)
{
    plumb_context *context = points->context;
    mpq_t zero[2]; /* the value of the unknown that does not matter */
    mpq_inits(zero[0], zero[1], NULL);
    const exact_point origin = {.x = zero, .unknowns = 1};
    const verdict found = decide_exactly(plan, &origin);
    mpq_clears(zero[0], zero[1], NULL);
    points->count = found == ALL_NONZERO ? points->count : 0;
    return found == UNDECIDED ? SAY(PLUMB_ERR_SIZE, "the values of denominators at the solution are too large")
                              : PLUMB_OK;
}

plumb_status plumb_solve_conditions(const solve_plan *plan, solve_points *points, plumb_solve_report *report)
{
    plumb_context *context = points->context;
    int64_t kept = 0;
    if (plan->solved)
        return decide_solved(plan, points);
    for (int64_t k = 0; k < points->count; k++) {
        const solve_point p = points->list[k];
        verdict found;
        const plumb_status status = decide(plan, points, &p, &found);
        if (status != PLUMB_OK)
            return SAY(status, "%s", plumb_status_text(status));
        if (found == ALL_NONZERO) {
            points->list[kept++] = p;
            continue;
        }
        *(p.regular ? &report->regular : &report->singular) -= p.paths;
        *(found == SOME_ZERO ? &report->extraneous : &report->undecided) += p.paths;
    }
    points->count = kept;
    return PLUMB_OK;
}
