/* control.h - the numbers a path is steered by: what a precision can do, how long steps may be. No vectors here. */
#ifndef PLUMB_METHOD_TRACK_CONTROL_H
#define PLUMB_METHOD_TRACK_CONTROL_H

#include "method/track/tau.h"
#include "plumb.h"

/* ---- What a precision can do ------------------------------------------------------------------------------------------- */

/* Errors of h relative to its terms: a few units. */
TRACK_FN double track_noise(int32_t prec) { return prec == 1 ? 0x1p-51 : prec == 2 ? 0x1p-103 : 0x1p-206; }

/* The precision that endpoints are to have: that of the whole path, or where paths choose, the lowest that the tolerance allows. */
TRACK_FN int32_t track_goal(const track_settings *s)
{
    int32_t goal = s->tolerance <= 0.0 || s->tolerance > 1e-12 ? 1 : s->tolerance > 1e-26 ? 2 : 4;
    return goal > s->least_prec ? (goal < s->most_prec ? goal : s->most_prec) : s->least_prec;
}

/* And that of the points of circles: those of doubtful ends are as exact as they can be. */
TRACK_FN int32_t track_aim(const track_settings *s, const track_path *p)
{
    return p->doubted ? p->prec : track_goal(s);
}

/* Of endpoints; and of steps, relative to |tau|: where the rule of precision has not stopped a path before, no other can help. */
TRACK_FN double track_tolerance(const track_settings *s)
{
    int32_t prec = track_goal(s);
    return s->tolerance > 0.0 ? s->tolerance : prec == 1 ? 1e-9 : prec == 2 ? 1e-18 : 1e-28;
}
TRACK_FN double track_least(const track_settings *s, const track_path *p, int32_t prec)
{
    double least = prec == 1 ? 1e-14 : 1e-28;
    return s->least_step > 0.0 && p->leg == TRACK_WALK ? s->least_step : least * track_tau_abs(p->at[p->newest]);
}

/* What noise displaces X by, relatively. */
TRACK_FN double track_blur(const track_path *p) { return p->excess * p->swell * track_noise(p->prec) * p->condition; }

/* How fast Newton's method converges at worst: |next correction| / |this one|^2. What is left of the error of X after its last
 * correction; and what is as good as nothing: the noise, or less than endpoints need. */
TRACK_FN double track_rate(const track_path *p)
{
    return p->condition / p->size > p->omega ? p->condition / p->size : p->omega;
}
TRACK_FN double track_rest(const track_path *p)
{
    double rest = track_rate(p) * p->last * p->last;
    return rest < p->last ? rest : p->last;
}
TRACK_FN double track_enough(const track_settings *s, const track_path *p)
{
    double goal = 0.1 * track_noise(track_aim(s, p)), blur = track_blur(p);
    return (goal > blur ? goal : blur) * p->size;
}

/* How far the precision is from its limit: noise displaces a point by noise * condition, and Newton's method converges to it from
 * within about 1 / condition, relatively: their ratio, 1 at the limit. omega is that radius as the last steps have seen it. */
TRACK_FN double track_exposure(const track_path *p, int32_t prec)
{
    double radius = p->omega * p->size;
    return p->excess * p->swell * track_noise(prec) * p->condition * (radius > p->condition ? radius : p->condition);
}

#define TRACK_SOFT 1e-2 /* exposure from which a higher precision is taken where that is allowed */
#define TRACK_CALM 1e-3 /* of a lower precision, up to which it is taken again */
#define TRACK_HARD 1.0  /* beyond which nothing is believed */
enum { TRACK_CALM_STEPS = 3 };

TRACK_FN int32_t track_higher(const track_settings *s, int32_t prec) { return 2 * prec <= s->most_prec ? 2 * prec : 0; }
TRACK_FN int32_t track_lower(const track_settings *s, int32_t prec) { return prec / 2 >= s->least_prec ? prec / 2 : 0; }

/* ---- The size of terms ---------------------------------------------------------------------------------------------------- */

TRACK_FN int32_t track_degree(const track_settings *s, int64_t i) { return i < TRACK_DEGREES ? s->degree[i] : 1; }

/* How much larger the terms of an equation of this degree are at |x| = size than where r was made. Homogeneous ones shrink as well. */
TRACK_FN double track_growth(const track_settings *s, const track_path *p, int32_t degree)
{
    double from = p->weighed, to = p->size, power = 1.0;
    if (!s->projective) {
        from = from > 1.0 ? from : 1.0;
        to = to > 1.0 ? to : 1.0;
    }
    for (int32_t k = 0; k < degree; k++)
        power *= to / from;
    return power;
}

/* A power of two that takes |x| to about 1; to the power of degree - 1 it takes the derivatives of an equation to what they are at such an
 * x, so that rows of a matrix are of one size. 1 where there are more equations than unknowns: there the sizes of rows are weights. */
TRACK_FN double track_half(const track_settings *s, const track_path *p)
{
    double half = 1.0;
    if (!s->projective || s->equations != s->unknowns || !(p->size > 0x1p-100 && p->size < 0x1p100))
        return 1.0;
    while (half * p->size > 1.5)
        half *= 0.5;
    while (half * p->size < 0.75)
        half *= 2.0;
    return half;
}
TRACK_FN double track_level(const track_settings *s, double half, int64_t i)
{
    double power = 1.0;
    for (int32_t k = 1; half != 1.0 && k < track_degree(s, i) && power > 0x1p-500 && power < 0x1p500; k++)
        power *= half;
    return power;
}

/* ---- Steps --------------------------------------------------------------------------------------------------------------- */

#define TRACK_TARGET 1e-2      /* first correction aimed at, over |x| */
#define TRACK_FAR 1e-1         /* first correction that is not worth a second */
#define TRACK_NEAR 1e-4        /* last correction of a point that is accepted, over |x| */
#define TRACK_SURE 1e-2        /* and over the radius in which Newton's method converges */
#define TRACK_CHANGE_TARGET .2 /* change of w between corrections aimed at */
#define TRACK_CHANGE_MOST .5
#define TRACK_TURN_TARGET .6  /* of the turn that is allowed */
#define TRACK_ENDGAME_ZONE .1 /* of tau */
#define TRACK_ENDGAME 3e-3
#define TRACK_EARLY 1e-4
enum { TRACK_CUTS = 3, TRACK_PATIENCE = 3 };
enum { TRACK_CORRECTIONS = 3, TRACK_CORRECTIONS_EXACT = 8 };

/* The largest factor in (least, most], by steps of 0.84, with which an error of this order stays within 1. */
TRACK_FN double track_stretch(double error, int32_t order, double least, double most)
{
    double factor = most;
    while (factor > least) {
        double grown = error;
        for (int32_t k = 0; k < order; k++)
            grown *= factor;
        if (grown <= 1.0)
            return factor;
        factor *= 0.84;
    }
    return least;
}

/* The larger one; infinite where either is not a number. */
TRACK_FN double track_larger(double a, double b)
{
    if (!(a >= 0.0) || !(b >= 0.0))
        return (double)INFINITY;
    return a > b ? a : b;
}

/* What the trial says about steps: 1 where it was as long as it should be, by the predictor's error (order of the history) and by the
 * change of w (order 1). */
TRACK_FN double track_factor(const track_settings *s, const track_path *p, double least, double most)
{
    double error = track_larger(p->first / (TRACK_TARGET * p->size), p->change / TRACK_CHANGE_TARGET);
    double by_error = s->shorten * track_stretch(error, p->order, least / s->shorten, most / s->shorten);
    double by_turn = track_stretch(p->bend / (TRACK_TURN_TARGET * s->turn), 1, least, most);
    return by_error < by_turn ? by_error : by_turn;
}

/* ---- Random numbers --------------------------------------------------------------------------------------------------- */

TRACK_FN uint64_t track_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A number with both parts of modulus in [1/2, 1), entry `row` of those of a path. */
TRACK_FN track_c track_direction(uint64_t seed, int64_t number, int64_t row)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = track_mix(track_mix(track_mix(seed + step) + (uint64_t)number * step) + (uint64_t)(row + 1) * step);
    double re = 0.5 + (double)(z >> 40 & 0xffff) * 0x1p-17, im = 0.5 + (double)(z >> 20 & 0xffff) * 0x1p-17;
    return track_c_of(z & 1 ? -re : re, z & 2 ? -im : im);
}

#endif
