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

/* ---- What decisions ask for ------------------------------------------------------------------------------------------- */

/* Makes X, with its slope and w, the newest point. */
TRACK_PART void TRACK(keep)(track_team team, const track_settings *s, track_path *p, track_view v, track_view solution)
{
    const int64_t n = s->unknowns;
    double apart = 0.0, slope = 0.0;
    int32_t before = p->newest, fresh = (before + 1) % TRACK_HISTORY, single = p->phase != TRACK_STEPS;
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        cplx x = TRACK(get)(v, TRACK_X, i, count), tangent = TRACK(get)(solution, 1, i, count);
        apart = TRACK(most_size)(apart, cplx_sub(x, TRACK(get)(v, TRACK_POINT + before, i, count)), count);
        slope = TRACK(most_size)(slope, tangent, count);
        TRACK(put)(v, TRACK_POINT + fresh, i, x, count);
        TRACK(put)(v, TRACK_SLOPE + fresh, i, tangent, count);
        TRACK(put)(v, TRACK_W, i, TRACK(get)(solution, 2, i, count), count);
    }
    p->newest = fresh;
    track_tau_copy(p->at[fresh], p->tau);
    p->history = single ? 1 : p->history < TRACK_HISTORY ? p->history + 1 : TRACK_HISTORY;
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

/* X += dx, unless X is only being verified; returns the norms that the decisions need. */
TRACK_PART track_measures TRACK(correct)(track_team team, const track_settings *s, track_path *p, track_view v,
                                         track_view solution, int solved)
{
    const int64_t n = s->unknowns;
    const int moves = solved && p->phase != TRACK_VERIFIES;
    track_measures m = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    double size = 0.0, lead = 0.0;
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        cplx x = TRACK(get)(v, TRACK_X, i, count), dx = TRACK(get)(solution, 0, i, count);
        cplx w = TRACK(get)(solution, 2, i, count);
        cplx newest = TRACK(get)(v, TRACK_W, i, count), before = TRACK(get)(v, TRACK_W_TRIAL, i, count);
        if (moves)
            x = cplx_add(x, dx);
        TRACK(put)(v, TRACK_X, i, x, count);
        TRACK(put)(v, TRACK_W_TRIAL, i, w, count);
        m.dx = TRACK(most_size)(m.dx, dx, count);
        m.w = TRACK(most_size)(m.w, w, count);
        m.w_newest = TRACK(most_size)(m.w_newest, newest, count);
        m.w_before = TRACK(most_size)(m.w_before, before, count);
        m.w_apart = TRACK(most_size)(m.w_apart, cplx_sub(w, newest), count);
        m.w_change = TRACK(most_size)(m.w_change, cplx_sub(w, before), count);
        size = TRACK(most_modulus)(size, x, count);
        if (i == 0)
            lead = TRACK(most_modulus)(lead, x, 1);
    }
    m.dx = team_max(team, m.dx);
    m.w = team_max(team, m.w);
    m.w_newest = team_max(team, m.w_newest);
    m.w_before = team_max(team, m.w_before);
    m.w_apart = team_max(team, m.w_apart);
    m.w_change = team_max(team, m.w_change);
    p->size = team_max(team, size);
    p->lead = team_max(team, lead);
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
    else if (action == TRACK_DO_LOOK)
        p->size = TRACK(restore)(team, v, TRACK_MEAN, n);
    else if (action != TRACK_DO_NOTHING)
        p->size = TRACK(restore)(team, v, action == TRACK_DO_RETURN ? TRACK_LOOP : TRACK_POINT + p->newest, n);
}

#include "method/track/ends_tmpl.h"
