/* trials.h - trials of a step, and the reactions to a failed trial: a shorter step, a higher precision, leaving the
 * circle, or the end of the path.
 *
 * The functions return an action: what has to be done with the vectors before the next tick. */
#ifndef PLUMB_METHOD_TRACK_TRIALS_H
#define PLUMB_METHOD_TRACK_TRIALS_H

#include "method/track/infinity.h"

enum {
    TRACK_DO_NOTHING, /* X is ready for the next tick, or the path is finished */
    TRACK_DO_PREDICT, /* predict X for p->trial.tau */
    TRACK_DO_RESTORE, /* set X to the newest point */
    TRACK_DO_RETURN,  /* set X to the first point of the circle */
    TRACK_DO_LOOK,    /* set X to the mean, or to the limit of the ray */
    TRACK_DO_BESIDE,  /* set X to a point beside it, in the direction of the newest point */
    TRACK_DO_FORESEE, /* set X to where the newest point will be at p->trial.tau if every coordinate is a power of tau */
    TRACK_DO_ACCEPT,  /* make X the newest point, then call track_accepted */
    TRACK_DO_LIMIT,   /* compute limits of x_0 / x_k, then call track_find_limit and track_go_on */
    TRACK_DO_CIRCLE,  /* start a circle at the newest point, then call track_to_vertex */
    TRACK_DO_VERTEX,  /* add the newest point as a vertex, then call track_at_vertex */
    TRACK_DO_MEAN,    /* compute the mean of the circle, then call track_closed */
    TRACK_DO_APPROACH /* compute the limit of the ray, then call track_approached */
};

TRACK_FN int32_t track_end(track_path *p, int32_t code)
{
    p->verdict.state = TRACK_DONE;
    p->verdict.code = code;
    p->precision.wants = p->precision.now;
    return TRACK_DO_NOTHING;
}

/* ---- Trials ------------------------------------------------------------------------------------------------------------ */

TRACK_FN void track_new_trial(track_path *p, int32_t phase, int32_t exact)
{
    p->trial.phase = phase;
    p->trial.exact = exact;
    p->corrector.corrections = p->trial.jump = p->trial.ahead = 0;
    p->corrector.change = p->corrector.moved = 0.0;
}

/* Sets all scalars of a path but the size of its start point. */
TRACK_FN void track_begin(const track_settings *s, track_path *p, int64_t number, int32_t prec)
{
    const track_path fresh = {0};
    *p = fresh;
    p->number = number;
    p->precision.now = p->precision.wants = p->precision.most = prec;
    p->mean.error = -1.0;
    p->circle.resume = p->outlook.look_below = p->corrector.excess = p->scale.unit = 1.0;
    p->control.jump_below = s->moving == TRACK_RATES ? TRACK_JUMP_MOVING : 1.0;
    p->predictor.leap = -1.0;
    p->lead.chief = s->projective ? 1 : 0;
    p->scale.least_size = s->projective ? 0.0 : 1.0;
    track_tau_set(p->trial.tau, 1.0);
    track_new_trial(p, TRACK_STARTS, 1);
}

/* Sets up a trial of this length on the straight line to the end of the leg, not beyond it. On circles lengths are
 * those of log(tau). */
TRACK_FN void track_try_line(track_path *p, double length)
{
    const double *from = p->points.at[p->points.newest];
    track_c way = track_tau_minus(p->course.target, from);
    double left = way.re < 0.0 ? -way.re : way.re; /* on the real line, as on most of the way */
    if (p->predictor.logarithmic || way.im != 0.0)
        left =
            track_c_abs(p->predictor.logarithmic ? track_c_log(track_c_div(way, track_c_of(from[0], from[2]))) : way);
    p->trial.exact = length >= left;
    if (p->trial.exact) {
        p->trial.length = left;
        track_tau_copy(p->trial.tau, p->course.target);
    } else {
        p->trial.length = length > TRACK_TWO_STEPS * left
                              ? 0.5 * left
                              : length; /* two equal steps instead of a long and a very short one */
        track_tau_add(p->trial.tau, from, track_c_scale(way, p->trial.length / left));
    }
}

/* Sets up a trial that divides tau, which is real and positive, by e to the power p->control.step; not beyond the end of the
 * leg. */
TRACK_FN void track_try_fall(track_path *p)
{
    double from = p->trial.from, to = from + from * track_c_exp(track_c_of(-p->control.step, 0.0)).re,
           end = p->course.target[0];
    p->trial.exact = to <= end;
    p->trial.length = p->trial.exact ? track_c_log(track_c_of(from / end - 1.0, 0.0)).re : p->control.step;
    track_tau_set(p->trial.tau, p->trial.exact ? end : to);
}

/* Sets the next station of the ray, about as far away as the next step is long. Stations are powers of two, and after the
 * first one tau^(1/c) is divided by a power of two from each to the next. */
TRACK_FN void track_next_station(track_path *p)
{
    int32_t exponent = track_exponent(p->trial.from),
            times = (int32_t)(p->control.step / (TRACK_LOG_2 * p->mean.winding));
    if (p->trial.from > track_power_of_two(exponent))
        exponent++;
    track_tau_set(p->course.target, track_power_of_two(exponent - p->mean.winding * (times > 1 ? times : 1)));
}

/* Sets up the next trial of the leg. */
TRACK_FN int32_t track_set_next_trial(track_path *p)
{
    track_new_trial(p, TRACK_STEPS, 0);
    p->predictor.order = 2 * p->points.history;
    p->trial.from = track_tau_abs(p->points.at[p->points.newest]);
    if (p->ray.state == TRACK_ON_RAY)
        track_next_station(p);
    p->trial.jump = p->course.leg == TRACK_WALK && p->course.zone && p->predictor.leap >= 0.0 &&
                    p->predictor.leap <= TRACK_JUMP && p->trial.from <= p->control.jump_below;
    p->predictor.logarithmic = p->course.leg != TRACK_WALK || (p->course.zone && !p->trial.jump);
    if (p->predictor.logarithmic && p->course.leg != TRACK_ROUND) {
        track_try_fall(p);
    } else {
        /* A jump failed, and the end is not much nearer yet. */
        const int32_t too_far = p->course.leg == TRACK_WALK && p->trial.from > p->control.jump_below &&
                                p->control.step > TRACK_TOO_FAR * p->trial.from;
        track_try_line(p, p->trial.jump ? p->trial.from : too_far ? TRACK_TOO_FAR * p->trial.from : p->control.step);
        p->trial.jump = p->course.leg == TRACK_WALK && p->trial.exact;
    }
    return TRACK_DO_PREDICT;
}
TRACK_CALL int32_t track_next_trial(track_path *p) { return track_set_next_trial(p); }

/* How far in log(tau) it is to the point at which the path is large enough to count as infinite, if every coordinate
 * goes on as a power of tau; infinite if tau would be too small there. */
TRACK_CALL double track_way_ahead(const track_settings *s, const track_path *p)
{
    double fall =
        track_c_log(track_c_of(TRACK_AHEAD_MARGIN / TRACK_BEYOND * p->lead.finite * s->largest - 1.0, 0.0)).re;
    double way = fall / track_sample_rate(p);
    return track_tau_abs(p->points.at[p->points.newest]) * track_exp(-way) >= TRACK_LEAST_TAU ? way : (double)INFINITY;
}

/* Sets up a trial at that point. */
TRACK_CALL int32_t track_try_ahead(const track_settings *s, track_path *p)
{
    track_new_trial(p, TRACK_STEPS, 0);
    p->predictor.order = 2;
    p->trial.from = track_tau_abs(p->points.at[p->points.newest]);
    p->trial.ahead = TRACK_AHEAD;
    p->predictor.logarithmic = 1;
    p->trial.length = track_way_ahead(s, p);
    track_tau_set(p->trial.tau, p->trial.from * track_exp(-p->trial.length));
    return TRACK_DO_FORESEE;
}

/* Sets up a trial far ahead, at this distance in log(tau) from the newest point or at half of it, a quarter, ... if tau would be
 * too small there. */
TRACK_CALL int32_t track_try_at(track_path *p, double way)
{
    track_new_trial(p, TRACK_STEPS, 0);
    p->trial.from = track_tau_abs(p->points.at[p->points.newest]);
    p->trial.ahead = TRACK_BEYOND_AHEAD;
    p->predictor.logarithmic = 1;
    p->trial.length = way;
    while (p->trial.from * track_exp(-p->trial.length) < TRACK_LEAST_TAU)
        p->trial.length *= 0.5;
    track_tau_set(p->trial.tau, p->trial.from * track_exp(-p->trial.length));
    return TRACK_DO_FORESEE;
}

/* Sets up a trial many decades ahead. */
TRACK_FN int32_t track_try_far(track_path *p) { return track_try_at(p, TRACK_FAR_FALL / track_sample_rate(p)); }

/* Terms were too small for a double at the trial far ahead, so it shows nothing: sets up another one half as far beyond the
 * point at which the path counts as infinite. Returns TRACK_DO_NOTHING if that would be only a few decades beyond it. */
TRACK_CALL int32_t track_try_less_far(const track_settings *s, track_path *p)
{
    const double least = p->limit.kind == TRACK_LIMIT_ZERO ? 0.0 : track_way_ahead(s, p),
                 beyond = TRACK_LESS_FAR * (p->trial.length - least);
    return beyond * track_sample_rate(p) >= TRACK_FEW_DECADES ? track_try_at(p, least + beyond) : TRACK_DO_NOTHING;
}

/* Continues in a higher precision from the newest point, or on a circle from its first point. Returns 0 if no higher
 * precision is allowed. */
TRACK_CALL int32_t track_enlarge_to(track_path *p, int32_t higher)
{
    if (!higher)
        return 0;
    int32_t back = p->course.leg == TRACK_ROUND;
    p->circle.returned = back;
    if (back)
        track_tau_set(p->points.at[p->points.newest], p->circle.radius);
    track_tau_copy(p->trial.tau, p->points.at[p->points.newest]);
    p->precision.wants = higher;
    p->precision.most = higher > p->precision.most ? higher : p->precision.most;
    p->precision.calm = p->control.failures = 0;
    p->mean.error = -1.0; /* means of different precisions are not compared */
    track_new_trial(p, TRACK_REFINES, 1);
    return back ? TRACK_DO_RETURN : TRACK_DO_RESTORE;
}

TRACK_FN int32_t track_enlarge(const track_settings *s, track_path *p)
{
    return track_enlarge_to(p, track_higher(s, p->precision.now));
}

/* Continues from the circle by steps alone, for a longer stretch each time. */
TRACK_FN void track_walk_from(track_path *p)
{
    p->course.leg = TRACK_WALK;
    p->circle.resume = p->circle.radius;
    for (int32_t k = 0; k < p->circle.open || k < 1; k++)
        p->circle.resume *= p->circle.open > TRACK_OPEN ? 0.0 : TRACK_RESUME;
    track_tau_set(p->course.target, 0.0);
}

/* The circle of this radius does not close, or the precision does not suffice to follow it. This says nothing about
 * the path itself, which continues from the first point of the circle. */
TRACK_CALL int32_t track_leave_circle(track_path *p)
{
    int32_t back = p->course.leg == TRACK_ROUND;
    p->circle.open++;
    track_walk_from(p);
    if (!back)
        return track_next_trial(p);
    track_tau_set(p->trial.tau, p->circle.radius);
    track_tau_copy(p->points.at[p->points.newest], p->trial.tau);
    p->circle.returned = 1;
    track_new_trial(p, TRACK_REFINES, 1);
    return TRACK_DO_RETURN;
}

/* Repeats the last circle in the highest precision, with a radius for which its mean, by its order, will be accurate to
 * that of tau at the vertices. The mean of the circle before has to confirm it. */
TRACK_CALL int32_t track_circle_again(const track_settings *s, track_path *p)
{
    double error = p->mean.error, off = error, inward = 1.0;
    while (off > TRACK_CORNER_ERROR && inward > TRACK_MOST_INWARD &&
           0.5 * inward * p->circle.radius >= TRACK_LEAST_CIRCLE) {
        inward *= 0.5;
        for (int32_t k = 0; k < p->circle.vertices; k++)
            off *= 0.5;
    }
    p->circle.doubted = 1;
    int32_t action = track_enlarge_to(p, s->most_prec);
    p->mean.error = error;
    if (inward < 1.0) {
        p->course.leg = TRACK_IN;
        p->circle.radius *= inward;
        track_tau_set(p->course.target, p->circle.radius);
    }
    return action;
}

/* The ray confirms nothing: goes back to the first point of the circle, and repeats that. */
TRACK_CALL int32_t track_leave_ray(const track_settings *s, track_path *p)
{
    p->ray.state = TRACK_OFF_RAY;
    p->course.leg = TRACK_ROUND;
    p->mean.error = p->ray.circle_error;
    p->corrector.omega = 0.0; /* the one measured further in would make steps too short */
    return track_circle_again(s, p);
}

/* The path cannot continue in this precision: continue in a higher one, leave the circle, or end the path. */
TRACK_CALL int32_t track_fail(const track_settings *s, track_path *p, int32_t code)
{
    int32_t action = track_enlarge(s, p);
    if (action)
        return action;
    if (p->ray.state == TRACK_ON_RAY)
        return track_leave_ray(s, p);
    if (p->course.leg != TRACK_WALK)
        return track_leave_circle(p);
    track_tau_copy(p->trial.tau, p->points.at[p->points.newest]);
    p->verdict.error = p->points.accuracy;
    if (p->course.zone) /* a path beyond the largest root asked for is followed further only to be sure */
        code = p->limit.kind == TRACK_LIMIT_ZERO && s->stops ? PLUMB_PATH_BEYOND : PLUMB_PATH_UNDECIDED;
    if (code == PLUMB_PATH_STEP_TOO_SMALL && !(track_exposure(p, p->precision.now) <= TRACK_SOFT))
        code = PLUMB_PATH_PRECISION_EXHAUSTED;
    track_end(p, code);
    return TRACK_DO_RESTORE;
}

/* From here on steps are counted in log(tau). Small coordinates may have few correct digits so far, so the newest
 * point is corrected again. */
TRACK_CALL int32_t track_enter_zone(track_path *p)
{
    if (!p->course.zone)
        p->control.step /= track_tau_abs(p->points.at[p->points.newest]);
    p->course.zone = p->course.entering = 1;
    p->predictor.leap = -1.0;
    if (p->control.step > TRACK_ZONE_STEP)
        p->control.step = TRACK_ZONE_STEP;
    track_tau_copy(p->trial.tau, p->points.at[p->points.newest]);
    track_new_trial(p, TRACK_REFINES, 1);
    return TRACK_DO_RESTORE;
}

/* A jump was accepted but its endpoint does not hold in more digits: goes back to the point before it. */
TRACK_CALL int32_t track_step_back(track_path *p)
{
    p->points.newest = (p->points.newest + TRACK_HISTORY - 1) % TRACK_HISTORY;
    p->points.history--;
    p->count.steps--;
    p->control.jump_below = TRACK_JUMP_AGAIN_END * track_tau_abs(p->points.at[p->points.newest]);
    p->control.step = p->course.zone ? TRACK_ZONE_STEP : track_tau_abs(p->points.at[p->points.newest]);
    return track_enter_zone(p);
}

TRACK_CALL int32_t track_reject(const track_settings *s, track_path *p)
{
    double noise = track_blur(p);
    p->count.rejected++;
    p->precision.calm = 0;
    if (p->trial.ahead) {
        p->outlook.turned |= p->trial.ahead == TRACK_AHEAD && !(p->corrector.bend <= s->turn);
        p->outlook.look_below = TRACK_LOOK_AGAIN * p->trial.from;
        p->outlook.bound = p->limit.size + p->limit.error;
        p->predictor.leap = -1.0; /* a jump would use the sizes of terms at the point ahead */
        return track_next_trial(p);
    }
    /* Corrections that do not become smaller are noise: no shorter step has less, but a higher precision does. */
    if (p->corrector.corrections > 1 && p->corrector.last > noise && p->corrector.last <= TRACK_MERELY_NOISE * noise &&
        track_exposure(p, p->precision.now) * p->corrector.last > TRACK_SOFT * noise) {
        int32_t action = track_enlarge(s, p);
        if (action)
            return action;
    }
    if (p->trial.jump) /* not yet within reach: walk on, and try again nearer to it */
        p->control.jump_below = TRACK_JUMP_AGAIN * p->trial.from;
    if (p->trial.jump && (p->course.zone || p->trial.from <= TRACK_ZONE)) {
        if (!p->course.zone && s->endgame)
            return track_enter_zone(p);
        if (p->course.zone)
            return track_next_trial(p);
    }
    p->control.step = p->trial.length * track_factor(s, p, TRACK_REJECT_LEAST, TRACK_REJECT_MOST);
    if (p->course.leg == TRACK_ROUND && p->control.step < TRACK_LEAST_CHORD) /* it passes close to a branch point */
        return track_leave_circle(p);
    if (p->ray.state == TRACK_ON_RAY && p->precision.now == s->most_prec &&
        p->control.step < TRACK_LOG_2 * p->mean.winding)
        return track_leave_ray(s, p);
    if (p->control.step < track_least(s, p, p->precision.now))
        return track_fail(s, p, PLUMB_PATH_STEP_TOO_SMALL);
    if (p->count.steps + p->count.rejected >= s->most_steps) {
        track_end(p, PLUMB_PATH_TOO_MANY_STEPS);
        return TRACK_DO_RESTORE;
    }
    if (++p->control.failures % TRACK_PATIENCE == 0) { /* the newest point may be inaccurate: correct it again */
        track_tau_copy(p->trial.tau, p->points.at[p->points.newest]);
        track_new_trial(p, TRACK_REFINES, 1);
        return TRACK_DO_RESTORE;
    }
    return track_next_trial(p);
}

#endif
