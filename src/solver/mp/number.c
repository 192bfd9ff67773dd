/* number.c - see number.h. */
#include "solver/mp/number.h"

#include <math.h>
#include <stdlib.h>

mp_complex *mp_make(int64_t count, int64_t bits)
{
    mp_complex *x = calloc((size_t)count + 1, sizeof *x);
    for (int64_t k = 0; x && k < count; k++) {
        mpfr_init2(x[k].re, (mpfr_prec_t)bits);
        mpfr_init2(x[k].im, (mpfr_prec_t)bits);
        mpfr_set_zero(x[k].re, 1);
        mpfr_set_zero(x[k].im, 1);
    }
    return x;
}

void mp_free(mp_complex *x, int64_t count)
{
    for (int64_t k = 0; x && k < count; k++) {
        mpfr_clear(x[k].re);
        mpfr_clear(x[k].im);
    }
    free(x);
}

void mp_resize(mp_complex *x, int64_t count, int64_t bits)
{
    for (int64_t k = 0; k < count; k++) {
        mpfr_prec_round(x[k].re, (mpfr_prec_t)bits, MPFR_RNDN);
        mpfr_prec_round(x[k].im, (mpfr_prec_t)bits, MPFR_RNDN);
    }
}

void mp_set(mp_complex *z, const mp_complex *x)
{
    mpfr_set(z->re, x->re, MPFR_RNDN);
    mpfr_set(z->im, x->im, MPFR_RNDN);
}

static void set_part(mpfr_t z, const double *x, int32_t limbs)
{
    mpfr_set_zero(z, 1);
    for (int32_t c = limbs - 1; c >= 0; c--)
        mpfr_add_d(z, z, x[c], MPFR_RNDN);
}

void mp_set_limbs(mp_complex *z, const double *re, const double *im, int32_t limbs)
{
    set_part(z->re, re, limbs);
    set_part(z->im, im, limbs);
}

static void get_part(const mpfr_t x, double *to, int32_t limbs)
{
    mpfr_t rest;
    mpfr_init2(rest, mpfr_get_prec(x));
    mpfr_set(rest, x, MPFR_RNDN);
    for (int32_t c = 0; c < limbs; c++) {
        to[c] = mpfr_get_d(rest, MPFR_RNDN);
        mpfr_sub_d(rest, rest, to[c], MPFR_RNDN);
    }
    mpfr_clear(rest);
}

void mp_get_limbs(const mp_complex *x, double *re, double *im, int32_t limbs)
{
    get_part(x->re, re, limbs);
    get_part(x->im, im, limbs);
}

void mp_exp(mp_complex *x, const mp_complex *z, mpfr_t temporary)
{
    mpfr_sin_cos(x->im, x->re, z->im, MPFR_RNDN);
    mpfr_exp(temporary, z->re, MPFR_RNDN);
    mpfr_mul(x->re, x->re, temporary, MPFR_RNDN);
    mpfr_mul(x->im, x->im, temporary, MPFR_RNDN);
}

void mp_mul(mp_complex *z, const mp_complex *x, const mp_complex *y, mpfr_t temporary)
{
    mpfr_fmms(temporary, x->re, y->re, x->im, y->im, MPFR_RNDN);
    mpfr_fmma(z->im, x->re, y->im, x->im, y->re, MPFR_RNDN);
    mpfr_set(z->re, temporary, MPFR_RNDN);
}

void mp_add(mp_complex *z, const mp_complex *x, const mp_complex *y)
{
    mpfr_add(z->re, x->re, y->re, MPFR_RNDN);
    mpfr_add(z->im, x->im, y->im, MPFR_RNDN);
}

void mp_sub(mp_complex *z, const mp_complex *x, const mp_complex *y)
{
    mpfr_sub(z->re, x->re, y->re, MPFR_RNDN);
    mpfr_sub(z->im, x->im, y->im, MPFR_RNDN);
}

static void product(mp_complex *z, const mp_complex *x, const mp_complex *y)
{
    mpfr_fmms(z->re, x->re, y->re, x->im, y->im, MPFR_RNDN);
    mpfr_fmma(z->im, x->re, y->im, x->im, y->re, MPFR_RNDN);
}

void mp_add_product(mp_complex *z, const mp_complex *x, const mp_complex *y, mp_complex *temporary)
{
    product(temporary, x, y);
    mp_add(z, z, temporary);
}

void mp_sub_product(mp_complex *z, const mp_complex *x, const mp_complex *y, mp_complex *temporary)
{
    product(temporary, x, y);
    mp_sub(z, z, temporary);
}

void mp_div(mp_complex *z, const mp_complex *x, const mp_complex *y, mp_complex temporary[2])
{
    mp_complex *t = &temporary[0], *s = &temporary[1];
    mpfr_fmma(s->re, y->re, y->re, y->im, y->im, MPFR_RNDN);
    mpfr_fmma(t->re, x->re, y->re, x->im, y->im, MPFR_RNDN);
    mpfr_fmms(t->im, x->im, y->re, x->re, y->im, MPFR_RNDN);
    mpfr_div(z->re, t->re, s->re, MPFR_RNDN);
    mpfr_div(z->im, t->im, s->re, MPFR_RNDN);
}

double mp_real_log2(mpfr_srcptr x)
{
    if (mpfr_zero_p(x))
        return -(double)INFINITY;
    if (!mpfr_number_p(x))
        return (double)INFINITY;
    long exponent;
    const double mantissa = mpfr_get_d_2exp(&exponent, x, MPFR_RNDN);
    return log2(fabs(mantissa)) + (double)exponent;
}

double mp_log2(const mp_complex *x)
{
    const double re = mp_real_log2(x->re), im = mp_real_log2(x->im);
    const double most = fmax(re, im), least = fmin(re, im);
    if (!(most > -(double)INFINITY) || most == (double)INFINITY)
        return most;
    return most + 0.5 * log2(1.0 + exp2(2.0 * (least - most)));
}

double mp_log2_largest(const mp_complex *x, int64_t count)
{
    double most = -(double)INFINITY;
    for (int64_t k = 0; k < count; k++)
        most = fmax(most, mp_log2(&x[k]));
    return most;
}

void mp_round_to_zero(mp_complex *x, int64_t count, const double *errors, double margin)
{
    for (int64_t k = 0; k < count; k++) {
        if (mp_real_log2(x[k].re) <= errors[k] + margin)
            mpfr_set_zero(x[k].re, 1);
        if (mp_real_log2(x[k].im) <= errors[k] + margin)
            mpfr_set_zero(x[k].im, 1);
    }
}

double rational_log2(mpq_srcptr x)
{
    long above, below;
    if (mpq_sgn(x) == 0)
        return -(double)INFINITY;
    const double ratio = mpz_get_d_2exp(&above, mpq_numref(x)) / mpz_get_d_2exp(&below, mpq_denref(x));
    return log2(fabs(ratio)) + (double)(above - below);
}
