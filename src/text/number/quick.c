/* quick.c - see quick.h.
 *
 * The reals that read as x = m 2^e, 2^52 <= m < 2^53, are those from (m - 1/2) 2^e to (m + 1/2) 2^e; below a power of two the gap is
 * half as long. The ends belong to them if m is even. In units of 10^-q, where x has 19 digits before the point, these
 * are at least 111 integers, so the largest power of ten with a multiple among them is at least one of ten. */
#include "text/number/quick.h"

#include <stdint.h>

#include "text/number/fixed.h"

__extension__ typedef unsigned __int128 wide;

enum { FIFTH = 27, MOST_SCALE = 2 * FIFTH };

/* All powers of 5 below 2^63. */
static const uint64_t powers_of_5[FIFTH + 1] = {1,
                                                5,
                                                25,
                                                125,
                                                625,
                                                3125,
                                                15625,
                                                78125,
                                                390625,
                                                1953125,
                                                9765625,
                                                48828125,
                                                244140625,
                                                1220703125,
                                                6103515625,
                                                30517578125,
                                                152587890625,
                                                762939453125,
                                                3814697265625,
                                                19073486328125,
                                                95367431640625,
                                                476837158203125,
                                                2384185791015625,
                                                11920928955078125,
                                                59604644775390625,
                                                298023223876953125,
                                                1490116119384765625,
                                                7450580596923828125};

/* floor(n 5^q / 2^s), and whether something was cut off. Returns false if the result has more than 64 bits. n < 2^56, 0 <= q <= MOST_SCALE,
 * 0 <= s < 192. */
static bool scale(uint64_t n, const uint64_t five[2], int s, uint64_t *result, bool *inexact)
{
    const wide first = (wide)n * five[0]; /* below 2^119 */
    const wide low = (wide)(uint64_t)first * five[1], high = (first >> 64) * five[1] + (low >> 64);
    const uint64_t word[4] = {(uint64_t)low, (uint64_t)high, (uint64_t)(high >> 64), 0};
    const int at = s / 64, bit = s % 64;
    *result = word[at] >> bit | (bit > 0 ? word[at + 1] << (64 - bit) : 0);
    uint64_t rest = bit > 0 ? word[at] << (64 - bit) : 0, above = bit > 0 ? word[at + 1] >> bit : word[at + 1];
    for (int k = 0; k < at; k++)
        rest |= word[k];
    for (int k = at + 2; k < 4; k++)
        above |= word[k];
    *inexact = rest != 0;
    return above == 0;
}

/* Writes the digits of n without the zeros at their end. */
static void set_digits(uint64_t n, long place, char digits[QUICK_DIGITS], long *count, long *point)
{
    char reversed[QUICK_DIGITS];
    long length = 0, zeros = 0;
    for (; n > 0; n /= 10)
        reversed[length++] = (char)('0' + n % 10);
    while (zeros < length - 1 && reversed[zeros] == '0')
        zeros++;
    *count = length - zeros;
    *point = length + place;
    for (long k = 0; k < *count; k++)
        digits[k] = reversed[length - 1 - k];
}

bool plumb_quick_shortest(double x, char digits[QUICK_DIGITS], long *count, long *point)
{
    if (!(x >= 1e-35 && x < 1e15))
        return false;
    const uint64_t least = 1000000000000000000, most = 10 * least; /* 19 digits */
    const fixed_double f = plumb_fixed_split(x);
    const int e = (int)f.shift - FIXED_UNIT;
    int q = 18 - (((e + 52) * 78913) >> 18); /* 10^(18 - q) <= 2^(e + 52); or one less */
    uint64_t five[2], value = 0, below = 0, above = 0;
    bool sticky = false, inexact = false;
    for (int attempt = 0; attempt < 2; attempt++, q--) {
        if (q < 0 || q > MOST_SCALE || 2 - e - q < 0)
            return false;
        five[0] = powers_of_5[q < FIFTH ? q : FIFTH];
        five[1] = powers_of_5[q < FIFTH ? 0 : q - FIFTH];
        if (scale(4 * f.mantissa, five, 2 - e - q, &value, &sticky) && value < most)
            break;
    }
    const int s = 2 - e - q;
    const bool open = f.mantissa % 2 != 0, shorter = f.mantissa == UINT64_C(1) << 52;
    if (value < least || value >= most || s < 0 || !scale(4 * f.mantissa + 2, five, s, &above, &inexact))
        return false;
    above -= open && !inexact; /* the last integer that reads as x */
    if (!scale(4 * f.mantissa - (shorter ? 1 : 2), five, s, &below, &inexact))
        return false;
    below -= !open && !inexact; /* the last integer before those */
    long place = 0;
    unsigned last = 0; /* the last digit that was dropped; sticky: something follows it */
    for (; above / 10 != below / 10; above /= 10, below /= 10, value /= 10, place++) {
        sticky = sticky || last != 0;
        last = (unsigned)(value % 10);
    }
    const bool down_is_in = value != below, up_is_in = value != above;
    const bool nearer = last > 5 || (last == 5 && (sticky || value % 2 != 0)); /* ties to even */
    set_digits(value + (down_is_in && up_is_in ? nearer : up_is_in), place - q, digits, count, point);
    return true;
}
