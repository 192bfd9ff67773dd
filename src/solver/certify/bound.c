/* bound.c - see bound.h. */
#include "solver/certify/bound.h"

#include <gmp.h>

#include "model/system/dependent.h"
#include "model/system/system.h"
#include "solver/multihomogeneous/groups.h"

/* Enumerations of mixed cells that take longer than this, about a second, are given up. */
enum { MOST_STEPS = 2000000 };

static certify_bound bound_of(plumb_context *context, const plumb_system *system, int64_t found)
{
    certify_bound bound = {.name = NULL};
    mpz_t bezout;
    mpz_init(bezout);
    if (plumb_system_bezout(system, bezout) && mpz_sizeinbase(bezout, 2) < 63)
        bound = (certify_bound){"Bezout number", mpz_get_si(bezout)};
    mpz_clear(bezout);
    if (plumb_system_equations(system) != plumb_system_unknowns(system) || (bound.name && bound.value <= found))
        return bound;
    unknown_groups groups;
    if (plumb_groups_find(system, &groups) == PLUMB_OK) {
        if (groups.paths != INT64_MAX && (!bound.name || groups.paths < bound.value))
            bound = (certify_bound){"multi-homogeneous Bezout number", groups.paths};
        plumb_groups_clear(&groups);
    }
    if (bound.name && bound.value <= found)
        return bound;
    plumb_mixed_options options;
    plumb_mixed_report report;
    plumb_mixed_options_init(&options);
    options.max_steps = MOST_STEPS;
    if (plumb_mixed_volume(context, system, &options, &report) == PLUMB_OK &&
        (!bound.name || report.volume < bound.value))
        bound = (certify_bound){"stable mixed volume", report.volume};
    return bound;
}

certify_bound certify_bound_of(plumb_context *context, const plumb_system *system, int64_t found)
{
    plumb_system *left = NULL;
    certify_bound bound = {.name = NULL};
    if (plumb_system_independent(system, &left) == PLUMB_OK)
        bound = bound_of(context, left ? left : system, found);
    plumb_system_destroy(left);
    return bound;
}
