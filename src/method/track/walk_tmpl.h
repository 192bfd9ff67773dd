/* walk_tmpl.h - a tick of paths that stay in lanes (walk.h), in d.
 *
 * Sizes are compared by their squares, because a root or a quotient of a lane takes as long as twenty products. */
#ifndef PLUMB_METHOD_TRACK_WALK_TMPL_H
#define PLUMB_METHOD_TRACK_WALK_TMPL_H

#include "method/track/walk.h"

#define WALK(name) MANY(walk_##name)
#define WALK_AT(field) (job->numbers + TRACK_WALK_##field * LANE_WIDTH)
#define WALK_GET(field) lane_load(WALK_AT(field))
#define WALK_PUT(field, x) lane_store(WALK_AT(field), (x))

/* Rejected trials in a row after which a path leaves, and the shortest step relative to tau. */
enum { WALK_PATIENCE = 5 };
#define WALK_SHORTEST 1e-6
/* Numbers whose squares would underflow are taken for so much. */
#define WALK_TINY 0x1p-900

LANE_FN lane WALK(larger)(lane a, lane b) { return TRACK(most_of)(a, b); }
LANE_FN lane WALK(square)(track_heads h) { return lane_fma(h.re, h.re, lane_mul(h.im, h.im)); }
LANE_FN track_heads WALK(heads)(const double *p, int64_t i) { return MANY(head)(p + i * MANY_HEAD); }
LANE_FN void WALK(store)(double *p, int64_t i, track_heads h)
{
    lane_store(p + i * MANY_HEAD, h.re);
    lane_store(p + i * MANY_HEAD + LANE_WIDTH, h.im);
}
LANE_FN track_heads WALK(select)(lane_mask m, track_heads a, track_heads b)
{
    a.re = lane_select(m, a.re, b.re);
    a.im = lane_select(m, a.im, b.im);
    return a;
}
LANE_FN lane_mask WALK(not )(lane_mask m)
{
    return lane_eq(lane_select(m, lane_set(1.0), lane_set(0.0)), lane_set(0.0));
}

/* ---- The linear system ------------------------------------------------------------------------------------------------- */

/* The coefficients at tau, and their derivatives. */
LANE_FN void WALK(coefficients)(const track_walk *job)
{
    const lane tau = lane_load(job->many.tau);
    const int64_t count = job->system.moving;
    for (int64_t i = 0; i < count; i++) {
        track_heads value = WALK(heads)(job->polynomials, job->system.degree * count + i), slope;
        slope.re = slope.im = lane_set(0.0);
        for (int32_t k = job->system.degree - 1; k >= 0; k--) {
            slope = MANY(add_times)(value, tau, slope);
            value = MANY(add_times)(WALK(heads)(job->polynomials, k * count + i), tau, value);
        }
        WALK(store)(job->value, i, value);
        WALK(store)(job->slope, i, slope);
    }
}

/* A size of a number, at most 1.5 times its modulus: for sums that say how large the terms of an equation are. */
LANE_FN lane WALK(size)(track_heads h) { return lane_add(lane_abs(h.re), lane_abs(h.im)); }

LANE_FN track_heads WALK(add_product)(track_heads a, track_heads b, track_heads sum)
{
    sum.re = lane_fnma(a.im, b.im, lane_fma(a.re, b.re, sum.re));
    sum.im = lane_fma(a.im, b.re, lane_fma(a.re, b.im, sum.im));
    return sum;
}

LANE_FN void WALK(monomials)(const track_walk *job)
{
    const int64_t n = job->many.settings->unknowns;
    for (int64_t i = 0; i < n; i++)
        WALK(store)(job->monomial, 1 + i, WALK(heads)(job->many.x, i));
    for (int64_t k = 1 + n; k < job->system.monomials; k++)
        WALK(store)
    (job->monomial, k,
     TRACK(product_of)(WALK(heads)(job->monomial, job->system.left[k]),
                       WALK(heads)(job->monomial, job->system.right[k])));
    for (int64_t k = 1; k < job->system.monomials; k++)
        lane_store(job->size + k * LANE_WIDTH, WALK(size)(WALK(heads)(job->monomial, k)));
}

/* Row i of the right-hand sides, as MANY(combine_row); returns its level. */
LANE_FN lane WALK(row)(const track_walk *job, int64_t i, lane tau, lane *residual)
{
    const track_walk_system *s = &job->system;
    const int64_t n = job->many.settings->unknowns;
    track_heads h, down;
    lane size = lane_set(0.0);
    h.re = h.im = down.re = down.im = size;
    for (int32_t t = s->row[i]; t < s->row[i + 1]; t++) {
        const int32_t c = s->term_coefficient[t], m = s->term_monomial[t];
        const track_heads value = WALK(heads)(job->value, c), power = WALK(heads)(job->monomial, m);
        h = WALK(add_product)(value, power, h);
        size = lane_fma(WALK(size)(value), lane_load(job->size + m * LANE_WIDTH), size);
        if (t < s->row_moving[i])
            down = WALK(add_product)(WALK(heads)(job->slope, c), power, down);
    }
    const lane_mask first = lane_eq(lane_load(job->many.first), lane_set(1.0));
    const lane over = lane_select(first, size, lane_load(job->many.scale + i * LANE_WIDTH)), level = MANY(level)(over);
    lane_store(job->many.scale + i * LANE_WIDTH, over);
    *residual = TRACK(most_of)(*residual, TRACK(size_of)(h));
    double *b = job->many.b;
    WALK(store)(b, i, TRACK(times)(h, lane_neg(level)));
    WALK(store)(b, n + i, TRACK(times)(down, lane_neg(lane_mul(tau, level))));
    track_heads r;
    const lane by = lane_mul(level, over);
    r.re = lane_mul(lane_load(job->many.direction + i * LANE_WIDTH), by);
    r.im = lane_mul(lane_load(job->many.direction + (n + i) * LANE_WIDTH), by);
    WALK(store)(b, 2 * n + i, r);
    return level;
}

/* Evaluates the equations at X and tau, and makes the linear system of the corrections. */
static void WALK(combine)(const track_walk *given)
{
    const track_walk copy = *given, *job = &copy;
    const track_walk_system *s = &job->system;
    const int64_t n = job->many.settings->unknowns;
    const lane tau = lane_load(job->many.tau);
    lane residual = lane_set(0.0);
    WALK(coefficients)(job);
    WALK(monomials)(job);
    for (int64_t i = 0; i < n; i++) {
        const lane level = WALK(row)(job, i, tau, &residual);
        for (int64_t j = 0; j < n; j++) {
            track_heads sum;
            sum.re = sum.im = lane_set(0.0);
            for (int32_t t = s->entry[j * n + i]; t < s->entry[j * n + i + 1]; t++) {
                track_heads value = WALK(heads)(job->value, s->entry_coefficient[t]);
                if (s->entry_times[t] != 1.0)
                    value = TRACK(times)(value, lane_set(s->entry_times[t]));
                sum = WALK(add_product)(value, WALK(heads)(job->monomial, s->entry_monomial[t]), sum);
            }
            WALK(store)(job->many.a, j * n + i, TRACK(times)(sum, level));
        }
    }
    lane_store(job->many.terms + TRACK_MANY_RESIDUAL * LANE_WIDTH, residual);
}

/* ---- Corrections ------------------------------------------------------------------------------------------------------- */

/* What a correction shows, as in track_measures; apart: the distance from the newest point; slope: the largest derivative. */
typedef struct WALK(measures) {
    lane size, dx, plain_dx, w, plain_w, bend, change, apart, slope;
} WALK(measures);

/* X += dx, and the measures. Each unknown is measured by its size here or at the newest point, or by its noise where that is
 * larger. */
LANE_FN WALK(measures) WALK(correct)(const track_walk *job, lane_mask starts)
{
    const int64_t n = job->many.settings->unknowns;
    const lane zero = lane_set(0.0), floor = lane_set(TRACK_FLOOR_D * TRACK_FLOOR_D);
    double *const x = job->many.x;
    lane whole = lane_set(1.0);
    lane dx = zero, w = zero, w_newest = zero, w_before = zero, bend = zero, change = zero, apart = zero, slope = zero;
    lane plain_dx = zero, plain_w = zero, plain_newest = zero, plain_before = zero, plain_bend = zero,
         plain_change = zero;
    for (int64_t i = 0; i < n; i++) {
        const track_heads to = TRACK(plus)(WALK(heads)(x, i), WALK(heads)(job->many.b, i));
        WALK(store)(x, i, to);
        whole = WALK(larger)(whole, WALK(square)(to));
    }
    for (int64_t i = 0; i < n; i++) {
        const track_heads here = WALK(heads)(x, i), from = WALK(heads)(job->many.point[0], i),
                          by = WALK(heads)(job->many.b, i), rate = WALK(heads)(job->many.b, n + i),
                          own = WALK(heads)(job->many.b, 2 * n + i), newest = WALK(heads)(job->many.w, i),
                          before = WALK(heads)(job->many.w_before, i);
        const lane by_square = WALK(square)(by), own_square = WALK(square)(own), newest_square = WALK(square)(newest),
                   before_square = WALK(square)(before), bend_square = WALK(square)(TRACK(minus)(own, newest)),
                   change_square = WALK(square)(TRACK(minus)(own, before)), from_square = WALK(square)(from);
        lane yard = TRACK(larger)(WALK(square)(here), lane_mul(floor, own_square));
        yard = TRACK(larger)(yard, from_square);
        yard = lane_select(starts, whole, lane_select(lane_lt(yard, whole), yard, whole));
        const lane inverse = lane_div(lane_set(1.0), TRACK(larger)(yard, lane_set(WALK_TINY)));
#define WALK_TALLY(name, square)                                \
    do {                                                        \
        name = WALK(larger)(name, lane_mul((square), inverse)); \
        plain_##name = WALK(larger)(plain_##name, (square));    \
    } while (0)
        WALK_TALLY(dx, by_square);
        WALK_TALLY(w, own_square);
        w_newest = WALK(larger)(w_newest, lane_mul(newest_square, inverse));
        plain_newest = WALK(larger)(plain_newest, newest_square);
        w_before = WALK(larger)(w_before, lane_mul(before_square, inverse));
        plain_before = WALK(larger)(plain_before, before_square);
        WALK_TALLY(bend, bend_square);
        WALK_TALLY(change, change_square);
#undef WALK_TALLY
        apart = WALK(larger)(apart, lane_mul(WALK(square)(TRACK(minus)(here, from)), inverse));
        slope = WALK(larger)(slope, WALK(square)(rate));
    }
    const lane over = lane_div(lane_set(1.0), whole);
    WALK(measures) m;
    m.size = whole;
    m.dx = lane_sqrt(dx);
    m.plain_dx = lane_sqrt(lane_mul(plain_dx, over));
    m.w = lane_sqrt(w);
    m.plain_w = lane_sqrt(lane_mul(plain_w, over));
    m.bend = lane_sqrt(WALK(larger)(lane_div(bend, WALK(larger)(w, w_newest)),
                                    lane_div(plain_bend, WALK(larger)(plain_w, plain_newest))));
    m.change = lane_sqrt(WALK(larger)(lane_div(change, WALK(larger)(w, w_before)),
                                      lane_div(plain_change, WALK(larger)(plain_w, plain_before))));
    m.apart = lane_sqrt(apart);
    m.slope = lane_sqrt(lane_mul(slope, over));
    return m;
}

/* ---- Steps --------------------------------------------------------------------------------------------------------------- */

/* As track_stretch, for predictions from one, two or three points, up to 3 times as long: the factors are powers of TRACK_STRETCH times
 * that. */
LANE_FN lane WALK(stretch)(lane error, lane points, lane least, double most)
{
    const lane_mask one = lane_lt(points, lane_set(1.5)), two = lane_lt(points, lane_set(2.5));
    lane factor = least;
    double tried = most;
    for (int k = 0; k < TRACK_STRETCHES; k++)
        tried *= TRACK_STRETCH;
    for (int k = 0; k < TRACK_STRETCHES; k++) {
        tried /= TRACK_STRETCH;
        const double square = tried * tried, fourth = square * square;
        const lane power =
            lane_select(one, lane_set(square), lane_select(two, lane_set(fourth), lane_set(fourth * square)));
        const lane_mask good =
            lane_mask_and(MANY(at_most)(lane_mul(error, power), lane_set(1.0)), lane_lt(least, lane_set(tried)));
        factor = lane_select(good, lane_set(tried), factor);
    }
    return factor;
}

/* The factor by which the next step is longer than this one, as track_factor_of. */
LANE_FN lane WALK(factor)(const track_walk *job, lane first, lane change, lane bend, lane points, lane_mask accepted)
{
    const track_settings *s = job->many.settings;
    const lane least = lane_select(accepted, lane_set(TRACK_LEAST_FACTOR), lane_set(TRACK_REJECT_LEAST)),
               most = lane_select(accepted, lane_set(TRACK_MOST_FACTOR), lane_set(TRACK_REJECT_MOST));
    const lane error = WALK(larger)(lane_mul(first, lane_set(1.0 / TRACK_TARGET)),
                                    lane_mul(change, lane_set(1.0 / TRACK_CHANGE_TARGET)));
    lane by_error = WALK(stretch)(error, points, least, TRACK_MOST_FACTOR);
    lane by_turn = lane_div(lane_set(TRACK_TURN_TARGET * s->turn), bend);
    by_turn = lane_select(lane_lt(least, by_turn), by_turn, least);
    by_error = lane_select(lane_lt(by_turn, by_error), by_turn, by_error);
    return lane_select(lane_lt(by_error, most), by_error, most);
}

/* ---- Predictions ----------------------------------------------------------------------------------------------------------- */

/* As MANY(weigh), from as many points as there are, with derivatives by tau. */
typedef struct WALK(weights) {
    lane a[TRACK_SUMS][TRACK_HISTORY], b[TRACK_SUMS][TRACK_HISTORY];
} WALK(weights);

LANE_FN void WALK(weigh)(const track_walk *job, lane points, lane tau, WALK(weights) * w)
{
    const lane zero = lane_set(0.0), one = lane_set(1.0), newest = lane_load(job->at);
    lane node[TRACK_HISTORY], inverse[TRACK_HISTORY][TRACK_HISTORY];
    lane_mask there[TRACK_HISTORY];
    const lane t = lane_sub(tau, newest), over = lane_div(one, t);
    for (int j = 0; j < TRACK_HISTORY; j++) {
        there[j] = lane_lt(lane_set((double)j), points);
        node[j] = lane_select(there[j], lane_sub(lane_load(job->at + j * LANE_WIDTH), newest), lane_set((double)j));
    }
    for (int j = 0; j < TRACK_HISTORY; j++)
        for (int k = j + 1; k < TRACK_HISTORY; k++) {
            inverse[j][k] = lane_select(there[k], lane_div(one, lane_sub(node[j], node[k])), zero);
            inverse[k][j] = lane_neg(inverse[j][k]);
        }
    for (int j = 0; j < TRACK_HISTORY; j++) {
        lane l = one, slope = zero;
        for (int k = 0; k < TRACK_HISTORY; k++) {
            if (k == j)
                continue;
            l = lane_select(there[k], lane_mul(l, lane_mul(lane_sub(t, node[k]), inverse[j][k])), l);
            slope = lane_add(slope, inverse[j][k]);
        }
        l = lane_select(there[j], lane_mul(l, l), zero);
        const lane back = lane_mul(node[j], over), away = lane_sub(one, back);
        const lane by = lane_mul(lane_sub(t, node[j]), l);
        w->a[0][j] = lane_sub(l, lane_mul(lane_mul(by, slope), lane_set(2.0)));
        const lane b = lane_mul(by, away);
        w->a[TRACK_HIGH][j] = lane_mul(lane_mul(b, slope), lane_set(-2.0));
        w->a[TRACK_LOW][j] = lane_add(lane_mul(w->a[TRACK_HIGH][j], back), lane_mul(b, over));
        w->b[0][j] = by;
        w->b[TRACK_HIGH][j] = b;
        w->b[TRACK_LOW][j] = lane_mul(b, back);
    }
}

/* What a pole adds to a polynomial prediction, as TRACK(pole_of). */
LANE_FN track_heads WALK(pole)(track_heads high, track_heads low, lane_mask full)
{
    const lane_mask near = lane_mask_and(
        full, lane_lt(WALK(square)(high), lane_mul(lane_set(TRACK_POLE * TRACK_POLE), WALK(square)(low))));
    const track_heads under = TRACK(minus)(low, high), over = TRACK(product_of)(high, high);
    const lane inverse = lane_div(lane_set(1.0), WALK(square)(under));
    track_heads more;
    more.re = lane_keep(near, lane_mul(lane_fma(over.re, under.re, lane_mul(over.im, under.im)), inverse));
    more.im = lane_keep(near, lane_mul(lane_fnma(over.re, under.im, lane_mul(over.im, under.re)), inverse));
    return more;
}

/* X at tau, for the places that are marked. */
LANE_FN void WALK(predict)(const track_walk *job, lane_mask marked, lane points, lane tau)
{
    const int64_t n = job->many.settings->unknowns;
    const lane_mask full = lane_lt(lane_set(2.5), points);
    WALK(weights) w;
    WALK(weigh)(job, points, tau, &w);
    for (int64_t i = 0; i < n; i++) {
        const track_heads newest = WALK(heads)(job->many.point[0], i);
        track_heads sum[TRACK_SUMS];
        for (int k = 0; k < TRACK_SUMS; k++)
            sum[k].re = sum[k].im = lane_set(0.0);
        LANE_UNROLL
        for (int j = 0; j < TRACK_HISTORY; j++) {
            const track_heads rate = WALK(heads)(job->many.rate[j], i);
            if (j > 0) {
                const track_heads apart = TRACK(minus)(WALK(heads)(job->many.point[j], i), newest);
                LANE_UNROLL
                for (int k = 0; k < TRACK_SUMS; k++)
                    sum[k] = MANY(add_times)(sum[k], w.a[k][j], apart);
            }
            LANE_UNROLL
            for (int k = 0; k < TRACK_SUMS; k++)
                sum[k] = MANY(add_times)(sum[k], w.b[k][j], rate);
        }
        const track_heads by = TRACK(plus)(sum[0], WALK(pole)(sum[TRACK_HIGH], sum[TRACK_LOW], full));
        WALK(store)
        (job->many.x, i, WALK(select)(marked, TRACK(plus)(newest, by), WALK(heads)(job->many.x, i)));
    }
}

/* ---- One tick ------------------------------------------------------------------------------------------------------------ */

/* Makes X the newest point, in the places that are marked. */
LANE_FN void WALK(keep)(const track_walk *job, lane_mask marked, lane tau)
{
    const int64_t n = job->many.settings->unknowns;
    const lane over = lane_div(lane_set(1.0), tau); /* slopes are tau dx/dtau */
    for (int j = TRACK_HISTORY - 1; j > 0; j--) {
        double *at = job->at + j * LANE_WIDTH;
        lane_store(at, lane_select(marked, lane_load(at - LANE_WIDTH), lane_load(at)));
        for (int64_t i = 0; i < n; i++) {
            WALK(store)
            (job->many.point[j], i,
             WALK(select)(marked, WALK(heads)(job->many.point[j - 1], i), WALK(heads)(job->many.point[j], i)));
            WALK(store)
            (job->many.rate[j], i,
             WALK(select)(marked, WALK(heads)(job->many.rate[j - 1], i), WALK(heads)(job->many.rate[j], i)));
        }
    }
    lane_store(job->at, lane_select(marked, tau, lane_load(job->at)));
    for (int64_t i = 0; i < n; i++) {
        const track_heads rate = TRACK(times)(WALK(heads)(job->many.b, n + i), over);
        WALK(store)
        (job->many.point[0], i, WALK(select)(marked, WALK(heads)(job->many.x, i), WALK(heads)(job->many.point[0], i)));
        WALK(store)(job->many.rate[0], i, WALK(select)(marked, rate, WALK(heads)(job->many.rate[0], i)));
        WALK(store)
        (job->many.w, i, WALK(select)(marked, WALK(heads)(job->many.b, 2 * n + i), WALK(heads)(job->many.w, i)));
    }
}

/* Corrects the points, decides about them, and predicts the next ones. The conditions are those of track_judge_correction,
 * track_judge_point, track_note_accepted and track_set_next_trial. */
static void WALK(tick)(const track_walk *given)
{
    const track_walk value = *given, *job = &value;
    const track_settings *s = job->many.settings;
    const lane zero = lane_set(0.0), one = lane_set(1.0), infinite = lane_set((double)INFINITY);
    const lane tau = lane_load(job->many.tau), length = WALK_GET(LENGTH), points = WALK_GET(POINTS);
    const lane_mask starts = lane_eq(points, zero), steps = lane_lt(zero, points), at_end = lane_eq(tau, zero),
                    exact = lane_mask_or(starts, at_end);
    const WALK(measures) m = WALK(correct)(job, starts);

    /* What is known now. */
    const lane corrections = lane_add(WALK_GET(CORRECTIONS), one), before = WALK_GET(LAST), last = m.dx;
    const lane_mask is_first = lane_lt(corrections, lane_set(1.5)), is_second = lane_eq(corrections, lane_set(2.0));
    const lane first = lane_select(is_first, last, WALK_GET(FIRST)), bend = lane_select(starts, zero, m.bend);
    const lane noise = lane_mul(lane_set(TRACK_NOISE_D), m.w);
    const lane visible = lane_select(at_end, lane_set(TRACK_VISIBLE), lane_mul(noise, lane_set(TRACK_ABOVE_NOISE)));
    lane change = lane_select(is_first, zero, WALK(larger)(WALK_GET(CHANGE), m.change));
    const lane_mask slow = lane_mask_and(lane_mask_and(is_second, steps), lane_lt(visible, last));
    change =
        lane_select(slow, WALK(larger)(change, lane_div(lane_mul(lane_set(TRACK_CONTRACTION), last), first)), change);
    const lane omega_then = WALK_GET(OMEGA), rate = WALK(larger)(m.w, omega_then), likely = lane_mul(rate, last);
    const lane quadratic = lane_mul(likely, last), rest = lane_select(lane_lt(quadratic, last), quadratic, last);
    const double goal = TRACK_NEGLIGIBLE * TRACK_NOISE_D, told = TRACK_TOLD / s->largest;
    const lane enough = WALK(larger)(lane_set(goal < told ? goal : told), noise);

    /* Whether X is good enough, or the trial has failed. */
    const lane_mask near =
        lane_mask_and(MANY(at_most)(last, lane_set(TRACK_NEAR)), MANY(at_most)(likely, lane_set(TRACK_SURE)));
    const lane_mask precise = lane_mask_and(lane_lt(one, corrections), MANY(at_most)(rest, enough));
    lane_mask done = lane_mask_or(MANY(at_most)(last, noise),
                                  lane_mask_or(lane_mask_and(exact, precise), lane_mask_and(WALK(not )(exact), near)));
    const lane_mask many = lane_mask_or(exact, near);
    const lane most = lane_select(many, lane_set((double)TRACK_CORRECTIONS_EXACT), lane_set((double)TRACK_CORRECTIONS));
    const lane_mask turned = WALK(not )(MANY(at_most)(bend, lane_set(s->turn)));
    const lane_mask unsolved = lane_mask_or(lane_lt(zero, lane_load(job->odd)), WALK(not )(lane_lt(last, infinite)));
    const lane_mask far = lane_mask_and(is_first, lane_lt(lane_set(TRACK_FAR), last));
    const lane_mask stuck =
        lane_mask_and(lane_eq(corrections, lane_set((double)TRACK_CORRECTIONS)), WALK(not )(lane_mask_or(done, near)));
    const lane_mask crawls =
        lane_mask_and(WALK(not )(done), lane_lt(lane_mul(lane_set(TRACK_CONVERGES), before), last));
    const lane_mask unsteady =
        lane_mask_and(lane_mask_and(WALK(not )(is_first), lane_lt(lane_mul(lane_set(TRACK_ABOVE_NOISE), noise), last)),
                      lane_mask_or(lane_lt(lane_set(TRACK_CHANGE_MOST), change), crawls));
    const lane_mask spent = lane_mask_and(WALK(not )(done), MANY(at_most)(most, corrections));
    const lane_mask moved = lane_mask_and(starts, lane_lt(lane_set(TRACK_MOVED_START), m.plain_dx));
    const lane_mask fails = lane_mask_or(lane_mask_or(lane_mask_or(turned, unsolved), lane_mask_or(far, stuck)),
                                         lane_mask_or(lane_mask_or(unsteady, spent), moved));
    done = lane_mask_and(done, WALK(not )(fails));

    /* A point that is accepted, and whether its precision suffices. */
    const lane accuracy = lane_add(noise, rest);
    const lane informative = lane_mul(lane_set(TRACK_INFORMATIVE), accuracy);
    const lane along = lane_select(lane_mask_and(steps, lane_lt(informative, m.apart)), lane_div(bend, m.apart), zero);
    const lane across =
        lane_select(lane_mask_and(WALK(not )(is_first), lane_lt(informative, first)), lane_div(change, first), zero);
    const lane faded =
        lane_select(lane_lt(zero, across), lane_mul(lane_set(TRACK_OMEGA_FADES), omega_then), omega_then);
    const lane omega = lane_select(steps, WALK(larger)(WALK(larger)(along, across), faded), omega_then);
    const lane exposure = lane_mul(noise, WALK(larger)(m.w, omega));
    const lane plain_rest = lane_select(lane_lt(rest, m.plain_dx), rest, m.plain_dx);
    const lane error = lane_add(lane_mul(lane_set(TRACK_NOISE_D), m.plain_w), plain_rest);
    const lane_mask exposed = WALK(not )(MANY(at_most)(exposure, lane_set(TRACK_SOFT)));
    const lane_mask inaccurate = lane_mask_and(at_end, lane_lt(lane_set(track_tolerance(s)), error));
    const lane_mask departs = lane_mask_and(done, lane_mask_or(exposed, inaccurate));
    const lane_mask arrives = lane_mask_and(lane_mask_and(done, at_end), WALK(not )(departs));
    const lane_mask accepted = lane_mask_and(lane_mask_and(done, WALK(not )(at_end)), WALK(not )(departs));
    const lane_mask rejected = lane_mask_and(fails, steps);
    const lane stepped = lane_select(lane_mask_and(steps, lane_mask_or(accepted, arrives)), one, zero);

    /* The length of the next step. */
    const lane step_then = WALK_GET(STEP);
    const lane factor = WALK(factor)(job, first, change, bend, points, accepted);
    const lane next = lane_mul(length, factor);
    const lane cut = lane_select(lane_lt(length, lane_mul(lane_set(TRACK_CUT), step_then)), step_then, zero);
    const lane reach = lane_div(lane_set(TRACK_FIRST_REACH), WALK(larger)(omega, one));
    const lane initial = lane_select(lane_lt(reach, lane_mul(m.slope, lane_set(TRACK_FIRST_STEP))),
                                     lane_div(reach, m.slope), lane_set(TRACK_FIRST_STEP));
    lane step = lane_select(accepted, lane_select(starts, lane_mul(initial, tau), WALK(larger)(next, cut)), step_then);
    step = lane_select(rejected, next, step);
    const lane failures =
        lane_select(rejected, lane_add(WALK_GET(FAILURES), one), lane_select(accepted, zero, WALK_GET(FAILURES)));
    const lane count = lane_add(WALK_GET(STEPS), stepped),
               wasted = lane_add(WALK_GET(REJECTED), lane_select(rejected, one, zero));
    const lane shortest = WALK_GET(SHORTEST);
    const lane_mask shorter =
        lane_mask_and(lane_lt(zero, stepped), lane_mask_or(lane_eq(shortest, zero), lane_lt(length, shortest)));

    /* The history, and the next trial. */
    WALK(keep)(job, accepted, tau);
    const lane history = lane_select(
        accepted, lane_select(lane_lt(points, lane_set((double)TRACK_HISTORY)), lane_add(points, one), points), points);
    const lane left = lane_load(job->at);
    const lane_mask goes = lane_mask_or(accepted, rejected), to_end = MANY(at_most)(left, step);
    const lane half =
        lane_select(lane_lt(lane_mul(lane_set(TRACK_TWO_STEPS), left), step), lane_mul(lane_set(0.5), left), step);
    const lane trial = lane_select(to_end, left, half);
    const lane fresh = lane_select(goes, lane_select(to_end, zero, lane_sub(left, trial)), tau);
    WALK(predict)(job, goes, history, fresh);

    /* Whether the path goes on. */
    const lane_mask tired = lane_mask_or(MANY(at_most)(lane_set((double)WALK_PATIENCE), failures),
                                         MANY(at_most)(lane_set((double)s->most_steps), lane_add(count, wasted)));
    const lane_mask tiny = lane_lt(step, lane_mul(lane_set(WALK_SHORTEST), left));
    const lane_mask leaves =
        lane_mask_or(lane_mask_or(departs, lane_mask_and(starts, fails)),
                     lane_mask_and(goes, lane_mask_or(tired, lane_mask_or(tiny, WALK(not )(lane_lt(step, infinite))))));
    lane outcome = lane_select(arrives, lane_set((double)TRACK_WALK_ARRIVED), lane_set((double)TRACK_WALK_ON));
    outcome = lane_select(leaves, lane_set((double)TRACK_WALK_LEAVES), outcome);

    WALK_PUT(STEP, step);
    WALK_PUT(LENGTH, lane_select(goes, trial, length));
    WALK_PUT(FIRST, first);
    WALK_PUT(LAST, last);
    WALK_PUT(CHANGE, change);
    WALK_PUT(CORRECTIONS, lane_select(goes, zero, corrections));
    WALK_PUT(OMEGA, lane_select(accepted, omega, omega_then));
    WALK_PUT(POINTS, history);
    WALK_PUT(FAILURES, failures);
    WALK_PUT(STEPS, count);
    WALK_PUT(REJECTED, wasted);
    WALK_PUT(SOLVES, lane_add(WALK_GET(SOLVES), one));
    WALK_PUT(SHORTEST, lane_select(shorter, length, shortest));
    WALK_PUT(ERROR, error);
    WALK_PUT(CONDITION, m.w);
    WALK_PUT(OUTCOME, outcome);
    lane_store(job->many.tau, fresh);
    lane_store(job->many.first, lane_select(lane_mask_and(goes, lane_lt(zero, fresh)), one, zero));
    for (int64_t i = 0; i < s->unknowns; i++)
        WALK(store)(job->many.w_before, i, WALK(heads)(job->many.b, 2 * s->unknowns + i));
}

#undef WALK_AT
#undef WALK_GET
#undef WALK_PUT
#undef WALK
#endif
