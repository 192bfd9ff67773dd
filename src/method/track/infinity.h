/* infinity.h - decides from the limit of y = x_0 / x_k whether a path goes to infinity. x_k is the largest unknown, so
 * that y does not depend on the patch.
 *
 * Near the end of a path y = a + tau^(k/c) (b_0 + b_1 u + ...) with u = tau^(1/c), where a = 0 at infinity. The walk
 * in the zone records samples of y and of its slope tau dy/dtau = tau^(k/c) P(u). The slopes do not depend on a: their
 * rate of decrease gives k for each c, their interpolation P, and its integral from 0 to a sample the difference
 * between y and a. How well the values of a from several samples and with fewer of them agree shows which c is right
 * and how large the error is.
 *
 * A limit that seems to be zero is no proof: a term with a tiny coefficient may end the fall of y at any tau. The path
 * goes to infinity only if it has come beyond the largest root asked for, or if a trial ahead (track_try_ahead) finds
 * it there. Even then y may grow again, when a tiny term takes over. So the leading terms, by the valuations of all
 * coordinates, are compared once more far beyond (track_try_far), where no term does that is not much tinier. Without
 * that the path is followed further, to a root however large, and is undecided if it cannot be followed. Only if the terms leave
 * the range of doubles there, or at condition numbers above 10^15, which grow with every step, or if the caller has set a largest
 * root, it ends where y has fallen that much further. */
#ifndef PLUMB_METHOD_TRACK_INFINITY_H
#define PLUMB_METHOD_TRACK_INFINITY_H

#include "method/track/control.h"

/* True if tau has decreased enough since the last sample for a new one. */
TRACK_FN int32_t track_is_sample(const track_path *p, double tau)
{
    return tau > 0.0 && !(p->samples.count > 0 && tau > TRACK_SPREAD * p->samples.tau[0]);
}

/* The relative error of the slope of y at X, which was computed before the last correction; p->lead.error is that of
 * noise. */
TRACK_FN double track_sample_lag(const track_path *p)
{
    return (p->corrector.omega > 1.0 ? p->corrector.omega : 1.0) * p->corrector.last;
}

/* Records a sample at the newest point if tau has decreased enough, or again if that was corrected in a higher
 * precision; returns whether it did. */
TRACK_CALL int32_t track_sample(track_path *p)
{
    double tau = track_tau_abs(p->points.at[p->points.newest]);
    const int again = p->samples.count > 0 && tau == p->samples.tau[0];
    if (!again && !track_is_sample(p, tau))
        return 0;
    for (int k = TRACK_SAMPLES - 1; k > 0 && !again; k--) {
        p->samples.tau[k] = p->samples.tau[k - 1];
        p->samples.error[k] = p->samples.error[k - 1];
        p->samples.condition[k] = p->samples.condition[k - 1];
        for (int part = 0; part < 2; part++) {
            p->samples.lead[k][part] = p->samples.lead[k - 1][part];
            p->samples.slope[k][part] = p->samples.slope[k - 1][part];
        }
    }
    p->samples.tau[0] = tau;
    p->samples.error[0] = p->lead.error + track_sample_lag(p);
    p->samples.condition[0] = p->corrector.plain_condition;
    for (int part = 0; part < 2; part++) {
        p->samples.lead[0][part] = p->lead.value[part];
        p->samples.slope[0][part] = p->lead.slope[part];
    }
    if (p->samples.count < TRACK_SAMPLES && !again)
        p->samples.count++;
    return 1;
}

/* Values of a: from all samples at the newest and at the next one, and without the oldest sample; and what the errors
 * of the samples add up to. */
typedef struct track_limits {
    track_c fine, next, coarse;
    double noise;
} track_limits;

/* y - a at node rho is a sum of weights times P at the nodes, u_j / u_0: c times the integral from 0 to rho of node^(k-1)
 * times the Lagrange polynomials. */
TRACK_CALL void track_integrate(const double *node, int32_t count, int32_t k, int32_t c, double rho, double *weight)
{
    double lowest = (double)c;
    for (int32_t i = 0; i < k; i++)
        lowest *= rho;
    for (int32_t j = 0; j < count; j++) {
        double coefficient[TRACK_SAMPLES] = {1.0, 0.0, 0.0, 0.0}, divisor = 1.0, power = lowest;
        int32_t degree = 0;
        for (int32_t l = 0; l < count; l++) {
            if (l == j)
                continue;
            divisor *= node[j] - node[l];
            degree++;
            for (int32_t i = degree; i > 0; i--)
                coefficient[i] = coefficient[i - 1] - node[l] * coefficient[i];
            coefficient[0] *= -node[l];
        }
        weight[j] = 0.0;
        for (int32_t i = 0; i < count; i++) {
            weight[j] += coefficient[i] * power / (double)(k + i);
            power *= rho;
        }
        weight[j] /= divisor;
    }
}

TRACK_FN track_c track_limit_from(track_c y, const double *weight, const track_c *reduced, int32_t count)
{
    for (int32_t j = 0; j < count; j++)
        y = track_c_sub(y, track_c_scale(reduced[j], weight[j]));
    return y;
}

TRACK_CALL track_limits track_limits_of(const track_path *p, const double *away, int32_t k, int32_t c)
{
    double node[TRACK_SAMPLES], weight[TRACK_SAMPLES];
    track_c reduced[TRACK_SAMPLES], y[2];
    track_limits l;
    for (int32_t j = 0; j < TRACK_SAMPLES; j++) {
        node[j] = 1.0 + track_c_exp(track_c_of(away[j] / c, 0.0)).re;
        double power = 1.0;
        for (int32_t i = 0; i < k; i++)
            power *= node[j];
        reduced[j] = track_c_scale(track_c_of(p->samples.slope[j][0], p->samples.slope[j][1]), 1.0 / power);
    }
    for (int32_t j = 0; j < 2; j++)
        y[j] = track_c_of(p->samples.lead[j][0], p->samples.lead[j][1]);
    track_integrate(node, TRACK_SAMPLES - 1, k, c, 1.0, weight);
    l.coarse = track_limit_from(y[0], weight, reduced, TRACK_SAMPLES - 1);
    track_integrate(node, TRACK_SAMPLES, k, c, node[1], weight);
    l.next = track_limit_from(y[1], weight, reduced, TRACK_SAMPLES);
    track_integrate(node, TRACK_SAMPLES, k, c, 1.0, weight);
    l.fine = track_limit_from(y[0], weight, reduced, TRACK_SAMPLES);
    l.noise = p->samples.error[0] * track_c_abs(y[0]);
    for (int32_t j = 0; j < TRACK_SAMPLES; j++)
        l.noise += p->samples.error[j] * track_c_abs(reduced[j]) * (weight[j] < 0.0 ? -weight[j] : weight[j]);
    return l;
}

/* The valuation of y, where it is a power of tau, and |y|, at the newest sample. */
TRACK_FN double track_sample_rate(const track_path *p)
{
    return track_c_div(track_c_of(p->samples.slope[0][0], p->samples.slope[0][1]),
                       track_c_of(p->samples.lead[0][0], p->samples.lead[0][1]))
        .re;
}
TRACK_FN double track_sample_size(const track_path *p)
{
    return track_c_abs(track_c_of(p->samples.lead[0][0], p->samples.lead[0][1]));
}

/* Forgets the limit of y after a new sample. Returns true if it has to be computed from the samples: there are enough,
 * and they do not show by themselves that it is finite. */
TRACK_CALL int32_t track_seeks_limit(track_path *p)
{
    p->limit.kind = TRACK_LIMIT_UNKNOWN;
    p->limit.error = (double)INFINITY;
    if (p->samples.count < TRACK_SAMPLES)
        return 0;
    if (track_sample_size(p) >= 1.0 && !(track_sample_rate(p) > 0.0)) {
        p->limit.kind = TRACK_LIMIT_FINITE; /* the largest unknown is at most 1 and does not grow */
        return 0;
    }
    return 1;
}

/* The logarithm of tau of a sample, relative to the newest one; for j = TRACK_SAMPLES that of the ratio of the slopes
 * of the two newest samples. */
TRACK_FN double track_sample_log(const track_path *p, int32_t j)
{
    double ratio;
    if (j < TRACK_SAMPLES) {
        ratio = p->samples.tau[j] / p->samples.tau[0];
    } else {
        double newer = track_c_abs(track_c_of(p->samples.slope[0][0], p->samples.slope[0][1]));
        ratio = track_c_abs(track_c_of(p->samples.slope[1][0], p->samples.slope[1][1])) / newer;
    }
    return track_c_log(track_c_of(ratio - 1.0, 0.0)).re;
}

/* The limit of y if tau^(1/c) is the parameter of the series; its error is infinite if it cannot be. */
TRACK_CALL track_limit track_limit_for(const track_path *p, const double *logs, int32_t c)
{
    double power = logs[TRACK_SAMPLES] / logs[1];
    int32_t k = (int32_t)(power * c + 0.5);
    track_limit limit = {0.0, (double)INFINITY};
    if (!(power > 0.0) || k < 1 || k > TRACK_HIGHEST * c)
        return limit;
    track_limits l = track_limits_of(p, logs, k, c);
    limit.error = track_c_abs(track_c_sub(l.fine, l.coarse)) + track_c_abs(track_c_sub(l.fine, l.next)) + l.noise;
    limit.size = track_c_abs(l.fine);
    return limit;
}

/* True if the limit of y is not zero: the root is finite, however large. */
TRACK_FN int32_t track_is_nonzero(const track_path *p) { return p->limit.size > TRACK_FINITE * p->limit.error; }

/* Takes the limit with the smallest error. */
TRACK_CALL void track_find_limit(const track_settings *s, track_path *p, const track_limit *limits)
{
    for (int32_t c = 1; c <= TRACK_POWERS; c++) {
        if (limits[c - 1].error < p->limit.error) {
            p->limit.error = limits[c - 1].error;
            p->limit.size = limits[c - 1].size;
        }
    }
    double size = track_sample_size(p), rate = track_sample_rate(p);
    p->limit.error += TRACK_ROUNDED * size;
    if (track_is_nonzero(p) && p->limit.size >= TRACK_MOST_OF * size)
        p->limit.kind = TRACK_LIMIT_FINITE;
    /* A limit that is not zero matters even if it is smaller than that of any root asked for, unless paths to others are given up. */
    if (!(rate > TRACK_RATE / TRACK_POWERS) ||
        (track_is_nonzero(p) && !(s->stops && p->limit.size * s->largest <= 1.0)))
        return;
    if (p->lead.finite * s->largest <= TRACK_BEYOND)
        p->limit.kind = TRACK_LIMIT_ZERO;
    else if (p->limit.size + p->limit.error <= TRACK_FALLEN * size)
        p->limit.kind = TRACK_LIMIT_FALLS;
}

#endif
