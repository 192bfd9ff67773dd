/* homogenize.h - an equation of a system taken over into other unknowns, exactly. */
#ifndef PLUMB_MODEL_HOMOTOPY_HOMOGENIZE_H
#define PLUMB_MODEL_HOMOTOPY_HOMOGENIZE_H

#include "model/system/polynomial.h"

/* p (empty) = an equation of a system in which unknown u is called to[u], no two alike. With a degree of 0 or more, at
 * least that of the equation, each term is multiplied by the power of unknown 0, which is no to[u], that gives it this
 * degree; -1 leaves terms alone. Normal afterwards. PLUMB_ERR_RANGE when an exponent would be above POLY_MOST_EXPONENT. */
PLUMB_USE_RESULT plumb_status plumb_homogenize(const plumb_system *system, int64_t equation, const int32_t *to,
                                               int64_t degree, polynomial *p);

#endif
