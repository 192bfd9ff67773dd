/* paper.h - the data of `plumb bench paper`: what is rerun of the paper, and what was measured.
 *
 * Measuring ends in JSON and pages are drawn from JSON alone, so that a page of numbers measured just now and one of numbers
 * measured elsewhere are the same page. */
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
extern const char *const paper_how_keys[PAPER_HOWS]; /* in JSON */

typedef struct paper_case {
    int32_t work, prec, parts;
    int64_t n;
    int32_t
        recalibrates; /* the precision whose complex QR at n = 32 takes as long as this, if the cube root rule is right; 0 */
    double us[PAPER_HOWS]; /* a run; NaN where it was not measured */
    int64_t gpu_runs;      /* that were timed on the GPU, one after the other */
    double gpu_error;      /* largest difference from the processor's results over their largest entry */
    bool hurried;          /* sampled as with --quick */
} paper_case;

enum { PAPER_MOST_CASES = 64 };

typedef struct paper_run {
    bench_gpu_machines on; /* gpu is NULL where only the processor is measured */
    bench_eval_system system;
    paper_case cases[PAPER_MOST_CASES];
    int32_t case_count;
    accuracy_run accuracy;
    int64_t most_n;
    double budget; /* seconds after which cases are hurried */
    double start_ns, seconds;
    bool quick, failed; /* failed: a case could not be measured on the GPU or was wrong, and a line has said why */
    const char *commit;
} paper_run;

/* bench_paper_measure.c: opens machines, measures, closes. CLI_OK, or an exit status after a line. */
int paper_measure(paper_run *run, int32_t backend, const char *isa, int64_t count);

/* bench_paper_gpu.c: times one case on the GPU. */
plumb_status paper_measure_gpu(paper_run *run, paper_case *c);
double paper_most_error(const paper_case *c);

/* bench_paper_json.c */
void paper_json(const paper_run *run, FILE *out);

#endif
