/* gpu.h - the data of `plumb bench lsq --backend gpu`: what is solved, what was measured; shared by measuring and
 * reporting. Everything is complex and square with one right-hand side; times are in microseconds a system, NaN where nothing
 * was measured. */
#ifndef PLUMB_BENCH_LSQ_GPU_H
#define PLUMB_BENCH_LSQ_GPU_H

#include "bench/common/gpu.h"
#include "bench/lsq/lsq.h"

enum { GPU_BATCH_SYSTEMS = 4096, GPU_BATCH_QUICK = 16, GPU_BATCH_ONE_CORE = 256 };

/* sequence: one system after the other. columns: the same by the kernels the others are timed against, a launch a column. refined:
 * by iterative refinement. batch: many at once. large: like sequence, fewer of them, launched plainly. */
#define BENCH_GPU_MODE_LIST(X)  \
    X(GPU_SEQUENCE, "sequence") \
    X(GPU_COLUMNS, "columns")   \
    X(GPU_REFINED, "refined")   \
    X(GPU_BATCH, "batch")       \
    X(GPU_LARGE, "large")

#define BENCH_GPU_MODE_ENUM(code, name) code,
enum { BENCH_GPU_MODE_LIST(BENCH_GPU_MODE_ENUM) GPU_MODES };
#undef BENCH_GPU_MODE_ENUM
extern const char *const bench_lsq_gpu_mode_names[GPU_MODES];

typedef struct bench_lsq_gpu_case {
    int32_t mode, prec;
    int64_t n, systems;
    int64_t solves;            /* calls that were timed */
    double us;                 /* replayed from a graph where that was possible, else launch_us */
    double launch_us;          /* launched plainly */
    double cpu1_us, cpuall_us; /* plumb on one core and on all of them */
    double cusolver_us;        /* Householder QR of cuSOLVER in d, the faster of two ways */
    double cublas_batched_us;  /* batches: elimination of cuBLAS in d */
    double floor_us;           /* instructions of the method over what the GPU can begin */
    double error;              /* largest difference from the processor's x over its largest entry */
    bool replayed, absent;     /* absent: not on the GPU in this build */
} bench_lsq_gpu_case;

typedef struct bench_lsq_gpu_run {
    bench_gpu_machines on;
    bench_peers *peers; /* or NULL */
    bench_lsq_gpu_case *cases;
    int32_t case_count;
    bool quick, failed; /* failed: a case could not be measured, and a line has said why */
    const char *commit;
    double seconds;
} bench_lsq_gpu_run;

/* The subcommand, options read. */
int bench_lsq_gpu(const bench_options *options);

/* bench_lsq_gpu_case.c: everything that is measured about one case. */
plumb_status bench_lsq_gpu_measure(bench_lsq_gpu_run *run, bench_lsq_gpu_case *c);

/* bench_lsq_gpu_floor.c: instructions of modified Gram-Schmidt on [A b] and back substitution; NaN without memory. */
double bench_lsq_gpu_instructions(plumb_context *context, int32_t prec, int64_t n);

/* The largest error that x may have to be believed. */
double bench_lsq_gpu_most_error(int32_t prec, int64_t n);

/* The largest n at which qd on the GPU takes less than the rival: dd on one core, or cuSOLVER in d. 0: none. */
int64_t bench_lsq_gpu_beats_one_core(const bench_lsq_gpu_run *run);
int64_t bench_lsq_gpu_beats_cusolver(const bench_lsq_gpu_run *run);

/* bench_lsq_gpu_report.c */
void bench_lsq_gpu_print(const bench_lsq_gpu_run *run, FILE *out);
void bench_lsq_gpu_json(const bench_lsq_gpu_run *run, FILE *out);

#endif
