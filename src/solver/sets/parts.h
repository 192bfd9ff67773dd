/* parts.h - puts witness points into irreducible components.
 *
 * Move one equation of the slice parallel to itself: the sum of the points of a component is a linear function of the shift, and so
 * is that of several components, but that of no other set of points (the trace test). Each point gets the number
 *
 *   delta = w.x(c) + w.x(-c) - 2 w.x(0)
 *
 * for a random shift c and a random linear form w: a set of points is a union of components if and only if these numbers add up
 * to zero, and a component if no part of it does. For few points all sets are tried. Of many points, loops of slices show which
 * belong together, because they permute the points of each component (monodromy), until few parts are left, or all of them
 * close. Loops also find points that were missing.
 *
 * Reference: Sommese, Verschelde and Wampler, Symmetric functions applied to decomposing solution sets of polynomial systems, SIAM
 * Journal on Numerical Analysis 40, 2002. */
#ifndef PLUMB_SOLVER_SETS_PARTS_H
#define PLUMB_SOLVER_SETS_PARTS_H

#include "solver/sets/points.h"

/* Points are appended that loops find. */
typedef struct set_parts {
    int64_t *part;  /* of each point: points with the same number belong together */
    bool *closed;   /* of each point: its part is a component */
    double *digits; /* of each point: to how many the trace test of its part closes */
    int64_t room;
} set_parts;

/* With the seed, the number of loops and the stop of the options of the points. PLUMB_ERR_STOPPED. */
PLUMB_USE_RESULT plumb_status set_parts_find(plumb_context *context, set_points *points, const set_slice *slice,
                                             set_parts *parts);
void set_parts_clear(set_parts *parts);

#endif
