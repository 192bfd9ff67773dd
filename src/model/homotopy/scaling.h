/* scaling.h - powers of two that bring the unknowns and equations of a system to sizes near 1: x_i = 2^e_i y_i, and equation k
 * multiplied by 2^c_k. Nothing is rounded, so roots of the scaled system are those of the other one exactly.
 *
 * e makes the terms of each equation as equal as they can be: least squares for the logarithms of their coefficients about
 * their mean in each equation (in the manner of Morgan, Solving polynomial systems, 1987, chapter 5; his equations' factors are
 * eliminated here). c then makes the smallest coefficient of each equation about 1: a target that is too large for its start system costs some
 * steps near t = 0, one that is too small has all its turns near t = 1, where endgames begin. The same integers on every machine.
 *
 * A system that is scaled well enough is left alone, and so is one whose coefficients no powers explain: where roots of one
 * unknown are many powers of ten apart, a scale in their middle would serve neither. */
#ifndef PLUMB_MODEL_HOMOTOPY_SCALING_H
#define PLUMB_MODEL_HOMOTOPY_SCALING_H

#include <stdbool.h>

#include "model/system/polynomial.h"

typedef struct system_scaling {
    int32_t *unknown;  /* e; NULL: no scaling at all */
    int32_t *equation; /* c */
    bool moves;        /* some e is not 0 */
} system_scaling;

PLUMB_USE_RESULT plumb_status plumb_scaling_find(const plumb_system *system, system_scaling *scaling);
void plumb_scaling_clear(system_scaling *scaling); /* as it is before it is found: all zeros */

/* Do the coefficients of a system with as many equations stay well within the range of doubles? Its unknown u is unknown to[u] of the
 * system that was scaled; NULL: u. */
bool plumb_scaling_fits(const system_scaling *scaling, const plumb_system *system, const int32_t *to);

/* Scales a polynomial that stands in equation `equation`; its unknown u is unknown u - shift, and those below shift have no scale. */
void plumb_scaling_apply(const system_scaling *scaling, int64_t equation, int32_t shift, polynomial *p);

#endif
