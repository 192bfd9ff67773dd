/* certify.h - certification of many points: rounds of attempts in growing precision.
 *
 * An attempt evaluates the Jacobian in ball arithmetic, inverts it approximately by least squares, and tries to prove a box
 * (balls.h). attempt.c makes attempts for a list of points, certify.c decides what is attempted next, distinct.c compares the boxes of
 * all points. Points are independent of one another until then, so results do not depend on the number of threads. */
#ifndef PLUMB_SOLVER_CERTIFY_H
#define PLUMB_SOLVER_CERTIFY_H

#include "model/certificates.h"
#include "solver/certify/balls.h"
#include "solver/context/context.h"

typedef struct certify_point {
    balls_box *box; /* NULL if the point is not finite */
    int32_t bits;   /* of the next attempt */
    int32_t prec;   /* of the inverse in the next attempt */
    int32_t proven; /* bits of the last attempt that proved a box; 0: none did */
    int32_t tried;  /* bits of the last attempt */
    balls_verdict verdict;
    balls_outcome outcome; /* of the last attempt */
    int32_t code;          /* why there is no box */
} certify_point;

typedef struct certify_work {
    plumb_context *context;
    const balls_ops *ops;
    balls_system *system;
    bool real; /* all coefficients are */
    int64_t unknowns, count;
    certify_point *point;
    plumb_certify_options options;
    int64_t done, failed; /* points for which no attempt is left, and those of them without a box: for progress */
} certify_work;

/* One attempt for each of the points list[0], ..., list[count - 1], with the bits and the precision that they ask for. */
PLUMB_USE_RESULT plumb_status certify_attempt(certify_work *work, const int64_t *list, int64_t count);

/* Attempts for the points of the list until each has a box whose zero is known to be real or not, or no attempt is left that
 * could show it. The list is overwritten. */
PLUMB_USE_RESULT plumb_status certify_points(certify_work *work, int64_t *list, int64_t count);

/* Compares the boxes of all points and refines those that overlap: fills the members distinct and same_as of the records. */
PLUMB_USE_RESULT plumb_status certify_distinct(certify_work *work, plumb_certificate *record);

#endif
