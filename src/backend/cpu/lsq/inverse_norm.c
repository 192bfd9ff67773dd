/* inverse_norm.c - the 1-norm of an inverse by a few solves: |A^-1 v| is climbed over the vectors v of 1-norm 1, following the
 * subgradient A^-H sign(A^-1 v); a vector of alternating signs guards against a bad start. Hager 1984, Higham 1988. */
#include "backend/cpu/lsq/inverse_norm.h"

#include <math.h>

#include "base/number/modulus.h"

static double modulus(double re, double im)
{
    return im == 0.0 ? fabs(re) : plumb_modulus(re, im);
}

static double sum_of(int64_t n, const double *re, const double *im)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        sum += modulus(re[i], im[i]);
    return sum;
}

static void make_signs(int64_t n, double *re, double *im)
{
    for (int64_t i = 0; i < n; i++) {
        const double size = modulus(re[i], im[i]);
        re[i] = size > 0.0 ? re[i] / size : 1.0;
        im[i] = size > 0.0 ? im[i] / size : 0.0;
    }
}

static int64_t largest_of(int64_t n, const double *re, const double *im)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++)
        if (modulus(re[i], im[i]) > modulus(re[best], im[best]))
            best = i;
    return best;
}

double plumb_inverse_norm(int64_t n, inverse_apply apply, const void *data, double *work)
{
    double *re = work, *im = work + n, estimate = 0.0;
    int64_t at = -1;
    for (int64_t i = 0; i < n; i++)
        re[i] = 1.0 / (double)n, im[i] = 0.0;
    for (int step = 0; step < 5; step++) {
        apply(data, 0, re, im);
        double norm = sum_of(n, re, im);
        if (!isfinite(norm))
            return INFINITY;
        if (norm <= estimate)
            break;
        estimate = norm;
        make_signs(n, re, im);
        apply(data, 1, re, im);
        int64_t next = largest_of(n, re, im);
        if (next == at)
            break;
        at = next;
        for (int64_t i = 0; i < n; i++)
            re[i] = i == at ? 1.0 : 0.0, im[i] = 0.0;
    }
    for (int64_t i = 0; i < n; i++)
        re[i] = (i % 2 ? -1.0 : 1.0) * (1.0 + (n > 1 ? (double)i / (double)(n - 1) : 0.0)), im[i] = 0.0;
    apply(data, 0, re, im);
    double other = 2.0 * sum_of(n, re, im) / (3.0 * (double)n);
    return !isfinite(other) ? INFINITY : fmax(estimate, other);
}
