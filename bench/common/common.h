/* common.h - what the benchmarks share: samples, where results go and what they say about the machine. */
#ifndef PLUMB_BENCH_COMMON_H
#define PLUMB_BENCH_COMMON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/sample.h"
#include "bench/common/peers.h"
#include "plumb.h"
#include "text/json/json.h"

/* What `plumb bench eval` and `plumb bench lsq` are asked for. */
typedef struct bench_options {
    bool json, quick, no_peers;
    const char *isa, *peers, *output, *commit, *backend;
    int64_t n;        /* where there is a choice of sizes; 0: all */
    int32_t measured; /* the backend as PLUMB_BACKEND_... */
} bench_options;

/* Fills the options; most_n: the largest -n there may be, 0: there is no -n. CLI_OK, or CLI_MISUSE after a line. */
int bench_options_parse(const char *command, int argc, char **argv, int64_t most_n, bench_options *o);

/* What bench_options_parse checks, for a command with a table of its own. */
int bench_options_check(const char *command, const bench_options *o);

/* Starts the peers that were asked for, else the program of that name beside plumb, and has it list what it can do; list may
 * be NULL. No peers (*peers is NULL) is a result with fewer columns, unless they were asked for by name. Those that do not
 * answer are to be stopped too. */
int bench_peers_open(const char *command, const bench_options *o, const char *name,
                     bool (*list)(bench_peers *peers, void *data), void *data, bench_peers **peers);

/* What is being measured, for people at a terminal. */
__attribute__((format(printf, 1, 2))) void bench_progress(const char *format, ...);
void bench_progress_end(void);

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

/* Lane operations a nanosecond in the best of the peak's loops (bench_peak.h), one sample each; timer: PEAK_KINDS of them. */
struct bench_peak;
double bench_peak_sample(const struct bench_peak *peak, bench_timer *timer, double target_ns);

/* A call of the library to be sampled, by bench_call_run; status: of the last that failed. */
typedef struct bench_call {
    plumb_status (*function)(plumb_context *context, void *data);
    plumb_context *context;
    void *data;
    plumb_status status;
} bench_call;

void bench_call_run(void *call);

/* The whole file with a final 0, or NULL. */
char *bench_read_file(const char *path, size_t *length);

/* Where the results go: stdout when path is NULL. NULL after a line on stderr. */
FILE *bench_output_open(const char *command, const char *path);
int bench_output_close(const char *command, FILE *out);

/* The members every result begins with: benchmark, version, commit, date, machine. */
void bench_json_head(json_writer *w, const char *benchmark, const char *commit);

double bench_rounded(double x); /* four figures: more would be noise */

#endif
