/* estimate.h - how long the paths of a plan will take, from a sample of them. */
#ifndef PLUMB_SOLVER_SOLVE_ESTIMATE_H
#define PLUMB_SOLVER_SOLVE_ESTIMATE_H

#include "solver/run/run.h"

typedef struct solve_estimate {
    double seconds; /* that all paths of the job take */
    int32_t sample; /* the number of paths that were tracked */
} solve_estimate;

/* Tracks a sample of the paths on the machine that would track all of them, and with all its threads. Which paths they are depends on the
 * number of paths and the machine alone. Reruns and what is done with endpoints are not part of the estimate.
 * PLUMB_ERR_STOPPED if the host of the job or its progress asks for that; the context has one line about a failure. */
PLUMB_USE_RESULT plumb_status plumb_solve_estimate(const run_job *job, solve_estimate *estimate);

#endif
