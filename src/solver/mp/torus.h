/* torus.h - follows one path of a polyhedral homotopy in the logarithms of the unknowns, with as many digits as necessary.
 *
 * Term k of the homotopy is c_k e^(-rate_k tau + i angle_k tau / (1 + tau)) x^a_k, with the exact coefficients of the target, which
 * is reached at tau = 0. With x = e^z all that is computed is relative to the size of each unknown: a step of Newton's method in z solves
 * sum over k of (a_k . dz) T_k = -sum of T_k for the values T_k of the terms, and rows are divided by their largest term. Therefore sizes
 * do not matter, neither that of an unknown nor that of an equation, and terms that are too small to count are left out. The number of
 * bits follows from the condition of these equations, which is computed with every step.
 *
 * The predictor is a cubic polynomial in log(tau) through the last two points and their slopes. Steps of log(tau) follow a path that takes its
 * final size only at the end: if equations are combinations of others, large terms cancel in them. They also follow a path that goes to
 * infinity or to zero like a power of tau, down to tau = 2^-900. The target itself is tried wherever the slopes are small. */
#ifndef PLUMB_SOLVER_MP_TORUS_H
#define PLUMB_SOLVER_MP_TORUS_H

#include "model/system/system.h"
#include "solver/mp/number.h"

/* What a thread needs for one path after the other. */
typedef struct mp_torus {
    const plumb_system *system;
    const double *rate;  /* of each term, not negative: those of the cell */
    const double *angle; /* of each term; or NULL: all are 0 */
    mp_effort *effort;   /* of the path */
    int64_t bits;        /* of the numbers below */
    int32_t *highest;    /* exponent of each unknown */
    int64_t *first;      /* of each unknown: its powers 0 .. highest are powers[first] ... */
    int64_t power_count;
    mp_complex *coefficient; /* of each term, rounded to the bits */
    double *size;            /* log2 of its modulus, then that of each term at hand */
    mp_complex *z, *next, *powers, *matrix, *sides;
    mp_complex *room;                  /* some numbers */
    double *slope, *last, *last_slope; /* of z at the present point; the last point relative to it, and its slope */
    double condition;                  /* log2 of what multiplies errors of the terms, relative to the largest ones */
} mp_torus;

/* PLUMB_ERR_MEMORY. To be cleared after a failure, too. */
PLUMB_USE_RESULT plumb_status mp_torus_begin(const plumb_system *square, mp_torus *w);
void mp_torus_clear(mp_torus *w);

typedef enum mp_torus_end {
    MP_TORUS_REGULAR,  /* a regular solution without zeros */
    MP_TORUS_INFINITE, /* some unknowns go to infinity or to zero */
    MP_TORUS_LOST      /* something else, or the limits of the effort or a number of steps were not enough */
} mp_torus_end;

/* Follows the path from the point z (unknowns numbers) at tau to the target, and refines its end to this many bits: z becomes the logarithms
 * of the solution. shorter: 1, or less for shorter steps. The effort has arrived at a regular solution. */
mp_torus_end mp_torus_follow(mp_torus *w, mp_complex *z, double tau, double shorter, int64_t goal, mp_effort *effort);

#endif
