/* gpu.c - plumb bench lsq --backend gpu: microseconds a solve on a GPU, next to the processor and to cuSOLVER.
 *
 * Cases are measured one after the other, each for a second or two: a GPU has no neighbours that would make it slower for a
 * while. plumb-gpu-peers times cuSOLVER and cuBLAS in the same run; plumb itself does not link them. */
#include "bench/lsq/gpu.h"

#include <stdlib.h>

#include "app/app.h"
#include "app/stop.h"

#define MODE_NAME(code, name) name,
const char *const bench_lsq_gpu_mode_names[GPU_MODES] = {BENCH_GPU_MODE_LIST(MODE_NAME)};
#undef MODE_NAME

static const char command[] = "bench lsq";

enum { MAX_CASES = 64 };

/* ---- The plan ------------------------------------------------------------------------------------------------ */

static bool is_planned(const bench_options *o, int32_t mode, int32_t prec, int64_t n)
{
    if (mode == GPU_REFINED && prec == PLUMB_D)
        return false;
    if (o->n > 0) /* one size: everything but a batch that would not fit */
        return n > 256 ? mode == GPU_LARGE : mode != GPU_LARGE && (mode != GPU_BATCH || n <= 64);
    if (o->quick && (n > 32 || (mode == GPU_BATCH && n > 16)))
        return false;
    switch (mode) {
    case GPU_SEQUENCE:
        return n <= 256;
    case GPU_COLUMNS:
        return n == 32;
    case GPU_REFINED:
        return n == 32 || n == 64;
    case GPU_BATCH:
        return n == 16 || n == 32 || n == 64;
    default:
        return n > 256 && (n < 2048 || prec != PLUMB_QD);
    }
}

static int plan(const bench_options *o, bench_lsq_gpu_run *run)
{
    static const int64_t sizes[] = {16, 32, 48, 64, 80, 128, 256, 512, 1024, 2048};
    const double none = (double)NAN;
    run->cases = calloc(MAX_CASES, sizeof *run->cases);
    if (run->cases == NULL)
        return cli_fail(command, "out of memory");
    for (int32_t mode = 0; mode < GPU_MODES; mode++)
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
            for (size_t k = 0; k < (o->n > 0 ? 1 : sizeof sizes / sizeof sizes[0]); k++) {
                int64_t n = o->n > 0 ? o->n : sizes[k];
                if (!is_planned(o, mode, prec, n))
                    continue;
                if (run->case_count == MAX_CASES)
                    return cli_fail(command, "too many cases");
                run->cases[run->case_count++] = (bench_lsq_gpu_case){.mode = mode,
                                                                     .prec = prec,
                                                                     .n = n,
                                                                     .systems = mode != GPU_BATCH ? 1
                                                                                : o->quick        ? GPU_BATCH_QUICK
                                                                                                  : GPU_BATCH_SYSTEMS,
                                                                     .us = none,
                                                                     .launch_us = none,
                                                                     .cpu1_us = none,
                                                                     .cpuall_us = none,
                                                                     .cusolver_us = none,
                                                                     .cublas_batched_us = none,
                                                                     .floor_us = none,
                                                                     .error = none};
            }
    return CLI_OK;
}

/* ---- The subcommand ------------------------------------------------------------------------------------------ */

static void measure(bench_lsq_gpu_run *run)
{
    double start = bench_now_ns();
    cli_stop_on_signals();
    for (int32_t i = 0; i < run->case_count; i++) {
        bench_lsq_gpu_case *c = &run->cases[i];
        if (cli_stopped()) { /* what has been measured is written */
            c->absent = true;
            continue;
        }
        bench_progress("%s %s, n = %lld", bench_lsq_gpu_mode_names[c->mode], plumb_prec_name(c->prec), (long long)c->n);
        plumb_status status = bench_lsq_gpu_measure(run, c);
        if (status != PLUMB_OK) { /* the others still count */
            (void)cli_fail(command, "%s %s, n = %lld: %s", bench_lsq_gpu_mode_names[c->mode], plumb_prec_name(c->prec),
                           (long long)c->n, bench_gpu_why(&run->on, status));
            c->absent = run->failed = true;
        }
    }
    bench_progress_end();
    run->seconds = (bench_now_ns() - start) * 1e-9;
}

/* A fast kernel that is wrong must not pass. */
static int judge(const bench_lsq_gpu_run *run)
{
    int result = run->failed ? CLI_FAILED : CLI_OK;
    for (int32_t i = 0; i < run->case_count; i++) {
        const bench_lsq_gpu_case *c = &run->cases[i];
        if (!c->absent && !(c->error <= bench_lsq_gpu_most_error(c->prec, c->n)))
            result = cli_fail(command, "%s %s, n = %lld: x differs from the processor's by %.1e",
                              bench_lsq_gpu_mode_names[c->mode], plumb_prec_name(c->prec), (long long)c->n, c->error);
    }
    return result;
}

static int report(const bench_options *o, const bench_lsq_gpu_run *run)
{
    FILE *out = bench_output_open(command, o->output);
    if (out == NULL)
        return CLI_FAILED;
    if (o->json)
        bench_lsq_gpu_json(run, out);
    else
        bench_lsq_gpu_print(run, out);
    int written = bench_output_close(command, out), judged = judge(run);
    return written != CLI_OK ? written : judged;
}

int bench_lsq_gpu(const bench_options *o)
{
    bench_lsq_gpu_run run = {.quick = o->quick, .commit = o->commit};
    int result = bench_gpu_open(command, o->isa, &run.on);
    if (result == CLI_OK)
        result = plan(o, &run);
    if (result == CLI_OK)
        result = bench_peers_open(command, o, "plumb-gpu-peers", NULL, NULL, &run.peers);
    if (result == CLI_OK) {
        measure(&run);
        result = report(o, &run);
    }
    bench_peers_stop(run.peers);
    bench_gpu_close(&run.on);
    free(run.cases);
    return result;
}
