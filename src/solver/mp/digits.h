/* digits.h - Newton's method to any number of digits, at a regular zero of a system with exact coefficients.
 *
 * A zero is first settled in a low precision: Newton's method has to contract until rounding errors stop it, and the
 * precision has to be twice what the condition number takes, so that a multiple zero shows by its linear convergence. Then
 * every step doubles the digits. It takes the values of the equations in the new precision, and the Jacobian and its solution
 * in about half of that, because the correction has only the digits that are new. The last x is checked by another
 * evaluation: |P f(x)|, with the pseudo-inverse P of the Jacobian in low precision, estimates its error.
 *
 * Errors of an unknown are relative to its unit: its modulus, or that of the largest unknown if it cannot be distinguished from zero.
 * Sizes are logarithms to base 2, as in number.h. */
#ifndef PLUMB_SOLVER_MP_DIGITS_H
#define PLUMB_SOLVER_MP_DIGITS_H

#include "solver/mp/system.h"

/* What a thread needs for one point after the other. */
typedef struct mp_digits {
    const plumb_system *system;
    int64_t equations, unknowns;
    mp_system at;
    mp_complex *x;                 /* the point, unknowns numbers; afterwards the refined one */
    mp_complex *values, *jacobian; /* of the equations; rows of the Jacobian scaled by steps */
    mp_complex *square, *side;     /* the normal equations of a step; as many rows as unknowns */
    mp_complex *inverse;           /* unknowns x equations: the pseudo-inverse at the settled point */
    mp_complex *identity;          /* of the normal equations */
    mp_complex *temporary;         /* 3 numbers */
    double *sizes;                 /* of the terms of each equation */
    double *bend;                  /* a bound of its second derivatives */
    int64_t *shift;                /* powers of two by which its row was multiplied */
    double *slope;                 /* of the entries of the Jacobian at the settled point */
    double *unit, *error, *move;   /* of each unknown; errors and last corrections are absolute */
    double *weight;                /* of each unknown, for the first corrections */
    double columns;   /* log2 of the condition of the scaled Jacobian, if there are more equations than unknowns */
    double condition; /* log2 of what multiplies relative errors of the terms */
    double growth;    /* the same, or of what multiplies the square of an error if that is larger */
    double noise;     /* log2 of the rounding errors of an equation, in units of its terms */
    int64_t inverse_bits, bits, steps; /* of the last point */
    bool (*stopped)(void *data);       /* asked before every step */
    void *data;
} mp_digits;

/* PLUMB_ERR_MEMORY. To be cleared after a failure, too. */
PLUMB_USE_RESULT plumb_status mp_digits_begin(const plumb_system *system, mp_digits *d);
void mp_digits_clear(mp_digits *d);

/* An upper bound of the bytes that it uses for this many digits. */
int64_t mp_digits_bytes(const plumb_system *system, int64_t digits);

/* Refines the point of this many limbs (2 * limbs doubles per unknown, limbs of the real part first) into d->x. Returns a
 * plumb_digits_code, or -1 if it was stopped; *known: the digits that are known, at most `digits`. */
int32_t mp_digits_refine(mp_digits *d, const double *x, int32_t limbs, int64_t digits, int64_t *known);

#endif
