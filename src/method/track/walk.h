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

typedef struct track_walk {
    track_many
        many; /* x, tau, first, direction, scale; newest is point[0], slope rate[0]; w: at the newest point; w_before: of the last tick */
    double *numbers; /* TRACK_WALK_NUMBERS lanes */
    double *at;      /* tau of the points, newest first */
    double *odd;     /* by path: not 0 where the matrix had no pivot */
    /* Parameters of a family: for each of them target, way and bend (moving.h), two lanes each; and where they and their derivatives go. */
    int64_t parameters;
    double *target, *way, *bend;
    double *to;
    /* Or coefficients that are polynomials in tau: that of tau^k in coefficient i is at (k * coefficients + i) of `polynomials`, two lanes
     * each; their values and derivatives go to the same place. degree < 0: there are none. */
    int32_t degree;
    int64_t coefficients;
    double *polynomials;
} track_walk;

#endif
