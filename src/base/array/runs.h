/* runs.h - expresses an operation on strided arrays as a loop over runs in which every operand is contiguous.
 *
 * Runs are as long as the strides allow: columns, planes and batches that follow one another without a gap in every
 * operand are merged into one run. */
#ifndef PLUMB_BASE_ARRAY_RUNS_H
#define PLUMB_BASE_ARRAY_RUNS_H

#include <stdint.h>

enum { RUNS_OPERANDS = 4, RUNS_DIMENSIONS = 3 };

/* Run (k0, k1, k2) of operand v starts k0*step[0][v] + k1*step[1][v] + k2*step[2][v] after the first. */
typedef struct runs {
    int64_t length;
    int64_t count[RUNS_DIMENSIONS]; /* innermost first; 1 for a dimension without a loop */
    int64_t step[RUNS_DIMENSIONS][RUNS_OPERANDS];
} runs;

/* Merges the innermost dimensions into the run as far as possible. Absent operands must have the steps of one that is
 * present. */
void plumb_runs_merge(runs *r);

static inline int64_t runs_total(const runs *r)
{
    return r->count[0] * r->count[1] * r->count[2];
}

/* The offset at which run number `index` of operand v starts. */
static inline int64_t runs_offset(const runs *r, int64_t index, int v)
{
    int64_t k0 = index % r->count[0], rest = index / r->count[0];
    return k0 * r->step[0][v] + rest % r->count[1] * r->step[1][v] + rest / r->count[1] * r->step[2][v];
}

#endif
