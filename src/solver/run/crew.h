/* crew.h - shares the paths of a round among several workers: threads of this process, one per context, and the other ranks of a
 * job (solver/ranks). The manager is the main thread of rank 0.
 *
 * Workers get small blocks, two at a time, and report each endpoint within a fraction of a second. Blocks take about a second, and
 * become smaller towards the end of a round. When all paths are handed out, paths that have not come back are handed out
 * once more to workers that have nothing to do: a worker that is slow, stopped or lost delays a round, but does not keep it from
 * its end. What a path gives does not depend on who tracks it, so the first result counts, and others are dropped. */
#ifndef PLUMB_SOLVER_RUN_CREW_H
#define PLUMB_SOLVER_RUN_CREW_H

#include "solver/run/run.h"

struct run_told_end; /* worker.h */

typedef struct run_crew run_crew;

/* Has this job more than one worker? Then a crew is to be made on rank 0. */
bool run_crew_is_needed(const run_job *job);

/* Starts the workers of this process. RUN_OK, or one line and the exit status. */
int run_crew_begin(const run_job *job, run_crew **made);
void run_crew_end(run_crew *crew); /* NULL is allowed */

/* A round. Path number job->first + k is to be tracked while todo[k]. */
typedef struct run_crew_round {
    int32_t rerun;
    const bool *todo;
    const int64_t *left;   /* how many of them are true */
    const run_path *state; /* of all paths, from the round before */
    /* Takes an endpoint; todo[k] becomes false. */
    void (*ended)(void *data, const struct run_told_end *end);
    bool (*must_stop)(void *data); /* asked several times per second */
    void *data;
} run_crew_round;

/* Tracks until nothing is left, or must_stop. RUN_OK, or one line and the exit status. */
int run_crew_track(run_crew *crew, const run_crew_round *round);

/* On a rank other than 0: tracks what rank 0 sends, until it sends this rank home. */
int run_crew_serve(const run_job *job);

#endif
