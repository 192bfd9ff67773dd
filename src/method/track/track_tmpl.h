/* track_tmpl.h - the tick of a path, written once and compiled for each precision and machine; see track.h.
 *
 * The including file defines the team: a type track_team and the functions team_rank, team_size, team_max(team, x)
 * (the largest x of the team, returned to all its threads) and team_sync. On the CPU a team is one thread, on a GPU a
 * warp. Every thread makes the same decisions from its own copy of the path (decide.h); only the vectors are shared.
 * TRACK_PART declares the larger functions. */
#ifndef TRACK_PART
#define TRACK_PART static __attribute__((unused))
#endif

#include "arith/product.h"
#include "method/track/decide.h"
#include "method/track/predict_tmpl.h"

/* ---- Norms ------------------------------------------------------------------------------------------------------------ */

/* The sizes that entries i, i + 1, ... are measured by: |x|; or where norms are relative |x_i|, or what x_i changes by
 * in the step or until tau = 0, or a multiple of its noise, where that is larger. The first
 * correction after a jump to tau = 0, where x_i may vanish, is measured by the point before it. */
LANE_FN lane TRACK(yardstick)(const track_path *p, track_heads x, track_heads slope, track_heads w, const double *tau)
{
    const lane whole = lane_set(p->size);
    if (!track_is_relative(p) || p->phase == TRACK_VERIFIES)
        return whole;
    lane noise = lane_mul(TRACK(modulus)(w), lane_set(track_floor(p)));
    const double left = track_tau_abs(tau); /* at the end the slope is 0 */
    const double reach = p->zone || p->jump || left == 0.0 ? 1.0 / TRACK_STEEPEST : p->tried / left;
    lane way = lane_mul(TRACK(modulus)(slope), lane_set(reach));
    lane over = TRACK(larger)(TRACK(larger)(TRACK(modulus)(x), way), noise);
    over = TRACK(larger)(over, lane_set(0x1p-960));
    return lane_select(lane_lt(over, whole), over, whole);
}

LANE_FN lane TRACK(yardstick_newest)(const track_path *p, track_view v, int64_t i, int count)
{
    return TRACK(yardstick)(p, TRACK(heads)(v, TRACK_POINT + p->newest, i, count),
                            TRACK(heads)(v, TRACK_SLOPE + p->newest, i, count), TRACK(heads)(v, TRACK_W, i, count),
                            p->at[p->newest]);
}

LANE_FN lane TRACK(yardstick_trial)(const track_path *p, track_view v, track_view solution, int64_t i, int count)
{
    lane here = TRACK(yardstick)(p, TRACK(heads)(v, TRACK_X, i, count), TRACK(heads)(solution, 1, i, count),
                                 TRACK(heads)(solution, 2, i, count), p->tau);
    return p->jump && p->corrections == 0 ? TRACK(larger)(here, TRACK(yardstick_newest)(p, v, i, count)) : here;
}

/* w relative to x: over its size, and in the zone without the phase of x, because a coordinate that behaves like a
 * power of tau only changes its size and phase. */
LANE_FN track_heads TRACK(relative)(const track_path *p, track_heads w, track_heads x, lane over)
{
    const lane zero = lane_set(0.0), one = lane_set(1.0);
    track_heads y;
    y.re = lane_div(w.re, over);
    y.im = lane_div(w.im, over);
    if (!p->zone || !track_is_relative(p) || track_is_at_end(p))
        return y;
    lane modulus = TRACK(modulus)(x);
    lane_mask none = lane_eq(modulus, zero);
    modulus = lane_select(none, one, modulus);
    lane re = lane_select(none, one, lane_div(x.re, modulus)), im = lane_select(none, zero, lane_div(x.im, modulus));
    track_heads turned;
    turned.re = lane_fma(y.re, re, lane_mul(y.im, im));
    turned.im = lane_fnma(y.re, im, lane_mul(y.im, re));
    return turned;
}

/* ---- What decisions ask for ------------------------------------------------------------------------------------------- */

/* What a jump from the newest point to tau = 0 would miss, relatively. miss is the error that a prediction in tau, not
 * in log(tau), would have had at this point; errors are products over the nodes of the interpolant if x is analytic at
 * tau = 0. If it is not, predictions in tau fail at any distance from there. */
LANE_FN double TRACK(expect_leap)(const track_path *p, double miss)
{
    double to = track_tau_abs(p->tau), missed = miss;
    for (int32_t j = 0; j < p->history; j++) {
        const double *node = p->at[TRACK(place)(p, j)];
        double ratio = to / track_c_abs(track_tau_minus(p->tau, node));
        miss *= ratio * ratio;
        to = track_tau_abs(node);
    }
    return miss > 0.1 * missed ? miss : 0.1 * missed;
}

/* The index of the largest coordinate of X, without x_0. Every thread looks at all of them. */
LANE_FN int32_t TRACK(find_chief)(const track_settings *s, track_view v)
{
    int32_t chief = s->projective ? 1 : 0;
    double most = -1.0;
    for (int64_t i = chief; i < s->unknowns; i++) {
        double size = track_c_abs(TRACK(entry)(v, TRACK_X, i));
        if (size > most) {
            most = size;
            chief = (int32_t)i;
        }
    }
    return chief;
}

/* Notes y = x_0 / x_k and its slope tau dy/dtau, where x_k is the largest unknown when the zone is entered. y does not depend on
 * the patch, and is zero at infinity; in affine coordinates x_0 is 1. */
TRACK_PART void TRACK(note_lead)(const track_settings *s, track_path *p, track_view v, track_view solution)
{
    const int64_t k = p->chief;
    const track_c one = track_c_of(1.0, 0.0), zero = track_c_of(0.0, 0.0);
    const track_c x = TRACK(entry)(v, TRACK_X, k), x0 = s->projective ? TRACK(entry)(v, TRACK_X, 0) : one;
    const track_c y = track_c_div(x0, x), slope0 = s->projective ? TRACK(entry)(solution, 1, 0) : zero;
    const track_c slope = track_c_div(track_c_sub(slope0, track_c_mul(y, TRACK(entry)(solution, 1, k))), x);
    double error = track_c_abs(TRACK(entry)(solution, 2, k)) / track_c_abs(x);
    if (s->projective)
        error += track_c_abs(TRACK(entry)(solution, 2, 0)) / track_c_abs(x0);
    p->lead_error = p->excess * track_noise(p->prec) * error;
    p->finite = track_c_abs(x0) / p->size;
    p->lead[0] = y.re;
    p->lead[1] = y.im;
    p->lead_slope[0] = slope.re;
    p->lead_slope[1] = slope.im;
}

/* Chooses x_k anew: on the way to the zone, and in it if x_k is no longer one of the largest unknowns. */
TRACK_PART void TRACK(choose_lead)(const track_settings *s, track_path *p, track_view v, track_view solution)
{
    const int32_t chief = TRACK(find_chief)(s, v);
    const double most = track_c_abs(TRACK(entry)(v, TRACK_X, chief));
    if (chief == p->chief || (p->zone && track_c_abs(TRACK(entry)(v, TRACK_X, p->chief)) >= TRACK_CHIEF * most))
        return;
    p->chief = chief;
    p->samples = 0;
    TRACK(note_lead)(s, p, v, solution);
}

/* Makes X, with its slope and w, the newest point. */
TRACK_PART void TRACK(keep)(track_team team, const track_settings *s, track_path *p, track_view v, track_view solution)
{
    const int64_t n = s->unknowns;
    double apart = 0.0, slope = 0.0, miss = 0.0;
    /* A point that was only corrected again takes its old place. */
    int32_t before = p->newest, again = p->phase == TRACK_REFINES && !p->returned && p->history > 0;
    int32_t fresh = again ? before : (before + 1) % TRACK_HISTORY, single = p->phase != TRACK_STEPS && !again;
    const int looks = p->zone && p->leg == TRACK_WALK && !p->jump && p->phase == TRACK_STEPS && p->history > 1;
    const TRACK(weights) w = TRACK(weigh)(p, looks ? 0 : p->logarithmic);
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        cplx x = TRACK(get)(v, TRACK_X, i, count), tangent = TRACK(get)(solution, 1, i, count);
        cplx newest = TRACK(get)(v, TRACK_POINT + before, i, count), way = cplx_sub(x, newest);
        lane here = TRACK(yardstick_trial)(p, v, solution, i, count);
        lane over = p->history > 0 ? TRACK(larger)(here, TRACK(yardstick_newest)(p, v, i, count)) : here;
        if (looks) {
            track_heads guess = TRACK(increment)(p, w, v, newest, i, count);
            track_heads off;
            off.re = lane_div(lane_sub(guess.re, real_head(way.re)), here);
            off.im = lane_div(lane_sub(guess.im, real_head(way.im)), here);
            miss = TRACK(most_heads)(miss, off, count);
        }
        apart = TRACK(most)(apart, lane_div(cplx_size(way), over), count);
        slope = TRACK(most)(slope, lane_div(cplx_size(tangent), lane_set(p->size)), count);
    }
    if (!again)
        p->leap = looks ? TRACK(expect_leap)(p, team_max(team, miss)) : -1.0;
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        TRACK(put)(v, TRACK_POINT + fresh, i, TRACK(get)(v, TRACK_X, i, count), count);
        TRACK(put)(v, TRACK_SLOPE + fresh, i, TRACK(get)(solution, 1, i, count), count);
        TRACK(put)(v, TRACK_W, i, TRACK(get)(solution, 2, i, count), count);
    }
    p->newest = fresh;
    if (p->leg == TRACK_WALK && !track_is_at_end(p))
        TRACK(choose_lead)(s, p, v, solution);
    track_tau_copy(p->at[fresh], p->tau);
    p->history = single ? 1 : p->history < TRACK_HISTORY && !again ? p->history + 1 : p->history;
    p->apart = team_max(team, apart);
    p->slope = team_max(team, slope);
}

TRACK_PART void TRACK(start_circle)(track_team team, const track_path *p, track_view v, int64_t n)
{
    const cplx zero = cplx_make(real_set(0.0), real_set(0.0));
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        TRACK(put)(v, TRACK_LOOP, i, TRACK(get)(v, TRACK_POINT + p->newest, i, count), count);
        TRACK(put)(v, TRACK_SUM, i, zero, count);
        TRACK(put)(v, TRACK_ALTERNATE, i, zero, count);
    }
}

/* Sums the differences from the first point of the circle, because these are small even where the endpoint is not. */
TRACK_PART void TRACK(add_vertex)(track_team team, track_path *p, track_view v, int64_t n)
{
    double apart = 0.0;
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        cplx x = cplx_sub(TRACK(get)(v, TRACK_POINT + p->newest, i, count), TRACK(get)(v, TRACK_LOOP, i, count));
        cplx sum = TRACK(get)(v, TRACK_SUM, i, count), alternate = TRACK(get)(v, TRACK_ALTERNATE, i, count);
        TRACK(put)(v, TRACK_SUM, i, cplx_add(sum, x), count);
        TRACK(put)(v, TRACK_ALTERNATE, i, p->vertex & 1 ? cplx_sub(alternate, x) : cplx_add(alternate, x), count);
        apart = TRACK(most_size)(apart, x, count);
    }
    p->apart = team_max(team, apart);
}

TRACK_PART int32_t TRACK(mean)(track_team team, const track_settings *s, track_path *p, track_view v)
{
    const int64_t n = s->unknowns;
    const real share = real_inv(real_set((double)p->vertex));
    double size = 0.0, alternate = 0.0, change = 0.0;
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        cplx mean = cplx_mul_real(TRACK(get)(v, TRACK_SUM, i, count), share);
        mean = cplx_add(TRACK(get)(v, TRACK_LOOP, i, count), mean);
        change = TRACK(most_size)(change, cplx_sub(mean, TRACK(get)(v, TRACK_MEAN, i, count)), count);
        TRACK(put)(v, TRACK_MEAN, i, mean, count);
        size = TRACK(most_size)(size, mean, count);
        alternate = TRACK(most_heads)(alternate, TRACK(heads)(v, TRACK_ALTERNATE, i, count), count);
    }
    size = team_max(team, size);
    change = team_max(team, change);
    return track_closed(s, p, size, team_max(team, alternate) / (double)p->vertex, change);
}

/* ---- One tick --------------------------------------------------------------------------------------------------------- */

/* X += dx, unless X is only being verified; updates |x|. */
TRACK_PART void TRACK(add)(track_team team, const track_settings *s, track_path *p, track_view v, track_view solution,
                           int solved)
{
    const int moves = solved && p->phase != TRACK_VERIFIES;
    double size = 0.0;
    TRACK_EACH(i, s->unknowns)
    {
        int count = TRACK_COUNT(i, s->unknowns);
        cplx x = TRACK(get)(v, TRACK_X, i, count);
        if (moves)
            x = cplx_add(x, TRACK(get)(solution, 0, i, count));
        TRACK(put)(v, TRACK_X, i, x, count);
        size = TRACK(most_modulus)(size, x, count);
    }
    p->size = track_larger(team_max(team, size), p->least_size);
    if (p->phase == TRACK_VERIFIES && p->size < p->extent)
        p->size = p->extent;
}

/* Corrects X and returns the norms that the decisions need. At tau = 0 entries of w are measured by |x|: coordinates
 * that vanish there change relatively to each other until the end. */
TRACK_PART track_measures TRACK(correct)(track_team team, const track_settings *s, track_path *p, track_view v,
                                         track_view solution, int solved)
{
    const int64_t n = s->unknowns;
    track_measures m = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    double change = 0.0, plain_change = 0.0, apart = 0.0, plain_apart = 0.0;
    TRACK(add)(team, s, p, v, solution, solved);
    team_sync(team);
    TRACK(note_lead)(s, p, v, solution);
    const lane whole = lane_set(p->size);
    const int at_end = track_is_at_end(p);
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        cplx dx = TRACK(get)(solution, 0, i, count), w = TRACK(get)(solution, 2, i, count);
        cplx before = TRACK(get)(v, TRACK_W_TRIAL, i, count);
        lane over = TRACK(yardstick_trial)(p, v, solution, i, count);
        m.dx = TRACK(most)(m.dx, lane_div(cplx_size(dx), over), count);
        over = at_end ? whole : over;
        lane over_newest = at_end ? whole : TRACK(yardstick_newest)(p, v, i, count);
        track_heads newest = TRACK(heads)(v, TRACK_W, i, count);
        newest.re = lane_div(newest.re, over_newest);
        newest.im = lane_div(newest.im, over_newest);
        m.plain_dx = TRACK(most)(m.plain_dx, lane_div(cplx_size(dx), whole), count);
        m.w = TRACK(most)(m.w, lane_div(cplx_size(w), over), count);
        m.plain_w = TRACK(most)(m.plain_w, lane_div(cplx_size(w), whole), count);
        m.w_newest = TRACK(most_heads)(m.w_newest, newest, count);
        m.plain_newest =
            TRACK(most)(m.plain_newest, lane_div(cplx_size(TRACK(get)(v, TRACK_W, i, count)), whole), count);
        m.w_before = TRACK(most)(m.w_before, lane_div(cplx_size(before), over), count);
        m.plain_before = TRACK(most)(m.plain_before, lane_div(cplx_size(before), whole), count);
        change = TRACK(most)(change, lane_div(cplx_size(cplx_sub(w, before)), over), count);
        plain_change = TRACK(most)(plain_change, lane_div(cplx_size(cplx_sub(w, before)), whole), count);
    }
    m.dx = team_max(team, m.dx);
    m.plain_dx = team_max(team, m.plain_dx);
    m.w = team_max(team, m.w);
    m.plain_w = team_max(team, m.plain_w);
    m.w_newest = team_max(team, m.w_newest);
    m.plain_newest = team_max(team, m.plain_newest);
    m.w_before = team_max(team, m.w_before);
    m.plain_before = team_max(team, m.plain_before);
    m.change = track_larger(team_max(team, change) / (m.w > m.w_before ? m.w : m.w_before),
                            team_max(team, plain_change) / (m.plain_w > m.plain_before ? m.plain_w : m.plain_before));
    /* In the zone w grows like a power of 1 / tau where the endpoint is singular; only a change of its direction
     * counts. */
    const int same_size =
        p->zone && track_is_relative(p) && !at_end && m.w_newest > 0.0 && m.w > 0.0 && m.w < (double)INFINITY;
    const double grown = same_size ? m.w / m.w_newest : 1.0, plain_grown = same_size ? m.plain_w / m.plain_newest : 1.0;
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        lane over = at_end ? whole : TRACK(yardstick_trial)(p, v, solution, i, count);
        lane over_newest = at_end ? whole : TRACK(yardstick_newest)(p, v, i, count);
        track_heads y =
            TRACK(relative)(p, TRACK(heads)(solution, 2, i, count), TRACK(heads)(v, TRACK_X, i, count), over);
        track_heads newest = TRACK(relative)(p, TRACK(heads)(v, TRACK_W, i, count),
                                             TRACK(heads)(v, TRACK_POINT + p->newest, i, count), over_newest);
        y.re = lane_fnma(newest.re, lane_set(grown), y.re);
        y.im = lane_fnma(newest.im, lane_set(grown), y.im);
        apart = TRACK(most_heads)(apart, y, count);
        y = TRACK(heads)(solution, 2, i, count);
        newest = TRACK(heads)(v, TRACK_W, i, count);
        y.re = lane_div(lane_fnma(newest.re, lane_set(plain_grown), y.re), whole);
        y.im = lane_div(lane_fnma(newest.im, lane_set(plain_grown), y.im), whole);
        plain_apart = TRACK(most_heads)(plain_apart, y, count);
        TRACK(put)(v, TRACK_W_TRIAL, i, TRACK(get)(solution, 2, i, count), count);
    }
    apart = team_max(team, apart);
    plain_apart = team_max(team, plain_apart);
    /* All terms of an equation may vanish at the start, so entries of w that belong to it change in the first step. */
    m.bend = track_larger(p->steps == 0 ? 0.0 : apart / (m.w > grown * m.w_newest ? m.w : grown * m.w_newest),
                          plain_apart /
                              (m.plain_w > plain_grown * m.plain_newest ? m.plain_w : plain_grown * m.plain_newest));
    return m;
}

TRACK_PART void TRACK(decide)(track_team team, const track_settings *s, track_path *p, track_view v,
                              track_view solution, int64_t info)
{
    const int64_t n = s->unknowns;
    track_measures m = TRACK(correct)(team, s, p, v, solution, info == 0);
    int32_t action = track_judge(s, p, &m, info);
    if (action == TRACK_DO_ACCEPT) {
        TRACK(keep)(team, s, p, v, solution);
        action = track_accepted(s, p);
    }
    if (action == TRACK_DO_VERTEX) {
        TRACK(add_vertex)(team, p, v, n);
        action = track_at_vertex(s, p);
    }
    if (action == TRACK_DO_MEAN)
        action = TRACK(mean)(team, s, p, v);
    if (action == TRACK_DO_CIRCLE) {
        TRACK(start_circle)(team, p, v, n);
        action = track_to_vertex(p);
    }
    if (action == TRACK_DO_PREDICT)
        p->size = TRACK(extrapolate)(team, p, v, n);
    else if (action == TRACK_DO_FORESEE)
        p->size = TRACK(foresee)(team, s, p, v);
    else if (action == TRACK_DO_LOOK)
        p->size = TRACK(restore)(team, p, v, TRACK_MEAN, n);
    else if (action != TRACK_DO_NOTHING)
        p->size = TRACK(restore)(team, p, v, action == TRACK_DO_RETURN ? TRACK_LOOP : TRACK_POINT + p->newest, n);
}

#include "method/track/ends_tmpl.h"
