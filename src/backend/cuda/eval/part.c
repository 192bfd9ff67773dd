/* part.c - makes a part from some equations of a program: products of two numbers each, and sums split into pieces. */
#include "backend/cuda/eval/part.h"

#include <stdlib.h>

void plumb_eval_list_add(eval_list *list, int64_t item)
{
    if (list->count == list->room) {
        int64_t room = list->room < 64 ? 64 : 2 * list->room;
        int32_t *more = list->full ? NULL : realloc(list->item, (size_t)room * sizeof *more);
        if (!more) {
            list->full = true;
            return;
        }
        list->item = more;
        list->room = room;
    }
    list->item[list->count++] = (int32_t)item;
}

/* List number i of a part. */
static eval_list *list_of(eval_part *part, int i)
{
    return (eval_list *)(void *)part + i;
}

void plumb_eval_part_free(eval_part *part)
{
    for (int i = 0; i < EVAL_PART_LISTS; i++)
        free(list_of(part, i)->item);
    *part = (eval_part){0};
}

plumb_status plumb_eval_maker_open(eval_maker *maker, const eval_wish *wish)
{
    const eval_program *p = wish->program;
    *maker = (eval_maker){.wish = wish};
    maker->number = malloc(((size_t)p->slots + 1) * sizeof *maker->number);
    maker->tree = malloc(((size_t)p->most_factors + 1) * 5 * sizeof *maker->tree);
    maker->first_entry = calloc((size_t)p->equations + 2, sizeof *maker->first_entry);
    maker->entry = malloc(((size_t)p->entries + 1) * sizeof *maker->entry);
    if (!maker->number || !maker->tree || !maker->first_entry || !maker->entry) {
        plumb_eval_maker_close(maker);
        return PLUMB_ERR_MEMORY;
    }
    for (int64_t s = 0; s < p->slots; s++)
        maker->number[s] = s <= p->unknowns ? (int32_t)s : -1;
    /* Entries are sorted by column; a counting sort orders them by equation. */
    for (int32_t e = 0; e < p->entries; e++)
        maker->first_entry[p->entry_row[e] + 2]++;
    for (int32_t i = 0; i < p->equations; i++)
        maker->first_entry[i + 2] += maker->first_entry[i + 1];
    for (int32_t e = 0; e < p->entries; e++)
        maker->entry[maker->first_entry[p->entry_row[e] + 1]++] = e;
    return PLUMB_OK;
}

void plumb_eval_maker_close(eval_maker *maker)
{
    free(maker->number);
    free(maker->met.item);
    free(maker->tree);
    free(maker->first_entry);
    free(maker->entry);
    *maker = (eval_maker){0};
}

/* ---- Sums ------------------------------------------------------------------------------------------------------- */

/* Adds the terms of a row; rows that it sums are expanded. */
static void add_terms(eval_maker *maker, eval_part *part, int32_t row)
{
    const eval_program *p = maker->wish->program;
    for (int64_t t = 0; t < p->row_terms[row]; t++) {
        int64_t at = (p->slice_start[row / PROGRAM_PAD] + t) * PROGRAM_PAD + row % PROGRAM_PAD;
        if (p->term_of[at] < 0) {
            add_terms(maker, part, p->term_slot[at] - p->row_to);
        } else {
            plumb_eval_list_add(&part->term, plumb_eval_number_of(maker, part, p->term_slot[at]));
            plumb_eval_list_add(&part->place, at);
        }
    }
}

static void add_fold(eval_part *part, int32_t stage, int64_t row, int64_t col)
{
    plumb_eval_list_add(&part->fold_stage, stage);
    plumb_eval_list_add(&part->fold_start, part->summand.count);
    plumb_eval_list_add(&part->fold_row, row);
    plumb_eval_list_add(&part->fold_col, col);
}

/* Sums count items, the first of which is piece or fold number `first`, with `at_once` items per fold in the first
 * stage. */
static void fold(eval_part *part, int64_t first, int64_t count, int64_t each, int64_t row, int64_t col)
{
    for (int32_t stage = 0; count > 1; stage++, each = EVAL_FOLD) {
        int64_t made = (count + each - 1) / each, next = part->fold_row.count;
        for (int64_t i = 0; i < count; i++) {
            if (i % each == 0)
                add_fold(part, stage, made == 1 ? row : -1, col);
            plumb_eval_list_add(&part->summand, stage == 0 ? first + i : -1 - (first + i));
        }
        first = next;
        count = made;
    }
}

/* Adds the sum of a slot of the program, with its place among the results. */
static void add_sum(eval_maker *maker, eval_part *part, int32_t slot, int64_t row, int64_t col)
{
    const int64_t most = maker->wish->many ? EVAL_SUM : EVAL_PIECE; /* maximum number of terms of a piece */
    int64_t term = part->term.count, first = part->piece_row.count, pieces = 0;
    add_terms(maker, part, slot - maker->wish->program->row_to);
    const int64_t last = part->term.count;
    for (; pieces == 0 || term < last; term += most, pieces++) {
        plumb_eval_list_add(&part->piece_start, term);
        plumb_eval_list_add(&part->piece_row, last - term > most || pieces > 0 ? -1 : row);
        plumb_eval_list_add(&part->piece_col, col);
    }
    fold(part, first, pieces, EVAL_FOLD * EVAL_PIECE / most, row, col); /* the same tree in both cases */
}

static void add_zero(const eval_maker *maker, eval_part *part, int64_t row, int64_t col)
{
    if (maker->wish->many) {
        plumb_eval_list_add(&part->piece_start, part->term.count);
        plumb_eval_list_add(&part->piece_row, row);
        plumb_eval_list_add(&part->piece_col, col);
    } else {
        plumb_eval_list_add(&part->zero_row, row);
        plumb_eval_list_add(&part->zero_col, col);
    }
}

static void add_equation(eval_maker *maker, eval_part *part, int32_t i)
{
    const eval_program *p = maker->wish->program;
    add_sum(maker, part, p->value_slot[i], i, 0);
    if (!maker->wish->derivatives)
        return;
    int32_t v = 0;
    for (int64_t k = maker->first_entry[i]; k <= maker->first_entry[i + 1]; k++) {
        const bool more = k < maker->first_entry[i + 1];
        const int32_t col = more ? p->entry_col[maker->entry[k]] : p->unknowns;
        for (; maker->wish->zeros && v < col; v++)
            add_zero(maker, part, i, 1 + (int64_t)v);
        v = col + 1;
        if (more)
            add_sum(maker, part, p->entry_slot[maker->entry[k]], i, 1 + (int64_t)col);
    }
}

plumb_status plumb_eval_part_make(eval_maker *maker, int32_t first, int32_t last, eval_part *part)
{
    bool full = false;
    *part = (eval_part){0};
    for (int32_t i = first; i < last; i++)
        add_equation(maker, part, i);
    plumb_eval_list_add(&part->piece_start, part->term.count);
    plumb_eval_list_add(&part->fold_start, part->summand.count);
    for (int64_t k = 0; k < maker->met.count; k++)
        maker->number[maker->met.item[k]] = -1;
    full = maker->met.full;
    maker->met.count = 0;
    for (int i = 0; i < EVAL_PART_LISTS; i++)
        full |= list_of(part, i)->full;
    if (!full)
        return PLUMB_OK;
    plumb_eval_part_free(part);
    return PLUMB_ERR_MEMORY;
}
