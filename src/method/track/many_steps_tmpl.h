/* many_steps_tmpl.h - corrections and predictions of several paths side by side, where they are plain (many.h).
 *
 * As in many_tmpl.h, a path has the bits that it has alone: these are the operations of TRACK(correct), TRACK(keep) and
 * TRACK(extrapolate), with lanes over paths instead of lanes over the entries of vectors. */
#ifndef PLUMB_METHOD_TRACK_MANY_STEPS_TMPL_H
#define PLUMB_METHOD_TRACK_MANY_STEPS_TMPL_H

#include "method/track/complex_tmpl.h"

/* Numbers of one limb. */
enum { MANY_HEAD = 2 * LANE_WIDTH };

LANE_FN track_heads MANY(head)(const double *p)
{
    track_heads h;
    h.re = lane_load(p);
    h.im = lane_load(p + LANE_WIDTH);
    return h;
}
/* The leading limbs of a number. */
LANE_FN track_heads MANY(heads)(const double *p)
{
    track_heads h;
    h.re = lane_load(p);
    h.im = lane_load(p + PLUMB_LIMBS * LANE_WIDTH);
    return h;
}

/* As TRACK(top), for each place. */
LANE_FN lane MANY(top)(lane x)
{
    const lane zero = lane_set(0.0);
    const lane some = lane_select(lane_eq(x, x), x, lane_set((double)INFINITY));
    return lane_select(MANY(at_most)(x, zero), zero, some);
}
LANE_FN lane MANY(modulus)(cplx x)
{
    const lane re = real_head(x.re), im = real_head(x.im);
    return lane_sqrt(lane_fma(re, re, lane_mul(im, im)));
}
/* As track_larger, where neither is NaN. */
LANE_FN lane MANY(size)(lane most, const track_many *job)
{
    const lane least = lane_load(job->least_size), size = MANY(top)(most);
    return lane_select(lane_lt(least, size), size, least);
}

/* ---- Corrections ----------------------------------------------------------------------------------------------------- */

static void MANY(correct)(const track_many *given)
{
    const track_many value = *given, *job = &value;
    const int64_t n = job->settings->unknowns;
    const lane one = lane_set(1.0);
    lane top[TRACK_MANY_TOPS];
    for (int k = 0; k < TRACK_MANY_TOPS; k++)
        top[k] = lane_set(0.0);
    for (int64_t i = 0; i < n; i++) {
        const cplx x = cplx_add(MANY(get)(job->x + i * MANY_NUM), MANY(get)(job->b + i * MANY_NUM));
        MANY(put)(job->x + i * MANY_NUM, x);
        top[TRACK_MANY_SIZE] = TRACK(most_of)(top[TRACK_MANY_SIZE], MANY(modulus)(x));
    }
    const lane size = MANY(size)(top[TRACK_MANY_SIZE], job);
    TRACK(yardsticks) trial, newest;
    trial.whole = newest.whole = size;
    trial.floor = newest.floor = lane_set(job->floor);
    trial.relative = newest.relative = 1;
    trial.reach = lane_load(job->reach);
    newest.reach = lane_load(job->reach + LANE_WIDTH);
    for (int64_t i = 0; i < n; i++) {
        const cplx x = MANY(get)(job->x + i * MANY_NUM), from = MANY(get)(job->newest + i * MANY_NUM);
        const track_heads dx = MANY(heads)(job->b + i * MANY_NUM), slope = MANY(heads)(job->b + (n + i) * MANY_NUM),
                          w = MANY(heads)(job->b + (2 * n + i) * MANY_NUM),
                          w_newest = MANY(head)(job->w + i * MANY_HEAD);
        const lane over_newest = TRACK(yardstick)(newest, TRACK(heads_of)(from), MANY(head)(job->slope + i * MANY_HEAD),
                                                  w_newest),
                   over = TRACK(yardstick)(trial, TRACK(heads_of)(x), slope, w);
        const lane inverse_newest = TRACK(quotient)(one, over_newest), inverse = TRACK(quotient)(one, over);
        const lane least = lane_select(lane_lt(inverse, inverse_newest), inverse, inverse_newest);
#define MANY_TALLY(name, x) top[TRACK_MANY_##name] = TRACK(most_of)(top[TRACK_MANY_##name], (x))
#define MANY_TALLY_BOTH(name, x, by)                \
    do {                                            \
        const lane size_of_it = TRACK(size_of)(x);  \
        MANY_TALLY(name, lane_mul(size_of_it, by)); \
        MANY_TALLY(PLAIN_##name, size_of_it);       \
    } while (0)
        MANY_TALLY_BOTH(DX, dx, inverse);
        MANY_TALLY_BOTH(W, w, inverse);
        MANY_TALLY_BOTH(NEWEST, w_newest, inverse_newest);
        MANY_TALLY_BOTH(BEND, TRACK(minus)(w, w_newest), least);
        if (job->again) {
            const track_heads w_before = MANY(head)(job->w_before + i * MANY_HEAD);
            MANY_TALLY_BOTH(BEFORE, w_before, inverse);
            MANY_TALLY_BOTH(CHANGE, TRACK(minus)(w, w_before), inverse);
        }
        const track_heads way = TRACK(heads_of)(cplx_sub(x, from));
        MANY_TALLY(APART, TRACK(quotient)(TRACK(size_of)(way), TRACK(larger)(over, over_newest)));
        MANY_TALLY(SLOPE, TRACK(size_of)(slope));
#undef MANY_TALLY
#undef MANY_TALLY_BOTH
    }
    top[TRACK_MANY_SIZE] = size;
    for (int k = 0; k < TRACK_MANY_TOPS; k++)
        lane_store(job->tops + k * LANE_WIDTH, MANY(top)(top[k]));
}

/* ---- Decisions ------------------------------------------------------------------------------------------------------- */

/* As the end of TRACK(correct), from the maxima of a path, which are a lane apart. */
LANE_FN track_measures MANY(measures)(const track_path *p, const double *top)
{
#define TOP(name) top[TRACK_MANY_##name * LANE_WIDTH]
    const int again = p->corrector.corrections > 0;
    const double size = p->scale.size;
    track_measures m;
    m.dx = TOP(DX);
    m.w = TOP(W);
    m.w_newest = TOP(NEWEST);
    m.plain_dx = TOP(PLAIN_DX) / size;
    m.plain_w = TOP(PLAIN_W) / size;
    m.plain_newest = TOP(PLAIN_NEWEST) / size;
    double bend = 0.0;
    if (p->count.steps > 0)
        bend = TOP(BEND) / track_larger(m.w, m.w_newest);
    else
        bend /= 1.0;
    m.bend = track_larger(bend, TOP(PLAIN_BEND) / (track_larger(m.plain_w, m.plain_newest) * size));
    m.change = 0.0;
    if (again)
        m.change = track_larger(TOP(CHANGE) / track_larger(m.w, TOP(BEFORE)),
                                TOP(PLAIN_CHANGE) / track_larger(m.plain_w * size, TOP(PLAIN_BEFORE)));
    return m;
}

/* Copies a column of a path to another view. */
LANE_FN void MANY(copy)(track_view from, int64_t column, track_view to, int64_t to_column, int64_t n)
{
    for (int c = 0; c < 2 * PLUMB_LIMBS; c++)
        memcpy(to.p + c * to.plane + to_column * to.col, from.p + c * from.plane + column * from.col,
               (size_t)n * sizeof(double));
}

/* As TRACK(keep), for a plain point. */
LANE_FN void MANY(keep)(const track_settings *s, track_path *p, track_view v, track_view solution, const double *top)
{
    const int64_t n = s->unknowns;
    const int32_t fresh = (p->points.newest + 1) % TRACK_HISTORY;
    MANY(copy)(v, TRACK_X, v, TRACK_POINT + fresh, n);
    MANY(copy)(solution, 1, v, TRACK_SLOPE + fresh, n);
    MANY(copy)(v, TRACK_W_TRIAL, v, TRACK_W, n);
    p->predictor.leap = -1.0;
    p->points.newest = fresh;
    track_tau_copy(p->points.at[fresh], p->trial.tau);
    p->points.history = p->points.history < TRACK_HISTORY ? p->points.history + 1 : p->points.history;
    p->points.apart = TOP(APART);
    p->points.slope = TOP(SLOPE) / p->scale.size;
    p->points.had_lost = p->terms.lost;
    const double factor = track_change_of_unit(s, p);
    if (factor != 1.0)
        TRACK(change_unit)(alone, p, v, n, factor);
}

/* Judges the correction of path l, whose X and TRACK_W_TRIAL are in its vectors, and accepts it if it is good enough. Returns the
 * action that follows; solution needs its column 1 only. */
static int32_t MANY(decide)(const track_many *job, int32_t l, track_path *p, track_view v, track_view solution)
{
    const track_settings *s = job->settings;
    const double *top = job->tops + l;
    p->scale.size = TOP(SIZE);
    const track_measures m = MANY(measures)(p, top);
    const int32_t action = track_judge(s, p, &m, 0);
    if (action != TRACK_DO_ACCEPT)
        return action;
    MANY(keep)(s, p, v, solution, top);
    const track_accepting by = TRACK(accepting)(alone, s, p);
    return track_accepted(s, p, &by);
}
#undef TOP

/* ---- Predictions ----------------------------------------------------------------------------------------------------- */

/* Real weights of the three sums. */
typedef struct MANY(weights) {
    lane a[TRACK_SUMS][TRACK_HISTORY], b[TRACK_SUMS][TRACK_HISTORY];
} MANY(weights);

/* As TRACK(weigh), where all nodes are real. */
static void MANY(weigh)(const track_many *job, MANY(weights) * w)
{
    lane node[TRACK_HISTORY], at[TRACK_HISTORY];
    const lane one = lane_set(1.0), two = lane_set(2.0);
#define AT(j, k) lane_load(job->at + ((j)*4 + (k)) * LANE_WIDTH)
#define NODE(hi, lo) lane_add(lane_sub(hi, AT(0, 0)), lane_sub(lo, AT(0, 1)))
    for (int j = 0; j < TRACK_HISTORY; j++) {
        at[j] = AT(j, 0);
        node[j] = NODE(at[j], AT(j, 1));
    }
    const lane t = NODE(lane_load(job->tau), lane_load(job->tau + LANE_WIDTH));
#undef NODE
#undef AT
    const lane inverse = lane_div(one, t);
    for (int j = 0; j < TRACK_HISTORY; j++) {
        lane l = one, slope = lane_set(0.0);
        for (int k = 0; k < TRACK_HISTORY; k++) {
            if (k == j)
                continue;
            const lane apart = lane_sub(node[j], node[k]);
            l = lane_mul(l, lane_div(lane_sub(t, node[k]), apart));
            slope = lane_add(slope, lane_div(one, apart));
        }
        l = lane_mul(l, l);
        const lane back = lane_mul(node[j], inverse), away = lane_sub(one, back);
        const lane by = lane_mul(lane_sub(t, node[j]), l);
        w->a[0][j] = lane_sub(l, lane_mul(lane_mul(by, slope), two));
        const lane b = lane_mul(by, away);
        w->a[TRACK_HIGH][j] = lane_mul(lane_mul(b, slope), lane_set(-2.0));
        w->a[TRACK_LOW][j] = lane_add(lane_mul(w->a[TRACK_HIGH][j], back), lane_mul(b, inverse));
        w->b[0][j] = lane_div(by, at[j]);
        w->b[TRACK_HIGH][j] = lane_mul(w->b[0][j], away);
        w->b[TRACK_LOW][j] = lane_mul(w->b[TRACK_HIGH][j], back);
    }
}

LANE_FN track_heads MANY(add_times)(track_heads sum, lane w, track_heads x)
{
    sum.re = lane_fma(w, x.re, sum.re);
    sum.im = lane_fma(w, x.im, sum.im);
    return sum;
}

/* As TRACK(extrapolate), on the real line from three points. The imaginary parts of the weights are zeros there, which matter only
 * where a sum is zero, as its sign may follow, or where a number is not finite: such paths are odd. */
static void MANY(predict)(const track_many *given)
{
    const track_many value = *given, *job = &value;
    const int64_t n = job->settings->unknowns;
    const lane zero = lane_set(0.0), one = lane_set(1.0);
    MANY(weights) w;
    lane most = zero, odd = zero;
    MANY(weigh)(job, &w);
    for (int64_t i = 0; i < n; i++) {
        const cplx newest = MANY(get)(job->point[0] + i * MANY_NUM);
        track_heads sum[TRACK_SUMS];
        for (int k = 0; k < TRACK_SUMS; k++)
            sum[k].re = sum[k].im = zero;
        LANE_UNROLL
        for (int j = 0; j < TRACK_HISTORY; j++) {
            const track_heads slope = MANY(head)(job->rate[j] + i * MANY_HEAD);
            if (j > 0) {
                const track_heads apart = TRACK(heads_of)(cplx_sub(MANY(get)(job->point[j] + i * MANY_NUM), newest));
                LANE_UNROLL
                for (int k = 0; k < TRACK_SUMS; k++)
                    sum[k] = MANY(add_times)(sum[k], w.a[k][j], apart);
            }
            LANE_UNROLL
            for (int k = 0; k < TRACK_SUMS; k++)
                sum[k] = MANY(add_times)(sum[k], w.b[k][j], slope);
        }
        const track_heads more = TRACK(pole_of)(sum[TRACK_HIGH], sum[TRACK_LOW]);
        const lane by_re = lane_add(sum[0].re, more.re), by_im = lane_add(sum[0].im, more.im);
        const cplx x = cplx_make(real_add_d(newest.re, by_re), real_add_d(newest.im, by_im));
        const lane_mask unsigned_zero =
            lane_mask_or(lane_mask_and(lane_eq(by_re, zero), lane_eq(real_head(newest.re), zero)),
                         lane_mask_and(lane_eq(by_im, zero), lane_eq(real_head(newest.im), zero)));
        const lane_mask finite = lane_mask_and(lane_is_finite(by_re), lane_is_finite(by_im));
        odd = lane_select(unsigned_zero, one, lane_select(finite, odd, one));
        MANY(put)(job->x + i * MANY_NUM, x);
        most = TRACK(most_of)(most, MANY(modulus)(x));
    }
    lane_store(job->tops + TRACK_MANY_SIZE * LANE_WIDTH, MANY(size)(most, job));
    lane_store(job->odd, odd);
}

#endif
