/* trials.h - trials of a step, and what becomes of a path when they fail: shorter ones, more digits, no circle, or the end of it.
 *
 * Functions return an action: what is to be done with the vectors before the next tick. */
#ifndef PLUMB_METHOD_TRACK_TRIALS_H
#define PLUMB_METHOD_TRACK_TRIALS_H

#include "method/track/infinity.h"

enum {
    TRACK_DO_NOTHING, /* X is where the next tick is, or the path is done */
    TRACK_DO_PREDICT, /* X for p->tau */
    TRACK_DO_RESTORE, /* X is the newest point */
    TRACK_DO_RETURN,  /* X is the beginning of the circle */
    TRACK_DO_LOOK,    /* X is the mean */
    TRACK_DO_ACCEPT,  /* X becomes the newest point; then track_accepted */
    TRACK_DO_CIRCLE,  /* a circle begins at the newest point; then track_to_vertex */
    TRACK_DO_VERTEX,  /* the newest point is a vertex; then track_at_vertex */
    TRACK_DO_MEAN     /* the mean of the circle; then track_closed */
};

TRACK_FN int32_t track_end(track_path *p, int32_t code)
{
    p->state = TRACK_DONE;
    p->code = code;
    p->wants = p->prec;
    return TRACK_DO_NOTHING;
}

/* ---- Trials ------------------------------------------------------------------------------------------------------------ */

TRACK_FN void track_new_trial(track_path *p, int32_t phase, int32_t exact)
{
    p->phase = phase;
    p->exact = exact;
    p->corrections = 0;
    p->change = p->moved = 0.0;
}

/* The next trial of the leg: as far as p->step goes, and not beyond its end. */
TRACK_FN int32_t track_next_trial(track_path *p)
{
    const double *from = p->at[p->newest];
    track_c way = track_tau_minus(p->target, from);
    double left = track_c_abs(way);
    int32_t all = p->step >= left;
    track_new_trial(p, TRACK_STEPS, all);
    p->order = 2 * p->history;
    p->before = track_tau_abs(from);
    p->logarithmic = p->leg != TRACK_WALK;
    if (all) {
        p->tried = left;
        track_tau_copy(p->tau, p->target);
    } else {
        p->tried = p->step > 0.6 * left ? 0.5 * left : p->step; /* two even steps, not a long and a very short one */
        track_tau_add(p->tau, from, track_c_scale(way, p->tried / left));
    }
    return TRACK_DO_PREDICT;
}

/* To a higher precision where that is allowed, from the newest point; on a circle from its beginning. 0 where there is none. */
TRACK_FN int32_t track_enlarge(const track_settings *s, track_path *p)
{
    int32_t higher = track_higher(s, p->prec);
    if (!higher)
        return 0;
    int32_t back = p->leg == TRACK_ROUND;
    p->returned = back;
    if (back)
        track_tau_set(p->at[p->newest], p->radius);
    track_tau_copy(p->tau, p->at[p->newest]);
    p->wants = higher;
    p->most_prec = higher > p->most_prec ? higher : p->most_prec;
    p->calm = p->failures = 0;
    track_new_trial(p, TRACK_REFINES, 1);
    return back ? TRACK_DO_RETURN : TRACK_DO_RESTORE;
}

enum { TRACK_OPEN = 4 }; /* circles that did not close, before no more are tried */

/* From the circle on by steps alone, for a while: a longer one each time. */
TRACK_FN void track_walk_from(track_path *p)
{
    p->leg = TRACK_WALK;
    p->resume = p->radius;
    for (int32_t k = 0; k < p->open || k < 1; k++)
        p->resume *= p->open > TRACK_OPEN ? 0.0 : 1.0 / 64.0;
    p->cuts = 0;
    track_tau_set(p->target, 0.0);
}

/* No circle of this radius closes, or digits are too few to go round: that says nothing of the path itself, which goes on from where the
 * circle began. */
TRACK_FN int32_t track_leave_circle(track_path *p)
{
    int32_t back = p->leg == TRACK_ROUND;
    p->open++;
    track_walk_from(p);
    if (!back)
        return track_next_trial(p);
    track_tau_set(p->tau, p->radius);
    track_tau_copy(p->at[p->newest], p->tau);
    p->returned = 1;
    track_new_trial(p, TRACK_REFINES, 1);
    return TRACK_DO_RETURN;
}

/* A path that cannot go on in this precision: in a higher one, without a circle, or not at all. */
TRACK_FN int32_t track_fail(const track_settings *s, track_path *p, int32_t code)
{
    int32_t action = track_enlarge(s, p);
    if (action)
        return action;
    if (p->leg != TRACK_WALK)
        return track_leave_circle(p);
    track_tau_copy(p->tau, p->at[p->newest]);
    p->error = p->accuracy;
    if (track_vanishes(p, TRACK_LIKELY, TRACK_LIKELY_SLACK)) {
        p->error = p->mark_finite;
        code = PLUMB_PATH_AT_INFINITY;
    }
    if (code == PLUMB_PATH_STEP_TOO_SMALL && !(track_exposure(p, p->prec) <= TRACK_SOFT))
        code = PLUMB_PATH_PRECISION_EXHAUSTED;
    track_end(p, code);
    return TRACK_DO_RESTORE;
}

TRACK_FN int32_t track_reject(const track_settings *s, track_path *p)
{
    p->rejected++;
    p->calm = 0;
    p->step = p->tried * track_factor(s, p, 0.15, 0.6);
    if (p->step < track_least(s, p, p->prec))
        return track_fail(s, p, PLUMB_PATH_STEP_TOO_SMALL);
    if (p->steps + p->rejected >= s->most_steps) {
        track_end(p, PLUMB_PATH_TOO_MANY_STEPS);
        return TRACK_DO_RESTORE;
    }
    if (++p->failures % TRACK_PATIENCE == 0) { /* perhaps the newest point is not what it should be */
        track_tau_copy(p->tau, p->at[p->newest]);
        track_new_trial(p, TRACK_REFINES, 1);
        return TRACK_DO_RESTORE;
    }
    return track_next_trial(p);
}

#endif
