/* sift.c - see sift.h. */
#include "solver/solve/points/sift.h"

#include <math.h>
#include <stdlib.h>

#include "base/call/message.h"
#include "base/number/modulus.h"
#include "base/number/precision.h"
#include "solver/mp/exact.h"
#include "solver/mp/refine.h"
#include "solver/mp/system.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* Bits in which points are looked at first; those that seem to be solutions are confirmed with more. */
enum { FIRST_BITS = 256 };

/* An endpoint moves by at most this, relative to its largest unknown, when it is refined. */
static const double MOST_MOVE = 0x1p-10;

/* Points that miss the equations by less than this are counted as near misses. */
static const double NEAR_MISS = 1e-6;

typedef enum verdict { SOLUTION, EXTRANEOUS, UNDECIDED } verdict;

static mp_complex *take(const solve_point *p, int64_t n, int32_t room, int64_t bits)
{
    mp_complex *x = mp_make(n, bits);
    for (int64_t i = 0; x && i < n; i++)
        mp_set_limbs(&x[i], p->x + 2 * i * room, p->x + (2 * i + 1) * room, room);
    return x;
}

/* All limbs of the point are known now. */
static void put(const mp_complex *x, int64_t n, int32_t room, solve_point *p)
{
    for (int64_t i = 0; i < n; i++)
        mp_get_limbs(&x[i], p->x + 2 * i * room, p->x + (2 * i + 1) * room, room);
    p->prec = room;
    p->error = p->component_error = fmax(0x1p-200, precision_unit(room));
    p->settled = true;
}

static plumb_status sift_regular(const solve_points *points, const plumb_system *square, const plumb_system *system,
                                 solve_point *p, verdict *found, double *miss)
{
    const int64_t n = square->unknowns, last = mp_bits_for(system, 1024, 4);
    plumb_status status = PLUMB_OK;
    mp_complex *x = take(p, n, points->room, FIRST_BITS);
    double *errors = calloc((size_t)n + 1, sizeof *errors);
    if (!x || !errors) {
        mp_free(x, x ? n : 0);
        free(errors);
        return PLUMB_ERR_MEMORY;
    }
    *found = SOLUTION;
    for (int64_t bits = FIRST_BITS; bits > 0 && *found == SOLUTION && status == PLUMB_OK;
         bits = bits < last ? last : 0) {
        if (!mp_refine(square, x, bits, log2(MOST_MOVE), points->target_unit, errors, &status))
            *found = UNDECIDED;
        else if (mp_vanishes(system, x, bits, errors, miss, &status) == MP_NOT_ZERO)
            *found = EXTRANEOUS;
    }
    if (*found != UNDECIDED && status == PLUMB_OK) {
        mp_round_to_zero(x, n, errors, 2.0);
        put(x, n, points->room, p);
    }
    mp_free(x, n);
    free(errors);
    return status;
}

/* A multiple solution of the combinations may have a smaller multiplicity in the system. */
static plumb_status sift_singular(const solve_points *points, const plumb_system *system, solve_point *p,
                                  verdict *found, double *miss)
{
    const int64_t n = system->unknowns;
    plumb_status status = PLUMB_OK;
    exact_point point;
    double size = 0.0;
    for (int64_t i = 0; i < n; i++)
        size = fmax(size, plumb_modulus(p->x[2 * i * points->room], p->x[(2 * i + 1) * points->room]));
    const double error = fmax(p->error, 0x1p-190) * fmax(size, 1e-9);
    *found = UNDECIDED;
    if (exact_point_find_limbs(system, p->x, points->room, log2(100.0 * error), &point)) {
        const int64_t multiplicity = exact_multiplicity(system, &point, 0);
        if (multiplicity > 0) {
            *found = SOLUTION;
            p->multiplicity = multiplicity;
            p->regular = multiplicity == 1;
            exact_point_limbs(&point, p->x, points->room);
            p->prec = points->room;
            p->error = p->component_error = fmax(0x1p-200, precision_unit(points->room));
            p->settled = true;
        }
    } else {
        mp_complex *x = take(p, n, points->room, FIRST_BITS);
        double *errors = calloc((size_t)n + 1, sizeof *errors);
        for (int64_t i = 0; errors && i < n; i++)
            errors[i] = log2(error);
        if (!x || !errors)
            status = PLUMB_ERR_MEMORY;
        else if (mp_vanishes(system, x, FIRST_BITS, errors, miss, &status) == MP_NOT_ZERO)
            *found = EXTRANEOUS;
        mp_free(x, x ? n : 0);
        free(errors);
    }
    exact_point_clear(&point);
    return status;
}

/* Takes the paths of a point that is no solution out of their count. */
static void drop(const solve_point *p, verdict found, bool was_regular, double miss, plumb_solve_report *report)
{
    *(was_regular ? &report->regular : &report->singular) -= p->paths;
    *(found == EXTRANEOUS ? &report->extraneous : &report->undecided) += p->paths;
    if (found != EXTRANEOUS || !was_regular || miss > NEAR_MISS)
        return;
    report->miss = report->misses == 0 ? miss : fmin(report->miss, miss);
    report->misses++;
}

plumb_status plumb_solve_sift(solve_points *points, const plumb_system *square, const plumb_system *system,
                              double residual, plumb_solve_report *report)
{
    plumb_context *context = points->context;
    int64_t kept = 0;
    for (int64_t k = 0; k < points->count; k++) {
        solve_point *p = &points->list[k];
        const bool regular = p->regular;
        double miss = 0.0;
        verdict found;
        const plumb_status status = regular ? sift_regular(points, square, system, p, &found, &miss)
                                            : sift_singular(points, system, p, &found, &miss);
        if (status != PLUMB_OK)
            return SAY(status, "%s", plumb_status_text(status));
        if (found == EXTRANEOUS && miss <= residual) {
            p->settled =
                false; /* it is a solution of the combinations: the equations decide where it is, and how well it is known */
            p->error = p->component_error = 1.0;
            found = SOLUTION;
        }
        if (found == SOLUTION)
            points->list[kept++] = *p;
        else
            drop(p, found, regular, miss, report);
    }
    points->count = kept;
    return PLUMB_OK;
}
