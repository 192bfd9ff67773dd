/* system.h - a polynomial system as plain data, as made by the parser and read by the compiler of evaluation
 * programs.
 *
 * Coefficients are exact complex rationals; a precision is chosen later. In each equation no two terms have the same
 * monomial, no coefficient is zero, and the terms are in order: higher total degree first, then by exponents of the
 * first unknown, the second, and so on, larger first. An equation without terms is the zero polynomial.
 *
 * Equations that were read with quotients are numerators over common denominators. The denominators are products of powers of the
 * equations of another system in the same unknowns, which are different, have leading coefficient 1, and must not vanish at a solution. */
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

/* A power of a denominator. An exponent of 0 means that it has been cancelled, but must still not vanish. */
typedef struct system_divisor {
    int32_t denominator, exponent;
} system_divisor;

/* The denominators of an equation, ascending. */
typedef struct system_divisors {
    system_divisor *list;
    int32_t count, room;
} system_divisors;

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

    int64_t declared; /* the last unknowns that are declared as parameters (parameters.c) */

    plumb_system *denominators; /* NULL: there are none */
    system_divisors *divisors;  /* of each equation; NULL without denominators */
};

/* Adds a line; beyond SYSTEM_MOST_NOTES, and without memory, it is dropped. */
__attribute__((format(printf, 2, 3))) void plumb_notes_add(system_notes *notes, const char *format, ...);
void plumb_notes_clear(system_notes *notes);

/* Makes a system from normal polynomials (polynomial.h) whose unknowns are below the number of names. The names are
 * copied; on success the contents of the polynomials move into the system. */
struct polynomial;
PLUMB_USE_RESULT plumb_status plumb_system_build(struct polynomial *polynomials, int64_t equations,
                                                 const char *const *names, int64_t unknowns, plumb_system **system);

/* Makes the equations quotients, divided by these divisors, one list per equation. On success their contents and the polynomials move into
 * the system. */
PLUMB_USE_RESULT plumb_status plumb_system_divide(plumb_system *system, struct polynomial *denominators, int64_t count,
                                                  system_divisors *divisors);

/* The unknown with a name; -1: there is none. */
int64_t plumb_system_find_unknown(const plumb_system *system, const char *name, size_t length);

/* Makes the unknowns with these names the last ones, in this order, and declares them as parameters. */
PLUMB_USE_RESULT plumb_status plumb_system_move(const plumb_system *system, const char *const *names, int64_t count,
                                                plumb_system **moved);

/* What calls say that need a system without parameters. */
#define SYSTEM_HAS_PARAMETERS \
    "the system has parameters; expected values for them (plumb_family_create, plumb solve --at)"

/* A system of some of the equations, in all unknowns, without their denominators. */
PLUMB_USE_RESULT plumb_status plumb_system_numerators(const plumb_system *system, int64_t first, int64_t count,
                                                      plumb_system **numerators);

/* What calls say that need polynomials. */
#define SYSTEM_HAS_DENOMINATORS "the equations have denominators; expected polynomials (plumb solve takes quotients)"

/* True if both systems have the same polynomials in the same unknowns, by name and order, and the same denominators. */
int plumb_system_same(const plumb_system *a, const plumb_system *b);

/* Computes the product of the degrees and returns 1 if there are as many equations as unknowns and none of them is
 * zero. Otherwise returns 0. */
int plumb_system_bezout(const plumb_system *system, mpz_t bezout);

#endif
