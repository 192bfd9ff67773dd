/* scaling.h - powers of two that scale the unknowns and equations of a system to sizes near 1: x_i = 2^e_i y_i, and
 * equation k is multiplied by 2^c_k. Nothing is rounded, so the roots of the scaled system correspond exactly to
 * those of the original.
 *
 * e makes the terms of each equation as equal in size as possible: it minimises the sum of squares of the logarithms
 * of the coefficients about their mean in each equation (as in Morgan, Solving polynomial systems, 1987, chapter 5,
 * but with the factors of the equations eliminated). c then makes the smallest coefficient of each equation about 1:
 * a target that is too large for its start system costs a few steps near t = 0, whereas the paths of one that is too
 * small turn near t = 1, where endgames begin. The integers are the same on every machine.
 *
 * A system that is already well scaled is not changed. Neither is one whose coefficients are not explained by scales:
 * if the roots have values of one unknown that are many powers of ten apart, a scale in the middle would suit none of
 * them. */
#ifndef PLUMB_MODEL_HOMOTOPY_SCALING_H
#define PLUMB_MODEL_HOMOTOPY_SCALING_H

#include <stdbool.h>

#include "model/system/polynomial.h"

typedef struct system_scaling {
    int32_t *unknown;  /* e; NULL: no scaling at all */
    int32_t *equation; /* c */
    bool moves;        /* true if some e is not 0 */
} system_scaling;

PLUMB_USE_RESULT plumb_status plumb_scaling_find(const plumb_system *system, system_scaling *scaling);
void plumb_scaling_clear(system_scaling *scaling); /* resets it to the initial state, all zeros */

/* True if the scaled coefficients of a system with the same number of equations stay well within the range of
 * doubles. Its unknown u is unknown to[u] of the system that was scaled (u itself if to is NULL). */
bool plumb_scaling_fits(const system_scaling *scaling, const plumb_system *system, const int32_t *to);

/* Scales a polynomial as equation `equation`; its unknown u is unknown u - shift of the system, and unknowns below
 * shift have no scale. */
void plumb_scaling_apply(const system_scaling *scaling, int64_t equation, int32_t shift, polynomial *p);

#endif
