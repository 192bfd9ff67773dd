/* simplify.c - see simplify.h. */
#include "solver/solve/simplify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/system/dependent.h"

/* Elimination never makes exponents grow, but a budget bounds the sizes of coefficients. */
static const int64_t WORK = 3000000;

typedef struct reducer {
    const plumb_system *given;
    polynomial *equation; /* in the given unknowns; those that are done with are empty */
    bool *gone;           /* one per equation */
    polynomial *value;    /* of each unknown: what replaces it, empty if it stays; NULL entries of terms are zeros */
    bool *replaced;       /* one per unknown */
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

/* ---- Linear equations ---------------------------------------------------------------------------------------------- */

static int64_t count_terms(const reducer *r)
{
    int64_t terms = 0;
    for (int64_t e = 0; e < r->given->equations; e++)
        terms += r->gone[e] ? 0 : r->equation[e].count;
    return terms;
}

/* How much the substitution of an unknown could add: for each other term with it the number of terms of a power of a value
 * with so many terms. */
static double expected_growth(const reducer *r, int64_t equation, int32_t unknown, int64_t terms)
{
    double growth = 0.0;
    for (int64_t e = 0; e < r->given->equations; e++) {
        if (r->gone[e] || e == equation)
            continue;
        for (int64_t k = 0; k < r->equation[e].count; k++) {
            const int32_t power = exponent_of(&r->equation[e], &r->equation[e].terms[k], unknown);
            double count = power > 0 ? 1.0 : 0.0; /* of the power: terms + power - 1 over power */
            for (int32_t i = 1; i <= power; i++)
                count *= (double)(terms + power - i) / (double)(power - i + 1);
            growth += power > 0 ? count - 1.0 : 0.0;
        }
    }
    return growth;
}

/* The unknown of a linear equation whose substitution adds least. */
static int32_t choose_unknown(const reducer *r, int64_t equation)
{
    const polynomial *p = &r->equation[equation];
    int32_t best = -1;
    double least = 0.0;
    for (int64_t k = 0; k < p->count; k++) {
        if (p->terms[k].degree == 0)
            continue;
        const int32_t unknown = p->factors[p->terms[k].first].unknown;
        const double growth = expected_growth(r, equation, unknown, p->count - 1);
        if (best < 0 || growth < least) {
            best = unknown;
            least = growth;
        }
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

/* Solves one linear equation for an unknown and substitutes it, unless the system would have more terms. */
static plumb_status eliminate(reducer *r, int64_t equation, bool *done)
{
    const int64_t m = r->given->equations, n = r->given->unknowns, before = count_terms(r);
    const int32_t unknown = choose_unknown(r, equation);
    polynomial value = {.terms = NULL}, *made = calloc((size_t)(m + n), sizeof *made);
    int64_t after = 0;
    *done = false;
    plumb_status status = made ? solve_for(r, &r->equation[equation], unknown, &value) : PLUMB_ERR_MEMORY;
    for (int64_t e = 0; e < m && status == PLUMB_OK && after <= before; e++)
        if (!r->gone[e] && e != equation) {
            status = substitute(&r->equation[e], unknown, &value, &r->work, &made[e]);
            after += made[e].count;
        }
    const bool worth = status == PLUMB_OK && after <= before;
    for (int64_t u = 0; u < n && worth && status == PLUMB_OK; u++)
        if (r->replaced[u])
            status = substitute(&r->value[u], unknown, &value, &r->work, &made[m + u]);
    if (status == PLUMB_OK && worth) {
        for (int64_t k = 0; k < m + n; k++) {
            polynomial *old = k < m ? &r->equation[k] : &r->value[k - m];
            if (k < m ? r->gone[k] : !r->replaced[k - m])
                continue;
            plumb_poly_clear(old);
            *old = made[k];
            made[k] = (polynomial){.terms = NULL};
        }
        r->gone[equation] = true;
        r->replaced[unknown] = true;
        r->value[unknown] = value;
        value = (polynomial){.terms = NULL};
        *done = true;
    }
    for (int64_t k = 0; made && k < m + n; k++)
        plumb_poly_clear(&made[k]);
    plumb_poly_clear(&value);
    free(made);
    return status == PLUMB_ERR_SIZE || status == PLUMB_ERR_RANGE ? PLUMB_OK : status; /* too much work: leave it */
}

/* One linear equation at a time, until nothing changes. */
static plumb_status eliminate_all(reducer *r, simple_system *simple)
{
    plumb_status status = PLUMB_OK;
    bool again = true;
    int64_t which = -1;
    while (again && status == PLUMB_OK) {
        again = false;
        for (int64_t e = 0; e < r->given->equations && !again && status == PLUMB_OK; e++)
            if (!r->gone[e] && r->equation[e].terms[0].degree == 1)
                status = eliminate(r, e, &again);
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
                 .work = {.left = WORK}};
    plumb_status status = r.equation && r.gone && r.value && r.replaced ? PLUMB_OK : PLUMB_ERR_MEMORY;
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
    return status;
}

void plumb_solve_simple_clear(simple_system *simple)
{
    plumb_system_destroy(simple->system);
    plumb_system_destroy(simple->lift);
    *simple = (simple_system){.inconsistent = false};
}
