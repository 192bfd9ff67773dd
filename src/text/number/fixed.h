/* fixed.h - a real number as an integer multiple of 2^-1076, which determines its limbs.
 *
 * Doubles are multiples of 2^-1074, so the boundaries of rounding to nearest, halfway between two of them, are
 * multiples of 2^-1075: even multiples of the unit. Limb after limb is subtracted exactly, so the same holds for
 * every remainder. For a real x it is therefore enough to know the largest integer X with X units <= x, with its last
 * bit set if x is not exactly X units (sticky): x and X then lie on the same side of, or exactly on, every boundary.
 * For |x| < 2^1024, X has at most 2100 bits, so exact integers suffice and no trial precisions are needed. */
#ifndef PLUMB_TEXT_NUMBER_FIXED_H
#define PLUMB_TEXT_NUMBER_FIXED_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    FIXED_UNIT = 1076,       /* the unit is 2^-FIXED_UNIT */
    FIXED_DECIMALS = 1076,   /* number of decimal places of the unit */
    FIXED_MAX_EXPONENT = 308 /* 10^308 < DBL_MAX < 10^309 */
};

/* Memory for one integer of the functions below, which GMP uses in place of its own: no operand of theirs, except the
 * parts of a ratio, exceeds 6000 bits, and with room for the results GMP allocates nothing. */
enum { FIXED_LIMBS = 160 };
typedef struct fixed_room {
    mp_limb_t limbs[FIXED_LIMBS];
} fixed_room;

/* Makes z an integer, 0, in that room. It must not be cleared. */
static inline void fixed_init(mpz_t z, fixed_room *room)
{
    z->_mp_alloc = FIXED_LIMBS;
    z->_mp_size = 0;
    z->_mp_d = room->limbs;
}

/* A finite double as mantissa * 2^shift units, mantissa < 2^53, shift >= 2. */
typedef struct fixed_double {
    uint64_t mantissa;
    mp_bitcnt_t shift;
    bool negative;
} fixed_double;

fixed_double plumb_fixed_split(double x);

/* sum += x, exactly; x must be finite. */
void plumb_fixed_add(mpz_t sum, double x, mpz_t scratch);

/* Computes the canonical expansion of (negative ? -x : x) for x >= 0; x is overwritten. Zero limbs are +0, except
 * that limb 0 keeps the sign of a zero. Returns false if x rounds to infinity; the limbs are then undefined. */
bool plumb_fixed_to_limbs(mpz_t x, bool negative, int32_t prec, double *limbs);

/* Sets quotient to floor(x units / 10^exponent). Returns true if that is not exact. */
bool plumb_fixed_over_power10(mpz_t quotient, const mpz_t x, long exponent, mpz_t scratch);

/* Sets x to n * 10^exponent in units, sticky if that is not exact or if requested. exponent >= -FIXED_DECIMALS. */
void plumb_fixed_from_decimal(mpz_t x, const mpz_t n, long exponent, bool sticky);

/* Sets x to n * 2^exponent in units, likewise. */
void plumb_fixed_from_binary(mpz_t x, const mpz_t n, long exponent, bool sticky);

/* Sets x, an integer of GMP's own memory, to |numerator| / denominator in units, sticky if that is not exact;
 * denominator > 0. Returns false, without computing anything, if the quotient exceeds 2^1025. The caller has reserved
 * memory for the operands. */
bool plumb_fixed_from_ratio(mpz_t x, const mpz_t numerator, const mpz_t denominator);

#endif
