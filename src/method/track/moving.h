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

#include <math.h>

#include "method/track/track.h"

/* 1/2, 1/3, ... for the series of e^r. */
#define TRACK_EXP_TERMS 14

/* e^-x for x >= 0 by operations that are the same on every machine, within a few units in the last place. */
TRACK_FN double track_exp_minus(double x)
{
    const double log2 = 0x1.62e42fefa38p-1, log2_rest = 0x1.ef35793c7673p-45; /* the first has 42 bits */
    if (!(x < 700.0))
        return 0.0;
    const int64_t halvings = (int64_t)(x / log2 + 0.5);
    const double r = -((x - (double)halvings * log2) - (double)halvings * log2_rest);
    double sum = 1.0;
    for (int32_t k = TRACK_EXP_TERMS; k > 0; k--)
        sum = 1.0 + r * sum / (double)k;
    return ldexp(sum, (int)-halvings);
}

/* The rates of a call. */
typedef struct track_moving {
    int64_t points;      /* of the supports */
    const double *rates; /* w_k of each point, row by row */
    const int32_t *row;  /* the row of each path */
} track_moving;

/* Parameter k of 2 * points at a real tau. */
TRACK_FN double track_parameter(const double *rates, int64_t points, double tau, int64_t k)
{
    const double rate = rates[k < points ? k : k - points], e = track_exp_minus(rate * tau);
    return k < points ? e : -rate * e;
}

#endif
