/* conditions.h - removes the points at which a denominator of the system is zero: there its equations have no value.
 *
 * Points come from the numerators. A denominator is not zero if its value is larger than the error of the point explains; this decides
 * nearly all of them. A regular point where one seems to vanish is refined, and if it still vanishes with hundreds of digits, more than the sizes of
 * the coefficients make plausible for anything else, it is zero there. Other points are decided if they are rational
 * (solver/mp/exact.h); what remains is undecided. */
#ifndef PLUMB_SOLVER_SOLVE_POINTS_CONDITIONS_H
#define PLUMB_SOLVER_SOLVE_POINTS_CONDITIONS_H

#include "solver/solve/plan.h"
#include "solver/solve/points/refine.h"

/* Takes points of the target of the plan out of the list, before they are lifted to the unknowns of the system. The paths that led there are
 * counted as extraneous, or as undecided. */
PLUMB_USE_RESULT plumb_status plumb_solve_conditions(const solve_plan *plan, solve_points *points,
                                                     plumb_solve_report *report);

#endif
