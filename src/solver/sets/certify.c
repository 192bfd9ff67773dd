/* certify.c - plumb_components_certify: what can be proven about witness points.
 *
 * Let there be as many independent equations as the codimension n - k of a component. A regular zero p of the equations and the k
 * equations of a slice has a neighbourhood in which the solution set is a manifold of dimension k, so p lies on a component of
 * dimension k that is generically reduced, and on no other one; and p is isolated on the slice. A set of dimension k and degree
 * d has at most d isolated points in common with k linear equations: the degrees of these components add up to at least the
 * number of certified points. All isolated points are at most as many as a root count of the n equations: if that is the number of
 * certified points, there are no others. */
#include <stdio.h>
#include <stdlib.h>

#include "base/call/message.h"
#include "model/components.h"
#include "model/solutions.h"
#include "solver/certify/bound.h"
#include "solver/context/context.h"
#include "solver/sets/equations.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* The points of one dimension that are certified together. */
typedef struct point_list {
    plumb_view x;
    int64_t *component; /* of each point; -1: an isolated solution */
    int64_t count;
} point_list;

static bool is_regular(const plumb_solutions *s, int64_t k)
{
    return s->record[k].kind == PLUMB_SOLUTION_REGULAR && s->record[k].multiplicity == 1;
}

/* Without x only counts. */
static plumb_status append(plumb_context *context, const plumb_solutions *s, int64_t component, point_list *list)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; s && k < s->count && status == PLUMB_OK; k++) {
        if (!is_regular(s, k))
            continue;
        if (list->x.data) {
            plumb_view one = list->x;
            one.data += list->count * one.next;
            one.batch = 1;
            status = plumb_solutions_get(s, k, &one);
            list->component[list->count] = component;
        }
        list->count++;
    }
    return status == PLUMB_OK ? PLUMB_OK : SAY(status, "%s", plumb_status_text(status));
}

static plumb_status append_all(plumb_context *context, const plumb_components *c, int64_t dimension, point_list *list)
{
    plumb_status status = dimension == 0 ? append(context, c->isolated, -1, list) : PLUMB_OK;
    for (int64_t k = 0; k < c->count && status == PLUMB_OK; k++)
        if (c->list[k].info.dimension == dimension && c->list[k].info.multiplicity == 1)
            status = append(context, c->list[k].points, k, list);
    return status;
}

static plumb_status make_list(plumb_context *context, const plumb_components *c, int64_t dimension, point_list *list)
{
    *list = (point_list){.count = 0};
    plumb_status status = append_all(context, c, dimension, list);
    if (status != PLUMB_OK || list->count == 0)
        return status;
    list->component = calloc((size_t)list->count, sizeof *list->component);
    status = list->component ? plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, c->system->unknowns, 1,
                                                  list->count, &list->x)
                             : SAY(PLUMB_ERR_MEMORY, "out of memory");
    list->count = 0;
    return status == PLUMB_OK ? append_all(context, c, dimension, list) : status;
}

/* Adds what the certificates of a list say to a dimension, and to the number of certified points of components. */
static void take(const point_list *list, const plumb_certificates *certificates, const plumb_system *sliced,
                 plumb_context *context, plumb_component_dimension *info, int64_t *certified)
{
    for (int64_t k = 0; k < list->count; k++) {
        plumb_certificate c;
        if (plumb_certificates_get(certificates, k, &c) != PLUMB_OK || c.code != PLUMB_CERTIFIED || c.distinct <= 0)
            continue;
        info->certified++;
        if (list->component[k] >= 0)
            certified[list->component[k]]++;
    }
    if (info->certified == 0)
        return;
    const certify_bound bound = certify_bound_of(context, sliced, info->certified);
    info->root_count = bound.name ? bound.value : 0;
    info->proof = info->root_count == info->certified ? PLUMB_DEGREE_PROVEN : PLUMB_DEGREE_LOWER_BOUND;
}

static plumb_status certify_dimension(plumb_context *context, const plumb_components *c, const plumb_system *equations,
                                      const set_dimension *d, const plumb_certify_options *options,
                                      plumb_component_dimension *info, int64_t *certified)
{
    point_list list;
    plumb_system *sliced = NULL;
    plumb_certificates *certificates = NULL;
    plumb_status status = make_list(context, c, info->dimension, &list);
    if (status == PLUMB_OK && list.count > 0) {
        status = set_equations_stack(equations, d->slice, &sliced);
        if (status != PLUMB_OK)
            (void)SAY(status, "%s", plumb_status_text(status));
    }
    if (status == PLUMB_OK && list.count > 0)
        status = plumb_certify(context, sliced, &list.x, options, &certificates);
    if (status == PLUMB_OK && list.count > 0)
        take(&list, certificates, sliced, context, info, certified);
    plumb_certificates_destroy(certificates);
    plumb_system_destroy(sliced);
    plumb_array_destroy(context, &list.x);
    free(list.component);
    return status;
}

plumb_status plumb_components_certify(plumb_context *context, plumb_components *components,
                                      const plumb_certify_options *options)
{
    if (!context)
        return plumb_no_context();
    context->message[0] = 0;
    if (!components)
        return SAY(PLUMB_ERR_ARGUMENT, "components must not be NULL");
    plumb_components *c = components;
    plumb_system *equations = NULL;
    bool empty = false;
    int64_t linear, *certified = calloc((size_t)c->count + 1, sizeof *certified);
    plumb_component_dimension *info = calloc((size_t)c->dimensions + 1, sizeof *info);
    plumb_status status =
        certified && info ? set_equations_leave(c->system, &equations, &linear, &empty) : PLUMB_ERR_MEMORY;
    if (status != PLUMB_OK)
        (void)SAY(status, "%s", plumb_status_text(status));
    for (int64_t k = 0; k < c->dimensions && status == PLUMB_OK; k++) {
        info[k] = c->dimension[k].info;
        info[k].certified = info[k].root_count = 0;
        info[k].proof = PLUMB_DEGREE_UNPROVEN;
        if (!empty && equations->equations == equations->unknowns - info[k].dimension)
            status = certify_dimension(context, c, equations, &c->dimension[k], options, &info[k], certified);
    }
    for (int64_t k = 0; k < c->dimensions && status == PLUMB_OK; k++)
        c->dimension[k].info = info[k];
    for (int64_t k = 0; k < c->count && status == PLUMB_OK; k++)
        c->list[k].info.certified = certified[k];
    plumb_system_destroy(equations);
    free(info);
    free(certified);
    return status;
}
