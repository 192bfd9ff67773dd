/* fixed.c - conversion between exact integers in units of 2^-1076 and limbs. All steps are exact except the marked
 * floors. */
#include "text/number/fixed.h"

#include <math.h>
#include <string.h>

_Static_assert(sizeof(unsigned long) == sizeof(uint64_t), "mpz_set_ui must take a whole mantissa");

fixed_double plumb_fixed_split(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t exponent = bits >> 52 & 0x7ff, fraction = bits & (((uint64_t)1 << 52) - 1);
    fixed_double f = {.negative = bits >> 63 != 0};
    f.mantissa = exponent == 0 ? fraction : fraction | (uint64_t)1 << 52;
    f.shift = exponent == 0 ? 2 : exponent + 1; /* 2^-1074 is 2^2 units, for subnormals and the first normal binade */
    return f;
}

void plumb_fixed_add(mpz_t sum, double x, mpz_t scratch)
{
    fixed_double f = plumb_fixed_split(x);
    mpz_set_ui(scratch, f.mantissa);
    mpz_mul_2exp(scratch, scratch, f.shift);
    if (f.negative)
        mpz_sub(sum, sum, scratch);
    else
        mpz_add(sum, sum, scratch);
}

bool plumb_fixed_to_limbs(mpz_t x, bool negative, int32_t prec, double *limbs)
{
    mpz_t top;
    fixed_room room;
    fixed_init(top, &room);
    bool finite = true;
    for (int32_t i = 0; i < prec; i++) {
        size_t bits = mpz_sizeinbase(x, 2);
        mp_bitcnt_t shift = bits > 55 ? bits - 53 : 2;
        mpz_tdiv_q_2exp(top, x, shift);
        uint64_t mantissa = mpz_get_ui(top);
        bool half = mpz_tstbit(x, shift - 1);
        bool up = half && ((mantissa & 1) != 0 || mpz_scan1(x, 0) < shift - 1); /* ties to even */
        mpz_tdiv_r_2exp(x, x, shift);
        mantissa += up;
        double limb = ldexp((double)mantissa, (int)shift - FIXED_UNIT);
        limbs[i] = negative && (i == 0 || mantissa != 0) ? -limb : limb;
        finite = finite && isfinite(limb);
        if (up) { /* the remainder is x - 2^shift, with the opposite sign */
            mpz_set_ui(top, 1);
            mpz_mul_2exp(top, top, shift);
            mpz_sub(x, top, x);
            negative = !negative;
        }
    }
    return finite;
}

bool plumb_fixed_over_power10(mpz_t quotient, const mpz_t x, long exponent, mpz_t scratch)
{
    unsigned long power = (unsigned long)(exponent < 0 ? -exponent : exponent);
    mpz_ui_pow_ui(scratch, 5, power);
    if (exponent < 0) { /* x * 5^power * 2^(power - FIXED_UNIT) */
        mpz_mul(quotient, x, scratch);
        if (power >= FIXED_UNIT) {
            mpz_mul_2exp(quotient, quotient, power - FIXED_UNIT);
            return false;
        }
        bool inexact = mpz_sgn(quotient) != 0 && mpz_scan1(quotient, 0) < FIXED_UNIT - power;
        mpz_fdiv_q_2exp(quotient, quotient, FIXED_UNIT - power);
        return inexact;
    }
    mpz_mul_2exp(scratch, scratch, power + FIXED_UNIT);
    mpz_fdiv_qr(quotient, scratch, x, scratch);
    return mpz_sgn(scratch) != 0;
}

static void set_sticky(mpz_t x, bool sticky)
{
    if (sticky)
        mpz_setbit(x, 0);
}

void plumb_fixed_from_decimal(mpz_t x, const mpz_t n, long exponent, bool sticky)
{
    mpz_t power, rest;
    fixed_room power_room, rest_room;
    unsigned long k = (unsigned long)(exponent < 0 ? -exponent : exponent);
    fixed_init(power, &power_room);
    mpz_ui_pow_ui(power, 5, k);
    if (exponent >= 0) {
        mpz_mul(x, n, power);
        mpz_mul_2exp(x, x, k + FIXED_UNIT);
        set_sticky(x, sticky);
    } else {
        fixed_init(rest, &rest_room);
        mpz_mul_2exp(x, n, FIXED_UNIT - k); /* k <= FIXED_DECIMALS */
        mpz_tdiv_qr(x, rest, x, power);
        set_sticky(x, sticky || mpz_sgn(rest) != 0);
    }
}

void plumb_fixed_from_binary(mpz_t x, const mpz_t n, long exponent, bool sticky)
{
    long shift = exponent + FIXED_UNIT;
    if (shift >= 0) {
        mpz_mul_2exp(x, n, (mp_bitcnt_t)shift);
    } else {
        sticky = sticky || (mpz_sgn(n) != 0 && mpz_scan1(n, 0) < (mp_bitcnt_t)-shift);
        mpz_tdiv_q_2exp(x, n, (mp_bitcnt_t)-shift);
    }
    set_sticky(x, sticky);
}

bool plumb_fixed_from_ratio(mpz_t x, const mpz_t numerator, const mpz_t denominator)
{
    size_t top = mpz_sizeinbase(numerator, 2), bottom = mpz_sizeinbase(denominator, 2);
    if (top > bottom && top - bottom > 1025)
        return false;
    mpz_t rest;
    mpz_init(rest);
    mpz_mul_2exp(x, numerator, FIXED_UNIT);
    mpz_tdiv_qr(x, rest, x, denominator);
    mpz_abs(x, x);
    set_sticky(x, mpz_sgn(rest) != 0);
    mpz_clear(rest);
    return true;
}
