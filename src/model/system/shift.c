/* shift.c - a system in translated unknowns; see shift.h. */
#include "model/system/shift.h"

#include <stdlib.h>

/* to = to * (x - shift)^exponent. */
static plumb_status multiply(polynomial *to, int32_t unknown, int32_t exponent, double shift, poly_work *work)
{
    polynomial power = {.count = 0}, product = {.count = 0};
    const system_factor x = {unknown, 1};
    mpq_t one, minus, zero;
    mpq_inits(one, minus, zero, NULL);
    mpq_set_si(one, 1, 1);
    mpq_set_d(minus, -shift);
    plumb_status status = plumb_poly_append(&power, one, zero, &x, 1, 1);
    if (status == PLUMB_OK)
        status = plumb_poly_append(&power, minus, zero, NULL, 0, 0);
    if (status == PLUMB_OK)
        status = plumb_poly_power(&power, exponent, work);
    if (status == PLUMB_OK)
        status = plumb_poly_add_product(&product, to, &power, work);
    plumb_poly_clear(&power);
    if (status == PLUMB_OK) {
        plumb_poly_clear(to);
        *to = product;
    } else {
        plumb_poly_clear(&product);
    }
    mpq_clears(one, minus, zero, NULL);
    return status;
}

/* Adds a term in translated unknowns. room has one entry per unknown. */
static plumb_status add_term(const plumb_system *s, const system_term *term, const double *shift, int64_t count,
                             system_factor *room, polynomial *p, poly_work *work)
{
    polynomial own = {.count = 0};
    int32_t others = 0, degree = 0;
    for (int32_t f = 0; f < term->count; f++) {
        const system_factor factor = s->factors[term->first + f];
        if (factor.unknown >= count || shift[factor.unknown] == 0.0) {
            room[others++] = factor;
            degree += factor.exponent;
        }
    }
    plumb_status status = plumb_poly_append(&own, term->re, term->im, room, others, degree);
    for (int32_t f = 0; f < term->count && status == PLUMB_OK; f++) {
        const system_factor factor = s->factors[term->first + f];
        if (factor.unknown < count && shift[factor.unknown] != 0.0)
            status = multiply(&own, factor.unknown, factor.exponent, shift[factor.unknown], work);
    }
    for (int64_t t = 0; t < own.count && status == PLUMB_OK; t++)
        status = plumb_poly_append(p, own.terms[t].re, own.terms[t].im, own.factors + own.terms[t].first,
                                   own.terms[t].count, own.terms[t].degree);
    plumb_poly_clear(&own);
    return status;
}

plumb_status plumb_system_shift(const plumb_system *system, const double *shift, int64_t count, plumb_system **made)
{
    poly_work work = {.left = POLY_MOST_WORK};
    polynomial *p = calloc((size_t)system->equations + 1, sizeof *p);
    system_factor *room = calloc((size_t)system->unknowns + 1, sizeof *room);
    plumb_status status = p && room ? PLUMB_OK : PLUMB_ERR_MEMORY;
    *made = NULL;
    for (int64_t i = 0; i < system->equations && status == PLUMB_OK; i++) {
        for (int64_t t = system->equation[i]; t < system->equation[i + 1] && status == PLUMB_OK; t++)
            status = add_term(system, &system->terms[t], shift, count, room, &p[i], &work);
        if (status == PLUMB_OK)
            status = plumb_poly_normalise(&p[i]);
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(p, system->equations, (const char *const *)system->names, system->unknowns, made);
    if (status == PLUMB_OK)
        (*made)->declared = system->declared;
    for (int64_t i = 0; p && i < system->equations; i++)
        plumb_poly_clear(&p[i]);
    free(p);
    free(room);
    return status;
}
