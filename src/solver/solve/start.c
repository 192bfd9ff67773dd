/* start.c - see start.h. */
#include "solver/solve/start.h"

#include <math.h>
#include <stdlib.h>

#include "base/call/message.h"
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

/* Calls make for each run of consecutive numbers. */
typedef plumb_status make_run(const solve_start *start, int64_t first, plumb_view *x);

static plumb_status make_runs(const solve_start *start, const int64_t *numbers, make_run *make, const plumb_view *x)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0, run; k < x->batch && status == PLUMB_OK; k += run) {
        for (run = 1; k + run < x->batch && numbers[k + run] == numbers[k] + run;)
            run++;
        plumb_view part = *x;
        part.data += k * x->next;
        part.batch = run;
        status = make(start, numbers[k], &part);
    }
    return status;
}

static plumb_status make_total_run(const solve_start *start, int64_t first, plumb_view *x)
{
    return plumb_system_start_solutions(start->system, first, x);
}

static plumb_status make_total(const solve_start *start, plumb_context *context, const int64_t *numbers, int32_t rerun,
                               plumb_view *x)
{
    (void)context, (void)rerun;
    return make_runs(start, numbers, make_total_run, x);
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

static plumb_status make_multihomogeneous_run(const solve_start *start, int64_t first, plumb_view *x)
{
    return plumb_multihomogeneous_solutions(start->data, first, x);
}

static plumb_status make_multihomogeneous(const solve_start *start, plumb_context *context, const int64_t *numbers,
                                          int32_t rerun, plumb_view *x)
{
    (void)context, (void)rerun;
    return make_runs(start, numbers, make_multihomogeneous_run, x);
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

/* Endpoints are not compared here: a solution depends on its number alone. If a path has jumped to another one, so that two
 * start solutions are the same, their paths share an endpoint in the end, and both are made again. */
static plumb_status make_polyhedral(const solve_start *start, plumb_context *context, const int64_t *numbers,
                                    int32_t rerun, plumb_view *x)
{
    plumb_track_options options;
    plumb_path_record *records = malloc((size_t)(x->batch + 1) * sizeof *records);
    if (records == NULL)
        return PLUMB_ERR_MEMORY;
    plumb_track_options_init(&options);
    options.turn = ldexp(options.turn, -rerun);
    plumb_status status = plumb_polyhedral_solutions(context, start->data, numbers, &options, x, records);
    for (int64_t k = 0; status == PLUMB_OK && k < x->batch; k++)
        for (int64_t i = 0; i < x->rows && records[k].code != PLUMB_PATH_SUCCESS; i++)
            for (int64_t c = 0; c < 2 * x->prec; c++)
                x->data[k * x->next + c * x->plane + i] = (double)NAN;
    free(records);
    return status;
}

static plumb_status walk_polyhedral(const solve_start *start, int64_t number, mp_effort *effort, mp_complex *x)
{
    return plumb_polyhedral_walk(start->data, number, effort, x);
}

plumb_status plumb_solve_start_polyhedral(plumb_context *context, const plumb_system *target, int32_t nonzero,
                                          uint64_t seed, int64_t most_work, solve_start *start)
{
    polyhedral *p = NULL;
    *start = (solve_start){.kind = PLUMB_START_POLYHEDRAL,
                           .gamma = 1.0,
                           .make = make_polyhedral,
                           .walk = walk_polyhedral,
                           .clear = clear_polyhedral};
    plumb_status status = plumb_polyhedral_create(context, target, nonzero, seed, most_work, &p);
    if (status != PLUMB_OK)
        return status;
    start->data = p;
    start->system = p->system;
    start->paths = p->count;
    start->hash = p->hash;
    return PLUMB_OK;
}
