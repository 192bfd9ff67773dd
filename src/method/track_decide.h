/* track_decide.h - what a path does next: every decision, made of the scalars of a path alone. The vectors follow (track_tmpl.h).
 *
 * Functions return an action: what is to be done with the vectors before the next tick. */
#ifndef PLUMB_METHOD_TRACK_DECIDE_H
#define PLUMB_METHOD_TRACK_DECIDE_H

#include "method/track_control.h"

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

/* A path that cannot go on in this precision: in a higher one, or not at all. */
TRACK_FN int32_t track_fail(const track_settings *s, track_path *p, int32_t code)
{
    int32_t action = track_enlarge(s, p);
    if (action)
        return action;
    track_tau_copy(p->tau, p->at[p->newest]);
    p->error = p->accuracy;
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

/* ---- The endgame ------------------------------------------------------------------------------------------------------ */

/* Near its end a path is a power series in tau^(1/c), c the winding number: it comes back to where it began after c turns around 0, and
 * the mean of its points on the way is the endpoint. With N vertices a turn the mean is off by the terms of degree N, 2N, ... in tau: by
 * (r / rho)^N, rho the distance of the nearest other singularity. The mean with alternating signs is the term of degree N/2, which
 * tells how fast the terms fall. A circle that encloses other singularities may close too and have a mean, even one that stays the
 * same when the circle shrinks: so the mean must satisfy the target system before it is believed. */
enum { TRACK_CIRCLES = 14, TRACK_OPEN = 4 };
#define TRACK_REGULAR \
    1e-2 /* condition times error of an endpoint, below which it is regular; singular ones have about 1 or more */
#define TRACK_INFINITE 1e-8 /* |x_0| / |x| of singular endpoints that counts as infinity */

/* Near the end: has the path had its chance to get there by steps? Where the end is regular they come to reach it. Sooner where the
 * precision would soon be spent. */
TRACK_FN int32_t track_needs_endgame(const track_settings *s, track_path *p)
{
    double left = track_tau_abs(p->at[p->newest]);
    if (!s->endgame || left > TRACK_ENDGAME_ZONE || left > p->resume)
        return 0;
    p->cuts++;
    return p->cuts >= TRACK_CUTS && (left <= TRACK_ENDGAME || track_exposure(p, s->most_prec) > TRACK_EARLY);
}

/* Inward to a circle of this radius, a power of two. */
TRACK_FN int32_t track_go_in(const track_settings *s, track_path *p, double radius)
{
    if (p->circles >= TRACK_CIRCLES || radius < (p->prec == 1 ? 0x1p-45 : 0x1p-90))
        return track_fail(s, p, PLUMB_PATH_STEP_TOO_SMALL);
    p->leg = TRACK_IN;
    p->radius = radius;
    track_tau_set(p->target, radius);
    return track_next_trial(p);
}

TRACK_FN int32_t track_to_vertex(track_path *p)
{
    track_corner(p->target, p->radius, (p->vertex + 1) % p->vertices * (TRACK_CORNERS / p->vertices));
    return track_next_trial(p);
}

TRACK_FN int32_t track_begin_circle(const track_settings *s, track_path *p)
{
    p->grown = p->circles > 0 && p->size > 1.25 * p->loop_size ? p->grown + 1 : 0;
    p->sunk = p->circles > 0 && p->lead / p->size < 0.5 * p->loop_lead;
    p->loop_size = p->size;
    p->loop_lead = p->lead / p->size;
    if (!s->projective && p->grown > 3)
        return track_end(p, PLUMB_PATH_AT_INFINITY);
    p->leg = TRACK_ROUND;
    p->circles++;
    p->vertex = 0;
    p->vertices = 8 * track_goal(s);
    p->extent = 0.0;
    p->loop_accuracy = p->accuracy;
    return TRACK_DO_CIRCLE;
}

/* From the circle on by steps alone, for a while. */
TRACK_FN void track_walk_from(track_path *p)
{
    p->leg = TRACK_WALK;
    p->resume = p->radius / 64.0;
    p->cuts = 0;
    track_tau_set(p->target, 0.0);
}

/* p->apart is the distance of the newest vertex from the beginning. */
TRACK_FN int32_t track_at_vertex(const track_settings *s, track_path *p)
{
    p->extent = p->apart > p->extent ? p->apart : p->extent;
    if (p->vertex % p->vertices != 0)
        return track_to_vertex(p);
    double blur = 64.0 * (p->accuracy + p->loop_accuracy) * p->size + 1e-6 * p->extent;
    if (p->apart <= blur) {
        if (blur <= 1e-2 * p->extent || p->extent <= blur)
            return TRACK_DO_MEAN;
        return track_fail(s, p, PLUMB_PATH_PRECISION_EXHAUSTED); /* other branches may be as close as the noise */
    }
    if (p->vertex < s->most_winding * p->vertices)
        return track_to_vertex(p);
    /* Many paths that hang together, as where infinity holds more than points. Much further in, perhaps not; if they still do and x_0 is
     * on its way to zero, that much can be said of it. */
    p->error = p->loop_lead;
    if (p->open > 0 && s->projective && p->sunk && p->loop_lead < 0.1) {
        track_end(p, PLUMB_PATH_AT_INFINITY);
        return TRACK_DO_RESTORE;
    }
    if (++p->open <= TRACK_OPEN) { /* from the beginning: here the path is on another branch */
        track_tau_set(p->tau, p->radius);
        track_tau_copy(p->at[p->newest], p->tau);
        track_walk_from(p);
        p->returned = 1;
        track_new_trial(p, TRACK_REFINES, 1);
        return TRACK_DO_RETURN;
    }
    track_end(p, PLUMB_PATH_STEP_TOO_SMALL); /* digits are no help */
    return TRACK_DO_RESTORE;
}

/* The circle is closed. size is that of the mean, alternate the mean with alternating signs, change the distance from the mean of the
 * circle before. Terms of degree N/2 may be missing by symmetry: so a second circle must confirm what the first one says. */
TRACK_FN int32_t track_closed(const track_settings *s, track_path *p, double size, double alternate, double change)
{
    size = size > p->extent ? size : p->extent; /* the mean may be the origin */
    /* Points are as good as their noise; vertices are where they should be to 10^-32. */
    double noise = p->loop_accuracy > p->accuracy ? p->loop_accuracy : p->accuracy;
    double floor = 2.0 * noise + track_noise(track_goal(s)) + 1e-31 * p->extent / size;
    double off = p->extent > 0.0 ? alternate / p->extent * alternate / size : 0.0;
    int32_t winding = p->vertex / p->vertices, confirmed = winding == p->winding && p->mean_error >= 0.0;
    if (confirmed) {
        for (int32_t k = 0; k < p->vertices; k++)
            change *= p->radius / p->mean_radius;
        off = change / size > off ? change / size : off;
    }
    p->winding = winding;
    p->mean_radius = p->radius;
    p->mean_error = off + floor;
    p->settled = confirmed && (off <= 4.0 * floor || (p->circles > 6 && p->mean_error <= track_tolerance(s)));
    /* One turn: a regular end, as a rule, and steps will find it. */
    if (p->settled || (p->winding == 1 && p->mean_error * p->condition <= 1e-6)) {
        track_new_trial(p, TRACK_VERIFIES, 1);
        track_tau_set(p->tau, 0.0);
        return TRACK_DO_LOOK;
    }
    double shrink = 1.0; /* as far in as it takes, by the order of the mean */
    do {
        shrink *= 0.5;
        for (int32_t k = 0; k < p->vertices; k++)
            off *= 0.5;
    } while (off > 2.0 * floor && shrink > 0.05);
    return track_go_in(s, p, p->radius * shrink);
}

/* The endpoint is regular, or so it seems: other singularities may lie inside the circle, and then its mean is that of another path. So
 * steps shall find it, from the circle. */
TRACK_FN int32_t track_walk_on(track_path *p)
{
    track_walk_from(p);
    p->winding = 0;
    p->step = p->radius;
    return track_next_trial(p);
}

/* A tick at the mean; dx has not been added. A mean that is off by `error` is that of a regular root where the Jacobian is far from
 * singular against such a change. */
TRACK_FN int32_t track_verify(const track_settings *s, track_path *p, int32_t solved)
{
    double error = p->mean_error, hazard = solved ? p->condition * error : (double)INFINITY;
    p->error = error;
    if (hazard < TRACK_REGULAR && p->winding == 1 && p->backward <= error)
        return track_walk_on(p);
    /* No root, or a regular one, which has no branches, or still inexact: not yet close enough. */
    if (!(p->backward <= error) || hazard < TRACK_REGULAR || !p->settled)
        return track_go_in(s, p, 0.25 * p->radius);
    if (hazard < 1.0 || !(error <= track_tolerance(s))) {
        int32_t action = track_enlarge(s, p);
        if (action)
            return action;
    }
    double zero = 100.0 * error > TRACK_INFINITE ? 100.0 * error : TRACK_INFINITE;
    return track_end(p, s->projective && p->lead <= zero * p->size ? PLUMB_PATH_AT_INFINITY : PLUMB_PATH_SINGULAR);
}

/* ---- Accepted points --------------------------------------------------------------------------------------------------- */

/* At tau = 0, corrected as far as it goes. */
TRACK_FN int32_t track_arrive(const track_settings *s, track_path *p)
{
    double zero = p->prec == 1 ? 1e-13 : p->prec == 2 ? 1e-24 : 1e-48;
    p->error = p->accuracy;
    if (p->error > track_tolerance(s)) {
        int32_t action = track_enlarge(s, p);
        if (action)
            return action;
    }
    zero = 10.0 * p->error > zero ? 10.0 * p->error : zero;
    return track_end(p, s->projective && p->lead <= zero * p->size ? PLUMB_PATH_AT_INFINITY : PLUMB_PATH_SUCCESS);
}

/* The length of the next step. Without a history: what changes x by little, also against the radius of convergence. */
TRACK_FN void track_control(const track_settings *s, track_path *p, int32_t stepped)
{
    if (!stepped && p->failures > 0)
        return; /* refined on the way: steps stay short */
    if (!stepped) {
        double reach = p->omega * p->size > 1.0 ? 0.1 / p->omega : 0.1 * p->size;
        p->step = 0.1 * track_tau_abs(p->at[p->newest]);
        if (p->slope * p->step > reach)
            p->step = reach / p->slope;
        return;
    }
    double next = p->tried * track_factor(s, p, 0.25, 3.0), cut = p->tried < 0.9 * p->step ? p->step : 0.0;
    /* Differences that are only noise say nothing. */
    double noise = 100.0 * p->accuracy * p->size;
    double along = p->apart > noise ? p->bend / p->apart : 0.0;
    double across = p->corrections > 1 && p->first > noise ? p->change / p->first : 0.0;
    p->omega = track_larger(track_larger(along, across), along > 0.0 ? 0.25 * p->omega : p->omega);
    if (p->logarithmic && p->before > 0.0)
        next *= track_tau_abs(p->at[p->newest]) / p->before; /* lengths of steps are relative to tau */
    p->step = next > cut ? next : cut; /* a step cut by the end of its leg says nothing against longer ones */
}

/* Does the precision fit? If not, where to go on; TRACK_DO_NOTHING if it does, or if only the next trial will be in a lower one. */
TRACK_FN int32_t track_settle_precision(const track_settings *s, track_path *p)
{
    double exposure = track_exposure(p, p->prec);
    if (!(exposure <= TRACK_SOFT)) {
        int32_t action = track_enlarge(s, p);
        if (action)
            return action;
    }
    if (!(exposure <= TRACK_HARD))
        return track_fail(s, p, PLUMB_PATH_PRECISION_EXHAUSTED);
    int32_t lower = track_lower(s, p->prec);
    p->calm = lower && p->leg == TRACK_WALK && track_exposure(p, lower) <= TRACK_CALM ? p->calm + 1 : 0;
    if (p->calm >= TRACK_CALM_STEPS) {
        p->wants = lower;
        p->calm = 0;
    }
    return TRACK_DO_NOTHING;
}

/* X is the newest point now, apart and slope are known. */
TRACK_FN int32_t track_accepted(const track_settings *s, track_path *p)
{
    int32_t stepped = p->phase == TRACK_STEPS, returned = p->returned;
    int32_t there = track_c_abs(track_tau_minus(p->target, p->at[p->newest])) == 0.0;
    double rest = track_rest(p), noise = track_blur(p) * p->size;
    if (p->exact && p->corrections > 1 && p->last > noise && rest > track_enough(s, p)) {
        rest = p->last; /* corrections did not get smaller: there is more noise than we thought */
        p->excess *= p->last / noise;
    }
    p->accuracy = track_blur(p) + rest / p->size;
    p->failures = stepped ? 0 : p->failures;
    p->returned = 0;
    p->accepted = 1;
    p->shown_size = stepped ? p->tried : 0.0;
    p->shown_corrections = p->corrections;
    if (stepped) {
        p->steps++;
        p->least_step = p->tried < p->least_step || p->least_step == 0.0 ? p->tried : p->least_step;
    }
    track_control(s, p, stepped);
    int32_t action = track_settle_precision(s, p);
    if (action || p->state == TRACK_DONE)
        return action;
    if (there && p->leg == TRACK_WALK)
        return track_arrive(s, p);
    if (p->steps + p->rejected >= s->most_steps)
        return track_end(p, PLUMB_PATH_TOO_MANY_STEPS);
    if (there && p->leg == TRACK_ROUND) {
        p->vertex++;
        return TRACK_DO_VERTEX;
    }
    if ((there && p->leg == TRACK_IN) || (returned && p->leg == TRACK_ROUND))
        return track_begin_circle(s, p);
    if (p->leg == TRACK_WALK && track_needs_endgame(s, p)) {
        double radius = 1.0, most = 0.75 * track_tau_abs(p->at[p->newest]);
        while (radius > most)
            radius *= 0.5;
        return track_go_in(s, p, radius);
    }
    return track_next_trial(p);
}

/* ---- One tick ---------------------------------------------------------------------------------------------------------- */

/* Is the path as good as found? */
TRACK_FN int32_t track_is_near(const track_path *p)
{
    return p->last <= TRACK_NEAR * p->size && track_rate(p) * p->last <= TRACK_SURE;
}

/* Is X good enough? Where it is to be exact: nothing but noise is left, or corrections do not get smaller any more near it. */
TRACK_FN int32_t track_is_converged(const track_settings *s, const track_path *p, double before)
{
    double noise = track_blur(p) * p->size;
    if (p->last <= noise)
        return 1;
    if (p->exact)
        return p->corrections > 1 &&
               (track_rest(p) <= track_enough(s, p) || (p->last <= 1e4 * noise && p->last > 0.25 * before));
    return track_is_near(p);
}

TRACK_FN int32_t track_judge_step(const track_settings *s, track_path *p, double before)
{
    double noise = track_blur(p) * p->size;
    int32_t done = track_is_converged(s, p, before), most = p->exact ? TRACK_CORRECTIONS_EXACT : TRACK_CORRECTIONS;
    int32_t astray = !(p->bend <= s->turn) || !(p->last < (double)INFINITY);
    if (p->corrections == 1)
        astray |= p->last > TRACK_FAR * p->size;
    else if (p->corrections == TRACK_CORRECTIONS) /* further ones only make it more exact */
        astray |= !done && !track_is_near(p);
    if (p->corrections > 1 && p->last > 10.0 * noise)
        astray |= p->change > TRACK_CHANGE_MOST || (!done && p->last > 0.5 * before);
    if (astray || (!done && p->corrections >= most))
        return track_reject(s, p);
    return done ? TRACK_DO_ACCEPT : TRACK_DO_NOTHING;
}

/* Corrections of a point that stays where it is. */
TRACK_FN int32_t track_judge_point(const track_settings *s, track_path *p, double before)
{
    int32_t done = track_is_converged(s, p, before);
    double most = p->phase == TRACK_STARTS ? 1e-6 : 1e-3;
    int32_t astray = !(p->moved <= most * p->size) || !(p->bend <= s->turn) || p->change > TRACK_CHANGE_MOST;
    if (astray || (!done && p->corrections >= TRACK_CORRECTIONS_EXACT)) {
        if (p->phase == TRACK_STARTS)
            return track_end(p, PLUMB_PATH_BAD_START);
        return track_fail(s, p, PLUMB_PATH_PRECISION_EXHAUSTED);
    }
    return done ? TRACK_DO_ACCEPT : TRACK_DO_NOTHING;
}

/* What a tick measured: largest entries of dx, w, of w at the newest point and at the last tick, and of the differences. */
typedef struct track_measures {
    double dx, w, w_newest, w_before, w_apart, w_change;
} track_measures;

TRACK_FN int32_t track_judge(const track_settings *s, track_path *p, const track_measures *m, int64_t info)
{
    int32_t solved = info == 0 && m->dx < (double)INFINITY && m->w < (double)INFINITY && p->residual < (double)INFINITY;
    double before = p->last;
    if (p->phase == TRACK_VERIFIES && p->size < p->extent)
        p->size = p->extent;
    p->solves++;
    p->corrections++;
    p->accepted = 0;
    p->last = solved ? m->dx : (double)INFINITY;
    p->moved += p->last;
    p->condition = solved ? m->w / p->size : (double)INFINITY;
    /* The newest point is that of w where a point is refined too, but not at its beginning or back at that of a circle. */
    int32_t comparable = p->phase == TRACK_STEPS || (p->phase == TRACK_REFINES && !p->returned);
    p->bend = comparable ? m->w_apart / (m->w > m->w_newest ? m->w : m->w_newest) : 0.0;
    if (p->corrections == 1)
        p->first = p->last;
    else
        p->change = track_larger(p->change, m->w_change / (m->w > m->w_before ? m->w : m->w_before));
    if (!solved)
        p->bend = p->change = 1.0;
    if (p->phase == TRACK_VERIFIES)
        return track_verify(s, p, solved);
    return p->phase == TRACK_STEPS ? track_judge_step(s, p, before) : track_judge_point(s, p, before);
}

#endif
