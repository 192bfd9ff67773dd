/* plan.h - makes the parts described in gpu.h from a program, on the host. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_PLAN_H
#define PLUMB_BACKEND_CUDA_EVAL_PLAN_H

#include "backend/cuda/eval/gpu.h"
#include "model/program/program.h"

/* The input of a plan: precision and kind of the numbers, with derivatives or without. */
typedef struct eval_wish {
    const eval_program *program;
    const double *coefficients; /* in the form of program.h */
    int32_t prec, parts, derivatives;
    int32_t equations; /* equations per part */
    int32_t zeros;     /* list the derivatives that are identically zero */
    int32_t many;      /* 1: for many points */
} eval_wish;

typedef struct eval_plan {
    eval_gpu_program program; /* parts_at: on the host, program.parts * program.part_doubles */
    int64_t products, terms;  /* of all parts together */
} eval_plan;

/* Returns PLUMB_ERR_MEMORY, or PLUMB_ERR_SIZE if the words of a part overflow. */
plumb_status plumb_eval_plan_create(const eval_wish *wish, eval_plan *plan);
void plumb_eval_plan_destroy(eval_plan *plan);

/* The words of the first part. */
static inline const int32_t *eval_plan_words(const eval_plan *plan)
{
    return (const int32_t *)(const void *)plan->program.parts_at;
}

#endif
