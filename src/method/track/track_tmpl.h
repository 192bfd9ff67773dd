/* track_tmpl.h - the tick of a path, written once and compiled for each precision and machine; see track.h.
 *
 * The including file defines the team: a type track_team and the functions team_rank, team_size, team_max(team, x)
 * (the largest x of the team, returned to all its threads; not negative, and not NaN), team_most (the same for
 * integers), team_divide(team, a, b, count) (a[k] /= b[k] for numbers that all threads have), team_stretch (two of
 * track_stretch at once, for limits at most TRACK_STRETCHES factors apart), team_sync, team_agree
 * (the number of the first thread, returned to all) and team_board (memory of the team). On the CPU a team is one
 * thread, on a GPU a warp. The first thread alone decides and changes the path (decide.h); the others wait. TRACK_PART
 * declares the larger functions, and TRACK_ONCE those of them that most ticks pass and that are called at one place. */
#ifndef TRACK_PART
#define TRACK_PART static __attribute__((unused))
#endif
#ifndef TRACK_ONCE
#define TRACK_ONCE TRACK_PART
#endif

#include "arith/product.h"
#include "method/track/decide.h"
#include "method/track/predict_tmpl.h"

/* ---- Norms ------------------------------------------------------------------------------------------------------------ */

/* What entries of vectors are measured by at one point: |x|; or where norms are relative |x_i|, or what x_i changes by
 * in the step or until tau = 0, or a multiple of its noise, where that is larger. */
typedef struct TRACK(yardsticks) {
    lane whole, reach, floor;
    int relative;
} TRACK(yardsticks);

LANE_FN TRACK(yardsticks) TRACK(yardsticks_at)(const track_path *p, double reach)
{
    TRACK(yardsticks) y;
    y.whole = lane_set(p->scale.size);
    y.reach = lane_set(reach);
    y.floor = lane_set(track_floor(p));
    y.relative = track_is_relative(p) && p->trial.phase != TRACK_VERIFIES;
    return y;
}

/* That of the coordinate alone; infinite where norms are not relative. The three moduli are compared by their squares, which must not
 * underflow. */
LANE_FN lane TRACK(own_yardstick)(TRACK(yardsticks) y, track_heads x, track_heads slope, track_heads w)
{
    if (!y.relative)
        return lane_set((double)INFINITY);
    lane size = TRACK(larger)(TRACK(size_of)(x), lane_mul(TRACK(size_of)(slope), y.reach));
    lane_mask tiny = lane_lt(TRACK(larger)(size, lane_mul(TRACK(size_of)(w), y.floor)), lane_set(TRACK_TINY));
    lane up = lane_select(tiny, lane_set(TRACK_UP), lane_set(1.0)),
         down = lane_select(tiny, lane_set(TRACK_DOWN), lane_set(1.0));
    lane square = TRACK(larger)(TRACK(square)(x, up), TRACK(square)(slope, lane_mul(y.reach, up)));
    square = TRACK(larger)(square, TRACK(square)(w, lane_mul(y.floor, up)));
    return TRACK(larger)(lane_mul(lane_sqrt(square), down), lane_set(0x1p-960));
}

LANE_FN lane TRACK(yardstick)(TRACK(yardsticks) y, track_heads x, track_heads slope, track_heads w)
{
    lane over = TRACK(own_yardstick)(y, x, slope, w);
    return lane_select(lane_lt(over, y.whole), over, y.whole);
}

/* The yardsticks of the newest point, and those of the trial. The first correction after a jump to tau = 0, where x_i
 * may vanish, is measured by the point before it. */
typedef struct TRACK(both_yardsticks) {
    TRACK(yardsticks) trial, newest;
    int first_of_jump;
} TRACK(both_yardsticks);

/* What the yardsticks need that is known before the solution: a GPU computes it while least squares are at work. `own` and its inverse
 * are those of the newest point for the first entries of the thread. */
typedef struct TRACK(older) {
    double reach[2];
    int64_t first;
    lane own, inverse;
} TRACK(older);

LANE_FN TRACK(both_yardsticks) TRACK(both_yardsticks_of)(const track_path *p, const TRACK(older) * old)
{
    TRACK(both_yardsticks) y;
    y.trial = TRACK(yardsticks_at)(p, old->reach[0]);
    y.newest = TRACK(yardsticks_at)(p, old->reach[1]);
    y.first_of_jump = p->trial.jump && p->corrector.corrections == 0;
    return y;
}

LANE_FN lane TRACK(own_of_newest)(const track_path *p, TRACK(yardsticks) y, track_view v, int64_t i, int count)
{
    return TRACK(own_yardstick)(y, TRACK(heads)(v, TRACK_POINT + p->points.newest, i, count),
                                TRACK(heads)(v, TRACK_SLOPE + p->points.newest, i, count),
                                TRACK(heads)(v, TRACK_W, i, count));
}

LANE_FN TRACK(older) TRACK(older_of)(track_team team, const track_settings *s, const track_path *p, track_view v)
{
    const double left[2] = {track_tau_abs(p->trial.tau),
                            track_tau_abs(p->points.at[p->points.newest])}; /* at the end the slope is 0 */
    double over[2];
    TRACK(older) old;
    for (int32_t k = 0; k < 2; k++) {
        const int32_t steep = p->course.zone || p->trial.jump || left[k] == 0.0;
        old.reach[k] = steep ? 1.0 : p->trial.length;
        over[k] = steep ? TRACK_STEEPEST : left[k];
    }
    team_divide(team, old.reach, over, 2);
    old.first = (int64_t)team_rank(team) * LANE_WIDTH;
    old.own = old.inverse = lane_set(1.0);
    if (old.first < s->unknowns) {
        old.own = TRACK(own_of_newest)(p, TRACK(yardsticks_at)(p, old.reach[1]), v, old.first,
                                       TRACK_COUNT(old.first, s->unknowns));
        old.inverse = TRACK(quotient)(lane_set(1.0), old.own);
    }
    return old;
}

LANE_FN lane TRACK(yardstick_newest)(const track_path *p, TRACK(both_yardsticks) y, const TRACK(older) * old,
                                     track_view v, int64_t i, int count)
{
    const lane own = i == old->first ? old->own : TRACK(own_of_newest)(p, y.newest, v, i, count);
    return lane_select(lane_lt(own, y.newest.whole), own, y.newest.whole);
}

LANE_FN lane TRACK(yardstick_trial)(TRACK(both_yardsticks) y, track_view v, track_view solution, lane newest, int64_t i,
                                    int count)
{
    lane here = TRACK(yardstick)(y.trial, TRACK(heads)(v, TRACK_X, i, count), TRACK(heads)(solution, 1, i, count),
                                 TRACK(heads)(solution, 2, i, count));
    return y.first_of_jump ? TRACK(larger)(here, newest) : here;
}

/* w relative to x: over its yardstick, and without the phase of x, because a coordinate that behaves like a power of tau
 * only changes its size and phase. */
LANE_FN track_heads TRACK(relative)(track_heads w, track_heads x, lane over)
{
    const lane zero = lane_set(0.0), one = lane_set(1.0);
    lane modulus = TRACK(modulus)(x);
    lane_mask none = lane_lt(modulus, lane_set(0x1p-1000));
    lane inverse = TRACK(quotient)(one, lane_select(none, one, modulus));
    lane re = lane_select(none, one, lane_mul(x.re, inverse)), im = lane_select(none, zero, lane_mul(x.im, inverse));
    track_heads y = TRACK(times)(w, TRACK(quotient)(one, over)), turned;
    turned.re = lane_fma(y.re, re, lane_mul(y.im, im));
    turned.im = lane_fnma(y.re, im, lane_mul(y.im, re));
    return turned;
}

/* The first thread decides, from the path and arguments that all threads have; the others wait for what it has changed. */
#define TRACK_DECIDE(action, decision)         \
    do {                                       \
        team_sync(team);                       \
        if (team_rank(team) == 0)              \
            (action) = (decision);             \
        (action) = team_agree(team, (action)); \
    } while (0)

/* ---- What decisions ask for ------------------------------------------------------------------------------------------- */

/* What a jump from the newest point to tau = 0 would miss, relatively. miss is the error that a prediction in tau, not
 * in log(tau), would have had at this point; errors are products over the nodes of the interpolant if x is analytic at
 * tau = 0. If it is not, predictions in tau fail at any distance from there. */
LANE_FN double TRACK(expect_leap)(const track_path *p, double miss)
{
    double to = track_tau_abs(p->trial.tau), missed = miss;
    TRACK_ROLLED
    for (int32_t j = 0; j < p->points.history; j++) {
        const double *node = p->points.at[TRACK(place)(p, j)];
        double ratio = to / track_c_abs(track_tau_minus(p->trial.tau, node));
        miss *= ratio * ratio;
        to = track_tau_abs(node);
    }
    return miss > TRACK_LEAP_LEAST * missed ? miss : TRACK_LEAP_LEAST * missed;
}

/* The index of the largest coordinate of X, without x_0; the first one if there are several. */
LANE_FN int32_t TRACK(find_chief)(track_team team, const track_settings *s, track_view v)
{
    const int32_t n = (int32_t)s->unknowns, first = s->projective ? 1 : 0;
    int32_t left = 0; /* n minus the index, which is 0 before a number is found */
    double most = 0.0;
    TRACK_ROLLED
    for (int32_t i = first + (int32_t)team_rank(team); i < n; i += (int32_t)team_size(team)) {
        double size = track_c_abs(TRACK(entry)(v, TRACK_X, i));
        if (size > most || (left == 0 && size == 0.0)) {
            most = size;
            left = n - i;
        }
    }
    left = team_most(team, team_max(team, most) == most ? left : 0);
    return left > 0 ? n - left : first;
}

/* Notes y = x_0 / x_k and its slope tau dy/dtau, where x_k is the largest unknown when the zone is entered. y does not depend on
 * the patch, and is zero at infinity; in affine coordinates x_0 is 1. At tau = 0 the last correction of x_0 adds to its error. */
TRACK_PART void TRACK(note_lead)(const track_settings *s, track_path *p, track_view v, track_view solution)
{
    const int64_t k = p->lead.chief;
    const track_c one = track_c_of(1.0, 0.0), zero = track_c_of(0.0, 0.0);
    const track_c x = TRACK(entry)(v, TRACK_X, k), x0 = s->projective ? TRACK(entry)(v, TRACK_X, 0) : one;
    const track_c y = track_c_div(x0, x), slope0 = s->projective ? TRACK(entry)(solution, 1, 0) : zero;
    const track_c slope = track_c_div(track_c_sub(slope0, track_c_mul(y, TRACK(entry)(solution, 1, k))), x);
    double error = track_c_abs(TRACK(entry)(solution, 2, k)) / track_c_abs(x);
    if (s->projective)
        error += track_c_abs(TRACK(entry)(solution, 2, 0)) / track_c_abs(x0);
    p->lead.error = p->corrector.excess * track_noise(p->precision.now) * error;
    if (track_is_at_end(p) && p->trial.phase != TRACK_VERIFIES) /* corrections are measured by |x| there */
        p->lead.error += track_c_abs(TRACK(entry)(solution, 0, 0)) / track_c_abs(x0);
    p->lead.finite = track_c_abs(x0) / p->scale.size;
    p->lead.value[0] = y.re;
    p->lead.value[1] = y.im;
    p->lead.slope[0] = slope.re;
    p->lead.slope[1] = slope.im;
}

/* Chooses x_k when the zone is entered, and again if x_k is no longer one of the largest unknowns. */
TRACK_PART int32_t TRACK(choose_chief)(track_team team, const track_settings *s, const track_path *p, track_view v)
{
    const int32_t chief = TRACK(find_chief)(team, s, v);
    const double most = track_c_abs(TRACK(entry)(v, TRACK_X, chief));
    const int32_t stays =
        !p->course.entering && track_c_abs(TRACK(entry)(v, TRACK_X, p->lead.chief)) >= TRACK_CHIEF * most;
    return stays ? p->lead.chief : chief;
}

/* Multiplies all vectors of the path by a power of two. */
TRACK_PART void TRACK(change_unit)(track_team team, track_path *p, track_view v, int64_t n, double by)
{
    TRACK_EACH(i, n)
    for (int64_t column = 0; column < TRACK_VECTORS; column++) {
        int count = TRACK_COUNT(i, n);
        TRACK(put)(v, column, i, cplx_shift(TRACK(get)(v, column, i, count), lane_set(by)), count);
    }
    team_sync(team);
    if (team_rank(team) == 0) {
        p->scale.unit *= by;
        p->scale.size *= by;
    }
    team_sync(team);
}

#if LANE_WIDTH > 1
/* Increases miss[c], what the predictions in powers of tau^(1/c) miss, by some unknowns, one in each place of a lane: those that are
 * above their noise. Logarithms are relative to the newest point. */
LANE_FN void TRACK(miss_by)(const track_path *p, const track_weights *weights, track_view v, int64_t i, int count,
                            lane *miss)
{
    const track_heads newest = TRACK(heads)(v, TRACK_POINT + p->points.newest, i, count);
    const lane noise = lane_mul(lane_set(track_floor(p)), TRACK(modulus_of)(TRACK(heads)(v, TRACK_W, i, count)));
    const lane_mask clear = lane_lt(noise, TRACK(modulus_of)(newest));
    track_heads log[TRACK_HISTORY], rate[TRACK_HISTORY];
    for (int32_t j = 0; j < TRACK_HISTORY; j++) {
        const int32_t place = TRACK(place)(p, j);
        const track_heads x = TRACK(heads)(v, TRACK_POINT + place, i, count);
        const track_heads there = j == 0 ? TRACK(heads)(v, TRACK_X, i, count) : x;
        log[j] = TRACK(logarithm)(TRACK(quotient_of)(TRACK(minus)(there, newest), newest));
        rate[j] = TRACK(quotient_of)(TRACK(heads)(v, TRACK_SLOPE + place, i, count), x);
    }
    for (int32_t c = 0; c < TRACK_PREDICTORS; c++) {
        track_heads off = log[0];
        for (int32_t j = 0; j < TRACK_HISTORY; j++) {
            if (j > 0)
                off = TRACK(minus)(off, TRACK(product_of)(TRACK(spread)(weights[c].a[j]), log[j]));
            off = TRACK(minus)(off, TRACK(product_of)(TRACK(spread)(weights[c].b[j]), rate[j]));
        }
        const lane square = lane_add(lane_mul(off.re, off.re), lane_mul(off.im, off.im));
        miss[c] = lane_select(clear, TRACK(most_of)(miss[c], square), miss[c]);
    }
}
#else
/* Computes log(x / newest point) and the rate of change of log(x) for some unknowns: log[0] is that of X, because that of
 * the newest point is 0. Logarithms take long, so each thread computes some of all. */
TRACK_PART void TRACK(take_logs)(track_team team, const track_path *p, track_view v, int64_t first, int32_t count)
{
    track_board *board = team_board(team);
    const int32_t size = (int32_t)team_size(team);
    int32_t i = (int32_t)team_rank(team), j = 0;
    TRACK_ROLLED
    for (;;) {
        for (; i >= count && j < TRACK_HISTORY; i -= count)
            j++;
        if (j == TRACK_HISTORY)
            return;
        const int32_t place = TRACK(place)(p, j);
        const track_c newest = TRACK(entry)(v, TRACK_POINT + p->points.newest, first + i);
        const track_c x = TRACK(entry)(v, TRACK_POINT + place, first + i);
        const track_c there = j == 0 ? TRACK(entry)(v, TRACK_X, first + i) : x;
        if (j == 0) /* whether it is above its noise */
            board->clear[i] = track_c_abs(newest) > track_floor(p) * track_c_abs(TRACK(entry)(v, TRACK_W, first + i));
        board->log[i][j] = track_c_log(track_c_div(track_c_sub(there, newest), newest));
        board->rate[i][j] = track_c_div(TRACK(entry)(v, TRACK_SLOPE + place, first + i), x);
        i += size;
    }
}

#endif

/* Chooses in what the next predictions are made: in log(tau), or in powers of tau^(1/c) with the c that would have predicted X
 * best. A choice that is the best as far as doubles can show stays. */
TRACK_PART void TRACK(choose_power)(track_team team, track_path *p, track_view v, int64_t n)
{
    track_board *board = team_board(team);
    double miss[TRACK_PREDICTORS], least = (double)INFINITY; /* squares */
    int32_t power = 0, stays = 0;
    TRACK(weigh)(team, p, 1);
    const TRACK(ways) l = TRACK(ways_on)(board);
    TRACK_ROLLED
    for (int32_t c = 1 + (int32_t)team_rank(team); c < TRACK_PREDICTORS; c += (int32_t)team_size(team))
        board->weights[c] = TRACK(weigh_powers)(&l, c);
#if LANE_WIDTH > 1
    lane missed[TRACK_PREDICTORS];
    for (int32_t c = 0; c < TRACK_PREDICTORS; c++)
        missed[c] = lane_set(0.0);
    TRACK_EACH(i, n)
    TRACK(miss_by)(p, board->weights, v, i, TRACK_COUNT(i, n), missed);
    for (int32_t c = 0; c < TRACK_PREDICTORS; c++)
        miss[c] = TRACK(top)(missed[c]);
#else
    for (int32_t c = 0; c < TRACK_PREDICTORS; c++)
        miss[c] = 0.0;
    TRACK_ROLLED
    for (int64_t first = 0; first < n; first += TRACK_TOGETHER) {
        const int32_t count = n - first < TRACK_TOGETHER ? (int32_t)(n - first) : (int32_t)TRACK_TOGETHER;
        team_sync(team);
        TRACK(take_logs)(team, p, v, first, count);
        team_sync(team);
        TRACK_ROLLED
        for (int32_t i = (int32_t)team_rank(team); i < count; i += (int32_t)team_size(team)) {
            const track_c *logs = board->log[i], *rates = board->rate[i];
            for (int32_t c = 0; c < TRACK_PREDICTORS && board->clear[i]; c++) {
                const track_weights *w = &board->weights[c];
                track_c off = track_c_sub(logs[0], track_c_mul(w->b[0], rates[0]));
                for (int32_t j = 1; j < TRACK_HISTORY; j++) {
                    off = track_c_sub(off, track_c_mul(w->a[j], logs[j]));
                    off = track_c_sub(off, track_c_mul(w->b[j], rates[j]));
                }
                miss[c] = track_larger(miss[c], off.re * off.re + off.im * off.im);
            }
        }
    }
#endif
    for (int32_t c = 0; c < TRACK_PREDICTORS; c++) {
        const double most = team_max(team, miss[c]);
        if (most < least) {
            least = most;
            power = c;
        }
        stays |= c > 0 && c == p->predictor.power && most <= TRACK_UNCLEAR * TRACK_UNCLEAR;
    }
    team_sync(team);
    if (team_rank(team) == 0)
        p->predictor.power = stays ? p->predictor.power : power;
    team_sync(team);
}

/* True if the prediction of X shows how good others would have been. */
LANE_FN int TRACK(looks)(const track_path *p)
{
    return p->course.zone && p->course.leg == TRACK_WALK && !p->trial.jump && p->trial.phase == TRACK_STEPS &&
           p->points.history > 1;
}

/* Makes X, with its slope and w, the newest point. */
TRACK_ONCE void TRACK(keep)(track_team team, const track_settings *s, track_path *p, track_view v, track_view solution,
                            const TRACK(older) * old)
{
    const int64_t n = s->unknowns;
    /* A point that was only corrected again takes its old place. */
    const int32_t before = p->points.newest,
                  again = p->trial.phase == TRACK_REFINES && !p->circle.returned && p->points.history > 0;
    const int32_t fresh = again ? before : (before + 1) % TRACK_HISTORY,
                  single = p->trial.phase != TRACK_STEPS && !again;
    const int looks = TRACK(looks)(p), at_end = track_is_at_end(p);
    const track_weights *w = looks ? TRACK(weigh)(team, p, 0) : NULL;
    const TRACK(both_yardsticks) by = TRACK(both_yardsticks_of)(p, old);
    lane apart = lane_set(0.0), slope = apart, miss = apart;
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        cplx newest = TRACK(get)(v, TRACK_POINT + before, i, count);
        track_heads way = TRACK(heads_of)(cplx_sub(TRACK(get)(v, TRACK_X, i, count), newest));
        lane over_newest = TRACK(yardstick_newest)(p, by, old, v, i, count);
        lane here = TRACK(yardstick_trial)(by, v, solution, over_newest, i, count);
        lane over = p->points.history > 0 ? TRACK(larger)(here, over_newest) : here;
        if (looks) {
            track_heads off;
            TRACK(increments)(p, w, 1, v, newest, i, count, &off);
            off = TRACK(minus)(off, way);
            miss = TRACK(most_of)(miss, TRACK(quotient)(TRACK(size_of)(off), here));
        }
        apart = TRACK(most_of)(apart, TRACK(quotient)(TRACK(size_of)(way), over));
        slope = TRACK(most_of)(slope, TRACK(size_of)(TRACK(heads)(solution, 1, i, count)));
    }
    const double missed = looks ? team_max(team, TRACK(top)(miss)) : 0.0;
    const double apart_most = team_max(team, TRACK(top)(apart)), slope_most = team_max(team, TRACK(top)(slope));
    const int32_t samples = p->course.zone && p->course.leg == TRACK_WALK && !at_end && s->moving != TRACK_RATES;
    const int32_t chief = samples ? TRACK(choose_chief)(team, s, p, v) : p->lead.chief;
    team_sync(team);
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        TRACK(put)(v, TRACK_POINT + fresh, i, TRACK(get)(v, TRACK_X, i, count), count);
        TRACK(put)(v, TRACK_SLOPE + fresh, i, TRACK(get)(solution, 1, i, count), count);
        TRACK(put)(v, TRACK_W, i, TRACK(get)(solution, 2, i, count), count);
    }
    if (team_rank(team) == 0) {
        if (!again)
            p->predictor.leap = looks ? TRACK(expect_leap)(p, missed) : -1.0;
        p->points.newest = fresh;
        p->samples.count = chief == p->lead.chief ? p->samples.count : 0;
        p->lead.chief = chief;
        if (p->course.zone || at_end)
            TRACK(note_lead)(s, p, v, solution);
        track_tau_copy(p->points.at[fresh], p->trial.tau);
        p->points.history = single                                        ? 1
                            : p->points.history < TRACK_HISTORY && !again ? p->points.history + 1
                                                                          : p->points.history;
        p->points.apart = apart_most;
        p->points.slope = slope_most / p->scale.size;
        p->points.had_lost = p->terms.lost;
    }
    team_sync(team);
    const double factor = track_change_of_unit(s, p);
    if (factor != 1.0)
        TRACK(change_unit)(team, p, v, n, factor);
}

/* Computes the limit of x_0 / x_k for each c, and goes on. */
TRACK_PART int32_t TRACK(find_limit)(track_team team, const track_settings *s, track_path *p)
{
    track_board *board = team_board(team);
    const int32_t rank = (int32_t)team_rank(team), size = (int32_t)team_size(team);
    int32_t action = TRACK_DO_NOTHING;
    team_sync(team);
    TRACK_ROLLED
    for (int32_t j = rank; j <= TRACK_SAMPLES; j += size)
        board->logs[j] = track_sample_log(p, j);
    team_sync(team);
    TRACK_ROLLED
    for (int32_t c = 1 + rank; c <= TRACK_POWERS; c += size)
        board->limits[c - 1] = track_limit_for(p, board->logs, c);
    team_sync(team);
    if (rank == 0)
        track_find_limit(s, p, board->limits);
    TRACK_DECIDE(action, track_go_on(s, p, 0));
    return action;
}

TRACK_PART void TRACK(start_circle)(track_team team, const track_path *p, track_view v, int64_t n)
{
    const cplx zero = cplx_make(real_set(0.0), real_set(0.0));
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        TRACK(put)(v, TRACK_LOOP, i, TRACK(get)(v, TRACK_POINT + p->points.newest, i, count), count);
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
        cplx x = cplx_sub(TRACK(get)(v, TRACK_POINT + p->points.newest, i, count), TRACK(get)(v, TRACK_LOOP, i, count));
        cplx sum = TRACK(get)(v, TRACK_SUM, i, count), alternate = TRACK(get)(v, TRACK_ALTERNATE, i, count);
        TRACK(put)(v, TRACK_SUM, i, cplx_add(sum, x), count);
        TRACK(put)
        (v, TRACK_ALTERNATE, i, p->circle.vertex & 1 ? cplx_sub(alternate, x) : cplx_add(alternate, x), count);
        apart = TRACK(most_size)(apart, x, count);
    }
    apart = team_max(team, apart);
    team_sync(team);
    if (team_rank(team) == 0)
        p->points.apart = apart;
}

/* Moves X towards the newest point, by a thousandth of its distance. */
TRACK_PART double TRACK(step_beside)(track_team team, const track_path *p, track_view v, int64_t n)
{
    double size = 0.0;
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        cplx x = TRACK(get)(v, TRACK_X, i, count),
             way = cplx_sub(TRACK(get)(v, TRACK_POINT + p->points.newest, i, count), x);
        x = cplx_add(x, cplx_shift(way, lane_set(TRACK_BESIDE)));
        TRACK(put)(v, TRACK_X, i, x, count);
        size = TRACK(most_modulus)(size, x, count);
    }
    return track_larger(team_max(team, size), p->scale.least_size);
}

/* Computes the mean of the circle, and decides by it. */
TRACK_PART int32_t TRACK(mean)(track_team team, const track_settings *s, track_path *p, track_view v)
{
    const int64_t n = s->unknowns;
    int32_t action = TRACK_DO_NOTHING;
    const real share = real_inv(real_set((double)p->circle.vertex));
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
    alternate = team_max(team, alternate) / (double)p->circle.vertex;
    TRACK_DECIDE(action, track_closed(s, p, size, alternate, change));
    return action;
}

/* Computes the limit of the ray, and decides by it: the value at u = 0 of the polynomial of degree 5 in u through the three
 * newest points, all of them stations, and their slopes. z_j = u_j / u_0 are powers of two. With the Lagrange polynomials
 * l_j at 0, x_j has the weight (1 + 2 z_j l_j'(z_j)) l_j^2, and the slope tau dx/dtau there the weight -c l_j^2. */
TRACK_PART int32_t TRACK(approach)(track_team team, const track_settings *s, track_path *p, track_view v)
{
    const int64_t n = s->unknowns;
    const double newest = p->points.at[p->points.newest][0];
    int32_t action = TRACK_DO_NOTHING, place[TRACK_HISTORY];
    real z[TRACK_HISTORY], of_point[TRACK_HISTORY], of_slope[TRACK_HISTORY];
    double ratio = 1.0;
    for (int32_t j = 0; j < TRACK_HISTORY; j++) {
        place[j] = TRACK(place)(p, j);
        const int32_t halvings = (track_exponent(p->points.at[place[j]][0]) - track_exponent(newest)) / p->mean.winding;
        ratio = track_power_of_two(-halvings);
        z[j] = real_set(track_power_of_two(halvings));
    }
    for (int32_t j = 0; j < TRACK_HISTORY; j++) {
        real l = real_set(1.0), slope = real_set(0.0);
        for (int32_t k = 0; k < TRACK_HISTORY; k++) {
            if (k == j)
                continue;
            const real inverse = real_inv(real_sub(z[j], z[k]));
            l = real_mul(l, real_mul(z[k], inverse));
            slope = real_add(slope, inverse);
        }
        l = real_mul(l, l);
        slope = real_mul(real_mul(z[j], slope), l);
        of_point[j] = real_add(l, real_add(slope, slope));
        of_slope[j] = real_mul(real_set(-(double)p->mean.winding), l);
    }
    double size = 0.0, change = 0.0, apart = 0.0;
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        const cplx x = TRACK(get)(v, TRACK_POINT + p->points.newest, i, count);
        cplx sum = cplx_mul_real(TRACK(get)(v, TRACK_SLOPE + p->points.newest, i, count), of_slope[0]);
        for (int32_t j = 1; j < TRACK_HISTORY; j++) {
            const cplx way = cplx_sub(TRACK(get)(v, TRACK_POINT + place[j], i, count), x);
            sum = cplx_add(sum, cplx_mul_real(way, of_point[j]));
            sum = cplx_add(sum, cplx_mul_real(TRACK(get)(v, TRACK_SLOPE + place[j], i, count), of_slope[j]));
        }
        const cplx limit = cplx_add(x, sum);
        change = TRACK(most_size)(change, cplx_sub(limit, TRACK(get)(v, TRACK_SUM, i, count)), count);
        apart = TRACK(most_size)(apart, cplx_sub(limit, TRACK(get)(v, TRACK_MEAN, i, count)), count);
        size = TRACK(most_size)(size, limit, count);
        TRACK(put)(v, TRACK_SUM, i, limit, count);
    }
    size = team_max(team, size);
    change = team_max(team, change);
    apart = team_max(team, apart);
    TRACK_DECIDE(action, track_approached(s, p, size, change, apart, ratio));
    return action;
}

/* ---- One tick --------------------------------------------------------------------------------------------------------- */

/* X += dx, unless X is only being verified; updates |x|. */
TRACK_ONCE void TRACK(add)(track_team team, const track_settings *s, track_path *p, track_view v, track_view solution,
                           int solved)
{
    const int moves = solved && p->trial.phase != TRACK_VERIFIES;
    double size = 0.0;
    TRACK_EACH(i, s->unknowns)
    {
        int count = TRACK_COUNT(i, s->unknowns);
        cplx x = TRACK(get)(v, TRACK_X, i, count), dx = TRACK(get)(solution, 0, i, count); /* loaded at once */
        if (moves)
            x = cplx_add(x, dx);
        TRACK(put)(v, TRACK_X, i, x, count);
        size = TRACK(most_modulus)(size, x, count);
    }
    size = track_larger(team_max(team, size), p->scale.least_size);
    TRACK(set_size)(team, p, p->trial.phase == TRACK_VERIFIES && size < p->circle.extent ? p->circle.extent : size);
}

/* In the zone w grows like a power of 1 / tau where the endpoint is singular, and its entries turn with those of x; only
 * other changes of its direction count. m has the norms of w at both points. */
TRACK_ONCE double TRACK(bend_of_powers)(track_team team, const track_settings *s, const track_path *p, track_view v,
                                        track_view solution, TRACK(both_yardsticks) by, const TRACK(older) * old,
                                        const track_measures *m)
{
    const int64_t n = s->unknowns;
    double grown[] = {m->w, m->plain_w}, from[] = {m->w_newest, m->plain_newest};
    team_divide(team, grown, from, 2);
    lane most = lane_set(0.0), plain_most = most;
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        lane over_newest = TRACK(yardstick_newest)(p, by, old, v, i, count);
        lane over = TRACK(yardstick_trial)(by, v, solution, over_newest, i, count);
        track_heads w = TRACK(heads)(solution, 2, i, count), newest = TRACK(heads)(v, TRACK_W, i, count);
        track_heads apart = TRACK(minus)(w, TRACK(times)(newest, lane_set(grown[1])));
        plain_most = TRACK(most_of)(plain_most, TRACK(size_of)(apart));
        w = TRACK(relative)(w, TRACK(heads)(v, TRACK_X, i, count), over);
        newest = TRACK(relative)(newest, TRACK(heads)(v, TRACK_POINT + p->points.newest, i, count), over_newest);
        apart = TRACK(minus)(w, TRACK(times)(newest, lane_set(grown[0])));
        most = TRACK(most_of)(most, TRACK(size_of)(apart));
    }
    double bend[] = {team_max(team, TRACK(top)(most)), team_max(team, TRACK(top)(plain_most))};
    const double of[] = {m->w, m->plain_w * p->scale.size};
    team_divide(team, bend, of, 2);
    return track_larger(bend[0], bend[1]);
}

/* Corrects X and returns the norms that the decisions need. At tau = 0 entries of w are measured by |x|: coordinates
 * that vanish there change relatively to each other until the end. Changes of w between two points are measured by the
 * larger yardstick of both. */
TRACK_ONCE track_measures TRACK(correct)(track_team team, const track_settings *s, track_path *p, track_view v,
                                         track_view solution, const TRACK(older) * old, int solved)
{
    const int64_t n = s->unknowns;
    track_measures m;
    TRACK(add)(team, s, p, v, solution, solved);
    if (p->trial.phase == TRACK_VERIFIES && team_rank(team) == 0)
        TRACK(note_lead)(s, p, v, solution);
    team_sync(team);
    const TRACK(both_yardsticks) by = TRACK(both_yardsticks_of)(p, old);
    const int at_end = track_is_at_end(p), again = p->corrector.corrections > 0;
    const lane one = lane_set(1.0), whole = lane_set(1.0 / p->scale.size);
    lane dx = lane_set(0.0), w = dx, newest = dx, before = dx, change = dx, apart = dx;
    lane plain_dx = dx, plain_w = dx, plain_newest = dx, plain_before = dx, plain_change = dx, plain_apart = dx;
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        lane over_newest = TRACK(yardstick_newest)(p, by, old, v, i, count), inverse_newest = old->inverse;
        if (i == old->first) /* the quotient of what it was known to be, or of the whole */
            inverse_newest = lane_select(lane_lt(old->own, by.newest.whole), inverse_newest, whole);
        else
            inverse_newest = TRACK(quotient)(one, over_newest);
        lane over = TRACK(yardstick_trial)(by, v, solution, over_newest, i, count);
        lane inverse = TRACK(quotient)(one, over);
        lane size = TRACK(size_of)(TRACK(heads)(solution, 0, i, count));
        dx = TRACK(most_of)(dx, lane_mul(size, inverse));
        plain_dx = TRACK(most_of)(plain_dx, size);
        if (at_end)
            inverse = inverse_newest = whole;
        track_heads w_here = TRACK(heads)(solution, 2, i, count), w_newest = TRACK(heads)(v, TRACK_W, i, count);
        size = TRACK(size_of)(w_here);
        w = TRACK(most_of)(w, lane_mul(size, inverse));
        plain_w = TRACK(most_of)(plain_w, size);
        size = TRACK(size_of)(w_newest);
        newest = TRACK(most_of)(newest, lane_mul(size, inverse_newest));
        plain_newest = TRACK(most_of)(plain_newest, size);
        size = TRACK(size_of)(TRACK(minus)(w_here, w_newest));
        apart = TRACK(most_of)(apart,
                               lane_mul(size, lane_select(lane_lt(inverse, inverse_newest), inverse, inverse_newest)));
        plain_apart = TRACK(most_of)(plain_apart, size);
        if (again) {
            track_heads w_before = TRACK(heads)(v, TRACK_W_TRIAL, i, count);
            size = TRACK(size_of)(w_before);
            before = TRACK(most_of)(before, lane_mul(size, inverse));
            plain_before = TRACK(most_of)(plain_before, size);
            size = TRACK(size_of)(TRACK(minus)(w_here, w_before));
            change = TRACK(most_of)(change, lane_mul(size, inverse));
            plain_change = TRACK(most_of)(plain_change, size);
        }
        TRACK(put)(v, TRACK_W_TRIAL, i, TRACK(get)(solution, 2, i, count), count);
    }
    m.dx = team_max(team, TRACK(top)(dx));
    m.w = team_max(team, TRACK(top)(w));
    m.w_newest = team_max(team, TRACK(top)(newest));
    double plain[] = {team_max(team, TRACK(top)(plain_dx)), team_max(team, TRACK(top)(plain_w)),
                      team_max(team, TRACK(top)(plain_newest))};
    const double size[] = {p->scale.size, p->scale.size, p->scale.size};
    team_divide(team, plain, size, 3);
    m.plain_dx = plain[0];
    m.plain_w = plain[1];
    m.plain_newest = plain[2];
    /* All terms of an equation may vanish at the start, so entries of w that belong to it change in the first step. */
    double changes[] = {p->count.steps == 0 ? 0.0 : team_max(team, TRACK(top)(apart)),
                        team_max(team, TRACK(top)(plain_apart)), 0.0, 0.0};
    double of[] = {p->count.steps == 0 ? 1.0 : track_larger(m.w, m.w_newest),
                   track_larger(m.plain_w, m.plain_newest) * p->scale.size, 1.0, 1.0};
    if (again) {
        changes[2] = team_max(team, TRACK(top)(change));
        changes[3] = team_max(team, TRACK(top)(plain_change));
        of[2] = track_larger(m.w, team_max(team, TRACK(top)(before)));
        of[3] = track_larger(m.plain_w * p->scale.size, team_max(team, TRACK(top)(plain_before)));
    }
    team_divide(team, changes, of, 4);
    m.change = again ? track_larger(changes[2], changes[3]) : 0.0;
    if ((p->course.zone || track_is_framed(p)) && track_is_relative(p) && !at_end && m.w_newest > 0.0 && m.w > 0.0 &&
        m.w < (double)INFINITY)
        m.bend = TRACK(bend_of_powers)(team, s, p, v, solution, by, old, &m);
    else
        m.bend = track_larger(changes[0], changes[1]);
    return m;
}

/* Corrects X and judges it; returns the action that follows. */
TRACK_ONCE int32_t TRACK(judge)(track_team team, const track_settings *s, track_path *p, track_view v,
                                track_view solution, const TRACK(older) * old, int64_t info)
{
    int32_t action = TRACK_DO_NOTHING;
    const track_measures m = TRACK(correct)(team, s, p, v, solution, old, info == 0);
    TRACK_DECIDE(action, track_judge(s, p, &m, info));
    if (action == TRACK_DO_ACCEPT && TRACK(looks)(p) && s->moving != TRACK_RATES && TRACK(is_spread)(p))
        TRACK(choose_power)(team, p, v, s->unknowns);
    return action;
}

/* Computes what the decision about an accepted point divides, and the factor of its next step. */
TRACK_ONCE track_accepting TRACK(accepting)(track_team team, const track_settings *s, const track_path *p)
{
    track_accepting by;
    double a[] = {p->corrector.first, p->corrector.change, p->corrector.bend,   TRACK_LEAST_FACTOR,
                  TRACK_MOST_FACTOR,  p->corrector.bend,   p->corrector.change, p->corrector.plain_condition};
    const double b[] = {TRACK_TARGET,
                        TRACK_CHANGE_TARGET,
                        TRACK_TURN_TARGET * s->turn,
                        s->shorten,
                        s->shorten,
                        p->points.apart > 0.0 ? p->points.apart : 1.0,
                        p->corrector.first > 0.0 ? p->corrector.first : 1.0,
                        p->corrector.condition};
    team_divide(team, a, b, 8);
    const double error[] = {track_larger(a[0], a[1]), a[2]}, least[] = {a[3], TRACK_LEAST_FACTOR},
                 most[] = {a[4], TRACK_MOST_FACTOR};
    const int32_t order[] = {p->predictor.order, 1};
    double factor[2];
    team_stretch(team, error, order, least, most, factor);
    by.factor = s->shorten * factor[0] < factor[1] ? s->shorten * factor[0] : factor[1];
    by.along = a[5];
    by.across = a[6];
    by.plainly = a[7];
    return by;
}

/* Carries out an action, and those that follow from it. Returns TRACK_DO_NOTHING; or with `pauses`, an action that takes
 * long and is left for another call, so that the path delays no other. */
TRACK_ONCE int32_t TRACK(act)(track_team team, const track_settings *s, track_path *p, track_view v,
                              track_view solution, const TRACK(older) * old, int32_t action, int32_t pauses)
{
    const int64_t n = s->unknowns;
    if (action == TRACK_DO_ACCEPT) {
        TRACK(keep)(team, s, p, v, solution, old);
        const track_accepting by = TRACK(accepting)(team, s, p);
        TRACK_DECIDE(action, track_accepted(s, p, &by));
        if (action == TRACK_DO_LIMIT && pauses)
            return action;
    }
    if (action == TRACK_DO_LIMIT)
        action = TRACK(find_limit)(team, s, p);
    if (action == TRACK_DO_VERTEX) {
        TRACK(add_vertex)(team, p, v, n);
        TRACK_DECIDE(action, track_at_vertex(s, p));
    }
    if (action == TRACK_DO_MEAN)
        action = TRACK(mean)(team, s, p, v);
    if (action == TRACK_DO_APPROACH)
        action = TRACK(approach)(team, s, p, v);
    if (action == TRACK_DO_CIRCLE) {
        TRACK(start_circle)(team, p, v, n);
        TRACK_DECIDE(action, track_to_vertex(p));
    }
    if (action == TRACK_DO_NOTHING)
        return action;
    const int64_t column = action == TRACK_DO_LOOK     ? (p->ray.state == TRACK_ON_RAY ? TRACK_SUM : TRACK_MEAN)
                           : action == TRACK_DO_RETURN ? TRACK_LOOP
                                                       : TRACK_POINT + p->points.newest;
    const double size = action == TRACK_DO_PREDICT   ? TRACK(predict)(team, p, v, n)
                        : action == TRACK_DO_FORESEE ? TRACK(foresee)(team, s, p, v)
                        : action == TRACK_DO_BESIDE  ? TRACK(step_beside)(team, p, v, n)
                                                     : TRACK(restore)(team, p, v, column, n);
    TRACK(set_size)(team, p, size);
    return TRACK_DO_NOTHING;
}

#include "method/track/ends_tmpl.h"
