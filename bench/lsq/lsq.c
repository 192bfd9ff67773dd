/* lsq.c - plumb-bench lsq: microseconds per solve on one core, compared with other libraries that solve the same systems.
 *
 * A solve is what a caller does who keeps A and b: copy them to where they are overwritten, factor [A b], substitute back.
 * The run goes round all cases many times, one sample each, plumb's and the peers' in turn, and keeps the smallest of each. */
#include "bench/lsq/lsq.h"

#include <stdlib.h>
#include <string.h>

#include "app/stop.h"
#include "bench/bench.h"
#include "bench/common/machine.h"
#include "bench/common/peak.h"
#include "bench/lsq/gpu.h"

#define SOLVER_NAME(code, name) name,
const char *const bench_solver_names[BENCH_SOLVER_COUNT] = {BENCH_SOLVER_LIST(SOLVER_NAME)};
#undef SOLVER_NAME
const char *const bench_lsq_mode_names[LSQ_MODES] = {"one", "refined", "batch"};

static const char command[] = "lsq";

/* A batch takes seconds where one system takes milliseconds: it is sampled in every BATCH_EVERY-th round only. */
enum { FULL_ROUNDS = 32, QUICK_ROUNDS = 8, BATCH_EVERY = 8, MAX_CASES = 128, MAX_N = 4096 };
static const double full_sample_ns = 4e6, quick_sample_ns = 2e6;

/* ---- The plan ------------------------------------------------------------------------------------------------ */

static bench_lsq_case *plan_case(bench_lsq_run *run, int32_t mode, int32_t prec, int32_t parts, int64_t n)
{
    if (run->case_count == MAX_CASES)
        return NULL;
    bench_lsq_case *c = &run->cases[run->case_count++];
    *c = (bench_lsq_case){.mode = mode, .prec = prec, .parts = parts, .n = n};
    c->systems = mode == LSQ_BATCH ? BENCH_LSQ_BATCH : 1;
    for (int32_t i = 0; mode != LSQ_ONE && i < run->case_count; i++) {
        const bench_lsq_case *other = &run->cases[i];
        if (other->mode == LSQ_ONE && other->prec == prec && other->parts == parts && other->n == n)
            c->like = other;
    }
    return c;
}

/* Which sizes belong to a mode, in the order they are printed. */
static bool is_planned(const bench_options *o, int32_t mode, int32_t prec, int64_t n)
{
    if (mode == LSQ_REFINED && prec == PLUMB_D)
        return false;
    if (o->n > 0) /* one size: everything but a batch that would not fit */
        return mode != LSQ_BATCH || n <= 32;
    if (n > 80 && (prec != PLUMB_D || mode != LSQ_ONE))
        return false;
    if (mode == LSQ_BATCH)
        return n == 16 || (n == 32 && !o->quick);
    return !o->quick || n <= 32;
}

static int plan_cases(const bench_options *o, bench_lsq_run *run)
{
    static const int64_t sizes[] = {16, 32, 48, 64, 80, 128, 192, 256};
    run->cases = calloc(MAX_CASES, sizeof *run->cases);
    if (run->cases == NULL)
        return app_fail(command, "out of memory");
    for (int32_t mode = 0; mode < LSQ_MODES; mode++)
        for (int32_t parts = PLUMB_COMPLEX; parts >= PLUMB_REAL; parts--)
            for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
                for (size_t k = 0; k < (o->n > 0 ? 1 : sizeof sizes / sizeof sizes[0]); k++) {
                    int64_t n = o->n > 0 ? o->n : sizes[k];
                    if (is_planned(o, mode, prec, n) && plan_case(run, mode, prec, parts, n) == NULL)
                        return app_fail(command, "too many cases");
                }
    return APP_OK;
}

/* Makes the systems and solves each case once: what fails, fails before anything is timed. */
static int prepare(bench_lsq_run *run)
{
    for (int32_t i = 0; i < run->case_count; i++) {
        bench_lsq_case *c = &run->cases[i];
        plumb_status status = bench_lsq_case_create(run->context, c);
        if (status == PLUMB_OK)
            status = bench_lsq_solve(run->context, c);
        c->absent = status == PLUMB_ERR_UNSUPPORTED;
        if (status != PLUMB_OK && !c->absent)
            return app_context_fail(command, run->context, status);
        c->error = bench_lsq_error(c);
    }
    return APP_OK;
}

/* ---- Peers --------------------------------------------------------------------------------------------------- */

static const char *kind_name(const bench_lsq_case *c)
{
    return c->parts == PLUMB_REAL ? "real" : "complex";
}

static bench_peers_problem problem_of(const bench_lsq_case *c, int solver)
{
    return (bench_peers_problem){
        bench_solver_names[solver], plumb_prec_name(c->prec), kind_name(c), c->n, c->n, BENCH_LSQ_SEED};
}

static void plan_peer(void *data, const char *peer, const char *prec, const char *kind, const char *what)
{
    bench_lsq_run *run = data;
    (void)what;
    for (int32_t i = 0; i < run->case_count; i++) {
        bench_lsq_case *c = &run->cases[i];
        if (c->mode == LSQ_ONE && strcmp(prec, plumb_prec_name(c->prec)) == 0 && strcmp(kind, kind_name(c)) == 0)
            for (int s = 0; s < BENCH_SOLVER_COUNT; s++)
                c->solver[s].wanted |= strcmp(peer, bench_solver_names[s]) == 0;
    }
}

static bool list_peers(bench_peers *peers, void *run)
{
    return bench_peers_list_solvers(peers, plan_peer, run);
}

static int start_peers(const bench_options *o, bench_lsq_run *run, bench_peers **peers)
{
    int result = bench_peers_open(command, o, "plumb-peers", list_peers, run, peers);
    run->have_peers = result == APP_OK && *peers != NULL;
    if (!run->have_peers)
        return result;
    for (int32_t i = 0; i < run->case_count; i++)
        for (int s = 0; s < BENCH_SOLVER_COUNT; s++)
            if (run->cases[i].solver[s].wanted) {
                bench_peers_problem problem = problem_of(&run->cases[i], s);
                run->cases[i].solver[s].error = bench_peers_solve_error(*peers, &problem);
            }
    return APP_OK;
}

/* ---- Measuring ----------------------------------------------------------------------------------------------- */

static plumb_status solve(plumb_context *context, void *c)
{
    return bench_lsq_solve(context, c);
}

static plumb_status solve_one_by_one(plumb_context *context, void *c)
{
    return bench_lsq_solve_one_by_one(context, c);
}

static plumb_status take_sample(bench_lsq_run *run, bench_lsq_case *c, bench_times *times,
                                plumb_status (*function)(plumb_context *, void *), double target_ns)
{
    bench_call w = {function, run->context, c, PLUMB_OK};
    double ns = bench_sample(&times->timer, bench_call_run, &w, target_ns);
    bench_times_add(times, ns / (double)c->systems);
    return w.status;
}

static plumb_status sample_case(bench_lsq_run *run, bench_lsq_case *c, bench_peers *peers, double target_ns)
{
    plumb_status status = take_sample(run, c, &c->times, solve, target_ns);
    if (status == PLUMB_OK && c->mode == LSQ_BATCH)
        status = take_sample(run, c, &c->one_by_one, solve_one_by_one, target_ns);
    for (int s = 0; status == PLUMB_OK && s < BENCH_SOLVER_COUNT; s++)
        if (c->solver[s].wanted) {
            bench_peers_problem problem = problem_of(c, s);
            bench_times_add(&c->solver[s].times, bench_peers_time_solve(peers, &problem, target_ns));
        }
    return status;
}

static int measure(bench_lsq_run *run, bench_peers *peers)
{
    int rounds = run->quick ? QUICK_ROUNDS : FULL_ROUNDS;
    double target_ns = run->quick ? quick_sample_ns : full_sample_ns, start = bench_now_ns();
    plumb_status status = PLUMB_OK;
    run->ghz = bench_clock_ghz();
    app_stop_on_signals();
    for (int r = 0; r < rounds && !(r > 0 && app_stopped()); r++) {
        bench_progress("round %d of %d", r + 1, rounds);
        run->lane_ops = fmax(run->lane_ops, bench_peak_of(plumb_context_isa(run->context), target_ns / 4));
        for (int32_t i = 0; i < run->case_count && status == PLUMB_OK; i++)
            if (!run->cases[i].absent && (run->cases[i].mode != LSQ_BATCH || r % BATCH_EVERY == 0))
                status = sample_case(run, &run->cases[i], peers, target_ns);
    }
    bench_progress_end();
    run->seconds = (bench_now_ns() - start) * 1e-9;
    return status == PLUMB_OK ? APP_OK : app_context_fail(command, run->context, status);
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

static int run_lsq(const void *values)
{
    bench_options options = ((const bench_only_common *)values)->common;
    bench_lsq_run run = {0};
    bench_peers *peers = NULL;
    plumb_context_options on;
    int result = bench_options_settle(command, &options);
    if (result != APP_OK)
        return result;
    if (options.backend == PLUMB_BACKEND_GPU || (options.backend == PLUMB_BACKEND_AUTO && bench_gpu_there()))
        return bench_lsq_gpu(&options);
    plumb_context_options_init(&on);
    on.backend = PLUMB_BACKEND_CPU;
    on.threads = 1;
    on.isa = options.isa;
    run.quick = options.quick;
    run.commit = options.commit;
    if ((result = app_context_create(command, &on, &run.context)) != APP_OK ||
        (result = plan_cases(&options, &run)) != APP_OK || (result = prepare(&run)) != APP_OK ||
        (result = start_peers(&options, &run, &peers)) != APP_OK || (result = measure(&run, peers)) != APP_OK)
        goto done;
    result = bench_write(command, &options, bench_lsq_json, bench_lsq_print, &run);
done:
    bench_peers_stop(peers);
    for (int32_t i = 0; i < run.case_count; i++)
        bench_lsq_case_destroy(run.context, &run.cases[i]);
    plumb_context_destroy(run.context);
    free(run.cases);
    return result;
}

static const app_option lsq_table[] = {
    BENCH_BACKEND_OPTION(bench_only_common, "machine to measure; auto takes a GPU where there is one"),
    {'n', "size", APP_COUNT, BENCH_OPTION(bench_only_common, n), "N", "measure only systems of this size",
     "all sizes of the list", 1, MAX_N, NULL},
    BENCH_COMMON_OPTIONS(bench_only_common, "measure n = 16 and 32 for a few seconds only, less exactly"),
    BENCH_PEER_OPTIONS(bench_only_common, "plumb-peers, and plumb-gpu-peers for the GPU,"),
    APP_OPTIONS_END,
};
static const bench_only_common lsq_defaults = {{.backend = PLUMB_BACKEND_CPU}};

const app_command bench_lsq_command = {
    .name = "lsq",
    .summary = "time least squares on one core or on a GPU, compared with other libraries",
    .arguments = "[OPTIONS]",
    .about =
        "Times the solution of square linear systems by least squares on one core: modified Gram-Schmidt on [A b] and "
        "back "
        "substitution, real and complex, for n = 16, 32, 48, 64, 80 in d, dd and qd and up to 256 in d; iterative "
        "refinement to dd and qd; batches of 1024 systems, compared with solving them one by one. Where plumb-peers "
        "was built, "
        "libqd with FMA (the same algorithm), Arb (Gaussian elimination at 106 and 212 bits) and LAPACK and OpenBLAS "
        "(Householder QR in d) solve the same systems.\n"
        "On a GPU it times one complex system after the other, batches of 4096 and large systems, compared with one "
        "core, all "
        "cores "
        "and cuSOLVER in d.",
    .options = lsq_table,
    .defaults = &lsq_defaults,
    .size = sizeof lsq_defaults,
    .run = run_lsq,
};
