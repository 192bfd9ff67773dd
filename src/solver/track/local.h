/* local.h - the local dimension test: is a singular solution isolated, or does it lie on a curve or surface of
 * solutions?
 *
 * Let p be the point, D the sizes of its unknowns, at least 1, and x = p + eps D y. A random hyperplane a.y = 1 passes p at a distance of
 * about eps. A curve through p meets it at a point y of moderate size, for every small eps, because near p the curve
 * is p + v s^k + ... with a.v not zero. If p is isolated with multiplicity m, there is no such point: (a.(x - p))^m
 * lies in the ideal of f at p, so that |f| >= c eps^m on the hyperplane near p. So |f| is minimised on the hyperplane
 * by damped Gauss-Newton steps, for two sizes of eps chosen such that eps^m is far above the rounding errors:
 *
 *   zero     |f| falls to rounding errors, with y of the same size for both eps
 *   not zero |f| stays far above them, and grows with eps as a power of it
 *
 * The point is isolated if no hyperplane of three has a zero, from six starting points each. It is not isolated if two of them
 * have, if these zeros can be followed to an eps of 1/128, and if they are zeros to all digits of qd there: even an isolated point of a
 * multiplicity of 20 or more, of which only some paths are known, would have shown itself. Otherwise the test does not decide.
 *
 * Reference for the problem: Bates, Hauenstein, Peterson and Sommese, A numerical local dimension test for points on
 * the solution set of a system of polynomial equations, SIAM J. Numer. Anal. 47 (2009). Their test takes ranks of Macaulay
 * matrices, which needs the point to many digits; this one needs it to a fraction of eps. */
#ifndef PLUMB_SOLVER_TRACK_LOCAL_H
#define PLUMB_SOLVER_TRACK_LOCAL_H

#include <stdbool.h>

#include "model/system/system.h"
#include "solver/context/context.h"

/* Who is asked now and then whether to stop. */
typedef struct track_stop {
    bool (*ask)(const void *data);
    const void *data;
} track_stop;

typedef struct local_point {
    const double *x; /* 2 * prec doubles per unknown, limbs of the real part first */
    int32_t prec;
    int32_t paths;   /* number of paths that end there, or a winding number above it */
    double error;    /* component_error of its record */
    uint64_t seed;   /* of the hyperplanes */
    int32_t verdict; /* out: PLUMB_PATH_SINGULAR if it is isolated, PLUMB_PATH_NOT_ISOLATED or PLUMB_PATH_UNDECIDED */
} local_point;

/* Tests points of a system whose unknowns have sizes of about 1, or larger at the point. The bits do not depend on which
 * points are tested together, nor on the number of threads, and everything runs on the CPU. stop (or NULL) is asked now
 * and then; if it returns true, the verdicts that are missing are PLUMB_PATH_UNDECIDED. */
PLUMB_USE_RESULT plumb_status track_local_test(plumb_context *context, const plumb_system *system, local_point *points,
                                               int64_t count, const track_stop *stop);

#endif
