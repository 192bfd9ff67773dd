/* arith_oracle.h - the exact result of an operation by MPFR, and the error of a computed result. */
#ifndef PLUMB_ARITH_ARITH_ORACLE_H
#define PLUMB_ARITH_ARITH_ORACLE_H

#include <mpfr.h>

#include "plumb.h"

/* Enough for sums of limbs far apart; products and quotients are rounded to it, far below any bound. */
enum { ORACLE_BITS = 1400 };

typedef struct oracle {
    mpfr_t re[4], im[4]; /* operands x, y, z; the exact result in [3] */
    mpfr_t t[3];
    mpfr_t size, m[2]; /* what the error is relative to, and moduli: 64 bits will do for them */
} oracle;

#define ORACLE_EXACT(o)                                                                                           \
    {                                                                                                             \
        o->re[0], o->re[1], o->re[2], o->re[3], o->im[0], o->im[1], o->im[2], o->im[3], o->t[0], o->t[1], o->t[2] \
    }
#define ORACLE_ROUGH(o)           \
    {                             \
        o->size, o->m[0], o->m[1] \
    }

static inline void oracle_init(oracle *o)
{
    mpfr_ptr exact[] = ORACLE_EXACT(o), rough[] = ORACLE_ROUGH(o);
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++)
        mpfr_init2(exact[i], ORACLE_BITS), mpfr_set_zero(exact[i], 1);
    for (size_t i = 0; i < sizeof rough / sizeof rough[0]; i++)
        mpfr_init2(rough[i], 64), mpfr_set_zero(rough[i], 1);
}

static inline void oracle_clear(oracle *o)
{
    mpfr_ptr exact[] = ORACLE_EXACT(o), rough[] = ORACLE_ROUGH(o);
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++)
        mpfr_clear(exact[i]);
    for (size_t i = 0; i < sizeof rough / sizeof rough[0]; i++)
        mpfr_clear(rough[i]);
}

static inline void oracle_set(mpfr_t to, const double *limbs, int64_t plane, int count)
{
    mpfr_set_d(to, limbs[0], MPFR_RNDN);
    for (int i = 1; i < count; i++)
        if (limbs[i * plane] != 0.0)
            mpfr_add_d(to, to, limbs[i * plane], MPFR_RNDN);
}

/* To 64 bits, m[1] lost. */
static inline void oracle_modulus(oracle *o, mpfr_t to, mpfr_t re, mpfr_t im, int parts)
{
    mpfr_abs(to, re, MPFR_RNDN);
    if (parts != PLUMB_COMPLEX)
        return;
    mpfr_set(o->m[1], im, MPFR_RNDN);
    mpfr_hypot(to, to, o->m[1], MPFR_RNDN);
}

/* re, im of [3] += a * b for operands a, b; |a b| is added to the size. */
static inline void oracle_add_product(oracle *o, int a, int b, int conjugate, int parts)
{
    mpfr_mul(o->t[0], o->re[a], o->re[b], MPFR_RNDN);
    mpfr_add(o->re[3], o->re[3], o->t[0], MPFR_RNDN);
    mpfr_abs(o->m[0], o->t[0], MPFR_RNDN);
    if (parts == PLUMB_COMPLEX) { /* |a| |b|, not the modulus of the product: the sums of its parts may cancel */
        mpfr_t other;
        mpfr_init2(other, 64);
        oracle_modulus(o, o->m[0], o->re[a], o->im[a], parts);
        oracle_modulus(o, other, o->re[b], o->im[b], parts);
        mpfr_mul(o->m[0], o->m[0], other, MPFR_RNDN);
        mpfr_clear(other);
    }
    mpfr_add(o->size, o->size, o->m[0], MPFR_RNDN);
    if (parts != PLUMB_COMPLEX)
        return;
    int (*one)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t) = conjugate ? mpfr_add : mpfr_sub;
    int (*other)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t) = conjugate ? mpfr_sub : mpfr_add;
    mpfr_mul(o->t[0], o->im[a], o->im[b], MPFR_RNDN);
    one(o->re[3], o->re[3], o->t[0], MPFR_RNDN);
    mpfr_mul(o->t[0], o->re[a], o->im[b], MPFR_RNDN);
    mpfr_add(o->im[3], o->im[3], o->t[0], MPFR_RNDN);
    mpfr_mul(o->t[0], o->im[a], o->re[b], MPFR_RNDN);
    other(o->im[3], o->im[3], o->t[0], MPFR_RNDN);
}

static inline void oracle_quotient(oracle *o, int a, int b, int parts)
{
    if (parts == PLUMB_REAL) {
        mpfr_div(o->re[3], o->re[a], o->re[b], MPFR_RNDN);
        return;
    }
    mpfr_neg(o->im[b], o->im[b], MPFR_RNDN);
    mpfr_set_zero(o->re[3], 1);
    mpfr_set_zero(o->im[3], 1);
    oracle_add_product(o, a, b, 0, parts);
    mpfr_sqr(o->t[0], o->re[b], MPFR_RNDN);
    mpfr_sqr(o->t[1], o->im[b], MPFR_RNDN);
    mpfr_add(o->t[0], o->t[0], o->t[1], MPFR_RNDN);
    mpfr_div(o->re[3], o->re[3], o->t[0], MPFR_RNDN);
    mpfr_div(o->im[3], o->im[3], o->t[0], MPFR_RNDN);
}

static inline void oracle_root(oracle *o, int parts)
{
    if (parts == PLUMB_REAL) {
        mpfr_sqrt(o->re[3], o->re[0], MPFR_RNDN);
        return;
    }
    mpfr_hypot(o->t[0], o->re[0], o->im[0], MPFR_RNDN);
    mpfr_abs(o->t[1], o->re[0], MPFR_RNDN);
    mpfr_add(o->t[0], o->t[0], o->t[1], MPFR_RNDN);
    mpfr_div_2ui(o->t[0], o->t[0], 1, MPFR_RNDN);
    mpfr_sqrt(o->t[0], o->t[0], MPFR_RNDN); /* the larger part */
    mpfr_div(o->t[1], o->im[0], o->t[0], MPFR_RNDN);
    mpfr_div_2ui(o->t[1], o->t[1], 1, MPFR_RNDN);
    int left = mpfr_sgn(o->re[0]) < 0;
    mpfr_abs(o->re[3], left ? o->t[1] : o->t[0], MPFR_RNDN);
    mpfr_abs(o->im[3], left ? o->t[0] : o->t[1], MPFR_RNDN);
    if (mpfr_sgn(o->im[0]) < 0)
        mpfr_neg(o->im[3], o->im[3], MPFR_RNDN);
}

/* The exact result of op on the operands set, into [3], and what its error is relative to, into size. */
static inline void oracle_apply(oracle *o, plumb_op op, int parts)
{
    mpfr_set_zero(o->re[3], 1);
    mpfr_set_zero(o->im[3], 1);
    mpfr_set_zero(o->size, 1);
    switch (op) {
    case PLUMB_OP_ADD:
    case PLUMB_OP_ADD_D:
        mpfr_add(o->re[3], o->re[0], o->re[1], MPFR_RNDN);
        mpfr_add(o->im[3], o->im[0], o->im[1], MPFR_RNDN);
        break;
    case PLUMB_OP_SUB:
        mpfr_sub(o->re[3], o->re[0], o->re[1], MPFR_RNDN);
        mpfr_sub(o->im[3], o->im[0], o->im[1], MPFR_RNDN);
        break;
    case PLUMB_OP_MUL:
    case PLUMB_OP_MUL_D:
    case PLUMB_OP_SCALE:
        oracle_add_product(o, 0, 1, 0, parts);
        break;
    case PLUMB_OP_SQR:
        oracle_add_product(o, 0, 0, 0, parts);
        break;
    case PLUMB_OP_FMA:
        mpfr_set(o->re[3], o->re[2], MPFR_RNDN);
        mpfr_set(o->im[3], o->im[2], MPFR_RNDN);
        oracle_modulus(o, o->size, o->re[2], o->im[2], parts);
        oracle_add_product(o, 0, 1, 0, parts);
        return;
    case PLUMB_OP_DIV:
    case PLUMB_OP_DIV_D:
        oracle_quotient(o, 0, 1, parts);
        break;
    case PLUMB_OP_INV:
        mpfr_set(o->re[1], o->re[0], MPFR_RNDN);
        mpfr_set(o->im[1], o->im[0], MPFR_RNDN);
        mpfr_set_ui(o->re[0], 1, MPFR_RNDN);
        mpfr_set_zero(o->im[0], 1);
        oracle_quotient(o, 0, 1, parts);
        break;
    case PLUMB_OP_SQRT:
        oracle_root(o, parts);
        break;
    case PLUMB_OP_ABS:
        if (parts == PLUMB_COMPLEX)
            mpfr_hypot(o->re[3], o->re[0], o->im[0], MPFR_RNDN);
        else
            mpfr_abs(o->re[3], o->re[0], MPFR_RNDN);
        break;
    case PLUMB_OP_NEG:
        mpfr_neg(o->re[3], o->re[0], MPFR_RNDN);
        mpfr_neg(o->im[3], o->im[0], MPFR_RNDN);
        break;
    default: /* PLUMB_OP_CONJ */
        mpfr_set(o->re[3], o->re[0], MPFR_RNDN);
        mpfr_neg(o->im[3], o->im[0], MPFR_RNDN);
        break;
    }
    oracle_modulus(o, o->size, o->re[3], o->im[3], parts);
}

/* |result - exact|, less what underflow may cost, over the size; 0 when underflow explains it all. */
static inline double oracle_error(oracle *o, const double *re, const double *im, int64_t plane, int limbs,
                                  double underflow)
{
    oracle_set(o->t[0], re, plane, limbs);
    mpfr_sub(o->t[0], o->t[0], o->re[3], MPFR_RNDN);
    if (im) {
        oracle_set(o->t[1], im, plane, limbs);
        mpfr_sub(o->t[1], o->t[1], o->im[3], MPFR_RNDN);
    }
    oracle_modulus(o, o->m[0], o->t[0], o->t[1], im ? PLUMB_COMPLEX : PLUMB_REAL);
    mpfr_sub_d(o->m[0], o->m[0], underflow, MPFR_RNDN);
    if (mpfr_sgn(o->m[0]) <= 0)
        return 0.0;
    mpfr_div(o->m[0], o->m[0], o->size, MPFR_RNDN);
    return mpfr_get_d(o->m[0], MPFR_RNDN);
}

#endif
