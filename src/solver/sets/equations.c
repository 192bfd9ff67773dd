/* equations.c - see equations.h. */
#include "solver/sets/equations.h"

#include <stdlib.h>

#include "model/system/dependent.h"

plumb_status set_equations_copy(const plumb_system *s, int64_t e, polynomial *p)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = s->equation[e]; k < s->equation[e + 1] && status == PLUMB_OK; k++) {
        const system_term *t = &s->terms[k];
        status = plumb_poly_append(p, t->re, t->im, s->factors + t->first, t->count, t->degree);
    }
    return status;
}

plumb_status set_equations_leave(const plumb_system *given, plumb_system **left, bool *empty)
{
    const int64_t m = given->equations;
    poly_work work = {.left = POLY_MOST_WORK};
    int64_t contradiction = -1, count = 0;
    polynomial *p = calloc((size_t)m + 1, sizeof *p);
    bool *gone = calloc((size_t)m + 1, sizeof *gone);
    plumb_status status = p && gone ? PLUMB_OK : PLUMB_ERR_MEMORY;
    *left = NULL;
    *empty = false;
    for (int64_t e = 0; e < m && status == PLUMB_OK; e++) {
        status = set_equations_copy(given, e, &p[e]);
        gone[e] = given->equation[e] == given->equation[e + 1];
        *empty = *empty || plumb_system_degree(given, e) == 0;
    }
    if (status == PLUMB_OK && !*empty)
        status = plumb_dependent_find(p, m, given->unknowns, &work, gone, NULL, &contradiction);
    *empty = *empty || contradiction >= 0;
    for (int64_t e = 0; e < m && status == PLUMB_OK; e++) {
        const polynomial keep = p[e];
        if (gone[e])
            continue;
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
