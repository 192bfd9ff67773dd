/* direct.c - see direct.h. */
#include "solver/solve/direct.h"

#include <math.h>
#include <stdlib.h>

#include "base/number/precision.h"
#include "solver/mp/system.h"

enum {
    LIMB_BITS = 216
}; /* a quad double has so many; what comes after them is cut off, so that integers stay integers */

static int64_t lift_bits(const plumb_system *lift)
{
    return mp_bits_for(lift, 512, 2);
}

double plumb_direct_digits(const solve_plan *plan)
{
    return plan->simple.lift ? (double)lift_bits(plan->simple.lift) * log10(2.0) : 70.0;
}

void plumb_direct_count(const solve_plan *plan, plumb_solve_report *report)
{
    for (int64_t k = 0; k < plan->roots.count; k++) {
        const int64_t paths = plan->roots.list[k].multiplicity;
        *(paths == 1 ? &report->regular : &report->singular) += paths;
    }
}

/* All unknowns at a root. */
typedef struct root_lift {
    const plumb_system *lift; /* NULL: there is one unknown */
    int64_t n, bits;
    mp_system system;
    mp_complex *x, *slopes;
    double *errors, *sizes; /* log2 */
} root_lift;

static plumb_status begin_lift(const solve_plan *plan, root_lift *l)
{
    const int64_t n = plan->system->unknowns;
    const plumb_system *lift = plan->simple.lift;
    *l = (root_lift){.lift = lift, .n = n, .bits = lift ? lift_bits(lift) : LIMB_BITS};
    l->x = mp_make(n, l->bits);
    l->slopes = mp_make(n, l->bits);
    l->errors = calloc((size_t)(2 * n), sizeof *l->errors);
    if (!l->x || !l->slopes || !l->errors)
        return PLUMB_ERR_MEMORY;
    l->sizes = l->errors + n;
    return lift ? mp_system_begin(lift, l->bits, &l->system) : PLUMB_OK;
}

static void end_lift(root_lift *l)
{
    if (l->lift)
        mp_system_clear(&l->system);
    mp_free(l->x, l->x ? l->n : 0);
    mp_free(l->slopes, l->slopes ? l->n : 0);
    free(l->errors);
}

/* Computes the unknowns with their errors: by rounding, by the radius of the root, and of second order. */
static void lift_root(root_lift *l, const mp_root *root)
{
    const double relative = root->radius - mp_log2(&root->z);
    if (!l->lift) {
        mp_set(&l->x[0], &root->z);
        l->errors[0] = root->radius;
        return;
    }
    mp_system_eval(&l->system, &root->z, l->x, l->slopes, l->sizes);
    for (int64_t u = 0; u < l->n; u++) {
        const double degree = (double)plumb_system_degree(l->lift, u) + 1.0;
        l->errors[u] = l->sizes[u] + 8.0 + log2(degree) - (double)l->bits;
        l->errors[u] = fmax(l->errors[u], mp_log2(&l->slopes[u]) + root->radius + 2.0);
        if (isfinite(relative))
            l->errors[u] = fmax(l->errors[u], l->sizes[u] + 2.0 * (relative + log2(degree)) + 2.0);
    }
    mp_round_to_zero(l->x, l->n, l->errors, 0.0);
}

/* The errors of a point, relative to each unknown and to the largest; zeros have none. */
static void set_errors(const root_lift *l, int32_t room, solve_point *p)
{
    const double largest = mp_log2_largest(l->x, l->n);
    p->error = p->component_error = precision_unit(room);
    for (int64_t u = 0; u < l->n; u++) {
        const double size = mp_log2(&l->x[u]);
        if (!isfinite(size))
            continue;
        p->component_error = fmax(p->component_error, exp2(l->errors[u] - size));
        p->error = fmax(p->error, exp2(l->errors[u] - largest));
    }
}

static void take_root(root_lift *l, const mp_root *root, int32_t room, solve_point *p)
{
    lift_root(l, root);
    set_errors(l, room, p);
    mp_resize(l->x, l->n, LIMB_BITS);
    for (int64_t u = 0; u < l->n; u++)
        mp_get_limbs(&l->x[u], p->x + 2 * u * room, p->x + (2 * u + 1) * room, room);
    mp_resize(l->x, l->n, l->bits);
    p->prec = room;
    p->regular = root->multiplicity == 1;
    p->settled = true;
    p->condition = root->condition;
    p->paths = p->multiplicity = root->multiplicity;
}

plumb_status plumb_direct_take(const solve_plan *plan, const int64_t *which, int64_t count, solve_points *points)
{
    const int64_t each = plan->system->unknowns * 2 * PLUMB_QD;
    root_lift l;
    plumb_status status = begin_lift(plan, &l);
    points->list = calloc((size_t)count + 1, sizeof *points->list);
    points->memory = calloc((size_t)(count * each) + 1, sizeof *points->memory);
    if (!points->list || !points->memory)
        status = PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        points->list[k] = (solve_point){.x = points->memory + k * each, .path = which[k]};
        take_root(&l, &plan->roots.list[which[k]], points->room, &points->list[k]);
    }
    points->count = status == PLUMB_OK ? count : 0;
    end_lift(&l);
    return status;
}
