/* number.h - one real number out of a larger text: scanned now, rounded later.
 *
 * The scanner only finds a number's parts and leaves the cursor after it; nothing is allocated or rounded. A token
 * points into the text, so it is exact, and lives as long as the text. From it come limbs at any precision (correctly
 * rounded), or a number_exact, which owns its value and outlives the text: what coefficients are kept as until a
 * precision is chosen. */
#ifndef PLUMB_TEXT_NUMBER_H
#define PLUMB_TEXT_NUMBER_H

#include <gmp.h>

#include "text/cursor.h"

typedef enum number_kind {
    NUMBER_DECIMAL,  /* first.second * 10^exponent; integers too */
    NUMBER_RATIONAL, /* first / second, second not zero */
    NUMBER_HEX,      /* first.second in hexadecimal, * 2^exponent */
    NUMBER_LIST,     /* limbs as they are: [0x1.8p+1,0x1p-60] */
    NUMBER_INF,
    NUMBER_NAN
} number_kind;

/* What a scan may find besides unsigned integers and decimals. */
enum {
    NUMBER_WITH_SIGN = 1,  /* + or - right before the number */
    NUMBER_WITH_RATIO = 2, /* 1/3, also 1 / 3 */
    NUMBER_WITH_WORDS = 4, /* inf, infinity, nan in any case; off where words are names */
    NUMBER_WITH_HEX = 8,   /* 0x1.8p+1 */
    NUMBER_WITH_LIST = 16, /* [0x1.8p+1,0x1p-60] */
    NUMBER_WITH_ALL = 31
};

typedef struct text_span {
    const char *at;
    size_t length;
} text_span;

typedef struct number_token {
    number_kind kind;
    bool negative;
    text_span text;          /* all of it, with its sign */
    text_span first, second; /* digits; either may be empty, not both */
    int64_t exponent;        /* held to +-10^17: no text is long enough to make up for more */
    int32_t limbs;           /* of a list */
} number_token;

/* Reads one number at the cursor; which = NUMBER_WITH_... together. On failure the cursor stays where it was. */
PLUMB_USE_RESULT plumb_status plumb_number_scan(text_cursor *c, unsigned which, number_token *token,
                                                plumb_text_error *error);

/* The limbs of a token, the canonical expansion of its exact value; of a list the limbs as given, zeros after them.
 * PLUMB_ERR_RANGE from about 1.8e308 on; below about 2.5e-324 the value is a zero of the same sign. c serves the error
 * message. */
PLUMB_USE_RESULT plumb_status plumb_number_round(const text_cursor *c, const number_token *token, int32_t prec,
                                                 double *limbs, plumb_text_error *error);

/* An exact value of its own: value * base^exponent. The exponent is 0, and value all there is, unless that would take
 * far more memory than the text did (1e-999999999); such a value is far out of the range of a double either way. */
typedef struct number_exact {
    number_kind kind; /* NUMBER_RATIONAL, NUMBER_INF or NUMBER_NAN */
    bool negative;    /* for the sign of zero and infinity */
    mpq_t value;      /* in lowest terms, with its sign; 0 unless NUMBER_RATIONAL */
    int64_t exponent;
    int32_t base; /* 10 or 2 */
} number_exact;

void plumb_exact_init(number_exact *exact); /* 0 */
void plumb_exact_clear(number_exact *exact);

/* exact = token; exact is initialised. PLUMB_ERR_SIZE over NUMBER_MAX_DIGITS digits. */
PLUMB_USE_RESULT plumb_status plumb_exact_from_token(const text_cursor *c, const number_token *token,
                                                     number_exact *exact, plumb_text_error *error);

/* The canonical expansion; PLUMB_ERR_RANGE when it is beyond the range of a double. */
PLUMB_USE_RESULT plumb_status plumb_exact_to_limbs(const number_exact *exact, int32_t prec, double *limbs);

/* Numbers whose digits must all be converted (rationals, exact values) have at most so many on either side: GMP ends
 * the program when memory runs out, so it must not come near. Decimals that are only rounded may have any length. */
enum { NUMBER_MAX_DIGITS = 10000000 };

/* n = the digits of a, then those of b, in base 10 or 16. PLUMB_ERR_SIZE, PLUMB_ERR_MEMORY. */
PLUMB_USE_RESULT plumb_status plumb_number_digits(mpz_t n, text_span a, text_span b, int base);

/* The value 0 to 15 of a hexadecimal digit, -1 of any other byte. */
static inline int number_digit(int byte)
{
    if (text_is_digit(byte))
        return byte - '0';
    int letter = byte | 0x20;
    return byte > 0 && letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

#endif
