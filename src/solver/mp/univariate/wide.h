/* wide.h - complex doubles with an exponent of their own, which values of polynomials never leave: 53 bits, at the speed of doubles.
 *
 * Results are right to some units of 2^-53, relative to the modulus; sums relative to the larger operand. */
#ifndef PLUMB_SOLVER_MP_WIDE_H
#define PLUMB_SOLVER_MP_WIDE_H

#include <gmp.h>
#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <string.h>

#include "solver/mp/number.h"

/* (re + i im) 2^e. The larger part is between 2^-200 and 2^200, or both are zero. */
typedef struct wide {
    double re, im;
    int64_t e;
} wide;

/* 2^k for |k| <= 1022, exact */
static inline double wide_power(int64_t k)
{
    const uint64_t bits = (uint64_t)(1023 + k) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Restores the range; zeros get an exponent below all others. */
static inline wide wide_normal(wide x)
{
    const double most = fmax(fabs(x.re), fabs(x.im));
    int k = 0;
    if (most >= 0x1p-200 && most <= 0x1p200)
        return x;
    if (!(most > 0.0))
        return (wide){0.0, 0.0, -((int64_t)1 << 60)};
    (void)frexp(most, &k);
    return (wide){ldexp(x.re, -k), ldexp(x.im, -k), x.e + k};
}

static inline wide wide_make(double re, double im, int64_t e)
{
    return wide_normal((wide){re, im, e});
}

static inline wide wide_mul(wide x, wide y)
{
    return wide_normal((wide){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re, x.e + y.e});
}

static inline wide wide_add(wide x, wide y)
{
    if (x.e < y.e) {
        const wide swap = x;
        x = y;
        y = swap;
    }
    const int64_t down = x.e - y.e;
    if (down > 1000)
        return x.re != 0.0 || x.im != 0.0 ? x : y;
    const double scale = wide_power(-down);
    return wide_normal((wide){x.re + y.re * scale, x.im + y.im * scale, x.e});
}

static inline wide wide_neg(wide x)
{
    return (wide){-x.re, -x.im, x.e};
}

static inline wide wide_sub(wide x, wide y)
{
    return wide_add(x, wide_neg(y));
}

/* log2 of the modulus; -infinity for zero */
static inline double wide_log2(wide x)
{
    return 0.5 * log2(x.re * x.re + x.im * x.im) + (double)x.e;
}

/* |x| > 2^bits |y|? x may have any exponent. */
static inline int wide_is_above(wide x, wide y, int64_t bits)
{
    const int64_t up = x.e - y.e - bits;
    const double xx = x.re * x.re + x.im * x.im, yy = y.re * y.re + y.im * y.im;
    if (up > 500 || up < -500)
        return up > 0;
    return xx * wide_power(up) * wide_power(up) > yy;
}

static inline int wide_is_zero(wide x)
{
    return x.re == 0.0 && x.im == 0.0;
}

/* 1 / x for x other than zero */
static inline wide wide_inverse(wide x)
{
    const double square = x.re * x.re + x.im * x.im;
    return wide_normal((wide){x.re / square, -x.im / square, -x.e});
}

/* The modulus as a number without imaginary part. */
static inline wide wide_abs(wide x)
{
    return (wide){sqrt(x.re * x.re + x.im * x.im), 0.0, x.e};
}

static inline wide wide_from(mpfr_srcptr re, mpfr_srcptr im)
{
    long e[2] = {0, 0};
    const double a = mpfr_get_d_2exp(&e[0], re, MPFR_RNDN), b = mpfr_get_d_2exp(&e[1], im, MPFR_RNDN);
    return wide_add(wide_make(a, 0.0, e[0]), wide_make(0.0, b, e[1]));
}

static inline void mp_set_wide(mp_complex *z, wide x)
{
    mpfr_set_d(z->re, x.re, MPFR_RNDN);
    mpfr_set_d(z->im, x.im, MPFR_RNDN);
    mpfr_mul_2si(z->re, z->re, (long)x.e, MPFR_RNDN);
    mpfr_mul_2si(z->im, z->im, (long)x.e, MPFR_RNDN);
}

static inline wide wide_from_integers(mpz_srcptr re, mpz_srcptr im)
{
    long e[2] = {0, 0};
    const double a = mpz_get_d_2exp(&e[0], re), b = mpz_get_d_2exp(&e[1], im);
    return wide_add(wide_make(a, 0.0, e[0]), wide_make(0.0, b, e[1]));
}

#endif
