/* gemm.c - products of matrices on the CPU, see method/gemm/gemm.h.
 *
 * C is divided into blocks of rows and columns, which the threads take one by one, and A and B are packed so that the kernels read
 * contiguous memory. Many small matrices: a thread packs what a block needs, one block of terms after the other, and threads never
 * wait for one another. A large matrix: all threads pack some blocks of terms of all of A and B together, each entry once, and wait
 * for one another before and after they are used; in d packing a block of A and one of B for every block of C would take as long as
 * their product. Entries of C are independent of one another and their terms are added in the same order in both ways, so the bits do
 * not depend on any of this. */
#include "backend/cpu/gemm/gemm.h"

#include <stdbool.h>
#include <stdlib.h>

#include "backend/cpu/kernels.h"
#include "base/call/message.h"
#include "base/memory/memory.h"
#include "base/os/team.h"
#include "method/gemm/gemm.h"

/* Doubles of a packed operand: two of them fit in a second-level cache. */
enum { PACKED = 1 << 16 };

/* Below this many products of limbs a team of threads costs more to wake than it saves. */
enum { WORTH_THREADS = 1 << 17 };

/* Below this many terms of all entries threads pack for themselves what they need. */
static const double worth_waiting = 1 << 26;

/* Blocks of C per thread, so that threads that are late leave something to others; more where a block costs no packing. */
enum { SHARES = 4, SHARES_TOGETHER = 8 };

/* Doubles that are packed at a time, at least one block of terms, and rows or columns that a thread packs at a time. */
enum { SLAB = 1 << 22, PART = 64 };

typedef struct gemm_run {
    const gemm_call *call;
    const gemm_kernels *kernels;
    gemm_operand a, b;
    int64_t terms;               /* of a block */
    int64_t rows, cols;          /* of a block of C */
    int64_t down, across, count; /* blocks of C: in a column, in a row, in all matrices */
    double *memory;
    int64_t each, a_doubles; /* memory of a thread, if each packs for itself; what is packed of A comes first */
    /* If all threads pack together: terms at a time, rows and columns as they are packed, those of a part, parts of A, and of both */
    int64_t slab, a_rows, b_cols, a_each, b_each, a_parts, parts;
    team_counter next, next_part;
} gemm_run;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t round_up(int64_t a, int64_t to)
{
    return (a + to - 1) / to * to;
}

/* Where rows of A, or columns of B, are side by side in memory, this many terms of all of them are packed at a time, so that memory is
 * read in its order: terms may be pages apart. */
enum { TERMS_AT_A_TIME = 16 };

/* Packs some rows of A, or columns of B, from `from` on: terms first .. last-1 of panels with this many terms. */
static void pack(const gemm_run *run, bool of_b, const double *from, int64_t rows, int64_t terms, int64_t first,
                 int64_t last, double *to)
{
    const gemm_operand *o = of_b ? &run->b : &run->a;
    const int64_t planes = (int64_t)run->call->c->prec * run->call->c->parts;
    const int64_t width = of_b ? run->kernels->tile_cols : run->kernels->tile_rows;
    gemm_pack some = {
        .plane = o->plane, .row = of_b ? o->col : o->row, .step = of_b ? o->row : o->col, .conjugate = o->conjugate};
    const int64_t each = some.row == 1 ? TERMS_AT_A_TIME : last - first;
    for (int64_t l = first; l < last; l += each)
        for (int64_t i = 0; i < rows; i += width) {
            some.from = from + l * some.step + i * some.row;
            some.rows = least(width, rows - i);
            some.terms = least(each, last - l);
            some.to = to + (i * terms + l * width) * planes; /* of one panel, so that its length does not matter */
            (of_b ? run->kernels->pack_cols : run->kernels->pack_rows)(&some);
        }
}

/* Block k of C, without its terms; *i and *j are its first row and column. */
static gemm_block block_of(const gemm_run *run, int64_t k, int64_t *i, int64_t *j)
{
    const gemm_call *call = run->call;
    const plumb_view *c = call->c;
    const int64_t matrix = k / (run->down * run->across), in = k % (run->down * run->across);
    *i = in % run->down * run->rows;
    *j = in / run->down * run->cols;
    return (gemm_block){.rows = least(run->rows, c->rows - *i),
                        .cols = least(run->cols, c->cols - *j),
                        .c = c->data + matrix * c->next + *j * c->col + *i,
                        .c_plane = c->plane,
                        .c_col = c->col,
                        .alpha = call->alpha,
                        .beta = call->beta,
                        .fresh = call->fresh};
}

/* Computes block k of C. */
static void run_block(const gemm_run *run, int64_t k, double *memory)
{
    int64_t i, j;
    gemm_block block = block_of(run, k, &i, &j);
    const int64_t matrix = k / (run->down * run->across), terms = run->call->no_terms ? 0 : run->a.cols;
    block.a = memory;
    block.b = memory + run->a_doubles;
    if (terms == 0) {
        run->kernels->scale(&block);
        return;
    }
    const double *a = run->a.data + matrix * run->a.next + i * run->a.row;
    const double *b = run->b.data + matrix * run->b.next + j * run->b.col;
    for (int64_t l = 0; l < terms; l += run->terms) {
        block.terms = least(run->terms, terms - l);
        pack(run, false, a + l * run->a.col, block.rows, block.terms, 0, block.terms, memory);
        pack(run, true, b + l * run->b.row, block.cols, block.terms, 0, block.terms, memory + run->a_doubles);
        run->kernels->add(&block);
        block.fresh = 0; /* from now on C is the sum so far */
        block.beta = NULL;
    }
}

static void run_blocks(void *data, team *t, int32_t index, int32_t threads)
{
    gemm_run *run = data;
    double *memory = run->memory + index * run->each;
    (void)t, (void)threads;
    for (int64_t k; (k = team_take(&run->next, 1)) < run->count;)
        run_block(run, k, memory);
}

/* ---- A large matrix ------------------------------------------------------------------------------------------------------ */

/* What a thread packs at a time of an operand: some terms of all rows if these are side by side in memory, otherwise all terms of
 * some rows. */
typedef struct gemm_part {
    int64_t row, rows, first, last;
} gemm_part;

static gemm_part part_of(const gemm_run *run, bool of_b, int64_t k, int64_t terms)
{
    const plumb_view *c = run->call->c;
    const int64_t rows = of_b ? c->cols : c->rows, each = of_b ? run->b_each : run->a_each;
    if ((of_b ? run->b.col : run->a.row) == 1)
        return (gemm_part){0, rows, least(k * TERMS_AT_A_TIME, terms), least((k + 1) * TERMS_AT_A_TIME, terms)};
    return (gemm_part){k * each, least(each, rows - k * each), 0, terms};
}

/* The number of such parts in a block of terms. */
static int64_t parts_of(const gemm_run *run, bool of_b)
{
    const plumb_view *c = run->call->c;
    const int64_t rows = of_b ? c->cols : c->rows, each = of_b ? run->b_each : run->a_each;
    return (of_b ? run->b.col : run->a.row) == 1 ? (run->terms + TERMS_AT_A_TIME - 1) / TERMS_AT_A_TIME
                                                 : (rows + each - 1) / each;
}

/* Packs part k of the blocks of terms from term `first` on: all parts of A in a block of terms, then all of B, then those of the next
 * block. A block of terms of A has `a_rows` rows in the packed memory, one of B `b_cols` columns. */
static void pack_part(const gemm_run *run, int64_t first, int64_t k)
{
    const plumb_view *c = run->call->c;
    const int64_t planes = (int64_t)c->prec * c->parts, in = k % run->parts;
    const int64_t begin = k / run->parts * run->terms, terms = least(run->terms, run->a.cols - first - begin);
    const bool of_b = in >= run->a_parts;
    const gemm_part part = part_of(run, of_b, of_b ? in - run->a_parts : in, terms);
    double *to = run->memory + (of_b ? run->a_doubles + run->b_cols * begin * planes : run->a_rows * begin * planes);
    const double *from = of_b ? run->b.data + (first + begin) * run->b.row + part.row * run->b.col
                              : run->a.data + (first + begin) * run->a.col + part.row * run->a.row;
    pack(run, of_b, from, part.rows, terms, part.first, part.last, to + part.row * terms * planes);
}

/* Adds the terms first .. first + count - 1, which are packed, to block k of C. */
static void add_slab(const gemm_run *run, int64_t first, int64_t count, int64_t k)
{
    const int64_t planes = (int64_t)run->call->c->prec * run->call->c->parts;
    int64_t i, j;
    gemm_block block = block_of(run, k, &i, &j);
    if (first > 0) {
        block.fresh = 0;
        block.beta = NULL;
    }
    for (int64_t l = 0; l < count; l += run->terms) {
        block.terms = least(run->terms, count - l);
        block.a = run->memory + run->a_rows * l * planes + i * block.terms * planes;
        block.b = run->memory + run->a_doubles + run->b_cols * l * planes + j * block.terms * planes;
        run->kernels->add(&block);
        block.fresh = 0;
        block.beta = NULL;
    }
}

static void run_slabs(void *data, team *t, int32_t index, int32_t threads)
{
    gemm_run *run = data;
    for (int64_t first = 0; first < run->a.cols; first += run->slab) {
        const int64_t count = least(run->slab, run->a.cols - first);
        const int64_t parts = (count + run->terms - 1) / run->terms * run->parts;
        for (int64_t k; (k = team_take(&run->next_part, 1)) < parts;)
            pack_part(run, first, k);
        team_wait(t, threads);
        if (index == 0) /* it is used again after the next wait */
            run->next_part.next = 0;
        for (int64_t k; (k = team_take(&run->next, 1)) < run->count;)
            add_slab(run, first, count, k);
        team_wait(t, threads);
        if (index == 0)
            run->next.next = 0;
    }
}

/* ---- Division of the work ------------------------------------------------------------------------------------------------ */

/* The size of the blocks of C: as large as the packed operands may be, but small enough that every thread gets some. */
static void divide(gemm_run *run, int32_t threads, int64_t shares)
{
    const plumb_view *c = run->call->c;
    const int64_t term = gemm_terms(c->prec) * c->prec * c->parts; /* doubles of a row */
    const int64_t tile_rows = run->kernels->tile_rows, tile_cols = run->kernels->tile_cols;
    run->rows = round_up(least(c->rows, PACKED / term), tile_rows);
    run->cols = round_up(least(c->cols, PACKED / term), tile_cols);
    for (;;) {
        run->down = (c->rows + run->rows - 1) / run->rows;
        run->across = (c->cols + run->cols - 1) / run->cols;
        run->count = run->down * run->across * c->batch;
        if (threads == 1 || run->count >= shares * threads)
            return;
        if (run->rows >= run->cols && run->rows > tile_rows)
            run->rows = round_up(run->rows / 2, tile_rows);
        else if (run->cols > tile_cols)
            run->cols = round_up(run->cols / 2, tile_cols);
        else if (run->rows > tile_rows)
            run->rows = round_up(run->rows / 2, tile_rows);
        else
            return;
    }
}

/* The packed memory of all threads, and what is packed at a time. */
static int64_t plan_slabs(gemm_run *run)
{
    const plumb_view *c = run->call->c;
    const int64_t planes = (int64_t)c->prec * c->parts;
    run->a_rows = round_up(c->rows, run->kernels->tile_rows);
    run->b_cols = round_up(c->cols, run->kernels->tile_cols);
    run->a_each = round_up(PART, run->kernels->tile_rows);
    run->b_each = round_up(PART, run->kernels->tile_cols);
    run->a_parts = parts_of(run, false);
    run->parts = run->a_parts + parts_of(run, true);
    const int64_t fit = SLAB / ((run->a_rows + run->b_cols) * planes) / run->terms * run->terms;
    run->slab = least(fit > run->terms ? fit : run->terms, run->a.cols);
    run->a_doubles = round_up(run->a_rows * run->slab * planes, 8);
    return run->a_doubles + run->b_cols * run->slab * planes;
}

/* The packed memory of each thread. */
static int64_t plan_blocks(gemm_run *run)
{
    const plumb_view *c = run->call->c;
    const int64_t doubles = least(run->terms, run->a.cols) * c->prec * c->parts;
    run->a_doubles = round_up(run->rows * doubles, 8);
    run->each = run->a_doubles + round_up(run->cols * doubles, 8);
    return run->each;
}

static plumb_status make_room(machine *m, int64_t doubles)
{
    const int64_t all = round_up(doubles, 8);
    if (m->work && all <= m->work_doubles)
        return PLUMB_OK;
    free(m->work);
    m->work = NULL;
    m->work_doubles = 0;
    plumb_status status = plumb_memory_check(all * (int64_t)sizeof(double), "the product", m->message, m->message_size);
    if (status != PLUMB_OK || all == 0)
        return status;
    m->work = aligned_alloc(64, (size_t)all * sizeof(double));
    if (!m->work)
        return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "out of memory: %lld doubles for the product",
                         (long long)all);
    plumb_memory_large(m->work, (size_t)all * sizeof(double));
    m->work_doubles = all;
    return PLUMB_OK;
}

plumb_status plumb_cpu_gemm(machine *m, const gemm_call *call, void *stream)
{
    (void)stream;
    const plumb_view *c = call->c;
    gemm_run run = {.call = call,
                    .kernels = m->isa->prec[c->prec]->gemm[c->parts],
                    .a = gemm_operand_of(call->a, call->of_a),
                    .b = gemm_operand_of(call->b, call->of_b),
                    .terms = gemm_terms(c->prec)};
    const double products = (double)c->rows * (double)c->cols * (double)c->batch * (double)(run.a.cols + 1) * c->prec *
                            c->prec * c->parts * c->parts;
    int32_t threads = products >= WORTH_THREADS ? m->threads : 1;
    divide(&run, threads, SHARES);
    const double terms = (double)c->rows * (double)c->cols * (double)run.a.cols;
    const bool together =
        c->batch == 1 && run.count > 1 && !call->no_terms && terms >= (threads > 1 ? worth_waiting : 1.0);
    if (together && threads > 1)
        divide(&run, threads, SHARES_TOGETHER);
    if (run.count < threads)
        threads = (int32_t)run.count;
    plumb_status status = make_room(m, together ? plan_slabs(&run) : plan_blocks(&run) * threads);
    if (status == PLUMB_OK)
        status = team_start(&m->team, threads, m->message, m->message_size);
    if (status != PLUMB_OK)
        return status;
    call->report->method = PLUMB_GEMM_TILES;
    run.memory = m->work;
    team_run(m->team, threads, together ? run_slabs : run_blocks, &run);
    return PLUMB_OK;
}
