/* solutions.h - solutions of a system as plain data in one precision, with error, condition and residual of each. */
#ifndef PLUMB_MODEL_SOLUTIONS_H
#define PLUMB_MODEL_SOLUTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "plumb.h"

typedef struct solution_record {
    int64_t multiplicity;
    double err;                      /* size of the last correction */
    double rco;                      /* estimate of the inverse of the condition number */
    double res;                      /* residual */
    int32_t kind, real, prec, known; /* as in plumb_solution_record */
    int32_t positive, nonzero;       /* 1: all unknowns are above 0, no unknown is 0; of solutions of plumb_solve */
} solution_record;

/* Owns its memory. A number is stored as the limbs of its real part, then those of its imaginary part. */
struct plumb_solutions {
    int64_t count, unknowns;
    int32_t prec;
    char **names; /* each may be NULL until it is set */
    double *x;    /* unknown i of solution k: x + (k * unknowns + i) * 2 * prec */
    double *t;    /* t of solution k: t + k * 2 * prec */
    solution_record *record;
    plumb_solve_report *report; /* what plumb_solve did, or NULL */
    plumb_digits *digits;       /* numbers of any length, which are written in place of x, or NULL */
};

/* Is it selected by real, positive and nonzero of these options? */
static inline bool solution_is_wanted(const solution_record *r, const plumb_solve_options *options)
{
    return (!options->real || r->real) && (!options->positive || (r->positive && r->real)) &&
           (!options->nonzero || r->nonzero);
}

static inline double *solution_value(const plumb_solutions *s, int64_t solution, int64_t unknown)
{
    return s->x + (solution * s->unknowns + unknown) * 2 * s->prec;
}

#endif
