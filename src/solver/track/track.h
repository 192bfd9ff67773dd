/* track.h - a call to track paths, and the paths of it that are tracked again. */
#ifndef PLUMB_SOLVER_TRACK_H
#define PLUMB_SOLVER_TRACK_H

#include "method/track/track.h"
#include "model/program/program.h"
#include "solver/context/context.h"

/* Tracks the paths of the call, and computes residuals and errors from their endpoints (check.h). Paths that share a
 * regular endpoint with another path are tracked again, up to options->reruns times and with steps half as long each
 * time: without path jumping no two paths do. Then come multiplicities, and the verdicts that need all endpoints
 * (judge.h). settings are those that the call has. */
plumb_status track_with_reruns(plumb_context *context, machine *m, const plumb_homotopy *homotopy, track_call *call,
                               track_settings *settings, const plumb_track_options *options);

/* plumb_track for a homotopy whose coefficients move (method/track/moving.h): rows of rates by place in the batch. */
struct track_moving;
plumb_status track_with_rates(plumb_context *context, const plumb_homotopy *homotopy, const struct track_moving *moving,
                              const plumb_view *starts, plumb_view *ends, const plumb_track_options *given,
                              plumb_path_record *records);

#endif
