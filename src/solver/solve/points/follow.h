/* follow.h - follows paths in MPFR whose ends quad doubles leave open, on all threads.
 *
 * Work is counted in units of mp_system_cost, of which one core does about 4e8 per second, and never in seconds. It is given out in rounds: each path
 * gets a little at first, and those that have not ended go on with eight times as much, up to the limit of a path, as long as the total
 * lasts. So a run with a few hard paths spends the limit on each of them, and one with hundreds does not leave those without a share that need
 * little. Rounds depend on counts alone, so results are the same whatever the number of threads. */
#ifndef PLUMB_SOLVER_SOLVE_POINTS_FOLLOW_H
#define PLUMB_SOLVER_SOLVE_POINTS_FOLLOW_H

#include "solver/mp/follow.h"
#include "solver/solve/plan.h"

/* Digits of the arithmetic from which on there is more than quad doubles. */
enum { FOLLOW_LEAST_DIGITS = 65 };

/* Times that a path is followed once more because it has come to the end of another one. */
enum { FOLLOW_MOST_CARE = 2 };

typedef struct followed_path {
    int64_t number; /* of the start solution */
    bool ended;     /* it need not be followed any more */
    mp_path path;
    mp_complex *start; /* the start solution; NULL: it was not needed yet */
    int32_t care;      /* times that it has come to the end of another path */
    bool again;        /* it is to be followed from its start once more, with more care */
    bool lost;         /* the start solution cannot be made */
    bool pending;      /* in a call: more work may help */
    double before;     /* work that was spent before the call */
} followed_path;

typedef struct follow_account {
    bool stopped;   /* a stop was asked for: paths have not been followed to the end */
    double work;    /* of all calls */
    double seconds; /* that they took */
} follow_account;

/* Follows the paths that have not ended until they are within 10^-digits of limits that are not regular, or to the limits of work and of
 * max_digits. Paths go on where an earlier call has left them. The context has one line about a failure. */
PLUMB_USE_RESULT plumb_status plumb_solve_follow(const solve_plan *plan, followed_path *paths, int64_t count,
                                                 double digits, follow_account *account);
void plumb_followed_clear(const solve_plan *plan, followed_path *path);

#endif
