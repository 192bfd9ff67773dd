/* gpu.h - one case of least squares on a GPU and what was measured of it; `plumb-bench paper` measures such cases too. All
 * systems are complex and square with one right-hand side. Times are in microseconds per system, NaN if not measured. */
#ifndef PLUMB_BENCH_LSQ_GPU_H
#define PLUMB_BENCH_LSQ_GPU_H

#include "bench/common/gpu.h"
#include "bench/lsq/lsq.h"

enum { GPU_BATCH_SYSTEMS = 4096, GPU_BATCH_QUICK = 16, GPU_BATCH_ONE_CORE = 256 };

/* sequence: one system after the other. columns: the same with the simplest kernels, one launch per column. refined: by
 * iterative refinement. batch: many systems at once. large: like sequence, but fewer solves, launched one by one. */
#define BENCH_GPU_MODE_LIST(X)  \
    X(GPU_SEQUENCE, "sequence") \
    X(GPU_COLUMNS, "columns")   \
    X(GPU_REFINED, "refined")   \
    X(GPU_BATCH, "batch")       \
    X(GPU_LARGE, "large")

#define BENCH_GPU_MODE_ENUM(code, name) code,
enum { BENCH_GPU_MODE_LIST(BENCH_GPU_MODE_ENUM) GPU_MODES };
#undef BENCH_GPU_MODE_ENUM

typedef struct bench_lsq_gpu_case {
    int32_t mode, prec;
    int64_t n, systems;
    bench_gpu_times times;    /* absent also if a refined solve does not run on the GPU */
    double cusolver_us;       /* Householder QR of cuSOLVER in d, the faster of two ways */
    double cublas_batched_us; /* batches: elimination of cuBLAS in d */
} bench_lsq_gpu_case;

typedef struct bench_lsq_gpu_run {
    bench_gpu_machines on;
    bench_peers *peers; /* or NULL */
    bench_lsq_gpu_case *cases;
    int32_t case_count;
    bool quick, failed; /* failed: a case could not be measured; a message has said why */
    const char *commit;
    double seconds;
} bench_lsq_gpu_run;

/* Measures everything about one case; a refined solve that does not run on the GPU is marked as absent. */
plumb_status bench_lsq_gpu_measure(bench_lsq_gpu_run *run, bench_lsq_gpu_case *c);

/* The largest error that x may have to be accepted. */
double bench_lsq_gpu_most_error(int32_t prec, int64_t n);

/* The command with --backend gpu, its options settled. */
int bench_lsq_gpu(const bench_options *options);

#endif
