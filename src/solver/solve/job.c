/* job.c - see job.h. */
#include "solver/solve/job.h"

#include "solver/run/header.h"

/* ---- What is to be tracked ----------------------------------------------------------------------------------------- */

static plumb_status make_starts(const run_job *job, plumb_context *context, const int64_t *paths, int32_t rerun,
                                plumb_view *x)
{
    const solve_plan *plan = job->data;
    return plan->start.make(&plan->start, context, paths, rerun, x);
}

/* The homotopy follows from the system, the seed and the start system. */
static void describe(const run_job *job, run_fields *fields)
{
    const solve_plan *plan = job->data;
    run_field_system(fields, "SYSTEM", plan->given);
    run_field_text(fields, "--start", "%s", plumb_start_name(plan->start.kind));
    run_field_system(fields, "the start system", plan->start.system);
    run_field_text(fields, "the start solutions", "%016llx", (unsigned long long)plan->start.hash);
}

run_job plumb_solve_job(const solve_plan *plan)
{
    const plumb_system *target = plumb_solve_target(plan);
    run_job job = {.target = target,
                   .homotopy = plan->homotopy,
                   .context = plan->context,
                   .unknowns = target->unknowns,
                   .all_paths = plan->start.paths,
                   .count = plan->start.paths,
                   .complete = true,
                   .reruns = plan->options.reruns,
                   .retry = true,
                   .options = plan->track,
                   .prec = plan->options.prec != 0 ? plan->options.prec : PLUMB_QD,
                   .data = plan,
                   .starts = make_starts,
                   .describe = describe};
    job.options.reruns = 0; /* endpoints are compared over all calls */
    return job;
}

/* ---- The endpoints ------------------------------------------------------------------------------------------------- */

static bool read_path(void *data, int64_t k, plumb_path_record *record, double *x, int32_t *prec)
{
    run_found_path path = {.x = x};
    const bool good = run_read(data, k, &path);
    *record = path.record;
    *prec = path.prec;
    return good;
}

/* The list of solutions is as large as the endpoints in memory, which have served then. */
static void drop_paths(void *data)
{
    run_drop(data);
}

solve_paths plumb_solve_run_paths(run_state *run)
{
    return (solve_paths){
        .read = read_path, .taken = drop_paths, .ends = run_ends(run), .groups = run->grouped ? run->groups : NULL};
}
