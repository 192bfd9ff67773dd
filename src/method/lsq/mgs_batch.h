/* mgs_batch.h - modified Gram-Schmidt on a group of small systems at once, with one system in each place of a lane.
 *
 * The arithmetic of each system is that of mgs.h, operation by operation, so the results are batch-invariant. Only
 * the order of the columns differs: here a column is orthogonalised against all columns before it and is then final,
 * so that it stays in the first-level cache and nothing is written twice.
 *
 * The arrays of a group are stored entry by entry, planes inside an entry, systems inside a plane: plane c of entry e
 * of system s is at [(e*planes + c)*width + s], so that a column is read as one contiguous stream. */
#ifndef PLUMB_METHOD_LSQ_MGS_BATCH_H
#define PLUMB_METHOD_LSQ_MGS_BATCH_H

#include <stdint.h>

typedef struct mgs_batch_job {
    double *w;       /* entry (i, j) is number j*rows + i; columns of A, then right-hand sides */
    double *c;       /* c_kj is number j*cols + k; for right-hand sides, x in the end */
    double *s;       /* s_k is number k, then the residual norms of the right-hand sides; real */
    double *inverse; /* 1/s_k, or 0 if column k depends on those before it; real */
    double *least;   /* [j*width + system]: column j is dependent when the leading limb of s_j is at most this */
    double share;    /* a column is dependent if its norm is at most this share of its original norm */
    int64_t rows, cols, all; /* all = cols + right-hand sides */
} mgs_batch_job;

/* A kernel of one precision, kind and machine. */
typedef struct mgs_batch_kernel {
    int32_t width; /* systems per group */
    /* Loads one plane of a column of `count` systems that are `next` apart, each times its factor, to w from `to` on; the other
     * places receive numbers without meaning. */
    void (*load)(double *to, const double *from, int64_t next, int32_t count, const double *factor, int64_t rows);
    /* Factors [A B], does back substitution, and computes the norms of the residuals of B. A system with a dependent
     * column and finite input yields finite numbers without meaning and does not disturb the others. */
    void (*solve)(const mgs_batch_job *job);
} mgs_batch_kernel;

#endif
