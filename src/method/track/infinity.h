/* infinity.h - decides from the rate of divergence whether a path goes to infinity.
 *
 * Near the end of a path each coordinate is a power series in tau^(1/c): if the path goes to infinity, x_0 is a power
 * of tau times 1 + O(tau^(1/c)), however singular the endpoint is. The rate d log(x_0) / d log(tau) then tends to a
 * positive constant, with decreasing differences. On a path to a finite endpoint the rate tends to zero. If x_0 ends
 * at a very small value, x_0 = a + b tau, the rate looks constant at first, but its differences increase as tau
 * decreases to a / b. */
#ifndef PLUMB_METHOD_TRACK_INFINITY_H
#define PLUMB_METHOD_TRACK_INFINITY_H

#include "method/track/control.h"

/* Bounds on the rate: on d log(rate) / d log(tau) divided by the rate, which is 1 or more where x_0 = a + b tau^(1/c)
 * approaches a; and on the relative size of a difference that is larger than the one before. They are stricter for
 * paths that can still continue. */
#define TRACK_LIKELY .25
#define TRACK_LIKELY_SLACK .05
#define TRACK_CLEARLY .1
#define TRACK_CLEARLY_SLACK 1e-4
#define TRACK_SLOWEST .02 /* rates below this count as zero */

/* |x_0| / |x| in projective coordinates, 1 / |x| in affine ones; zero at infinity. */
TRACK_FN double track_finite(const track_settings *s, const track_path *p)
{
    return s->projective ? p->lead / p->size : 1.0 / p->size;
}

/* Records the rate at the newest point whenever tau has halved. */
TRACK_FN void track_mark(const track_settings *s, track_path *p)
{
    double tau = track_tau_abs(p->at[p->newest]), finite = track_finite(s, p);
    if (!(tau > 0.0) || !(finite > 0.0) || (p->marks > 0 && tau > 0.5 * p->mark_tau))
        return;
    if (p->marks > 0) {
        track_c fall = track_c_log(track_c_of(p->mark_finite / finite - 1.0, 0.0));
        track_c way = track_c_log(track_c_of(p->mark_tau / tau - 1.0, 0.0));
        p->rate[2] = p->rate[1];
        p->rate[1] = p->rate[0];
        p->rate[0] = fall.re / way.re;
    }
    p->marks++;
    p->mark_tau = tau;
    p->mark_finite = finite;
}

/* True if x_0 decreases like a power of tau. Consecutive marks are at least log(2) apart in log(tau). */
TRACK_FN int32_t track_vanishes(const track_path *p, double change, double slack)
{
    double rate = p->rate[0], newer = fabs(rate - p->rate[1]), older = fabs(p->rate[1] - p->rate[2]);
    return p->marks > 3 && rate > TRACK_SLOWEST && newer <= 0.69 * change * rate * rate &&
           (newer <= older || newer <= slack * rate) && p->mark_finite <= 0.1;
}

#endif
