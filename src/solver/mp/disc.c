/* disc.c - see disc.h. */
#include "solver/mp/disc.h"

#include <math.h>

/* More than the rounding of a few logarithms below 2^20. */
static const double SLACK = 0x1p-24;

double log2_sum(double a, double b)
{
    const double most = fmax(a, b), least = fmin(a, b);
    return isfinite(least) && isfinite(most) ? most + log2(1.0 + exp2(least - most)) : most;
}

double log2_difference(double a, double b)
{
    return isfinite(b) ? a + log2(1.0 - exp2(b - a)) : a;
}

void disc_init(disc *x, int64_t bits)
{
    mpfr_init2(x->z.re, bits);
    mpfr_init2(x->z.im, bits);
    mpfr_set_zero(x->z.re, 1);
    mpfr_set_zero(x->z.im, 1);
    x->radius = -(double)INFINITY;
    x->real = true;
}

void disc_clear(disc *x)
{
    if (!x->z.re->_mpfr_d)
        return;
    mpfr_clear(x->z.re);
    mpfr_clear(x->z.im);
}

static double bits_of(const disc *x)
{
    return (double)mpfr_get_prec(x->z.re);
}

/* The radius after rounding of the centre by at most this many units of 2^-bits, relative to its modulus. */
static double round_up(const disc *x, double radius, double units)
{
    return log2_sum(radius, mp_log2(&x->z) + log2(units) - bits_of(x)) + SLACK;
}

void disc_set(disc *x, const disc *y)
{
    mp_set(&x->z, &y->z);
    x->real = y->real;
    x->radius = bits_of(x) < bits_of(y) ? round_up(x, y->radius, 2.0) : y->radius;
}

/* After both parts of the centre were rounded. */
static void set_exact(disc *x, bool is_real, bool is_inexact)
{
    x->real = is_real;
    x->radius = -(double)INFINITY;
    if (is_inexact)
        x->radius = round_up(x, x->radius, 2.0);
}

void disc_set_rational(disc *x, mpq_srcptr re, mpq_srcptr im)
{
    const int inexact[2] = {mpfr_set_q(x->z.re, re, MPFR_RNDN), mpfr_set_q(x->z.im, im, MPFR_RNDN)};
    set_exact(x, mpq_sgn(im) == 0, inexact[0] != 0 || inexact[1] != 0);
}

void disc_set_integers(disc *x, mpz_srcptr re, mpz_srcptr im)
{
    const int inexact[2] = {mpfr_set_z(x->z.re, re, MPFR_RNDN), mpfr_set_z(x->z.im, im, MPFR_RNDN)};
    set_exact(x, mpz_sgn(im) == 0, inexact[0] != 0 || inexact[1] != 0);
}

double disc_most(const disc *x)
{
    return log2_sum(mp_log2(&x->z), x->radius) + SLACK;
}

bool disc_may_be_zero(const disc *x)
{
    return !(mp_log2(&x->z) > x->radius + 1.0);
}

void disc_add(disc *z, const disc *x, const disc *y)
{
    const double radius = log2_sum(x->radius, y->radius);
    const bool real = x->real && y->real;
    mp_add(&z->z, &x->z, &y->z);
    z->radius = round_up(z, radius, 2.0);
    z->real = real;
}

/* Both parts of a product are rounded once. */
void disc_mul(disc *z, const disc *x, const disc *y, mp_complex temporary[2])
{
    const double a = mp_log2(&x->z), b = mp_log2(&y->z);
    const double radius = log2_sum(log2_sum(a + y->radius, b + x->radius), x->radius + y->radius);
    const bool real = x->real && y->real;
    mp_mul(&z->z, &x->z, &y->z, temporary[0].re);
    z->radius = round_up(z, radius, 2.0);
    z->real = real;
}

void disc_power(disc *z, const disc *x, int32_t exponent, disc *square, mp_complex temporary[2])
{
    mpfr_set_ui(z->z.re, 1, MPFR_RNDN);
    mpfr_set_zero(z->z.im, 1);
    z->radius = -(double)INFINITY;
    z->real = true;
    disc_set(square, x);
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            disc_mul(z, z, square, temporary);
        if (exponent > 1)
            disc_mul(square, square, square, temporary);
    }
}

/* x / y differs from the quotient q of the centres by at most (r_x + |q| r_y) / (|y| - r_y). */
void disc_div(disc *z, const disc *x, const disc *y, mp_complex temporary[2])
{
    const double below = log2_difference(mp_log2(&y->z), y->radius), y_radius = y->radius, x_radius = x->radius;
    const bool real = x->real && y->real;
    mp_div(&z->z, &x->z, &y->z, temporary);
    z->radius = round_up(z, log2_sum(x_radius, mp_log2(&z->z) + y_radius) - below + SLACK, 4.0);
    z->real = real;
}
