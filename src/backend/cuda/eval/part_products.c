/* part_products.c - the factors of the terms of a part: powers, and products as trees or, for many points, as
 * bunches. */
#include "backend/cuda/eval/part.h"

static int32_t level_after(const eval_maker *maker, const eval_part *part, int32_t number)
{
    int64_t i = (int64_t)number - 1 - maker->wish->program->unknowns;
    return i < 0 || i >= part->level.count ? 0 : part->level.item[i] + 1; /* after a power: 0 */
}

static int32_t multiply(eval_maker *maker, eval_part *part, int32_t x, int32_t y)
{
    int32_t after_x = level_after(maker, part, x), after_y = level_after(maker, part, y);
    plumb_eval_list_add(&part->a, x);
    plumb_eval_list_add(&part->b, y);
    plumb_eval_list_add(&part->level, after_x > after_y ? after_x : after_y);
    return (int32_t)(maker->wish->program->unknowns + part->level.count);
}

/* Adds a number that is not computed by a product of its own. */
static int32_t made_elsewhere(const eval_maker *maker, eval_part *part, int32_t level)
{
    plumb_eval_list_add(&part->a, 0);
    plumb_eval_list_add(&part->b, 0);
    plumb_eval_list_add(&part->level, level);
    return (int32_t)(maker->wish->program->unknowns + part->level.count);
}

static void know(eval_maker *maker, int64_t slot, int32_t number)
{
    maker->number[slot] = number;
    plumb_eval_list_add(&maker->met, slot);
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
    plumb_eval_list_add(&part->bunch_k, g->k);
    plumb_eval_list_add(&part->bunch_raised, raised);
    plumb_eval_list_add(&part->bunch_kept, kept);
    plumb_eval_list_add(&part->bunch_start, part->bunch.count);
    for (int32_t j = 0; j < g->k + raised; j++)
        plumb_eval_list_add(&part->bunch, plumb_eval_number_of(maker, part, factors[(int64_t)j * g->stride]));
    for (int32_t j = 0; j <= kept; j++) {
        const int32_t number = made_elsewhere(maker, part, EVAL_LEVEL_BUNCH);
        if (j == 0)
            plumb_eval_list_add(&part->bunch_to, number);
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
        t.factor[j] = plumb_eval_number_of(maker, part, factors[(int64_t)j * g->stride]);
        t.lower[j] = -1;
    }
    know(maker, (int64_t)g->to + i, up(maker, part, &t, 0, g->k));
    if (!maker->wish->derivatives)
        return;
    for (int32_t j = 0; j < g->raised; j++)
        t.lower[j] = plumb_eval_number_of(maker, part, factors[(int64_t)(g->k + j) * g->stride]);
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

int32_t plumb_eval_number_of(eval_maker *maker, eval_part *part, int32_t slot)
{
    const eval_program *p = maker->wish->program;
    int32_t unknown = 0, exponent;
    if (maker->number[slot] >= 0)
        return maker->number[slot];
    exponent = maker->wish->many ? exponent_of(p, slot, &unknown) : 0;
    if (exponent > 1) {
        know(maker, slot, made_elsewhere(maker, part, EVAL_LEVEL_POWER));
        plumb_eval_list_add(&part->power_unknown, unknown);
        plumb_eval_list_add(&part->power_exponent, exponent);
        plumb_eval_list_add(&part->power, maker->number[slot]);
        return maker->number[slot];
    }
    for (int32_t l = 0; l < p->level_count; l++)
        if (slot >= p->level[l].to && slot - p->level[l].to < p->level[l].count) {
            int64_t at = (int64_t)p->level[l].first + slot - p->level[l].to;
            int32_t x = plumb_eval_number_of(maker, part, p->a[at]), y = plumb_eval_number_of(maker, part, p->b[at]);
            know(maker, slot, multiply(maker, part, x, y));
            return maker->number[slot];
        }
    const program_group *g = group_of(p, slot);
    expand_product(maker, part, g, (slot - g->to) % g->stride);
    return maker->number[slot];
}
