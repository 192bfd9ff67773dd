/* newton.c - plumb-bench newton: the time of one Newton step, on a GPU and on the processor. */
#include "bench/newton/newton.h"

#include <math.h>

#include "bench/bench.h"
#include "bench/common/machine.h"
#include "bench/common/peak.h"

static const char command[] = "newton";

typedef struct newton_run {
    bench_gpu_machines on;
    bench_newton_row rows[BENCH_NEWTON_ROWS];
    const bench_options *options;
    double seconds;
} newton_run;

void bench_newton_json_rows(json_writer *w, const bench_newton_row rows[BENCH_NEWTON_ROWS])
{
    for (int k = 0; k < BENCH_NEWTON_ROWS; k++) {
        const bench_newton_row *row = &rows[k];
        if (isnan(row->us)) /* not measured */
            continue;
        json_open_object(w, NULL);
        json_string(w, "mode", "newton");
        json_string(w, "precision", plumb_prec_name(row->prec));
        json_int(w, "n", row->n);
        if (row->calls > 0) {
            json_string(w, "how", row->replayed ? "graph" : "launch");
            json_int(w, "calls", row->calls);
        }
        bench_gpu_json_number(w, "us", row->us);
        bench_gpu_json_number(w, "launch_us", row->launch_us);
        bench_gpu_json_number(w, "eval_us", row->eval_us);
        bench_gpu_json_number(w, "lsq_us", row->lsq_us);
        bench_gpu_json_number(w, "cpu1_us", row->cpu1_us);
        bench_gpu_json_number(w, "cpuall_us", row->cpuall_us);
        bench_gpu_json_number(w, "error", row->error);
        json_close_object(w);
    }
}

static void write_json(const void *data, FILE *out)
{
    const newton_run *run = data;
    json_writer w = bench_gpu_json_begin(out, "newton", run->options->commit, &run->on);
    json_bool(&w, "quick", run->options->quick);
    json_double(&w, "seconds", bench_rounded(run->seconds));
    json_open_array(&w, "results");
    bench_newton_json_rows(&w, run->rows);
    json_close_array(&w);
    bench_json_end(&w);
}

static void print_table(const void *data, FILE *out)
{
    const bench_gpu_machines *on = &((const newton_run *)data)->on;
    const bench_newton_row *rows = ((const newton_run *)data)->rows;
    bench_machine m = bench_machine_now();
    fprintf(out,
            "plumb %s%s%s, on %s (%s, %d cores): microseconds per Newton step, complex, n = %d\n"
            "  %-2s %10s %10s %10s %10s %10s %10s %8s\n",
            plumb_version(), on->gpu ? " on " : "", on->gpu ? on->device.name : "", m.cpu, plumb_context_isa(on->one),
            m.cores, BENCH_NEWTON_N, "", on->gpu ? "gpu" : "one core", "launched", "evaluate", "solve", "one core",
            "all cores", "error");
    for (int k = 0; k < BENCH_NEWTON_ROWS; k++) {
        const double times[] = {rows[k].us,     rows[k].launch_us, rows[k].eval_us,
                                rows[k].lsq_us, rows[k].cpu1_us,   rows[k].cpuall_us};
        fprintf(out, "  %-2s", plumb_prec_name(rows[k].prec));
        for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
            bench_gpu_print_time(out, times[i]);
        fprintf(out, " %8.0e\n", rows[k].error);
    }
    fprintf(out, "\nOne step after the other%s. error: relative distance from the root after all steps.\n",
            on->gpu ? "; gpu, evaluate and solve replayed from CUDA graphs" : "; evaluate and solve on one core");
}

static int run_newton(const void *values)
{
    bench_options options = ((const bench_only_common *)values)->common;
    newton_run run = {.options = &options};
    int result = bench_options_settle(command, &options);
    if (result == APP_OK)
        result = bench_gpu_open(command, options.backend, options.isa, &run.on);
    if (result == APP_OK) {
        const double start = bench_now_ns();
        const plumb_status status = bench_newton_measure(&run.on, options.quick, run.rows);
        run.seconds = (bench_now_ns() - start) * 1e-9;
        if (status != PLUMB_OK)
            result = app_fail(command, "%s", bench_gpu_why(&run.on, status));
        const int written = bench_write(command, &options, write_json, print_table, &run);
        result = result == APP_OK ? written : result;
    }
    bench_gpu_close(&run.on);
    return result;
}

static const app_option newton_table[] = {
    BENCH_BACKEND_OPTION(bench_only_common, "machine to measure; auto takes a GPU where there is one"),
    BENCH_COMMON_OPTIONS(bench_only_common, "measure for a few seconds only, less exactly"),
    APP_OPTIONS_END,
};
static const bench_only_common newton_defaults = {{.backend = PLUMB_BACKEND_AUTO}};

const app_command bench_newton_command = {
    .name = "newton",
    .summary = "time Newton steps on a polynomial system",
    .arguments = "[OPTIONS]",
    .about = "Times one Newton step after the other in d, dd and qd on the system of the paper (32 equations of 32 "
             "monomials of 5 "
             "unknowns, exponents 1 to 5): values and Jacobian, factorization, solution, correction. The evaluation "
             "alone and "
             "the least squares alone are timed too. On a GPU, one core and all cores are timed as well.",
    .options = newton_table,
    .defaults = &newton_defaults,
    .size = sizeof newton_defaults,
    .run = run_newton,
};
