/* scale.h - conversion of points to and from the scaled unknowns of a homotopy: machines see only scaled points,
 * callers only unscaled ones. */
#ifndef PLUMB_SOLVER_TRACK_SCALE_H
#define PLUMB_SOLVER_TRACK_SCALE_H

#include "model/homotopy/homotopy.h"
#include "solver/context/context.h"

typedef struct track_scale {
    const int32_t *exponent;   /* exponent of each unknown; NULL: no scaling, and nothing to do */
    plumb_track_options given; /* the options of the caller, whose callbacks get unscaled points */
    plumb_view starts;         /* scaled */
    double *x;                 /* unscaled point of a step or an end */
    plumb_context *context;
    plumb_view end, divisors; /* room for an end that is reported */
    plumb_status status;      /* of ends that were reported */
} track_scale;

/* *starts becomes a view of scaled copies, and the callbacks of *options are replaced by ones that unscale; both are
 * valid as long as the scale exists. */
PLUMB_USE_RESULT plumb_status track_scale_begin(plumb_context *context, const plumb_homotopy *homotopy,
                                                const plumb_view **starts, const plumb_view *ends,
                                                plumb_track_options *options, track_scale *scale);

/* Unscales the ends. This is exact except for the directions of paths to infinity, whose largest entry becomes 1
 * again. */
PLUMB_USE_RESULT plumb_status track_scale_ends(plumb_context *context, const track_scale *scale, const plumb_view *ends,
                                               const plumb_path_record *records);

void track_scale_end(plumb_context *context, track_scale *scale);

#endif
