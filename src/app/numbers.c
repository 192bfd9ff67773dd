/* numbers.c - see numbers.h. */
#include "app/numbers.h"

#include <math.h>
#include <stdio.h>

#include "app/report.h"
#include "base/number/precision.h"

bool app_limbs_text(int32_t prec, const double *re, const double *im, char text[CLI_NUMBER_ROOM])
{
    const int32_t most = (int32_t)ceil(precision_digits(prec)) + 1; /* 17, 33, 65 */
    const size_t around_one = 8, around_two = 24; /* sign, point and exponent; the same twice and "( + *i)" */
    size_t needed = 0;
    text[0] = '?'; /* unless it can be written */
    text[1] = 0;
    if (im == NULL)
        return plumb_number_write(prec, re, 0, text, CLI_NUMBER_ROOM, &needed) == PLUMB_OK &&
               (needed <= (size_t)most + around_one ||
                plumb_number_write(prec, re, most, text, CLI_NUMBER_ROOM, NULL) == PLUMB_OK);
    return plumb_complex_write(prec, re, im, 0, text, CLI_NUMBER_ROOM, &needed) == PLUMB_OK &&
           (needed <= 2 * (size_t)most + around_two ||
            plumb_complex_write(prec, re, im, most, text, CLI_NUMBER_ROOM, NULL) == PLUMB_OK);
}

void app_known_text(int32_t prec, const double *limbs, double error, int64_t wanted, char text[APP_KNOWN_ROOM])
{
    const double size = fabs(limbs[0]);
    snprintf(text, APP_KNOWN_ROOM, "0");
    if (!(size > error))
        return;
    const double room = floor(53.0 * prec * log10(2.0)), most = wanted > 0 ? fmin(room, (double)wanted) : room,
                 digits = error > 0 ? floor(log10(size / error)) : most;
    if (plumb_number_write(prec, limbs, (int32_t)fmax(1, fmin(most, digits)), text, APP_KNOWN_ROOM, NULL) != PLUMB_OK)
        snprintf(text, APP_KNOWN_ROOM, "%.17g", limbs[0]);
}

void app_known_number(int32_t prec, const double *re, const double *im, bool real, double error, int64_t wanted,
                      app_known_pair *pair)
{
    app_known_text(prec, re, error, wanted, pair->re);
    app_known_text(prec, im, error, wanted, pair->im);
    if (real)
        snprintf(pair->im, APP_KNOWN_ROOM, "0");
}

bool app_number_text(const plumb_view *view, int64_t problem, int64_t row, int64_t col, char text[CLI_NUMBER_ROOM])
{
    double re[PLUMB_QD], im[PLUMB_QD];
    app_entry(view, problem, row, col, 0, re);
    app_entry(view, problem, row, col, 1, im);
    return app_limbs_text(view->prec, re, view->parts == PLUMB_COMPLEX ? im : NULL, text);
}
