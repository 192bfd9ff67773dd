/* permutations.h - permutations of solutions, and the order of the group that they generate. */
#ifndef PLUMB_SOLVER_MONODROMY_PERMUTATIONS_H
#define PLUMB_SOLVER_MONODROMY_PERMUTATIONS_H

#include <gmp.h>
#include <stdint.h>

#include "plumb.h"

struct plumb_permutations {
    int32_t points, count;
    int32_t *image; /* of point i under permutation k: image[k * points + i] */
};

/* What is known of the order of a group. */
typedef enum order_state { ORDER_EXACT, ORDER_AT_LEAST, ORDER_UNKNOWN } order_state;

/* Computes the order; the permutations are valid. */
PLUMB_USE_RESULT plumb_status plumb_group_order(const plumb_permutations *permutations, mpz_t order,
                                                order_state *state);

/* The number of orbits; 0 without memory. */
int64_t plumb_group_orbits(const plumb_permutations *permutations);

#endif
