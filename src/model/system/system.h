/* system.h - a polynomial system as plain data, as made by the parser and read by the compiler of evaluation
 * programs.
 *
 * Coefficients are exact complex rationals; a precision is chosen later. In each equation no two terms have the same
 * monomial, no coefficient is zero, and the terms are in order: higher total degree first, then by exponents of the
 * first unknown, the second, and so on, larger first. An equation without terms is the zero polynomial. */
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

enum { SYSTEM_MOST_NOTES = 16 };

/* Lines about a text that was read: what may not mean what its author meant (plumb_system_note). */
typedef struct system_notes {
    char *text[SYSTEM_MOST_NOTES];
    int32_t count;
} system_notes;

struct plumb_system {
    int64_t equations, unknowns;
    char **names;       /* names of the unknowns, in order of first appearance or as given */
    int64_t *equation;  /* equations + 1 entries: terms equation[i] .. equation[i + 1] - 1 belong to equation i */
    system_term *terms; /* equation[equations] terms */
    system_factor *factors;
    struct eval_program *program; /* the compiled program, or NULL: model/program/program.h */
    double *moduli;               /* of the coefficients, one per term, or NULL: solver/newton/sizes.c */
    system_notes notes;

    /* Programs compute no derivatives by the last `parameters` unknowns, and none of the last `plain` equations. Both are
     * 0 but in homotopies. */
    int64_t parameters, plain;
};

/* Adds a line; beyond SYSTEM_MOST_NOTES, and without memory, it is dropped. */
__attribute__((format(printf, 2, 3))) void plumb_notes_add(system_notes *notes, const char *format, ...);
void plumb_notes_clear(system_notes *notes);

/* Makes a system from normal polynomials (polynomial.h) whose unknowns are below the number of names. The names are
 * copied; on success the contents of the polynomials move into the system. */
struct polynomial;
PLUMB_USE_RESULT plumb_status plumb_system_build(struct polynomial *polynomials, int64_t equations,
                                                 const char *const *names, int64_t unknowns, plumb_system **system);

/* True if both systems have the same polynomials in the same unknowns, by name and order. */
int plumb_system_same(const plumb_system *a, const plumb_system *b);

/* Computes the product of the degrees and returns 1 if there are as many equations as unknowns and none of them is
 * zero. Otherwise returns 0. */
int plumb_system_bezout(const plumb_system *system, mpz_t bezout);

#endif
