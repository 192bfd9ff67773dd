/* eval.h - the job of evaluating a program (model/program.h), and the kernels it is made of.
 *
 * There are two ways to fill a lane, with the same operations on every number, so with the same bits:
 *
 *   one   a single point: a lane holds as many products of a level or group, or rows of sums. Numbers lie slot after slot,
 *         planes inside a slot: plane c of slot s is slots[s*planes + c].
 *   many  a lane holds as many points: plane c of slot s of point i is slots[(s*planes + c)*width + i]. */
#ifndef PLUMB_METHOD_EVAL_H
#define PLUMB_METHOD_EVAL_H

#include "model/program/program.h"

typedef struct eval_job {
    const eval_program *program;
    const double *coefficients; /* of the precision and kind: see program.h */
    double *slots;
    double *scratch;     /* of the thread: eval_scratch doubles */
    int32_t derivatives; /* 0: values only */
} eval_job;

/* The steps of one way. Items first .. last-1; on the way `one` first is a multiple of the width, and the last lane may run
 * over the end into the pads. */
typedef struct eval_steps {
    void (*level)(const eval_job *job, int32_t level, int32_t first, int32_t last);
    void (*group)(const eval_job *job, int32_t group, int32_t first, int32_t last);
    void (*rows)(const eval_job *job, int32_t first, int32_t last);
} eval_steps;

/* Kernels of one precision, kind and machine. */
typedef struct eval_kernels {
    int32_t width, planes; /* places of a lane; doubles of a number */
    eval_steps one, many;
} eval_kernels;

/* The scratch of a thread: the factors of a product, and the products of those before each. */
static inline int64_t eval_scratch(const eval_program *p, const eval_kernels *kernels)
{
    return 2 * (int64_t)p->most_factors * kernels->planes * kernels->width;
}

#endif
