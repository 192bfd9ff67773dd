/* scale.h - points on their way into a homotopy with scaled unknowns, and out of it: machines see scaled ones only, callers never. */
#ifndef PLUMB_SOLVER_TRACK_SCALE_H
#define PLUMB_SOLVER_TRACK_SCALE_H

#include "model/homotopy/homotopy.h"
#include "solver/context/context.h"

typedef struct track_scale {
    const int32_t *exponent;   /* of each unknown; NULL: nothing is scaled, and nothing done */
    plumb_track_options given; /* whose callbacks are called with points unscaled */
    plumb_view starts;         /* scaled */
    double *x;                 /* of a step, unscaled */
} track_scale;

/* *starts becomes a view of scaled copies, the callbacks of *options those that unscale; both as long as the scale lasts. */
PLUMB_USE_RESULT plumb_status track_scale_begin(plumb_context *context, const plumb_homotopy *homotopy,
                                                const plumb_view **starts, plumb_track_options *options,
                                                track_scale *scale);

/* Unscales the ends: exact but for directions of paths at infinity, whose largest entry shall be 1 again. */
PLUMB_USE_RESULT plumb_status track_scale_ends(plumb_context *context, const track_scale *scale, const plumb_view *ends,
                                               const plumb_path_record *records);

void track_scale_end(plumb_context *context, track_scale *scale);

#endif
