/* quick.h - the shortest decimal of one double, for the sizes that most numbers have, by integers of 192 bits.
 *
 * Everything is exact, so the digits are those of write.c, which does the same with integers of any size and takes ten times as
 * long. Lists of solutions have millions of numbers. */
#ifndef PLUMB_TEXT_NUMBER_QUICK_H
#define PLUMB_TEXT_NUMBER_QUICK_H

#include <stdbool.h>

enum { QUICK_DIGITS = 20 };

/* The shortest decimal that reads as x > 0, and the nearest to x of those: 0.digits * 10^point. Sets the digits without zeros at
 * their end, their number and point. Returns false, and sets nothing, if x is not about between 1e-35 and 1e15. */
bool plumb_quick_shortest(double x, char digits[QUICK_DIGITS], long *count, long *point);

#endif
