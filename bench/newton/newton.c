/* newton.c - plumb bench newton: what one Newton step takes, on a GPU and on the processor. */
#include "bench/newton/newton.h"

#include <math.h>

#include "app/app.h"
#include "app/options.h"
#include "bench/bench.h"
#include "bench/common/machine.h"
#include "bench/common/peak.h"

static const char command[] = "bench newton";

static int help(void)
{
    printf(
        "usage: plumb bench newton [OPTIONS]\n"
        "\n"
        "Times one Newton step after the other, in d, dd and qd, on the system of the paper (%d equations of 32\n"
        "monomials of 5 unknowns, exponents 1 to 5): values and Jacobian, factorisation, solution, correction. Beside\n"
        "it stand the evaluation alone and the least squares alone, and the processor on one core and on all.\n"
        "\n"
        "options:\n"
        "  --backend B   cpu, gpu, or auto: a GPU where there is one (default: auto)\n"
        "  --isa NAME    the instruction set (default: PLUMB_ISA, else the best this processor has)\n"
        "  --quick       in a few seconds, less exact\n"
        "  --json        JSON (default: a table to read)\n"
        "  -o FILE       write to FILE (default: standard output)\n"
        "  --commit HASH what to record as the commit (default: the one plumb was built from)\n"
        "  --help        this text\n",
        BENCH_NEWTON_N);
    return CLI_OK;
}

void bench_newton_json_rows(json_writer *w, const bench_newton_row rows[BENCH_NEWTON_ROWS])
{
    for (int k = 0; k < BENCH_NEWTON_ROWS; k++) {
        const bench_newton_row *row = &rows[k];
        if (isnan(row->us)) /* never got there */
            continue;
        json_open_object(w, NULL);
        json_string(w, "mode", "newton");
        json_string(w, "prec", plumb_prec_name(row->prec));
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

static void write_json(const bench_options *o, const bench_gpu_machines *on, const bench_newton_row *rows, FILE *out)
{
    json_writer w = json_begin(out);
    json_open_object(&w, NULL);
    bench_gpu_json_head(&w, "newton", o->commit, on);
    json_bool(&w, "quick", o->quick);
    json_open_array(&w, "results");
    bench_newton_json_rows(&w, rows);
    json_close_array(&w);
    json_close_object(&w);
    json_end(&w);
}

static void print(const bench_gpu_machines *on, const bench_newton_row *rows, FILE *out)
{
    bench_machine m = bench_machine_now();
    fprintf(out,
            "plumb %s%s%s, on %s (%s, %d cores): microseconds a Newton step, complex, n = %d\n"
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
    fprintf(out, "\nOne after the other%s. error: distance from the root at the end.\n",
            on->gpu ? "; gpu, evaluate and solve replayed from CUDA graphs" : "; evaluate and solve on one core");
}

/* The processor alone. */
static int open_cpu(const bench_options *o, bench_gpu_machines *on)
{
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    options.isa = o->isa;
    int result = cli_context_create(command, &options, &on->all);
    options.threads = 1;
    return result == CLI_OK ? cli_context_create(command, &options, &on->one) : result;
}

int plumb_cli_bench_newton(int argc, char **argv)
{
    bench_options o = {.commit = plumb_bench_commit, .backend = "auto"};
    bench_gpu_machines on = {.gpu = NULL};
    bench_newton_row rows[BENCH_NEWTON_ROWS];
    char why[256];
    if (cli_wants_help(argc, argv))
        return help();
    int result = bench_options_parse(command, argc, argv, 0, &o);
    if (result != CLI_OK)
        return result;
    const bool gpu = o.measured == PLUMB_BACKEND_GPU ||
                     (o.measured == PLUMB_BACKEND_AUTO && plumb_gpu_usable(0, why, sizeof why) == PLUMB_OK);
    result = gpu ? bench_gpu_open(command, o.isa, &on) : open_cpu(&o, &on);
    if (result == CLI_OK) {
        plumb_status status = bench_newton_measure(&on, o.quick, rows);
        FILE *out = bench_output_open(command, o.output);
        if (status != PLUMB_OK)
            result = cli_context_fail(command, gpu ? on.gpu : on.all, status);
        if (out) {
            if (o.json)
                write_json(&o, &on, rows, out);
            else
                print(&on, rows, out);
        }
        const int written = out ? bench_output_close(command, out) : CLI_FAILED;
        result = result == CLI_OK ? written : result;
    }
    bench_gpu_close(&on);
    return result;
}
