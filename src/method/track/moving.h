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

#include "method/track/track.h"

/* e^-x for x >= 0 by operations that are the same on every machine, within a few units in the last place. */
TRACK_FN double track_exp_minus(double x)
{
    const double log2 = 0x1.62e42fefa38p-1, log2_rest = 0x1.ef35793c7673p-45; /* the first has 42 bits */
    if (!(x < 700.0))
        return 0.0;
    const int32_t halvings = (int32_t)(x * 0x1.71547652b82fep0 + 0.5);
    const double r = -((x - (double)halvings * log2) - (double)halvings * log2_rest), q = r * r;
    /* The series of e^r to r^13 for |r| <= log(2) / 2, even and odd terms apart. */
    double odd = 1.0 / 5040.0 + q * (1.0 / 362880.0 + q * (1.0 / 39916800.0 + q * (1.0 / 6227020800.0)));
    double even = 1.0 / 720.0 + q * (1.0 / 40320.0 + q * (1.0 / 3628800.0 + q * (1.0 / 479001600.0)));
    odd = 1.0 + q * (1.0 / 6.0 + q * (1.0 / 120.0 + q * odd));
    even = 1.0 + q * (1.0 / 2.0 + q * (1.0 / 24.0 + q * even));
    return (even + r * odd) * track_power_of_two(-halvings);
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
