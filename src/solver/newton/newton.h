/* newton.h - Newton's method on many points at once.
 *
 * Points are processed in rounds: each point takes one step per round, and points whose Jacobians have the same
 * precision are solved together. Lanes and threads are used by evaluation and by batches of least squares, so the
 * results are batch-invariant. Between rounds decide.c looks at each point: has it converged, does it need a more
 * accurate Jacobian, or will it never converge? */
#ifndef PLUMB_SOLVER_NEWTON_H
#define PLUMB_SOLVER_NEWTON_H

#include <stdbool.h>

#include "solver/context/context.h"

/* One step of a point, for reports. */
typedef struct newton_trace_step {
    int32_t prec, jacobian_prec;
    double residual;   /* before the step */
    double correction; /* relative to the largest entry of x */
} newton_trace_step;

typedef struct newton_trace {
    newton_trace_step *step;
    int64_t count, room; /* steps beyond the room are not kept */
} newton_trace;

typedef struct newton_settings {
    int64_t most_steps;
    double tolerance;      /* 0: what the precision allows */
    double wanted;         /* sufficient error; 0: as above */
    int32_t jacobian_prec; /* 0: chosen */
    int32_t first_prec;    /* in which newton_climb begins; 0: d */
    newton_trace *traces;  /* one per point, or NULL */
    bool *within;          /* out, one per point, or NULL: converged, with correction and noise within the tolerance */
} newton_settings;

/* Merges the options with the defaults and checks them; PLUMB_ERR_ARGUMENT with a message on failure. most is the
 * precision of x. */
plumb_status newton_settle(plumb_context *context, const plumb_newton_options *given, int32_t most,
                           newton_settings *settings);

/* Checks that a system suits Newton's method and that the points belong to it; newton_check also checks the
 * requirements of plumb_newton. */
plumb_status newton_check_points(plumb_context *context, const plumb_system *system, const plumb_view *x);
plumb_status newton_check(plumb_context *context, const plumb_system *system, const plumb_view *x,
                          const plumb_newton_report *reports);

/* plumb_newton after the checks. If the precision of the Jacobian is automatic, jacobian_prec of a report gives the
 * initial one; 0: d. */
plumb_status newton_run(plumb_context *context, const plumb_system *system, plumb_view *x,
                        const newton_settings *settings, plumb_newton_report *reports);

/* plumb_newton_refine for a batch; traces receive the steps in all precisions. */
plumb_status newton_climb(plumb_context *context, const plumb_system *system, const plumb_view *x, double digits,
                          const newton_settings *settings, plumb_newton_report *reports);

/* ---- sizes.c ---- */

/* For each equation the sum of the moduli of its terms at |x|, to which the rounding errors of its value are
 * proportional. */
typedef struct newton_sizes {
    const plumb_system *system;
    const double *coefficient; /* moduli, one per term; they belong to the system */
} newton_sizes;

/* The moduli are computed on the first call and kept with the system; any number of threads may call this at once. Returns
 * false if there is no memory. */
bool newton_sizes_of(const plumb_system *system, newton_sizes *sizes);
void newton_sizes_at(const newton_sizes *sizes, const double *modulus, double *size);
/* Also returns how much of them underflow may change, relative to the largest terms: 0 unless powers or products are near the
 * smallest double, infinite if they vanish. */
double newton_sizes_lost(const newton_sizes *sizes, const double *modulus, double *size);

/* For each equation the sum of the moduli of the terms of J times a correction with these moduli, which is what errors of the Jacobian
 * are proportional to. */
void newton_sizes_along(const newton_sizes *sizes, const double *modulus, const double *moved, double *change);

/* ---- decide.c ---- */

/* The state of a point. Sizes are largest moduli of entries, in double. */
typedef struct newton_point {
    bool active;
    int32_t jacobian_prec;
    int32_t code, quadratic;
    int64_t steps;
    double first_size;       /* initial size of x; 1 if that is 0 */
    double size;             /* of x before the last correction */
    double correction[3];    /* sizes of the last three, latest first; 0: there was none */
    double ahead;            /* size of the corrections to come, estimated */
    double moved;            /* the last correction relative to the size of x; infinite before the first */
    double residual;         /* before the last step */
    double least_residual;   /* smallest residual so far */
    double condition, noise; /* noise: relative error of x caused by rounding */
    double contraction;      /* corrections decrease by this factor at best, because of the precision of the Jacobian */
    double error;
    double slowest;    /* factor by which the corrections of an unknown decrease, the largest */
    double moved_each; /* largest correction of an unknown relative to itself */
    bool uncertain;    /* the Jacobian is noise for an unknown that is not zero */
    bool at_zero;      /* the root is zero: x is to become that */
} newton_point;

/* The result of one solve. */
typedef struct newton_solve {
    plumb_info info;
    double residual;   /* of f, as in reports */
    double size;       /* of x before the correction */
    double correction; /* size of the correction for f */
    int64_t unknowns;
    /* Moduli, one array after the other: of the correction, of the response, of x, and of the correction for values of the same size in
     * random directions. */
    const double *now;
    double *before;   /* of the correction before, and its responses relative to x; replaced if this one is accepted */
    double response;  /* size of the solution for errors as large as the terms of the system */
    double left;      /* norm of the part of f that no correction removes; 0 for square systems */
    double terms;     /* norm of the sizes of the terms */
    double underflow; /* their relative error by underflow */
    double factor;    /* condition of the factor, columns scaled; 0 for square systems */
    bool poor;        /* the factor may be noise; false for square systems */
    double share;     /* largest ratio of the terms of J times the correction to the terms of an equation */
    double lapse;     /* effect of errors of the Jacobian on the correction */
    double rest;      /* effect of what the solver left of the equations */
} newton_solve;

typedef struct newton_problem {
    int32_t prec, degree;
    bool overdetermined;
    bool zero_is_root; /* no equation has a constant term */
    const newton_settings *settings;
} newton_problem;

/* The relative error of values and Jacobians in a precision. */
double newton_rounding(const newton_problem *problem, int32_t prec);

/* Called before the correction is applied. Returns true if it should be; otherwise the point has been given a
 * Jacobian of higher precision, or has ended. */
bool newton_accept(const newton_problem *problem, newton_point *point, const newton_solve *solve);

/* Called after the correction: size is that of the new x, not finite if x is not. */
void newton_judge(const newton_problem *problem, newton_point *point, double size);

#endif
