/* short.c - see number.h. */
#include <math.h>
#include <string.h>

#include "base/number/precision.h"
#include "text/number/number.h"

enum {
    NUMBER_ROOM = 128,
    AROUND = 8
}; /* of a decimal; what it has besides digits: sign, point, exponent, and its end */

void plumb_number_shorten(int32_t prec, double error, double *limbs)
{
    const int32_t most = (int32_t)ceil(precision_digits(prec)) + 1; /* 17, 33, 65 */
    const double last = fabs(limbs[prec - 1]);
    char text[NUMBER_ROOM];
    size_t needed = 0;
    double rounded[PLUMB_QD];
    if (prec == PLUMB_D || !isfinite(limbs[0]) || last > ldexp(fabs(limbs[0]), -53 * prec) || error < pow(10.0, -most))
        return;
    const plumb_status status = plumb_number_write(prec, limbs, 0, text, sizeof text, &needed);
    if (status != PLUMB_ERR_BUFFER && (status != PLUMB_OK || needed <= (size_t)most + AROUND))
        return;
    if (plumb_number_write(prec, limbs, most, text, sizeof text, NULL) == PLUMB_OK &&
        plumb_number_read(text, strlen(text), prec, rounded, NULL, NULL) == PLUMB_OK)
        memcpy(limbs, rounded, (size_t)prec * sizeof(double));
}
