/* exact.h - what can be said exactly about a solution whose coordinates are rational: that it is one, and its multiplicity.
 *
 * Many singular solutions are rational, and many coordinates zero. A point that was found with some digits is replaced by the simplest
 * rational numbers near its coordinates; that these solve the system is then seen in rational arithmetic. The multiplicity is the
 * dimension of the space of functionals that vanish on the ideal at the point: the limit of the nullities of Macaulay matrices
 * of increasing order (Dayton and Zeng, Computing the multiplicity structure in solving polynomial systems, ISSAC 2005). Their ranks are
 * computed modulo a prime of 31 bits, where i has a value, too; an unlucky prime has a chance of about one in 10^8. */
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
/* The same for a point of so many limbs: 2 * limbs doubles per unknown, limbs of the real part first. */
bool exact_point_find_limbs(const plumb_system *system, const double *x, int32_t limbs, double error,
                            exact_point *point);
/* The values of the equations of a system at a point, exactly. False if they would have too many digits, and without memory; values is to be
 * cleared in any case. */
bool exact_point_map(const plumb_system *system, const exact_point *point, exact_point *values);
void exact_point_clear(exact_point *point);
void exact_point_limbs(const exact_point *point, double *x, int32_t limbs);

/* The multiplicity of the solution if it is isolated; -1: that would take too much work, or the nullities do not become stationary up to
 * `most`, as on a curve of solutions. most > 0: counting ends as soon as so many are known. */
int64_t exact_multiplicity(const plumb_system *system, const exact_point *point, int64_t most);

#endif
