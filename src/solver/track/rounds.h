/* rounds.h - the rounds of a run, whoever keeps its endpoints: plumb_track and plumb_solve in memory, the program in a journal.
 *
 * Round 0 tracks every path. Each later round takes the paths whose regular endpoints are also those of others, which may have jumped from
 * one path to the other, and tracks them with shorter steps; so it does, where that is asked for, with paths that failed. Which they
 * are depends on the endpoints of all paths in the round before, and on nothing else: a run that was stopped therefore continues to the same
 * result. */
#ifndef PLUMB_SOLVER_TRACK_ROUNDS_H
#define PLUMB_SOLVER_TRACK_ROUNDS_H

#include "base/call/message.h"
#include "solver/track/ends.h"

typedef struct track_rounds {
    const track_ends *ends; /* of all paths; those that are not known yet are not compared */
    track_group *groups;    /* one per path */
    bool *todo;             /* one per path */
    int32_t reruns;         /* rounds after the first one, at most */
    bool retry;             /* paths that failed are tracked again, too */
    bool hunts;             /* so are those that were given up far out, if they are few */
    void *data;
    /* Tracks the paths that are marked in todo (left of them): gives them their ends and clears their marks. Those that stay
     * marked were stopped. */
    plumb_status (*track)(void *data, bool *todo, int64_t left, int32_t rerun);
} track_rounds;

/* Tracks until no path is to be tracked again, or some were stopped, and groups the endpoints; the verdicts that need all of them
 * (judge.h) come after that. PLUMB_ERR_MEMORY, PLUMB_ERR_IO if an endpoint cannot be read, or what track returns. */
PLUMB_USE_RESULT plumb_status track_rounds_run(const track_rounds *rounds, bool *stopped);

#endif
