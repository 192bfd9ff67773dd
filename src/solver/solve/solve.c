/* solve.c - plumb_solve: tracks the paths of a plan as a run (solver/run/run.h), in memory or with a journal, and collects the solutions. */
#include <stdio.h>
#include <stdlib.h>

#include "base/call/message.h"
#include "model/solutions.h"
#include "solver/ranks/ranks.h"
#include "solver/run/crew.h"
#include "solver/solve/cells.h"
#include "solver/solve/estimate.h"
#include "solver/solve/job.h"
#include "solver/solve/points/collect.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* ---- The library as a host ----------------------------------------------------------------------------------------- */

typedef struct library_host {
    const plumb_solve_options *options;
    plumb_status status; /* of the first failure, */
    char message[512];   /* and what is said about it */
    bool stopped;
} library_host;

static void say(const run_voice *voice, int what, plumb_status status, bool placed, const char *line)
{
    library_host *h = voice->data;
    (void)placed;
    if (what == RUN_NOTE && h->options->note)
        h->options->note(h->options->data, line);
    if (what == RUN_NOTE || h->status != PLUMB_OK)
        return;
    h->status = status;
    snprintf(h->message, sizeof h->message, "%s", line);
}

static bool is_stopped(const run_voice *voice)
{
    const library_host *h = voice->data;
    return __atomic_load_n(&h->stopped, __ATOMIC_RELAXED) || (h->options->stop && h->options->stop(h->options->data));
}

static void stop(const run_voice *voice)
{
    library_host *h = voice->data;
    __atomic_store_n(&h->stopped, true, __ATOMIC_RELAXED);
}

/* Signals are the caller's. */
static void defer(bool on)
{
    (void)on;
}

static void name_temporary(const char *path, bool exists)
{
    (void)path, (void)exists;
}

static const char *folder(const run_voice *voice)
{
    const library_host *h = voice->data;
    return h->options->folder ? h->options->folder : "/tmp";
}

static const run_host library = {say, is_stopped, stop, defer, name_temporary, folder};

/* ---- The call ------------------------------------------------------------------------------------------------------ */

/* Not to be moved: its parts know each other. */
typedef struct solve_call {
    plumb_context *context;
    plumb_solve_options options;
    library_host host;
    run_voice voice;
    solve_cells cells;
    solve_plan plan;
    run_job job;
    run_state run;
    solve_collection collection;
    bool is_stream; /* points are in memory some at a time */
} solve_call;

/* Of a stream: points, and numbers of points, that are in memory at a time; and bytes of endpoints, the others are read from the journal. */
enum { AT_ONCE = 16384, NUMBERS_AT_ONCE = 1 << 19 };
static const int64_t STREAM_KEPT = INT64_C(1) << 29;

static int64_t points_at_once(const plumb_system *system)
{
    const int64_t count = NUMBERS_AT_ONCE / (system->unknowns + 1);
    return count < 1 ? 1 : count < AT_ONCE ? count : AT_ONCE;
}

/* The paths that the options ask for. */
static plumb_status choose_paths(solve_call *call)
{
    plumb_context *context = call->context;
    run_job *job = &call->job;
    const int64_t first = call->options.path_first, count = call->options.path_count;
    if (first >= job->all_paths || count > job->all_paths - first)
        return SAY(PLUMB_ERR_ARGUMENT, "found %lld paths from number %lld on, expected numbers up to %lld",
                   (long long)(count > 0 ? count : 1), (long long)first + 1, (long long)job->all_paths);
    job->first = first;
    job->count = count > 0 ? count : job->all_paths - first;
    return PLUMB_OK;
}

/* What a call of the run returned, as a status with its message. */
static plumb_status status_of(const solve_call *call, int result)
{
    plumb_context *context = call->context;
    const plumb_status status = call->host.status;
    if (result == RUN_OK)
        return PLUMB_OK;
    return status != PLUMB_OK ? SAY(status, "%s", call->host.message)
                              : SAY(PLUMB_ERR_STOPPED, "rank 0 has ended the call");
}

/* Tells the caller what will be done. */
static void tell_plan(const solve_call *call, int64_t paths, const solve_estimate *estimate)
{
    const solve_plan *plan = &call->plan;
    const cells_store *store = &call->cells.store;
    plumb_solve_planned planned = {.paths = paths,
                                   .report = plan->report,
                                   .cells_recount = store->recount,
                                   .sample = estimate->sample,
                                   .estimated_seconds = estimate->seconds,
                                   .no_solution = plan->simple.inconsistent ? plan->simple.why : NULL};
    planned.report.paths = plan->homotopy ? plan->start.paths : 0;
    planned.seconds[PLUMB_START_MULTIHOMOGENEOUS] = plan->multihomogeneous_seconds;
    planned.seconds[PLUMB_START_POLYHEDRAL] = plan->polyhedral_seconds;
    for (int32_t kind = 0; kind <= PLUMB_START_POLYHEDRAL; kind++)
        planned.given_up[kind] = plan->given_up[kind][0] ? plan->given_up[kind] : NULL;
    if (plan->report.polyhedral >= 0)
        planned.cells = store->believed > 0 ? PLUMB_CELLS_BELIEVED
                        : store->found > 0  ? PLUMB_CELLS_CONFIRMED
                                            : PLUMB_CELLS_ENUMERATED;
    if (call->options.planned)
        call->options.planned(call->options.data, &planned);
}

static void set_job(solve_call *call)
{
    const plumb_solve_options *options = &call->options;
    run_job *job = &call->job;
    *job = plumb_solve_job(&call->plan);
    job->voice = &call->voice;
    job->progress = options->progress;
    job->progress_data = options->data;
    job->runs_through = !options->progress && !options->stop;
    job->journal = options->journal;
    job->in_memory = !options->journal && !options->parts && !options->folder && !call->is_stream;
    job->most_kept = call->is_stream ? STREAM_KEPT : 0;
    job->parts = options->parts;
    job->fill = options->fill != 0;
    job->path_log = options->path_log;
    job->resume = options->resume != 0;
    job->cells = call->cells.were_read ? options->cells : NULL;
    job->shared = options->ranks != 0;
    job->threads = options->ranks ? ranks_threads(options->rank_threads) : 0;
}

/* Makes the plan and the job. */
static plumb_status prepare(solve_call *call, const plumb_system *system)
{
    const plumb_solve_options *options = &call->options;
    plumb_context *context = call->context;
    call->cells.path = options->cells;
    call->cells.shared = options->ranks != 0;
    const bool uses_cells = options->cells || options->ranks;
    plumb_status status = uses_cells ? status_of(call, plumb_solve_cells_take(&call->voice, &call->cells)) : PLUMB_OK;
    if (status != PLUMB_OK)
        return status;
    status = uses_cells ? plumb_solve_cells_plan(context, system, options, &call->cells, &call->plan)
                        : plumb_solve_plan_make(context, system, options, &call->plan);
    if (status == PLUMB_OK && call->plan.homotopy) {
        set_job(call);
        plumb_context_begin_job(context, call->job.all_paths, call->job.unknowns);
        status = choose_paths(call);
    }
    solve_estimate estimate = {.sample = 0};
    if (status == PLUMB_OK && options->plan_only && call->plan.homotopy)
        status = plumb_solve_estimate(&call->job, &estimate);
    if (status == PLUMB_OK && !(call->job.shared && ranks_is_worker()))
        tell_plan(call, call->job.count, &estimate);
    if (status == PLUMB_OK && uses_cells)
        status = status_of(call, plumb_solve_cells_pass_on(&call->voice, &call->cells, &call->plan));
    return status;
}

/* Only the plan was asked for: there are no solutions, and no path counts as tracked. */
static plumb_status collect_nothing(solve_call *call)
{
    call->collection = (solve_collection){.plan = &call->plan, .report = call->plan.report, .at_once = 1};
    call->collection.points = (solve_points){.context = call->context, .room = PLUMB_QD};
    call->collection.report.paths = 0;
    return PLUMB_OK;
}

static plumb_status track(solve_call *call)
{
    static const solve_paths none = {.read = NULL};
    const int64_t at_once = call->is_stream ? points_at_once(call->plan.system) : INT64_MAX;
    if (!call->plan.homotopy)
        return plumb_solve_collect(&call->collection, &call->plan, &none, at_once);
    plumb_status status = status_of(call, run_paths(&call->run, &call->job));
    if (status == PLUMB_OK) {
        const solve_paths paths = plumb_solve_run_paths(&call->run);
        status = plumb_solve_collect(&call->collection, &call->plan, &paths, at_once);
        call->collection.report.stopped |= call->run.stopped;
    }
    return status;
}

/* A rank other than 0, after it has prepared the call with this status: tracks what rank 0 sends, until it is sent home. */
static plumb_status serve(solve_call *call, plumb_status status)
{
    plumb_context *context = call->context;
    int32_t home;
    if (status == PLUMB_OK && call->plan.homotopy)
        status = status_of(call, run_crew_serve(&call->job));
    if (status != PLUMB_OK && !ranks_is_home(&home))
        ranks_tell_failure(status == PLUMB_ERR_ARGUMENT ? RUN_MISUSE : RUN_FAILED, context->message);
    ranks_wait_for_home();
    if (!ranks_is_home(&home))
        return SAY(PLUMB_ERR_STOPPED, "rank 0 has ended");
    return home == PLUMB_OK ? PLUMB_OK
                            : SAY((plumb_status)home, "rank 0 failed: %s", plumb_status_text((plumb_status)home));
}

/* All but the solutions. */
static plumb_status solve(solve_call *call, const plumb_system *system)
{
    const bool shared = call->options.ranks != 0;
    plumb_context_begin_job(call->context, 0, 0); /* until the number of paths is known */
    plumb_status status = prepare(call, system);
    if (shared && ranks_is_worker())
        status = serve(call, status);
    else if (status == PLUMB_OK)
        status = call->options.plan_only ? collect_nothing(call) : track(call);
    if (shared && !ranks_is_worker())
        ranks_send_home((int32_t)status);
    if (shared)
        ranks_next_job();
    return status;
}

/* Are there options that only a run of all paths, or of a part of them, can fulfil? */
static bool has_run_options(const plumb_solve_options *options)
{
    return options->journal || options->parts || options->path_log || options->ranks || options->path_first > 0 ||
           options->path_count > 0;
}

static plumb_status begin(solve_call *call, plumb_context *context, const plumb_solve_options *options, bool is_stream)
{
    *call = (solve_call){.context = context, .is_stream = is_stream};
    plumb_status status = plumb_solve_read_options(context, options, &call->options);
    if (status != PLUMB_OK)
        return status;
    if (call->options.resume && !call->options.journal)
        return SAY(PLUMB_ERR_ARGUMENT, "options: resume needs a journal");
    if (call->options.plan_only && has_run_options(&call->options))
        return SAY(PLUMB_ERR_ARGUMENT,
                   "options: plan_only excludes journal, parts, path_log, ranks and a range of paths");
    if (call->options.ranks && call->options.path_log)
        return SAY(PLUMB_ERR_ARGUMENT, "options: ranks excludes path_log: steps are not sent to rank 0");
    if (call->options.ranks && !ranks_are_used())
        return SAY(PLUMB_ERR_ARGUMENT, "options: ranks is 1, but plumb_ranks_begin has not been called");
    call->host.options = &call->options;
    call->voice = (run_voice){&library, "solve", &call->host};
    return PLUMB_OK;
}

static void end(solve_call *call)
{
    plumb_solve_collect_end(&call->collection);
    if (call->run.job)
        run_end(&call->run, false); /* the journal stays: whoever has saved the solutions removes it */
    plumb_solve_plan_clear(&call->plan);
    plumb_store_clear(&call->cells.store);
}

/* Goes on in MPFR where quad doubles have too few digits. */
static plumb_status refine(const solve_call *call, plumb_solutions *solutions)
{
    plumb_digits_options options;
    plumb_digits_options_init(&options);
    options.digits = call->options.digits;
    options.progress = call->options.progress;
    options.data = call->options.data;
    return plumb_solutions_refine(call->context, call->plan.system, solutions, &options);
}

/* The next solutions, at most this many, with the digits that were asked for. */
static plumb_status take(solve_call *call, int64_t most, plumb_solutions **solutions)
{
    plumb_status status = plumb_solve_take(&call->collection, most, solutions);
    if (status != PLUMB_OK || call->options.digits <= SOLVE_LIMB_DIGITS || (*solutions)->count == 0)
        return status;
    status = refine(call, *solutions);
    if (status != PLUMB_OK) {
        plumb_solutions_destroy(*solutions);
        *solutions = NULL;
    }
    return status;
}

static plumb_status take_list(solve_call *call, plumb_solutions **solutions)
{
    plumb_context *context = call->context;
    plumb_solve_report *report = malloc(sizeof *report);
    plumb_status status = report ? take(call, INT64_MAX, solutions) : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status != PLUMB_OK) {
        free(report);
        return status;
    }
    *report = call->collection.report;
    (*solutions)->report = report;
    return PLUMB_OK;
}

static bool is_served(const solve_call *call)
{
    return call->options.ranks && ranks_is_worker();
}

plumb_status plumb_solve(plumb_context *context, const plumb_system *system, const plumb_solve_options *options,
                         plumb_solutions **solutions)
{
    solve_call call;
    if (!context)
        return plumb_no_context();
    if (!solutions)
        return SAY(PLUMB_ERR_ARGUMENT, "solutions is NULL");
    *solutions = NULL;
    plumb_status status = begin(&call, context, options, false);
    if (status == PLUMB_OK)
        status = solve(&call, system);
    if (status == PLUMB_OK && !is_served(&call))
        status = take_list(&call, solutions);
    plumb_context_end_job(context);
    end(&call);
    return status;
}

/* ---- Solutions one after the other --------------------------------------------------------------------------------- */

struct plumb_solution_stream {
    solve_call call;
};

plumb_status plumb_solve_stream(plumb_context *context, const plumb_system *system, const plumb_solve_options *options,
                                plumb_solution_stream **stream)
{
    if (!context)
        return plumb_no_context();
    if (!stream)
        return SAY(PLUMB_ERR_ARGUMENT, "stream is NULL");
    *stream = NULL;
    plumb_solution_stream *made = malloc(sizeof *made);
    if (!made)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    plumb_status status = begin(&made->call, context, options, true);
    if (status == PLUMB_OK)
        status = solve(&made->call, system);
    plumb_context_end_job(context);
    if (status == PLUMB_OK && !is_served(&made->call))
        *stream = made;
    else
        plumb_solution_stream_destroy(made);
    return status;
}

int64_t plumb_solution_stream_count(const plumb_solution_stream *stream)
{
    return stream ? stream->call.collection.count : 0;
}

plumb_status plumb_solution_stream_report(const plumb_solution_stream *stream, plumb_solve_report *report)
{
    if (!stream || !report)
        return PLUMB_ERR_ARGUMENT;
    *report = stream->call.collection.report;
    return PLUMB_OK;
}

plumb_status plumb_solution_stream_next(plumb_solution_stream *stream, int64_t max_count, plumb_solutions **solutions)
{
    if (!stream || !solutions)
        return PLUMB_ERR_ARGUMENT;
    plumb_context *context = stream->call.context;
    *solutions = NULL;
    if (max_count < 1)
        return SAY(PLUMB_ERR_ARGUMENT, "max_count is %lld; expected at least 1", (long long)max_count);
    plumb_context_begin_job(context, stream->call.job.all_paths, stream->call.job.unknowns);
    plumb_status status = take(&stream->call, max_count, solutions);
    plumb_context_end_job(context);
    return status;
}

void plumb_solution_stream_destroy(plumb_solution_stream *stream)
{
    if (stream)
        end(&stream->call);
    free(stream);
}
