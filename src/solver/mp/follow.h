/* follow.h - follows one path of a homotopy to its end with as many digits as that takes.
 *
 * The path is that of h(X, t) = gamma (1 - t) g(X) + t f(X) in the projective coordinates and on the patch of the homotopy. With
 * sigma = log((1 - t) / t) it is a zero of gamma e^sigma g + f, and is followed from sigma = 100 to values like -1000, where 1 - t is
 * 10^-434, in a precision that grows with -sigma. Where several paths end at one point or in a cluster of points, X is a power
 * series in u = e^(sigma / c). The predictor is a polynomial in u through the last three points and their slopes, so that steps get
 * longer and longer as soon as there is nothing new to be seen. A step is accepted if Newton's method contracts by a wide margin and
 * the first correction is small compared with what is left of the way to the limit; otherwise it is halved.
 *
 * The walk ends
 *   - at a regular endpoint: X is so near to it that Newton's method converges to it quadratically from here, at a distance that the
 *     slope dX/dsigma predicts (X - X* is dX/dsigma up to terms of second order in e^sigma);
 *   - at a point that is not regular, as soon as X is within 10^-digits of its limit. */
#ifndef PLUMB_SOLVER_MP_FOLLOW_H
#define PLUMB_SOLVER_MP_FOLLOW_H

#include "model/homotopy/homotopy.h"
#include "solver/mp/number.h"

typedef enum mp_end {
    MP_END_REGULAR,  /* a finite or infinite endpoint where the Jacobian of the homogenized system is regular */
    MP_END_SINGULAR, /* X is within its error of the limit of the path, where the Jacobian is singular */
    MP_END_FAILED    /* the limits of the work or of the steps were reached: x is the last point */
} mp_end;

typedef struct mp_path {
    mp_complex *x; /* homotopy->unknowns numbers: the endpoint */
    int64_t bits;  /* of x */
    mp_end end;
    double
        error; /* log2 of the distance of x from the limit of the path, relative to the largest coordinate; an estimate */
    double work; /* units of mp_system_cost that were spent */
    int64_t steps;
} mp_path;

/* start: a start solution in the given unknowns, 2 * PLUMB_QD doubles per unknown, limbs of the real part first. digits: how near X
 * has to come to a limit that is not regular. most_work: where to give up, in units of mp_system_cost. PLUMB_ERR_MEMORY;
 * otherwise the path is to be cleared. */
PLUMB_USE_RESULT plumb_status mp_follow(const plumb_homotopy *homotopy, const double *start, double digits,
                                        double most_work, mp_path *path);
void mp_path_clear(const plumb_homotopy *homotopy, mp_path *path);

#endif
