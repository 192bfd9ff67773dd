/* carrier.c - see carrier.h. */
#include "solver/sets/carrier.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number/modulus.h"
#include "model/solutions.h"
#include "model/system/parameters.h"
#include "model/system/polynomial.h"
#include "solver/family/family.h"
#include "solver/sets/equations.h"
#include "solver/solve/simplify.h"

/* Unknowns are shifted if a witness point has a smaller one. */
static const double NEAR_ZERO = 1e-6;
enum { SHIFT_BITS = 8 }; /* short: the coefficients stay short */
enum { NAME_ROOM = 32 };

void set_carrier_clear(set_carrier *carrier)
{
    plumb_system_destroy(carrier->base);
    plumb_system_destroy(carrier->start);
    plumb_system_destroy(carrier->turned);
    if (carrier->context) {
        plumb_deflated_clear(carrier->context, &carrier->how);
        plumb_array_destroy(carrier->context, &carrier->x);
    }
    free(carrier->shift);
    free(carrier->error);
    *carrier = (set_carrier){.count = 0};
}

/* ---- Systems ------------------------------------------------------------------------------------------------------- */

plumb_status set_carrier_system(const set_carrier *carrier, const plumb_system *slice, plumb_system **system)
{
    plumb_system *stacked = NULL, *shifted = NULL;
    *system = NULL;
    plumb_status status = set_equations_stack(carrier->base, slice, &stacked);
    if (status == PLUMB_OK)
        status = set_shift_system(stacked, carrier->shift, &shifted);
    plumb_system_destroy(stacked);
    if (status == PLUMB_OK && carrier->how.stages > 0) {
        status = plumb_deflate_again(shifted, &carrier->how, system);
        plumb_system_destroy(shifted);
    } else {
        *system = shifted;
    }
    return status;
}

/* The equations that are not zero, or as many random combinations of them as the codimension. */
static plumb_status make_base(set_carrier *carrier, const plumb_system *given, bool multiple, uint64_t seed)
{
    const int64_t codimension = given->unknowns - carrier->dimension;
    int64_t count = 0;
    polynomial *p = calloc((size_t)given->equations + 1, sizeof *p);
    plumb_system *kept = NULL;
    plumb_status status = p ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t e = 0; e < given->equations && status == PLUMB_OK; e++)
        if (given->equation[e] < given->equation[e + 1])
            status = set_equations_copy(given, e, &p[count++]);
    if (status == PLUMB_OK && count > 0)
        status = plumb_system_build(p, count, (const char *const *)given->names, given->unknowns, &kept);
    for (int64_t e = 0; p && e < given->equations; e++)
        plumb_poly_clear(&p[e]);
    free(p);
    if (status == PLUMB_OK && !multiple && codimension > 0 && count > codimension) {
        status = plumb_solve_combine(kept, codimension, seed, &carrier->base);
        plumb_system_destroy(kept);
    } else {
        carrier->base = kept;
    }
    return status;
}

/* ---- Points -------------------------------------------------------------------------------------------------------- */

static plumb_status choose_shift(set_carrier *carrier, const plumb_solutions *s, bool all, uint64_t seed)
{
    plumb_random random = plumb_random_start(seed ^ 0x5348494654);
    carrier->shift = calloc(2 * (size_t)s->unknowns, sizeof *carrier->shift);
    for (int64_t i = 0; i < s->unknowns && carrier->shift; i++) {
        double c[2];
        set_direction(&random, c);
        for (int64_t k = 0; k < s->count; k++) {
            const double *x = solution_value(s, k, i);
            if (!all && plumb_modulus(x[0], x[s->prec]) > NEAR_ZERO)
                continue;
            for (int part = 0; part < 2; part++)
                carrier->shift[2 * i + part] = ldexp(rint(ldexp(c[part], SHIFT_BITS)), -SHIFT_BITS);
        }
    }
    return carrier->shift ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

static void copy_point(const plumb_view *from, const plumb_view *to, int64_t k)
{
    for (int64_t c = 0; c < 2 * to->prec; c++)
        memcpy(to->data + k * to->next + c * to->plane, from->data + c * from->plane,
               (size_t)to->rows * sizeof *to->data);
}

/* Deflates all points; they are usable if all of them take the same steps. */
static plumb_status deflate(set_carrier *carrier, const plumb_system *stacked, const plumb_view *given)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < given->batch && carrier->usable && status == PLUMB_OK; k++) {
        deflated_point how;
        const plumb_view one = set_points_one(given, k);
        status = plumb_deflate_point(carrier->context, stacked, &one, 1e-30, &how);
        if (status != PLUMB_OK)
            break;
        bool same = how.stages > 0;
        for (int32_t i = 0; k > 0 && same && i < how.stages; i++)
            same = how.stages == carrier->how.stages && how.rank[i] == carrier->how.rank[i];
        carrier->usable = same;
        if (same && k == 0)
            status = plumb_array_create(carrier->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, how.x.rows, 1,
                                        given->batch, &carrier->x);
        if (same && status == PLUMB_OK)
            copy_point(&how.x, &carrier->x, k);
        if (k == 0)
            carrier->how = how;
        else
            plumb_deflated_clear(carrier->context, &how);
    }
    return status;
}

static plumb_status take_points(set_carrier *carrier, const plumb_solutions *s, bool multiple)
{
    plumb_context *context = carrier->context;
    plumb_view x = {.data = NULL};
    plumb_system *stacked = NULL, *shifted = NULL;
    plumb_status status =
        plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, s->unknowns, 1, s->count, &x);
    if (status == PLUMB_OK)
        status = plumb_solutions_get(s, 0, &x);
    for (int64_t k = 0; k < s->count && status == PLUMB_OK; k++) {
        const plumb_view one = set_points_one(&x, k);
        status = set_shift_point(carrier->shift, s->unknowns, -1, &one);
    }
    if (status == PLUMB_OK)
        status = set_equations_stack(carrier->base, carrier->slice, &stacked);
    if (status == PLUMB_OK)
        status = set_shift_system(stacked, carrier->shift, &shifted);
    if (status == PLUMB_OK && multiple) {
        status = deflate(carrier, shifted, &x);
        plumb_array_destroy(context, &x);
    } else {
        carrier->x = x;
    }
    plumb_system_destroy(stacked);
    plumb_system_destroy(shifted);
    return status;
}

plumb_status set_carrier_make(plumb_context *context, const plumb_components *components, int64_t index, bool shift_all,
                              uint64_t seed, set_carrier *carrier)
{
    const set_component *c = &components->list[index];
    const plumb_system *system = components->system;
    const bool multiple = c->info.multiplicity > 1;
    *carrier = (set_carrier){.context = context,
                             .slice = plumb_components_slice(components, c->info.dimension),
                             .dimension = c->info.dimension,
                             .unknowns = system->unknowns,
                             .count = c->points->count,
                             .usable = true};
    carrier->error = calloc((size_t)carrier->count + 1, sizeof *carrier->error);
    plumb_status status = carrier->error ? make_base(carrier, system, multiple, seed) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = choose_shift(carrier, c->points, shift_all, seed);
    if (status == PLUMB_OK)
        status = take_points(carrier, c->points, multiple);
    if (status == PLUMB_OK && carrier->usable)
        status = set_carrier_system(carrier, carrier->slice, &carrier->start);
    if (status == PLUMB_OK && carrier->usable && carrier->start && carrier->start->equations < carrier->start->unknowns)
        carrier->usable = false; /* the file has a dimension that the equations do not allow */
    if (status == PLUMB_OK && carrier->usable)
        status = set_points_refine(context, carrier->start, &carrier->x, carrier->error);
    for (int64_t k = 0; k < carrier->count && carrier->error; k++)
        carrier->usable = carrier->usable && carrier->error[k] >= 0.0;
    return status;
}

plumb_status set_carrier_turn(set_carrier *carrier, const plumb_system *slice, uint64_t seed)
{
    enum { ATTEMPTS = 3, NEXT_SEED = 1000003 };
    plumb_context *context = carrier->context;
    plumb_system *target = NULL, *copy = NULL;
    plumb_view x = {.data = NULL};
    bool arrived = false;
    plumb_status status = set_carrier_system(carrier, slice, &target);
    if (status == PLUMB_OK)
        status = plumb_system_numerators(slice, 0, slice->equations, &copy);
    if (status == PLUMB_OK)
        status =
            plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, carrier->x.rows, 1, carrier->count, &x);
    for (uint64_t k = 0; k < ATTEMPTS && status == PLUMB_OK && !arrived; k++) {
        status = plumb_copy(context, &carrier->x, &x, NULL);
        memset(carrier->error, 0, (size_t)carrier->count * sizeof *carrier->error);
        if (status == PLUMB_OK)
            status = set_points_track(context, carrier->start, target, NULL, seed + k * NEXT_SEED, &x, carrier->error);
        arrived = status == PLUMB_OK;
        for (int64_t i = 0; i < carrier->count; i++)
            arrived = arrived && carrier->error[i] >= 0.0;
    }
    if (status != PLUMB_OK) {
        plumb_array_destroy(context, &x);
        plumb_system_destroy(target);
        plumb_system_destroy(copy);
        return status;
    }
    plumb_array_destroy(context, &carrier->x);
    plumb_system_destroy(carrier->start);
    plumb_system_destroy(carrier->turned);
    carrier->x = x;
    carrier->start = target;
    carrier->slice = carrier->turned = copy;
    carrier->usable = arrived;
    return PLUMB_OK;
}

/* ---- The family ---------------------------------------------------------------------------------------------------- */

/* The system with one more unknown for each equation of the slice, added to it. */
static plumb_status add_parameters(const set_carrier *carrier, plumb_system **system)
{
    const plumb_system *s = carrier->start;
    const int64_t k = carrier->dimension, first = carrier->base ? carrier->base->equations : 0, n = s->unknowns;
    polynomial *p = calloc((size_t)s->equations + 1, sizeof *p);
    const char **names = calloc((size_t)(n + k) + 1, sizeof *names);
    char *text = calloc((size_t)k + 1, NAME_ROOM);
    mpq_t one, zero;
    mpq_inits(one, zero, NULL);
    mpq_set_ui(one, 1, 1);
    plumb_status status = p && names && text ? PLUMB_OK : PLUMB_ERR_MEMORY;
    *system = NULL;
    for (int64_t i = 0; i < n && status == PLUMB_OK; i++)
        names[i] = s->names[i];
    for (int64_t j = 0; j < k && status == PLUMB_OK; j++) { /* names that no system has: nobody sees them */
        snprintf(text + j * NAME_ROOM, NAME_ROOM, "%lld.c", (long long)j);
        names[n + j] = text + j * NAME_ROOM;
    }
    for (int64_t e = 0; e < s->equations && status == PLUMB_OK; e++) {
        const system_factor own = {(int32_t)(n + e - first), 1};
        status = set_equations_copy(s, e, &p[e]);
        if (status == PLUMB_OK && e >= first && e < first + k)
            status = plumb_poly_append(&p[e], one, zero, &own, 1, 1);
        if (status == PLUMB_OK)
            status = plumb_poly_normalise(&p[e]);
    }
    plumb_system *plain = NULL;
    if (status == PLUMB_OK)
        status = plumb_system_build(p, s->equations, names, n + k, &plain);
    if (status == PLUMB_OK)
        status = plumb_system_declare(plain, names + n, k, system);
    plumb_system_destroy(plain);
    for (int64_t e = 0; p && e < s->equations; e++)
        plumb_poly_clear(&p[e]);
    mpq_clears(one, zero, NULL);
    free(p);
    free(names);
    free(text);
    return status;
}

plumb_status set_carrier_family(const set_carrier *carrier, plumb_family **family)
{
    double *from = calloc(2 * (size_t)carrier->dimension + 1, sizeof *from);
    plumb_system *system = NULL;
    *family = NULL;
    plumb_status status = from ? add_parameters(carrier, &system) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_family_create(system, family);
    if (status ==
        PLUMB_OK) /* the points are refined already, and are taken as they are: components may be close to each other */
        status = plumb_family_take(*family, from, &carrier->x, 0);
    free(from);
    plumb_system_destroy(system);
    if (status != PLUMB_OK) {
        plumb_family_destroy(*family);
        *family = NULL;
    }
    return status;
}

plumb_status set_carrier_follow(const set_carrier *carrier, const plumb_view *constants, uint64_t seed,
                                plumb_progress progress, void *data, set_ends *ends)
{
    const int64_t paths = constants->batch * carrier->count;
    plumb_family_options options;
    plumb_family_options_init(&options);
    options.seed = seed;
    options.progress = progress;
    options.data = data;
    *ends = (set_ends){.records = calloc((size_t)paths + 1, sizeof *ends->records),
                       .instances = calloc((size_t)constants->batch + 1, sizeof *ends->instances)};
    plumb_status status =
        ends->records && ends->instances ? set_carrier_family(carrier, &ends->family) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_array_create(carrier->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, carrier->start->unknowns, 1,
                                    paths, &ends->x);
    return status == PLUMB_OK ? plumb_family_solve_part(carrier->context, ends->family, constants, 0, &options,
                                                        &ends->x, ends->records, ends->instances)
                              : status;
}

void set_ends_clear(const set_carrier *carrier, set_ends *ends)
{
    plumb_array_destroy(carrier->context, &ends->x);
    plumb_family_destroy(ends->family);
    free(ends->records);
    free(ends->instances);
    *ends = (set_ends){.family = NULL};
}

plumb_status set_carrier_square(const plumb_system *system, uint64_t seed, plumb_system **square)
{
    *square = NULL;
    return system->equations > system->unknowns ? plumb_solve_square(system, seed, square)
                                                : plumb_system_numerators(system, 0, system->equations, square);
}

plumb_status set_carrier_unshift(const set_carrier *carrier, const plumb_view *x)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < x->batch && status == PLUMB_OK; k++) {
        const plumb_view one = set_points_one(x, k);
        status = set_shift_point(carrier->shift, carrier->unknowns, 1, &one);
    }
    return status;
}
