/* moving.h - coefficients that move with tau: those of a polyhedral homotopy.
 *
 * Each point k of the supports has a parameter e_k = e^(-tau w_k), which multiplies the terms of this monomial. The rate
 * w_k belongs to the mixed cell of the path: 0 for the points of the cell, and large for the others, so that these terms
 * are negligible at tau = 1. At tau = 0 all parameters are 1. The system that is evaluated has the parameters e_k and their
 * derivatives by tau as its last unknowns.
 *
 * Parameters are doubles, also in higher precisions: at each tau, h is then a system that differs from the one that was
 * meant by relative changes of some coefficients of the size of a rounding error, but it is one and the same system for
 * all corrections at this point, and at tau = 0 there is no such change. */
#ifndef PLUMB_METHOD_TRACK_MOVING_H
#define PLUMB_METHOD_TRACK_MOVING_H

#include "method/track/tau.h"

/* e^-x for x >= 0 within a few units in the last place. */
TRACK_FN double track_exp_minus(double x)
{
    if (!(x < 700.0))
        return 0.0;
    const track_exp_terms e = track_exp_terms_of(-x);
    return (1.0 + e.even + e.odd) * track_power_of_two(e.k);
}

/* The rates of a call. */
typedef struct track_moving {
    int64_t points;      /* of the supports */
    const double *rates; /* w_k of each point, row by row */
    const int32_t *row;  /* the row of each path */
} track_moving;

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
