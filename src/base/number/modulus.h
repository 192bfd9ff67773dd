/* modulus.h - the modulus of a complex number of doubles, with the same bits on every machine, which hypot does not promise. */
#ifndef PLUMB_BASE_NUMBER_MODULUS_H
#define PLUMB_BASE_NUMBER_MODULUS_H

/* sqrt(re^2 + im^2), with an error of at most 0.5001 units in the last place where that is no subnormal number, and without overflow or
 * underflow on the way. Infinite if a part is, and otherwise NaN if a part is. */
double plumb_modulus(double re, double im);

#endif
