/* exact.h - what can be said exactly about a solution whose coordinates are rational: that it is one, and its multiplicity.
 *
 * Many singular solutions are rational, and many coordinates zero. A point that was found with some digits is replaced by the simplest
 * rational numbers near its coordinates; that these solve the system is then seen in rational arithmetic. The multiplicity is the
 * dimension of the space of functionals that vanish on the ideal at the point. They are found order by order, each by what it becomes after products with
 * the unknowns, which are sums of functionals of lower order (Mourrain, Isolated points, duality and residues, Journal of Pure and Applied Algebra
 * 117-118, 1997): matrices have as many columns as the product of unknowns and functionals, however many monomials there are. Everything is computed
 * modulo a prime of 31 bits, where i has a value, too; an unlucky prime has a chance of about one in 10^8.
 */
#ifndef PLUMB_SOLVER_MP_EXACT_H
#define PLUMB_SOLVER_MP_EXACT_H

#include <stdbool.h>

#include "model/system/system.h"
#include "solver/mp/number.h"

/* A point with complex rational coordinates: re and im of each unknown in turn. */
typedef struct exact_point {
    mpq_t *x;
    int64_t unknowns;
} exact_point;

/* Makes the rational point near x and returns true if it solves the system exactly. Coordinates are searched within 2^error of x,
 * absolute; their denominators are limited such that a rational number of that size is not near by chance. False also without
 * memory. */
bool exact_point_find(const plumb_system *system, const mp_complex *x, double error, exact_point *point);
/* The same for a point of this many limbs: 2 * limbs doubles per unknown, limbs of the real part first. */
bool exact_point_find_limbs(const plumb_system *system, const double *x, int32_t limbs, double error,
                            exact_point *point);
/* The values of the equations of a system at a point, exactly. False if they would have too many digits, and without memory; values is to be
 * cleared in any case. */
bool exact_point_map(const plumb_system *system, const exact_point *point, exact_point *values);
void exact_point_clear(exact_point *point);
void exact_point_limbs(const exact_point *point, double *x, int32_t limbs);

/* A lower bound of the rank of the Jacobian at a point: nearly always the rank; 0 without memory. */
int64_t exact_rank(const plumb_system *system, const exact_point *point);

/* The multiplicity of the solution if it is isolated; -1: that would take too much work, or there are more functionals than Bezout's bound
 * allows, as on a curve of solutions. most > 0: counting ends as soon as this many are known. */
int64_t exact_multiplicity(const plumb_system *system, const exact_point *point, int64_t most);

/* Whether a system has at most this many solutions, counted with multiplicity; false also if that would take too much work.
 *
 * Let W be the polynomials that are made from the equations by sums and by products with unknowns, as long as their degrees are at most D. If
 * every monomial of some degree k + 1 <= D is the leading one of an element of W, then every polynomial is, modulo the equations, one of
 * degree k, and those monomials up to degree k that lead no element of W span all of them: there are at most as many solutions. Echelon
 * forms of W for increasing D, modulo the same prime, find this out, whatever the solutions at infinity are. (Mourrain,
 * A new criterion for normal form algorithms, AAECC 1999.) */
bool exact_has_at_most(const plumb_system *system, int64_t solutions);

#endif
