/* number.h - scans one real number in a larger text; it is rounded later.
 *
 * The scanner finds the parts of a number and leaves the cursor after it; it neither allocates nor rounds. A token
 * points into the text, so it is exact and lives as long as the text. It can be converted to limbs in any precision
 * (correctly rounded), or to a number_exact, which owns its value and outlives the text. Coefficients are kept in
 * this form until a precision is chosen. */
#ifndef PLUMB_TEXT_NUMBER_H
#define PLUMB_TEXT_NUMBER_H

#include <gmp.h>
#include <stdbool.h>

#include "text/cursor.h"

typedef enum number_kind {
    NUMBER_DECIMAL,  /* first.second * 10^exponent; integers too */
    NUMBER_RATIONAL, /* first / second, second not zero */
    NUMBER_HEX,      /* first.second in hexadecimal, * 2^exponent */
    NUMBER_LIST,     /* a list of limbs: [0x1.8p+1,0x1p-60] */
    NUMBER_INF,
    NUMBER_NAN
} number_kind;

/* Forms that a scan accepts in addition to unsigned integers and decimals. */
enum {
    NUMBER_WITH_SIGN = 1,  /* + or - immediately before the number */
    NUMBER_WITH_RATIO = 2, /* 1/3, also 1 / 3 */
    NUMBER_WITH_WORDS = 4, /* inf, infinity, nan in any case; not used where words are names */
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
    text_span text;          /* the whole number with its sign */
    text_span first, second; /* digits; either may be empty, not both */
    int64_t exponent;        /* clamped to +-10^17, because no text is long enough to compensate for more */
    int32_t limbs;           /* number of limbs of a list */
} number_token;

/* Scans one number at the cursor; which is a combination of NUMBER_WITH_... flags. On failure the cursor does not
 * move. */
PLUMB_USE_RESULT plumb_status plumb_number_scan(text_cursor *c, unsigned which, number_token *token,
                                                plumb_text_error *error);

/* Converts a token to the canonical expansion of its exact value; the limbs of a list are copied unchanged and padded
 * with zeros. Returns PLUMB_ERR_RANGE from about 1.8e308 on; below about 2.5e-324 the result is a zero of the same
 * sign. c is used for error messages. */
PLUMB_USE_RESULT plumb_status plumb_number_round(const text_cursor *c, const number_token *token, int32_t prec,
                                                 double *limbs, plumb_text_error *error);

/* An exact number, value * base^exponent, that owns its memory. The exponent is 0 unless multiplying the power out
 * would take far more memory than the text (1e-999999999); such a number is far outside the range of a double. */
typedef struct number_exact {
    number_kind kind; /* NUMBER_RATIONAL, NUMBER_INF or NUMBER_NAN */
    bool negative;    /* for the sign of zero and infinity */
    mpq_t value;      /* in lowest terms, signed; 0 unless NUMBER_RATIONAL */
    int64_t exponent;
    int32_t base; /* 10 or 2 */
} number_exact;

void plumb_exact_init(number_exact *exact); /* 0 */
void plumb_exact_clear(number_exact *exact);

/* Sets exact, which must be initialised, to the value of the token. Returns PLUMB_ERR_SIZE above NUMBER_MAX_DIGITS
 * digits. */
PLUMB_USE_RESULT plumb_status plumb_exact_from_token(const text_cursor *c, const number_token *token,
                                                     number_exact *exact, plumb_text_error *error);

/* Reads a whole text as one complex number, exactly, into initialised rationals. Returns PLUMB_ERR_PARSE (for inf
 * and nan too), PLUMB_ERR_RANGE for an extreme exponent (see above), or PLUMB_ERR_SIZE; error must not be NULL. */
PLUMB_USE_RESULT plumb_status plumb_complex_exact(const char *text, size_t length, mpq_t re, mpq_t im,
                                                  plumb_text_error *error);

/* The same for one real number; true: it is one. */
bool plumb_real_exact(const char *text, mpq_t value);

/* Computes the canonical expansion. Returns PLUMB_ERR_RANGE if the value is out of the range of a double. */
PLUMB_USE_RESULT plumb_status plumb_exact_to_limbs(const number_exact *exact, int32_t prec, double *limbs);

/* The maximum number of digits on either side of numbers whose digits must all be converted (rationals, exact
 * values). GMP terminates the program if memory is exhausted, so this limit keeps it far from that. Decimals that are
 * only rounded may have any length. */
enum { NUMBER_MAX_DIGITS = 10000000 };

/* Sets n to the digits of a followed by those of b, in base 10 or 16. Returns PLUMB_ERR_SIZE or PLUMB_ERR_MEMORY on
 * failure. */
PLUMB_USE_RESULT plumb_status plumb_number_digits(mpz_t n, text_span a, text_span b, int base);

/* Rounds a number with a relative error, of a solution, to the decimal digits of its precision, if its shortest decimal has many more: a limb
 * far below the last bit of the precision, or a zero in its place, says nothing, but takes hundreds of digits to write. Limbs that few digits
 * determine stay as they are, and so does a number whose error is smaller than these digits. */
void plumb_number_shorten(int32_t prec, double error, double *limbs);

/* The value 0 to 15 of a hexadecimal digit, or -1 for any other byte. */
static inline int number_digit(int byte)
{
    if (text_is_digit(byte))
        return byte - '0';
    int letter = byte | 0x20;
    return byte > 0 && letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

#endif
