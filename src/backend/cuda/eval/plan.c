/* plan.c - lays out the parts of a plan: products by level, pieces by length, folds by stage, all with their slots.
 *
 * A part (part.h) is a set of lists. Its items are put in order first, then its words and coefficients are written,
 * in the form that gpu.h describes. Parts for many points have additional data: powers, bunches and sums. */
#include "backend/cuda/eval/plan.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cuda/eval/part.h"
#include "base/memory/size.h"

/* ---- The order of items ------------------------------------------------------------------------------------------ */

/* The order of items: products by level, after the powers and before the results of bunches; pieces by length, or for
 * many points by column; folds by stage. */
typedef struct part_order {
    int32_t levels, stages;
    int32_t *level_start, *term_start,
        *stage_start; /* level_start: powers, each level, bunches, end; term_start: pieces in their new order, end */
    int32_t *product_to, *piece_to, *fold_to;
} part_order;

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

static void order_free(part_order *o)
{
    free(o->level_start);
    free(o->term_start);
    free(o->stage_start);
    free(o->product_to);
    free(o->piece_to);
    free(o->fold_to);
}

/* The number of levels or stages of a list; powers and bunches belong to no level. */
static int32_t count_of(const eval_list *list)
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
 * are only pieces come first, and the others follow column by column, so that neighbouring rows are written
 * together. */
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

/* Returns false if memory is exhausted; the order must be freed in both cases. */
static bool order_create(const eval_wish *wish, const eval_part *part, part_order *o)
{
    const int64_t products = part->level.count, pieces = part->piece_row.count;
    int32_t *key = malloc(((size_t)(products > pieces ? products : pieces) + 1) * sizeof *key);
    *o = (part_order){.levels = count_of(&part->level), .stages = count_of(&part->fold_stage)};
    const bool good = key && order_products(part, key, o) && order_pieces(wish, part, key, o) &&
                      sort_by(part->fold_stage.item, part->fold_row.count, o->stages, &o->stage_start, &o->fold_to);
    free(key);
    return good;
}

/* ---- Sizes ------------------------------------------------------------------------------------------------------- */

/* The number of pieces that have a slot. */
static int64_t kept_pieces(const eval_wish *wish, const eval_part *part)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < part->piece_row.count; i++)
        kept += !wish->many || part->piece_row.item[i] < 0;
    return kept;
}

/* Words of the additional data of a part for many points. */
static int64_t many_words(const eval_wish *wish, const eval_part *part)
{
    int64_t words = 4 * part->piece_row.count + (int64_t)EVAL_POWERS * wish->program->unknowns + 2 * (EVAL_BUNCH + 1);
    for (int64_t i = 0; i < part->bunch_k.count; i++)
        words += 2 + 2 * (int64_t)part->bunch_k.item[i];
    return words;
}

/* The number of products that belong to a level, each with two factors. */
static int64_t products_of(const eval_part *part)
{
    int64_t count = 0;
    for (int64_t i = 0; i < part->level.count; i++)
        count += part->level.item[i] != EVAL_LEVEL_POWER && part->level.item[i] != EVAL_LEVEL_BUNCH;
    return count;
}

static int64_t words_of(const eval_wish *wish, const eval_part *part)
{
    return EVAL_HEAD + (wish->many ? many_words(wish, part) : 3 * part->piece_row.count + 1) + count_of(&part->level) +
           1 + 2 * products_of(part) + part->term.count + count_of(&part->fold_stage) + 1 + 3 * part->fold_row.count +
           1 + part->summand.count + 2 * part->zero_row.count;
}

/* ---- Writing a part ---------------------------------------------------------------------------------------------- */

typedef struct layout {
    const eval_wish *wish;
    const eval_part *part;
    const part_order *order;
    const eval_gpu_program *shape;
    int32_t *words;
    double *coefficients;
    int64_t used; /* words */
} layout;

static int32_t *take(layout *l, int head, int64_t count)
{
    int32_t *at = l->words + l->used;
    l->words[head] = (int32_t)l->used;
    l->used += count;
    return at;
}

static int32_t slot_of(const layout *l, int32_t number)
{
    const int32_t inputs = 1 + l->shape->unknowns;
    return number < inputs ? number : inputs + l->order->product_to[number - inputs];
}

/* Factors begin at an even offset: the head has an even number of words, and so has the additional data of parts for
 * many points. */
static void lay_products(layout *l)
{
    const eval_part *part = l->part;
    const int32_t levels = l->order->levels, *start = l->order->level_start + 1;
    l->words[EVAL_LEVELS] = levels;
    l->words[EVAL_PRODUCTS] = (int32_t)part->level.count;
    int32_t *factors = take(l, EVAL_FACTORS_AT, 2 * (int64_t)(start[levels] - start[0]));
    int32_t *level = take(l, EVAL_LEVEL_AT, (int64_t)levels + 1);
    l->words[EVAL_FACTORS_AT] -= 2 * start[0]; /* products are counted from the first power on */
    memcpy(level, start, ((size_t)levels + 1) * sizeof *level);
    for (int64_t i = 0; i < part->level.count; i++) {
        const int64_t to = l->order->product_to[i] - start[0];
        if (to < 0 || to >= start[levels] - start[0])
            continue;
        factors[2 * to] = slot_of(l, part->a.item[i]);
        factors[2 * to + 1] = slot_of(l, part->b.item[i]);
    }
}

/* Gives term t of the part the coefficient at a place of the program. */
static void lay_coefficient(layout *l, int64_t t, int64_t place)
{
    const int64_t planes = (int64_t)l->wish->prec * l->wish->parts;
    const double *from = l->wish->coefficients + place / PROGRAM_PAD * PROGRAM_PAD * planes + place % PROGRAM_PAD;
    for (int64_t c = 0; c < planes; c++)
        l->coefficients[t * planes + c] = from[c * PROGRAM_PAD];
}

static void lay_terms(layout *l)
{
    const eval_part *part = l->part;
    int32_t *term = take(l, EVAL_TERM_AT, part->term.count);
    for (int64_t i = 0; i < part->piece_row.count; i++) {
        int64_t to = l->order->term_start[l->order->piece_to[i]];
        for (int64_t t = part->piece_start.item[i]; t < part->piece_start.item[i + 1]; t++, to++) {
            term[to] = slot_of(l, part->term.item[t]);
            lay_coefficient(l, to, part->place.item[t]);
        }
    }
}

static void lay_pieces(layout *l)
{
    const eval_part *part = l->part;
    const int64_t pieces = part->piece_row.count;
    int32_t *start = take(l, EVAL_PIECE_AT, pieces + 1), *row = take(l, EVAL_PIECE_ROW_AT, pieces);
    int32_t *col = take(l, EVAL_PIECE_COL_AT, pieces);
    memcpy(start, l->order->term_start, ((size_t)pieces + 1) * sizeof *start);
    for (int64_t i = 0; i < pieces; i++) {
        row[l->order->piece_to[i]] = part->piece_row.item[i];
        col[l->order->piece_to[i]] = part->piece_col.item[i];
    }
}

static void lay_folds(layout *l)
{
    const eval_part *part = l->part;
    const int64_t folds = part->fold_row.count, pieces = l->words[EVAL_PIECES];
    const int64_t first_piece = 1 + (int64_t)l->shape->unknowns + part->level.count, first_fold = first_piece + pieces;
    l->words[EVAL_STAGES] = l->order->stages;
    int32_t *stage = take(l, EVAL_STAGE_AT, (int64_t)l->order->stages + 1), *start = take(l, EVAL_FOLD_AT, folds + 1);
    int32_t *row = take(l, EVAL_FOLD_ROW_AT, folds), *col = take(l, EVAL_FOLD_COL_AT, folds);
    int32_t *slot = take(l, EVAL_SUMMAND_AT, part->summand.count);
    memcpy(stage, l->order->stage_start, ((size_t)l->order->stages + 1) * sizeof *stage);
    for (int64_t i = 0; i < folds; i++) {
        int64_t to = l->order->fold_to[i];
        start[to + 1] = part->fold_start.item[i + 1] - part->fold_start.item[i];
        row[to] = part->fold_row.item[i];
        col[to] = part->fold_col.item[i];
    }
    start[0] = 0;
    for (int64_t i = 0; i < folds; i++)
        start[i + 1] += start[i];
    for (int64_t i = 0; i < folds; i++) {
        int64_t to = start[l->order->fold_to[i]];
        for (int64_t k = part->fold_start.item[i]; k < part->fold_start.item[i + 1]; k++, to++) {
            int32_t of = part->summand.item[k];
            slot[to] =
                (int32_t)(of >= 0 ? first_piece + l->order->piece_to[of] : first_fold + l->order->fold_to[-1 - of]);
        }
    }
}

static void lay_zeros(layout *l)
{
    const size_t count = (size_t)l->part->zero_row.count;
    l->words[EVAL_ZEROS] = (int32_t)count;
    int32_t *row = take(l, EVAL_ZERO_ROW_AT, (int64_t)count), *col = take(l, EVAL_ZERO_COL_AT, (int64_t)count);
    for (size_t i = 0; i < count; i++) {
        row[i] = l->part->zero_row.item[i];
        col[i] = l->part->zero_col.item[i];
    }
}

/* ---- Additional data for many points ----------------------------------------------------------------------------- */

static void lay_sums(layout *l)
{
    const eval_part *part = l->part;
    const int64_t pieces = part->piece_row.count;
    l->words[EVAL_SUMS] = (int32_t)pieces;
    int32_t *sum = take(l, EVAL_SUMS_AT, 4 * pieces);
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
    int32_t *powers = take(l, EVAL_POWERS_AT, words);
    memset(powers, 0, (size_t)words * sizeof *powers);
    for (int64_t i = 0; i < part->power.count; i++) {
        int32_t *of = powers + (int64_t)EVAL_POWERS * part->power_unknown.item[i], e = part->power_exponent.item[i];
        of[0] = e > of[0] ? e : of[0];
        of[e - 1] = slot_of(l, part->power.item[i]);
    }
}

static void lay_bunches(layout *l)
{
    const eval_part *part = l->part;
    int32_t *table = take(l, EVAL_BUNCHES_AT, 2 * (EVAL_BUNCH + 1));
    for (int32_t k = 0; k <= EVAL_BUNCH; k++) {
        table[2 * k] = 0;
        table[2 * k + 1] = (int32_t)l->used;
        for (int64_t i = 0; i < part->bunch_k.count; i++) {
            const int32_t *from = part->bunch.item + part->bunch_start.item[i], raised = part->bunch_raised.item[i];
            if (part->bunch_k.item[i] != k)
                continue;
            int32_t *to = l->words + l->used;
            to[0] = slot_of(l, part->bunch_to.item[i]);
            to[1] = raised + 65536 * part->bunch_kept.item[i];
            for (int32_t j = 0; j < 2 * k; j++)
                to[2 + j] = j < k + raised ? slot_of(l, from[j]) : 0;
            l->used += 2 + 2 * (int64_t)k;
            table[2 * k]++;
        }
    }
}

static void lay_many(layout *l)
{
    lay_sums(l); /* first, so that each sum begins at a multiple of four words; the rest has an even number of words */
    lay_powers(l);
    lay_bunches(l);
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

static plumb_status lay_part(const eval_wish *wish, const eval_part *part, const eval_gpu_program *shape, double *at)
{
    part_order order;
    layout l = {wish, part, &order, shape, (int32_t *)(void *)at, at + shape->words / 2, EVAL_HEAD};
    const bool good = order_create(wish, part, &order);
    if (good) {
        l.words[EVAL_PIECES] = (int32_t)kept_pieces(wish, part);
        if (wish->many)
            lay_many(&l);
        lay_products(&l);
        if (!wish->many)
            lay_pieces(&l);
        lay_terms(&l);
        lay_folds(&l);
        lay_zeros(&l);
    }
    order_free(&order);
    return good ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Finds the size of the largest part. */
static plumb_status measure(const eval_wish *wish, const eval_part *part, int64_t count, eval_plan *plan)
{
    int64_t words = 0, terms = 0, slots = 0;
    for (int64_t i = 0; i < count; i++) {
        words = larger(words, words_of(wish, &part[i]));
        terms = larger(terms, part[i].term.count);
        slots = larger(slots, 1 + (int64_t)wish->program->unknowns + part[i].level.count + kept_pieces(wish, &part[i]) +
                                  part[i].fold_row.count);
        plan->products += part[i].level.count;
        plan->terms += part[i].term.count;
    }
    words += (4 - words % 4) % 4;
    terms += EVAL_PIECE; /* every piece reads EVAL_PIECE terms, even if it has fewer or none */
    if (words > INT32_MAX || slots > INT32_MAX)
        return PLUMB_ERR_SIZE;
    const int64_t doubles = words / 2 + terms * wish->prec * wish->parts;
    plan->program = (eval_gpu_program){.part_doubles = doubles + doubles % 2,
                                       .parts = (int32_t)count,
                                       .unknowns = wish->program->unknowns,
                                       .equations = wish->program->equations,
                                       .columns = wish->program->columns,
                                       .words = (int32_t)words,
                                       .slots = (int32_t)slots};
    return PLUMB_OK;
}

static plumb_status lay_all(const eval_wish *wish, const eval_part *part, int64_t count, eval_plan *plan)
{
    int64_t doubles;
    plumb_status status = measure(wish, part, count, plan);
    if (status != PLUMB_OK)
        return status;
    if (!size_mul(count, plan->program.part_doubles, &doubles) || doubles > INT64_MAX / 16)
        return PLUMB_ERR_SIZE;
    double *made = calloc((size_t)doubles + 1, sizeof *made);
    plan->program.parts_at = made;
    status = made ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < count && status == PLUMB_OK; i++)
        status = lay_part(wish, &part[i], &plan->program, made + i * plan->program.part_doubles);
    return status;
}

plumb_status plumb_eval_plan_create(const eval_wish *wish, eval_plan *plan)
{
    const int64_t equations = wish->program->equations, each = wish->equations;
    const int64_t count = equations > 0 ? (equations + each - 1) / each : 0;
    eval_maker maker;
    *plan = (eval_plan){0};
    plumb_status status = plumb_eval_maker_open(&maker, wish);
    if (status != PLUMB_OK)
        return status;
    eval_part *part = calloc((size_t)count + 1, sizeof *part);
    if (!part)
        status = PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < count && status == PLUMB_OK; i++)
        status = plumb_eval_part_make(&maker, (int32_t)(i * each),
                                      (int32_t)((i + 1) * each < equations ? (i + 1) * each : equations), &part[i]);
    if (status == PLUMB_OK)
        status = lay_all(wish, part, count, plan);
    for (int64_t i = 0; part && i < count; i++)
        plumb_eval_part_free(&part[i]);
    free(part);
    plumb_eval_maker_close(&maker);
    if (status != PLUMB_OK)
        plumb_eval_plan_destroy(plan);
    return status;
}

void plumb_eval_plan_destroy(eval_plan *plan)
{
    free((double *)plan->program.parts_at);
    *plan = (eval_plan){0};
}