/* gpu.c - plumb-bench lsq --backend gpu: microseconds per solve on a GPU, compared with the processor and cuSOLVER.
 *
 * Cases are measured one after the other, each for a second or two: a GPU has no neighbours that would slow it down for a
 * while. [A b] stays on the device, and only x and the outcome are written: solve k+1 runs after solve k on the same stream,
 * into the same memory. x is overwritten with NaNs before the last timing and compared with the processor's x after it.
 * plumb-gpu-peers times cuSOLVER and cuBLAS in the same run; plumb-bench itself does not link them. */
#include "bench/lsq/gpu.h"

#include <stdlib.h>

#include "app/stop.h"
#include "backend/cpu/lsq/work.h"
#include "backend/cuda/lsq/plan.h"
#include "bench/common/machine.h"
#include "bench/common/peak.h"
#include "solver/context/context.h"

#define MODE_NAME(code, name) name,
static const char *const mode_names[GPU_MODES] = {BENCH_GPU_MODE_LIST(MODE_NAME)};
#undef MODE_NAME

static const char command[] = "lsq";

enum {
    MAX_CASES = 64,
    LEAST_REFINED_D = 1024, /* smaller problems in d are not refined */
    CPU_MOST = 2048         /* beyond, the processor would take minutes: x is compared with the exact solution */
};

/* ---- The plan ------------------------------------------------------------------------------------------------ */

static bool is_planned(const bench_options *o, int32_t mode, int32_t prec, int64_t n)
{
    if (mode == GPU_REFINED && prec == PLUMB_D && (o->n > 0 ? o->n : n) < LEAST_REFINED_D)
        return false;
    if (o->n > 0) /* one size: everything but a batch that would not fit */
        return n > 256 ? mode == GPU_LARGE || mode == GPU_REFINED : mode != GPU_LARGE && (mode != GPU_BATCH || n <= 64);
    if (o->quick && (n > 32 || (mode == GPU_BATCH && n > 16)))
        return false;
    switch (mode) {
    case GPU_SEQUENCE:
        return n <= 256;
    case GPU_COLUMNS:
        return n == 32;
    case GPU_REFINED:
        return n == 32 || n == 64 || n >= 512;
    case GPU_BATCH:
        return n == 16 || n == 32 || n == 64;
    default:
        return n > 256 && (n < 2048 || prec == PLUMB_D || (n == 2048 && prec == PLUMB_DD));
    }
}

static int plan(const bench_options *o, bench_lsq_gpu_run *run)
{
    static const int64_t sizes[] = {16, 32, 48, 64, 80, 128, 256, 512, 1024, 2048, 4096};
    const double none = (double)NAN;
    run->cases = calloc(MAX_CASES, sizeof *run->cases);
    if (run->cases == NULL)
        return app_fail(command, "out of memory");
    for (int32_t mode = 0; mode < GPU_MODES; mode++)
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
            for (size_t k = 0; k < (o->n > 0 ? 1 : sizeof sizes / sizeof sizes[0]); k++) {
                int64_t n = o->n > 0 ? o->n : sizes[k];
                if (!is_planned(o, mode, prec, n))
                    continue;
                if (run->case_count == MAX_CASES)
                    return app_fail(command, "too many cases");
                run->cases[run->case_count++] = (bench_lsq_gpu_case){.mode = mode,
                                                                     .prec = prec,
                                                                     .n = n,
                                                                     .systems = mode != GPU_BATCH ? 1
                                                                                : o->quick        ? GPU_BATCH_QUICK
                                                                                                  : GPU_BATCH_SYSTEMS,
                                                                     .cusolver_us = none,
                                                                     .cublas_batched_us = none,
                                                                     .times = bench_gpu_no_times};
            }
    return APP_OK;
}

/* ---- The floor -------------------------------------------------------------------------------------------------- */

/* How many instructions modified Gram-Schmidt on [A b] and back substitution take. Counting runs the method on a lane that
 * counts, which is slow, so it is done for small n only: the count is a polynomial of degree three in n, and four values
 * determine it. NaN without memory. */
enum { POINTS = 4 };

static double count_at(plumb_context *context, int32_t prec, int64_t n)
{
    lsq_work work;
    uint64_t state = BENCH_LSQ_SEED;
    int64_t flops = 0, others = 0;
    if (lsq_work_create(&context->cpu, prec, PLUMB_COMPLEX, n, n, 1, &work) != PLUMB_OK)
        return (double)NAN;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < work.job.all; j++)
            work.job.w[i * work.job.ld + j] = bench_uniform(&state) - 0.5;
    bench_count_mgs(prec, PLUMB_COMPLEX, &work.job, work.least, &flops, &others);
    lsq_work_destroy(&work);
    return (double)(flops + others);
}

static double instructions_of(plumb_context *context, int32_t prec, int64_t n)
{
    static const int64_t at[POINTS] = {4, 8, 12, 16};
    double sum = 0.0;
    for (int k = 0; k < POINTS; k++) {
        double term = count_at(context, prec, at[k]);
        for (int i = 0; i < POINTS; i++)
            if (i != k)
                term *= (double)(n - at[i]) / (double)(at[k] - at[i]);
        sum += term;
    }
    return sum;
}

double bench_lsq_gpu_most_error(int32_t prec, int64_t n)
{
    return 1e5 * (double)n * ldexp(1.0, 3 - 52 * prec); /* condition numbers of the systems stay below 10^5 */
}

/* ---- One case --------------------------------------------------------------------------------------------------- */

static const double short_us = 1000, sequence_us = 1.5e6;

/* Beyond, one core would take minutes. */
static int64_t one_core_most(int32_t prec)
{
    return prec == PLUMB_QD ? 256 : prec == PLUMB_DD ? 512 : 1024;
}

typedef struct device_case {
    plumb_context *context;
    plumb_view a, b, x, outcomes; /* on the device; outcomes: room for one plumb_info per system */
    plumb_view found;             /* x on the host */
    plumb_lsq_options options;
    bool batch;
} device_case;

/* On the GPU. */

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
    plumb_status status =
        plumb_array_create(context, PLUMB_HOST, c->prec, PLUMB_COMPLEX, c->n, 1, c->systems, &d->found);
    if (status != PLUMB_OK)
        return status;
    return plumb_array_create(context, PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, c->systems, &d->outcomes);
}

static void device_destroy(device_case *d)
{
    plumb_view *views[] = {&d->a, &d->b, &d->x, &d->outcomes, &d->found};
    for (int k = 0; k < 5; k++)
        plumb_array_destroy(d->context, views[k]);
}

/* Refinement may run on the processor, with copies there and back: that is no time of the GPU's. */
static plumb_status find_absent(bench_lsq_gpu_case *c, device_case *d)
{
    plumb_lsq_report report = {.backend = PLUMB_BACKEND_CPU};
    if (c->mode != GPU_REFINED || c->n > CPU_MOST) /* the report of a large problem takes long */
        return PLUMB_OK;
    plumb_status status = plumb_lsq(d->context, &d->a, &d->b, &d->x, NULL, NULL, &d->options, &report);
    c->times.absent = status == PLUMB_ERR_UNSUPPORTED || report.backend != PLUMB_BACKEND_GPU;
    return c->times.absent ? PLUMB_OK : status;
}

/* On the processor. */

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
    if (c->n > CPU_MOST) {
        for (int64_t k = 0; k < host->x.next; k++)
            host->x.data[k] = k < c->n ? 1.0 : 0.0; /* plane 0 */
        return PLUMB_OK;
    }
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
        status = time_on_cpu(run, run->on.one, &part, &c->times.cpu1_us);
    }
    return status == PLUMB_OK ? time_on_cpu(run, run->on.all, host, &c->times.cpuall_us) : status;
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
        if (other->n == c->n && (other->mode == GPU_BATCH) == batch && !other->times.absent) {
            c->cusolver_us = other->cusolver_us;
            c->cublas_batched_us = other->cublas_batched_us;
            return;
        }
    if (run->peers == NULL)
        return;
    if (batch) /* square: the number of systems stands in the place of m */
        c->cublas_batched_us = time_peer(run, c, "cublas_batched", c->systems);
    else
        c->cusolver_us = fmin(time_peer(run, c, "cusolver_qr", c->n), time_peer(run, c, "cusolver_gels", c->n));
}

/* NaNs where the solution goes: that of an earlier run is not taken for a new one. */
static plumb_status spoil(void *data)
{
    device_case *d = data;
    for (int64_t i = 0; i < d->found.batch * d->found.next; i++)
        d->found.data[i] = (double)NAN;
    return plumb_copy(d->context, &d->found, &d->x, NULL);
}

static plumb_status measure_on_gpu(bench_lsq_gpu_run *run, bench_lsq_gpu_case *c, const bench_lsq_case *host)
{
    device_case d;
    const bench_gpu_sequence sequence = {queue_solve, &d, run->quick, c->mode == GPU_BATCH ? 0 : short_us, sequence_us};
    const bool replay = c->mode != GPU_BATCH && c->n <= 256; /* refinement of larger problems waits */
    plumb_status status = device_create(run->on.gpu, c, host, &d);
    if (status == PLUMB_OK)
        status = find_absent(c, &d);
    if (status == PLUMB_OK && !c->times.absent) {
        status = bench_gpu_time_case(&run->on, &sequence, c->systems, replay, spoil, &c->times);
        if (status == PLUMB_OK)
            status = plumb_copy(run->on.gpu, &d.x, &d.found, NULL);
        if (status == PLUMB_OK) {
            double largest, worst = bench_gpu_difference(&d.found, &host->x, &largest);
            c->times.error = worst / largest;
        }
    }
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
        run->on.gpu->gpu.hooks.lsq_family = c->mode == GPU_COLUMNS ? MGS_COLUMNS : MGS_AUTO;
        status = measure_on_gpu(run, c, &host);
        run->on.gpu->gpu.hooks.lsq_family = MGS_AUTO;
    }
    if (status == PLUMB_OK && !c->times.absent) {
        if (c->mode != GPU_REFINED) /* another method, other instructions */
            c->times.floor_us = 1e6 * instructions_of(run->on.one, c->prec, c->n) / run->on.double_rate;
        ask_peers(run, c);
    }
    bench_lsq_case_destroy(run->on.all, &host);
    return status;
}

/* ---- Reporting ------------------------------------------------------------------------------------------------- */

static void print_case(FILE *out, const bench_lsq_gpu_case *c)
{
    const double times[] = {c->times.us,
                            c->times.launch_us,
                            c->times.cpu1_us,
                            c->times.cpuall_us,
                            c->mode == GPU_BATCH ? c->cublas_batched_us : c->cusolver_us,
                            c->times.floor_us};
    fprintf(out, "  %-8s %-2s %5lld", mode_names[c->mode], plumb_prec_name(c->prec), (long long)c->n);
    for (size_t k = 0; k < sizeof times / sizeof times[0]; k++)
        bench_gpu_print_time(out, times[k]);
    fprintf(out, " %8.0e\n", c->times.error);
}

/* ---- Quality up: at which n qd on the GPU takes less time than a rival in lower precision */

static bool is_one_system(const bench_lsq_gpu_case *c)
{
    return !c->times.absent && (c->mode == GPU_SEQUENCE || c->mode == GPU_LARGE);
}

/* The time of dd on one core, or of cuSOLVER, at the n of a case in qd; NaN if it was not measured. */
static double rival_us(const bench_lsq_gpu_run *run, const bench_lsq_gpu_case *c, bool cusolver)
{
    if (cusolver)
        return c->cusolver_us;
    for (int32_t i = 0; i < run->case_count; i++) {
        const bench_lsq_gpu_case *other = &run->cases[i];
        if (!other->times.absent && other->mode == c->mode && other->prec == PLUMB_DD && other->n == c->n)
            return other->times.cpu1_us;
    }
    return (double)NAN;
}

/* One line with all sizes at which it is faster, and those at which it is not. */
static void print_quality(const bench_lsq_gpu_run *run, FILE *out, const char *rival, bool cusolver)
{
    for (int faster = 1; faster >= 0; faster--) {
        int count = 0;
        for (int32_t i = 0; i < run->case_count; i++) {
            const bench_lsq_gpu_case *c = &run->cases[i];
            const double us = rival_us(run, c, cusolver);
            if (!is_one_system(c) || c->prec != PLUMB_QD || isnan(us) || (c->times.us < us) != (faster != 0))
                continue;
            if (count++ == 0)
                fprintf(out, faster ? "qd on the GPU takes less time than %s at n =" : "  but not less than %s at n =",
                        rival);
            fprintf(out, "%s %lld", count > 1 ? "," : "", (long long)c->n);
        }
        if (count > 0)
            fputs("\n", out);
        else if (faster) {
            fprintf(out, "qd on the GPU takes less time than %s at no n measured\n", rival);
            return;
        }
    }
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

static void print_table(const void *data, FILE *out)
{
    const bench_lsq_gpu_run *run = data;
    bench_machine m = bench_machine_now();
    fprintf(out,
            "plumb %s on %s, and on %s (%s, %d cores): complex least squares, microseconds per system\n"
            "  %-8s %-2s %5s %10s %10s %10s %10s %10s %10s %8s\n",
            plumb_version(), run->on.device.name, m.cpu, plumb_context_isa(run->on.one), m.cores, "", "", "n", "gpu",
            "launched", "one core", "all cores", "cuSOLVER d", "floor", "error");
    int32_t mode = GPU_SEQUENCE;
    for (int32_t i = 0; i < run->case_count; i++) {
        if (run->cases[i].times.absent)
            continue;
        if (run->cases[i].mode != mode)
            fprintf(out, "\n");
        mode = run->cases[i].mode;
        print_case(out, &run->cases[i]);
    }
    fprintf(out, "\n");
    print_quality(run, out, "dd on one core", false);
    if (run->peers != NULL)
        print_quality(run, out, "cuSOLVER in d", true);
    fprintf(out,
            "\ngpu: replayed from a CUDA graph; batches and large systems launched one by one. cuSOLVER d: Householder "
            "QR in d;\n"
            "for batches, elimination by cuBLAS. floor: instructions over %.1f 10^12 per second. error: of x, relative "
            "to the\n"
            "processor's x. The run took %.0f s.\n",
            1e-12 * run->on.double_rate, run->seconds);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------- */

static void write_case(json_writer *w, const bench_lsq_gpu_case *c)
{
    json_open_object(w, NULL);
    json_int(w, "n", c->n);
    json_string(w, "precision", plumb_prec_name(c->prec));
    json_string(w, "kind", "complex");
    json_string(w, "mode", mode_names[c->mode]);
    json_int(w, "systems", c->systems);
    bench_gpu_json_times(w, &c->times);
    bench_gpu_json_number(w, "cusolver_us", c->cusolver_us);
    bench_gpu_json_number(w, "cublas_batched_us", c->cublas_batched_us);
    json_close_object(w);
}

static void write_json(const void *data, FILE *out)
{
    const bench_lsq_gpu_run *run = data;
    json_writer w = bench_gpu_json_begin(out, "lsq", run->commit, &run->on);
    json_int(&w, "seed", BENCH_LSQ_SEED);
    json_bool(&w, "quick", run->quick);
    json_double(&w, "seconds", bench_rounded(run->seconds));
    json_open_array(&w, "results");
    for (int32_t i = 0; i < run->case_count; i++)
        if (!run->cases[i].times.absent)
            write_case(&w, &run->cases[i]);
    json_close_array(&w);
    bench_json_end(&w);
}

/* ---- The command --------------------------------------------------------------------------------------------- */

static void measure(bench_lsq_gpu_run *run)
{
    double start = bench_now_ns();
    app_stop_on_signals();
    for (int32_t i = 0; i < run->case_count; i++) {
        bench_lsq_gpu_case *c = &run->cases[i];
        if (app_stopped()) { /* what was measured before is written */
            c->times.absent = true;
            continue;
        }
        bench_progress("%s %s, n = %lld", mode_names[c->mode], plumb_prec_name(c->prec), (long long)c->n);
        plumb_status status = bench_lsq_gpu_measure(run, c);
        if (status != PLUMB_OK) { /* the other cases still count */
            (void)app_fail(command, "%s %s, n = %lld: %s", mode_names[c->mode], plumb_prec_name(c->prec),
                           (long long)c->n, bench_gpu_why(&run->on, status));
            c->times.absent = run->failed = true;
        }
    }
    bench_progress_end();
    run->seconds = (bench_now_ns() - start) * 1e-9;
}

/* A fast kernel with wrong results must not pass. */
static int judge(const bench_lsq_gpu_run *run)
{
    int result = run->failed ? APP_FAILED : APP_OK;
    for (int32_t i = 0; i < run->case_count; i++) {
        const bench_lsq_gpu_case *c = &run->cases[i];
        if (!c->times.absent && !(c->times.error <= bench_lsq_gpu_most_error(c->prec, c->n)))
            result = app_fail(command, "%s %s, n = %lld: x differs from the processor's by %.1e", mode_names[c->mode],
                              plumb_prec_name(c->prec), (long long)c->n, c->times.error);
    }
    return result;
}

int bench_lsq_gpu(const bench_options *o)
{
    bench_lsq_gpu_run run = {.quick = o->quick, .commit = o->commit};
    int result = bench_gpu_open(command, PLUMB_BACKEND_GPU, o->isa, &run.on);
    if (result == APP_OK)
        result = plan(o, &run);
    if (result == APP_OK)
        result = bench_peers_open(command, o, "plumb-gpu-peers", NULL, NULL, &run.peers);
    if (result == APP_OK) {
        measure(&run);
        const int judged = judge(&run);
        result = bench_write(command, o, write_json, print_table, &run);
        result = result == APP_OK ? judged : result;
    }
    bench_peers_stop(run.peers);
    bench_gpu_close(&run.on);
    free(run.cases);
    return result;
}
