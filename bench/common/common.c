/* common.c - see common.h. */
#include "bench/common/common.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/files.h"
#include "app/format.h"
#include "app/report.h"
#include "app/stop.h"
#include "backend/cpu/kernels.h"
#include "bench/common/machine.h"
#include "bench/common/peak.h"

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static bool quiet;

int bench_options_settle(const char *command, bench_options *o)
{
    static const app_format either[] = {PLUMB_FORMAT_TXT, PLUMB_FORMAT_JSON, FORMAT_END},
                            json[] = {PLUMB_FORMAT_JSON, FORMAT_END};
    app_format format = PLUMB_FORMAT_TXT;
    if (o->peers != NULL && o->no_peers)
        return app_misuse(command, "--peers and --no-peers exclude each other");
    if (o->isa != NULL && plumb_cpu_isa_find(o->isa) == NULL)
        return app_misuse(command, "--isa: this build on this processor has no instruction set '%s'", o->isa);
    int result = app_format_of(command, "-o/--output", o->output, o->json ? json : either, &format);
    o->json |= format == PLUMB_FORMAT_JSON;
    if (o->commit == NULL)
        o->commit = bench_commit;
    quiet = o->quiet;
    return result;
}

int bench_peers_open(const char *command, const bench_options *o, const char *name,
                     bool (*list)(bench_peers *peers, void *data), void *data, bench_peers **peers)
{
    char path[4096];
    *peers = NULL;
    if (o->no_peers || (o->peers == NULL && !bench_peers_find_named(name, path, sizeof path)))
        return APP_OK;
    const char *program = o->peers != NULL ? o->peers : path;
    *peers = bench_peers_start(program);
    if (*peers == NULL || (list != NULL && !list(*peers, data)))
        return app_fail(command, "'%s' does not answer", program);
    return APP_OK;
}

/* ---- Progress ------------------------------------------------------------------------------------------------ */

void bench_progress(const char *format, ...)
{
    va_list values;
    if (quiet || isatty(STDERR_FILENO) == 0)
        return;
    va_start(values, format);
    fprintf(stderr, "\rmeasuring: ");
    vfprintf(stderr, format, values);
    fprintf(stderr, "%10s", ""); /* covers the end of a longer line */
    va_end(values);
}

void bench_progress_end(void)
{
    if (!quiet && isatty(STDERR_FILENO) != 0)
        fprintf(stderr, "\r%60s\r", "");
}

/* ---- Samples ------------------------------------------------------------------------------------------------- */

void bench_times_add(bench_times *times, double ns)
{
    if (isfinite(ns) && times->count < BENCH_SERIES)
        times->sample[times->count++] = ns;
}

double bench_times_best(const bench_times *times)
{
    double best = (double)NAN;
    for (int32_t i = 0; i < times->count; i++)
        best = fmin(best, times->sample[i]);
    return best;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, int64_t count)
{
    if (count <= 0)
        return (double)NAN;
    qsort(values, (size_t)count, sizeof values[0], compare_doubles);
    return values[count / 2];
}

double bench_times_spread(const bench_times *times)
{
    double sorted[BENCH_SERIES];
    memcpy(sorted, times->sample, sizeof sorted);
    return bench_median(sorted, times->count) / bench_times_best(times) - 1.0;
}

typedef struct peak_work {
    void (*loop)(int64_t rounds, double *sink);
    double sink[PEAK_SINK];
} peak_work;

enum { PEAK_ROUNDS = 1000 };

static void run_peak(void *data)
{
    peak_work *w = data;
    w->loop(PEAK_ROUNDS, w->sink);
}

double bench_peak_sample(const bench_peak *peak, bench_timer *timer, double target_ns)
{
    double best = 0;
    for (int kind = 0; kind < PEAK_KINDS; kind++) {
        peak_work w = {peak->loop[kind], {0x1p-20, 0x1p-20}};
        for (int k = 2; k < PEAK_SINK; k++)
            w.sink[k] = k;
        double ns = bench_sample(&timer[kind], run_peak, &w, target_ns);
        best = fmax(best, (double)PEAK_ROUNDS * peak->chains * peak->lanes / ns);
    }
    return best;
}

void bench_call_run(void *call)
{
    bench_call *c = call;
    plumb_status status = c->function(c->context, c->data);
    if (status != PLUMB_OK)
        c->status = status;
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

int bench_write(const char *command, const bench_options *o, bench_writer json, bench_writer text, const void *run)
{
    app_output output = {.path = NULL};
    int result = app_output_open(command, &output, o->output != NULL ? o->output : "-");
    if (result != APP_OK)
        return result;
    (o->json ? json : text)(run, output.file);
    result = app_output_commit(command, &output);
    if (result != APP_OK)
        return result;
    return app_stopped() ? app_fail(command, "stopped; the results are not complete") : APP_OK;
}

json_writer bench_json_begin(FILE *out, const char *benchmark, const char *commit)
{
    char command[32];
    bench_machine m = bench_machine_now();
    snprintf(command, sizeof command, "bench %s", benchmark);
    json_writer w = app_report_begin(out, command);
    json_string(&w, "benchmark", benchmark);
    json_string(&w, "commit", commit);
    json_string(&w, "date", m.date);
    json_bool(&w, "complete", !app_stopped());
    json_open_object(&w, "machine");
    json_string(&w, "cpu", m.cpu);
    json_string(&w, "arch", m.arch);
    json_int(&w, "cores", m.cores);
    json_close_object(&w);
    return w;
}

void bench_json_end(json_writer *w)
{
    app_report_end(w);
}

double bench_rounded(double x)
{
    char text[32]; /* by way of decimals: dividing by a power of ten does not give the nearest double */
    snprintf(text, sizeof text, "%.3e", x);
    return strtod(text, NULL);
}
