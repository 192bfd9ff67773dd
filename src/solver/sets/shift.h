/* shift.h - coordinates in which no component lies in a coordinate plane.
 *
 * The tracker measures residuals relative to the terms of an equation. An equation that vanishes with an unknown has no terms along
 * a path on which the unknown is zero. Where witness points have zero coordinates, these unknowns are therefore replaced by
 * x + s with a random s, exactly, in all systems that paths are tracked with. */
#ifndef PLUMB_SOLVER_SETS_SHIFT_H
#define PLUMB_SOLVER_SETS_SHIFT_H

#include "model/system/system.h"

/* shift: real and imaginary part for each unknown, 0 where it stays. PLUMB_ERR_SIZE if the system would be too large. */
PLUMB_USE_RESULT plumb_status set_shift_system(const plumb_system *system, const double *shift, plumb_system **shifted);

/* Adds the shift `times` times (1 or -1) to a point of any number of unknowns, of which the first `unknowns` are those of the shift. */
PLUMB_USE_RESULT plumb_status set_shift_point(const double *shift, int64_t unknowns, int times, const plumb_view *x);

#endif
