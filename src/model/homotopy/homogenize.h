/* homogenize.h - rewrites an equation of a system in other unknowns, exactly. */
#ifndef PLUMB_MODEL_HOMOTOPY_HOMOGENIZE_H
#define PLUMB_MODEL_HOMOTOPY_HOMOGENIZE_H

#include "model/system/polynomial.h"

/* Sets p, which must be empty, to an equation of a system with unknown u renamed to to[u]; the to[u] are distinct. If
 * degree is at least 0 (and at least the degree of the equation), each term is multiplied by the power of unknown 0
 * that gives it this degree; unknown 0 must not be among the to[u]. With -1 the terms are not changed. p is normal
 * afterwards. Returns PLUMB_ERR_RANGE if an exponent would exceed POLY_MOST_EXPONENT. */
PLUMB_USE_RESULT plumb_status plumb_homogenize(const plumb_system *system, int64_t equation, const int32_t *to,
                                               int64_t degree, polynomial *p);

#endif
