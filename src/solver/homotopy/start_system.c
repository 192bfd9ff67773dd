/* start_system.c - plumb_system_start: makes a start system of total degree for a target. If the target needs scaling
 * (model/homotopy/scaling.h), the two terms of each equation have the factors 2^-(c + d e) and 2^-c, so that the same
 * scaling turns it into x_i^d_i - c_i. */
#include "solver/homotopy/start_system.h"

#include <stdlib.h>

#include "base/call/message.h"
#include "model/homotopy/scaling.h"
#include "model/homotopy/start_form.h"
#include "text/matrix/random.h"

/* Sets p to x^degree - c for unknown i; c is complex with exact parts. */
static plumb_status make_equation(int64_t i, int64_t degree, const double c[2], polynomial *p)
{
    const system_factor power = {(int32_t)i, (int32_t)degree};
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    mpq_set_ui(re, 1, 1);
    plumb_status status = plumb_poly_append(p, re, im, &power, 1, (int32_t)degree);
    mpq_set_d(re, -c[0]);
    mpq_set_d(im, -c[1]);
    if (status == PLUMB_OK)
        status = plumb_poly_append(p, re, im, NULL, 0, 0);
    mpq_clears(re, im, NULL);
    return status;
}

static void unscale(const system_scaling *scaling, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        scaling->unknown[i] = -scaling->unknown[i];
        scaling->equation[i] = -scaling->equation[i];
    }
}

static plumb_status make(const plumb_system *target, uint64_t seed, int32_t scaled, plumb_system **start)
{
    if (start == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "start is NULL");
    *start = NULL;
    if (target == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "target is NULL");
    if (target->denominators != NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, SYSTEM_HAS_DENOMINATORS);
    plumb_status status = plumb_start_check(target, NULL, 0);
    if (status != PLUMB_OK)
        return status;
    const int64_t n = target->unknowns;
    system_scaling scaling = {.unknown = NULL};
    if (scaled)
        status = plumb_scaling_find(target, &scaling);
    if (status != PLUMB_OK)
        return status;
    if (scaling.unknown != NULL)
        unscale(&scaling, n);
    polynomial *p = calloc((size_t)n, sizeof *p);
    double *c = malloc((size_t)n * 2 * sizeof *c);
    status = p != NULL && c != NULL ? plumb_random_units(seed, n, c) : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < n && status == PLUMB_OK; i++) {
        status = make_equation(i, plumb_system_degree(target, i), c + 2 * i, &p[i]);
        if (status == PLUMB_OK && scaling.unknown != NULL)
            plumb_scaling_apply(&scaling, i, 0, &p[i]);
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(p, n, (const char *const *)target->names, n, start);
    for (int64_t i = 0; p != NULL && i < n; i++)
        plumb_poly_clear(&p[i]);
    free(p);
    free(c);
    plumb_scaling_clear(&scaling);
    return status;
}

plumb_status plumb_start_make(const plumb_system *target, uint64_t seed, int32_t scaled, plumb_system **start)
{
    plumb_call_begin();
    return plumb_call_end(make(target, seed, scaled, start));
}

plumb_status plumb_system_start(const plumb_system *target, uint64_t seed, plumb_system **start)
{
    return plumb_start_make(target, seed, 1, start);
}
