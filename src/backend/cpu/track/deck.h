/* deck.h - several paths of a thread side by side: one in each place of a lane, each with its own tau and step.
 *
 * A tick of a deck evaluates, combines and eliminates for all of them at once (method/track/many_tmpl.h), then decides for one
 * after the other. Every path has the bits that it would have alone, whichever paths are beside it, so any of them may come,
 * leave, or be continued alone at any tick. */
#ifndef PLUMB_BACKEND_CPU_TRACK_DECK_H
#define PLUMB_BACKEND_CPU_TRACK_DECK_H

#include "backend/cpu/track/work.h"
#include "method/track/many.h"

/* A path of a deck, with what track_work has of a path that is alone. */
typedef struct track_place {
    track_path path;
    int64_t entry;
    int32_t taken; /* there is a path */
    int32_t moved; /* the precision that the parameters are in; 0: they have to be computed */
    int32_t home;  /* the precision in whose lanes it was in its last tick; 0: it was alone since */
    double *vectors[PLUMB_QD + 1], *scale;
    double *direction;                         /* the random direction r of the path: real parts, then imaginary ones */
    double *parameters[PLUMB_QD + 1], *moduli; /* of coefficients that move */
} track_place;

/* The arrays of one precision. */
typedef struct track_lanes {
    const track_many_kernels *kernels; /* NULL: paths in this precision are followed alone */
    int32_t least;                     /* fewer paths are faster one after the other */
    eval_job evaluation;
    track_many many;
    const struct track_place *last[TRACK_MANY_MOST]; /* the paths of the last tick */
    track_view solution[TRACK_MANY_MOST];
    double *nowhere; /* a plane of a column that nobody reads */
} track_lanes;

typedef struct track_deck {
    const track_call *call;
    track_work *work;
    track_lanes lanes[PLUMB_QD + 1];
    eval_job size_evaluation;
    int32_t *g_slot, *f_slot;
    track_place *places;
    int32_t place_count, most; /* the paths it takes at most */
    void *memory;
} track_deck;

/* True if paths of this call can be followed side by side, in this precision. */
bool track_deck_can(const machine *m, const track_call *call, int32_t prec);

/* The number of paths from which a tick side by side is faster. */
int32_t track_deck_least(const machine *m, int32_t prec);

/* The number of paths per thread from which that is worth it: at the end each thread has fewer and fewer paths, and the last ones
 * take as long as if they were all there. */
int64_t track_deck_worth(const machine *m, int32_t prec, int32_t threads);

/* Makes a deck for up to this many paths, which works with the memory of a thread. Returns PLUMB_ERR_SIZE or PLUMB_ERR_MEMORY on
 * failure; then there is nothing to destroy. */
plumb_status track_deck_create(const machine *m, const track_call *call, track_work *work, int64_t most,
                               track_deck *deck);
void track_deck_destroy(track_deck *deck);

/* Makes the memory of the thread that of the path in a place: for its beginning, its end, and ticks alone. */
void track_deck_enter(track_deck *deck, track_place *place);

/* What a place has to know about its path before the first tick. */
void track_deck_begin(track_deck *deck, track_place *place);

/* Runs one tick of up to a lane of paths, which all want this precision. */
void track_deck_tick(track_deck *deck, int32_t prec, track_place *const *places, int32_t count);

#endif
