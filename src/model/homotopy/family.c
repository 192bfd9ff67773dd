/* family.c - the system that the homotopy of a family evaluates; see homotopy.h.
 *
 * Its unknowns are those of the family, the m parameters last, then the derivative of each parameter by tau. The equations
 * are those of the family, then the sum over the parameters p_j of the derivative by p_j times that of p_j by tau.
 *
 * Terms with the same powers of unknowns make one coefficient, a polynomial in the parameters. If there are far fewer coefficients
 * than terms, the system has the coefficients in the place of the parameters: a step computes them once, for all its corrections. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/homotopy/homotopy.h"
#include "model/system/polynomial.h"

enum { NAME_ROOM = 32 };

/* Appends the derivative of a term by its factor j, which is a parameter, times the derivative of that parameter. */
static plumb_status append_derivative(const system_term *term, const system_factor *factors, int32_t j,
                                      int64_t parameters, system_factor *room, mpq_t numbers[3], polynomial *p)
{
    int32_t count = 0;
    for (int32_t i = 0; i < term->count; i++) {
        system_factor factor = factors[i];
        factor.exponent -= i == j;
        if (factor.exponent > 0)
            room[count++] = factor;
    }
    room[count++] = (system_factor){factors[j].unknown + (int32_t)parameters, 1};
    mpq_set_si(numbers[2], factors[j].exponent, 1);
    mpq_mul(numbers[0], term->re, numbers[2]);
    mpq_mul(numbers[1], term->im, numbers[2]);
    return plumb_poly_append(p, numbers[0], numbers[1], room, count, term->degree);
}

/* Equation i of the family, and its derivative by tau. */
static plumb_status make_pair(const plumb_system *family, int64_t parameters, int64_t i, system_factor *room,
                              mpq_t numbers[3], polynomial *value, polynomial *derivative)
{
    plumb_status status = PLUMB_OK;
    for (int64_t t = family->equation[i]; t < family->equation[i + 1] && status == PLUMB_OK; t++) {
        const system_term *term = &family->terms[t];
        const system_factor *factors = family->factors + term->first;
        status = plumb_poly_append(value, term->re, term->im, factors, term->count, term->degree);
        for (int32_t j = 0; j < term->count && status == PLUMB_OK; j++)
            if (factors[j].unknown >= family->unknowns - parameters)
                status = append_derivative(term, factors, j, parameters, room, numbers, derivative);
    }
    return status == PLUMB_OK ? plumb_poly_normalise(derivative) : status;
}

/* The names of all unknowns; those of the derivatives are never read by anybody. */
static char **make_names(const plumb_system *family, int64_t parameters, char **text)
{
    char **names = malloc((size_t)(family->unknowns + parameters) * sizeof *names);
    *text = malloc((size_t)parameters * NAME_ROOM);
    for (int64_t i = 0; names && *text && i < family->unknowns; i++)
        names[i] = family->names[i];
    for (int64_t k = 0; names && *text && k < parameters; k++) {
        names[family->unknowns + k] = *text + k * NAME_ROOM;
        (void)snprintf(names[family->unknowns + k], NAME_ROOM, "#%lld", (long long)k);
    }
    return names;
}

static plumb_status make_stacked(const plumb_system *family, int64_t parameters, plumb_system **stacked)
{
    const int64_t m = family->equations;
    char *text = NULL, **names = make_names(family, parameters, &text);
    polynomial *p = calloc((size_t)(2 * m), sizeof *p);
    system_factor *room = calloc((size_t)family->unknowns + 2, sizeof *room);
    mpq_t numbers[3];
    mpq_inits(numbers[0], numbers[1], numbers[2], NULL);
    plumb_status status = names && text && p && room ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < m && status == PLUMB_OK; i++)
        status = make_pair(family, parameters, i, room, numbers, &p[i], &p[m + i]);
    if (status == PLUMB_OK)
        status = plumb_system_build(p, 2 * m, (const char *const *)names, family->unknowns + parameters, stacked);
    for (int64_t i = 0; p && i < 2 * m; i++)
        plumb_poly_clear(&p[i]);
    mpq_clears(numbers[0], numbers[1], numbers[2], NULL);
    free(p);
    free(room);
    free((void *)names);
    free(text);
    return status;
}

/* ---- Coefficients ---------------------------------------------------------------------------------------------------- */

/* The terms of an equation in order of their powers of unknowns, and of parameters. */
typedef struct sorted_term {
    const system_term *term;
    const system_factor *factors;
    int32_t unknowns; /* factors of them, which come first */
    int64_t group;
} sorted_term;

static int by_powers(const void *a, const void *b)
{
    const sorted_term *x = a, *y = b;
    for (int32_t k = 0; k < x->unknowns && k < y->unknowns; k++) {
        if (x->factors[k].unknown != y->factors[k].unknown)
            return x->factors[k].unknown < y->factors[k].unknown ? -1 : 1;
        if (x->factors[k].exponent != y->factors[k].exponent)
            return x->factors[k].exponent < y->factors[k].exponent ? -1 : 1;
    }
    if (x->unknowns != y->unknowns)
        return x->unknowns < y->unknowns ? -1 : 1;
    return (x->term > y->term) - (x->term < y->term);
}

static bool same_powers(const sorted_term *x, const sorted_term *y)
{
    bool same = x->unknowns == y->unknowns;
    for (int32_t k = 0; k < x->unknowns && same; k++)
        same = x->factors[k].unknown == y->factors[k].unknown && x->factors[k].exponent == y->factors[k].exponent;
    return same;
}

/* All terms of a system, sorted equation by equation; group counts coefficients from 0 on in the whole system, and is -1 for terms that
 * have no parameters and share their powers with no other. */
typedef struct grouped {
    sorted_term *term;
    int64_t groups;
    int64_t cost, cost_grouped; /* terms of both halves of the stacked system, as it is and with coefficients */
} grouped;

static bool group_terms(const plumb_system *family, int64_t parameters, grouped *g)
{
    const int64_t n = family->unknowns - parameters, all = family->equation[family->equations];
    *g = (grouped){.term = calloc((size_t)all + 1, sizeof *g->term)};
    for (int64_t t = 0; t < all && g->term; t++) {
        sorted_term *own = &g->term[t];
        *own = (sorted_term){.term = &family->terms[t], .factors = family->factors + family->terms[t].first};
        while (own->unknowns < own->term->count && own->factors[own->unknowns].unknown < n)
            own->unknowns++;
        g->cost += 1 + own->term->count - own->unknowns;
    }
    for (int64_t i = 0; i < family->equations && g->term; i++) {
        const int64_t begin = family->equation[i], end = family->equation[i + 1];
        qsort(g->term + begin, (size_t)(end - begin), sizeof *g->term, by_powers);
        for (int64_t t = begin; t < end;) {
            int64_t after = t + 1;
            while (after < end && same_powers(&g->term[t], &g->term[after]))
                after++;
            const bool fixed = after == t + 1 && g->term[t].term->count == g->term[t].unknowns;
            for (int64_t k = t; k < after; k++)
                g->term[k].group = fixed ? -1 : g->groups;
            g->groups += !fixed;
            g->cost_grouped += fixed ? 1 : 2;
            t = after;
        }
    }
    return g->term != NULL;
}

/* Appends a term of a coefficient, in parameters as unknowns 0, 1, ...; and its derivative. */
static plumb_status append_moved(const sorted_term *own, int64_t n, int64_t parameters, system_factor *room,
                                 mpq_t numbers[3], polynomial *value, polynomial *derivative)
{
    const int32_t count = own->term->count - own->unknowns;
    system_term term = *own->term; /* its coefficient is only read */
    system_factor *factors = room + parameters + 1;
    term.degree = 0;
    for (int32_t k = 0; k < count; k++) {
        factors[k] = own->factors[own->unknowns + k];
        factors[k].unknown -= (int32_t)n;
        term.degree += factors[k].exponent;
    }
    term.count = count;
    plumb_status status = plumb_poly_append(value, term.re, term.im, factors, count, term.degree);
    for (int32_t j = 0; j < count && status == PLUMB_OK; j++)
        status = append_derivative(&term, factors, j, parameters, room, numbers, derivative);
    return status;
}

/* Makes the coefficients and their derivatives. */
static plumb_status make_moved(const plumb_system *family, int64_t parameters, const grouped *g, plumb_system **moved)
{
    const int64_t n = family->unknowns - parameters, all = family->equation[family->equations];
    char *text = NULL, **names = make_names(family, parameters, &text);
    polynomial *p = calloc((size_t)(2 * g->groups) + 1, sizeof *p);
    system_factor *room = calloc(2 * ((size_t)parameters + 2), sizeof *room);
    mpq_t numbers[3];
    mpq_inits(numbers[0], numbers[1], numbers[2], NULL);
    plumb_status status = names && text && p && room ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t t = 0; t < all && status == PLUMB_OK; t++)
        if (g->term[t].term != NULL && g->term[t].group >= 0)
            status = append_moved(&g->term[t], n, parameters, room, numbers, &p[g->term[t].group],
                                  &p[g->groups + g->term[t].group]);
    for (int64_t k = 0; k < 2 * g->groups && status == PLUMB_OK; k++)
        status = plumb_poly_normalise(&p[k]);
    if (status == PLUMB_OK)
        status = plumb_system_build(p, 2 * g->groups, (const char *const *)(names + n), 2 * parameters, moved);
    if (status == PLUMB_OK) {
        (*moved)->parameters = 2 * parameters;
        (*moved)->plain = 2 * g->groups;
    }
    for (int64_t k = 0; p && k < 2 * g->groups; k++)
        plumb_poly_clear(&p[k]);
    mpq_clears(numbers[0], numbers[1], numbers[2], NULL);
    free(p);
    free(room);
    free((void *)names);
    free(text);
    return status;
}

/* Makes the system in unknowns and coefficients. */
static plumb_status make_short(const plumb_system *family, int64_t parameters, const grouped *g, plumb_system **stacked)
{
    const int64_t n = family->unknowns - parameters, m = family->equations, all = n + 2 * g->groups;
    char *text = malloc((size_t)(2 * g->groups) * NAME_ROOM + 1), **names = malloc((size_t)all * sizeof *names);
    polynomial *p = calloc((size_t)(2 * m), sizeof *p);
    system_factor *room = calloc((size_t)n + 2, sizeof *room);
    mpq_t one, zero;
    mpq_inits(one, zero, NULL);
    mpq_set_si(one, 1, 1);
    plumb_status status = text && names && p && room ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < all && status == PLUMB_OK; i++) {
        names[i] = i < n ? family->names[i] : text + (i - n) * NAME_ROOM;
        if (i >= n)
            (void)snprintf(names[i], NAME_ROOM, "#%lld", (long long)(i - n));
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t t = family->equation[i]; t < family->equation[i + 1] && status == PLUMB_OK; t++) {
            const sorted_term *own = &g->term[t];
            int32_t degree = 0, count = own->unknowns;
            if (t > family->equation[i] && own->group >= 0 && own[-1].group == own->group)
                continue;
            for (int32_t k = 0; k < count; k++) {
                room[k] = own->factors[k];
                degree += room[k].exponent;
            }
            if (own->group < 0) {
                status = plumb_poly_append(&p[i], own->term->re, own->term->im, room, count, degree);
                continue;
            }
            room[count] = (system_factor){(int32_t)(n + own->group), 1};
            status = plumb_poly_append(&p[i], one, zero, room, count + 1, degree + 1);
            room[count].unknown += (int32_t)g->groups;
            if (status == PLUMB_OK)
                status = plumb_poly_append(&p[m + i], one, zero, room, count + 1, degree + 1);
        }
    for (int64_t i = 0; i < 2 * m && status == PLUMB_OK; i++)
        status = plumb_poly_normalise(&p[i]);
    if (status == PLUMB_OK)
        status = plumb_system_build(p, 2 * m, (const char *const *)names, all, stacked);
    for (int64_t i = 0; p && i < 2 * m; i++)
        plumb_poly_clear(&p[i]);
    mpq_clears(one, zero, NULL);
    free(p);
    free(room);
    free((void *)names);
    free(text);
    return status;
}

/* Makes the systems of a family: with coefficients if that is at most half of the terms. */
static plumb_status make_systems(const plumb_system *family, int64_t parameters, plumb_homotopy *h)
{
    grouped g;
    plumb_status status = group_terms(family, parameters, &g) ? PLUMB_OK : PLUMB_ERR_MEMORY;
    h->moving = parameters;
    if (status == PLUMB_OK && 2 * g.cost_grouped <= g.cost && g.groups < INT32_MAX / NAME_ROOM / 4) {
        h->moving = g.groups;
        status = make_moved(family, parameters, &g, &h->moved);
        if (status == PLUMB_OK)
            status = make_short(family, parameters, &g, &h->stacked);
    } else if (status == PLUMB_OK) {
        status = make_stacked(family, parameters, &h->stacked);
    }
    free(g.term);
    return status;
}

plumb_status plumb_homotopy_family(const plumb_system *family, int64_t parameters, plumb_homotopy **homotopy)
{
    const int64_t n = family->unknowns - parameters, m = family->equations;
    *homotopy = NULL;
    if (parameters < 1 || n < 1 || m < n)
        return PLUMB_ERR_ARGUMENT;
    if (family->unknowns > INT32_MAX / NAME_ROOM / 4 || m > INT32_MAX / 4)
        return PLUMB_ERR_SIZE;
    plumb_homotopy *h = calloc(1, sizeof *h);
    if (h == NULL)
        return PLUMB_ERR_MEMORY;
    *h = (plumb_homotopy){.equations = m, .unknowns = n, .given_unknowns = n, .family = 1, .gamma = {1.0, 0.0}};
    plumb_status status = make_systems(family, parameters, h);
    if (status == PLUMB_OK)
        status = plumb_system_numerators(family, 0, m, &h->target);
    if (status == PLUMB_OK) {
        h->stacked->parameters = 2 * h->moving;
        h->stacked->plain = m;
        h->target->parameters = parameters;
        *homotopy = h;
    } else {
        plumb_homotopy_destroy(h);
    }
    return status;
}
