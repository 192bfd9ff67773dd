/* dependence.h - are columns that a factorisation has left out exact combinations of those that it has used?
 *
 * A rank that is decided in floating-point numbers is the rank of some matrix within rounding of the given one. Only if the columns that
 * were left out depend exactly on the others is a basic solution one of the given problem; otherwise the given problem has a higher rank
 * and another solution, of which nothing is known. */
#ifndef PLUMB_METHOD_LSQ_DEPENDENCE_H
#define PLUMB_METHOD_LSQ_DEPENDENCE_H

#include <stdbool.h>

#include "plumb.h"

/* *dependent: columns order[rank], order[rank + 1], ... of a (on the host, finite) are linear combinations of columns order[0], ...,
 * order[rank - 1]. It takes about rows * rank^2 products of integers (four times as many of complex ones). A dependence that is there is
 * always found; one that is not there is taken for one only if a determinant that is not zero is a multiple of a prime near 2^62.
 * PLUMB_ERR_MEMORY without a message. */
plumb_status lsq_find_dependence(const plumb_view *a, const int64_t *order, int64_t rank, bool *dependent);

#endif
