/* mgs.h - modified Gram-Schmidt: its data (mgs_job) and its kernels.
 *
 * The columns stay unnormalised. With s_k = a_k^H a_k and c_kj = a_k^H a_j / s_k, step k is a_j -= c_kj a_k for all j
 * > k. A step takes one reciprocal and no square root, and A x = b becomes C x = c_b with a unit diagonal. R and Q
 * are made from this at the end: r_kk = sqrt(s_k), r_kj = c_kj r_kk, q_k = a_k / r_kk. Steps and these products use
 * real_rest (arith/real.h), which rounds more carefully than the sums of products between them, because A - Q R
 * consists of their errors.
 *
 * Lanes run across columns, and rows are added in order, so the result has the same bits for every lane width and
 * number of threads. The work array is therefore stored by rows, with zeros behind the last column for lanes that
 * extend beyond it. */
#ifndef PLUMB_METHOD_LSQ_MGS_H
#define PLUMB_METHOD_LSQ_MGS_H

#include <stdbool.h>
#include <stdint.h>

/* Columns as they are given: part p of entry (i, j) is data[p*plane + j*col + i]. */
typedef struct mgs_columns {
    const double *data;
    int64_t plane, col;
} mgs_columns;

/* A problem that is loaded from where it was given, one tile at a time. Every column is multiplied by a factor. */
typedef struct mgs_source {
    mgs_columns a, b; /* A and the right-hand sides; data NULL: w has them */
    double *factor;   /* powers of two, for the right-hand sides, too */
    double *least;    /* receives share times the square of the norm for each column of A */
    double share;
} mgs_source;

typedef struct mgs_job {
    double *w; /* plane c of entry (i, j): w[c*w_plane + i*ld + j]; columns of A, then right-hand sides */
    double *c; /* c_kj: c[.. + k*ld + j]; cols + 1 rows, the last for squared residuals of the right-hand sides */
    double *s; /* s_k, real: s[.. + k] */
    /* For mgs_tiles_tmpl.h and mgs_blocks_tmpl.h: planes * rows * (all + MGS_OVERHANG) doubles, or NULL: steps over whole
     * rows. */
    double *tiles;
    double *inverse;  /* beside tiles: 1/s_k, limbs * cols doubles */
    double *finished; /* beside tiles: finished columns, mgs_copies * planes * rows * (cols + MGS_OVERHANG) doubles */
    double *products; /* beside tiles in d: inner products within blocks, planes * cols * MGS_BLOCK doubles */
    int64_t *applied; /* beside tiles: how many finished tiles were applied to each tile, at most `all` of them */
    int64_t w_plane, c_plane, s_plane, ld;
    int64_t rank;            /* columns that were factored: cols, or fewer if the others depend on them */
    int64_t rows, cols, all; /* all = cols + right-hand sides; ld >= all + MGS_OVERHANG */
    mgs_source *source;      /* beside tiles: where they are loaded from, or NULL: w */
    int64_t first_tile;      /* beside tiles: the one at their beginning */
} mgs_job;

/* The maximum number of entries by which a lane extends beyond the last column. */
enum { MGS_OVERHANG = 32 };

/* How often numbers of finished columns are stored at most; once in d. */
enum { MGS_MOST_COPIES = 2 };
static inline int64_t mgs_copies(int32_t limbs) { return limbs > 1 ? MGS_MOST_COPIES : 1; }

/* Columns whose steps are taken at once in mgs_blocks_tmpl.h. */
enum { MGS_BLOCK = 8 };

/* True if the steps of MGS_BLOCK columns are taken at once (mgs_blocks_tmpl.h): in d, for matrices that leave the
 * first-level cache. The last bits of the results depend on it, so it depends on the shape of A alone. */
static inline bool mgs_is_blocked(int64_t limbs, int64_t rows, int64_t cols)
{
    return limbs == 1 && cols >= 32 && rows >= 4000 / cols;
}

/* True if the steps of one or two blocks are taken at once and everything is done by tiles of these columns (mgs_wide_tmpl.h): for large
 * matrices in any precision. The last bits of the results depend on it, so it depends on the shape of A alone. */
static inline bool mgs_is_wide(int64_t rows, int64_t cols) { return cols > 256 && rows >= cols; }

/* Blocks per tile there: in d an entry of a tile that is loaded then serves sixteen columns. */
static inline int64_t mgs_wide_blocks(int64_t limbs) { return limbs == 1 ? 2 : 1; }

/* True if there are tiles: with blocks, and in dd and qd for matrices for which they are faster than steps over whole
 * rows. The results in dd and qd do not depend on it. */
static inline bool mgs_is_tiled(int64_t limbs, int64_t rows, int64_t cols, int64_t all)
{
    return limbs == 1 ? mgs_is_blocked(limbs, rows, cols) : all >= 32 && rows >= 1024 / all;
}

/* The empty places before the first column, where the last of some tiles ends with the last column. */
static inline int64_t mgs_empty(int64_t all, int64_t tile) { return (tile - all % tile) % tile; }

/* The kernels of mgs_wide_tmpl.h. A tile has `columns` columns of A, or right-hand sides; tile `factors` is the first one of these. */
typedef struct mgs_wide_kernels {
    int32_t columns, planes;                                               /* of a tile; planes of a number */
    void (*load)(const mgs_job *job, int64_t t);                           /* from where it was given, or from w */
    void (*store)(const mgs_job *job, int64_t t);                          /* to w */
    int64_t (*finish)(const mgs_job *job, int64_t t, const double *least); /* the steps of its own columns */
    void (*apply)(const mgs_job *job, int64_t b, const int64_t *tiles,
                  int64_t count); /* the steps of tile b to other tiles */
    void (*fold)(const mgs_job *job, int64_t k, int64_t first,
                 int64_t last); /* c_k,rhs -= c_kj x_j, first <= j < last */
} mgs_wide_kernels;

/* The maximum number of tiles of a call of apply. */
enum { MGS_WIDE_TILES = 4 };

/* Kernels for one precision, kind and machine. They work on columns first .. last-1 in whole lanes. */
typedef struct mgs_kernels {
    int32_t width, limbs, planes; /* columns per lane; limbs of a real number; planes of a number */
    void (*project)(const mgs_job *job, int64_t k, int64_t first, int64_t last); /* c_kj = a_k^H a_j */
    void (*divide)(const mgs_job *job, int64_t k, int64_t first);                /* c_kj /= s_k for j >= first */
    void (*remove)(const mgs_job *job, int64_t k, int64_t first, int64_t last);  /* a_j -= c_kj a_k */
    void (*squares)(const mgs_job *job, int64_t first, int64_t last);            /* row cols of c: a_j^H a_j */
    int32_t tile;  /* columns per tile; the kernels for tiles are described in mgs_tiles_tmpl.h */
    int32_t block; /* MGS_BLOCK: they are those of mgs_blocks_tmpl.h, and right-hand sides have tiles of their own */
    void (*load_tile)(const mgs_job *job, int64_t t);                          /* from w */
    void (*store_tile)(const mgs_job *job, int64_t t, int finished);           /* to w */
    void (*apply)(const mgs_job *job, int64_t first, int64_t last, int64_t t); /* steps first .. last-1 */
    int64_t (*finish)(const mgs_job *job, int64_t t, const double *least);     /* the steps of its own columns */
    void (*compose)(const mgs_job *job, const mgs_job *second); /* c = second c times c: see solver/lsq */
    void (*back)(const mgs_job *job);                           /* c_k,rhs becomes x_k, for k < rank */
    void (*triangle)(const mgs_job *job);                       /* c becomes R, diagonal included; after back */
    void (*normalize)(const mgs_job *job);                      /* w becomes Q */
    void (*residuals)(const mgs_job *job); /* row cols of c: its square roots, for the right-hand sides */
    /* The largest modulus of the parts of a column, all limbs; infinite if one is not finite. */
    double (*largest)(const double *column, int64_t plane, int64_t rows);
} mgs_kernels;

#endif
