/* phc.h - PHCpack's black-box solver, timed as a program of its own where it is installed. */
#ifndef PLUMB_BENCH_SOLVE_PHC_H
#define PLUMB_BENCH_SOLVE_PHC_H

#include <stdbool.h>

#include "plumb.h"

/* Is there a program phc? */
bool bench_phc_there(void);

/* Solves a system with `phc -b -t1` (`-b2` in dd, `-b4` in qd): the processor time of the whole program, which has one
 * thread, in seconds, and the number of solutions
 * that it lists. False if it fails or takes longer than `most` seconds. */
bool bench_phc_solve(const plumb_system *system, int32_t prec, double most, double *seconds, int64_t *solutions);

#endif
