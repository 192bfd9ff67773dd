/* bench_common.c - see bench_common.h. */
#include "cli/bench_common.h"

#include <stdlib.h>
#include <string.h>

#include "cli/bench_machine.h"
#include "cli/cli.h"

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
    if (!isfinite(x) || x == 0)
        return x;
    double scale = pow(10.0, 3 - floor(log10(fabs(x))));
    return round(x * scale) / scale;
}
