/* arith.c - plumb-bench arith: nanoseconds per operation for every precision, operation and instruction set.
 *
 * Noise of the machine only ever adds time, and it comes in bursts. The run therefore visits all loops many times, takes one
 * short sample of each, of plumb and of the peers in turn, and keeps the smallest sample of each: every loop is sampled in
 * every quiet period. */
#include "bench/arith/arith.h"

#include <stdlib.h>
#include <string.h>

#include "app/stop.h"
#include "bench/bench.h"
#include "bench/common/machine.h"

#define PEER_NAME(code, name) name,
const char *const bench_peer_names[BENCH_PEER_COUNT] = {BENCH_PEER_LIST(PEER_NAME)};
#undef PEER_NAME

enum { FULL_ROUNDS = 40, QUICK_ROUNDS = 5 };
static const double full_sample_ns = 2e6, quick_sample_ns = 5e5;

static const char command[] = "arith";

typedef struct arith_options {
    bench_options common;
    const char *op;
} arith_options;

/* ---- The plan ------------------------------------------------------------------------------------------------ */

static int plan_isas(const bench_options *o, bench_run *run)
{
    const char *only = o->isa;
    int result = only == NULL ? app_isa_from_environment(command, &only) : APP_OK;
    if (result != APP_OK)
        return result;
    for (int32_t i = 0; i < plumb_cpu_isa_count && run->isa_count < BENCH_MAX_ISAS; i++) {
        const isa_kernels *isa = plumb_cpu_isas[i];
        if (isa->usable() && (only == NULL || strcmp(only, isa->name) == 0))
            run->isa[run->isa_count++] = (bench_isa){.kernels = isa, .peak = bench_peak_find(isa->name)};
    }
    return APP_OK;
}

static map_kernel find_kernel(const bench_run *run, const bench_case *c, int32_t isa)
{
    return run->isa[isa].kernels->prec[c->prec]->map[c->parts][c->op];
}

static void plan_case(bench_run *run, plumb_op op, int32_t prec, int32_t parts)
{
    bench_case *c = &run->cases[run->case_count];
    bool any = false;
    c->op = op, c->prec = prec, c->parts = parts;
    for (int32_t i = 0; i < run->isa_count; i++)
        any |= c->isa[i].wanted = find_kernel(run, c, i) != NULL;
    run->case_count += any;
}

static int plan_cases(const char *only, bench_run *run)
{
    bool found = only == NULL;
    for (int op = 0; op < PLUMB_OP_COUNT; op++)
        found |= only != NULL && strcmp(only, plumb_op_name((plumb_op)op)) == 0;
    if (!found)
        return app_misuse(command, "--op: there is no operation '%s'; 'plumb-bench arith --quick' shows them all",
                          only);
    run->cases = calloc(3 * PLUMB_COMPLEX * PLUMB_OP_COUNT + 1, sizeof *run->cases);
    if (run->cases == NULL)
        return app_fail(command, "out of memory");
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int op = 0; op < PLUMB_OP_COUNT; op++)
                if (only == NULL || strcmp(only, plumb_op_name((plumb_op)op)) == 0)
                    plan_case(run, (plumb_op)op, prec, parts);
    return APP_OK;
}

static const char *kind_name(const bench_case *c)
{
    return c->parts == PLUMB_REAL ? "real" : "complex";
}

static void plan_peer(void *data, const char *peer, const char *op, const char *prec, const char *kind)
{
    bench_run *run = data;
    for (int32_t i = 0; i < run->case_count; i++) {
        bench_case *c = &run->cases[i];
        if (strcmp(op, plumb_op_name(c->op)) == 0 && strcmp(prec, plumb_prec_name(c->prec)) == 0 &&
            strcmp(kind, kind_name(c)) == 0)
            for (int p = 0; p < BENCH_PEER_COUNT; p++)
                c->peer[p].wanted |= strcmp(peer, bench_peer_names[p]) == 0;
    }
}

static bool list_peers(bench_peers *peers, void *run)
{
    return bench_peers_list(peers, plan_peer, run);
}

/* ---- Measuring ----------------------------------------------------------------------------------------------- */

typedef struct kernel_work {
    map_kernel kernel;
    const map_job *job;
} kernel_work;

static void run_kernel(void *data)
{
    kernel_work *w = data;
    w->kernel(w->job);
}

static void sample_peaks(bench_run *run, double target_ns)
{
    for (int32_t i = 0; i < run->isa_count; i++) {
        bench_isa *isa = &run->isa[i];
        if (isa->peak != NULL)
            isa->lane_ops = fmax(isa->lane_ops, bench_peak_sample(isa->peak, isa->timer, target_ns));
    }
}

static void sample_case(bench_run *run, bench_case *c, bench_peers *peers, double target_ns)
{
    for (int32_t i = 0; i < run->isa_count; i++)
        if (c->isa[i].wanted) {
            kernel_work w = {find_kernel(run, c, i), &c->job};
            bench_times *times = &c->isa[i].times;
            bench_times_add(times, bench_sample(&times->timer, run_kernel, &w, target_ns) / (double)c->operations);
        }
    for (int p = 0; p < BENCH_PEER_COUNT; p++)
        if (c->peer[p].wanted)
            bench_times_add(&c->peer[p].times, bench_peers_sample(peers, bench_peer_names[p], plumb_op_name(c->op),
                                                                  plumb_prec_name(c->prec), kind_name(c), target_ns));
}

static void count_instructions(bench_run *run)
{
    for (int32_t i = 0; i < run->case_count; i++) {
        bench_case *c = &run->cases[i];
        int64_t flops = 0, others = 0;
        if (bench_count(c->prec, c->parts, c->op, &c->job, &flops, &others)) {
            c->flops = (double)flops / (double)c->operations;
            c->others = (double)others / (double)c->operations;
        }
    }
}

static void measure(bench_run *run, bench_peers *peers)
{
    int rounds = run->quick ? QUICK_ROUNDS : FULL_ROUNDS;
    double target_ns = run->quick ? quick_sample_ns : full_sample_ns, start = bench_now_ns();
    run->ghz = bench_clock_ghz();
    count_instructions(run);
    app_stop_on_signals();
    for (int r = 0; r < rounds && !(r > 0 && app_stopped()); r++) {
        bench_progress("round %d of %d", r + 1, rounds);
        sample_peaks(run, target_ns);
        for (int32_t i = 0; i < run->case_count; i++)
            sample_case(run, &run->cases[i], peers, target_ns);
    }
    bench_progress_end();
    run->seconds = (bench_now_ns() - start) * 1e-9;
}

/* ---- Statistics ---------------------------------------------------------------------------------------------- */

double bench_best(const bench_series *s)
{
    return bench_times_best(&s->times);
}

double bench_libqd(const bench_case *c, bool *package)
{
    *package = c->peer[PEER_LIBQD_FMA].times.count == 0;
    return bench_best(&c->peer[*package ? PEER_LIBQD_PACKAGE : PEER_LIBQD_FMA]);
}

double bench_peak_fraction(const bench_run *run, const bench_case *c, int32_t isa)
{
    double slots = bench_best(&c->isa[isa]) * run->isa[isa].lane_ops;
    return slots > 0 ? (c->flops + c->others) / slots : (double)NAN;
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

static int run_arith(const void *values)
{
    arith_options options = *(const arith_options *)values;
    bench_run run = {0};
    bench_peers *peers = NULL;
    double *memory = NULL;
    int result = bench_options_settle(command, &options.common);
    if (result != APP_OK)
        return result;
    run.quick = options.common.quick;
    run.commit = options.common.commit;
    if ((result = plan_isas(&options.common, &run)) != APP_OK || (result = plan_cases(options.op, &run)) != APP_OK ||
        (result = bench_peers_open(command, &options.common, "plumb-peers", list_peers, &run, &peers)) != APP_OK)
        goto done;
    run.have_peers = peers != NULL;
    if (!bench_operands_create(&run, &memory)) {
        result = app_fail(command, "out of memory");
        goto done;
    }
    measure(&run, peers);
    result = bench_write(command, &options.common, bench_arith_json, bench_arith_print, &run);
done:
    bench_peers_stop(peers);
    free(memory);
    free(run.cases);
    return result;
}

static const app_option arith_table[] = {
    {0, "op", APP_TEXT, offsetof(arith_options, op), "NAME", "measure only this operation", "all", 0, 0, NULL},
    BENCH_COMMON_OPTIONS(arith_options, "measure for a few seconds only, less exactly"),
    BENCH_PEER_OPTIONS(arith_options, "plumb-peers"),
    APP_OPTIONS_END,
};
static const arith_options arith_defaults = {.op = NULL};

const app_command bench_arith_command = {
    .name = "arith",
    .summary = "time the arithmetic on one core, compared with other libraries and the peak of the machine",
    .arguments = "[OPTIONS]",
    .about =
        "Times every operation on arrays of 1024 numbers on one core, in nanoseconds per operation, for each precision "
        "(d, dd, qd), real and complex, and each instruction set of this processor (or the one of --isa); dot is timed "
        "per "
        "term of sums of 16. Where plumb-peers was built, libqd with FMA, MPFR at 53, 106 and 212 bits and IEEE "
        "quadruple precision are timed as well. The share of the machine's issue peak is shown too.",
    .options = arith_table,
    .defaults = &arith_defaults,
    .size = sizeof arith_defaults,
    .run = run_arith,
};
