/* gpu.c - times one case of the paper on the GPU: arrays are resident, runs follow one another on its stream.
 *
 * Solving and evaluating are timed by the lines of `bench lsq` and `bench eval`; QR without a right-hand side is only here. */
#include "bench/lsq/gpu.h"
#include "bench/paper/paper.h"

static const double short_us = 1000, sequence_us = 1.5e6;

double paper_most_error(const paper_case *c)
{
    return c->work == PAPER_EVAL ? bench_eval_gpu_most_error(c->prec) : bench_lsq_gpu_most_error(c->prec, c->n);
}

/* ---- QR ------------------------------------------------------------------------------------------------------ */

typedef struct device_qr {
    plumb_context *context;
    plumb_view a, q, r, outcome; /* outcome: room for a plumb_info */
} device_qr;

static plumb_status queue_qr(void *data)
{
    device_qr *d = data;
    return plumb_qr(d->context, &d->a, &d->q, &d->r, NULL, (plumb_info *)(void *)d->outcome.data, NULL, NULL);
}

static plumb_status create_all(plumb_context *context, int32_t where, const paper_case *c, device_qr *d)
{
    plumb_view *const views[] = {&d->a, &d->q, &d->r};
    plumb_status status = PLUMB_OK;
    for (int k = 0; k < 3 && status == PLUMB_OK; k++)
        status = plumb_array_create(context, where, c->prec, c->parts, c->n, c->n, 1, views[k]);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, where, PLUMB_D, PLUMB_REAL, 1, 1, 1, &d->outcome);
    d->context = context;
    return status;
}

static void destroy_all(device_qr *d)
{
    plumb_view *const views[] = {&d->a, &d->q, &d->r, &d->outcome};
    for (int k = 0; k < 4; k++)
        plumb_array_destroy(d->context, views[k]);
}

static plumb_status compare(const device_qr *device, device_qr *host, const device_qr *right, double *error)
{
    const plumb_view *const from[] = {&device->q, &device->r}, *const expected[] = {&right->q, &right->r};
    plumb_view *const to[] = {&host->q, &host->r};
    *error = 0;
    for (int k = 0; k < 2; k++) {
        double largest;
        plumb_status status = plumb_copy(device->context, from[k], to[k], NULL);
        if (status != PLUMB_OK)
            return status;
        double found = bench_gpu_difference(to[k], expected[k], &largest) / largest;
        if (!(found <= *error))
            *error = found;
    }
    return PLUMB_OK;
}

static plumb_status measure_qr(paper_run *run, paper_case *c)
{
    device_qr device = {0}, right = {0}, found = {0};
    bench_lsq_case problem = {.prec = c->prec, .parts = c->parts, .n = c->n, .systems = 1};
    const bench_gpu_sequence sequence = {queue_qr, &device, c->hurried, short_us, sequence_us};
    double us = (double)NAN;
    plumb_status status = bench_lsq_case_create(run->on.all, &problem);
    if (status == PLUMB_OK)
        status = create_all(run->on.gpu, PLUMB_DEVICE, c, &device);
    if (status == PLUMB_OK)
        status = create_all(run->on.all, PLUMB_HOST, c, &right);
    if (status == PLUMB_OK)
        status = create_all(run->on.gpu, PLUMB_HOST, c, &found);
    if (status == PLUMB_OK)
        status = plumb_copy(run->on.gpu, &problem.a, &device.a, NULL);
    if (status == PLUMB_OK)
        status = plumb_qr(run->on.all, &problem.a, &right.q, &right.r, NULL, NULL, NULL, NULL);
    if (status == PLUMB_OK)
        status = bench_gpu_time_launched(&run->on, &sequence, &c->gpu_runs, &us);
    if (status == PLUMB_OK && bench_gpu_time_replayed(&run->on, &sequence, c->gpu_runs, &c->us[PAPER_GPU]))
        us = fmin(us, c->us[PAPER_GPU]);
    c->us[PAPER_GPU] = us;
    if (status == PLUMB_OK)
        status = compare(&device, &found, &right, &c->gpu_error);
    destroy_all(&device);
    destroy_all(&right);
    destroy_all(&found);
    bench_lsq_case_destroy(run->on.all, &problem);
    return status;
}

/* ---- The others ---------------------------------------------------------------------------------------------- */

/* They time the processor too: one more round. */
static void keep(paper_case *c, const double *us, double error, int64_t calls)
{
    for (int how = 0; how < PAPER_HOWS; how++)
        c->us[how] = fmin(c->us[how], us[how]);
    c->gpu_error = error;
    c->gpu_runs = calls;
}

plumb_status paper_measure_gpu(paper_run *run, paper_case *c)
{
    plumb_status status;
    if (c->work == PAPER_QR)
        return measure_qr(run, c);
    if (c->work == PAPER_SOLVE) {
        bench_lsq_gpu_case solve = {.mode = GPU_SEQUENCE, .prec = c->prec, .n = c->n, .systems = 1};
        bench_lsq_gpu_run lsq = {.on = run->on, .cases = &solve, .case_count = 1, .quick = c->hurried};
        status = bench_lsq_gpu_measure(&lsq, &solve);
        keep(c, (double[]){solve.cpu1_us, solve.cpuall_us, solve.us}, solve.error, solve.solves);
    } else {
        bench_eval_gpu_case eval = {.of = &run->system, .prec = c->prec, .points = 1};
        bench_eval_gpu_run with = {.on = run->on, .systems = &run->system, .system_count = 1, .quick = c->hurried};
        status = bench_eval_gpu_measure(&with, &eval);
        keep(c, (double[]){eval.cpu1_us, eval.cpuall_us, eval.us}, eval.error, eval.calls);
    }
    return status;
}
