/* gauss.h - polynomials in one unknown over Q(i), exactly: greatest common divisors and the square-free decomposition.
 *
 * Common divisors are computed modulo primes of 31 bits, where i has two values, and put together by the Chinese remainder theorem until
 * their products with the quotients are the given polynomials. So numbers never become larger than those of the results. That there
 * is no common divisor, the frequent case, is known from one prime. */
#ifndef PLUMB_SOLVER_MP_GAUSS_H
#define PLUMB_SOLVER_MP_GAUSS_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/system/system.h"

/* The sum of (re[k] + i im[k]) x^k for k from 0 to degree, divided by below, which is positive. Degree -1: zero. */
typedef struct gauss_poly {
    int64_t degree;
    mpz_t *re, *im;
    mpz_t below;
} gauss_poly;

/* Zeros; the highest coefficients are to be set. Zeros of the struct may be cleared, too. */
PLUMB_USE_RESULT plumb_status gauss_make(int64_t degree, gauss_poly *p);
void gauss_clear(gauss_poly *p);
bool gauss_is_real(const gauss_poly *p);

/* Terms in one unknown, at least one and those of higher degrees first, divided by the highest coefficient; and an equation in one unknown,
 * other than zero. */
PLUMB_USE_RESULT plumb_status gauss_from_terms(const system_term *terms, int64_t count, gauss_poly *p);
PLUMB_USE_RESULT plumb_status gauss_from_system(const plumb_system *system, gauss_poly *p);

/* p / x^k for the highest power that divides p; returns k. */
int64_t gauss_split_zeros(gauss_poly *p);

/* p with the conjugates of all coefficients. */
PLUMB_USE_RESULT plumb_status gauss_conjugate(const gauss_poly *p, gauss_poly *conjugate);

/* The greatest common divisor with highest coefficient 1, and the quotients. The highest coefficient of a is 1, and b is not zero.
 * PLUMB_ERR_SIZE if it takes too many primes. */
PLUMB_USE_RESULT plumb_status gauss_divide_out(const gauss_poly *a, const gauss_poly *b, gauss_poly *common,
                                               gauss_poly *a_rest, gauss_poly *b_rest);

/* p is the product of factor[k]^multiplicity[k], whose roots are simple and in no other factor. */
typedef struct gauss_factors {
    gauss_poly *factor;
    int64_t *multiplicity;
    int64_t count;
} gauss_factors;

/* The highest coefficient of p is 1, and so are those of the factors. */
PLUMB_USE_RESULT plumb_status gauss_square_free(const gauss_poly *p, gauss_factors *factors);
void gauss_factors_clear(gauss_factors *factors);

#endif
