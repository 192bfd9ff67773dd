/* system.h - the polynomial systems of plumb-bench eval: shared, so that plumb and its peers evaluate the same systems.
 *
 *   paper    n equations of 32 monomials of 5 unknowns each, exponents uniform in 1 .. 5, coefficients on the unit circle
 *            (the system of Verschelde and Yoffe, 2013, section 4)
 *   cyclic   cyclic n-roots: sums of products of consecutive unknowns
 *   katsura  n equations of products of two unknowns and one that is linear, in n + 1 unknowns
 *
 * Terms come equation by equation. Coefficients have four limbs per part; lower precisions take the first ones.
 * Compile with -ffp-contract=off. C11 and C++. */
#ifndef PLUMB_BENCH_EVAL_SYSTEM_H
#define PLUMB_BENCH_EVAL_SYSTEM_H

#include <stddef.h>
#include <string.h>

#include "bench/lsq/matrix.h"

enum { EVAL_TERMS = 32, EVAL_FACTORS = 5, EVAL_EXPONENT = 5, EVAL_MOST = 256 };

typedef struct bench_eval_term {
    int64_t equation;
    int count;
    int unknown[EVAL_MOST], exponent[EVAL_MOST]; /* unknowns ascending */
    double coefficient[8];                       /* limbs of the real part, then of the imaginary part */
} bench_eval_term;

typedef void (*bench_eval_found)(void *data, const bench_eval_term *term);

/* The number of equations and unknowns of the system with that name, or 0 for an unknown name or size. */
static inline int64_t bench_eval_size(const char *name, int64_t n)
{
    if (n < (strcmp(name, "paper") == 0 ? EVAL_FACTORS : 2) || n >= EVAL_MOST + (strcmp(name, "paper") == 0))
        return 0;
    if (strcmp(name, "paper") == 0 || strcmp(name, "cyclic") == 0)
        return n;
    return strcmp(name, "katsura") == 0 ? n + 1 : 0;
}

static inline void bench_eval_paper(uint64_t seed, int64_t n, bench_eval_found found, void *data)
{
    uint64_t state = seed;
    bench_eval_term t;
    for (t.equation = 0; t.equation < n; t.equation++)
        for (int k = 0; k < EVAL_TERMS; k++) {
            t.count = 0;
            while (t.count < EVAL_FACTORS) { /* distinct unknowns in ascending order */
                int v = (int)(bench_random(&state) % (uint64_t)n), at = t.count;
                int known = 0;
                for (int j = 0; j < t.count; j++)
                    known |= t.unknown[j] == v;
                if (known)
                    continue;
                for (; at > 0 && t.unknown[at - 1] > v; at--)
                    t.unknown[at] = t.unknown[at - 1];
                t.unknown[at] = v;
                t.exponent[t.count++] = 1 + (int)(bench_random(&state) % EVAL_EXPONENT);
            }
            bench_lsq_matrix(bench_random(&state), 1, 1, 4, 2, t.coefficient);
            found(data, &t);
        }
}

static inline void bench_eval_cyclic(int64_t n, bench_eval_found found, void *data)
{
    bench_eval_term t;
    memset(t.coefficient, 0, sizeof t.coefficient);
    for (t.equation = 0; t.equation < n; t.equation++) {
        int size = (int)t.equation + 1;
        t.coefficient[0] = 1;
        for (int first = 0; first < (size == (int)n ? 1 : (int)n); first++) {
            t.count = 0;
            for (int v = 0; v < (int)n; v++)
                if ((v - first + (int)n) % (int)n < size) {
                    t.unknown[t.count] = v;
                    t.exponent[t.count++] = 1;
                }
            found(data, &t);
        }
        if (size == (int)n) {
            t.count = 0;
            t.coefficient[0] = -1;
            found(data, &t);
        }
    }
}

/* c u_a u_b, or c u_a for b = a with exponent 1, or the constant c for a = -1. */
static inline void bench_eval_quadratic(bench_eval_term *t, double c, int a, int b, int exponent)
{
    t->count = a < 0 ? 0 : a == b ? 1 : 2;
    t->unknown[0] = a;
    t->unknown[1] = b;
    t->exponent[0] = a == b ? exponent : 1;
    t->exponent[1] = 1;
    t->coefficient[0] = c;
}

static inline void bench_eval_katsura(int64_t n, bench_eval_found found, void *data)
{
    bench_eval_term t;
    int most = (int)n;
    memset(t.coefficient, 0, sizeof t.coefficient);
    for (t.equation = 0; t.equation < n; t.equation++) {
        int k = (int)t.equation;
        for (int a = 0; a <= most; a++)
            for (int b = a; b <= most; b++) {
                double times = 0; /* how often |l| and |k - l| are a and b in either order */
                for (int l = -most; l <= most; l++) {
                    int x = l < 0 ? -l : l, y = k - l < 0 ? l - k : k - l;
                    times += (x == a && y == b) || (x == b && y == a);
                }
                if (times > 0) {
                    bench_eval_quadratic(&t, times, a, b, 2);
                    found(data, &t);
                }
            }
        bench_eval_quadratic(&t, -1, k, k, 1);
        found(data, &t);
    }
    for (int a = 0; a <= most; a++) {
        bench_eval_quadratic(&t, a == 0 ? 1 : 2, a, a, 1);
        found(data, &t);
    }
    bench_eval_quadratic(&t, -1, -1, -1, 1);
    found(data, &t);
}

static inline void bench_eval_terms(const char *name, int64_t n, uint64_t seed, bench_eval_found found, void *data)
{
    if (strcmp(name, "paper") == 0)
        bench_eval_paper(seed, n, found, data);
    else if (strcmp(name, "cyclic") == 0)
        bench_eval_cyclic(n, found, data);
    else
        bench_eval_katsura(n, found, data);
}

/* A point on the unit circle in every unknown, interleaved; every precision has the first limbs of the same numbers. */
static inline void bench_eval_point(uint64_t seed, int64_t unknowns, int limbs, double *point)
{
    for (int64_t v = 0; v < unknowns; v++, point += (ptrdiff_t)2 * limbs) {
        double z[8];
        bench_lsq_matrix(seed + 1000 + (uint64_t)v, 1, 1, 4, 2, z);
        for (int c = 0; c < limbs; c++) {
            point[c] = z[c];
            point[limbs + c] = z[4 + c];
        }
    }
}

/* The next point differs from the first one by this fraction of the last result, in one leading limb: each evaluation depends
 * on the last one, at practically the same point. */
static const double bench_eval_pull = 0x1p-60;

#endif
