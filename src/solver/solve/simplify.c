/* simplify.c - see simplify.h. */
#include "solver/solve/simplify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/system/dependent.h"
#include "solver/mp/univariate/gauss.h"

/* Elimination never makes exponents of equations grow, but a budget bounds the sizes of coefficients. */
static const int64_t WORK = 3000000;

/* Terms of equations that were made by substitution: some seconds. Large systems of linear equations fill up. */
static const int64_t MOST_MADE = 30000000;

typedef struct reducer {
    const plumb_system *given;
    polynomial *equation; /* in the given unknowns; those that are done with are empty */
    bool *gone;           /* one per equation */
    polynomial *value;    /* of each unknown: what replaces it, empty if it stays; NULL entries of terms are zeros */
    bool *replaced;       /* one per unknown */
    double *growth;       /* the same, scratch memory */
    int64_t *only;        /* the same */
    int64_t made;         /* number of terms that were made by substitution */
    poly_work work;
} reducer;

/* ---- Polynomials --------------------------------------------------------------------------------------------------- */

static plumb_status copy_terms(const system_term *terms, const system_factor *factors, int64_t count, polynomial *to)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++)
        status =
            plumb_poly_append(to, terms[k].re, terms[k].im, factors + terms[k].first, terms[k].count, terms[k].degree);
    return status;
}

static plumb_status take_equation(const plumb_system *system, int64_t e, polynomial *to)
{
    return copy_terms(system->terms + system->equation[e], system->factors,
                      system->equation[e + 1] - system->equation[e], to);
}

/* The exponent of an unknown in a term. */
static int32_t exponent_of(const polynomial *p, const system_term *t, int32_t unknown)
{
    for (int32_t i = 0; i < t->count; i++)
        if (p->factors[t->first + i].unknown == unknown)
            return p->factors[t->first + i].exponent;
    return 0;
}

static int32_t largest_exponent(const polynomial *p, int32_t unknown)
{
    int32_t most = 0;
    for (int64_t k = 0; k < p->count; k++) {
        const int32_t e = exponent_of(p, &p->terms[k], unknown);
        most = e > most ? e : most;
    }
    return most;
}

/* Appends the terms of p that have this power of an unknown, without it. */
static plumb_status take_power(const polynomial *p, int32_t unknown, int32_t power, polynomial *to)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < p->count && status == PLUMB_OK; k++) {
        const system_term *t = &p->terms[k];
        if (exponent_of(p, t, unknown) != power)
            continue;
        status = plumb_poly_append(to, t->re, t->im, p->factors + t->first, t->count, t->degree);
        if (status != PLUMB_OK || power == 0)
            continue;
        system_term *copy = &to->terms[to->count - 1];
        int32_t kept = 0;
        for (int32_t i = 0; i < copy->count; i++)
            if (to->factors[copy->first + i].unknown != unknown)
                to->factors[copy->first + kept++] = to->factors[copy->first + i];
        copy->count = kept;
        copy->degree -= power;
        to->used = copy->first + kept;
    }
    return status == PLUMB_OK ? plumb_poly_normalise(to) : status;
}

/* p with the value in place of the unknown. */
static plumb_status substitute(const polynomial *p, int32_t unknown, const polynomial *value, poly_work *work,
                               polynomial *result)
{
    const int32_t most = largest_exponent(p, unknown);
    plumb_status status = take_power(p, unknown, 0, result);
    for (int32_t e = 1; e <= most && status == PLUMB_OK; e++) {
        polynomial part = {.terms = NULL}, power = {.terms = NULL};
        status = take_power(p, unknown, e, &part);
        if (status == PLUMB_OK && part.count > 0) {
            status = copy_terms(value->terms, value->factors, value->count, &power);
            if (status == PLUMB_OK)
                status = plumb_poly_power(&power, e, work);
            if (status == PLUMB_OK)
                status = plumb_poly_add_product(result, &part, &power, work);
        }
        plumb_poly_clear(&part);
        plumb_poly_clear(&power);
    }
    return status;
}

/* ---- Equations that say nothing, or too much ----------------------------------------------------------------------- */

/* Leaves out zeros; false: a constant, equation *which. */
static bool clean(reducer *r, int64_t *which)
{
    for (int64_t e = 0; e < r->given->equations; e++) {
        const polynomial *p = &r->equation[e];
        if (r->gone[e])
            continue;
        if (p->count > 0 && p->terms[0].degree == 0) {
            *which = e;
            return false;
        }
        r->gone[e] = p->count == 0;
    }
    return true;
}

/* True if only linear equations are left: elimination finds those of them that are dependent. */
static bool is_linear(const reducer *r)
{
    for (int64_t e = 0; e < r->given->equations; e++)
        if (!r->gone[e] && r->equation[e].terms[0].degree > 1)
            return false;
    return true;
}

/* Leaves out equations that follow from others, and lowers the degrees of those that can be replaced, with a budget of its
 * own, so that elimination always has the same one. */
static plumb_status combine(reducer *r, simple_system *simple, bool *some)
{
    const int64_t m = r->given->equations;
    poly_work work = {.left = WORK};
    int64_t which = -1, before = 0, after = 0, lowered = 0;
    polynomial *lower = calloc((size_t)m + 1, sizeof *lower);
    plumb_status status = lower ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t e = 0; e < m; e++)
        before += r->gone[e];
    if (status == PLUMB_OK && !is_linear(r))
        status = plumb_dependent_find(r->equation, m, r->given->unknowns - simple->eliminated, &work, r->gone, lower,
                                      &which);
    for (int64_t e = 0; e < m; e++) {
        after += r->gone[e];
        if (status == PLUMB_OK && lower[e].count > 0) {
            plumb_poly_clear(&r->equation[e]);
            r->equation[e] = lower[e];
            lowered++;
        } else if (lower) {
            plumb_poly_clear(&lower[e]);
        }
    }
    free(lower);
    *some = after > before || lowered > 0;
    simple->lowered += lowered;
    if (which >= 0) {
        simple->inconsistent = true;
        snprintf(simple->why, sizeof simple->why, "equation %lld contradicts the others", (long long)which + 1);
    }
    return status;
}

/* ---- Equations in one unknown -------------------------------------------------------------------------------------- */

/* The unknown of an equation that has only one, or -1. */
static int32_t only_unknown(const polynomial *p)
{
    const int32_t unknown = p->factors[p->terms[0].first].unknown;
    for (int64_t k = 0; k < p->used; k++)
        if (p->factors[k].unknown != unknown)
            return -1;
    return unknown;
}

static plumb_status put_gauss(const gauss_poly *p, int32_t unknown, polynomial *to)
{
    plumb_status status = PLUMB_OK;
    mpq_t c[2];
    mpq_inits(c[0], c[1], NULL);
    for (int64_t e = p->degree; e >= 0 && status == PLUMB_OK; e--) {
        const system_factor factor = {unknown, (int32_t)e};
        for (int part = 0; part < 2; part++) {
            mpq_set_num(c[part], part == 0 ? p->re[e] : p->im[e]);
            mpq_set_den(c[part], p->below);
            mpq_canonicalize(c[part]);
        }
        if (mpq_sgn(c[0]) != 0 || mpq_sgn(c[1]) != 0)
            status = plumb_poly_append(to, c[0], c[1], &factor, e > 0, (int32_t)e);
    }
    mpq_clears(c[0], c[1], NULL);
    return status == PLUMB_OK ? plumb_poly_normalise(to) : status;
}

/* Replaces equation a by its greatest common divisor with equation b, both in one unknown alone. */
static plumb_status merge(reducer *r, int64_t a, int64_t b, int32_t unknown, simple_system *simple)
{
    gauss_poly p = {.re = NULL}, q = {.re = NULL}, common = {.re = NULL}, rest[2] = {{.re = NULL}, {.re = NULL}};
    polynomial made = {.terms = NULL};
    plumb_status status = gauss_from_terms(r->equation[a].terms, r->equation[a].count, &p);
    if (status == PLUMB_OK)
        status = gauss_from_terms(r->equation[b].terms, r->equation[b].count, &q);
    if (status == PLUMB_OK)
        status = gauss_divide_out(&p, &q, &common, &rest[0], &rest[1]);
    if (status == PLUMB_OK && common.degree < p.degree) {
        status = put_gauss(&common, unknown, &made);
        simple->lowered++;
    }
    if (status == PLUMB_OK && made.count > 0) {
        plumb_poly_clear(&r->equation[a]);
        r->equation[a] = made;
        made = (polynomial){.terms = NULL};
    }
    r->gone[b] = status == PLUMB_OK;
    plumb_poly_clear(&made);
    gauss_clear(&p), gauss_clear(&q), gauss_clear(&common), gauss_clear(&rest[0]), gauss_clear(&rest[1]);
    return status == PLUMB_ERR_SIZE ? PLUMB_OK : status; /* too much work: leave it */
}

/* Leaves one equation of several in the same unknown alone; *some: there were several. */
static plumb_status merge_all(reducer *r, simple_system *simple, bool *some)
{
    plumb_status status = PLUMB_OK;
    int64_t *first = calloc((size_t)r->given->unknowns, sizeof *first); /* the number of the equation plus 1 */
    if (!first)
        return PLUMB_ERR_MEMORY;
    for (int64_t e = 0; e < r->given->equations && status == PLUMB_OK && !simple->inconsistent; e++) {
        const int32_t u = r->gone[e] ? -1 : only_unknown(&r->equation[e]);
        if (u < 0 || r->equation[e].terms[0].degree == 1) /* elimination does better with linear ones */
            continue;
        if (first[u] == 0) {
            first[u] = e + 1;
            continue;
        }
        status = merge(r, first[u] - 1, e, u, simple);
        *some = *some || r->gone[e];
        simple->inconsistent = r->equation[first[u] - 1].terms[0].degree == 0;
        if (simple->inconsistent)
            snprintf(simple->why, sizeof simple->why, "the equations in %s alone have no common root",
                     r->given->names[u]);
    }
    free(first);
    return status;
}

/* ---- Linear equations ---------------------------------------------------------------------------------------------- */

static int64_t count_terms(const reducer *r)
{
    int64_t terms = 0;
    for (int64_t e = 0; e < r->given->equations; e++)
        terms += r->gone[e] ? 0 : r->equation[e].count;
    return terms;
}

/* How much the substitution of each unknown could add: for each term with it in another equation the number of terms of a power of a value
 * with this many terms. */
static void expect_growth(const reducer *r, int64_t equation, int64_t terms, double *growth)
{
    for (int64_t u = 0; u < r->given->unknowns; u++)
        growth[u] = 0.0;
    for (int64_t e = 0; e < r->given->equations; e++) {
        const polynomial *p = &r->equation[e];
        if (r->gone[e] || e == equation)
            continue;
        for (int64_t k = 0; k < p->count; k++)
            for (int32_t j = 0; j < p->terms[k].count; j++) {
                const system_factor *f = &p->factors[p->terms[k].first + j];
                double count = 1.0; /* of the power: terms + power - 1 over power */
                for (int32_t i = 1; i <= f->exponent; i++)
                    count *= (double)(terms + f->exponent - i) / (double)(f->exponent - i + 1);
                growth[f->unknown] += count - 1.0;
            }
    }
}

/* The unknown of a linear equation whose substitution adds least. growth: room for one number per unknown. */
static int32_t choose_unknown(const reducer *r, int64_t equation, double *growth)
{
    const polynomial *p = &r->equation[equation];
    int32_t best = -1;
    expect_growth(r, equation, p->count - 1, growth);
    for (int64_t k = 0; k < p->count; k++) {
        if (p->terms[k].degree == 0)
            continue;
        const int32_t unknown = p->factors[p->terms[k].first].unknown;
        if (best < 0 || growth[unknown] < growth[best])
            best = unknown;
    }
    return best;
}

/* The value of an unknown by a linear equation: -(other terms) / coefficient. */
static plumb_status solve_for(reducer *r, const polynomial *p, int32_t unknown, polynomial *value)
{
    plumb_status status = PLUMB_OK;
    const system_term *pivot = NULL;
    for (int64_t k = 0; k < p->count; k++)
        if (exponent_of(p, &p->terms[k], unknown) > 0)
            pivot = &p->terms[k];
    for (int64_t k = 0; k < p->count && status == PLUMB_OK; k++) {
        const system_term *t = &p->terms[k];
        if (t == pivot)
            continue;
        status = plumb_poly_append(value, t->re, t->im, p->factors + t->first, t->count, t->degree);
        system_term *made = status == PLUMB_OK ? &value->terms[value->count - 1] : NULL;
        if (made) {
            mpq_neg(made->re, made->re);
            mpq_neg(made->im, made->im);
            status = plumb_coefficient_divide(made->re, made->im, pivot->re, pivot->im, &r->work);
        }
    }
    return status;
}

/* *made becomes p with the value in place of the unknown; *changes: p has it, otherwise nothing is made. */
static plumb_status replace(reducer *r, const polynomial *p, int32_t unknown, const polynomial *value, polynomial *made,
                            bool *changes)
{
    *changes = largest_exponent(p, unknown) > 0;
    plumb_status status = *changes ? substitute(p, unknown, value, &r->work, made) : PLUMB_OK;
    r->made += made->count;
    return status == PLUMB_OK && r->made > MOST_MADE ? PLUMB_ERR_SIZE : status;
}

/* log2 of the degree of an equation, or of what replaces it. */
static double log_degree(const polynomial *p)
{
    return p->count > 0 && p->terms[0].degree > 0 ? log2((double)p->terms[0].degree) : 0.0;
}

/* Substitutes the value that an equation gives an unknown, unless the system would have more terms or a larger Bezout number. The value
 * moves if that is done. */
static plumb_status put_value(reducer *r, int64_t equation, int32_t unknown, polynomial *value, bool *done)
{
    const int64_t m = r->given->equations, n = r->given->unknowns, before = count_terms(r);
    polynomial *made = calloc((size_t)(m + n), sizeof *made);
    bool *changes = calloc((size_t)(m + n), sizeof *changes);
    int64_t after = 0;
    double growth = -log_degree(&r->equation[equation]); /* of the Bezout number */
    plumb_status status = made && changes ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t e = 0; e < m && status == PLUMB_OK && after <= before; e++) {
        if (r->gone[e] || e == equation)
            continue;
        status = replace(r, &r->equation[e], unknown, value, &made[e], &changes[e]);
        after += changes[e] ? made[e].count : r->equation[e].count;
        growth += changes[e] ? log_degree(&made[e]) - log_degree(&r->equation[e]) : 0.0;
    }
    const bool worth = status == PLUMB_OK && after <= before && growth <= 1e-9;
    for (int64_t u = 0; u < n && worth && status == PLUMB_OK; u++)
        if (r->replaced[u])
            status = replace(r, &r->value[u], unknown, value, &made[m + u], &changes[m + u]);
    if (status == PLUMB_OK && worth) {
        for (int64_t k = 0; k < m + n; k++) {
            polynomial *old = k < m ? &r->equation[k] : &r->value[k - m];
            if (!changes[k])
                continue;
            plumb_poly_clear(old);
            *old = made[k];
            made[k] = (polynomial){.terms = NULL};
        }
        r->gone[equation] = true;
        r->replaced[unknown] = true;
        r->value[unknown] = *value;
        *value = (polynomial){.terms = NULL};
        *done = true;
    }
    for (int64_t k = 0; made && k < m + n; k++)
        plumb_poly_clear(&made[k]);
    free(made);
    free(changes);
    return status;
}

/* Too much work: leave it. */
static plumb_status leave(plumb_status status)
{
    return status == PLUMB_ERR_SIZE || status == PLUMB_ERR_RANGE ? PLUMB_OK : status;
}

/* Solves an equation for an unknown that it has in one term alone, without other unknowns, and substitutes it. */
static plumb_status eliminate(reducer *r, int64_t equation, int32_t unknown, bool *done)
{
    polynomial value = {.terms = NULL};
    *done = false;
    /* What r points to is freed by the function that has made it. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    plumb_status status = solve_for(r, &r->equation[equation], unknown, &value);
    if (status == PLUMB_OK)
        status = put_value(r, equation, unknown, &value, done);
    plumb_poly_clear(&value);
    return leave(status);
}

/* Notes where each unknown is: equation e alone and there in one term c u (e + 1), nowhere (0), or otherwise (-1). */
static void find_places(const reducer *r, int64_t *only)
{
    memset(only, 0, (size_t)r->given->unknowns * sizeof *only);
    for (int64_t e = 0; e < r->given->equations; e++) {
        const polynomial *p = &r->equation[e];
        for (int64_t k = 0; k < p->count && !r->gone[e]; k++)
            for (int32_t i = 0; i < p->terms[k].count; i++) {
                const int32_t u = p->factors[p->terms[k].first + i].unknown;
                only[u] = only[u] == 0 && p->terms[k].degree == 1 ? e + 1 : -1;
            }
    }
    for (int64_t v = 0; v < r->given->unknowns; v++)
        for (int64_t k = 0; k < r->value[v].used && r->replaced[v]; k++)
            only[r->value[v].factors[k].unknown] = -1;
}

/* An unknown that one equation alone has, and in one term c u, is computed from the others in the end: y by y = x^2 + z^2 if no other equation has it.
 * It is not looked for in values of unknowns that were eliminated before, where substitution would raise degrees. */
static plumb_status postpone(reducer *r, bool *done)
{
    plumb_status status = PLUMB_OK;
    find_places(r, r->only);
    for (int64_t u = 0; u < r->given->unknowns && status == PLUMB_OK && !*done; u++)
        if (r->only[u] > 0)
            status = eliminate(r, r->only[u] - 1, (int32_t)u, done);
    return status;
}

/* ---- Unknowns with a coefficient that is never zero ---------------------------------------------------------------- */

/* An equation a y + b, where a and b do not have y, gives y if another equation without y is q a - c with a constant c other than zero: then a
 * is never zero, and y = -b q / c. The equations generate the same ideal if c y + b q replaces a y + b, so that the solutions and their
 * multiplicities stay: q (a y + b) = c y + b q, and a (c y + b q) = c (a y + b), as far as q a = c. So x w = 1 and x y + b = 0 give y = -w b.
 *
 * The mixed volume does not grow if no other equation has y, or if the value is one term: every choice of coefficients of the new
 * equations then belongs to some of the old ones. */

static bool divides(const polynomial *p, const system_term *a, const polynomial *q, const system_term *b)
{
    for (int32_t i = 0; i < a->count; i++)
        if (p->factors[a->first + i].exponent > exponent_of(q, b, p->factors[a->first + i].unknown))
            return false;
    return true;
}

/* Appends minus the leading term of p divided by that of a, to q. */
static plumb_status append_quotient(const polynomial *p, const polynomial *a, poly_work *work, polynomial *q)
{
    const system_term *t = &p->terms[0], *lead = &a->terms[0];
    const int64_t first = q->used;
    plumb_status status = plumb_poly_append(q, t->re, t->im, p->factors + t->first, t->count, t->degree);
    if (status != PLUMB_OK)
        return status;
    system_term *made = &q->terms[q->count - 1];
    int32_t kept = 0;
    for (int32_t i = 0; i < t->count; i++) {
        system_factor f = q->factors[first + i];
        f.exponent -= exponent_of(a, lead, f.unknown);
        if (f.exponent > 0)
            q->factors[first + kept++] = f;
    }
    made->count = kept;
    made->degree -= lead->degree;
    q->used = first + kept;
    mpq_neg(made->re, made->re);
    mpq_neg(made->im, made->im);
    return plumb_coefficient_divide(made->re, made->im, lead->re, lead->im, work);
}

/* Divides p by a until the rest is a constant; *q becomes minus the quotient. Otherwise *rest is not a constant other than zero. */
static plumb_status divide(const polynomial *p, const polynomial *a, poly_work *work, polynomial *q, polynomial *rest)
{
    plumb_status status = copy_terms(p->terms, p->factors, p->count, rest);
    while (status == PLUMB_OK && rest->count > 0 && rest->terms[0].degree > 0 &&
           divides(a, &a->terms[0], rest, &rest->terms[0])) {
        polynomial part = {.terms = NULL};
        status = append_quotient(rest, a, work, &part);
        if (status == PLUMB_OK)
            status = copy_terms(part.terms, part.factors, part.count, q);
        if (status == PLUMB_OK)
            status = plumb_poly_add_product(rest, &part, a, work);
        plumb_poly_clear(&part);
    }
    return status == PLUMB_OK ? plumb_poly_normalise(q) : status;
}

/* Looks for an equation without y that makes p a unit; *inverse becomes its inverse as far as that equation holds, or stays empty. */
static plumb_status invert(reducer *r, const polynomial *p, int32_t y, polynomial *inverse)
{
    plumb_status status = PLUMB_OK;
    for (int64_t e = 0; e < r->given->equations && status == PLUMB_OK && inverse->count == 0; e++) {
        const polynomial *other = &r->equation[e];
        polynomial rest = {.terms = NULL};
        if (r->gone[e] || other->terms[other->count - 1].degree > 0 ||
            !divides(p, &p->terms[0], other, &other->terms[0]) || largest_exponent(other, y) > 0)
            continue;
        status = divide(other, p, &r->work, inverse, &rest);
        const bool is_unit = status == PLUMB_OK && rest.count == 1 && rest.terms[0].degree == 0;
        for (int64_t k = 0; k < inverse->count && is_unit && status == PLUMB_OK; k++)
            status = plumb_coefficient_divide(inverse->terms[k].re, inverse->terms[k].im, rest.terms[0].re,
                                              rest.terms[0].im, &r->work);
        if (!is_unit)
            plumb_poly_clear(inverse);
        plumb_poly_clear(&rest);
    }
    return status;
}

/* The product of the inverses of the unknowns of a monomial, and of its coefficient; or it stays empty. */
static plumb_status invert_monomial(reducer *r, const polynomial *p, int32_t y, polynomial *inverse)
{
    const system_term *t = &p->terms[0];
    mpq_t one, zero;
    mpq_inits(one, zero, NULL);
    mpq_set_ui(one, 1, 1);
    plumb_status status = plumb_poly_append(inverse, one, zero, NULL, 0, 0);
    if (status == PLUMB_OK)
        status = plumb_coefficient_divide(inverse->terms[0].re, inverse->terms[0].im, t->re, t->im, &r->work);
    for (int32_t i = 0; i < t->count && status == PLUMB_OK && inverse->count > 0; i++) {
        const system_factor factor = {p->factors[t->first + i].unknown, 1};
        polynomial x = {.terms = NULL}, power = {.terms = NULL}, product = {.terms = NULL};
        status = plumb_poly_append(&x, one, zero, &factor, 1, 1);
        if (status == PLUMB_OK)
            status = invert(r, &x, y, &power);
        if (status == PLUMB_OK && power.count > 0)
            status = plumb_poly_power(&power, p->factors[t->first + i].exponent, &r->work);
        if (status == PLUMB_OK)
            status = plumb_poly_add_product(&product, inverse, &power, &r->work);
        plumb_poly_clear(inverse);
        *inverse = product;
        plumb_poly_clear(&x);
        plumb_poly_clear(&power);
    }
    mpq_clears(one, zero, NULL);
    return status;
}

static void negate(polynomial *p)
{
    for (int64_t k = 0; k < p->count; k++) {
        mpq_neg(p->terms[k].re, p->terms[k].re);
        mpq_neg(p->terms[k].im, p->terms[k].im);
    }
}

/* Does any other equation have the unknown, or a value that was substituted before? */
static bool is_elsewhere(const reducer *r, int64_t equation, int32_t unknown)
{
    for (int64_t e = 0; e < r->given->equations; e++)
        if (e != equation && !r->gone[e] && largest_exponent(&r->equation[e], unknown) > 0)
            return true;
    for (int64_t u = 0; u < r->given->unknowns; u++)
        if (r->replaced[u] && largest_exponent(&r->value[u], unknown) > 0)
            return true;
    return false;
}

/* Eliminates y by an equation a y + b, if a is a unit. */
static plumb_status divide_out(reducer *r, int64_t equation, int32_t y, bool *done)
{
    polynomial a = {.terms = NULL}, b = {.terms = NULL}, inverse = {.terms = NULL}, value = {.terms = NULL};
    plumb_status status = take_power(&r->equation[equation], y, 1, &a);
    const bool is_constant = status == PLUMB_OK && a.terms[0].degree == 0; /* that was decided before */
    if (status == PLUMB_OK && !is_constant)
        status = invert(r, &a, y, &inverse);
    if (status == PLUMB_OK && !is_constant && inverse.count == 0 && a.count == 1)
        status = invert_monomial(r, &a, y, &inverse);
    if (status == PLUMB_OK && inverse.count > 0) {
        status = take_power(&r->equation[equation], y, 0, &b);
        negate(&b);
        if (status == PLUMB_OK)
            status = plumb_poly_add_product(&value, &inverse, &b, &r->work);
        if (status == PLUMB_OK && (value.count <= 1 || !is_elsewhere(r, equation, y)))
            status = put_value(r, equation, y, &value, done);
    }
    plumb_poly_clear(&a), plumb_poly_clear(&b), plumb_poly_clear(&inverse), plumb_poly_clear(&value);
    return leave(status);
}

/* One unknown at a time. r->only: the largest exponents of the unknowns in an equation. */
static plumb_status divide_some(reducer *r, bool *done)
{
    plumb_status status = PLUMB_OK;
    for (int64_t e = 0; e < r->given->equations && status == PLUMB_OK && !*done; e++) {
        const polynomial *p = &r->equation[e];
        if (r->gone[e])
            continue;
        memset(r->only, 0, (size_t)r->given->unknowns * sizeof *r->only);
        for (int64_t k = 0; k < p->used; k++)
            if (p->factors[k].exponent > r->only[p->factors[k].unknown])
                r->only[p->factors[k].unknown] = p->factors[k].exponent;
        for (int64_t u = 0; u < r->given->unknowns && status == PLUMB_OK && !*done; u++)
            if (r->only[u] == 1)
                status = divide_out(r, e, (int32_t)u, done);
    }
    return status;
}

/* One linear equation at a time, and one unknown that can be postponed or has a unit as its coefficient, until nothing changes. */
static plumb_status eliminate_all(reducer *r, simple_system *simple)
{
    plumb_status status = PLUMB_OK;
    bool again = true;
    int64_t which = -1;
    while (again && status == PLUMB_OK) {
        again = false;
        for (int64_t e = 0; e < r->given->equations && !again && status == PLUMB_OK; e++)
            if (!r->gone[e] && r->equation[e].terms[0].degree == 1)
                status = eliminate(r, e, choose_unknown(r, e, r->growth), &again);
        if (status == PLUMB_OK && !again)
            status = postpone(r, &again);
        if (status == PLUMB_OK && !again)
            status = divide_some(r, &again);
        simple->eliminated += again;
        if (!clean(r, &which)) {
            simple->inconsistent = true;
            snprintf(simple->why, sizeof simple->why, "equation %lld contradicts the linear equations",
                     (long long)which + 1);
            return PLUMB_OK;
        }
    }
    return status;
}

/* Elimination can make equations dependent, and without these it may become worth it elsewhere. */
static plumb_status reduce(reducer *r, simple_system *simple)
{
    plumb_status status = PLUMB_OK;
    bool some = true;
    int64_t which = -1, before = -1;
    if (!clean(r, &which)) {
        simple->inconsistent = true;
        snprintf(simple->why, sizeof simple->why, "equation %lld is a constant other than zero", (long long)which + 1);
    }
    while (status == PLUMB_OK && !simple->inconsistent && before < simple->eliminated) {
        const bool first = before < 0;
        before = simple->eliminated;
        status = combine(r, simple, &some);
        if (status == PLUMB_OK && !simple->inconsistent)
            status = merge_all(r, simple, &some);
        if (status == PLUMB_OK && !simple->inconsistent && (first || some))
            status = eliminate_all(r, simple);
    }
    return status;
}

/* ---- What is left -------------------------------------------------------------------------------------------------- */

/* Renumbers the unknowns of a polynomial; their order stays. */
static void renumber(polynomial *p, const int32_t *to)
{
    for (int64_t k = 0; k < p->used; k++)
        p->factors[k].unknown = to[p->factors[k].unknown];
}

static plumb_status check_shape(const reducer *r, int64_t left, int64_t equations, simple_system *simple)
{
    const plumb_system *given = r->given;
    if (equations < left) {
        const long long dimension = (long long)(left - equations);
        snprintf(
            simple->why, sizeof simple->why,
            "%lld independent equation%s for %lld unknowns: if there are solutions, they form sets of dimension %lld "
            "or more, and none is isolated",
            (long long)equations + (long long)simple->eliminated, equations + simple->eliminated == 1 ? "" : "s",
            (long long)given->unknowns, dimension);
        return PLUMB_ERR_ARGUMENT;
    }
    for (int64_t u = 0; u < given->unknowns; u++) {
        bool occurs = r->replaced[u];
        for (int64_t e = 0; e < given->equations && !occurs; e++)
            occurs = !r->gone[e] && largest_exponent(&r->equation[e], (int32_t)u) > 0;
        if (!occurs) {
            snprintf(simple->why, sizeof simple->why, "no equation determines %s: no solution is isolated",
                     given->names[u]);
            return PLUMB_ERR_ARGUMENT;
        }
    }
    return PLUMB_OK;
}

static plumb_status build_left(reducer *r, const int32_t *to, const char *const *names, int64_t left, int64_t equations,
                               plumb_system **system)
{
    polynomial *list = calloc((size_t)equations + 1, sizeof *list);
    int64_t count = 0;
    if (!list)
        return PLUMB_ERR_MEMORY;
    for (int64_t e = 0; e < r->given->equations; e++)
        if (!r->gone[e]) {
            renumber(&r->equation[e], to);
            list[count++] = r->equation[e];
            r->equation[e] = (polynomial){.terms = NULL};
        }
    plumb_status status = plumb_system_build(list, count, names, left, system);
    for (int64_t k = 0; k < count; k++)
        plumb_poly_clear(&list[k]);
    free(list);
    return status;
}

static plumb_status build_lift(reducer *r, const int32_t *to, const char *const *names, int64_t left,
                               plumb_system **lift)
{
    const plumb_system *given = r->given;
    plumb_status status = PLUMB_OK;
    mpq_t one, zero;
    mpq_inits(one, zero, NULL);
    mpq_set_ui(one, 1, 1);
    for (int64_t u = 0; u < given->unknowns && status == PLUMB_OK; u++) {
        if (r->replaced[u]) {
            renumber(&r->value[u], to);
        } else {
            const system_factor self = {to[u], 1};
            status = plumb_poly_append(&r->value[u], one, zero, &self, 1, 1);
        }
    }
    mpq_clears(one, zero, NULL);
    if (status == PLUMB_OK)
        status = plumb_system_build(r->value, given->unknowns, names, left > 0 ? left : 1, lift);
    return status;
}

static plumb_status build(reducer *r, simple_system *simple)
{
    const plumb_system *given = r->given;
    int64_t left = 0, equations = 0;
    int32_t *to = calloc((size_t)given->unknowns, sizeof *to);
    const char **names = calloc((size_t)given->unknowns + 1, sizeof *names);
    plumb_status status = to && names ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status != PLUMB_OK) {
        free(to);
        free(names);
        return status;
    }
    for (int64_t e = 0; e < given->equations; e++)
        equations += !r->gone[e];
    for (int64_t u = 0; u < given->unknowns; u++)
        if (!r->replaced[u]) {
            names[left] = given->names[u];
            to[u] = (int32_t)left++;
        }
    status = check_shape(r, left, equations, simple);
    simple->dependent = given->equations - equations - simple->eliminated;
    simple->changed = simple->eliminated > 0 || simple->lowered > 0 || equations < given->equations;
    if (status == PLUMB_OK && left == 0)
        names[0] = given->names[0]; /* one that does not matter */
    if (status == PLUMB_OK && simple->changed && left > 0)
        status = build_left(r, to, names, left, equations, &simple->system);
    if (status == PLUMB_OK && simple->eliminated > 0)
        status = build_lift(r, to, names, left, &simple->lift);
    free(to);
    free(names);
    return status;
}

plumb_status plumb_solve_simplify(const plumb_system *given, simple_system *simple)
{
    const int64_t m = given->equations, n = given->unknowns;
    *simple = (simple_system){.inconsistent = false};
    reducer r = {.given = given,
                 .equation = calloc((size_t)m + 1, sizeof *r.equation),
                 .gone = calloc((size_t)m + 1, sizeof *r.gone),
                 .value = calloc((size_t)n + 1, sizeof *r.value),
                 .replaced = calloc((size_t)n + 1, sizeof *r.replaced),
                 .growth = calloc((size_t)n + 1, sizeof *r.growth),
                 .only = calloc((size_t)n + 1, sizeof *r.only),
                 .work = {.left = WORK}};
    plumb_status status =
        r.equation && r.gone && r.value && r.replaced && r.growth && r.only ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t e = 0; e < m && status == PLUMB_OK; e++)
        status = take_equation(given, e, &r.equation[e]);
    if (status == PLUMB_OK)
        status = reduce(&r, simple);
    if (status == PLUMB_OK && !simple->inconsistent)
        status = build(&r, simple);
    for (int64_t e = 0; r.equation && e < m; e++)
        plumb_poly_clear(&r.equation[e]);
    for (int64_t u = 0; r.value && u < n; u++)
        plumb_poly_clear(&r.value[u]);
    free(r.equation);
    free(r.gone);
    free(r.value);
    free(r.replaced);
    free(r.growth);
    free(r.only);
    return status;
}

void plumb_solve_simple_clear(simple_system *simple)
{
    plumb_system_destroy(simple->system);
    plumb_system_destroy(simple->lift);
    *simple = (simple_system){.inconsistent = false};
}
