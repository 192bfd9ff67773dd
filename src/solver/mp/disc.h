/* disc.h - discs in the complex plane that are known to have a number: arithmetic with proven errors.
 *
 * A centre has as many bits as it was made with. Radii are logarithms to base 2 (doubles), like all sizes of this folder; each
 * operation adds the rounding of the centre, and a little for that of the logarithms. */
#ifndef PLUMB_SOLVER_MP_DISC_H
#define PLUMB_SOLVER_MP_DISC_H

#include "solver/mp/number.h"

typedef struct disc {
    mp_complex z;
    double radius; /* log2; -infinity: the number is z */
    bool real;     /* the number is known to be real, and the imaginary part of z is 0 */
} disc;

/* log2(2^a + 2^b), and log2(2^a - 2^b) for a > b, with less than 2^-30 of error above and below. */
double log2_sum(double a, double b);
double log2_difference(double a, double b);

void disc_init(disc *x, int64_t bits); /* zero */
void disc_clear(disc *x);              /* zeros of the struct are allowed */
void disc_set(disc *x, const disc *y); /* rounded to the bits of x */
void disc_set_rational(disc *x, mpq_srcptr re, mpq_srcptr im);
void disc_set_integers(disc *x, mpz_srcptr re, mpz_srcptr im);

double disc_most(const disc *x);      /* log2 of a bound of the modulus of the number */
bool disc_may_be_zero(const disc *x); /* false: the number is at least as large as the radius */

/* z may be an operand; temporary: two numbers with as many bits as z. */
void disc_add(disc *z, const disc *x, const disc *y);
void disc_mul(disc *z, const disc *x, const disc *y, mp_complex temporary[2]);
void disc_power(disc *z, const disc *x, int32_t exponent, disc *square, mp_complex temporary[2]); /* z is not x */
void disc_div(disc *z, const disc *x, const disc *y, mp_complex temporary[2]); /* y is not zero, by disc_may_be_zero */

#endif
