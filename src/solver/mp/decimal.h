/* decimal.h - numbers of any precision in decimal, laid out as shorter ones are (text/number/write.c). */
#ifndef PLUMB_SOLVER_MP_DECIMAL_H
#define PLUMB_SOLVER_MP_DECIMAL_H

#include <mpfr.h>
#include <stdint.h>

/* x rounded to `known` digits and one more of a number of size 2^unit, without zeros at its end: the rounding error is at most
 * 10^-known 2^unit / 2. In newly allocated memory, or NULL. */
char *mp_decimal(mpfr_srcptr x, double unit, int64_t known);

#endif
