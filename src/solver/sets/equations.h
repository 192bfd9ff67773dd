/* equations.h - the equations that a decomposition begins with.
 *
 * Equations that follow from others are left out, exactly: a system of N independent equations in n unknowns has no component of a
 * dimension below n - N, and components of dimension n - N are complete intersections of them. */
#ifndef PLUMB_SOLVER_SETS_EQUATIONS_H
#define PLUMB_SOLVER_SETS_EQUATIONS_H

#include <stdbool.h>

#include "model/system/polynomial.h"
#include "model/system/system.h"

/* p, which is empty, becomes equation e. */
PLUMB_USE_RESULT plumb_status set_equations_copy(const plumb_system *s, int64_t e, polynomial *p);

/* *left: the equations that the others follow from; *empty: they have no common zero, as exact arithmetic shows. */
PLUMB_USE_RESULT plumb_status set_equations_leave(const plumb_system *given, plumb_system **left, bool *empty);

/* The equations of one system, then those of another one in the same unknowns; one of the two may be NULL. */
PLUMB_USE_RESULT plumb_status set_equations_stack(const plumb_system *first, const plumb_system *second,
                                                  plumb_system **stacked);

#endif
