/* track.h - a path as plain data, and the tick that moves it: what the drivers on the processor and on a GPU share.
 *
 * The homotopy is h(x, tau) = gamma tau g(x) + (1 - tau) f(x), tau = 1 - t is the way left. A path is a sequence of straight legs in
 * the complex plane of tau: the walk from 1 to 0, and for paths that do not arrive by steps the chords of polygons around 0. Each leg
 * is followed by steps, each step is a prediction and Newton corrections, and all of it is made of one kind of tick:
 *
 *   evaluate  g, f and their Jacobians at the trial point X, with the stacked system of the homotopy   (the driver)
 *   combine   A = gamma tau Jg + (1 - tau) Jf and the right-hand sides -h, -(gamma g - f), r          (TRACK(combine))
 *   solve     A [dx v w] = B by least squares                                                          (the driver)
 *   decide    X += dx; then correct again, accept, or go back and predict for a shorter step            (TRACK(decide))
 *
 * v is the tangent dx/dtau, so accepted points bring their slopes with them and a prediction needs no evaluation. w = A^-1 r for a random
 * r with entries as large as the terms of each equation says two things: |w| / |x| is a condition number, and how much w changes
 * from point to point says how much the inverse Jacobian does, which is the trust a step deserves. docs/tracking.md has the method.
 *
 * A driver: TRACK(begin) once; ticks while path->state is TRACK_GOES_ON, moving the path to the precision path->wants (track_move) whenever
 * that is not path->prec; TRACK(finish) once. All TRACK functions are called by every thread of a team alike (track_tmpl.h).
 *
 * Nothing here depends on the machine: +, -, *, / and sqrt of doubles, so that the same numbers lead to the same decisions. */
#ifndef PLUMB_METHOD_TRACK_H
#define PLUMB_METHOD_TRACK_H

#include <stdint.h>

#ifndef TRACK_FN
#define TRACK_FN static inline __attribute__((unused))
#endif

/* ---- What a call asks for, the same for all of its paths ---------------------------------------------------------- */

enum { TRACK_DEGREES = 512 };

typedef struct track_settings {
    int64_t equations, unknowns; /* of h: m and n */
    int64_t most_steps;
    uint64_t seed;
    double gamma[2];
    double turn;       /* most relative change of w in a step */
    double tolerance;  /* of endpoints, relative; 0: by precision */
    double least_step; /* of tau; 0: by precision */
    double shorten;    /* of every step the control proposes: 1, and less in reruns */
    int32_t projective;
    int32_t least_prec, most_prec; /* limbs; the same: no choice */
    int32_t endgame, most_winding;
    int32_t rerun; /* 0: the first time */
    /* Of the first equations of h, at most 255; 1 for those beyond. With it is known how terms grow and shrink with |x|. */
    uint8_t degree[TRACK_DEGREES];
} track_settings;

/* ---- A path --------------------------------------------------------------------------------------------------------- */

/* After each TRACK(decide). Paths with path->wants != path->prec go on once they have been moved. */
enum { TRACK_GOES_ON = 0, TRACK_DONE = 1 };

/* What the ticks are for at the moment. */
enum {
    TRACK_STARTS,  /* corrects the start point at tau = 1 */
    TRACK_STEPS,   /* a trial point a step away from the newest one */
    TRACK_REFINES, /* corrects the point X where it is: after a change of precision, or back from a circle that failed */
    TRACK_VERIFIES /* looks at the endpoint a circle gave, at tau = 0 */
};

/* Where the leg leads. */
enum {
    TRACK_WALK, /* to tau = 0 */
    TRACK_IN,   /* inward to the radius of the next circle */
    TRACK_ROUND /* to the next vertex of a circle */
};

/* Columns of the vectors of a path: n numbers each, in its precision. */
enum {
    TRACK_X,     /* the trial point: evaluate here */
    TRACK_POINT, /* the newest accepted points, at most TRACK_HISTORY, in a ring: path->newest is the last */
    TRACK_HISTORY = 3,
    TRACK_SLOPE = TRACK_POINT + TRACK_HISTORY, /* dx/dtau there, in the same places */
    TRACK_W = TRACK_SLOPE + TRACK_HISTORY,     /* w at the newest accepted point */
    TRACK_W_TRIAL,                             /* w of the last tick of a trial */
    TRACK_LOOP,                                /* where the circle began */
    TRACK_SUM,                                 /* of the vertices since then */
    TRACK_ALTERNATE,                           /* of the vertices with alternating signs */
    TRACK_MEAN,                                /* the endpoint as the last circle that closed gave it */
    TRACK_VECTORS
};

/* Every scalar of a path. Complex values of tau have two doubles a part: re hi, re lo, im hi, im lo. */
typedef struct track_path {
    int64_t number; /* which path: seeds its random numbers */
    int64_t steps, rejected, solves;
    int32_t state, code; /* a plumb_path_code once it is done */
    int32_t prec, wants, most_prec;
    int32_t accepted; /* 1: the last tick accepted a point: column TRACK_POINT + newest, at at[newest] */
    int32_t phase, leg;
    int32_t corrections;       /* solves at this trial point so far */
    int32_t shown_corrections; /* those of the newest accepted point */
    int32_t exact;             /* 1: correct as far as the precision goes */
    int32_t order;             /* of the prediction of this trial */
    int32_t logarithmic;       /* it was made in log(tau) */
    int32_t history, newest;
    int32_t calm;                /* accepted steps in a row that a lower precision could have made */
    int32_t cuts;                /* accepted steps near the end */
    int32_t vertex;              /* of the circle, counted through all turns */
    int32_t vertices;            /* a turn */
    int32_t failures;            /* rejections in a row */
    int32_t returned;            /* 1: back at the beginning of a circle, to go round again */
    int32_t open;                /* circles that did not close */
    int32_t doubted;             /* 1: an end that may be regular looked singular: circles as exact as can be */
    int32_t marks;               /* of the walk, each at half of tau or less: rates are from mark to mark */
    int32_t grown;               /* circles in a row, each begun at a larger |x| */
    int32_t circles;             /* begun so far */
    int32_t winding;             /* of the last circle that closed */
    int32_t settled;             /* 1: its mean is as good as its points */
    double tau[4];               /* of the trial point */
    double at[TRACK_HISTORY][4]; /* of the accepted points */
    double target[4];            /* end of the leg */
    double step;                 /* |delta tau| that the control proposes for the next trial */
    double tried;                /* of this trial */
    double before;               /* |tau| where it set out */
    double lead;                 /* |x_0| of X: where that is the homogenizing unknown, how far from infinity */
    double
        apart; /* |x - the point before| of the newest accepted point; of a vertex from the beginning of the circle */
    double slope; /* |dx/dtau| at the newest accepted point */
    double
        size; /* largest modulus of an entry of X; all other norms are largest real or imaginary parts. Of leading limbs */
    double residual;    /* largest |h_i| at the last tick */
    double backward;    /* largest |h_i| over the size of the terms of equation i */
    double first, last; /* |dx| of the first and the last correction of the trial */
    double moved;       /* sum of |dx| of the trial */
    double change;      /* largest relative change of w between corrections of the trial */
    double weighed;     /* |x| where r was made */
    double swell;       /* terms of h at the trial point over those at the start, in the worst equation, at least 1 */
    double excess;      /* noise seen over noise expected, at least 1 */
    double bend;        /* relative change of w from the newest accepted point to the last tick */
    double condition;   /* |w| / |x| at the last tick */
    double omega; /* change of w over that of x, the larger one of the last steps: how far Newton's method converges */
    double accuracy;      /* of the newest accepted point, relative, estimated */
    double shown_size;    /* of the step to the newest accepted point */
    double least_step;    /* accepted so far */
    double radius;        /* of the circle */
    double resume;        /* the endgame was premature: steps alone down to here */
    double extent;        /* the largest distance of its vertices from its beginning */
    double loop_accuracy; /* of its beginning */
    double mean_error;    /* of TRACK_MEAN, relative to |x|, estimated; negative: no circle has closed */
    double mean_radius;   /* of that circle */
    double loop_condition;
    double inward;                /* radius of the next circle over that of this one */
    double loop_size;             /* |x| where it began, and those before: to see paths grow that are not projective */
    double mark_tau, mark_finite; /* |tau| at the last mark of the walk, and how finite x was there: track_finite */
    double rate[3];               /* of that, as a power of tau, between the last marks; the newest first */
    double error;                 /* of the endpoint, relative, estimated: for the record */
} track_path;

/* ---- Memory ----------------------------------------------------------------------------------------------------------- */

/* A matrix of complex numbers: plane c of entry (i, j) is p[c*plane + j*col + i]; limbs of the real part, then of the imaginary part. */
typedef struct track_view {
    double *p;
    int64_t plane, col;
} track_view;

/* Doubles of the vectors of a path; a view of them has col = unknowns and plane = unknowns * TRACK_VECTORS. */
TRACK_FN int64_t track_vector_doubles(int64_t unknowns, int32_t prec)
{
    return 2 * (int64_t)prec * unknowns * TRACK_VECTORS;
}

/* Entry k of a path's vectors (k < unknowns * TRACK_VECTORS) from one precision to another: exact going up, cut going down, which for
 * normalised numbers is rounded. Planes of both are unknowns * TRACK_VECTORS apart. Whoever moves all entries sets path->prec to
 * path->wants afterwards: that is all there is to moving. r and the path itself stay. */
TRACK_FN void track_move_entry(const double *from, int32_t from_prec, double *to, int32_t to_prec, int64_t plane,
                               int64_t k)
{
    for (int32_t part = 0; part < 2; part++)
        for (int32_t c = 0; c < to_prec; c++)
            to[(part * to_prec + c) * plane + k] = c < from_prec ? from[(part * from_prec + c) * plane + k] : 0.0;
}

/* Entry points, for each precision, in track_tmpl.h:
 *
 *   TRACK(begin)(team, settings, path, number, vectors, start, patch)
 *       start: given unknowns, one column; patch: 2 n doubles, or NULL unless projective. Sets every field of *path; the path begins in the
 *       precision of this compilation.
 *   TRACK(combine)(team, settings, path, values, jacobians, scale, a, b)
 *       values: 2m x 1, jacobians: 2m x n of the stacked system; scale: 2m doubles of the path, made in its first tick and kept: r,
 *       there; at other points its rows are larger or smaller by the change of |x| to the power of their degree.
 *       Fills a (m x n) and b (m x 3), and residual and backward of *path.
 *   TRACK(decide)(team, settings, path, vectors, solution, info)
 *       solution: n x 3; info as plumb_info: 0 solved.
 *   TRACK(show)(team, settings, path, vectors, end)
 *       end: the newest accepted point in the given unknowns, one column: affine coordinates. Between ticks, for whoever asks for steps.
 *   TRACK(finish)(team, settings, path, vectors, end)
 *       end: the given unknowns, one column: affine coordinates of the endpoint, of the last point of a path that did not arrive, or a
 *       direction whose largest entry is 1 for one at infinity.
 *
 * path is a copy of each thread's own, all alike before and after. vectors, a, b, values, ... belong to the team. */

#endif
