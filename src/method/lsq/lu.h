/* lu.h - the job that Gaussian elimination works on, and the kernels it is made of.
 *
 * Right-looking: once row k is settled, row i below it loses l_ik times row k, l_ik = w_ik / w_kk. Lanes run across columns and
 * every entry is computed by itself, so that the result has the same bits for every lane width and number of threads. The
 * work array is row by row, with room behind the last column for the lanes that overhang. Choosing the pivot and exchanging rows
 * is up to the caller. */
#ifndef PLUMB_METHOD_LSQ_LU_H
#define PLUMB_METHOD_LSQ_LU_H

#include <stdint.h>

typedef struct lu_job {
    double *w;       /* plane c of entry (i, j): w[c*w_plane + i*ld + j]; columns of A, then right-hand sides */
    double *inverse; /* 1 / w_kk: inverse[c*inverse_plane + k] */
    int64_t w_plane, inverse_plane, ld;
    int64_t n, all; /* all = n + right-hand sides; ld >= all + LU_OVERHANG */
} lu_job;

/* The most entries a lane reaches behind the last column. */
enum { LU_OVERHANG = 32 };

/* Kernels of one precision, kind and machine. */
typedef struct lu_kernels {
    void (*invert)(const lu_job *job, int64_t k);                                 /* inverse[k] = 1 / w_kk */
    void (*eliminate)(const lu_job *job, int64_t k, int64_t first, int64_t last); /* rows first .. last-1, first > k */
    void (*back)(const lu_job *job);                                              /* right-hand sides become x */
} lu_kernels;

#endif
