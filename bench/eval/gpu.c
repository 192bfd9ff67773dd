/* gpu.c - plumb-bench eval --backend gpu: microseconds per evaluation with its Jacobian on a GPU, compared with the processor.
 *
 * Cases are measured one after the other: a GPU has no neighbours that would slow it down for a while. Points, values and
 * Jacobians stay on the device; evaluation k+1 runs after evaluation k on the same stream, into the same memory, which is
 * cleared before the last timing and compared with the processor's results after it. A batch repeats the points that the
 * processor has, and its last ones are compared. */
#include "bench/eval/gpu.h"

#include <stdlib.h>

#include "app/stop.h"
#include "bench/common/machine.h"

static const char command[] = "eval";

/* ---- One case --------------------------------------------------------------------------------------------------- */

static const char *mode_of(const bench_eval_gpu_case *c)
{
    return c->points > 1 ? "batch" : "sequence";
}

static const double short_us = 200, sequence_us = 1e6;
enum { QUICK_HOST = 16 };

typedef struct device_case {
    plumb_context *context;
    const plumb_system *system;
    plumb_view x, values, jacobians;
} device_case;

/* On the GPU. */

static plumb_status queue_evaluation(void *data)
{
    device_case *d = data;
    return plumb_system_eval(d->context, d->system, &d->x, &d->values, &d->jacobians, NULL);
}

/* Points first .. first + count - 1 of a batch. */
static plumb_view some_of(const plumb_view *all, int64_t first, int64_t count)
{
    plumb_view some = *all;
    some.data += first * all->next;
    some.batch = count;
    return some;
}

static plumb_status device_create(plumb_context *context, const bench_eval_gpu_case *c, const bench_eval_case *host,
                                  device_case *d)
{
    const plumb_view *like[] = {&host->x, &host->values, &host->jacobians};
    *d = (device_case){.context = context, .system = c->of->system};
    plumb_view *view[] = {&d->x, &d->values, &d->jacobians};
    plumb_status status = PLUMB_OK;
    for (int k = 0; k < 3 && status == PLUMB_OK; k++)
        status = plumb_array_create(context, PLUMB_DEVICE, c->prec, PLUMB_COMPLEX, like[k]->rows, like[k]->cols,
                                    c->points, view[k]);
    for (int64_t first = 0; first < c->points && status == PLUMB_OK; first += host->points) {
        plumb_view to = some_of(&d->x, first, host->points);
        status = plumb_copy(context, &host->x, &to, NULL);
    }
    return status;
}

static void device_destroy(device_case *d)
{
    plumb_array_destroy(d->context, &d->x);
    plumb_array_destroy(d->context, &d->values);
    plumb_array_destroy(d->context, &d->jacobians);
}

/* On the processor. */

static plumb_status evaluate(plumb_context *context, void *host)
{
    return bench_eval_once(context, host);
}

static plumb_status time_on_cpu(const bench_eval_gpu_run *run, plumb_context *context, bench_eval_case *host,
                                double *us)
{
    bench_call call = {evaluate, context, host, PLUMB_OK};
    plumb_status status = bench_gpu_time_cpu(&call, run->quick, us);
    *us /= (double)host->points;
    return status;
}

double bench_eval_gpu_most_error(int32_t prec)
{
    return 1e4 * ldexp(1.0, -52 * prec);
}

/* The last points of the batch against the processor's. */
static plumb_status compare(bench_eval_gpu_run *run, bench_eval_gpu_case *c, const device_case *d,
                            const bench_eval_case *host)
{
    const plumb_view *device[] = {&d->values, &d->jacobians}, *right[] = {&host->values, &host->jacobians};
    plumb_status status = PLUMB_OK;
    c->times.error = 0;
    for (int k = 0; k < 2 && status == PLUMB_OK; k++) {
        const plumb_view from = some_of(device[k], c->points - host->points, host->points);
        plumb_view found = {0};
        status = plumb_array_create(run->on.gpu, PLUMB_HOST, c->prec, PLUMB_COMPLEX, from.rows, from.cols, from.batch,
                                    &found);
        if (status == PLUMB_OK)
            status = plumb_copy(run->on.gpu, &from, &found, NULL);
        if (status == PLUMB_OK) {
            double largest, error = bench_gpu_difference(&found, right[k], &largest);
            if (largest > 0)
                error /= largest;
            if (!(error <= c->times.error))
                c->times.error = error;
        }
        plumb_array_destroy(run->on.gpu, &found);
    }
    return status;
}

/* Zeros where the results go: those of an earlier run are not taken for new ones. */
static plumb_status clear(void *data)
{
    device_case *d = data;
    plumb_view *views[] = {&d->values, &d->jacobians};
    plumb_status status = PLUMB_OK;
    for (int k = 0; k < 2 && status == PLUMB_OK; k++) {
        plumb_view old = *views[k];
        plumb_array_destroy(d->context, views[k]);
        status =
            plumb_array_create(d->context, PLUMB_DEVICE, old.prec, old.parts, old.rows, old.cols, old.batch, views[k]);
    }
    return status;
}

static plumb_status measure_on_gpu(bench_eval_gpu_run *run, bench_eval_gpu_case *c, const bench_eval_case *host)
{
    device_case d;
    const bench_gpu_sequence sequence = {queue_evaluation, &d, run->quick, short_us, sequence_us};
    plumb_status status = device_create(run->on.gpu, c, host, &d);
    if (status == PLUMB_OK)
        status = bench_gpu_time_case(&run->on, &sequence, c->points, c->points == 1, clear, &c->times);
    if (status == PLUMB_OK)
        status = compare(run, c, &d, host);
    device_destroy(&d);
    return status;
}

plumb_status bench_eval_gpu_measure(bench_eval_gpu_run *run, bench_eval_gpu_case *c)
{
    bench_eval_case host = {.of = c->of, .prec = c->prec, .points = c->points};
    if (c->points > 1)
        host.points = run->quick ? QUICK_HOST : BENCH_EVAL_CALL;
    plumb_status status = bench_eval_case_create(run->on.all, &host);
    if (status == PLUMB_OK)
        status = time_on_cpu(run, run->on.one, &host, &c->times.cpu1_us);
    if (status == PLUMB_OK)
        status = time_on_cpu(run, run->on.all, &host, &c->times.cpuall_us);
    if (status == PLUMB_OK) { /* timing has moved the first point */
        host.x.data[0] = host.start;
        status = plumb_system_eval(run->on.all, c->of->system, &host.x, &host.values, &host.jacobians, NULL);
    }
    if (status == PLUMB_OK)
        status = measure_on_gpu(run, c, &host);
    c->times.floor_us = 1e6 * c->of->instructions[c->prec] / run->on.double_rate;
    bench_eval_case_destroy(run->on.all, &host);
    return status;
}

/* ---- Reporting -------------------------------------------------------------------------------------------------- */

static void print_table(const void *data, FILE *out)
{
    const bench_eval_gpu_run *run = data;
    bench_machine m = bench_machine_now();
    fprintf(out,
            "plumb %s on %s, and on %s (%s, %d cores): microseconds per evaluation with its Jacobian, complex\n"
            "  %-8s %4s %-9s %-2s %10s %10s %10s %10s %10s %8s\n",
            plumb_version(), run->on.device.name, m.cpu, plumb_context_isa(run->on.one), m.cores, "", "n", "", "",
            "gpu", "launched", "one core", "all cores", "floor", "error");
    for (int32_t i = 0; i < run->case_count; i++) {
        const bench_eval_gpu_case *c = &run->cases[i];
        const double times[] = {c->times.us, c->times.launch_us, c->times.cpu1_us, c->times.cpuall_us,
                                c->times.floor_us};
        if (c->times.absent)
            continue;
        fprintf(out, "  %-8s %4lld %-9s %-2s", c->of->name, (long long)c->of->n, mode_of(c), plumb_prec_name(c->prec));
        for (size_t k = 0; k < sizeof times / sizeof times[0]; k++)
            bench_gpu_print_time(out, times[k]);
        fprintf(out, " %8.0e\n", c->times.error);
    }
    fprintf(out,
            "\ngpu: one point after the other, replayed from a CUDA graph; batch: %d points at once. floor: "
            "instructions over\n"
            "%.1f 10^12 per second. error: relative to the processor's results. The run took %.0f s.\n",
            BENCH_EVAL_BATCH, 1e-12 * run->on.double_rate, run->seconds);
}

static void write_case(json_writer *w, const bench_eval_gpu_case *c)
{
    json_open_object(w, NULL);
    json_string(w, "system", c->of->name);
    json_int(w, "n", c->of->n);
    json_string(w, "precision", plumb_prec_name(c->prec));
    json_string(w, "kind", "complex");
    json_string(w, "mode", mode_of(c));
    json_int(w, "points_per_call", c->points);
    bench_gpu_json_times(w, &c->times);
    json_int(w, "products", c->of->products);
    json_int(w, "sum_terms", c->of->sum_terms);
    json_double(w, "instructions", c->of->instructions[c->prec]);
    json_close_object(w);
}

static void write_json(const void *data, FILE *out)
{
    const bench_eval_gpu_run *run = data;
    json_writer w = bench_gpu_json_begin(out, "eval", run->commit, &run->on);
    json_int(&w, "seed", BENCH_EVAL_SEED);
    json_bool(&w, "quick", run->quick);
    json_double(&w, "seconds", bench_rounded(run->seconds));
    json_open_array(&w, "results");
    for (int32_t i = 0; i < run->case_count; i++)
        if (!run->cases[i].times.absent)
            write_case(&w, &run->cases[i]);
    json_close_array(&w);
    bench_json_end(&w);
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

/* Points of a batch; a multiple of those the processor has. */
enum { QUICK_BATCH = 64 };

static void plan_case(bench_eval_gpu_run *run, bench_eval_system *s, int32_t prec, int64_t points)
{
    run->cases[run->case_count++] =
        (bench_eval_gpu_case){.of = s, .prec = prec, .points = points, .times = bench_gpu_no_times};
}

static int plan(bench_eval_gpu_run *run)
{
    run->systems = calloc(BENCH_EVAL_PLANNED, sizeof *run->systems);
    run->cases = calloc((size_t)BENCH_EVAL_PLANNED * 2 * 3, sizeof *run->cases);
    if (run->systems == NULL || run->cases == NULL) {
        (void)app_fail(command, "out of memory");
        return APP_FAILED;
    }
    run->system_count = run->case_count = 0;
    for (size_t k = 0; k < BENCH_EVAL_PLANNED; k++) {
        if (run->quick && !bench_eval_plan[k].quick)
            continue;
        bench_eval_system *s = &run->systems[run->system_count++];
        *s = (bench_eval_system){.name = bench_eval_plan[k].name, .n = bench_eval_plan[k].n};
        plumb_status status = bench_eval_system_create(s);
        if (status != PLUMB_OK)
            return app_fail(command, "%s %lld: %s", s->name, (long long)s->n, plumb_status_text(status));
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
            plan_case(run, s, prec, 1);
        for (int32_t prec = PLUMB_D; bench_eval_plan[k].batch && prec <= PLUMB_QD; prec *= 2)
            plan_case(run, s, prec, run->quick ? QUICK_BATCH : BENCH_EVAL_BATCH);
    }
    return APP_OK;
}

static void fail_case(bench_eval_gpu_run *run, bench_eval_gpu_case *c, const char *why)
{
    (void)app_fail(command, "%s %lld, %s, %s: %s", c->of->name, (long long)c->of->n, plumb_prec_name(c->prec),
                   mode_of(c), why);
    run->failed = true;
}

/* A fast kernel with wrong results must not pass; a case that fails does not stop the others. */
static void measure(bench_eval_gpu_run *run)
{
    double start = bench_now_ns();
    app_stop_on_signals();
    for (int32_t i = 0; i < run->case_count; i++) {
        bench_eval_gpu_case *c = &run->cases[i];
        c->times.absent = app_stopped(); /* what was measured before is written */
        if (c->times.absent)
            continue;
        bench_progress("%s %lld, %s %s", c->of->name, (long long)c->of->n, plumb_prec_name(c->prec), mode_of(c));
        plumb_status status = bench_eval_gpu_measure(run, c);
        c->times.absent = status != PLUMB_OK;
        if (c->times.absent) {
            fail_case(run, c, bench_gpu_why(&run->on, status));
        } else if (!(c->times.error <= bench_eval_gpu_most_error(c->prec))) {
            fail_case(run, c, "results differ from the processor's");
        }
    }
    bench_progress_end();
    run->seconds = (bench_now_ns() - start) * 1e-9;
}

int bench_eval_gpu(const bench_options *o)
{
    bench_eval_gpu_run run = {.quick = o->quick, .commit = o->commit};
    int result = bench_gpu_open(command, PLUMB_BACKEND_GPU, o->isa, &run.on);
    if (result == APP_OK)
        result = plan(&run);
    if (result == APP_OK) {
        measure(&run);
        result = bench_write(command, o, write_json, print_table, &run);
        if (result == APP_OK && run.failed)
            result = APP_FAILED;
    }
    bench_gpu_close(&run.on);
    for (int32_t i = 0; i < run.system_count; i++)
        plumb_system_destroy(run.systems[i].system);
    free(run.systems);
    free(run.cases);
    return result;
}
