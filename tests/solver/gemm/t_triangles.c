/* t_triangles.c - tests plumb_trsm, plumb_cholesky and plumb_cholesky_solve on the CPU: errors against MPFR, that threads, instruction
 * sets and batches do not show in the bits, that nothing but the triangle is read or written, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../context_test.h"
#include "triangle_cases.h"

static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};

/* An array with gaps between columns, planes and matrices. */
static void make(plumb_view *v, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t batch)
{
    const int64_t gap = 3, col = rows + gap, plane = col * cols + gap, next = plane * prec * parts + gap;
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, prec, parts, next * batch, 1, 1, v), PLUMB_OK);
    for (int64_t i = 0; i < next * batch; i++)
        v->data[i] = 77.0;
    v->rows = rows, v->cols = cols, v->batch = batch;
    v->col = col, v->plane = plane, v->next = next;
}

static void assert_same(const plumb_view *a, const plumb_view *b)
{
    for (int64_t m = 0; m < a->batch; m++)
        for (int64_t c = 0; c < (int64_t)a->prec * a->parts; c++)
            for (int64_t j = 0; j < a->cols; j++)
                assert_memory_equal(gemm_entry(a, 0, m, 0, j) + c * a->plane, gemm_entry(b, 0, m, 0, j) + c * b->plane,
                                    (size_t)a->rows * sizeof(double));
}

static void copy(const plumb_view *from, plumb_view *to)
{
    assert_int_equal(plumb_copy(context, from, to, NULL), PLUMB_OK);
}

static void ok(plumb_context *where, plumb_status status)
{
    if (status != PLUMB_OK)
        fail_msg("%s: %s", plumb_status_text(status), plumb_context_message(where));
}

typedef struct triangle_case {
    plumb_view t, b, x;
    plumb_triangle_options options;
} triangle_case;

static void case_make(triangle_case *k, int32_t prec, int32_t parts, int64_t n, int64_t sides, int64_t batch, int which,
                      gemm_kind kind)
{
    plumb_triangle_options_init(&k->options);
    k->options.triangle = which & 1, k->options.side = which >> 1 & 1;
    k->options.unit = which >> 2 & 1, k->options.of_t = which >> 3 & 3;
    const int left = k->options.side == PLUMB_SIDE_LEFT;
    make(&k->t, prec, parts, n, n, batch);
    make(&k->b, prec, parts, left ? n : sides, left ? sides : n, batch);
    make(&k->x, prec, parts, left ? n : sides, left ? sides : n, batch);
    gemm_fill(&k->t, 0, 1, kind, 7 + (uint64_t)which);
    gemm_fill(&k->b, 0, left, kind == GEMM_ROWS ? GEMM_ROWS : GEMM_RANDOM, 8 + (uint64_t)which);
    copy(&k->b, &k->x);
}

static void case_end(triangle_case *k)
{
    plumb_array_destroy(context, &k->t);
    plumb_array_destroy(context, &k->b);
    plumb_array_destroy(context, &k->x);
}

static void systems_are_within_the_bound(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 7, 33, 70};
    double worst = 0.0;
    for (int q = 0; q < 3; q++)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int which = 0; which < 32; which++) {
                triangle_case k;
                const int64_t n = sizes[(which + which / 4 + q) % 4];
                case_make(&k, precisions[q], parts, n, 3, 1, which, which % 3 == 1 ? GEMM_HILBERT : GEMM_RANDOM);
                triangle_rest(&k.t, k.options.triangle, k.options.unit, NAN, NAN); /* must not be read */
                ok(context, plumb_trsm(context, &k.t, &k.x, &k.options));
                triangle_rest(&k.t, k.options.triangle, k.options.unit, 0.0, 1.0);
                const double error = triangle_error(&k.t, &k.x, &k.b, &k.options);
                worst = fmax(worst, error);
                if (!(error <= 1.0))
                    fail_msg("%s %s, n = %d, case %d: error %.3g times the bound", parts == 2 ? "complex" : "real",
                             plumb_prec_name(precisions[q]), (int)n, which, error);
                case_end(&k);
            }
    printf("largest error %.2g of the bound\n", worst);
}

static void factors_are_within_the_bound(void **state)
{
    (void)state;
    static const gemm_kind kinds[] = {GEMM_RANDOM, GEMM_ROWS, GEMM_HILBERT};
    double worst = 0.0;
    for (int q = 0; q < 3; q++)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int s = 0; s < 6; s++) {
                const int64_t n = s % 3 == 2 ? 4 * precisions[q] + 3 : s < 3 ? 20 : 45; /* Hilbert: 7, 11, 19 */
                plumb_view a, l, g;
                make(&a, precisions[q], parts, n, n, 1);
                make(&l, precisions[q], parts, n, n, 1);
                make(&g, precisions[q], parts, n, n, 1);
                hermitian_fill(context, &a, &g, kinds[s % 3], 3 + (uint64_t)s);
                plumb_triangle_options options;
                plumb_triangle_options_init(&options);
                options.triangle = s % 2;
                copy(&a, &l);
                triangle_rest(&l, options.triangle, 0, NAN, 0.0);
                plumb_info info = 77;
                ok(context, plumb_cholesky(context, &l, &info, &options));
                assert_int_equal(info, 0);
                for (int64_t i = 0; i < n; i++)
                    for (int64_t j = 0; j < n; j++)
                        for (int32_t c = 0; c < l.prec * l.parts; c++)
                            if (options.triangle == PLUMB_LOWER ? i < j : i > j)
                                assert_true(gemm_entry(&l, 0, 0, i, j)[c * l.plane] == 0.0);
                const double error = cholesky_error(&a, &l, options.triangle);
                worst = fmax(worst, error);
                if (!(error <= 1.0))
                    fail_msg("%s %s, n = %d, case %d: error %.3g times the bound", parts == 2 ? "complex" : "real",
                             plumb_prec_name(precisions[q]), (int)n, s, error);
                /* Solutions: as if the matrix were a little different. */
                plumb_view b, x;
                make(&b, precisions[q], parts, n, 2, 1);
                make(&x, precisions[q], parts, n, 2, 1);
                gemm_fill(&b, 0, 1, kinds[s % 3] == GEMM_ROWS ? GEMM_ROWS : GEMM_RANDOM, 9);
                copy(&b, &x);
                ok(context, plumb_cholesky_solve(context, &l, &x, &options));
                plumb_gemm_options product;
                plumb_gemm_options_init(&product);
                if (kinds[s % 3] != GEMM_ROWS) /* |L| |L^H| is at most sqrt(a_ii a_jj) */
                    assert_true(gemm_error(&a, &x, &b, &product, NULL, 40.0 * (double)n) <= 1.0);
                plumb_array_destroy(context, &b), plumb_array_destroy(context, &x);
                plumb_array_destroy(context, &a), plumb_array_destroy(context, &l), plumb_array_destroy(context, &g);
            }
    printf("largest error %.2g of the bound\n", worst);
}

static void columns_without_a_pivot_are_named(void **state)
{
    (void)state;
    enum { N = 70, BATCH = 5 };
    for (int q = 0; q < 3; q++)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int32_t triangle = 0; triangle < 2; triangle++) {
                plumb_view a;
                const plumb_info expected[BATCH] = {0, 41, -PLUMB_ERR_NONFINITE, 1, N};
                plumb_info info[BATCH] = {9, 9, 9, 9, 9};
                make(&a, precisions[q], parts, N, N, BATCH);
                for (int64_t m = 0; m < BATCH; m++)
                    for (int64_t i = 0; i < N; i++)
                        for (int64_t j = 0; j < N; j++)
                            for (int32_t c = 0; c < a.prec * a.parts; c++)
                                gemm_entry(&a, 0, m, i, j)[c * a.plane] = c == 0 && i == j ? 4.0 : 0.0;
                *gemm_entry(&a, 0, 1, 40, 40) = -1.0;
                *gemm_entry(&a, 0, 1, 60, 60) = -1.0;
                *(triangle ? gemm_entry(&a, 0, 2, 3, 50) : gemm_entry(&a, 0, 2, 50, 3)) = NAN;
                *gemm_entry(&a, 0, 3, 0, 0) = 0.0;
                /* The last column is the first one: singular, and exactly so. */
                *gemm_entry(&a, 0, 4, N - 1, 0) = *gemm_entry(&a, 0, 4, 0, N - 1) = 4.0;
                plumb_triangle_options options;
                plumb_triangle_options_init(&options);
                options.triangle = triangle;
                plumb_view one = a;
                one.data += a.next, one.batch = 1;
                ok(context, plumb_cholesky(context, &a, info, &options));
                for (int m = 0; m < BATCH; m++) {
                    assert_int_equal(info[m], expected[m]);
                    for (int64_t i = 0; i < N; i++)
                        for (int64_t j = 0; j < N; j++)
                            for (int32_t c = 0; c < a.prec * a.parts; c++)
                                assert_true(gemm_entry(&a, 0, m, i, j)[c * a.plane] ==
                                            (info[m] == 0 && c == 0 && i == j ? 2.0 : 0.0));
                }
                *one.data = -1.0; /* a zero matrix but for this entry */
                assert_int_equal(plumb_cholesky(context, &one, NULL, &options), PLUMB_ERR_SINGULAR);
                assert_non_null(strstr(plumb_context_message(context), "1 columns"));
                plumb_array_destroy(context, &a);
            }
}

/* Threads, instruction sets, and matrices one by one instead of a batch. */
static void bits_depend_on_the_numbers_alone(void **state)
{
    (void)state;
    for (int q = 0; q < 3; q++)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int32_t isa = -1; isa < plumb_isa_count(); isa++)
                for (int32_t threads = 1; threads <= 3; threads += 2) {
                    plumb_isa_info info = {.usable = 1};
                    if (isa >= 0)
                        assert_int_equal(plumb_isa_query(isa, &info), PLUMB_OK);
                    if (!info.usable)
                        continue;
                    plumb_context_options options;
                    plumb_context_options_init(&options);
                    options.backend = PLUMB_BACKEND_CPU, options.threads = threads;
                    options.isa = isa >= 0 ? info.name : NULL;
                    plumb_context *other;
                    assert_int_equal(plumb_context_create(&options, &other), PLUMB_OK);
                    for (int which = 0; which < 4; which++) {
                        triangle_case first, k;
                        case_make(&first, precisions[q], parts, 45, 70, 2, which + 8, GEMM_HILBERT);
                        case_make(&k, precisions[q], parts, 45, 70, 2, which + 8, GEMM_HILBERT);
                        ok(context, plumb_trsm(context, &first.t, &first.x, &first.options));
                        if (which % 2)
                            for (int m = 0; m < 2; m++) {
                                plumb_view t = k.t, x = k.x;
                                t.batch = x.batch = 1;
                                t.data += m * t.next, x.data += m * x.next;
                                ok(other, plumb_trsm(other, &t, &x, &k.options));
                            }
                        else
                            ok(other, plumb_trsm(other, &k.t, &k.x, &k.options));
                        assert_same(&first.x, &k.x);
                        case_end(&first), case_end(&k);
                    }
                    plumb_view a, g, one, two;
                    make(&a, precisions[q], parts, 45, 45, 2), make(&g, precisions[q], parts, 45, 45, 2);
                    make(&one, precisions[q], parts, 45, 45, 2), make(&two, precisions[q], parts, 45, 45, 2);
                    hermitian_fill(context, &a, &g, GEMM_RANDOM, 11);
                    plumb_info outcome[2];
                    copy(&a, &one), copy(&a, &two);
                    ok(context, plumb_cholesky(context, &one, outcome, NULL));
                    ok(other, plumb_cholesky(other, &two, outcome, NULL));
                    assert_same(&one, &two);
                    assert_true(one.data[one.rows] == 77.0 && one.data[one.plane - 1] == 77.0); /* gaps */
                    plumb_array_destroy(context, &a), plumb_array_destroy(context, &g);
                    plumb_array_destroy(context, &one), plumb_array_destroy(context, &two);
                    plumb_context_destroy(other);
                }
}

/* One triangular matrix for all of a batch. */
static void a_triangle_may_be_shared(void **state)
{
    (void)state;
    triangle_case k, one;
    case_make(&k, PLUMB_DD, PLUMB_COMPLEX, 40, 5, 3, 1, GEMM_RANDOM);
    case_make(&one, PLUMB_DD, PLUMB_COMPLEX, 40, 5, 3, 1, GEMM_RANDOM);
    k.t.batch = 1;
    ok(context, plumb_trsm(context, &k.t, &k.x, &k.options));
    for (int m = 0; m < 3; m++) {
        plumb_view x = one.x, y = k.x;
        x.batch = y.batch = 1;
        x.data += m * x.next, y.data += m * y.next;
        ok(context, plumb_trsm(context, &k.t, &x, &k.options));
        assert_same(&x, &y);
    }
    case_end(&k), case_end(&one);
}

static void mistakes_are_refused(void **state)
{
    (void)state;
    triangle_case k;
    case_make(&k, PLUMB_DD, PLUMB_REAL, 6, 4, 2, 0, GEMM_RANDOM);
    plumb_info info[2];
#define REFUSED(call, change, undo)                 \
    do {                                            \
        change;                                     \
        assert_int_equal(call, PLUMB_ERR_ARGUMENT); \
        undo;                                       \
    } while (0)
#define TRSM plumb_trsm(context, &k.t, &k.x, &k.options)
#define CHOLESKY plumb_cholesky(context, &k.t, info, &k.options)
    REFUSED(TRSM, k.t.cols = 5, k.t.cols = 6);
    REFUSED(TRSM, k.x.rows = 5, k.x.rows = 6);
    REFUSED(TRSM, k.options.side = 1, k.options.side = 0);
    REFUSED(TRSM, k.options.side = 2, k.options.side = 0);
    REFUSED(TRSM, k.options.triangle = 2, k.options.triangle = 0);
    REFUSED(TRSM, k.options.of_t = 4, k.options.of_t = 0);
    REFUSED(TRSM, k.options.unit = 2, k.options.unit = 0);
    REFUSED(TRSM, k.options.reserved = 1, k.options.reserved = 0);
    REFUSED(TRSM, k.x.prec = PLUMB_D, k.x.prec = PLUMB_DD);
    REFUSED(TRSM, k.x.batch = 1, k.x.batch = 2);
    const plumb_view x = k.x;
    REFUSED(TRSM, k.x = k.t, k.x = x);
    REFUSED(CHOLESKY, k.options.unit = 1, k.options.unit = 0);
    REFUSED(CHOLESKY, k.t.cols = 5, k.t.cols = 6);
    assert_int_equal(plumb_trsm(NULL, &k.t, &k.x, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_trsm(context, NULL, &k.x, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_cholesky(context, NULL, info, NULL), PLUMB_ERR_ARGUMENT);
    k.options.method = PLUMB_GEMM_RESIDUES;
    assert_int_equal(TRSM, PLUMB_ERR_UNSUPPORTED);
    k.options.method = PLUMB_GEMM_AUTO;
    k.x.cols = 0; /* nothing to do */
    assert_int_equal(TRSM, PLUMB_OK);
    k.t.rows = k.t.cols = 0;
    info[0] = info[1] = 5;
    assert_int_equal(CHOLESKY, PLUMB_OK);
    assert_true(info[0] == 0 && info[1] == 0);
    case_end(&k);
}

int main(void)
{
    backend = PLUMB_BACKEND_CPU;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_are_within_the_bound),      cmocka_unit_test(factors_are_within_the_bound),
        cmocka_unit_test(columns_without_a_pivot_are_named), cmocka_unit_test(bits_depend_on_the_numbers_alone),
        cmocka_unit_test(a_triangle_may_be_shared),          cmocka_unit_test(mistakes_are_refused),
    };
    return cmocka_run_group_tests(tests, make_context, end_context);
}
