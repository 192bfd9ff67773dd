/* gpu_report.c - what `plumb bench eval --backend gpu` found, as a table for people and as JSON for programs. */
#include "bench/common/machine.h"
#include "bench/eval/gpu.h"

const char *bench_eval_gpu_mode(const bench_eval_gpu_case *c)
{
    return c->points > 1 ? "batch" : "sequence";
}

void bench_eval_gpu_print(const bench_eval_gpu_run *run, FILE *out)
{
    bench_machine m = bench_machine_now();
    fprintf(out,
            "plumb %s on %s, and on %s (%s, %d cores): microseconds an evaluation with its Jacobian, complex\n"
            "  %-8s %4s %-9s %-2s %10s %10s %10s %10s %10s %8s\n",
            plumb_version(), run->on.device.name, m.cpu, plumb_context_isa(run->on.one), m.cores, "", "n", "", "",
            "gpu", "launched", "one core", "all cores", "floor", "error");
    for (int32_t i = 0; i < run->case_count; i++) {
        const bench_eval_gpu_case *c = &run->cases[i];
        const double times[] = {c->us, c->launch_us, c->cpu1_us, c->cpuall_us, c->floor_us};
        if (c->absent)
            continue;
        fprintf(out, "  %-8s %4lld %-9s %-2s", c->of->name, (long long)c->of->n, bench_eval_gpu_mode(c),
                plumb_prec_name(c->prec));
        for (size_t k = 0; k < sizeof times / sizeof times[0]; k++)
            bench_gpu_print_time(out, times[k]);
        fprintf(out, " %8.0e\n", c->error);
    }
    fprintf(out,
            "\ngpu: one after the other, replayed from a CUDA graph; batch: %d points at once, as launched. floor: "
            "instructions\n"
            "over %.1f 10^12 a second. error: against the processor's results. %.0f s.\n",
            BENCH_EVAL_BATCH, 1e-12 * run->on.double_rate, run->seconds);
}

static void write_case(json_writer *w, const bench_eval_gpu_case *c)
{
    json_open_object(w, NULL);
    json_string(w, "system", c->of->name);
    json_int(w, "n", c->of->n);
    json_string(w, "prec", plumb_prec_name(c->prec));
    json_string(w, "kind", "complex");
    json_string(w, "mode", bench_eval_gpu_mode(c));
    json_string(w, "how", c->replayed ? "graph" : "launch");
    json_int(w, "points", c->points);
    json_int(w, "calls", c->calls);
    bench_gpu_json_number(w, "us", c->us);
    bench_gpu_json_number(w, "launch_us", c->launch_us);
    bench_gpu_json_number(w, "cpu1_us", c->cpu1_us);
    bench_gpu_json_number(w, "cpuall_us", c->cpuall_us);
    bench_gpu_json_number(w, "floor_us", c->floor_us);
    json_int(w, "products", c->of->products);
    json_int(w, "sum_terms", c->of->sum_terms);
    json_double(w, "instructions", c->of->instructions[c->prec]);
    json_double(w, "error", bench_rounded(c->error));
    json_close_object(w);
}

void bench_eval_gpu_json(const bench_eval_gpu_run *run, FILE *out)
{
    json_writer w = json_begin(out);
    json_open_object(&w, NULL);
    bench_gpu_json_head(&w, "eval", run->commit, &run->on);
    json_int(&w, "seed", BENCH_EVAL_SEED);
    json_bool(&w, "quick", run->quick);
    json_double(&w, "seconds", bench_rounded(run->seconds));
    json_open_array(&w, "results");
    for (int32_t i = 0; i < run->case_count; i++)
        if (!run->cases[i].absent)
            write_case(&w, &run->cases[i]);
    json_close_array(&w);
    json_close_object(&w);
    json_end(&w);
}
