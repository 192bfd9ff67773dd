/* gpu.h - the data of paths on a GPU.
 *
 * A deck consists of the slots of one precision; a slot holds a path or is free. A tick of a deck evaluates,
 * combines, solves and decides for its first slots at once, with one launch per kernel; another
 * evaluation computes the sizes of the terms from the moduli of the unknowns. After a tick a path may be
 * finished, in which case the slot takes the next path from the queue; or it may need another precision, in which
 * case it waits until it is moved to a slot of that deck (track_move.cu).
 *
 * All paths of a tick wait for the slowest decision. Near the end of a path decisions take long, so if there are several paths,
 * they are made in parts: the first part notes the action that follows and keeps the solution, the next tick carries the action
 * out. Such a path takes no other part in that tick. Its numbers do not depend on it.
 *
 * At most as many paths are in flight as the lowest deck has slots, and the other decks grow with the paths that need
 * them, up to as many slots, so a path that has to move always finds a free slot in the end; the number of paths that
 * may still begin is counted in credits. The numbers of a path do not depend on its slot. */
#ifndef PLUMB_BACKEND_CUDA_TRACK_GPU_H
#define PLUMB_BACKEND_CUDA_TRACK_GPU_H

#include "method/track/moving.h"
#include "plumb.h"

enum { TRACK_DECKS = 3 }; /* d, dd, qd */

/* The largest number of unknowns of a square system that one warp eliminates (eliminate.h). */
enum { TRACK_ELIMINATED = 32 };
#define TRACK_ELIMINATED_LIMBS 2 /* in d and dd; in qd there are not enough registers */
/* The numbers of a row that it keeps in shared memory, an odd number of them, so that rows begin in different banks; and the doubles of all rows
 * and what is behind them. */
#define TRACK_ELIMINATE_ROW(n) (((n) + 4) | 1)
#define TRACK_ELIMINATE_DOUBLES(n, limbs) ((n)*TRACK_ELIMINATE_ROW(n) * 2 * (limbs) + (n))
enum { TRACK_ELIMINATE_ROOM = 256 }; /* doubles before the rows, in the kernel of ticks */

/* Counters that kernels update and the host reads. Those of a deck are TRACK_LIVE + deck and TRACK_WAIT + deck. */
enum {
    TRACK_BEGUN,   /* paths taken from the queue */
    TRACK_CREDITS, /* paths that may still be taken */
    TRACK_ENDED,
    TRACK_FAILED,
    TRACK_LOGGED, /* entries of the log */
    TRACK_MOVES,
    TRACK_LIVE,                            /* slots that hold a path */
    TRACK_WAIT = TRACK_LIVE + TRACK_DECKS, /* paths that wait to be moved to this deck */
    TRACK_COUNTERS = TRACK_WAIT + TRACK_DECKS
};

typedef struct track_gpu_deck {
    track_path *paths; /* path of each slot */
    int32_t *entry;    /* place of the path in the call; -1: the slot is free */
    int32_t *wants;    /* the deck that the path has to move to */
    int32_t *left;     /* the action that is left for the next tick (trials.h), or TRACK_DO_NOTHING */
    int64_t *began;    /* start time in nanoseconds of the GPU clock; only if there is a time limit */
    double *vectors;   /* track_vector_doubles per slot */
    double *points;    /* of homotopies whose coefficients move: the trial point and its coefficients; else NULL */
    double *moduli;    /* of the trial point and its coefficients */
    double *
        parameters; /* of families whose coefficients are computed from parameters: these, and their derivatives; else NULL */
    double *sizes; /* 2 m per slot: of the terms of each equation of the stacked system at these moduli */
    double *scale; /* m per slot: of the terms of each equation of h at the first point of a trial */
    double *values, *jacobians, *a, *b, *x; /* dense: 2m x 1, 2m x n, m x n, m x 3, n x 3 */
    double *kept;                           /* n x 3: the solution that such an action belongs to */
    plumb_info *info;
    int32_t *empty; /* scratch: slots that are free */
    int32_t slots, prec;
} track_gpu_deck;

/* A finished path; and one whose points have left the range of doubles, which the processor tracks again (control.h). */
enum { TRACK_FINISHED = 1, TRACK_LEFT = 2 };

/* A move from slot to slot; moves within a deck make it shorter. */
typedef struct track_gpu_move {
    int32_t from_deck, from, to_deck, to;
} track_gpu_move;

/* Arguments of all kernels. */
typedef struct track_gpu_job {
    track_settings settings;
    track_gpu_deck deck;    /* the deck that the kernel works on */
    const double *starts;   /* given unknowns per path, dense, in the lowest precision */
    const int32_t *start;   /* the start point of each path, where they share them; or NULL */
    const int64_t *numbers; /* of the paths */
    const double
        *rates; /* of coefficients that move at rates (method/track/moving.h), and the row of each path; or NULL */
    const int32_t *row;
    track_moving arcs; /* of parameters on arcs: arrays on the GPU */
    int64_t moving,
        width; /* half of the coefficients that move, the others are their derivatives; unknowns with all of these */
    const double *patch;        /* or NULL */
    double *ends;               /* given unknowns per path, dense, in the highest precision */
    plumb_path_record *results; /* finished paths */
    int32_t *finished;          /* per path: 0, or once its end and its result are there TRACK_FINISHED or TRACK_LEFT */
    int32_t *counters;
    int32_t *told;            /* on the host: -1, and once all paths have ended how many failed */
    double *log;              /* accepted steps: the path, then x, given unknowns in planes; NULL: no log */
    int64_t log_doubles;      /* doubles per entry */
    int64_t most_nanoseconds; /* 0: no limit */
    double
        dependent; /* the share of the largest entry of a column up to which there is no pivot in it; see lsq_dependent */
    int32_t given, count;
    int32_t early;  /* 1: kernels start while the previous one is still running */
    int32_t pauses; /* 1: long decisions are made in parts */
    int32_t late;   /* 1: the kernel before the decision changes the terms of the path */
} track_gpu_job;

typedef struct track_gpu_move_job {
    track_gpu_deck deck[TRACK_DECKS]; /* decks that do not exist have no slots */
    int32_t size[TRACK_DECKS];        /* number of slots of the next ticks */
    track_gpu_move *moves;
    int32_t *counters;
    int64_t unknowns, equations, width;
} track_gpu_move_job;

/* The work of a launch. */
enum {
    TRACK_RUN_ARCS,   /* where parameters move on arcs: they, at the trial points, */
    TRACK_RUN_MODULI, /* and the moduli of the coefficients that are computed from them */
    TRACK_RUN_COMBINE,
    TRACK_RUN_ELIMINATE,
    TRACK_RUN_DECIDE,
    TRACK_RUN_STOP
};

/* The deck of a precision. */
TRACK_FN int32_t track_deck_of(int32_t prec)
{
    return prec == PLUMB_D ? 0 : prec == PLUMB_DD ? 1 : 2;
}

#endif
