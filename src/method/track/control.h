/* control.h - step control and precision control of a path, from its scalars alone. */
#ifndef PLUMB_METHOD_TRACK_CONTROL_H
#define PLUMB_METHOD_TRACK_CONTROL_H

#include "method/track/tau.h"
#include "method/track/thresholds.h"
#include "plumb.h"

/* ---- Limits of a precision -------------------------------------------------------------------------------------- */

/* The rounding error of h relative to its terms: a few units. */
TRACK_FN double track_noise(int32_t prec)
{
    return prec == 1 ? TRACK_NOISE_D : prec == 2 ? TRACK_NOISE_DD : TRACK_NOISE_QD;
}

/* The precision of endpoints: that of the whole path, or with automatic precision the lowest that the tolerance
 * allows. */
TRACK_FN int32_t track_goal(const track_settings *s)
{
    int32_t goal = s->tolerance <= 0.0 || s->tolerance > TRACK_GOAL_D ? 1 : s->tolerance > TRACK_GOAL_DD ? 2 : 4;
    return goal > s->least_prec ? (goal < s->most_prec ? goal : s->most_prec) : s->least_prec;
}

/* The precision of the points of circles; circles around doubtful ends use the highest. */
TRACK_FN int32_t track_aim(const track_settings *s, const track_path *p)
{
    return p->circle.doubted ? p->precision.now : track_goal(s);
}

/* The tolerance of endpoints; and the shortest step relative to |tau|. A path reaches it only where the precision
 * rule did not stop it before, so that a higher precision would not help. */
TRACK_FN double track_tolerance(const track_settings *s)
{
    int32_t prec = track_goal(s);
    return s->tolerance > 0.0 ? s->tolerance
           : prec == 1        ? TRACK_TOLERANCE_D
           : prec == 2        ? TRACK_TOLERANCE_DD
                              : TRACK_TOLERANCE_QD;
}
TRACK_FN double track_least(const track_settings *s, const track_path *p, int32_t prec)
{
    double least = prec == 1 ? TRACK_LEAST_STEP_D : TRACK_LEAST_STEP;
    if (p->predictor.logarithmic)
        return p->course.leg == TRACK_ROUND ? least : TRACK_LEAST_LOG_STEP; /* tau is one double in the zone */
    return s->least_step > 0.0 && p->course.leg == TRACK_WALK ? s->least_step
                                                              : least * track_tau_abs(p->points.at[p->points.newest]);
}

/* True at tau = 0, where coordinates may vanish, and all terms of an equation with them. */
TRACK_FN int32_t track_is_at_end(const track_path *p) { return p->trial.tau[0] == 0.0 && p->trial.tau[2] == 0.0; }

/* True if norms are relative to each coordinate: everywhere but on circles and at the start, where some may be 0. */
TRACK_FN int32_t track_is_relative(const track_path *p)
{
    return p->course.leg != TRACK_ROUND && p->trial.phase != TRACK_STARTS;
}

/* Norms are then relative to a coordinate as long as the noise leaves it enough digits: at least to this
 * multiple of the corresponding entry of w. */
TRACK_FN double track_floor(const track_path *p)
{
    return p->precision.now == 1 ? TRACK_FLOOR_D : p->precision.now == 2 ? TRACK_FLOOR_DD : TRACK_FLOOR_QD;
}
TRACK_FN int32_t track_is_framed(const track_path *p) { return TRACK_FRAMES && p->scale.framed; }

/* The change of d log(x_i) / d log(tau) between points below which x_i does not pass near zero. Near a zero at the distance d in
 * log(tau) it is 1 / d, and changes by more. */
TRACK_FN double track_steady(const track_path *p, double rate)
{
    const double most = rate * (track_is_framed(p) ? TRACK_STEADY_FRAME : TRACK_STEADY_SHARE);
    return most > TRACK_STEADY ? most : TRACK_STEADY;
}

/* The relative error of X caused by noise. */
TRACK_FN double track_blur(const track_path *p)
{
    return p->corrector.excess * track_noise(p->precision.now) * p->corrector.condition;
}

/* An upper bound on |next correction| / |this correction|^2 of Newton's method; the error of X that remains after its
 * last correction; and the error that is negligible: the noise, or less than endpoints need, so that x_0 of the largest
 * root asked for is distinguished from zero. All are relative. */
TRACK_FN double track_rate(const track_path *p)
{
    return p->corrector.condition > p->corrector.omega ? p->corrector.condition : p->corrector.omega;
}
TRACK_FN double track_rest(const track_path *p)
{
    double rest = track_rate(p) * p->corrector.last * p->corrector.last;
    return rest < p->corrector.last ? rest : p->corrector.last;
}
TRACK_FN double track_enough(const track_settings *s, const track_path *p)
{
    double goal = TRACK_NEGLIGIBLE * track_noise(track_aim(s, p)), told = TRACK_TOLD / s->largest, blur = track_blur(p);
    goal = goal < told ? goal : told;
    return goal > blur ? goal : blur;
}

/* How close the precision is to its limit. Noise displaces a point by noise * condition, relatively, and Newton's
 * method converges to it from within about 1 / condition; the exposure is their ratio and is 1 at the limit. omega is
 * the inverse of that radius as observed in the last steps. */
TRACK_FN double track_exposure(const track_path *p, int32_t prec)
{
    double radius = p->corrector.omega > p->corrector.condition ? p->corrector.omega : p->corrector.condition;
    return p->corrector.excess * track_noise(prec) * p->corrector.condition * radius;
}

TRACK_FN int32_t track_higher(const track_settings *s, int32_t prec) { return 2 * prec <= s->most_prec ? 2 * prec : 0; }
TRACK_FN int32_t track_lower(const track_settings *s, int32_t prec) { return prec / 2 >= s->least_prec ? prec / 2 : 0; }

/* ---- The size of terms ---------------------------------------------------------------------------------------------------- */

/* The moduli of the weights of g and f in h at p->trial.tau; and the size of the terms of equation i of h, from those of g and
 * f. If h itself is evaluated, its weight is 1. */
typedef struct track_shares_size {
    double g, f;
} track_shares_size;
TRACK_FN track_shares_size track_size_of_shares(const track_settings *s, const track_path *p)
{
    track_shares_size of;
    of.g = s->moving ? 1.0 : track_c_abs(track_c_of(s->gamma[0], s->gamma[1])) * track_tau_abs(p->trial.tau);
    of.f = s->moving ? 0.0 : track_c_abs(track_c_of((1.0 - p->trial.tau[0]) - p->trial.tau[1], p->trial.tau[2]));
    return of;
}
TRACK_FN double track_row_size(const track_settings *s, const track_path *p, track_shares_size of, const double *sizes,
                               int64_t i)
{
    const double size = s->moving ? sizes[i] : of.g * sizes[i] + of.f * sizes[s->equations + i];
    /* The constant of the patch is p->scale.unit, not 1. */
    return p->scale.unit != 1.0 && i == s->equations - 1 ? size + (of.g + of.f) * (p->scale.unit - 1.0) : size;
}

/* A power of two that scales a row with terms of this size to about 1, so that the rows of a matrix have about the
 * same size. It is 1 if there are more equations than unknowns, because the sizes of rows are then weights. */
TRACK_FN double track_level(const track_settings *s, double size)
{
    uint64_t bits;
    if (s->equations != s->unknowns || !(size > 0.0 && size < 0x1p1000))
        return 1.0;
    memcpy(&bits, &size, sizeof bits);
    const int32_t exponent = (int32_t)(bits >> 52) - 1022; /* size is at least 2^(exponent - 1) and below 2^exponent */
    return track_power_of_two(exponent < -1000 ? 1000 : -exponent);
}

/* ---- Steps --------------------------------------------------------------------------------------------------------------- */

#define TRACK_LOG_2 .6931471805599453

/* The largest factor in (least, most], in steps of TRACK_STRETCH, for which an error of this order stays within 1. Of most / least up to 13
 * there are TRACK_STRETCHES factors. */
enum { TRACK_STRETCHES = 16 };
TRACK_CALL double track_stretch(double error, int32_t order, double least, double most)
{
    enum { FACTORS = 4 }; /* that are tried at once, because none of the products has to wait for another */
    double factor = most;
    while (factor > least) {
        double tried[FACTORS], grown[FACTORS];
        for (int32_t j = 0; j < FACTORS; j++) {
            tried[j] = factor;
            grown[j] = error;
            factor *= TRACK_STRETCH;
        }
        TRACK_ROLLED
        for (int32_t k = 0; k < order; k++)
            for (int32_t j = 0; j < FACTORS; j++)
                grown[j] *= tried[j];
        for (int32_t j = 0; j < FACTORS; j++)
            if (grown[j] <= 1.0)
                return tried[j] > least ? tried[j] : least;
    }
    return least;
}

/* The larger of the two; infinite if one of them is NaN. */
TRACK_FN double track_larger(double a, double b)
{
    if (!(a >= 0.0) || !(b >= 0.0))
        return (double)INFINITY;
    return a > b ? a : b;
}

/* The factor by which the next step should be longer than this trial, from the error of the predictor (order of the
 * history) and the change of w (order 1); 1 if the trial had the right length. */
TRACK_FN double track_factor_of(const track_settings *s, const track_path *p, double least, double most)
{
    double error = track_larger(p->corrector.first / TRACK_TARGET, p->corrector.change / TRACK_CHANGE_TARGET);
    double by_error = s->shorten * track_stretch(error, p->predictor.order, least / s->shorten, most / s->shorten);
    double by_turn = track_stretch(p->corrector.bend / (TRACK_TURN_TARGET * s->turn), 1, least, most);
    return by_error < by_turn ? by_error : by_turn;
}
TRACK_CALL double track_factor(const track_settings *s, const track_path *p, double least, double most)
{
    return track_factor_of(s, p, least, most);
}

/* ---- The unit of projective coordinates -------------------------------------------------------------------------------- */

/* On the way to infinity the terms of an equation of high degree may become so small that their last digits underflow,
 * or so large that they overflow. In projective coordinates a point can be multiplied by any number, so it is multiplied
 * by a power of two; and steps are limited so that no terms are lost in between. */

TRACK_FN int32_t track_exponent(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int32_t)(bits >> 52) - 1023;
}

/* True if the next trial may be a jump to tau = 0, which uses the sizes of terms that are known now. */
TRACK_FN int32_t track_may_jump(const track_path *p)
{
    const double tau = track_tau_abs(p->trial.tau);
    return p->course.zone ? p->predictor.leap >= 0.0 && p->predictor.leap <= TRACK_JUMP && tau <= p->control.jump_below
                          : !(TRACK_JUMP_REACH * p->trial.length < tau);
}

/* What the newest point is multiplied by: half of what the smallest or largest terms need, so that others do not leave
 * the range on the other side. */
TRACK_FN double track_change_of_unit(const track_settings *s, const track_path *p)
{
    if (!s->projective || track_is_framed(p) || p->course.leg != TRACK_WALK || track_is_at_end(p) || track_may_jump(p))
        return 1.0;
    if (p->terms.largest_inverse > TRACK_ROWS && p->terms.largest < TRACK_ROWS)
        return track_power_of_two(track_exponent(p->terms.largest_inverse) / (2 * s->degree));
    if (p->terms.largest > TRACK_ROWS && p->terms.largest_inverse < TRACK_ROWS && p->terms.largest < (double)INFINITY)
        return track_power_of_two(-track_exponent(p->terms.largest) / (2 * s->degree));
    return 1.0;
}

/* The longest step in log(tau): at its end the terms of each equation must have all their digits, if x_0 falls as it does
 * now and no unknown falls faster. */
TRACK_FN double track_longest(const track_settings *s, const track_path *p)
{
    const track_c y = track_c_of(p->lead.value[0], p->lead.value[1]),
                  slope = track_c_of(p->lead.slope[0], p->lead.slope[1]);
    const double rate = track_c_div(slope, y).re * s->degree;
    const double bits =
        (double)(TRACK_RANGE_BITS - TRACK_LIMB_BITS * p->precision.now - track_exponent(p->terms.largest_inverse));
    if (!s->projective || !(rate * TRACK_LONGEST > TRACK_LOG_2 * bits))
        return TRACK_LONGEST;
    return bits > 0.0 ? TRACK_LOG_2 * bits / rate : TRACK_SHORT;
}

/* ---- Frames -------------------------------------------------------------------------------------------------------------- */

/* A path with coordinates that no unit keeps in range gets exponents of its own for small unknowns (backend/cpu/track/frame.h).
 * They are then 2^-100 times the largest one, so that x_0 is still far below that of the largest root asked for; a product of
 * seven has all digits of qd. */

/* True if the squares of terms at the newest point, of which moduli are computed, are near the end of the range; or the terms
 * near that of the frame, which has to last for the next step. */
TRACK_FN int32_t track_leaves_range(const track_settings *s, const track_path *p)
{
    const int32_t most = track_is_framed(p) ? (int32_t)TRACK_FRAME_RANGE : (int32_t)TRACK_RANGE;
    return s->projective &&
           (track_exponent(p->terms.largest_inverse) > most || track_exponent(p->terms.largest) > most);
}

/* True if a path has failed there. */
TRACK_FN int32_t track_has_left_range(const track_settings *s, const track_path *p)
{
    const int32_t failed = p->verdict.code == PLUMB_PATH_STEP_TOO_SMALL ||
                           p->verdict.code == PLUMB_PATH_PRECISION_EXHAUSTED || p->verdict.code == PLUMB_PATH_UNDECIDED;
    return failed && !s->moving && s->degree <= TRACK_FRAME_DEGREE && track_leaves_range(s, p);
}

/* True if all that a path knows is in its vectors and samples: on the walk, and not if the next trial is a jump, which uses
 * the sizes of terms that are known now. */
TRACK_FN int32_t track_may_change_frame(const track_settings *s, const track_path *p)
{
    return s->projective && !s->moving && s->degree <= TRACK_FRAME_DEGREE && p->course.leg == TRACK_WALK &&
           p->ray.state != TRACK_ON_RAY && p->trial.phase == TRACK_STEPS && !p->trial.jump && !track_is_at_end(p);
}

/* ---- Random numbers --------------------------------------------------------------------------------------------------- */

TRACK_FN uint64_t track_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Random entry `row` of a path: a complex number whose parts have moduli in [1/2, 1). */
TRACK_FN track_c track_direction(uint64_t seed, int64_t number, int64_t row)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = track_mix(track_mix(track_mix(seed + step) + (uint64_t)number * step) + (uint64_t)(row + 1) * step);
    double re = 0.5 + (double)(z >> 40 & 0xffff) * 0x1p-17, im = 0.5 + (double)(z >> 20 & 0xffff) * 0x1p-17;
    return track_c_of(z & 1 ? -re : re, z & 2 ? -im : im);
}

#endif
