/* gpu_report.c - what `plumb bench lsq --backend gpu` found, as a table for people and as JSON for programs. */
#include "bench/common/machine.h"
#include "bench/lsq/gpu.h"

/* ---- Tables -------------------------------------------------------------------------------------------------- */

static void print_case(FILE *out, const bench_lsq_gpu_case *c)
{
    const double times[] = {c->us,
                            c->launch_us,
                            c->cpu1_us,
                            c->cpuall_us,
                            c->mode == GPU_BATCH ? c->cublas_batched_us : c->cusolver_us,
                            c->floor_us};
    fprintf(out, "  %-8s %-2s %5lld", bench_lsq_gpu_mode_names[c->mode], plumb_prec_name(c->prec), (long long)c->n);
    for (size_t k = 0; k < sizeof times / sizeof times[0]; k++)
        bench_gpu_print_time(out, times[k]);
    fprintf(out, " %8.0e\n", c->error);
}

static void print_quality(FILE *out, int64_t n, const char *rival)
{
    if (n > 0)
        fprintf(out, "qd on the GPU takes less time than %s up to n = %lld\n", rival, (long long)n);
    else
        fprintf(out, "qd on the GPU takes less time than %s at no n measured\n", rival);
}

void bench_lsq_gpu_print(const bench_lsq_gpu_run *run, FILE *out)
{
    bench_machine m = bench_machine_now();
    fprintf(out,
            "plumb %s on %s, and on %s (%s, %d cores): complex least squares, microseconds a system\n"
            "  %-8s %-2s %5s %10s %10s %10s %10s %10s %10s %8s\n",
            plumb_version(), run->on.device.name, m.cpu, plumb_context_isa(run->on.one), m.cores, "", "", "n", "gpu",
            "launched", "one core", "all cores", "cuSOLVER d", "floor", "error");
    int32_t mode = GPU_SEQUENCE;
    for (int32_t i = 0; i < run->case_count; i++) {
        if (run->cases[i].absent)
            continue;
        if (run->cases[i].mode != mode)
            fprintf(out, "\n");
        mode = run->cases[i].mode;
        print_case(out, &run->cases[i]);
    }
    fprintf(out, "\n");
    print_quality(out, bench_lsq_gpu_beats_one_core(run), "dd on one core");
    if (run->peers != NULL)
        print_quality(out, bench_lsq_gpu_beats_cusolver(run), "cuSOLVER in d");
    fprintf(
        out,
        "\ngpu: replayed from a CUDA graph, batches and large ones as launched. cuSOLVER d: Householder QR in d; for\n"
        "batches elimination of cuBLAS. floor: instructions over %.1f 10^12 a second. error: of x against the\n"
        "processor's. %.0f s.\n",
        1e-12 * run->on.double_rate, run->seconds);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------- */

static void write_case(json_writer *w, const bench_lsq_gpu_case *c)
{
    json_open_object(w, NULL);
    json_int(w, "n", c->n);
    json_string(w, "prec", plumb_prec_name(c->prec));
    json_string(w, "kind", "complex");
    json_string(w, "mode", bench_lsq_gpu_mode_names[c->mode]);
    json_string(w, "how", c->replayed ? "graph" : "launch");
    json_int(w, "systems", c->systems);
    json_int(w, "solves", c->solves);
    bench_gpu_json_number(w, "us", c->us);
    bench_gpu_json_number(w, "launch_us", c->launch_us);
    bench_gpu_json_number(w, "cpu1_us", c->cpu1_us);
    bench_gpu_json_number(w, "cpuall_us", c->cpuall_us);
    bench_gpu_json_number(w, "cusolver_us", c->cusolver_us);
    bench_gpu_json_number(w, "cublas_batched_us", c->cublas_batched_us);
    bench_gpu_json_number(w, "floor_us", c->floor_us);
    json_double(w, "error", bench_rounded(c->error));
    json_close_object(w);
}

void bench_lsq_gpu_json(const bench_lsq_gpu_run *run, FILE *out)
{
    json_writer w = json_begin(out);
    json_open_object(&w, NULL);
    bench_gpu_json_head(&w, "lsq", run->commit, &run->on);
    json_int(&w, "seed", BENCH_LSQ_SEED);
    json_bool(&w, "quick", run->quick);
    json_double(&w, "seconds", bench_rounded(run->seconds));
    json_open_array(&w, "results");
    for (int32_t i = 0; i < run->case_count; i++)
        if (!run->cases[i].absent)
            write_case(&w, &run->cases[i]);
    json_close_array(&w);
    json_open_object(&w, "quality_up"); /* the largest n at which qd on the GPU takes less; 0: none */
    json_int(&w, "dd_one_core", bench_lsq_gpu_beats_one_core(run));
    if (run->peers != NULL)
        json_int(&w, "d_cusolver", bench_lsq_gpu_beats_cusolver(run));
    json_close_object(&w);
    json_close_object(&w);
    json_end(&w);
}
