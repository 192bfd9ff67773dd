/* exact_sum.c - see exact_sum.h. */
#include "base/number/exact_sum.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { WORD = 32, LEAST = -3296, FRACTION = DBL_MANT_DIG - 1 };

void exact_sum_clear(exact_sum *s)
{
    s->first = EXACT_SUM_WORDS;
    s->end = 0;
}

/* Extends the range of used words so that it contains first .. end - 1. */
static void widen(exact_sum *s, int first, int end)
{
    if (s->first > s->end) { /* nothing is used yet */
        s->first = s->end = first;
    }
    while (s->first > first)
        s->word[--s->first] = 0;
    while (s->end < end)
        s->word[s->end++] = 0;
}

/* |x| = m 2^*exponent with an integer m < 2^53. */
static uint64_t integer_of(double x, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int biased = (int)(bits >> FRACTION & 0x7ff);
    const uint64_t fraction = bits & ((UINT64_C(1) << FRACTION) - 1);
    *exponent = (biased > 0 ? biased : 1) + DBL_MIN_EXP - DBL_MANT_DIG - 1;
    return biased > 0 ? fraction | UINT64_C(1) << FRACTION : fraction;
}

/* The three words from `word` on += m 2^shift, or -= where mask is -1 instead of 0. */
static inline void add_words(int64_t *word, uint64_t m, int shift, int64_t mask)
{
    const wide shifted = (wide)m << shift;
    const uint64_t low = (uint64_t)shifted, high = (uint64_t)(shifted >> 64); /* below 2^31 */
    word[0] += ((int64_t)(uint32_t)low ^ mask) - mask;
    word[1] += ((int64_t)(low >> WORD) ^ mask) - mask;
    word[2] += ((int64_t)high ^ mask) - mask;
}

void exact_sum_add(exact_sum *s, double a, double b, int exponent)
{
    int a_exponent, b_exponent;
    const uint64_t m = integer_of(a, &a_exponent), n = integer_of(b, &b_exponent);
    const int64_t mask = signbit(a) == signbit(b) ? 0 : -1;
    const wide product = (wide)m * n;
    const int at = a_exponent + b_exponent + exponent - LEAST;
    if (product == 0)
        return;
    widen(s, at / WORD, at / WORD + 5); /* 106 bits, and up to 31 of the shift */
    int64_t *word = s->word + at / WORD;
    add_words(word, (uint64_t)product, at % WORD, mask);
    add_words(word + 2, (uint64_t)(product >> 64), at % WORD, mask);
}

/* Words from 0 to 2^32 - 1 except for the last one in use, which has the sign and is small. */
static void carry(exact_sum *s)
{
    int64_t over = 0;
    for (int k = s->first; k < s->end || over < -1 || over > 0; k++) {
        widen(s, k, k + 1);
        over += s->word[k];
        s->word[k] = over & (int64_t)UINT32_MAX;
        over = (over - s->word[k]) / (INT64_C(1) << WORD);
    }
    if (over < 0)
        s->word[s->end - 1] -= INT64_C(1) << WORD;
}

static void negate(exact_sum *s)
{
    for (int k = s->first; k < s->end; k++)
        s->word[k] = -s->word[k];
    carry(s);
}

double exact_sum_take(exact_sum *s, int *exponent)
{
    int skip = 0;
    *exponent = 0;
    if (s->first >= s->end)
        return 0.0;
    carry(s);
    const bool negative = s->word[s->end - 1] < 0;
    if (negative)
        negate(s);
    int top = s->end - 1;
    while (top > s->first && s->word[top] == 0)
        top--;
    s->end = top + 1;
    if (s->word[top] == 0) {
        exact_sum_clear(s);
        return 0.0;
    }
    wide leading = 0; /* the words top, top - 1 and top - 2 */
    for (int k = top; k > top - 3; k--)
        leading = leading << WORD | (uint64_t)(k >= s->first ? s->word[k] : 0);
    while (leading >> skip >= (UINT64_C(1) << DBL_MANT_DIG))
        skip++;
    int at = WORD * (top - 2) + skip; /* before the first word only where the bits are zero */
    uint64_t m = (uint64_t)(leading >> skip);
    for (; at < WORD * s->first; at++)
        m >>= 1;
    widen(s, at / WORD, at / WORD + 3);
    add_words(s->word + at / WORD, m, at % WORD, -1);
    const double fraction = frexp((double)m, exponent);
    *exponent += at + LEAST;
    if (!negative)
        return fraction;
    negate(s);
    return -fraction;
}
