/* gemm.c - products of matrices on the CPU, see method/gemm/gemm.h.
 *
 * C is divided into blocks of rows and columns, which the threads take one by one. A thread packs what a block needs of A and B, one block
 * of terms after the other, so that the kernels read contiguous memory and threads never wait for one another. Entries of C
 * are independent of one another, so the bits do not depend on the size of the blocks, which is chosen such that every
 * thread has some of them. */
#include "backend/cpu/gemm/gemm.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/kernels.h"
#include "base/call/message.h"
#include "base/memory/memory.h"
#include "base/os/team.h"
#include "method/gemm/gemm.h"

/* Doubles of a packed operand: two of them fit in a second-level cache. */
enum { PACKED = 1 << 16 };

/* Below this many products of limbs a team of threads costs more to wake than it saves. */
enum { WORTH_THREADS = 1 << 17 };

/* Blocks of C per thread, so that threads that are late leave something to others. */
enum { SHARES = 4 };

typedef struct gemm_run {
    const gemm_call *call;
    const gemm_kernels *kernels;
    gemm_operand a, b;
    int64_t terms;               /* of a block */
    int64_t rows, cols;          /* of a block of C */
    int64_t down, across, count; /* blocks of C: in a column, in a row, in all matrices */
    double *memory;
    int64_t each, a_doubles; /* memory of a thread; the packed block of A comes first */
    team_counter next;
} gemm_run;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t round_up(int64_t a, int64_t to)
{
    return (a + to - 1) / to * to;
}

/* Copies `terms` terms of `rows` rows from the given ones on into panels (gemm_block). Entry (row i, term l) of the operand is at i * row
 * + l * step, and one of the two is 1: memory is read in its order, because columns may be pages apart. */
static void pack(const gemm_operand *o, const double *from, int64_t row, int64_t step, int64_t rows, int64_t terms,
                 int64_t width, int32_t prec, int32_t parts, double *to)
{
    const int64_t planes = (int64_t)prec * parts, next = planes * width;
    for (int64_t p = 0; p < planes; p++) {
        const double *x = from + p * o->plane;
        double *y = to + p * width;
        const double sign = o->conjugate && p >= prec ? -1.0 : 1.0;
        for (int64_t l = 0; l < terms && row == 1; l++)
            for (int64_t i = 0; i < rows; i += width) {
                double *panel = y + i * terms * planes + l * next;
                for (int64_t r = 0, count = least(width, rows - i); r < count; r++)
                    panel[r] = sign * x[l * step + i + r];
            }
        for (int64_t i = 0; i < rows && row != 1; i++) {
            double *panel = y + i / width * width * terms * planes + i % width;
            for (int64_t l = 0; l < terms; l++)
                panel[l * next] = sign * x[l * step + i * row];
        }
        const int64_t over = rows % width;
        for (int64_t l = 0; l < terms && over != 0; l++)
            memset(y + (rows - over) * terms * planes + l * next + over, 0, (size_t)(width - over) * sizeof(double));
    }
}

/* Computes block k of C. */
static void run_block(const gemm_run *run, int64_t k, double *memory)
{
    const gemm_call *call = run->call;
    const plumb_view *c = call->c;
    const int64_t matrix = k / (run->down * run->across), in = k % (run->down * run->across);
    const int64_t i = in % run->down * run->rows, j = in / run->down * run->cols;
    const int64_t terms = call->no_terms ? 0 : run->a.cols;
    gemm_block block = {.a = memory,
                        .b = memory + run->a_doubles,
                        .rows = least(run->rows, c->rows - i),
                        .cols = least(run->cols, c->cols - j),
                        .c = c->data + matrix * c->next + j * c->col + i,
                        .c_plane = c->plane,
                        .c_col = c->col,
                        .alpha = call->alpha,
                        .beta = call->beta,
                        .fresh = call->fresh};
    if (terms == 0) {
        run->kernels->scale(&block);
        return;
    }
    const double *a = run->a.data + matrix * run->a.next + i * run->a.row;
    const double *b = run->b.data + matrix * run->b.next + j * run->b.col;
    for (int64_t l = 0; l < terms; l += run->terms) {
        block.terms = least(run->terms, terms - l);
        pack(&run->a, a + l * run->a.col, run->a.row, run->a.col, block.rows, block.terms, run->kernels->tile_rows,
             c->prec, c->parts, memory);
        pack(&run->b, b + l * run->b.row, run->b.col, run->b.row, block.cols, block.terms, run->kernels->tile_cols,
             c->prec, c->parts, memory + run->a_doubles);
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

/* The size of the blocks of C: as large as the packed operands may be, but small enough that every thread gets some. */
static void divide(gemm_run *run, int32_t threads)
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
        if (threads == 1 || run->count >= SHARES * (int64_t)threads)
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

static plumb_status make_room(machine *m, gemm_run *run, int32_t threads)
{
    const plumb_view *c = run->call->c;
    const int64_t doubles = least(run->terms, run->a.cols) * c->prec * c->parts;
    run->a_doubles = round_up(run->rows * doubles, 8);
    run->each = run->a_doubles + round_up(run->cols * doubles, 8);
    const int64_t all = run->each * threads; /* at most a few megabytes for each */
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
        return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size,
                         "out of memory: %lld doubles for each of %d threads", (long long)run->each, (int)threads);
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
    divide(&run, threads);
    if (run.count < threads)
        threads = (int32_t)run.count;
    plumb_status status = make_room(m, &run, threads);
    if (status == PLUMB_OK)
        status = team_start(&m->team, threads, m->message, m->message_size);
    if (status != PLUMB_OK)
        return status;
    call->report->method = PLUMB_GEMM_TILES;
    run.memory = m->work;
    team_run(m->team, threads, run_blocks, &run);
    return PLUMB_OK;
}
