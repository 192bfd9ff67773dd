/* t_track_decisions.c - tests the decisions about a path (method/track/decide.h): accept, shorten the step, change the precision, enter
 * and leave the endgame, finite or infinite, winding number. They are made from scalars alone, so that states are constructed here, or
 * recorded: the tables at the end were printed from paths of the systems that they name. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "method/track/decide.h"

static track_settings usual_settings(void)
{
    return (track_settings){.equations = 3,
                            .unknowns = 3,
                            .most_steps = 10000,
                            .gamma = {0.6, 0.8},
                            .turn = 0.6,
                            .shorten = 1.0,
                            .projective = 1,
                            .least_prec = 1,
                            .most_prec = 4,
                            .endgame = 1,
                            .most_winding = 16,
                            .degree = 2,
                            .largest = 1e15,
                            .horizon = 1e15};
}

/* A path on its walk at this tau, well conditioned, with a proposed step. */
static track_path path_at(const track_settings *s, double tau, double step)
{
    track_path p;
    track_begin(s, &p, 7, s->least_prec);
    p.points.history = TRACK_HISTORY;
    for (int32_t j = 0; j < TRACK_HISTORY; j++)
        track_tau_set(p.points.at[j], tau * (double)(1 + (TRACK_HISTORY - j) % TRACK_HISTORY));
    p.points.condition_before = p.corrector.condition = p.corrector.plain_condition = 1.0;
    p.points.accuracy = p.points.plain_accuracy = 1e-15;
    p.points.apart = p.points.slope = 0.1;
    p.corrector.omega = p.scale.size = p.lead.finite = 1.0;
    p.control.step = step;
    p.terms.largest = p.terms.largest_inverse = 1.0;
    p.count.steps = 10;
    return p;
}

/* The same in the zone, where steps are those of log(tau). */
static track_path path_in_zone(const track_settings *s, double tau, double step)
{
    track_path p = path_at(s, tau, step);
    p.course.zone = 1;
    p.predictor.leap = 1.0;
    return p;
}

/* One tick with a correction of this length, at a condition number; w does not change. */
static int32_t tick(const track_settings *s, track_path *p, double dx, double condition)
{
    const track_measures m = {.dx = dx,
                              .plain_dx = dx,
                              .w = condition,
                              .plain_w = condition,
                              .w_newest = condition,
                              .plain_newest = condition};
    return track_judge(s, p, &m, 0);
}

/* ---- Accept, or shorten the step ------------------------------------------------------------------------------------ */

static void judge_accepts_corrections_that_converge(void **state)
{
    (void)state;
    const track_settings s = usual_settings();
    track_path p = path_at(&s, 0.5, 0.05);
    assert_int_equal(track_next_trial(&p), TRACK_DO_PREDICT);
    assert_true(fabs(p.trial.tau[0] - 0.45) <= 1e-15);
    assert_int_equal(tick(&s, &p, 5e-3, 10.0), TRACK_DO_NOTHING); /* above TRACK_NEAR: another one */
    assert_int_equal(tick(&s, &p, 1e-7, 10.0), TRACK_DO_ACCEPT);
    assert_int_equal(p.corrector.corrections, 2);
    assert_true(p.corrector.first == 5e-3 && p.corrector.last == 1e-7);

    track_next_trial(&p); /* near from the beginning */
    assert_int_equal(tick(&s, &p, 0.9 * TRACK_NEAR, 10.0), TRACK_DO_ACCEPT);
    track_next_trial(&p); /* near, but not beside the radius of convergence, which is 1 / condition */
    assert_int_equal(tick(&s, &p, 0.9 * TRACK_NEAR, 2.0 * TRACK_SURE / TRACK_NEAR), TRACK_DO_NOTHING);
}

static void judge_rejects_what_may_be_another_path(void **state)
{
    (void)state;
    const track_settings s = usual_settings();
    for (int k = 0; k < 6; k++) {
        track_path p = path_at(&s, 0.5, 0.05);
        track_next_trial(&p);
        track_measures m = {.dx = 1e-3, .plain_dx = 1e-3, .w = 10.0, .plain_w = 10.0};
        int32_t info = 0, action = TRACK_DO_NOTHING;
        switch (k) {
        case 0: /* the prediction was far off */
            m.dx = 1.1 * TRACK_FAR;
            break;
        case 1: /* the inverse Jacobian has turned */
            m.bend = 1.01 * s.turn;
            break;
        case 2: /* the linear system has no solution */
            info = 1;
            break;
        case 3:
            m.dx = NAN;
            break;
        case 4: /* the second correction is as long as the first */
            assert_int_equal(track_judge(&s, &p, &m, 0), TRACK_DO_NOTHING);
            break;
        default: /* w changes too much between corrections */
            assert_int_equal(track_judge(&s, &p, &m, 0), TRACK_DO_NOTHING);
            m.dx = 1e-5;
            m.change = 1.1 * TRACK_CHANGE_MOST;
        }
        action = track_judge(&s, &p, &m, info);
        assert_int_equal(action, TRACK_DO_PREDICT);
        assert_int_equal(p.count.rejected, 1);
        assert_int_equal(p.control.failures, 1);
        assert_true(p.control.step <= TRACK_REJECT_MOST * 0.05 && p.control.step >= 0.99 * TRACK_REJECT_LEAST * 0.05);
        assert_true(fabs(p.trial.tau[0] - (0.5 - p.control.step)) <= 1e-15);
    }
}

static void judge_gives_up_after_three_corrections(void **state)
{
    (void)state;
    const track_settings s = usual_settings();
    track_path p = path_at(&s, 0.5, 0.05);
    track_next_trial(&p);
    assert_int_equal(tick(&s, &p, 5e-2, 10.0), TRACK_DO_NOTHING);
    assert_int_equal(tick(&s, &p, 5e-3, 10.0), TRACK_DO_NOTHING);
    assert_int_equal(tick(&s, &p, 1.1 * TRACK_NEAR, 10.0), TRACK_DO_PREDICT);
    assert_int_equal(p.count.rejected, 1);
}

static void reject_corrects_the_newest_point_again(void **state)
{
    (void)state;
    const track_settings s = usual_settings();
    track_path p = path_at(&s, 0.5, 0.05);
    track_next_trial(&p);
    for (int k = 1; k < TRACK_PATIENCE; k++)
        assert_int_equal(tick(&s, &p, 1.0, 10.0), TRACK_DO_PREDICT);
    assert_int_equal(tick(&s, &p, 1.0, 10.0), TRACK_DO_RESTORE);
    assert_int_equal(p.trial.phase, TRACK_REFINES);
    assert_true(p.trial.tau[0] == 0.5);
}

static void reject_changes_the_precision_at_noise_and_at_the_shortest_step(void **state)
{
    (void)state;
    const track_settings s = usual_settings();
    track_path p = path_at(&s, 0.5, 0.05);
    const double condition = 0.5 * sqrt(TRACK_SOFT / TRACK_NOISE_D), noise = TRACK_NOISE_D * condition;
    track_next_trial(&p);
    p.corrector.corrections = 1;
    p.corrector.last = p.corrector.first = 60.0 * noise;
    p.corrector.change = 1.0;
    assert_int_equal(tick(&s, &p, 50.0 * noise, condition),
                     TRACK_DO_RESTORE); /* corrections are noise, no step helps */
    assert_int_equal(p.precision.wants, 2);

    p = path_at(&s, 0.5, 2.0 * TRACK_LEAST_STEP_D * 0.5);
    track_next_trial(&p);
    assert_int_equal(tick(&s, &p, 1.0, 10.0), TRACK_DO_RESTORE);
    assert_int_equal(p.precision.wants, 2);
    assert_int_equal(p.verdict.state, TRACK_GOES_ON);

    track_settings fixed = usual_settings(); /* there is no higher precision */
    fixed.most_prec = 1;
    p = path_at(&fixed, 0.5, 2.0 * TRACK_LEAST_STEP_D * 0.5);
    track_next_trial(&p);
    assert_int_equal(tick(&fixed, &p, 1.0, 10.0), TRACK_DO_RESTORE);
    assert_int_equal(p.verdict.state, TRACK_DONE);
    assert_int_equal(p.verdict.code, PLUMB_PATH_STEP_TOO_SMALL);
}

static void reject_ends_after_too_many_steps(void **state)
{
    (void)state;
    track_settings s = usual_settings();
    s.most_steps = 11;
    track_path p = path_at(&s, 0.5, 0.05);
    track_next_trial(&p);
    tick(&s, &p, 1.0, 10.0);
    assert_int_equal(p.verdict.code, PLUMB_PATH_TOO_MANY_STEPS);
}

/* ---- Length of the next step -------------------------------------------------------------------------------------------- */

static void factor_follows_the_order_of_the_prediction(void **state)
{
    (void)state;
    const track_settings s = usual_settings();
    track_path p = path_at(&s, 0.5, 0.05);
    p.predictor.order = 6;
    p.corrector.first = TRACK_TARGET; /* the right length */
    double factor = track_factor(&s, &p, TRACK_LEAST_FACTOR, TRACK_MOST_FACTOR);
    assert_true(factor <= 1.0 && factor > TRACK_STRETCH);
    p.corrector.first = 1e-9 * TRACK_TARGET;
    assert_true(track_factor(&s, &p, TRACK_LEAST_FACTOR, TRACK_MOST_FACTOR) == TRACK_MOST_FACTOR);
    p.corrector.bend = TRACK_TURN_TARGET * s.turn; /* but w turns as much as it may */
    assert_true(track_factor(&s, &p, TRACK_LEAST_FACTOR, TRACK_MOST_FACTOR) <= 1.0);
    p.corrector.first = NAN;
    assert_true(track_factor(&s, &p, TRACK_LEAST_FACTOR, TRACK_MOST_FACTOR) == TRACK_LEAST_FACTOR);
}

/* ---- Precision -------------------------------------------------------------------------------------------------------- */

/* The condition number at which the exposure has this value. */
static double condition_for(int32_t prec, double exposure)
{
    return sqrt(exposure / track_noise(prec));
}

static void settle_precision_at_its_limits(void **state)
{
    (void)state;
    const struct {
        int32_t now, most, zone;
        double exposure;
        int32_t wants, code; /* -1: goes on */
    } cases[] = {
        {1, 4, 0, 0.99 * TRACK_SOFT, 1, -1},
        {1, 4, 0, 1.01 * TRACK_SOFT, 2, -1},
        {2, 4, 0, 1.01 * TRACK_SOFT, 4, -1},
        {2, 2, 0, 1.01 * TRACK_SOFT, 2, -1},
        {2, 2, 0, 0.99 * TRACK_HARD, 2, -1},
        {2, 2, 0, 1.01 * TRACK_HARD, 2, PLUMB_PATH_PRECISION_EXHAUSTED},
        {2, 2, 1, 1.01 * TRACK_HARD, 2, -1},
        {2, 2, 1, 0.99 * TRACK_HARD_END, 2, -1},
        {2, 2, 1, 1.01 * TRACK_HARD_END, 2, PLUMB_PATH_UNDECIDED},
        {4, 4, 0, 1.01 * TRACK_HARD, 4, PLUMB_PATH_PRECISION_EXHAUSTED},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        track_settings s = usual_settings();
        s.most_prec = cases[k].most;
        s.least_prec = cases[k].now;
        track_path p = cases[k].zone ? path_in_zone(&s, 1e-3, 1.0) : path_at(&s, 0.5, 0.05);
        p.corrector.condition = condition_for(cases[k].now, cases[k].exposure);
        track_settle_precision(&s, &p);
        assert_int_equal(p.precision.wants, cases[k].wants);
        assert_int_equal(p.verdict.state == TRACK_DONE ? p.verdict.code : -1, cases[k].code);
    }
}

static void settle_precision_returns_after_calm_steps(void **state)
{
    (void)state;
    track_settings s = usual_settings();
    track_path p = path_at(&s, 0.5, 0.05);
    p.precision.now = p.precision.wants = p.precision.most = 2;
    p.corrector.condition = condition_for(1, 0.99 * TRACK_CALM);
    for (int k = 1; k < TRACK_CALM_STEPS; k++) {
        assert_int_equal(track_settle_precision(&s, &p), TRACK_DO_NOTHING);
        assert_int_equal(p.precision.wants, 2);
    }
    assert_int_equal(track_settle_precision(&s, &p), TRACK_DO_NOTHING);
    assert_int_equal(p.precision.wants, 1);
    p.precision.wants = 2; /* a step that needs the higher one in between */
    for (int k = 1; k < 3 * TRACK_CALM_STEPS; k++) {
        p.corrector.condition = condition_for(1, (k % TRACK_CALM_STEPS ? 0.99 : 1.01) * TRACK_CALM);
        track_settle_precision(&s, &p);
        assert_int_equal(p.precision.wants, 2);
    }
}

/* ---- Enter and leave the zone ------------------------------------------------------------------------------------------- */

static void near_end_unless_long_steps_reach_it(void **state)
{
    (void)state;
    const struct {
        double tau, step; /* relative to tau */
        int32_t endgame, zone, expected;
    } cases[] = {
        {1.01 * TRACK_ZONE, 0.1, 1, 0, 0},
        {0.99 * TRACK_ZONE, 0.1, 1, 0, 1},
        {0.99 * TRACK_ZONE, 0.1, 0, 0, 0},
        {0.99 * TRACK_ZONE, 0.1, 1, 1, 0},
        {0.99 * TRACK_ZONE, 0.99 * TRACK_LONG, 1, 0, 1},
        {0.99 * TRACK_ZONE, 1.01 * TRACK_LONG, 1, 0, 0},
        {0.99 * TRACK_ZONE_MOST, 1.01 * TRACK_LONG, 1, 0, 1},
        {0.99 * TRACK_ZONE_MOST, 1.0, 1, 0, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        track_settings s = usual_settings();
        s.endgame = cases[k].endgame;
        track_path p = path_at(&s, cases[k].tau, cases[k].step * cases[k].tau);
        p.course.zone = cases[k].zone;
        assert_int_equal(track_is_near_end(&s, &p), cases[k].expected);
        if (cases[k].expected) {
            assert_int_equal(track_enter_zone(&p), TRACK_DO_RESTORE);
            assert_true(p.course.zone && p.course.entering && p.trial.phase == TRACK_REFINES);
            assert_true(fabs(p.control.step - cases[k].step) <= 1e-12); /* in log(tau) from now on */
        }
    }
}

static void jump_is_tried_once_it_is_expected_to_hit(void **state)
{
    (void)state;
    const track_settings s = usual_settings();
    track_path p = path_in_zone(&s, 1e-3, 1.0);
    p.predictor.leap = 0.99 * TRACK_JUMP;
    track_next_trial(&p);
    assert_true(p.trial.jump && p.trial.exact && p.trial.tau[0] == 0.0);
    assert_int_equal(tick(&s, &p, 1.0, 10.0), TRACK_DO_PREDICT); /* it misses: walk on, no jump before tau / 8 */
    assert_true(!p.trial.jump && p.trial.tau[0] > 0.0);
    assert_true(p.control.jump_below == TRACK_JUMP_AGAIN * 1e-3);
    p = path_in_zone(&s, 1e-3, 1.0);
    p.predictor.leap = 1.01 * TRACK_JUMP;
    track_next_trial(&p);
    assert_true(!p.trial.jump && p.predictor.logarithmic);
    assert_true(fabs(p.trial.tau[0] - (1e-3 * exp(-1.0))) <= 1e-12);
}

/* ---- Finite or infinite ------------------------------------------------------------------------------------------------- */

/* Samples of y = a + b tau^(k/c) (1 + tau^(1/c)) at tau = first, first / 4, ..., and the limit that is found from them. */
static track_path limit_of(const track_settings *s, double a, double b, int32_t k, int32_t c, double first)
{
    track_path p = path_in_zone(s, first, 1.0);
    double logs[TRACK_SAMPLES + 1];
    track_limit limits[TRACK_POWERS];
    for (int32_t j = 0; j < TRACK_SAMPLES; j++) {
        const double tau = first * pow(0.25, j), power = pow(tau, (double)k / c), u = pow(tau, 1.0 / c);
        track_tau_set(p.points.at[p.points.newest], tau);
        p.lead.value[0] = a + b * power * (1.0 + u);
        p.lead.slope[0] = b * power * ((double)k / c + (double)(k + 1) / c * u);
        p.lead.error = 1e-15;
        p.lead.finite = fabs(p.lead.value[0]);
        p.corrector.last = 1e-16;
        assert_int_equal(track_sample(&p), 1);
        assert_int_equal(track_seeks_limit(&p), j == TRACK_SAMPLES - 1);
    }
    for (int32_t j = 0; j <= TRACK_SAMPLES; j++)
        logs[j] = track_sample_log(&p, j);
    for (int32_t j = 1; j <= TRACK_POWERS; j++)
        limits[j - 1] = track_limit_for(&p, logs, j);
    track_find_limit(s, &p, limits);
    return p;
}

static void find_limit_tells_finite_from_falling(void **state)
{
    (void)state;
    const track_settings s = usual_settings();
    for (int32_t c = 1; c <= 6; c++)
        for (int32_t k = 1; k <= 3; k++) {
            track_path p = limit_of(&s, 0.5, 0.3, k, c, 1e-3);
            assert_int_equal(p.limit.kind, TRACK_LIMIT_FINITE);
            assert_true(fabs(p.limit.size - 0.5) <= p.limit.error);
            p = limit_of(&s, 0.0, 0.3, k, c, 1e-3);
            assert_int_equal(p.limit.kind, TRACK_LIMIT_FALLS);
            assert_true(p.limit.size <= p.limit.error);
        }
}

static void find_limit_needs_x0_below_that_of_any_root(void **state)
{
    (void)state;
    const track_settings s = usual_settings();
    track_path p = limit_of(&s, 0.0, 1.0, 2, 1, 1e-6); /* y = tau^2 is 2e-16 at the last sample: not yet below 1e-17 */
    assert_int_equal(p.limit.kind, TRACK_LIMIT_FALLS);
    p = limit_of(&s, 0.0, 1.0, 2, 1, 1e-7);
    assert_int_equal(p.limit.kind, TRACK_LIMIT_ZERO);
    /* A root of size 10^6 is finite, although y still falls. */
    p = limit_of(&s, 1e-6, 1.0, 1, 1, 1e-3);
    assert_true(track_is_nonzero(&p));
    assert_int_not_equal(p.limit.kind, TRACK_LIMIT_FALLS);
    assert_int_not_equal(p.limit.kind, TRACK_LIMIT_ZERO);
}

static void sample_is_taken_when_tau_has_halved(void **state)
{
    (void)state;
    const track_settings s = usual_settings();
    track_path p = path_in_zone(&s, 1e-3, 1.0);
    assert_int_equal(track_sample(&p), 1);
    track_tau_set(p.points.at[p.points.newest], 0.6e-3);
    assert_int_equal(track_sample(&p), 0);
    track_tau_set(p.points.at[p.points.newest], 0.4e-3);
    assert_int_equal(track_sample(&p), 1);
    assert_int_equal(p.samples.count, 2);
    assert_int_equal(track_sample(&p), 1); /* the same point once more takes its place */
    assert_int_equal(p.samples.count, 2);
}

/* The end at tau = 0, with x_0 / |x| and its errors: relative to |x| and to x_0. */
static void arrive_tells_infinite_from_finite(void **state)
{
    (void)state;
    const struct {
        int32_t prec;
        double finite, error, lead_error;
        int32_t code; /* -1: a higher precision decides */
    } cases[] = {
        {1, 1.0, 1e-14, 1e-14, PLUMB_PATH_SUCCESS},
        {1, 1e-3, 1e-14, 1e-11, PLUMB_PATH_SUCCESS},
        {1, 1e-6, 1e-14, 1e-8, -1},                               /* not the digits that were asked for */
        {1, 1e-14, 1e-14, 1.0, -1},                               /* zero or not */
        {4, 1e-40, 1e-60, 1e-20, PLUMB_PATH_SUCCESS},             /* a very large root */
        {4, 1e-62, 1e-60, 1.0, PLUMB_PATH_AT_INFINITY},           /* zero */
        {4, 1e-62, 1e-60, 0.5 * TRACK_CLEAR, PLUMB_PATH_SUCCESS}, /* x_0 has correct digits of its own */
        {4, 1e-17, 1e-15, 1.0, PLUMB_PATH_UNDECIDED},             /* too many digits lost */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const track_settings s = usual_settings();
        track_path p = path_in_zone(&s, 1e-3, 1.0);
        track_tau_set(p.trial.tau, 0.0);
        p.precision.now = p.precision.wants = cases[k].prec;
        p.lead.finite = cases[k].finite;
        p.lead.error = cases[k].lead_error;
        p.points.plain_accuracy = cases[k].error;
        track_arrive(&s, &p);
        assert_int_equal(p.verdict.state == TRACK_DONE ? p.verdict.code : -1, cases[k].code);
        assert_int_equal(p.precision.wants > cases[k].prec, cases[k].code < 0);
    }
}

/* ---- Enter and leave the endgame ---------------------------------------------------------------------------------------- */

static void needs_endgame_at_singular_ends(void **state)
{
    (void)state;
    const struct {
        double tau, step, exposure, grown; /* the condition number grows like this power of 1 / tau */
        int32_t kind, expected;
    } cases[] = {
        {1e-4, 2.0, 1e-10, 0.5, TRACK_LIMIT_FINITE, 1},
        {1e-4, 2.0, 1e-10, 0.5 * TRACK_GROWTH, TRACK_LIMIT_FINITE, 0}, /* regular */
        {1e-4, 2.0, 1e-10, 0.5, TRACK_LIMIT_UNKNOWN, 0},
        {1e-4, 2.0, 1e-10, 0.5, TRACK_LIMIT_FALLS, 0}, /* to infinity */
        {1e-4, 2.0, 1e-10, 0.5, TRACK_LIMIT_ZERO, 0},
        {1e-4, 0.9 * TRACK_CIRCLE_STEP, 1e-10, 0.5, TRACK_LIMIT_FINITE, 0}, /* another singularity is near */
        {1.1 * TRACK_CIRCLE_ZONE, 2.0, 1e-10, 0.5, TRACK_LIMIT_FINITE, 0},
        {0.9 * TRACK_CIRCLE_SURE, 0.5, 1e-10, 0.0, TRACK_LIMIT_FINITE, 1}, /* jumps have failed all the way */
        {1e-4, 0.5, 1.1 * TRACK_LATE, 0.0, TRACK_LIMIT_UNKNOWN, 1},        /* it will soon be too late */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const track_settings s = usual_settings();
        track_path p = path_in_zone(&s, cases[k].tau, cases[k].step);
        p.limit.kind = cases[k].kind;
        p.corrector.condition = condition_for(4, cases[k].exposure);
        p.samples.count = TRACK_SAMPLES;
        for (int32_t j = 0; j < TRACK_SAMPLES; j++) {
            p.samples.tau[j] = cases[k].tau * pow(4.0, j);
            p.samples.condition[j] = 1e3 * pow(p.samples.tau[j], -cases[k].grown);
        }
        assert_int_equal(track_needs_endgame(&s, &p), cases[k].expected);
        track_settings without = s;
        without.endgame = 0;
        assert_int_equal(track_needs_endgame(&without, &p), 0);
    }
}

/* Follows x = x* + tau^(1/c) around a circle, vertex by vertex, until the decision is not the next vertex. */
static track_path go_round(const track_settings *s, double radius, int32_t c, int32_t *action)
{
    const double pi = 3.141592653589793;
    track_path p = path_in_zone(s, radius, 1.0);
    p.course.leg = TRACK_IN;
    p.circle.radius = radius;
    assert_int_equal(track_begin_circle(s, &p), TRACK_DO_CIRCLE);
    *action = track_to_vertex(&p);
    while (*action == TRACK_DO_PREDICT && p.course.leg == TRACK_ROUND) {
        p.circle.vertex++;
        track_tau_copy(p.points.at[p.points.newest], p.course.target);
        const double angle = 2.0 * pi * p.circle.vertex / (p.circle.vertices * c);
        p.points.apart =
            p.circle.vertex % (p.circle.vertices * c) ? pow(radius, 1.0 / c) * 2.0 * fabs(sin(0.5 * angle)) : 1e-17;
        *action = track_at_vertex(s, &p);
    }
    return p;
}

static void circle_closes_after_as_many_turns_as_the_winding_number(void **state)
{
    (void)state;
    const track_settings s = usual_settings();
    for (int32_t c = 1; c <= s.most_winding; c++) {
        int32_t action = 0;
        track_path p = go_round(&s, 0x1p-12, c, &action);
        assert_int_equal(action, TRACK_DO_MEAN);
        assert_int_equal(p.circle.vertex, c * p.circle.vertices);
        assert_int_equal(track_closed(&s, &p, 1.0, 0.0, 1.0), TRACK_DO_LOOK);
        assert_int_equal(p.mean.winding, c);
        assert_false(p.mean.settled); /* a second circle has to confirm it */
        assert_int_equal(p.trial.phase, TRACK_VERIFIES);
    }
}

static void circle_is_left_if_it_does_not_close(void **state)
{
    (void)state;
    track_settings s = usual_settings();
    s.most_winding = 3;
    int32_t action = 0;
    track_path p = go_round(&s, 0x1p-12, 4, &action);
    assert_int_equal(action, TRACK_DO_RETURN); /* to the first point, from where the walk goes on */
    assert_int_equal(p.course.leg, TRACK_WALK);
    assert_int_equal(p.circle.open, 1);
    assert_true(p.circle.resume == 0x1p-12 * TRACK_RESUME); /* the next circle is as much smaller */
    assert_true(p.course.target[0] == 0.0);
}

static void circle_in_noise_takes_a_higher_precision(void **state)
{
    (void)state;
    const track_settings s = usual_settings();
    track_path p = path_in_zone(&s, 0x1p-12, 1.0);
    p.circle.radius = 0x1p-12;
    track_begin_circle(&s, &p);
    p.circle.vertex = p.circle.vertices;
    p.circle.extent = 1e-10; /* the noise is a fifth of the circle */
    p.circle.first_accuracy = p.points.plain_accuracy = 0.5 * 0.2e-10 / TRACK_CLOSES;
    p.points.apart = 1e-11;
    assert_int_equal(track_at_vertex(&s, &p), TRACK_DO_RETURN);
    assert_int_equal(p.precision.wants, 2);
}

/* A mean has been computed: the verdict by the condition number there, the residual and a Newton step, each beside the error. */
static track_path verify(const track_settings *s, int32_t prec, int32_t winding, int32_t settled, double condition,
                         double backward, double newton, int32_t *action)
{
    track_path p = path_in_zone(s, 0x1p-20, 1.0);
    p.precision.now = p.precision.wants = prec;
    p.course.leg = TRACK_ROUND;
    p.circle.radius = p.mean.radius = 0x1p-20;
    p.circle.vertices = 8;
    p.circle.begun = 2;
    p.circle.first_condition = 1e3;
    p.mean.error = 1e-12;
    p.mean.winding = winding;
    p.mean.settled = settled;
    p.mean.inward = 0.125;
    p.corrector.plain_condition = condition * 1e3;
    p.corrector.plain_last = newton * 1e-12;
    p.terms.backward = backward * 1e-12;
    *action = track_verify(s, &p, 1);
    if (*action == TRACK_DO_BESIDE) { /* the same condition number beside the mean */
        p.corrector.plain_condition = condition * 1e3;
        p.terms.backward = 1.0; /* is not what counts there */
        *action = track_verify(s, &p, 1);
    }
    return p;
}

static void verify_decides_about_the_mean(void **state)
{
    (void)state;
    const track_settings s = usual_settings();
    int32_t action = 0;
    /* A singular root, in the highest precision: it is the end. */
    track_path p = verify(&s, 4, 2, 1, 1e6, 0.5, 1.0, &action);
    assert_int_equal(p.verdict.code, PLUMB_PATH_SINGULAR);
    assert_int_equal(p.verdict.state, TRACK_DONE);
    assert_true(p.verdict.error == 1e-12);
    /* In a lower one, the ray has to confirm it. */
    p = verify(&s, 1, 2, 1, 1e6, 0.5, 1.0, &action);
    assert_int_equal(p.ray.state, TRACK_ON_RAY);
    assert_int_equal(p.course.leg, TRACK_IN);
    assert_int_equal(p.predictor.power, 2);
    /* Not settled: another circle, further in. */
    p = verify(&s, 4, 2, 0, 1e6, 0.5, 1.0, &action);
    assert_int_equal(p.course.leg, TRACK_IN);
    assert_true(p.circle.radius == 0.125 * 0x1p-20);
    /* Settled, but not yet a root: a smaller one. */
    p = verify(&s, 4, 2, 1, 1e6, 2.0, 1.0, &action);
    assert_true(p.circle.radius == TRACK_CIRCLE_SMALLER * 0x1p-20);
    /* Far from any root, a Newton step too long for a multiple root, or regular with more than one turn: the mean of several roots. */
    for (int k = 0; k < 3; k++) {
        p = verify(&s, 4, 2, 1, k == 2 ? 1.0 : 1e6, k == 0 ? 2.0 * TRACK_ASTRAY : 0.5,
                   k == 1 ? 1e6 * TRACK_LENGTHY : 1.0, &action);
        assert_int_equal(p.course.leg, TRACK_WALK);
        assert_int_equal(p.circle.open, 1);
        assert_int_equal(p.verdict.state, TRACK_GOES_ON);
    }
    /* A regular root after one turn: steps will find it. */
    p = verify(&s, 4, 1, 1, 1.0, 0.5, 1.0, &action);
    assert_int_equal(p.course.leg, TRACK_WALK);
    assert_int_equal(p.circle.open, 0);
    /* Not told from infinity. */
    track_path far = path_in_zone(&s, 0x1p-20, 1.0);
    far.lead.finite = 5e-12;
    assert_true(track_is_far(&s, &far, 1e-12));
    far.lead.finite = 5e-11;
    assert_false(track_is_far(&s, &far, 1e-12));
}

/* ---- Recorded states ------------------------------------------------------------------------------------------------------ */

/* Ticks of steps in d. From mult_griewank_osborne, start total: paths 0, 2, 3 and 4; from cyclic5, start total: paths 0, 1 and 15. */
static void judge_decides_as_recorded(void **state)
{
    (void)state;
    const struct {
        int32_t zone, exact, jump, corrections; /* corrections include this one */
        double dx, plain_dx, w, plain_w, bend, change, omega, before;
        int32_t action, rejected;
    } ticks[] = {
        {0, 0, 0, 1, 1.34e-2, 1.23e-2, 4.186, 4.186, 9.3e-2, 0.0, 0.0, 2.01e-16, TRACK_DO_NOTHING, 0},
        {0, 0, 0, 2, 1.79e-4, 1.63e-4, 4.144, 4.144, 6.98e-2, 2.61e-2, 0.0, 1.34e-2, TRACK_DO_ACCEPT, 0},
        {1, 0, 0, 1, 5.93e-3, 1.73e-4, 3.355, 2.119, 8.95e-2, 0.0, 1.49, 3.58e-16, TRACK_DO_NOTHING, 0},
        {1, 1, 0, 2, 1.72e-9, 1.72e-9, 2.394, 2.394, 3.16e-2, 1.54e-4, 9.32e3, 1.05e-6, TRACK_DO_NOTHING, 0},
        {1, 1, 0, 3, 2.66e-16, 2.66e-16, 2.394, 2.394, 3.16e-2, 1.64e-8, 9.32e3, 1.72e-9, TRACK_DO_ACCEPT, 0},
        {0, 0, 0, 1, 0.109, 4.04e-2, 5.641, 4.396, 0.351, 0.0, 1.19, 2.36e-5, TRACK_DO_PREDICT, 1},   /* too far off */
        {0, 0, 0, 1, 8.05e-2, 9.82e-3, 15.91, 9.977, 0.688, 0.0, 6.22, 2.61e-4, TRACK_DO_PREDICT, 1}, /* w turned */
        {0, 0, 0, 1, 7.6e-4, 6.16e-4, 54.13, 35.81, 1.32, 0.0, 36.7, 5.77e-7, TRACK_DO_PREDICT, 1},
        {0, 0, 0, 2, 3.08e-3, 1.35e-3, 15.27, 10.79, 0.496, 0.106, 15.6, 2.29e-2, TRACK_DO_PREDICT, 1}, /* slow */
        {0, 1, 1, 1, 2.8e-2, 6.98e-3, 95.18, 95.18, 1.01, 0.0, 3.56, 3.42e-5, TRACK_DO_PREDICT, 1},     /* a jump */
    };
    for (size_t k = 0; k < sizeof ticks / sizeof *ticks; k++) {
        const track_settings s = usual_settings();
        track_path p = ticks[k].zone ? path_in_zone(&s, 1e-3, 1.0) : path_at(&s, 0.5, 0.05);
        track_next_trial(&p);
        p.trial.exact = ticks[k].exact;
        p.trial.jump = ticks[k].jump;
        p.corrector.omega = ticks[k].omega;
        p.corrector.corrections = ticks[k].corrections - 1;
        p.corrector.last = p.corrector.first = ticks[k].before;
        const track_measures m = {.dx = ticks[k].dx,
                                  .plain_dx = ticks[k].plain_dx,
                                  .w = ticks[k].w,
                                  .plain_w = ticks[k].plain_w,
                                  .bend = ticks[k].bend,
                                  .change = ticks[k].change};
        assert_int_equal(track_judge(&s, &p, &m, 0), ticks[k].action);
        assert_int_equal(p.count.rejected, ticks[k].rejected);
    }
}

/* Samples of y, the newest first, and what they told. */
static void find_limit_decides_as_recorded(void **state)
{
    (void)state;
    typedef struct sample {
        double tau, lead[2], slope[2], error;
    } sample;
    const struct {
        double finite, size, most_error; /* the limit that was found */
        int32_t kind;
        sample samples[TRACK_SAMPLES];
    } cases[] = {
        /* mult_griewank_osborne, start total, path 0: to infinity, like tau */
        {5.0085428168696284e-18,
         0.0,
         1e-16,
         TRACK_LIMIT_ZERO,
         {{5.0085428168696284e-18,
           {8.3360652935218485e-19, -4.9386841671276922e-18},
           {8.3360652935218601e-19, -4.9386841671276945e-18},
           2.76e-08},
          {5.8674449503508079e-05,
           {9.7661689289414997e-06, -5.7859459095074697e-05},
           {9.7667423892886336e-06, -5.7862854205872786e-05},
           3.57e-15},
          {0.0011785078219504206,
           {0.00019638030153994304, -0.0011634413996918372},
           {0.00019661528457061919, -0.0011648144656471425},
           1.22e-08},
          {0.0059259621155950126,
           {0.00099238942836337492, -0.0058781618251403239},
           {0.00099872952804938337, -0.0059132450433581202},
           2.9e-10}}},
        /* cyclic5, start total, path 11: to infinity, like the square root of tau, and still at 1e-4 */
        {0.00011,
         0.0,
         1e-11,
         TRACK_LIMIT_FALLS,
         {{9.3114410139245282e-09,
           {-0.00010263016633606176, 4.1893912994786056e-05},
           {-5.1319825079954629e-05, 2.0944476605859472e-05},
           3.7e-10},
          {1.1343657391758216e-07,
           {-0.00035829694190845859, 0.00014618093021830699},
           {-0.00017920628168352213, 7.3060138090631712e-05},
           1.54e-11},
          {1.3819403766738378e-06,
           {-0.0012515855471384762, 0.00050969084733141004},
           {-0.000626498925353234, 0.00025447102473947651},
           1.61e-11},
          {1.6835480292881296e-05,
           {-0.0043807939292571027, 0.0017723348091868269},
           {-0.0021990761447867684, 0.0008813914818348482},
           2.03e-12}}},
        /* mult_kss5, path 2: to the singular root (1, 1, 1, 1, 1) */
        {0.98864,
         1.0,
         1e-5,
         TRACK_LIMIT_FINITE,
         {{7.0950199310287855e-05,
           {0.98861149131893822, -0.0083826696272480163},
           {-0.0056882022676611596, -0.0040327653187375795},
           3e-08},
          {0.00046216406613525888,
           {0.97099898252574823, -0.020164575083542313},
           {-0.01443340828902224, -0.0090924999241175104},
           1.36e-06},
          {0.0013258566322084425,
           {0.9510699238592043, -0.031883383792514104},
           {-0.024194544914836174, -0.013236914783234808},
           2.32e-09},
          {0.0036040519904741164,
           {0.92001836721545782, -0.046996834278046684},
           {-0.038983274432089828, -0.01668648191608774},
           2.6e-13}}},
        /* sendra, path 6, too far away from its end to tell, */
        {0.267,
         0.901212,
         1.0,
         TRACK_LIMIT_UNKNOWN,
         {{0.00042148769334407417,
           {0.26031894284452783, -0.059406105159916962},
           {0.043237650624859604, -0.0057204744654041706},
           5.71e-11},
          {0.0013874513374648786,
           {0.31334097599510397, -0.066387716813367484},
           {0.046322666677550431, -0.0067776817279293251},
           4.87e-11},
          {0.004398070466794083,
           {0.37005047196580521, -0.07609225327760985},
           {0.052445287662627661, -0.01028927573060227},
           7.84e-07},
          {0.012018730979008742,
           {0.42619881319705943, -0.088558718093437627},
           {0.059329013810981976, -0.014773213351651908},
           4.31e-15}}},
        /* and one sample later: finite */
        {0.19131,
         0.13807,
         0.01,
         TRACK_LIMIT_FINITE,
         {{5.9791111238261966e-05,
           {0.18729247201350691, -0.038993640371209864},
           {0.025893627516267857, -0.012709172051739994},
           5.43e-09},
          {0.00019573686982561061,
           {0.22776361402613549, -0.053881170837952554},
           {0.041025343267765829, -0.0095211677661750024},
           1.49e-08},
          {0.00042148769334407417,
           {0.26031894284452783, -0.059406105159916962},
           {0.043237650624859604, -0.0057204744654041706},
           5.71e-11},
          {0.0013874513374648786,
           {0.31334097599510397, -0.066387716813367484},
           {0.046322666677550431, -0.0067776817279293251},
           4.87e-11}}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const track_settings s = usual_settings();
        track_path p = path_in_zone(&s, 1e-3, 1.0);
        double logs[TRACK_SAMPLES + 1];
        track_limit limits[TRACK_POWERS];
        p.samples.count = TRACK_SAMPLES;
        p.lead.finite = cases[k].finite;
        for (int32_t j = 0; j < TRACK_SAMPLES; j++) {
            const sample *from = &cases[k].samples[j];
            p.samples.tau[j] = from->tau;
            p.samples.error[j] = from->error;
            memcpy(p.samples.lead[j], from->lead, sizeof from->lead);
            memcpy(p.samples.slope[j], from->slope, sizeof from->slope);
        }
        assert_int_equal(track_seeks_limit(&p), 1);
        for (int32_t j = 0; j <= TRACK_SAMPLES; j++)
            logs[j] = track_sample_log(&p, j);
        for (int32_t j = 1; j <= TRACK_POWERS; j++)
            limits[j - 1] = track_limit_for(&p, logs, j);
        track_find_limit(&s, &p, limits);
        assert_int_equal(p.limit.kind, cases[k].kind);
        assert_true(fabs(p.limit.size - cases[k].size) <= cases[k].most_error && p.limit.error <= cases[k].most_error);
    }
}

/* The ends of the turns of circles in d: of mult_griewank_osborne, start total, path 2, whose endpoint has multiplicity 3, and of
 * mult_kss5, path 2. */
static void vertex_closes_as_recorded(void **state)
{
    (void)state;
    const struct {
        int32_t vertex;
        double apart, extent, accuracy, first_accuracy, size;
        int32_t closes;
    } turns[] = {
        {8, 0.027263, 0.027263, 1.054e-15, 4.222e-15, 1.003, 0},
        {16, 0.029928, 0.03531, 9.281e-16, 4.222e-15, 1.0156, 0},
        {24, 1.1102e-16, 0.03531, 8.497e-16, 4.222e-15, 0.98163, 1},
        {8, 0.46523, 0.52944, 3.036e-12, 2.773e-12, 3.5662, 0},
        {16, 2.367e-13, 0.5409, 2.629e-12, 2.773e-12, 2.9882, 1},
    };
    for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
        const track_settings s = usual_settings();
        track_path p = path_in_zone(&s, 0x1p-15, 1.0);
        p.circle.radius = 0x1p-15;
        track_begin_circle(&s, &p);
        p.circle.vertex = turns[k].vertex;
        p.circle.extent = turns[k].extent;
        p.circle.first_accuracy = turns[k].first_accuracy;
        p.points.apart = turns[k].apart;
        p.points.plain_accuracy = turns[k].accuracy;
        p.scale.size = turns[k].size;
        assert_int_equal(track_at_vertex(&s, &p), turns[k].closes ? TRACK_DO_MEAN : TRACK_DO_PREDICT);
        assert_int_equal(p.course.leg, TRACK_ROUND);
    }
}

/* Ticks at means and at limits of rays: of mult_griewank_osborne, start total, path 2, from the first circle to the verdict, and the
 * last of mult_kss5, path 2. */
static void verify_decides_as_recorded(void **state)
{
    (void)state;
    const struct {
        int32_t prec, winding, settled, ray;
        double error, backward, newton, condition, first_condition;
        int32_t action, leg, ray_after, code; /* code 0: goes on */
    } ticks[] = {
        {1, 3, 0, TRACK_NO_RAY, 8.888e-15, 1.123e-16, 2.54e-18, 1.49183e+14, 1.91327, TRACK_DO_PREDICT, TRACK_IN,
         TRACK_NO_RAY, 0},
        {1, 3, 1, TRACK_NO_RAY, 2.203e-15, 1.802e-16, 9.817e-17, 8.91812e+13, 1.97833, TRACK_DO_PREDICT, TRACK_IN,
         TRACK_ON_RAY, 0},
        {4, 3, 1, TRACK_ON_RAY, 1e-31, 1.821e-24, 2.823e-45, 1.4859e+13, 2.16543, TRACK_DO_RETURN, TRACK_IN,
         TRACK_OFF_RAY, 0},
        {4, 3, 1, TRACK_OFF_RAY, 2.198e-33, 1.25e-44, 2.22e-49, 2.30571e+41, 2.13526, TRACK_DO_NOTHING, TRACK_ROUND,
         TRACK_OFF_RAY, PLUMB_PATH_SINGULAR},
        {4, 2, 1, TRACK_ON_RAY, 4.264e-31, 1.489e-35, 7.842e-31, 3.10344e+34, 3.02503e+11, TRACK_DO_NOTHING, TRACK_IN,
         TRACK_ON_RAY, PLUMB_PATH_SINGULAR},
    };
    for (size_t k = 0; k < sizeof ticks / sizeof *ticks; k++) {
        const track_settings s = usual_settings();
        track_path p = path_in_zone(&s, 0x1p-20, 1.0);
        p.precision.now = p.precision.wants = ticks[k].prec;
        p.course.leg = ticks[k].ray == TRACK_ON_RAY ? TRACK_IN : TRACK_ROUND;
        p.circle.radius = 0x1p-20;
        p.circle.vertices = 8;
        p.circle.first_condition = ticks[k].first_condition;
        p.mean.winding = ticks[k].winding;
        p.mean.settled = ticks[k].settled;
        p.mean.inward = 0.5;
        p.mean.error = p.ray.error = ticks[k].error;
        p.ray.circle_error = 2.2e-15;
        p.ray.state = ticks[k].ray;
        p.terms.backward = ticks[k].backward;
        p.corrector.plain_last = ticks[k].newton;
        p.corrector.plain_condition = ticks[k].condition;
        assert_int_equal(track_verify(&s, &p, 1), ticks[k].action);
        assert_int_equal(p.course.leg, ticks[k].leg);
        assert_int_equal(p.ray.state, ticks[k].ray_after);
        assert_int_equal(p.verdict.state == TRACK_DONE ? p.verdict.code : 0, ticks[k].code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judge_accepts_corrections_that_converge),
        cmocka_unit_test(judge_rejects_what_may_be_another_path),
        cmocka_unit_test(judge_gives_up_after_three_corrections),
        cmocka_unit_test(reject_corrects_the_newest_point_again),
        cmocka_unit_test(reject_changes_the_precision_at_noise_and_at_the_shortest_step),
        cmocka_unit_test(reject_ends_after_too_many_steps),
        cmocka_unit_test(factor_follows_the_order_of_the_prediction),
        cmocka_unit_test(settle_precision_at_its_limits),
        cmocka_unit_test(settle_precision_returns_after_calm_steps),
        cmocka_unit_test(near_end_unless_long_steps_reach_it),
        cmocka_unit_test(jump_is_tried_once_it_is_expected_to_hit),
        cmocka_unit_test(find_limit_tells_finite_from_falling),
        cmocka_unit_test(find_limit_needs_x0_below_that_of_any_root),
        cmocka_unit_test(sample_is_taken_when_tau_has_halved),
        cmocka_unit_test(arrive_tells_infinite_from_finite),
        cmocka_unit_test(needs_endgame_at_singular_ends),
        cmocka_unit_test(circle_closes_after_as_many_turns_as_the_winding_number),
        cmocka_unit_test(circle_is_left_if_it_does_not_close),
        cmocka_unit_test(circle_in_noise_takes_a_higher_precision),
        cmocka_unit_test(verify_decides_about_the_mean),
        cmocka_unit_test(judge_decides_as_recorded),
        cmocka_unit_test(find_limit_decides_as_recorded),
        cmocka_unit_test(vertex_closes_as_recorded),
        cmocka_unit_test(verify_decides_as_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
