/* parameters.h - the parameters of a system and their values. */
#ifndef PLUMB_MODEL_SYSTEM_PARAMETERS_H
#define PLUMB_MODEL_SYSTEM_PARAMETERS_H

#include "model/system/polynomial.h"

typedef struct system_value {
    mpq_t re, im;
} system_value;

/* Makes the system in the other unknowns, with one value for each parameter, exactly. PLUMB_ERR_SIZE if its coefficients would be
 * too long. */
PLUMB_USE_RESULT plumb_status plumb_system_specialize(const plumb_system *system, const system_value *values,
                                                      plumb_system **made);

#endif
