/* polyhedral.c - the system that a polyhedral homotopy evaluates; see homotopy.h.
 *
 * Its unknowns are the n of the given system, then for each of the P points of the supports the parameter e_k, then the
 * derivative of each. Equation i is equation i of the system with e_k in the term of point k, and equation n + i has the
 * derivatives in their places. Equations of a group share the points of their support, so products are shared, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/size.h"
#include "model/homotopy/homotopy.h"
#include "model/system/polynomial.h"

enum { NAME_ROOM = 32 };

/* Room for one term. */
typedef struct term_room {
    system_factor *factors;
    int32_t *exponents;
} term_room;

/* Appends term t of equation i to p, times the parameter `first` + its point unless first is negative. */
static plumb_status take_term(const plumb_system *system, const cell_supports *supports, int64_t i, int64_t t,
                              int64_t first, const term_room *room, polynomial *p)
{
    const system_term *term = &system->terms[t];
    const system_factor *factors = system->factors + term->first;
    memset(room->exponents, 0, (size_t)system->unknowns * sizeof *room->exponents);
    for (int32_t j = 0; j < term->count; j++) {
        room->factors[j] = factors[j];
        room->exponents[factors[j].unknown] = factors[j].exponent;
    }
    const int64_t point = plumb_supports_find(supports, i, room->exponents);
    if (point < 0)
        return PLUMB_ERR_ARGUMENT;
    if (first >= 0)
        room->factors[term->count] = (system_factor){(int32_t)(first + point), 1};
    const int32_t more = first >= 0;
    return plumb_poly_append(p, term->re, term->im, room->factors, term->count + more, term->degree + more);
}

/* Makes a system of `times` copies of the equations: the given ones, or those with parameters. */
static plumb_status make_system(const plumb_system *system, const cell_supports *supports, int64_t parameters,
                                const char *const *names, int64_t unknowns, plumb_system **made)
{
    const int64_t n = system->unknowns, copies = parameters > 0 ? 2 : 1;
    polynomial *p = calloc((size_t)(copies * n), sizeof *p);
    const term_room room = {.factors = calloc((size_t)n + 1, sizeof *room.factors),
                            .exponents = calloc((size_t)n, sizeof *room.exponents)};
    plumb_status status = p && room.factors && room.exponents ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t k = 0; status == PLUMB_OK && k < copies * n; k++) {
        const int64_t i = k % n, first = parameters > 0 ? n + k / n * parameters : -1;
        for (int64_t t = system->equation[i]; status == PLUMB_OK && t < system->equation[i + 1]; t++)
            status = take_term(system, supports, i, t, first, &room, &p[k]);
        if (status == PLUMB_OK)
            status = plumb_poly_normalise(&p[k]);
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(p, copies * n, names, unknowns, made);
    for (int64_t k = 0; p && k < copies * n; k++)
        plumb_poly_clear(&p[k]);
    free(p);
    free(room.factors);
    free(room.exponents);
    return status;
}

/* The names of all unknowns: those of the parameters are never read by anybody. */
static char **make_names(const plumb_system *system, int64_t parameters, char **text)
{
    const int64_t n = system->unknowns, count = n + 2 * parameters;
    char **names = malloc((size_t)count * sizeof *names);
    *text = malloc((size_t)(2 * parameters) * NAME_ROOM);
    if (!names || !*text)
        return names;
    for (int64_t i = 0; i < n; i++)
        names[i] = system->names[i];
    for (int64_t k = 0; k < 2 * parameters; k++) {
        names[n + k] = *text + k * NAME_ROOM;
        (void)snprintf(names[n + k], NAME_ROOM, "#%lld", (long long)k);
    }
    return names;
}

plumb_status plumb_homotopy_polyhedral(const plumb_system *system, const cell_supports *supports,
                                       plumb_homotopy **homotopy)
{
    const int64_t n = system->unknowns, points = supports->first[supports->groups];
    char *text = NULL;
    *homotopy = NULL;
    if (system->equations != n || supports->unknowns != n || points < 1)
        return PLUMB_ERR_ARGUMENT;
    if (points > INT32_MAX / NAME_ROOM / 2 - n)
        return PLUMB_ERR_SIZE;
    plumb_homotopy *h = calloc(1, sizeof *h);
    char **names = make_names(system, points, &text);
    plumb_status status = h && names && text ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK) {
        *h =
            (plumb_homotopy){.equations = n, .unknowns = n, .given_unknowns = n, .moving = points, .gamma = {1.0, 0.0}};
        status = make_system(system, supports, points, (const char *const *)names, n + 2 * points, &h->stacked);
    }
    if (status == PLUMB_OK) {
        h->stacked->parameters = 2 * points;
        h->stacked->plain = n;
        status = make_system(system, supports, 0, (const char *const *)names, n, &h->target);
    }
    free(names);
    free(text);
    if (status == PLUMB_OK)
        *homotopy = h;
    else
        plumb_homotopy_destroy(h);
    return status;
}
