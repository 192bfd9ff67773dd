/* start.c - see start.h. */
#include "solver/solve/start.h"

#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "solver/homotopy/start_system.h"
#include "solver/multihomogeneous/multihomogeneous.h"
#include "solver/polyhedral/polyhedral.h"

void plumb_solve_start_clear(solve_start *start)
{
    if (start->clear)
        start->clear(start);
    plumb_system_destroy(start->system);
    *start = (solve_start){.kind = PLUMB_START_AUTO};
}

plumb_status plumb_solve_start_points(const solve_start *start, plumb_context *context, const int64_t *numbers,
                                      const plumb_view *x)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0, run; k < x->batch && status == PLUMB_OK; k += run) {
        for (run = 1; k + run < x->batch && numbers[k + run] == numbers[k] + run;)
            run++;
        plumb_view part = *x;
        part.data += k * x->next;
        part.batch = run;
        status = start->make(start, context, numbers[k], &part);
    }
    return status;
}

static plumb_status make_total(const solve_start *start, plumb_context *context, int64_t first, plumb_view *x)
{
    (void)context;
    return plumb_system_start_solutions(start->system, first, x);
}

plumb_status plumb_solve_start_total(const plumb_system *target, uint64_t seed, solve_start *start)
{
    *start = (solve_start){.kind = PLUMB_START_TOTAL, .make = make_total};
    plumb_status status = plumb_start_make(target, seed, 1, &start->system);
    if (status == PLUMB_OK)
        status = plumb_system_start_count(start->system, &start->paths);
    if (status != PLUMB_OK)
        plumb_solve_start_clear(start);
    return status;
}

static plumb_status make_multihomogeneous(const solve_start *start, plumb_context *context, int64_t first,
                                          plumb_view *x)
{
    (void)context;
    return plumb_multihomogeneous_solutions(start->data, first, x);
}

static void clear_multihomogeneous(solve_start *start)
{
    multihomogeneous *made = start->data;
    made->system = NULL; /* it belongs to the start */
    plumb_multihomogeneous_destroy(made);
}

plumb_status plumb_solve_start_multihomogeneous(const plumb_system *target, unknown_groups *groups, uint64_t seed,
                                                solve_start *start)
{
    multihomogeneous *made;
    *start = (solve_start){.kind = PLUMB_START_AUTO};
    plumb_status status = plumb_multihomogeneous_create(target, groups, seed, &made);
    if (status != PLUMB_OK)
        return status;
    *start = (solve_start){.kind = PLUMB_START_MULTIHOMOGENEOUS,
                           .system = made->system,
                           .paths = made->groups.paths,
                           .data = made,
                           .make = make_multihomogeneous,
                           .clear = clear_multihomogeneous};
    return PLUMB_OK;
}

static void clear_polyhedral(solve_start *start)
{
    plumb_polyhedral_destroy(start->data);
    start->data = start->system = NULL; /* the system is part of it */
}

static plumb_status make_polyhedral(const solve_start *start, plumb_context *context, int64_t first, plumb_view *x)
{
    int64_t *numbers = malloc((size_t)(x->batch + 1) * sizeof *numbers);
    plumb_path_record *records = malloc((size_t)(x->batch + 1) * sizeof *records);
    plumb_status status = numbers && records ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t k = 0; status == PLUMB_OK && k < x->batch; k++)
        numbers[k] = first + k;
    if (status == PLUMB_OK)
        status = plumb_polyhedral_solutions(context, start->data, numbers, NULL, x, records);
    for (int64_t k = 0; status == PLUMB_OK && k < x->batch; k++)
        for (int64_t i = 0; i < x->rows && records[k].code != PLUMB_PATH_SUCCESS; i++)
            for (int64_t c = 0; c < 2 * x->prec; c++)
                x->data[k * x->next + c * x->plane + i] = (double)NAN;
    free(numbers);
    free(records);
    return status;
}

/* The tracker measures residuals relative to the terms of each equation. Equations that vanish with a coordinate that is zero
 * have none along the whole path, so paths do not start where coordinates are zero. */
plumb_status plumb_solve_start_polyhedral(plumb_context *context, const plumb_system *target, int32_t nonzero,
                                          uint64_t seed, int64_t most_work, solve_start *start)
{
    polyhedral *p = NULL;
    *start = (solve_start){.kind = PLUMB_START_POLYHEDRAL, .make = make_polyhedral, .clear = clear_polyhedral};
    plumb_status status =
        plumb_polyhedral_create(context, target, nonzero ? POLYHEDRAL_NONZERO : POLYHEDRAL_TORUS, seed, most_work, &p);
    if (status != PLUMB_OK)
        return status;
    start->data = p;
    start->system = p->system;
    start->paths = p->count;
    start->hash = p->hash;
    return PLUMB_OK;
}
