/* zeros.h - which unknowns can be zero at isolated roots of a system with given supports.
 *
 * The mixed volume counts roots without zero coordinates. If the unknowns of a set Z are zero, some equations vanish
 * identically and the others become equations in the other unknowns. For generic coefficients, there are isolated roots
 * with exactly these zeros only if as many equations vanish as there are unknowns in Z. Their number is the mixed volume
 * of what is left, and each has the multiplicity of the origin as a root of the equations that vanish, as equations in
 * the unknowns of Z. The sum of all these, with the mixed volume, is the stable mixed volume (Huber and Sturmfels, 1997).
 *
 * Every isolated root of a special system with these supports is the end of a path of a generic one: of a path without
 * zeros, or of one of a pattern, along which its unknowns stay zero. So each pattern is solved as a smaller system. */
#ifndef PLUMB_SOLVER_POLYHEDRAL_ZEROS_H
#define PLUMB_SOLVER_POLYHEDRAL_ZEROS_H

#include "model/system/system.h"

typedef struct zero_pattern {
    const uint8_t *zero;  /* 1 for each unknown that is zero */
    int64_t volume;       /* roots of generic equations with these zeros, */
    int64_t multiplicity; /* and the multiplicity of each; both at least 1 */
} zero_pattern;

typedef struct zero_patterns {
    zero_pattern *list;
    int64_t count;
    uint8_t *flags; /* memory of the patterns */
} zero_patterns;

/* Finds the patterns of a square system, each with at least one zero. PLUMB_ERR_STOPPED if the search or an enumeration of
 * cells takes too many steps. */
PLUMB_USE_RESULT plumb_status plumb_zero_patterns(plumb_context *context, const plumb_system *system, uint64_t seed,
                                                  int64_t most_steps, zero_patterns *patterns);
void plumb_zero_patterns_clear(zero_patterns *patterns);

#endif
