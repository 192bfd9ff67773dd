/* newton.h - Newton steps timed one after the other: the rows of plumb-bench newton and plumb-bench track.
 *
 * The system is that of the paper (n equations of 32 monomials of 5 unknowns, exponents 1 to 5) with one coefficient of each equation
 * changed such that a given point is a root: x stays near it for any number of steps. A step evaluates values and Jacobian,
 * factors, solves and corrects x. Times are in microseconds, NaN where nothing was measured. */
#ifndef PLUMB_BENCH_NEWTON_H
#define PLUMB_BENCH_NEWTON_H

#include "bench/common/gpu.h"

enum { BENCH_NEWTON_N = 32, BENCH_NEWTON_ROWS = 3 };

typedef struct bench_newton_row {
    int32_t prec;
    int64_t n, calls; /* calls: steps that were timed on the GPU */
    double us,
        launch_us; /* a step on the GPU: replayed from a graph, launched one by one; without a GPU: us is one core */
    double eval_us, lsq_us;    /* evaluation with Jacobian, and least squares, each alone, replayed; or on one core */
    double cpu1_us, cpuall_us; /* a step on one core and on all */
    double error;              /* distance of x from the root after all steps, relative to the largest entry */
    bool replayed;             /* us comes from a graph */
} bench_newton_row;

/* A row for each precision. If on->gpu is NULL, only the processor is measured. Rows that were not reached hold NaN; wrong results
 * give PLUMB_ERR_DEVICE with a message in the context. Takes about 15 s. */
plumb_status bench_newton_measure(const bench_gpu_machines *on, bool quick, bench_newton_row rows[BENCH_NEWTON_ROWS]);

/* The rows as objects with "mode": "newton", into an open array. */
void bench_newton_json_rows(json_writer *w, const bench_newton_row rows[BENCH_NEWTON_ROWS]);

/* ---- system.c */

/* The system, and its root (unknowns x 1, complex qd, on the host); both are the caller's. */
plumb_status bench_newton_system(plumb_context *context, int64_t n, plumb_system **system, plumb_view *root);

#endif
