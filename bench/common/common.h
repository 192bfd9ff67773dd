/* common.h - what the benchmarks share: options, samples, where results go and what they say about the machine.
 *
 * A benchmark is a table of options and a function (app/command/command.h). It settles its options, measures, and writes its
 * results by bench_write. */
#ifndef PLUMB_BENCH_COMMON_H
#define PLUMB_BENCH_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "app/app.h"
#include "app/command/command.h"
#include "app/sample.h"
#include "bench/common/peers.h"
#include "plumb.h"
#include "text/json/json.h"

/* ---- Options ----------------------------------------------------------------------------------------------------- */

/* What every benchmark can be asked for. A benchmark with options of its own has a struct that begins with this one. */
typedef struct bench_options {
    bool json, quick, quiet, no_peers;
    const char *isa, *peers, *output;
    const char *commit; /* what the results record */
    int32_t backend;    /* PLUMB_BACKEND_... */
    int64_t n;          /* size of the systems, for benchmarks with --size; 0: all */
} bench_options;

/* Rows of a table of options (app/command/command.h). type is the struct, common its member of type bench_options. */
#define BENCH_OPTION(type, member) offsetof(type, common.member)
#define BENCH_FLAG(type, letter, name, member, help)                                     \
    {                                                                                    \
        letter, name, APP_FLAG, BENCH_OPTION(type, member), NULL, help, NULL, 0, 0, NULL \
    }
#define BENCH_TEXT(type, name, member, value, help, unset)                            \
    {                                                                                 \
        0, name, APP_TEXT, BENCH_OPTION(type, member), value, help, unset, 0, 0, NULL \
    }

#define BENCH_COMMON_OPTIONS(type, quick_help)                                                       \
    BENCH_FLAG(type, 0, "quick", quick, quick_help),                                                 \
        BENCH_TEXT(type, "isa", isa, "NAME", "instruction set of the CPU kernels",                   \
                   "PLUMB_ISA, otherwise the best one of this processor"),                           \
        APP_JSON(type, common.json),                                                                 \
        APP_OUTPUT_OPTION(type, common.output, "write to FILE: FILE.json as JSON, FILE.txt as text", \
                          "standard output"),                                                        \
        BENCH_FLAG(type, 'q', "quiet", quiet, "show no progress on the terminal"),                   \
        BENCH_TEXT(type, "commit", commit, "HASH", "commit that the results record",                 \
                   "the one that plumb-bench was built from")
#define BENCH_PEER_OPTIONS(type, which)                                                                              \
    BENCH_TEXT(type, "peers", peers, "PATH", "program that times the other libraries", which " beside plumb-bench"), \
        BENCH_FLAG(type, 0, "no-peers", no_peers, "measure no other libraries")
#define BENCH_BACKEND_OPTION(type, help)                                                            \
    {                                                                                               \
        0, "backend", APP_WORD, BENCH_OPTION(type, backend), "NAME", help, NULL, 0, 0, app_backends \
    }

/* A benchmark without options of its own. */
typedef struct bench_only_common {
    bench_options common;
} bench_only_common;

/* Checks and completes the options: json follows from the name of the output, commit from the build. Call it first. APP_OK,
 * or APP_MISUSE after a line. */
int bench_options_settle(const char *command, bench_options *o);

/* Starts the peers that were asked for, otherwise the program of that name beside this one, and has it list what it can
 * do; list may be NULL. Without peers (*peers is NULL) results have fewer columns; peers that were asked for by name must
 * answer. Stop them also after a failure. */
int bench_peers_open(const char *command, const bench_options *o, const char *name,
                     bool (*list)(bench_peers *peers, void *data), void *data, bench_peers **peers);

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

/* Shows what is being measured, if standard error is a terminal and --quiet was not given. */
__attribute__((format(printf, 1, 2))) void bench_progress(const char *format, ...);
void bench_progress_end(void);

enum { BENCH_SERIES = 64 };

/* Samples of one piece of work, in ns, taken over the whole run. Noise only ever adds time: the smallest one counts. */
typedef struct bench_times {
    int32_t count;
    double sample[BENCH_SERIES];
    bench_timer timer; /* of work in this process */
} bench_times;

void bench_times_add(bench_times *times, double ns); /* a sample that is not finite is left out */
double bench_times_best(const bench_times *times);   /* NaN without samples */
double bench_times_spread(const bench_times *times); /* relative distance of the median above the best */
double bench_median(double *values, int64_t count);  /* sorts them; NaN if there are none */

/* Lane operations per nanosecond in the best of the peak loops (peak.h), one sample each; timer: PEAK_KINDS of them. */
struct bench_peak;
double bench_peak_sample(const struct bench_peak *peak, bench_timer *timer, double target_ns);
/* The same for the loops of an instruction set; zero if it has none. */
double bench_peak_of(const char *isa, double target_ns);

/* A call of the library to be sampled, by bench_call_run; status: of the last call that failed. */
typedef struct bench_call {
    plumb_status (*function)(plumb_context *context, void *data);
    plumb_context *context;
    void *data;
    plumb_status status;
} bench_call;

void bench_call_run(void *call);

/* ---- Results ----------------------------------------------------------------------------------------------------- */

/* Writes the results where the options say, as JSON or as text. APP_OK, or an exit status after a line; a run that was
 * stopped (app/stop.h) is a failure, although its results are written. */
typedef void (*bench_writer)(const void *run, FILE *out);
int bench_write(const char *command, const bench_options *o, bench_writer json, bench_writer text, const void *run);

/* Opens the object with the members that every result begins with: schema, command, version, benchmark, commit, date,
 * complete, machine. */
json_writer bench_json_begin(FILE *out, const char *benchmark, const char *commit);
void bench_json_end(json_writer *w);

double bench_rounded(double x); /* to four significant digits: more would be noise */

#endif
