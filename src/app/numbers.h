/* numbers.h - numbers as the text reports show them. */
#ifndef PLUMB_APP_NUMBERS_H
#define PLUMB_APP_NUMBERS_H

#include <stdbool.h>

#include "plumb.h"

enum { CLI_NUMBER_ROOM = 8192 };

/* A complex number, or a real one when im is NULL: the shortest decimals that read back to the same limbs, unless they are longer than the
 * precision has digits. A number like 1 + 1e-50 - 1e-90 is a quad double too, but nobody wants to see all of its digits; JSON
 * and files have them. False when it is beyond the range of a double. */
bool app_limbs_text(int32_t prec, const double *re, const double *im, char text[CLI_NUMBER_ROOM]);

/* One part of a number with an absolute error: as many digits as are known, or as are wanted (0: all of them); "0" if none is. */
enum { APP_KNOWN_ROOM = 128 };
void app_known_text(int32_t prec, const double *limbs, double error, int64_t wanted, char text[APP_KNOWN_ROOM]);

/* Entry (row, col) of a problem of a view. */
bool app_number_text(const plumb_view *view, int64_t problem, int64_t row, int64_t col, char text[CLI_NUMBER_ROOM]);

#endif
