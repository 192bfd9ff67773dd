/* tropical.h - all solutions of a system whose coefficients, and therefore solutions, have very different sizes.
 *
 * The points of the supports are lifted by the logarithms of the coefficients: c_a x^a and its neighbours are of one size where a lies on
 * the lower hull, so that the normals of the mixed cells are the sizes of solutions, as the Newton polygon has them for one unknown. Random
 * numbers that are added to the logarithms make the cells fine. Each path begins with the sizes that its cell knows and is followed in the
 * logarithms of the unknowns (solver/mp/torus.h); where all other terms are small, there is next to nothing to follow.
 *
 * A system has at most as many isolated solutions without zeros as its mixed volume. If all paths end at different regular
 * solutions, these are therefore all, whatever happened on the way. Paths may also end at infinity. If one of them ends otherwise, or if
 * there may be solutions with zeros, the call says so, and the paths of double precision have to decide.
 *
 * Reference: Gaubert and Sharify, Tropical scaling of polynomial matrices, 2009, for the sizes of eigenvalues. */
#ifndef PLUMB_SOLVER_POLYHEDRAL_TROPICAL_H
#define PLUMB_SOLVER_POLYHEDRAL_TROPICAL_H

#include "model/system/system.h"
#include "solver/context/context.h"
#include "solver/mp/number.h"

typedef struct tropical_roots {
    int64_t count, unknowns, room;
    int64_t infinite;  /* paths that end at infinity */
    mp_complex *x;     /* unknowns numbers for each solution; imaginary parts of real ones are 0 */
    int64_t bits;      /* of x */
    double error;      /* log2 of the error of each unknown, relative to its size */
    double *condition; /* of each solution, as in plumb_newton_report */
} tropical_roots;

/* The largest number of bits between the coefficients of one equation: solutions cannot differ much more in size. */
double plumb_tropical_width(const plumb_system *system);

/* Finds the solutions of a square system, each unknown to this many bits. PLUMB_ERR_SIZE: not all of them were found, or that would take more
 * than a limited number of paths, digits and operations, or their sizes are similar; PLUMB_ERR_STOPPED, PLUMB_ERR_MEMORY. After a
 * failure there is nothing to clear. */
PLUMB_USE_RESULT plumb_status plumb_tropical_solve(plumb_context *context, const plumb_system *system, uint64_t seed,
                                                   int64_t most_steps, int64_t bits, tropical_roots *roots);
void plumb_tropical_clear(tropical_roots *roots);

#endif
