/* peak.h - the floor under the benchmark's numbers: what the machine can issue, and what an operation asks of it.
 *
 * Both sides are measured, not typed: the peak by loops of independent instructions in registers, compiled with the flags
 * of each instruction set (bench/peak.c); the operation counts by running the kernels on a lane that counts
 * (arith/lane_count.h, bench/count.c). */
#ifndef PLUMB_BENCH_COMMON_PEAK_H
#define PLUMB_BENCH_COMMON_PEAK_H

#include <stdbool.h>

#include "backend/cpu/kernels.h"

enum { PEAK_SINK = 3 + 16 * 8 };
enum { PEAK_ADD, PEAK_FMA, PEAK_MIX, PEAK_KINDS }; /* additions, fused multiply-adds, half of each */

typedef struct bench_peak {
    const char *isa;
    int32_t lanes;
    int32_t chains;                                         /* lane operations in one round of a loop */
    void (*loop[PEAK_KINDS])(int64_t rounds, double *sink); /* two constants, the result, where the chains start */
} bench_peak;

/* NULL when the instruction set has none. */
const bench_peak *bench_peak_find(const char *isa);

/* The instructions of a job of n entries, counted on the counting lane. False when there is no such kernel. */
bool bench_count(int32_t prec, int32_t parts, plumb_op op, const map_job *job, int64_t *flops, int64_t *others);

/* The same for one evaluation of a program; the slots and scratch of the job are those of a lane of one. */
void bench_count_eval(int32_t prec, int32_t parts, const eval_job *job, int64_t *flops, int64_t *others);

/* The same for modified Gram-Schmidt on a job and back substitution; least: see backend/cpu/mgs.h. */
void bench_count_mgs(int32_t prec, int32_t parts, const mgs_job *job, const double *least, int64_t *flops,
                     int64_t *others);

/* The commit the program was built from, "-dirty" added when files differed from it; "unknown" outside git. */
extern const char bench_commit[];

#endif
