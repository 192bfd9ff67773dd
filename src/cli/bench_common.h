/* bench_common.h - what the benchmarks share: samples, where results go and what they say about the machine. */
#ifndef PLUMB_CLI_BENCH_COMMON_H
#define PLUMB_CLI_BENCH_COMMON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/bench_sample.h"
#include "text/json.h"

enum { BENCH_SERIES = 64 };

/* Samples of one piece of work, in ns, taken over the whole run. Noise only ever adds time: the least one counts. */
typedef struct bench_times {
    int32_t count;
    double sample[BENCH_SERIES];
    bench_timer timer; /* of work in this process */
} bench_times;

void bench_times_add(bench_times *times, double ns); /* one that is not finite is left out */
double bench_times_best(const bench_times *times);   /* NaN without samples */
double bench_times_spread(const bench_times *times); /* how far the median lies above the best, as a fraction */
double bench_median(double *values, int64_t count);  /* sorts them; NaN when there are none */

/* Where the results go: stdout when path is NULL. NULL after a line on stderr. */
FILE *bench_output_open(const char *command, const char *path);
int bench_output_close(const char *command, FILE *out);

/* The members every result begins with: benchmark, version, commit, date, machine. */
void bench_json_head(json_writer *w, const char *benchmark, const char *commit);

double bench_rounded(double x); /* four figures: more would be noise */

#endif
