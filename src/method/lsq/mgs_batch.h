/* mgs_batch.h - the job of modified Gram-Schmidt on many small systems at once: a group, one system a place of a lane.
 *
 * The arithmetic of each system is that of mgs.h, operation by operation, so a group gives the bits of its systems one by
 * one. What differs is the order between columns: here a column is brought up to date against all those before it and is
 * then final, so that it stays in the nearest cache, and nothing is written twice.
 *
 * Everything of a group lies entry after entry, planes inside an entry, systems inside a plane: plane c of entry e of system
 * s is at [(e*planes + c)*width + s], and the walk down a column is one stream. */
#ifndef PLUMB_METHOD_LSQ_MGS_BATCH_H
#define PLUMB_METHOD_LSQ_MGS_BATCH_H

#include <stdint.h>

typedef struct mgs_batch_job {
    double *w;       /* entry (i, j) is number j*rows + i; columns of A, then right-hand sides */
    double *c;       /* c_kj is number j*cols + k; of the right-hand sides x in the end */
    double *s;       /* s_k is number k, then the residual norms of the right-hand sides; real */
    double *inverse; /* 1/s_k, or 0 where column k depends on those before it; real */
    double *least;   /* [j*width + system]: column j is dependent when the leading limb of s_j is at most this */
    double share;    /* a column is dependent when its norm is at most this share of what it was */
    int64_t rows, cols, all; /* all = cols + right-hand sides */
} mgs_batch_job;

/* A kernel of one precision, kind and machine. */
typedef struct mgs_batch_kernel {
    int32_t width; /* systems a group */
    /* Factors [A B], back substitutes, takes the norms of what is left of B. A system with a dependent column leaves finite
     * numbers without meaning where its input is finite, and does not disturb the others. */
    void (*solve)(const mgs_batch_job *job);
} mgs_batch_kernel;

#endif
