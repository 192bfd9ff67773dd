/* round.c - see round.h.
 *
 * Invariant: the exact value of the limbs never changes, because every step is a two_sum. Sweeps from the last limb
 * up are repeated until adding any limb to the one above changes nothing. The first limb is then the double nearest
 * to the sum, with one exception: the second limb is exactly half a unit of the first, the tie was rounded to even,
 * and the third limb shows that it was not a tie. The same argument ends the exact sums of Shewchuk and Hettinger. */
#include "base/number/round.h"

#include <math.h>
#include <stdbool.h>

enum { MAX_LIMBS = 8 };

/* a + b = *sum + *error exactly, for any order of a and b (Knuth). Returns true if the two numbers changed. */
static bool two_sum(double *sum, double *error)
{
    double a = *sum, b = *error;
    double s = a + b;
    double b_part = s - a, a_part = s - b_part;
    *error = (a - a_part) + (b - b_part);
    *sum = s;
    return s != a;
}

static void settle(double *limbs, int count)
{
    /* Each sweep moves the value up by at least one limb, so count sweeps are enough; the bound only ensures that the
     * loop ends on any input. */
    for (int sweep = 0; sweep < 2 * MAX_LIMBS; sweep++) {
        bool changed = false;
        for (int i = count - 2; i >= 0; i--)
            changed |= two_sum(&limbs[i], &limbs[i + 1]);
        if (!changed)
            return;
    }
}

/* Makes limbs[0] the double nearest to the sum, and limbs[1..] the remainder. */
static void round_first(double *limbs, int count)
{
    settle(limbs, count);
    if (count < 3 || limbs[2] == 0.0 || signbit(limbs[1]) != signbit(limbs[2]))
        return;
    double twice = 2.0 * limbs[1]; /* exact */
    double up = limbs[0] + twice;
    if (up - limbs[0] == twice && isfinite(up)) { /* limbs[1] was half a unit, and the third limb points the same way */
        limbs[0] = up;
        limbs[1] = -limbs[1];
    }
}

void plumb_round_limbs(const double *from, int from_count, double *to, int count)
{
    double limbs[MAX_LIMBS] = {0};
    bool single = true; /* one limb followed by zeros: copied unchanged, to keep the sign of zero */
    for (int i = 0; i < from_count; i++) {
        limbs[i] = from[i];
        single &= i == 0 || from[i] == 0.0;
    }
    if (!single) {
        for (int i = 0; i < count; i++)
            round_first(limbs + i, from_count - i);
        single = !isfinite(limbs[0]); /* it was infinite or NaN, or rounding overflowed */
    }
    for (int i = 0; i < count; i++)
        to[i] = single ? from[i] : limbs[i];
}
