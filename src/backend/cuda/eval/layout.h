/* layout.h - the layout of a part: the place of each of its items, and the words that are written. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_LAYOUT_H
#define PLUMB_BACKEND_CUDA_EVAL_LAYOUT_H

#include "backend/cuda/eval/part.h"

/* The order of items: products by level, after the powers and before the results of bunches; pieces by length, or for
 * many points by column; folds by stage. */
typedef struct part_order {
    int32_t levels, stages;
    int32_t *level_start, *term_start,
        *stage_start; /* level_start: powers, each level, bunches, end; term_start: pieces in their new order, end */
    int32_t *product_to, *piece_to, *fold_to;
} part_order;

/* Returns false if memory is exhausted; the order must be freed in both cases. */
bool plumb_eval_order_create(const eval_wish *wish, const eval_part *part, part_order *order);
void plumb_eval_order_free(part_order *order);

/* The number of levels or stages of a list; powers and bunches belong to no level. */
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

/* The number of pieces that have a slot. */
static inline int64_t layout_pieces(const eval_wish *wish, const eval_part *part)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < part->piece_row.count; i++)
        kept += !wish->many || part->piece_row.item[i] < 0;
    return kept;
}

/* Lays out the additional data of parts for many points, before everything else, and counts its words. */
void plumb_eval_lay_many(layout *l);
int64_t plumb_eval_many_words(const eval_wish *wish, const eval_part *part);

#endif
