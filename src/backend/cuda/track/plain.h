/* plain.h - the decision about a path on the way, far from its end, by a warp with an unknown per thread: a correction that is followed by
 * another one, or one that makes X the newest point or shows that the step was too long, after which only the next trial follows.
 *
 * It is what most ticks end with, and a tenth of the code of the general decision (slot.h). Every thread has the scalars that it needs in
 * registers and decides for itself; nothing is written before the decision is made. What is not so plain is left to the general code, as if
 * nothing had happened. The operations on numbers are those of the general code, in the same order, and so are the bits; as for paths side by
 * side on the processor (method/track/many_steps_tmpl.h), but for signs of zeros. */
#ifndef PLUMB_BACKEND_CUDA_TRACK_PLAIN_H
#define PLUMB_BACKEND_CUDA_TRACK_PLAIN_H

#include "backend/cuda/track/slot.h"

#if PLUMB_LIMBS == 1
#define PLAIN_FLOOR TRACK_FLOOR_D
#elif PLUMB_LIMBS == 2
#define PLAIN_FLOOR TRACK_FLOOR_DD
#else
#define PLAIN_FLOOR TRACK_FLOOR_QD
#endif

enum {
    PLAIN_NOT,    /* the general code decides: nothing has changed */
    PLAIN_DONE,   /* X is ready for the next tick */
    PLAIN_PREDICT /* the trial is set up: the general code predicts X */
};

/* What a thread has of its unknown. */
typedef struct plain_entry {
    int i, there; /* its number, and 1; or that of the last one, and 0 */
    cplx x, from; /* corrected, and at the newest point */
    track_heads dx, slope, w, slope_newest, w_newest, w_before;
    double over, over_newest; /* yardsticks */
} plain_entry;

/* What is known before the linear system is solved. */
typedef struct plain_ready {
    int works;         /* 0: the path is not on the way */
    int newest;        /* the place of the newest point */
    plain_entry e;     /* the newest point; the rest comes with the solution */
    double reach, own; /* of the yardstick of X; the yardstick of the newest point but for the size of X */
} plain_ready;

/* There is one copy of what is called at many places: the fewer instructions, the shorter the decision, because a warp alone waits for them. */
GPU_CALL double plain_largest(double x, int there)
{
    return gpu_max_double(TRACK(top)(there ? x : 0.0));
}
GPU_FN double plain_top(const plain_entry *e, double x)
{
    return plain_largest(x, e->there);
}
GPU_CALL double plain_modulus(double re, double im)
{
    return lane_sqrt(lane_fma(re, re, lane_mul(im, im)));
}
/* As TRACK(own_yardstick). */
GPU_CALL double plain_yardstick(double reach, double floor, track_heads x, track_heads slope, track_heads w)
{
    TRACK(yardsticks) y;
    y.whole = (double)INFINITY;
    y.reach = reach;
    y.floor = floor;
    y.relative = 1;
    return TRACK(own_yardstick)(y, x, slope, w);
}
GPU_FN double plain_least(double own, double whole)
{
    return own < whole ? own : whole;
}

/* True if the path is on the way: its newest point and its trial are on the real line, neither near the end nor there. No condition waits for
 * another one. */
GPU_FN int plain_is_on_the_way(const track_path *p, const double *from)
{
    const int walks = (p->trial.phase == TRACK_STEPS) & (p->course.leg == TRACK_WALK) & (p->course.zone == 0) &
                      (p->course.entering == 0) & (p->ray.state != TRACK_ON_RAY);
    const int steps = (p->trial.jump == 0) & (p->trial.ahead == 0) & (p->predictor.logarithmic == 0) &
                      (p->points.history > 0) & (p->circle.returned == 0);
    const double *to = p->trial.tau, *target = p->course.target;
    const int real = (to[0] > 0.0) & (to[2] == 0.0) & (to[3] == 0.0) & (from[0] > 0.0) & (from[2] == 0.0) &
                     (from[3] == 0.0) & (target[2] == 0.0) & (target[3] == 0.0);
    return walks & steps & real;
}

/* The scalars of such a path, in registers. What is known about them removes the code of all other cases. */
GPU_FN void plain_scalars(track_path *q, const track_path *p, const double *from)
{
    *q = *p;
    q->precision.now = PLUMB_LIMBS;
    q->trial.phase = TRACK_STEPS;
    q->trial.jump = q->trial.ahead = 0;
    q->course.leg = TRACK_WALK;
    q->course.zone = q->course.entering = q->circle.returned = 0;
    q->ray.state = TRACK_NO_RAY;
    q->predictor.logarithmic = 0;
    q->trial.tau[2] = q->trial.tau[3] = 0.0;
    q->course.target[2] = q->course.target[3] = 0.0;
    q->points.newest = 0;
    track_tau_copy(q->points.at[0], from);
    q->points.at[0][2] = q->points.at[0][3] = 0.0;
}

/* What a thread has of the newest point. */
GPU_FN plain_entry plain_load(const slot_at *at, const track_settings *s, int newest)
{
    plain_entry e;
    const int n = (int)s->unknowns;
    const track_view v = at->vectors;
    e.there = at->team.rank < n;
    e.i = e.there ? at->team.rank : n - 1;
    e.from = TRACK(get)(v, TRACK_POINT + newest, e.i, 1);
    e.slope_newest = TRACK(heads)(v, TRACK_SLOPE + newest, e.i, 1);
    e.w_newest = TRACK(heads)(v, TRACK_W, e.i, 1);
    return e;
}

/* Everything that does not depend on the solution of the linear system: a kernel of ticks does it while least squares are at work. */
GPU_FN void plain_prepare(const slot_at *at, plain_ready *ready)
{
    const track_path *p = at->path;
    ready->newest = p->points.newest;
    const double *from = p->points.at[ready->newest];
    ready->works = plain_is_on_the_way(p, from);
    if (!ready->works)
        return;
    double reach[] = {p->trial.length, p->trial.length};
    const double left[] = {p->trial.tau[0], from[0]};
    team_divide(at->team, reach, left, 2);
    plain_entry *e = &ready->e;
    *e = plain_load(at, at->settings, ready->newest);
    ready->reach = reach[0];
    ready->own = plain_yardstick(reach[1], PLAIN_FLOOR, TRACK(heads_of)(e->from), e->slope_newest, e->w_newest);
}

/* Corrects X, and adds what else the solution says. */
GPU_FN void plain_correct(const slot_at *at, plain_entry *e, track_view solution)
{
    e->x = cplx_add(TRACK(get)(at->vectors, TRACK_X, e->i, 1), TRACK(get)(solution, 0, e->i, 1));
    e->w_before = TRACK(heads)(at->vectors, TRACK_W_TRIAL, e->i, 1);
    e->dx = TRACK(heads)(solution, 0, e->i, 1);
    e->slope = TRACK(heads)(solution, 1, e->i, 1);
    e->w = TRACK(heads)(solution, 2, e->i, 1);
}

/* As TRACK(correct): measures the correction. q has its size. */
GPU_FN track_measures plain_measures(const slot_at *at, const plain_ready *ready, const track_path *q, plain_entry *e)
{
    const track_team team = at->team;
    const int again = q->corrector.corrections > 0;
    track_measures m;
    e->over_newest = plain_least(ready->own, q->scale.size);
    e->over =
        plain_least(plain_yardstick(ready->reach, PLAIN_FLOOR, TRACK(heads_of)(e->x), e->slope, e->w), q->scale.size);
    const double inverse_newest = team_quotient(1.0, e->over_newest), inverse = team_quotient(1.0, e->over),
                 least = inverse < inverse_newest ? inverse : inverse_newest;
    const double dx = TRACK(size_of)(e->dx), w = TRACK(size_of)(e->w), w_newest = TRACK(size_of)(e->w_newest),
                 apart = TRACK(size_of)(TRACK(minus)(e->w, e->w_newest));
    m.dx = plain_top(e, dx * inverse);
    m.w = plain_top(e, w * inverse);
    m.w_newest = plain_top(e, w_newest * inverse_newest);
    double plain[] = {plain_top(e, dx), plain_top(e, w), plain_top(e, w_newest)};
    const double size[] = {q->scale.size, q->scale.size, q->scale.size};
    double changes[] = {q->count.steps == 0 ? 0.0 : plain_top(e, apart * least), plain_top(e, apart), 0.0, 0.0};
    double of[] = {q->count.steps == 0 ? 1.0 : track_larger(m.w, m.w_newest), 1.0, 1.0, 1.0}, before[] = {0.0, 0.0};
    if (again) {
        const double w_before = TRACK(size_of)(e->w_before), change = TRACK(size_of)(TRACK(minus)(e->w, e->w_before));
        before[0] = plain_top(e, w_before * inverse);
        before[1] = plain_top(e, w_before);
        changes[2] = plain_top(e, change * inverse);
        changes[3] = plain_top(e, change);
    }
    team_divide(team, plain, size, 3);
    m.plain_dx = plain[0];
    m.plain_w = plain[1];
    m.plain_newest = plain[2];
    of[1] = track_larger(m.plain_w, m.plain_newest) * q->scale.size;
    if (again) {
        of[2] = track_larger(m.w, before[0]);
        of[3] = track_larger(m.plain_w * q->scale.size, before[1]);
    }
    team_divide(team, changes, of, 4);
    m.change = again ? track_larger(changes[2], changes[3]) : 0.0;
    m.bend = track_larger(changes[0], changes[1]);
    return m;
}

/* ---- Predictions ----------------------------------------------------------------------------------------------------- */

/* As MANY(weigh): thread k computes quotient k, thread j the weights of point j, which all threads read. Points that are behind each other
 * on the real line; tau has the newest one first. */
enum { PLAIN_WEIGHTS = 6 };
GPU_FN void plain_weigh(track_team team, const double (*tau)[2], const double *to, double *weights)
{
    double node[TRACK_HISTORY];
    LANE_UNROLL
    for (int j = 0; j < TRACK_HISTORY; j++)
        node[j] = (tau[j][0] - tau[0][0]) + (tau[j][1] - tau[0][1]);
    const double t = (to[0] - tau[0][0]) + (to[1] - tau[0][1]);
    /* Quotient 4 j + 2 k' + which of point j and the k'-th other one; the last one is 1 / t. */
    const int rank = team.rank, j = rank / 4 % TRACK_HISTORY, which = rank % 2,
              other = rank / 2 % 2 + (rank / 2 % 2 >= j), last = rank == 4 * TRACK_HISTORY;
    const double mine = j == 0   ? node[0]
                        : j == 1 ? node[1]
                                 : node[2],
                 others = other == 0   ? node[0]
                          : other == 1 ? node[1]
                                       : node[2];
    const double quotient = team_quotient(which || last ? 1.0 : t - others, last ? t : mine - others);
    const double inverse = gpu_shuffle(quotient, 4 * TRACK_HISTORY);
    const int own = rank < TRACK_HISTORY ? rank : 0; /* the point of this thread */
    double part[4];
    LANE_UNROLL
    for (int k = 0; k < 4; k++)
        part[k] = gpu_shuffle(quotient, 4 * own + k);
    const double here = own == 0   ? node[0]
                        : own == 1 ? node[1]
                                   : node[2],
                 at = own == 0   ? tau[0][0]
                      : own == 1 ? tau[1][0]
                                 : tau[2][0];
    double l = part[0] * part[2];
    const double slope = part[1] + part[3], back = here * inverse, away = 1.0 - back;
    l = l * l;
    const double by = (t - here) * l, b = by * away, b0 = team_quotient(by, at), high = (b * slope) * -2.0;
    const double w[PLAIN_WEIGHTS] = {l - (by * slope) * 2.0, high, high * back + b * inverse, b0, b0 * away,
                                     (b0 * away) * back};
    gpu_sync_warp();
    if (rank < TRACK_HISTORY) {
        LANE_UNROLL
        for (int k = 0; k < PLAIN_WEIGHTS; k++)
            weights[rank * PLAIN_WEIGHTS + k] = w[k];
    }
    gpu_sync_warp();
}

GPU_FN track_heads plain_add_times(track_heads sum, double w, track_heads x)
{
    sum.re = lane_fma(w, x.re, sum.re);
    sum.im = lane_fma(w, x.im, sum.im);
    return sum;
}

/* As TRACK(extrapolate), on the real line from three points, of which e has the newest one as x. Returns the size of X; or a negative number,
 * and X is not set, where the sign of a zero might matter or a number is not finite. */
GPU_FN double plain_extrapolate(const slot_at *at, const plain_entry *e, const int32_t *place, const double *weights)
{
    const track_view v = at->vectors;
    track_heads sum[TRACK_SUMS];
    for (int k = 0; k < TRACK_SUMS; k++)
        sum[k].re = sum[k].im = 0.0;
    LANE_UNROLL
    for (int j = 0; j < TRACK_HISTORY; j++) {
        const double *w = weights + j * PLAIN_WEIGHTS;
        if (j > 0) {
            const track_heads apart = TRACK(heads_of)(cplx_sub(TRACK(get)(v, TRACK_POINT + place[j], e->i, 1), e->x));
            LANE_UNROLL
            for (int k = 0; k < TRACK_SUMS; k++)
                sum[k] = plain_add_times(sum[k], w[k], apart);
        }
        const track_heads slope = j == 0 ? e->slope : TRACK(heads)(v, TRACK_SLOPE + place[j], e->i, 1);
        LANE_UNROLL
        for (int k = 0; k < TRACK_SUMS; k++)
            sum[k] = plain_add_times(sum[k], w[TRACK_SUMS + k], slope);
    }
    const track_c more = TRACK(pole)(track_c_of(sum[TRACK_HIGH].re, sum[TRACK_HIGH].im),
                                     track_c_of(sum[TRACK_LOW].re, sum[TRACK_LOW].im));
    const double by_re = sum[0].re + more.re, by_im = sum[0].im + more.im;
    const int odd = (by_re == 0.0 && real_head(e->x.re) == 0.0) || (by_im == 0.0 && real_head(e->x.im) == 0.0) ||
                    !lane_is_finite(by_re) || !lane_is_finite(by_im);
    if (gpu_any(odd && e->there))
        return -1.0;
    const cplx x = cplx_make(real_add_d(e->x.re, by_re), real_add_d(e->x.im, by_im));
    if (e->there)
        TRACK(put)(v, TRACK_X, e->i, x, 1);
    return plain_top(e, plain_modulus(real_head(x.re), real_head(x.im)));
}

/* ---- The decision ---------------------------------------------------------------------------------------------------- */

/* What a correction that is followed by another one changes. */
GPU_FN void plain_go_on(const slot_at *at, const track_path *q, const plain_entry *e, track_view solution)
{
    const track_view v = at->vectors;
    track_path *p = at->path;
    if (e->there) {
        TRACK(put)(v, TRACK_X, e->i, e->x, 1);
        TRACK(put)(v, TRACK_W_TRIAL, e->i, TRACK(get)(solution, 2, e->i, 1), 1);
    }
    if (at->team.rank == 0) {
        p->count.solves = q->count.solves;
        p->corrector = q->corrector;
        p->scale.size = q->scale.size;
        p->shown.accepted = 0;
    }
}

/* What a trial that follows changes, of the scalars in q. */
GPU_FN void plain_put_trial(const slot_at *at, const track_path *q)
{
    track_path *p = at->path;
    if (at->team.rank != 0)
        return;
    p->count = q->count;
    p->corrector = q->corrector;
    p->control = q->control;
    p->shown = q->shown;
    p->trial = q->trial;
    p->predictor.leap = q->predictor.leap;
    p->predictor.order = q->predictor.order;
    p->precision.calm = 0;
    p->scale.size = q->scale.size;
}

/* What a step changes: X, with its slope and w, becomes the newest point. */
GPU_FN void plain_keep(const slot_at *at, const track_path *q, const double *tau, int fresh, const plain_entry *e,
                       track_view solution)
{
    const track_view v = at->vectors;
    track_path *p = at->path;
    if (e->there) {
        const cplx w = TRACK(get)(solution, 2, e->i, 1);
        TRACK(put)(v, TRACK_X, e->i, e->x, 1);
        TRACK(put)(v, TRACK_W_TRIAL, e->i, w, 1);
        TRACK(put)(v, TRACK_POINT + fresh, e->i, e->x, 1);
        TRACK(put)(v, TRACK_SLOPE + fresh, e->i, TRACK(get)(solution, 1, e->i, 1), 1);
        TRACK(put)(v, TRACK_W, e->i, w, 1);
    }
    if (at->team.rank == 0) {
        p->points.newest = fresh;
        track_tau_copy(p->points.at[fresh], tau);
        p->points.history = q->points.history;
        p->points.apart = q->points.apart;
        p->points.slope = q->points.slope;
        p->points.accuracy = q->points.accuracy;
        p->points.plain_accuracy = q->points.plain_accuracy;
        p->points.condition_before = q->points.condition_before;
        p->points.had_lost = q->points.had_lost;
    }
}

/* As track_reject, where a shorter step follows; returns 0 where something else does. */
GPU_FN int plain_reject(const track_settings *s, track_path *q)
{
    const double noise = track_blur(q);
    const int is_noise = (q->corrector.corrections > 1) & (q->corrector.last > noise) &
                         (q->corrector.last <= TRACK_MERELY_NOISE * noise);
    q->count.rejected++;
    q->control.step = q->trial.length * track_factor_of(s, q, TRACK_REJECT_LEAST, TRACK_REJECT_MOST);
    q->control.failures++;
    if (is_noise | (q->control.step < track_least(s, q, PLUMB_LIMBS)) |
        (q->count.steps + q->count.rejected >= s->most_steps) | (q->control.failures % TRACK_PATIENCE == 0))
        return 0;
    track_set_next_trial(q);
    return 1;
}

/* As track_accepted, where the next step follows; returns 0 where something else does. tau is that of X, which e has. */
GPU_FN int plain_accept(const slot_at *at, track_path *q, const plain_entry *e, const double *tau)
{
    const track_settings *s = at->settings;
    const track_heads way = TRACK(heads_of)(cplx_sub(e->x, e->from));
    q->points.apart = plain_top(e, team_quotient(TRACK(size_of)(way), TRACK(larger)(e->over, e->over_newest)));
    q->points.slope = team_quotient(plain_top(e, TRACK(size_of)(e->slope)), q->scale.size);
    q->points.had_lost = q->terms.lost;
    q->points.history += q->points.history < TRACK_HISTORY;
    q->predictor.leap = -1.0;
    track_tau_copy(q->points.at[0], tau);
    if (track_change_of_unit(s, q) != 1.0)
        return 0;
    const track_accepting by = TRACK(accepting)(at->team, s, q);
    track_note_accepted(s, q, &by);
    if (!track_just_goes_on(s, q))
        return 0;
    track_set_next_trial(q);
    return 1;
}

/* Decides about a path whose linear system has been solved, with what was prepared; the terms may have come after that. */
GPU_FN int plain_decide(const slot_at *at, const plain_ready *ready, track_view solution)
{
    const track_settings *s = at->settings;
    const track_team team = at->team;
    const int32_t newest = ready->newest, fresh = newest + 1 < TRACK_HISTORY ? newest + 1 : 0;
    track_path q;
    if (!ready->works)
        return PLAIN_NOT;
    plain_scalars(&q, at->path, at->path->points.at[newest]);
    plain_entry e = ready->e;
    plain_correct(at, &e, solution);
    const double before = q.corrector.last;
    q.scale.size = track_larger(plain_top(&e, plain_modulus(real_head(e.x.re), real_head(e.x.im))), q.scale.least_size);
    const track_measures m = plain_measures(at, ready, &q, &e);
    if (!track_note_correction(&q, &m, 0))
        return PLAIN_NOT;
    const int32_t action = track_judge_correction(s, &q, before);
    if (action == TRACK_DO_NOTHING) {
        gpu_sync_warp(); /* all have read */
        plain_go_on(at, &q, &e, solution);
        gpu_sync_warp();
        return PLAIN_DONE;
    }
    const int accepts = action == TRACK_DO_ACCEPT;
    const double reached[4] = {q.trial.tau[0], q.trial.tau[1], 0.0, 0.0};
    if (accepts ? !plain_accept(at, &q, &e, reached) : !plain_reject(s, &q))
        return PLAIN_NOT;
    /* Node 0 of the prediction is the newest point, which e has as x. */
    const int32_t first = accepts ? fresh : newest, last = first > 0 ? first - 1 : TRACK_HISTORY - 1,
                  place[TRACK_HISTORY] = {first, last, TRACK_HISTORY - first - last};
    int real = (q.trial.tau[2] == 0.0) & (q.trial.tau[3] == 0.0);
    double tau[TRACK_HISTORY][2];
    LANE_UNROLL
    for (int j = 0; j < TRACK_HISTORY; j++) {
        const double *there = at->path->points.at[place[j]];
        tau[j][0] = there[0];
        tau[j][1] = there[1];
        if (j > 0)
            real &= (there[2] == 0.0) & (there[3] == 0.0);
    }
    tau[0][0] = accepts ? reached[0] : tau[0][0];
    tau[0][1] = accepts ? reached[1] : tau[0][1];
    gpu_sync_warp(); /* all have read */
    if (accepts) {
        plain_keep(at, &q, reached, fresh, &e, solution);
    } else {
        e.x = e.from;
        e.slope = e.slope_newest;
    }
    plain_put_trial(at, &q);
    gpu_sync_warp();
    if (q.points.history < TRACK_HISTORY || !real)
        return PLAIN_PREDICT;
    double *weights = (double *)(void *)team.board;
    plain_weigh(team, tau, q.trial.tau, weights);
    const double size = plain_extrapolate(at, &e, place, weights);
    gpu_sync_warp();
    if (size < 0.0)
        return PLAIN_PREDICT;
    if (team.rank == 0)
        at->path->scale.size = track_larger(size, q.scale.least_size);
    gpu_sync_warp();
    return PLAIN_DONE;
}

GPU_FN int decide_plainly(const slot_at *at, track_view solution)
{
    plain_ready ready = {};
    plain_prepare(at, &ready);
    return plain_decide(at, &ready, solution);
}

#endif
