/* exact.c - exact values that outlive their text: rationals, with a separate power of ten or two if the exponent in
 * the text is extreme. */
#include <math.h>
#include <string.h>

#include "base/memory/reserve.h"
#include "text/number/fixed.h"
#include "text/number/number.h"
#include "text/number/write.h"

/* A power is multiplied out up to this exponent plus the number of digits. The cost is then proportional to the
 * length of the text, and values with a separate power are outside the range of a double by thousands of digits. */
static const int64_t POWER_LIMIT = 5000;

void plumb_exact_init(number_exact *exact)
{
    memset(exact, 0, sizeof *exact);
    exact->kind = NUMBER_RATIONAL;
    exact->base = 10;
    mpq_init(exact->value);
}

void plumb_exact_clear(number_exact *exact)
{
    mpq_clear(exact->value);
}

/* Sets value to digits * base^exponent, for decimals and hexadecimals. */
static plumb_status from_digits(const number_token *token, number_exact *exact)
{
    bool hex = token->kind == NUMBER_HEX;
    plumb_status status = plumb_number_digits(mpq_numref(exact->value), token->first, token->second, hex ? 16 : 10);
    if (status != PLUMB_OK || mpq_sgn(exact->value) == 0)
        return status;
    int64_t digits = (int64_t)(token->first.length + token->second.length) * (hex ? 4 : 1);
    int64_t exponent = token->exponent - (int64_t)token->second.length * (hex ? 4 : 1);
    int64_t size = exponent < 0 ? -exponent : exponent;
    if (size > POWER_LIMIT + digits) {
        exact->exponent = exponent;
        exact->base = hex ? 2 : 10;
        return PLUMB_OK;
    }
    mpz_t power;
    if (!reserve_limbs((digits + size) / 8 + 16)) /* more than 2 digits per byte */
        return PLUMB_ERR_MEMORY;
    mpz_init(power);
    mpz_ui_pow_ui(power, hex ? 2 : 10, (unsigned long)size);
    if (exponent >= 0)
        mpz_mul(mpq_numref(exact->value), mpq_numref(exact->value), power);
    else
        mpz_set(mpq_denref(exact->value), power);
    mpz_clear(power);
    mpq_canonicalize(exact->value);
    return PLUMB_OK;
}

static plumb_status from_ratio(const number_token *token, number_exact *exact)
{
    const text_span none = {.at = token->text.at};
    plumb_status status = plumb_number_digits(mpq_numref(exact->value), token->first, none, 10);
    if (status == PLUMB_OK)
        status = plumb_number_digits(mpq_denref(exact->value), token->second, none, 10);
    if (status == PLUMB_OK && !reserve_limbs((int64_t)(token->first.length + token->second.length) / 8 + 16))
        status = PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        mpq_canonicalize(exact->value);
    else
        mpq_set_ui(exact->value, 0, 1);
    return status;
}

/* Sets the value to the sum of the limbs, which is a multiple of the unit. */
static plumb_status from_list(const text_cursor *c, const number_token *token, number_exact *exact,
                              plumb_text_error *error)
{
    enum { MOST_LIMBS = TEXT_MAX_LIMBS };
    double limbs[MOST_LIMBS];
    plumb_status status = plumb_number_round(c, token, MOST_LIMBS, limbs, error);
    if (status != PLUMB_OK)
        return status;
    double sum = 0;
    for (int32_t i = 0; i < MOST_LIMBS; i++)
        if (!isfinite(limbs[i]))
            sum += limbs[i];
    if (sum != 0) { /* infinite or NaN */
        exact->kind = isnan(sum) ? NUMBER_NAN : NUMBER_INF;
        exact->negative = sum < 0;
        return PLUMB_OK;
    }
    exact->negative = signbit(limbs[0]) != 0;
    mpz_t scratch;
    fixed_room room;
    if (!reserve_limbs(FIXED_LIMBS))
        return plumb_text_error_at(c, token->text.at, PLUMB_ERR_MEMORY, error, "out of memory");
    fixed_init(scratch, &room);
    for (int32_t i = 0; i < MOST_LIMBS; i++)
        plumb_fixed_add(mpq_numref(exact->value), limbs[i], scratch);
    mpq_div_2exp(exact->value, exact->value, FIXED_UNIT);
    return PLUMB_OK;
}

plumb_status plumb_exact_from_token(const text_cursor *c, const number_token *token, number_exact *exact,
                                    plumb_text_error *error)
{
    mpq_set_ui(exact->value, 0, 1);
    exact->kind = NUMBER_RATIONAL;
    exact->negative = token->negative;
    exact->exponent = 0;
    exact->base = 10;
    if (token->kind == NUMBER_INF || token->kind == NUMBER_NAN) {
        exact->kind = token->kind;
        return PLUMB_OK;
    }
    if (token->kind == NUMBER_LIST)
        return from_list(c, token, exact, error);
    plumb_status status = token->kind == NUMBER_RATIONAL ? from_ratio(token, exact) : from_digits(token, exact);
    if (status == PLUMB_OK && token->negative)
        mpq_neg(exact->value, exact->value);
    if (status == PLUMB_ERR_SIZE)
        return plumb_text_error_at(c, token->text.at, status, error,
                                   "found a number of more than %d digits, expected fewer", NUMBER_MAX_DIGITS);
    if (status != PLUMB_OK)
        return plumb_text_error_at(c, token->text.at, status, error, "%s", plumb_status_text(status));
    return PLUMB_OK;
}

plumb_status plumb_exact_to_limbs(const number_exact *exact, int32_t prec, double *limbs)
{
    int sign = mpq_sgn(exact->value);
    bool negative = sign != 0 ? sign < 0 : exact->negative;
    if (exact->kind != NUMBER_RATIONAL) {
        limbs[0] = exact->kind == NUMBER_NAN ? (double)NAN : negative ? -(double)INFINITY : (double)INFINITY;
        for (int32_t i = 1; i < prec; i++)
            limbs[i] = 0;
        return PLUMB_OK;
    }
    if (sign != 0 && exact->exponent > 0)
        return PLUMB_ERR_RANGE;
    mpz_t x;
    if (!reserve_limbs((int64_t)(mpz_size(mpq_numref(exact->value)) + mpz_size(mpq_denref(exact->value))) +
                       FIXED_LIMBS))
        return PLUMB_ERR_MEMORY;
    mpz_init2(x, 2 * FIXED_UNIT);
    bool in_range =
        exact->exponent < 0 || plumb_fixed_from_ratio(x, mpq_numref(exact->value), mpq_denref(exact->value));
    in_range = in_range && plumb_fixed_to_limbs(x, negative, prec, limbs);
    mpz_clear(x);
    return in_range ? PLUMB_OK : PLUMB_ERR_RANGE;
}
