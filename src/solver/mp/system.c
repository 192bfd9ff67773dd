/* system.c - see system.h. */
#include "solver/mp/system.h"

#include <math.h>
#include <stdlib.h>

static void round_coefficients(mp_system *s)
{
    const plumb_system *system = s->system;
    for (int64_t k = 0; k < system->equation[system->equations]; k++) {
        mpfr_set_q(s->coefficient[k].re, system->terms[k].re, MPFR_RNDN);
        mpfr_set_q(s->coefficient[k].im, system->terms[k].im, MPFR_RNDN);
    }
}

plumb_status mp_system_begin(const plumb_system *system, int64_t bits, mp_system *s)
{
    const int64_t terms = system->equation[system->equations], n = system->unknowns;
    *s = (mp_system){.system = system,
                     .bits = bits,
                     .highest = calloc((size_t)n + 1, sizeof *s->highest),
                     .first = calloc((size_t)n + 1, sizeof *s->first)};
    if (!s->highest || !s->first)
        return PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < terms; k++)
        for (int64_t f = system->terms[k].first; f < system->terms[k].first + system->terms[k].count; f++) {
            const system_factor *factor = &system->factors[f];
            if (factor->exponent > s->highest[factor->unknown])
                s->highest[factor->unknown] = factor->exponent;
        }
    for (int64_t i = 0; i < n; i++) {
        s->first[i] = s->power_count;
        s->power_count += s->highest[i] + 1;
    }
    for (int64_t k = 0; k < terms; k++)
        s->most_factors = system->terms[k].count > s->most_factors ? system->terms[k].count : s->most_factors;
    s->coefficient = mp_make(terms, bits);
    s->powers = mp_make(s->power_count, bits);
    s->chain = mp_make(s->most_factors + 1, bits);
    mp_complex *temporary = mp_make(3, bits);
    for (int k = 0; k < 3 && temporary; k++)
        s->temporary[k] = temporary[k];
    const bool good = temporary != NULL;
    free(temporary); /* the numbers have moved */
    if (!s->coefficient || !s->powers || !s->chain || !good)
        return PLUMB_ERR_MEMORY;
    round_coefficients(s);
    return PLUMB_OK;
}

void mp_system_resize(mp_system *s, int64_t bits)
{
    const plumb_system *system = s->system;
    mp_resize(s->coefficient, system->equation[system->equations], bits);
    mp_resize(s->powers, s->power_count, bits);
    mp_resize(s->chain, s->most_factors + 1, bits);
    mp_resize(s->temporary, 3, bits);
    s->bits = bits;
    round_coefficients(s);
}

void mp_system_clear(mp_system *s)
{
    if (!s->system)
        return;
    mp_free(s->coefficient, s->coefficient ? s->system->equation[s->system->equations] : 0);
    mp_free(s->powers, s->powers ? s->power_count : 0);
    mp_free(s->chain, s->chain ? s->most_factors + 1 : 0);
    for (int k = 0; k < 3; k++)
        if (s->temporary[k].re->_mpfr_d) {
            mpfr_clear(s->temporary[k].re);
            mpfr_clear(s->temporary[k].im);
        }
    free(s->highest);
    free(s->first);
    *s = (mp_system){.system = NULL};
}

static void make_powers(mp_system *s, const mp_complex *x)
{
    for (int64_t i = 0; i < s->system->unknowns; i++) {
        mp_complex *p = s->powers + s->first[i];
        mpfr_set_ui(p[0].re, 1, MPFR_RNDN);
        mpfr_set_zero(p[0].im, 1);
        for (int32_t e = 1; e <= s->highest[i]; e++)
            mp_mul(&p[e], &p[e - 1], &x[i], s->temporary[0].re);
    }
}

static const mp_complex *power_of(const mp_system *s, const system_factor *f, int32_t exponent)
{
    return &s->powers[s->first[f->unknown] + exponent];
}

/* chain[i] = the coefficient times the first i powers of term k. */
static void make_chain(mp_system *s, int64_t k)
{
    const system_term *t = &s->system->terms[k];
    mp_set(&s->chain[0], &s->coefficient[k]);
    for (int32_t i = 0; i < t->count; i++) {
        const system_factor *f = &s->system->factors[t->first + i];
        mp_mul(&s->chain[i + 1], &s->chain[i], power_of(s, f, f->exponent), s->temporary[0].re);
    }
}

/* Adds the derivatives of term k, whose chain is made, to a row of the Jacobian: those of the factors before, the derivative of one factor, and
 * the product of those after it. */
static void add_derivatives(mp_system *s, int64_t k, mp_complex *row)
{
    const system_term *t = &s->system->terms[k];
    mp_complex *product = &s->temporary[1], *after = &s->temporary[2];
    for (int32_t i = t->count - 1; i >= 0; i--) {
        const system_factor *f = &s->system->factors[t->first + i];
        const mp_complex *before = &s->chain[i];
        if (i < t->count - 1) {
            mp_mul(product, before, after, s->temporary[0].re);
            before = product;
        }
        if (f->exponent > 1) {
            mp_mul(product, before, power_of(s, f, f->exponent - 1), s->temporary[0].re);
            mpfr_mul_si(product->re, product->re, f->exponent, MPFR_RNDN);
            mpfr_mul_si(product->im, product->im, f->exponent, MPFR_RNDN);
            before = product;
        }
        mp_add(&row[f->unknown], &row[f->unknown], before);
        if (i == t->count - 1)
            mp_set(after, power_of(s, f, f->exponent));
        else if (i > 0)
            mp_mul(after, after, power_of(s, f, f->exponent), s->temporary[0].re);
    }
}

static void set_zero(mp_complex *z)
{
    mpfr_set_zero(z->re, 1);
    mpfr_set_zero(z->im, 1);
}

void mp_system_eval(mp_system *s, const mp_complex *x, mp_complex *values, mp_complex *jacobian, double *sizes)
{
    const plumb_system *system = s->system;
    const int64_t n = system->unknowns;
    make_powers(s, x);
    for (int64_t e = 0; e < system->equations; e++) {
        double size = -(double)INFINITY;
        set_zero(&values[e]);
        for (int64_t j = 0; j < n && jacobian; j++)
            set_zero(&jacobian[e * n + j]);
        for (int64_t k = system->equation[e]; k < system->equation[e + 1]; k++) {
            const system_term *t = &system->terms[k];
            const mp_complex *product = &s->chain[t->count];
            make_chain(s, k);
            mp_add(&values[e], &values[e], product);
            size = sizes ? fmax(size, mp_log2(product)) : size;
            if (jacobian)
                add_derivatives(s, k, &jacobian[e * n]);
        }
        if (sizes)
            sizes[e] = size;
    }
}

static void swap(mp_complex *x, mp_complex *y)
{
    mpfr_swap(x->re, y->re);
    mpfr_swap(x->im, y->im);
}

bool mp_solve(mp_complex *a, mp_complex *b, int64_t n, int64_t count, mp_complex *temporary)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        double most = -(double)INFINITY;
        for (int64_t i = k; i < n; i++) {
            const double size = mp_log2(&a[i * n + k]);
            if (size > most) {
                most = size;
                best = i;
            }
        }
        if (!(most > -(double)INFINITY) || most == (double)INFINITY)
            return false;
        for (int64_t j = 0; j < n && best != k; j++)
            swap(&a[k * n + j], &a[best * n + j]);
        for (int64_t j = 0; j < count && best != k; j++)
            swap(&b[k * count + j], &b[best * count + j]);
        for (int64_t i = k + 1; i < n; i++) {
            mp_complex *factor = &a[i * n + k];
            if (mpfr_zero_p(factor->re) && mpfr_zero_p(factor->im))
                continue;
            mp_div(factor, factor, &a[k * n + k], temporary + 1);
            for (int64_t j = k + 1; j < n; j++)
                mp_sub_product(&a[i * n + j], factor, &a[k * n + j], temporary);
            for (int64_t j = 0; j < count; j++)
                mp_sub_product(&b[i * count + j], factor, &b[k * count + j], temporary);
        }
    }
    for (int64_t k = n - 1; k >= 0; k--)
        for (int64_t j = 0; j < count; j++) {
            mp_complex *x = &b[k * count + j];
            for (int64_t i = k + 1; i < n; i++)
                mp_sub_product(x, &a[k * n + i], &b[i * count + j], temporary);
            mp_div(x, x, &a[k * n + k], temporary + 1);
        }
    return true;
}

double mp_system_cost(const plumb_system *system, int64_t bits)
{
    const double limbs = (double)bits / 64.0 + 4.0, n = (double)system->unknowns;
    double products = n * n * n / 3.0;
    for (int64_t k = 0; k < system->equation[system->equations]; k++)
        products += 3.0 * (double)system->terms[k].count + 1.0;
    return 4.0 * products * pow(limbs, 1.6);
}

int64_t mp_bits_for(const plumb_system *system, int64_t first, int64_t times)
{
    const int64_t most_bits = 16384;
    int64_t most = 0;
    for (int64_t k = 0; k < system->equation[system->equations]; k++)
        for (int part = 0; part < 2; part++) {
            mpq_srcptr c = part == 0 ? system->terms[k].re : system->terms[k].im;
            const int64_t bits = (int64_t)(mpz_sizeinbase(mpq_numref(c), 2) + mpz_sizeinbase(mpq_denref(c), 2));
            most = bits > most ? bits : most;
        }
    return first + times * most < most_bits ? first + times * most : most_bits;
}
