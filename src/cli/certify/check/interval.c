/* interval.c - see interval.h. */
#include "cli/certify/check/interval.h"

#include <stdlib.h>

static void interval_init(interval *x, mpfr_prec_t bits)
{
    mpfr_init2(x->low, bits);
    mpfr_init2(x->high, bits);
    mpfr_set_zero(x->low, 1);
    mpfr_set_zero(x->high, 1);
}

static void interval_clear(interval *x)
{
    mpfr_clear(x->low);
    mpfr_clear(x->high);
}

static void interval_set(interval *x, const interval *y)
{
    mpfr_set(x->low, y->low, MPFR_RNDD);
    mpfr_set(x->high, y->high, MPFR_RNDU);
}

static void interval_add(interval *x, const interval *y, const interval *z)
{
    mpfr_add(x->low, y->low, z->low, MPFR_RNDD);
    mpfr_add(x->high, y->high, z->high, MPFR_RNDU);
}

/* x is not z. */
static void interval_sub(interval *x, const interval *y, const interval *z)
{
    mpfr_sub(x->low, y->low, z->high, MPFR_RNDD);
    mpfr_sub(x->high, y->high, z->low, MPFR_RNDU);
}

/* The ends of a product are among the products of the ends. x is neither y nor z. A NaN, from an overflow, makes both ends NaN, and
 * then every comparison fails. */
static void interval_mul(interval *x, const interval *y, const interval *z, interval_scratch *s)
{
    const mpfr_srcptr left[] = {y->low, y->low, y->high, y->high}, right[] = {z->low, z->high, z->low, z->high};
    mpfr_mul(x->low, y->low, z->low, MPFR_RNDD);
    mpfr_mul(x->high, y->low, z->low, MPFR_RNDU);
    for (int k = 1; k < 4; k++) {
        mpfr_mul(s->product, left[k], right[k], MPFR_RNDD);
        if (mpfr_nan_p(s->product) || mpfr_less_p(s->product, x->low))
            mpfr_set(x->low, s->product, MPFR_RNDD);
        mpfr_mul(s->product, left[k], right[k], MPFR_RNDU);
        if (mpfr_nan_p(s->product) || mpfr_greater_p(s->product, x->high))
            mpfr_set(x->high, s->product, MPFR_RNDU);
        if (mpfr_nan_p(s->product))
            break;
    }
}

void scratch_init(interval_scratch *s, mpfr_prec_t bits)
{
    mpfr_init2(s->product, bits);
    interval_init(&s->a, bits);
    interval_init(&s->b, bits);
    interval_init(&s->c.re, bits);
    interval_init(&s->c.im, bits);
}

void scratch_clear(interval_scratch *s)
{
    mpfr_clear(s->product);
    interval_clear(&s->a);
    interval_clear(&s->b);
    interval_clear(&s->c.re);
    interval_clear(&s->c.im);
}

rectangle *rectangles_create(int64_t count, mpfr_prec_t bits)
{
    rectangle *x = malloc(((size_t)count + 1) * sizeof *x);
    for (int64_t k = 0; x && k < count; k++) {
        interval_init(&x[k].re, bits);
        interval_init(&x[k].im, bits);
    }
    return x;
}

void rectangles_destroy(rectangle *x, int64_t count)
{
    for (int64_t k = 0; x && k < count; k++) {
        interval_clear(&x[k].re);
        interval_clear(&x[k].im);
    }
    free(x);
}

void rectangle_zero(rectangle *x)
{
    mpfr_set_zero(x->re.low, 1);
    mpfr_set_zero(x->re.high, 1);
    mpfr_set_zero(x->im.low, 1);
    mpfr_set_zero(x->im.high, 1);
}

void rectangle_one(rectangle *x)
{
    rectangle_zero(x);
    mpfr_set_ui(x->re.low, 1, MPFR_RNDD);
    mpfr_set_ui(x->re.high, 1, MPFR_RNDU);
}

void rectangle_set(rectangle *x, const rectangle *y)
{
    interval_set(&x->re, &y->re);
    interval_set(&x->im, &y->im);
}

void rectangle_set_rational(rectangle *x, mpq_srcptr re, mpq_srcptr im)
{
    mpfr_set_q(x->re.low, re, MPFR_RNDD);
    mpfr_set_q(x->re.high, re, MPFR_RNDU);
    mpfr_set_q(x->im.low, im, MPFR_RNDD);
    mpfr_set_q(x->im.high, im, MPFR_RNDU);
}

void rectangle_add(rectangle *x, const rectangle *y, const rectangle *z)
{
    interval_add(&x->re, &y->re, &z->re);
    interval_add(&x->im, &y->im, &z->im);
}

void rectangle_sub(rectangle *x, const rectangle *y, const rectangle *z)
{
    interval_sub(&x->re, &y->re, &z->re);
    interval_sub(&x->im, &y->im, &z->im);
}

void rectangle_mul(rectangle *x, const rectangle *y, const rectangle *z, interval_scratch *s)
{
    interval_mul(&s->a, &y->re, &z->re, s);
    interval_mul(&s->b, &y->im, &z->im, s);
    interval_sub(&s->c.re, &s->a, &s->b);
    interval_mul(&s->a, &y->re, &z->im, s);
    interval_mul(&s->b, &y->im, &z->re, s);
    interval_add(&s->c.im, &s->a, &s->b);
    rectangle_set(x, &s->c);
}

static void interval_mul_int(interval *x, const interval *y, long z)
{
    if (z >= 0) {
        mpfr_mul_si(x->low, y->low, z, MPFR_RNDD);
        mpfr_mul_si(x->high, y->high, z, MPFR_RNDU);
    } else { /* the ends change places */
        mpfr_t low;
        mpfr_init2(low, mpfr_get_prec(x->low));
        mpfr_mul_si(low, y->high, z, MPFR_RNDD);
        mpfr_mul_si(x->high, y->low, z, MPFR_RNDU);
        mpfr_swap(x->low, low);
        mpfr_clear(low);
    }
}

void rectangle_mul_int(rectangle *x, const rectangle *y, long z)
{
    interval_mul_int(&x->re, &y->re, z);
    interval_mul_int(&x->im, &y->im, z);
}

void rectangle_power(rectangle *x, const rectangle *y, int32_t exponent, interval_scratch *s)
{
    rectangle_one(x);
    for (int bit = 30; bit >= 0; bit--) {
        if (exponent >> (bit + 1))
            rectangle_mul(x, x, x, s);
        if (exponent >> bit & 1)
            rectangle_mul(x, x, y, s);
    }
}

bool rectangle_has_zero(const rectangle *x)
{
    /* NaN: nothing is known, so zero may be there. */
    return !(mpfr_sgn(x->re.low) > 0 || mpfr_sgn(x->re.high) < 0 || mpfr_sgn(x->im.low) > 0 ||
             mpfr_sgn(x->im.high) < 0) ||
           mpfr_nan_p(x->re.low) || mpfr_nan_p(x->re.high) || mpfr_nan_p(x->im.low) || mpfr_nan_p(x->im.high);
}
