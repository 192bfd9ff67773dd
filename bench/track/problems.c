/* problems.c - makes the homotopies of plumb-bench track and their start solutions. */
#include <stdlib.h>
#include <string.h>

#include "bench/eval/eval.h"
#include "bench/eval/system.h"
#include "bench/track/track.h"

enum { SEED = 1 };

/* ---- One path: g = f - f(x0) --------------------------------------------------------------------------------------- */

/* f(x0), eight limbs per equation. */
static plumb_status values_at(plumb_context *context, const bench_track_problem *p, double *limbs)
{
    plumb_view values = {0};
    plumb_status status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX,
                                             plumb_system_equations(p->target), 1, 1, &values);
    if (status == PLUMB_OK)
        status = plumb_system_eval(context, p->target, &p->solutions, &values, NULL, NULL);
    if (status == PLUMB_OK)
        status = plumb_unpack(&values, limbs);
    plumb_array_destroy(context, &values);
    return status;
}

static plumb_status one_path(plumb_context *context, bench_track_problem *p)
{
    const int64_t n = plumb_system_unknowns(p->target);
    double *limbs = malloc((size_t)n * 8 * sizeof *limbs);
    if (limbs == NULL)
        return PLUMB_ERR_MEMORY;
    plumb_status status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, 1, &p->solutions);
    if (status == PLUMB_OK) {
        bench_eval_point(SEED, n, PLUMB_QD, limbs);
        status = plumb_pack(limbs, &p->solutions);
    }
    if (status == PLUMB_OK)
        status = values_at(context, p, limbs);
    if (status == PLUMB_OK)
        status = bench_eval_system_build(p->name, p->n, limbs, &p->start);
    free(limbs);
    return status;
}

/* ---- Many: total degree ----------------------------------------------------------------------------------------------- */

static plumb_status total_degree(plumb_context *context, bench_track_problem *p)
{
    int64_t count = 0;
    plumb_status status = plumb_system_start(p->target, SEED, &p->start);
    if (status == PLUMB_OK)
        status = plumb_system_start_count(p->start, &count);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, plumb_system_unknowns(p->target), 1,
                                    count, &p->solutions);
    return status == PLUMB_OK ? plumb_system_start_solutions(p->start, 0, &p->solutions) : status;
}

plumb_status bench_track_problem_create(plumb_context *context, bench_track_problem *p)
{
    plumb_homotopy_options options;
    plumb_homotopy_options_init(&options);
    options.seed = SEED;
    options.projective = 0; /* neither homotopy has paths to infinity */
    plumb_status status = bench_eval_system_build(p->name, p->n, NULL, &p->target);
    if (status == PLUMB_OK)
        status = strcmp(p->mode, "track") == 0 ? one_path(context, p) : total_degree(context, p);
    return status == PLUMB_OK ? plumb_homotopy_create(p->start, p->target, &options, &p->homotopy) : status;
}

void bench_track_problem_destroy(plumb_context *context, bench_track_problem *p)
{
    plumb_homotopy_destroy(p->homotopy);
    plumb_system_destroy(p->start);
    plumb_system_destroy(p->target);
    plumb_array_destroy(context, &p->solutions);
}
