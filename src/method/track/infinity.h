/* infinity.h - whether a path is on its way to infinity, seen in how fast it goes there.
 *
 * Near its end a coordinate is a power series in tau^(1/c): x_0 of a path to infinity is a power of tau, times 1 + O(tau^(1/c)), however
 * singular the end is. So the rate d log(x_0) / d log(tau) tends to a positive constant, by differences that shrink. Of a path to
 * a finite end it tends to zero; where x_0 ends very small, x_0 = a + b tau, it first looks constant, but by differences that
 * grow as tau goes down to a / b. */
#ifndef PLUMB_METHOD_TRACK_INFINITY_H
#define PLUMB_METHOD_TRACK_INFINITY_H

#include "method/track/control.h"

/* What is asked of the rate: d log(rate) / d log(tau) over the rate, which is 1 or more where x_0 = a + b tau^(1/c) nears a; and how small
 * a difference may be, relatively, that is larger than the one before. More of paths that could go on than of those that cannot. */
#define TRACK_LIKELY .25
#define TRACK_LIKELY_SLACK .05
#define TRACK_CLEARLY .1
#define TRACK_CLEARLY_SLACK 1e-4
#define TRACK_SLOWEST .02 /* rates below this are none */

/* |x_0| / |x| in projective coordinates, 1 / |x| in others: zero at infinity. */
TRACK_FN double track_finite(const track_settings *s, const track_path *p)
{
    return s->projective ? p->lead / p->size : 1.0 / p->size;
}

/* Notes the rate at the newest point, once tau is half of what it was. */
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

/* Does x_0 fall like a power of tau? log(2) is the least way from mark to mark. */
TRACK_FN int32_t track_vanishes(const track_path *p, double change, double slack)
{
    double rate = p->rate[0], newer = fabs(rate - p->rate[1]), older = fabs(p->rate[1] - p->rate[2]);
    return p->marks > 3 && rate > TRACK_SLOWEST && newer <= 0.69 * change * rate * rate &&
           (newer <= older || newer <= slack * rate) && p->mark_finite <= 0.1;
}

#endif
