/* scan.c - finds the parts of one real number.
 *
 *   real     = [sign] (decimal | ratio | hex | list | word)
 *   decimal  = (digits ["." [digits]] | "." digits) [("e" | "E" | "d" | "D") [sign] digits]
 *   ratio    = digits "/" digits            the second not zero
 *   hex      = "0x" hexdigits as in decimal [("p" | "P") [sign] digits]
 *   list     = "[" element {"," element} "]"   element = [sign] (hex | word)
 *   word     = "inf" | "infinity" | "nan"   in any case, no letter or digit after it
 */
#include "text/number/number.h"

static const int64_t EXPONENT_LIMIT = 100000000000000000; /* 10^17 */

static text_span scan_digits(text_cursor *c, int base)
{
    text_span span = {.at = c->at};
    while (c->at < c->end) {
        int digit = number_digit((unsigned char)*c->at);
        if (digit < 0 || digit >= base)
            break;
        c->at++;
    }
    span.length = (size_t)(c->at - span.at);
    return span;
}

/* Scans digits with at most one point among them. */
static plumb_status scan_mantissa(text_cursor *c, int base, number_token *token, const char *expected,
                                  plumb_text_error *error)
{
    token->first = scan_digits(c, base);
    bool point = text_peek(c, 0) == '.';
    if (point)
        c->at++;
    token->second = point ? scan_digits(c, base) : (text_span){.at = c->at};
    if (token->first.length + token->second.length == 0) {
        c->at -= point;
        return plumb_text_expected(c, expected, error);
    }
    return PLUMB_OK;
}

/* Scans [sign] digits after the letter of the exponent. */
static plumb_status scan_exponent(text_cursor *c, number_token *token, plumb_text_error *error)
{
    c->at++;
    bool negative = text_peek(c, 0) == '-';
    if (negative || text_peek(c, 0) == '+')
        c->at++;
    if (!text_is_digit(text_peek(c, 0)))
        return plumb_text_expected(c, "the digits of an exponent", error);
    int64_t value = 0;
    for (; text_is_digit(text_peek(c, 0)); c->at++) {
        value = 10 * value + (*c->at - '0');
        if (value > EXPONENT_LIMIT)
            value = EXPONENT_LIMIT;
    }
    token->exponent = negative ? -value : value;
    return PLUMB_OK;
}

static plumb_status scan_hex(text_cursor *c, number_token *token, plumb_text_error *error)
{
    token->kind = NUMBER_HEX;
    c->at += 2;
    plumb_status status = scan_mantissa(c, 16, token, "hexadecimal digits", error);
    if (status == PLUMB_OK && (text_peek(c, 0) | 0x20) == 'p')
        status = scan_exponent(c, token, error);
    return status;
}

/* Scans "/" and a denominator after an integer, if there is one. */
static plumb_status scan_denominator(text_cursor *c, number_token *token, plumb_text_error *error)
{
    text_cursor ahead = *c;
    text_skip_space(&ahead);
    if (text_peek(&ahead, 0) != '/')
        return PLUMB_OK;
    ahead.at++;
    text_skip_space(&ahead);
    text_cursor start = ahead;
    token->kind = NUMBER_RATIONAL;
    token->second = scan_digits(&ahead, 10);
    if (token->second.length == 0)
        return plumb_text_expected(&start, "an integer after '/'", error);
    size_t zeros = 0;
    while (zeros < token->second.length && token->second.at[zeros] == '0')
        zeros++;
    if (zeros == token->second.length)
        return plumb_text_expected(&start, "a denominator other than zero", error);
    *c = ahead;
    return PLUMB_OK;
}

static plumb_status scan_decimal(text_cursor *c, unsigned which, number_token *token, plumb_text_error *error)
{
    token->kind = NUMBER_DECIMAL;
    plumb_status status = scan_mantissa(c, 10, token, "a number", error);
    if (status != PLUMB_OK)
        return status;
    int letter = text_peek(c, 0) | 0x20; /* -1 stays negative */
    if (letter == 'e' || letter == 'd')
        return scan_exponent(c, token, error);
    bool integer = text_is_digit((unsigned char)c->at[-1]) && token->second.length == 0;
    if (integer && (which & NUMBER_WITH_RATIO))
        return scan_denominator(c, token, error);
    return PLUMB_OK;
}

/* If the letters of word follow and the name ends with them, moves the cursor and returns true. */
static bool scan_word(text_cursor *c, const char *word)
{
    size_t n = 0;
    for (; word[n] != 0; n++)
        if (text_peek(c, n) < 0 || (text_peek(c, n) | 0x20) != word[n])
            return false;
    if (text_is_name(text_peek(c, n)))
        return false;
    c->at += n;
    return true;
}

static plumb_status scan_list(text_cursor *c, number_token *token, plumb_text_error *error)
{
    token->kind = NUMBER_LIST;
    token->limbs = 0;
    do {
        c->at++; /* "[" or "," */
        text_skip_space(c);
        number_token limb;
        text_cursor start = *c;
        plumb_status status =
            plumb_number_scan(c, NUMBER_WITH_SIGN | NUMBER_WITH_WORDS | NUMBER_WITH_HEX, &limb, error);
        if (status != PLUMB_OK && limb.kind == NUMBER_HEX)
            return status;
        if (status != PLUMB_OK || limb.kind == NUMBER_DECIMAL)
            return plumb_text_expected(&start, "a limb like 0x1.8p+1", error);
        if (token->limbs < INT32_MAX)
            token->limbs++;
        text_skip_space(c);
    } while (text_peek(c, 0) == ',');
    if (text_peek(c, 0) != ']')
        return plumb_text_expected(c, "',' or ']'", error);
    c->at++;
    return PLUMB_OK;
}

plumb_status plumb_number_scan(text_cursor *c, unsigned which, number_token *token, plumb_text_error *error)
{
    text_cursor at = *c;
    *token = (number_token){.text.at = at.at};
    if (which & NUMBER_WITH_SIGN) {
        token->negative = text_peek(&at, 0) == '-';
        if (token->negative || text_peek(&at, 0) == '+')
            at.at++;
    }
    plumb_status status = PLUMB_OK;
    bool words = (which & NUMBER_WITH_WORDS) != 0;
    if (words && (scan_word(&at, "inf") || scan_word(&at, "infinity")))
        token->kind = NUMBER_INF;
    else if (words && scan_word(&at, "nan"))
        token->kind = NUMBER_NAN;
    else if ((which & NUMBER_WITH_HEX) && text_peek(&at, 0) == '0' && (text_peek(&at, 1) | 0x20) == 'x')
        status = scan_hex(&at, token, error);
    else if ((which & NUMBER_WITH_LIST) && text_peek(&at, 0) == '[')
        status = scan_list(&at, token, error);
    else
        status = scan_decimal(&at, which, token, error);
    if (status != PLUMB_OK)
        return status;
    token->text.length = (size_t)(at.at - token->text.at);
    *c = at;
    return PLUMB_OK;
}
