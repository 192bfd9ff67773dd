/* gpu.h - a program (model/program.h) as the kernels of a GPU walk it, and one evaluation of it.
 *
 * The equations are shared out among parts, each of which is complete: it makes all powers and products that its sums need, so
 * parts never wait for one another. What two parts need both make. Numbers are in slots again: 0 is the constant 1,
 * 1 .. unknowns the point, then come the products, the pieces of sums, and the sums of pieces.
 *
 *   products  slot = slot a * slot b, level by level. The products of a monomial are a tree: up it the value, down it what
 *             the other factors of each factor multiply to. That is as many products as one sweep forward and one back take, and
 *             only twice the logarithm of the factors deep.
 *   pieces    at most EVAL_PIECE coefficients times slots, in an accumulator
 *   folds     sums of at most EVAL_FOLD pieces or folds, stage by stage
 *
 * How a number is made depends on its equation alone, not on the parts or on the number of points: the bits are always the same.
 *
 * A part is EVAL_HEAD words that say how many there are and where, the words, and the coefficients; all parts take as much room. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_GPU_H
#define PLUMB_BACKEND_CUDA_EVAL_GPU_H

#include "backend/cuda/lsq/gpu.h"

enum { EVAL_PIECE = 4, EVAL_FOLD = 8 };

/* Parts for many points (eval_many.cu) have less to keep, and more is made in registers:
 *
 *   powers    up to EVAL_POWERS, by the thread that loads the unknown
 *   bunches   the value and the derivatives of a monomial of up to EVAL_BUNCH factors, by one thread: its tree as above
 *   sums      two pieces at once, added. Pieces of zeros are sums of nothing.
 *
 * Products are what is left: higher powers, and monomials of more factors. */
enum { EVAL_POWERS = 8, EVAL_BUNCH = 6, EVAL_SUM = 2 * EVAL_PIECE };

/* Threads of a block, and how many blocks of them have registers enough at once, for numbers of so many limbs. Points side by side in
 * shared memory: at most 2 to this. */
enum { EVAL_THREADS = 256 };
#define EVAL_RESIDENT(limbs) ((limbs) == 1 ? 4 : (limbs) == 2 ? 3 : 2)
#define EVAL_MOST_LOG(limbs) ((limbs) == 1 ? 3 : (limbs) == 2 ? 2 : 1)

/* The same for many points, and what there is a choice of: points side by side, equations a part. Blocks that share a multiprocessor. */
#define EVAL_MANY_RESIDENT(limbs) ((limbs) == 1 ? 3 : 2)
enum { EVAL_MANY_LEAST_LOG = 2, EVAL_MANY_MOST_LOG = 3, EVAL_MANY_EQUATIONS = 2, EVAL_MANY_SHARING = 2 };

/* The head of a part. _AT: where an array of words begins. Levels, pieces, stages and folds have one entry more than there are: the
 * next begins where the last ends. ROW and COL say where a sum goes: column 0 is the value, column 1 + v the derivative by
 * unknown v; row -1 is a slot. */
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
    EVAL_POWERS_AT, /* of each unknown EVAL_POWERS words: the highest of its powers that is made here, then the slots of x^2, x^3, ...;
                      * 0: not wanted */
    EVAL_BUNCHES_AT, /* of bunches of k = 0 .. EVAL_BUNCH factors: how many there are, and where they begin. A bunch is the slot of its
                      * value, behind which its derivatives are; how many factors are raised + 65536 * how many derivatives are
                      * wanted; the slots of k factors and of those that the derivatives by raised ones are multiplied by */
    EVAL_SUMS,    /* instead of pieces; EVAL_PIECES are those of them that have a slot, and come first */
    EVAL_SUMS_AT, /* first term, number of terms, row, column; at a multiple of 4 */
    EVAL_HEAD = 24
};

/* The shape of all parts of a program, and where they are. */
typedef struct eval_gpu_program {
    const double *
        parts_at; /* part i begins at i * part_doubles: words, then the coefficient of term t, and of some after the last */
    int64_t part_doubles; /* even, so that numbers can be read by pairs */
    int32_t parts, unknowns, equations;
    int32_t words; /* of a part, a multiple of 4 */
    int32_t slots;
} eval_gpu_program;

typedef struct eval_gpu_job {
    eval_gpu_program program;
    mgs_gpu_array points, values, jacobians; /* jacobians may have no data */
    int64_t batch;
    int32_t log_points; /* a block has 2^log_points points at a time */
    int32_t blocks;     /* a part; where slots are in global memory, groups of points */
    int32_t early;      /* begins while the kernel before it is still at work */
    double *slots;      /* in global memory; NULL: in shared memory */
} eval_gpu_job;

/* What a launch does where slots are in global memory: items first .. last - 1 of one kind. */
enum { EVAL_DO_LOAD, EVAL_DO_PRODUCTS, EVAL_DO_PIECES, EVAL_DO_FOLDS, EVAL_DO_CLEAR };
typedef struct eval_gpu_step {
    int32_t what;
    int64_t first, last;
} eval_gpu_step;

#endif
