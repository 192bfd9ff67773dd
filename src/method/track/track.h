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
 * system that is evaluated are h and dh/dtau themselves. Their endpoints are regular, so there are no circles. The parameters
 * of a family move in the same way, but their paths end as others do.
 *
 * A driver calls TRACK(begin) once, then runs ticks while path->verdict.state is TRACK_GOES_ON, moving the path to the
 * precision path->precision.wants whenever that differs from path->precision.now (track_move_entry), and calls TRACK(finish) once. Every
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

/* How coefficients move with tau (moving.h). */
enum {
    TRACK_FIXED, /* they do not: h is a straight line between two systems */
    TRACK_RATES, /* those of a polyhedral homotopy, whose endpoints are regular */
    TRACK_ARCS   /* parameters of a family, which move on arcs to a target that may be special */
};

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
    int32_t moving; /* not TRACK_FIXED: the halves of the stacked system are h and dh/dtau, and its coefficients move */
    int32_t least_prec, most_prec; /* in limbs; equal: fixed precision */
    int32_t endgame, most_winding;
    int32_t rerun;  /* 0: the path is tracked for the first time */
    int32_t degree; /* the highest degree of an equation of h */
    int32_t
        stops; /* 1: paths beyond the largest root asked for are given up; 0: they are followed as far as possible */
    double largest; /* |x| / |x_0| up to which roots are asked for */
    double horizon; /* the same up to which they are distinguished from infinity, at least the largest */
    double distant; /* the same from which steps have a budget */
    int64_t budget; /* what they may count; 0: there is none */
} track_settings;

/* ---- A path --------------------------------------------------------------------------------------------------------- */

/* The state after each tick. Paths with path->precision.wants != path->precision.now continue after they have been moved. */
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
    TRACK_POINT, /* ring buffer of the last TRACK_HISTORY accepted points; path->points.newest is the index of the newest */
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

/* All scalars of a path, by what they are for. Only the first thread of a team changes them. Complex values of tau have two
 * doubles per part: re hi, re lo, im hi, im lo. */

/* What a path has taken so far, for its record. decide.h and trials.h count. */
typedef struct track_counts {
    int64_t steps, rejected, solves;
    int64_t distant, seen; /* what distant steps count, and all steps, when they were counted last */
} track_counts;

/* How the path ends. Set by track_end, and by drivers that stop a path. */
typedef struct track_verdict {
    int32_t state; /* TRACK_GOES_ON or TRACK_DONE */
    int32_t code;  /* a plumb_path_code once the path is finished */
    double error;  /* estimated relative error of the endpoint, for the record */
} track_verdict;

/* Precision control, in limbs. Decisions set what the path wants, and the driver moves it there. */
typedef struct track_precision {
    int32_t now, wants;
    int32_t most; /* highest precision so far */
    int32_t calm; /* accepted steps in a row that a lower precision could have made */
} track_precision;

/* What callers see of the newest accepted point. Set by track_judge and track_accepted. */
typedef struct track_shown {
    double length;       /* of the step to it */
    int32_t accepted;    /* 1: the last tick accepted a point: column TRACK_POINT + newest, at at[newest] */
    int32_t corrections; /* of that point */
} track_shown;

/* The leg that is followed. Changes where a leg ends or is left. */
typedef struct track_course {
    double target[4]; /* end of the leg */
    int32_t leg;
    int32_t zone;     /* 1: the walk is near its end: steps are counted in log(tau) */
    int32_t entering; /* 1: the point at which the zone begins is corrected again */
} track_course;

/* The accepted points, whose vectors are in the columns TRACK_POINT and TRACK_SLOPE. TRACK(keep) adds a point, track_accepted its
 * accuracy. */
typedef struct track_points {
    double at[TRACK_HISTORY][4]; /* tau of the points */
    int32_t history, newest;     /* how many there are, and the place of the newest */
    double apart; /* distance of the newest point from the one before; of a vertex from the first one of the circle */
    double slope; /* |tau dx/dtau| / |x| at the newest point */
    double accuracy;         /* estimated relative error of the newest point */
    double plain_accuracy;   /* the same in the norm of the whole vector */
    double condition_before; /* the condition number at the point before the newest */
    int32_t had_lost;        /* track_terms.lost at the newest point, where all terms of an equation may be zero */
} track_points;

/* The trial point X. Set up by the functions of trials.h, and not changed by corrections. */
typedef struct track_trial {
    double tau[4];
    double length; /* of the step to it: |delta tau|, or that of log(tau) */
    double from;   /* |tau| at the start of the step */
    int32_t phase; /* the purpose of the ticks: one of TRACK_STARTS, ... */
    int32_t exact; /* 1: correct as far as the precision goes */
    int32_t jump;  /* 1: this trial jumps to tau = 0 */
    int32_t ahead; /* what this trial looks for beyond the next steps: one of TRACK_NOT_AHEAD, ... */
} track_trial;

/* The predictor. TRACK(keep) and TRACK(choose_power) change what the next predictions use. */
typedef struct track_predictor {
    double leap;         /* expected error of a jump to tau = 0; negative: not known */
    int32_t order;       /* of the prediction of this trial */
    int32_t logarithmic; /* 1: the prediction of this trial is made in log(tau) */
    int32_t power;       /* c of u = tau^(1/c), in which predictions in the zone are made; 0: in log(tau) */
} track_predictor;

/* The corrections of the trial by Newton's method, and what they show about it. track_judge changes them in every tick; omega and
 * excess are kept from point to point by track_accepted. */
typedef struct track_corrector {
    int32_t corrections;    /* solves at this trial point so far */
    double first, last;     /* |dx| / |x| of the first and the last correction */
    double plain_last;      /* the last one in the norm of the whole vector */
    double moved;           /* sum of |dx| / |x|, in the norm of the whole vector */
    double change;          /* largest relative change of w between corrections, or a multiple of their contraction */
    double bend;            /* relative change of w from the newest accepted point to the last tick */
    double condition;       /* |w| / |x| at the last tick, relative to each coordinate in the zone */
    double plain_condition; /* the same in the norm of the whole vector */
    double omega;           /* change of w relative to that of x, maximum of the last steps: bounds the Newton radius */
    double excess;          /* ratio of observed to expected noise, at least 1 */
} track_corrector;

/* The terms of the equations at X. TRACK(combine) sets them in every tick. */
typedef struct track_terms {
    double residual;        /* largest |h_i| */
    double backward;        /* largest |h_i| over the size of the terms of equation i */
    double largest;         /* the largest size of the terms of an equation */
    double largest_inverse; /* the largest inverse of such a size */
    int32_t lost;           /* 1: an equation has terms that are zero, or too small for a double */
} track_terms;

/* The scale of the coordinates. size changes with X, the others when all vectors are multiplied (control.h). */
typedef struct track_path_scale {
    double size;       /* largest modulus of an entry of X */
    double least_size; /* 1 in affine coordinates, where 1 belongs to the point as x_0 does in projective ones; or 0 */
    double unit;       /* patch.x in projective coordinates: a power of two that all vectors have been multiplied by */
    int32_t framed;    /* 1: some unknowns have exponents of their own (control.h) */
} track_path_scale;

/* Step control. track_control lengthens steps after accepted points, track_reject shortens them. */
typedef struct track_step_control {
    double step;       /* length proposed for the next trial: |delta tau|, or in the zone that of log(tau) */
    double least_step; /* shortest step accepted so far */
    double jump_below; /* a jump failed: none is tried before |tau| is below this */
    int32_t failures;  /* rejections in a row */
} track_step_control;

/* The circle of the Cauchy endgame. endgame.h begins it; trials.h leaves it. */
typedef struct track_circle {
    double radius;
    double extent;                          /* largest distance of the vertices from the first point */
    double first_accuracy, first_condition; /* estimated relative error and condition number of the first point */
    double resume;                          /* the endgame was premature: continue by steps alone down to this |tau| */
    int32_t vertex;                         /* number of the current vertex, counted over all turns */
    int32_t vertices;                       /* per turn */
    int32_t begun;                          /* circles begun so far */
    int32_t open;                           /* circles that did not close */
    int32_t returned;                       /* 1: back at the first point of a circle, which is followed again */
    int32_t doubted;                        /* 1: an endpoint looked singular, and circles use the highest precision */
} track_circle;

/* The mean of the last circle that closed, in the column TRACK_MEAN. track_closed sets it. */
typedef struct track_mean {
    double error;    /* its estimated relative error; negative: no circle has closed */
    double radius;   /* of that circle */
    double inward;   /* ratio of the radius of the next circle to that of this one */
    int32_t winding; /* winding number */
    int32_t settled; /* 1: the mean is as accurate as the points of the circle */
} track_mean;

/* The ray along which the endpoint of a circle is confirmed (endgame.h). */
typedef struct track_ray {
    double circle_error; /* error of the mean of the circle at which the ray begins */
    double error;        /* estimated relative error of the limit of the ray */
    int32_t state;       /* where the path is on the ray: one of TRACK_..._RAY */
    int32_t stations;    /* stations that have been reached in the highest precision */
} track_ray;

/* What was measured at the mean, or at the limit of the ray, while X is beside it. track_look_beside sets it, track_verify
 * puts it back. */
typedef struct track_beside {
    double backward, plain_last, finite;
    int32_t is_there; /* 1: X is beside that point */
} track_beside;

/* y = x_0 / x_k at the newest point, where x_0 is the homogenizing unknown, or 1 in affine coordinates. TRACK(note_lead) sets
 * it in the zone and at tau = 0. */
typedef struct track_lead {
    double value[2];
    double slope[2]; /* its derivative by log(tau) */
    double error;    /* its relative error by noise; at tau = 0 also by what is left to correct */
    double finite;   /* |x_0| / |x|: zero at infinity */
    int32_t chief;   /* k of x_k, the largest unknown when the zone was entered */
} track_lead;

/* Samples of y on the walk in the zone, the newest first. track_sample adds them. */
typedef struct track_samples {
    double tau[TRACK_SAMPLES];
    double lead[TRACK_SAMPLES][2], slope[TRACK_SAMPLES][2]; /* y and tau dy/dtau */
    double error[TRACK_SAMPLES];                            /* relative error of both */
    double condition[TRACK_SAMPLES];                        /* of the point */
    int32_t count;                                          /* at most TRACK_SAMPLES */
} track_samples;

/* What the samples show about the limit of y. Set by track_seeks_limit and track_find_limit. */
typedef struct track_limit_of_lead {
    double size, error; /* |limit of y| as extrapolated, and its error */
    int32_t kind;       /* one of TRACK_LIMIT_... */
} track_limit_of_lead;

/* What trials ahead, of paths that seem to go to infinity, have told. track_reject sets it when they fail. */
typedef struct track_outlook {
    double look_below; /* none is made before |tau| is below this */
    double bound;      /* bound of the limit of y at the last one */
    int32_t turned;    /* 1: w had turned too far, so others would fail, too */
    int32_t blind; /* 1: terms were too small for a double at the last trial many decades ahead, which showed nothing */
} track_outlook;

typedef struct track_path {
    int64_t number; /* the number of the path, which seeds its random numbers */
    track_counts count;
    track_verdict verdict;
    track_precision precision;
    track_shown shown;
    track_course course;
    track_points points;
    track_trial trial;
    track_predictor predictor;
    track_corrector corrector;
    track_terms terms;
    track_path_scale scale;
    track_step_control control;
    track_circle circle;
    track_mean mean;
    track_ray ray;
    track_beside beside;
    track_lead lead;
    track_samples samples;
    track_limit_of_lead limit;
    track_outlook outlook;
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
 * TRACK_VECTORS apart. After all entries have been moved, the caller sets path->precision.now to path->precision.wants; nothing else
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
 *       of each of its equations at X, needed where path->corrector.corrections is 0; scale: 2m doubles of the path: the
 *       sizes of the equations of h at that point, kept for the later corrections of the trial, and scratch.
 *       Fills a (m x n) and b (m x 3), and the terms of *path.
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
