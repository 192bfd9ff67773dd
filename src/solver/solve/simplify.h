/* simplify.h - what can be said and done about a system before any path is tracked, exactly.
 *
 * Equations that follow from others are left out (model/system/dependent.h): zero polynomials, multiples, linear combinations.
 * The others stay as they are, which keeps them sparse, but for those that combinations of lower degree replace. A constant, as an
 * equation or as a combination of some, means that there are no solutions. A linear equation is solved for one of its unknowns,
 * which is substituted everywhere, if that leaves no more terms than there were: so x = 3, x = 2 y and all equations of a linear
 * system are solved, but the linear equation of a large sparse system is not allowed to fill it. Several equations in the same unknown alone
 * are replaced by their greatest common divisor. Everything is rational arithmetic. */
#ifndef PLUMB_SOLVER_SOLVE_SIMPLIFY_H
#define PLUMB_SOLVER_SOLVE_SIMPLIFY_H

#include <stdbool.h>

#include "solver/context/context.h"

typedef struct simple_system {
    bool inconsistent;    /* there are no solutions at all */
    int64_t eliminated;   /* number of unknowns that were substituted */
    int64_t dependent;    /* number of equations that were left out, because they follow from the others */
    int64_t lowered;      /* number of times that an equation was replaced by a combination of lower degree */
    plumb_system *system; /* what is left, or NULL: no unknown is left, or nothing was changed */
    bool changed;
    /* The unknowns of the given system as polynomials of those that are left (of one that does not matter, if none is
     * left); NULL: nothing was eliminated. */
    plumb_system *lift;
    char why[256]; /* why there are no solutions */
} simple_system;

/* PLUMB_ERR_ARGUMENT, with the reason in why, if solutions cannot be isolated: fewer equations than unknowns, or an unknown
 * that no equation has. PLUMB_ERR_MEMORY. */
PLUMB_USE_RESULT plumb_status plumb_solve_simplify(const plumb_system *given, simple_system *simple);
void plumb_solve_simple_clear(simple_system *simple);

/* Makes a system with as many equations as unknowns from one with more of them: the equations of the highest degrees, each
 * with a random combination of the others added. Its solutions are those of the system, and others. */
PLUMB_USE_RESULT plumb_status plumb_solve_square(const plumb_system *system, uint64_t seed, plumb_system **square);

/* The same with any number of equations up to that of the system: its solutions of codimension `count` or less are those of the
 * system, and others that are regular. */
PLUMB_USE_RESULT plumb_status plumb_solve_combine(const plumb_system *system, int64_t count, uint64_t seed,
                                                  plumb_system **combined);

#endif
