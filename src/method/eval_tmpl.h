/* eval_tmpl.h - the steps of an evaluation, written once and compiled for each precision, kind and machine; see
 * eval.h and model/program/program.h.
 *
 * `many` is a compile-time constant at each call, so that each of the two ways becomes separate code. */
#include "arith/lane_pairs.h"
#include "arith/product.h"
#include "method/eval.h"

#define EVAL_FN(name) REAL_JOIN(eval_##name##_, PLUMB_PREC)

enum { EVAL_PLANES = PLUMB_PARTS * PLUMB_LIMBS, EVAL_NUM = EVAL_PLANES * LANE_WIDTH };

_Static_assert(PROGRAM_PAD % LANE_WIDTH == 0, "lanes must end where pads do");

LANE_FN num EVAL_FN(get)(const eval_job *job, const int32_t *slot, int many)
{
    if (many)
        return num_load(job->slots + (int64_t)*slot * EVAL_NUM, LANE_WIDTH, LANE_WIDTH);
    return num_collect(job->slots, slot, EVAL_PLANES);
}

LANE_FN void EVAL_FN(put)(const eval_job *job, int64_t slot, num x, int many)
{
    if (many)
        num_store(job->slots + slot * EVAL_NUM, LANE_WIDTH, x, LANE_WIDTH);
    else
        num_deal(job->slots + slot * EVAL_PLANES, EVAL_PLANES, x);
}

LANE_FN num EVAL_FN(recall)(const double *scratch, int32_t j)
{
    return num_load(scratch + (int64_t)j * EVAL_NUM, LANE_WIDTH, LANE_WIDTH);
}

LANE_FN void EVAL_FN(keep)(double *scratch, int32_t j, num x)
{
    num_store(scratch + (int64_t)j * EVAL_NUM, LANE_WIDTH, x, LANE_WIDTH);
}

LANE_FN void EVAL_FN(level)(const eval_job *given, int32_t l, int32_t first, int32_t last, int many)
{
    const eval_job value = *given, *job = &value;
    const program_level level = job->program->level[l];
    const int32_t *a = job->program->a + level.first, *b = job->program->b + level.first;
    for (int32_t i = first; i < last; i += many ? 1 : LANE_WIDTH) {
        num x = num_product(EVAL_FN(get)(job, a + i, many), EVAL_FN(get)(job, b + i, many));
        EVAL_FN(put)(job, level.to + i, x, many);
    }
}

/* The derivative of product i with respect to its unknown j: the product of the other factors times the derivative of
 * its own power. */
LANE_FN void EVAL_FN(derivative)(const eval_job *job, const program_group *g, const int32_t *factors, int32_t i,
                                 int32_t j, num others, int many)
{
    if (j < g->raised)
        others = num_product(others, EVAL_FN(get)(job, factors + (int64_t)(g->k + j) * g->stride, many));
    if (j < g->kept)
        EVAL_FN(put)(job, g->to + (int64_t)(1 + j) * g->stride + i, others, many);
}

/* Forward: before_j = q_0 ... q_(j-1). Backward: after = q_(j+1) ... q_(k-1), so before_j * after is the product of
 * the others. The value is q_0 times the product of the others; an evaluation without derivatives uses the same
 * order. */
LANE_FN void EVAL_FN(product)(const eval_job *job, const program_group *g, int32_t i, int many)
{
    const int32_t *factors = job->program->factors + g->first + i, k = g->k;
    double *q = job->scratch, *before = q + (int64_t)k * EVAL_NUM;
#define FACTOR(j) EVAL_FN(get)(job, factors + (int64_t)(j)*g->stride, many)
#define RECALL(j) (many ? FACTOR(j) : EVAL_FN(recall)(q, j))
    num head = FACTOR(0), after;
    if (job->derivatives && g->kept > 0) {
        num sofar = head;
        for (int32_t j = 1; j < k - 1; j++) {
            num factor = FACTOR(j);
            if (!many)
                EVAL_FN(keep)(q, j, factor);
            EVAL_FN(keep)(before, j, sofar);
            sofar = num_product(sofar, factor);
        }
        EVAL_FN(derivative)(job, g, factors, i, k - 1, sofar, many);
        after = FACTOR(k - 1);
        for (int32_t j = k - 2; j > 0; j--) {
            EVAL_FN(derivative)(job, g, factors, i, j, num_product(EVAL_FN(recall)(before, j), after), many);
            after = num_product(RECALL(j), after);
        }
        EVAL_FN(derivative)(job, g, factors, i, 0, after, many);
    } else {
        after = FACTOR(k - 1);
        for (int32_t j = k - 2; j > 0; j--)
            after = num_product(FACTOR(j), after);
    }
    EVAL_FN(put)(job, g->to + (int64_t)i, num_product(head, after), many);
#undef FACTOR
#undef RECALL
}

LANE_FN void EVAL_FN(group)(const eval_job *given, int32_t number, int32_t first, int32_t last, int many)
{
    const eval_job value = *given, *job = &value;
    const program_group group = job->program->group[number];
    for (int32_t i = first; i < last; i += many ? 1 : LANE_WIDTH)
        EVAL_FN(product)(job, &group, i, many);
}

/* In d a term that underflows can leave -0, which the zeros that pad shorter rows of a lane would turn into +0. */
LANE_FN num EVAL_FN(plus_zero)(num x)
{
#if PLUMB_LIMBS == 1
    return num_add(x, num_acc_value(num_acc_zero()));
#else
    return x;
#endif
}

LANE_FN void EVAL_FN(rows)(const eval_job *given, int32_t first, int32_t last, int many)
{
    const eval_job value = *given, *job = &value;
    const eval_program *p = job->program;
    for (int32_t row = first; row < last; row += many ? 1 : LANE_WIDTH) {
        const int64_t step = p->slice_start[row / PROGRAM_PAD];
        const int32_t *slot = p->term_slot + step * PROGRAM_PAD + row % PROGRAM_PAD;
        const double *c = job->coefficients + step * PROGRAM_PAD * EVAL_PLANES + row % PROGRAM_PAD;
        num_acc sum = num_acc_zero();
        for (int32_t t = p->row_terms[row]; t > 0; t--, slot += PROGRAM_PAD, c += PROGRAM_PAD * EVAL_PLANES)
            sum = num_acc_add(sum, many ? num_spread(c, PROGRAM_PAD) : num_load(c, PROGRAM_PAD, LANE_WIDTH),
                              EVAL_FN(get)(job, slot, many));
        EVAL_FN(put)(job, p->row_to + (int64_t)row, EVAL_FN(plus_zero)(num_acc_value(sum)), many);
    }
}

#define EVAL_WAY(way, many)                                                                           \
    static void EVAL_FN(level_##way)(const eval_job *job, int32_t level, int32_t first, int32_t last) \
    {                                                                                                 \
        EVAL_FN(level)(job, level, first, last, many);                                                \
    }                                                                                                 \
    static void EVAL_FN(group_##way)(const eval_job *job, int32_t group, int32_t first, int32_t last) \
    {                                                                                                 \
        EVAL_FN(group)(job, group, first, last, many);                                                \
    }                                                                                                 \
    static void EVAL_FN(rows_##way)(const eval_job *job, int32_t first, int32_t last)                 \
    {                                                                                                 \
        EVAL_FN(rows)(job, first, last, many);                                                        \
    }
EVAL_WAY(one, 0)
EVAL_WAY(many, 1)
#undef EVAL_WAY

#define EVAL_STEPS(way)                                                 \
    {                                                                   \
        EVAL_FN(level_##way), EVAL_FN(group_##way), EVAL_FN(rows_##way) \
    }
#define EVAL_KERNELS                                               \
    {                                                              \
        LANE_WIDTH, EVAL_PLANES, EVAL_STEPS(one), EVAL_STEPS(many) \
    }
