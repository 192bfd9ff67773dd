/* peak.h - the floor of a time: how many instructions the machine can issue, and how many an operation takes.
 *
 * Both sides are measured, not typed: the peak by loops of independent instructions in registers, compiled with the flags
 * of each instruction set (peak.c); the number of instructions by running the kernels on a lane that counts
 * (arith/lane_count.h, count.c). */
#ifndef PLUMB_BENCH_COMMON_PEAK_H
#define PLUMB_BENCH_COMMON_PEAK_H

#include <stdbool.h>

#include "backend/cpu/kernels.h"

enum { PEAK_SINK = 3 + 16 * 8 };
enum { PEAK_ADD, PEAK_FMA, PEAK_MIX, PEAK_KINDS }; /* additions, fused multiply-adds, half of each */

typedef struct bench_peak {
    const char *isa;
    int32_t lanes;
    int32_t chains; /* lane operations in one round of a loop */
    void (*loop[PEAK_KINDS])(int64_t rounds,
                             double *sink); /* sink: two constants, the result, and the first values of the chains */
} bench_peak;

/* NULL if the instruction set has no loops. */
const bench_peak *bench_peak_find(const char *isa);

/* The instructions of a job of n entries, counted on the counting lane. False if there is no such kernel. */
bool bench_count(int32_t prec, int32_t parts, plumb_op op, const map_job *job, int64_t *flops, int64_t *others);

/* The same for one evaluation of a program; the slots and scratch of the job are those of a lane of one. */
void bench_count_eval(int32_t prec, int32_t parts, const eval_job *job, int64_t *flops, int64_t *others);

/* The same for modified Gram-Schmidt on a job and back substitution; least: see backend/cpu/lsq/mgs.h. */
void bench_count_mgs(int32_t prec, int32_t parts, const mgs_job *job, const double *least, int64_t *flops,
                     int64_t *others);

/* Arithmetic instructions of modified Gram-Schmidt per entry and step, which is a row of a projection and of a removal: 30 in
 * real dd, 108 in complex dd, 304 in real qd, 1,066 in complex qd. A problem with m rows, n columns and a right-hand side
 * has m n (n + 1) / 2 entries and steps. */
int64_t bench_count_mgs_step(int32_t prec, int32_t parts);

/* The commit that the program was built from, with "-dirty" if files differed from it; "unknown" outside git. */
extern const char bench_commit[];

#endif
