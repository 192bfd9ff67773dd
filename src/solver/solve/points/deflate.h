/* deflate.h - more digits for singular isolated solutions.
 *
 * Near a singular solution Newton's method converges slowly, and half of the digits or more are lost. If the Jacobian J has
 * rank r there, the system
 *
 *   f(x) = 0,   J(x) B y = 0,   h.y = 1
 *
 * with a random n x (r + 1) matrix B and a random vector h has the solution (x, y) for exactly one y, and a lower
 * multiplicity. Repeated until the Jacobian has full rank, at most multiplicity - 1 times, this is a system that the
 * Gauss-Newton method solves to all digits. Everything is made exactly.
 *
 * Reference: Leykin, Verschelde and Zhao, Newton's method with deflation for isolated singularities of polynomial systems,
 * Theoretical Computer Science 359, 2006. */
#ifndef PLUMB_SOLVER_SOLVE_POINTS_DEFLATE_H
#define PLUMB_SOLVER_SOLVE_POINTS_DEFLATE_H

#include "solver/solve/points/refine.h"

/* Refines the singular points until this many digits are known, or as many as their room holds. A point for which that fails
 * stays what it was, and so does a cluster: its error is the radius within which its solutions are, and it may be several. */
PLUMB_USE_RESULT plumb_status plumb_solve_deflate(const solve_points *points, const plumb_system *system,
                                                  double digits);

/* One step: the system above, in the unknowns of the system followed by those of y, for a rank below the number of unknowns.
 * The random numbers follow from the seed. */
PLUMB_USE_RESULT plumb_status plumb_deflate_system(const plumb_system *system, int64_t rank, uint64_t seed,
                                                   plumb_system **deflated);

/* Deflates a system at a point (unknowns x 1) with this relative error, until it has full rank there, and refines the point. */
enum { DEFLATE_MOST_STAGES = 6 };
typedef struct deflated_point {
    int32_t stages;                    /* how many steps that took; 0: it was not possible within the limits */
    int64_t rank[DEFLATE_MOST_STAGES]; /* of the Jacobian before each of them */
    plumb_system *system;
    plumb_view x; /* in the precision of the given point, in the unknowns of the last system */
    double error; /* relative to the largest of them */
} deflated_point;
PLUMB_USE_RESULT plumb_status plumb_deflate_point(plumb_context *context, const plumb_system *system,
                                                  const plumb_view *x, double error, deflated_point *point);
void plumb_deflated_clear(plumb_context *context, deflated_point *point);

/* The same steps for another system, of which the same ranks are expected. */
PLUMB_USE_RESULT plumb_status plumb_deflate_again(const plumb_system *system, const deflated_point *point,
                                                  plumb_system **deflated);

#endif
