/* gpu.c - plumb bench eval --backend gpu: microseconds an evaluation with its Jacobian on a GPU, next to the
 * processor. Cases are measured one after the other: a GPU has no neighbours that would make it slower for a while. */
#include "bench/eval/gpu.h"

#include <stdlib.h>

#include "app/app.h"

static const char command[] = "bench eval";

/* Points of a batch; a multiple of those the processor has. */
enum { QUICK_BATCH = 64 };

static void plan_case(bench_eval_gpu_run *run, bench_eval_system *s, int32_t prec, int64_t points)
{
    const double none = (double)NAN;
    run->cases[run->case_count++] = (bench_eval_gpu_case){.of = s,
                                                          .prec = prec,
                                                          .points = points,
                                                          .us = none,
                                                          .launch_us = none,
                                                          .cpu1_us = none,
                                                          .cpuall_us = none,
                                                          .floor_us = none,
                                                          .error = none};
}

static int plan(bench_eval_gpu_run *run)
{
    run->systems = calloc(BENCH_EVAL_PLANNED, sizeof *run->systems);
    run->cases = calloc((size_t)BENCH_EVAL_PLANNED * 2 * 3, sizeof *run->cases);
    if (run->systems == NULL || run->cases == NULL) {
        (void)cli_fail(command, "out of memory");
        return CLI_FAILED;
    }
    run->system_count = run->case_count = 0;
    for (size_t k = 0; k < BENCH_EVAL_PLANNED; k++) {
        if (run->quick && !bench_eval_plan[k].quick)
            continue;
        bench_eval_system *s = &run->systems[run->system_count++];
        *s = (bench_eval_system){.name = bench_eval_plan[k].name, .n = bench_eval_plan[k].n};
        plumb_status status = bench_eval_system_create(s);
        if (status != PLUMB_OK)
            return cli_fail(command, "%s %lld: %s", s->name, (long long)s->n, plumb_status_text(status));
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
            plan_case(run, s, prec, 1);
        for (int32_t prec = PLUMB_D; bench_eval_plan[k].batch && prec <= PLUMB_QD; prec *= 2)
            plan_case(run, s, prec, run->quick ? QUICK_BATCH : BENCH_EVAL_BATCH);
    }
    return CLI_OK;
}

static void fail_case(bench_eval_gpu_run *run, bench_eval_gpu_case *c, const char *why)
{
    (void)cli_fail(command, "%s %lld, %s, %s: %s", c->of->name, (long long)c->of->n, plumb_prec_name(c->prec),
                   bench_eval_gpu_mode(c), why);
    run->failed = true;
}

/* A fast kernel that is wrong must not pass; a case that fails does not stop the others. */
static void measure(bench_eval_gpu_run *run)
{
    double start = bench_now_ns();
    for (int32_t i = 0; i < run->case_count; i++) {
        bench_eval_gpu_case *c = &run->cases[i];
        bench_progress("%s %lld, %s %s", c->of->name, (long long)c->of->n, plumb_prec_name(c->prec),
                       bench_eval_gpu_mode(c));
        plumb_status status = bench_eval_gpu_measure(run, c);
        c->absent = status != PLUMB_OK;
        if (c->absent) {
            fail_case(run, c, bench_gpu_why(&run->on, status));
        } else if (!(c->error <= bench_eval_gpu_most_error(c->prec))) {
            fail_case(run, c, "results differ from the processor's");
        }
    }
    bench_progress_end();
    run->seconds = (bench_now_ns() - start) * 1e-9;
}

static int report(const bench_options *o, const bench_eval_gpu_run *run)
{
    FILE *out = bench_output_open(command, o->output);
    if (out == NULL)
        return CLI_FAILED;
    if (o->json)
        bench_eval_gpu_json(run, out);
    else
        bench_eval_gpu_print(run, out);
    int written = bench_output_close(command, out);
    return written == CLI_OK && run->failed ? CLI_FAILED : written;
}

int bench_eval_gpu(const bench_options *o)
{
    bench_eval_gpu_run run = {.quick = o->quick, .commit = o->commit};
    int result = bench_gpu_open(command, o->isa, &run.on);
    if (result == CLI_OK)
        result = plan(&run);
    if (result == CLI_OK) {
        measure(&run);
        result = report(o, &run);
    }
    bench_gpu_close(&run.on);
    for (int32_t i = 0; i < run.system_count; i++)
        plumb_system_destroy(run.systems[i].system);
    free(run.systems);
    free(run.cases);
    return result;
}
