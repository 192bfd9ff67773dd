/* gpu_case.c - measures one case of `plumb bench eval --backend gpu`.
 *
 * Points, values and Jacobians stay on the GPU; evaluation k+1 runs after evaluation k on the same stream, into the same memory,
 * which is cleared before the last timing and compared with the processor's results after it. A batch repeats the points that
 * the processor has, and its last ones are compared. */
#include "bench/eval/gpu.h"

static const double short_us = 200, sequence_us = 1e6;
enum { QUICK_HOST = 16 };

typedef struct device_case {
    plumb_context *context;
    const plumb_system *system;
    plumb_view x, values, jacobians;
} device_case;

/* ---- On the GPU ---------------------------------------------------------------------------------------------- */

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

/* ---- On the processor ---------------------------------------------------------------------------------------- */

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

/* ---- Together ------------------------------------------------------------------------------------------------ */

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
    c->error = 0;
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
            if (!(error <= c->error))
                c->error = error;
        }
        plumb_array_destroy(run->on.gpu, &found);
    }
    return status;
}

/* Zeros where the results go: those of an earlier run do not pass for new ones. */
static plumb_status clear(bench_eval_gpu_run *run, device_case *d, const bench_eval_gpu_case *c)
{
    plumb_view *views[] = {&d->values, &d->jacobians};
    plumb_status status = PLUMB_OK;
    for (int k = 0; k < 2 && status == PLUMB_OK; k++) {
        plumb_view old = *views[k];
        plumb_array_destroy(run->on.gpu, views[k]);
        status = plumb_array_create(run->on.gpu, PLUMB_DEVICE, c->prec, PLUMB_COMPLEX, old.rows, old.cols, old.batch,
                                    views[k]);
    }
    return status;
}

static plumb_status measure_on_gpu(bench_eval_gpu_run *run, bench_eval_gpu_case *c, const bench_eval_case *host)
{
    device_case d;
    const bench_gpu_sequence sequence = {queue_evaluation, &d, run->quick, short_us, sequence_us};
    double us = (double)NAN;
    plumb_status status = device_create(run->on.gpu, c, host, &d);
    if (status == PLUMB_OK)
        status = bench_gpu_time_launched(&run->on, &sequence, &c->calls, &us);
    c->launch_us = c->us = us / (double)c->points;
    if (status == PLUMB_OK)
        status = clear(run, &d, c);
    if (status == PLUMB_OK && c->points == 1) /* where they cannot be recorded, the launches stand */
        c->replayed = bench_gpu_time_replayed(&run->on, &sequence, c->calls, &us);
    if (c->replayed)
        c->us = us;
    if (status == PLUMB_OK && !c->replayed)
        status = queue_evaluation(&d);
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
        status = time_on_cpu(run, run->on.one, &host, &c->cpu1_us);
    if (status == PLUMB_OK)
        status = time_on_cpu(run, run->on.all, &host, &c->cpuall_us);
    if (status == PLUMB_OK) { /* timing has moved the first point */
        host.x.data[0] = host.start;
        status = plumb_system_eval(run->on.all, c->of->system, &host.x, &host.values, &host.jacobians, NULL);
    }
    if (status == PLUMB_OK)
        status = measure_on_gpu(run, c, &host);
    c->floor_us = 1e6 * c->of->instructions[c->prec] / run->on.double_rate;
    bench_eval_case_destroy(run->on.all, &host);
    return status;
}
