/* track.c - plumb-bench track: Newton steps and paths on a GPU, compared with the processor. */
#include "bench/track/track.h"

#include <stdlib.h>

#include "app/stop.h"
#include "bench/bench.h"
#include "bench/common/machine.h"
#include "bench/common/peak.h"
#include "solver/context/context.h"

static const char command[] = "track";

/* The paths: all of them in d and dd, fewer in qd. */
static const struct planned {
    const char *mode, *name;
    int64_t n, quick_n, paths[PLUMB_QD + 1]; /* by precision */
} plan_of[] = {{"track", "paper", 32, 8, {0, 1, 1, 0, 1}}, {"many", "katsura", 10, 4, {0, 1024, 1024, 0, 256}}};
enum { PROBLEMS = sizeof plan_of / sizeof plan_of[0] };

/* ---- One case: the same paths on a GPU, on all cores and on one core, timed by the wall clock from call to return, with start
 * points and endpoints on the host */

/* Number of paths that one core tracks if there are many, and in qd, where each takes long. */
enum { ONE_CORE_SAMPLE = 64, ONE_CORE_SAMPLE_QD = 8, RUNS = 2 };

static void count(const plumb_path_record *records, bench_track_result *r)
{
    r->steps = r->rejected = r->solves = 0;
    for (int32_t code = 0; code < PLUMB_PATH_CODES; code++)
        r->codes[code] = 0;
    for (int64_t k = 0; k < r->paths; k++) {
        r->steps += records[k].steps;
        r->rejected += records[k].rejected;
        r->solves += records[k].solves;
        r->codes[records[k].code]++;
    }
}

/* Tracks the first r->paths paths of the case several times; the last run counts, the earlier ones warm up. */
static plumb_status track(plumb_context *context, const bench_track_case *c, int times, bench_track_result *r)
{
    plumb_view starts = c->of->solutions, ends = {0};
    plumb_track_options options;
    plumb_track_report report = {0};
    plumb_track_options_init(&options);
    options.prec = c->prec;
    options.report = &report;
    starts.batch = r->paths;
    plumb_path_record *records = calloc((size_t)r->paths, sizeof *records);
    if (records == NULL)
        return PLUMB_ERR_MEMORY;
    plumb_status status =
        plumb_array_create(context, PLUMB_HOST, c->prec, PLUMB_COMPLEX, starts.rows, 1, r->paths, &ends);
    for (int k = 0; k < times && status == PLUMB_OK; k++) {
        const double begin = bench_now_ns();
        status = plumb_track(context, c->of->homotopy, &starts, &ends, &options, records);
        r->us = 1e-3 * (bench_now_ns() - begin);
    }
    if (status == PLUMB_OK)
        count(records, r);
    r->to_device = report.to_device;
    r->to_host = report.to_host;
    plumb_array_destroy(context, &ends);
    free(records);
    return status;
}

static plumb_status measure_case(bench_track_run *run, bench_track_case *c)
{
    const int64_t sample = c->prec == PLUMB_QD ? ONE_CORE_SAMPLE_QD : ONE_CORE_SAMPLE;
    plumb_status status = PLUMB_OK;
    if (run->on.gpu != NULL) {
        c->gpu.paths = c->paths;
        status = track(run->on.gpu, c, RUNS, &c->gpu);
    }
    if (c->paths > 1 && status == PLUMB_OK) {
        c->all.paths = c->paths;
        status = track(run->on.all, c, 1, &c->all);
    }
    c->one.paths = c->paths < sample ? c->paths : sample;
    return status == PLUMB_OK ? track(run->on.one, c, 1, &c->one) : status;
}

bool bench_track_agrees(const bench_track_run *run, const bench_track_case *c)
{
    const bench_track_result *cpu = c->paths > 1 ? &c->all : &c->one;
    for (int32_t code = 0; code < PLUMB_PATH_CODES && run->on.gpu != NULL; code++)
        if (c->gpu.codes[code] != cpu->codes[code])
            return false;
    return true;
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

static int plan(bench_track_run *run)
{
    run->problems = calloc(PROBLEMS, sizeof *run->problems);
    run->cases = calloc((size_t)PROBLEMS * 3, sizeof *run->cases);
    if (run->problems == NULL || run->cases == NULL) {
        return app_fail(command, "out of memory");
    }
    for (int k = 0; k < PROBLEMS; k++) {
        const struct planned *from = &plan_of[k];
        bench_track_problem *p = &run->problems[run->problem_count++];
        *p = (bench_track_problem){.mode = from->mode, .name = from->name, .n = run->quick ? from->quick_n : from->n};
        plumb_status status = bench_track_problem_create(run->on.all, p);
        if (status != PLUMB_OK)
            return app_fail(command, "%s %lld: %s", p->name, (long long)p->n, plumb_status_text(status));
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
            const int64_t there = p->solutions.batch, wanted = from->paths[prec];
            run->cases[run->case_count++] =
                (bench_track_case){.of = p, .prec = prec, .paths = wanted < there ? wanted : there};
        }
    }
    return APP_OK;
}

static void fail_case(bench_track_run *run, const bench_track_case *c, const char *why)
{
    (void)app_fail(command, "%s, %s %lld, %s: %s", c->of->mode, c->of->name, (long long)c->of->n,
                   plumb_prec_name(c->prec), why);
    run->failed = true;
}

/* A case that fails does not stop the others. */
static void measure(bench_track_run *run)
{
    double start = bench_now_ns();
    bench_progress("Newton steps");
    app_stop_on_signals();
    plumb_status stepped = bench_newton_measure(&run->on, run->quick, run->newton);
    run->has_newton = stepped == PLUMB_OK;
    if (!run->has_newton) {
        (void)app_fail(command, "newton: %s", bench_gpu_why(&run->on, stepped));
        run->failed = true;
    }
    for (int32_t i = 0; i < run->case_count; i++) {
        bench_track_case *c = &run->cases[i];
        c->absent = app_stopped(); /* what was measured before is written */
        if (c->absent)
            continue;
        bench_progress("%s, %s %lld, %s", c->of->mode, c->of->name, (long long)c->of->n, plumb_prec_name(c->prec));
        plumb_status status = measure_case(run, c);
        c->absent = status != PLUMB_OK;
        if (c->absent)
            fail_case(run, c, bench_gpu_why(&run->on, status));
        else if (!bench_track_agrees(run, c))
            fail_case(run, c, "paths end with other codes than on the processor");
    }
    bench_progress_end();
    run->seconds = (bench_now_ns() - start) * 1e-9;
}

typedef struct track_values {
    bench_options common;
    bool alone;
} track_values;

/* Lets the processor follow one path after the other on each core. */
static plumb_status forbid_lanes(plumb_context *context)
{
    machine *m = NULL;
    plumb_status status = plumb_context_machine(context, PLUMB_HOST, &m);
    if (status == PLUMB_OK)
        m->hooks.track_lanes = -1;
    return status;
}

static int run_track(const void *values)
{
    const track_values *given = values;
    bench_options options = given->common;
    int result = bench_options_settle(command, &options);
    if (result != APP_OK)
        return result;
    bench_track_run run = {.quick = options.quick, .commit = options.commit};
    result = bench_gpu_open(command, options.backend, options.isa, &run.on);
    if (result == APP_OK && given->alone &&
        (forbid_lanes(run.on.one) != PLUMB_OK || forbid_lanes(run.on.all) != PLUMB_OK))
        result = app_fail(command, "the processor could not be opened");
    if (result == APP_OK)
        result = plan(&run);
    if (result == APP_OK) {
        measure(&run);
        result = bench_write(command, &options, bench_track_json, bench_track_print, &run);
        if (result == APP_OK && run.failed)
            result = APP_FAILED;
    }
    for (int32_t i = 0; i < run.problem_count; i++)
        bench_track_problem_destroy(run.on.all, &run.problems[i]);
    bench_gpu_close(&run.on);
    free(run.problems);
    free(run.cases);
    return result;
}

static const app_option track_table[] = {
    BENCH_BACKEND_OPTION(track_values, "machine to measure; auto takes a GPU where there is one"),
    {0, "alone", APP_FLAG, offsetof(track_values, alone), NULL,
     "on the processor, follow one path after the other on each core instead of several side by side", NULL, 0, 0,
     NULL},
    BENCH_COMMON_OPTIONS(track_values, "measure small systems for a few seconds only, less exactly"),
    APP_OPTIONS_END,
};
static const track_values track_defaults = {.common = {.backend = PLUMB_BACKEND_CPU}};

const app_command bench_track_command = {
    .name = "track",
    .summary = "time Newton steps and path tracking",
    .arguments = "[OPTIONS]",
    .about =
        "Times Newton steps as 'plumb-bench newton' does, and tracks paths in d, dd and qd: one path of the paper's "
        "system f "
        "(32 equations of 32 monomials of 5 unknowns, exponents 1 to 5) from f - f(x0), whose solution x0 is known; "
        "and "
        "the 1024 paths of the Katsura system of dimension 10 (256 of them in qd) from a total-degree start system. "
        "All "
        "cores and one core are measured, and a GPU if there is one; one core tracks a sample of the many paths. Paths "
        "must end with the same codes on all machines.",
    .options = track_table,
    .defaults = &track_defaults,
    .size = sizeof track_defaults,
    .run = run_track,
};
