/* solutions.h - solutions of a system as plain data, at one precision, with what is known of each. */
#ifndef PLUMB_MODEL_SOLUTIONS_H
#define PLUMB_MODEL_SOLUTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "plumb.h"

typedef struct solution_record {
    int64_t multiplicity;
    double err; /* size of the last correction */
    double rco; /* estimate of the inverse of the condition number */
    double res; /* residual */
} solution_record;

/* Memory is owned. Numbers are limbs of the real part, then of the imaginary part. */
typedef struct plumb_solutions {
    int64_t count, unknowns;
    int32_t prec;
    char **names;
    double *x; /* unknown i of solution k: x + (k * unknowns + i) * 2 * prec */
    double *t; /* of solution k: t + k * 2 * prec */
    solution_record *record;
} plumb_solutions;

/* Zeros, multiplicity 1, rco 1. names are copied, or NULL: then all of them are NULL until someone sets them. On failure
 * (PLUMB_ERR_ARGUMENT, PLUMB_ERR_MEMORY, PLUMB_ERR_SIZE) *solutions is NULL. */
PLUMB_USE_RESULT plumb_status plumb_solutions_create(int64_t count, int64_t unknowns, int32_t prec,
                                                     const char *const *names, plumb_solutions **solutions);
void plumb_solutions_destroy(plumb_solutions *solutions); /* NULL is fine */

static inline double *solution_value(const plumb_solutions *s, int64_t solution, int64_t unknown)
{
    return s->x + (solution * s->unknowns + unknown) * 2 * s->prec;
}

#endif
