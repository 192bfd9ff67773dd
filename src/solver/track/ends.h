/* ends.h - which paths end at the same point.
 *
 * A program has many paths and keeps only a fingerprint of each endpoint in memory: two sums of its coordinates with
 * fixed random weights on the unit circle. Endpoints whose fingerprints differ are different; those whose fingerprints
 * agree are read and compared in all their digits. The distance of two points is the largest difference of an unknown
 * relative to its size, at least 1, in scaled unknowns: a root of size 10^12 and unknowns of very different sizes are
 * compared as accurately as they are known, and the origin is a point like any other.
 *
 * Two endpoints are the same if they agree within a multiple of their estimated errors. That is not transitive, so
 * endpoints are not joined in chains: the most accurate one is the centre of its group, and all others of the group
 * agree with it. plumb_track and the program `plumb track`, which keeps its endpoints in a file, both use this. */
#ifndef PLUMB_SOLVER_TRACK_ENDS_H
#define PLUMB_SOLVER_TRACK_ENDS_H

#include <stdbool.h>
#include <stddef.h>

#include "plumb.h"

enum { TRACK_PRINTS = 4 };

/* Small, because a program has one for every path. */
typedef struct track_end {
    double print[TRACK_PRINTS]; /* real and imaginary parts of the two sums, in scaled unknowns */
    double error;               /* component_error of the record */
    float scale;                /* sum of the sizes of the unknowns, each at least its unit */
    float condition;
    int16_t winding;
    int8_t code; /* a plumb_path_code */
    bool known;  /* false: the path is not finished */
} track_end;

/* The fingerprint of an endpoint with n unknowns: part p of unknown i, leading limb, is x[i*unknown + p*part]. exponent
 * (NULL: all 0) takes x to the scaled unknowns, those of the homotopy. */
track_end track_end_of(const plumb_path_record *record, const double *x, int64_t n, int64_t unknown, int64_t part,
                       const int32_t *exponent);

/* The path ended at a solution: a regular or a singular one, or a point of a curve or surface of solutions. */
static inline bool track_code_arrived(int32_t code)
{
    return code == PLUMB_PATH_SUCCESS || code == PLUMB_PATH_SINGULAR || code == PLUMB_PATH_NOT_ISOLATED;
}

/* The path did not end, or it is not known where. Paths beyond the largest size that was asked for count as ended. */
static inline bool track_code_failed(int32_t code)
{
    return !track_code_arrived(code) && code != PLUMB_PATH_AT_INFINITY && code != PLUMB_PATH_BEYOND;
}

static inline bool track_end_arrived(const track_end *e)
{
    return e->known && track_code_arrived(e->code);
}

/* The endpoints of a run. They are the first members of structs that lie stride bytes apart. */
typedef struct track_ends {
    track_end *first;
    size_t stride;
    int64_t count, unknowns;
    /* Reads endpoint k in scaled unknowns: 2 * *prec doubles per unknown, limbs of the real part first; x has
     * room for qd. *number is the number of its path. False if it cannot be read. */
    bool (*read)(void *data, int64_t k, double *x, int32_t *prec, int64_t *number);
    void *data;
} track_ends;

static inline track_end *track_ends_at(const track_ends *ends, int64_t k)
{
    return (track_end *)(void *)((char *)ends->first + (size_t)k * ends->stride);
}

/* The group of endpoint k. All are 0, and its centre -1, if path k did not arrive. */
typedef struct track_group {
    int64_t centre;  /* the endpoint in whose group it is */
    int32_t all;     /* endpoints of the group */
    int32_t regular; /* regular endpoints of the group if endpoint k is regular, 0 otherwise */
    bool doubtful;   /* it might as well belong to another group, or a singular endpoint agrees with a regular one */
} track_group;

/* Groups the endpoints; groups has one entry for each. Regular and singular endpoints are never in one group.
 * PLUMB_ERR_MEMORY, or PLUMB_ERR_IO if an endpoint cannot be read. */
PLUMB_USE_RESULT plumb_status track_ends_group(const track_ends *ends, track_group *groups);

/* The distance of two points, as track_ends reads them. */
double track_ends_distance(const double *x, int32_t x_prec, const double *y, int32_t y_prec, int64_t n);

#endif
