/* plan_order.c - the order in which the items of a part are laid out. */
#include <stdlib.h>

#include "backend/cuda/eval/layout.h"

/* Finds the place of each of count items when they are sorted by key (stable); start has keys + 1 entries. */
static bool sort_by(const int32_t *key, int64_t count, int32_t keys, int32_t **start, int32_t **to)
{
    int32_t *next = calloc((size_t)keys + 1, sizeof *next);
    *start = calloc((size_t)keys + 1, sizeof **start);
    *to = malloc(((size_t)count + 1) * sizeof **to);
    const bool good = next && *start && *to;
    for (int64_t i = 0; good && i < count; i++)
        (*start)[key[i] + 1]++;
    for (int32_t k = 0; good && k < keys; k++) {
        (*start)[k + 1] += (*start)[k];
        next[k] = (*start)[k];
    }
    for (int64_t i = 0; good && i < count; i++)
        (*to)[i] = next[key[i]]++;
    free(next);
    return good;
}

void plumb_eval_order_free(part_order *o)
{
    free(o->level_start);
    free(o->term_start);
    free(o->stage_start);
    free(o->product_to);
    free(o->piece_to);
    free(o->fold_to);
}

int32_t plumb_eval_count_of(const eval_list *list)
{
    int32_t most = -1;
    for (int64_t i = 0; i < list->count; i++)
        if (list->item[i] > most && list->item[i] != EVAL_LEVEL_BUNCH)
            most = list->item[i];
    return most + 1;
}

static bool order_products(const eval_part *part, int32_t *key, part_order *o)
{
    for (int64_t i = 0; i < part->level.count; i++) {
        const int32_t level = part->level.item[i];
        key[i] = level == EVAL_LEVEL_BUNCH ? o->levels + 1 : level - EVAL_LEVEL_POWER;
    }
    return sort_by(key, part->level.count, o->levels + 2, &o->level_start, &o->product_to);
}

/* Longer pieces come first, so that neighbouring threads work for about the same time. For many points, those that
 * are only pieces come first, and the others follow column by column, so that neighbouring rows are written together. */
static bool order_pieces(const eval_wish *wish, const eval_part *part, int32_t *key, part_order *o)
{
    const int64_t pieces = part->piece_row.count;
    for (int64_t i = 0; i < pieces; i++)
        key[i] = !wish->many ? EVAL_PIECE - (part->piece_start.item[i + 1] - part->piece_start.item[i])
                 : part->piece_row.item[i] < 0 ? 0
                                               : 1 + part->piece_col.item[i];
    int32_t *first = NULL; /* first item of each key */
    const bool sorted =
        sort_by(key, pieces, wish->many ? wish->program->unknowns + 2 : EVAL_PIECE + 1, &first, &o->piece_to);
    free(first);
    o->term_start = calloc((size_t)pieces + 1, sizeof *o->term_start);
    if (!sorted || !o->term_start)
        return false;
    for (int64_t i = 0; i < pieces; i++)
        o->term_start[o->piece_to[i] + 1] = part->piece_start.item[i + 1] - part->piece_start.item[i];
    for (int64_t i = 0; i < pieces; i++)
        o->term_start[i + 1] += o->term_start[i];
    return true;
}

bool plumb_eval_order_create(const eval_wish *wish, const eval_part *part, part_order *o)
{
    const int64_t products = part->level.count, pieces = part->piece_row.count;
    int32_t *key = malloc(((size_t)(products > pieces ? products : pieces) + 1) * sizeof *key);
    *o = (part_order){.levels = plumb_eval_count_of(&part->level), .stages = plumb_eval_count_of(&part->fold_stage)};
    const bool good = key && order_products(part, key, o) && order_pieces(wish, part, key, o) &&
                      sort_by(part->fold_stage.item, part->fold_row.count, o->stages, &o->stage_start, &o->fold_to);
    free(key);
    return good;
}
