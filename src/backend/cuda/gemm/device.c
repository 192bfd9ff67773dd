/* device.c - products of matrices on a GPU: which method, and how the workspace is divided.
 *
 * With residues, C is computed in blocks of columns. For a block the residues of A and of its columns of B are made for as many moduli
 * at a time as there is room for, and multiplied; the residues of the products stay until all of them are there. */
#include <math.h>
#include <string.h>

#include "backend/cuda/gemm/moduli.h"
#include "backend/cuda/lsq/device.h"
#include "backend/cuda/runtime/scratch.h"
#include "backend/gemm.h"
#include "base/call/message.h"

#define KERNELS(prec, kind)                                                                                \
    plumb_status plumb_cuda_gemm_sizes_##kind##_##prec(const gemm_scale_job *, void *, char *, size_t);    \
    plumb_status plumb_cuda_gemm_residues_##kind##_##prec(const gemm_scale_job *, void *, char *, size_t); \
    plumb_status plumb_cuda_gemm_combine_##kind##_##prec(const gemm_combine_job *, void *, char *, size_t)
#define TILES(prec, kind) \
    plumb_status plumb_cuda_gemm_tiles_##kind##_##prec(const gemm_tiles_job *, int64_t, void *, char *, size_t)
KERNELS(dd, real);
KERNELS(dd, cplx);
KERNELS(qd, real);
KERNELS(qd, cplx);
TILES(d, real);
TILES(d, cplx);
TILES(dd, real);
TILES(dd, cplx);
TILES(qd, real);
TILES(qd, cplx);
plumb_status plumb_cuda_gemm_bytes(const gemm_bytes_job *job, void *stream, char *message, size_t size);

typedef struct gemm_entries {
    plumb_status (*sizes)(const gemm_scale_job *, void *, char *, size_t);
    plumb_status (*residues)(const gemm_scale_job *, void *, char *, size_t);
    plumb_status (*combine)(const gemm_combine_job *, void *, char *, size_t);
    plumb_status (*tiles)(const gemm_tiles_job *, int64_t, void *, char *, size_t);
} gemm_entries;

#define ENTRIES(prec, kind)                                                                \
    {                                                                                      \
        plumb_cuda_gemm_sizes_##kind##_##prec, plumb_cuda_gemm_residues_##kind##_##prec,   \
            plumb_cuda_gemm_combine_##kind##_##prec, plumb_cuda_gemm_tiles_##kind##_##prec \
    }
static const gemm_entries entries[PLUMB_QD + 1][PLUMB_COMPLEX + 1] = {
    [PLUMB_D] = {{0}, {.tiles = plumb_cuda_gemm_tiles_real_d}, {.tiles = plumb_cuda_gemm_tiles_cplx_d}},
    [PLUMB_DD] = {{0}, ENTRIES(dd, real), ENTRIES(dd, cplx)},
    [PLUMB_QD] = {{0}, ENTRIES(qd, real), ENTRIES(qd, cplx)},
};

enum { MOST_BATCH = 65535, MOST_COLS = 32768 };

static int64_t round_up(int64_t a, int64_t to)
{
    return (a + to - 1) / to * to;
}

/* How a product by residues is divided. */
typedef struct gemm_plan {
    int64_t rows, terms;   /* padded; terms of one piece */
    int64_t cols;          /* of a block, padded */
    int64_t ld;            /* bytes of a row of residues */
    int32_t pieces, sums;  /* sums: planes per modulus */
    int32_t moduli, group; /* all of them, and those whose residues are there at one time */
    int32_t blocks;
    int64_t bytes;
} gemm_plan;

/* The residues of A, of B, and of the products; and some words for each row and column. */
static int64_t plan_bytes(const gemm_plan *p)
{
    const int64_t planes = (int64_t)p->group * p->sums + 1;
    return planes * (p->rows + p->cols) * p->ld + ((int64_t)p->moduli * p->sums * p->pieces + 1) * p->rows * p->cols +
           12 * (p->rows + p->cols) + 4096;
}

/* Divides the work such that `most` bytes suffice. Large blocks and groups are better: the residues of A are made once for each block, and
 * the integers once for each group. Returns 0 if nothing fits. */
static int plan_product(const plumb_view *c, int64_t terms, int64_t most, gemm_plan *best)
{
    gemm_plan p = {.rows = round_up(c->rows, GEMM_TILE_Y),
                   .terms = round_up(terms, GEMM_STEP),
                   .pieces = GEMM_PIECES(c->prec),
                   .sums = c->parts == PLUMB_COMPLEX ? 3 : 1};
    p.ld = p.terms * p.pieces;
    p.moduli = p.ld > GEMM_MOST_TERMS ? 0 : gemm_moduli_for(p.ld, c->parts);
    if (p.moduli == 0)
        return 0;
    double least = INFINITY;
    *best = (gemm_plan){.cols = 1};
    for (p.blocks = 1; p.blocks <= 4096; p.blocks *= 2) {
        p.cols = round_up((c->cols + p.blocks - 1) / p.blocks, GEMM_TILE_X);
        if (p.cols > MOST_COLS)
            continue;
        p.group = p.moduli;
        while (p.group > 1 && (p.bytes = plan_bytes(&p)) > most)
            p.group = (p.group + 1) / 2;
        p.bytes = plan_bytes(&p);
        if (p.bytes <= most) {
            const double integers = 5.0; /* making an integer costs as much as its residues modulo five numbers */
            const int32_t groups = (p.moduli + p.group - 1) / p.group;
            const double each = p.moduli + integers * groups;
            const double cost = ((double)p.rows * p.blocks + (double)p.cols * p.blocks) * each;
            if (cost < least) {
                least = cost;
                *best = p;
            }
        }
        if (p.cols <= GEMM_TILE_X)
            break;
    }
    if (least == INFINITY)
        return 0;
    best->blocks = (int32_t)((c->cols + best->cols - 1) / best->cols);
    return 1;
}

typedef struct gemm_run {
    machine *m;
    const gemm_call *call;
    const gemm_entries *with;
    void *stream;
    gemm_operand a, b;
    gemm_plan plan;
    int8_t *a_bytes, *b_bytes, *out;
    int32_t *a_words, *b_words, *count; /* sizes, nonzero entries, rounded */
} gemm_run;

static void set_scalars(const gemm_call *call, double *alpha, int32_t *has_alpha, double *beta, int32_t *has_beta)
{
    const size_t bytes = (size_t)call->c->prec * (size_t)call->c->parts * sizeof(double);
    *has_alpha = call->alpha != NULL;
    *has_beta = call->beta != NULL;
    if (call->alpha)
        memcpy(alpha, call->alpha, bytes);
    if (call->beta)
        memcpy(beta, call->beta, bytes);
}

/* Columns first .. of the matrices from `matrix` on, some of them. */
static plumb_status run_tiles(const gemm_run *r, int64_t matrix, int64_t batch, int64_t first, int64_t cols,
                              const int8_t *only, int64_t only_ld)
{
    const gemm_call *call = r->call;
    gemm_tiles_job job = {.a = r->a.data + matrix * r->a.next,
                          .b = r->b.data + matrix * r->b.next + first * r->b.col,
                          .a_row = r->a.row,
                          .a_col = r->a.col,
                          .a_plane = r->a.plane,
                          .a_next = r->a.next,
                          .b_row = r->b.row,
                          .b_col = r->b.col,
                          .b_plane = r->b.plane,
                          .b_next = r->b.next,
                          .a_conjugate = r->a.conjugate,
                          .b_conjugate = r->b.conjugate,
                          .c = call->c->data + matrix * call->c->next + first * call->c->col,
                          .c_plane = call->c->plane,
                          .c_col = call->c->col,
                          .c_next = call->c->next,
                          .rows = call->c->rows,
                          .cols = cols,
                          .terms = call->no_terms ? 0 : r->a.cols,
                          .fresh = call->fresh,
                          .only = only,
                          .only_ld = only_ld};
    set_scalars(call, job.alpha, &job.has_alpha, job.beta, &job.has_beta);
    return r->with->tiles(&job, batch, r->stream, r->m->message, r->m->message_size);
}

/* A row of the operand is what is scaled. */
static gemm_scale_job scale_job(const gemm_run *r, const gemm_operand *o, int left, int64_t matrix, int64_t first,
                                int64_t rows, int64_t padded)
{
    const gemm_plan *p = &r->plan;
    int32_t *words = left ? r->a_words : r->b_words;
    gemm_scale_job job = {.data = o->data + matrix * o->next + first * (left ? o->row : o->col),
                          .plane = o->plane,
                          .row = left ? o->row : o->col,
                          .term = left ? o->col : o->row,
                          .rows = rows,
                          .terms = r->a.cols,
                          .rows_padded = padded,
                          .terms_padded = p->terms,
                          .conjugate = o->conjugate,
                          .size = words,
                          .nonzero = words + padded,
                          .rounded = words + 2 * padded,
                          .out = left ? r->a_bytes : r->b_bytes,
                          .out_next = padded * p->ld,
                          .ld = p->ld};
    /* A has its second piece first: the product of whole rows is that of different pieces, that of the leading ones lies in the second half of
     * A and in the first half of B. */
    job.place[0] = left && p->pieces == 2 ? p->terms : 0;
    job.place[1] = left ? 0 : p->terms;
    return job;
}

/* The products of the residues of a group of moduli, from number `first` on. Plane q*moduli + t of out belongs to piece q: 0 the leading ones. */
static plumb_status multiply(const gemm_run *r, int32_t first, int32_t count, int checks)
{
    const gemm_plan *p = &r->plan;
    plumb_status status = PLUMB_OK;
    for (int32_t q = 0; q < p->pieces && status == PLUMB_OK; q++) {
        gemm_bytes_job job = {.x = r->b_bytes,
                              .y = r->a_bytes + (q == 0 && p->pieces == 2 ? GEMM_PART_ROWS * p->terms : 0),
                              .x_next = p->cols * p->ld,
                              .y_next = p->rows * p->ld,
                              .ld = p->ld,
                              .out = r->out + (int64_t)(q * p->moduli + first) * p->sums * p->rows * p->cols,
                              .out_next = p->rows * p->cols,
                              .out_ld = p->rows,
                              .length = (int32_t)(q == 0 ? p->terms : p->ld),
                              .x_tiles = (int32_t)(p->cols / GEMM_TILE_X),
                              .y_tiles = (int32_t)(p->rows / GEMM_TILE_Y),
                              .planes = count * p->sums,
                              .planes_per_modulus = p->sums,
                              .x_size = r->b_words,
                              .x_terms = r->b_words + p->cols,
                              .x_rounded = r->b_words + 2 * p->cols,
                              .y_size = r->a_words,
                              .y_terms = r->a_words + p->rows,
                              .y_rounded = r->a_words + 2 * p->rows};
        /* An error of 2^-102 S in dd and 2^-208 S in qd, see gpu.h: the roundings of a pair of entries cost at most 0.51 (1 + 1) 2^bits, twice that
         * in complex numbers and in qd, where the product of the second pieces is left out. */
        job.limit = p->pieces == 2 ? 1 : p->sums == 3 ? 17 : 9;
        for (int32_t t = 0; t < count; t++) {
            job.modulus[t] = gemm_modulus_number(first + t);
            job.shift[t] = job.modulus[t] > 128 ? 38 : 37;
            job.inverse[t] = (int32_t)(((INT64_C(1) << job.shift[t]) + job.modulus[t] / 2) / job.modulus[t]);
        }
        status = plumb_cuda_gemm_bytes(&job, r->stream, r->m->message, r->m->message_size);
        if (status == PLUMB_OK && checks && q == 0) { /* one plane more, which goes to the end of out */
            job.x += job.planes * job.x_next;
            job.y += job.planes * job.y_next;
            job.out = r->out + (int64_t)p->pieces * p->moduli * p->sums * job.out_next;
            job.planes = 1;
            job.checks = 1;
            status = plumb_cuda_gemm_bytes(&job, r->stream, r->m->message, r->m->message_size);
        }
    }
    return status;
}

static plumb_status set_zero(const gemm_run *r, void *memory, int64_t bytes)
{
    return plumb_cuda_status(cudaMemsetAsync(memory, 0, (size_t)bytes, r->stream), "preparing a product", r->m->message,
                             r->m->message_size);
}

/* One matrix of the batch by residues. */
static plumb_status run_matrix(const gemm_run *r, int64_t matrix)
{
    const gemm_plan *p = &r->plan;
    const gemm_call *call = r->call;
    const plumb_view *c = call->c;
    machine *m = r->m;
    gemm_combine_job combine = {.from = r->out,
                                .next = p->rows * p->cols,
                                .ld = p->rows,
                                .again = r->out + (int64_t)p->pieces * p->moduli * p->sums * p->rows * p->cols,
                                .count = r->count,
                                .rows = c->rows,
                                .row_size = r->a_words,
                                .col_size = r->b_words,
                                .c_plane = c->plane,
                                .c_col = c->col,
                                .fresh = call->fresh};
    set_scalars(call, combine.alpha, &combine.has_alpha, combine.beta, &combine.has_beta);
    gemm_combine_tables(&combine, p->moduli);
    plumb_status status = set_zero(r, r->a_words, 12 * p->rows);
    gemm_scale_job left = scale_job(r, &r->a, 1, matrix, 0, c->rows, p->rows);
    if (status == PLUMB_OK)
        status = r->with->sizes(&left, r->stream, m->message, m->message_size);
    for (int64_t first = 0; first < c->cols && status == PLUMB_OK; first += p->cols) {
        const int64_t cols = c->cols - first < p->cols ? c->cols - first : p->cols;
        gemm_scale_job right = scale_job(r, &r->b, 0, matrix, first, cols, p->cols);
        status = set_zero(r, r->b_words, 12 * p->cols);
        if (status == PLUMB_OK)
            status = r->with->sizes(&right, r->stream, m->message, m->message_size);
        for (int32_t t = 0; t < p->moduli && status == PLUMB_OK; t += p->group) {
            left.moduli = right.moduli = p->moduli - t < p->group ? p->moduli - t : p->group;
            left.checks = right.checks = t == 0;
            for (int32_t k = 0; k < left.moduli; k++)
                left.modulus[k] = right.modulus[k] = gemm_modulus_of(t + k, c->prec);
            status = r->with->residues(&left, r->stream, m->message, m->message_size);
            if (status == PLUMB_OK)
                status = r->with->residues(&right, r->stream, m->message, m->message_size);
            if (status == PLUMB_OK)
                status = multiply(r, t, left.moduli, t == 0);
        }
        combine.cols = cols;
        combine.c = c->data + matrix * c->next + first * c->col;
        if (status == PLUMB_OK)
            status = r->with->combine(&combine, r->stream, m->message, m->message_size);
        if (status == PLUMB_OK)
            status = run_tiles(r, matrix, 1, first, cols, combine.again, p->rows);
    }
    return status;
}

static plumb_status run_residues(gemm_run *r)
{
    const gemm_plan *p = &r->plan;
    machine *m = r->m;
    char *memory = NULL;
    plumb_status status = plumb_cuda_scratch(m, r->stream, SCRATCH_PRODUCT, (size_t)p->bytes, &memory);
    if (status != PLUMB_OK)
        return status;
    const int64_t planes = (int64_t)p->group * p->sums + 1;
    r->count = (int32_t *)memory;
    r->a_words = (int32_t *)(memory + 256);
    r->b_words = r->a_words + 3 * p->rows;
    r->a_bytes = (int8_t *)(memory + round_up(256 + 12 * (p->rows + p->cols), 256));
    r->b_bytes = r->a_bytes + planes * p->rows * p->ld;
    r->out = r->b_bytes + planes * p->cols * p->ld;
    status = set_zero(r, r->count, 4);
    for (int64_t matrix = 0; matrix < r->call->c->batch && status == PLUMB_OK; matrix++)
        status = run_matrix(r, matrix);
    if (status == PLUMB_OK && r->call->wait) {
        int32_t again = 0;
        status = plumb_cuda_status(cudaMemcpyAsync(&again, r->count, sizeof again, cudaMemcpyDeviceToHost, r->stream),
                                   "fetching the report of a product", m->message, m->message_size);
        if (status == PLUMB_OK)
            status =
                plumb_cuda_status(cudaStreamSynchronize(r->stream), "waiting for the GPU", m->message, m->message_size);
        r->call->report->again = again;
    }
    return status;
}

/* True if residues are expected to be faster: for products that are so large that their kernels fill the GPU, and long enough that
 * making integers pays. */
static int are_better(const gemm_run *r)
{
    const plumb_view *c = r->call->c;
    const double products = (double)c->rows * (double)c->cols * (double)r->a.cols;
    const int64_t shortest = c->rows < c->cols ? c->rows : c->cols;
    return c->prec != PLUMB_D && shortest >= 256 && r->a.cols >= 256 && products >= 512.0 * 512.0 * 512.0;
}

plumb_status plumb_cuda_gemm(machine *m, const gemm_call *call, void *stream)
{
    const plumb_view *c = call->c;
    gemm_run run = {.m = m,
                    .call = call,
                    .with = &entries[c->prec][c->parts],
                    .stream = stream ? stream : m->stream,
                    .a = gemm_operand_of(call->a, call->of_a),
                    .b = gemm_operand_of(call->b, call->of_b)};
    int previous;
    plumb_status status = plumb_cuda_enter(m, &previous);
    if (status == PLUMB_OK)
        status = plumb_cuda_mgs_open(m); /* to know the limits of the device */
    const int possible = status == PLUMB_OK && c->prec != PLUMB_D && m->lsq->limits.capability >= 80 &&
                         run.a.cols > 0 && !call->no_terms;
    int residues =
        possible && (call->method == PLUMB_GEMM_RESIDUES || (call->method == PLUMB_GEMM_AUTO && are_better(&run)));
    if (residues)
        residues = plan_product(c, run.a.cols, call->workspace, &run.plan);
    *call->report = (plumb_gemm_report){.method = residues ? PLUMB_GEMM_RESIDUES : PLUMB_GEMM_TILES,
                                        .backend = PLUMB_BACKEND_GPU,
                                        .moduli = residues ? run.plan.moduli * (2 * run.plan.pieces - 1) : 0,
                                        .blocks = residues ? run.plan.blocks : 1,
                                        .workspace = residues ? run.plan.bytes : 0};
    if (status == PLUMB_OK && residues)
        status = run_residues(&run);
    for (int64_t k = 0; k < c->batch && status == PLUMB_OK && !residues; k += MOST_BATCH)
        status = run_tiles(&run, k, c->batch - k < MOST_BATCH ? c->batch - k : MOST_BATCH, 0, c->cols, NULL, 0);
    if (status == PLUMB_OK && call->wait && !residues)
        status =
            plumb_cuda_status(cudaStreamSynchronize(run.stream), "waiting for the GPU", m->message, m->message_size);
    plumb_cuda_leave(previous);
    return status;
}
