/* start_system.h - start systems of total degree, at the target's scale or not. */
#ifndef PLUMB_SOLVER_HOMOTOPY_START_SYSTEM_H
#define PLUMB_SOLVER_HOMOTOPY_START_SYSTEM_H

#include "plumb.h"

/* plumb_system_start; with scaled 0, x_i^d_i - c_i for every target. */
PLUMB_USE_RESULT plumb_status plumb_start_make(const plumb_system *target, uint64_t seed, int32_t scaled,
                                               plumb_system **start);

#endif
