/* ends.h - which paths end at the same point, without keeping the points.
 *
 * Of each endpoint a fingerprint is kept: two sums of its coordinates with fixed random weights on the unit circle. Equal endpoints
 * have equal fingerprints; different ones that agree in both sums to seven digits are one pair in 10^24 or so, and cost no more than
 * being tracked again. plumb_track and the program `plumb track`, which keeps its endpoints in a file, both use it. */
#ifndef PLUMB_SOLVER_TRACK_ENDS_H
#define PLUMB_SOLVER_TRACK_ENDS_H

#include <stdbool.h>
#include <stddef.h>

#include "plumb.h"

enum { TRACK_PRINTS = 4 };

/* Small, because a program has one for every path. */
typedef struct track_end {
    double print[TRACK_PRINTS]; /* real and imaginary parts of the two sums */
    float scale, error;         /* the largest coordinate, and the error relative to that */
    int8_t code;                /* a plumb_path_code */
    bool known;                 /* false: the path is not finished */
} track_end;

/* The fingerprint of an endpoint with n unknowns: part p of unknown i, leading limb, is x[i*unknown + p*part]. Coordinates are compared
 * in the scaled unknowns of the homotopy: exponent[i] (exponent NULL: 0) takes x there. */
track_end track_end_of(const plumb_path_record *record, const double *x, int64_t n, int64_t unknown, int64_t part,
                       const int32_t *exponent);

/* The path ended at a solution: a regular or a singular one, or a point of a curve or surface of solutions. */
static inline bool track_code_arrived(int32_t code)
{
    return code == PLUMB_PATH_SUCCESS || code == PLUMB_PATH_SINGULAR || code == PLUMB_PATH_NOT_ISOLATED;
}

/* The path did not end, or it is not known where. */
static inline bool track_code_failed(int32_t code)
{
    return !track_code_arrived(code) && code != PLUMB_PATH_AT_INFINITY;
}

static inline bool track_end_arrived(const track_end *e)
{
    return e->known && track_code_arrived(e->code);
}

/* The number of paths that share the endpoint of path k, itself included, goes to all[k]; the number of those among them whose endpoint
 * is regular to regular[k], or 0 where that of path k is not. Both are 0 for paths that did not arrive. Endpoints are the first members
 * of structs that lie stride bytes apart. False without memory. */
bool track_same_ends(const track_end *first, size_t stride, int64_t count, int32_t *all, int32_t *regular);

#endif
