/* exact_sum.h - sums of products of doubles without any rounding.
 *
 * A sum is an integer in units of 2^-3296, in words of 32 bits that are kept in 64, so that carries wait until the sum is read
 * (Kulisch and Miranker, 1986). This is enough for products of two doubles, and for products of a double and a part of such a sum.
 * 2^30 products may be added. */
#ifndef PLUMB_BASE_NUMBER_EXACT_SUM_H
#define PLUMB_BASE_NUMBER_EXACT_SUM_H

#include <stdint.h>

enum { EXACT_SUM_WORDS = 208 };

typedef struct exact_sum {
    int64_t word[EXACT_SUM_WORDS]; /* word k counts 2^(32 k - 3296) */
    int first, end;                /* the words that are used; the others are zero and need not be written */
} exact_sum;

void exact_sum_clear(exact_sum *s);

/* s += a b 2^exponent. a and b are finite. Either the exponent is 0, or exact_sum_take
 * returned b and the exponent for a sum of products of doubles. */
void exact_sum_add(exact_sum *s, double a, double b, int exponent);

/* Takes the leading 53 bits, at most, out of the sum: returns f with 1/2 <= |f| < 1 and subtracts f 2^*exponent. Returns 0 if the sum
 * is zero. Repeated calls give an expansion of the sum. */
double exact_sum_take(exact_sum *s, int *exponent);

#endif
