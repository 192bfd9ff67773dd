/* family.c - the system that the homotopy of a family evaluates; see homotopy.h.
 *
 * Its unknowns are those of the family, the m parameters last, then the derivative of each parameter by tau. The equations
 * are those of the family, then the sum over the parameters p_j of the derivative by p_j times that of p_j by tau. */
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
    *h = (plumb_homotopy){
        .equations = m, .unknowns = n, .given_unknowns = n, .moving = parameters, .family = 1, .gamma = {1.0, 0.0}};
    plumb_status status = make_stacked(family, parameters, &h->stacked);
    if (status == PLUMB_OK)
        status = plumb_system_numerators(family, 0, m, &h->target);
    if (status == PLUMB_OK) {
        h->stacked->parameters = 2 * parameters;
        h->stacked->plain = m;
        h->target->parameters = parameters;
        *homotopy = h;
    } else {
        plumb_homotopy_destroy(h);
    }
    return status;
}
