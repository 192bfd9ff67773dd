/* measure.c - reruns the experiments of the paper with fewer repetitions than its 10,000.
 *
 * On the processor a run is timed as everywhere in `plumb bench`: the least of a few samples, here taken in rounds over all
 * cases so that a slow moment of the machine does not stay with one of them. On a GPU runs follow one another on its stream,
 * 10,000 of them where they are short. */
#include <stdlib.h>

#include "app/app.h"
#include "bench/lsq/lsq.h"
#include "bench/paper/paper.h"

static const char command[] = "bench paper";

const char *const paper_work_names[PAPER_WORKS] = {"qr", "solve", "eval"};
const char *const paper_how_keys[PAPER_HOWS] = {"cpu1_us", "cpuall_us", "gpu_us"};

enum { FULL_ROUNDS = 3, MOST_RECALIBRATED = 1024 };

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
    for (int k = 0; k < PAPER_OVERHEADS; k++) /* also the cases of Table 3 */
        plan_case(run, PAPER_QR, paper_table1[k].prec, paper_table1[k].parts, PAPER_N);
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        plan_case(run, PAPER_EVAL, prec, PLUMB_COMPLEX, PAPER_N);
    for (int k = 0; k < PAPER_D_SIZES; k++)
        if (paper_table4[k].n <= run->most_n)
            plan_case(run, PAPER_SOLVE, PLUMB_D, PLUMB_COMPLEX, paper_table4[k].n);
    for (int k = 0; k < 2 * PAPER_DD_SIZES; k++)
        if (paper_table5[k].n <= run->most_n)
            plan_case(run, PAPER_SOLVE, paper_table5[k].prec, PLUMB_COMPLEX, paper_table5[k].n);
}

/* Is real d at 32 times the cube root of an overhead as long as that overhead? The sizes follow from what was measured. */
static void plan_recalibrated(paper_run *run)
{
    const double one = run->cases[0].us[PAPER_ONE_CORE];
    for (int k = 1; k < PAPER_OVERHEADS; k++) {
        const double n = round(PAPER_N * cbrt(run->cases[k].us[PAPER_ONE_CORE] / one));
        if (n >= 1 && n <= MOST_RECALIBRATED)
            plan_case(run, PAPER_QR, PLUMB_D, PLUMB_REAL, (int64_t)n)->recalibrates = paper_table1[k].prec;
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
        c->us[how] = fmin(c->us[how], us); /* of rounds; a NaN gives way */
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
            if (late && round > 0)
                continue;
            c->hurried = late;
            say_progress("processor", c);
            plumb_status status = measure_cpu(run, c);
            if (status != PLUMB_OK)
                return cli_fail(command, "%s %s, n = %lld: %s", paper_work_names[c->work], plumb_prec_name(c->prec),
                                (long long)c->n, plumb_status_text(status));
        }
    return CLI_OK;
}

/* A case that fails does not stop the others; a fast kernel that is wrong must not pass. */
static void measure_on_gpu(paper_run *run)
{
    for (int32_t i = 0; run->on.gpu != NULL && i < run->case_count; i++) {
        paper_case *c = &run->cases[i];
        c->hurried = c->hurried || run->quick || is_late(run);
        say_progress("GPU", c);
        plumb_status status = c->recalibrates == 0 ? paper_measure_gpu(run, c) : PLUMB_OK;
        if (status == PLUMB_OK && (c->recalibrates != 0 || c->gpu_error <= paper_most_error(c)))
            continue;
        run->failed = true;
        c->us[PAPER_GPU] = (double)NAN;
        (void)cli_fail(command, "%s %s, n = %lld: %s", paper_work_names[c->work], plumb_prec_name(c->prec),
                       (long long)c->n,
                       status != PLUMB_OK ? bench_gpu_why(&run->on, status) : "results differ from the processor's");
    }
}

static bool has_gpu(void)
{
    plumb_device_info info;
    return plumb_device_count(NULL, 0) > 0 && plumb_device_query(0, &info) == PLUMB_OK && info.usable != 0;
}

static int open_machines(paper_run *run, int32_t backend, const char *isa)
{
    plumb_context_options options;
    if (backend == PLUMB_BACKEND_GPU || (backend == PLUMB_BACKEND_AUTO && has_gpu()))
        return bench_gpu_open(command, isa, &run->on);
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    options.isa = isa;
    int result = cli_context_create(command, &options, &run->on.all);
    options.threads = 1;
    return result == CLI_OK ? cli_context_create(command, &options, &run->on.one) : result;
}

int paper_measure(paper_run *run, int32_t backend, const char *isa, int64_t count)
{
    run->start_ns = bench_now_ns();
    run->system = (bench_eval_system){.name = "paper", .n = PAPER_N};
    int result = open_machines(run, backend, isa);
    if (result == CLI_OK && bench_eval_system_create(&run->system) != PLUMB_OK)
        result = cli_fail(command, "the paper's polynomial system could not be made");
    plan(run);
    const int32_t planned = run->case_count;
    if (result == CLI_OK)
        result = measure_on_cpu(run, 0);
    if (result == CLI_OK) {
        plan_recalibrated(run);
        result = measure_on_cpu(run, planned);
    }
    if (result == CLI_OK) { /* before the GPU, whose cases can be hurried when time runs out */
        run->accuracy = (accuracy_run){.count = count, .seed = ACCURACY_SEED, .quick = run->quick};
        run->accuracy.threads = plumb_context_threads(run->on.all);
        result = accuracy_measure(command, run->on.one, &run->accuracy);
    }
    if (result == CLI_OK)
        measure_on_gpu(run);
    bench_progress_end();
    run->seconds = (bench_now_ns() - run->start_ns) * 1e-9;
    return result;
}
