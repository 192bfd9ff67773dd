/* measure.c - times Newton steps, evaluation alone and least squares alone, on a GPU and on the processor.
 *
 * On the GPU, x, values and Jacobians stay on the device, and each call follows the last one on the same stream. */
#include <math.h>

#include "base/call/message.h"
#include "bench/newton/newton.h"
#include "solver/context/context.h"

static const double short_us = 30, sequence_us = 4e5;

/* The sequence begins at the leading limbs of the root times this factor. */
static const double begin_at = 1.0 + 0x1p-10;

/* Everything a call needs, on the host or on the device. */
typedef struct newton_arrays {
    plumb_context *context;
    const plumb_system *system;
    plumb_view x, values, jacobians, corrections, info;
} newton_arrays;

static plumb_status make_arrays(plumb_context *context, const plumb_system *system, int32_t where, int32_t prec,
                                newton_arrays *a)
{
    const int64_t n = plumb_system_unknowns(system);
    *a = (newton_arrays){.context = context, .system = system};
    plumb_view *const views[] = {&a->x, &a->values, &a->jacobians, &a->corrections};
    plumb_status status = plumb_array_create(context, where, PLUMB_D, PLUMB_REAL, 1, 1, 1, &a->info);
    for (int k = 0; k < 4 && status == PLUMB_OK; k++)
        status = plumb_array_create(context, where, prec, PLUMB_COMPLEX, n, k == 2 ? n : 1, 1, views[k]);
    return status;
}

static void destroy_arrays(newton_arrays *a)
{
    plumb_view *const views[] = {&a->x, &a->values, &a->jacobians, &a->corrections, &a->info};
    for (size_t k = 0; k < sizeof views / sizeof views[0]; k++)
        plumb_array_destroy(a->context, views[k]);
}

/* ---- The calls ------------------------------------------------------------------------------------------------ */

static plumb_status step(void *data)
{
    newton_arrays *a = data;
    return plumb_newton_step(a->context, a->system, &a->x, NULL, (plumb_info *)(void *)a->info.data, NULL);
}

static plumb_status evaluate(void *data)
{
    newton_arrays *a = data;
    return plumb_system_eval(a->context, a->system, &a->x, &a->values, &a->jacobians, NULL);
}

static plumb_status solve(void *data)
{
    newton_arrays *a = data;
    plumb_lsq_options options;
    plumb_lsq_options_init(&options);
    return plumb_lsq_batch(a->context, &a->jacobians, &a->values, &a->corrections, NULL,
                           (plumb_info *)(void *)a->info.data, &options);
}

/* The same call for the timer of the processor. */
typedef struct cpu_call {
    plumb_status (*work)(void *data);
    newton_arrays *arrays;
} cpu_call;

static plumb_status call_on_cpu(plumb_context *context, void *data)
{
    cpu_call *c = data;
    c->arrays->context = context;
    return c->work(c->arrays);
}

static plumb_status time_cpu(plumb_context *context, plumb_status (*work)(void *data), newton_arrays *a, bool quick,
                             double *us)
{
    plumb_context *owner = a->context;
    cpu_call c = {work, a};
    bench_call call = {call_on_cpu, context, &c, PLUMB_OK};
    plumb_status status = bench_gpu_time_cpu(&call, quick, us);
    a->context = owner;
    return status;
}

/* ---- One precision --------------------------------------------------------------------------------------------- */

/* The distance of x from the root; more than rounding explains is a failure. */
static plumb_status compare(plumb_context *context, const plumb_view *x, const plumb_view *root, bench_newton_row *row)
{
    double largest;
    const double distance = bench_gpu_difference(x, root, &largest), most = 1e6 * ldexp(1.0, -52 * x->prec);
    row->error = distance / largest;
    if (row->error <= most)
        return PLUMB_OK;
    return plumb_say(PLUMB_ERR_DEVICE, context->message, sizeof context->message,
                     "Newton steps in %s end %.1e from the root", plumb_prec_name(x->prec), row->error);
}

static plumb_status time_gpu(const bench_gpu_machines *on, plumb_status (*work)(void *data), newton_arrays *a,
                             bool quick, int64_t *calls, double *launched, double *replayed, bool *recorded)
{
    const bench_gpu_sequence sequence = {work, a, quick, short_us, sequence_us};
    plumb_status status = bench_gpu_time_launched(on, &sequence, calls, launched);
    *replayed = *launched;
    if (status == PLUMB_OK && !(*recorded = bench_gpu_time_replayed(on, &sequence, *calls, replayed)))
        *replayed = *launched; /* calls that cannot be recorded keep the time of launches */
    return status;
}

static plumb_status measure_gpu(const bench_gpu_machines *on, const plumb_system *system, const plumb_view *start,
                                const plumb_view *root, bool quick, bench_newton_row *row)
{
    newton_arrays a;
    plumb_view found = {0};
    int64_t calls;
    double unused;
    bool recorded;
    plumb_status status = make_arrays(on->gpu, system, PLUMB_DEVICE, row->prec, &a);
    if (status == PLUMB_OK)
        status = plumb_array_create(on->gpu, PLUMB_HOST, row->prec, PLUMB_COMPLEX, root->rows, 1, 1, &found);
    if (status == PLUMB_OK)
        status = plumb_copy(on->gpu, start, &a.x, NULL);
    if (status == PLUMB_OK)
        status = time_gpu(on, step, &a, quick, &row->calls, &row->launch_us, &row->us, &row->replayed);
    if (status == PLUMB_OK)
        status = plumb_copy(on->gpu, &a.x, &found, NULL);
    if (status == PLUMB_OK)
        status = compare(on->gpu, &found, root, row);
    if (status == PLUMB_OK)
        status = plumb_copy(on->gpu, start, &a.x, NULL); /* at the root there is nothing to solve for */
    if (status == PLUMB_OK)
        status = time_gpu(on, evaluate, &a, quick, &calls, &unused, &row->eval_us, &recorded);
    if (status == PLUMB_OK)
        status = time_gpu(on, solve, &a, quick, &calls, &unused, &row->lsq_us, &recorded);
    plumb_array_destroy(on->gpu, &found);
    destroy_arrays(&a);
    return status;
}

static plumb_status measure_cpu(const bench_gpu_machines *on, const plumb_system *system, const plumb_view *start,
                                const plumb_view *root, bool quick, bench_newton_row *row)
{
    newton_arrays a;
    plumb_status status = make_arrays(on->all, system, PLUMB_HOST, row->prec, &a);
    if (status == PLUMB_OK)
        status = plumb_copy(on->all, start, &a.x, NULL);
    if (status == PLUMB_OK)
        status = time_cpu(on->one, step, &a, quick, &row->cpu1_us);
    for (int k = 0; k < 8 && status == PLUMB_OK; k++) /* a short timing may end before x has converged */
        status = step(&a);
    if (status == PLUMB_OK)
        status = time_cpu(on->all, step, &a, quick, &row->cpuall_us);
    if (status == PLUMB_OK && !on->gpu) {
        row->us = row->cpu1_us;
        status = compare(on->all, &a.x, root, row);
        if (status == PLUMB_OK)
            status = plumb_copy(on->all, start, &a.x, NULL);
        if (status == PLUMB_OK)
            status = time_cpu(on->one, evaluate, &a, quick, &row->eval_us);
        if (status == PLUMB_OK)
            status = time_cpu(on->one, solve, &a, quick, &row->lsq_us);
    }
    destroy_arrays(&a);
    return status;
}

static plumb_status measure(const bench_gpu_machines *on, const plumb_system *system, const plumb_view *exact,
                            bool quick, bench_newton_row *row)
{
    plumb_view root = {0}, start = {0};
    plumb_status status = plumb_array_create(on->all, PLUMB_HOST, row->prec, PLUMB_COMPLEX, exact->rows, 1, 1, &root);
    if (status == PLUMB_OK)
        status = plumb_array_create(on->all, PLUMB_HOST, row->prec, PLUMB_COMPLEX, exact->rows, 1, 1, &start);
    if (status == PLUMB_OK)
        status = plumb_copy(on->all, exact, &root, NULL);
    for (int32_t part = 0; part < 2 && status == PLUMB_OK; part++)
        for (int64_t i = 0; i < root.rows; i++)
            start.data[part * row->prec * start.plane + i] = begin_at * root.data[part * row->prec * root.plane + i];
    if (status == PLUMB_OK)
        status = measure_cpu(on, system, &start, &root, quick, row);
    if (status == PLUMB_OK && on->gpu)
        status = measure_gpu(on, system, &start, &root, quick, row);
    plumb_array_destroy(on->all, &root);
    plumb_array_destroy(on->all, &start);
    return status;
}

plumb_status bench_newton_measure(const bench_gpu_machines *on, bool quick, bench_newton_row rows[BENCH_NEWTON_ROWS])
{
    const double none = (double)NAN;
    plumb_system *system = NULL;
    plumb_view root = {0};
    for (int k = 0; k < BENCH_NEWTON_ROWS; k++)
        rows[k] = (bench_newton_row){.prec = 1 << k,
                                     .n = BENCH_NEWTON_N,
                                     .us = none,
                                     .launch_us = none,
                                     .eval_us = none,
                                     .lsq_us = none,
                                     .cpu1_us = none,
                                     .cpuall_us = none,
                                     .error = none};
    plumb_status status = bench_newton_system(on->all, BENCH_NEWTON_N, &system, &root);
    for (int k = 0; k < BENCH_NEWTON_ROWS && status == PLUMB_OK; k++) {
        bench_progress("Newton steps, n = %d, %s", BENCH_NEWTON_N, plumb_prec_name(rows[k].prec));
        status = measure(on, system, &root, quick, &rows[k]);
    }
    bench_progress_end();
    plumb_array_destroy(on->all, &root);
    plumb_system_destroy(system);
    return status;
}
