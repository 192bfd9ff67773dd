/* gpu.h - what the benchmarks on a GPU share. */
#ifndef PLUMB_BENCH_COMMON_GPU_H
#define PLUMB_BENCH_COMMON_GPU_H

#include "backend/cuda/runtime/time.h"
#include "bench/common/common.h"

/* The GPU, and the processor beside it. */
typedef struct bench_gpu_machines {
    plumb_context *gpu, *one, *all; /* all: as many threads as there are cores */
    plumb_device_info device;
    double double_rate; /* instructions a second */
} bench_gpu_machines;

/* isa: of the processor, or NULL. CLI_OK, or after a line what went wrong; to be closed all the same. */
int bench_gpu_open(const char *command, const char *isa, bench_gpu_machines *on);
void bench_gpu_close(bench_gpu_machines *on);

/* Why a call failed: what the context of the GPU says, else the text of the status. */
const char *bench_gpu_why(const bench_gpu_machines *on, plumb_status status);

/* A sequence of calls on the GPU's own stream. Where a call takes less than short_us there are BENCH_GPU_SEQUENCE of them, else
 * as many as take about sequence_us, within limits. */
typedef struct bench_gpu_sequence {
    device_work queue; /* one call */
    void *data;
    bool quick; /* far fewer */
    double short_us, sequence_us;
} bench_gpu_sequence;

enum { BENCH_GPU_SEQUENCE = 10000 };

/* Microseconds a call, launched plainly, and how many were timed; the same replayed from a graph: false where the calls
 * cannot be recorded. */
plumb_status bench_gpu_time_launched(const bench_gpu_machines *on, const bench_gpu_sequence *s, int64_t *calls,
                                     double *us);
bool bench_gpu_time_replayed(const bench_gpu_machines *on, const bench_gpu_sequence *s, int64_t calls, double *us);

/* Microseconds of a call on the processor, the least of a few samples. */
plumb_status bench_gpu_time_cpu(bench_call *call, bool quick, double *us);

/* The largest difference of two arrays on the host, NaN where one is; and the largest leading limb of y. */
double bench_gpu_difference(const plumb_view *x, const plumb_view *y, double *largest);

/* A number of microseconds in a table; a dot for NaN. */
void bench_gpu_print_time(FILE *out, double us);

/* A member of four figures; none for NaN. */
void bench_gpu_json_number(json_writer *w, const char *key, double x);

/* The members every result begins with: those of bench_json_head, the GPU if there is one, how the processor was used. */
void bench_gpu_json_head(json_writer *w, const char *benchmark, const char *commit, const bench_gpu_machines *on);

#endif
