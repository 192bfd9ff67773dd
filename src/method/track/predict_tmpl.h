/* predict_tmpl.h - the predictor: extrapolates the Hermite interpolant through the newest points and their slopes.
 * The nodes may be anywhere in the complex plane.
 *
 * With k points it is exact for polynomials of degree 2k - 1, so the error is of order 2k in the step. Weights and
 * increments are doubles: differences of points are formed in the precision of the path and then rounded, because a
 * relative error of 10^-16 in an increment is far below the error of the extrapolation. Only where Newton's method needs
 * predictions that are closer than that, at large condition numbers, are they made in the precision of the path.
 *
 * Near a singular endpoint x is a series in tau^(1/c), which is analytic in log(tau) at any distance from the
 * endpoint. There the nodes are log(tau) or, where that predicts better, powers of tau. Slopes are stored as derivatives
 * with respect to log(tau), tau dx/dtau, which are no larger than x there, however small tau is. */
#ifndef PLUMB_METHOD_TRACK_PREDICT_TMPL_H
#define PLUMB_METHOD_TRACK_PREDICT_TMPL_H

#include "method/track/vector_tmpl.h"
#if LANE_WIDTH > 1
#include "method/track/complex_tmpl.h"
#endif

LANE_FN int32_t TRACK(place)(const track_path *p, int32_t j)
{
    return (p->points.newest + TRACK_HISTORY - j) % TRACK_HISTORY;
}

/* The node of tau relative to the newest point. */
LANE_FN track_c TRACK(node)(const track_path *p, const double *tau, int logarithmic)
{
    const double *origin = p->points.at[p->points.newest];
    track_c apart = track_tau_minus(tau, origin);
    return logarithmic ? track_c_log(track_c_div(apart, track_c_of(origin[0], origin[2]))) : apart;
}

/* Computes the nodes, one per thread, because logarithms take long. */
TRACK_PART void TRACK(set_nodes)(track_team team, const track_path *p, int logarithmic)
{
    track_board *board = team_board(team);
    const int32_t count = p->points.history, rank = (int32_t)team_rank(team), size = (int32_t)team_size(team);
    team_sync(team);
    TRACK_ROLLED
    for (int32_t j = rank; j <= count; j += size)
        board->node[j] = TRACK(node)(p, j < count ? p->points.at[TRACK(place)(p, j)] : p->trial.tau, logarithmic);
    team_sync(team);
}

/* l_j are the Lagrange polynomials; a_j = (1 - 2 (t - t_j) l_j'(t_j)) l_j(t)^2, b_j = (t - t_j) l_j(t)^2. Each thread
 * computes the quotients of a pair of points, or 1 / t for the first pair, then the weights of a point.
 *
 * Singularities near the path limit the steps, and a polynomial does not follow a function towards its pole. A rational
 * function with one pole does: P / q with q = 1 + c (t - t_0), where P interpolates q x and c makes its leading coefficient
 * zero. With D, the linear functional that gives this coefficient, c = -D(x) / D((t - t_0) x), and the prediction is the
 * polynomial one plus H^2 / (L - H), where H and L are D(x) and D((t - t_0) x) times the product of all (t - t_j)^2 over
 * t - t_0 and over its square. weights[TRACK_HIGH] and weights[TRACK_LOW] are those of H and L. */
TRACK_PART const track_weights *TRACK(weigh)(track_team team, const track_path *p, int logarithmic)
{
    track_board *board = team_board(team);
    track_weights *w = board->weights, *high = w + TRACK_HIGH, *low = w + TRACK_LOW;
    const int32_t count = p->points.history, rank = (int32_t)team_rank(team), size = (int32_t)team_size(team);
    TRACK(set_nodes)(team, p, logarithmic);
    const track_c t = board->node[count], one = track_c_of(1.0, 0.0);
    TRACK_ROLLED
    for (int32_t pair = rank; pair < 2 * TRACK_HISTORY * TRACK_HISTORY; pair += size) {
        const int32_t which = pair % 2, j = pair / 2 / TRACK_HISTORY, k = pair / 2 % TRACK_HISTORY;
        if ((k == j && pair > 0) || j >= count || k >= count)
            continue;
        const track_c over = which || pair == 0 ? one : track_c_sub(t, board->node[k]);
        board->quotient[j][k][which] = track_c_div(over, pair == 0 ? t : track_c_sub(board->node[j], board->node[k]));
    }
    team_sync(team);
    TRACK_ROLLED
    for (int32_t j = rank; j < count; j += size) {
        const track_c inverse = board->quotient[0][0][0];
        track_c l = one, slope = track_c_of(0.0, 0.0);
        TRACK_ROLLED
        for (int32_t k = 0; k < count; k++) {
            if (k == j)
                continue;
            l = track_c_mul(l, board->quotient[j][k][0]);
            slope = track_c_add(slope, board->quotient[j][k][1]);
        }
        l = track_c_mul(l, l);
        const track_c back = track_c_mul(board->node[j], inverse), away = track_c_sub(one, back);
        w->b[j] = track_c_mul(track_c_sub(t, board->node[j]), l);
        w->a[j] = track_c_sub(l, track_c_scale(track_c_mul(w->b[j], slope), 2.0));
        const track_c b = track_c_mul(w->b[j], away);
        high->a[j] = track_c_scale(track_c_mul(b, slope), -2.0);
        low->a[j] = track_c_add(track_c_mul(high->a[j], back), track_c_mul(b, inverse));
        const double *tau = p->points.at[TRACK(place)(p, j)];
        if (!logarithmic)
            w->b[j] = track_c_div(w->b[j], track_c_of(tau[0], tau[2]));
        high->b[j] = track_c_mul(w->b[j], away);
        low->b[j] = track_c_mul(high->b[j], back);
    }
    team_sync(team);
    return w;
}

/* What the pole adds to a polynomial prediction; nothing if it would lie so near that the prediction depends on it. */
LANE_FN track_c TRACK(pole)(track_c high, track_c low)
{
    return track_c_abs(high) < TRACK_POLE * track_c_abs(low)
               ? track_c_div(track_c_mul(high, high), track_c_sub(low, high))
               : track_c_of(0.0, 0.0);
}

/* log(tau) of the trial and of the points, which are real, relative to the newest point. */
typedef struct TRACK(ways) {
    double trial, point[TRACK_HISTORY];
} TRACK(ways);

LANE_FN TRACK(ways) TRACK(ways_on)(const track_board *board)
{
    TRACK(ways) l;
    l.trial = board->node[TRACK_HISTORY].re;
    for (int32_t j = 0; j < TRACK_HISTORY; j++)
        l.point[j] = board->node[j].re;
    return l;
}

/* True if there are enough points, far enough apart, for interpolation in powers of tau^(1/c). */
LANE_FN int32_t TRACK(is_spread)(const track_path *p)
{
    if (p->points.history < TRACK_HISTORY)
        return 0;
    for (int32_t j = 1; j < TRACK_HISTORY; j++)
        if (!(track_tau_abs(p->points.at[TRACK(place)(p, j)]) >=
              TRACK_APART * track_tau_abs(p->points.at[TRACK(place)(p, j - 1)])))
            return 0;
    return 1;
}

/* The weights of the interpolant that is a combination of log(tau) and of u^0, ..., u^4 with u = tau^(1/c), through three
 * points. It is exact for the logarithm of tau^v (b_0 + b_1 u + ...) up to terms of degree 5, and becomes more accurate
 * with every step, where one in log(tau) alone does not. H, the interpolant of degree 5 in u, has the coefficient D(f) of
 * u^5, which is linear in f; f - v log(tau) has none for v = D(f) / D(log(tau)), so that the interpolant is
 * H(f) + D(f) (log(tau) - H(log(tau))) / D(log(tau)). */
TRACK_PART track_weights TRACK(weigh_powers)(const TRACK(ways) * l, int32_t c)
{
    track_weights w;
    double node[TRACK_HISTORY], a[TRACK_HISTORY], b[TRACK_HISTORY], high_a[TRACK_HISTORY], high_b[TRACK_HISTORY];
    double t = track_c_exp(track_c_of(l->trial / c, 0.0)).re, miss = l->trial, high = 0.0;
    double inverse[TRACK_HISTORY];              /* of the distances of points 0 and 1, 1 and 2, 2 and 0 */
    for (int32_t j = 0; j < TRACK_HISTORY; j++) /* u / u_0 - 1 */
        node[j] = j == 0 ? 0.0 : track_c_exp(track_c_of(l->point[j] / c, 0.0)).re;
    for (int32_t j = 0; j < TRACK_HISTORY; j++)
        inverse[j] = 1.0 / (node[j] - node[(j + 1) % TRACK_HISTORY]);
    for (int32_t j = 0; j < TRACK_HISTORY; j++) {
        double share = 1.0, factor = 1.0, slope = 0.0, stretch = c / (1.0 + node[j]);
        for (int32_t k = 0; k < TRACK_HISTORY; k++) {
            if (k == j)
                continue;
            double apart = (j + 1) % TRACK_HISTORY == k ? inverse[j] : -inverse[k];
            share *= (t - node[k]) * apart;
            factor *= apart;
            slope += apart;
        }
        share *= share;
        factor *= factor;
        b[j] = (t - node[j]) * share;
        a[j] = share - 2.0 * slope * b[j];
        b[j] *= stretch;
        high_a[j] = -2.0 * slope * factor;
        high_b[j] = factor * stretch;
        miss -= a[j] * l->point[j] + b[j];
        high += high_a[j] * l->point[j] + high_b[j];
    }
    const double part = miss / high;
    for (int32_t j = 0; j < TRACK_HISTORY; j++) {
        w.a[j] = track_c_of(a[j] + part * high_a[j], 0.0);
        w.b[j] = track_c_of(b[j] + part * high_b[j], 0.0);
    }
    return w;
}

/* True if the next prediction is made in powers of tau^(1/c). */
LANE_FN int TRACK(is_in_powers)(const track_path *p)
{
    return p->predictor.logarithmic && p->course.leg != TRACK_ROUND && p->predictor.power > 0 && TRACK(is_spread)(p);
}

/* The weights of the next prediction. */
LANE_FN const track_weights *TRACK(weigh_next)(track_team team, const track_path *p)
{
    if (!TRACK(is_in_powers)(p))
        return TRACK(weigh)(team, p, p->predictor.logarithmic);
    track_board *board = team_board(team);
    TRACK(set_nodes)(team, p, 1);
    const TRACK(ways) l = TRACK(ways_on)(board);
    if (team_rank(team) == 0)
        board->weights[0] = TRACK(weigh_powers)(&l, p->predictor.power);
    team_sync(team);
    return board->weights;
}

LANE_FN track_heads TRACK(add_times)(track_heads sum, track_c w, track_heads x)
{
    lane re = lane_set(w.re), im = lane_set(w.im);
    sum.re = lane_fnma(im, x.im, lane_fma(re, x.re, sum.re));
    sum.im = lane_fma(im, x.re, lane_fma(re, x.im, sum.im));
    return sum;
}

/* Sums of entries i, i + 1, ... with this many weights: with the first ones, the increment from the newest point to
 * p->trial.tau. */
LANE_FN void TRACK(increments)(const track_path *p, const track_weights *w, int sums, track_view v, cplx newest,
                               int64_t i, int count, track_heads *sum)
{
    for (int k = 0; k < sums; k++)
        sum[k].re = sum[k].im = lane_set(0.0);
    TRACK_ROLLED
    for (int32_t j = 0; j < p->points.history; j++) {
        const int32_t place = TRACK(place)(p, j);
        const track_heads slope = TRACK(heads)(v, TRACK_SLOPE + place, i, count);
        const track_heads apart = TRACK(heads_of)(cplx_sub(TRACK(get)(v, TRACK_POINT + place, i, count), newest));
        for (int k = 0; k < sums; k++) {
            if (j > 0)
                sum[k] = TRACK(add_times)(sum[k], w[k].a[j], apart);
            sum[k] = TRACK(add_times)(sum[k], w[k].b[j], slope);
        }
    }
}

/* In a frame an unknown may turn several times from one point to another. Returns the whole turns that the logarithm of x_j / x
 * lacks, by the mean of its slopes at both points. */
LANE_FN double TRACK(whole_turns)(const track_path *p, int32_t j, double slope, double turned)
{
    const double from = track_tau_abs(p->points.at[p->points.newest]),
                 to = track_tau_abs(p->points.at[TRACK(place)(p, j)]);
    const double turn = 6.283185307179586, lacks = (slope * 2.0 * (to - from) / (to + from) - turned) / turn;
    return lacks > -1e6 && lacks < 1e6 ? turn * (double)(int32_t)(lacks < 0.0 ? lacks - 0.5 : lacks + 0.5) : 0.0;
}

/* The increment of one entry in the zone, where log(x_i) is interpolated: x_i behaves like a power of tau. If x_i is
 * not above the noise or comes near zero on the way, it does not, and *increment keeps what it was. apart[j] is x_i at
 * node j minus x, its value at the newest point; slope[j] its derivative by log(tau) there. */
LANE_FN void TRACK(increment_of_power)(const track_path *p, const track_weights *w, int sums, track_c x,
                                       const track_c *apart, const track_c *slope, double least, track_c *increment)
{
    track_c sum[TRACK_SUMS] = {{0}}, rate = track_c_of(0.0, 0.0);
    if (!(track_c_abs(x) > least))
        return;
    TRACK_ROLLED
    for (int32_t j = 0; j < p->points.history; j++) {
        track_c here = track_c_add(x, apart[j]);
        if (!(track_c_abs(here) > 0.0))
            return;
        track_c own = track_c_div(slope[j], here);
        rate = j == 0 ? own : rate;
        int steady = p->points.history > 1 && track_c_abs(track_c_sub(own, rate)) <= track_steady(p, track_c_abs(rate));
        if (!steady && !(track_c_abs(own) <= TRACK_STEEPEST))
            return;
        track_c way = j > 0 ? track_c_log(track_c_div(apart[j], x)) : track_c_of(0.0, 0.0);
        if (track_is_framed(p) && j > 0)
            way.im += TRACK(whole_turns)(p, j, 0.5 * (own.im + rate.im), way.im);
        for (int k = 0; k < sums; k++) {
            if (j > 0)
                sum[k] = track_c_add(sum[k], track_c_mul(w[k].a[j], way));
            sum[k] = track_c_add(sum[k], track_c_mul(w[k].b[j], own));
        }
    }
    if (sums == TRACK_SUMS)
        sum[0] = track_c_add(sum[0], TRACK(pole)(sum[TRACK_HIGH], sum[TRACK_LOW]));
    *increment = track_c_mul(x, track_c_exp(sum[0]));
}

#if LANE_WIDTH > 1
/* As TRACK(increment_of_power), for entries i, i + 1, ... of a path without a frame; increment is what it is otherwise. */
LANE_FN track_heads TRACK(increments_of_powers)(const track_path *p, const track_weights *w, int sums, track_view v,
                                                cplx newest, int64_t i, int count, track_heads increment)
{
    const track_heads x = TRACK(heads_of)(newest);
    const lane zero = lane_set(0.0), steepest = lane_set(TRACK_STEEPEST);
    const lane least = lane_mul(TRACK(modulus)(TRACK(heads)(v, TRACK_W, i, count)), lane_set(track_floor(p)));
    lane_mask ok = lane_lt(least, TRACK(modulus_of)(x));
    track_heads sum[TRACK_SUMS], rate = x;
    for (int k = 0; k < TRACK_SUMS; k++)
        sum[k].re = sum[k].im = zero;
    for (int32_t j = 0; j < p->points.history; j++) {
        const int32_t place = TRACK(place)(p, j);
        const track_heads apart = TRACK(heads_of)(cplx_sub(TRACK(get)(v, TRACK_POINT + place, i, count), newest));
        const track_heads here = TRACK(plus)(x, apart);
        const track_heads own = TRACK(quotient_of)(TRACK(heads)(v, TRACK_SLOPE + place, i, count), here);
        rate = j == 0 ? own : rate;
        const lane share = lane_mul(TRACK(modulus_of)(rate), lane_set(TRACK_STEADY_SHARE)),
                   most = lane_select(lane_lt(lane_set(TRACK_STEADY), share), share, lane_set(TRACK_STEADY)),
                   change = TRACK(modulus_of)(TRACK(minus)(own, rate)), steep = TRACK(modulus_of)(own);
        lane_mask slow = lane_mask_or(lane_lt(steep, steepest), lane_eq(steep, steepest));
        if (p->points.history > 1)
            slow = lane_mask_or(slow, lane_mask_or(lane_lt(change, most), lane_eq(change, most)));
        ok = lane_mask_and(ok, lane_mask_and(slow, lane_lt(zero, TRACK(modulus_of)(here))));
        track_heads way;
        way.re = way.im = zero;
        if (j > 0)
            way = TRACK(logarithm)(TRACK(quotient_of)(apart, x));
        for (int k = 0; k < sums; k++) {
            if (j > 0)
                sum[k] = TRACK(plus)(sum[k], TRACK(product_of)(TRACK(spread)(w[k].a[j]), way));
            sum[k] = TRACK(plus)(sum[k], TRACK(product_of)(TRACK(spread)(w[k].b[j]), own));
        }
    }
    if (sums == TRACK_SUMS)
        sum[0] = TRACK(plus)(sum[0], TRACK(pole_of)(sum[TRACK_HIGH], sum[TRACK_LOW]));
    const track_heads power = TRACK(product_of)(x, TRACK(exponential)(sum[0]));
    increment.re = lane_select(ok, power.re, increment.re);
    increment.im = lane_select(ok, power.im, increment.im);
    return increment;
}
#endif

/* Sets X to the prediction at p->trial.tau, made in double, and returns |x|. */
TRACK_ONCE double TRACK(extrapolate)(track_team team, const track_path *p, track_view v, int64_t n)
{
    const track_weights *w = TRACK(weigh_next)(team, p);
    const int in_zone = (p->predictor.logarithmic || track_is_framed(p)) && p->course.leg != TRACK_ROUND,
              sums = TRACK(is_in_powers)(p) ? 1 : TRACK_SUMS;
    double size = 0.0;
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        cplx newest = TRACK(get)(v, TRACK_POINT + p->points.newest, i, count);
        track_heads sum[TRACK_SUMS];
        double re[TRACK_SUMS][LANE_WIDTH], im[TRACK_SUMS][LANE_WIDTH];
        TRACK(increments)(p, w, TRACK_SUMS, v, newest, i, count, sum);
#if LANE_WIDTH > 1
        if (!track_is_framed(p)) {
            if (sums == TRACK_SUMS)
                sum[0] = TRACK(plus)(sum[0], TRACK(pole_of)(sum[TRACK_HIGH], sum[TRACK_LOW]));
            if (in_zone)
                sum[0] = TRACK(increments_of_powers)(p, w, sums, v, newest, i, count, sum[0]);
            const cplx to = cplx_make(real_add_d(newest.re, sum[0].re), real_add_d(newest.im, sum[0].im));
            TRACK(put)(v, TRACK_X, i, to, count);
            size = TRACK(most_modulus)(size, to, count);
            continue;
        }
#endif
        for (int k = 0; k < TRACK_SUMS; k++) {
            lane_store(re[k], sum[k].re);
            lane_store(im[k], sum[k].im);
        }
        for (int k = 0; k < count && sums == TRACK_SUMS; k++) {
            const track_c more = TRACK(pole)(track_c_of(re[TRACK_HIGH][k], im[TRACK_HIGH][k]),
                                             track_c_of(re[TRACK_LOW][k], im[TRACK_LOW][k]));
            re[0][k] += more.re;
            im[0][k] += more.im;
        }
        if (in_zone) {
            double x_re[LANE_WIDTH], x_im[LANE_WIDTH], least[LANE_WIDTH];
            double apart_re[TRACK_HISTORY][LANE_WIDTH], apart_im[TRACK_HISTORY][LANE_WIDTH];
            double slope_re[TRACK_HISTORY][LANE_WIDTH], slope_im[TRACK_HISTORY][LANE_WIDTH];
            lane_store(x_re, real_head(newest.re));
            lane_store(x_im, real_head(newest.im));
            lane_store(least, lane_mul(TRACK(modulus)(TRACK(heads)(v, TRACK_W, i, count)), lane_set(track_floor(p))));
            TRACK_ROLLED
            for (int32_t j = 0; j < p->points.history; j++) {
                int32_t place = TRACK(place)(p, j);
                cplx apart = cplx_sub(TRACK(get)(v, TRACK_POINT + place, i, count), newest);
                track_heads slope = TRACK(heads)(v, TRACK_SLOPE + place, i, count);
                lane_store(apart_re[j], real_head(apart.re));
                lane_store(apart_im[j], real_head(apart.im));
                lane_store(slope_re[j], slope.re);
                lane_store(slope_im[j], slope.im);
            }
            for (int k = 0; k < count; k++) {
                track_c apart[TRACK_HISTORY], slope[TRACK_HISTORY], increment = track_c_of(re[0][k], im[0][k]);
                for (int32_t j = 0; j < p->points.history; j++) {
                    apart[j] = track_c_of(apart_re[j][k], apart_im[j][k]);
                    slope[j] = track_c_of(slope_re[j][k], slope_im[j][k]);
                }
                TRACK(increment_of_power)
                (p, w, sums, track_c_of(x_re[k], x_im[k]), apart, slope, least[k], &increment);
                re[0][k] = increment.re;
                im[0][k] = increment.im;
            }
        }
        const lane by_re = lane_load(re[0]), by_im = lane_load(im[0]);
        cplx x = cplx_make(real_add_d(newest.re, by_re), real_add_d(newest.im, by_im));
        TRACK(put)(v, TRACK_X, i, x, count);
        size = TRACK(most_modulus)(size, x, count);
    }
    return track_larger(team_max(team, size), p->scale.least_size);
}

#if PLUMB_LIMBS > 1
/* Predictions in the precision of the path are made in powers of u = tau^(1/c), and x_i u^-k is about a power series in u. With a large c
 * they are as good as in log(tau), and x_i may behave like any power of tau whose exponent has a small denominator. */
enum { TRACK_LARGE_C = 5040, TRACK_LARGEST_BIT = 8192 };

/* c times the exponent of tau that the slope of x_i at the newest point shows; 0 if x_i may pass near zero. */
LANE_FN double TRACK(exponent)(const track_path *p, track_view v, int32_t c, int64_t i)
{
    const track_c x = TRACK(entry)(v, TRACK_POINT + p->points.newest, i);
    const double rate = track_c_div(TRACK(entry)(v, TRACK_SLOPE + p->points.newest, i), x).re;
    return track_c_abs(x) > 0.0 && rate <= TRACK_STEEPEST && rate >= -TRACK_STEEPEST ? rate * c : 0.0;
}
LANE_FN double TRACK(nearest)(double x) { return (double)(int32_t)(x < 0.0 ? x - 0.5 : x + 0.5); }

/* The c that is chosen for predictions, if all unknowns behave like powers of u, or the large one. */
LANE_FN int32_t TRACK(choose_c)(track_team team, const track_path *p, track_view v, int64_t n)
{
    double off = p->predictor.power > 0 && TRACK(is_spread)(p) ? 0.0 : 1.0;
    TRACK_ROLLED
    for (int64_t i = team_rank(team); i < n && off < 1.0; i += team_size(team)) {
        const double exponent = TRACK(exponent)(p, v, p->predictor.power, i),
                     apart = exponent - TRACK(nearest)(exponent);
        off = track_larger(off, apart < 0.0 ? -apart : apart);
    }
    return team_max(team, off) <= TRACK_VALUATION ? p->predictor.power : TRACK_LARGE_C;
}

/* u^k for integers |k| < 2 TRACK_LARGEST_BIT, one for each place of the lane. */
TRACK_LANE real TRACK(to_the)(real u, real inverse, lane k)
{
    real power = real_set(1.0), base = real_select(lane_lt(k, lane_set(0.0)), inverse, u);
    lane left = lane_abs(k);
    TRACK_ROLLED
    for (int32_t bit = TRACK_LARGEST_BIT; bit > 0; bit /= 2) {
        const lane_mask skips = lane_lt(left, lane_set((double)bit));
        power = real_mul(power, power);
        power = real_select(skips, power, real_mul(power, base));
        left = lane_select(skips, left, lane_sub(left, lane_set((double)bit)));
    }
    return power;
}

/* (tau / tau of the newest point)^(1/c), to about 50 digits: by two steps of Newton's method, which begin with those of a double. */
TRACK_LANE real TRACK(root)(const track_path *p, const double *tau, double away, int32_t c)
{
    const real z = real_div(real_set(tau[0]), real_set(p->points.at[p->points.newest][0]));
    real u = real_set(1.0 + track_c_exp(track_c_of(away / c, 0.0)).re);
    TRACK_ROLLED
    for (int32_t step = 0; step < 2; step++) {
        const real power = TRACK(to_the)(u, u, lane_set((double)(c - 1)));
        u = real_sub(u, real_div(real_sub(real_mul(power, u), z), real_mul_d(power, lane_set((double)c))));
    }
    return u;
}

/* As extrapolate, in the precision of the path: the Hermite interpolant in u of x_i u^-k. */
TRACK_PART double TRACK(extrapolate_series)(track_team team, const track_path *p, track_view v, int64_t n)
{
    track_board *board = team_board(team);
    const int32_t c = TRACK(choose_c)(team, p, v, n);
    const lane denominator = lane_set((double)c);
    real u[TRACK_HISTORY + 1], inverse[TRACK_HISTORY + 1], a[TRACK_HISTORY], b[TRACK_HISTORY];
    double size = 0.0;
    TRACK(set_nodes)(team, p, 1);
    TRACK_ROLLED
    for (int32_t j = 0; j <= TRACK_HISTORY; j++) {
        const double *tau = j < TRACK_HISTORY ? p->points.at[TRACK(place)(p, j)] : p->trial.tau;
        u[j] = j == 0 ? real_set(1.0) : TRACK(root)(p, tau, board->node[j].re, c);
        inverse[j] = real_inv(u[j]);
    }
    TRACK_ROLLED
    for (int32_t j = 0; j < TRACK_HISTORY; j++) {
        real share = real_set(1.0), slope = real_set(0.0);
        TRACK_ROLLED
        for (int32_t k = 0; k < TRACK_HISTORY; k++) {
            if (k == j)
                continue;
            const real apart = real_inv(real_sub(u[j], u[k]));
            share = real_mul(share, real_mul(real_sub(u[TRACK_HISTORY], u[k]), apart));
            slope = real_add(slope, apart);
        }
        share = real_mul(share, share);
        b[j] = real_mul(real_sub(u[TRACK_HISTORY], u[j]), share);
        a[j] = real_sub(share, real_mul_d(real_mul(slope, b[j]), lane_set(2.0)));
        b[j] = real_mul(real_mul_d(b[j], denominator), inverse[j]); /* for derivatives by log(tau) */
    }
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        double leading[LANE_WIDTH];
        for (int q = 0; q < LANE_WIDTH; q++)
            leading[q] = q < count ? TRACK(nearest)(TRACK(exponent)(p, v, c, i + q)) : 0.0;
        const lane k = lane_load(leading);
        cplx sum = cplx_make(real_set(0.0), real_set(0.0));
        TRACK_ROLLED
        for (int32_t j = 0; j < TRACK_HISTORY; j++) {
            const int32_t place = TRACK(place)(p, j);
            const real share = real_sub(a[j], real_div_d(real_mul_d(b[j], k), denominator));
            cplx term = cplx_mul_real(TRACK(get)(v, TRACK_POINT + place, i, count), share);
            term = cplx_add(term, cplx_mul_real(TRACK(get)(v, TRACK_SLOPE + place, i, count), b[j]));
            sum = cplx_add(sum, cplx_mul_real(term, TRACK(to_the)(inverse[j], u[j], k)));
        }
        const cplx x = cplx_mul_real(sum, TRACK(to_the)(u[TRACK_HISTORY], inverse[TRACK_HISTORY], k));
        TRACK(put)(v, TRACK_X, i, x, count);
        size = TRACK(most_modulus)(size, x, count);
    }
    return track_larger(team_max(team, size), p->scale.least_size);
}
#endif

/* Sets X to the prediction at p->trial.tau and returns |x|. */
LANE_FN double TRACK(predict)(track_team team, const track_path *p, track_view v, int64_t n)
{
#if PLUMB_LIMBS > 1
    if (p->predictor.logarithmic && p->course.leg == TRACK_WALK && p->corrector.condition >= TRACK_STIFF &&
        p->points.history == TRACK_HISTORY)
        return TRACK(extrapolate_series)(team, p, v, n);
#endif
    return TRACK(extrapolate)(team, p, v, n);
}

/* The rational with the smallest denominator up to a bound that a valuation is so close to; a negative number if there is none. */
TRACK_FN double TRACK(rational_near)(double size, int32_t most, double close)
{
    TRACK_ROLLED
    for (int32_t c = 1; c <= most && size < 1e6; c++) {
        const double k = (double)(int32_t)(size * c + 0.5);
        if (size * c - k <= close && k - size * c <= close)
            return k / c;
    }
    return -1.0;
}

/* The rational that a valuation is close to; or itself. One that is not known well has a small denominator if any. */
TRACK_FN double TRACK(round_valuation)(double v)
{
    const double size = v < 0.0 ? -v : v;
    double near = TRACK(rational_near)(size, TRACK_DENOMINATORS, TRACK_SETTLED);
    if (near < 0.0)
        near = TRACK(rational_near)(size, TRACK_POWERS, TRACK_VALUATION);
    return near < 0.0 ? v : v < 0.0 ? -near : near;
}

/* Sets X to the newest point with every coordinate multiplied by the power of p->trial.tau / tau that its slope shows, and
 * returns |x|. Powers are rounded to rationals, because far ahead they have to be exact. In projective coordinates x_k, the largest one, does not change. */
TRACK_PART double TRACK(foresee)(track_team team, const track_settings *s, const track_path *p, track_view v)
{
    const int64_t n = s->unknowns;
    const track_c chief = TRACK(entry)(v, TRACK_POINT + p->points.newest, p->lead.chief);
    const double common =
        s->projective ? track_c_div(TRACK(entry)(v, TRACK_SLOPE + p->points.newest, p->lead.chief), chief).re : 0.0;
    double size = 0.0;
    TRACK_EACH(i, n)
    {
        int count = TRACK_COUNT(i, n);
        cplx x = TRACK(get)(v, TRACK_POINT + p->points.newest, i, count);
        track_heads slope = TRACK(heads)(v, TRACK_SLOPE + p->points.newest, i, count);
        double re[LANE_WIDTH], im[LANE_WIDTH], slope_re[LANE_WIDTH], slope_im[LANE_WIDTH], grows[LANE_WIDTH];
        lane_store(re, real_head(x.re));
        lane_store(im, real_head(x.im));
        lane_store(slope_re, slope.re);
        lane_store(slope_im, slope.im);
        for (int k = 0; k < LANE_WIDTH; k++) {
            track_c here = track_c_of(re[k], im[k]);
            double rate = track_c_div(track_c_of(slope_re[k], slope_im[k]), here).re - common;
            rate = TRACK(round_valuation)(rate);
            grows[k] = track_c_abs(here) > 0.0 ? track_exp(-p->trial.length * rate) : 0.0;
        }
        x = cplx_mul_d(x, lane_load(grows));
        TRACK(put)(v, TRACK_X, i, x, count);
        size = TRACK(most_modulus)(size, x, count);
    }
    return track_larger(team_max(team, size), p->scale.least_size);
}

#endif
