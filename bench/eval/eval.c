/* eval.c - plumb-bench eval: microseconds per evaluation of a polynomial system with its Jacobian, compared with libqd.
 *
 * The run goes round all cases many times, one sample each, plumb's and the peers' in turn, and keeps the smallest of each. */
#include "bench/eval/eval.h"

#include <stdlib.h>
#include <string.h>

#include "app/stop.h"
#include "bench/bench.h"
#include "bench/common/machine.h"
#include "bench/common/peak.h"
#include "bench/eval/gpu.h"

#define EVALUATOR_NAME(code, name) name,
const char *const bench_evaluator_names[BENCH_EVALUATOR_COUNT] = {BENCH_EVALUATOR_LIST(EVALUATOR_NAME)};
#undef EVALUATOR_NAME
const char *const bench_eval_mode_names[EVAL_MODES] = {"one", "one_all_cores", "batch", "batch_all_cores"};

static const char command[] = "eval";

/* A batch takes seconds where one point takes microseconds: it is sampled in every BATCH_EVERY-th round only. */
enum { FULL_ROUNDS = 32, QUICK_ROUNDS = 6, BATCH_EVERY = 8, QUICK_CALL = 64 };
static const double full_sample_ns = 4e6, quick_sample_ns = 1e6;

const bench_eval_planned bench_eval_plan[BENCH_EVAL_PLANNED] = {
    {"paper", 32, true, true},    {"paper", 64, false, false},  {"paper", 256, false, false},
    {"cyclic", 10, false, true},  {"cyclic", 20, false, false}, {"katsura", 10, false, true},
    {"katsura", 20, false, false}};

/* ---- The plan ------------------------------------------------------------------------------------------------ */

static int make_contexts(const bench_options *o, bench_eval_run *run)
{
    plumb_context_options on;
    plumb_context_options_init(&on);
    on.backend = PLUMB_BACKEND_CPU;
    on.isa = o->isa;
    int result = app_context_create(command, &on, &run->all);
    on.threads = 1;
    return result == APP_OK ? app_context_create(command, &on, &run->one) : result;
}

static plumb_context *context_of(const bench_eval_run *run, const bench_eval_case *c)
{
    return c->mode == EVAL_ONE_ALL || c->mode == EVAL_BATCH_ALL ? run->all : run->one;
}

static void plan_system(bench_eval_run *run, bench_eval_system *s, bool batch)
{
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        const bench_eval_case *like = NULL;
        for (int32_t mode = 0; mode < EVAL_MODES; mode++) {
            bool in_batch = mode == EVAL_BATCH || mode == EVAL_BATCH_ALL;
            bool on_all = mode == EVAL_ONE_ALL || mode == EVAL_BATCH_ALL;
            if ((in_batch && !batch) || (on_all && plumb_context_threads(run->all) == 1))
                continue;
            bench_eval_case *c = &run->cases[run->case_count++];
            *c = (bench_eval_case){.of = s, .mode = mode, .prec = prec, .like = like};
            c->points = !in_batch ? 1 : run->quick ? QUICK_CALL : BENCH_EVAL_CALL;
            if (mode == EVAL_ONE)
                like = c;
        }
    }
}

/* Makes systems and points and evaluates each case once: what fails, fails before anything is timed. */
static int plan(bench_eval_run *run)
{
    run->systems = calloc(BENCH_EVAL_PLANNED, sizeof *run->systems);
    run->cases = calloc((size_t)BENCH_EVAL_PLANNED * EVAL_MODES * 3, sizeof *run->cases);
    if (run->systems == NULL || run->cases == NULL)
        return app_fail(command, "out of memory");
    for (size_t k = 0; k < BENCH_EVAL_PLANNED; k++) {
        if (run->quick && !bench_eval_plan[k].quick)
            continue;
        bench_eval_system *s = &run->systems[run->system_count++];
        *s = (bench_eval_system){.name = bench_eval_plan[k].name, .n = bench_eval_plan[k].n};
        plumb_status status = bench_eval_system_create(s);
        if (status != PLUMB_OK)
            return app_fail(command, "%s %lld: %s", s->name, (long long)s->n, plumb_status_text(status));
        plan_system(run, s, bench_eval_plan[k].batch);
    }
    for (int32_t i = 0; i < run->case_count; i++) {
        bench_eval_case *c = &run->cases[i];
        plumb_status status = bench_eval_case_create(context_of(run, c), c);
        if (status == PLUMB_OK)
            status = bench_eval_once(context_of(run, c), c);
        if (status != PLUMB_OK)
            return app_context_fail(command, context_of(run, c), status);
        c->checksum = bench_eval_checksum(c);
    }
    return APP_OK;
}

/* ---- Peers --------------------------------------------------------------------------------------------------- */

static bench_peers_problem problem_of(const bench_eval_case *c, int evaluator)
{
    return (bench_peers_problem){
        bench_evaluator_names[evaluator], plumb_prec_name(c->prec), c->of->name, c->of->n, c->of->n, BENCH_EVAL_SEED};
}

static void plan_peer(void *data, const char *peer, const char *prec, const char *kind, const char *what)
{
    bench_eval_run *run = data;
    (void)what;
    for (int32_t i = 0; i < run->case_count; i++) {
        bench_eval_case *c = &run->cases[i];
        if (c->mode == EVAL_ONE && strcmp(prec, plumb_prec_name(c->prec)) == 0 && strcmp(kind, c->of->name) == 0)
            for (int s = 0; s < BENCH_EVALUATOR_COUNT; s++)
                c->peer[s].wanted |= strcmp(peer, bench_evaluator_names[s]) == 0;
    }
}

static bool list_peers(bench_peers *peers, void *run)
{
    return bench_peers_list_solvers(peers, plan_peer, run);
}

/* They must have computed the same. */
static int start_peers(const bench_options *o, bench_eval_run *run, bench_peers **peers)
{
    int result = bench_peers_open(command, o, "plumb-peers", list_peers, run, peers);
    run->have_peers = result == APP_OK && *peers != NULL;
    if (!run->have_peers)
        return result;
    for (int32_t i = 0; i < run->case_count; i++)
        for (int s = 0; s < BENCH_EVALUATOR_COUNT; s++)
            if (run->cases[i].peer[s].wanted) {
                bench_peers_problem problem = problem_of(&run->cases[i], s);
                double sum = bench_peers_solve_error(*peers, &problem), ours = run->cases[i].checksum;
                run->cases[i].peer[s].checksum = sum;
                if (!(fabs(sum - ours) <= 1e-4 * (1 + fabs(ours)))) /* they answer in six figures */
                    return app_fail(command, "%s %s %lld: %s found %g, plumb %g", plumb_prec_name(run->cases[i].prec),
                                    run->cases[i].of->name, (long long)run->cases[i].of->n, bench_evaluator_names[s],
                                    sum, ours);
            }
    return APP_OK;
}

/* ---- Measuring ----------------------------------------------------------------------------------------------- */

static plumb_status evaluate(plumb_context *context, void *c)
{
    return bench_eval_once(context, c);
}

static plumb_status sample_case(bench_eval_run *run, bench_eval_case *c, bench_peers *peers, double target_ns)
{
    bench_call w = {evaluate, context_of(run, c), c, PLUMB_OK};
    bench_times_add(&c->times, bench_sample(&c->times.timer, bench_call_run, &w, target_ns) / (double)c->points);
    for (int s = 0; w.status == PLUMB_OK && s < BENCH_EVALUATOR_COUNT; s++)
        if (c->peer[s].wanted) {
            bench_peers_problem problem = problem_of(c, s);
            bench_times_add(&c->peer[s].times, bench_peers_time_solve(peers, &problem, target_ns));
        }
    return w.status;
}

static int measure(bench_eval_run *run, bench_peers *peers)
{
    int rounds = run->quick ? QUICK_ROUNDS : FULL_ROUNDS;
    double target_ns = run->quick ? quick_sample_ns : full_sample_ns, start = bench_now_ns();
    plumb_status status = PLUMB_OK;
    run->ghz = bench_clock_ghz();
    app_stop_on_signals();
    for (int r = 0; r < rounds && status == PLUMB_OK && !(r > 0 && app_stopped()); r++) {
        bench_progress("round %d of %d", r + 1, rounds);
        run->lane_ops = fmax(run->lane_ops, bench_peak_of(plumb_context_isa(run->one), target_ns / 4));
        for (int32_t i = 0; i < run->case_count && status == PLUMB_OK; i++) {
            bench_eval_case *c = &run->cases[i];
            if (c->points > 1 && r % BATCH_EVERY != 0)
                continue;
            status = sample_case(run, c, peers, target_ns);
            if (status != PLUMB_OK)
                app_context_fail(command, context_of(run, c), status);
        }
    }
    bench_progress_end();
    run->seconds = (bench_now_ns() - start) * 1e-9;
    return status == PLUMB_OK ? APP_OK : APP_FAILED;
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

static int run_eval(const void *values)
{
    bench_options options = ((const bench_only_common *)values)->common;
    bench_eval_run run = {0};
    bench_peers *peers = NULL;
    int result = bench_options_settle(command, &options);
    if (result != APP_OK)
        return result;
    if (options.backend == PLUMB_BACKEND_GPU || (options.backend == PLUMB_BACKEND_AUTO && bench_gpu_there()))
        return bench_eval_gpu(&options);
    run.quick = options.quick;
    run.commit = options.commit;
    if ((result = make_contexts(&options, &run)) != APP_OK || (result = plan(&run)) != APP_OK ||
        (result = start_peers(&options, &run, &peers)) != APP_OK || (result = measure(&run, peers)) != APP_OK)
        goto done;
    result = bench_write(command, &options, bench_eval_json, bench_eval_print, &run);
done:
    bench_peers_stop(peers);
    for (int32_t i = 0; i < run.case_count; i++)
        bench_eval_case_destroy(context_of(&run, &run.cases[i]), &run.cases[i]);
    for (int32_t i = 0; i < run.system_count; i++)
        plumb_system_destroy(run.systems[i].system);
    plumb_context_destroy(run.one);
    plumb_context_destroy(run.all);
    free(run.systems);
    free(run.cases);
    return result;
}

static const app_option eval_table[] = {
    BENCH_BACKEND_OPTION(bench_only_common, "machine to measure; auto takes a GPU where there is one"),
    BENCH_COMMON_OPTIONS(bench_only_common, "measure the smallest systems for a few seconds only, less exactly"),
    BENCH_PEER_OPTIONS(bench_only_common, "plumb-peers"),
    APP_OPTIONS_END,
};
static const bench_only_common eval_defaults = {{.backend = PLUMB_BACKEND_CPU}};

const app_command bench_eval_command = {
    .name = "eval",
    .summary = "time the evaluation of polynomial systems with their Jacobians, compared with other libraries",
    .arguments = "[OPTIONS]",
    .about =
        "Times the evaluation of polynomial systems with their Jacobians at complex points in d, dd and qd: the system "
        "of "
        "the paper (n equations of 32 monomials of 5 unknowns, exponents 1 to 5) for n = 32, 64 and 256, and the "
        "cyclic and "
        "Katsura systems for n = 10 and 20. One point is evaluated after the other, each depending on the last result, "
        "on one "
        "core and on all cores; then batches of 10000 points. Where plumb-peers was built, libqd with FMA and scalar "
        "doubles do the same work. The floor is the smallest time in which one core can issue the instructions of the "
        "evaluation.\n"
        "On a GPU it times one point after the other and batches, compared with one core and all cores.",
    .options = eval_table,
    .defaults = &eval_defaults,
    .size = sizeof eval_defaults,
    .run = run_eval,
};
