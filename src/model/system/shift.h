/* shift.h - a system in translated unknowns. */
#ifndef PLUMB_MODEL_SYSTEM_SHIFT_H
#define PLUMB_MODEL_SYSTEM_SHIFT_H

#include "model/system/polynomial.h"

/* Makes the system whose zeros are those of the given one plus shift, which has numbers for the first `count` unknowns; exactly.
 * PLUMB_ERR_SIZE if that takes too long. */
PLUMB_USE_RESULT plumb_status plumb_system_shift(const plumb_system *system, const double *shift, int64_t count,
                                                 plumb_system **made);

#endif
