/* chain.h - triangular systems: an unknown is determined by an equation of its own, the next one by an equation with this one, and so on.
 *
 * They are solved one unknown after the other, without paths. Numbers are discs that are proven to have them (solver/mp/disc.h), with
 * more and more bits; rational ones are exact as long as they are short. A polynomial in the next unknown whose coefficients
 * are exact has exact multiplicities (solver/mp/univariate/roots.h). Otherwise its highest coefficient is proven not to be zero, and its roots
 * to be simple by disjoint discs (those of roots.h, with the errors of the coefficients). So no root is lost or counted
 * twice: the multiplicity of a solution is the product of those of its unknowns as roots. Over a root where the highest coefficients are exactly
 * zero there are fewer roots of the next unknown, or none. */
#ifndef PLUMB_SOLVER_SOLVE_CHAIN_H
#define PLUMB_SOLVER_SOLVE_CHAIN_H

#include "solver/mp/univariate/roots.h"

typedef struct chain_point {
    mp_complex *z;    /* of each unknown; parts that are zero within hundreds of digits are 0 */
    double *radius;   /* log2 of error bounds; -infinity for zero */
    double condition; /* as in mp_root, of one equation in one unknown; otherwise 0: it is not known */
    int64_t multiplicity;
} chain_point;

typedef struct chain_points {
    chain_point *list;
    int64_t count, unknowns;
    int64_t degree; /* sum of the multiplicities */
} chain_points;

/* Finds all solutions of a system with as many equations as unknowns. PLUMB_ERR_SIZE: it is not triangular, not all of its solutions
 * are isolated, something could not be proven, or it would take too much work, which is bounded by counts. PLUMB_ERR_STOPPED, PLUMB_ERR_MEMORY. After a
 * failure there is nothing to clear. */
PLUMB_USE_RESULT plumb_status plumb_chain_solve(const plumb_system *system, const mp_roots_options *options,
                                                chain_points *points);
void plumb_chain_clear(chain_points *points);

#endif
