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

int64_t plumb_direct_bits(const solve_plan *plan)
{
    return plan->simple.lift ? lift_bits(plan->simple.lift) : 2 * LIMB_BITS;
}

double plumb_direct_digits(const solve_plan *plan)
{
    return plan->simple.lift ? (double)lift_bits(plan->simple.lift) * log10(2.0) : 70.0;
}

void plumb_direct_count(const solve_plan *plan, plumb_solve_report *report)
{
    for (int64_t k = 0; k < plan->chain.count; k++) {
        const int64_t paths = plan->chain.list[k].multiplicity;
        *(paths == 1 ? &report->regular : &report->singular) += paths;
    }
    report->regular += plan->wide.count;
    report->infinite += plan->wide.infinite;
}

/* All unknowns at a solution of what is left. */
typedef struct root_lift {
    const plumb_system *lift; /* NULL: these are all */
    int64_t n, left, bits;
    mp_system system;
    mp_complex *x, *slopes;
    double *errors, *sizes; /* log2 */
} root_lift;

static plumb_status begin_lift(const solve_plan *plan, root_lift *l)
{
    const int64_t n = plan->system->unknowns;
    const plumb_system *lift = plan->simple.lift;
    const tropical_roots *wide = plan->wide.count > 0 ? &plan->wide : NULL;
    *l = (root_lift){.lift = lift,
                     .n = n,
                     .left = wide ? wide->unknowns : plan->chain.unknowns,
                     .bits = wide   ? wide->bits
                             : lift ? lift_bits(lift)
                                    : LIMB_BITS};
    l->x = mp_make(n, l->bits);
    l->slopes = mp_make(n * l->left, l->bits);
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
    mp_free(l->slopes, l->slopes ? l->n * l->left : 0);
    free(l->errors);
}

/* Computes the unknowns with their errors: by rounding, by the radii of those that are left, and of second order. */
static void lift_root(root_lift *l, const chain_point *root)
{
    double relative = -(double)INFINITY; /* the largest of the relative errors; zeros have none */
    for (int64_t j = 0; j < l->left; j++)
        if (isfinite(root->radius[j]))
            relative = fmax(relative, root->radius[j] - mp_log2(&root->z[j]));
    for (int64_t j = 0; j < l->left && !l->lift; j++) {
        mp_set(&l->x[j], &root->z[j]);
        l->errors[j] = root->radius[j];
    }
    if (!l->lift)
        return;
    mp_system_eval(&l->system, root->z, l->x, l->slopes, l->sizes);
    for (int64_t u = 0; u < l->n; u++) {
        const double degree = (double)plumb_system_degree(l->lift, u) + 1.0, some = 2.0 + log2((double)l->left);
        l->errors[u] = l->sizes[u] + 8.0 + log2(degree) - (double)l->bits;
        for (int64_t j = 0; j < l->left; j++)
            l->errors[u] = fmax(l->errors[u], mp_log2(&l->slopes[u * l->left + j]) + root->radius[j] + some);
        if (isfinite(relative))
            l->errors[u] = fmax(l->errors[u], l->sizes[u] + 2.0 * (relative + log2(degree)) + 2.0);
    }
    mp_round_to_zero(l->x, l->n, l->errors, 0.0);
}

/* The same for a solution of which each unknown has the same relative error. */
static void lift_wide(root_lift *l, const tropical_roots *roots, const mp_complex *x)
{
    if (l->lift)
        mp_system_eval(&l->system, x, l->x, l->slopes, l->sizes);
    for (int64_t u = 0; u < l->n; u++) {
        if (!l->lift) {
            mp_set(&l->x[u], &x[u]);
            l->errors[u] = mp_log2(&x[u]) + roots->error;
            continue;
        }
        const double degree = (double)plumb_system_degree(l->lift, u) + 1.0;
        l->errors[u] = l->sizes[u] + 8.0 + log2(degree) + roots->error;
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

/* Makes a point of the unknowns that were lifted. */
static void take_lifted(root_lift *l, int64_t multiplicity, double condition, int32_t room, solve_point *p)
{
    set_errors(l, room, p);
    mp_resize(l->x, l->n, LIMB_BITS);
    for (int64_t u = 0; u < l->n; u++)
        mp_get_limbs(&l->x[u], p->x + 2 * u * room, p->x + (2 * u + 1) * room, room);
    mp_resize(l->x, l->n, l->bits);
    p->prec = room;
    p->regular = multiplicity == 1;
    p->settled = true;
    p->condition = condition;
    p->paths = p->multiplicity = multiplicity;
}

static void take_root(const solve_plan *plan, int64_t k, root_lift *l, int32_t room, solve_point *p)
{
    if (plan->wide.count > 0) {
        lift_wide(l, &plan->wide, plan->wide.x + k * l->left);
        take_lifted(l, 1, plan->wide.condition[k], room, p);
        return;
    }
    const chain_point *root = &plan->chain.list[k];
    lift_root(l, root);
    take_lifted(l, root->multiplicity, root->condition, room, p);
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
        take_root(plan, which[k], &l, points->room, &points->list[k]);
    }
    points->count = status == PLUMB_OK ? count : 0;
    end_lift(&l);
    return status;
}
