/* equations.h - the equations that a decomposition begins with.
 *
 * Equations that follow from others are left out, exactly: a system of N independent equations in n unknowns has no component of a
 * dimension below n - N, and components of dimension n - N are complete intersections of them. Where combinations of equations have lower
 * degrees they take their places.
 *
 * Linear equations, r of them, are never combined with others: the solution set lies in the linear space of dimension n - r that they
 * define, so there are no components of higher dimension, and combinations of the other equations alone have fewer solutions that are not
 * solutions of the system. */
#ifndef PLUMB_SOLVER_SETS_EQUATIONS_H
#define PLUMB_SOLVER_SETS_EQUATIONS_H

#include <stdbool.h>

#include "model/system/polynomial.h"
#include "model/system/system.h"

/* p, which is empty, becomes equation e. */
PLUMB_USE_RESULT plumb_status set_equations_copy(const plumb_system *s, int64_t e, polynomial *p);

/* *left: the equations that the others follow from; *linear: how many linear ones it has, 0 if they are not known to be independent, for
 * lack of work; *empty: they have no common zero, as exact arithmetic shows. */
PLUMB_USE_RESULT plumb_status set_equations_leave(const plumb_system *given, plumb_system **left, int64_t *linear,
                                                  bool *empty);

/* `count` equations whose solutions of this codimension or less are those of the system, and others that are regular: the linear ones of
 * the system, if their number is given, and random combinations of the others. */
PLUMB_USE_RESULT plumb_status set_equations_combine(const plumb_system *system, int64_t linear, int64_t count,
                                                    uint64_t seed, plumb_system **combined);

/* The equations of one system, then those of another one in the same unknowns; one of the two may be NULL. */
PLUMB_USE_RESULT plumb_status set_equations_stack(const plumb_system *first, const plumb_system *second,
                                                  plumb_system **stacked);

#endif
