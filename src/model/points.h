/* points.h - points with exact coordinates, as plain data. */
#ifndef PLUMB_MODEL_POINTS_H
#define PLUMB_MODEL_POINTS_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "plumb.h"

struct plumb_points {
    int64_t count, unknowns;
    char **names; /* NULL: unknowns are known by their positions */
    mpq_t *x;     /* unknown i of point k: x[2 * (k * unknowns + i)] + i x[... + 1] */
};

/* Zeros, without names. */
PLUMB_USE_RESULT plumb_status plumb_points_make(int64_t count, int64_t unknowns, plumb_points **points);

/* Copies the names. */
PLUMB_USE_RESULT plumb_status plumb_points_name(plumb_points *points, const char *const *names);

static inline mpq_t *point_value(const plumb_points *points, int64_t point, int64_t unknown)
{
    return points->x + 2 * (point * points->unknowns + unknown);
}

#endif
