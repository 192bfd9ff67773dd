/* follow.h - follows one path of a homotopy to its end with as many digits as necessary.
 *
 * The path is that of h(X, t) = gamma (1 - t) g(X) + t f(X) in the projective coordinates and on the patch of the homotopy. With
 * sigma = log((1 - t) / t) it is a zero of gamma e^sigma g + f, and is followed from sigma = 100 to values like -1000, where 1 - t is
 * 10^-434, in a precision that grows with -sigma. Where several paths end at one point or in a cluster of points, X is a power
 * series in u = e^(sigma / c). The predictor is a polynomial in u through the last points and their slopes, so that steps get
 * longer and longer as soon as there is nothing new to be seen. It uses as many points, up to twelve, and the c that would have
 * predicted the newest point best. Where a path runs along a component of solutions the radius of convergence of Newton's method falls
 * like tau, which is u^c: the steps of a polynomial of degree d shrink like u^(c/d), and only a high degree keeps them long.
 * A step is accepted if Newton's method contracts by a wide margin and
 * the first correction is small compared with what is left of the way to the limit; otherwise it is halved. Where steps get too small,
 * the precision is doubled: the equations may be ill-conditioned there. If the point is not on the path then, with more bits, the walk
 * begins anew with them.
 *
 * The walk ends
 *   - at a regular endpoint: X is so near to it that Newton's method converges to it quadratically from here, at a distance that the
 *     slope dX/dsigma predicts (X - X* is dX/dsigma up to terms of second order in e^sigma);
 *   - at a point that is not regular, as soon as X is within 10^-digits of its limit;
 *   - at infinity also before that, as soon as the limit is known so well: it is the value at u = 0 of the polynomial through points that
 *     are corrected as far as their precision allows. It must change by less without the oldest or the newest of them, solve the target as
 *     well as that, and its x_0 must be zero as well as that. Besides, each coordinate must behave like u^k with an integer k, and by these
 *     orders the terms of least order of each equation must balance each other: a term with a tiny coefficient that will
 *     end the fall of x_0 further out has a smaller order. A finite end is not taken from there, because a cluster of solutions looks like
 *     one of them until X is as near as they are to each other. */
#ifndef PLUMB_SOLVER_MP_FOLLOW_H
#define PLUMB_SOLVER_MP_FOLLOW_H

#include "model/homotopy/homotopy.h"
#include "solver/mp/number.h"

typedef enum mp_end {
    MP_END_REGULAR,  /* a finite or infinite endpoint where the Jacobian of the homogenized system is regular */
    MP_END_SINGULAR, /* x is within its error of the limit of the path, where the Jacobian is singular */
    MP_END_FAILED    /* the limits of the work or of the steps were reached: x is the last point */
} mp_end;

/* Why a path failed. */
typedef enum mp_limit {
    MP_LIMIT_NONE,   /* it did not */
    MP_LIMIT_WORK,   /* more work is needed: a further call goes on */
    MP_LIMIT_BITS,   /* more bits are needed */
    MP_LIMIT_STEPS,  /* more steps are needed */
    MP_LIMIT_STOPPED /* a stop was asked for */
} mp_limit;

enum { MP_HISTORY = 12 }; /* points of the predictor, at most */

/* What a further call needs to go on. */
typedef struct mp_walk {
    mp_complex *x[MP_HISTORY], *slope[MP_HISTORY]; /* the newest point first */
    double sigma[MP_HISTORY];
    int64_t known; /* points of the history; 0: the walk has not begun */
    int64_t bits;  /* of these numbers */
    int64_t extra; /* bits that were found to be needed beyond those that follow from sigma */
    double length; /* of the next step */
} mp_walk;

typedef struct mp_path {
    mp_complex *x; /* homotopy->unknowns numbers: the endpoint; NULL if the start solution is none */
    int64_t bits;  /* of x */
    mp_end end;
    mp_limit limit;
    double
        error; /* log2 of the distance of x from the limit of the path, relative to the largest coordinate; an estimate */
    bool infinite; /* of a limit that is no regular endpoint: it is at infinity, whatever the sizes of the coefficients are */
    bool own;      /* of a regular endpoint: the error of each coordinate is relative to that coordinate */
    double work;   /* units of mp_system_cost that were spent in all calls */
    int64_t steps; /* of all calls, accepted or not */
    mp_walk walk;
} mp_path;

typedef struct mp_follow_options {
    double digits;            /* how near X has to come to a limit that is not regular */
    double most_work;         /* of all calls for a path, in units of mp_system_cost */
    int64_t most_bits;        /* of the arithmetic; 0: any number */
    int64_t most_steps;       /* of all calls for a path; 0: any number */
    int32_t care;             /* 0, or larger for a path that has come to the end of another one: shorter steps */
    bool (*stop)(void *data); /* asked before each step; or NULL */
    void *data;               /* passed to stop */
} mp_follow_options;

/* start: a start solution in the given unknowns, the same in all calls for a path. *path is zero, or what an earlier call for the same path has left there, which then goes
 * on with other options, unless the end is regular. PLUMB_ERR_MEMORY; in any case the path is to be cleared. */
PLUMB_USE_RESULT plumb_status mp_follow(const plumb_homotopy *homotopy, const mp_complex *start,
                                        const mp_follow_options *options, mp_path *path);
void mp_path_clear(const plumb_homotopy *homotopy, mp_path *path);

#endif
