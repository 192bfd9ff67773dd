/* slices.h - places for a slice: linear equations with exact coefficients. */
#ifndef PLUMB_SOLVER_SETS_SLICES_H
#define PLUMB_SOLVER_SETS_SLICES_H

#include <gmp.h>

#include "model/system/system.h"

/* The slice, parallel to itself, through a point (2 rationals per unknown). */
PLUMB_USE_RESULT plumb_status set_slices_through(const plumb_system *slice, const mpq_t *point, plumb_system **made);

/* The values of the equations of a slice at a point: 2 rationals, which are initialised, for each of them. */
void set_slices_values(const plumb_system *slice, const mpq_t *point, mpq_t *values);

#endif
