/* gpu.h - what the benchmarks on a GPU share: opening it with the processor beside it, sequences of calls, comparing. */
#ifndef PLUMB_BENCH_COMMON_GPU_H
#define PLUMB_BENCH_COMMON_GPU_H

#include "backend/cuda/runtime/time.h"
#include "bench/common/common.h"

/* The GPU, and the processor beside it. gpu is NULL where the processor alone is measured. */
typedef struct bench_gpu_machines {
    plumb_context *gpu, *one, *all; /* one: one thread; all: one thread per core */
    plumb_device_info device;
    double double_rate; /* double-precision instructions per second */
} bench_gpu_machines;

/* Is there a GPU that can be used? */
bool bench_gpu_there(void);

/* Opens the processor and, for PLUMB_BACKEND_GPU, or PLUMB_BACKEND_AUTO where there is one, the GPU. isa: of the
 * processor, or NULL. APP_OK, or an exit status after a line; close them also after a failure. */
int bench_gpu_open(const char *command, int32_t backend, const char *isa, bench_gpu_machines *on);
void bench_gpu_close(bench_gpu_machines *on);

/* Why a call failed: the message of a context, otherwise the text of the status. */
const char *bench_gpu_why(const bench_gpu_machines *on, plumb_status status);

/* A sequence of calls on the GPU's own stream: BENCH_GPU_SEQUENCE of them if a call takes less than short_us, otherwise
 * as many as take about sequence_us, within limits. */
typedef struct bench_gpu_sequence {
    device_work queue; /* one call */
    void *data;
    bool quick; /* far fewer calls */
    double short_us, sequence_us;
} bench_gpu_sequence;

enum { BENCH_GPU_SEQUENCE = 10000 };

/* Microseconds per call when the calls are launched one by one, and how many were timed; the same when they are replayed
 * from a CUDA graph: false if the calls cannot be recorded. */
plumb_status bench_gpu_time_launched(const bench_gpu_machines *on, const bench_gpu_sequence *s, int64_t *calls,
                                     double *us);
bool bench_gpu_time_replayed(const bench_gpu_machines *on, const bench_gpu_sequence *s, int64_t calls, double *us);

/* Microseconds of a call on the processor, the smallest of a few samples. */
plumb_status bench_gpu_time_cpu(bench_call *call, bool quick, double *us);

/* The largest difference of two arrays on the host, NaN if an entry is NaN; and the largest leading limb of y. */
double bench_gpu_difference(const plumb_view *x, const plumb_view *y, double *largest);

/* What was measured of one case on the GPU, per problem, in microseconds; NaN if not measured. */
typedef struct bench_gpu_times {
    int64_t calls;             /* number of calls that were timed */
    double us;                 /* replayed from a graph if possible, otherwise launch_us */
    double launch_us;          /* launched one by one */
    double cpu1_us, cpuall_us; /* plumb on one core and on all cores */
    double floor_us;           /* instructions of the method over the issue rate of the GPU */
    double error;              /* largest difference from the processor's results, relative to their largest entry */
    bool replayed, absent;     /* absent: could not be measured, or does not run on the GPU */
} bench_gpu_times;

extern const bench_gpu_times bench_gpu_no_times; /* NaN everywhere */

/* Times one case whose calls have `problems` problems each: launched, then, if replay, also replayed from a graph. reset
 * runs between the two, so that results of the first are not taken for results of the second; the last call has run when
 * it returns. */
plumb_status bench_gpu_time_case(const bench_gpu_machines *on, const bench_gpu_sequence *s, int64_t problems,
                                 bool replay, device_work reset, bench_gpu_times *times);

/* The members of a row: how, calls, and all times that were measured. */
void bench_gpu_json_times(json_writer *w, const bench_gpu_times *times);

/* A number of microseconds in a table; a dot for NaN. */
void bench_gpu_print_time(FILE *out, double us);

/* A member with four significant digits; none for NaN. */
void bench_gpu_json_number(json_writer *w, const char *key, double x);

/* Opens the object with the members of bench_json_begin, the GPU if there is one, and how the processor was used. */
json_writer bench_gpu_json_begin(FILE *out, const char *benchmark, const char *commit, const bench_gpu_machines *on);

#endif
