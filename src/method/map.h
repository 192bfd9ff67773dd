/* map.h - the data of an operation on arrays: contiguous runs of entries, stored as planes. */
#ifndef PLUMB_METHOD_MAP_H
#define PLUMB_METHOD_MAP_H

#include "plumb.h"

/* out[i] = op(x[i], y[i], z[i]) for i < n; plane c of operand x starts at x + c*x_plane. PLUMB_OP_DOT sums over
 * `terms` columns, which are x_col and y_col apart. */
typedef struct map_job {
    const double *x, *y, *z;
    double *out;
    int64_t x_plane, y_plane, z_plane, out_plane;
    int64_t n;
    int64_t terms, x_col, y_col;
} map_job;

typedef void (*map_kernel)(const map_job *job);

#endif
