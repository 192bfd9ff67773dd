/* nearby.c - see nearby.h. */
#include "solver/mp/univariate/nearby.h"

#include <stdbool.h>
#include <stdlib.h>

enum { MOST_SWEEPS = 120 };

/* ---- Values -------------------------------------------------------------------------------------------------------- */

static wide to_power(wide z, int64_t exponent)
{
    wide result = {1.0, 0.0, 0};
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            result = wide_mul(result, z);
        if (exponent > 1)
            z = wide_mul(z, z);
    }
    return result;
}

/* Horner's rule from term to term, with powers where exponents are missing. */
wide_value wide_eval(const wide_poly *p, wide z)
{
    const wide modulus = wide_abs(z);
    wide_value v = {p->c[0], wide_make(0.0, 0.0, 0), wide_abs(p->c[0])};
    for (int64_t k = 1; k < p->terms; k++) {
        const int64_t gap = p->exponent[k - 1] - p->exponent[k];
        const wide by = {(double)gap, 0.0, 0};
        v.slope = wide_add(wide_mul(v.slope, z), gap > 1 ? wide_mul(v.p, by) : v.p);
        v.p = wide_mul(v.p, z);
        v.sum = wide_mul(v.sum, modulus);
        if (gap > 1) {
            const wide rest = to_power(z, gap - 1);
            v.slope = wide_mul(v.slope, rest);
            v.p = wide_mul(v.p, rest);
            v.sum = wide_mul(v.sum, wide_abs(rest));
        }
        v.p = wide_add(v.p, p->c[k]);
        v.sum = wide_add(v.sum, wide_abs(p->c[k]));
    }
    return v;
}

wide wide_sum(const wide_poly *p, wide z)
{
    const wide modulus = wide_abs(z);
    wide sum = wide_abs(p->c[0]);
    for (int64_t k = 1; k < p->terms; k++)
        sum = wide_add(wide_mul(sum, to_power(modulus, p->exponent[k - 1] - p->exponent[k])), wide_abs(p->c[k]));
    return sum;
}

/* The correction p / (slope - p * others), where others is the sum of 1 / (z - z_j) over the other roots; zero if there is none. */
static wide correction(const wide_value *at, wide others)
{
    const wide below = wide_sub(at->slope, wide_mul(at->p, others));
    return wide_is_zero(below) ? below : wide_mul(at->p, wide_inverse(below));
}

/* ---- Starting points ----------------------------------------------------------------------------------------------- */

/* The vertices of the upper convex hull of (exponent, log2 |c|), as numbers of terms, higher exponents first. Returns how many. */
static int64_t find_hull(const wide_poly *p, int64_t *vertex)
{
    int64_t count = 0;
    for (int64_t k = 0; k < p->terms; k++) {
        const double y = wide_log2(p->c[k]);
        for (; count > 1; count--) {
            const int64_t last = vertex[count - 1], before = vertex[count - 2];
            const double all = (double)(p->exponent[before] - p->exponent[k]);
            const double part = (double)(p->exponent[before] - p->exponent[last]);
            const double from = wide_log2(p->c[before]);
            if (wide_log2(p->c[last]) - from > (y - from) * part / all)
                break;
        }
        vertex[count++] = k;
    }
    return count;
}

/* Points on a circle of radius 2^size; first: the number of points that there are already. sin and cos of MPFR are the same everywhere. */
static void place_on_circle(double size, int64_t count, int64_t first, int64_t all, wide *z)
{
    mpfr_t angle, turn, s, c;
    const double whole = floor(size), radius = exp2(size - whole);
    mpfr_inits2(64, angle, turn, s, c, (mpfr_ptr)0);
    mpfr_const_pi(turn, MPFR_RNDN);
    mpfr_mul_ui(turn, turn, 2, MPFR_RNDN);
    for (int64_t k = 0; k < count; k++) {
        const double part = (double)k / (double)count + (double)first / (double)all;
        mpfr_mul_d(angle, turn, part, MPFR_RNDN);
        mpfr_add_d(angle, angle, 0.7, MPFR_RNDN); /* not on an axis, by which real polynomials are symmetric */
        mpfr_sin_cos(s, c, angle, MPFR_RNDN);
        z[k] = wide_make(radius * mpfr_get_d(c, MPFR_RNDN), radius * mpfr_get_d(s, MPFR_RNDN), (int64_t)whole);
    }
    mpfr_clears(angle, turn, s, c, (mpfr_ptr)0);
}

plumb_status wide_starts(const wide_poly *p, wide *z)
{
    int64_t *vertex = calloc((size_t)p->terms + 1, sizeof *vertex), first = 0;
    if (!vertex)
        return PLUMB_ERR_MEMORY;
    const int64_t count = find_hull(p, vertex);
    for (int64_t k = 1; k < count; k++) {
        const int64_t above = vertex[k - 1], below = vertex[k], edge = p->exponent[above] - p->exponent[below];
        const double size = (wide_log2(p->c[below]) - wide_log2(p->c[above])) / (double)edge;
        place_on_circle(size, edge, first, p->n, z + first);
        first += edge;
    }
    free(vertex);
    return PLUMB_OK;
}

/* ---- Sweeps -------------------------------------------------------------------------------------------------------- */

static wide sum_of_others(const wide *z, int64_t n, int64_t i)
{
    wide sum = wide_make(0.0, 0.0, 0);
    for (int64_t j = 0; j < n; j++) {
        const wide apart = wide_sub(z[i], z[j]);
        if (j != i && !wide_is_zero(apart))
            sum = wide_add(sum, wide_inverse(apart));
    }
    return sum;
}

/* Moves root i; true if it cannot become better. */
static bool move(const wide_poly *p, wide *z, int64_t i)
{
    const double rounding = log2(16.0 * (double)(p->n + 1)) - 53.0;
    const wide_value at = wide_eval(p, z[i]);
    if (wide_is_zero(at.p) || wide_log2(at.p) <= wide_log2(at.sum) + rounding)
        return true;
    const wide step = correction(&at, sum_of_others(z, p->n, i));
    const double before = wide_log2(z[i]);
    z[i] = wide_sub(z[i], wide_is_zero(step) ? wide_mul(z[i], (wide){0x1p-8, 0x1p-9, 0}) : step);
    return !wide_is_zero(step) && wide_log2(step) <= before - 40.0;
}

plumb_status wide_roots_near(const wide_poly *p, wide *z, int (*stop)(void *data), void *data)
{
    bool *done = calloc((size_t)p->n + 1, sizeof *done), again = true, stopped = false;
    if (!done || wide_starts(p, z) != PLUMB_OK) {
        free(done);
        return PLUMB_ERR_MEMORY;
    }
    for (int sweep = 0; sweep < MOST_SWEEPS && again && !stopped; sweep++) {
        again = false;
        for (int64_t i = 0; i < p->n && !stopped; i++) {
            done[i] = done[i] || move(p, z, i);
            again = again || !done[i];
            stopped = i % 256 == 0 && stop && stop(data);
        }
    }
    free(done);
    return stopped ? PLUMB_ERR_STOPPED : PLUMB_OK;
}
