/* walk.h - the paths of a thread that stay in lanes from their start to their end (method/track/walk.h). */
#ifndef PLUMB_BACKEND_CPU_TRACK_WALK_H
#define PLUMB_BACKEND_CPU_TRACK_WALK_H

#include "backend/cpu/track/work.h"
#include "method/track/walk.h"

/* Lists of whole numbers: those of track_walk_system, and what coefficients are made of. They are polynomials in numbers q that move, which are
 * parameters, or computed from these by a program: the terms of coefficient k are those from COEFFICIENT[k] to COEFFICIENT[k + 1] - 1; a term is
 * a constant, RE and IM, times the numbers Q[FACTOR[t]] to Q[FACTOR[t + 1] - 1]. */
enum {
    WALK_LEFT,
    WALK_RIGHT,
    WALK_ROW,
    WALK_ROW_MOVING,
    WALK_TERM,
    WALK_TERM_MONOMIAL,
    WALK_ENTRY,
    WALK_ENTRY_COEFFICIENT,
    WALK_ENTRY_MONOMIAL,
    WALK_COEFFICIENT,
    WALK_FACTOR,
    WALK_Q,
    WALK_LISTS
};
enum { WALK_TIMES, WALK_RE, WALK_IM, WALK_NUMBER_LISTS };

typedef struct walk_list {
    int32_t *at;
    int64_t count, room;
} walk_list;
typedef struct walk_numbers {
    double *at;
    int64_t count, room;
} walk_numbers;

typedef struct track_walkers {
    const track_call *call;
    const track_many_kernels *kernels;
    const eval_kernels *eval;
    eval_job moved; /* computes q from parameters; without a program they are the parameters */
    walk_list list[WALK_LISTS];
    walk_numbers numbers[WALK_NUMBER_LISTS];
    track_walk walk;
    /* Coefficients as polynomials in tau: those of the row that was taken last, numbered as in track_walk; q and the coefficients at degree
     * + 1 places, and the matrix that makes polynomials of these. */
    double *row_polynomials, *q, *values, *matrix;
    int64_t row;                    /* -1: none */
    int64_t next, last;             /* entries that have been taken from the queue together, and wait for places */
    int64_t entry[TRACK_MANY_MOST]; /* of the path in each place; -1: none */
    void *memory;
} track_walkers;

/* True if paths of this call may begin in this way: those of families, the first time. It depends on the call alone, never on the number of
 * paths, of threads or of places. */
bool track_walkers_can(const machine *m, const track_call *call);

/* Returns PLUMB_ERR_UNSUPPORTED if coefficients are of too high degree in tau, or the system is too large for it, which depends on the
 * call alone, too; PLUMB_ERR_SIZE or PLUMB_ERR_MEMORY on failure. Then there is nothing to destroy. */
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
