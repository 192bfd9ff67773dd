/* system.h - a polynomial system as plain data: what the parser makes and the compiler of evaluation programs reads.
 *
 * Coefficients are exact complex rationals; a precision is chosen later. In each equation no two terms have the same
 * monomial, no coefficient is zero, and the terms are in order: higher total degree first, then by exponents of the first
 * unknown, the second, and so on, larger first. An equation without terms is the zero polynomial. */
#ifndef PLUMB_MODEL_SYSTEM_H
#define PLUMB_MODEL_SYSTEM_H

#include <gmp.h>
#include <stdint.h>

#include "plumb.h"

/* One unknown of a monomial with its exponent, at least 1. */
typedef struct system_factor {
    int32_t unknown, exponent;
} system_factor;

/* Coefficient times the product of factor[first] .. factor[first + count - 1], unknowns ascending. */
typedef struct system_term {
    mpq_t re, im;
    int64_t first;
    int32_t count, degree;
} system_term;

struct plumb_system {
    int64_t equations, unknowns;
    char **names;       /* of the unknowns, in the order they were met or given */
    int64_t *equation;  /* equations + 1 entries: terms equation[i] .. equation[i + 1] - 1 belong to equation i */
    system_term *terms; /* equation[equations] of them */
    system_factor *factors;
};

#endif
