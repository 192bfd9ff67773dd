/* interval.h - intervals of real numbers and rectangles of complex ones, with ends rounded outwards by MPFR.
 *
 * The checker uses them in place of the ball arithmetic that certificates are made with: the two share no code. Every result contains
 * all values that the operation has on its operands. Results may be operands. All numbers of a run have one precision. */
#ifndef PLUMB_CLI_CERTIFY_CHECK_INTERVAL_H
#define PLUMB_CLI_CERTIFY_CHECK_INTERVAL_H

#include <gmp.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct interval {
    mpfr_t low, high;
} interval;

typedef struct rectangle {
    interval re, im;
} rectangle;

/* Numbers that operations need for themselves. */
typedef struct interval_scratch {
    mpfr_t product;
    interval a, b;
    rectangle c;
} interval_scratch;

void scratch_init(interval_scratch *s, mpfr_prec_t bits);
void scratch_clear(interval_scratch *s);

/* NULL without memory. They are zero. */
rectangle *rectangles_create(int64_t count, mpfr_prec_t bits);
void rectangles_destroy(rectangle *x, int64_t count);

void rectangle_zero(rectangle *x);
void rectangle_one(rectangle *x);
void rectangle_set(rectangle *x, const rectangle *y);
void rectangle_set_rational(rectangle *x, mpq_srcptr re, mpq_srcptr im);
void rectangle_add(rectangle *x, const rectangle *y, const rectangle *z);
void rectangle_sub(rectangle *x, const rectangle *y, const rectangle *z);
void rectangle_mul(rectangle *x, const rectangle *y, const rectangle *z, interval_scratch *s);
void rectangle_mul_int(rectangle *x, const rectangle *y, long z);
void rectangle_power(rectangle *x, const rectangle *y, int32_t exponent, interval_scratch *s); /* x is not y */
bool rectangle_has_zero(const rectangle *x);

#endif
