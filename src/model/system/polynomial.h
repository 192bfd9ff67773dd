/* polynomial.h - a polynomial under construction: terms are appended in any order, then sorted and merged.
 *
 * Products and powers of sums can exceed any memory, so expansions are given a poly_work, a budget that bounds the
 * time and memory of everything done with it. Terms are those of system.h; a *normal* polynomial satisfies the
 * invariant given there. */
#ifndef PLUMB_MODEL_SYSTEM_POLYNOMIAL_H
#define PLUMB_MODEL_SYSTEM_POLYNOMIAL_H

#include <stdbool.h>

#include "model/system/system.h"

/* The total budget, a few seconds. With sanitizers it would take minutes, so fuzzers are built with less. */
#ifndef POLY_MOST_WORK
#define POLY_MOST_WORK 30000000
#endif

enum {
    POLY_MOST_EXPONENT = 10000, /* maximum exponent of one unknown in one term */
    POLY_MOST_TERMS = 1000000,  /* maximum number of terms of a product or power */
    POLY_MOST_LIMBS = 100000    /* maximum size of a coefficient that is a product: about two million digits */
};

typedef struct polynomial {
    system_term *terms;
    system_factor *factors;
    int64_t count, room; /* terms */
    int64_t used, space; /* factors */
} polynomial;

/* The remaining budget, in units of about a tenth of a microsecond, and once it is exhausted, what exceeded it. */
typedef struct poly_work {
    int64_t left;
    const char *limit;
} poly_work;

/* The length of a rational in limbs of GMP. */
static inline int64_t coefficient_limbs(mpq_srcptr x)
{
    return (int64_t)(mpz_size(mpq_numref(x)) + mpz_size(mpq_denref(x)));
}

void plumb_poly_clear(polynomial *p); /* makes p empty again */

/* Appends a term. The coefficients are copied; factors must have ascending unknowns and exponents from 1 to
 * POLY_MOST_EXPONENT. */
PLUMB_USE_RESULT plumb_status plumb_poly_append(polynomial *p, mpq_srcptr re, mpq_srcptr im,
                                                const system_factor *factors, int32_t count, int32_t degree);

/* Makes p normal: sorts the terms, merges equal monomials and removes zeros. */
PLUMB_USE_RESULT plumb_status plumb_poly_normalise(polynomial *p);

/* p += a b (p must not be a or b); p is normal afterwards. Returns PLUMB_ERR_SIZE if the budget is exceeded,
 * PLUMB_ERR_RANGE if an exponent is too large. */
PLUMB_USE_RESULT plumb_status plumb_poly_add_product(polynomial *p, const polynomial *a, const polynomial *b,
                                                     poly_work *work);

/* p = p^exponent for a normal p; 0^0 is 1. */
PLUMB_USE_RESULT plumb_status plumb_poly_power(polynomial *p, int64_t exponent, poly_work *work);

/* (re, im) *= (re2, im2); the operands may be the same. Returns PLUMB_ERR_SIZE as above. */
PLUMB_USE_RESULT plumb_status plumb_coefficient_multiply(mpq_ptr re, mpq_ptr im, mpq_srcptr re2, mpq_srcptr im2,
                                                         poly_work *work);

/* (re, im) /= (re2, im2), which must not be zero. */
PLUMB_USE_RESULT plumb_status plumb_coefficient_divide(mpq_ptr re, mpq_ptr im, mpq_srcptr re2, mpq_srcptr im2,
                                                       poly_work *work);

/* Takes units from the budget. Returns PLUMB_ERR_SIZE if not enough is left. */
PLUMB_USE_RESULT plumb_status plumb_work_spend(poly_work *work, int64_t units);

#endif
