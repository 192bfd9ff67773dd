/* settle.h - decides what quad doubles leave open about the ends of paths.
 *
 * Several paths that end at one point to all digits of a quad double need not have a multiple solution there: it may be a cluster
 * of solutions that are closer to each other than that. So each singular endpoint is settled:
 *
 *   - If the simplest rational point near it solves the system exactly, and its exact multiplicity (solver/mp/exact.h) is the number of
 *     paths, it is that solution.
 *   - If its multiplicity, seen with many digits (solver/mp/multiple.h), is the number of paths, it is a solution that is not rational.
 *     Ends of paths without a verdict that are near each other are looked at together for this, from their mean.
 *   - Otherwise its paths are followed once more by MPFR (solver/mp/follow.h), until they are within 10^-digits of their limits, where
 *     digits follows from the sizes of the coefficients and the number of paths. Paths that have come to different points there
 *     have different ends.
 *
 * Before that, paths without a verdict are accounted for by counting: exact solutions whose multiplicities are larger than the numbers of
 * their paths lack them, or all solutions are known, and they end at infinity (exact_has_at_most).
 *
 * The same is done for paths that failed, that are undecided, or that share a regular endpoint. The work is limited
 * by counts (follow.h). A group of paths for which that was not enough is called a cluster: as many solutions as paths are within its radius. */
#ifndef PLUMB_SOLVER_SOLVE_POINTS_SETTLE_H
#define PLUMB_SOLVER_SOLVE_POINTS_SETTLE_H

#include "solver/solve/points/collect.h"

/* Changes the codes of the paths and their groups, and lists the points in the order of their paths. Nothing is done for a run that was
 * stopped, or that has a part of the paths only. The report gets what was followed in MPFR, and whether that was stopped. */
PLUMB_USE_RESULT plumb_status plumb_solve_settle(const solve_plan *plan, const solve_paths *paths, track_group *groups,
                                                 settled_points *settled, plumb_solve_report *report);
void plumb_settled_clear(settled_points *settled);

#endif
