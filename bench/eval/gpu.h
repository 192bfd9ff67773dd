/* gpu.h - one case of evaluation on a GPU and what was measured of it; `plumb-bench paper` measures such cases too. All points
 * are complex, and Jacobians are evaluated too. Times are in microseconds per point, NaN if not measured. */
#ifndef PLUMB_BENCH_EVAL_GPU_H
#define PLUMB_BENCH_EVAL_GPU_H

#include "bench/common/gpu.h"
#include "bench/eval/eval.h"

typedef struct bench_eval_gpu_case {
    bench_eval_system *of;
    int32_t prec;
    int64_t points; /* per call: 1 for one point after the other */
    bench_gpu_times times;
} bench_eval_gpu_case;

typedef struct bench_eval_gpu_run {
    bench_gpu_machines on;
    bench_eval_system *systems;
    bench_eval_gpu_case *cases;
    int32_t system_count, case_count;
    bool quick, failed; /* failed: a case could not be measured; a message has said why */
    const char *commit;
    double seconds;
} bench_eval_gpu_run;

/* Measures everything about one case. */
plumb_status bench_eval_gpu_measure(bench_eval_gpu_run *run, bench_eval_gpu_case *c);

/* The largest error that results may have to be accepted. */
double bench_eval_gpu_most_error(int32_t prec);

/* The command with --backend gpu, its options settled. */
int bench_eval_gpu(const bench_options *options);

#endif
