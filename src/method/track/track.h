/* track.h - a path as plain data, and the tick that advances it; shared by the drivers for CPU and GPU.
 *
 * The homotopy is h(x, tau) = gamma tau g(x) + (1 - tau) f(x), where tau = 1 - t is the distance left. A path is a
 * sequence of straight legs in the complex plane of tau: the walk from 1 to 0 and, in the Cauchy endgame, the chords
 * of polygons around 0. Each leg is followed in steps, each step is a prediction with Newton corrections, and all of
 * this is done by one kind of tick:
 *
 *   evaluate  g, f and their Jacobians at the trial point X, with the stacked system of the homotopy   (the driver)
 *   combine   A = gamma tau Jg + (1 - tau) Jf and the right-hand sides -h, -tau (gamma g - f), r         (TRACK(combine))
 *   solve     A [dx v w] = B by least squares                                                          (the driver)
 *   decide    X += dx; then correct again, accept, or go back and predict for a shorter step  (TRACK(judge), TRACK(act))
 *
 * v is the tangent tau dx/dtau, so the slopes at accepted points are known and a prediction needs no evaluation. w =
 * A^-1 r, for a random r whose entries are as large as the terms of each equation at the point, serves two purposes: |w| /
 * |x| is a condition number, and the change of w from point to point measures the change of the inverse Jacobian, which
 * decides whether a step can be trusted. docs/tracking.md describes the method.
 *
 * Near the end, below |tau| = TRACK_ZONE, a path is a power series in tau^(1/c), and each coordinate behaves like a
 * power of tau. There the walk goes on in log(tau), predictions are made for log(x_i), and norms are relative to each
 * coordinate, so that a path to infinity is as easy to follow as any other. It ends in one of three ways: by a jump to
 * tau = 0, which regular endpoints allow; by the limit of x_0 / x_k (infinity.h); or by circles (endgame.h).
 *
 * Polyhedral homotopies (moving.h) are followed in the same way: their coefficients move with tau, and the two halves of the
 * system that is evaluated are h and dh/dtau themselves. Their endpoints are regular, so there are no circles.
 *
 * A driver calls TRACK(begin) once, then runs ticks while path->state is TRACK_GOES_ON, moving the path to the
 * precision path->wants whenever that differs from path->prec (track_move_entry), and calls TRACK(finish) once. Every
 * thread of a team calls all TRACK functions with the same arguments: the path is one for the team, and its first
 * thread alone changes it (track_tmpl.h).
 *
 * Nothing here depends on the machine: decisions use only +, -, *, / and sqrt of doubles, so that equal numbers lead
 * to equal decisions. */
#ifndef PLUMB_METHOD_TRACK_H
#define PLUMB_METHOD_TRACK_H

#include <stdint.h>
#include <string.h>

#ifndef TRACK_FN
#define TRACK_FN static inline __attribute__((unused))
#endif
/* Declares functions that are long, or called from many places: a GPU has one copy of each, because its instruction
 * caches are small. */
#ifndef TRACK_CALL
#define TRACK_CALL TRACK_FN
#endif
/* Before loops that a GPU had better not unroll, for the same reason. */
#ifndef TRACK_ROLLED
#define TRACK_ROLLED
#endif

/* 0 where no path has a frame (control.h): there is no code for it then. */
#ifndef TRACK_FRAMES
#define TRACK_FRAMES 1
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
    int32_t moving; /* 1: the halves of the stacked system are h and dh/dtau, and its coefficients move (moving.h) */
    int32_t least_prec, most_prec; /* in limbs; equal: fixed precision */
    int32_t endgame, most_winding;
    int32_t rerun;  /* 0: the path is tracked for the first time */
    int32_t degree; /* the highest degree of an equation of h */
    int32_t
        stops; /* 1: paths beyond the largest root asked for are given up; 0: they are followed as far as possible */
    double largest; /* |x| / |x_0| up to which roots are asked for */
    double horizon; /* the same up to which they are told from infinity, at least the largest */
} track_settings;

/* ---- A path --------------------------------------------------------------------------------------------------------- */

/* The state after each tick. Paths with path->wants != path->prec continue after they have been moved. */
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
    TRACK_SLOPE = TRACK_POINT + TRACK_HISTORY, /* tau dx/dtau there, in the same places */
    TRACK_W = TRACK_SLOPE + TRACK_HISTORY,     /* w at the newest accepted point */
    TRACK_W_TRIAL,                             /* w of the last tick of a trial */
    TRACK_LOOP,                                /* the first point of the circle */
    TRACK_SUM,                                 /* the sum of the vertices since then; on the ray its limit */
    TRACK_ALTERNATE,                           /* the sum of the vertices with alternating signs */
    TRACK_MEAN,                                /* the endpoint computed from the last circle that closed */
    TRACK_VECTORS
};

/* What is known about the limit of x_0 / x_k, which is zero at infinity. */
enum {
    TRACK_LIMIT_UNKNOWN,
    TRACK_LIMIT_FINITE,
    TRACK_LIMIT_FALLS, /* it is zero if the path goes on as it does */
    TRACK_LIMIT_ZERO
};
enum { TRACK_SAMPLES = 4 };

/* The ray along which the endpoint of a circle is confirmed in the highest precision (endgame.h). */
enum {
    TRACK_NO_RAY,
    TRACK_ON_RAY,
    TRACK_OFF_RAY /* it confirmed nothing: another circle decides */
};

/* Predictions near the end: in log(tau), and in powers of tau^(1/c) for c from 1 on. */
enum { TRACK_PREDICTORS = 7 };

/* Trials beyond the next steps, of paths that seem to go to infinity. */
enum {
    TRACK_NOT_AHEAD,
    TRACK_AHEAD,       /* to where the path would be large enough to count as infinite */
    TRACK_BEYOND_AHEAD /* many decades further: whether the terms that balance each other now do so there, too */
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
    int32_t zone;              /* 1: the walk is near its end: steps are counted in log(tau) */
    int32_t entering;          /* 1: the point at which the zone begins is corrected again */
    int32_t logarithmic;       /* 1: the prediction of this trial is made in log(tau) */
    int32_t jump;              /* 1: this trial jumps to tau = 0 */
    int32_t ahead;             /* what this trial looks for beyond the next steps: one of TRACK_... below */
    int32_t turned;            /* 1: w had turned too far at such a trial, so others would fail, too */
    int32_t blind; /* 1: terms were too small for a double at the last trial many decades ahead, which told nothing */
    int32_t history, newest;
    int32_t power;    /* c of u = tau^(1/c), in which predictions in the zone are made; 0: in log(tau) */
    int32_t calm;     /* accepted steps in a row that a lower precision could have made */
    int32_t vertex;   /* number of the current vertex of the circle, counted over all turns */
    int32_t vertices; /* vertices per turn */
    int32_t failures; /* rejections in a row */
    int32_t returned; /* 1: back at the first point of a circle, which is followed again */
    int32_t open;     /* circles that did not close */
    int32_t doubted;  /* 1: an endpoint looked singular, and circles use the highest precision */
    int32_t beside;   /* 1: X is beside the mean, or beside the limit of the ray */
    int32_t framed;   /* 1: some unknowns have exponents of their own (control.h) */
    int32_t lost;     /* 1: an equation has terms that are zero, or too small for a double, at X; the same at the */
    int32_t had_lost; /* newest point, where they may all be zero */
    int32_t ray;      /* where the path is on the ray: one of TRACK_..._RAY */
    int32_t stations; /* stations of the ray that have been reached in the highest precision */
    int32_t chief;    /* k of x_k, the largest unknown when the zone was entered */
    int32_t samples;  /* points of the walk in the zone at which x_0 / x_k is known, at most TRACK_SAMPLES */
    int32_t limit;    /* what they tell about its limit: one of TRACK_LIMIT_... */
    int32_t circles;  /* circles begun so far */
    int32_t winding;  /* winding number of the last circle that closed */
    int32_t settled;  /* 1: the mean of that circle is as accurate as its points */
    double tau[4];    /* tau of the trial point */
    double at[TRACK_HISTORY][4]; /* tau of the accepted points */
    double target[4];            /* end of the leg */
    double step;                 /* length proposed for the next trial: |delta tau|, or in the zone that of log(tau) */
    double tried;                /* length of this trial */
    double before;               /* |tau| at the start of this trial */
    double shortest;             /* a jump failed: none is tried before |tau| is below this */
    double look;                 /* a trial ahead failed: none is made before |tau| is below this */
    double looked_at;            /* bound of the limit of y at that trial */
    double leap;                 /* expected error of a jump to tau = 0; negative: not known */
    double lead[2];              /* x_0 / x_k of X; x_0 is the homogenizing unknown, or 1 in affine coordinates */
    double lead_slope[2];        /* its derivative by log(tau) */
    double lead_error;           /* its relative error by noise; at tau = 0 also by what is left to correct */
    double finite;               /* |x_0| / |x| of X: zero at infinity */
    double apart; /* distance of the newest accepted point from the one before; of a vertex from the first */
    double slope; /* |tau dx/dtau| / |x| at the newest accepted point */
    double unit;  /* patch.x in projective coordinates: a power of two that all vectors have been multiplied by */
    double rows_inverse; /* the largest inverse of the size of the terms of an equation at X */
    double rows_size;    /* the largest such size */
    double least_size;  /* 1 in affine coordinates, where 1 belongs to the point as x_0 does in projective ones; or 0 */
    double size;        /* largest modulus of an entry of X */
    double residual;    /* largest |h_i| at the last tick */
    double backward;    /* largest |h_i| over the size of the terms of equation i */
    double first, last; /* |dx| / |x| of the first and the last correction of the trial */
    double plain_last;  /* the last one in the norm of the whole vector */
    double moved;       /* sum of |dx| / |x| of the trial, in the norm of the whole vector */
    double
        change; /* largest relative change of w between corrections of the trial, or a multiple of their contraction */
    double excess;           /* ratio of observed to expected noise, at least 1 */
    double bend;             /* relative change of w from the newest accepted point to the last tick */
    double condition;        /* |w| / |x| at the last tick, relative to each coordinate in the zone */
    double condition_before; /* at the accepted point before the newest */
    double plain;            /* condition in the norm of the whole vector */
    double omega;          /* change of w relative to that of x, maximum of the last steps: bounds the Newton radius */
    double accuracy;       /* estimated relative error of the newest accepted point */
    double plain_accuracy; /* the same in the norm of the whole vector */
    double shown_size;     /* length of the step to the newest accepted point */
    double least_step;     /* shortest step accepted so far */
    double radius;         /* radius of the circle */
    double resume;         /* the endgame was premature: continue by steps alone down to this |tau| */
    double extent;         /* largest distance of the vertices from the first point of the circle */
    double loop_accuracy;  /* estimated relative error of the first point */
    double mean_error;     /* estimated relative error of TRACK_MEAN; negative: no circle has closed */
    double mean_radius;    /* radius of that circle */
    double loop_condition;
    double backward_there, last_there, finite_there; /* backward, plain_last and finite at the point that X is beside */
    double circle_error;                             /* mean_error of the circle at which the ray begins */
    double ray_error;                                /* estimated relative error of the limit of the ray */
    double inward;                                   /* ratio of the radius of the next circle to that of this one */
    double sample_tau
        [TRACK_SAMPLES]; /* newest first: tau, y = x_0 / x_k, tau dy/dtau, their relative error, the condition */
    double sample_lead[TRACK_SAMPLES][2], sample_slope[TRACK_SAMPLES][2];
    double sample_error[TRACK_SAMPLES], sample_condition[TRACK_SAMPLES];
    double limit_size, limit_error; /* |limit of y| as extrapolated from them, and its error */
    double error;                   /* estimated relative error of the endpoint, for the record */
} track_path;

/* ---- Memory ----------------------------------------------------------------------------------------------------------- */

/* A matrix of complex numbers: plane c of entry (i, j) is p[c*plane + j*col + i]; limbs of the real part, then of the imaginary part. */
typedef struct track_view {
    double *p;
    int64_t plane, col;
} track_view;

/* The columns of matrices that are eliminated begin at multiples of this (eliminate_tmpl.h). */
enum { TRACK_ROWS_ALIGNED = 16 };

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

/* 2^e for -1022 <= e <= 1023. */
TRACK_FN double track_power_of_two(int32_t e)
{
    const uint64_t bits = (uint64_t)(1023 + e) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Entry points, for each precision, in track_tmpl.h:
 *
 *   TRACK(begin)(team, settings, path, number, vectors, start, patch)
 *       start: the given unknowns, one column; patch: 2 n doubles, or NULL unless projective. Sets every field of
 *       *path; the path begins in the precision of the function.
 *   TRACK(combine)(team, settings, path, values, jacobians, sizes, scale, a, b)
 *       values: 2m x 1, jacobians: 2m x n of the stacked system; sizes: 2m doubles, the sums of the moduli of the terms
 *       of each of its equations at X, needed where path->corrections is 0; scale: 2m doubles of the path: the
 *       sizes of the equations of h at that point, kept for the later corrections of the trial, and scratch.
 *       Fills a (m x n) and b (m x 3), and residual, backward, rows_inverse, rows_size and lost of *path.
 *   TRACK(older_of)(team, settings, path, vectors)
 *       what the following two need and what does not depend on the solution.
 *   TRACK(judge)(team, settings, path, vectors, solution, older, info)
 *       solution: n x 3; info as plumb_info: 0 solved. Returns the action that follows (trials.h).
 *   TRACK(act)(team, settings, path, vectors, solution, older, action, pauses)
 *       carries the action out, with the solution that it was judged by. If pauses is not 0, it may return another action, for
 *       which it is to be called once more; that may be later, and nothing else may be done with the path before.
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
