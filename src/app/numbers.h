/* numbers.h - numbers as the text reports show them. */
#ifndef PLUMB_APP_NUMBERS_H
#define PLUMB_APP_NUMBERS_H

#include <stdbool.h>

#include "plumb.h"

enum { CLI_NUMBER_ROOM = 8192 };

/* A complex number, or a real one when im is NULL: the shortest decimals that read back to the same limbs, unless they are longer than the
 * precision has digits. A number like 1 + 1e-50 - 1e-90 is a quad double, too, but its shortest decimal has 90 digits; JSON
 * and files have them. False when it is beyond the range of a double. */
bool app_limbs_text(int32_t prec, const double *re, const double *im, char text[CLI_NUMBER_ROOM]);

/* One part of a number with an absolute error: its known digits, but at most `wanted` (0: all of them); "0" if none is known. */
enum { APP_KNOWN_ROOM = 128 };
void app_known_text(int32_t prec, const double *limbs, double error, int64_t wanted, char text[APP_KNOWN_ROOM]);

/* Both parts of a number in this way; the imaginary part of a real solution is "0". */
typedef struct app_known_pair {
    char re[APP_KNOWN_ROOM], im[APP_KNOWN_ROOM];
} app_known_pair;
void app_known_number(int32_t prec, const double *re, const double *im, bool real, double error, int64_t wanted,
                      app_known_pair *pair);

/* Entry (row, col) of a problem of a view. */
bool app_number_text(const plumb_view *view, int64_t problem, int64_t row, int64_t col, char text[CLI_NUMBER_ROOM]);

#endif
