/* modulus.c - see modulus.h. The square root of the rounded sum of squares is corrected by half of what was rounded away, divided by it:
 * one Newton step, whose residual is exact but for its last additions. */
#include "base/number/modulus.h"

#include <math.h>

/* 0 < less <= more, less is no smaller than 2^-60 more, and neither square overflows or loses bits by underflow. */
static double root_of_squares(double more, double less)
{
    const double p = more * more, q = less * less, sum = p + q;
    const double lost = fma(more, more, -p) + fma(less, less, -q) + (q - (sum - p)); /* each term is exact */
    const double root = sqrt(sum), rest = -fma(root, root, -sum);                    /* exact */
    return root + (rest + lost) / (2.0 * root);
}

double plumb_modulus(double re, double im)
{
    const double x = fabs(re), y = fabs(im);
    if (isinf(x) || isinf(y))
        return INFINITY;
    if (isnan(x) || isnan(y))
        return x + y;
    const double more = x < y ? y : x, less = x < y ? x : y;
    if (less < 0x1p-60 * more || more == 0.0)
        return more;
    if (more > 0x1p500)
        return 0x1p600 * root_of_squares(0x1p-600 * more, 0x1p-600 * less);
    if (less < 0x1p-400)
        return 0x1p-600 * root_of_squares(0x1p600 * more, 0x1p600 * less);
    return root_of_squares(more, less);
}
