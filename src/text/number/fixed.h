/* fixed.h - a real number as an integer count of units of 2^-1076, which is all that its limbs depend on.
 *
 * Doubles are multiples of 2^-1074, so the points where rounding to nearest changes its mind, halfway between two of
 * them, are multiples of 2^-1075: even counts of units. Limb after limb is subtracted exactly, so the same holds for
 * every remainder. It is therefore enough to know, for a real x, the largest count X <= x, with its last bit set when
 * x is not exactly X units (sticky): x and X then lie on the same side of, or exactly on, every point that matters.
 * With |x| < 2^1024 such a count has at most 2100 bits, so exact integers do what would else take trial precisions. */
#ifndef PLUMB_TEXT_NUMBER_FIXED_H
#define PLUMB_TEXT_NUMBER_FIXED_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    FIXED_UNIT = 1076,       /* the unit is 2^-FIXED_UNIT */
    FIXED_DECIMALS = 1076,   /* decimal places that even the unit does not exceed */
    FIXED_MAX_EXPONENT = 308 /* 10^308 < DBL_MAX < 10^309 */
};

/* A finite double as mantissa * 2^shift units, mantissa < 2^53, shift >= 2. */
typedef struct fixed_double {
    uint64_t mantissa;
    mp_bitcnt_t shift;
    bool negative;
} fixed_double;

fixed_double plumb_fixed_split(double x);

/* sum += x, exactly; x is finite. */
void plumb_fixed_add(mpz_t sum, double x, mpz_t scratch);

/* The canonical expansion of (negative ? -x : x), x >= 0; x is used up. Zero limbs are +0 but for the sign of a zero in
 * limb 0. False when x rounds to infinity (limbs are then undefined). */
bool plumb_fixed_to_limbs(mpz_t x, bool negative, int32_t prec, double *limbs);

/* The value scaled: quotient = floor(x units / 10^exponent); true when that is not exact. */
bool plumb_fixed_over_power10(mpz_t quotient, const mpz_t x, long exponent, mpz_t scratch);

/* x = n * 10^exponent in units, sticky when not exact or when asked. exponent >= -FIXED_DECIMALS. */
void plumb_fixed_from_decimal(mpz_t x, const mpz_t n, long exponent, bool sticky);

/* x = n * 2^exponent in units, likewise. */
void plumb_fixed_from_binary(mpz_t x, const mpz_t n, long exponent, bool sticky);

/* x = |numerator| / denominator in units, sticky when not exact; denominator > 0. False when the quotient is beyond
 * 2^1025 (nothing is computed then). */
bool plumb_fixed_from_ratio(mpz_t x, const mpz_t numerator, const mpz_t denominator);

#endif
