/* digits.c - see digits.h. */
#include "solver/mp/digits.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory/memory.h"

enum {
    LEAST_BITS = 256, /* where settling begins: more than the bits of a quad double */
    MOST_BITS = 4096, /* where it gives up: zeros with condition numbers of 10^600 count as singular */
    MOST_STEPS = 60,  /* in one precision */
    MOST_REPAIRS = 6, /* steps after the last one, if the check finds that digits are missing */
    ENOUGH = 64,      /* bits that the first accuracy must have */
    GUARD = 16,
    STOPPED = -1 /* instead of a code */
};
static const double CONTRACTS = 2.0; /* bits that a correction has to be smaller than the one before */
static const double APART = 10.0;    /* bits above its error that an unknown must have to be distinguished from zero */
static const double BITS_PER_DIGIT = 3.3219280948873623;

/* ---- Memory ------------------------------------------------------------------------------------------------------- */

/* A value of T terms of degree e is rounded about T (T + e) times, each time by half a unit of a term. */
static double noise_of(const plumb_system *system)
{
    double most = 1.0;
    for (int64_t e = 0; e < system->equations; e++) {
        const double terms = (double)(system->equation[e + 1] - system->equation[e]);
        for (int64_t k = system->equation[e]; k < system->equation[e + 1]; k++)
            most = fmax(most, terms + (double)system->terms[k].degree + 4.0);
    }
    return 2.0 * log2(most);
}

plumb_status mp_digits_begin(const plumb_system *system, mp_digits *d)
{
    const int64_t m = system->equations, n = system->unknowns;
    const size_t unknowns = (size_t)n + 1;
    *d = (mp_digits){.system = system,
                     .equations = m,
                     .unknowns = n,
                     .noise = noise_of(system),
                     .x = mp_make(n, LEAST_BITS),
                     .values = mp_make(m, LEAST_BITS),
                     .jacobian = mp_make(m * n, LEAST_BITS),
                     .square = mp_make(n * n, LEAST_BITS),
                     .side = mp_make(n, LEAST_BITS),
                     .inverse = mp_make(n * m, LEAST_BITS),
                     .identity = mp_make(n * n, LEAST_BITS),
                     .temporary = mp_make(3, LEAST_BITS),
                     .sizes = calloc((size_t)m + 1, sizeof *d->sizes),
                     .bend = calloc((size_t)m + 1, sizeof *d->bend),
                     .shift = calloc((size_t)m + 1, sizeof *d->shift),
                     .slope = calloc((size_t)(m * n) + 1, sizeof *d->slope),
                     .unit = calloc(unknowns, sizeof *d->unit),
                     .error = calloc(unknowns, sizeof *d->error),
                     .move = calloc(unknowns, sizeof *d->move),
                     .weight = calloc(unknowns, sizeof *d->weight)};
    if (!d->x || !d->values || !d->jacobian || !d->square || !d->side || !d->inverse || !d->identity || !d->temporary ||
        !d->sizes || !d->bend || !d->shift || !d->slope || !d->unit || !d->error || !d->move || !d->weight)
        return PLUMB_ERR_MEMORY;
    return mp_system_begin(system, LEAST_BITS, &d->at);
}

static void free_numbers(mp_complex *x, int64_t count)
{
    mp_free(x, x ? count : 0);
}

void mp_digits_clear(mp_digits *d)
{
    const int64_t m = d->equations, n = d->unknowns;
    free_numbers(d->x, n);
    free_numbers(d->values, m);
    free_numbers(d->jacobian, m * n);
    free_numbers(d->square, n * n);
    free_numbers(d->side, n);
    free_numbers(d->inverse, n * m);
    free_numbers(d->identity, n * n);
    free_numbers(d->temporary, 3);
    free(d->sizes);
    free(d->bend);
    free(d->shift);
    free(d->slope);
    free(d->unit);
    free(d->error);
    free(d->move);
    free(d->weight);
    mp_system_clear(&d->at);
    *d = (mp_digits){.system = NULL};
}

int64_t mp_digits_bytes(const plumb_system *system, int64_t digits)
{
    const int64_t m = system->equations, n = system->unknowns, bits = (int64_t)((double)digits * BITS_PER_DIGIT);
    const int64_t most = 2 * ((bits + MOST_BITS) / 8 + 64), half = 2 * ((bits / 2 + 2 * MOST_BITS) / 8 + 64);
    int64_t numbers = system->equation[m] + m + n + 16;
    int32_t *highest = calloc((size_t)n + 1, sizeof *highest);
    for (int64_t k = 0; highest && k < system->equation[m]; k++)
        for (int64_t f = system->terms[k].first; f < system->terms[k].first + system->terms[k].count; f++)
            if (system->factors[f].exponent > highest[system->factors[f].unknown])
                highest[system->factors[f].unknown] = system->factors[f].exponent;
    for (int64_t i = 0; highest && i < n; i++)
        numbers += highest[i] + 1;
    free(highest);
    return plumb_memory_add(plumb_memory_add(1 << 20, numbers, most), 2 * m * n + 2 * n * n + n, half);
}

/* ---- Linear systems ----------------------------------------------------------------------------------------------- */

static void scale(mp_complex *z, int64_t exponent)
{
    mpfr_mul_2si(z->re, z->re, (long)exponent, MPFR_RNDN);
    mpfr_mul_2si(z->im, z->im, (long)exponent, MPFR_RNDN);
}

static int64_t power_of(double size)
{
    return isfinite(size) ? (int64_t)floor(size) : 0;
}

/* The Jacobian in this many bits at x. */
static void set_jacobian(mp_digits *d, int64_t bits)
{
    const int64_t m = d->equations, n = d->unknowns;
    mp_resize(d->jacobian, m * n, bits);
    mp_resize(d->square, n * n, bits);
    mp_resize(d->side, n, bits);
    mp_resize(d->temporary, 3, bits);
    mp_system_resize(&d->at, bits);
    mp_system_eval(&d->at, d->x, d->values, d->jacobian, NULL);
}

/* The values of the equations in this many bits at x. */
static void set_values(mp_digits *d, int64_t bits)
{
    mp_resize(d->values, d->equations, bits);
    mp_system_resize(&d->at, bits);
    mp_system_eval(&d->at, d->x, d->values, NULL, d->sizes);
    d->bits = bits;
}

/* Multiplies columns by the units and rows such that their largest entry is about 1, by powers of two, which round nothing. */
static void scale_jacobian(mp_digits *d)
{
    const int64_t m = d->equations, n = d->unknowns;
    for (int64_t e = 0; e < m; e++) {
        mp_complex *row = d->jacobian + e * n;
        for (int64_t j = 0; j < n; j++)
            scale(&row[j], power_of(d->unit[j]));
        d->shift[e] = -power_of(mp_log2_largest(row, n));
        for (int64_t j = 0; j < n; j++)
            scale(&row[j], d->shift[e]);
    }
}

/* z += conj(x) y */
static void add_conjugate_product(mp_digits *d, mp_complex *z, const mp_complex *x, const mp_complex *y)
{
    mp_complex *conjugate = &d->temporary[2];
    mp_set(conjugate, x);
    mpfr_neg(conjugate->im, conjugate->im, MPFR_RNDN);
    mp_add_product(z, conjugate, y, &d->temporary[0]);
}

static void set_zero(mp_complex *z)
{
    mpfr_set_zero(z->re, 1);
    mpfr_set_zero(z->im, 1);
}

/* The matrix of the normal equations; the Jacobian itself if it is square. */
static mp_complex *matrix_of(mp_digits *d)
{
    const int64_t m = d->equations, n = d->unknowns;
    if (m == n)
        return d->jacobian;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            set_zero(&d->square[i * n + j]);
            for (int64_t e = 0; e < m; e++)
                add_conjugate_product(d, &d->square[i * n + j], &d->jacobian[e * n + i], &d->jacobian[e * n + j]);
        }
    return d->square;
}

/* The right-hand side that belongs to it, for the values of the equations. */
static void set_side(mp_digits *d)
{
    const int64_t m = d->equations, n = d->unknowns;
    for (int64_t e = 0; e < m; e++)
        scale(&d->values[e], d->shift[e]);
    for (int64_t i = 0; i < n && m == n; i++)
        mp_set(&d->side[i], &d->values[i]);
    for (int64_t i = 0; i < n && m > n; i++) {
        set_zero(&d->side[i]);
        for (int64_t e = 0; e < m; e++)
            add_conjugate_product(d, &d->side[i], &d->jacobian[e * n + i], &d->values[e]);
    }
    for (int64_t e = 0; e < m; e++)
        scale(&d->values[e], -d->shift[e]);
}

/* One step of Newton's method: values in this many bits, corrections in jacobian_bits. False if the Jacobian is singular. */
static bool step(mp_digits *d, int64_t bits, int64_t jacobian_bits)
{
    const int64_t n = d->unknowns;
    set_jacobian(d, jacobian_bits);
    scale_jacobian(d);
    mp_resize(d->x, n, bits);
    set_values(d, bits);
    set_side(d);
    d->steps++;
    if (!mp_solve(matrix_of(d), d->side, n, 1, d->temporary))
        return false;
    for (int64_t i = 0; i < n; i++) {
        scale(&d->side[i], power_of(d->unit[i]));
        mp_sub(&d->x[i], &d->x[i], &d->side[i]);
        d->move[i] = mp_log2(&d->side[i]);
    }
    return true;
}

static void set_identity(mp_digits *d, mp_complex *a)
{
    const int64_t n = d->unknowns;
    for (int64_t k = 0; k < n * n; k++) {
        set_zero(&a[k]);
        mpfr_set_ui(a[k].re, k % (n + 1) == 0, MPFR_RNDN);
    }
}

/* The condition of the scaled Jacobian by the inverse of the normal equations. Their solution for a right-hand side shows nothing
 * of it: if columns are dependent, both are rounding errors. False if there is no inverse. */
static bool weigh_columns(mp_digits *d, int64_t bits)
{
    const int64_t n = d->unknowns;
    d->columns = 0.0;
    if (d->equations == n)
        return true;
    mp_resize(d->identity, n * n, bits);
    set_identity(d, d->identity);
    if (!mp_solve(matrix_of(d), d->identity, n, n, d->temporary))
        return false;
    d->columns = 0.5 * mp_log2_largest(d->identity, n * n);
    return true;
}

/* The right-hand sides of a pseudo-inverse: the identity, or the conjugate transpose of the Jacobian. */
static void set_sides(mp_digits *d, int64_t bits)
{
    const int64_t m = d->equations, n = d->unknowns;
    mp_resize(d->inverse, n * m, bits);
    if (m == n)
        set_identity(d, d->inverse);
    for (int64_t i = 0; i < n && m > n; i++)
        for (int64_t e = 0; e < m; e++) {
            mp_complex *entry = &d->inverse[i * m + e];
            mp_set(entry, &d->jacobian[e * n + i]);
            mpfr_neg(entry->im, entry->im, MPFR_RNDN);
        }
}

/* The pseudo-inverse of the Jacobian at x. False if there is none. */
static bool invert(mp_digits *d, int64_t bits)
{
    const int64_t m = d->equations, n = d->unknowns;
    set_jacobian(d, bits);
    for (int64_t k = 0; k < m * n; k++)
        d->slope[k] = mp_log2(&d->jacobian[k]);
    scale_jacobian(d);
    set_sides(d, bits);
    if (!weigh_columns(d, bits) || !mp_solve(matrix_of(d), d->inverse, n, m, d->temporary))
        return false;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = 0; e < m; e++)
            scale(&d->inverse[i * m + e], power_of(d->unit[i]) + d->shift[e]);
    d->inverse_bits = bits;
    return true;
}

/* ---- Errors ------------------------------------------------------------------------------------------------------- */

/* Of unknowns that are within their errors of zero the unit is that of the largest one; 1 if all are. */
static void set_units(mp_digits *d)
{
    const int64_t n = d->unknowns;
    double most = -(double)INFINITY;
    for (int64_t i = 0; i < n; i++) {
        d->unit[i] = mp_log2(&d->x[i]);
        if (!(d->unit[i] > d->error[i] + APART))
            d->unit[i] = -(double)INFINITY;
        most = fmax(most, d->unit[i]);
    }
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(d->unit[i]))
            d->unit[i] = isfinite(most) ? most : 0.0;
}

/* log2 of the largest |P_ie| 2^size_e. */
static double spread(const mp_digits *d, int64_t i, const double *size)
{
    double most = -(double)INFINITY;
    for (int64_t e = 0; e < d->equations; e++)
        most = fmax(most, mp_log2(&d->inverse[i * d->equations + e]) + size[e]);
    return most;
}

/* errors: what rounding with this many bits contributes. */
static void set_rounding(mp_digits *d, int64_t bits)
{
    for (int64_t i = 0; i < d->unknowns; i++)
        d->error[i] = spread(d, i, d->sizes) + d->noise + log2((double)d->equations) - (double)bits;
}

/* The sizes that the terms of an equation have for unknowns of their units, times the square of their degree: a bound of second
 * derivatives. Unlike the sizes at x they do not vanish with an unknown that is zero. */
static double bend_of(const mp_digits *d, int64_t e)
{
    const plumb_system *system = d->system;
    double most = -(double)INFINITY;
    for (int64_t k = system->equation[e]; k < system->equation[e + 1]; k++) {
        const system_term *t = &system->terms[k];
        double size = fmax(rational_log2(t->re), rational_log2(t->im)) + 1.0;
        for (int32_t i = 0; i < t->count; i++)
            size += d->unit[system->factors[t->first + i].unknown] * system->factors[t->first + i].exponent;
        if (t->degree > 1)
            most = fmax(most, size + 2.0 * log2((double)t->degree));
    }
    return most;
}

/* The condition of the zero, and what multiplies the square of an error in the next step. */
static void set_growth(mp_digits *d)
{
    const double terms = log2((double)d->equations);
    d->condition = fmax(0.0, d->columns);
    for (int64_t i = 0; i < d->unknowns; i++)
        d->condition = fmax(d->condition, spread(d, i, d->sizes) + terms - d->unit[i]);
    d->growth = d->condition;
    for (int64_t e = 0; e < d->equations; e++)
        d->bend[e] = bend_of(d, e);
    for (int64_t i = 0; i < d->unknowns; i++)
        d->growth = fmax(d->growth, spread(d, i, d->bend) + terms - d->unit[i]);
}

/* log2 of |P f(x)| for an unknown, and what the rounding of P adds to it. */
static double correction_of(mp_digits *d, int64_t i)
{
    const int64_t m = d->equations;
    mp_complex *sum = &d->side[0], *value = &d->temporary[1];
    double most = -(double)INFINITY;
    set_zero(sum);
    for (int64_t e = 0; e < m; e++) {
        mp_set(value, &d->values[e]);
        mp_add_product(sum, &d->inverse[i * m + e], value, &d->temporary[0]);
        most = fmax(most, mp_log2(&d->inverse[i * m + e]) + mp_log2(value));
    }
    return fmax(mp_log2(sum), most + d->condition + GUARD - (double)d->inverse_bits);
}

/* Estimates the errors of x by the values of the equations in this many bits, and returns the number of bits that all unknowns
 * have relative to their units. Those that cannot be distinguished from zero become zero. */
static double measure(mp_digits *d, int64_t bits)
{
    double least = (double)INFINITY;
    set_values(d, bits);
    mp_resize(d->side, d->unknowns, d->inverse_bits);
    mp_resize(d->temporary, 3, d->inverse_bits);
    set_rounding(d, bits);
    for (int64_t i = 0; i < d->unknowns; i++)
        d->error[i] = fmax(d->error[i], correction_of(d, i)) + 2.0;
    set_units(d);
    for (int64_t i = 0; i < d->unknowns; i++) {
        const double size = mp_log2(&d->x[i]);
        if (!(size > d->error[i] + APART)) {
            d->error[i] = fmax(d->error[i], size) + 1.0;
            set_zero(&d->x[i]);
        }
        least = fmin(least, d->unit[i] - d->error[i]);
    }
    set_growth(d);
    return least;
}

/* Whether the equations vanish at x as far as its errors show. */
static bool vanishes(const mp_digits *d)
{
    const int64_t n = d->unknowns;
    for (int64_t e = 0; e < d->equations; e++) {
        double most = d->sizes[e] + d->noise - (double)d->bits;
        for (int64_t j = 0; j < n; j++)
            most = fmax(most, d->slope[e * n + j] + d->error[j] + log2((double)n));
        if (mp_log2(&d->values[e]) > most + 4.0)
            return false;
    }
    return true;
}

/* ---- Settling ----------------------------------------------------------------------------------------------------- */

/* All corrections are rounding errors, or took away all of an unknown that is negligible: one that goes to zero may have no
 * rounding errors, because the terms of its equations go to zero with it. */
static bool at_rest(const mp_digits *d)
{
    const double least = mp_log2_largest(d->x, d->unknowns) - (double)d->bits;
    for (int64_t i = 0; i < d->unknowns; i++) {
        const bool vanishes = d->move[i] <= least && mp_log2(&d->x[i]) <= d->move[i] - APART;
        if (d->move[i] > d->error[i] + 8.0 && !vanishes)
            return false;
    }
    return true;
}

/* The largest correction relative to the weights. */
static double largest_move(const mp_digits *d, const double *weight)
{
    double most = -(double)INFINITY;
    for (int64_t i = 0; i < d->unknowns; i++)
        if (d->move[i] > -(double)INFINITY)
            most = fmax(most, d->move[i] - weight[i]);
    return most;
}

/* The point as it was given, in this many bits. */
static void take(mp_digits *d, const double *x, int32_t limbs, int64_t bits)
{
    mp_resize(d->x, d->unknowns, bits);
    for (int64_t i = 0; i < d->unknowns; i++) {
        const double *re = x + 2 * limbs * i;
        mp_set_limbs(&d->x[i], re, re + limbs, limbs);
        d->error[i] = -(double)INFINITY;
    }
    set_units(d);
}

/* Rounding errors and units at x. False if the Jacobian is singular. */
static bool look_around(mp_digits *d, int64_t bits)
{
    if (!invert(d, bits))
        return false;
    set_rounding(d, bits);
    set_units(d);
    return true;
}

/* What corrections are compared with: unknowns that are zero have nothing else than the first ones. */
static void add_weights(mp_digits *d, int k)
{
    for (int64_t i = 0; i < d->unknowns; i++) {
        if (k == 0)
            d->weight[i] = fmax(mp_log2(&d->x[i]), d->error[i] + 20.0);
        d->weight[i] = fmax(d->weight[i], d->move[i]);
    }
}

/* True if corrections go on shrinking by a constant factor, as they do at a multiple zero. */
static bool is_linear(mp_digits *d, int64_t bits, double before)
{
    for (int k = 0; k < 5; k++) {
        if (!step(d, bits, bits))
            return true;
        const double now = largest_move(d, d->weight);
        if (!(now < before && now > before - 2.0 * CONTRACTS))
            return false;
        before = now;
    }
    return true;
}

/* Why corrections do not contract. Where equations do not vanish, their values are larger than the corrections explain. */
static int32_t reason(mp_digits *d, int64_t bits)
{
    set_values(d, bits);
    for (int64_t i = 0; i < d->unknowns; i++)
        d->error[i] = fmax(d->error[i], d->move[i]) + 4.0;
    if (d->equations > d->unknowns && !vanishes(d))
        return PLUMB_DIGITS_NOT_ZERO;
    return is_linear(d, bits, largest_move(d, d->weight)) ? PLUMB_DIGITS_SINGULAR : PLUMB_DIGITS_DIVERGED;
}

/* Newton's method until rounding errors stop it. A correction is compared with the last but one: an unknown may follow another
 * one step later. */
static int32_t converge(mp_digits *d, int64_t bits)
{
    double before[2] = {(double)INFINITY, (double)INFINITY};
    for (int k = 0; k < MOST_STEPS; k++) {
        if (!step(d, bits, bits) || (k == 0 && !look_around(d, bits)))
            return PLUMB_DIGITS_SINGULAR;
        if (k < 2)
            add_weights(d, k);
        if (at_rest(d))
            return PLUMB_DIGITS_REACHED;
        const double now = largest_move(d, d->weight);
        if (!(now <= before[k % 2] - 2.0 * CONTRACTS)) {
            if (!look_around(d, bits))
                return PLUMB_DIGITS_SINGULAR;
            return at_rest(d) ? PLUMB_DIGITS_REACHED : reason(d, bits);
        }
        before[k % 2] = now;
    }
    return PLUMB_DIGITS_DIVERGED;
}

/* The zero in a precision in which its condition is known, and the bits that are known of it. */
static int32_t settle(mp_digits *d, const double *x, int32_t limbs, double *accuracy)
{
    int32_t code = PLUMB_DIGITS_SINGULAR;
    for (int64_t bits = LEAST_BITS; bits <= MOST_BITS; bits *= 2) {
        if (d->stopped && d->stopped(d->data))
            return STOPPED;
        take(d, x, limbs, bits);
        code = converge(d, bits);
        if (code == PLUMB_DIGITS_NOT_ZERO)
            return code;
        if (code != PLUMB_DIGITS_REACHED)
            continue;
        if (!look_around(d, bits)) {
            code = PLUMB_DIGITS_SINGULAR;
            continue;
        }
        *accuracy = measure(d, bits);
        if (!vanishes(d))
            return PLUMB_DIGITS_NOT_ZERO;
        if (*accuracy >= d->growth + ENOUGH && (double)bits >= 2.0 * d->growth + ENOUGH)
            return code;
        code = PLUMB_DIGITS_SINGULAR;
    }
    return code;
}

/* ---- More and more digits ----------------------------------------------------------------------------------------- */

/* The accuracy after the next step: the goal is reached by steps that double, and the first of them is the short one. */
static double next_accuracy(const mp_digits *d, double accuracy, double goal)
{
    const double loss = d->growth + GUARD;
    double next = goal;
    while (0.5 * (next + loss) > accuracy)
        next = 0.5 * (next + loss);
    return next;
}

/* One step from an accuracy to the next. False if the correction is larger than the accuracy allows. */
static bool advance(mp_digits *d, double accuracy, double next)
{
    const double squared = d->equations > d->unknowns ? 2.0 : 1.0; /* that of the normal equations */
    const double reserve = d->noise + log2((double)d->equations) + 2.0 * GUARD;
    const int64_t bits = (int64_t)(next + d->condition + reserve),
                  jacobian_bits = (int64_t)(next - accuracy + 2.0 * squared * d->condition + reserve);
    return step(d, bits, jacobian_bits) && largest_move(d, d->unit) <= 2.0 - accuracy;
}

static int64_t known_digits(double accuracy, int64_t digits)
{
    const double known = floor((accuracy - 1.0) / BITS_PER_DIGIT);
    return known >= (double)digits ? digits : known > 0.0 ? (int64_t)known : 0;
}

int32_t mp_digits_refine(mp_digits *d, const double *x, int32_t limbs, int64_t digits, int64_t *known)
{
    const double goal = (double)digits * BITS_PER_DIGIT + 4.0;
    double accuracy = 0.0;
    *known = d->steps = 0;
    int32_t code = settle(d, x, limbs, &accuracy);
    if (code != PLUMB_DIGITS_REACHED)
        return code;
    for (int repairs = 0; accuracy < goal && repairs < MOST_REPAIRS && accuracy > d->growth + GUARD; repairs++) {
        for (bool good = true; good && accuracy < goal;) {
            if (d->stopped && d->stopped(d->data))
                return STOPPED;
            const double next = next_accuracy(d, accuracy, goal);
            good = advance(d, accuracy, next);
            accuracy = next;
        }
        accuracy = measure(d, d->bits);
        if (!vanishes(d))
            return PLUMB_DIGITS_NOT_ZERO;
    }
    *known = known_digits(accuracy, digits);
    return *known >= digits ? PLUMB_DIGITS_REACHED : *known > 0 ? PLUMB_DIGITS_FEWER : PLUMB_DIGITS_SINGULAR;
}
