/* round.h - the arrays of Newton's method for some points at once, and one round of steps. */
#ifndef PLUMB_SOLVER_NEWTON_ROUND_H
#define PLUMB_SOLVER_NEWTON_ROUND_H

#include "solver/newton/newton.h"

/* Dense arrays on the host with room for `most` points in the precision of x; the arrays for the Jacobian are also
 * used in lower precisions. */
typedef struct newton_arrays {
    plumb_view x, best;        /* of all points of the run; best: with the smallest residual */
    plumb_view points, values; /* of the points of a round that are solved together */
    plumb_view low_points, low_values, jacobians, sides, solutions, norms; /* in the precision of the Jacobian */
    plumb_view corrections;
    double *sizes;   /* m doubles per point: the sizes of the terms */
    double *modulus; /* 4 n doubles */
    double *value;   /* m doubles */
    double *
        before; /* 2 n doubles per point: moduli of the entries of its last correction, and its responses relative to x */
    double *direction; /* 2 m doubles on the unit circle */
    double *terms;     /* for each point the norm of the sizes of the terms */
    double *underflow; /* and their relative error by underflow */
    double *weight;    /* m doubles for each point of a round: powers of two by which its equations were multiplied */
    int64_t *which;    /* points that are solved together */
    plumb_info *info;
    bool *singular; /* of the points of a round: the Jacobian has a row of zeros */
    bool *poor;     /* likewise, if there are more equations than unknowns: columns are nearly dependent */
    int64_t most;
} newton_arrays;

typedef struct newton_work {
    plumb_context *context;
    const plumb_system *system;
    newton_problem problem;
    newton_sizes sizes;
    newton_arrays at;
    newton_point *point;
    newton_trace *trace; /* of each point of this run, or NULL */
    bool *within;        /* likewise */
    int64_t count;       /* points of this run, at most at.most */
} newton_work;

/* Allocates the arrays for `most` points in a precision. On failure nothing has to be freed. */
plumb_status newton_work_create(plumb_context *context, const plumb_system *system, int32_t prec, int64_t most,
                                newton_work *work);
void newton_work_destroy(newton_work *work);

/* One step for every active point whose Jacobian has the precision low. */
plumb_status newton_round(newton_work *work, int32_t low);

/* Computes the residuals at the current x; infinite if they are not finite. */
plumb_status newton_residuals(newton_work *work, double *residual);

/* The largest modulus among the leading limbs of a column of problem k; not finite if one of them is not. */
double newton_largest(const plumb_view *view, int64_t k, int64_t column);

#endif
