/* job.h - the paths of a plan as a job for a run (solver/run/run.h): the same for the program and for plumb_solve, so that
 * each continues journals of the other. */
#ifndef PLUMB_SOLVER_SOLVE_JOB_H
#define PLUMB_SOLVER_SOLVE_JOB_H

#include "solver/run/run.h"
#include "solver/solve/points/collect.h"

/* All paths of the plan, which has some. Voice, display, files and threads are left to the caller; data, which describes start solutions, is
 * the plan. */
run_job plumb_solve_job(const solve_plan *plan);

/* The endpoints of a run, as plumb_solve_collect takes them. */
solve_paths plumb_solve_run_paths(run_state *run);

#endif
