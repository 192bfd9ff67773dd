/* refine.h - Newton's method on the solutions that were found, on the system as it was given: for their errors and for more
 * digits. */
#ifndef PLUMB_SOLVER_SOLVE_POINTS_REFINE_H
#define PLUMB_SOLVER_SOLVE_POINTS_REFINE_H

#include <stdbool.h>

#include "base/os/team.h"
#include "solver/context/context.h"

/* A point. x has 2 * room doubles per unknown, limbs of the real part first; room is that of the list. */
typedef struct solve_point {
    double *x;
    int32_t prec;    /* limbs that are used */
    bool regular;    /* the Jacobian has full rank */
    bool settled;    /* by MPFR or exactly: all digits of x are known, or the error is, and parts that are zero are 0 */
    bool cluster;    /* as many solutions as paths are within its error; it is not known whether they are one */
    double error;    /* relative to the largest unknown */
    double residual; /* largest |f_i| */
    double condition; /* as in plumb_newton_report */
    /* The largest error of an unknown relative to its own size, or to its unit if that is larger. */
    double component_error;
    int64_t paths; /* number of paths that end there */
    int64_t multiplicity;
    int64_t path; /* the one that it was taken from */
} solve_point;

typedef struct solve_points {
    plumb_context *context;
    solve_point *list;
    int64_t count;
    int32_t room;
    double *memory;      /* of all x */
    bool doubts;         /* some path is undecided: it might belong to any of the points */
    double *unit;        /* of each unknown of the given system: errors of smaller values are relative to it */
    double *target_unit; /* of the unknowns of the target */
} solve_points;

/* Runs work on all threads if there are many points, otherwise on this one alone; and how many of these points a thread takes at a
 * time. */
PLUMB_USE_RESULT plumb_status plumb_points_share(const solve_points *points, team_work *work, void *data);
int64_t plumb_points_at_once(int64_t count, int32_t threads);

/* Replaces the points by the values of the polynomials of lift: points of the given system from those of a simpler one. Their errors
 * become what those of the simpler one may amount to. */
PLUMB_USE_RESULT plumb_status plumb_solve_lift(const solve_points *points, const plumb_system *lift);

/* Newton's method on the points, the Gauss-Newton method if the system is overdetermined, and a check of all of them. moves: points that are not
 * settled go where it leads; otherwise only their condition numbers are taken, because unknowns that were eliminated are known better from
 * the others, relative to their own size. refined: points for which plumb_solve_refine has done this already; NULL: none. */
PLUMB_USE_RESULT plumb_status plumb_solve_improve(const solve_points *points, const plumb_system *system, bool moves,
                                                  const bool *refined);

/* The residuals of the points that are marked (NULL: all), and the errors of regular ones, computed in the next higher
 * precision. */
PLUMB_USE_RESULT plumb_status plumb_solve_check(const solve_points *points, const plumb_system *system,
                                                const bool *marked);

/* Refines the regular points that are marked (NULL: all) until this many digits of each unknown are known, or as many as the
 * room holds. A point of which no more would be known stays what it was, and loses its mark. zero: for each unknown of each point whether it is known to
 * be zero, so that it needs no digits; NULL: nothing is known. */
PLUMB_USE_RESULT plumb_status plumb_solve_refine(const solve_points *points, const plumb_system *system, double digits,
                                                 bool *marked, const bool *zero);

#endif
