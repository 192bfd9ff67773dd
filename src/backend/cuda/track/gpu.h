/* gpu.h - paths on a GPU, as its kernels see them.
 *
 * A deck is the slots of one precision; a slot holds a path or is free. A tick of a deck evaluates, combines, solves and decides for
 * its first so many slots at once, each kernel a launch; a path whose tick is over may be done, and then the slot takes the next one from
 * the queue, or may want another precision, and then waits until it is moved to a slot of that deck (track_move.cu).
 *
 * At most as many paths are in flight as a deck has slots, so one that wants to move always finds a free slot; those that may still
 * begin are counted as credits. Which slot a path has does not show in its numbers. */
#ifndef PLUMB_BACKEND_CUDA_TRACK_GPU_H
#define PLUMB_BACKEND_CUDA_TRACK_GPU_H

#include "method/track/track.h"
#include "plumb.h"

enum { TRACK_DECKS = 3 }; /* d, dd, qd */

/* Words that kernels count in and the host looks at. Those a deck: TRACK_LIVE + deck, TRACK_WAIT + deck. */
enum {
    TRACK_BEGUN,   /* paths taken from the queue */
    TRACK_CREDITS, /* that may be taken */
    TRACK_ENDED,
    TRACK_FAILED,
    TRACK_LOGGED, /* entries of the log */
    TRACK_MOVES,
    TRACK_LIVE,                            /* slots that hold a path */
    TRACK_WAIT = TRACK_LIVE + TRACK_DECKS, /* paths that wait to be moved to this deck */
    TRACK_COUNTERS = TRACK_WAIT + TRACK_DECKS
};

typedef struct track_gpu_deck {
    track_path *paths;                      /* of each slot */
    int32_t *entry;                         /* its place in the call, -1: the slot is free */
    int32_t *wants;                         /* the deck it wants to be in */
    int64_t *began;                         /* nanoseconds of the GPU's clock; only where there is a limit */
    double *vectors;                        /* track_vector_doubles each */
    double *scale;                          /* 2 m each */
    double *values, *jacobians, *a, *b, *x; /* dense: 2m x 1, 2m x n, m x n, m x 3, n x 3 */
    plumb_info *info;
    int32_t *empty; /* scratch: slots that are free */
    int32_t slots, prec;
} track_gpu_deck;

/* From slot to slot; moves within a deck make it shorter. */
typedef struct track_gpu_move {
    int32_t from_deck, from, to_deck, to;
} track_gpu_move;

/* What all kernels know. */
typedef struct track_gpu_job {
    track_settings settings;
    track_gpu_deck deck;    /* the one a kernel is for */
    const double *starts;   /* given unknowns each, dense, in the least precision */
    const int64_t *numbers; /* of the paths */
    const double *patch;    /* or NULL */
    double *ends;           /* given unknowns each, dense, in the highest precision */
    track_path *results;    /* paths as they ended */
    int32_t *counters;
    double *log;              /* accepted steps: the path, then x, given unknowns in planes; NULL: nobody asks */
    int64_t log_doubles;      /* an entry */
    int64_t most_nanoseconds; /* 0: no limit */
    int32_t given, count;
    int32_t early; /* kernels begin while the one before is still at work */
} track_gpu_job;

typedef struct track_gpu_move_job {
    track_gpu_deck deck[TRACK_DECKS]; /* those not there have no slots */
    int32_t size[TRACK_DECKS];        /* slots that the next ticks will have */
    track_gpu_move *moves;
    int32_t *counters;
    int64_t unknowns, equations;
} track_gpu_move_job;

/* What a launch does. */
enum { TRACK_RUN_COMBINE, TRACK_RUN_DECIDE, TRACK_RUN_STOP };

/* The deck of a precision. */
TRACK_FN int32_t track_deck_of(int32_t prec)
{
    return prec == PLUMB_D ? 0 : prec == PLUMB_DD ? 1 : 2;
}

#endif
