/* zeros.h - shows that unknowns of a solution are zero, where digits can only show that they are small.
 *
 * Let some unknowns z of a solution be small, and let every term of some equations have one of them: these equations are B(x) z = 0. If B has
 * full column rank wherever the solution may be, then z = 0. That is seen in double: from B at the point, and from bounds of
 * how much it may change within the error. */
#ifndef PLUMB_SOLVER_SOLVE_POINTS_ZEROS_H
#define PLUMB_SOLVER_SOLVE_POINTS_ZEROS_H

#include <stdbool.h>

#include "model/system/system.h"

typedef struct point_zeros {
    const plumb_system *system;
    double *coefficient; /* of each term: re, im, modulus */
    /* Of the point that is looked at: its unknowns (re, im), their moduli, the largest ones within the error; the place of an unknown among
     * those that may be zero. */
    double *x, *modulus, *most;
    int64_t *place;
    bool *used;            /* equations of which every term has such an unknown, and unknowns that these have */
    double *matrix, *room; /* grow with the numbers of equations and unknowns */
    int64_t size;
} point_zeros;

/* False without memory; to be ended in any case. */
bool plumb_zeros_begin(const plumb_system *system, point_zeros *zeros);
void plumb_zeros_end(point_zeros *zeros);

/* The point x (2 * room doubles per unknown, limbs of the real part first) is within error[i] of a solution in each unknown i. zero: the unknowns that may
 * be zero; those that need not be are taken out. False: for these nothing is shown; also without memory. */
bool plumb_zeros_show(point_zeros *zeros, const double *x, int32_t room, const double *error, bool *zero);

#endif
