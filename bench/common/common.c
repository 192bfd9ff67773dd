/* common.c - see bench_common.h. */
#include "bench/common/common.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/options.h"
#include "backend/cpu/kernels.h"
#include "bench/common/machine.h"
#include "bench/common/peak.h"

/* ---- What is asked for --------------------------------------------------------------------------------------- */

int bench_options_check(const char *command, const bench_options *o)
{
    if (o->peers != NULL && o->no_peers)
        return cli_misuse(command, "--peers and --no-peers exclude each other");
    if (o->isa != NULL && plumb_cpu_isa_find(o->isa) == NULL)
        return cli_misuse(command, "--isa: '%s' is not an instruction set this build and processor have", o->isa);
    return CLI_OK;
}

int bench_options_parse(const char *command, int argc, char **argv, int64_t most_n, bench_options *o)
{
    const cli_option table[] = {{"--json", CLI_FLAG, &o->json, 0, 0},
                                {"--quick", CLI_FLAG, &o->quick, 0, 0},
                                {"--no-peers", CLI_FLAG, &o->no_peers, 0, 0},
                                {"--isa", CLI_TEXT, &o->isa, 0, 0},
                                {"--peers", CLI_TEXT, &o->peers, 0, 0},
                                {"-o", CLI_TEXT, &o->output, 0, 0},
                                {"--commit", CLI_TEXT, &o->commit, 0, 0},
                                {"--backend", CLI_TEXT, &o->backend, 0, 0},
                                {most_n > 0 ? "-n" : NULL, CLI_COUNT, &o->n, 1, (double)most_n},
                                {NULL, CLI_FLAG, NULL, 0, 0}};
    const cli_options options = {command, table, NULL, 0};
    int files;
    int result = cli_options_parse(&options, argc, argv, &files);
    if (result == CLI_OK)
        result = cli_option_backend(command, o->backend, &o->measured);
    return result == CLI_OK ? bench_options_check(command, o) : result;
}

int bench_peers_open(const char *command, const bench_options *o, const char *name,
                     bool (*list)(bench_peers *peers, void *data), void *data, bench_peers **peers)
{
    char path[4096];
    *peers = NULL;
    if (o->no_peers || (o->peers == NULL && !bench_peers_find_named(name, path, sizeof path)))
        return CLI_OK;
    const char *program = o->peers != NULL ? o->peers : path;
    *peers = bench_peers_start(program);
    if (*peers == NULL || (list != NULL && !list(*peers, data)))
        return cli_fail(command, "'%s' does not answer", program);
    return CLI_OK;
}

/* ---- Progress ------------------------------------------------------------------------------------------------ */

void bench_progress(const char *format, ...)
{
    va_list values;
    if (isatty(STDERR_FILENO) == 0)
        return;
    va_start(values, format);
    fprintf(stderr, "\rmeasuring: ");
    vfprintf(stderr, format, values);
    fprintf(stderr, "%10s", ""); /* over a longer line before */
    va_end(values);
}

void bench_progress_end(void)
{
    if (isatty(STDERR_FILENO) != 0)
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

/* ---- Files ----------------------------------------------------------------------------------------------------- */

char *bench_read_file(const char *path, size_t *length)
{
    size_t room = 1 << 16, used = 0;
    FILE *in = fopen(path, "rb");
    char *text = in != NULL ? malloc(room) : NULL;
    while (text != NULL) {
        used += fread(text + used, 1, room - used - 1, in);
        if (used < room - 1)
            break;
        char *larger = room <= SIZE_MAX / 2 ? realloc(text, room *= 2) : NULL;
        if (larger == NULL)
            free(text);
        text = larger;
    }
    if (text != NULL && ferror(in)) {
        free(text);
        text = NULL;
    }
    if (in != NULL)
        fclose(in);
    if (text != NULL)
        text[used] = 0;
    *length = used;
    return text;
}

/* ---- Results ------------------------------------------------------------------------------------------------- */

FILE *bench_output_open(const char *command, const char *path)
{
    FILE *out = path != NULL ? fopen(path, "w") : stdout;
    if (out == NULL)
        cli_fail(command, "'%s' could not be written", path);
    return out;
}

int bench_output_close(const char *command, FILE *out)
{
    bool failed = ferror(out) != 0;
    if (out != stdout)
        failed |= fclose(out) != 0;
    return failed ? cli_fail(command, "the results could not be written") : CLI_OK;
}

void bench_json_head(json_writer *w, const char *benchmark, const char *commit)
{
    bench_machine m = bench_machine_now();
    json_string(w, "benchmark", benchmark);
    json_string(w, "version", plumb_version());
    json_string(w, "commit", commit);
    json_string(w, "date", m.date);
    json_open_object(w, "machine");
    json_string(w, "cpu", m.cpu);
    json_string(w, "arch", m.arch);
    json_int(w, "cores", m.cores);
    json_close_object(w);
}

double bench_rounded(double x)
{
    char text[32]; /* by way of decimals: what a power of ten divides is not the double nearest to four figures */
    snprintf(text, sizeof text, "%.3e", x);
    return strtod(text, NULL);
}
