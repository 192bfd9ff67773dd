/* start_system.h - start systems of total degree, with or without the scale of the target. */
#ifndef PLUMB_SOLVER_HOMOTOPY_START_SYSTEM_H
#define PLUMB_SOLVER_HOMOTOPY_START_SYSTEM_H

#include "plumb.h"

/* Like plumb_system_start; if scaled is 0, the system is x_i^d_i - c_i for every target. */
PLUMB_USE_RESULT plumb_status plumb_start_make(const plumb_system *target, uint64_t seed, int32_t scaled,
                                               plumb_system **start);

#endif
