/* polyhedral.c - plumb_polyhedral_create: the start system and its mixed cells; see polyhedral.h. */
#include "solver/polyhedral/polyhedral.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/number/random.h"
#include "model/homotopy/scaling.h"
#include "model/system/polynomial.h"
#include "solver/cells/store.h"
#include "solver/context/context.h"
#include "text/matrix/random.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* ---- The start system ----------------------------------------------------------------------------------------------- */

/* Sets equation to the polynomial with the points of a group and these coefficients. */
static plumb_status make_equation(const cell_supports *s, int64_t g, const double *coefficients, system_factor *factors,
                                  polynomial *equation)
{
    const int64_t n = s->unknowns;
    plumb_status status = PLUMB_OK;
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    for (int64_t k = s->first[g]; status == PLUMB_OK && k < s->first[g + 1]; k++, coefficients += 2) {
        int32_t count = 0, degree = 0;
        for (int32_t v = 0; v < n; v++)
            if (s->exponent[k * n + v] > 0) {
                factors[count++] = (system_factor){v, s->exponent[k * n + v]};
                degree += s->exponent[k * n + v];
            }
        mpq_set_d(re, coefficients[0]);
        mpq_set_d(im, coefficients[1]);
        status = plumb_poly_append(equation, re, im, factors, count, degree);
    }
    mpq_clears(re, im, NULL);
    return status == PLUMB_OK ? plumb_poly_normalise(equation) : status;
}

/* Makes a system with these supports and coefficients, and takes the scaling back unless that is NULL. */
static plumb_status make_system(const cell_supports *s, const double *coefficients, const plumb_system *target,
                                const system_scaling *scaling, plumb_system **made)
{
    const int64_t n = target->unknowns;
    polynomial *equations = calloc((size_t)n, sizeof *equations);
    system_factor *factors = calloc((size_t)n, sizeof *factors);
    plumb_status status = equations && factors ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; status == PLUMB_OK && i < n; i++) {
        const int64_t g = s->group[i];
        status = make_equation(s, g, coefficients, factors, &equations[i]);
        coefficients += 2 * (s->first[g + 1] - s->first[g]);
        if (status == PLUMB_OK && scaling)
            plumb_scaling_apply(scaling, i, 0, &equations[i]);
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(equations, n, (const char *const *)target->names, n, made);
    for (int64_t i = 0; equations && i < n; i++)
        plumb_poly_clear(&equations[i]);
    free(equations);
    free(factors);
    return status;
}

/* ---- Coefficients --------------------------------------------------------------------------------------------------- */

/* Halves the angle of a number on the unit circle, without cancellation. Square roots are the same on every machine. */
static void halve_angle(double *unit)
{
    const double larger = sqrt(0.5 * (1.0 + fabs(unit[0]))), other = fabs(unit[1]) / (2.0 * larger);
    const double sine = unit[0] >= 0.0 ? other : larger;
    unit[0] = unit[0] >= 0.0 ? larger : other;
    unit[1] = copysign(sine, unit[1]);
}

/* Multiplies a number on the unit circle by the scaled coefficient of a term, unless that is extremely large or small: then
 * returns false. */
static bool turn_coefficient(const system_term *term, int64_t exponent, mpq_t room, double *unit)
{
    double part[2];
    for (int k = 0; k < 2; k++) {
        if (exponent >= 0)
            mpq_mul_2exp(room, k ? term->im : term->re, (mp_bitcnt_t)exponent);
        else
            mpq_div_2exp(room, k ? term->im : term->re, (mp_bitcnt_t)-exponent);
        part[k] = mpq_get_d(room);
    }
    const double size = fabs(part[0]) + fabs(part[1]);
    if (!(size > 0x1p-100 && size < 0x1p100))
        return false;
    const double re = part[0] * unit[0] - part[1] * unit[1], im = part[0] * unit[1] + part[1] * unit[0];
    unit[0] = re;
    unit[1] = im;
    return true;
}

/* The coefficients of equation i, from numbers on the unit circle. Added origins, which the target does not have, get the
 * size that its terms have in the mean. */
static void turn_equation(const cell_supports *s, const plumb_system *target, const system_scaling *scaling, int64_t i,
                          int32_t *exponents, mpq_t room, double *unit)
{
    const int64_t n = s->unknowns, g = s->group[i], points = s->first[g + 1] - s->first[g];
    int64_t levels = 0, turned = 0;
    for (int64_t t = target->equation[i]; t < target->equation[i + 1]; t++) {
        const system_term *term = &target->terms[t];
        int64_t exponent = scaling->unknown ? scaling->equation[i] : 0;
        memset(exponents, 0, (size_t)n * sizeof *exponents);
        for (int32_t k = 0; k < term->count; k++) {
            const system_factor *f = &target->factors[term->first + k];
            exponents[f->unknown] = f->exponent;
            exponent += scaling->unknown ? (int64_t)f->exponent * scaling->unknown[f->unknown] : 0;
        }
        double *here = unit + 2 * (plumb_supports_find(s, i, exponents) - s->first[g]);
        halve_angle(here);
        halve_angle(here);
        if (exponent < -100000 || exponent > 100000 || !turn_coefficient(term, exponent, room, here))
            continue;
        levels += ilogb(fabs(here[0]) + fabs(here[1]));
        turned++;
    }
    for (int64_t k = 0; k < points && turned > 0; k++)
        if (s->added[s->first[g] + k])
            for (int c = 0; c < 2; c++)
                unit[2 * k + c] = ldexp(unit[2 * k + c], (int)(levels / turned));
}

/* The coefficients of the start system are those of the target, in its scaled unknowns, turned by random angles of at most
 * 45 degrees. Angles are as general as moduli: all angles for which the start system has too few solutions, or a path meets a
 * singularity, have measure zero. No coefficient comes near zero on the way to the target, which is much
 * shorter than one from random numbers: paths take a quarter of the steps, and the target is no accident of scales. */
static plumb_status choose_coefficients(const cell_supports *s, const plumb_system *target,
                                        const system_scaling *scaling, uint64_t seed, double **coefficients)
{
    int64_t count = 0;
    for (int64_t i = 0; i < s->unknowns; i++)
        count += s->first[s->group[i] + 1] - s->first[s->group[i]];
    *coefficients = calloc((size_t)(2 * count) + 1, sizeof **coefficients);
    int32_t *exponents = calloc((size_t)s->unknowns, sizeof *exponents);
    plumb_status status = *coefficients && exponents ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_random_units(seed, count, *coefficients);
    mpq_t room;
    mpq_init(room);
    double *here = *coefficients;
    for (int64_t i = 0; status == PLUMB_OK && i < s->unknowns; i++) {
        turn_equation(s, target, scaling, i, exponents, room, here);
        here += 2 * (s->first[s->group[i] + 1] - s->first[s->group[i]]);
    }
    mpq_clear(room);
    free(exponents);
    return status;
}

/* The start system, and *scaled in scaled unknowns. */
static plumb_status make_systems(polyhedral *p, const plumb_system *target, uint64_t seed, plumb_system **scaled)
{
    const int64_t n = target->unknowns;
    system_scaling scaling = {.unknown = NULL};
    cell_supports *supports = NULL;
    plumb_status status = plumb_supports_of_system(target, p->origins, &supports);
    if (status == PLUMB_OK)
        status = plumb_scaling_find(target, &scaling);
    if (status == PLUMB_OK)
        status = choose_coefficients(supports, target, &scaling, seed, &p->coefficients);
    for (int64_t i = 0; status == PLUMB_OK && scaling.unknown && i < n; i++) {
        p->exponent[i] = scaling.unknown[i];
        scaling.unknown[i] = -scaling.unknown[i];
        scaling.equation[i] = -scaling.equation[i];
    }
    if (status == PLUMB_OK)
        status = make_system(supports, p->coefficients, target, NULL, scaled);
    if (status == PLUMB_OK)
        status = make_system(supports, p->coefficients, target, scaling.unknown ? &scaling : NULL, &p->system);
    plumb_scaling_clear(&scaling);
    plumb_supports_destroy(supports);
    return status;
}

/* FNV-1a over the bytes of 64-bit words. Almost all words are less than 256, and the other seven bytes are then zeros, each of which
 * multiplies by the prime: ranks wait for this hash. */
static uint64_t hash_word(uint64_t hash, int64_t word)
{
    const uint64_t prime = UINT64_C(0x100000001b3), second = prime * prime, fourth = second * second;
    if (word >= 0 && word < 256)
        return (hash ^ (uint64_t)word) * (fourth * fourth);
    for (int k = 0; k < 8; k++)
        hash = (hash ^ ((uint64_t)word >> (8 * k) & 255)) * prime;
    return hash;
}

static uint64_t hash_of(const polyhedral *p)
{
    const cell_supports *s = p->supports;
    const mixed_cells *cells = p->cells;
    uint64_t hash = hash_word(UINT64_C(0xcbf29ce484222325), s->unknowns);
    for (int64_t i = 0; i < s->first[s->groups] * s->unknowns; i++)
        hash = hash_word(hash, s->exponent[i]);
    for (int64_t i = 0; i < s->first[s->groups]; i++)
        hash = hash_word(hash, cells->lifting[i]);
    for (int64_t i = 0; i < cells->count * cells->width; i++)
        hash = hash_word(hash, cells->point[i]);
    return hash;
}

/* ---- Mixed cells ---------------------------------------------------------------------------------------------------- */

/* volume: only the mixed volume is needed. */
static plumb_status enumerate(plumb_context *context, const cell_supports *supports, int32_t stable, bool volume,
                              uint64_t seed, int64_t most_steps, mixed_cells **cells)
{
    plumb_status status;
    const cells_options walk = {.seed = seed,
                                .most_steps = most_steps,
                                .team = &context->cpu.team,
                                .threads = context->cpu.threads,
                                .stable = stable,
                                .stop = context->stop,
                                .data = context->stop_data};
    if (context->cells && plumb_store_find(context->cells, supports, &walk, volume, &status, cells))
        return status;
    status = plumb_cells_enumerate(supports, &walk, cells);
    if (context->cells && (status == PLUMB_OK || !walk.stop))
        plumb_store_add(context->cells, supports, &walk, volume, status, *cells);
    return status;
}

static plumb_status find_volume(plumb_context *context, const plumb_system *target, int32_t stable, uint64_t seed,
                                int64_t most_steps, int64_t *volume)
{
    cell_supports *supports = NULL;
    mixed_cells *cells = NULL;
    plumb_status status = plumb_supports_of_system(target, stable, &supports);
    /* The cells that are not stable are those of the start system, unless that gets origins: the store keeps them. */
    if (status == PLUMB_OK)
        status = enumerate(context, supports, stable, stable != 0, seed, most_steps, &cells);
    if (status == PLUMB_OK)
        *volume = cells->mixed_volume;
    plumb_supports_destroy(supports);
    plumb_cells_destroy(cells);
    return status;
}

/* True if for each unknown there is an equation with a constant term whose other terms all contain the unknown, as xyz = 1: then no
 * solution has a zero coordinate, and the stable mixed volume is the mixed volume. The reason: a stable cell with an added origin has a
 * normal with a positive entry and no negative one. In the equation for the unknown of that entry, the origin alone is lowest along the
 * normal, so the cell is not mixed. */
static bool excludes_zeros(const plumb_system *target)
{
    const int64_t n = target->unknowns;
    int64_t *terms = calloc((size_t)(2 * n), sizeof *terms); /* of the equation at hand that contain each unknown */
    int64_t *found = terms ? terms + n : NULL;               /* whether an equation excludes the zero of each */
    int64_t excluded = 0;
    for (int64_t i = 0; terms && i < target->equations; i++) {
        const int64_t first = target->equation[i], end = target->equation[i + 1];
        int64_t constants = 0;
        memset(terms, 0, (size_t)n * sizeof *terms);
        for (int64_t t = first; t < end; t++) {
            constants += target->terms[t].count == 0;
            for (int32_t k = 0; k < target->terms[t].count; k++)
                terms[target->factors[target->terms[t].first + k].unknown]++;
        }
        for (int64_t v = 0; v < n && constants == 1; v++)
            found[v] = found[v] || terms[v] == end - first - 1;
    }
    for (int64_t v = 0; terms && v < n; v++)
        excluded += found[v];
    free(terms);
    return terms != NULL && excluded == n;
}

plumb_status plumb_polyhedral_zeros(plumb_context *context, const plumb_system *target, uint64_t seed,
                                    int64_t most_steps, int32_t *origins)
{
    int64_t all = 0, nonzero = 0;
    if (excludes_zeros(target))
        return PLUMB_OK;
    plumb_status status = find_volume(context, target, 1, seed, most_steps, &all);
    if (status == PLUMB_OK)
        status = find_volume(context, target, 0, seed, most_steps, &nonzero);
    *origins = all != nonzero || status == PLUMB_ERR_STOPPED;
    return status == PLUMB_ERR_STOPPED ? PLUMB_OK : status;
}

static plumb_status make(plumb_context *context, const plumb_system *target, int32_t nonzero, uint64_t seed,
                         int64_t most_steps, polyhedral *p)
{
    plumb_random seeds = plumb_random_start(seed);
    const uint64_t coefficient_seed = plumb_random_next(&seeds), lifting_seed = plumb_random_next(&seeds);
    plumb_system *scaled = NULL;
    p->seed = plumb_random_next(&seeds);
    p->exponent = calloc((size_t)target->unknowns, sizeof *p->exponent);
    plumb_status status = p->exponent ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK && !nonzero)
        status = plumb_polyhedral_zeros(context, target, lifting_seed, most_steps, &p->origins);
    if (status == PLUMB_OK)
        status = make_systems(p, target, coefficient_seed, &scaled);
    if (status == PLUMB_OK)
        status = plumb_supports_of_system(scaled, 0, &p->supports);
    if (status == PLUMB_OK)
        status = enumerate(context, p->supports, 0, false, lifting_seed, most_steps, &p->cells);
    if (status == PLUMB_OK)
        status = plumb_homotopy_polyhedral(scaled, p->supports, &p->homotopy);
    plumb_system_destroy(scaled);
    if (status != PLUMB_OK)
        return status;
    p->count = p->cells->mixed_volume;
    p->hash = hash_of(p);
    return PLUMB_OK;
}

plumb_status plumb_polyhedral_create(plumb_context *context, const plumb_system *target, int32_t nonzero, uint64_t seed,
                                     int64_t most_steps, polyhedral **made)
{
    *made = NULL;
    if (target->equations != target->unknowns || target->unknowns < 1)
        return SAY(PLUMB_ERR_ARGUMENT, "found %lld equations in %lld unknowns, expected as many as unknowns",
                   (long long)target->equations, (long long)target->unknowns);
    polyhedral *p = calloc(1, sizeof *p);
    if (!p)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    plumb_call_begin();
    plumb_status status = plumb_call_end(make(context, target, nonzero, seed, most_steps, p));
    if (status != PLUMB_OK) {
        const char *line = plumb_last_message();
        plumb_polyhedral_destroy(p);
        return SAY(status, "%s", line[0] ? line : plumb_status_text(status));
    }
    *made = p;
    return PLUMB_OK;
}

void plumb_polyhedral_destroy(polyhedral *p)
{
    if (!p)
        return;
    plumb_system_destroy(p->system);
    plumb_supports_destroy(p->supports);
    plumb_cells_destroy(p->cells);
    plumb_homotopy_destroy(p->homotopy);
    free(p->coefficients);
    free(p->exponent);
    free(p);
}
