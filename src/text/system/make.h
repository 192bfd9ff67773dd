/* make.h - makes systems for tests and benchmarks: classical families and random ones. The unknowns are x1, x2, ... */
#ifndef PLUMB_TEXT_SYSTEM_MAKE_H
#define PLUMB_TEXT_SYSTEM_MAKE_H

#include "model/system/polynomial.h"

enum { SYSTEM_MOST_MADE = 1000000 }; /* maximum number of terms of a random system */

/* Makes `dimension` polynomials in as many unknowns, as in Verschelde and Yoffe (2013). Each polynomial has
 * `monomials` distinct monomials, each in exactly `variables` unknowns chosen at random, with exponents uniform from
 * 1 to degree and coefficients on the unit circle, rounded to doubles. Returns PLUMB_ERR_ARGUMENT if there are not
 * enough monomials, and PLUMB_ERR_SIZE for more than SYSTEM_MOST_MADE terms. */
PLUMB_USE_RESULT plumb_status plumb_system_random(int64_t dimension, int64_t monomials, int64_t variables,
                                                  int64_t degree, uint64_t seed, plumb_system **system);

typedef struct system_family {
    const char *name;
    int64_t least, most; /* range of n */
    const char *summary;
    plumb_status (*fill)(int64_t n, polynomial *polynomials);
    int64_t more; /* number of equations and unknowns in addition to n */
} system_family;

/* The families, ended by a name of NULL. */
extern const system_family plumb_system_families[];

PLUMB_USE_RESULT plumb_status plumb_system_family_make(const system_family *family, int64_t n, plumb_system **system);

/* Makes a system of normal polynomials in unknowns x1, x2, ...; the polynomials are consumed. */
PLUMB_USE_RESULT plumb_status plumb_system_number(polynomial *polynomials, int64_t equations, int64_t unknowns,
                                                  plumb_system **system);

/* The same with as many unknowns as equations. */
PLUMB_USE_RESULT plumb_status plumb_system_number_unknowns(polynomial *polynomials, int64_t equations,
                                                           plumb_system **system);

#endif
