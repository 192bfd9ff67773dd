/* gpu.h - the data of `plumb bench eval --backend gpu`: what is evaluated, what was measured; shared by measuring and
 * reporting. Everything is complex, with the Jacobian; times are in microseconds a point, NaN where nothing was measured. */
#ifndef PLUMB_BENCH_EVAL_GPU_H
#define PLUMB_BENCH_EVAL_GPU_H

#include "bench/common/gpu.h"
#include "bench/eval/eval.h"

typedef struct bench_eval_gpu_case {
    bench_eval_system *of;
    int32_t prec;
    int64_t points;            /* of one call: 1 for one point after the other */
    int64_t calls;             /* that were timed */
    double us;                 /* replayed from a graph where that was possible, else launch_us */
    double launch_us;          /* launched plainly */
    double cpu1_us, cpuall_us; /* plumb on one core and on all of them */
    double floor_us;           /* instructions of the method over what the GPU can begin */
    double error;              /* largest difference from the processor's results over their largest entry */
    bool replayed, absent;     /* absent: could not be measured */
} bench_eval_gpu_case;

typedef struct bench_eval_gpu_run {
    bench_gpu_machines on;
    bench_eval_system *systems;
    bench_eval_gpu_case *cases;
    int32_t system_count, case_count;
    bool quick, failed; /* failed: a case could not be measured, and a line has said why */
    const char *commit;
    double seconds;
} bench_eval_gpu_run;

/* The subcommand, options read. */
int bench_eval_gpu(const bench_options *options);

/* bench_eval_gpu_case.c: everything that is measured about one case; and the largest error to be believed. */
plumb_status bench_eval_gpu_measure(bench_eval_gpu_run *run, bench_eval_gpu_case *c);
double bench_eval_gpu_most_error(int32_t prec);

/* bench_eval_gpu_report.c */
const char *bench_eval_gpu_mode(const bench_eval_gpu_case *c);
void bench_eval_gpu_print(const bench_eval_gpu_run *run, FILE *out);
void bench_eval_gpu_json(const bench_eval_gpu_run *run, FILE *out);

#endif
