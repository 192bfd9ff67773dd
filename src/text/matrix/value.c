/* value.c - see value.h.
 *
 * A decimal is n * 10^e = n * 5^e * 2^e. For e >= 0 the integer is n * 5^e; for e < 0 it is the quotient of a shifted
 * n by 5^-e, with its last bit set if there is a remainder (sticky). The limbs are taken from the front of that
 * integer, each rounded to nearest, ties to even. This is correct as long as the sticky bit lies below the half unit
 * of every limb; otherwise, which is rare, the number is converted by plumb_number_round. No exponent comes near the
 * limits of the range of a double. */
#include "text/matrix/value.h"

#include <math.h>
#include <string.h>

#include "text/number/fixed.h"
#include "text/number/write.h"

enum {
    WORD_BITS = 64,
    CHUNK = 19,                        /* digits in a word: 10^19 < 2^64 */
    MOST_DIGITS = VALUE_WORDS * CHUNK, /* 10^76 < 2^253 */
    SPARE_WORDS = 2, /* words of a quotient beyond one per limb: one may be empty, one makes the slow case rare */
    WIDE_WORDS = 2 * (VALUE_WORDS + SPARE_WORDS),
    MANTISSA = 53
};
_Static_assert(GMP_NUMB_BITS == (int)WORD_BITS && sizeof(mp_limb_t) == sizeof(uint64_t), "words of GMP have 64 bits");

/* A positive integer of `words` words, the last of them not zero, times 2^exponent. */
typedef struct wide {
    mp_limb_t at[WIDE_WORDS];
    int words;
    int exponent;
    bool sticky;
} wide;

void plumb_value_init(value_powers *powers)
{
    memset(powers, 0, sizeof *powers);
    powers->five[0][0] = 1;
    powers->words[0] = 1;
    for (int k = 1; k < VALUE_POWERS; k++) {
        mp_limb_t carry = mpn_mul_1(powers->five[k], powers->five[k - 1], powers->words[k - 1], 5);
        powers->words[k] = powers->words[k - 1];
        if (carry != 0)
            powers->five[k][powers->words[k]++] = carry;
    }
}

static void trim(wide *x)
{
    while (x->words > 0 && x->at[x->words - 1] == 0)
        x->words--;
}

/* x = x * 10^count + the digits at `at`, one chunk at a time. */
static void append_digits(wide *x, const char *at, size_t count)
{
    for (size_t done = 0; done < count;) {
        size_t chunk = count - done < CHUNK ? count - done : CHUNK;
        mp_limb_t carry = 0, power = 1;
        for (size_t i = 0; i < chunk; i++) {
            carry = 10 * carry + (mp_limb_t)(at[done + i] - '0');
            power *= 10;
        }
        for (int w = 0; w < x->words; w++) {
            unsigned __int128 product = (unsigned __int128)x->at[w] * power + carry;
            x->at[w] = (mp_limb_t)product;
            carry = (mp_limb_t)(product >> WORD_BITS);
        }
        if (carry != 0)
            x->at[x->words++] = carry;
        done += chunk;
    }
}

/* x = x * 10^e, with slightly more than prec limbs; x is not zero and has at most VALUE_WORDS words. */
static void scale(wide *x, const value_powers *powers, int e, int32_t prec)
{
    int k = e < 0 ? -e : e, n = powers->words[k];
    const mp_limb_t *five = powers->five[k];
    x->exponent = e;
    if (k == 0)
        return;
    if (e > 0) {
        mp_limb_t product[2 * VALUE_WORDS];
        if (x->words >= n)
            mpn_mul(product, x->at, x->words, five, n);
        else
            mpn_mul(product, five, n, x->at, x->words);
        x->words += n;
        memcpy(x->at, product, (size_t)x->words * sizeof *product);
    } else {
        int shift = prec + SPARE_WORDS - 1 + n - x->words; /* then the quotient has prec + SPARE_WORDS, or one less */
        if (shift < 0)
            shift = 0;
        int words = x->words + shift;
        mp_limb_t shifted[WIDE_WORDS] = {0}, rest[VALUE_WORDS];
        memcpy(shifted + shift, x->at, (size_t)x->words * sizeof *shifted);
        mpn_tdiv_qr(x->at, rest, 0, shifted, words, five, n);
        x->words = words - n + 1;
        x->exponent -= shift * WORD_BITS;
        for (int w = 0; w < n; w++)
            x->sticky = x->sticky || rest[w] != 0;
        x->at[0] |= x->sticky;
    }
    trim(x);
}

static bool bit(const wide *x, int i)
{
    return (x->at[i / WORD_BITS] >> i % WORD_BITS & 1) != 0;
}

static bool any_below(const wide *x, int i)
{
    for (int w = 0; w < i / WORD_BITS; w++)
        if (x->at[w] != 0)
            return true;
    return i % WORD_BITS > 0 && x->at[i / WORD_BITS] << (WORD_BITS - i % WORD_BITS) != 0;
}

/* x = x mod 2^bits, or 2^bits minus that. */
static void keep_below(wide *x, int bits, bool complement)
{
    int last = bits / WORD_BITS; /* the word with bit number `bits` in it, which x has */
    x->words = last + 1;
    if (complement) { /* two's complement: invert all bits and add one */
        mp_limb_t carry = 1;
        for (int w = 0; w <= last; w++) {
            x->at[w] = ~x->at[w] + carry;
            carry = carry && x->at[w] == 0;
        }
    }
    x->at[last] &= ((mp_limb_t)1 << bits % WORD_BITS) - 1;
    trim(x);
}

/* Removes from x the double nearest to it. Returns false if the sticky bit is not below the half unit. */
static bool take_limb(wide *x, bool *negative, double *limb)
{
    *limb = 0;
    if (x->words == 0)
        return true;
    int bits = x->words * WORD_BITS - __builtin_clzll(x->at[x->words - 1]), shift = bits - MANTISSA;
    if (x->sticky && shift < 2)
        return false;
    bool up = false;
    if (shift <= 0) { /* x has one word and is exactly a double */
        *limb = ldexp((double)x->at[0], x->exponent);
        x->words = 0;
    } else {
        int word = shift / WORD_BITS, low = shift % WORD_BITS;
        uint64_t mantissa = x->at[word] >> low;
        if (word + 1 < x->words)
            mantissa |= x->at[word + 1] << 1 << (WORD_BITS - 1 - low);
        up = bit(x, shift - 1) && ((mantissa & 1) != 0 || any_below(x, shift - 1));
        *limb = ldexp((double)(mantissa + up), x->exponent + shift);
        keep_below(x, shift, up);
    }
    if (*negative)
        *limb = -*limb;
    *negative ^= up; /* rounded up: the remainder has the opposite sign */
    return true;
}

/* Returns false if the number is not a short decimal, or too close to a rounding boundary. */
static bool round_short(const value_powers *powers, const number_token *token, int32_t prec, double *limbs, bool *exact)
{
    text_span first = token->first, second = token->second;
    while (first.length > 0 && *first.at == '0') {
        first.at++;
        first.length--;
    }
    if (token->kind != NUMBER_DECIMAL || first.length + second.length > MOST_DIGITS ||
        token->exponent >= VALUE_POWERS || token->exponent < -VALUE_POWERS)
        return false;
    wide x = {.words = 0};
    append_digits(&x, first.at, first.length);
    append_digits(&x, second.at, second.length);
    bool negative = token->negative;
    int e = (int)token->exponent - (int)second.length;
    if (x.words == 0) {
        limbs[0] = negative ? -0.0 : 0.0;
        for (int32_t i = 1; i < prec; i++)
            limbs[i] = 0;
        return true;
    }
    if (e >= VALUE_POWERS || e <= -VALUE_POWERS)
        return false;
    scale(&x, powers, e, prec);
    for (int32_t i = 0; i < prec; i++)
        if (!take_limb(&x, &negative, &limbs[i]))
            return false;
    *exact = *exact && x.words == 0; /* a sticky bit counts as a remainder */
    return true;
}

/* True if the sum of the limbs is certainly the exact value of the token; a text of tens of millions of digits counts
 * as rounded. */
static bool is_sum(const text_cursor *c, const number_token *token, int32_t prec, const double *limbs)
{
    number_exact value;
    mpz_t scratch;
    mpq_t sum;
    plumb_exact_init(&value);
    mpz_init(scratch);
    mpq_init(sum);
    for (int32_t i = 0; i < prec; i++)
        plumb_fixed_add(mpq_numref(sum), limbs[i], scratch);
    mpq_div_2exp(sum, sum, FIXED_UNIT);
    bool same = plumb_exact_from_token(c, token, &value, NULL) == PLUMB_OK && value.exponent == 0 &&
                mpq_equal(sum, value.value);
    mpq_clear(sum);
    mpz_clear(scratch);
    plumb_exact_clear(&value);
    return same;
}

plumb_status plumb_value_round(const value_powers *powers, const text_cursor *c, const number_token *token,
                               int32_t prec, double *limbs, bool *exact, plumb_text_error *error)
{
    if (round_short(powers, token, prec, limbs, exact))
        return PLUMB_OK;
    double more[TEXT_MAX_LIMBS + 1];
    plumb_status status = plumb_number_round(c, token, prec + 1, more, error);
    if (status != PLUMB_OK)
        return status;
    memcpy(limbs, more, (size_t)prec * sizeof *limbs);
    if (*exact && isfinite(limbs[0]))
        *exact = more[prec] == 0 && is_sum(c, token, prec, limbs);
    return PLUMB_OK;
}
