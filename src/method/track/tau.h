/* tau.h - points in the complex plane of tau, and complex arithmetic in double for predictions and steps. The real
 * and the imaginary part of tau are two doubles each, so that steps of 10^-25 in the middle of a path can be
 * represented. The bits are the same on every machine. */
#ifndef PLUMB_METHOD_TRACK_TAU_H
#define PLUMB_METHOD_TRACK_TAU_H

#include <math.h>

#include "method/track/track.h"

typedef struct track_c {
    double re, im;
} track_c;

TRACK_FN track_c track_c_of(double re, double im)
{
    track_c z;
    z.re = re;
    z.im = im;
    return z;
}
TRACK_FN track_c track_c_add(track_c a, track_c b) { return track_c_of(a.re + b.re, a.im + b.im); }
TRACK_FN track_c track_c_sub(track_c a, track_c b) { return track_c_of(a.re - b.re, a.im - b.im); }
TRACK_FN track_c track_c_mul(track_c a, track_c b)
{
    return track_c_of(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
TRACK_FN track_c track_c_scale(track_c a, double by) { return track_c_of(a.re * by, a.im * by); }
TRACK_CALL track_c track_c_div(track_c a, track_c b)
{
    if (b.im == 0.0) { /* whose square may underflow */
        /* GPUs take long to divide 0. */
        const int32_t is_zero = a.im == 0.0 && b.re != 0.0 && b.re - b.re == 0.0;
        return track_c_of(a.re / b.re, is_zero ? a.im * b.re : a.im / b.re);
    }
    double square = b.re * b.re + b.im * b.im;
    if (square < 0x1p-900) {
        a = track_c_scale(a, 0x1p500);
        b = track_c_scale(b, 0x1p500);
        square = b.re * b.re + b.im * b.im;
    }
    return track_c_of((a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square);
}
TRACK_CALL double track_c_abs(track_c a)
{
    double square = a.re * a.re + a.im * a.im;
    if (!(square < 0x1p-900)) /* squares do not underflow */
        return sqrt(square);
    double re = a.re * 0x1p500, im = a.im * 0x1p500;
    return sqrt(re * re + im * im) * 0x1p-500;
}

/* Logarithms and exponentials have about 15 correct digits and the same bits on every machine, which those of libraries do
 * not guarantee: they use only +, -, *, / and sqrt. */

/* The sum of x^k / (2k + 1) for k from 0 to 11, up to a rounding error for |x| <= 0.04: artanh(t) / t at t^2, and arctan(t) / t
 * at -t^2. */
TRACK_FN double track_arc_series(double x)
{
    const double q = x * x;
    double even = 1.0 / 17.0 + q * (1.0 / 21.0), odd = 1.0 / 19.0 + q * (1.0 / 23.0);
    even = 1.0 / 9.0 + q * (1.0 / 13.0 + q * even);
    odd = 1.0 / 11.0 + q * (1.0 / 15.0 + q * odd);
    even = 1.0 + q * (1.0 / 5.0 + q * even);
    odd = 1.0 / 3.0 + q * (1.0 / 7.0 + q * odd);
    return even + x * odd;
}

/* log(1 + s), accurate for every s, however small; m is 1 + s. */
TRACK_FN double track_log_of(double s, double m)
{
    double whole = 0.0;
    if (!(s > -0.25 && s < 0.5)) { /* m is 2^k times a number in [3/4, 3/2) */
        uint64_t bits;
        if (!(m > 0x1p-1000 && m < 0x1p1000))
            return m > 1.0 ? 694.0 : -694.0;
        memcpy(&bits, &m, sizeof bits);
        const int32_t k = (int32_t)((bits + (UINT64_C(1) << 51)) >> 52) - 1023;
        s = m * track_power_of_two(-k) - 1.0;
        whole = 0x1.62e42fefa39efp-1 * (double)k;
    }
    const double t = s / (2.0 + s);
    return whole + 2.0 * t * track_arc_series(t * t);
}

/* The angle of a + b i in (-pi, pi], where r is its modulus: half-angles until the tangent is small. */
TRACK_FN double track_angle(double a, double b, double r)
{
    if (b == 0.0)
        return a < 0.0 ? 0x1.921fb54442d18p1 : 0.0;
    double times = 2.0, t = a >= 0.0 ? b / (r + a) : (r - a) / b;
    while (t * t > 0.04 && times < 256.0) {
        t = t / (1.0 + sqrt(1.0 + t * t));
        times *= 2.0;
    }
    return times * t * track_arc_series(-t * t);
}

/* log(1 + e) with imaginary part in (-pi, pi]. */
TRACK_CALL track_c track_c_log(track_c e)
{
    if (e.im == 0.0 && e.re > -1.0)
        return track_c_of(track_log_of(e.re, 1.0 + e.re), e.im);
    double a = 1.0 + e.re, m = a * a + e.im * e.im, shift = 0.0;
    if (!(m > 0x1p-900 && m < 0x1p900)) {
        const double by = m < 1.0 ? 0x1p500 : 0x1p-500;
        a *= by;
        e.im *= by;
        m = a * a + e.im * e.im;
        shift = by > 1.0 ? -0x1.5a92d6d005c94p8 : 0x1.5a92d6d005c94p8; /* 500 log(2) */
        if (!(m > 0x1p-1000 && m < 0x1p1000))
            return track_c_of(shift, 0.0);
        return track_c_of(shift + 0.5 * track_log_of(m - 1.0, m), track_angle(a, e.im, sqrt(m)));
    }
    return track_c_of(0.5 * track_log_of(e.re * (2.0 + e.re) + e.im * e.im, m), track_angle(a, e.im, sqrt(m)));
}

/* e^z = 2^k (1 + even + odd) for |z| <= 700: the even and the odd terms of the series of e^r, |r| <= log(2) / 2, to r^13. */
typedef struct track_exp_terms {
    int32_t k;
    double even, odd;
} track_exp_terms;

TRACK_FN track_exp_terms track_exp_terms_of(double z)
{
    const double log2 = 0x1.62e42fefa38p-1, log2_rest = 0x1.ef35793c7673p-45; /* the first has 42 bits */
    track_exp_terms e;
    e.k = (int32_t)(z * 0x1.71547652b82fep0 + (z < 0.0 ? -0.5 : 0.5));
    const double r = (z - (double)e.k * log2) - (double)e.k * log2_rest, q = r * r;
    double odd = 1.0 / 5040.0 + q * (1.0 / 362880.0 + q * (1.0 / 39916800.0 + q * (1.0 / 6227020800.0)));
    double even = 1.0 / 720.0 + q * (1.0 / 40320.0 + q * (1.0 / 3628800.0 + q * (1.0 / 479001600.0)));
    odd = 1.0 + q * (1.0 / 6.0 + q * (1.0 / 120.0 + q * odd));
    even = 0.5 + q * (1.0 / 24.0 + q * even);
    e.even = q * even;
    e.odd = r * odd;
    return e;
}

/* e^z - 1 for |z| <= 600. */
TRACK_FN double track_exp_less_1(double z)
{
    const track_exp_terms e = track_exp_terms_of(z);
    const double rest = e.odd + e.even, scale = track_power_of_two(e.k);
    return e.k == 0 ? rest : (scale - 1.0) + scale * rest;
}

/* e^z - 1. The modulus of z is bounded by 600, beyond which e^z is 0 or infinite for our purposes. */
TRACK_CALL track_c track_c_exp(track_c z)
{
    const double size = track_c_abs(z);
    if (!(size < 600.0))
        z = track_c_scale(z, 600.0 / size);
    const double grown = track_exp_less_1(z.re);
    if (z.im == 0.0)
        return track_c_of(grown, z.im);
    const double half_pi = 0x1.921fb544p0, half_pi_rest = 0x1.0b4611a626331p-34; /* the first has 33 bits */
    const int32_t k = (int32_t)(z.im * 0x1.45f306dc9c883p-1 + (z.im < 0.0 ? -0.5 : 0.5));
    const double r = (z.im - (double)k * half_pi) - (double)k * half_pi_rest, q = r * r;
    double sine = 1.0 / 362880.0 - q * (1.0 / 39916800.0 - q * (1.0 / 6227020800.0 - q * (1.0 / 1307674368000.0)));
    double cosine =
        1.0 / 3628800.0 - q * (1.0 / 479001600.0 - q * (1.0 / 87178291200.0 - q * (1.0 / 20922789888000.0)));
    sine = r - r * q * (1.0 / 6.0 - q * (1.0 / 120.0 - q * (1.0 / 5040.0 - q * sine)));
    cosine = -q * (0.5 - q * (1.0 / 24.0 - q * (1.0 / 720.0 - q * (1.0 / 40320.0 - q * cosine)))); /* less 1 */
    if (k & 1) {
        const double turned = k & 2 ? sine : -sine;
        sine = k & 2 ? -(1.0 + cosine) : 1.0 + cosine;
        cosine = turned - 1.0;
    } else if (k & 2) {
        sine = -sine;
        cosine = -(1.0 + cosine) - 1.0;
    }
    return track_c_of(grown * (1.0 + cosine) + cosine, grown * sine + sine);
}

/* e^z for a real z, with about 10 correct digits where it is small, too. */
TRACK_CALL double track_exp(double z)
{
    double power = 1.0 + track_c_exp(track_c_of(z / 64.0, 0.0)).re;
    for (int k = 0; k < 6; k++)
        power *= power;
    return power;
}

TRACK_FN void track_tau_copy(double *to, const double *from)
{
    for (int k = 0; k < 4; k++)
        to[k] = from[k];
}

TRACK_FN void track_tau_set(double *to, double re)
{
    to[0] = re;
    to[1] = to[2] = to[3] = 0.0;
}

TRACK_FN int32_t track_tau_equal(const double *a, const double *b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

/* a - b, with each part rounded to one double. */
TRACK_FN track_c track_tau_minus(const double *a, const double *b)
{
    return track_c_of((a[0] - b[0]) + (a[1] - b[1]), (a[2] - b[2]) + (a[3] - b[3]));
}

TRACK_FN double track_tau_abs(const double *a)
{
    return a[2] == 0.0 ? (a[0] < 0.0 ? -a[0] : a[0]) : track_c_abs(track_c_of(a[0], a[2]));
}

TRACK_FN void track_tau_part(const double *from, double delta, double *to)
{
    double sum = from[0] + delta, part = sum - from[0];
    double low = ((from[0] - (sum - part)) + (delta - part)) + from[1];
    to[0] = sum + low;
    to[1] = low - (to[0] - sum);
}

/* to = from + delta, with two doubles per part. */
TRACK_FN void track_tau_add(double *to, const double *from, track_c delta)
{
    track_tau_part(from, delta.re, to);
    track_tau_part(from + 2, delta.im, to + 2);
}

/* A limit of x_0 / x_k with its error (infinity.h). */
typedef struct track_limit {
    double size, error;
} track_limit;
enum { TRACK_POWERS = 16 }; /* the largest c in tau^(1/c) that is tried */

/* A prediction from the newest points, of which node 0 is the newest: x = x_0 + sum of a_j (x_j - x_0) + b_j v_j, where
 * v_j is tau dx/dtau at node j. */
typedef struct track_weights {
    track_c a[TRACK_HISTORY], b[TRACK_HISTORY];
} track_weights;

/* Predictions with a pole use three weights: those of the polynomial, and of H and L (predict_tmpl.h). */
enum { TRACK_HIGH = 1, TRACK_LOW = 2, TRACK_SUMS = 3 };

/* Memory of a team, whose threads share what takes long. The trial is node[history]. log, rate and clear are those of some
 * unknowns (TRACK(take_logs)). */
enum { TRACK_TOGETHER = 32 };
typedef struct track_board {
    track_c node[TRACK_HISTORY + 1], quotient[TRACK_HISTORY][TRACK_HISTORY][2];
    track_weights weights[TRACK_PREDICTORS];
    double logs[TRACK_SAMPLES + 1];
    track_limit limits[TRACK_POWERS];
    track_c log[TRACK_TOGETHER][TRACK_HISTORY], rate[TRACK_TOGETHER][TRACK_HISTORY];
    int32_t clear[TRACK_TOGETHER];
} track_board;

enum { TRACK_CORNERS = 32 };

/* cos(2 pi k / 32) for k = 0 .. 8. */
TRACK_FN void track_cosine(int32_t k, double *hi, double *lo)
{
    switch (k) {
    case 0:
        *hi = 1.0, *lo = 0.0;
        return;
    case 1:
        *hi = 0x1.f6297cff75cb0p-1, *lo = 0x1.562172a361fd3p-56;
        return;
    case 2:
        *hi = 0x1.d906bcf328d46p-1, *lo = 0x1.457e610231ac2p-56;
        return;
    case 3:
        *hi = 0x1.a9b66290ea1a3p-1, *lo = 0x1.9f630e8b6dac8p-60;
        return;
    case 4:
        *hi = 0x1.6a09e667f3bcdp-1, *lo = -0x1.bdd3413b26456p-55;
        return;
    case 5:
        *hi = 0x1.1c73b39ae68c8p-1, *lo = 0x1.b25dd267f6600p-55;
        return;
    case 6:
        *hi = 0x1.87de2a6aea963p-2, *lo = -0x1.72cedd3d5a610p-57;
        return;
    case 7:
        *hi = 0x1.8f8b83c69a60bp-3, *lo = -0x1.26d19b9ff8d82p-57;
        return;
    default:
        *hi = 0.0, *lo = 0.0;
        return;
    }
}

/* The point at angle 2 pi k / 32 on the circle of the given radius, a power of two; exact to two doubles per part. */
TRACK_CALL void track_corner(double *to, double radius, int32_t k)
{
    int32_t quarter = k % TRACK_CORNERS / 8, rest = k % 8;
    double c_hi, c_lo, s_hi, s_lo;
    track_cosine(rest, &c_hi, &c_lo);
    track_cosine(8 - rest, &s_hi, &s_lo);
    double re = quarter == 1 || quarter == 2 ? -radius : radius, im = quarter >= 2 ? -radius : radius;
    int swap = quarter & 1;
    to[0] = re * (swap ? s_hi : c_hi);
    to[1] = re * (swap ? s_lo : c_lo);
    to[2] = im * (swap ? c_hi : s_hi);
    to[3] = im * (swap ? c_lo : s_lo);
}

#endif
