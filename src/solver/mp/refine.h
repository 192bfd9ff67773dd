/* refine.h - Newton's method on a square system with as many bits as are asked for, and whether other equations vanish at the zero that it
 * converges to. */
#ifndef PLUMB_SOLVER_MP_REFINE_H
#define PLUMB_SOLVER_MP_REFINE_H

#include "model/system/system.h"
#include "solver/mp/number.h"

/* Refines x in place, to about so many bits; x gets this precision. False if Newton's method does not converge quadratically from
 * there, or ends up away from x by more than 2^most_move, relative to the largest unknown. *error: log2 of a bound of the error of each
 * unknown, twice the last correction (absolute). *status: PLUMB_ERR_MEMORY. */
bool mp_refine(const plumb_system *square, mp_complex *x, int64_t bits, double most_move, double *error,
               plumb_status *status);

typedef enum mp_zero {
    MP_ZERO,     /* all equations vanish as far as this precision shows */
    MP_NOT_ZERO, /* one of them does not */
    MP_UNCLEAR   /* the error of x is too large to tell */
} mp_zero;

/* Whether the equations of a system vanish at a point that is known to an error (log2, absolute, of each unknown). *miss: the largest
 * |f_e| relative to the sizes that the terms of f_e have for unknowns of modulus 1 or more. */
mp_zero mp_vanishes(const plumb_system *system, const mp_complex *x, int64_t bits, double error, double *miss,
                    plumb_status *status);

#endif
