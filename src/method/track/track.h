/* track.h - a path as plain data, and the tick that advances it; shared by the drivers for CPU and GPU.
 *
 * The homotopy is h(x, tau) = gamma tau g(x) + (1 - tau) f(x), where tau = 1 - t is the distance left. A path is a
 * sequence of straight legs in the complex plane of tau: the walk from 1 to 0 and, in the Cauchy endgame, the chords
 * of polygons around 0. Each leg is followed in steps, each step is a prediction with Newton corrections, and all of
 * this is done by one kind of tick:
 *
 *   evaluate  g, f and their Jacobians at the trial point X, with the stacked system of the homotopy   (the driver)
 *   combine   A = gamma tau Jg + (1 - tau) Jf and the right-hand sides -h, -(gamma g - f), r          (TRACK(combine))
 *   solve     A [dx v w] = B by least squares                                                          (the driver)
 *   decide    X += dx; then correct again, accept, or go back and predict for a shorter step            (TRACK(decide))
 *
 * v is the tangent dx/dtau, so the slopes at accepted points are known and a prediction needs no evaluation. w = A^-1
 * r, for a random r whose entries are as large as the terms of each equation, serves two purposes: |w| / |x| is a
 * condition number, and the change of w from point to point measures the change of the inverse Jacobian, which
 * decides whether a step can be trusted. docs/tracking.md describes the method.
 *
 * A driver calls TRACK(begin) once, then runs ticks while path->state is TRACK_GOES_ON, moving the path to the
 * precision path->wants whenever that differs from path->prec (track_move_entry), and calls TRACK(finish) once. Every
 * thread of a team calls all TRACK functions with the same arguments (track_tmpl.h).
 *
 * Nothing here depends on the machine: decisions use only +, -, *, / and sqrt of doubles, so that equal numbers lead
 * to equal decisions. */
#ifndef PLUMB_METHOD_TRACK_H
#define PLUMB_METHOD_TRACK_H

#include <stdint.h>

#ifndef TRACK_FN
#define TRACK_FN static inline __attribute__((unused))
#endif

/* ---- Settings of a call, the same for all of its paths ---------------------------------------------------------- */

typedef struct track_settings {
    int64_t equations, unknowns; /* m and n of h */
    int64_t most_steps;
    uint64_t seed;
    double gamma[2];
    double turn;       /* maximum relative change of w in a step */
    double tolerance;  /* relative tolerance of endpoints; 0: by precision */
    double least_step; /* shortest step in tau; 0: by precision */
    double shorten;    /* factor applied to every proposed step: 1, and less in reruns */
    int32_t projective;
    int32_t least_prec, most_prec; /* in limbs; equal: fixed precision */
    int32_t endgame, most_winding;
    int32_t rerun; /* 0: the path is tracked for the first time */
    const uint8_t
        *degree; /* of each equation of h, on the machine; 255 stands for all above. It tells how terms grow with |x| */
} track_settings;

/* ---- A path --------------------------------------------------------------------------------------------------------- */

/* The state after each TRACK(decide). Paths with path->wants != path->prec continue after they have been moved. */
enum { TRACK_GOES_ON = 0, TRACK_DONE = 1 };

/* The purpose of the current ticks. */
enum {
    TRACK_STARTS,  /* corrects the start point at tau = 1 */
    TRACK_STEPS,   /* corrects a trial point one step away from the newest point */
    TRACK_REFINES, /* corrects X at fixed tau, after a change of precision or after a circle that failed */
    TRACK_VERIFIES /* verifies the endpoint computed from a circle, at tau = 0 */
};

/* The destination of the leg. */
enum {
    TRACK_WALK, /* to tau = 0 */
    TRACK_IN,   /* inward to the radius of the next circle */
    TRACK_ROUND /* to the next vertex of a circle */
};

/* Columns of the vectors of a path, n numbers each, in its precision. */
enum {
    TRACK_X,     /* the trial point: evaluate here */
    TRACK_POINT, /* ring buffer of the last TRACK_HISTORY accepted points; path->newest is the index of the newest */
    TRACK_HISTORY = 3,
    TRACK_SLOPE = TRACK_POINT + TRACK_HISTORY, /* dx/dtau there, in the same places */
    TRACK_W = TRACK_SLOPE + TRACK_HISTORY,     /* w at the newest accepted point */
    TRACK_W_TRIAL,                             /* w of the last tick of a trial */
    TRACK_LOOP,                                /* the first point of the circle */
    TRACK_SUM,                                 /* the sum of the vertices since then */
    TRACK_ALTERNATE,                           /* the sum of the vertices with alternating signs */
    TRACK_MEAN,                                /* the endpoint computed from the last circle that closed */
    TRACK_VECTORS
};

/* All scalars of a path. Complex values of tau have two doubles per part: re hi, re lo, im hi, im lo. */
typedef struct track_path {
    int64_t number; /* the number of the path, which seeds its random numbers */
    int64_t steps, rejected, solves;
    int32_t state, code; /* code is a plumb_path_code once the path is finished */
    int32_t prec, wants, most_prec;
    int32_t accepted; /* 1: the last tick accepted a point: column TRACK_POINT + newest, at at[newest] */
    int32_t phase, leg;
    int32_t corrections;       /* solves at this trial point so far */
    int32_t shown_corrections; /* corrections of the newest accepted point */
    int32_t exact;             /* 1: correct as far as the precision goes */
    int32_t order;             /* order of the prediction of this trial */
    int32_t logarithmic;       /* 1: the prediction was made in log(tau) */
    int32_t history, newest;
    int32_t calm;     /* accepted steps in a row that a lower precision could have made */
    int32_t cuts;     /* accepted steps near the end */
    int32_t vertex;   /* number of the current vertex of the circle, counted over all turns */
    int32_t vertices; /* vertices per turn */
    int32_t failures; /* rejections in a row */
    int32_t returned; /* 1: back at the first point of a circle, which is followed again */
    int32_t open;     /* circles that did not close */
    int32_t doubted;  /* 1: an endpoint that may be regular looked singular; use the highest precision for circles */
    int32_t marks;    /* marks on the walk, each at half the previous tau or less; rates are between marks */
    int32_t grown;    /* circles in a row, each begun at a larger |x| */
    int32_t circles;  /* circles begun so far */
    int32_t winding;  /* winding number of the last circle that closed */
    int32_t settled;  /* 1: the mean of that circle is as accurate as its points */
    double tau[4];    /* tau of the trial point */
    double at[TRACK_HISTORY][4]; /* tau of the accepted points */
    double target[4];            /* end of the leg */
    double step;                 /* |delta tau| proposed for the next trial */
    double tried;                /* |delta tau| of this trial */
    double before;               /* |tau| at the start of this trial */
    double lead;          /* |x_0| of X; if x_0 is the homogenizing unknown, this measures the distance from infinity */
    double apart;         /* distance of the newest accepted point from the one before; of a vertex from the first */
    double slope;         /* |dx/dtau| at the newest accepted point */
    double size;          /* largest modulus of an entry of X; other norms are largest real or imaginary parts */
    double residual;      /* largest |h_i| at the last tick */
    double backward;      /* largest |h_i| over the size of the terms of equation i */
    double first, last;   /* |dx| of the first and the last correction of the trial */
    double moved;         /* sum of |dx| of the trial */
    double change;        /* largest relative change of w between corrections of the trial */
    double weighed;       /* |x| where r was made */
    double swell;         /* growth of the terms of h since the start, in the worst equation, at least 1 */
    double excess;        /* ratio of observed to expected noise, at least 1 */
    double bend;          /* relative change of w from the newest accepted point to the last tick */
    double condition;     /* |w| / |x| at the last tick */
    double omega;         /* change of w relative to that of x, maximum of the last steps: bounds the Newton radius */
    double accuracy;      /* estimated relative error of the newest accepted point */
    double shown_size;    /* length of the step to the newest accepted point */
    double least_step;    /* shortest step accepted so far */
    double radius;        /* radius of the circle */
    double resume;        /* the endgame was premature: continue by steps alone down to this |tau| */
    double extent;        /* largest distance of the vertices from the first point of the circle */
    double loop_accuracy; /* estimated relative error of the first point */
    double mean_error;    /* estimated relative error of TRACK_MEAN; negative: no circle has closed */
    double mean_radius;   /* radius of that circle */
    double loop_condition;
    double inward;                /* ratio of the radius of the next circle to that of this one */
    double loop_size;             /* |x| at the first point of the circle, to detect growth in affine coordinates */
    double mark_tau, mark_finite; /* |tau| and track_finite at the last mark of the walk */
    double rate[3];               /* its exponent as a power of tau between the last marks, newest first */
    double error;                 /* estimated relative error of the endpoint, for the record */
} track_path;

/* ---- Memory ----------------------------------------------------------------------------------------------------------- */

/* A matrix of complex numbers: plane c of entry (i, j) is p[c*plane + j*col + i]; limbs of the real part, then of the imaginary part. */
typedef struct track_view {
    double *p;
    int64_t plane, col;
} track_view;

/* The number of doubles of the vectors of a path; a view of them has col = unknowns and plane = unknowns *
 * TRACK_VECTORS. */
TRACK_FN int64_t track_vector_doubles(int64_t unknowns, int32_t prec)
{
    return 2 * (int64_t)prec * unknowns * TRACK_VECTORS;
}

/* Converts entry k of the vectors of a path (k < unknowns * TRACK_VECTORS) from one precision to another. Going up is
 * exact; going down drops limbs, which for normalised numbers is rounding. The planes of both are unknowns *
 * TRACK_VECTORS apart. After all entries have been moved, the caller sets path->prec to path->wants; nothing else
 * changes. */
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
 *       start: the given unknowns, one column; patch: 2 n doubles, or NULL unless projective. Sets every field of
 *       *path; the path begins in the precision of the function.
 *   TRACK(combine)(team, settings, path, values, jacobians, scale, a, b)
 *       values: 2m x 1, jacobians: 2m x n of the stacked system; scale: 2m doubles of the path, set in its first tick
 *       and kept: r at that point; at other points its rows are scaled by the change of |x| to the power of their
 *       degree.
 *       Fills a (m x n) and b (m x 3), and residual and backward of *path.
 *   TRACK(decide)(team, settings, path, vectors, solution, info)
 *       solution: n x 3; info as plumb_info: 0 solved.
 *   TRACK(show)(team, settings, path, vectors, end)
 *       end: the newest accepted point in affine coordinates of the given unknowns, one column. Called between ticks
 *       if steps are reported.
 *   TRACK(finish)(team, settings, path, vectors, end)
 *       end: the given unknowns, one column: affine coordinates of the endpoint, or of the last point of a path that
 *       did not arrive, or for a path to infinity a direction whose largest entry is 1.
 *
 * path is a copy that belongs to each thread; all copies are equal before and after. vectors, a, b, values, ...
 * belong to the team. */

#endif
