/* gpu.c - see gpu.h. */
#include "bench/common/gpu.h"

#include "app/report.h"
#include "solver/context/context.h"

enum { LEAST_CALLS = 20, QUICK_LEAST = 2, QUICK_MOST = 1000, GRAPH_PIECES = 100, CPU_SAMPLES = 5 };
static const double quick_us = 2e4;
static const double cpu_long_ns = 2e8, cpu_sample_ns = 2e7, cpu_quick_ns = 1e6;

/* ---- Machines ------------------------------------------------------------------------------------------------ */

static int open_gpu(const char *command, bench_gpu_machines *on)
{
    plumb_context_options options;
    machine *m = NULL;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_GPU;
    int result = app_context_create(command, &options, &on->gpu);
    if (result != APP_OK)
        return result;
    plumb_status status = plumb_context_machine(on->gpu, PLUMB_DEVICE, &m);
    if (status == PLUMB_OK)
        status = plumb_device_query(m->device, &on->device);
    if (status == PLUMB_OK)
        status = plumb_gpu_double_rate(m, &on->double_rate);
    return status == PLUMB_OK ? APP_OK : app_context_fail(command, on->gpu, status);
}

bool bench_gpu_there(void)
{
    plumb_device_info info;
    return plumb_device_count(NULL, 0) > 0 && plumb_device_query(0, &info) == PLUMB_OK && info.usable != 0;
}

int bench_gpu_open(const char *command, int32_t backend, const char *isa, bench_gpu_machines *on)
{
    plumb_context_options options;
    const bool gpu = backend == PLUMB_BACKEND_GPU || (backend == PLUMB_BACKEND_AUTO && bench_gpu_there());
    int result = gpu ? open_gpu(command, on) : APP_OK;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    options.isa = isa;
    if (result == APP_OK)
        result = app_context_create(command, &options, &on->all);
    options.threads = 1;
    return result == APP_OK ? app_context_create(command, &options, &on->one) : result;
}

void bench_gpu_close(bench_gpu_machines *on)
{
    plumb_context_destroy(on->gpu);
    plumb_context_destroy(on->one);
    plumb_context_destroy(on->all);
}

const char *bench_gpu_why(const bench_gpu_machines *on, plumb_status status)
{
    const char *why = on->gpu != NULL ? plumb_context_message(on->gpu) : "";
    if (why[0] == 0)
        why = plumb_context_message(on->one);
    return why[0] != 0 ? why : plumb_status_text(status);
}

/* ---- Times --------------------------------------------------------------------------------------------------- */

static int64_t calls_for(const bench_gpu_sequence *s, double us)
{
    if (s->quick)
        return (int64_t)fmin(fmax(quick_us / us, QUICK_LEAST), QUICK_MOST);
    if (us < s->short_us)
        return BENCH_GPU_SEQUENCE;
    return (int64_t)fmin(fmax(s->sequence_us / us, LEAST_CALLS), BENCH_GPU_SEQUENCE);
}

plumb_status bench_gpu_time_launched(const bench_gpu_machines *on, const bench_gpu_sequence *s, int64_t *calls,
                                     double *us)
{
    machine *m = &on->gpu->gpu;
    plumb_status status = plumb_gpu_time_launches(m, s->queue, s->data, 1, us);
    if (status == PLUMB_OK)
        status = plumb_gpu_time_launches(m, s->queue, s->data, 2, us);
    if (status != PLUMB_OK)
        return status;
    *calls = calls_for(s, *us);
    return plumb_gpu_time_launches(m, s->queue, s->data, *calls, us);
}

bool bench_gpu_time_replayed(const bench_gpu_machines *on, const bench_gpu_sequence *s, int64_t calls, double *us)
{
    int64_t pieces = (int64_t)fmin(fmax((double)calls / 10, 1), GRAPH_PIECES);
    return plumb_gpu_time_replays(&on->gpu->gpu, s->queue, s->data, pieces, (calls + pieces - 1) / pieces, us) ==
           PLUMB_OK;
}

const bench_gpu_times bench_gpu_no_times = {
    .us = NAN, .launch_us = NAN, .cpu1_us = NAN, .cpuall_us = NAN, .floor_us = NAN, .error = NAN};

plumb_status bench_gpu_time_case(const bench_gpu_machines *on, const bench_gpu_sequence *s, int64_t problems,
                                 bool replay, device_work reset, bench_gpu_times *times)
{
    double us = (double)NAN;
    plumb_status status = bench_gpu_time_launched(on, s, &times->calls, &us);
    times->launch_us = times->us = us / (double)problems;
    if (status == PLUMB_OK)
        status = reset(s->data);
    if (status == PLUMB_OK && replay) /* calls that cannot be recorded keep the time of launches */
        times->replayed = bench_gpu_time_replayed(on, s, times->calls, &us);
    if (times->replayed)
        times->us = us / (double)problems;
    return status == PLUMB_OK && !times->replayed ? s->queue(s->data) : status;
}

plumb_status bench_gpu_time_cpu(bench_call *call, bool quick, double *us)
{
    bench_timer timer = {0};
    double best = bench_time_runs(bench_call_run, call, 1);
    for (int i = 0; best < cpu_long_ns && i < (quick ? 1 : CPU_SAMPLES); i++)
        best = fmin(best, bench_sample(&timer, bench_call_run, call, quick ? cpu_quick_ns : cpu_sample_ns));
    *us = 1e-3 * best;
    return call->status;
}

/* ---- Results ------------------------------------------------------------------------------------------------- */

/* Limbs are subtracted one by one: the leading ones agree, so that the differences are small and their sum is accurate. */
double bench_gpu_difference(const plumb_view *x, const plumb_view *y, double *largest)
{
    double worst = 0;
    *largest = 0;
    for (int64_t b = 0; b < x->batch; b++)
        for (int64_t j = 0; j < x->cols; j++)
            for (int64_t i = 0; i < x->rows; i++)
                for (int32_t part = 0; part < x->parts; part++) {
                    const double *p = x->data + b * x->next + j * x->col + part * x->prec * x->plane + i;
                    const double *q = y->data + b * y->next + j * y->col + part * y->prec * y->plane + i;
                    double sum = 0;
                    for (int32_t k = x->prec - 1; k >= 0; k--)
                        sum += p[k * x->plane] - q[k * y->plane];
                    if (!(fabs(sum) <= worst) && !isnan(worst)) /* keeps a NaN */
                        worst = fabs(sum);
                    *largest = fmax(*largest, fabs(*q));
                }
    return worst;
}

void bench_gpu_print_time(FILE *out, double us)
{
    if (isnan(us))
        fprintf(out, " %10s", ".");
    else
        fprintf(out, " %10.*f", us < 10 ? 3 : us < 1000 ? 1 : 0, us);
}

void bench_gpu_json_number(json_writer *w, const char *key, double x)
{
    if (!isnan(x))
        json_double(w, key, bench_rounded(x));
}

void bench_gpu_json_times(json_writer *w, const bench_gpu_times *times)
{
    json_string(w, "how", times->replayed ? "graph" : "launch");
    json_int(w, "calls", times->calls);
    bench_gpu_json_number(w, "us", times->us);
    bench_gpu_json_number(w, "launch_us", times->launch_us);
    bench_gpu_json_number(w, "cpu1_us", times->cpu1_us);
    bench_gpu_json_number(w, "cpuall_us", times->cpuall_us);
    bench_gpu_json_number(w, "floor_us", times->floor_us);
    bench_gpu_json_number(w, "error", times->error);
}

static void write_gpu(json_writer *w, const bench_gpu_machines *on)
{
    char capability[32], driver[32];
    int32_t version = plumb_gpu_driver();
    snprintf(capability, sizeof capability, "%d.%d", (int)on->device.capability_major,
             (int)on->device.capability_minor);
    snprintf(driver, sizeof driver, "CUDA %d.%d", (int)(version / 1000), (int)(version % 1000 / 10));
    json_string(w, "device", on->device.name);
    json_string(w, "driver", driver);
    json_string(w, "capability", capability);
    json_int(w, "multiprocessors", on->device.multiprocessors);
    json_double(w, "double_rate", bench_rounded(on->double_rate));
}

json_writer bench_gpu_json_begin(FILE *out, const char *benchmark, const char *commit, const bench_gpu_machines *on)
{
    json_writer w = bench_json_begin(out, benchmark, commit);
    app_report_backend(&w, on->gpu != NULL ? PLUMB_BACKEND_GPU : PLUMB_BACKEND_CPU);
    if (on->gpu != NULL)
        write_gpu(&w, on);
    json_string(&w, "isa", plumb_context_isa(on->one));
    json_int(&w, "threads", plumb_context_threads(on->all));
    return w;
}
