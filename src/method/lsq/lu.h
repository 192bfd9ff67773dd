/* lu.h - Gaussian elimination: its data (lu_job) and its kernels.
 *
 * The elimination is right-looking: when row k is final, l_ik times row k is subtracted from each row i below it,
 * with l_ik = w_ik / w_kk. Lanes run across columns and entries are computed independently, so the result has the
 * same bits for every lane width and number of threads. The work array is stored by rows, with room behind the last
 * column for lanes that extend beyond it. The caller chooses the pivot and exchanges rows. */
#ifndef PLUMB_METHOD_LSQ_LU_H
#define PLUMB_METHOD_LSQ_LU_H

#include <stdint.h>

typedef struct lu_job {
    double *w;       /* plane c of entry (i, j): w[c*w_plane + i*ld + j]; columns of A, then right-hand sides */
    double *inverse; /* 1 / w_kk: inverse[c*inverse_plane + k] */
    int64_t w_plane, inverse_plane, ld;
    int64_t n, all; /* all = n + right-hand sides; ld >= all + LU_OVERHANG */
} lu_job;

/* The maximum number of entries by which a lane extends beyond the last column. */
enum { LU_OVERHANG = 32 };

/* Kernels for one precision, kind and machine. */
typedef struct lu_kernels {
    void (*invert)(const lu_job *job, int64_t k);                                 /* inverse[k] = 1 / w_kk */
    void (*eliminate)(const lu_job *job, int64_t k, int64_t first, int64_t last); /* rows first .. last-1, first > k */
    void (*back)(const lu_job *job);                                              /* right-hand sides become x */
} lu_kernels;

#endif
