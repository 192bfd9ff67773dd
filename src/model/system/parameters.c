/* parameters.c - declares unknowns of a system as parameters, and gives them values.
 *
 * Parameters are the last unknowns of a system, so that points and programs need to know only their number. */
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "model/system/parameters.h"

#define SAY(status, ...) plumb_say(status, NULL, 0, __VA_ARGS__)

/* Sets to[u] to the new number of each unknown: those without a name in the list keep their order. */
static plumb_status number_unknowns(const plumb_system *system, const char *const *names, int64_t count, int64_t *to)
{
    const int64_t n = system->unknowns;
    int64_t next = 0;
    for (int64_t i = 0; i < n; i++)
        to[i] = -1;
    for (int64_t k = 0; k < count; k++) {
        int64_t i = 0;
        while (i < n && (names[k] == NULL || strcmp(system->names[i], names[k]) != 0))
            i++;
        if (i == n)
            return SAY(PLUMB_ERR_ARGUMENT, "the equations have no unknown %.64s, which is to be a parameter",
                       names[k] != NULL ? names[k] : "NULL");
        if (to[i] >= 0)
            return SAY(PLUMB_ERR_ARGUMENT, "the parameter %.64s is declared twice", names[k]);
        to[i] = n - count + k;
    }
    for (int64_t i = 0; i < n; i++)
        if (to[i] < 0)
            to[i] = next++;
    return PLUMB_OK;
}

static int by_unknown(const void *a, const void *b)
{
    const int32_t x = ((const system_factor *)a)->unknown, y = ((const system_factor *)b)->unknown;
    return (x > y) - (x < y);
}

/* Takes all terms of equation i with other numbers of the unknowns. */
static plumb_status renumber(const plumb_system *system, int64_t i, const int64_t *to, system_factor *room,
                             polynomial *p)
{
    plumb_status status = PLUMB_OK;
    for (int64_t t = system->equation[i]; t < system->equation[i + 1] && status == PLUMB_OK; t++) {
        const system_term *term = &system->terms[t];
        for (int32_t j = 0; j < term->count; j++) {
            room[j] = system->factors[term->first + j];
            room[j].unknown = (int32_t)to[room[j].unknown];
        }
        if (term->count > 1)
            qsort(room, (size_t)term->count, sizeof *room, by_unknown);
        status = plumb_poly_append(p, term->re, term->im, room, term->count, term->degree);
    }
    return status == PLUMB_OK ? plumb_poly_normalise(p) : status;
}

plumb_status plumb_system_move(const plumb_system *system, const char *const *names, int64_t count,
                               plumb_system **moved)
{
    const int64_t n = system->unknowns, m = system->equations;
    *moved = NULL;
    if (system->denominators != NULL)
        return SAY(PLUMB_ERR_ARGUMENT, SYSTEM_HAS_DENOMINATORS);
    int64_t *to = calloc((size_t)n + 1, sizeof *to);
    const char **list = calloc((size_t)n + 1, sizeof *list);
    system_factor *room = calloc((size_t)n + 1, sizeof *room);
    polynomial *p = calloc((size_t)m + 1, sizeof *p);
    plumb_status status = to && list && room && p ? number_unknowns(system, names, count, to) : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < n && status == PLUMB_OK; i++)
        list[to[i]] = system->names[i];
    for (int64_t i = 0; i < m && status == PLUMB_OK; i++)
        status = renumber(system, i, to, room, &p[i]);
    if (status == PLUMB_OK)
        status = plumb_system_build(p, m, list, n, moved);
    if (status == PLUMB_OK)
        (*moved)->declared = count;
    for (int64_t i = 0; p && i < m; i++)
        plumb_poly_clear(&p[i]);
    free(p);
    free(room);
    free((void *)list);
    free(to);
    return status;
}

plumb_status plumb_system_declare(const plumb_system *system, const char *const *names, int64_t count,
                                  plumb_system **declared)
{
    plumb_call_begin();
    if (declared == NULL)
        return SAY(PLUMB_ERR_ARGUMENT, "declared is NULL");
    *declared = NULL;
    if (system == NULL || names == NULL)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", system == NULL ? "system" : "names");
    if (count < 1 || count >= system->unknowns)
        return SAY(PLUMB_ERR_ARGUMENT,
                   "found %lld parameters among %lld unknowns, expected some that are parameters and some that are not",
                   (long long)count, (long long)system->unknowns);
    return plumb_call_end(plumb_system_move(system, names, count, declared));
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* (re, im) *= (value)^exponent, exactly. */
static plumb_status multiply_power(mpq_t re, mpq_t im, const system_value *value, int32_t exponent, poly_work *work)
{
    plumb_status status = PLUMB_OK;
    for (int32_t k = 0; k < exponent && status == PLUMB_OK; k++)
        status = plumb_coefficient_multiply(re, im, value->re, value->im, work);
    return status;
}

plumb_status plumb_system_specialize(const plumb_system *system, const system_value *values, plumb_system **made)
{
    const int64_t n = system->unknowns - system->declared, m = system->equations;
    polynomial *p = calloc((size_t)m + 1, sizeof *p);
    system_factor *room = calloc((size_t)system->unknowns + 1, sizeof *room);
    poly_work work = {.left = POLY_MOST_WORK};
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    *made = NULL;
    plumb_status status = p && room ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < m && status == PLUMB_OK; i++) {
        for (int64_t t = system->equation[i]; t < system->equation[i + 1] && status == PLUMB_OK; t++) {
            const system_term *term = &system->terms[t];
            int32_t count = 0, degree = 0;
            mpq_set(re, term->re);
            mpq_set(im, term->im);
            for (int32_t j = 0; j < term->count && status == PLUMB_OK; j++) {
                const system_factor *f = &system->factors[term->first + j];
                if (f->unknown >= n) {
                    status = multiply_power(re, im, &values[f->unknown - n], f->exponent, &work);
                } else {
                    room[count++] = *f;
                    degree += f->exponent;
                }
            }
            if (status == PLUMB_OK)
                status = plumb_poly_append(&p[i], re, im, room, count, degree);
        }
        if (status == PLUMB_OK)
            status = plumb_poly_normalise(&p[i]);
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(p, m, (const char *const *)system->names, n, made);
    for (int64_t i = 0; p && i < m; i++)
        plumb_poly_clear(&p[i]);
    mpq_clears(re, im, NULL);
    free(p);
    free(room);
    return status;
}
