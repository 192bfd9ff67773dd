/* matrix.h - the least-squares problems of the benchmark: shared, so that plumb and its peers solve the same.
 *
 * A seed gives an m x n matrix with entries e^(i theta), theta uniform, the way of the paper (Verschelde and Yoffe,
 * 2013); a real matrix holds the real parts. Leading limbs lie on the circle as well as doubles can; further limbs are
 * random within half a unit in the last place of the one before, so that every limb is at work. b is A times a vector
 * of ones, its rows summed beyond the precision and rounded: the solution is all ones, up to the rounding of b.
 *
 * Numbers are interleaved (plumb_pack takes them to planes): entry (i, j) is its limbs, the real part's first, from
 * (i + j*m) * parts * limbs on. Compile with -ffp-contract=off. C11 and C++. */
#ifndef PLUMB_BENCH_LSQ_MATRIX_H
#define PLUMB_BENCH_LSQ_MATRIX_H

#include "app/sample.h"

enum { BENCH_SUM = 6 }; /* doubles of a sum that is to be rounded to 4 */

/* The limbs below limbs[0]. */
static inline void bench_lsq_lower_limbs(uint64_t *state, int limbs, double *out)
{
    for (int k = 1; k < limbs; k++) {
        int exponent;
        frexp(out[k - 1], &exponent);
        double part = 2.0 * bench_uniform(state) - 1.0;
        out[k] = out[k - 1] == 0.0 ? 0.0 : ldexp(part, exponent - 54);
    }
}

/* a receives m * n * parts * limbs doubles. */
static inline void bench_lsq_matrix(uint64_t seed, int64_t m, int64_t n, int limbs, int parts, double *a)
{
    uint64_t state = seed;
    for (int64_t e = 0; e < m * n; e++, a += parts * limbs) {
        double theta = 2.0 * 3.14159265358979323846 * bench_uniform(&state);
        a[0] = cos(theta);
        bench_lsq_lower_limbs(&state, limbs, a);
        if (parts == 2) {
            a[limbs] = sin(theta);
            bench_lsq_lower_limbs(&state, limbs, a + limbs);
        }
    }
}

/* big becomes the rounded sum of the two; the exact error is returned. */
static inline double bench_two_sum(double *big, double x)
{
    double a = *big, s = a + x, t = s - a;
    *big = s;
    return (a - (s - t)) + (x - t);
}

/* b receives m * parts * limbs doubles: the sums of a's rows. */
static inline void bench_lsq_ones(int64_t m, int64_t n, int limbs, int parts, const double *a, double *b)
{
    int64_t width = parts * limbs;
    for (int64_t i = 0; i < m; i++)
        for (int part = 0; part < parts; part++) {
            double sum[BENCH_SUM] = {0};
            for (int64_t j = 0; j < n; j++)
                for (int k = 0; k < limbs; k++) {
                    double rest = a[(i + j * m) * width + part * limbs + k];
                    for (int level = 0; level < BENCH_SUM; level++)
                        rest = bench_two_sum(&sum[level], rest);
                }
            for (int pass = 1; pass < BENCH_SUM; pass++) /* each pass settles at least one limb */
                for (int level = BENCH_SUM - 1; level > 0; level--)
                    sum[level] = bench_two_sum(&sum[level - 1], sum[level]);
            for (int k = 0; k < limbs; k++)
                b[i * width + part * limbs + k] = sum[k];
        }
}

#endif
