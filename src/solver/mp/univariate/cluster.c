/* cluster.c - see cluster.h. */
#include "solver/mp/univariate/cluster.h"

#include <stdbool.h>
#include <stdlib.h>

enum { MOST_STEPS = 20 }; /* of Newton's method */

typedef struct expansion {
    const mp_poly *p;
    int64_t k;
    mp_complex *a; /* all coefficients; 0 .. k are those of Taylor after expand */
    mp_complex *centre, *scratch;
} expansion;

/* Divides by x - centre again and again. */
static void expand(expansion *e)
{
    const wide_poly *shape = e->p->shape;
    for (int64_t j = 0; j <= shape->n; j++) {
        mpfr_set_zero(e->a[j].re, 1);
        mpfr_set_zero(e->a[j].im, 1);
    }
    for (int64_t t = 0; t < shape->terms; t++)
        mp_set(&e->a[shape->exponent[t]], &e->p->c[t]);
    for (int64_t j = 0; j <= e->k; j++)
        for (int64_t i = shape->n - 1; i >= j; i--)
            mp_add_product(&e->a[i], &e->a[i + 1], e->centre, e->scratch);
}

static void find_mean(expansion *e, const mp_complex *z, const int64_t *member)
{
    for (int64_t i = 0; i < e->k; i++)
        mp_add(e->centre, e->centre, &z[member[i]]);
    mpfr_div_si(e->centre->re, e->centre->re, (long)e->k, MPFR_RNDN);
    mpfr_div_si(e->centre->im, e->centre->im, (long)e->k, MPFR_RNDN);
}

/* Newton's method on the derivative of order k - 1, as long as it converges; e is expanded at the result. */
static void find_centre(expansion *e)
{
    mp_complex *step = e->scratch;
    double before = (double)INFINITY;
    for (int i = 0; i < MOST_STEPS; i++) {
        expand(e);
        mp_div(step, &e->a[e->k - 1], &e->a[e->k], e->scratch + 1);
        mpfr_div_si(step->re, step->re, (long)e->k, MPFR_RNDN);
        mpfr_div_si(step->im, step->im, (long)e->k, MPFR_RNDN);
        const double size = mp_log2(step), least = mp_log2(e->centre) - (double)e->p->bits;
        if (!(size < before - 1.0) || size <= least)
            return;
        mp_sub(e->centre, e->centre, step);
        before = size;
    }
    expand(e);
}

/* Bounds of the rounding errors of the coefficients: the same expansion of the moduli, times what rounding may be relative to it. sum has
 * room for all of them. */
static void find_rounding(const expansion *e, wide *sum)
{
    const wide_poly *shape = e->p->shape;
    const wide at = wide_abs(wide_from(e->centre->re, e->centre->im));
    for (int64_t j = 0; j <= shape->n; j++)
        sum[j] = wide_make(0.0, 0.0, 0);
    for (int64_t t = 0; t < shape->terms; t++)
        sum[shape->exponent[t]] = wide_abs(shape->c[t]);
    for (int64_t j = 0; j <= e->k; j++)
        for (int64_t i = shape->n - 1; i >= j; i--)
            sum[i] = wide_add(sum[i], wide_mul(sum[i + 1], at));
    for (int64_t j = 0; j <= e->k; j++)
        sum[j] = wide_mul(sum[j], wide_make(16.0 * (double)(shape->n + 1), 0.0, -e->p->bits));
}

/* Points around the centre, by the terms up to degree k. A coefficient that rounding hides is taken for as large as it may be. */
static plumb_status place(const expansion *e, const int64_t *member, double most, wide *near, mp_complex *z)
{
    wide_poly low = {.n = e->k, .terms = e->k + 1, .exponent = calloc((size_t)e->k + 1, sizeof *low.exponent)};
    low.c = calloc((size_t)e->p->shape->n + 1, sizeof *low.c);
    plumb_status status = low.exponent && low.c ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        find_rounding(e, low.c);
    for (int64_t j = e->k; j >= 0 && status == PLUMB_OK; j--) {
        const wide a = wide_from(e->a[j].re, e->a[j].im);
        low.exponent[e->k - j] = j;
        low.c[j] = wide_is_above(a, low.c[j], 0) ? a : low.c[j];
    }
    for (int64_t j = 0; 2 * j < e->k && status == PLUMB_OK; j++) { /* higher exponents first */
        const wide swap = low.c[j];
        low.c[j] = low.c[e->k - j];
        low.c[e->k - j] = swap;
    }
    if (status == PLUMB_OK)
        status = wide_starts(&low, near);
    bool smaller = status == PLUMB_OK;
    for (int64_t i = 0; i < e->k && smaller; i++)
        smaller = !(wide_log2(near[i]) >= most);
    for (int64_t i = 0; i < e->k && smaller; i++) {
        mp_set_wide(e->scratch, near[i]);
        mp_add(&z[member[i]], e->centre, e->scratch);
    }
    free(low.exponent);
    free(low.c);
    return status;
}

plumb_status mp_cluster_restart(const mp_poly *p, const int64_t *member, int64_t k, double most, mp_complex *z)
{
    const int64_t n = p->shape->n;
    expansion e = {
        .p = p, .k = k, .a = mp_make(n + 1, p->bits), .centre = mp_make(1, p->bits), .scratch = mp_make(3, p->bits)};
    wide *near = calloc((size_t)k, sizeof *near);
    plumb_status status = e.a && e.centre && e.scratch && near ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK) {
        find_mean(&e, z, member);
        find_centre(&e);
        status = place(&e, member, most, near, z);
    }
    mp_free(e.a, e.a ? n + 1 : 0);
    mp_free(e.centre, e.centre ? 1 : 0);
    mp_free(e.scratch, e.scratch ? 3 : 0);
    free(near);
    return status;
}
