/* system.h - values and Jacobians of a system at points of any precision, and linear systems. Everything is straightforward: it is
 * used for few points, where all other precisions have failed. */
#ifndef PLUMB_SOLVER_MP_SYSTEM_H
#define PLUMB_SOLVER_MP_SYSTEM_H

#include "model/system/system.h"
#include "solver/mp/number.h"

typedef struct mp_system {
    const plumb_system *system;
    int64_t bits;
    int32_t *highest;        /* exponent of each unknown */
    int64_t *first;          /* of each unknown: its powers 0 .. highest are powers[first] ... */
    mp_complex *coefficient; /* of each term, rounded to the bits */
    mp_complex *powers;
    /* Terms with the same monomial are evaluated together: a list of them for each monomial. */
    int64_t *first_of, *next_of,
        *equation_of; /* first term of each monomial, next one (-1: none), and equation of each term */
    int64_t monomials;
    mp_complex *chain, *slope; /* of a monomial: products of its factors from the first one on, and its derivatives */
    mp_complex temporary[3];
    int64_t power_count, most_factors;
} mp_system;

/* PLUMB_ERR_MEMORY. After a failure it is to be cleared, too. */
PLUMB_USE_RESULT plumb_status mp_system_begin(const plumb_system *system, int64_t bits, mp_system *s);
void mp_system_resize(mp_system *s, int64_t bits);
void mp_system_clear(mp_system *s);

/* values: one per equation; jacobian (or NULL) by rows. sizes (or NULL): log2 of the largest modulus of a term of each
 * equation, within a few units. */
void mp_system_eval(mp_system *s, const mp_complex *x, mp_complex *values, mp_complex *jacobian, double *sizes);

/* Solves A x = b for several right-hand sides by elimination with row exchanges. A is n x n by rows, b is n x count by rows; both
 * are overwritten, b by the solutions. False if a column has no pivot. temporary: 3 numbers. */
bool mp_solve(mp_complex *a, mp_complex *b, int64_t n, int64_t count, mp_complex *temporary);

/* A number of bits for decisions about a system: first, and this many times the size of the largest coefficient. A value that is not zero, and
 * yet as small as that, would take larger coefficients. At most 16,384. */
int64_t mp_bits_for(const plumb_system *system, int64_t first, int64_t times);

/* What a call costs, in products of numbers of one limb. */
double mp_system_cost(const plumb_system *system, int64_t bits);

#endif
