/* decide.h - all decisions about a path, made from its scalars alone; track_tmpl.h then updates the vectors. */
#ifndef PLUMB_METHOD_TRACK_DECIDE_H
#define PLUMB_METHOD_TRACK_DECIDE_H

#include "method/track/endgame.h"

/* ---- Accepted points --------------------------------------------------------------------------------------------------- */

/* The path is at tau = 0 and fully corrected. Affine coordinates are divided by x_0, whose error is relative to |x|, or to
 * x_0 itself if that is less. If it is zero within its error, the path is at infinity where that is below x_0 of any
 * root that is distinguished from infinity. The highest precision need not have that many digits, but if many of its
 * own are lost, the path is undecided. Other endpoints are finite, however large. */
TRACK_CALL int32_t track_arrive(const track_settings *s, track_path *p)
{
    const double finite = s->projective ? p->lead.finite : 1.0, error = p->points.plain_accuracy;
    const int32_t vanishes = finite <= TRACK_FINITE * error && !(p->lead.error <= TRACK_CLEAR);
    const int32_t unsure = vanishes && TRACK_FINITE * error * s->horizon > 1.0;
    p->verdict.error = vanishes ? error : error / (finite < 1.0 ? finite : 1.0);
    if (unsure || (!vanishes && p->verdict.error > track_tolerance(s))) {
        int32_t action = track_enlarge(s, p);
        if (action)
            return action;
    }
    if (unsure && error > TRACK_LOSS * track_noise(p->precision.now))
        return track_end(p, PLUMB_PATH_UNDECIDED);
    return track_end(p, vanishes ? PLUMB_PATH_AT_INFINITY : PLUMB_PATH_SUCCESS);
}

/* Limits the length of a step in log(tau): the condition number behaves like a power of tau, too, and a step does not
 * lead beyond the point where the precision has to change. */
TRACK_CALL void track_limit_step(const track_settings *s, track_path *p)
{
    int32_t falls = p->limit.kind == TRACK_LIMIT_FALLS || p->limit.kind == TRACK_LIMIT_ZERO;
    double most = track_longest(s, p), exposure = track_exposure(p, p->precision.now);
    double grown = track_c_log(track_c_of(p->corrector.condition / p->points.condition_before - 1.0, 0.0)).re;
    double wanted = falls ? TRACK_LONGEST_FALL : TRACK_LONGEST_FINITE;
    if (s->moving != TRACK_RATES && p->ray.state != TRACK_ON_RAY && most > wanted &&
        (p->limit.size + p->limit.error) * s->largest > 1.0)
        most = wanted;
    if (track_higher(s, p->precision.now) && grown > 0.0 && exposure < TRACK_SOFT) {
        double way = 0.5 * track_c_log(track_c_of(TRACK_SOFT / exposure - 1.0, 0.0)).re / grown * p->trial.length;
        way = way > TRACK_LEAST_WAY ? way : TRACK_LEAST_WAY;
        most = way < most ? way : most;
    }
    p->control.step = p->control.step < most ? p->control.step : most;
}

/* What is computed for an accepted point by all threads of a team, before the first one decides. */
typedef struct track_accepting {
    double factor;        /* by which the next step should be longer than the last one */
    double along, across; /* changes of w relative to those of x: from the point before, and of the corrections */
    double plainly;       /* the condition in the norm of the whole vector, relative to the other one */
} track_accepting;

/* Computes the length of the next step. Without a history, the step is such that x changes little, also relative to
 * the radius of convergence. */
TRACK_FN void track_control(const track_settings *s, track_path *p, int32_t stepped, const track_accepting *by)
{
    if (!stepped && (p->control.failures > 0 || p->course.entering))
        return; /* refined between steps: keep their length */
    if (!stepped) {
        double reach = p->corrector.omega > 1.0 ? TRACK_FIRST_REACH / p->corrector.omega : TRACK_FIRST_REACH;
        double step = p->points.slope * TRACK_FIRST_STEP > reach ? reach / p->points.slope : TRACK_FIRST_STEP;
        step *= p->course.zone || p->course.leg != TRACK_WALK ? 1.0 : track_tau_abs(p->points.at[p->points.newest]);
        p->control.step = p->points.history > 1 && p->control.step > step
                              ? p->control.step
                              : step; /* a change of precision does not shorten it */
        return;
    }
    double next = p->trial.length * by->factor,
           cut = p->trial.length < TRACK_CUT * p->control.step ? p->control.step : 0.0;
    /* Differences below the noise carry no information. */
    double noise = TRACK_INFORMATIVE * p->points.accuracy;
    double along = p->points.apart > noise ? by->along : 0.0;
    double across = p->corrector.corrections > 1 && p->corrector.first > noise ? by->across : 0.0;
    p->corrector.omega = track_larger(track_larger(along, across),
                                      across > 0.0 ? TRACK_OMEGA_FADES * p->corrector.omega : p->corrector.omega);
    p->control.step =
        next > cut ? next : cut; /* a step shortened by the end of its leg is no reason for shorter steps */
    if (p->predictor.logarithmic && p->course.leg != TRACK_ROUND)
        track_limit_step(s, p);
    else if (p->predictor.logarithmic && p->control.step > TRACK_LONGEST)
        p->control.step = TRACK_LONGEST;
}

/* Checks whether the precision is appropriate. Returns the action that moves to another one, or TRACK_DO_NOTHING if
 * it is appropriate or if only the next trial will use a lower one. */
TRACK_FN int32_t track_settle_precision(const track_settings *s, track_path *p)
{
    double exposure = track_exposure(p, p->precision.now);
    if (p->course.leg == TRACK_ROUND && !p->circle.returned &&
        p->corrector.plain_condition > TRACK_STRAY * p->circle.first_condition)
        return track_leave_circle(p);
    if (!(exposure <= TRACK_SOFT)) {
        int32_t action = track_enlarge(s, p);
        if (action)
            return action;
    }
    if (!(exposure <= (p->course.zone ? TRACK_HARD_END : TRACK_HARD)))
        return track_fail(s, p, PLUMB_PATH_PRECISION_EXHAUSTED);
    int32_t lower = track_lower(s, p->precision.now);
    p->precision.calm =
        lower && p->course.leg == TRACK_WALK && track_exposure(p, lower) <= TRACK_CALM ? p->precision.calm + 1 : 0;
    if (p->precision.calm >= TRACK_CALM_STEPS) {
        p->precision.wants = lower;
        p->precision.calm = 0;
    }
    return TRACK_DO_NOTHING;
}

/* True if the walk should go on in log(tau): near the end, unless a few long steps will reach it. */
TRACK_FN int32_t track_is_near_end(const track_settings *s, const track_path *p)
{
    double tau = track_tau_abs(p->points.at[p->points.newest]);
    if (!s->endgame || p->course.zone || tau > TRACK_ZONE)
        return 0;
    return p->control.step < tau && (tau <= TRACK_ZONE_MOST || p->control.step < TRACK_LONG * tau);
}

/* True if the condition number at the newest point is so large that steps take the highest precision; it grows with each of them. */
TRACK_FN int32_t track_is_arduous(const track_path *p) { return p->points.condition_before >= TRACK_ARDUOUS; }

/* The bound of a limit of y that is zero by itself: below x_0 / |x| of any root of this size. On arduous paths less has to
 * suffice. */
TRACK_FN double track_zero(const track_path *p, double size)
{
    return (track_is_arduous(p) ? TRACK_NEARLY_ZERO : 1.0) / size;
}
TRACK_FN int32_t track_is_zero(const track_settings *s, const track_path *p)
{
    return p->limit.size + p->limit.error <= track_zero(p, s->largest);
}

/* True if a path that leads beyond the largest root asked for leads beyond all that are distinguished from infinity, which may be larger. */
TRACK_FN int32_t track_is_told(const track_settings *s, const track_path *p)
{
    return !track_is_nonzero(p) &&
           (p->lead.finite * s->horizon <= TRACK_BEYOND || p->limit.size + p->limit.error <= track_zero(p, s->horizon));
}

/* True if a trial ahead is due: the last one is long ago, or the limit of y has become zero by itself since then. Where w turns on
 * the way, only a limit that is zero by itself gives a trial a chance. */
TRACK_FN int32_t track_may_look(const track_settings *s, const track_path *p)
{
    const int32_t zero = track_is_zero(s, p),
                  due = track_tau_abs(p->points.at[p->points.newest]) <= p->outlook.look_below &&
                        (!p->outlook.turned || zero);
    return p->course.leg == TRACK_WALK && p->limit.kind == TRACK_LIMIT_FALLS &&
           (due || (p->outlook.bound > track_zero(p, s->largest) && zero)) && track_way_ahead(s, p) < (double)INFINITY;
}

/* Counts the steps of a distant path. True if there were so many that it is given up: a root that large needs more digits than there are, or
 * there is none. */
TRACK_FN int32_t track_is_too_distant(const track_settings *s, track_path *p)
{
    const int64_t taken = p->count.steps + p->count.rejected, some = taken - p->count.seen;
    p->count.seen = taken;
    if (s->budget == 0 || !p->course.zone || p->lead.finite * s->distant > 1.0)
        return 0;
    p->count.distant += some * (track_is_arduous(p) ? TRACK_DISTANT_ARDUOUS : 1);
    return p->count.distant >= s->budget;
}

/* What follows an accepted point, once the limit of x_0 / x_k is known; returned: the point is the first one of a
 * circle, again. */
TRACK_CALL int32_t track_go_on(const track_settings *s, track_path *p, int32_t returned)
{
    /* A trial ahead that may end the path needs no higher precision. */
    if (track_is_zero(s, p) && track_may_look(s, p) && track_exposure(p, p->precision.now) <= TRACK_HARD_END) {
        if (!track_is_arduous(p))
            return track_try_ahead(s, p);
        p->verdict.error = p->limit.size + p->limit.error;
        return track_try_far(p);
    }
    int32_t there = track_tau_equal(p->course.target, p->points.at[p->points.newest]),
            action = track_settle_precision(s, p);
    if (action || p->verdict.state == TRACK_DONE)
        return action;
    if (there && p->course.leg == TRACK_WALK)
        return track_arrive(s, p);
    if (p->count.steps + p->count.rejected >= s->most_steps)
        return track_end(p, PLUMB_PATH_TOO_MANY_STEPS);
    if (track_is_too_distant(s, p))
        return track_end(p, PLUMB_PATH_BEYOND);
    if (there && p->course.leg == TRACK_ROUND && !returned) {
        p->circle.vertex++;
        return TRACK_DO_VERTEX;
    }
    if (p->ray.state == TRACK_ON_RAY)
        return track_go_on_ray(s, p, there);
    if ((there && p->course.leg == TRACK_IN) || (returned && p->course.leg == TRACK_ROUND))
        return track_begin_circle(s, p);
    if (p->course.leg == TRACK_WALK && track_is_near_end(s, p))
        return track_enter_zone(p);
    if (p->course.zone && !there && track_tau_abs(p->points.at[p->points.newest]) < TRACK_LEAST_TAU)
        return track_fail(s, p, PLUMB_PATH_UNDECIDED);
    if (p->course.leg == TRACK_WALK && p->limit.kind == TRACK_LIMIT_ZERO) {
        p->verdict.error =
            p->lead.finite < p->limit.size + p->limit.error ? p->lead.finite : p->limit.size + p->limit.error;
        if (track_tau_abs(p->points.at[p->points.newest]) <= p->outlook.look_below)
            return track_try_far(p);
        const int32_t needless = track_is_arduous(p) || p->outlook.blind;
        if (p->lead.finite * s->largest <= TRACK_NO_RETURN && (s->stops || needless))
            return track_end(p, needless && track_is_told(s, p) ? PLUMB_PATH_AT_INFINITY : PLUMB_PATH_BEYOND);
    }
    if (track_may_look(s, p))
        return track_try_ahead(s, p);
    if (p->course.leg == TRACK_WALK && track_needs_endgame(s, p)) {
        double radius = 1.0, most = TRACK_CIRCLE_INSIDE * track_tau_abs(p->points.at[p->points.newest]);
        while (radius > most)
            radius *= 0.5;
        return track_go_in(s, p, radius);
    }
    return track_next_trial(p);
}

/* True if only the next trial follows, as after most points: far from the end, on the way to tau = 0, with enough digits. track_go_on
 * would find that out by one condition after the other; here none waits for another. */
TRACK_FN int32_t track_just_goes_on(const track_settings *s, const track_path *p)
{
    const double *at = p->points.at[p->points.newest];
    const int32_t walks = (p->course.leg == TRACK_WALK) & (p->course.zone == 0) & (p->ray.state != TRACK_ON_RAY);
    const int32_t is_far = (at[2] == 0.0) & (at[0] > TRACK_ZONE) & (p->limit.kind == TRACK_LIMIT_UNKNOWN);
    const int32_t suffices = track_exposure(p, p->precision.now) <= TRACK_SOFT,
                  is_lowest = track_lower(s, p->precision.now) == 0;
    return walks & is_far & suffices & is_lowest & (p->count.steps + p->count.rejected < s->most_steps);
}

/* Notes the accuracy of a point that has become the newest one, what callers see of it, and the length of the next step. */
TRACK_FN void track_note_accepted(const track_settings *s, track_path *p, const track_accepting *by)
{
    int32_t stepped = p->trial.phase == TRACK_STEPS;
    double rest = track_rest(p), noise = track_blur(p);
    if (p->trial.exact && p->corrector.corrections > 1 && p->corrector.last > noise && rest > track_enough(s, p)) {
        rest = p->corrector.last; /* corrections did not decrease: there is more noise than expected */
        p->corrector.excess *= p->corrector.last / noise;
    }
    p->points.accuracy = track_blur(p) + rest;
    p->points.plain_accuracy =
        track_blur(p) * by->plainly + (rest < p->corrector.plain_last ? rest : p->corrector.plain_last);
    p->control.failures = stepped ? 0 : p->control.failures;
    p->circle.returned = 0;
    p->shown.accepted = !p->course.entering;
    p->shown.length = stepped ? p->trial.length : 0.0;
    p->shown.corrections = p->corrector.corrections;
    if (stepped) {
        p->count.steps++;
        p->control.least_step = p->trial.length < p->control.least_step || p->control.least_step == 0.0
                                    ? p->trial.length
                                    : p->control.least_step;
    }
    track_control(s, p, stepped, by);
    p->points.condition_before = p->corrector.condition;
    p->course.entering = 0;
}

/* X has become the newest point; apart and slope are known. */
TRACK_FN int32_t track_accepted(const track_settings *s, track_path *p, const track_accepting *by)
{
    int32_t returned = p->circle.returned;
    track_note_accepted(s, p, by);
    if (track_just_goes_on(s, p)) {
        p->precision.calm = 0;
        return track_next_trial(p);
    }
    /* Paths of polyhedral homotopies do not go to infinity. */
    if (s->moving != TRACK_RATES && p->course.leg == TRACK_WALK && p->course.zone &&
        !track_tau_equal(p->course.target, p->points.at[p->points.newest]) && track_sample(p) && track_seeks_limit(p))
        return TRACK_DO_LIMIT;
    return track_go_on(s, p, returned);
}

/* ---- One tick ---------------------------------------------------------------------------------------------------------- */

/* True if X is close enough to the path that the next correction will be negligible. Slopes belong to the point before
 * the last correction, so where limits or powers are concluded from them, that has to be small. Nothing is concluded
 * from the slopes of paths of polyhedral homotopies, whose endpoints are regular. */
TRACK_FN int32_t track_is_near(const track_settings *s, const track_path *p)
{
    const int32_t falls = p->limit.kind == TRACK_LIMIT_FALLS || p->limit.kind == TRACK_LIMIT_ZERO;
    const int32_t precise = p->course.zone && p->course.leg == TRACK_WALK && s->moving != TRACK_RATES &&
                            (falls || track_is_sample(p, track_tau_abs(p->trial.tau)));
    const double most = precise                                      ? TRACK_NEAR_SAMPLE
                        : p->course.zone && s->moving != TRACK_RATES ? TRACK_NEAR_END
                                                                     : TRACK_NEAR;
    return p->corrector.last <= most && track_rate(p) * p->corrector.last <= TRACK_SURE;
}

/* True if X will be a sample that matters, and its slope is not yet as accurate as the precision allows. Where samples do not show the
 * limit, they may be too inaccurate for that. */
TRACK_FN int32_t track_lags(const track_path *p)
{
    const double lag = track_sample_lag(p);
    const int32_t matters =
        p->limit.kind == TRACK_LIMIT_FALLS ||
        (p->limit.kind == TRACK_LIMIT_UNKNOWN && p->samples.count == TRACK_SAMPLES && lag > TRACK_INACCURATE);
    return p->course.zone && p->course.leg == TRACK_WALK && matters && !p->trial.ahead &&
           track_is_sample(p, track_tau_abs(p->trial.tau)) && lag > p->lead.error;
}

/* True if X will be a station of the ray, and the error of its slope, which was computed before the last correction,
 * would be one of the limit. */
TRACK_FN int32_t track_lags_on_ray(const track_settings *s, const track_path *p)
{
    return p->ray.state == TRACK_ON_RAY && p->precision.now == s->most_prec &&
           track_rate(p) * p->corrector.last * p->points.slope > TRACK_CORNER_ERROR;
}

/* True if X is accurate enough. If it has to be exact: only noise is left, or corrections near the noise no longer
 * decrease. */
TRACK_FN int32_t track_is_converged(const track_settings *s, const track_path *p, double before)
{
    double noise = track_blur(p);
    if (p->corrector.last <= noise)
        return 1;
    if (p->trial.exact)
        return p->corrector.corrections > 1 && !track_lags_on_ray(s, p) &&
               (track_rest(p) <= track_enough(s, p) ||
                (p->corrector.last <= TRACK_NOISY * noise && p->corrector.last > TRACK_STALLS * before));
    return track_is_near(s, p) && (p->corrector.corrections >= TRACK_CORRECTIONS_SAMPLE || !track_lags(p));
}

/* True if the terms of each equation balance each other at a point ahead; terms that underflow show nothing. */
TRACK_FN int32_t track_is_balanced(const track_path *p)
{
    return p->terms.backward <= TRACK_BALANCED && p->terms.residual < (double)INFINITY &&
           p->terms.lost <= p->points.had_lost;
}

/* True after the first tick of a trial ahead if the path ends at infinity although its condition number may be too
 * large for Newton's method: the limit of y is zero by itself, and the terms of each equation that balance each other
 * now do so there, too. If another term overtook them on the way, it would not be balanced. The balance alone proves
 * nothing: if it is off by 10^-8, too little to be seen, y falls to about 10^-8 only. */
TRACK_FN int32_t track_is_balanced_ahead(const track_settings *s, const track_path *p)
{
    return p->trial.ahead == TRACK_AHEAD && p->corrector.corrections == 1 && track_is_balanced(p) &&
           track_is_zero(s, p);
}

/* What a correction shows about a trial that is no trial ahead: TRACK_DO_ACCEPT, TRACK_DO_NOTHING if another one follows, or
 * TRACK_DO_PREDICT if the trial has failed. */
TRACK_FN int32_t track_judge_correction(const track_settings *s, const track_path *p, double before)
{
    double noise = track_blur(p);
    int32_t done = track_is_converged(s, p, before), most = p->trial.exact || track_is_near(s, p)
                                                                ? (int32_t)TRACK_CORRECTIONS_EXACT
                                                                : (int32_t)TRACK_CORRECTIONS;
    int32_t astray = !(p->corrector.bend <= s->turn) || !(p->corrector.last < (double)INFINITY);
    if (p->corrector.corrections == 1)
        astray |= p->corrector.last > TRACK_FAR;
    else if (p->corrector.corrections == TRACK_CORRECTIONS) /* further corrections would only make it more accurate */
        astray |= !done && !track_is_near(s, p);
    if (p->corrector.corrections > 1 && p->corrector.last > TRACK_ABOVE_NOISE * noise)
        astray |= p->corrector.change > TRACK_CHANGE_MOST || (!done && p->corrector.last > TRACK_CONVERGES * before);
    if (astray || (!done && p->corrector.corrections >= most))
        return TRACK_DO_PREDICT;
    return done ? TRACK_DO_ACCEPT : TRACK_DO_NOTHING;
}

TRACK_FN int32_t track_judge_step(const track_settings *s, track_path *p, double before)
{
    if (track_is_balanced_ahead(s, p)) {
        p->verdict.error = p->limit.size + p->limit.error;
        return track_try_far(p);
    }
    if (p->trial.ahead == TRACK_BEYOND_AHEAD) {
        int32_t action = p->terms.lost > p->points.had_lost ? track_try_less_far(s, p) : TRACK_DO_NOTHING;
        if (action)
            return action;
        p->outlook.blind = p->terms.lost > p->points.had_lost;
        if (!track_is_balanced(p))
            return track_reject(s, p);
        track_tau_copy(p->trial.tau, p->points.at[p->points.newest]);
        track_end(p, track_is_told(s, p) ? PLUMB_PATH_AT_INFINITY : PLUMB_PATH_BEYOND);
        return TRACK_DO_RESTORE;
    }
    /* A trial ahead proves nothing if the precision does not suffice there; it would take a higher one at a place that
     * may be wrong. */
    if (p->trial.ahead && !(track_exposure(p, p->precision.now) <= TRACK_SOFT))
        return track_reject(s, p);
    const int32_t action = track_judge_correction(s, p, before);
    return action == TRACK_DO_PREDICT ? track_reject(s, p) : action;
}

/* Judges the corrections of a point at fixed tau. If X hardly moves, the inverse Jacobian does not change; w may do so
 * nevertheless, because the sizes of terms that it belongs to were those at the prediction. */
TRACK_FN int32_t track_judge_point(const track_settings *s, track_path *p, double before)
{
    int32_t done = track_is_converged(s, p, before);
    double most = p->trial.phase == TRACK_STARTS ? TRACK_MOVED_START : TRACK_MOVED;
    int32_t turned = !(p->corrector.bend <= s->turn) && !(track_rate(p) * p->corrector.moved <= TRACK_SURE);
    int32_t astray =
        !(p->corrector.moved <= most) || (!p->course.entering && (turned || p->corrector.change > TRACK_CHANGE_MOST));
    if (astray || (!done && p->corrector.corrections >= TRACK_CORRECTIONS_EXACT)) {
        if (p->trial.phase == TRACK_STARTS)
            return track_end(p, PLUMB_PATH_BAD_START);
        if (track_is_at_end(p) && s->endgame && p->points.history > 1)
            return track_step_back(p);
        return track_fail(s, p, PLUMB_PATH_PRECISION_EXHAUSTED);
    }
    return done ? TRACK_DO_ACCEPT : TRACK_DO_NOTHING;
}

/* The norms measured in a tick, relative to x: of dx and of w, at X and at the newest point, each also in the norm of the
 * whole vector; and of changes of w since the last tick and since the newest point, the larger ones of both norms. */
typedef struct track_measures {
    double dx, plain_dx, w, plain_w, w_newest, plain_newest;
    double bend, change;
} track_measures;

/* Notes what a correction has measured. Returns whether the linear system had a finite solution. */
TRACK_FN int32_t track_note_correction(track_path *p, const track_measures *m, int64_t info)
{
    int32_t solved =
        info == 0 && m->dx < (double)INFINITY && m->w < (double)INFINITY && p->terms.residual < (double)INFINITY;
    p->count.solves++;
    p->corrector.corrections++;
    p->shown.accepted = 0;
    p->corrector.last = solved ? m->dx : (double)INFINITY;
    p->corrector.plain_last = solved ? m->plain_dx : (double)INFINITY;
    p->corrector.moved += p->corrector.plain_last;
    p->corrector.condition = solved ? m->w : (double)INFINITY;
    p->corrector.plain_condition = solved ? m->plain_w : (double)INFINITY;
    /* w belongs to the newest point during steps, and also while a point is refined, except at the start of a path or
     * back at the first point of a circle. */
    int32_t comparable = p->trial.phase == TRACK_STEPS || (p->trial.phase == TRACK_REFINES && !p->circle.returned);
    p->corrector.bend = comparable ? m->bend : 0.0;
    if (p->corrector.corrections == 1)
        p->corrector.first = p->corrector.last;
    else
        p->corrector.change = track_larger(p->corrector.change, m->change);
    /* Newton's method converges slowly where another solution is near. */
    if (p->corrector.corrections == 2 && p->trial.phase == TRACK_STEPS &&
        m->dx > (p->trial.jump ? TRACK_VISIBLE : TRACK_ABOVE_NOISE * track_blur(p)))
        p->corrector.change = track_larger(p->corrector.change, TRACK_CONTRACTION * m->dx / p->corrector.first);
    if (!solved)
        p->corrector.bend = p->corrector.change = 1.0;
    return solved;
}

TRACK_FN int32_t track_judge(const track_settings *s, track_path *p, const track_measures *m, int64_t info)
{
    double before = p->corrector.last;
    const int32_t solved = track_note_correction(p, m, info);
    if (p->trial.phase == TRACK_VERIFIES)
        return track_verify(s, p, solved);
    return p->trial.phase == TRACK_STEPS ? track_judge_step(s, p, before) : track_judge_point(s, p, before);
}

#endif
