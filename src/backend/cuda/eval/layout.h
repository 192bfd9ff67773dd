/* layout.h - a part while it is laid out: where each of its things goes, and the words that are written. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_LAYOUT_H
#define PLUMB_BACKEND_CUDA_EVAL_LAYOUT_H

#include "backend/cuda/eval/part.h"

/* Products by level, behind the powers and before what bunches make; pieces by length, or for many points by column; folds by
 * stage. */
typedef struct part_order {
    int32_t levels, stages;
    int32_t *level_start, *term_start,
        *stage_start; /* level_start: of the powers, of each level, of the bunches, the end; term_start: of the pieces in their new order, and the end */
    int32_t *product_to, *piece_to, *fold_to;
} part_order;

/* false: there is no memory for it; it must be freed either way. */
bool plumb_eval_order_create(const eval_wish *wish, const eval_part *part, part_order *order);
void plumb_eval_order_free(part_order *order);

/* How many levels or stages a list goes up to; powers and bunches are on no level. */
int32_t plumb_eval_count_of(const eval_list *list);

typedef struct layout {
    const eval_wish *wish;
    const eval_part *part;
    const part_order *order;
    const eval_gpu_program *shape;
    int32_t *words;
    double *coefficients;
    int64_t used; /* words */
} layout;

static inline int32_t *layout_take(layout *l, int head, int64_t count)
{
    int32_t *at = l->words + l->used;
    l->words[head] = (int32_t)l->used;
    l->used += count;
    return at;
}

static inline int32_t layout_slot(const layout *l, int32_t number)
{
    const int32_t inputs = 1 + l->shape->unknowns;
    return number < inputs ? number : inputs + l->order->product_to[number - inputs];
}

/* Pieces that have a slot. */
static inline int64_t layout_pieces(const eval_wish *wish, const eval_part *part)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < part->piece_row.count; i++)
        kept += !wish->many || part->piece_row.item[i] < 0;
    return kept;
}

/* What parts for many points have more, before everything else, and how many words that takes. */
void plumb_eval_lay_many(layout *l);
int64_t plumb_eval_many_words(const eval_wish *wish, const eval_part *part);

#endif
