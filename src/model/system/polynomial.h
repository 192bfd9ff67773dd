/* polynomial.h - one polynomial while it is made: terms are appended in any order, then put in order and merged.
 *
 * Products and powers of sums can grow beyond any memory, so whoever expands them has a poly_work: what is left of it
 * bounds time and memory of everything done with it. Terms are those of system.h; a normal polynomial has its invariant. */
#ifndef PLUMB_MODEL_SYSTEM_POLYNOMIAL_H
#define PLUMB_MODEL_SYSTEM_POLYNOMIAL_H

#include <stdbool.h>

#include "model/system/system.h"

/* In all: some seconds. With sanitizers it is minutes, so fuzzers are built with less. */
#ifndef POLY_MOST_WORK
#define POLY_MOST_WORK 30000000
#endif

enum {
    POLY_MOST_EXPONENT = 10000, /* of one unknown in one term */
    POLY_MOST_TERMS = 1000000,  /* of a product or power */
    POLY_MOST_LIMBS = 100000    /* of a coefficient that is a product: about two million digits */
};

typedef struct polynomial {
    system_term *terms;
    system_factor *factors;
    int64_t count, room; /* terms */
    int64_t used, space; /* factors */
} polynomial;

/* What is left to spend (in units of about a tenth of a microsecond), and once it is not enough, what was too much. */
typedef struct poly_work {
    int64_t left;
    const char *limit;
} poly_work;

void plumb_poly_clear(polynomial *p); /* empty again */

/* Adds one term; coefficients are copied, factors have ascending unknowns and exponents from 1 to POLY_MOST_EXPONENT. */
PLUMB_USE_RESULT plumb_status plumb_poly_append(polynomial *p, mpq_srcptr re, mpq_srcptr im,
                                                const system_factor *factors, int32_t count, int32_t degree);

/* Terms in order, equal monomials merged, zeros gone. */
PLUMB_USE_RESULT plumb_status plumb_poly_normalise(polynomial *p);

/* p += a b (p is not a or b), normal afterwards. PLUMB_ERR_SIZE when the work is too much, PLUMB_ERR_RANGE when an exponent is. */
PLUMB_USE_RESULT plumb_status plumb_poly_add_product(polynomial *p, const polynomial *a, const polynomial *b,
                                                     poly_work *work);

/* p = p^exponent, p normal; 0^0 is 1. */
PLUMB_USE_RESULT plumb_status plumb_poly_power(polynomial *p, int64_t exponent, poly_work *work);

/* (re, im) *= (re2, im2), which may be the same. PLUMB_ERR_SIZE as above. */
PLUMB_USE_RESULT plumb_status plumb_coefficient_multiply(mpq_ptr re, mpq_ptr im, mpq_srcptr re2, mpq_srcptr im2,
                                                         poly_work *work);

/* (re, im) /= (re2, im2), which is not zero. */
PLUMB_USE_RESULT plumb_status plumb_coefficient_divide(mpq_ptr re, mpq_ptr im, mpq_srcptr re2, mpq_srcptr im2,
                                                       poly_work *work);

/* Pays for so many units. PLUMB_ERR_SIZE when there is not that much left. */
PLUMB_USE_RESULT plumb_status plumb_work_spend(poly_work *work, int64_t units);

#endif
