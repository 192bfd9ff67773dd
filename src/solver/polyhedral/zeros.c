/* zeros.c - roots with zero coordinates, pattern by pattern; see zeros.h. */
#include "solver/polyhedral/zeros.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/size.h"
#include "solver/cells/cells.h"
#include "solver/context/context.h"

/* Supports of some equations in some unknowns: equation i has points first[i] .. first[i + 1] - 1, n exponents each. */
typedef struct point_sets {
    int64_t equations, n;
    int64_t *first;
    int32_t *exponent;
} point_sets;

static void sets_free(point_sets *s)
{
    free(s->first);
    free(s->exponent);
    *s = (point_sets){.n = 0};
}

static plumb_status sets_make(int64_t equations, int64_t n, int64_t points, point_sets *s)
{
    int64_t entries;
    *s = (point_sets){.equations = 0, .n = n};
    if (!size_mul(points, n, &entries))
        return PLUMB_ERR_SIZE;
    s->first = calloc((size_t)equations + 1, sizeof *s->first);
    s->exponent = calloc((size_t)entries + 1, sizeof *s->exponent);
    return s->first && s->exponent ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

static bool survives(const point_sets *s, int64_t point, const uint8_t *zero)
{
    for (int64_t v = 0; v < s->n; v++)
        if (zero[v] && s->exponent[point * s->n + v] > 0)
            return false;
    return true;
}

static bool vanishes(const point_sets *s, int64_t equation, const uint8_t *zero)
{
    for (int64_t p = s->first[equation]; p < s->first[equation + 1]; p++)
        if (survives(s, p, zero))
            return false;
    return true;
}

/* True if all that is left of an equation is a constant. */
static bool contradicts(const point_sets *s, int64_t equation, const uint8_t *zero)
{
    bool constant = false;
    for (int64_t p = s->first[equation]; p < s->first[equation + 1]; p++) {
        bool is_origin = true;
        for (int64_t v = 0; v < s->n; v++)
            is_origin = is_origin && s->exponent[p * s->n + v] == 0;
        constant = constant || is_origin;
        if (!is_origin && survives(s, p, zero))
            return false;
    }
    return constant;
}

/* The equations that do not vanish, without the unknowns that are zero; or (inner) those that vanish, in the unknowns that
 * are zero. */
static plumb_status sets_part(const point_sets *s, const uint8_t *zero, bool inner, point_sets *part)
{
    int64_t n = 0;
    for (int64_t v = 0; v < s->n; v++)
        n += (zero[v] != 0) == inner;
    plumb_status status = sets_make(s->equations, n, s->first[s->equations], part);
    int64_t points = 0;
    for (int64_t i = 0; status == PLUMB_OK && i < s->equations; i++) {
        if (vanishes(s, i, zero) != inner)
            continue;
        for (int64_t p = s->first[i]; p < s->first[i + 1]; p++) {
            if (!inner && !survives(s, p, zero))
                continue;
            int32_t *to = part->exponent + points++ * n;
            for (int64_t v = 0; v < s->n; v++)
                if ((zero[v] != 0) == inner)
                    *to++ = s->exponent[p * s->n + v];
        }
        part->first[++part->equations] = points;
    }
    return status;
}

/* ---- Patterns ------------------------------------------------------------------------------------------------------- */

typedef struct search {
    const point_sets *sets;
    int64_t left; /* nodes that may still be visited */
    uint8_t *zero;
    uint8_t *found; /* n entries per pattern */
    int64_t count, room;
} search;

static plumb_status keep(search *s)
{
    const int64_t n = s->sets->n;
    if (s->count == s->room) {
        s->room = 2 * s->room + 8;
        uint8_t *more = realloc(s->found, (size_t)(s->room * n));
        if (!more)
            return PLUMB_ERR_MEMORY;
        s->found = more;
    }
    memcpy(s->found + s->count++ * n, s->zero, (size_t)n);
    return PLUMB_OK;
}

/* Visits the sets that add unknowns from `next` on. Once an equation is a constant, it stays one. */
static plumb_status visit(search *s, int64_t next, int64_t zeros)
{
    int64_t vanishing = 0;
    if (s->left-- <= 0)
        return PLUMB_ERR_STOPPED;
    for (int64_t i = 0; i < s->sets->equations; i++) {
        if (zeros > 0 && contradicts(s->sets, i, s->zero))
            return PLUMB_OK;
        vanishing += vanishes(s->sets, i, s->zero);
    }
    plumb_status status = zeros > 0 && vanishing == zeros ? keep(s) : PLUMB_OK;
    for (int64_t v = next; status == PLUMB_OK && v < s->sets->n; v++) {
        s->zero[v] = 1;
        status = visit(s, v + 1, zeros + 1);
        s->zero[v] = 0;
    }
    return status;
}

static plumb_status search_patterns(const point_sets *sets, int64_t most, search *s)
{
    *s = (search){.sets = sets, .left = most};
    s->zero = calloc((size_t)sets->n + 1, 1);
    return s->zero ? visit(s, 0, 0) : PLUMB_ERR_MEMORY;
}

static void search_free(search *s)
{
    free(s->zero);
    free(s->found);
}

/* ---- Volumes -------------------------------------------------------------------------------------------------------- */

typedef struct volume_job {
    plumb_context *context;
    uint64_t seed;
    int64_t most_steps;
} volume_job;

/* The mixed volume, or the stable mixed volume; 1 without unknowns. */
static plumb_status volume_of(const volume_job *job, const point_sets *sets, int32_t stable, int64_t *volume)
{
    cell_supports *supports = NULL;
    mixed_cells *cells = NULL;
    *volume = sets->n == 0;
    if (sets->n == 0 || sets->equations != sets->n)
        return PLUMB_OK;
    const cells_options walk = {.seed = job->seed,
                                .most_steps = job->most_steps,
                                .team = &job->context->cpu.team,
                                .threads = job->context->cpu.threads,
                                .stable = stable,
                                .stop = job->context->stop,
                                .data = job->context->stop_data};
    plumb_status status = plumb_supports_create(sets->n, sets->first, sets->exponent, stable, &supports);
    if (status == PLUMB_OK)
        status = plumb_cells_enumerate(supports, &walk, &cells);
    if (status == PLUMB_OK)
        *volume = cells->mixed_volume;
    plumb_supports_destroy(supports);
    plumb_cells_destroy(cells);
    return status;
}

/* The multiplicity of the origin as a root of generic equations with these supports, none of which contains the origin:
 * all roots, without those in the torus and those of the other patterns. */
static plumb_status multiplicity_of(const volume_job *job, const point_sets *sets, int64_t most, int64_t *multiplicity)
{
    int64_t all = 0, torus = 0;
    search s;
    plumb_status status = volume_of(job, sets, 1, &all);
    if (status == PLUMB_OK)
        status = volume_of(job, sets, 0, &torus);
    if (status != PLUMB_OK)
        return status;
    *multiplicity = all - torus;
    status = search_patterns(sets, most, &s);
    for (int64_t k = 0; status == PLUMB_OK && k < s.count; k++) {
        const uint8_t *zero = s.found + k * sets->n;
        point_sets outer = {.n = 0}, inner = {.n = 0};
        int64_t zeros = 0, volume = 0, times = 0;
        for (int64_t v = 0; v < sets->n; v++)
            zeros += zero[v];
        if (zeros == sets->n)
            continue;
        status = sets_part(sets, zero, false, &outer);
        if (status == PLUMB_OK)
            status = volume_of(job, &outer, 0, &volume);
        if (status == PLUMB_OK && volume > 0)
            status = sets_part(sets, zero, true, &inner);
        if (status == PLUMB_OK && volume > 0)
            status = multiplicity_of(job, &inner, most, &times);
        *multiplicity -= times * volume;
        sets_free(&outer);
        sets_free(&inner);
    }
    search_free(&s);
    return status;
}

/* ---- The call ------------------------------------------------------------------------------------------------------- */

static plumb_status read_sets(const plumb_system *system, point_sets *sets)
{
    const int64_t n = system->unknowns, terms = system->equation[system->equations];
    plumb_status status = sets_make(system->equations, n, terms, sets);
    if (status != PLUMB_OK)
        return status;
    sets->equations = system->equations;
    memcpy(sets->first, system->equation, (size_t)(system->equations + 1) * sizeof *sets->first);
    for (int64_t t = 0; t < terms; t++)
        for (int64_t k = 0; k < system->terms[t].count; k++) {
            const system_factor *f = &system->factors[system->terms[t].first + k];
            sets->exponent[t * n + f->unknown] = f->exponent;
        }
    return PLUMB_OK;
}

static plumb_status look_at(const volume_job *job, const point_sets *sets, const uint8_t *zero, int64_t most,
                            zero_pattern *pattern)
{
    point_sets outer = {.n = 0}, inner = {.n = 0};
    *pattern = (zero_pattern){.zero = zero};
    plumb_status status = sets_part(sets, zero, false, &outer);
    if (status == PLUMB_OK)
        status = volume_of(job, &outer, 0, &pattern->volume);
    if (status == PLUMB_OK && pattern->volume > 0)
        status = sets_part(sets, zero, true, &inner);
    if (status == PLUMB_OK && pattern->volume > 0)
        status = multiplicity_of(job, &inner, most, &pattern->multiplicity);
    sets_free(&outer);
    sets_free(&inner);
    return status;
}

plumb_status plumb_zero_patterns(plumb_context *context, const plumb_system *system, uint64_t seed, int64_t most_steps,
                                 zero_patterns *patterns)
{
    enum { MOST_NODES = 1 << 20 };
    const volume_job job = {.context = context, .seed = seed, .most_steps = most_steps};
    point_sets sets = {.n = 0};
    search s = {.sets = NULL};
    *patterns = (zero_patterns){.count = 0};
    plumb_call_begin();
    plumb_status status = read_sets(system, &sets);
    if (status == PLUMB_OK)
        status = search_patterns(&sets, MOST_NODES, &s);
    patterns->list = calloc((size_t)s.count + 1, sizeof *patterns->list);
    if (status == PLUMB_OK && !patterns->list)
        status = PLUMB_ERR_MEMORY;
    for (int64_t k = 0; status == PLUMB_OK && k < s.count; k++) {
        zero_pattern pattern;
        status = look_at(&job, &sets, s.found + k * sets.n, MOST_NODES, &pattern);
        if (status == PLUMB_OK && pattern.multiplicity > 0)
            patterns->list[patterns->count++] = pattern;
    }
    patterns->flags = s.found;
    s.found = NULL;
    search_free(&s);
    sets_free(&sets);
    if (status != PLUMB_OK)
        plumb_zero_patterns_clear(patterns);
    status = plumb_call_end(status);
    return status == PLUMB_OK ? status
                              : plumb_say(status, context->message, sizeof context->message,
                                          "roots with zero coordinates: %s", plumb_status_text(status));
}

void plumb_zero_patterns_clear(zero_patterns *patterns)
{
    free(patterns->list);
    free(patterns->flags);
    *patterns = (zero_patterns){.count = 0};
}
