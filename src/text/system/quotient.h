/* quotient.h - polynomials over products of powers of denominators, as a text with quotients is read.
 *
 * The denominators of all equations are in one table, each once, with leading coefficient 1; products of unknowns are taken apart. So
 * common denominators are the least ones that can be seen without factoring: x/(y-1) + 1/(y-1)^2 has (y-1)^2. A denominator that is
 * cancelled stays in the list with exponent 0, because the quotient has no value where it vanishes. */
#ifndef PLUMB_TEXT_SYSTEM_QUOTIENT_H
#define PLUMB_TEXT_SYSTEM_QUOTIENT_H

#include "model/system/polynomial.h"

enum { QUOTIENT_MOST_DENOMINATORS = 1000 }; /* different ones in one system */

typedef struct quotient_table {
    polynomial *list;
    int32_t count, room;
} quotient_table;

typedef struct quotient {
    polynomial top;
    system_divisors under;
} quotient;

void plumb_quotient_clear(quotient *q);
void plumb_quotient_table_clear(quotient_table *table);

/* Calls return PLUMB_ERR_MEMORY, PLUMB_ERR_RANGE for an exponent that is too large, and PLUMB_ERR_SIZE if the budget is exceeded or there are
 * too many denominators. */

/* The number of a denominator with leading coefficient 1, which is added to the table unless it is there. p is consumed. */
PLUMB_USE_RESULT plumb_status plumb_quotient_find(quotient_table *table, polynomial *p, poly_work *work,
                                                  int32_t *number);

/* Divides once more by a power of a denominator; an exponent of 0 only notes it. */
PLUMB_USE_RESULT plumb_status plumb_quotient_divide(system_divisors *under, int32_t denominator, int64_t exponent);

/* p = a power of a denominator; p must be empty. */
PLUMB_USE_RESULT plumb_status plumb_quotient_power(const quotient_table *table, int32_t denominator, int64_t exponent,
                                                   poly_work *work, polynomial *p);

/* a += b, over a common denominator; b is consumed. a->top need not be normal, before or after. */
PLUMB_USE_RESULT plumb_status plumb_quotient_add(const quotient_table *table, quotient *a, quotient *b,
                                                 poly_work *work);

/* Makes the numerator normal and cancels unknowns that divide it. */
PLUMB_USE_RESULT plumb_status plumb_quotient_finish(const quotient_table *table, quotient *q);

#endif
