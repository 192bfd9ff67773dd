/* polyhedral.c - plumb_polyhedral_create: the start system, its parts and their mixed cells; see polyhedral.h. */
#include "solver/polyhedral/polyhedral.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/random.h"
#include "base/size.h"
#include "model/homotopy/scaling.h"
#include "model/system/polynomial.h"
#include "solver/cells/cells.h"
#include "solver/context/context.h"
#include "solver/polyhedral/zeros.h"
#include "text/matrix/random.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* ---- Parts ---------------------------------------------------------------------------------------------------------- */

static void part_free(polyhedral_part *part)
{
    free(part->unknown);
    plumb_supports_destroy(part->supports);
    plumb_cells_destroy(part->cells);
    plumb_homotopy_destroy(part->homotopy);
    free(part->coefficients);
    free(part->first_of);
}

/* Takes the coefficients from the terms of the part's system. */
static plumb_status take_coefficients(const plumb_system *system, polyhedral_part *part)
{
    const cell_supports *s = part->supports;
    const int64_t n = system->unknowns;
    int32_t *exponents = calloc((size_t)n, sizeof *exponents);
    part->first_of = calloc((size_t)n + 1, sizeof *part->first_of);
    if (!exponents || !part->first_of) {
        free(exponents);
        return PLUMB_ERR_MEMORY;
    }
    for (int64_t i = 0; i < n; i++)
        part->first_of[i + 1] = part->first_of[i] + s->first[s->group[i] + 1] - s->first[s->group[i]];
    part->coefficients = calloc((size_t)(2 * part->first_of[n]) + 1, sizeof *part->coefficients);
    plumb_status status = part->coefficients ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; status == PLUMB_OK && i < n; i++)
        for (int64_t t = system->equation[i]; t < system->equation[i + 1]; t++) {
            const system_term *term = &system->terms[t];
            memset(exponents, 0, (size_t)n * sizeof *exponents);
            for (int32_t k = 0; k < term->count; k++)
                exponents[system->factors[term->first + k].unknown] = system->factors[term->first + k].exponent;
            const int64_t point = plumb_supports_find(s, i, exponents) - s->first[s->group[i]];
            double *c = part->coefficients + 2 * (part->first_of[i] + point);
            c[0] = mpq_get_d(term->re); /* exact: it was made from a double */
            c[1] = mpq_get_d(term->im);
        }
    free(exponents);
    return status;
}

/* The part of the scaled start system in which the unknowns of a pattern are zero (NULL: none); *system becomes its system. */
static plumb_status restrict_system(const plumb_system *scaled, const uint8_t *zero, polyhedral_part *part,
                                    plumb_system **system)
{
    const int64_t n = scaled->unknowns;
    polynomial *p = calloc((size_t)n, sizeof *p);
    int32_t *to = calloc((size_t)n, sizeof *to);
    const char **names = calloc((size_t)n, sizeof *names);
    system_factor *factors = calloc((size_t)n, sizeof *factors);
    part->unknown = calloc((size_t)n, sizeof *part->unknown);
    plumb_status status = p && to && names && factors && part->unknown ? PLUMB_OK : PLUMB_ERR_MEMORY;
    int64_t equations = 0;
    for (int64_t v = 0; status == PLUMB_OK && v < n; v++)
        if (!zero || !zero[v]) {
            to[v] = (int32_t)part->n;
            names[part->n] = scaled->names[v];
            part->unknown[part->n++] = v;
        }
    for (int64_t i = 0; status == PLUMB_OK && i < n; i++) {
        for (int64_t t = scaled->equation[i]; status == PLUMB_OK && t < scaled->equation[i + 1]; t++) {
            const system_term *term = &scaled->terms[t];
            bool stays = true;
            for (int32_t k = 0; k < term->count; k++) {
                const system_factor *f = &scaled->factors[term->first + k];
                factors[k] = (system_factor){to[f->unknown], f->exponent};
                stays = stays && !(zero && zero[f->unknown]);
            }
            if (stays)
                status = plumb_poly_append(&p[equations], term->re, term->im, factors, term->count, term->degree);
        }
        if (status == PLUMB_OK)
            status = plumb_poly_normalise(&p[equations]);
        equations += p[equations].count > 0;
    }
    if (status == PLUMB_OK && part->n > 0)
        status = equations == part->n ? plumb_system_build(p, equations, names, part->n, system) : PLUMB_ERR_ARGUMENT;
    for (int64_t i = 0; p && i < n; i++)
        plumb_poly_clear(&p[i]);
    free(p);
    free(to);
    free((void *)names);
    free(factors);
    return status;
}

static plumb_status make_part(plumb_context *context, const plumb_system *scaled, const uint8_t *zero, uint64_t seed,
                              int64_t most_steps, polyhedral_part *part)
{
    plumb_system *system = NULL;
    plumb_status status = restrict_system(scaled, zero, part, &system);
    if (status == PLUMB_OK && !system) { /* no unknowns are left */
        part->count = 1;
        return PLUMB_OK;
    }
    if (status == PLUMB_OK)
        status = plumb_supports_of_system(system, 0, &part->supports);
    if (status == PLUMB_OK) {
        const cells_options walk = {.seed = seed,
                                    .most_steps = most_steps,
                                    .team = &context->cpu.team,
                                    .threads = context->cpu.threads,
                                    .stop = context->stop,
                                    .data = context->stop_data};
        status = plumb_cells_enumerate(part->supports, &walk, &part->cells);
    }
    if (status == PLUMB_OK)
        status = take_coefficients(system, part);
    if (status == PLUMB_OK)
        status = plumb_homotopy_polyhedral(system, part->supports, &part->homotopy);
    if (status == PLUMB_OK)
        part->count = part->cells->mixed_volume;
    plumb_system_destroy(system);
    return status;
}

/* ---- The start system ----------------------------------------------------------------------------------------------- */

/* Sets equation to the polynomial with the points of a group and random coefficients. */
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

static plumb_status draw_coefficients(const cell_supports *s, uint64_t seed, double **coefficients)
{
    int64_t count = 0;
    for (int64_t i = 0; i < s->unknowns; i++)
        count += s->first[s->group[i] + 1] - s->first[s->group[i]];
    *coefficients = calloc((size_t)(2 * count) + 1, sizeof **coefficients);
    if (!*coefficients)
        return PLUMB_ERR_MEMORY;
    const plumb_view view = {.data = *coefficients,
                             .rows = 1,
                             .cols = count,
                             .batch = 1,
                             .plane = 1,
                             .col = 2,
                             .next = 2 * count,
                             .prec = PLUMB_D,
                             .parts = PLUMB_COMPLEX,
                             .where = PLUMB_HOST};
    return plumb_random_matrix(&view, 1, 0, seed);
}

/* The start system, and *scaled in scaled unknowns. */
static plumb_status make_systems(polyhedral *p, const plumb_system *target, uint64_t seed, plumb_system **scaled)
{
    const int64_t n = target->unknowns;
    system_scaling scaling = {.unknown = NULL};
    cell_supports *supports = NULL;
    double *coefficients = NULL;
    plumb_status status = plumb_supports_of_system(target, p->origins, &supports);
    if (status == PLUMB_OK)
        status = draw_coefficients(supports, seed, &coefficients);
    if (status == PLUMB_OK)
        status = plumb_scaling_find(target, &scaling);
    for (int64_t i = 0; status == PLUMB_OK && scaling.unknown && i < n; i++) {
        p->exponent[i] = scaling.unknown[i];
        scaling.unknown[i] = -scaling.unknown[i];
        scaling.equation[i] = -scaling.equation[i];
    }
    if (status == PLUMB_OK)
        status = make_system(supports, coefficients, target, NULL, scaled);
    if (status == PLUMB_OK)
        status = make_system(supports, coefficients, target, scaling.unknown ? &scaling : NULL, &p->system);
    plumb_scaling_clear(&scaling);
    plumb_supports_destroy(supports);
    free(coefficients);
    return status;
}

/* FNV-1a over 64-bit words. */
static uint64_t hash_word(uint64_t hash, int64_t word)
{
    for (int k = 0; k < 8; k++)
        hash = (hash ^ ((uint64_t)word >> (8 * k) & 255)) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_part(uint64_t hash, const polyhedral_part *part)
{
    const cell_supports *s = part->supports;
    const mixed_cells *cells = part->cells;
    hash = hash_word(hash, part->n);
    if (part->n == 0)
        return hash;
    for (int64_t i = 0; i < s->first[s->groups] * s->unknowns; i++)
        hash = hash_word(hash, s->exponent[i]);
    for (int64_t i = 0; i < s->first[s->groups]; i++)
        hash = hash_word(hash, cells->lifting[i]);
    for (int64_t i = 0; i < cells->count * cells->width; i++)
        hash = hash_word(hash, cells->point[i]);
    return hash;
}

/* Finds the patterns of zeros, or that the origin has to be added. */
static plumb_status look_for_zeros(plumb_context *context, const plumb_system *target, int32_t which, uint64_t seed,
                                   int64_t most_steps, polyhedral *p, zero_patterns *zeros)
{
    plumb_status status = plumb_zero_patterns(context, target, seed, most_steps, zeros);
    if (status == PLUMB_ERR_STOPPED)
        p->origins = 1;
    else if (status != PLUMB_OK)
        return status;
    for (int64_t k = 0; k < zeros->count; k++)
        p->origins = p->origins || which == POLYHEDRAL_TORUS || zeros->list[k].multiplicity > 1;
    if (p->origins)
        plumb_zero_patterns_clear(zeros);
    return PLUMB_OK;
}

static plumb_status make_parts(plumb_context *context, const plumb_system *scaled, const zero_patterns *zeros,
                               uint64_t seed, int64_t most_steps, polyhedral *p)
{
    plumb_status status = PLUMB_OK;
    p->parts = calloc((size_t)zeros->count + 1, sizeof *p->parts);
    p->hash = UINT64_C(0xcbf29ce484222325);
    if (!p->parts)
        return PLUMB_ERR_MEMORY;
    for (int64_t k = 0; status == PLUMB_OK && k <= zeros->count; k++) {
        polyhedral_part *part = &p->parts[p->part_count++];
        status = make_part(context, scaled, k > 0 ? zeros->list[k - 1].zero : NULL, seed, most_steps, part);
        part->first = p->count;
        if (status == PLUMB_OK && !size_add(p->count, part->count, &p->count))
            status = PLUMB_ERR_SIZE;
        if (status == PLUMB_OK)
            p->hash = hash_part(p->hash, part);
    }
    return status;
}

plumb_status plumb_polyhedral_create(plumb_context *context, const plumb_system *target, int32_t which, uint64_t seed,
                                     int64_t most_steps, polyhedral **made)
{
    plumb_random seeds = plumb_random_start(seed);
    const uint64_t coefficient_seed = plumb_random_next(&seeds), lifting_seed = plumb_random_next(&seeds);
    zero_patterns zeros = {.count = 0};
    plumb_system *scaled = NULL;
    *made = NULL;
    if (target->equations != target->unknowns || target->unknowns < 1)
        return SAY(PLUMB_ERR_ARGUMENT, "found %lld equations in %lld unknowns, expected as many as unknowns",
                   (long long)target->equations, (long long)target->unknowns);
    polyhedral *p = calloc(1, sizeof *p);
    if (!p)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    p->seed = plumb_random_next(&seeds);
    p->n = target->unknowns;
    p->exponent = calloc((size_t)p->n, sizeof *p->exponent);
    plumb_status status = p->exponent ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK && which != POLYHEDRAL_NONZERO)
        status = look_for_zeros(context, target, which, lifting_seed, most_steps, p, &zeros);
    if (status == PLUMB_OK) {
        plumb_call_begin();
        status = make_systems(p, target, coefficient_seed, &scaled);
        if (status == PLUMB_OK)
            status = make_parts(context, scaled, &zeros, lifting_seed, most_steps, p);
        status = plumb_call_end(status);
        if (status != PLUMB_OK) {
            const char *line = plumb_last_message();
            status = SAY(status, "%s", line[0] ? line : plumb_status_text(status));
        }
    }
    plumb_zero_patterns_clear(&zeros);
    plumb_system_destroy(scaled);
    if (status == PLUMB_OK)
        *made = p;
    else
        plumb_polyhedral_destroy(p);
    return status;
}

void plumb_polyhedral_destroy(polyhedral *p)
{
    if (!p)
        return;
    plumb_system_destroy(p->system);
    for (int64_t k = 0; k < p->part_count; k++)
        part_free(&p->parts[k]);
    free(p->parts);
    free(p->exponent);
    free(p);
}
