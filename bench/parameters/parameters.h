/* parameters.h - the data of plumb-bench parameters: families with their generic solutions, and what was measured. Shared by measuring and
 * reporting. Times are in microseconds, NaN if not measured. */
#ifndef PLUMB_BENCH_PARAMETERS_H
#define PLUMB_BENCH_PARAMETERS_H

#include "bench/common/gpu.h"

/* Targets of a family on one machine. */
typedef struct bench_parameters_result {
    int64_t targets;
    double us; /* all of them; of one target the median */
    int64_t outcome[PLUMB_INSTANCE_STOPPED + 1], solutions, real;
} bench_parameters_result;

typedef struct bench_parameters_case {
    const char *name;
    plumb_family *family;
    int32_t prec;                           /* 0: the precision that each path needs */
    bool one;                               /* one target at a time, otherwise a batch */
    int64_t targets;                        /* of the batch; of one at a time, how many are timed */
    bench_parameters_result gpu, all, core; /* all cores; one core, perhaps only a sample of the targets */
    bool absent;
} bench_parameters_case;

typedef struct bench_parameters_run {
    bench_gpu_machines on; /* without a GPU on.gpu is NULL */
    plumb_family **families;
    char **names;
    bench_parameters_case *cases;
    int32_t family_count, case_count;
    bool failed;
    const char *commit;
    double seconds;
} bench_parameters_run;

/* Are the outcomes the same on the GPU and on the processor, for the targets that both have solved? */
bool bench_parameters_agrees(const bench_parameters_run *run, const bench_parameters_case *c);

/* report.c */
void bench_parameters_print(const void *data, FILE *out);
void bench_parameters_json(const void *data, FILE *out);

#endif
