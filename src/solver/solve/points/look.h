/* look.h - what is said about solutions: whether they are real, positive or without zeros, by as many digits as necessary.
 *
 * A solution is real if it equals its complex conjugate by the rule that endpoints are compared by (solver/track/ends.h): if all imaginary
 * parts are within a multiple of its estimated error. A coordinate is zero if it is within that distance of zero. Where another
 * solution might be as near, the point is refined by MPFR until that is decided. */
#ifndef PLUMB_SOLVER_SOLVE_POINTS_LOOK_H
#define PLUMB_SOLVER_SOLVE_POINTS_LOOK_H

#include "solver/solve/plan.h"
#include "solver/solve/points/refine.h"

typedef struct solve_view {
    bool real, positive, nonzero;
    bool
        unclear; /* a part that decides is small compared with its unit, and not far above its error: more digits decide */
    bool for_sign; /* and not because of an imaginary part alone */
    bool vague;    /* its error is too large */
    int64_t place; /* in the list of solutions; -1: it is not wanted */
} solve_view;

/* Looks at all points: *seen has one entry for each, to be freed. Points that stay too vague leave the list, and their paths become
 * undecided in the report. Imaginary parts of real solutions of real systems become 0. */
PLUMB_USE_RESULT plumb_status plumb_solve_look(const solve_plan *plan, solve_points *points, plumb_solve_report *report,
                                               solve_view **seen);

#endif
