/* components.c - see components.h. */
#include "model/components.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/call/message.h"
#include "model/system/polynomial.h"

plumb_status plumb_components_make(const plumb_system *system, uint64_t seed, int64_t least,
                                   plumb_components **components)
{
    plumb_components *c = calloc(1, sizeof *c);
    *components = NULL;
    if (!c)
        return PLUMB_ERR_MEMORY;
    c->seed = seed;
    c->least = least;
    plumb_status status = plumb_system_numerators(system, 0, system->equations, &c->system);
    if (status != PLUMB_OK)
        plumb_components_destroy(c);
    else
        *components = c;
    return status;
}

void plumb_components_destroy(plumb_components *components)
{
    if (!components)
        return;
    for (int64_t k = 0; k < components->count; k++)
        plumb_solutions_destroy(components->list[k].points);
    for (int64_t k = 0; k < components->dimensions; k++)
        plumb_system_destroy(components->dimension[k].slice);
    plumb_solutions_destroy(components->isolated);
    plumb_system_destroy(components->system);
    free(components->list);
    free(components->dimension);
    free(components);
}

plumb_status plumb_components_add(plumb_components *components, const plumb_component *info, plumb_solutions *points)
{
    set_component *list = realloc(components->list, (size_t)(components->count + 1) * sizeof *list);
    if (!list) {
        plumb_solutions_destroy(points);
        return PLUMB_ERR_MEMORY;
    }
    components->list = list;
    list[components->count++] = (set_component){.info = *info, .points = points};
    return PLUMB_OK;
}

plumb_status plumb_components_add_dimension(plumb_components *components, const plumb_component_dimension *info,
                                            plumb_system *slice)
{
    set_dimension *list = realloc(components->dimension, (size_t)(components->dimensions + 1) * sizeof *list);
    if (!list) {
        plumb_system_destroy(slice);
        return PLUMB_ERR_MEMORY;
    }
    components->dimension = list;
    list[components->dimensions++] = (set_dimension){.info = *info, .slice = slice};
    return PLUMB_OK;
}

static bool is_before(const plumb_component *a, const plumb_component *b)
{
    if (a->dimension != b->dimension)
        return a->dimension > b->dimension;
    if (a->state != b->state)
        return a->state < b->state;
    if (a->degree != b->degree)
        return a->degree < b->degree;
    return a->multiplicity < b->multiplicity;
}

void plumb_components_sort(plumb_components *components)
{
    for (int64_t k = 1; k < components->count; k++) { /* stable: equal ones keep the order in which they were found */
        const set_component c = components->list[k];
        int64_t at = k;
        for (; at > 0 && is_before(&c.info, &components->list[at - 1].info); at--)
            components->list[at] = components->list[at - 1];
        components->list[at] = c;
    }
}

/* ---- The public functions ----------------------------------------------------------------------------------------- */

int64_t plumb_components_count(const plumb_components *components)
{
    return components ? components->count : 0;
}

int64_t plumb_components_dimensions(const plumb_components *components)
{
    return components ? components->dimensions : 0;
}

const plumb_system *plumb_components_system(const plumb_components *components)
{
    return components ? components->system : NULL;
}

plumb_status plumb_components_get(const plumb_components *components, int64_t index, plumb_component *component)
{
    plumb_call_begin();
    if (!components || !component || index < 0 || index >= components->count)
        return plumb_call_end(plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "there is no component with this number"));
    *component = components->list[index].info;
    return plumb_call_end(PLUMB_OK);
}

plumb_status plumb_components_get_dimension(const plumb_components *components, int64_t index,
                                            plumb_component_dimension *dimension)
{
    plumb_call_begin();
    if (!components || !dimension || index < 0 || index >= components->dimensions)
        return plumb_call_end(plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "there is no dimension with this number"));
    *dimension = components->dimension[index].info;
    return plumb_call_end(PLUMB_OK);
}

const plumb_system *plumb_components_slice(const plumb_components *components, int64_t dimension)
{
    for (int64_t k = 0; components && k < components->dimensions; k++)
        if (components->dimension[k].info.dimension == dimension)
            return components->dimension[k].slice;
    return NULL;
}

const plumb_solutions *plumb_components_points(const plumb_components *components, int64_t index)
{
    return components && index >= 0 && index < components->count ? components->list[index].points : NULL;
}

const plumb_solutions *plumb_components_isolated(const plumb_components *components)
{
    return components ? components->isolated : NULL;
}

int32_t plumb_components_verdict(const plumb_components *components, char *line, size_t line_size)
{
    char text[256] = "nothing was decomposed";
    int32_t verdict = components ? PLUMB_SOLVE_COMPLETE : PLUMB_SOLVE_MISSING;
    for (int64_t k = 0; components && k < components->dimensions && verdict == PLUMB_SOLVE_COMPLETE; k++) {
        const plumb_component_dimension *d = &components->dimension[k].info;
        verdict = d->verdict;
        snprintf(text, sizeof text, "dimension %lld: %.200s", (long long)d->dimension, d->line);
    }
    if (line && line_size > 0)
        snprintf(line, line_size, "%s", verdict == PLUMB_SOLVE_COMPLETE ? "" : text);
    return verdict;
}
