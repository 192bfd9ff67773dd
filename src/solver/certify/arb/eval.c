/* eval.c - a polynomial system and its Jacobian in ball arithmetic.
 *
 * Every result encloses the exact one for every point of the box x: coefficients are exact rationals, which are rounded to
 * balls, and each operation of Arb encloses its exact result. Terms are evaluated one by one, with the products of the
 * first and of the last factors of a term for its derivatives. */
#include <stdlib.h>
#include <string.h>

#include "solver/certify/arb/arb.h"

static int by_unknown(const void *p, const void *q)
{
    const balls_power *a = p, *b = q;
    if (a->unknown != b->unknown)
        return a->unknown < b->unknown ? -1 : 1;
    return (a->exponent > b->exponent) - (a->exponent < b->exponent);
}

static slong place_of(const balls_system *s, int32_t unknown, int32_t exponent)
{
    const balls_power key = {unknown, exponent};
    if (exponent == 0)
        return -1;
    const balls_power *at = bsearch(&key, s->power, (size_t)s->powers, sizeof key, by_unknown);
    return at ? at - s->power : -1;
}

static bool make_powers(balls_system *s, slong factors)
{
    const system_factor *factor = s->system->factors;
    s->power = calloc((size_t)(2 * factors + 1), sizeof *s->power);
    s->value = calloc((size_t)factors + 1, sizeof *s->value);
    s->less = calloc((size_t)factors + 1, sizeof *s->less);
    if (!s->power || !s->value || !s->less)
        return false;
    slong count = 0;
    for (slong k = 0; k < factors; k++) {
        s->power[count++] = (balls_power){factor[k].unknown, factor[k].exponent};
        if (factor[k].exponent > 1)
            s->power[count++] = (balls_power){factor[k].unknown, factor[k].exponent - 1};
    }
    qsort(s->power, (size_t)count, sizeof *s->power, by_unknown);
    for (slong k = 0; k < count; k++) /* each once */
        if (k == 0 || by_unknown(&s->power[k], &s->power[s->powers - 1]) != 0)
            s->power[s->powers++] = s->power[k];
    for (slong k = 0; k < factors; k++) {
        s->value[k] = place_of(s, factor[k].unknown, factor[k].exponent);
        s->less[k] = place_of(s, factor[k].unknown, factor[k].exponent - 1);
    }
    return true;
}

balls_system *balls_system_create(const plumb_system *system, const int32_t *square)
{
    balls_system *s = calloc(1, sizeof *s);
    slong factors = 0;
    if (!s)
        return NULL;
    *s =
        (balls_system){.system = system, .square = square, .m = system->equations, .n = system->unknowns, .real = true};
    for (int64_t k = 0; k < system->equation[system->equations]; k++) {
        const system_term *term = &system->terms[k];
        const slong end = term->first + term->count;
        factors = end > factors ? end : factors;
        s->most_factors = term->count > s->most_factors ? term->count : s->most_factors;
        s->real &= mpq_sgn(term->im) == 0;
    }
    if (!make_powers(s, factors)) {
        balls_system_destroy(s);
        return NULL;
    }
    return s;
}

void balls_system_destroy(balls_system *s)
{
    if (!s)
        return;
    free(s->power);
    free(s->value);
    free(s->less);
    free(s);
}

balls_worker *balls_worker_create(const balls_system *s)
{
    balls_worker *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->system = s;
    w->coef = _acb_vec_init(s->system->equation[s->m]);
    w->power = _acb_vec_init(s->powers);
    w->chain = _acb_vec_init(s->most_factors + 1);
    w->x = _acb_vec_init(s->n);
    w->f = _acb_vec_init(s->m);
    w->g = _acb_vec_init(s->n);
    w->step = _acb_vec_init(s->n);
    acb_mat_init(w->df, s->m, s->n);
    acb_mat_init(w->j, s->n, s->n);
    acb_mat_init(w->y, s->n, s->n);
    acb_mat_init(w->r, s->n, s->n);
    w->size = _mag_vec_init(s->n);
    w->bound = _mag_vec_init(s->n);
    w->radius = _mag_vec_init(s->n);
    w->t = _acb_vec_init(1);
    w->u = _acb_vec_init(1);
    mag_init(w->mag);
    mag_init(w->most);
    return w;
}

void balls_worker_destroy(balls_worker *w, bool thread_ends)
{
    if (!w)
        return;
    const balls_system *s = w->system;
    _acb_vec_clear(w->coef, s->system->equation[s->m]);
    _acb_vec_clear(w->power, s->powers);
    _acb_vec_clear(w->chain, s->most_factors + 1);
    _acb_vec_clear(w->x, s->n);
    _acb_vec_clear(w->f, s->m);
    _acb_vec_clear(w->g, s->n);
    _acb_vec_clear(w->step, s->n);
    acb_mat_clear(w->df);
    acb_mat_clear(w->j);
    acb_mat_clear(w->y);
    acb_mat_clear(w->r);
    _mag_vec_clear(w->size, s->n);
    _mag_vec_clear(w->bound, s->n);
    _mag_vec_clear(w->radius, s->n);
    _acb_vec_clear(w->t, 1);
    _acb_vec_clear(w->u, 1);
    mag_clear(w->mag);
    mag_clear(w->most);
    free(w);
    if (thread_ends)
        flint_cleanup();
}

static void set_rational(arb_t ball, mpq_srcptr value, slong bits)
{
    fmpq_t q;
    fmpq_init(q);
    fmpq_set_mpq(q, value);
    arb_set_fmpq(ball, q, bits);
    fmpq_clear(q);
}

static void round_coefficients(balls_worker *w, slong bits)
{
    const plumb_system *s = w->system->system;
    if (w->bits == bits)
        return;
    for (int64_t k = 0; k < s->equation[s->equations]; k++) {
        set_rational(acb_realref(w->coef + k), s->terms[k].re, bits);
        set_rational(acb_imagref(w->coef + k), s->terms[k].im, bits);
    }
    w->bits = bits;
}

/* Each power is made from the one before it of the same unknown, if there is one. */
static void make_all_powers(balls_worker *w, acb_srcptr x, slong bits)
{
    const balls_system *s = w->system;
    for (slong k = 0; k < s->powers; k++) {
        const balls_power *p = &s->power[k], *before = p - 1;
        const bool first = k == 0 || before->unknown != p->unknown;
        const int32_t gap = first ? p->exponent : p->exponent - before->exponent;
        acb_srcptr base = x + p->unknown;
        if (gap == 1 && first)
            acb_set_round(w->power + k, base, bits);
        else if (first)
            acb_pow_ui(w->power + k, base, (ulong)gap, bits);
        else if (gap == 1)
            acb_mul(w->power + k, w->power + k - 1, base, bits);
        else {
            acb_pow_ui(w->t, base, (ulong)gap, bits);
            acb_mul(w->power + k, w->power + k - 1, w->t, bits);
        }
    }
}

static void add_term(balls_worker *w, int64_t equation, int64_t k, slong bits, bool derivatives)
{
    const balls_system *s = w->system;
    const system_term *term = &s->system->terms[k];
    const slong *value = s->value + term->first, *less = s->less + term->first;
    const system_factor *factor = s->system->factors + term->first;
    acb_ptr chain = w->chain;
    acb_set(chain, w->coef + k);
    for (int32_t i = 0; i < term->count; i++)
        if (i == 0 && s->real)
            acb_mul_arb(chain + 1, w->power + value[0], acb_realref(chain), bits);
        else
            acb_mul(chain + i + 1, chain + i, w->power + value[i], bits);
    acb_add(w->f + equation, w->f + equation, chain + term->count, bits);
    if (!derivatives)
        return;
    acb_one(w->u); /* the product of the factors after i */
    for (int32_t i = term->count - 1; i >= 0; i--) {
        acb_ptr to = acb_mat_entry(w->df, equation, factor[i].unknown);
        acb_mul(w->t, chain + i, w->u, bits);
        if (less[i] >= 0) {
            acb_mul(w->t, w->t, w->power + less[i], bits);
            acb_mul_ui(w->t, w->t, (ulong)factor[i].exponent, bits);
        }
        acb_add(to, to, w->t, bits);
        if (i > 0)
            acb_mul(w->u, w->u, w->power + value[i], bits);
    }
}

/* The square system: row by row the combinations of equations that `square` gives, or the equations themselves. */
static void combine(balls_worker *w, slong bits, bool derivatives)
{
    const balls_system *s = w->system;
    if (!s->square) {
        _acb_vec_set(w->g, w->f, s->n);
        if (derivatives)
            acb_mat_set(w->j, w->df);
        return;
    }
    _acb_vec_zero(w->g, s->n);
    if (derivatives)
        acb_mat_zero(w->j);
    for (slong i = 0; i < s->n; i++)
        for (slong k = 0; k < s->m; k++) {
            const int32_t by = s->square[i * s->m + k];
            if (by == 0)
                continue;
            acb_addmul_si(w->g + i, w->f + k, by, bits);
            for (slong l = 0; derivatives && l < s->n; l++)
                acb_addmul_si(acb_mat_entry(w->j, i, l), acb_mat_entry(w->df, k, l), by, bits);
        }
}

void balls_eval(balls_worker *w, acb_srcptr x, slong bits, bool derivatives)
{
    const plumb_system *system = w->system->system;
    round_coefficients(w, bits);
    make_all_powers(w, x, bits);
    _acb_vec_zero(w->f, w->system->m);
    if (derivatives)
        acb_mat_zero(w->df);
    for (int64_t e = 0; e < system->equations; e++)
        for (int64_t k = system->equation[e]; k < system->equation[e + 1]; k++)
            add_term(w, e, k, bits, derivatives);
    combine(w, bits, derivatives);
}
