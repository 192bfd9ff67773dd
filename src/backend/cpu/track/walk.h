/* walk.h - the paths of a thread that stay in lanes from their start to their end (method/track/walk.h). */
#ifndef PLUMB_BACKEND_CPU_TRACK_WALK_H
#define PLUMB_BACKEND_CPU_TRACK_WALK_H

#include "backend/cpu/track/work.h"
#include "method/track/walk.h"

typedef struct track_walkers {
    const track_call *call;
    const track_many_kernels *kernels;
    const eval_kernels *eval, *size_eval;
    eval_job evaluation, size_evaluation;
    eval_job moved; /* coefficients that are computed from parameters; without a program: they are the parameters */
    int64_t coefficients; /* with their derivatives */
    /* Coefficients as polynomials in tau: those of the row that was taken last, numbered as in track_walk, and a matrix that makes
     * them of the values at degree + 1 places. */
    double *row_polynomials, *values, *matrix;
    int64_t row;        /* -1: none */
    int64_t next, last; /* entries that have been taken from the queue together, and wait for places */
    int32_t *g_slot, *f_slot;
    track_walk walk;
    int64_t entry[TRACK_MANY_MOST]; /* of the path in each place; -1: none */
    void *memory;
} track_walkers;

/* True if paths of this call begin in this way: those of families, the first time. It depends on the call alone, never on the number of
 * paths, of threads or of places. */
bool track_walkers_can(const machine *m, const track_call *call);

/* Returns PLUMB_ERR_SIZE or PLUMB_ERR_MEMORY on failure; then there is nothing to destroy. */
plumb_status track_walkers_create(const machine *m, const track_call *call, const track_work *work,
                                  track_walkers *walkers);
void track_walkers_destroy(track_walkers *walkers);

/* Puts a path at its start into a free place. */
void track_walkers_take(track_walkers *walkers, int32_t place, int64_t entry);

/* Runs one tick of all paths. */
void track_walkers_tick(track_walkers *walkers);

/* What it has led to for a path: TRACK_WALK_ON, TRACK_WALK_ARRIVED or TRACK_WALK_LEAVES. */
int32_t track_walkers_outcome(const track_walkers *walkers, int32_t place);

/* Makes a path that has arrived the path p of a thread, which is done then. */
void track_walkers_arrive(const track_walkers *walkers, int32_t place, track_work *work, track_path *p);

/* Makes a path that leaves the path p of a thread, which has begun it anew: if it has accepted points, it goes on from the newest one. */
void track_walkers_leave(const track_walkers *walkers, int32_t place, track_work *work, track_path *p);

#endif
