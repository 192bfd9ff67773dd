/* plan.h - makes the parts of eval_gpu.h out of a program, on the host. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_PLAN_H
#define PLUMB_BACKEND_CUDA_EVAL_PLAN_H

#include "backend/cuda/eval/gpu.h"
#include "model/program/program.h"

/* What is to be planned: numbers of a precision and kind, with derivatives or without. */
typedef struct eval_wish {
    const eval_program *program;
    const double *coefficients; /* as program.h has them */
    int32_t prec, parts, derivatives;
    int32_t equations; /* of a part */
    int32_t zeros;     /* list the derivatives that are identically zero */
    int32_t many;      /* for many points */
} eval_wish;

typedef struct eval_plan {
    eval_gpu_program program; /* parts_at: on the host, program.parts * program.part_doubles */
    int64_t products, terms;  /* of all parts */
} eval_plan;

/* PLUMB_ERR_MEMORY, or PLUMB_ERR_SIZE where words do not count so far. */
plumb_status plumb_eval_plan_create(const eval_wish *wish, eval_plan *plan);
void plumb_eval_plan_destroy(eval_plan *plan);

/* The words of the first part. */
static inline const int32_t *eval_plan_words(const eval_plan *plan)
{
    return (const int32_t *)(const void *)plan->program.parts_at;
}

#endif
