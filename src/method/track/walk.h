/* walk.h - paths that stay in lanes from their start to their end, one in each place of a lane.
 *
 * Most paths of a family are plain: they begin at a regular solution, the parameters move on an arc of the complex numbers, and
 * a few dozen steps later they are at a regular solution of the target, without an endgame. Such a path needs so little
 * arithmetic per step that moving its numbers between memory and lanes, and deciding for one path after the other, takes
 * ten times as long (many.h). Here all numbers of a path are in its place of the lanes, and decisions are selections. The
 * method is that of the other ticks: predictions from three points and their slopes, Newton's method, and the change of
 * the inverse Jacobian as the measure of a step (track.h).
 *
 * Whatever is not plain leaves: a path that needs more digits, the logarithm of tau, or that was rejected several times in
 * a row. It goes on alone from its newest point.
 *
 * Every operation is one on lanes without regard to other places, so that the bits of a path depend neither on the paths
 * beside it nor on the width of lanes. */
#ifndef PLUMB_METHOD_TRACK_WALK_H
#define PLUMB_METHOD_TRACK_WALK_H

#include "method/track/many.h"

/* Numbers of each path, a lane of each: */
enum {
    TRACK_WALK_STEP,   /* the length of the next step; and of this one: */
    TRACK_WALK_LENGTH, /* 0: the start point is corrected */
    TRACK_WALK_FIRST,  /* sizes of the first correction of this trial and of the last one, relative to the unknowns */
    TRACK_WALK_LAST,   /* 0 before the first one */
    TRACK_WALK_CHANGE, /* change of w between corrections */
    TRACK_WALK_CORRECTIONS, /* of this trial */
    TRACK_WALK_OMEGA,       /* as in track_corrector */
    TRACK_WALK_POINTS,      /* in the history: 0 to TRACK_HISTORY */
    TRACK_WALK_FAILURES,    /* rejected trials in a row */
    TRACK_WALK_STEPS,       /* counts for the record */
    TRACK_WALK_REJECTED,
    TRACK_WALK_SOLVES,
    TRACK_WALK_SHORTEST, /* step accepted; 0: none */
    TRACK_WALK_ERROR,    /* of the endpoint, and its condition number */
    TRACK_WALK_CONDITION,
    TRACK_WALK_OUTCOME, /* what the last tick has led to: */
    TRACK_WALK_NUMBERS
};
enum { TRACK_WALK_ON, TRACK_WALK_ARRIVED, TRACK_WALK_LEAVES };

/* The equations as sums of coefficients, which move with tau, times monomials, which have no coefficients: a program for evaluation
 * would have products of the two for each term. */
typedef struct track_walk_system {
    int64_t equations;
    int64_t
        monomials; /* monomial 0 is 1, then come the unknowns; each further one is the product of two earlier ones: */
    const int32_t *left, *right;
    int64_t moving, coefficients; /* those that move come first; of the others the derivatives are zero */
    int32_t degree;               /* in tau */
    /* The terms of equation i are row[i] .. row[i + 1] - 1, those whose coefficients move before row_moving[i]. */
    const int32_t *row, *row_moving, *term_coefficient, *term_monomial;
    /* Likewise those of its derivative by unknown j, entry[j * equations + i] and so on, with their exponents. */
    const int32_t *entry, *entry_coefficient, *entry_monomial;
    const double *entry_times;
} track_walk_system;

typedef struct track_walk {
    track_many
        many; /* x, tau, first, direction, scale; newest is point[0], slope rate[0]; w: at the newest point; w_before: of the last tick */
    double *numbers; /* TRACK_WALK_NUMBERS lanes */
    double *at;      /* tau of the points, newest first */
    double *odd;     /* by path: not 0 where the matrix had no pivot */
    track_walk_system system;
    /* That of tau^k in coefficient i is at (k * moving + i) of `polynomials`, two lanes each; then the values of all coefficients, and the
     * derivatives of those that move; and the monomials, and sizes of them. */
    double *polynomials, *value, *slope, *monomial, *size;
} track_walk;

#endif
