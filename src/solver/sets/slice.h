/* slice.h - linear spaces in general position, and the systems that they make with the equations.
 *
 * A slice of dimension k is a list of k linear equations whose coefficients have modulus 1 and random directions, with 32 binary
 * places: they are exact. The points of a component of dimension k on a slice are isolated, and their number is its degree. */
#ifndef PLUMB_SOLVER_SETS_SLICE_H
#define PLUMB_SOLVER_SETS_SLICE_H

#include "base/number/random.h"
#include "model/system/system.h"

/* Equation i is c[i][0] x_1 + ... + c[i][n-1] x_n + c[i][n] = 0: real and imaginary parts, i (n + 1) pairs before them. */
typedef struct set_slice {
    int64_t equations, unknowns;
    double *c;
} set_slice;

/* A random complex number of modulus about 1, by arithmetic that is the same on every machine, with 32 binary places: sums and differences
 * of such numbers are exact. */
void set_direction(plumb_random *random, double c[2]);

PLUMB_USE_RESULT plumb_status set_slice_make(int64_t equations, int64_t unknowns, uint64_t seed, set_slice *slice);
PLUMB_USE_RESULT plumb_status set_slice_copy(const set_slice *from, set_slice *slice);
void set_slice_clear(set_slice *slice);

/* The equations of a system in the same unknowns, and then those of the slice. system may be NULL: then names has the unknowns. */
PLUMB_USE_RESULT plumb_status set_slice_stack(const plumb_system *system, const char *const *names,
                                              const set_slice *slice, plumb_system **stacked);

#endif
