/* t_lsq_batch.c - tests that batches are invariant: the same bits as single solves for every precision, kind,
 * instruction set, number of threads, batch size and layout; and systems that cannot be solved beside others that
 * can. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/kernels.h"
#include "base/array/view.h"
#include "base/number/random.h"
#include "base/number/round.h"
#include "plumb.h"

static const uint64_t seed = 20130214;

/* What lies between the entries, and must still lie there afterwards. */
static const double filler = -12345.0;

/* A view with room left between columns, planes and matrices (gap 0: dense), filled. */
static plumb_view make_view(int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t batch, int64_t gap)
{
    plumb_view v;
    int64_t doubles;
    assert_int_equal(plumb_view_init(&v, NULL, PLUMB_HOST, prec, parts, rows, cols, 0, NULL), PLUMB_OK);
    v.batch = batch;
    v.col = rows + gap;
    v.plane = v.col * cols + gap;
    v.next = v.plane * prec * parts + 3 * gap;
    doubles = v.next * batch;
    v.data = malloc(((size_t)doubles + 1) * sizeof(double));
    assert_non_null(v.data);
    for (int64_t i = 0; i < doubles; i++)
        v.data[i] = filler;
    return v;
}

static double *entry(const plumb_view *v, int64_t k, int64_t c, int64_t i, int64_t j)
{
    return v->data + k * v->next + c * v->plane + j * v->col + i;
}

/* Random numbers; column j of every system as large as 2^(spread * (j % 5 - 2)). */
static void randomize(const plumb_view *v, uint64_t start, int spread)
{
    plumb_random rng = plumb_random_start(start);
    for (int64_t k = 0; k < v->batch; k++)
        for (int64_t j = 0; j < v->cols; j++)
            for (int64_t i = 0; i < v->rows; i++)
                for (int32_t part = 0; part < v->parts; part++) {
                    double raw[4], size = ldexp(1.0, spread * (int)(j % 5 - 2));
                    for (int32_t c = 0; c < v->prec; c++) {
                        raw[c] = size * (2.0 * plumb_random_unit(&rng) - 1.0);
                        size *= 0x1p-53;
                    }
                    plumb_round_limbs(raw, v->prec, raw, v->prec);
                    for (int32_t c = 0; c < v->prec; c++)
                        *entry(v, k, part * v->prec + c, i, j) = raw[c];
                }
}

typedef struct problem {
    plumb_view a, b, x, residual;
    plumb_info *info;
} problem;

static problem make_problem(int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t rhs, int64_t batch,
                            int64_t gap)
{
    problem p = {.a = make_view(prec, parts, rows, cols, batch, gap),
                 .b = make_view(prec, parts, rows, rhs, batch, 2 * gap),
                 .x = make_view(prec, parts, cols, rhs, batch, gap),
                 .residual = make_view(prec, PLUMB_REAL, 1, rhs, batch, gap),
                 .info = malloc(((size_t)batch + 1) * sizeof(plumb_info))};
    assert_non_null(p.info);
    for (int64_t k = 0; k <= batch; k++)
        p.info[k] = 4711;
    return p;
}

static void free_problem(problem *p)
{
    free(p->a.data);
    free(p->b.data);
    free(p->x.data);
    free(p->residual.data);
    free(p->info);
}

static plumb_context *make_context(const char *isa, int32_t threads)
{
    plumb_context_options options;
    plumb_context *context;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    options.isa = isa;
    options.threads = threads;
    assert_int_equal(plumb_context_create(&options, &context), PLUMB_OK);
    return context;
}

/* Another problem with the same systems, solved by plumb_lsq. */
static problem one_by_one(const problem *p, int64_t gap, const plumb_lsq_options *options)
{
    const plumb_view *a = &p->a;
    problem q = make_problem(a->prec, a->parts, a->rows, a->cols, p->b.cols, a->batch, gap);
    plumb_context *context = make_context(NULL, 1);
    for (int64_t k = 0; k < a->batch; k++) {
        plumb_view one[4] = {p->a, p->b, q.x, q.residual};
        for (int v = 0; v < 4; v++) {
            one[v].data += k * one[v].next;
            one[v].batch = 1;
        }
        assert_int_equal(plumb_lsq(context, &one[0], &one[1], &one[2], &one[3], &q.info[k], options, NULL), PLUMB_OK);
    }
    plumb_context_destroy(context);
    return q;
}

/* Same x, residuals and outcomes; nothing written between the entries or behind info. */
static void assert_same(const problem *p, const problem *q)
{
    assert_memory_equal(p->info, q->info, ((size_t)p->a.batch + 1) * sizeof(plumb_info));
    assert_memory_equal(p->x.data, q->x.data, (size_t)(p->x.next * p->x.batch) * sizeof(double));
    assert_memory_equal(p->residual.data, q->residual.data,
                        (size_t)(p->residual.next * p->residual.batch) * sizeof(double));
}

static void solve_everywhere(problem *p, const problem *expected, int32_t most_threads)
{
    for (int32_t k = 0; k < plumb_cpu_isa_count; k++)
        for (int32_t threads = 1; threads <= most_threads && plumb_cpu_isas[k]->usable(); threads++) {
            plumb_context *context = make_context(plumb_cpu_isas[k]->name, threads);
            for (int64_t b = 0; b < p->a.batch; b++)
                p->info[b] = 4711;
            for (int64_t i = 0; i < p->x.next * p->x.batch; i++)
                p->x.data[i] = filler;
            for (int64_t i = 0; i < p->residual.next * p->residual.batch; i++)
                p->residual.data[i] = filler;
            assert_int_equal(plumb_lsq_batch(context, &p->a, &p->b, &p->x, &p->residual, p->info, NULL), PLUMB_OK);
            assert_same(p, expected);
            plumb_context_destroy(context);
        }
}

static const struct {
    int64_t rows, cols, rhs, batch, gap;
    int spread;
} cases[] =
    {
        {1, 1, 1, 25, 0, 0},   {5, 3, 2, 7, 3, 3},      {8, 8, 1, 13, 0, 40},  {16, 16, 1, 24, 5, 0},
        {17, 6, 3, 1, 1, 10},  {12, 11, 1, 33, 0, 180}, {9, 4, 0, 5, 2, 0},    {40, 2, 5, 11, 0, 100},
        {70, 61, 2, 4, 1, 20}, /* in d by blocks of columns, and by systems if there are as many as threads */
        {1, 3, 1, 2, 0, 0},    {5, 8, 2, 12, 3, 3},     {11, 30, 3, 5, 1, 40}, /* solutions of least norm */
        {40, 105, 1, 4, 0, 0}, {64, 130, 1, 2, 0, 3}, /* the last one with all threads on each */
};

static void batch_has_the_bits_of_one_by_one(void **state)
{
    (void)state;
    printf("seed %llu\n", (unsigned long long)seed);
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (size_t s = 0; s < sizeof cases / sizeof cases[0]; s++) {
                problem p =
                    make_problem(prec, parts, cases[s].rows, cases[s].cols, cases[s].rhs, cases[s].batch, cases[s].gap);
                randomize(&p.a, seed + s, cases[s].spread);
                randomize(&p.b, seed + 100 + s, cases[s].spread);
                problem q = one_by_one(&p, cases[s].gap, NULL);
                for (int64_t k = 0; k < cases[s].batch; k++)
                    assert_int_equal(q.info[k], 0);
                solve_everywhere(&p, &q, 3);
                free_problem(&p);
                free_problem(&q);
            }
}

enum { ROWS = 10, COLS = 7, BATCH = 40 };

/* Trouble here and there: the systems in between, in the same lanes, are solved as if nothing were. */
static void make_trouble(problem *p)
{
    const int64_t planes = view_planes(&p->a);
    for (int64_t c = 0; c < planes; c++)
        for (int64_t i = 0; i < ROWS; i++) {
            *entry(&p->a, 3, c, i, 4) = *entry(&p->a, 3, c, i, 1);        /* a column twice */
            *entry(&p->a, 8, c, i, 0) = 0.0;                              /* no first column */
            *entry(&p->a, 9, c, i, 6) = -2.0 * *entry(&p->a, 9, c, i, 0); /* the last one */
            *entry(&p->a, 20, c, i, 2) *= 0x1p-1000;                      /* x out of range: 2^1000 times ... */
            *entry(&p->b, 20, c, i, 1) *= 0x1p+1000;                      /* ... 2^1000 */
            *entry(&p->b, 21, c, i, 0) = 0.0;                             /* nothing wrong with this: x = 0 */
        }
    *entry(&p->a, 5, planes - 1, 2, 3) = (double)NAN;
    *entry(&p->a, 6, 0, ROWS - 1, COLS - 1) = (double)INFINITY;
    *entry(&p->b, 13, 0, 0, 1) = -(double)INFINITY;
    for (int64_t c = 0; c < planes; c++) /* both: what is not finite is seen first */
        for (int64_t i = 0; i < ROWS; i++)
            *entry(&p->a, 14, c, i, 3) = *entry(&p->a, 14, c, i, 2);
    *entry(&p->b, 14, 0, 4, 0) = (double)NAN;
}

static plumb_info expected_info(int64_t k)
{
    switch (k) {
    case 3:
        return 5;
    case 8:
        return 1;
    case 9:
        return 7;
    case 20:
        return -PLUMB_ERR_RANGE;
    case 5:
    case 6:
    case 13:
    case 14:
        return -PLUMB_ERR_NONFINITE;
    default:
        return 0;
    }
}

static void batch_has_a_status_of_each(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
            problem p = make_problem(prec, parts, ROWS, COLS, 2, BATCH, 1);
            randomize(&p.a, seed, 2);
            randomize(&p.b, seed + 1, 2);
            make_trouble(&p);
            problem q = one_by_one(&p, 1, NULL);
            for (int64_t k = 0; k < BATCH; k++) {
                assert_int_equal(q.info[k], expected_info(k));
                for (int64_t i = 0; i < COLS; i++)
                    assert_true(*entry(&q.x, k, 0, i, 1) == 0.0 || q.info[k] == 0);
            }
            solve_everywhere(&p, &q, 2);
            free_problem(&p);
            free_problem(&q);
        }
}

static void batch_names_the_first_failure(void **state)
{
    (void)state;
    problem p = make_problem(PLUMB_DD, PLUMB_COMPLEX, ROWS, COLS, 1, BATCH, 0);
    randomize(&p.a, seed, 0);
    randomize(&p.b, seed + 1, 0);
    *entry(&p.b, 17, 1, 4, 0) = (double)NAN;
    plumb_context *context = make_context(NULL, 2);
    assert_int_equal(plumb_lsq_batch(context, &p.a, &p.b, &p.x, NULL, p.info, NULL), PLUMB_OK);
    assert_string_equal(plumb_context_message(context), "system 18: entry (5, 1) of b is not finite");
    plumb_context_destroy(context);
    free_problem(&p);
}

static void batch_goes_one_by_one_for_other_options(void **state)
{
    (void)state;
    for (int pivot = 0; pivot <= 1; pivot++) {
        problem p = make_problem(PLUMB_DD, PLUMB_COMPLEX, ROWS, COLS, 2, BATCH, 1);
        plumb_lsq_options options;
        plumb_lsq_options_init(&options);
        options.pivot = pivot;
        options.reorthogonalize = !pivot;
        randomize(&p.a, seed, 1);
        randomize(&p.b, seed + 1, 1);
        for (int64_t c = 0; c < view_planes(&p.a); c++)
            for (int64_t i = 0; i < ROWS; i++)
                *entry(&p.a, 3, c, i, 4) = *entry(&p.a, 3, c, i, 1);
        problem q = one_by_one(&p, 1, &options);
        assert_int_equal(q.info[3], pivot ? 0 : 5);
        plumb_context *context = make_context(NULL, 2);
        assert_int_equal(plumb_lsq_batch(context, &p.a, &p.b, &p.x, &p.residual, p.info, &options), PLUMB_OK);
        assert_same(&p, &q);
        plumb_context_destroy(context);
        free_problem(&p);
        free_problem(&q);
    }
}

static void batch_refuses_what_does_not_fit_together(void **state)
{
    (void)state;
    problem p = make_problem(PLUMB_D, PLUMB_REAL, 4, 3, 1, 5, 0);
    randomize(&p.a, seed, 0);
    randomize(&p.b, seed + 1, 0);
    plumb_context *context = make_context(NULL, 1);
    plumb_view other = p.b;
    other.batch = 4;
    assert_int_equal(plumb_lsq_batch(context, &p.a, &other, &p.x, NULL, p.info, NULL), PLUMB_ERR_ARGUMENT);
    other = p.b;
    other.rows = 3;
    assert_int_equal(plumb_lsq_batch(context, &p.a, &p.b, &other, NULL, p.info, NULL), PLUMB_ERR_ARGUMENT); /* x on b */
    assert_int_equal(plumb_lsq_batch(context, &p.a, NULL, &p.x, NULL, p.info, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_lsq_batch(context, &p.b, &p.b, &p.x, NULL, p.info, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_lsq_batch(NULL, &p.a, &p.b, &p.x, NULL, p.info, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(p.info[0], 4711); /* none of them touched it */
    plumb_view none[3] = {p.a, p.b, p.x};
    for (int v = 0; v < 3; v++)
        none[v].batch = 0;
    assert_int_equal(plumb_lsq_batch(context, &none[0], &none[1], &none[2], NULL, NULL, NULL), PLUMB_OK);
    plumb_context_destroy(context);
    free_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batch_has_the_bits_of_one_by_one),
        cmocka_unit_test(batch_has_a_status_of_each),
        cmocka_unit_test(batch_names_the_first_failure),
        cmocka_unit_test(batch_goes_one_by_one_for_other_options),
        cmocka_unit_test(batch_refuses_what_does_not_fit_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
