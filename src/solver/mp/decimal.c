/* decimal.c - see decimal.h. */
#include "solver/mp/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DIGITS_PER_BIT = 0.3010299956639812;

enum { POSITIONAL_LEAST = -5, POSITIONAL_LIMIT = 21 }; /* exponents that are not written, as of shorter numbers */

/* Lays out digits such that the first one has this exponent. There is room for 32 characters more. */
static void lay_out(bool negative, const char *digits, long exponent, char *text)
{
    const long count = (long)strlen(digits);
    const bool positional = exponent >= POSITIONAL_LEAST && exponent < POSITIONAL_LIMIT;
    const long first = positional && exponent < 0 ? exponent : 0, point = positional && exponent > 0 ? exponent : 0;
    const long last = positional && exponent < 0 ? count : count > point + 1 ? count : point + 1;
    if (negative)
        *text++ = '-';
    for (long k = first; k < last; k++) {
        *text++ = k >= 0 && k < count ? digits[k] : '0';
        if (k == first + point && k + 1 < last)
            *text++ = '.';
    }
    *text = 0;
    if (!positional)
        snprintf(text, 24, "e%ld", exponent);
}

/* x with this many digits. */
static char *decimal_of(mpfr_srcptr x, size_t count)
{
    mpfr_exp_t exponent;
    char *digits = mpfr_get_str(NULL, &exponent, 10, count, x, MPFR_RNDN), *text = NULL;
    if (!digits)
        return NULL;
    const bool negative = digits[0] == '-';
    size_t length = strlen(digits);
    while (length > (size_t)negative + 1 && digits[length - 1] == '0')
        digits[--length] = 0;
    if ((text = malloc(length + 64)))
        lay_out(negative, digits + negative, (long)exponent - 1, text);
    mpfr_free_str(digits);
    return text;
}

char *mp_decimal(mpfr_srcptr x, double unit, int64_t known)
{
    long exponent = 0;
    const double mantissa = mpfr_regular_p(x) ? mpfr_get_d_2exp(&exponent, x, MPFR_RNDN) : 0.0;
    const double own = floor((log2(fabs(mantissa)) + (double)exponent) * DIGITS_PER_BIT + 1e-9);
    const double all = floor(unit * DIGITS_PER_BIT - 1e-9), count = (double)known + 1.0 + own - all;
    if (mantissa != 0.0 && count >= 1.0)
        return decimal_of(x, count < 2.0 ? 2 : (size_t)count);
    char *zero = calloc(2, 1);
    if (zero)
        zero[0] = '0';
    return zero;
}
