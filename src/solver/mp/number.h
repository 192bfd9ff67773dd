/* number.h - complex numbers of any precision, by MPFR, for the rare decisions that quad doubles cannot make.
 *
 * Sizes are compared as logarithms to base 2 (doubles), because numbers of this folder leave the range of doubles. Results are
 * rounded to the precision of the variable they are stored in; all operations round to nearest, so results are the same on
 * every machine. */
#ifndef PLUMB_SOLVER_MP_NUMBER_H
#define PLUMB_SOLVER_MP_NUMBER_H

#include <gmp.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct mp_complex {
    mpfr_t re, im;
} mp_complex;

/* The limits of what may take long, and what it took. Work is counted in units of mp_system_cost (system.h). */
typedef struct mp_effort {
    double most_work;
    int64_t most_bits;        /* 0: any number */
    bool (*stop)(void *data); /* asked now and then; or NULL */
    void *data;               /* passed to stop */
    double work;              /* that was spent */
    bool arrived;             /* there is a result */
} mp_effort;

/* Zeros; NULL without memory. Freed by mp_free. */
mp_complex *mp_make(int64_t count, int64_t bits);
void mp_free(mp_complex *x, int64_t count);

/* Changes the precision of all; values are kept as far as it allows. */
void mp_resize(mp_complex *x, int64_t count, int64_t bits);

void mp_set(mp_complex *z, const mp_complex *x);
void mp_set_limbs(mp_complex *z, const double *re, const double *im, int32_t limbs); /* sums of limbs */
void mp_get_limbs(const mp_complex *x, double *re, double *im, int32_t limbs);       /* rounded */

/* z may be one of the operands of the first; temporaries belong to the caller and have as many bits. */
void mp_mul(mp_complex *z, const mp_complex *x, const mp_complex *y, mpfr_t temporary);
void mp_exp(mp_complex *x, const mp_complex *z, mpfr_t temporary); /* e^z; the temporary may be z->re */
void mp_add_product(mp_complex *z, const mp_complex *x, const mp_complex *y, mp_complex *temporary); /* z += x y */
void mp_sub_product(mp_complex *z, const mp_complex *x, const mp_complex *y, mp_complex *temporary); /* z -= x y */
void mp_add(mp_complex *z, const mp_complex *x, const mp_complex *y);
void mp_sub(mp_complex *z, const mp_complex *x, const mp_complex *y);
void mp_div(mp_complex *z, const mp_complex *x, const mp_complex *y, mp_complex temporary[2]);

/* Makes parts of x[k] whose modulus is at most 2^(errors[k] + margin) zero. */
void mp_round_to_zero(mp_complex *x, int64_t count, const double *errors, double margin);

/* log2 of the modulus, within one; -infinity for zero, infinity for what is not a number. */
double mp_log2(const mp_complex *x);
double mp_real_log2(mpfr_srcptr x);
double mp_log2_largest(const mp_complex *x, int64_t count);
double rational_log2(mpq_srcptr x);

#endif
