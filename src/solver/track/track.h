/* track.h - a call to track paths, and the paths of it that are tracked again. */
#ifndef PLUMB_SOLVER_TRACK_H
#define PLUMB_SOLVER_TRACK_H

#include <stdbool.h>

#include "method/track/track.h"
#include "model/program/program.h"
#include "solver/context/context.h"

/* Tracks the paths of the call, and computes residuals and errors from their endpoints (check.h). Paths that share a
 * regular endpoint with another path are tracked again, up to options->reruns times and with steps half as long each
 * time: without path jumping no two paths do. Then come multiplicities, and the verdicts that need all endpoints
 * (judge.h). settings are those that the call has. */
plumb_status track_with_reruns(plumb_context *context, machine *m, const plumb_homotopy *homotopy, track_call *call,
                               track_settings *settings, const plumb_track_options *options, bool separate);

/* The paths of a call as a part of a larger job. Zeros: they are the job. */
typedef struct track_part {
    const int64_t *paths; /* their numbers, on which their random numbers depend; NULL: 0, 1, ... */
    /* The number of paths of the job: machine and kernels are chosen for this many, so that a path has the same bits in each call; 0, or
     * less than the paths of this call: for those. */
    int64_t of_paths;
    int32_t rerun;     /* k > 0: steps as short as those of the k-th rerun, and records that say so */
    int32_t most_prec; /* the highest precision that paths may take, where options leave it open; 0: quad doubles */
    bool separate;     /* endpoints are not compared: no reruns, multiplicities or local dimension tests */
    /* By place in the batch: the start point, where paths share them; NULL: each has its own. */
    const int32_t *start;
    /* PLUMB_BACKEND_CPU or PLUMB_BACKEND_GPU: the machine, and kernels are those for of_paths, however many paths this call has;
     * PLUMB_BACKEND_AUTO: as the context and of_paths say. */
    int32_t backend;
    bool hurries; /* in round 0 paths to very large roots have a budget of steps, unless a largest root is set */
    /* Of a homotopy whose coefficients move (method/track/moving.h): rows of rates by place in the batch; or NULL. */
    const struct track_moving *moving;
} track_part;

/* plumb_track for a part of a job. */
PLUMB_USE_RESULT plumb_status track_paths(plumb_context *context, const plumb_homotopy *homotopy,
                                          const track_part *part, const plumb_view *starts, plumb_view *ends,
                                          const plumb_track_options *given, plumb_path_record *records);

#endif
