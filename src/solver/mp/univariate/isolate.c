/* isolate.c - see isolate.h. */
#include "solver/mp/univariate/isolate.h"

#include <math.h>
#include <stdlib.h>

#include "solver/mp/disc.h"
#include "solver/mp/univariate/cluster.h"

enum {
    FIRST_BITS = 128,
    MOST_BITS = 200000,
    MOST_LEVELS = 64, /* precisions in turn */
    MOST_SWEEPS = 40  /* with one precision */
};

/* Terms times words of all evaluations: some minutes. */
static const double MOST_WORK = 1e10;

/* Bits of doubles that differences must have left to be used. */
static const int64_t DOUBLE_BITS = 20;

typedef struct finder {
    const gauss_poly *given;
    const mp_roots_options *options;
    bool real;
    wide_poly rough;
    int64_t bits;
    mp_complex *c, *z;
    wide *near;     /* z, rounded */
    double *radius; /* log2 */
    bool *isolated; /* the disc meets no other */
    int64_t *group; /* of discs that are connected: the number of one of them */
    int64_t *
        mirror; /* of real polynomials: the disc that the conjugate of this one meets, if that is one only; otherwise -1 */
    bool paired; /* all of them are known, and the discs of pairs are conjugates of each other */
    mp_complex *work;
    double spent;
} finder;

/* ---- Values -------------------------------------------------------------------------------------------------------- */

enum { VALUE, SLOPE, POWER, SQUARE, STEP, SCRATCH, WORKS = SCRATCH + 3 };

/* z = x y, where z may be x or y: four products and two sums, with a relative error below 3 u (u = 2^-bits). */
static void multiply(finder *f, mp_complex *z, const mp_complex *x, const mp_complex *y)
{
    mp_complex *s = &f->work[SCRATCH], *t = s + 1;
    mpfr_mul(s->re, x->re, y->re, MPFR_RNDN);
    mpfr_mul(s->im, x->im, y->im, MPFR_RNDN);
    mpfr_mul(t->re, x->re, y->im, MPFR_RNDN);
    mpfr_mul(t->im, x->im, y->re, MPFR_RNDN);
    mpfr_sub(z->re, s->re, s->im, MPFR_RNDN);
    mpfr_add(z->im, t->re, t->im, MPFR_RNDN);
}

static void to_power(finder *f, const mp_complex *z, int64_t exponent)
{
    mp_complex *result = &f->work[POWER], *square = &f->work[SQUARE];
    mpfr_set_ui(result->re, 1, MPFR_RNDN);
    mpfr_set_zero(result->im, 1);
    mp_set(square, z);
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            multiply(f, result, result, square);
        if (exponent > 1)
            multiply(f, square, square, square);
    }
}

/* slope = slope z + gap value */
static void extend_slope(finder *f, const mp_complex *z, int64_t gap)
{
    mp_complex *value = &f->work[VALUE], *slope = &f->work[SLOPE], *times = &f->work[SCRATCH];
    multiply(f, slope, slope, z);
    if (gap > 1) {
        mpfr_mul_ui(times->re, value->re, (unsigned long)gap, MPFR_RNDN);
        mpfr_mul_ui(times->im, value->im, (unsigned long)gap, MPFR_RNDN);
        value = times;
    }
    mp_add(slope, slope, value);
}

/* The value at z, and the derivative if wanted, by Horner's rule from term to term. Returns log2 of a bound of the rounding error of the
 * value: there are two operations per degree, with relative errors of at most 3 u and u, and terms are at most as large as their sum of
 * moduli; this leaves room for terms of second order, and for the rounding of the coefficients. */
static double evaluate(finder *f, const mp_complex *z, wide near, bool slope)
{
    const wide_poly *p = &f->rough;
    mp_set(&f->work[VALUE], &f->c[0]);
    mpfr_set_zero(f->work[SLOPE].re, 1);
    mpfr_set_zero(f->work[SLOPE].im, 1);
    for (int64_t k = 1; k < p->terms; k++) {
        const int64_t gap = p->exponent[k - 1] - p->exponent[k];
        if (slope)
            extend_slope(f, z, gap);
        multiply(f, &f->work[VALUE], &f->work[VALUE], z);
        if (gap > 1) {
            to_power(f, z, gap - 1);
            multiply(f, &f->work[SLOPE], &f->work[SLOPE], &f->work[POWER]);
            multiply(f, &f->work[VALUE], &f->work[VALUE], &f->work[POWER]);
        }
        mp_add(&f->work[VALUE], &f->work[VALUE], &f->c[k]);
    }
    f->spent += (double)p->terms * (4.0 + (double)f->bits / 64.0);
    return wide_log2(wide_sum(p, near)) + log2(16.0 * (double)(p->n + 1)) - (double)f->bits;
}

/* z_i - z_j, or z_i minus the conjugate of z_j, with a relative error below 2^-20: by doubles if they are far enough apart. */
static wide apart(finder *f, int64_t i, int64_t j, bool conjugate)
{
    const wide other = conjugate ? (wide){f->near[j].re, -f->near[j].im, f->near[j].e} : f->near[j];
    const wide rough = wide_sub(f->near[i], other);
    if (wide_is_above(rough, f->near[i], -DOUBLE_BITS))
        return rough;
    mp_complex *t = &f->work[SCRATCH];
    mpfr_sub(t->re, f->z[i].re, f->z[j].re, MPFR_RNDN);
    if (conjugate)
        mpfr_add(t->im, f->z[i].im, f->z[j].im, MPFR_RNDN);
    else
        mpfr_sub(t->im, f->z[i].im, f->z[j].im, MPFR_RNDN);
    return wide_from(t->re, t->im);
}

/* ---- Moving -------------------------------------------------------------------------------------------------------- */

static wide sum_of_others(finder *f, int64_t i)
{
    wide sum = wide_make(0.0, 0.0, 0);
    for (int64_t j = 0; j < f->rough.n; j++) {
        const wide difference = apart(f, i, j, false);
        if (j != i && !wide_is_zero(difference))
            sum = wide_add(sum, wide_inverse(difference));
    }
    return sum;
}

/* The correction: Newton's for an isolated root, otherwise that of Ehrlich and Aberth. */
static void find_step(finder *f, int64_t i)
{
    mp_complex *value = &f->work[VALUE], *slope = &f->work[SLOPE], *step = &f->work[STEP];
    if (!f->isolated[i]) {
        const wide others = sum_of_others(f, i);
        if (!wide_is_zero(others)) {
            mp_set_wide(step, others);
            mp_sub_product(slope, value, step, &f->work[SCRATCH]);
        }
    }
    mp_div(step, value, slope, &f->work[SCRATCH]);
}

/* Moves root i; true if this precision makes it no better: its value is hidden by rounding, or the next correction would be. */
static bool move(finder *f, int64_t i)
{
    mp_complex *step = &f->work[STEP];
    const double hidden = evaluate(f, &f->z[i], f->near[i], true);
    if (mp_log2(&f->work[VALUE]) <= hidden)
        return true;
    find_step(f, i);
    const bool good = mpfr_number_p(step->re) && mpfr_number_p(step->im);
    const double size = good ? mp_log2(step) - wide_log2(f->near[i]) : 0.0;
    if (!good)
        mp_set_wide(step, wide_mul(f->near[i], (wide){0x1p-8, 0x1p-9, 0}));
    mp_sub(&f->z[i], &f->z[i], step);
    f->near[i] = wide_from(f->z[i].re, f->z[i].im);
    return size <= -0.5 * (double)f->bits - 8.0;
}

static bool is_stopped(const finder *f)
{
    return f->options->stop && f->options->stop(f->options->data);
}

/* Takes the root whose conjugate is known to be root j. */
static void conjugate_of(finder *f, int64_t i, int64_t j)
{
    mpfr_set(f->z[i].re, f->z[j].re, MPFR_RNDN);
    mpfr_neg(f->z[i].im, f->z[j].im, MPFR_RNDN);
    f->near[i] = (wide){f->near[j].re, -f->near[j].im, f->near[j].e};
}

/* Moves all roots until this precision makes them no better. */
static plumb_status move_all(finder *f)
{
    const int64_t n = f->rough.n;
    bool *done = calloc((size_t)n, sizeof *done), again = true;
    plumb_status status = done ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int sweep = 0; sweep < MOST_SWEEPS && again && status == PLUMB_OK; sweep++) {
        again = false;
        for (int64_t i = 0; i < n && status == PLUMB_OK; i++) {
            if (f->paired && f->mirror[i] < i) {
                conjugate_of(f, i, f->mirror[i]);
                continue;
            }
            done[i] = done[i] || move(f, i);
            again = again || !done[i];
            if (f->spent > MOST_WORK)
                status = PLUMB_ERR_SIZE;
            else if (i % 64 == 0 && is_stopped(f))
                status = PLUMB_ERR_STOPPED;
        }
    }
    free(done);
    return status;
}

/* ---- Discs --------------------------------------------------------------------------------------------------------- */

/* The radius of disc i, with one bit for the rounding of the product and of logarithms. */
static double find_radius(finder *f, int64_t i)
{
    const int64_t n = f->rough.n;
    const double hidden = evaluate(f, &f->z[i], f->near[i], false);
    wide product = wide_abs(f->rough.c[0]);
    for (int64_t j = 0; j < n; j++)
        if (j != i)
            product = wide_mul(product, wide_abs(apart(f, i, j, false)));
    if (wide_is_zero(product))
        return (double)INFINITY;
    return log2((double)n) + log2_sum(mp_log2(&f->work[VALUE]), hidden) - wide_log2(product) + 1.0;
}

static bool meet(finder *f, int64_t i, int64_t j, bool conjugate)
{
    const wide distance = apart(f, i, j, conjugate);
    const double size = wide_log2(distance), some = 0x1p-10;
    if (size > fmax(f->radius[i], f->radius[j]) + 1.0 + some)
        return false;
    return !(size > log2_sum(f->radius[i], f->radius[j]) + some);
}

/* Makes the groups of i and j one. */
static void join(finder *f, int64_t i, int64_t j)
{
    const int64_t old = f->group[i], now = f->group[j];
    for (int64_t k = 0; k < f->rough.n && old != now; k++)
        if (f->group[k] == old)
            f->group[k] = now;
}

/* True if each disc is isolated. */
static bool isolate(finder *f)
{
    const int64_t n = f->rough.n;
    bool all = true;
    for (int64_t i = 0; i < n; i++) {
        f->isolated[i] = isfinite(f->radius[i]);
        f->group[i] = i;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            if (meet(f, i, j, false)) {
                f->isolated[i] = f->isolated[j] = false;
                join(f, i, j);
            }
    for (int64_t i = 0; i < n; i++)
        all = all && f->isolated[i];
    return all;
}

/* The conjugate of a disc meets at least one disc, because it has a root; if only one, then this is where that root is. */
static bool find_mirrors(finder *f)
{
    const int64_t n = f->rough.n;
    bool all = true;
    for (int64_t i = 0; i < n; i++) {
        int64_t count = 0;
        for (int64_t j = 0; j < n; j++)
            if (meet(f, i, j, true)) {
                f->mirror[i] = j;
                count++;
            }
        all = all && count == 1;
    }
    for (int64_t i = 0; i < n && all; i++)
        all = f->mirror[f->mirror[i]] == i;
    return all;
}

/* Do no discs of a polynomial without real roots meet the real axis? */
static bool are_off_axis(const finder *f)
{
    bool all = true;
    for (int64_t i = 0; i < f->rough.n && all; i++)
        all = mp_real_log2(f->z[i].im) > f->radius[i] + 0x1p-10;
    return all;
}

/* Bits that are missing from the accuracy that is asked for. */
static double missing_bits(const finder *f)
{
    double most = -(double)INFINITY;
    for (int64_t i = 0; i < f->rough.n; i++)
        most = fmax(most, f->radius[i] - wide_log2(f->near[i]));
    return most + f->options->digits * log2(10.0);
}

/* Computes the discs; returns the number of bits for the next level, or 0: everything is known. */
static int64_t judge(finder *f)
{
    for (int64_t i = 0; i < f->rough.n; i++)
        f->radius[i] = f->paired && f->mirror[i] < i ? f->radius[f->mirror[i]] : find_radius(f, i);
    const double missing = missing_bits(f);
    const bool isolated = isolate(f);
    const bool known = isolated && (f->real ? find_mirrors(f) : f->options->anywhere || are_off_axis(f));
    f->paired = known && f->real;
    for (int64_t i = 0; i < f->rough.n && f->paired; i++)
        if (f->mirror[i] == i)
            mpfr_set_zero(f->z[i].im, 1); /* no farther from a real root */
    if (!known || missing > 2.0 * (double)f->bits)
        return 2 * f->bits;
    return missing <= 0.0 ? 0 : f->bits + 64 * (int64_t)ceil((missing + 8.0) / 64.0);
}

/* ---- Clusters ------------------------------------------------------------------------------------------------------ */

/* log2 of the largest distance within a group from its first root, and of the smallest one to other roots. */
static void measure(finder *f, const int64_t *member, double *size, double *room)
{
    const int64_t first = member[0];
    *size = -(double)INFINITY;
    *room = (double)INFINITY;
    for (int64_t j = 0; j < f->rough.n; j++) {
        const double distance = j == first ? -(double)INFINITY : wide_log2(apart(f, first, j, false));
        if (f->group[j] == f->group[first])
            *size = fmax(*size, distance);
        else
            *room = fmin(*room, distance);
    }
}

/* New starting points for groups that are small compared with their distance from others. */
static plumb_status restart_clusters(finder *f)
{
    const double small = -10.0;
    const int64_t n = f->rough.n;
    const mp_poly p = {&f->rough, f->c, f->bits};
    int64_t *member = calloc((size_t)n, sizeof *member);
    plumb_status status = member ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t g = 0; g < n && status == PLUMB_OK; g++) {
        double size, room;
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++)
            if (f->group[i] == g && !f->isolated[i])
                member[count++] = i;
        if (count < 2)
            continue;
        measure(f, member, &size, &room);
        if (!(size < fmin(room, wide_log2(f->near[member[0]])) + small))
            continue;
        status = mp_cluster_restart(&p, member, count, size, f->z);
        for (int64_t i = 0; i < count; i++)
            f->near[member[i]] = wide_from(f->z[member[i]].re, f->z[member[i]].im);
        f->spent += 8.0 * (double)count * (double)n * (4.0 + (double)f->bits / 64.0);
    }
    free(member);
    return status;
}

/* ---- All of it ----------------------------------------------------------------------------------------------------- */

static void free_finder(finder *f)
{
    mp_free(f->c, f->c ? f->rough.terms : 0);
    mp_free(f->work, f->work ? WORKS : 0);
    free(f->rough.exponent);
    free(f->rough.c);
    free(f->near);
    free(f->isolated);
    free(f->group);
    free(f->mirror);
}

static bool is_term(const gauss_poly *p, int64_t k)
{
    return mpz_sgn(p->re[k]) != 0 || mpz_sgn(p->im[k]) != 0;
}

static plumb_status make_finder(finder *f)
{
    const gauss_poly *p = f->given;
    const size_t n = (size_t)p->degree + 1; /* never 0 */
    f->rough.n = p->degree;
    for (int64_t k = 0; k <= p->degree; k++)
        f->rough.terms += is_term(p, k);
    f->rough.exponent = calloc((size_t)f->rough.terms + 1, sizeof *f->rough.exponent);
    f->rough.c = calloc((size_t)f->rough.terms + 1, sizeof *f->rough.c);
    f->near = calloc(n, sizeof *f->near);
    f->isolated = calloc(n, sizeof *f->isolated);
    f->group = calloc(n, sizeof *f->group);
    f->mirror = calloc(n, sizeof *f->mirror);
    f->c = mp_make(f->rough.terms, 64);
    f->z = mp_make(p->degree, 64);
    f->work = mp_make(WORKS, 64);
    if (!f->rough.exponent || !f->rough.c || !f->near || !f->isolated || !f->group || !f->mirror || !f->c || !f->z ||
        !f->work)
        return PLUMB_ERR_MEMORY;
    for (int64_t k = p->degree, t = 0; k >= 0; k--)
        if (is_term(p, k)) {
            f->rough.exponent[t] = k;
            f->rough.c[t++] = wide_from_integers(p->re[k], p->im[k]);
        }
    return PLUMB_OK;
}

static void set_bits(finder *f, int64_t bits)
{
    f->bits = bits;
    mp_resize(f->c, f->rough.terms, bits);
    mp_resize(f->z, f->rough.n, bits);
    mp_resize(f->work, WORKS, bits);
    for (int64_t t = 0; t < f->rough.terms; t++) {
        mpfr_set_z(f->c[t].re, f->given->re[f->rough.exponent[t]], MPFR_RNDN);
        mpfr_set_z(f->c[t].im, f->given->im[f->rough.exponent[t]], MPFR_RNDN);
    }
}

/* A real part that may be zero becomes zero, and the disc grows by as much. */
static void simplify(mp_complex *z, double *radius)
{
    if (mp_real_log2(z->re) > *radius)
        return;
    mpfr_set_zero(z->re, 1);
    *radius += 1.0;
}

/* Makes pairs equal but for the signs of their imaginary parts: each root is in the conjugate of the other's disc. */
static void finish(finder *f)
{
    for (int64_t i = 0; i < f->rough.n; i++) {
        const int64_t j = f->mirror[i];
        if (f->real && j < i) {
            conjugate_of(f, i, j);
            f->radius[i] = f->radius[j];
        } else if (!f->real || j != i) {
            simplify(&f->z[i], &f->radius[i]);
        }
    }
}

plumb_status mp_isolate(const gauss_poly *p, const mp_roots_options *options, mp_complex **z, double *radius)
{
    finder f = {.given = p, .options = options, .real = gauss_is_real(p), .radius = radius};
    plumb_status status = make_finder(&f);
    const int64_t most_bits = options->most_bits > 0 ? options->most_bits : MOST_BITS;
    int64_t bits = FIRST_BITS;
    *z = f.z;
    if (status == PLUMB_OK)
        status = wide_roots_near(&f.rough, f.near, options->stop, options->data);
    for (int64_t i = 0; i < p->degree && status == PLUMB_OK; i++)
        mp_set_wide(&f.z[i], f.near[i]); /* exactly, in 64 bits */
    for (int level = 0; status == PLUMB_OK && bits > 0; level++) {
        set_bits(&f, bits);
        if (level > 0)
            status = restart_clusters(&f);
        if (status == PLUMB_OK)
            status = move_all(&f);
        bits = status == PLUMB_OK ? judge(&f) : 0;
        if (bits > most_bits || level == MOST_LEVELS)
            status = PLUMB_ERR_SIZE;
    }
    if (status == PLUMB_OK)
        finish(&f);
    free_finder(&f);
    return status;
}
