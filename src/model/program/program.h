/* program.h - a polynomial system compiled for evaluation: flat arrays of int32_t that CPU and GPU kernels can
 * traverse.
 *
 * The program works on slots, each of which holds one number: slot 0 is the constant 1, slots 1 .. unknowns are the
 * point, and every step fills slots behind those it reads:
 *
 *   levels   powers: slot to + i = slot a[i] * slot b[i]. x^n is the product of x^ceil(n/2) and x^floor(n/2), so
 *   level l has the exponents above 2^(l-1) up to 2^l, and all products of a level are independent.
 *   groups   products of powers of two or more unknowns. Each distinct product is computed once, for all terms that
 *   contain it. A group has products of the same number of unknowns, the same number of them with an exponent above
 *   1. One forward and one backward sweep give the value and all derivatives; nothing is divided, so zeros cause no
 *   trouble.
 *   sums     rows: a slot becomes the sum of coefficients times slots, from the first to the last term. Long sums are
 *   split into parts of PROGRAM_LONGEST terms, which rows of a later stage add.
 *
 * Products of one unknown need no work: their value and derivative are powers, or 1.
 *
 * Instruction sets differ in what they compute in parallel, never in how the value of a slot is computed, so the
 * results have the same bits. Every list of slots begins and ends at a multiple of PROGRAM_PAD items, so that lanes
 * may extend beyond its end: padding reads slot 0 and writes slots that nobody reads. */
#ifndef PLUMB_MODEL_PROGRAM_H
#define PLUMB_MODEL_PROGRAM_H

#include "model/system/system.h"

enum { PROGRAM_PAD = 8, PROGRAM_LONGEST = 128, PROGRAM_STAGES = 8, PROGRAM_LEVELS = 32 };

typedef struct program_level {
    int32_t first, count; /* products first .. first + count - 1 of a and b */
    int32_t to;           /* slot of the first product */
} program_level;

/* count products of k unknowns; the first `raised` unknowns of each have exponents e > 1. With q_j = x^e and p_j =
 * x^(e-1) the slots of powers are
 *   q_j of product i: factors[first + j*stride + i], j < k;    p_j: factors[first + (k + j)*stride + i], j < raised
 * and the results go to
 *   value: slot to + i;    derivative with respect to unknown j without the factor e: slot to + (1 + j)*stride + i, j
 *   < kept
 * For k = 2 the derivative with respect to an unknown that is not raised is a power that exists already: kept =
 * raised; otherwise kept = k. A plain group has values only: raised = kept = 0, whatever the exponents are. */
typedef struct program_group {
    int32_t k, raised, kept, plain;
    int32_t count, stride;
    int32_t first, to;
} program_group;

/* Rows of one stage of sums: first those that values need, then those that only derivatives need; both parts are
 * padded. */
typedef struct program_stage {
    int32_t first, values, all; /* rows first .. values - 1, values .. all - 1 */
} program_stage;

typedef struct eval_program {
    uint64_t number; /* unique among all programs of the process; caches elsewhere use it as the key */
    int32_t equations, unknowns;
    int32_t columns; /* of the Jacobian: the unknowns but for the parameters, which are the last ones */
    int32_t slots;
    int32_t most_factors; /* maximum number of factors of a product */

    int32_t level_count, group_count, stage_count;
    program_level level[PROGRAM_LEVELS];
    program_group *group;
    program_stage stage[PROGRAM_STAGES];
    int32_t *a, *b;   /* operands of the powers: slots */
    int32_t *factors; /* operands of the groups: slots */
    int32_t factor_count;

    /* Row r is place r % PROGRAM_PAD of slice r / PROGRAM_PAD, and fills slot row_to + r. Its term t < row_terms[r]
     * reads slot term_slot[(slice_start[slice] + t)*PROGRAM_PAD + place]; longer rows come first in each part. */
    int32_t rows, row_to;
    int32_t *row_terms;   /* rows */
    int32_t *slice_start; /* rows / PROGRAM_PAD + 1 */
    int32_t *term_slot;   /* steps * PROGRAM_PAD, steps = slice_start[rows / PROGRAM_PAD] */

    /* For each place of term_slot: the coefficient is that of term term_of of the system times the integer `times`
     * (the exponent). It is 1 if term_of is -1, and 0 if `times` is 0. */
    int32_t *term_of, *times;

    /* The slots of the results. */
    int32_t *value_slot; /* equations */
    int32_t entries;     /* entries of the Jacobian that are not identically zero, column by column: */
    int32_t *entry_slot, *entry_row, *entry_col;

    /* The work of one evaluation with derivatives and without: products, and products added to sums. */
    int64_t products, sum_terms;
    int64_t value_products, value_sum_terms;
    int32_t is_real; /* 1: all coefficients are real */

    /* Coefficients rounded to a precision, computed when first needed (solver/eval/coefficients.c): [parts][prec].
     * Plane c of the coefficient of place (step, place): [(step*prec*parts + c)*PROGRAM_PAD + place]. */
    double *coefficients[PLUMB_COMPLEX + 1][PLUMB_QD + 1];
    double *magnitudes; /* the moduli of the coefficients as real coefficients in double precision, likewise */
} eval_program;

/* The length of term_slot and of the coefficients in units of PROGRAM_PAD. */
static inline int64_t program_steps(const eval_program *p)
{
    return p->slice_start ? p->slice_start[p->rows / PROGRAM_PAD] : 0;
}

/* Returns the program of a system, which is compiled on the first call and kept with the system. On failure
 * (PLUMB_ERR_SIZE, PLUMB_ERR_MEMORY) *program is NULL. Any number of threads may call this at once. */
plumb_status plumb_program_of(const plumb_system *system, const eval_program **made);

void plumb_program_free(eval_program *p); /* NULL is allowed */

#endif
