/* equations.c - see equations.h. */
#include "solver/sets/equations.h"

#include <stdlib.h>

#include "model/system/dependent.h"
#include "solver/solve/simplify.h"

plumb_status set_equations_copy(const plumb_system *s, int64_t e, polynomial *p)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = s->equation[e]; k < s->equation[e + 1] && status == PLUMB_OK; k++) {
        const system_term *t = &s->terms[k];
        status = plumb_poly_append(p, t->re, t->im, s->factors + t->first, t->count, t->degree);
    }
    return status;
}

/* One round: which equations follow from others, and lower ones in place of those of which the terms of the highest degree do. */
static plumb_status lower_once(polynomial *p, int64_t m, int64_t unknowns, poly_work *work, bool *gone, bool *empty,
                               bool *some)
{
    int64_t contradiction = -1;
    polynomial *lower = calloc((size_t)m + 1, sizeof *lower);
    plumb_status status = lower ? PLUMB_OK : PLUMB_ERR_MEMORY;
    *some = false;
    if (status == PLUMB_OK)
        status = plumb_dependent_find(p, m, unknowns, work, gone, lower, &contradiction);
    for (int64_t e = 0; e < m && lower; e++) {
        if (status == PLUMB_OK && lower[e].count > 0 && !gone[e]) {
            const polynomial higher = p[e];
            p[e] = lower[e];
            lower[e] = higher;
            *some = true;
        }
        plumb_poly_clear(&lower[e]);
    }
    free(lower);
    *empty = contradiction >= 0;
    return status;
}

plumb_status set_equations_leave(const plumb_system *given, plumb_system **left, int64_t *linear, bool *empty)
{
    const int64_t m = given->equations;
    poly_work work = {.left = POLY_MOST_WORK};
    int64_t count = 0;
    polynomial *p = calloc((size_t)m + 1, sizeof *p);
    bool *gone = calloc((size_t)m + 1, sizeof *gone), some = true;
    plumb_status status = p && gone ? PLUMB_OK : PLUMB_ERR_MEMORY;
    *left = NULL;
    *empty = false;
    for (int64_t e = 0; e < m && status == PLUMB_OK; e++) {
        status = set_equations_copy(given, e, &p[e]);
        gone[e] = given->equation[e] == given->equation[e + 1];
        *empty = *empty || plumb_system_degree(given, e) == 0;
    }
    while (status == PLUMB_OK && !*empty && some)
        status = lower_once(p, m, given->unknowns, &work, gone, empty, &some);
    *linear = 0;
    for (int64_t e = 0; e < m && status == PLUMB_OK; e++) {
        const polynomial keep = p[e];
        if (gone[e])
            continue;
        *linear += !work.limit && keep.terms[0].degree == 1;
        p[e] = p[count];
        p[count++] = keep;
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(p, count, (const char *const *)given->names, given->unknowns, left);
    for (int64_t e = 0; p && e < m; e++)
        plumb_poly_clear(&p[e]);
    free(gone);
    free(p);
    return status;
}

/* The linear equations, or the others. */
static plumb_status select_equations(const plumb_system *system, bool linear, plumb_system **selected)
{
    polynomial *p = calloc((size_t)system->equations + 1, sizeof *p);
    plumb_status status = p ? PLUMB_OK : PLUMB_ERR_MEMORY;
    int64_t count = 0;
    *selected = NULL;
    for (int64_t e = 0; e < system->equations && status == PLUMB_OK; e++)
        if ((plumb_system_degree(system, e) == 1) == linear)
            status = set_equations_copy(system, e, &p[count++]);
    if (status == PLUMB_OK)
        status = plumb_system_build(p, count, (const char *const *)system->names, system->unknowns, selected);
    for (int64_t e = 0; p && e < count; e++)
        plumb_poly_clear(&p[e]);
    free(p);
    return status;
}

plumb_status set_equations_combine(const plumb_system *system, int64_t linear, int64_t count, uint64_t seed,
                                   plumb_system **combined)
{
    plumb_system *part[2] = {NULL, NULL}, *mixed = NULL;
    *combined = NULL;
    if (linear == 0 || linear > count)
        return plumb_solve_combine(system, count, seed, combined);
    plumb_status status = select_equations(system, true, &part[0]);
    if (status == PLUMB_OK && count > linear)
        status = select_equations(system, false, &part[1]);
    if (status == PLUMB_OK && count > linear)
        status = plumb_solve_combine(part[1], count - linear, seed, &mixed);
    if (status == PLUMB_OK)
        status = set_equations_stack(mixed, part[0], combined);
    for (int k = 0; k < 2; k++)
        plumb_system_destroy(part[k]);
    plumb_system_destroy(mixed);
    return status;
}

plumb_status set_equations_stack(const plumb_system *first, const plumb_system *second, plumb_system **stacked)
{
    const plumb_system *const given[] = {first, second}, *const any = first ? first : second;
    const int64_t count = (first ? first->equations : 0) + (second ? second->equations : 0);
    polynomial *p = calloc((size_t)count + 1, sizeof *p);
    plumb_status status = p ? PLUMB_OK : PLUMB_ERR_MEMORY;
    int64_t made = 0;
    *stacked = NULL;
    for (int k = 0; k < 2; k++)
        for (int64_t e = 0; given[k] && e < given[k]->equations && status == PLUMB_OK; e++)
            status = set_equations_copy(given[k], e, &p[made++]);
    if (status == PLUMB_OK && any)
        status = plumb_system_build(p, count, (const char *const *)any->names, any->unknowns, stacked);
    for (int64_t e = 0; p && e < count; e++)
        plumb_poly_clear(&p[e]);
    free(p);
    return status;
}
