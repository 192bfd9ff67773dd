/* bench_gpu_common.h - what the benchmarks on a GPU share. */
#ifndef PLUMB_CLI_BENCH_GPU_COMMON_H
#define PLUMB_CLI_BENCH_GPU_COMMON_H

#include "cli/bench_common.h"

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

/* A number of microseconds in a table; a dot for NaN. */
void bench_gpu_print_time(FILE *out, double us);

/* A member of four figures; none for NaN. */
void bench_gpu_json_number(json_writer *w, const char *key, double x);

/* The members every result begins with: those of bench_json_head, the GPU, how the processor was used. */
void bench_gpu_json_head(json_writer *w, const char *benchmark, const char *commit, const bench_gpu_machines *on);

#endif
