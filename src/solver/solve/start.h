/* start.h - where paths begin: a start system whose solutions are numbered and made when they are needed.
 *
 * Every kind of start system is a solve_start: the system, the number of its solutions, and a function that makes those
 * of a range of numbers. Solution k depends on k alone, never on the range that it is asked for with, so that a run can
 * be stopped and continued, and so that a part of the paths has the results that it has among all of them. */
#ifndef PLUMB_SOLVER_SOLVE_START_H
#define PLUMB_SOLVER_SOLVE_START_H

#include "solver/context/context.h"
#include "solver/mp/number.h"

typedef struct solve_start {
    int32_t kind;         /* PLUMB_START_TOTAL, ...; PLUMB_START_AUTO: none */
    plumb_system *system; /* in the unknowns of the target, in their order */
    int64_t paths;        /* number of its solutions, one path each */
    uint64_t hash;        /* of what the solutions depend on beside the target, seed and kind; for journals */
    double gamma;         /* factor of the start system in the homotopy; 0: a random number on the unit circle */
    void *data;           /* of the kind */
    /* Makes the solutions with these numbers, ascending, as many as the batch of x (unknowns x 1, complex, qd, on the host).
     * One that cannot be made has only NaN: its path fails as "not a solution of the start system". rerun > 0: the solutions
     * are needed for rerun number k of their paths; where they come from paths themselves, these take shorter steps. */
    plumb_status (*make)(const struct solve_start *start, plumb_context *context, const int64_t *numbers, int32_t rerun,
                         plumb_view *x);
    /* Makes one solution by MPFR that make could not: x has one number per unknown. NULL: make can make all of them. */
    plumb_status (*walk)(const struct solve_start *start, int64_t number, mp_effort *effort, mp_complex *x);
    void (*clear)(struct solve_start *start); /* of data; may be NULL */
} solve_start;

void plumb_solve_start_clear(solve_start *start);

/* A start system of total degree, for a target with as many equations as unknowns and without constant equations. */
PLUMB_USE_RESULT plumb_status plumb_solve_start_total(const plumb_system *target, uint64_t seed, solve_start *start);

/* A multi-homogeneous start system, with the groups of unknowns that have the fewest paths; the groups are moved into it,
 * also on failure (solver/multihomogeneous). PLUMB_ERR_ARGUMENT if there are no paths, or too many to count;
 * PLUMB_ERR_SIZE if its equations would have too many terms. */
struct unknown_groups;
PLUMB_USE_RESULT plumb_status plumb_solve_start_multihomogeneous(const plumb_system *target,
                                                                 struct unknown_groups *groups, uint64_t seed,
                                                                 solve_start *start);

/* A polyhedral start system for a square target. nonzero: only solutions without zero coordinates are needed. Enumerations of
 * mixed cells take at most `most_work` steps each (0: any number): PLUMB_ERR_STOPPED if that is not enough. */
PLUMB_USE_RESULT plumb_status plumb_solve_start_polyhedral(plumb_context *context, const plumb_system *target,
                                                           int32_t nonzero, uint64_t seed, int64_t most_work,
                                                           solve_start *start);

#endif
