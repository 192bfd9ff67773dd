/* measure.c - reruns the experiments of the paper with fewer repetitions than its 10,000.
 *
 * On the processor a run is timed as in the other benchmarks: the smallest of a few samples, here taken in rounds over all
 * cases so that a slow moment of the machine does not affect one case alone. On a GPU the arrays are resident and runs follow one
 * another on its stream, 10,000 of them where they are short. */
#include "app/stop.h"
#include "bench/lsq/gpu.h"
#include "bench/paper/paper.h"

static const char command[] = "paper";

const char *const paper_work_names[PAPER_WORKS] = {"qr", "solve", "eval"};

enum { FULL_ROUNDS = 3, MOST_RECALIBRATED = 1024, PRECISIONS = 3 };

/* ---- The plan ------------------------------------------------------------------------------------------------ */

static paper_case *plan_case(paper_run *run, int32_t work, int32_t prec, int32_t parts, int64_t n)
{
    const double none = (double)NAN;
    paper_case *c = &run->cases[run->case_count++]; /* fewer than PAPER_MOST_CASES */
    *c = (paper_case){.work = work, .prec = prec, .parts = parts, .n = n, .us = {none, none, none}, .gpu_error = none};
    return c;
}

static void plan(paper_run *run)
{
#define SOLVE(limbs, size) {PAPER_PREC_##limbs, (size)},
    static const struct {
        int32_t prec, n;
    } solves[PAPER_SOLVES] = {PAPER_SOLVE_LIST(SOLVE)};
#undef SOLVE
    plan_case(run, PAPER_QR, PLUMB_D, PLUMB_REAL, PAPER_N); /* Table 1; the others are also the cases of Table 3 */
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        plan_case(run, PAPER_QR, prec, PLUMB_COMPLEX, PAPER_N);
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        plan_case(run, PAPER_EVAL, prec, PLUMB_COMPLEX, PAPER_N);
    for (int k = 0; k < PAPER_SOLVES; k++)
        if (solves[k].n <= run->most_n)
            plan_case(run, PAPER_SOLVE, solves[k].prec, PLUMB_COMPLEX, solves[k].n);
}

/* Does real d at n = 32 times the cube root of an overhead take as long as the arithmetic with that overhead at n = 32? The sizes
 * follow from what was measured. */
static void plan_recalibrated(paper_run *run)
{
    const double one = run->cases[0].us[PAPER_ONE_CORE];
    for (int k = 1; k <= PRECISIONS; k++) { /* the complex cases of QR, which come next */
        const double n = round(PAPER_N * cbrt(run->cases[k].us[PAPER_ONE_CORE] / one));
        if (n >= 1 && n <= MOST_RECALIBRATED)
            plan_case(run, PAPER_QR, PLUMB_D, PLUMB_REAL, (int64_t)n)->recalibrates = run->cases[k].prec;
    }
}

/* ---- On the processor ---------------------------------------------------------------------------------------- */

typedef struct qr_case {
    bench_lsq_case problem; /* its A */
    plumb_view q, r;
} qr_case;

static plumb_status factor(plumb_context *context, void *data)
{
    qr_case *c = data;
    return plumb_qr(context, &c->problem.a, &c->q, &c->r, NULL, c->problem.info, NULL, NULL);
}

static plumb_status solve(plumb_context *context, void *data)
{
    return bench_lsq_solve(context, data);
}

static plumb_status evaluate(plumb_context *context, void *data)
{
    return bench_eval_once(context, data);
}

static plumb_status time_both(paper_run *run, paper_case *c, bench_call call)
{
    plumb_context *const contexts[] = {run->on.one, run->on.all};
    for (int how = PAPER_ONE_CORE; how <= PAPER_ALL_CORES && call.status == PLUMB_OK; how++) {
        double us = (double)NAN;
        call.context = contexts[how];
        call.status = bench_gpu_time_cpu(&call, c->hurried, &us);
        c->us[how] = fmin(c->us[how], us); /* over all rounds; fmin ignores a NaN */
    }
    return call.status;
}

static plumb_status measure_cpu(paper_run *run, paper_case *c)
{
    qr_case qr = {.problem = {.prec = c->prec, .parts = c->parts, .n = c->n, .systems = 1}};
    bench_eval_case eval = {.of = &run->system, .prec = c->prec, .points = 1};
    plumb_context *context = run->on.all;
    plumb_status status = PLUMB_OK;
    if (c->work == PAPER_EVAL) {
        status = bench_eval_case_create(context, &eval);
        if (status == PLUMB_OK)
            status = time_both(run, c, (bench_call){evaluate, NULL, &eval, PLUMB_OK});
        bench_eval_case_destroy(context, &eval);
        return status;
    }
    status = bench_lsq_case_create(context, &qr.problem);
    if (status == PLUMB_OK && c->work == PAPER_QR) {
        status = plumb_array_create(context, PLUMB_HOST, c->prec, c->parts, c->n, c->n, 1, &qr.q);
        if (status == PLUMB_OK)
            status = plumb_array_create(context, PLUMB_HOST, c->prec, c->parts, c->n, c->n, 1, &qr.r);
        if (status == PLUMB_OK)
            status = time_both(run, c, (bench_call){factor, NULL, &qr, PLUMB_OK});
    } else if (status == PLUMB_OK) {
        status = time_both(run, c, (bench_call){solve, NULL, &qr.problem, PLUMB_OK});
    }
    plumb_array_destroy(context, &qr.q);
    plumb_array_destroy(context, &qr.r);
    bench_lsq_case_destroy(context, &qr.problem);
    return status;
}

/* ---- On the GPU ----------------------------------------------------------------------------------------------- */

static const double short_us = 1000, sequence_us = 1.5e6;

static double most_error(const paper_case *c)
{
    return c->work == PAPER_EVAL ? bench_eval_gpu_most_error(c->prec) : bench_lsq_gpu_most_error(c->prec, c->n);
}

/* QR without a right-hand side; solving and evaluating are timed by the code of plumb-bench lsq and plumb-bench eval. */

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

/* They time the processor too, which counts as one more round. */
static void keep(paper_case *c, const bench_gpu_times *times)
{
    const double us[PAPER_HOWS] = {times->cpu1_us, times->cpuall_us, times->us};
    for (int how = 0; how < PAPER_HOWS; how++)
        c->us[how] = fmin(c->us[how], us[how]);
    c->gpu_error = times->error;
    c->gpu_runs = times->calls;
}

static plumb_status measure_gpu(paper_run *run, paper_case *c)
{
    plumb_status status;
    if (c->work == PAPER_QR)
        return measure_qr(run, c);
    if (c->work == PAPER_SOLVE) {
        bench_lsq_gpu_case solve = {
            .mode = GPU_SEQUENCE, .prec = c->prec, .n = c->n, .systems = 1, .times = bench_gpu_no_times};
        bench_lsq_gpu_run lsq = {.on = run->on, .cases = &solve, .case_count = 1, .quick = c->hurried};
        status = bench_lsq_gpu_measure(&lsq, &solve);
        keep(c, &solve.times);
    } else {
        bench_eval_gpu_case eval = {.of = &run->system, .prec = c->prec, .points = 1, .times = bench_gpu_no_times};
        bench_eval_gpu_run with = {.on = run->on, .systems = &run->system, .system_count = 1, .quick = c->hurried};
        status = bench_eval_gpu_measure(&with, &eval);
        keep(c, &eval.times);
    }
    return status;
}

/* ---- All of it ----------------------------------------------------------------------------------------------- */

static void say_progress(const char *what, const paper_case *c)
{
    bench_progress("%s: %s %s %s, n = %lld", what, c->parts == PLUMB_REAL ? "real" : "complex",
                   plumb_prec_name(c->prec), paper_work_names[c->work], (long long)c->n);
}

static bool is_late(const paper_run *run)
{
    return (bench_now_ns() - run->start_ns) * 1e-9 > run->budget;
}

static int measure_on_cpu(paper_run *run, int32_t first)
{
    for (int round = 0; round < (run->quick ? 1 : FULL_ROUNDS); round++)
        for (int32_t i = first; i < run->case_count; i++) {
            paper_case *c = &run->cases[i];
            const bool late = is_late(run);
            if ((late && round > 0) || app_stopped())
                continue;
            c->hurried = late;
            say_progress("processor", c);
            plumb_status status = measure_cpu(run, c);
            if (status != PLUMB_OK)
                return app_fail(command, "%s %s, n = %lld: %s", paper_work_names[c->work], plumb_prec_name(c->prec),
                                (long long)c->n, plumb_status_text(status));
        }
    return APP_OK;
}

/* A case that fails does not stop the others; a fast kernel with wrong results must not pass. */
static void measure_on_gpu(paper_run *run)
{
    for (int32_t i = 0; run->on.gpu != NULL && i < run->case_count; i++) {
        paper_case *c = &run->cases[i];
        if (app_stopped() || c->recalibrates != 0)
            continue;
        c->hurried = c->hurried || run->quick || is_late(run);
        say_progress("GPU", c);
        plumb_status status = measure_gpu(run, c);
        if (status == PLUMB_OK && c->gpu_error <= most_error(c))
            continue;
        run->failed = true;
        c->us[PAPER_GPU] = (double)NAN;
        (void)app_fail(command, "%s %s, n = %lld: %s", paper_work_names[c->work], plumb_prec_name(c->prec),
                       (long long)c->n,
                       status != PLUMB_OK ? bench_gpu_why(&run->on, status) : "results differ from the processor's");
    }
}

int paper_measure(paper_run *run, int64_t count)
{
    int result = APP_OK;
    run->start_ns = bench_now_ns();
    app_stop_on_signals();
    run->system = (bench_eval_system){.name = "paper", .n = PAPER_N};
    if (bench_eval_system_create(&run->system) != PLUMB_OK)
        return app_fail(command, "the paper's polynomial system could not be made");
    plan(run);
    const int32_t planned = run->case_count;
    result = measure_on_cpu(run, 0);
    if (result == APP_OK) {
        plan_recalibrated(run);
        result = measure_on_cpu(run, planned);
    }
    if (result == APP_OK) { /* before the GPU, whose cases are sampled quickly when time runs out */
        run->accuracy = (accuracy_run){.count = count, .seed = ACCURACY_SEED, .quick = run->quick};
        run->accuracy.threads = plumb_context_threads(run->on.all);
        result = accuracy_measure(command, run->on.one, &run->accuracy);
    }
    if (result == APP_OK)
        measure_on_gpu(run);
    bench_progress_end();
    run->seconds = (bench_now_ns() - run->start_ns) * 1e-9;
    return result;
}
