/* paper.h - the data of plumb-bench paper: which experiments of the paper are rerun, and what was measured.
 *
 * Measuring ends in JSON, and bench/report draws pages from JSON alone, so that results measured just now and results
 * measured elsewhere give the same page. */
#ifndef PLUMB_BENCH_PAPER_H
#define PLUMB_BENCH_PAPER_H

#include "bench/accuracy/accuracy.h"
#include "bench/common/gpu.h"
#include "bench/eval/gpu.h"
#include "bench/paper/numbers.h"

/* qr: Q and R of a square matrix. solve: modified Gram-Schmidt on [A b] and back substitution. eval: the paper's polynomial
 * system with its Jacobian. */
enum { PAPER_QR, PAPER_SOLVE, PAPER_EVAL, PAPER_WORKS };
extern const char *const paper_work_names[PAPER_WORKS];

enum { PAPER_ONE_CORE, PAPER_ALL_CORES, PAPER_GPU, PAPER_HOWS };
typedef struct paper_case {
    int32_t work, prec, parts;
    int64_t n;
    int32_t recalibrates;  /* by the cube root rule, complex QR at n = 32 in this precision takes as long; 0: none */
    double us[PAPER_HOWS]; /* per run; NaN if not measured */
    int64_t gpu_runs;      /* number of runs timed on the GPU, one after the other */
    double gpu_error;      /* largest difference from the processor's results, relative to their largest entry */
    bool hurried;          /* sampled as with --quick */
} paper_case;

enum { PAPER_MOST_CASES = 64 };

typedef struct paper_run {
    bench_gpu_machines on;
    bench_eval_system system;
    paper_case cases[PAPER_MOST_CASES];
    int32_t case_count;
    accuracy_run accuracy;
    int64_t most_n;
    double budget; /* seconds after which cases are sampled as with --quick */
    double start_ns, seconds;
    bool quick, failed; /* failed: a case could not be measured on the GPU or was wrong; a message has said why */
    const char *commit;
} paper_run;

/* measure.c: measures on the open machines. APP_OK, or an exit status after a line. */
int paper_measure(paper_run *run, int64_t count);

#endif
