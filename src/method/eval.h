/* eval.h - evaluation of a program (model/program/program.h): its data (eval_job) and its kernels.
 *
 * There are two ways to fill a lane. Both perform the same operations on every number and give the same bits:
 *
 *   one   a single point: the places of a lane are products of one level or group, or rows of sums. Numbers are
 *   stored slot by slot, planes inside a slot: plane c of slot s is slots[s*planes + c].
 *   many  the places of a lane are points: plane c of slot s of point i is slots[(s*planes + c)*width + i]. */
#ifndef PLUMB_METHOD_EVAL_H
#define PLUMB_METHOD_EVAL_H

#include "model/program/program.h"

typedef struct eval_job {
    const eval_program *program;
    const double *coefficients; /* in the precision and kind of the job; see program.h */
    double *slots;
    double *scratch;     /* eval_scratch doubles for each thread */
    int32_t derivatives; /* 0: values only */
} eval_job;

/* The steps of one of the two ways, for items first .. last-1. For `one`, first is a multiple of the width, and the
 * last lane may extend beyond the end into the padding. */
typedef struct eval_steps {
    void (*level)(const eval_job *job, int32_t level, int32_t first, int32_t last);
    void (*group)(const eval_job *job, int32_t group, int32_t first, int32_t last);
    void (*rows)(const eval_job *job, int32_t first, int32_t last);
} eval_steps;

/* Kernels for one precision, kind and machine. */
typedef struct eval_kernels {
    int32_t width, planes; /* places of a lane; doubles per number */
    eval_steps one, many;
} eval_kernels;

/* The scratch size of a thread: the factors of a product, and the product of the factors before each of them. */
static inline int64_t eval_scratch(const eval_program *p, const eval_kernels *kernels)
{
    return 2 * (int64_t)p->most_factors * kernels->planes * kernels->width;
}

#endif
