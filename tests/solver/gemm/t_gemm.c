/* t_gemm.c - tests plumb_gemm on the CPU: its error against MPFR on matrices that are hard for products, that operands, strides,
 * threads and instruction sets do not show in the bits, special values, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../context_test.h"
#include "gemm_oracle.h"

static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};

/* One product: op(A) is m x k, op(B) k x n. */
typedef struct product {
    plumb_view a, b, c, old;
    plumb_gemm_options options;
    double alpha[2 * PLUMB_QD], beta[2 * PLUMB_QD];
} product;

/* An array with gaps between columns, planes and matrices. */
static void make(plumb_view *v, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t batch, int64_t gap)
{
    const int64_t col = rows + gap, plane = col * cols + gap, next = plane * prec * parts + gap;
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, prec, parts, next * batch, 1, 1, v), PLUMB_OK);
    for (int64_t i = 0; i < next * batch; i++)
        v->data[i] = 77.0;
    v->rows = rows, v->cols = cols, v->batch = batch;
    v->col = col, v->plane = plane, v->next = next;
}

static void product_make(product *p, int32_t prec, int32_t parts, int64_t m, int64_t n, int64_t k, int64_t batch,
                         int32_t of_a, int32_t of_b, gemm_kind kind, int64_t gap, uint64_t seed)
{
    plumb_gemm_options_init(&p->options);
    p->options.of_a = of_a;
    p->options.of_b = of_b;
    const int ta = of_a & PLUMB_OPERAND_TRANSPOSE, tb = of_b & PLUMB_OPERAND_TRANSPOSE;
    make(&p->a, prec, parts, ta ? k : m, ta ? m : k, batch, gap);
    make(&p->b, prec, parts, tb ? n : k, tb ? k : n, batch, gap);
    make(&p->c, prec, parts, m, n, batch, gap);
    make(&p->old, prec, parts, m, n, batch, gap);
    gemm_fill(&p->a, of_a, 1, kind, seed);
    gemm_fill(&p->b, of_b, 0, kind, seed + 1);
    gemm_fill(&p->old, 0, 1, GEMM_RANDOM, seed + 2);
    plumb_random r = plumb_random_start(seed + 3);
    for (int32_t q = 0; q < parts; q++) {
        gemm_random(&r, 2.0, prec, p->alpha + q * prec);
        gemm_random(&r, 2.0, prec, p->beta + q * prec);
    }
    memcpy(p->c.data, p->old.data, (size_t)plumb_view_span(&p->c) * sizeof(double));
}

static void product_end(product *p)
{
    plumb_array_destroy(context, &p->a);
    plumb_array_destroy(context, &p->b);
    plumb_array_destroy(context, &p->c);
    plumb_array_destroy(context, &p->old);
}

static void run(plumb_context *where, product *p)
{
    const plumb_status status = plumb_gemm(where, &p->a, &p->b, &p->c, &p->options, NULL);
    if (status != PLUMB_OK)
        fail_msg("%s: %s", plumb_status_text(status), plumb_context_message(where));
}

static void errors_are_within_the_bound(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{5, 4, 7}, {17, 9, 130}, {3, 2, 520}, {1, 1, 1}};
    for (int s = 0; s < 4; s++)
        for (int q = 0; q < 3; q++)
            for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
                for (int kind = 0; kind < GEMM_KINDS; kind++)
                    for (int scaled = 0; scaled < 2; scaled++) {
                        product p;
                        product_make(&p, precisions[q], parts, shapes[s][0], shapes[s][1], shapes[s][2], 1, kind % 4,
                                     (kind + s) % 4, (gemm_kind)kind, 3,
                                     1000 * (uint64_t)s + 10 * (uint64_t)kind + (uint64_t)q);
                        if (scaled)
                            p.options.alpha = p.alpha, p.options.beta = p.beta;
                        run(context, &p);
                        const double error = gemm_error(&p.a, &p.b, &p.c, &p.options, &p.old, 1.0);
                        if (!(error <= 1.0))
                            fail_msg("%s, %s %s, %s: error %.3g times the bound", gemm_kind_names[kind],
                                     parts == 2 ? "complex" : "real", plumb_prec_name(precisions[q]),
                                     scaled ? "scaled" : "plain", error);
                        product_end(&p);
                    }
}

static void assert_same(const plumb_view *a, const plumb_view *b)
{
    for (int64_t m = 0; m < a->batch; m++)
        for (int64_t c = 0; c < view_planes(a); c++)
            for (int64_t j = 0; j < a->cols; j++)
                assert_memory_equal(a->data + m * a->next + c * a->plane + j * a->col,
                                    b->data + m * b->next + c * b->plane + j * b->col,
                                    (size_t)a->rows * sizeof(double));
}

/* The gaps still hold what was there. */
static void assert_gaps(const plumb_view *v)
{
    const int64_t all = v->next * v->batch;
    char *inside = calloc((size_t)all, 1);
    assert_non_null(inside);
    for (int64_t m = 0; m < v->batch; m++)
        for (int64_t c = 0; c < view_planes(v); c++)
            for (int64_t j = 0; j < v->cols; j++)
                for (int64_t i = 0; i < v->rows; i++)
                    inside[m * v->next + c * v->plane + j * v->col + i] = 1;
    for (int64_t k = 0; k < all; k++)
        if (!inside[k])
            assert_true(v->data[k] == 77.0);
    free(inside);
}

static void threads_and_instruction_sets_do_not_show(void **state)
{
    (void)state;
    for (int q = 0; q < 3; q++)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
            const int64_t m = 70, n = 45, k = q == 0 ? 300 : 90;
            for (int64_t batch = 1; batch <= 2; batch++) { /* threads share a matrix, or take one each */
                product first;
                product_make(&first, precisions[q], parts, m, n, k, batch, 0, PLUMB_OPERAND_ADJOINT, GEMM_RANDOM, 0, 5);
                first.options.alpha = first.alpha, first.options.beta = first.beta;
                run(context, &first);
                for (int32_t isa = 0; isa < plumb_isa_count(); isa++)
                    for (int32_t threads = 1; threads <= 3; threads += 2) {
                        plumb_isa_info info;
                        assert_int_equal(plumb_isa_query(isa, &info), PLUMB_OK);
                        if (!info.usable)
                            continue;
                        plumb_context_options options;
                        plumb_context_options_init(&options);
                        options.backend = PLUMB_BACKEND_CPU, options.threads = threads, options.isa = info.name;
                        plumb_context *other;
                        assert_int_equal(plumb_context_create(&options, &other), PLUMB_OK);
                        product p;
                        product_make(&p, precisions[q], parts, m, n, k, batch, 0, PLUMB_OPERAND_ADJOINT, GEMM_RANDOM, 5,
                                     5);
                        p.options.alpha = p.alpha, p.options.beta = p.beta;
                        run(other, &p);
                        assert_same(&p.c, &first.c);
                        assert_gaps(&p.c);
                        plumb_context_destroy(other);
                        product_end(&p);
                    }
                product_end(&first);
            }
        }
}

/* Threads that share one matrix pack A and B together, some blocks of terms at a time: here two times. The bits are those of products of
 * some of its rows, for which a thread packs alone. */
static void large_products_are_their_parts(void **state)
{
    (void)state;
    for (int q = 0; q < 2; q++)
        for (int32_t of = PLUMB_OPERAND_PLAIN; of <= PLUMB_OPERAND_TRANSPOSE; of++)
            for (int32_t threads = 1; threads <= 4; threads += 3) {
                const int64_t m = 5400, n = 70, k = 530, some = 100;
                plumb_context_options options;
                plumb_context_options_init(&options);
                options.backend = PLUMB_BACKEND_CPU, options.threads = threads;
                plumb_context *other;
                assert_int_equal(plumb_context_create(&options, &other), PLUMB_OK);
                product whole;
                product_make(&whole, precisions[q], PLUMB_REAL, m, n, k, 1, of, of, GEMM_RANDOM, 3, 11);
                whole.options.alpha = whole.alpha, whole.options.beta = whole.beta;
                run(other, &whole);
                assert_gaps(&whole.c);
                for (int64_t i = 0; i < m; i += 13 * some) {
                    plumb_view a = whole.a, old = whole.old, c = whole.c;
                    const int64_t rows = m - i < some ? m - i : some;
                    a.data += of == PLUMB_OPERAND_PLAIN ? i : i * a.col;
                    *(of == PLUMB_OPERAND_PLAIN ? &a.rows : &a.cols) = rows;
                    old.data += i, c.data += i;
                    old.rows = c.rows = rows;
                    for (int64_t j = 0; j < n; j += 7) {
                        plumb_view b = whole.b, to = old, from = c;
                        b.data += of == PLUMB_OPERAND_PLAIN ? j * b.col : j;
                        *(of == PLUMB_OPERAND_PLAIN ? &b.cols : &b.rows) = 7;
                        to.data += j * to.col, from.data += j * from.col;
                        to.cols = from.cols = 7;
                        assert_int_equal(plumb_gemm(context, &a, &b, &to, &whole.options, NULL), PLUMB_OK);
                        assert_same(&to, &from);
                    }
                }
                product_end(&whole);
                plumb_context_destroy(other);
            }
}

/* A and B may be shared by all matrices of a batch, and a matrix alone has the same bits. */
static void batches_are_matrices_one_by_one(void **state)
{
    (void)state;
    for (int q = 0; q < 3; q++) {
        product p;
        product_make(&p, precisions[q], PLUMB_COMPLEX, 6, 7, 70, 5, PLUMB_OPERAND_CONJUGATE, 0, GEMM_RANDOM, 2, 9);
        p.a.batch = 1;
        run(context, &p);
        for (int64_t m = 0; m < 5; m++) {
            plumb_view b = p.b, c = p.old, all = p.c;
            b.data += m * b.next, b.batch = 1;
            c.batch = all.batch = 1;
            all.data += m * all.next;
            assert_int_equal(plumb_gemm(context, &p.a, &b, &c, &p.options, NULL), PLUMB_OK);
            assert_same(&c, &all);
        }
        product_end(&p);
    }
}

static void special_values_follow_double_arithmetic(void **state)
{
    (void)state;
    for (int q = 0; q < 3; q++) {
        const int32_t prec = precisions[q];
        product p;
        product_make(&p, prec, PLUMB_REAL, 4, 3, 5, 1, 0, 0, GEMM_RANDOM, 0, 11);
        for (int32_t c = 0; c < prec; c++)
            for (int64_t l = 0; l < 5; l++) {
                double *a = gemm_entry(&p.a, 0, 0, 0, l) + c * p.a.plane;
                a[0] = c ? 0.0 : l == 2 ? INFINITY : 1.0; /* row 0: an infinity; row 1: a NaN; row 2: overflow */
                a[1] = c ? 0.0 : l == 3 ? NAN : 1.0;
                a[2] = c ? 0.0 : 1e308;
                double *b = gemm_entry(&p.b, 0, 0, l, 0) + c * p.b.plane;
                b[0] = c ? 0.0 : 1.0;
            }
        run(context, &p);
        for (int32_t c = 0; c < prec; c++) {
            const double *e = gemm_entry(&p.c, 0, 0, 0, 0) + c * p.c.plane;
            assert_true(c ? e[0] == 0.0 : e[0] == INFINITY);
            assert_true(c ? e[1] == 0.0 : isnan(e[1]));
            assert_true(c ? e[2] == 0.0 : e[2] == INFINITY);
            assert_true(isfinite(e[3]));
        }
        product_end(&p);
    }
}

/* Operands that a zero switches off may hold anything, and no terms are a sum of nothing. */
static void zeros_switch_off(void **state)
{
    (void)state;
    for (int q = 0; q < 3; q++) {
        const int32_t prec = precisions[q];
        product p;
        double zero[PLUMB_QD] = {0.0}, two[PLUMB_QD] = {2.0};
        product_make(&p, prec, PLUMB_REAL, 9, 3, 5, 1, 0, 0, GEMM_RANDOM, 1, 13);
        for (int64_t i = 0; i < 9; i++)
            *gemm_entry(&p.c, 0, 0, i, 0) = NAN;
        run(context, &p); /* beta NULL */
        assert_true(gemm_error(&p.a, &p.b, &p.c, &p.options, NULL, 1.0) <= 1.0);
        *gemm_entry(&p.c, 0, 0, 0, 0) = NAN;
        p.options.beta = zero;
        run(context, &p);
        assert_true(gemm_error(&p.a, &p.b, &p.c, &p.options, NULL, 1.0) <= 1.0);
        *gemm_entry(&p.a, 0, 0, 0, 0) = NAN;
        memcpy(p.c.data, p.old.data, (size_t)plumb_view_span(&p.c) * sizeof(double));
        p.options.alpha = zero, p.options.beta = two;
        run(context, &p);
        for (int32_t c = 0; c < prec; c++)
            assert_true(gemm_entry(&p.c, 0, 0, 8, 2)[c * p.c.plane] ==
                        2.0 * gemm_entry(&p.old, 0, 0, 8, 2)[c * p.old.plane]);
        p.options.alpha = NULL, p.options.beta = NULL;
        p.a.cols = 0, p.b.rows = 0;
        run(context, &p);
        for (int32_t c = 0; c < prec; c++)
            assert_true(gemm_entry(&p.c, 0, 0, 4, 1)[c * p.c.plane] == 0.0);
        p.c.cols = 0, p.b.cols = 0;
        run(context, &p);
        product_end(&p);
    }
}

static void mistakes_are_refused(void **state)
{
    (void)state;
    product p;
    product_make(&p, PLUMB_DD, PLUMB_REAL, 4, 3, 5, 2, 0, 0, GEMM_RANDOM, 0, 17);
    plumb_gemm_report report;
#define REFUSED(change, undo)                                                                             \
    do {                                                                                                  \
        change;                                                                                           \
        assert_int_equal(plumb_gemm(context, &p.a, &p.b, &p.c, &p.options, &report), PLUMB_ERR_ARGUMENT); \
        assert_true(plumb_context_message(context)[0] != 0);                                              \
        undo;                                                                                             \
    } while (0)
    REFUSED(p.b.rows--, p.b.rows++);
    REFUSED(p.c.cols--, p.c.cols++);
    REFUSED(p.a.prec = PLUMB_D, p.a.prec = PLUMB_DD);
    REFUSED(p.c.batch = 1, p.c.batch = 2);
    REFUSED(p.options.of_a = 4, p.options.of_a = 0);
    REFUSED(p.options.of_b = PLUMB_OPERAND_TRANSPOSE, p.options.of_b = 0);
    REFUSED(p.options.method = 3, p.options.method = 0);
    REFUSED(p.options.workspace = -1, p.options.workspace = 0);
    const plumb_view c = p.c;
    REFUSED(p.c = p.a; p.c.cols = 3; p.c.data += 1; p.c.rows = 4, p.c = c);
    assert_int_equal(plumb_gemm(NULL, &p.a, &p.b, &p.c, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_gemm(context, NULL, &p.b, &p.c, NULL, NULL), PLUMB_ERR_ARGUMENT);
    p.options.method = PLUMB_GEMM_RESIDUES;
    assert_int_equal(plumb_gemm(context, &p.a, &p.b, &p.c, &p.options, NULL), PLUMB_ERR_UNSUPPORTED);
    p.options.method = PLUMB_GEMM_AUTO;
    assert_int_equal(plumb_gemm(context, &p.a, &p.b, &p.c, NULL, &report), PLUMB_OK);
    assert_int_equal(report.method, PLUMB_GEMM_TILES);
    assert_int_equal(report.backend, PLUMB_BACKEND_CPU);
    product_end(&p);
}

int main(void)
{
    backend = PLUMB_BACKEND_CPU;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_within_the_bound),
        cmocka_unit_test(threads_and_instruction_sets_do_not_show),
        cmocka_unit_test(large_products_are_their_parts),
        cmocka_unit_test(batches_are_matrices_one_by_one),
        cmocka_unit_test(special_values_follow_double_arithmetic),
        cmocka_unit_test(zeros_switch_off),
        cmocka_unit_test(mistakes_are_refused),
    };
    return cmocka_run_group_tests(tests, make_context, end_context);
}
