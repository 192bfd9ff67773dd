/* echelon.h - the reduced row echelon form of the equations of a system, exactly.
 *
 * Its equations are combinations of the given ones, with an inverse, so that the zeros are the same. The columns are the monomials, those of
 * higher degree first, and each equation has a monomial of its own. This undoes combinations of sparse equations: what large
 * coefficients hide is there again, and there are fewer mixed cells. */
#ifndef PLUMB_MODEL_SYSTEM_ECHELON_H
#define PLUMB_MODEL_SYSTEM_ECHELON_H

#include "model/system/system.h"

/* *made: NULL if the form does not have fewer terms, if equations are dependent, or if there are too many coefficients.
 * PLUMB_ERR_MEMORY. */
PLUMB_USE_RESULT plumb_status plumb_system_echelon(const plumb_system *system, plumb_system **made);

#endif
