/* critical.h - where the fibres of a linear function on a curve are special.
 *
 * A curve is carried by a system that has one linear equation a.x + c = 0 (carrier.h). Over almost every c it has as many regular points
 * as its degree; where it has not, the determinant D of the Jacobian of the system vanishes: at turning points and at all singular points,
 * also where other components meet the curve. Of these points all real ones are needed, and only they. They are the ends of paths from at
 * least as many points: those that the curve has in common with several slices, whose product becomes D. D has at most its degree times
 * the degree of the curve zeros there, but often fewer, which is seen from its growth. */
#ifndef PLUMB_SOLVER_SETS_CURVES_CRITICAL_H
#define PLUMB_SOLVER_SETS_CURVES_CRITICAL_H

#include "solver/sets/carrier.h"

/* The real critical points of a carrier, in unknowns that are not shifted. */
typedef struct critical_points {
    int64_t count, unknowns;
    double *x;      /* unknowns numbers per point */
    double *error;  /* absolute */
    bool *singular; /* of each: several paths end there, or a singular one */
    int64_t paths, failed;
} critical_points;

/* The points where the fibres of `fibres` are special; `carrier` is the same curve with a slice in general position. PLUMB_ERR_SIZE if the
 * determinant would be too large. */
PLUMB_USE_RESULT plumb_status critical_find(const set_carrier *carrier, const set_carrier *fibres, uint64_t seed,
                                            critical_points *points);
void critical_clear(critical_points *points);

#endif
