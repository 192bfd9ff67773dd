/* gpu_case.c - measures one case of `plumb bench lsq --backend gpu`.
 *
 * On the GPU [A b] is resident and only x and the outcome are written: solve k+1 runs after solve k on the same stream, into the
 * same memory. x is overwritten with NaNs before the last timing and compared with the processor's after it. */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/lsq/plan.h"
#include "bench/lsq/gpu.h"
#include "solver/context/context.h"

static const double short_us = 1000, sequence_us = 1.5e6;

/* Beyond, one core would take minutes. */
static int64_t one_core_most(int32_t prec)
{
    return prec == PLUMB_QD ? 256 : prec == PLUMB_DD ? 512 : 1024;
}

typedef struct device_case {
    plumb_context *context;
    plumb_view a, b, x, outcomes; /* outcomes: room for a plumb_info a system */
    plumb_lsq_options options;
    bool batch;
} device_case;

/* ---- On the GPU ---------------------------------------------------------------------------------------------- */

static plumb_status queue_solve(void *data)
{
    device_case *d = data;
    plumb_info *info = (plumb_info *)(void *)d->outcomes.data;
    if (d->batch)
        return plumb_lsq_batch(d->context, &d->a, &d->b, &d->x, NULL, info, &d->options);
    return plumb_lsq(d->context, &d->a, &d->b, &d->x, NULL, info, &d->options, NULL);
}

static plumb_status device_create(plumb_context *context, const bench_lsq_gpu_case *c, const bench_lsq_case *host,
                                  device_case *d)
{
    const plumb_view *from[] = {&host->a, &host->b, &host->x};
    *d = (device_case){.context = context, .batch = c->mode == GPU_BATCH};
    plumb_view *to[] = {&d->a, &d->b, &d->x};
    plumb_lsq_options_init(&d->options);
    if (c->mode == GPU_REFINED)
        d->options.method = PLUMB_METHOD_REFINED;
    for (int k = 0; k < 3; k++) {
        plumb_status status = plumb_array_create(context, PLUMB_DEVICE, c->prec, PLUMB_COMPLEX, from[k]->rows,
                                                 from[k]->cols, c->systems, to[k]);
        if (status == PLUMB_OK && to[k] != &d->x)
            status = plumb_copy(context, from[k], to[k], NULL);
        if (status != PLUMB_OK)
            return status;
    }
    return plumb_array_create(context, PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, c->systems, &d->outcomes);
}

static void device_destroy(device_case *d)
{
    plumb_view *views[] = {&d->a, &d->b, &d->x, &d->outcomes};
    for (int k = 0; k < 4; k++)
        plumb_array_destroy(d->context, views[k]);
}

/* Refinement may run on the processor, with copies there and back: that is no time of the GPU's. */
static plumb_status find_absent(bench_lsq_gpu_case *c, device_case *d)
{
    plumb_lsq_report report;
    plumb_lsq_report_init(&report);
    if (c->mode != GPU_REFINED)
        return PLUMB_OK;
    plumb_status status = plumb_lsq(d->context, &d->a, &d->b, &d->x, NULL, NULL, &d->options, &report);
    c->absent = status == PLUMB_ERR_UNSUPPORTED || report.backend != PLUMB_BACKEND_GPU;
    return c->absent ? PLUMB_OK : status;
}

/* ---- On the processor ---------------------------------------------------------------------------------------- */

static plumb_status solve(plumb_context *context, void *host)
{
    return bench_lsq_solve(context, host);
}

static plumb_status time_on_cpu(const bench_lsq_gpu_run *run, plumb_context *context, bench_lsq_case *host, double *us)
{
    bench_call call = {solve, context, host, PLUMB_OK};
    plumb_status status = bench_gpu_time_cpu(&call, run->quick, us);
    *us /= (double)host->a.batch;
    return status;
}

/* One core gets a part of a batch. All cores run last: their x is the one to compare with. */
static plumb_status solve_on_cpu(const bench_lsq_gpu_run *run, bench_lsq_gpu_case *c, bench_lsq_case *host)
{
    if (c->mode == GPU_COLUMNS)
        return bench_lsq_solve(run->on.all, host);
    plumb_status status = PLUMB_OK;
    if (c->n <= one_core_most(c->prec)) {
        bench_lsq_case part = *host;
        if (c->systems > GPU_BATCH_ONE_CORE) {
            plumb_view *views[] = {&part.a, &part.b, &part.x, &part.residual};
            for (int k = 0; k < 4; k++)
                views[k]->batch = GPU_BATCH_ONE_CORE;
            part.systems = GPU_BATCH_ONE_CORE;
        }
        status = time_on_cpu(run, run->on.one, &part, &c->cpu1_us);
    }
    return status == PLUMB_OK ? time_on_cpu(run, run->on.all, host, &c->cpuall_us) : status;
}

/* ---- Together ------------------------------------------------------------------------------------------------ */

static void fill_with_nan(const plumb_view *x)
{
    for (int64_t i = 0; i < x->batch * x->next; i++)
        x->data[i] = (double)NAN;
}

/* Microseconds of a peer whose x is right; NaN otherwise. */
static double time_peer(const bench_lsq_gpu_run *run, const bench_lsq_gpu_case *c, const char *peer, int64_t m)
{
    const bench_peers_problem problem = {peer, "d", "complex", m, c->n, BENCH_LSQ_SEED};
    if (!(bench_peers_solve_error(run->peers, &problem) <= bench_lsq_gpu_most_error(PLUMB_D, c->n)))
        return (double)NAN;
    return 1e-3 * bench_peers_time_solve(run->peers, &problem, run->quick ? 1e7 : 5e8);
}

static void ask_peers(const bench_lsq_gpu_run *run, bench_lsq_gpu_case *c)
{
    const bool batch = c->mode == GPU_BATCH;
    for (const bench_lsq_gpu_case *other = run->cases; other < c; other++) /* d serves every precision */
        if (other->n == c->n && (other->mode == GPU_BATCH) == batch && !other->absent) {
            c->cusolver_us = other->cusolver_us;
            c->cublas_batched_us = other->cublas_batched_us;
            return;
        }
    if (run->peers == NULL)
        return;
    if (batch) /* square: the place of m tells how many */
        c->cublas_batched_us = time_peer(run, c, "cublas_batched", c->systems);
    else
        c->cusolver_us = fmin(time_peer(run, c, "cusolver_qr", c->n), time_peer(run, c, "cusolver_gels", c->n));
}

static plumb_status measure_on_gpu(bench_lsq_gpu_run *run, bench_lsq_gpu_case *c, const bench_lsq_case *host)
{
    device_case d;
    const bench_gpu_sequence sequence = {queue_solve, &d, run->quick, c->mode == GPU_BATCH ? 0 : short_us, sequence_us};
    double us = 0;
    plumb_view x = {0};
    plumb_status status = device_create(run->on.gpu, c, host, &d);
    if (status == PLUMB_OK)
        status = find_absent(c, &d);
    if (status != PLUMB_OK || c->absent)
        goto done;
    status = plumb_array_create(run->on.gpu, PLUMB_HOST, c->prec, PLUMB_COMPLEX, c->n, 1, c->systems, &x);
    if (status == PLUMB_OK)
        status = bench_gpu_time_launched(&run->on, &sequence, &c->solves, &us);
    if (status != PLUMB_OK)
        goto done;
    c->launch_us = c->us = us / (double)c->systems;
    fill_with_nan(&x);
    status = plumb_copy(run->on.gpu, &x, &d.x, NULL);
    if (status == PLUMB_OK && c->mode != GPU_BATCH && c->mode != GPU_LARGE) /* where not recorded, the launches stand */
        c->replayed = bench_gpu_time_replayed(&run->on, &sequence, c->solves, &us);
    if (c->replayed)
        c->us = us;
    if (status == PLUMB_OK && !c->replayed)
        status = queue_solve(&d);
    if (status == PLUMB_OK)
        status = plumb_copy(run->on.gpu, &d.x, &x, NULL);
    if (status == PLUMB_OK) {
        double largest, worst = bench_gpu_difference(&x, &host->x, &largest);
        c->error = worst / largest;
    }
done:
    plumb_array_destroy(run->on.gpu, &x);
    device_destroy(&d);
    return status;
}

plumb_status bench_lsq_gpu_measure(bench_lsq_gpu_run *run, bench_lsq_gpu_case *c)
{
    bench_lsq_case host = {.mode = c->mode == GPU_BATCH     ? LSQ_BATCH
                                   : c->mode == GPU_REFINED ? LSQ_REFINED
                                                            : LSQ_ONE,
                           .prec = c->prec,
                           .parts = PLUMB_COMPLEX,
                           .n = c->n,
                           .systems = c->systems};
    plumb_status status = bench_lsq_case_create(run->on.all, &host);
    if (status == PLUMB_OK)
        status = solve_on_cpu(run, c, &host);
    if (status == PLUMB_OK) {
        run->on.gpu->gpu.lsq_regime = c->mode == GPU_COLUMNS ? MGS_COLUMNS : MGS_AUTO;
        status = measure_on_gpu(run, c, &host);
        run->on.gpu->gpu.lsq_regime = MGS_AUTO;
    }
    if (status == PLUMB_OK && !c->absent) {
        if (c->mode != GPU_REFINED) /* another method, other instructions */
            c->floor_us = 1e6 * bench_lsq_gpu_instructions(run->on.one, c->prec, c->n) / run->on.double_rate;
        ask_peers(run, c);
    }
    bench_lsq_case_destroy(run->on.all, &host);
    return status;
}
