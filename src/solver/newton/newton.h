/* newton.h - Newton's method on many points at once.
 *
 * Points go in rounds: in a round each takes one step, those together whose Jacobian has the same precision. So lanes and threads are
 * those of evaluation and of batches of least squares, which give each point the bits it has alone; and so does a GPU. Between
 * rounds points are looked at one by one (newton_decide.c): who has arrived, who needs a better Jacobian, who never will. */
#ifndef PLUMB_SOLVER_NEWTON_H
#define PLUMB_SOLVER_NEWTON_H

#include <stdbool.h>

#include "solver/context/context.h"

/* One step of a point, for those who want to see them. */
typedef struct newton_trace_step {
    int32_t prec, jacobian_prec;
    double residual;   /* before the step */
    double correction; /* over the largest entry of x */
} newton_trace_step;

typedef struct newton_trace {
    newton_trace_step *step;
    int64_t count, room; /* steps beyond the room are not kept */
} newton_trace;

typedef struct newton_settings {
    int64_t most_steps;
    double tolerance;      /* 0: what the precision allows */
    double wanted;         /* an error that will do, 0: as above */
    int32_t jacobian_prec; /* 0: chosen */
    newton_trace *traces;  /* one a point, or NULL */
    bool *within;          /* out, one a point, or NULL: converged, with correction and noise within the tolerance */
} newton_settings;

/* Options over the defaults, checked; PLUMB_ERR_ARGUMENT with a message. most: the precision of x. */
plumb_status newton_settle(plumb_context *context, const plumb_newton_options *given, int32_t most,
                           newton_settings *settings);

/* A system for Newton's method, and points of it; newton_check: and what plumb_newton asks of them. */
plumb_status newton_check_points(plumb_context *context, const plumb_system *system, const plumb_view *x);
plumb_status newton_check(plumb_context *context, const plumb_system *system, const plumb_view *x,
                          const plumb_newton_report *reports);

/* plumb_newton, checked. In the reports jacobian_prec may tell where to begin, where it is to be chosen; 0: in d. */
plumb_status newton_run(plumb_context *context, const plumb_system *system, plumb_view *x,
                        const newton_settings *settings, plumb_newton_report *reports);

/* plumb_newton_refine for a batch: traces tell the steps of all precisions. */
plumb_status newton_climb(plumb_context *context, const plumb_system *system, const plumb_view *x, double digits,
                          const newton_settings *settings, plumb_newton_report *reports);

/* ---- newton_sizes.c ---- */

/* The moduli of the terms of each equation added up, for |x|: what rounding errors of its value are proportional to. */
typedef struct newton_sizes {
    const plumb_system *system;
    double *coefficient; /* moduli, a term each */
} newton_sizes;

bool newton_sizes_create(const plumb_system *system, newton_sizes *sizes);
void newton_sizes_destroy(newton_sizes *sizes);
void newton_sizes_at(const newton_sizes *sizes, const double *modulus, double *size);

/* ---- newton_decide.c ---- */

/* Where a point stands. Sizes are largest moduli of entries, in double. */
typedef struct newton_point {
    bool active;
    int32_t jacobian_prec;
    int32_t code, quadratic;
    int64_t steps;
    double first_size;       /* of x where it began; 1 if that is 0 */
    double correction[3];    /* sizes of the last ones, the latest first; 0: there was none */
    double moved;            /* the last one over the size of x; infinite before the first */
    double residual;         /* before the last step */
    double least_residual;   /* seen so far */
    double condition, noise; /* noise: what rounding leaves of x, relative */
    double error;
} newton_point;

/* What one solve found out. */
typedef struct newton_solve {
    plumb_info info;
    double residual;   /* of f, as reports have it */
    double size;       /* of x before the correction */
    double correction; /* of f */
    double response;   /* of errors as large as the terms of the system */
    double left;       /* norm of what of f no correction removes; 0 with as many equations as unknowns */
    double terms;      /* norm of the sizes of the terms */
} newton_solve;

typedef struct newton_problem {
    int32_t prec, degree;
    bool overdetermined;
    const newton_settings *settings;
} newton_problem;

/* Before the correction is made: true when it should be. Else the point was given a Jacobian of higher precision, or ended. */
bool newton_accept(const newton_problem *problem, newton_point *point, const newton_solve *solve);

/* After it: size is that of x now, not finite where x is not. */
void newton_judge(const newton_problem *problem, newton_point *point, double size);

#endif
