/* numbers.c - see numbers.h. */
#include "app/numbers.h"

#include <math.h>

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

bool app_number_text(const plumb_view *view, int64_t problem, int64_t row, int64_t col, char text[CLI_NUMBER_ROOM])
{
    double re[PLUMB_QD], im[PLUMB_QD];
    app_entry(view, problem, row, col, 0, re);
    app_entry(view, problem, row, col, 1, im);
    return app_limbs_text(view->prec, re, view->parts == PLUMB_COMPLEX ? im : NULL, text);
}
