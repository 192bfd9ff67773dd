/* moving.h - coefficients that move with tau: those of a polyhedral homotopy, and those of a family.
 *
 * Polyhedral homotopies (TRACK_RATES).
 * Each point k of the supports has a parameter e_k = e^(-tau w_k), which multiplies the terms of this monomial. The rate
 * w_k belongs to the mixed cell of the path: 0 for the points of the cell, and large for the others, so that these terms
 * are negligible at tau = 1. At tau = 0 all parameters are 1. The system that is evaluated has the parameters e_k and their
 * derivatives by tau as its last unknowns.
 *
 * Parameters are doubles, also in higher precisions: at each tau, h is then a system that differs from the one that was
 * meant by relative changes of some coefficients of the size of a rounding error, but it is one and the same system for
 * all corrections at this point, and at tau = 0 there is no such change.
 *
 * Families (TRACK_ARCS). Parameter k is p_k(tau) = target_k + tau (way_k + (1 - tau) bend_k), which begins at the parameters
 * of the start points: way_k is the double next to their difference from the target. It is computed in the precision of the
 * path (TRACK(arc) in arc_tmpl.h), so that h is one analytic function of tau in all precisions, whose target is exact, as
 * circles around tau = 0 need it. */
#ifndef PLUMB_METHOD_TRACK_MOVING_H
#define PLUMB_METHOD_TRACK_MOVING_H

#include "method/track/tau.h"
#include "plumb.h"

/* e^-x for x >= 0 within a few units in the last place. */
TRACK_FN double track_exp_minus(double x)
{
    if (!(x < 700.0))
        return 0.0;
    const track_exp_terms e = track_exp_terms_of(-x);
    return (1.0 + e.even + e.odd) * track_power_of_two(e.k);
}

/* The rates or the arcs of a call. */
typedef struct track_moving {
    int64_t points;      /* of the supports; or the number of parameters */
    const double *rates; /* w_k of each point, row by row; NULL: parameters move on arcs */
    const int32_t *row;  /* the row of each path */
    /* Of arcs: the targets, row by row, limb c of part p of parameter k of a row at [(p * PLUMB_QD + c) * points + k]; and
     * the parameters of the start points and the bend (NULL: 0) at [p * points + k]. These are the same for all rows, or if
     * `own`, each row has its own, and the next one's are 2 * points numbers further. */
    const double *targets, *from, *bend;
    int32_t own;
} track_moving;

/* The target of a row. */
TRACK_FN const double *track_target(const track_moving *m, int64_t row)
{
    return m->targets + row * 2 * PLUMB_QD * m->points;
}

/* The parameters of the start points of a row, and its bend or NULL. */
TRACK_FN const double *track_from(const track_moving *m, int64_t row)
{
    return m->from + (m->own ? row * 2 * m->points : 0);
}
TRACK_FN const double *track_bend(const track_moving *m, int64_t row)
{
    return m->bend ? m->bend + (m->own ? row * 2 * m->points : 0) : m->bend;
}

/* The parameter of a point at a real tau, and its derivative. */
typedef struct track_parameter {
    double value, slope;
} track_parameter;

TRACK_FN track_parameter track_parameter_at(double rate, double tau)
{
    track_parameter p;
    p.value = rate > 0.0 ? track_exp_minus(rate * tau) : 1.0;
    p.slope = -rate * p.value;
    return p;
}

#endif
