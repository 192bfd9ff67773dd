/* polynomial_multiply.c - products and powers of polynomials within a budget. */
#include <stdlib.h>

#include "base/memory/reserve.h"
#include "model/system/polynomial.h"

enum { TERM_WORK = 10 }; /* cost of storing and sorting one more term */

plumb_status plumb_work_spend(poly_work *work, int64_t units)
{
    if (units > work->left) {
        work->left = 0;
        work->limit = "that takes too long to expand";
        return PLUMB_ERR_SIZE;
    }
    work->left -= units;
    return PLUMB_OK;
}

/* The cost of a product of rationals is slightly more than linear in their length, because of the greatest common
 * divisors. */
static plumb_status spend_on_product(mpq_srcptr re, mpq_srcptr im, mpq_srcptr re2, mpq_srcptr im2, poly_work *work)
{
    int64_t length = coefficient_limbs(re) + coefficient_limbs(im) + coefficient_limbs(re2) + coefficient_limbs(im2),
            bits = 0;
    for (int64_t l = length; l > 0; l >>= 1)
        bits++;
    if (length > POLY_MOST_LIMBS) {
        work->limit = "with a coefficient of millions of digits";
        return PLUMB_ERR_SIZE;
    }
    if (!reserve_limbs(2 * length))
        return PLUMB_ERR_MEMORY;
    return plumb_work_spend(work, 1 + length * bits * bits / 32);
}

plumb_status plumb_coefficient_multiply(mpq_ptr re, mpq_ptr im, mpq_srcptr re2, mpq_srcptr im2, poly_work *work)
{
    bool real = mpq_sgn(im) == 0, real2 = mpq_sgn(im2) == 0;
    if (real2 && mpq_cmp_ui(re2, 1, 1) == 0)
        return PLUMB_OK;
    if (real && mpq_cmp_ui(re, 1, 1) == 0) { /* free, because reading a long number must not use up the budget */
        if (!reserve_limbs(coefficient_limbs(re2) + coefficient_limbs(im2)))
            return PLUMB_ERR_MEMORY;
        mpq_set(re, re2);
        mpq_set(im, im2);
        return PLUMB_OK;
    }
    plumb_status status = spend_on_product(re, im, re2, im2, work);
    if (status != PLUMB_OK)
        return status;
    if (real && real2) {
        mpq_mul(re, re, re2);
        return PLUMB_OK;
    }
    mpq_t a, b, c, d;
    mpq_inits(a, b, c, d, NULL);
    mpq_mul(a, re, re2);
    mpq_mul(b, im, im2);
    mpq_mul(c, re, im2);
    mpq_mul(d, im, re2);
    mpq_sub(re, a, b);
    mpq_add(im, c, d);
    mpq_clears(a, b, c, d, NULL);
    return PLUMB_OK;
}

/* x / y = x conj(y) / |y|^2 */
plumb_status plumb_coefficient_divide(mpq_ptr re, mpq_ptr im, mpq_srcptr re2, mpq_srcptr im2, poly_work *work)
{
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    plumb_status status = spend_on_product(re2, im2, re2, im2, work);
    if (status == PLUMB_OK) {
        mpq_mul(a, re2, re2);
        mpq_mul(b, im2, im2);
        mpq_add(b, a, b);
        mpq_div(a, re2, b);
        mpq_div(b, im2, b);
        mpq_neg(b, b);
        status = plumb_coefficient_multiply(re, im, a, b, work);
    }
    mpq_clears(a, b, NULL);
    return status;
}

/* Scratch for one term of a product. */
typedef struct term_maker {
    mpq_t re, im;
    system_factor *factors;
    int32_t count, degree;
} term_maker;

/* The monomial of a times that of b. */
static plumb_status multiply_monomials(term_maker *m, const system_factor *f, const system_term *a,
                                       const system_factor *g, const system_term *b)
{
    int32_t i = 0, j = 0;
    m->count = 0;
    if (a->degree > INT32_MAX - b->degree)
        return PLUMB_ERR_RANGE;
    m->degree = a->degree + b->degree;
    while (i < a->count || j < b->count) {
        system_factor *to = &m->factors[m->count++];
        if (j == b->count || (i < a->count && f[i].unknown < g[j].unknown)) {
            *to = f[i++];
        } else if (i == a->count || g[j].unknown < f[i].unknown) {
            *to = g[j++];
        } else {
            *to = f[i++];
            to->exponent += g[j++].exponent;
            if (to->exponent > POLY_MOST_EXPONENT)
                return PLUMB_ERR_RANGE;
        }
    }
    return PLUMB_OK;
}

static plumb_status append_product(polynomial *p, const polynomial *a, int64_t i, const polynomial *b, int64_t j,
                                   term_maker *m, poly_work *work)
{
    const system_term *s = &a->terms[i], *t = &b->terms[j];
    int64_t length =
        coefficient_limbs(s->re) + coefficient_limbs(s->im) + coefficient_limbs(t->re) + coefficient_limbs(t->im);
    plumb_status status = plumb_work_spend(work, TERM_WORK + (s->count + t->count) / 4 + length / 8);
    if (status == PLUMB_OK)
        status = multiply_monomials(m, a->factors + s->first, s, b->factors + t->first, t);
    if (status != PLUMB_OK)
        return status;
    mpq_set(m->re, s->re);
    mpq_set(m->im, s->im);
    status = plumb_coefficient_multiply(m->re, m->im, t->re, t->im, work);
    if (status == PLUMB_OK)
        status = plumb_poly_append(p, m->re, m->im, m->factors, m->count, m->degree);
    return status;
}

static int64_t most_factors(const polynomial *p)
{
    int64_t most = 0;
    for (int64_t i = 0; i < p->count; i++)
        most = p->terms[i].count > most ? p->terms[i].count : most;
    return most;
}

/* Merges the appended terms and checks that the number of terms is within bounds. */
static plumb_status settle(polynomial *p, poly_work *work)
{
    plumb_status status = plumb_poly_normalise(p);
    if (status == PLUMB_OK && p->count > POLY_MOST_TERMS) {
        work->limit = "with more than a million terms";
        status = PLUMB_ERR_SIZE;
    }
    return status;
}

plumb_status plumb_poly_add_product(polynomial *p, const polynomial *a, const polynomial *b, poly_work *work)
{
    enum {
        BETWEEN = 50000
    }; /* number of terms that may wait to be merged, in addition to as many as there are already */
    plumb_status status = PLUMB_OK;
    int64_t room = most_factors(a) + most_factors(b), next = 2 * p->count + BETWEEN;
    term_maker m = {.factors = malloc((size_t)(room > 0 ? room : 1) * sizeof *m.factors)};
    if (m.factors == NULL)
        return PLUMB_ERR_MEMORY;
    mpq_inits(m.re, m.im, NULL);
    for (int64_t i = 0; i < a->count && status == PLUMB_OK; i++)
        for (int64_t j = 0; j < b->count && status == PLUMB_OK; j++) {
            status = append_product(p, a, i, b, j, &m, work);
            if (status == PLUMB_OK && p->count > next) {
                status = settle(p, work);
                next = 2 * p->count + BETWEEN;
            }
        }
    if (status == PLUMB_OK)
        status = settle(p, work);
    mpq_clears(m.re, m.im, NULL);
    free(m.factors);
    return status;
}

/* Raises the coefficient by repeated squaring and multiplies the exponents. */
static plumb_status power_of_term(polynomial *p, int64_t exponent, poly_work *work)
{
    system_term *t = &p->terms[0];
    int64_t degree = t->degree * exponent;
    plumb_status status = degree > INT32_MAX ? PLUMB_ERR_RANGE : PLUMB_OK;
    for (int32_t i = 0; i < t->count && status == PLUMB_OK; i++) {
        int64_t raised = p->factors[t->first + i].exponent * exponent;
        if (raised > POLY_MOST_EXPONENT)
            status = PLUMB_ERR_RANGE;
        else
            p->factors[t->first + i].exponent = (int32_t)raised;
    }
    if (status != PLUMB_OK)
        return status;
    t->degree = (int32_t)degree;
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    mpq_swap(re, t->re);
    mpq_swap(im, t->im);
    mpq_set_ui(t->re, 1, 1);
    for (int64_t e = exponent; status == PLUMB_OK; e >>= 1) {
        if ((e & 1) != 0)
            status = plumb_coefficient_multiply(t->re, t->im, re, im, work);
        if (e <= 1)
            break;
        if (status == PLUMB_OK)
            status = plumb_coefficient_multiply(re, im, re, im, work);
    }
    mpq_clears(re, im, NULL);
    return status;
}

static plumb_status set_to_one(polynomial *p)
{
    mpq_t one, zero;
    mpq_inits(one, zero, NULL);
    mpq_set_ui(one, 1, 1);
    plumb_poly_clear(p);
    plumb_status status = plumb_poly_append(p, one, zero, NULL, 0, 0);
    mpq_clears(one, zero, NULL);
    return status;
}

plumb_status plumb_poly_power(polynomial *p, int64_t exponent, poly_work *work)
{
    if (exponent == 0)
        return set_to_one(p);
    if (p->count == 0 || exponent == 1)
        return PLUMB_OK;
    if (p->count == 1)
        return power_of_term(p, exponent, work);
    /* Power e has more than e terms, so a lower bound of the cost is known; refuse at once what cannot succeed. */
    plumb_status status = plumb_work_spend(work, TERM_WORK * p->count * (exponent * exponent / 2));
    if (status != PLUMB_OK)
        return status;
    work->left += TERM_WORK * p->count * (exponent * exponent / 2);
    /* Multiplies by the sum repeatedly, which for sums of few terms is less work than squaring. */
    polynomial base = *p;
    *p = (polynomial){.terms = NULL};
    status = set_to_one(p);
    for (int64_t e = 0; e < exponent && status == PLUMB_OK; e++) {
        polynomial next = {.terms = NULL};
        status = plumb_poly_add_product(&next, p, &base, work);
        plumb_poly_clear(p);
        *p = next;
    }
    plumb_poly_clear(&base);
    return status;
}
