/* products.c - products COUNT SEED [gpu] [JOBS]: products of random matrices of every kind that is hard for products (gemm_oracle.h), against
 * MPFR: COUNT for each precision, of random shapes and operands, real and complex, in views with gaps, some in batches. Each is
 * computed twice, and must have the same bits. The exit status is 1 if an entry is outside of its bound, if bits differ, or if a gap was
 * written to. With gpu they are on the device, half of them by residues. JOBS processes share the work; what is computed does not depend on
 * their number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "solver/gemm/gemm_oracle.h"

enum { MOST_JOBS = 256, PRECISIONS = 3 };

/* What a process has found. */
typedef struct findings {
    double worst[PRECISIONS][GEMM_KINDS]; /* errors over the bound */
    int64_t again[PRECISIONS], entries[PRECISIONS], residues[PRECISIONS];
    int64_t outside, differ, gaps;
    int failed;
} findings;

/* A view with its memory, which has gaps between columns, planes and matrices, and the same in the place where the product is. */
typedef struct operand {
    plumb_view view, there, whole; /* whole: all of the memory there, as one column */
    double *data;
    int64_t size;
} operand;

static const double gap = 0x1.23456789abcdep77; /* what gaps contain */

static int operand_create(plumb_context *context, operand *o, int32_t prec, int32_t parts, int64_t rows, int64_t cols,
                          int64_t batch, int32_t where, plumb_random *r)
{
    const int64_t col = rows + (int64_t)plumb_random_below(r, 3),
                  plane = col * cols + (int64_t)plumb_random_below(r, 5);
    const int64_t next = plane * prec * parts + (int64_t)plumb_random_below(r, 4);
    o->size = next * batch;
    o->view = (plumb_view){.rows = rows,
                           .cols = cols,
                           .batch = batch,
                           .plane = plane,
                           .col = col,
                           .next = next,
                           .prec = prec,
                           .parts = parts,
                           .where = PLUMB_HOST};
    o->data = o->view.data = malloc((size_t)o->size * sizeof(double));
    if (!o->data)
        return 0;
    for (int64_t k = 0; k < o->size; k++)
        o->data[k] = gap;
    o->there = o->view;
    if (where == PLUMB_HOST)
        return 1;
    if (plumb_array_create(context, PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, o->size, 1, 1, &o->whole) != PLUMB_OK) {
        o->there.where = PLUMB_HOST;
        return 0;
    }
    o->there.data = o->whole.data;
    o->there.where = PLUMB_DEVICE;
    return 1;
}

/* Copies all memory to the place of the product, or back. */
static plumb_status move(plumb_context *context, const operand *o, int back)
{
    if (o->there.where == PLUMB_HOST)
        return PLUMB_OK;
    plumb_view there = o->whole, here = o->whole;
    here.data = o->data;
    here.where = PLUMB_HOST;
    return back ? plumb_copy(context, &there, &here, NULL) : plumb_copy(context, &here, &there, NULL);
}

static void operand_destroy(plumb_context *context, operand *o)
{
    if (o->there.where == PLUMB_DEVICE)
        plumb_array_destroy(context, &o->whole);
    free(o->data);
    *o = (operand){0};
}

static int is_inside(const plumb_view *v, int64_t k)
{
    const int64_t in_matrix = k % v->next, in_plane = in_matrix % v->plane;
    return in_matrix < v->plane * v->prec * v->parts && in_plane < v->col * v->cols && in_plane % v->col < v->rows;
}

/* One product; returns 0 where it could not be computed. */
static int one(plumb_context *context, int gpu, int32_t prec, plumb_random *r, findings *f)
{
    const int p = prec == PLUMB_D ? 0 : prec == PLUMB_DD ? 1 : 2;
    const gemm_kind kind = (gemm_kind)plumb_random_below(r, GEMM_KINDS);
    const int32_t parts = 1 + (int32_t)plumb_random_below(r, 2), where = gpu ? PLUMB_DEVICE : PLUMB_HOST;
    const int64_t m = 1 + (int64_t)plumb_random_below(r, 6), n = 1 + (int64_t)plumb_random_below(r, 6);
    const int64_t terms = 1 + (int64_t)plumb_random_below(r, plumb_random_below(r, 8) ? 40 : 400);
    const int64_t batch = plumb_random_below(r, 8) || terms > 40 ? 1 : 2;
    plumb_gemm_options options;
    plumb_gemm_options_init(&options);
    options.of_a = (int32_t)plumb_random_below(r, 4), options.of_b = (int32_t)plumb_random_below(r, 4);
    const int residues = gpu && prec > PLUMB_D && plumb_random_below(r, 2);
    options.method = residues ? PLUMB_GEMM_RESIDUES : PLUMB_GEMM_AUTO;
    const int ta = options.of_a & PLUMB_OPERAND_TRANSPOSE, tb = options.of_b & PLUMB_OPERAND_TRANSPOSE;
    operand a = {0}, b = {0}, c = {0}, old = {0};
    int done = operand_create(context, &a, prec, parts, ta ? terms : m, ta ? m : terms, batch, where, r) &&
               operand_create(context, &b, prec, parts, tb ? n : terms, tb ? terms : n, batch, where, r) &&
               operand_create(context, &c, prec, parts, m, n, batch, where, r);
    double *second = NULL;
    if (done) {
        gemm_fill(&a.view, options.of_a, 1, kind, plumb_random_next(r));
        gemm_fill(&b.view, options.of_b, 0, kind, plumb_random_next(r));
        gemm_fill(&c.view, 0, 1, GEMM_RANDOM, plumb_random_next(r));
        old = c;
        old.data = malloc((size_t)c.size * sizeof(double));
        second = malloc((size_t)c.size * sizeof(double));
        done = old.data && second;
    }
    double alpha[2 * PLUMB_QD], beta[2 * PLUMB_QD];
    for (int32_t part = 0; part < parts; part++) {
        gemm_random(r, 2.0, prec, alpha + part * prec);
        gemm_random(r, 2.0, prec, beta + part * prec);
    }
    if (plumb_random_below(r, 2))
        options.alpha = alpha, options.beta = beta;
    plumb_gemm_report report = {0};
    for (int run = 0; run < 2 && done; run++) {
        if (run == 0)
            memcpy(old.data, c.data, (size_t)c.size * sizeof(double)), old.view.data = old.data;
        else {
            memcpy(second, c.data, (size_t)c.size * sizeof(double));
            memcpy(c.data, old.data, (size_t)c.size * sizeof(double));
        }
        done = (run > 0 || (move(context, &a, 0) == PLUMB_OK && move(context, &b, 0) == PLUMB_OK)) &&
               move(context, &c, 0) == PLUMB_OK &&
               plumb_gemm(context, &a.there, &b.there, &c.there, &options, &report) == PLUMB_OK &&
               move(context, &c, 1) == PLUMB_OK;
    }
    if (done) {
        const double error = gemm_error(&a.view, &b.view, &c.view, &options, &old.view, 1.0);
        f->worst[p][kind] = fmax(f->worst[p][kind], error);
        f->again[p] += report.again;
        f->entries[p] += m * n * batch;
        f->residues[p] += residues;
        f->differ += memcmp(second, c.data, (size_t)c.size * sizeof(double)) != 0;
        int64_t written = 0;
        for (int64_t k = 0; k < c.size; k++)
            written += !is_inside(&c.view, k) && c.data[k] != gap;
        f->gaps += written > 0;
        if (!(error <= 1.0)) {
            printf("%s %s %s%s, %lld x %lld, %lld terms, operands %d and %d: error %.3g of the bound\n",
                   parts == 2 ? "complex" : "real", plumb_prec_name(prec), gemm_kind_names[kind],
                   residues ? " by residues" : "", (long long)m, (long long)n, (long long)terms, (int)options.of_a,
                   (int)options.of_b, error);
            f->outside++;
        }
    } else
        fprintf(stderr, "products: a product: %s\n", plumb_context_message(context));
    free(old.data);
    free(second);
    operand_destroy(context, &a);
    operand_destroy(context, &b);
    operand_destroy(context, &c);
    return done;
}

/* Every jobs-th product, from number `first` on. */
static void work(int gpu, int64_t count, uint64_t seed, int first, int jobs, findings *f)
{
    plumb_context_options how;
    plumb_context_options_init(&how);
    how.backend = gpu ? PLUMB_BACKEND_GPU : PLUMB_BACKEND_CPU;
    how.threads = jobs > 1 ? 1 : 0;
    plumb_context *context;
    if (plumb_context_create(&how, &context) != PLUMB_OK) {
        fprintf(stderr, "products: no context: %s\n", plumb_last_message());
        f->failed = 1;
        return;
    }
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD && !f->failed; prec *= 2)
        for (int64_t k = first; k < count && !f->failed; k += jobs) {
            plumb_random r = plumb_random_start(seed + (uint64_t)k * 8 + (uint64_t)prec);
            f->failed = !one(context, gpu, prec, &r, f);
        }
    plumb_context_destroy(context);
}

int main(int argc, char **argv)
{
    const int64_t count = argc > 1 ? strtoll(argv[1], NULL, 10) : 1000;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const int gpu = argc > 3 && strcmp(argv[3], "gpu") == 0;
    const long wanted = argc > 3 + gpu ? strtol(argv[3 + gpu], NULL, 10) : 1;
    const int jobs = wanted < 1 ? 1 : wanted > MOST_JOBS ? MOST_JOBS : (int)wanted;
    findings sum = {0};
    int ends[2];
    if (jobs == 1)
        work(gpu, count, seed, 0, 1, &sum);
    else if (pipe(ends) != 0)
        return 2;
    for (int j = 0; j < jobs && jobs > 1; j++) {
        fflush(stdout);
        const pid_t process = fork();
        if (process == 0) {
            findings own = {0};
            work(gpu, count, seed, j, jobs, &own);
            fflush(stdout);
            _exit(write(ends[1], &own, sizeof own) != sizeof own); /* so few bytes are written at once */
        }
        sum.failed |= process < 0;
    }
    if (jobs > 1)
        close(ends[1]);
    for (int j = 0; j < jobs && jobs > 1; j++) {
        findings own = {.failed = 1};
        if (read(ends[0], &own, sizeof own) != sizeof own)
            own.failed = 1;
        for (int p = 0; p < PRECISIONS; p++) {
            for (int k = 0; k < GEMM_KINDS; k++)
                sum.worst[p][k] = fmax(sum.worst[p][k], own.worst[p][k]);
            sum.again[p] += own.again[p], sum.entries[p] += own.entries[p], sum.residues[p] += own.residues[p];
        }
        sum.outside += own.outside, sum.differ += own.differ, sum.gaps += own.gaps;
        sum.failed |= own.failed;
    }
    for (int status; wait(&status) > 0;)
        sum.failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    for (int p = 0; p < PRECISIONS; p++) {
        printf("%s: %lld products, %lld by residues, %lld entries, %lld computed again; largest error over the bound:",
               plumb_prec_name(1 << p), (long long)count, (long long)sum.residues[p], (long long)sum.entries[p],
               (long long)sum.again[p]);
        for (int k = 0; k < GEMM_KINDS; k++)
            printf(" %s %.2g", gemm_kind_names[k], sum.worst[p][k]);
        printf("\n");
    }
    printf("seed %llu: %lld outside of the bound, %lld with other bits in a second run, %lld wrote to gaps%s\n",
           (unsigned long long)seed, (long long)sum.outside, (long long)sum.differ, (long long)sum.gaps,
           sum.failed ? "; NOT FINISHED" : "");
    return sum.failed ? 2 : sum.outside || sum.differ || sum.gaps;
}
