/* value.h - one number of a matrix: from its token to limbs, quickly where it is short.
 *
 * plumb_number_round is exact for any text and takes 0.2 to 1 microseconds, most of it for integers wide enough for all
 * doubles there are. A matrix has many numbers and nearly all are short, so these get integers of a few words and a
 * table of powers of five; where that does not decide, plumb_number_round does. Both give the same limbs. */
#ifndef PLUMB_TEXT_MATRIX_VALUE_H
#define PLUMB_TEXT_MATRIX_VALUE_H

#include "text/number/number.h"

enum { VALUE_POWERS = 109, VALUE_WORDS = 4 }; /* 5^108 < 2^251 */

typedef struct value_powers {
    mp_limb_t five[VALUE_POWERS][VALUE_WORDS]; /* 5^k */
    int words[VALUE_POWERS];
} value_powers;

void plumb_value_init(value_powers *powers);

/* The limbs of a token that is no list; *exact is cleared when they are not all of it, else left alone. */
PLUMB_USE_RESULT plumb_status plumb_value_round(const value_powers *powers, const text_cursor *c,
                                                const number_token *token, int32_t prec, double *limbs, bool *exact,
                                                plumb_text_error *error);

#endif
