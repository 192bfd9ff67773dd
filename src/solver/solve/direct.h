/* direct.h - solutions without paths: when a triangular system is left, or one equation in one unknown, they come from its roots (chain.h);
 * those of very different sizes come from solver/polyhedral/tropical.h.
 *
 * The unknowns that were eliminated are computed from them by MPFR, with many more digits than a quad double has. A part of them that is
 * zero within its error, of hundreds of digits, is taken for zero. */
#ifndef PLUMB_SOLVER_SOLVE_DIRECT_H
#define PLUMB_SOLVER_SOLVE_DIRECT_H

#include "solver/solve/plan.h"
#include "solver/solve/points/refine.h"

/* The digits that the roots of what is left need, and the bits that solutions of very different sizes do. */
double plumb_direct_digits(const solve_plan *plan);
int64_t plumb_direct_bits(const solve_plan *plan);

/* Makes a list of points from these solutions of the plan, in the unknowns of the given system. PLUMB_ERR_MEMORY. */
PLUMB_USE_RESULT plumb_status plumb_direct_take(const solve_plan *plan, const int64_t *which, int64_t count,
                                                solve_points *points);

/* The account of the solutions: each stands for as many paths as its multiplicity. */
void plumb_direct_count(const solve_plan *plan, plumb_solve_report *report);

#endif
