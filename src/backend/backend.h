/* backend.h - what a machine must be able to do: one small table of operations.
 *
 * A job is an operation on flat arrays: the solver layer has checked the views and cut them into runs where every operand
 * is contiguous, so a backend only loops. The CPU is registered last and can do everything. */
#ifndef PLUMB_BACKEND_H
#define PLUMB_BACKEND_H

#include "plumb.h"

/* out[i] = op(x[i], y[i], z[i]) for i < n; plane c of operand x starts at x + c*x_plane. PLUMB_OP_DOT runs over terms
 * columns, x_col and y_col apart. */
typedef struct map_job {
    const double *x, *y, *z;
    double *out;
    int64_t x_plane, y_plane, z_plane, out_plane;
    int64_t n;
    int64_t terms, x_col, y_col;
} map_job;

typedef void (*map_kernel)(const map_job *job);

#endif
