/* plan_many.c - lays out the additional data of parts for many points: powers, bunches and sums. */
#include <string.h>

#include "backend/cuda/eval/layout.h"

int64_t plumb_eval_many_words(const eval_wish *wish, const eval_part *part)
{
    int64_t words = 4 * part->piece_row.count + (int64_t)EVAL_POWERS * wish->program->unknowns + 2 * (EVAL_BUNCH + 1);
    for (int64_t i = 0; i < part->bunch_k.count; i++)
        words += 2 + 2 * (int64_t)part->bunch_k.item[i];
    return words;
}

static void lay_sums(layout *l)
{
    const eval_part *part = l->part;
    const int64_t pieces = part->piece_row.count;
    l->words[EVAL_SUMS] = (int32_t)pieces;
    int32_t *sum = layout_take(l, EVAL_SUMS_AT, 4 * pieces);
    for (int64_t i = 0; i < pieces; i++) {
        const int32_t at = l->order->piece_to[i], *start = l->order->term_start + at;
        int32_t *to = sum + 4 * (int64_t)at;
        to[0] = start[0];
        to[1] = start[1] - start[0];
        to[2] = part->piece_row.item[i];
        to[3] = part->piece_col.item[i];
    }
}

static void lay_powers(layout *l)
{
    const eval_part *part = l->part;
    const int64_t words = (int64_t)EVAL_POWERS * l->shape->unknowns;
    int32_t *powers = layout_take(l, EVAL_POWERS_AT, words);
    memset(powers, 0, (size_t)words * sizeof *powers);
    for (int64_t i = 0; i < part->power.count; i++) {
        int32_t *of = powers + (int64_t)EVAL_POWERS * part->power_unknown.item[i], e = part->power_exponent.item[i];
        of[0] = e > of[0] ? e : of[0];
        of[e - 1] = layout_slot(l, part->power.item[i]);
    }
}

static void lay_bunches(layout *l)
{
    const eval_part *part = l->part;
    int32_t *table = layout_take(l, EVAL_BUNCHES_AT, 2 * (EVAL_BUNCH + 1));
    for (int32_t k = 0; k <= EVAL_BUNCH; k++) {
        table[2 * k] = 0;
        table[2 * k + 1] = (int32_t)l->used;
        for (int64_t i = 0; i < part->bunch_k.count; i++) {
            const int32_t *from = part->bunch.item + part->bunch_start.item[i], raised = part->bunch_raised.item[i];
            if (part->bunch_k.item[i] != k)
                continue;
            int32_t *to = l->words + l->used;
            to[0] = layout_slot(l, part->bunch_to.item[i]);
            to[1] = raised + 65536 * part->bunch_kept.item[i];
            for (int32_t j = 0; j < 2 * k; j++)
                to[2 + j] = j < k + raised ? layout_slot(l, from[j]) : 0;
            l->used += 2 + 2 * (int64_t)k;
            table[2 * k]++;
        }
    }
}

void plumb_eval_lay_many(layout *l)
{
    lay_sums(l); /* first, so that each sum begins at a multiple of four words; the rest has an even number of words */
    lay_powers(l);
    lay_bunches(l);
}
