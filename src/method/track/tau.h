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

/* The square root with a nonnegative real part. */
TRACK_CALL track_c track_c_sqrt(track_c a)
{
    if (a.im == 0.0 && a.re > 0x1p-500 && a.re < 0x1p500) /* the following would give the same bits */
        return track_c_of(sqrt(a.re), a.im);
    double size = track_c_abs(a), big = sqrt(0.5 * (size + (a.re < 0.0 ? -a.re : a.re)));
    if (!(big > 0.0))
        return track_c_of(0.0, 0.0);
    double small = 0.5 * a.im / big;
    if (a.re >= 0.0)
        return track_c_of(big, small);
    return a.im < 0.0 ? track_c_of(-small, -big) : track_c_of(small, big);
}

/* log(1 + e) with imaginary part in (-pi, pi): square roots until e is small, then 2 artanh(e / (2 + e)). It has
 * about 13 correct digits for every e, however small, and the same bits on every machine, which the logarithms of
 * libraries do not guarantee. */
TRACK_CALL track_c track_c_log(track_c e)
{
    double times = 2.0;
    while (e.re * e.re + e.im * e.im > 0.01 && times < 2048.0) {
        track_c root = track_c_sqrt(track_c_of(1.0 + e.re, e.im));
        e = track_c_of(root.re - 1.0, root.im);
        times *= 2.0;
    }
    track_c t = track_c_div(e, track_c_of(2.0 + e.re, e.im)), square = track_c_mul(t, t), sum = track_c_of(0.0, 0.0);
    for (int k = 13; k > 0; k -= 2)
        sum = track_c_add(track_c_mul(sum, square), track_c_of(1.0 / k, 0.0));
    return track_c_scale(track_c_mul(sum, t), times);
}

/* e^z - 1, by halving z until it is small, the series, and (1 + e)^2 - 1 = e (2 + e). The modulus of z is bounded by
 * 600, beyond which e^z is 0 or infinite for our purposes. */
TRACK_CALL track_c track_c_exp(track_c z)
{
    int halvings = 0;
    double size = track_c_abs(z);
    if (!(size < 600.0)) {
        z = track_c_scale(z, 600.0 / size);
        size = 600.0;
    }
    for (; size > 0.125 && halvings < 16; halvings++) {
        z = track_c_scale(z, 0.5);
        size *= 0.5;
    }
    track_c sum = track_c_of(0.0, 0.0);
    for (int k = 10; k > 0; k--)
        sum = track_c_scale(track_c_mul(track_c_add(sum, track_c_of(1.0, 0.0)), z), 1.0 / k);
    for (; halvings > 0; halvings--)
        sum = track_c_mul(sum, track_c_of(2.0 + sum.re, sum.im));
    return sum;
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

/* Memory of a team, whose threads share what takes long. The trial is node[history]. */
typedef struct track_board {
    track_c node[TRACK_HISTORY + 1];
    track_weights weights[TRACK_PREDICTORS];
    double logs[TRACK_SAMPLES + 1];
    track_limit limits[TRACK_POWERS];
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
