/* gpu.h - a program (model/program/program.h) in the form that GPU kernels traverse, and one evaluation of it.
 *
 * The equations are divided among parts, each of which is complete: it computes all powers and products that its sums
 * need, so parts never wait for one another. What two parts need is computed by both. Numbers are in slots: 0 is the
 * constant 1, 1 .. unknowns are the point, and then follow the products, the pieces of sums, and the sums of pieces.
 *
 *   products  slot = slot a * slot b, level by level. The products of a monomial form a tree: the value goes up, and
 *   the product of the other factors goes down to each factor. This takes as many products as a forward and a
 *   backward sweep, but its depth is only twice the logarithm of the number of factors.
 *   pieces    sums of at most EVAL_PIECE coefficients times slots, in an accumulator
 *   folds     sums of at most EVAL_FOLD pieces or folds, stage by stage
 *
 * How a number is computed depends on its equation alone, not on the parts or on the number of points, so evaluation
 * is batch-invariant.
 *
 * A part consists of a head of EVAL_HEAD words with counts and offsets, the words, and the coefficients; all parts
 * have the same size. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_GPU_H
#define PLUMB_BACKEND_CUDA_EVAL_GPU_H

#include "backend/cuda/lsq/gpu.h"

enum { EVAL_PIECE = 4, EVAL_FOLD = 8 };

/* Parts for many points (eval_many.cu) have fewer slots, because more is computed in registers:
 *
 *   powers    up to EVAL_POWERS, by the thread that loads the unknown
 *   bunches   the value and the derivatives of a monomial of up to EVAL_BUNCH factors, by one thread: its tree as above
 *   sums      two pieces at once, added. A derivative that is zero is an empty sum.
 *
 * Products are the rest: higher powers, and monomials of more factors. */
enum { EVAL_POWERS = 8, EVAL_BUNCH = 6, EVAL_SUM = 2 * EVAL_PIECE };

/* The number of threads of a block; the number of resident blocks for which there are enough registers, by limbs; and
 * the logarithm of the maximum number of points of a block at a time. */
enum { EVAL_THREADS = 256 };
#define EVAL_RESIDENT(limbs) ((limbs) == 1 ? 4 : (limbs) == 2 ? 3 : 2)
#define EVAL_MOST_LOG(limbs) ((limbs) == 1 ? 3 : (limbs) == 2 ? 2 : 1)

/* The same for many points: resident blocks, points at a time, equations per part, and blocks that share a
 * multiprocessor. */
#define EVAL_MANY_RESIDENT(limbs) ((limbs) == 1 ? 3 : 2)
enum { EVAL_MANY_LEAST_LOG = 2, EVAL_MANY_MOST_LOG = 3, EVAL_MANY_EQUATIONS = 2, EVAL_MANY_SHARING = 2 };

/* The head of a part. Names with _AT are the offsets of arrays of words. The arrays of levels, pieces, stages and
 * folds have one additional entry, the end of the last. ROW and COL give the destination of a sum: column 0 is the
 * value, column 1 + v the derivative with respect to unknown v; row -1 is a slot. */
enum {
    EVAL_LEVELS,
    EVAL_PRODUCTS,
    EVAL_PIECES,
    EVAL_STAGES,
    EVAL_ZEROS,      /* derivatives that are identically zero */
    EVAL_LEVEL_AT,   /* first product of each level */
    EVAL_FACTORS_AT, /* slots of the two factors of each product, at an even place */
    EVAL_PIECE_AT,   /* first term of each piece */
    EVAL_PIECE_ROW_AT,
    EVAL_PIECE_COL_AT,
    EVAL_TERM_AT,  /* slot of each term */
    EVAL_STAGE_AT, /* first fold of each stage */
    EVAL_FOLD_AT,  /* first summand of each fold */
    EVAL_FOLD_ROW_AT,
    EVAL_FOLD_COL_AT,
    EVAL_SUMMAND_AT, /* slot of each summand */
    EVAL_ZERO_ROW_AT,
    EVAL_ZERO_COL_AT,
    /* Many points: */
    /* EVAL_POWERS words per unknown: its highest power computed here, then the slots of x^2, x^3, ...; 0: not needed. */
    EVAL_POWERS_AT,
    /* For k = 0 .. EVAL_BUNCH factors: the number of bunches and their offset. A bunch is the slot of its value, which its
     * derivatives follow; the number of raised factors + 65536 * the number of derivatives; the slots of the k factors,
     * and those of the lower powers of raised factors. */
    EVAL_BUNCHES_AT,
    EVAL_SUMS,    /* number of sums, which replace pieces; the first EVAL_PIECES of them have a slot */
    EVAL_SUMS_AT, /* first term, number of terms, row, column; at a multiple of 4 */
    EVAL_HEAD = 24
};

/* The shape of the parts of a program, and their location. */
typedef struct eval_gpu_program {
    const double *parts_at; /* part i begins at i * part_doubles: words, then the coefficient of each term, padded */
    int64_t part_doubles;   /* even, so that numbers can be read by pairs */
    int32_t parts, unknowns, equations, columns; /* columns of the Jacobian */
    int32_t words;                               /* words of a part, a multiple of 4 */
    int32_t slots;
} eval_gpu_program;

typedef struct eval_gpu_job {
    eval_gpu_program program;
    mgs_gpu_array points, values, jacobians; /* jacobians may have no data */
    const int32_t *skip; /* of point i at skip[i * skip_next], not 0: it need not be evaluated; or NULL */
    int64_t skip_next;
    int64_t batch;
    int32_t log_points; /* a block evaluates 2^log_points points at a time */
    int32_t blocks;     /* blocks per part; with slots in global memory, groups of points */
    int32_t early;      /* 1: starts while the previous kernel is still running */
    double *slots;      /* in global memory; NULL: in shared memory */
} eval_gpu_job;

/* The work of a launch if slots are in global memory: items first .. last - 1 of one kind. */
enum { EVAL_DO_LOAD, EVAL_DO_PRODUCTS, EVAL_DO_PIECES, EVAL_DO_FOLDS, EVAL_DO_CLEAR };
typedef struct eval_gpu_step {
    int32_t what;
    int64_t first, last;
} eval_gpu_step;

#endif
