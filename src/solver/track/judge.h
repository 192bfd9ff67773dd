/* judge.h - the verdicts that take the ends of all paths.
 *
 * - Regular endpoints that several paths share although they were tracked again: if their errors times their condition
 *   number are small, there is one root, and a path has jumped to it; otherwise there may be several within their
 *   errors, and they are undecided.
 * - A singular endpoint that agrees with a regular one, or with two different points, is undecided.
 * - Other singular endpoints are isolated, not isolated or undecided by the local dimension test (local.h), one test for
 *   all paths that end at the point. If all paths of a start system of total degree were tracked, as many paths end at
 *   an isolated point as its multiplicity, which is at least 2: a single one is undecided. */
#ifndef PLUMB_SOLVER_TRACK_JUDGE_H
#define PLUMB_SOLVER_TRACK_JUDGE_H

#include "model/homotopy/homotopy.h"
#include "solver/context/context.h"
#include "solver/track/ends.h"
#include "solver/track/local.h"

typedef struct track_judge {
    plumb_context *context;
    const plumb_homotopy *homotopy;
    uint64_t seed;
    bool skip_local;        /* no local dimension test */
    bool complete;          /* these are all paths of a start system of total degree */
    const track_stop *stop; /* or NULL; codes that are not known after a stop are those of the paths */
} track_judge;

/* Changes the codes of endpoints; of those that become undecided also the groups, to the state of paths that did not
 * arrive. */
PLUMB_USE_RESULT plumb_status track_judge_ends(const track_judge *judge, const track_ends *ends, track_group *groups);

#endif
