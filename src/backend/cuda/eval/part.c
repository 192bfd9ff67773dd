/* part.c - makes a part from some equations of a program: products of two numbers each, and sums split into pieces. */
#include "backend/cuda/eval/part.h"

#include <stdlib.h>

static void list_add(eval_list *list, int64_t item)
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

/* ---- Factors: powers, and products as trees or, for many points, as bunches ------------------------------------- */

/* Returns the number of a slot of the program in this part, and makes the part compute it. */
static int32_t number_of(eval_maker *maker, eval_part *part, int32_t slot);

static int32_t level_after(const eval_maker *maker, const eval_part *part, int32_t number)
{
    int64_t i = (int64_t)number - 1 - maker->wish->program->unknowns;
    return i < 0 || i >= part->level.count ? 0 : part->level.item[i] + 1; /* after a power: 0 */
}

static int32_t multiply(eval_maker *maker, eval_part *part, int32_t x, int32_t y)
{
    int32_t after_x = level_after(maker, part, x), after_y = level_after(maker, part, y);
    list_add(&part->a, x);
    list_add(&part->b, y);
    list_add(&part->level, after_x > after_y ? after_x : after_y);
    return (int32_t)(maker->wish->program->unknowns + part->level.count);
}

/* Adds a number that is not computed by a product of its own. */
static int32_t made_elsewhere(const eval_maker *maker, eval_part *part, int32_t level)
{
    list_add(&part->a, 0);
    list_add(&part->b, 0);
    list_add(&part->level, level);
    return (int32_t)(maker->wish->program->unknowns + part->level.count);
}

static void know(eval_maker *maker, int64_t slot, int32_t number)
{
    maker->number[slot] = number;
    list_add(&maker->met, slot);
}

/* The tree over factors first .. last - 1. The node that splits at `middle` stores its children at that index; there
 * is one node for each middle. */
typedef struct tree {
    int32_t *factor, *left, *right;
    int32_t *lower; /* for each factor the number by which its derivative is multiplied, or -1 */
    int32_t *derivative;
} tree;

static int32_t middle_of(int32_t first, int32_t last)
{
    return (first + last + 1) / 2;
}

static int32_t up(eval_maker *maker, eval_part *part, const tree *t, int32_t first, int32_t last)
{
    if (last - first == 1)
        return t->factor[first];
    int32_t middle = middle_of(first, last);
    t->left[middle] = up(maker, part, t, first, middle);
    t->right[middle] = up(maker, part, t, middle, last);
    return multiply(maker, part, t->left[middle], t->right[middle]);
}

static void down(eval_maker *maker, eval_part *part, const tree *t, int32_t first, int32_t last, int32_t others);

/* Goes down to one of the two children of a node, with factors first .. last - 1. The lower power by which a
 * derivative is multiplied is first multiplied with the sibling, because that product need not wait for the others. */
static void down_child(eval_maker *maker, eval_part *part, const tree *t, int32_t first, int32_t last, int32_t sibling,
                       int32_t others)
{
    const bool leaf = last - first == 1;
    int32_t rest = leaf && t->lower[first] >= 0 ? multiply(maker, part, sibling, t->lower[first]) : sibling;
    if (others >= 0)
        rest = multiply(maker, part, others, rest);
    if (leaf)
        t->derivative[first] = rest;
    else
        down(maker, part, t, first, last, rest);
}

/* others is the product of all factors except first .. last - 1, of which there are two or more; -1 if there are no
 * others. */
static void down(eval_maker *maker, eval_part *part, const tree *t, int32_t first, int32_t last, int32_t others)
{
    int32_t middle = middle_of(first, last);
    down_child(maker, part, t, first, middle, t->right[middle], others);
    down_child(maker, part, t, middle, last, t->left[middle], others);
}

/* Adds product i of a group as a bunch. */
static void add_bunch(eval_maker *maker, eval_part *part, const program_group *g, int32_t i)
{
    const int32_t *factors = maker->wish->program->factors + g->first + i;
    const int32_t raised = maker->wish->derivatives ? g->raised : 0, kept = maker->wish->derivatives ? g->kept : 0;
    list_add(&part->bunch_k, g->k);
    list_add(&part->bunch_raised, raised);
    list_add(&part->bunch_kept, kept);
    list_add(&part->bunch_start, part->bunch.count);
    for (int32_t j = 0; j < g->k + raised; j++)
        list_add(&part->bunch, number_of(maker, part, factors[(int64_t)j * g->stride]));
    for (int32_t j = 0; j <= kept; j++) {
        const int32_t number = made_elsewhere(maker, part, EVAL_LEVEL_BUNCH);
        if (j == 0)
            list_add(&part->bunch_to, number);
        know(maker, g->to + (int64_t)j * g->stride + i, number);
    }
}

/* Adds product i of a group: its value, and its derivatives if they are needed. */
static void expand_product(eval_maker *maker, eval_part *part, const program_group *g, int32_t i)
{
    const int32_t *factors = maker->wish->program->factors + g->first + i, most = maker->wish->program->most_factors;
    if (maker->wish->many && g->k <= EVAL_BUNCH) {
        add_bunch(maker, part, g, i);
        return;
    }
    const tree t = {maker->tree, maker->tree + most, maker->tree + 2 * (int64_t)most, maker->tree + 3 * (int64_t)most,
                    maker->tree + 4 * (int64_t)most};
    for (int32_t j = 0; j < g->k; j++) {
        t.factor[j] = number_of(maker, part, factors[(int64_t)j * g->stride]);
        t.lower[j] = -1;
    }
    know(maker, (int64_t)g->to + i, up(maker, part, &t, 0, g->k));
    if (!maker->wish->derivatives || g->plain)
        return;
    for (int32_t j = 0; j < g->raised; j++)
        t.lower[j] = number_of(maker, part, factors[(int64_t)(g->k + j) * g->stride]);
    down(maker, part, &t, 0, g->k, -1);
    for (int32_t j = 0; j < g->kept; j++)
        know(maker, g->to + (int64_t)(1 + j) * g->stride + i, t.derivative[j]);
}

static const program_group *group_of(const eval_program *p, int32_t slot)
{
    int32_t first = 0, last = p->group_count; /* the group is among first .. last - 1 */
    while (last - first > 1) {
        int32_t middle = first + (last - first) / 2;
        if (p->group[middle].to <= slot)
            first = middle;
        else
            last = middle;
    }
    return &p->group[first];
}

/* Returns the exponent and the unknown of a slot of the program if it is one of the lower powers, otherwise 0. */
static int32_t exponent_of(const eval_program *p, int32_t slot, int32_t *unknown)
{
    if (slot <= p->unknowns) {
        *unknown = slot - 1;
        return slot > 0;
    }
    for (int32_t l = 0; l < p->level_count; l++)
        if (slot >= p->level[l].to && slot - p->level[l].to < p->level[l].count) {
            const int64_t at = (int64_t)p->level[l].first + slot - p->level[l].to;
            const int32_t a = exponent_of(p, p->a[at], unknown);
            const int32_t b = a > 0 ? exponent_of(p, p->b[at], unknown) : 0;
            return b > 0 && a + b <= EVAL_POWERS ? a + b : 0;
        }
    return 0;
}

static int32_t number_of(eval_maker *maker, eval_part *part, int32_t slot)
{
    const eval_program *p = maker->wish->program;
    int32_t unknown = 0, exponent;
    if (maker->number[slot] >= 0)
        return maker->number[slot];
    exponent = maker->wish->many ? exponent_of(p, slot, &unknown) : 0;
    if (exponent > 1) {
        know(maker, slot, made_elsewhere(maker, part, EVAL_LEVEL_POWER));
        list_add(&part->power_unknown, unknown);
        list_add(&part->power_exponent, exponent);
        list_add(&part->power, maker->number[slot]);
        return maker->number[slot];
    }
    for (int32_t l = 0; l < p->level_count; l++)
        if (slot >= p->level[l].to && slot - p->level[l].to < p->level[l].count) {
            int64_t at = (int64_t)p->level[l].first + slot - p->level[l].to;
            int32_t x = number_of(maker, part, p->a[at]), y = number_of(maker, part, p->b[at]);
            know(maker, slot, multiply(maker, part, x, y));
            return maker->number[slot];
        }
    const program_group *g = group_of(p, slot);
    expand_product(maker, part, g, (slot - g->to) % g->stride);
    return maker->number[slot];
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
            list_add(&part->term, number_of(maker, part, p->term_slot[at]));
            list_add(&part->place, at);
        }
    }
}

static void add_fold(eval_part *part, int32_t stage, int64_t row, int64_t col)
{
    list_add(&part->fold_stage, stage);
    list_add(&part->fold_start, part->summand.count);
    list_add(&part->fold_row, row);
    list_add(&part->fold_col, col);
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
            list_add(&part->summand, stage == 0 ? first + i : -1 - (first + i));
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
        list_add(&part->piece_start, term);
        list_add(&part->piece_row, last - term > most || pieces > 0 ? -1 : row);
        list_add(&part->piece_col, col);
    }
    fold(part, first, pieces, EVAL_FOLD * EVAL_PIECE / most, row, col); /* the same tree in both cases */
}

static void add_zero(const eval_maker *maker, eval_part *part, int64_t row, int64_t col)
{
    if (maker->wish->many) {
        list_add(&part->piece_start, part->term.count);
        list_add(&part->piece_row, row);
        list_add(&part->piece_col, col);
    } else {
        list_add(&part->zero_row, row);
        list_add(&part->zero_col, col);
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
        const int32_t col = more ? p->entry_col[maker->entry[k]] : p->columns;
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
    list_add(&part->piece_start, part->term.count);
    list_add(&part->fold_start, part->summand.count);
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
