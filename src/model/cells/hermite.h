/* hermite.h - the Hermite normal form of an integer matrix, which makes a binomial system triangular.
 *
 * With x_i = y_1^u_i1 ... y_n^u_in for a unimodular U, the binomial system x^(row j of E) = c_j becomes y^(row j of E U) =
 * c_j. For H = E U lower triangular, y_1^h_11 = c_1, y_1^h_21 y_2^h_22 = c_2, ... is solved by one root after the other,
 * and its h_11 ... h_nn solutions are numbers in a mixed radix. */
#ifndef PLUMB_MODEL_CELLS_HERMITE_H
#define PLUMB_MODEL_CELLS_HERMITE_H

#include <stdint.h>

#include "plumb.h"

/* Computes H = E U for n x n matrices, by rows: U is unimodular, H is lower triangular with a positive diagonal, and 0
 * <= h_jk < h_jj for k < j. Both are unique. They are computed in integers of any size; PLUMB_ERR_SIZE if an entry does
 * not fit in 64 bits, PLUMB_ERR_SINGULAR if E is singular. */
PLUMB_USE_RESULT plumb_status plumb_hermite(int64_t n, const int64_t *e, int64_t *h, int64_t *u);

#endif
