/* arith_cases.h - operands for tests of the arithmetic: random ones, and ones on which such arithmetic tends to fail.
 *
 * A case is a run of operands of one sort. All limbs are canonical. */
#ifndef PLUMB_ARITH_ARITH_CASES_H
#define PLUMB_ARITH_ARITH_CASES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/number/random.h"
#include "base/number/round.h"

enum arith_case {
    CASE_RANDOM, /* full limbs, moduli near 1 */
    CASE_CANCEL, /* y is -x but for something small at any level */
    CASE_TIES,   /* limbs at and next to half a unit, mantissas of ones and zeros: carries across limbs */
    CASE_FAR,    /* limbs far apart, or missing */
    CASE_WIDE,   /* exponents over the whole range: some results overflow or underflow */
    CASE_LARGE,  /* next to overflow */
    CASE_SMALL,  /* next to underflow */
    CASE_COUNT
};

static inline int arith_below(plumb_random *rng, int bound)
{
    return (int)plumb_random_below(rng, (uint64_t)bound);
}

static inline double arith_sign(plumb_random *rng)
{
    return plumb_random_next(rng) & 1 ? 1.0 : -1.0;
}

/* A mantissa in [1, 2): random, or a pattern that makes carries run. */
static inline double arith_mantissa(plumb_random *rng, int patterns)
{
    const uint64_t ones = ((uint64_t)1 << 52) - 1;
    uint64_t word = plumb_random_next(rng) >> 12;
    switch (patterns ? arith_below(rng, 8) : 7) {
    case 0:
        word = 0;
        break;
    case 1:
        word = ones;
        break;
    case 2:
        word = 1;
        break;
    case 3:
        word = ones - ((uint64_t)1 << arith_below(rng, 52));
        break;
    case 4:
        word = (uint64_t)1 << arith_below(rng, 52);
        break;
    case 5:
        word &= ~(((uint64_t)1 << arith_below(rng, 52)) - 1);
        break;
    default:
        break;
    }
    word |= (uint64_t)1023 << 52;
    double x;
    memcpy(&x, &word, sizeof x);
    return x;
}

/* Half a unit in the last place of x; 0 where that is too small to be a double. */
static inline double arith_half_ulp(double x)
{
    int exponent;
    if (x == 0.0)
        return 0.0;
    frexp(x, &exponent);
    return exponent - 54 < -1074 ? 0.0 : ldexp(1.0, exponent - 54);
}

/* One number of so many limbs, its leading one in [2^exponent, 2^(exponent+1)). */
static inline void arith_number(plumb_random *rng, enum arith_case sort, int limbs, int exponent, double *x)
{
    double raw[4];
    int patterns = sort == CASE_TIES || sort == CASE_FAR || sort == CASE_CANCEL;
    raw[0] = arith_sign(rng) * ldexp(arith_mantissa(rng, patterns), exponent);
    for (int i = 1; i < limbs; i++) {
        double most = arith_half_ulp(raw[i - 1]), sign = arith_sign(rng);
        int kind = patterns ? arith_below(rng, sort == CASE_FAR ? 4 : 8) : 7;
        switch (kind) {
        case 0:
            raw[i] = 0.0;
            break;
        case 1:
            raw[i] = sign * most * ldexp(arith_mantissa(rng, 1), -1 - arith_below(rng, 110));
            break;
        case 2:
            raw[i] = sign * most * ldexp(1.0, -arith_below(rng, 60));
            break;
        case 3:
            raw[i] = sign * most * ldexp(arith_mantissa(rng, 1), -1 - arith_below(rng, 3));
            break;
        case 4:
            raw[i] = sign * most;
            break;
        case 5:
            raw[i] = sign * most * (1.0 - 0x1p-53);
            break;
        default:
            raw[i] = sign * most * plumb_random_unit(rng);
            break;
        }
    }
    plumb_round_limbs(raw, limbs, x, limbs);
}

/* y = -x but for a number of about the size of limb `level` of x, or but for a few units in some limbs. */
static inline void arith_nearly_negative(plumb_random *rng, int limbs, int exponent, const double *x, double *y)
{
    double terms[8], small[4];
    for (int i = 0; i < limbs; i++)
        terms[i] = -x[i];
    if (arith_below(rng, 3) > 0) {
        int keep = 1 + arith_below(rng, limbs);
        arith_number(rng, CASE_TIES, limbs, exponent - 53 * arith_below(rng, limbs + 1) + arith_below(rng, 7) - 3,
                     small);
        for (int i = 0; i < limbs; i++)
            terms[limbs + i] = i < keep ? small[i] : 0.0;
    } else {
        for (int i = 0; i < limbs; i++)
            terms[limbs + i] =
                arith_below(rng, 2) ? 0.0 : arith_sign(rng) * 2.0 * arith_below(rng, 3) * arith_half_ulp(x[i]);
    }
    plumb_round_limbs(terms, 2 * limbs, y, limbs);
}

/* The operands x and y of one case. */
static inline void arith_pair(plumb_random *rng, enum arith_case sort, int limbs, double *x, double *y)
{
    int ex = arith_below(rng, 41) - 20, ey = arith_below(rng, 41) - 20;
    if (sort == CASE_WIDE) {
        ex = arith_below(rng, 2040) - 1020;
        ey = arith_below(rng, 2040) - 1020;
    } else if (sort == CASE_LARGE) {
        ex = arith_below(rng, 2) ? 1023 - arith_below(rng, 4) : arith_below(rng, 1020);
        ey = arith_below(rng, 2) ? ex - arith_below(rng, 3) : 1021 - ex + arith_below(rng, 3);
    } else if (sort == CASE_SMALL) {
        ex = -1074 + arith_below(rng, 300);
        ey = arith_below(rng, 2) ? ex + arith_below(rng, 3) : -1074 - ex + arith_below(rng, 280);
    } else if (sort == CASE_TIES) {
        ey = ex - arith_below(rng, 4);
    } else if (sort == CASE_FAR) {
        ey = ex - arith_below(rng, 260);
    }
    arith_number(rng, sort, limbs, ex, x);
    if (sort == CASE_CANCEL)
        arith_nearly_negative(rng, limbs, ex, x, y);
    else
        arith_number(rng, sort, limbs, ey, y);
    if (plumb_random_next(rng) & 1) {
        for (int i = 0; i < limbs; i++) {
            double swapped = x[i];
            x[i] = y[i];
            y[i] = swapped;
        }
    }
}

#endif
