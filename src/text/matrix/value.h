/* value.h - converts one number of a matrix from its token to limbs, fast for short numbers.
 *
 * plumb_number_round is exact for any text and takes 0.2 to 1 microseconds, mostly for integers that are wide enough
 * for all doubles. A matrix has many numbers, nearly all of them short. These are converted with integers of a few
 * words and a table of powers of five; if that does not decide the rounding, plumb_number_round does. Both give the
 * same limbs. */
#ifndef PLUMB_TEXT_MATRIX_VALUE_H
#define PLUMB_TEXT_MATRIX_VALUE_H

#include "text/number/number.h"

enum { VALUE_POWERS = 109, VALUE_WORDS = 4 }; /* 5^108 < 2^251 */

typedef struct value_powers {
    mp_limb_t five[VALUE_POWERS][VALUE_WORDS]; /* 5^k */
    int words[VALUE_POWERS];
} value_powers;

void plumb_value_init(value_powers *powers);

/* Computes the limbs of a token that is not a list. *exact is set to false if they are not exact, and otherwise not
 * changed. */
PLUMB_USE_RESULT plumb_status plumb_value_round(const value_powers *powers, const text_cursor *c,
                                                const number_token *token, int32_t prec, double *limbs, bool *exact,
                                                plumb_text_error *error);

#endif
