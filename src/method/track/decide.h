/* decide.h - all decisions about a path, made from its scalars alone; track_tmpl.h then updates the vectors. */
#ifndef PLUMB_METHOD_TRACK_DECIDE_H
#define PLUMB_METHOD_TRACK_DECIDE_H

#include "method/track/endgame.h"

/* ---- Accepted points --------------------------------------------------------------------------------------------------- */

/* The path is at tau = 0 and fully corrected. Affine coordinates are divided by x_0, whose error is relative to |x|, or to
 * x_0 itself if that is less. If it is zero within its error, the path is at infinity where that is below x_0 of any
 * root that is told from infinity. The highest precision need not have so many digits, but if it has lost many of those
 * that it has, the path is undecided. Other endpoints are finite, however large. */
TRACK_CALL int32_t track_arrive(const track_settings *s, track_path *p)
{
    const double finite = s->projective ? p->finite : 1.0, error = p->plain_accuracy;
    const int32_t vanishes = finite <= TRACK_FINITE * error && !(p->lead_error <= TRACK_CLEAR);
    const int32_t unsure = vanishes && TRACK_FINITE * error * s->horizon > 1.0;
    p->error = vanishes ? error : error / (finite < 1.0 ? finite : 1.0);
    if (unsure || (!vanishes && p->error > track_tolerance(s))) {
        int32_t action = track_enlarge(s, p);
        if (action)
            return action;
    }
    if (unsure && error > TRACK_LOSS * track_noise(p->prec))
        return track_end(p, PLUMB_PATH_UNDECIDED);
    return track_end(p, vanishes ? PLUMB_PATH_AT_INFINITY : PLUMB_PATH_SUCCESS);
}

/* Limits the length of a step in log(tau): the condition number behaves like a power of tau, too, and a step does not
 * lead beyond the point where the precision has to change. */
TRACK_CALL void track_limit_step(const track_settings *s, track_path *p)
{
    int32_t falls = p->limit == TRACK_LIMIT_FALLS || p->limit == TRACK_LIMIT_ZERO;
    double most = track_longest(s, p), exposure = track_exposure(p, p->prec);
    double grown = track_c_log(track_c_of(p->condition / p->condition_before - 1.0, 0.0)).re;
    double wanted = falls ? TRACK_LONGEST_FALL : TRACK_LONGEST_FINITE;
    if (!s->moving && p->ray != TRACK_ON_RAY && most > wanted && (p->limit_size + p->limit_error) * s->largest > 1.0)
        most = wanted;
    if (track_higher(s, p->prec) && grown > 0.0 && exposure < TRACK_SOFT) {
        double way = 0.5 * track_c_log(track_c_of(TRACK_SOFT / exposure - 1.0, 0.0)).re / grown * p->tried;
        way = way > 1.0 ? way : 1.0;
        most = way < most ? way : most;
    }
    p->step = p->step < most ? p->step : most;
}

/* What is computed for an accepted point by all threads of a team, before the first one decides. */
typedef struct track_accepting {
    double factor;        /* by which the next step should be longer than the last one */
    double along, across; /* changes of w relative to those of x: from the point before, and of the corrections */
    double plainly;       /* the condition in the norm of the whole vector, relative to the other one */
} track_accepting;
#define TRACK_LEAST_FACTOR 0.25
#define TRACK_MOST_FACTOR 3.0

/* Computes the length of the next step. Without a history, the step is such that x changes little, also relative to
 * the radius of convergence. */
TRACK_FN void track_control(const track_settings *s, track_path *p, int32_t stepped, const track_accepting *by)
{
    if (!stepped && (p->failures > 0 || p->entering))
        return; /* refined between steps: keep their length */
    if (!stepped) {
        double reach = p->omega > 1.0 ? 0.1 / p->omega : 0.1;
        double step = p->slope * 0.1 > reach ? reach / p->slope : 0.1;
        step *= p->zone || p->leg != TRACK_WALK ? 1.0 : track_tau_abs(p->at[p->newest]);
        p->step = p->history > 1 && p->step > step ? p->step : step; /* a change of precision does not shorten it */
        return;
    }
    double next = p->tried * by->factor, cut = p->tried < 0.9 * p->step ? p->step : 0.0;
    /* Differences below the noise carry no information. */
    double noise = 100.0 * p->accuracy;
    double along = p->apart > noise ? by->along : 0.0;
    double across = p->corrections > 1 && p->first > noise ? by->across : 0.0;
    p->omega = track_larger(track_larger(along, across), across > 0.0 ? 0.25 * p->omega : p->omega);
    p->step = next > cut ? next : cut; /* a step shortened by the end of its leg is no reason for shorter steps */
    if (p->logarithmic && p->leg != TRACK_ROUND)
        track_limit_step(s, p);
    else if (p->logarithmic && p->step > TRACK_LONGEST)
        p->step = TRACK_LONGEST;
}

/* Checks whether the precision is appropriate. Returns the action that moves to another one, or TRACK_DO_NOTHING if
 * it is appropriate or if only the next trial will use a lower one. */
TRACK_FN int32_t track_settle_precision(const track_settings *s, track_path *p)
{
    double exposure = track_exposure(p, p->prec);
    if (p->leg == TRACK_ROUND && !p->returned && p->plain > TRACK_STRAY * p->loop_condition)
        return track_leave_circle(p);
    if (!(exposure <= TRACK_SOFT)) {
        int32_t action = track_enlarge(s, p);
        if (action)
            return action;
    }
    if (!(exposure <= (p->zone ? TRACK_HARD_END : TRACK_HARD)))
        return track_fail(s, p, PLUMB_PATH_PRECISION_EXHAUSTED);
    int32_t lower = track_lower(s, p->prec);
    p->calm = lower && p->leg == TRACK_WALK && track_exposure(p, lower) <= TRACK_CALM ? p->calm + 1 : 0;
    if (p->calm >= TRACK_CALM_STEPS) {
        p->wants = lower;
        p->calm = 0;
    }
    return TRACK_DO_NOTHING;
}

/* True if the walk should go on in log(tau): near the end, unless a few long steps will reach it. */
TRACK_FN int32_t track_is_near_end(const track_settings *s, const track_path *p)
{
    double tau = track_tau_abs(p->at[p->newest]);
    if (!s->endgame || p->zone || tau > TRACK_ZONE)
        return 0;
    return p->step < tau && (tau <= TRACK_ZONE_MOST || p->step < TRACK_LONG * tau);
}

/* True if the condition number at the newest point is so large that steps take the highest precision; it grows with each of them. */
TRACK_FN int32_t track_is_arduous(const track_path *p) { return p->condition_before >= TRACK_ARDUOUS; }

/* The bound of a limit of y that is zero by itself: below x_0 / |x| of any root of this size. On arduous paths less has to
 * suffice. */
TRACK_FN double track_zero(const track_path *p, double size)
{
    return (track_is_arduous(p) ? TRACK_NEARLY_ZERO : 1.0) / size;
}
TRACK_FN int32_t track_is_zero(const track_settings *s, const track_path *p)
{
    return p->limit_size + p->limit_error <= track_zero(p, s->largest);
}

/* True if a path that leads beyond the largest root asked for leads beyond all that are told from infinity, which may be larger. */
TRACK_FN int32_t track_is_told(const track_settings *s, const track_path *p)
{
    return !track_is_nonzero(p) &&
           (p->finite * s->horizon <= TRACK_BEYOND || p->limit_size + p->limit_error <= track_zero(p, s->horizon));
}

/* True if a trial ahead is due: the last one is long ago, or the limit of y has become zero by itself since then. Where w turns on
 * the way, only a limit that is zero by itself gives a trial a chance. */
TRACK_FN int32_t track_may_look(const track_settings *s, const track_path *p)
{
    const int32_t zero = track_is_zero(s, p), due = track_tau_abs(p->at[p->newest]) <= p->look && (!p->turned || zero);
    return p->leg == TRACK_WALK && p->limit == TRACK_LIMIT_FALLS &&
           (due || (p->looked_at > track_zero(p, s->largest) && zero)) && track_way_ahead(s, p) < (double)INFINITY;
}

/* What follows an accepted point, once the limit of x_0 / x_k is known; returned: the point is the first one of a
 * circle, again. */
TRACK_CALL int32_t track_go_on(const track_settings *s, track_path *p, int32_t returned)
{
    /* A trial ahead that may end the path needs no higher precision. */
    if (track_is_zero(s, p) && track_may_look(s, p) && track_exposure(p, p->prec) <= TRACK_HARD_END) {
        if (!track_is_arduous(p))
            return track_try_ahead(s, p);
        p->error = p->limit_size + p->limit_error;
        return track_try_far(p);
    }
    int32_t there = track_tau_equal(p->target, p->at[p->newest]), action = track_settle_precision(s, p);
    if (action || p->state == TRACK_DONE)
        return action;
    if (there && p->leg == TRACK_WALK)
        return track_arrive(s, p);
    if (p->steps + p->rejected >= s->most_steps)
        return track_end(p, PLUMB_PATH_TOO_MANY_STEPS);
    if (there && p->leg == TRACK_ROUND && !returned) {
        p->vertex++;
        return TRACK_DO_VERTEX;
    }
    if (p->ray == TRACK_ON_RAY)
        return track_go_on_ray(s, p, there);
    if ((there && p->leg == TRACK_IN) || (returned && p->leg == TRACK_ROUND))
        return track_begin_circle(s, p);
    if (p->leg == TRACK_WALK && track_is_near_end(s, p))
        return track_enter_zone(p);
    if (p->zone && !there && track_tau_abs(p->at[p->newest]) < TRACK_LEAST_TAU)
        return track_fail(s, p, PLUMB_PATH_UNDECIDED);
    if (p->leg == TRACK_WALK && p->limit == TRACK_LIMIT_ZERO) {
        p->error = p->finite < p->limit_size + p->limit_error ? p->finite : p->limit_size + p->limit_error;
        if (track_tau_abs(p->at[p->newest]) <= p->look)
            return track_try_far(p);
        const int32_t needless = track_is_arduous(p) || p->blind;
        if (p->finite * s->largest <= TRACK_NO_RETURN && (s->stops || needless))
            return track_end(p, needless && track_is_told(s, p) ? PLUMB_PATH_AT_INFINITY : PLUMB_PATH_BEYOND);
    }
    if (track_may_look(s, p))
        return track_try_ahead(s, p);
    if (p->leg == TRACK_WALK && track_needs_endgame(s, p)) {
        double radius = 1.0, most = 0.75 * track_tau_abs(p->at[p->newest]);
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
    const double *at = p->at[p->newest];
    const int32_t walks = (p->leg == TRACK_WALK) & (p->zone == 0) & (p->ray != TRACK_ON_RAY);
    const int32_t is_far = (at[2] == 0.0) & (at[0] > TRACK_ZONE) & (p->limit == TRACK_LIMIT_UNKNOWN);
    const int32_t suffices = track_exposure(p, p->prec) <= TRACK_SOFT, is_lowest = track_lower(s, p->prec) == 0;
    return walks & is_far & suffices & is_lowest & (p->steps + p->rejected < s->most_steps);
}

/* X has become the newest point; apart and slope are known. */
TRACK_FN int32_t track_accepted(const track_settings *s, track_path *p, const track_accepting *by)
{
    int32_t stepped = p->phase == TRACK_STEPS, returned = p->returned;
    double rest = track_rest(p), noise = track_blur(p);
    if (p->exact && p->corrections > 1 && p->last > noise && rest > track_enough(s, p)) {
        rest = p->last; /* corrections did not decrease: there is more noise than expected */
        p->excess *= p->last / noise;
    }
    p->accuracy = track_blur(p) + rest;
    p->plain_accuracy = track_blur(p) * by->plainly + (rest < p->plain_last ? rest : p->plain_last);
    p->failures = stepped ? 0 : p->failures;
    p->returned = 0;
    p->accepted = !p->entering;
    p->shown_size = stepped ? p->tried : 0.0;
    p->shown_corrections = p->corrections;
    if (stepped) {
        p->steps++;
        p->least_step = p->tried < p->least_step || p->least_step == 0.0 ? p->tried : p->least_step;
    }
    track_control(s, p, stepped, by);
    p->condition_before = p->condition;
    p->entering = 0;
    if (track_just_goes_on(s, p)) {
        p->calm = 0;
        return track_next_trial(p);
    }
    /* Paths with moving coefficients do not go to infinity. */
    if (!s->moving && p->leg == TRACK_WALK && p->zone && !track_tau_equal(p->target, p->at[p->newest]) &&
        track_sample(p) && track_seeks_limit(p))
        return TRACK_DO_LIMIT;
    return track_go_on(s, p, returned);
}

/* ---- One tick ---------------------------------------------------------------------------------------------------------- */

/* True if X is close enough to the path that the next correction will be negligible. Slopes belong to the point before
 * the last correction, so where limits or powers are concluded from them, that has to be small. Nothing is concluded
 * from the slopes of paths with moving coefficients, whose endpoints are regular. */
TRACK_FN int32_t track_is_near(const track_settings *s, const track_path *p)
{
    const int32_t falls = p->limit == TRACK_LIMIT_FALLS || p->limit == TRACK_LIMIT_ZERO;
    const int32_t precise =
        p->zone && p->leg == TRACK_WALK && !s->moving && (falls || track_is_sample(p, track_tau_abs(p->tau)));
    const double most = precise ? TRACK_NEAR_SAMPLE : p->zone && !s->moving ? TRACK_NEAR_END : TRACK_NEAR;
    return p->last <= most && track_rate(p) * p->last <= TRACK_SURE;
}

/* True if X will be a sample that matters, and its slope is not yet as accurate as the precision allows. Where samples do not tell the
 * limit, they may be too inaccurate for that. */
TRACK_FN int32_t track_lags(const track_path *p)
{
    const double lag = track_sample_lag(p);
    const int32_t matters = p->limit == TRACK_LIMIT_FALLS ||
                            (p->limit == TRACK_LIMIT_UNKNOWN && p->samples == TRACK_SAMPLES && lag > TRACK_INACCURATE);
    return p->zone && p->leg == TRACK_WALK && matters && !p->ahead && track_is_sample(p, track_tau_abs(p->tau)) &&
           lag > p->lead_error;
}

/* True if X will be a station of the ray, and the error of its slope, which was computed before the last correction,
 * would be one of the limit. */
TRACK_FN int32_t track_lags_on_ray(const track_settings *s, const track_path *p)
{
    return p->ray == TRACK_ON_RAY && p->prec == s->most_prec && track_rate(p) * p->last * p->slope > TRACK_CORNER_ERROR;
}

/* True if X is accurate enough. If it has to be exact: only noise is left, or corrections near the noise no longer
 * decrease. */
TRACK_FN int32_t track_is_converged(const track_settings *s, const track_path *p, double before)
{
    double noise = track_blur(p);
    if (p->last <= noise)
        return 1;
    if (p->exact)
        return p->corrections > 1 && !track_lags_on_ray(s, p) &&
               (track_rest(p) <= track_enough(s, p) || (p->last <= 1e4 * noise && p->last > 0.25 * before));
    return track_is_near(s, p) && (p->corrections >= TRACK_CORRECTIONS_SAMPLE || !track_lags(p));
}

/* True if the terms of each equation balance each other at a point ahead; terms that underflow do not tell. */
TRACK_FN int32_t track_is_balanced(const track_path *p)
{
    return p->backward <= TRACK_BALANCED && p->residual < (double)INFINITY && p->lost <= p->had_lost;
}

/* True after the first tick of a trial ahead if the path ends at infinity although its condition number may be too
 * large for Newton's method: the limit of y is zero by itself, and the terms of each equation that balance each other
 * now do so there, too. If another term overtook them on the way, it would not be balanced. The balance alone proves
 * nothing: if it is off by 10^-8, too little to be seen, y falls to about 10^-8 only. */
TRACK_FN int32_t track_is_balanced_ahead(const track_settings *s, const track_path *p)
{
    return p->ahead == TRACK_AHEAD && p->corrections == 1 && track_is_balanced(p) && track_is_zero(s, p);
}

TRACK_FN int32_t track_judge_step(const track_settings *s, track_path *p, double before)
{
    if (track_is_balanced_ahead(s, p)) {
        p->error = p->limit_size + p->limit_error;
        return track_try_far(p);
    }
    if (p->ahead == TRACK_BEYOND_AHEAD) {
        int32_t action = p->lost > p->had_lost ? track_try_less_far(s, p) : TRACK_DO_NOTHING;
        if (action)
            return action;
        p->blind = p->lost > p->had_lost;
        if (!track_is_balanced(p))
            return track_reject(s, p);
        track_tau_copy(p->tau, p->at[p->newest]);
        track_end(p, track_is_told(s, p) ? PLUMB_PATH_AT_INFINITY : PLUMB_PATH_BEYOND);
        return TRACK_DO_RESTORE;
    }
    double noise = track_blur(p);
    /* A trial ahead proves nothing if the precision does not suffice there; it would take a higher one at a place that
     * may be wrong. */
    if (p->ahead && !(track_exposure(p, p->prec) <= TRACK_SOFT))
        return track_reject(s, p);
    int32_t done = track_is_converged(s, p, before),
            most = p->exact || track_is_near(s, p) ? TRACK_CORRECTIONS_EXACT : TRACK_CORRECTIONS;
    int32_t astray = !(p->bend <= s->turn) || !(p->last < (double)INFINITY);
    if (p->corrections == 1)
        astray |= p->last > TRACK_FAR;
    else if (p->corrections == TRACK_CORRECTIONS) /* further corrections would only make it more accurate */
        astray |= !done && !track_is_near(s, p);
    if (p->corrections > 1 && p->last > 10.0 * noise)
        astray |= p->change > TRACK_CHANGE_MOST || (!done && p->last > 0.5 * before);
    if (astray || (!done && p->corrections >= most))
        return track_reject(s, p);
    return done ? TRACK_DO_ACCEPT : TRACK_DO_NOTHING;
}

/* Judges the corrections of a point at fixed tau. If X hardly moves, the inverse Jacobian does not change; w may do so
 * nevertheless, because the sizes of terms that it belongs to were those at the prediction. */
TRACK_FN int32_t track_judge_point(const track_settings *s, track_path *p, double before)
{
    int32_t done = track_is_converged(s, p, before);
    double most = p->phase == TRACK_STARTS ? 1e-6 : 1e-3;
    int32_t turned = !(p->bend <= s->turn) && !(track_rate(p) * p->moved <= TRACK_SURE);
    int32_t astray = !(p->moved <= most) || (!p->entering && (turned || p->change > TRACK_CHANGE_MOST));
    if (astray || (!done && p->corrections >= TRACK_CORRECTIONS_EXACT)) {
        if (p->phase == TRACK_STARTS)
            return track_end(p, PLUMB_PATH_BAD_START);
        if (track_is_at_end(p) && s->endgame && p->history > 1)
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

TRACK_FN int32_t track_judge(const track_settings *s, track_path *p, const track_measures *m, int64_t info)
{
    int32_t solved = info == 0 && m->dx < (double)INFINITY && m->w < (double)INFINITY && p->residual < (double)INFINITY;
    double before = p->last;
    p->solves++;
    p->corrections++;
    p->accepted = 0;
    p->last = solved ? m->dx : (double)INFINITY;
    p->plain_last = solved ? m->plain_dx : (double)INFINITY;
    p->moved += p->plain_last;
    p->condition = solved ? m->w : (double)INFINITY;
    p->plain = solved ? m->plain_w : (double)INFINITY;
    /* w belongs to the newest point during steps, and also while a point is refined, except at the start of a path or
     * back at the first point of a circle. */
    int32_t comparable = p->phase == TRACK_STEPS || (p->phase == TRACK_REFINES && !p->returned);
    p->bend = comparable ? m->bend : 0.0;
    if (p->corrections == 1)
        p->first = p->last;
    else
        p->change = track_larger(p->change, m->change);
    /* Newton's method converges slowly where another solution is near. */
    if (p->corrections == 2 && p->phase == TRACK_STEPS && m->dx > (p->jump ? TRACK_VISIBLE : 10.0 * track_blur(p)))
        p->change = track_larger(p->change, TRACK_CONTRACTION * m->dx / p->first);
    if (!solved)
        p->bend = p->change = 1.0;
    if (p->phase == TRACK_VERIFIES)
        return track_verify(s, p, solved);
    return p->phase == TRACK_STEPS ? track_judge_step(s, p, before) : track_judge_point(s, p, before);
}

#endif
