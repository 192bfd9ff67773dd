/* round.c - converts a token to limbs.
 *
 * Only the digits of a decimal down to the unit of fixed.h matter; of those beyond, only whether one of them is not
 * zero. At most about 1,400 digits are therefore converted, for any length of the text and any exponent. */
#include <math.h>
#include <stdlib.h>

#include "base/memory/reserve.h"
#include "text/number/fixed.h"
#include "text/number/number.h"

enum {
    DECIMAL_DIGITS = FIXED_MAX_EXPONENT + 1 + FIXED_DECIMALS, /* maximum number of digits that matter */
    HEX_DIGITS = (1024 + FIXED_UNIT) / 4 + 2,
    LEAST_EXPONENT = -324, /* 10^-324 < 2^-1075: smaller values round to zero */
    BUFFER_DIGITS = 1400
};
_Static_assert((int)DECIMAL_DIGITS < (int)BUFFER_DIGITS && (int)HEX_DIGITS < (int)BUFFER_DIGITS, "digits must fit");

/* Digit i of first and second, concatenated. */
static int digit_of(const number_token *token, size_t i)
{
    const text_span *a = &token->first;
    return number_digit((unsigned char)(i < a->length ? a->at[i] : token->second.at[i - a->length]));
}

/* Sets n to digits[0..count), most significant first; the first is not zero. */
static void set_digits(mpz_t n, const unsigned char *digits, size_t count, int base)
{
    mp_limb_t *limbs = mpz_limbs_write(n, (mp_size_t)(count / 16 + 2)); /* a limb holds 16 hexadecimal digits */
    mpz_limbs_finish(n, (mp_size_t)mpn_set_str(limbs, digits, count, base));
}

/* Sets x to |token|, a decimal or hexadecimal. Returns false if it is out of range. */
static bool to_fixed(mpz_t x, const number_token *token)
{
    int base = token->kind == NUMBER_HEX ? 16 : 10, weight = base == 16 ? 4 : 1;
    size_t total = token->first.length + token->second.length, lead = 0;
    while (lead < total && digit_of(token, lead) == 0)
        lead++;
    mpz_set_ui(x, 0);
    if (lead == total)
        return true;
    size_t stop = total; /* after the last digit that is not zero */
    while (digit_of(token, stop - 1) == 0)
        stop--;

    /* The leading digit stands for base^place, or 2^place, times itself. */
    int64_t place = ((int64_t)token->first.length - 1 - (int64_t)lead) * weight + token->exponent;
    if (place > (base == 16 ? 1023 : FIXED_MAX_EXPONENT))
        return false;
    if (place < (base == 16 ? -FIXED_UNIT - 4 : LEAST_EXPONENT))
        return true;
    size_t matter = base == 16 ? (size_t)(place + FIXED_UNIT + 4) / 4 + 1 : (size_t)(place + FIXED_DECIMALS + 1);
    size_t count = stop - lead;
    bool sticky = count > matter; /* the last digit is not zero */
    if (sticky)
        count = matter;

    unsigned char digits[BUFFER_DIGITS];
    for (size_t i = 0; i < count; i++)
        digits[i] = (unsigned char)digit_of(token, lead + i);
    mpz_t n;
    fixed_room room;
    fixed_init(n, &room);
    set_digits(n, digits, count, base);
    long exponent = (long)place - (long)(count - 1) * weight;
    if (base == 16)
        plumb_fixed_from_binary(x, n, exponent, sticky);
    else
        plumb_fixed_from_decimal(x, n, exponent, sticky);
    return true;
}

plumb_status plumb_number_digits(mpz_t n, text_span a, text_span b, int base)
{
    const number_token token = {.first = a, .second = b};
    size_t total = a.length + b.length, lead = 0;
    while (lead < total && digit_of(&token, lead) == 0)
        lead++;
    mpz_set_ui(n, 0);
    size_t count = total - lead;
    if (count == 0)
        return PLUMB_OK;
    if (count > NUMBER_MAX_DIGITS)
        return PLUMB_ERR_SIZE;
    if (!reserve_limbs((int64_t)count / 16 + 1)) /* a limb has 16 or more digits */
        return PLUMB_ERR_MEMORY;
    unsigned char few[BUFFER_DIGITS], *digits = count <= sizeof few ? few : malloc(count);
    if (digits == NULL)
        return PLUMB_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        digits[i] = (unsigned char)digit_of(&token, lead + i);
    set_digits(n, digits, count, base);
    if (digits != few)
        free(digits);
    return PLUMB_OK;
}

static plumb_status out_of_range(const text_cursor *c, const number_token *token, plumb_text_error *error)
{
    char text[TEXT_SHORT];
    return plumb_text_error_at(c, token->text.at, PLUMB_ERR_RANGE, error,
                               "%s is out of range: a number must be below about 1.8e308 in modulus",
                               plumb_text_shorten(token->text.at, token->text.at + token->text.length, text));
}

static plumb_status round_ratio(const text_cursor *c, const number_token *token, int32_t prec, double *limbs,
                                plumb_text_error *error)
{
    const text_span none = {.at = token->text.at};
    mpz_t x, numerator, denominator;
    if (!reserve_limbs(FIXED_LIMBS))
        return plumb_text_error_at(c, token->text.at, PLUMB_ERR_MEMORY, error, "out of memory");
    mpz_inits(x, numerator, denominator, NULL);
    plumb_status status = plumb_number_digits(numerator, token->first, none, 10);
    if (status == PLUMB_OK)
        status = plumb_number_digits(denominator, token->second, none, 10);
    if (status == PLUMB_ERR_SIZE)
        plumb_text_error_at(c, token->text.at, status, error, "found a fraction of more than %d digits, expected fewer",
                            NUMBER_MAX_DIGITS);
    else if (status == PLUMB_ERR_MEMORY)
        plumb_text_error_at(c, token->text.at, status, error, "out of memory");
    else if (!reserve_limbs((int64_t)(mpz_size(numerator) + mpz_size(denominator)) + FIXED_LIMBS))
        status = plumb_text_error_at(c, token->text.at, PLUMB_ERR_MEMORY, error, "out of memory");
    else if (!plumb_fixed_from_ratio(x, numerator, denominator) ||
             !plumb_fixed_to_limbs(x, token->negative, prec, limbs))
        status = out_of_range(c, token, error);
    mpz_clears(x, numerator, denominator, NULL);
    return status;
}

/* Rounds one limb of a list, which must be exactly a double. */
static plumb_status round_limb(const text_cursor *c, const number_token *limb, double *value, plumb_text_error *error)
{
    double with_rest[2] = {0, 0};
    plumb_status status = plumb_number_round(c, limb, 2, with_rest, error);
    *value = with_rest[0];
    if (status == PLUMB_OK && with_rest[1] != 0) {
        char text[TEXT_SHORT];
        plumb_text_shorten(limb->text.at, limb->text.at + limb->text.length, text);
        return plumb_text_error_at(c, limb->text.at, PLUMB_ERR_PARSE, error, "found %s, expected a limb of 53 bits",
                                   text);
    }
    return status;
}

static plumb_status round_list(const text_cursor *c, const number_token *token, int32_t prec, double *limbs,
                               plumb_text_error *error)
{
    text_cursor at = {.begin = c->begin, .at = token->text.at, .end = token->text.at + token->text.length};
    while (*at.at != '[') /* skips the sign and the white space that may follow it */
        at.at++;
    for (int32_t i = 0; i < token->limbs; i++) {
        at.at++;
        text_skip_space(&at);
        number_token limb;
        if (i == prec)
            return plumb_text_error_at(c, at.at, PLUMB_ERR_PARSE, error, "found %d limbs, expected at most %d",
                                       (int)token->limbs, (int)prec);
        plumb_status status =
            plumb_number_scan(&at, NUMBER_WITH_SIGN | NUMBER_WITH_WORDS | NUMBER_WITH_HEX, &limb, error);
        if (status == PLUMB_OK)
            status = round_limb(c, &limb, &limbs[i], error);
        if (status != PLUMB_OK)
            return status;
        if (token->negative)
            limbs[i] = -limbs[i];
        text_skip_space(&at);
    }
    for (int32_t i = token->limbs; i < prec; i++)
        limbs[i] = 0;
    return PLUMB_OK;
}

plumb_status plumb_number_round(const text_cursor *c, const number_token *token, int32_t prec, double *limbs,
                                plumb_text_error *error)
{
    if (token->kind == NUMBER_RATIONAL)
        return round_ratio(c, token, prec, limbs, error);
    if (token->kind == NUMBER_LIST)
        return round_list(c, token, prec, limbs, error);
    if (token->kind == NUMBER_INF || token->kind == NUMBER_NAN) {
        limbs[0] = token->kind == NUMBER_NAN ? (double)NAN : token->negative ? -(double)INFINITY : (double)INFINITY;
        for (int32_t i = 1; i < prec; i++)
            limbs[i] = 0;
        return PLUMB_OK;
    }
    mpz_t x;
    fixed_room room;
    fixed_init(x, &room);
    bool in_range = to_fixed(x, token) && plumb_fixed_to_limbs(x, token->negative, prec, limbs);
    return in_range ? PLUMB_OK : out_of_range(c, token, error);
}
