/* program.h - a polynomial system compiled for evaluation: flat arrays of int32_t that any machine can walk, made once.
 *
 * Everything happens in slots, each of which holds one number: slot 0 is the constant 1, slots 1 .. unknowns are the point,
 * and every step fills slots behind those it reads:
 *
 *   levels   powers: slot to + i = slot a[i] * slot b[i]. x^n is made of x^ceil(n/2) and x^floor(n/2), so level l holds the
 *            exponents above 2^(l-1) up to 2^l, and all products of a level are independent.
 *   groups   products of powers of two or more unknowns, each distinct one once whatever the number of its terms: those
 *            of equally many unknowns, equally many of them with an exponent above 1, together. One sweep forward and one
 *            backward give the value and all derivatives; nothing is divided, so zeros do no harm.
 *   sums     rows: a slot becomes the sum of coefficients times slots, from the first to the last term. Long sums are cut
 *            into parts of PROGRAM_LONGEST terms, whose sums are added by rows of a later stage.
 *
 * Products of one unknown need no work: their value and derivative are powers, or 1.
 *
 * Machines differ in what they compute side by side, never in what a slot is made of: results have the same bits.
 * Every list of slots begins and ends at a multiple of PROGRAM_PAD items, so that lanes may run over its end: pads read slot
 * 0 and write slots nobody reads. */
#ifndef PLUMB_MODEL_PROGRAM_H
#define PLUMB_MODEL_PROGRAM_H

#include "model/system/system.h"

enum { PROGRAM_PAD = 8, PROGRAM_LONGEST = 128, PROGRAM_STAGES = 8, PROGRAM_LEVELS = 32 };

typedef struct program_level {
    int32_t first, count; /* products first .. first + count - 1 of a and b */
    int32_t to;           /* slot of the first */
} program_level;

/* count products of k unknowns; the first `raised` unknowns of each have exponents e > 1. With q_j = x^e and p_j = x^(e-1) the
 * slots of powers are
 *   q_j of product i: factors[first + j*stride + i], j < k;    p_j: factors[first + (k + j)*stride + i], j < raised
 * and the results go to
 *   value: slot to + i;    derivative by unknown j, but for the factor e: slot to + (1 + j)*stride + i, j < kept
 * With k = 2 the derivative by an unknown that is not raised is a power that is there already: kept = raised, else kept = k. */
typedef struct program_group {
    int32_t k, raised, kept;
    int32_t count, stride;
    int32_t first, to;
} program_group;

/* Rows of one stage of sums: first those that values need, then those that only derivatives need; each lot padded. */
typedef struct program_stage {
    int32_t first, values, all; /* rows first .. values - 1, values .. all - 1 */
} program_stage;

typedef struct eval_program {
    uint64_t number; /* no two programs of a process have the same: what is kept of one elsewhere goes by it */
    int32_t equations, unknowns;
    int32_t slots;
    int32_t most_factors; /* of a product */

    int32_t level_count, group_count, stage_count;
    program_level level[PROGRAM_LEVELS];
    program_group *group;
    program_stage stage[PROGRAM_STAGES];
    int32_t *a, *b;   /* operands of the powers: slots */
    int32_t *factors; /* operands of the groups: slots */
    int32_t factor_count;

    /* Row r is place r % PROGRAM_PAD of slice r / PROGRAM_PAD, and fills slot row_to + r. Its term t < row_terms[r] reads slot
     * term_slot[(slice_start[slice] + t)*PROGRAM_PAD + place]; longer rows come first in a lot. */
    int32_t rows, row_to;
    int32_t *row_terms;   /* rows */
    int32_t *slice_start; /* rows / PROGRAM_PAD + 1 */
    int32_t *term_slot;   /* steps * PROGRAM_PAD, steps = slice_start[rows / PROGRAM_PAD] */

    /* Of each place of term_slot: the term of the system whose coefficient it has, times an integer (the exponent); the
     * coefficient is 1 where the term is -1, 0 where the integer is 0. */
    int32_t *term_of, *times;

    /* Where the results are. */
    int32_t *value_slot; /* equations */
    int32_t entries;     /* of the Jacobian that are not identically zero, column by column: */
    int32_t *entry_slot, *entry_row, *entry_col;

    /* Work of one evaluation, with derivatives and without: products, and products added to a sum. */
    int64_t products, sum_terms;
    int64_t value_products, value_sum_terms;
    int32_t is_real; /* all coefficients are */

    /* Coefficients rounded to a precision, made when first asked for (solver/system_eval.h): [parts][prec]. Plane c of the coefficient of place
     * (step, place): [(step*prec*parts + c)*PROGRAM_PAD + place]. */
    double *coefficients[PLUMB_COMPLEX + 1][PLUMB_QD + 1];
} eval_program;

/* Places of term_slot and the coefficients, in steps of PROGRAM_PAD. */
static inline int64_t program_steps(const eval_program *p)
{
    return p->slice_start ? p->slice_start[p->rows / PROGRAM_PAD] : 0;
}

/* The program of a system, compiled on the first call and kept with the system; NULL and a status when it cannot be
 * (PLUMB_ERR_SIZE, PLUMB_ERR_MEMORY). Any number of threads may ask at once. */
plumb_status plumb_program_of(const plumb_system *system, const eval_program **made);

void plumb_program_free(eval_program *p); /* NULL is fine */

#endif
