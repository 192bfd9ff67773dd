/* refine.h - Newton's method on a square system with as many bits as are asked for, and whether other equations vanish at the zero that it
 * converges to. */
#ifndef PLUMB_SOLVER_MP_REFINE_H
#define PLUMB_SOLVER_MP_REFINE_H

#include "model/system/system.h"
#include "solver/mp/number.h"

/* Refines x in place, to about this many bits; x gets this precision. False if Newton's method does not converge quadratically from
 * there, or begins with a correction of more than 2^most_move. Corrections are relative to the size of their unknown, or to its unit if
 * that is larger; without units (NULL) to the largest unknown. errors: log2 of an estimate of the error
 * of each unknown (absolute): the last correction, and what rounding contributes by the inverse of the Jacobian. *status:
 * PLUMB_ERR_MEMORY. */
bool mp_refine(const plumb_system *square, mp_complex *x, int64_t bits, double most_move, const double *unit,
               double *errors, plumb_status *status);

/* log2 of the largest term of an equation for unknowns of these moduli (log2), or of 1 where that is larger. */
double mp_size_for_large(const plumb_system *system, int64_t equation, const double *logs);

typedef enum mp_zero {
    MP_ZERO,     /* all equations vanish as far as this precision shows */
    MP_NOT_ZERO, /* one of them does not */
    MP_UNCLEAR   /* the error of x is too large to decide */
} mp_zero;

/* Whether the equations of a system vanish at a point of which the errors of the unknowns are known (log2, absolute). *miss: the largest
 * |f_e| relative to the sizes that the terms of f_e have for unknowns of modulus 1 or more. */
mp_zero mp_vanishes(const plumb_system *system, const mp_complex *x, int64_t bits, const double *errors, double *miss,
                    plumb_status *status);

#endif
