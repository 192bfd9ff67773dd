/* trials.h - trials of a step, and the reactions to a failed trial: a shorter step, a higher precision, leaving the
 * circle, or the end of the path.
 *
 * The functions return an action: what has to be done with the vectors before the next tick. */
#ifndef PLUMB_METHOD_TRACK_TRIALS_H
#define PLUMB_METHOD_TRACK_TRIALS_H

#include "method/track/infinity.h"

enum {
    TRACK_DO_NOTHING, /* X is ready for the next tick, or the path is finished */
    TRACK_DO_PREDICT, /* predict X for p->tau */
    TRACK_DO_RESTORE, /* set X to the newest point */
    TRACK_DO_RETURN,  /* set X to the first point of the circle */
    TRACK_DO_LOOK,    /* set X to the mean, or to the limit of the ray */
    TRACK_DO_BESIDE,  /* set X to a point beside it, in the direction of the newest point */
    TRACK_DO_FORESEE, /* set X to where the newest point will be at p->tau if every coordinate is a power of tau */
    TRACK_DO_ACCEPT,  /* make X the newest point, then call track_accepted */
    TRACK_DO_LIMIT,   /* compute limits of x_0 / x_k, then call track_find_limit and track_go_on */
    TRACK_DO_CIRCLE,  /* start a circle at the newest point, then call track_to_vertex */
    TRACK_DO_VERTEX,  /* add the newest point as a vertex, then call track_at_vertex */
    TRACK_DO_MEAN,    /* compute the mean of the circle, then call track_closed */
    TRACK_DO_APPROACH /* compute the limit of the ray, then call track_approached */
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
    p->corrections = p->jump = p->ahead = 0;
    p->change = p->moved = 0.0;
}

/* Sets all scalars of a path but the size of its start point. */
TRACK_FN void track_begin(const track_settings *s, track_path *p, int64_t number, int32_t prec)
{
    const track_path fresh = {0};
    *p = fresh;
    p->number = number;
    p->prec = p->wants = p->most_prec = prec;
    p->mean_error = -1.0;
    p->resume = p->look = p->excess = p->unit = 1.0;
    p->shortest = s->moving ? TRACK_JUMP_MOVING : 1.0;
    p->leap = -1.0;
    p->chief = s->projective ? 1 : 0;
    p->least_size = s->projective ? 0.0 : 1.0;
    track_tau_set(p->tau, 1.0);
    track_new_trial(p, TRACK_STARTS, 1);
}

/* Sets up a trial of this length on the straight line to the end of the leg, not beyond it. On circles lengths are
 * those of log(tau). */
TRACK_FN void track_try_line(track_path *p, double length)
{
    const double *from = p->at[p->newest];
    track_c way = track_tau_minus(p->target, from);
    double left = way.re < 0.0 ? -way.re : way.re; /* on the real line, as on most of the way */
    if (p->logarithmic || way.im != 0.0)
        left = track_c_abs(p->logarithmic ? track_c_log(track_c_div(way, track_c_of(from[0], from[2]))) : way);
    p->exact = length >= left;
    if (p->exact) {
        p->tried = left;
        track_tau_copy(p->tau, p->target);
    } else {
        p->tried =
            length > 0.6 * left ? 0.5 * left : length; /* two equal steps instead of a long and a very short one */
        track_tau_add(p->tau, from, track_c_scale(way, p->tried / left));
    }
}

/* Sets up a trial that divides tau, which is real and positive, by e to the power p->step; not beyond the end of the
 * leg. */
TRACK_FN void track_try_fall(track_path *p)
{
    double from = p->before, to = from + from * track_c_exp(track_c_of(-p->step, 0.0)).re, end = p->target[0];
    p->exact = to <= end;
    p->tried = p->exact ? track_c_log(track_c_of(from / end - 1.0, 0.0)).re : p->step;
    track_tau_set(p->tau, p->exact ? end : to);
}

/* Sets the next station of the ray, about as far away as the next step is long. Stations are powers of two, and after the
 * first one tau^(1/c) is divided by a power of two from each to the next. */
TRACK_FN void track_next_station(track_path *p)
{
    int32_t exponent = track_exponent(p->before), times = (int32_t)(p->step / (TRACK_LOG_2 * p->winding));
    if (p->before > track_power_of_two(exponent))
        exponent++;
    track_tau_set(p->target, track_power_of_two(exponent - p->winding * (times > 1 ? times : 1)));
}

/* Sets up the next trial of the leg. */
TRACK_CALL int32_t track_next_trial(track_path *p)
{
    track_new_trial(p, TRACK_STEPS, 0);
    p->order = 2 * p->history;
    p->before = track_tau_abs(p->at[p->newest]);
    if (p->ray == TRACK_ON_RAY)
        track_next_station(p);
    p->jump = p->leg == TRACK_WALK && p->zone && p->leap >= 0.0 && p->leap <= TRACK_JUMP && p->before <= p->shortest;
    p->logarithmic = p->leg != TRACK_WALK || (p->zone && !p->jump);
    if (p->logarithmic && p->leg != TRACK_ROUND) {
        track_try_fall(p);
    } else {
        /* A jump failed, and the end is not much nearer yet. */
        const int32_t too_far = p->leg == TRACK_WALK && p->before > p->shortest && p->step > 0.5 * p->before;
        track_try_line(p, p->jump ? p->before : too_far ? 0.5 * p->before : p->step);
        p->jump = p->leg == TRACK_WALK && p->exact;
    }
    return TRACK_DO_PREDICT;
}

/* How far in log(tau) it is to the point at which the path is large enough to count as infinite, if every coordinate
 * goes on as a power of tau; infinite if tau would be too small there. */
TRACK_CALL double track_way_ahead(const track_settings *s, const track_path *p)
{
    double fall = track_c_log(track_c_of(2.0 / TRACK_BEYOND * p->finite * s->largest - 1.0, 0.0)).re;
    double way = fall / track_sample_rate(p);
    return track_tau_abs(p->at[p->newest]) * track_exp(-way) >= TRACK_LEAST_TAU ? way : (double)INFINITY;
}

/* Sets up a trial at that point. */
TRACK_CALL int32_t track_try_ahead(const track_settings *s, track_path *p)
{
    track_new_trial(p, TRACK_STEPS, 0);
    p->order = 2;
    p->before = track_tau_abs(p->at[p->newest]);
    p->ahead = TRACK_AHEAD;
    p->logarithmic = 1;
    p->tried = track_way_ahead(s, p);
    track_tau_set(p->tau, p->before * track_exp(-p->tried));
    return TRACK_DO_FORESEE;
}

/* Sets up a trial far ahead, at this distance in log(tau) from the newest point or at half of it, a quarter, ... if tau would be
 * too small there. */
TRACK_CALL int32_t track_try_at(track_path *p, double way)
{
    track_new_trial(p, TRACK_STEPS, 0);
    p->before = track_tau_abs(p->at[p->newest]);
    p->ahead = TRACK_BEYOND_AHEAD;
    p->logarithmic = 1;
    p->tried = way;
    while (p->before * track_exp(-p->tried) < TRACK_LEAST_TAU)
        p->tried *= 0.5;
    track_tau_set(p->tau, p->before * track_exp(-p->tried));
    return TRACK_DO_FORESEE;
}

/* Sets up a trial many decades ahead. */
TRACK_FN int32_t track_try_far(track_path *p) { return track_try_at(p, TRACK_FAR_FALL / track_sample_rate(p)); }

/* Terms were too small for a double at the trial far ahead, so it tells nothing: sets up another one half as far beyond the
 * point at which the path counts as infinite. Returns TRACK_DO_NOTHING if that would be only a few decades beyond it. */
TRACK_CALL int32_t track_try_less_far(const track_settings *s, track_path *p)
{
    const double least = p->limit == TRACK_LIMIT_ZERO ? 0.0 : track_way_ahead(s, p), beyond = 0.5 * (p->tried - least);
    return beyond * track_sample_rate(p) >= TRACK_FEW_DECADES ? track_try_at(p, least + beyond) : TRACK_DO_NOTHING;
}

/* Continues in a higher precision from the newest point, or on a circle from its first point. Returns 0 if no higher
 * precision is allowed. */
TRACK_CALL int32_t track_enlarge_to(track_path *p, int32_t higher)
{
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
    p->mean_error = -1.0; /* means of different precisions are not compared */
    track_new_trial(p, TRACK_REFINES, 1);
    return back ? TRACK_DO_RETURN : TRACK_DO_RESTORE;
}

TRACK_FN int32_t track_enlarge(const track_settings *s, track_path *p)
{
    return track_enlarge_to(p, track_higher(s, p->prec));
}

enum { TRACK_OPEN = 4 };       /* maximum number of circles that did not close */
#define TRACK_LEAST_CHORD 1e-2 /* length of a step on a circle, relative to its radius, below which it is left */

/* Continues from the circle by steps alone, for a longer stretch each time. */
TRACK_FN void track_walk_from(track_path *p)
{
    p->leg = TRACK_WALK;
    p->resume = p->radius;
    for (int32_t k = 0; k < p->open || k < 1; k++)
        p->resume *= p->open > TRACK_OPEN ? 0.0 : 1.0 / 64.0;
    track_tau_set(p->target, 0.0);
}

/* The circle of this radius does not close, or the precision does not suffice to follow it. This says nothing about
 * the path itself, which continues from the first point of the circle. */
TRACK_CALL int32_t track_leave_circle(track_path *p)
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

#define TRACK_CORNER_ERROR 1e-31   /* relative error of tau at the vertices of a circle */
#define TRACK_LEAST_CIRCLE 0x1p-90 /* the smallest circle; in d a larger one */

/* Repeats the last circle in the highest precision, with a radius for which its mean, by its order, will be accurate to
 * that of tau at the vertices. The mean of the circle before has to confirm it. */
TRACK_CALL int32_t track_circle_again(const track_settings *s, track_path *p)
{
    double error = p->mean_error, off = error, inward = 1.0;
    while (off > TRACK_CORNER_ERROR && inward > 1e-6 && 0.5 * inward * p->radius >= TRACK_LEAST_CIRCLE) {
        inward *= 0.5;
        for (int32_t k = 0; k < p->vertices; k++)
            off *= 0.5;
    }
    p->doubted = 1;
    int32_t action = track_enlarge_to(p, s->most_prec);
    p->mean_error = error;
    if (inward < 1.0) {
        p->leg = TRACK_IN;
        p->radius *= inward;
        track_tau_set(p->target, p->radius);
    }
    return action;
}

/* The ray confirms nothing: goes back to the first point of the circle, and repeats that. */
TRACK_CALL int32_t track_leave_ray(const track_settings *s, track_path *p)
{
    p->ray = TRACK_OFF_RAY;
    p->leg = TRACK_ROUND;
    p->mean_error = p->circle_error;
    p->omega = 0.0; /* the one measured further in would make steps too short */
    return track_circle_again(s, p);
}

/* The path cannot continue in this precision: continue in a higher one, leave the circle, or end the path. */
TRACK_CALL int32_t track_fail(const track_settings *s, track_path *p, int32_t code)
{
    int32_t action = track_enlarge(s, p);
    if (action)
        return action;
    if (p->ray == TRACK_ON_RAY)
        return track_leave_ray(s, p);
    if (p->leg != TRACK_WALK)
        return track_leave_circle(p);
    track_tau_copy(p->tau, p->at[p->newest]);
    p->error = p->accuracy;
    if (p->zone) /* a path beyond the largest root asked for is followed further only to be sure */
        code = p->limit == TRACK_LIMIT_ZERO && s->stops ? PLUMB_PATH_BEYOND : PLUMB_PATH_UNDECIDED;
    if (code == PLUMB_PATH_STEP_TOO_SMALL && !(track_exposure(p, p->prec) <= TRACK_SOFT))
        code = PLUMB_PATH_PRECISION_EXHAUSTED;
    track_end(p, code);
    return TRACK_DO_RESTORE;
}

/* From here on steps are counted in log(tau). Small coordinates may have few correct digits so far, so the newest
 * point is corrected again. */
TRACK_CALL int32_t track_enter_zone(track_path *p)
{
    if (!p->zone)
        p->step /= track_tau_abs(p->at[p->newest]);
    p->zone = p->entering = 1;
    p->leap = -1.0;
    if (p->step > 1.0)
        p->step = 1.0;
    track_tau_copy(p->tau, p->at[p->newest]);
    track_new_trial(p, TRACK_REFINES, 1);
    return TRACK_DO_RESTORE;
}

/* A jump was accepted but its endpoint does not hold in more digits: goes back to the point before it. */
TRACK_CALL int32_t track_step_back(track_path *p)
{
    p->newest = (p->newest + TRACK_HISTORY - 1) % TRACK_HISTORY;
    p->history--;
    p->steps--;
    p->shortest = 0.01 * track_tau_abs(p->at[p->newest]);
    p->step = p->zone ? 1.0 : track_tau_abs(p->at[p->newest]);
    return track_enter_zone(p);
}

TRACK_CALL int32_t track_reject(const track_settings *s, track_path *p)
{
    double noise = track_blur(p);
    p->rejected++;
    p->calm = 0;
    if (p->ahead) {
        p->turned |= p->ahead == TRACK_AHEAD && !(p->bend <= s->turn);
        p->look = 0.125 * p->before;
        p->looked_at = p->limit_size + p->limit_error;
        p->leap = -1.0; /* a jump would use the sizes of terms at the point ahead */
        return track_next_trial(p);
    }
    /* Corrections that do not become smaller are noise: no shorter step has less, but a higher precision does. */
    if (p->corrections > 1 && p->last > noise && p->last <= 100.0 * noise &&
        track_exposure(p, p->prec) * p->last > TRACK_SOFT * noise) {
        int32_t action = track_enlarge(s, p);
        if (action)
            return action;
    }
    if (p->jump) /* not yet within reach: walk on, and try again nearer to it */
        p->shortest = 0.125 * p->before;
    if (p->jump && (p->zone || p->before <= TRACK_ZONE)) {
        if (!p->zone && s->endgame)
            return track_enter_zone(p);
        if (p->zone)
            return track_next_trial(p);
    }
    p->step = p->tried * track_factor(s, p, 0.15, 0.6);
    if (p->leg == TRACK_ROUND && p->step < TRACK_LEAST_CHORD) /* it passes close to a branch point */
        return track_leave_circle(p);
    if (p->ray == TRACK_ON_RAY && p->prec == s->most_prec && p->step < TRACK_LOG_2 * p->winding)
        return track_leave_ray(s, p);
    if (p->step < track_least(s, p, p->prec))
        return track_fail(s, p, PLUMB_PATH_STEP_TOO_SMALL);
    if (p->steps + p->rejected >= s->most_steps) {
        track_end(p, PLUMB_PATH_TOO_MANY_STEPS);
        return TRACK_DO_RESTORE;
    }
    if (++p->failures % TRACK_PATIENCE == 0) { /* the newest point may be inaccurate: correct it again */
        track_tau_copy(p->tau, p->at[p->newest]);
        track_new_trial(p, TRACK_REFINES, 1);
        return TRACK_DO_RESTORE;
    }
    return track_next_trial(p);
}

#endif
