/* check.h - the residual and the error of an endpoint, computed from the point that is returned, in the units of the
 * target as it was given.
 *
 * The tracker works in scaled projective coordinates, and the numbers of its last tick belong to the point before the
 * last correction. Here the target is evaluated at the endpoint itself, in the next precision above that of the path
 * (in qd in the same one). For a regular endpoint the Newton correction from there is its error, to first order and
 * for each unknown; what the rounding of the evaluation contributes is added. Everything is done on the CPU, also for
 * paths that a GPU has tracked. */
#ifndef PLUMB_SOLVER_TRACK_CHECK_H
#define PLUMB_SOLVER_TRACK_CHECK_H

#include "model/homotopy/homotopy.h"
#include "solver/context/context.h"
#include "solver/newton/newton.h"

/* What one thread works with. */
typedef struct check_part {
    machine cpu; /* of its own, with one thread: the threads of the context may be tracking */
    char message[256];
    plumb_status status;
    plumb_view points, values, low_points, low_values, jacobians, sides, solutions; /* room, in qd */
    double *size, *scale;                                                           /* one per equation */
    double *modulus; /* of the unknowns of all endpoints of a batch */
    double *floored; /* of one endpoint, not below a part of the units */
    int64_t *which;
    plumb_info *info;
} check_part;

typedef struct track_check {
    plumb_context *context;
    const plumb_homotopy *homotopy;
    const struct track_moving *moving; /* of a family: the targets of the paths */
    const double *unit;                /* of each unknown: errors of smaller values are relative to it; NULL: 1 */
    newton_sizes sizes;
    int64_t most; /* endpoints that a part checks at a time */
    int32_t parts;
    check_part *part;
} track_check;

/* Room for endpoints of which up to `most` are known at once. One endpoint at a time is checked by the thread that
 * calls, which may be one of several that track; more of them are shared among the threads of the context. After a
 * failure track_check_end is still to be called. */
PLUMB_USE_RESULT plumb_status track_check_begin(plumb_context *context, const plumb_homotopy *homotopy,
                                                const struct track_moving *moving, int64_t most, track_check *check);
void track_check_end(track_check *check);

/* Sets residual, error, component_error and checked in the records of the paths that arrived or are undecided; the
 * others are not changed. ends are in the scaled unknowns. entries: which of them, NULL: 0, 1, ..., count - 1. */
PLUMB_USE_RESULT plumb_status track_check_ends(track_check *check, const plumb_view *ends, const int64_t *entries,
                                               int64_t count, plumb_path_record *records);

#endif
