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

static bool same_monomial(const plumb_system *s, const system_term *a, const system_term *b)
{
    bool same = a->count == b->count;
    for (int32_t i = 0; i < a->count && same; i++) {
        const system_factor *f = &s->factors[a->first + i], *g = &s->factors[b->first + i];
        same = f->unknown == g->unknown && f->exponent == g->exponent;
    }
    return same;
}

/* The lists of terms, by a table of monomials that has at least twice as many places. */
static bool list_monomials(mp_system *s)
{
    const plumb_system *system = s->system;
    const int64_t terms = system->equation[system->equations];
    size_t places = 16;
    while (places < 2 * (size_t)terms)
        places *= 2;
    int64_t *table = calloc(places, sizeof *table); /* the first term of a monomial, plus one */
    s->first_of = calloc((size_t)terms + 1, sizeof *s->first_of);
    s->next_of = calloc((size_t)terms + 1, sizeof *s->next_of);
    s->equation_of = calloc((size_t)terms + 1, sizeof *s->equation_of);
    const bool good = table && s->first_of && s->next_of && s->equation_of;
    for (int64_t e = 0; e < system->equations && good; e++)
        for (int64_t k = system->equation[e]; k < system->equation[e + 1]; k++) {
            const system_term *t = &system->terms[k];
            uint64_t hash = 14695981039346656037u;
            for (int32_t i = 0; i < t->count; i++) {
                const system_factor *f = &system->factors[t->first + i];
                hash = (hash ^ ((uint64_t)f->unknown << 32 ^ (uint64_t)(uint32_t)f->exponent)) * 1099511628211u;
            }
            size_t at = (size_t)(hash ^ hash >> 29) & (places - 1);
            while (table[at] != 0 && !same_monomial(system, t, &system->terms[table[at] - 1]))
                at = (at + 1) & (places - 1);
            s->equation_of[k] = e;
            s->next_of[k] = -1;
            if (table[at] == 0) {
                table[at] = k + 1;
                s->first_of[s->monomials++] = k;
            } else { /* behind the first one */
                s->next_of[k] = s->next_of[table[at] - 1];
                s->next_of[table[at] - 1] = k;
            }
        }
    free(table);
    return good;
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
    s->slope = mp_make(s->most_factors, bits);
    mp_complex *temporary = mp_make(3, bits);
    for (int k = 0; k < 3 && temporary; k++)
        s->temporary[k] = temporary[k];
    const bool good = list_monomials(s) && temporary != NULL;
    free(temporary); /* the numbers have moved */
    if (!s->coefficient || !s->powers || !s->chain || !s->slope || !good)
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
    mp_resize(s->slope, s->most_factors, bits);
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
    mp_free(s->slope, s->slope ? s->most_factors : 0);
    for (int k = 0; k < 3; k++)
        if (s->temporary[k].re->_mpfr_d) {
            mpfr_clear(s->temporary[k].re);
            mpfr_clear(s->temporary[k].im);
        }
    free(s->highest);
    free(s->first);
    free(s->first_of);
    free(s->next_of);
    free(s->equation_of);
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

/* chain[i] = the product of the first i factors of a term. */
static void make_chain(mp_system *s, const system_term *t)
{
    mpfr_set_ui(s->chain[0].re, 1, MPFR_RNDN);
    mpfr_set_zero(s->chain[0].im, 1);
    for (int32_t i = 0; i < t->count; i++) {
        const system_factor *f = &s->system->factors[t->first + i];
        if (i == 0)
            mp_set(&s->chain[1], power_of(s, f, f->exponent));
        else
            mp_mul(&s->chain[i + 1], &s->chain[i], power_of(s, f, f->exponent), s->temporary[0].re);
    }
}

/* slope[i] = the derivative of the monomial of a term by its factor i: the product of those before it, which the chain has, its own
 * derivative, and the product of those after it. */
static void make_slopes(mp_system *s, const system_term *t)
{
    mp_complex *after = &s->temporary[2];
    for (int32_t i = t->count - 1; i >= 0; i--) {
        const system_factor *f = &s->system->factors[t->first + i];
        mp_complex *slope = &s->slope[i];
        if (i == t->count - 1)
            mp_set(slope, &s->chain[i]);
        else if (i == 0)
            mp_set(slope, after);
        else
            mp_mul(slope, &s->chain[i], after, s->temporary[0].re);
        if (f->exponent > 1) {
            mp_mul(slope, slope, power_of(s, f, f->exponent - 1), s->temporary[0].re);
            mpfr_mul_si(slope->re, slope->re, f->exponent, MPFR_RNDN);
            mpfr_mul_si(slope->im, slope->im, f->exponent, MPFR_RNDN);
        }
        if (i == t->count - 1)
            mp_set(after, power_of(s, f, f->exponent));
        else if (i > 0)
            mp_mul(after, after, power_of(s, f, f->exponent), s->temporary[0].re);
    }
}

static bool is_one(const mp_complex *x)
{
    return mpfr_cmp_ui(x->re, 1) == 0 && mpfr_zero_p(x->im);
}

/* sum += c x */
static void add_times(mp_system *s, mp_complex *sum, const mp_complex *c, bool one, const mp_complex *x)
{
    if (one)
        mp_add(sum, sum, x);
    else
        mp_add_product(sum, c, x, &s->temporary[1]);
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
        set_zero(&values[e]);
        for (int64_t j = 0; j < n && jacobian; j++)
            set_zero(&jacobian[e * n + j]);
        if (sizes)
            sizes[e] = -(double)INFINITY;
    }
    for (int64_t m = 0; m < s->monomials; m++) {
        const system_term *t = &system->terms[s->first_of[m]];
        const mp_complex *monomial = &s->chain[t->count];
        make_chain(s, t);
        if (jacobian)
            make_slopes(s, t);
        for (int64_t k = s->first_of[m]; k >= 0; k = s->next_of[k]) {
            const mp_complex *c = &s->coefficient[k];
            const int64_t e = s->equation_of[k];
            const bool one = is_one(c);
            add_times(s, &values[e], c, one, monomial);
            if (sizes)
                sizes[e] = fmax(sizes[e], mp_log2(c) + mp_log2(monomial));
            for (int32_t i = 0; i < t->count && jacobian; i++)
                add_times(s, &jacobian[e * n + system->factors[t->first + i].unknown], c, one, &s->slope[i]);
        }
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
