/* sift.h - distinguishes the solutions of an overdetermined system from the other solutions of its random combinations.
 *
 * All coefficients are exact, so an endpoint is decided with as many digits as necessary: it is refined on the combinations, and the
 * equations are evaluated there. If one of them is larger than the error of the point explains, the point is no solution. If all of them
 * vanish up to the error for hundreds of digits, more than the sizes of the coefficients make plausible for anything else, it is
 * one. A singular endpoint is decided if it is rational (solver/mp/exact.h); what remains is undecided. */
#ifndef PLUMB_SOLVER_SOLVE_POINTS_SIFT_H
#define PLUMB_SOLVER_SOLVE_POINTS_SIFT_H

#include "solver/solve/points/refine.h"

/* Takes the points that do not solve the system out of the list; the paths that led there are counted as extraneous, those of points
 * that are undecided as such. Points that miss the equations by at most `residual` stay. */
PLUMB_USE_RESULT plumb_status plumb_solve_sift(solve_points *points, const plumb_system *square,
                                               const plumb_system *system, double residual, plumb_solve_report *report);

#endif
