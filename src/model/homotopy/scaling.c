/* scaling.c - see scaling.h. The logarithms are piecewise linear approximations, and the least-squares problem is
 * solved by conjugate gradients started at zero, with sums and products of doubles in a fixed order. The exponents
 * therefore do not depend on the machine, and directions that no term depends on stay 0. */
#include "model/homotopy/scaling.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory/size.h"

enum {
    LITTLE = 2,      /* exponents of unknowns up to this are too small to matter */
    LITTLE_ROW = 6,  /* the same for equations */
    MOST_BELOW = 32, /* a coefficient smaller than the mean by more bits does not determine the size of its equation */
    MOST_UNKNOWN = 400, /* 2^e times the last limb of a quad double is still a normal number */
    MOST_BITS = 900,    /* maximum magnitude of the binary exponent of a scaled coefficient */
    MOST_ROUNDS = 1000
};

/* ---- Sizes of coefficients ------------------------------------------------------------------------------------------- */

/* log2|x| with an error of at most 0.1, for x not 0: exact at powers of two and linear between them. */
static double log_of(const mpz_t x)
{
    long exponent;
    double part = fabs(mpz_get_d_2exp(&exponent, x)); /* in [1/2, 1) */
    return (double)exponent + 2 * part - 2;
}

static double log_of_part(const mpq_t x)
{
    return log_of(mpq_numref(x)) - log_of(mpq_denref(x));
}

/* The same for the larger part of a coefficient. */
static double log_of_term(const system_term *term)
{
    if (mpq_sgn(term->re) == 0 || mpq_sgn(term->im) == 0)
        return log_of_part(mpq_sgn(term->re) != 0 ? term->re : term->im);
    double re = log_of_part(term->re), im = log_of_part(term->im);
    return re > im ? re : im;
}

/* ---- Least squares --------------------------------------------------------------------------------------------------- */

/* logs[k] is the logarithm of term k; spread has as many entries; the vectors of conjugate gradients have one entry
 * per unknown. */
typedef struct scaling_work {
    const plumb_system *system;
    double *logs, *spread, *e, *rest, *direction, *image;
} scaling_work;

/* Sets spread to the contribution of a vector to the logarithm of each term, plus `logs` (unless NULL), minus the
 * mean over the equation. Returns the sum of squares. */
static double scatter(const scaling_work *w, const double *vector, const double *logs)
{
    const plumb_system *s = w->system;
    double squares = 0;
    for (int64_t k = 0; k < s->equations; k++) {
        const int64_t first = s->equation[k], end = s->equation[k + 1];
        double mean = 0;
        for (int64_t t = first; t < end; t++) {
            double sum = logs != NULL ? logs[t] : 0;
            for (int32_t i = 0; i < s->terms[t].count; i++) {
                const system_factor *f = &s->factors[s->terms[t].first + i];
                sum += f->exponent * vector[f->unknown];
            }
            w->spread[t] = sum;
            mean += sum / (double)(end - first);
        }
        for (int64_t t = first; t < end; t++) {
            w->spread[t] -= mean;
            squares += w->spread[t] * w->spread[t];
        }
    }
    return squares;
}

/* Sets vector to sign times the exponents of each unknown, weighted with the spread of their terms. */
static void gather(const scaling_work *w, double sign, double *vector)
{
    const plumb_system *s = w->system;
    for (int64_t i = 0; i < s->unknowns; i++)
        vector[i] = 0;
    for (int64_t t = 0; t < s->equation[s->equations]; t++)
        for (int32_t i = 0; i < s->terms[t].count; i++) {
            const system_factor *f = &s->factors[s->terms[t].first + i];
            vector[f->unknown] += sign * f->exponent * w->spread[t];
        }
}

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Sets w->e to the exponents of the unknowns, not yet rounded; iterates until the gradient has decreased by a factor
 * of a million. */
static void solve(const scaling_work *w)
{
    const int64_t n = w->system->unknowns;
    for (int64_t i = 0; i < n; i++)
        w->e[i] = 0;
    scatter(w, w->e, w->logs);
    gather(w, -1, w->rest);
    for (int64_t i = 0; i < n; i++)
        w->direction[i] = w->rest[i];
    double size = dot(w->rest, w->rest, n), enough = 1e-12 * size;
    for (int round = 0; round < MOST_ROUNDS && size > enough; round++) {
        double along = scatter(w, w->direction, NULL);
        if (!(along > 0))
            break;
        gather(w, 1, w->image);
        double step = size / along, before = size;
        for (int64_t i = 0; i < n; i++) {
            w->e[i] += step * w->direction[i];
            w->rest[i] -= step * w->image[i];
        }
        size = dot(w->rest, w->rest, n);
        for (int64_t i = 0; i < n; i++)
            w->direction[i] = w->rest[i] + size / before * w->direction[i];
    }
}

/* True if scaling reduces the scatter so much that scales were its cause. A large remainder indicates roots of
 * different sizes: with two sizes, a scale between them explains three quarters of the scatter and suits neither. */
static bool explains(const scaling_work *w, double before, double left)
{
    const double few_bits = 8; /* bits per term */
    bool small = left <= few_bits * few_bits * (double)w->system->equation[w->system->equations];
    return left <= (small ? 0.6 : 0.2) * before;
}

/* Rounds the exponents to integers; all are 0 if they are small, too large, or do not explain the coefficients. */
static void settle(const scaling_work *w, system_scaling *scaling)
{
    const int64_t n = w->system->unknowns;
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        w->direction[i] = 0;
    double before = scatter(w, w->direction, w->logs);
    solve(w);
    for (int64_t i = 0; i < n; i++) {
        w->e[i] = floor(w->e[i] + 0.5);
        most = fmax(most, fabs(w->e[i]));
    }
    scaling->moves = most > LITTLE && most <= MOST_UNKNOWN && explains(w, before, scatter(w, w->e, w->logs));
    for (int64_t i = 0; i < n; i++)
        scaling->unknown[i] = scaling->moves ? (int32_t)w->e[i] : 0;
}

/* ---- The scaling --------------------------------------------------------------------------------------------------- */

/* The number of bits before the binary point of a coefficient, up to one. */
static int64_t bits_of_part(const mpq_t x)
{
    return mpq_sgn(x) == 0 ? INT64_MIN
                           : (int64_t)mpz_sizeinbase(mpq_numref(x), 2) - (int64_t)mpz_sizeinbase(mpq_denref(x), 2);
}

/* The same for a term after its unknowns have been scaled. */
static int64_t bits_of_term(const system_scaling *scaling, const plumb_system *s, const system_term *term,
                            const int32_t *to)
{
    int64_t re = bits_of_part(term->re), im = bits_of_part(term->im), bits = re > im ? re : im;
    for (int32_t i = 0; i < term->count; i++) {
        const system_factor *f = &s->factors[term->first + i];
        bits += (int64_t)f->exponent * scaling->unknown[to != NULL ? to[f->unknown] : f->unknown];
    }
    return bits;
}

/* The size of an equation: the bits of its smallest coefficient. It is 0 if the unknowns are not scaled and the
 * equation has coefficients on both sides of 1, because then there is no reason to scale it. */
static double bits_of_equation(const plumb_system *s, const system_scaling *scaling, int64_t k)
{
    const int64_t first = s->equation[k], end = s->equation[k + 1];
    double mean = 0, least = INFINITY, most = -INFINITY;
    for (int64_t t = first; t < end; t++) {
        double bits = (double)bits_of_term(scaling, s, &s->terms[t], NULL);
        mean += bits / (double)(end - first);
        least = fmin(least, bits);
        most = fmax(most, bits);
    }
    if (first == end || (!scaling->moves && least <= 0 && most >= 0))
        return 0;
    return fmax(least, floor(mean) - MOST_BELOW);
}

/* Computes c. Returns false if nothing needs to be scaled. */
static bool scale_equations(const plumb_system *s, system_scaling *scaling)
{
    bool needed = scaling->moves;
    for (int64_t k = 0; k < s->equations; k++) {
        double bits = bits_of_equation(s, scaling, k);
        needed = needed || fabs(bits) > LITTLE_ROW;
        scaling->equation[k] = (int32_t)-fmin(fmax(bits, -INT32_MAX), INT32_MAX);
    }
    return needed;
}

bool plumb_scaling_fits(const system_scaling *scaling, const plumb_system *system, const int32_t *to)
{
    for (int64_t k = 0; k < system->equations; k++)
        for (int64_t t = system->equation[k]; t < system->equation[k + 1]; t++) {
            int64_t bits = bits_of_term(scaling, system, &system->terms[t], to) + scaling->equation[k];
            if (bits > MOST_BITS || bits < -MOST_BITS)
                return false;
        }
    return true;
}

void plumb_scaling_clear(system_scaling *scaling)
{
    free(scaling->unknown);
    free(scaling->equation);
    *scaling = (system_scaling){.unknown = NULL};
}

plumb_status plumb_scaling_find(const plumb_system *system, system_scaling *scaling)
{
    const int64_t n = system->unknowns, terms = system->equation[system->equations];
    int64_t doubles, bytes;
    *scaling = (system_scaling){.unknown = NULL};
    if (!size_mul(4, n, &doubles) || !size_add(doubles, 2 * terms + 1, &doubles) || !size_mul(doubles, 8, &bytes))
        return PLUMB_ERR_SIZE;
    scaling_work w = {.system = system, .logs = malloc((size_t)bytes)};
    scaling->unknown = calloc((size_t)n + 1, sizeof *scaling->unknown);
    scaling->equation = calloc((size_t)system->equations + 1, sizeof *scaling->equation);
    if (w.logs == NULL || scaling->unknown == NULL || scaling->equation == NULL) {
        free(w.logs);
        plumb_scaling_clear(scaling);
        return PLUMB_ERR_MEMORY;
    }
    w.spread = w.logs + terms;
    w.e = w.spread + terms;
    w.rest = w.e + n;
    w.direction = w.rest + n;
    w.image = w.direction + n;
    for (int64_t t = 0; t < terms; t++)
        w.logs[t] = log_of_term(&system->terms[t]);
    settle(&w, scaling);
    free(w.logs);
    if (!scale_equations(system, scaling) || !plumb_scaling_fits(scaling, system, NULL))
        plumb_scaling_clear(scaling);
    return PLUMB_OK;
}

/* ---- Application
 * ------------------------------------------------------------------------------------------------------- */

static void shift_part(mpq_t x, int64_t bits)
{
    if (bits > 0)
        mpq_mul_2exp(x, x, (mp_bitcnt_t)bits);
    else if (bits < 0)
        mpq_div_2exp(x, x, (mp_bitcnt_t)-bits);
}

void plumb_scaling_apply(const system_scaling *scaling, int64_t equation, int32_t shift, polynomial *p)
{
    for (int64_t t = 0; t < p->count; t++) {
        system_term *term = &p->terms[t];
        int64_t bits = scaling->equation[equation];
        for (int32_t i = 0; i < term->count; i++) {
            const system_factor *f = &p->factors[term->first + i];
            if (f->unknown >= shift)
                bits += (int64_t)f->exponent * scaling->unknown[f->unknown - shift];
        }
        shift_part(term->re, bits);
        shift_part(term->im, bits);
    }
}
