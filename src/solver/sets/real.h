/* real.h - slices in real directions, for what is real on a component. */
#ifndef PLUMB_SOLVER_SETS_REAL_H
#define PLUMB_SOLVER_SETS_REAL_H

#include <stdbool.h>

#include "model/system/system.h"

/* True if all coefficients are real. */
bool set_real_system(const plumb_system *system);

/* As many linear equations with random real directions as asked for, in the unknowns of a system, and random complex constants. */
PLUMB_USE_RESULT plumb_status set_real_slice(const plumb_system *system, int64_t equations, uint64_t seed,
                                             plumb_system **slice);

/* One such equation, a.x + c, with these coefficients and a random complex constant. */
PLUMB_USE_RESULT plumb_status set_real_form(const plumb_system *system, const double *a, uint64_t seed,
                                            plumb_system **slice);

/* The value of linear equation `equation` at a real point, rounded. */
void set_real_values(const plumb_system *slice, int64_t equation, const double *y, double value[2]);

#endif
