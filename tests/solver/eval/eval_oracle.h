/* eval_oracle.h - values and derivatives of a system in MPFR, each with the sum of the moduli of its terms, relative
 * to which rounding errors are measured. */
#ifndef PLUMB_SOLVER_EVAL_EVAL_ORACLE_H
#define PLUMB_SOLVER_EVAL_EVAL_ORACLE_H

#include <math.h>
#include <mpfr.h>

#include "eval_cases.h"
#include "model/system/system.h"

enum { ORACLE_BITS = 700 };

typedef struct oracle_number {
    mpfr_t re, im;
} oracle_number;

static void oracle_init(oracle_number *z)
{
    mpfr_inits2(ORACLE_BITS, z->re, z->im, (mpfr_ptr)0);
    mpfr_set_zero(z->re, 1);
    mpfr_set_zero(z->im, 1);
}

static void oracle_clear(oracle_number *z)
{
    mpfr_clears(z->re, z->im, (mpfr_ptr)0);
}

static oracle_number *oracle_array(int64_t count)
{
    oracle_number *z = calloc((size_t)count + 1, sizeof *z);
    assert_non_null(z);
    for (int64_t i = 0; i < count; i++)
        oracle_init(&z[i]);
    return z;
}

static void oracle_free(oracle_number *z, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        oracle_clear(&z[i]);
    free(z);
}

/* a *= b */
static void oracle_mul(oracle_number *a, const oracle_number *b)
{
    mpfr_t re, im;
    mpfr_inits2(ORACLE_BITS, re, im, (mpfr_ptr)0);
    mpfr_fmms(re, a->re, b->re, a->im, b->im, MPFR_RNDN);
    mpfr_fmma(im, a->re, b->im, a->im, b->re, MPFR_RNDN);
    mpfr_swap(a->re, re);
    mpfr_swap(a->im, im);
    mpfr_clears(re, im, (mpfr_ptr)0);
}

static void oracle_add(oracle_number *a, const oracle_number *b)
{
    mpfr_add(a->re, a->re, b->re, MPFR_RNDN);
    mpfr_add(a->im, a->im, b->im, MPFR_RNDN);
}

/* |z| to double precision, beyond the range of a double infinite. */
static double oracle_modulus(const oracle_number *z)
{
    mpfr_t m;
    mpfr_init2(m, 53);
    mpfr_hypot(m, z->re, z->im, MPFR_RNDU);
    double result = mpfr_get_d(m, MPFR_RNDU);
    mpfr_clear(m);
    return result;
}

/* What was exact, and what the terms' moduli sum up to. */
typedef struct oracle_result {
    oracle_number *value, *entry; /* equations; entry (i, v): [i*unknowns + v] */
    double *value_size, *entry_size;
    int64_t equations, unknowns;
} oracle_result;

static void oracle_result_free(oracle_result *r)
{
    oracle_free(r->value, r->equations);
    oracle_free(r->entry, r->equations * r->unknowns);
    free(r->value_size);
    free(r->entry_size);
}

/* Number `row` of point `point` of a view. */
static void oracle_get(oracle_number *z, const plumb_view *view, int64_t point, int64_t row, int64_t col)
{
    const double *p = view->data + point * view->next + col * view->col + row;
    mpfr_set_zero(z->re, 1);
    mpfr_set_zero(z->im, 1);
    for (int32_t c = 0; c < view->prec; c++) {
        mpfr_add_d(z->re, z->re, p[c * view->plane], MPFR_RNDN);
        if (view->parts == PLUMB_COMPLEX)
            mpfr_add_d(z->im, z->im, p[(view->prec + c) * view->plane], MPFR_RNDN);
    }
}

/* product = coefficient * times * the powers of the factors, one of them lowered by one (or none: lowered = -1). */
static void oracle_term(oracle_number *product, const plumb_system *s, const system_term *t, int32_t lowered,
                        const oracle_number *powers, const int64_t *first)
{
    mpfr_set_q(product->re, t->re, MPFR_RNDN);
    mpfr_set_q(product->im, t->im, MPFR_RNDN);
    for (int32_t j = 0; j < t->count; j++) {
        const system_factor *f = &s->factors[t->first + j];
        oracle_mul(product, &powers[first[f->unknown] + f->exponent - (j == lowered)]);
        if (j == lowered) {
            mpfr_mul_si(product->re, product->re, f->exponent, MPFR_RNDN);
            mpfr_mul_si(product->im, product->im, f->exponent, MPFR_RNDN);
        }
    }
}

static oracle_result oracle_eval(const plumb_system *s, const plumb_view *points, int64_t point)
{
    oracle_result r = {.equations = s->equations, .unknowns = s->unknowns};
    int64_t n = s->unknowns;
    r.value = oracle_array(r.equations);
    r.entry = oracle_array(r.equations * n);
    r.value_size = calloc((size_t)r.equations + 1, sizeof(double));
    r.entry_size = calloc((size_t)(r.equations * n) + 1, sizeof(double));
    int64_t *first = calloc((size_t)n + 2, sizeof *first); /* x_v^e is powers[first[v] + e] */
    oracle_number product;
    assert_true(r.value_size && r.entry_size && first);
    for (int64_t t = 0; t < s->equation[s->equations]; t++)
        for (int32_t j = 0; j < s->terms[t].count; j++) {
            const system_factor *f = &s->factors[s->terms[t].first + j];
            if (f->exponent > first[f->unknown + 1])
                first[f->unknown + 1] = f->exponent;
        }
    for (int64_t v = 0; v < n; v++)
        first[v + 1] += first[v] + 2;
    oracle_number *powers = oracle_array(first[n]);
    for (int64_t v = 0; v < n; v++) {
        oracle_number *power = powers + first[v];
        mpfr_set_ui(power[0].re, 1, MPFR_RNDN);
        oracle_get(&power[1], points, point, v, 0);
        for (int64_t e = 2; e < first[v + 1] - first[v]; e++) {
            oracle_add(&power[e], &power[e - 1]);
            oracle_mul(&power[e], &power[1]);
        }
    }
    oracle_init(&product);
    for (int64_t i = 0; i < s->equations; i++)
        for (int64_t t = s->equation[i]; t < s->equation[i + 1]; t++) {
            const system_term *term = &s->terms[t];
            oracle_term(&product, s, term, -1, powers, first);
            oracle_add(&r.value[i], &product);
            r.value_size[i] += oracle_modulus(&product);
            for (int32_t j = 0; j < term->count; j++) {
                int64_t at = i * n + s->factors[term->first + j].unknown;
                oracle_term(&product, s, term, j, powers, first);
                oracle_add(&r.entry[at], &product);
                r.entry_size[at] += oracle_modulus(&product);
            }
        }
    oracle_clear(&product);
    oracle_free(powers, first[n]);
    free(first);
    return r;
}

/* The distance of a computed number from the exact one, in units of u times the size; 0 where it is nothing but the underflow
 * of a part of a product. */
static double oracle_error(const oracle_number *exact, double size, const plumb_view *view, int64_t point, int64_t row,
                           int64_t col)
{
    oracle_number z;
    oracle_init(&z);
    oracle_get(&z, view, point, row, col);
    mpfr_sub(z.re, z.re, exact->re, MPFR_RNDN);
    mpfr_sub(z.im, z.im, exact->im, MPFR_RNDN);
    double distance = oracle_modulus(&z), unit = view->prec == 1 ? 0x1p-53 : view->prec == 2 ? 0x1p-106 : 0x1p-212;
    oracle_clear(&z);
    if (isnan(distance))
        return (double)INFINITY;
    return distance < 0x1p-960 ? 0 : distance / unit / size;
}

/* Errors are at most so many units (2^-53, 2^-106, 2^-212) times (degree + 4) times the moduli of the terms: the errors of
 * a product of d factors add up. Those seen are below 1.5. */
static const double oracle_allowed[] = {[PLUMB_D] = 3, [PLUMB_DD] = 6, [PLUMB_QD] = 16};

/* The worst error of values and Jacobians, all on the host, in units of (degree + 4) u times the moduli of the terms. */
static inline double oracle_worst(const plumb_system *system, const plumb_view *points, const plumb_view *values,
                                  const plumb_view *jacobians)
{
    double worst = 0;
    int64_t degree = 0, n = system->unknowns;
    for (int64_t b = 0; b < points->batch; b++) {
        oracle_result exact = oracle_eval(system, points, b);
        for (int64_t i = 0; i < system->equations; i++) {
            worst = fmax(worst, oracle_error(&exact.value[i], exact.value_size[i], values, b, i, 0));
            for (int64_t v = 0; v < n; v++)
                worst =
                    fmax(worst, oracle_error(&exact.entry[i * n + v], exact.entry_size[i * n + v], jacobians, b, i, v));
        }
        oracle_result_free(&exact);
    }
    for (int64_t i = 0; i < system->equations; i++)
        if (plumb_system_degree(system, i) > degree)
            degree = plumb_system_degree(system, i);
    return worst / (double)(degree + 4);
}

#endif
