/* sums.c - lays out the sums: one value for each equation, and one derivative for each unknown that occurs in it.
 *
 * A stage consists of sums, which are split into pieces; each piece becomes a row. A sum of several pieces becomes a
 * sum of the next stage, which adds the rows of its pieces. */
#include <stdlib.h>

#include "model/program/build.h"

/* The slot that a term of a sum reads, and its coefficient: that of a term of the system times an integer, or 1 for
 * term -1. */
typedef struct sum_term {
    int32_t slot, term, times;
} sum_term;

/* A sum that has not been laid out yet: the value of equation `owner`, or Jacobian entry owner - equations. */
typedef struct sum {
    int32_t owner;
    int64_t first, count; /* terms */
} sum;

typedef struct piece {
    int32_t is_value, owner;
    int64_t first;
    int32_t count;
} piece;

typedef struct sums {
    sum *sum;
    sum_term *term;
    int64_t sum_count, term_count;
} sums;

static void sums_free(sums *s)
{
    free(s->sum);
    free(s->term);
    *s = (sums){NULL, NULL, 0, 0};
}

/* ---- The first stage: the equations ------------------------------------------------------------------ */

/* Returns the number of unknowns, without parameters, that occur in equation i. count[v] becomes the number of its terms
 * with unknown v; with clear it is reset to zero. */
static int64_t count_unknowns(const plumb_system *system, int64_t i, int64_t *count, bool clear)
{
    int64_t distinct = 0;
    for (int64_t t = system->equation[i]; t < system->equation[i + 1]; t++)
        for (int32_t j = 0; j < system->terms[t].count; j++) {
            const int32_t v = system->factors[system->terms[t].first + j].unknown;
            if (clear)
                count[v] = 0;
            else
                distinct += count[v]++ == 0 && v < program_differentiated(system);
        }
    return distinct;
}

static int64_t count_entries(const plumb_system *system, int64_t *count)
{
    int64_t entries = 0;
    for (int64_t i = 0; i < system->equations - system->plain; i++) {
        entries += count_unknowns(system, i, count, false);
        count_unknowns(system, i, count, true);
    }
    return entries;
}

static void add_value(const program_build *b, sums *s, int64_t i)
{
    const plumb_system *system = b->system;
    s->sum[s->sum_count++] = (sum){(int32_t)i, s->term_count, system->equation[i + 1] - system->equation[i]};
    for (int64_t t = system->equation[i]; t < system->equation[i + 1]; t++)
        s->term[s->term_count++] = (sum_term){program_term_value(b, t), (int32_t)t, 1};
}

/* Adds the derivatives of equation i, unknowns ascending; next[v] is the place of the next term of the derivative
 * with respect to v. */
static void add_derivatives(program_build *b, sums *s, int64_t i, int64_t *next)
{
    const plumb_system *system = b->system;
    eval_program *p = b->p;
    count_unknowns(system, i, next, false);
    for (int64_t v = 0; v < program_differentiated(system); v++) {
        int64_t count = next[v];
        if (count == 0)
            continue;
        p->entry_row[p->entries] = (int32_t)i;
        p->entry_col[p->entries] = (int32_t)v;
        s->sum[s->sum_count++] = (sum){p->equations + p->entries++, s->term_count, count};
        next[v] = s->term_count;
        s->term_count += count;
    }
    for (int64_t t = system->equation[i]; t < system->equation[i + 1]; t++)
        for (int32_t j = 0; j < system->terms[t].count; j++) {
            const system_factor *f = &system->factors[system->terms[t].first + j];
            if (f->unknown < program_differentiated(system))
                s->term[next[f->unknown]++] = (sum_term){program_term_derivative(b, t, j), (int32_t)t, f->exponent};
        }
    count_unknowns(system, i, next, true);
}

static plumb_status first_stage(program_build *b, sums *s)
{
    const plumb_system *system = b->system;
    eval_program *p = b->p;
    int64_t term_count = program_terms(system), *count = program_array(system->unknowns, sizeof *count);
    int64_t entries = count ? count_entries(system, count) : 0;
    for (int64_t t = 0; t < program_terms(system); t++)
        term_count += system->terms[t].count;
    if (entries > INT32_MAX - system->equations || term_count > INT32_MAX) {
        free(count);
        return PLUMB_ERR_SIZE;
    }
    s->sum = program_array(system->equations + entries, sizeof *s->sum);
    s->term = program_array(term_count, sizeof *s->term);
    p->value_slot = program_array(system->equations, sizeof *p->value_slot);
    p->entry_slot = program_array(entries, sizeof *p->entry_slot);
    p->entry_row = program_array(entries, sizeof *p->entry_row);
    p->entry_col = program_array(entries, sizeof *p->entry_col);
    bool good = count && s->sum && s->term && p->value_slot && p->entry_slot && p->entry_row && p->entry_col;
    for (int64_t i = 0; good && i < system->equations; i++)
        add_value(b, s, i);
    for (int64_t i = 0; good && i < system->equations - system->plain; i++)
        add_derivatives(b, s, i, count);
    free(count);
    return good ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

/* ---- One stage ------------------------------------------------------------------------------------------------- */

/* Orders pieces: values first, then longer ones first, so that neighbours have similar lengths, then in the original
 * order. */
static int compare_pieces(const void *left, const void *right)
{
    const piece *x = left, *y = right;
    if (x->is_value != y->is_value)
        return x->is_value ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static int64_t cut(const eval_program *p, const sums *s, piece *pieces)
{
    int64_t count = 0;
    for (int64_t i = 0; i < s->sum_count; i++)
        for (int64_t done = 0; done == 0 || done < s->sum[i].count; done += PROGRAM_LONGEST) {
            int64_t left = s->sum[i].count - done;
            if (pieces)
                pieces[count] = (piece){s->sum[i].owner < p->equations, s->sum[i].owner, s->sum[i].first + done,
                                        (int32_t)(left < PROGRAM_LONGEST ? left : PROGRAM_LONGEST)};
            count++;
        }
    return count;
}

/* Makes room for `rows` rows in total, and for the steps of their slices. */
static plumb_status grow(eval_program *p, int64_t rows, int64_t steps)
{
    if (rows > INT32_MAX || steps > INT32_MAX / PROGRAM_PAD)
        return PLUMB_ERR_SIZE;
    const struct {
        int32_t **array;
        int64_t old, now;
    } arrays[] = {{&p->row_terms, p->rows, rows},
                  {&p->slice_start, p->rows / PROGRAM_PAD + 1, rows / PROGRAM_PAD + 1},
                  {&p->term_slot, program_steps(p) * PROGRAM_PAD, steps * PROGRAM_PAD},
                  {&p->term_of, program_steps(p) * PROGRAM_PAD, steps * PROGRAM_PAD},
                  {&p->times, program_steps(p) * PROGRAM_PAD, steps * PROGRAM_PAD}};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        int32_t *larger = realloc(*arrays[k].array, (size_t)(arrays[k].now + 1) * sizeof *larger);
        if (!larger)
            return PLUMB_ERR_MEMORY;
        for (int64_t i = *arrays[k].array ? arrays[k].old : 0; i <= arrays[k].now; i++)
            larger[i] = 0;
        *arrays[k].array = larger;
    }
    return PLUMB_OK;
}

static void fill_row(eval_program *p, int64_t row, const sum_term *terms, int32_t count)
{
    p->row_terms[row] = count;
    for (int32_t t = 0; t < count; t++) {
        int64_t at = ((int64_t)p->slice_start[row / PROGRAM_PAD] + t) * PROGRAM_PAD + row % PROGRAM_PAD;
        p->term_slot[at] = terms[t].slot;
        p->term_of[at] = terms[t].term;
        p->times[at] = terms[t].times;
    }
}

/* Makes rows from sorted pieces, values and derivatives separately, both parts padded. row_of[i] is the row of piece
 * i. */
static plumb_status lay_rows(eval_program *p, const sums *s, const piece *pieces, int64_t count, int64_t *row_of)
{
    program_stage *stage = &p->stage[p->stage_count++];
    int64_t values = 0, steps = program_steps(p), begin = p->rows;
    while (values < count && pieces[values].is_value)
        values++;
    stage->first = (int32_t)begin;
    for (int64_t i = 0; i < count; i++)
        row_of[i] = i < values ? begin + i : begin + program_padded(values) + (i - values);
    for (int64_t i = 0; i < count; i++)
        if (row_of[i] % PROGRAM_PAD == 0) /* the longest row of its slice */
            steps += pieces[i].count;
    int64_t rows = begin + program_padded(values) + program_padded(count - values);
    plumb_status status = grow(p, rows, steps);
    if (status != PLUMB_OK)
        return status;
    for (int64_t i = 0; i < count; i++)
        if (row_of[i] % PROGRAM_PAD == 0)
            p->slice_start[row_of[i] / PROGRAM_PAD + 1] = p->slice_start[row_of[i] / PROGRAM_PAD] + pieces[i].count;
    p->rows = (int32_t)rows;
    stage->values = (int32_t)(begin + program_padded(values));
    stage->all = (int32_t)rows;
    for (int64_t i = 0; i < count; i++) {
        fill_row(p, row_of[i], s->term + pieces[i].first, pieces[i].count);
        p->sum_terms += pieces[i].count;
        p->value_sum_terms += pieces[i].is_value ? pieces[i].count : 0;
    }
    return PLUMB_OK;
}

static int compare_owners(const void *left, const void *right)
{
    const sum_term *x = left, *y = right; /* here times is the owner, and term the place of its first term */
    if (x->times != y->times)
        return x->times < y->times ? -1 : 1;
    return (x->term > y->term) - (x->term < y->term);
}

/* Makes the sums of the next stage from the rows of pieces with the same owner, in the order of their terms. A sum of
 * one piece is finished. */
static plumb_status next_stage(eval_program *p, const piece *pieces, const int64_t *row_of, int64_t count, sums *next)
{
    next->sum = program_array(count, sizeof *next->sum);
    next->term = program_array(count, sizeof *next->term);
    if (!next->sum || !next->term)
        return PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++)
        next->term[i] = (sum_term){(int32_t)row_of[i], (int32_t)pieces[i].first, pieces[i].owner};
    qsort(next->term, (size_t)count, sizeof *next->term, compare_owners);
    for (int64_t i = 0, end; i < count; i = end) {
        int32_t owner = next->term[i].times;
        for (end = i + 1; end < count && next->term[end].times == owner;)
            end++;
        if (end - i > 1)
            next->sum[next->sum_count++] = (sum){owner, i, end - i};
        else if (owner < p->equations)
            p->value_slot[owner] = next->term[i].slot;
        else
            p->entry_slot[owner - p->equations] = next->term[i].slot;
    }
    for (int64_t i = 0; i < count; i++) {
        next->term[i].term = -1;
        next->term[i].times = 1;
    }
    next->term_count = count;
    return PLUMB_OK;
}

static plumb_status one_stage(eval_program *p, const sums *s, sums *next)
{
    int64_t count = cut(p, s, NULL);
    if (p->stage_count == PROGRAM_STAGES || count > INT32_MAX - p->rows - 2 * PROGRAM_PAD)
        return PLUMB_ERR_SIZE;
    piece *pieces = program_array(count, sizeof *pieces);
    int64_t *row_of = program_array(count, sizeof *row_of);
    plumb_status status = pieces && row_of ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK) {
        cut(p, s, pieces);
        qsort(pieces, (size_t)count, sizeof *pieces, compare_pieces);
        status = lay_rows(p, s, pieces, count, row_of);
    }
    if (status == PLUMB_OK)
        status = next_stage(p, pieces, row_of, count, next);
    free(pieces);
    free(row_of);
    return status;
}

/* Assigns slots to the rows, behind all other slots; until now a row number stood for its slot. */
static plumb_status give_rows_slots(program_build *b)
{
    eval_program *p = b->p;
    if (!program_take_slots(b, p->rows, &p->row_to))
        return PLUMB_ERR_SIZE;
    for (int64_t at = 0; at < program_steps(p) * PROGRAM_PAD; at++)
        if (p->term_of[at] < 0)
            p->term_slot[at] += p->row_to;
    for (int32_t i = 0; i < p->equations; i++)
        p->value_slot[i] += p->row_to;
    for (int32_t i = 0; i < p->entries; i++)
        p->entry_slot[i] += p->row_to;
    return PLUMB_OK;
}

/* Orders the entries column by column, as they are stored in memory. */
static plumb_status order_entries(eval_program *p)
{
    int64_t *next = program_array((int64_t)p->unknowns + 1, sizeof *next);
    int32_t *slot = program_array(p->entries, sizeof *slot), *row = program_array(p->entries, sizeof *row);
    bool good = next && slot && row;
    for (int32_t i = 0; good && i < p->entries; i++)
        next[p->entry_col[i] + 1]++;
    for (int32_t v = 0; good && v < p->unknowns; v++)
        next[v + 1] += next[v];
    for (int32_t i = 0; good && i < p->entries;
         i++) { /* rows ascend in each column, because the entries came in this order */
        int64_t at = next[p->entry_col[i]]++;
        slot[at] = p->entry_slot[i];
        row[at] = p->entry_row[i];
    }
    for (int32_t v = 0, i = 0; good && v < p->unknowns; v++) /* next[v] is now the end of column v */
        for (; i < next[v]; i++) {
            p->entry_slot[i] = slot[i];
            p->entry_row[i] = row[i];
            p->entry_col[i] = v;
        }
    free(next);
    free(slot);
    free(row);
    return good ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

plumb_status program_build_sums(program_build *b)
{
    sums now = {NULL, NULL, 0, 0}, next = {NULL, NULL, 0, 0};
    plumb_status status = first_stage(b, &now);
    while (status == PLUMB_OK && now.sum_count > 0) {
        status = one_stage(b->p, &now, &next);
        sums_free(&now);
        now = next;
        next = (sums){NULL, NULL, 0, 0};
    }
    sums_free(&now);
    sums_free(&next);
    if (status == PLUMB_OK)
        status = give_rows_slots(b);
    return status == PLUMB_OK ? order_entries(b->p) : status;
}
