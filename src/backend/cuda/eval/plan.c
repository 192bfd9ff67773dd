/* plan.c - lays out the parts of a plan: products by level, pieces by length, folds by stage, all with their slots. */
#include "backend/cuda/eval/plan.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cuda/eval/layout.h"
#include "base/size.h"

/* ---- Laying out -------------------------------------------------------------------------------------------------- */

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
    return EVAL_HEAD + (wish->many ? plumb_eval_many_words(wish, part) : 3 * part->piece_row.count + 1) +
           plumb_eval_count_of(&part->level) + 1 + 2 * products_of(part) + part->term.count +
           plumb_eval_count_of(&part->fold_stage) + 1 + 3 * part->fold_row.count + 1 + part->summand.count +
           2 * part->zero_row.count;
}

/* Factors begin at an even offset: the head has an even number of words, and so has the additional data of parts for
 * many points. */
static void lay_products(layout *l)
{
    const eval_part *part = l->part;
    const int32_t levels = l->order->levels, *start = l->order->level_start + 1;
    l->words[EVAL_LEVELS] = levels;
    l->words[EVAL_PRODUCTS] = (int32_t)part->level.count;
    int32_t *factors = layout_take(l, EVAL_FACTORS_AT, 2 * (int64_t)(start[levels] - start[0]));
    int32_t *level = layout_take(l, EVAL_LEVEL_AT, (int64_t)levels + 1);
    l->words[EVAL_FACTORS_AT] -= 2 * start[0]; /* products are counted from the first power on */
    memcpy(level, start, ((size_t)levels + 1) * sizeof *level);
    for (int64_t i = 0; i < part->level.count; i++) {
        const int64_t to = l->order->product_to[i] - start[0];
        if (to < 0 || to >= start[levels] - start[0])
            continue;
        factors[2 * to] = layout_slot(l, part->a.item[i]);
        factors[2 * to + 1] = layout_slot(l, part->b.item[i]);
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
    int32_t *term = layout_take(l, EVAL_TERM_AT, part->term.count);
    for (int64_t i = 0; i < part->piece_row.count; i++) {
        int64_t to = l->order->term_start[l->order->piece_to[i]];
        for (int64_t t = part->piece_start.item[i]; t < part->piece_start.item[i + 1]; t++, to++) {
            term[to] = layout_slot(l, part->term.item[t]);
            lay_coefficient(l, to, part->place.item[t]);
        }
    }
}

static void lay_pieces(layout *l)
{
    const eval_part *part = l->part;
    const int64_t pieces = part->piece_row.count;
    int32_t *start = layout_take(l, EVAL_PIECE_AT, pieces + 1), *row = layout_take(l, EVAL_PIECE_ROW_AT, pieces);
    int32_t *col = layout_take(l, EVAL_PIECE_COL_AT, pieces);
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
    int32_t *stage = layout_take(l, EVAL_STAGE_AT, (int64_t)l->order->stages + 1),
            *start = layout_take(l, EVAL_FOLD_AT, folds + 1);
    int32_t *row = layout_take(l, EVAL_FOLD_ROW_AT, folds), *col = layout_take(l, EVAL_FOLD_COL_AT, folds);
    int32_t *slot = layout_take(l, EVAL_SUMMAND_AT, part->summand.count);
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
    int32_t *row = layout_take(l, EVAL_ZERO_ROW_AT, (int64_t)count),
            *col = layout_take(l, EVAL_ZERO_COL_AT, (int64_t)count);
    for (size_t i = 0; i < count; i++) {
        row[i] = l->part->zero_row.item[i];
        col[i] = l->part->zero_col.item[i];
    }
}

static plumb_status lay_part(const eval_wish *wish, const eval_part *part, const eval_gpu_program *shape, double *at)
{
    part_order order;
    layout l = {wish, part, &order, shape, (int32_t *)(void *)at, at + shape->words / 2, EVAL_HEAD};
    const bool good = plumb_eval_order_create(wish, part, &order);
    if (good) {
        l.words[EVAL_PIECES] = (int32_t)layout_pieces(wish, part);
        if (wish->many)
            plumb_eval_lay_many(&l);
        lay_products(&l);
        if (!wish->many)
            lay_pieces(&l);
        lay_terms(&l);
        lay_folds(&l);
        lay_zeros(&l);
    }
    plumb_eval_order_free(&order);
    return good ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

/* ---- The plan ----------------------------------------------------------------------------------------------------- */

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
        slots = larger(slots, 1 + (int64_t)wish->program->unknowns + part[i].level.count +
                                  layout_pieces(wish, &part[i]) + part[i].fold_row.count);
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
