/* t_lsq.c - tests plumb_lsq, plumb_qr and factors: accuracy against MPFR on difficult matrices, shapes, strides,
 * several right-hand sides, extreme ranges, ranks, statuses, and the same bits everywhere. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number/random.h"
#include "lsq_oracle.h"
#include "plumb.h"
#include "solver/context_test.h"

static const uint64_t seed = 20130113;
static plumb_view array(int32_t prec, int32_t parts, int64_t rows, int64_t cols)
{
    plumb_view view;
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, prec, parts, rows, cols, 1, &view), PLUMB_OK);
    return view;
}

static void set_text(const plumb_view *view, int64_t i, int64_t j, const char *text)
{
    double re[4], im[4];
    assert_int_equal(plumb_number_read(text, strlen(text), view->prec, re, im, NULL), PLUMB_OK);
    for (int32_t c = 0; c < view->prec; c++) {
        view->data[c * view->plane + j * view->col + i] = re[c];
        if (view->parts == PLUMB_COMPLEX)
            view->data[(view->prec + c) * view->plane + j * view->col + i] = im[c];
    }
}

static void random_fill(const plumb_view *view, uint64_t start)
{
    plumb_random rng = plumb_random_start(start);
    for (int64_t j = 0; j < view->cols; j++)
        for (int64_t i = 0; i < view->rows; i++)
            for (int32_t c = 0; c < view->prec * view->parts; c++) { /* normalised: half a unit of the limb before */
                double *limb = &view->data[c * view->plane + j * view->col + i];
                const double size = c % view->prec == 0 ? 1.0 : ldexp(limb[-view->plane], -54);
                *limb = (2.0 * plumb_random_unit(&rng) - 1.0) * size;
            }
}

/* The hard ones. Each is exact as text, so that every precision sees the same matrix, rounded. */
static void hilbert(const plumb_view *a)
{
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t i = 0; i < a->rows; i++) {
            char text[32];
            snprintf(text, sizeof text, "1/%lld", (long long)i + j + 1);
            set_text(a, i, j, text);
        }
}

static void vandermonde(const plumb_view *a)
{
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t power = 1;
        for (int64_t j = 0; j < a->cols; j++, power *= i + 1) {
            char text[64];
            snprintf(text, sizeof text, "%lld", (long long)power);
            set_text(a, i, j, text);
        }
    }
}

static void lauchli(const plumb_view *a)
{
    for (int64_t j = 0; j < a->cols; j++) {
        set_text(a, 0, j, "1");
        set_text(a, j + 1, j, a->prec == PLUMB_D ? "1e-6" : a->prec == PLUMB_DD ? "1e-14" : "1e-30");
    }
}

static void graded(const plumb_view *a) /* columns and rows from 1e-150 to 1e150 */
{
    random_fill(a, seed);
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t i = 0; i < a->rows; i++)
            for (int32_t c = 0; c < a->prec * a->parts; c++)
                a->data[c * a->plane + j * a->col + i] *= ldexp(1.0, (int)(j * 997 / a->cols) - 498);
}

static void plain(const plumb_view *a)
{
    random_fill(a, seed + 1);
}

static const struct {
    const char *name;
    void (*fill)(const plumb_view *a);
    int64_t rows, cols;
} hard[] = {
    {"random", plain, 12, 12},  {"tall", plain, 40, 7},
    {"hilbert", hilbert, 8, 8}, {"vandermonde", vandermonde, 10, 8},
    {"lauchli", lauchli, 7, 6}, {"graded", graded, 10, 10},
    {"one", plain, 1, 1},       {"column", plain, 5, 1},
};

/* The digits claimed are there (one may be missing), and there are not many fewer claimed than there are, except where the
 * matrix has a structure that the estimate cannot know of. */
static void digits_are_there(void **state)
{
    (void)state;
    printf("seed %llu; digits right and digits claimed in d, dd, qd\n", (unsigned long long)seed);
    for (size_t h = 0; h < sizeof hard / sizeof hard[0]; h++)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
            printf("  %-12s %-8s", hard[h].name, parts == PLUMB_REAL ? "real" : "complex");
            for (int32_t prec = 1; prec <= 4; prec *= 2) {
                plumb_view a = array(prec, parts, hard[h].rows, hard[h].cols), b = array(prec, parts, hard[h].rows, 2);
                plumb_view x = array(prec, parts, hard[h].cols, 2), residual = array(prec, PLUMB_REAL, 1, 2);
                plumb_info info = -1;
                plumb_lsq_report report;
                hard[h].fill(&a);
                random_fill(&b, seed + 2);
                assert_int_equal(plumb_lsq(context, &a, &b, &x, &residual, &info, NULL, &report), PLUMB_OK);
                if (info == 0) {
                    double digits = oracle_digits(&a, &b, &x);
                    printf("  %5.1f %5.1f", digits, report.digits);
                    assert_true(report.digits <= digits + 1.0);
                    assert_true(report.digits >= digits - 6.0 || hard[h].fill == lauchli || hard[h].fill == graded);
                    assert_true(oracle_residual_error(&a, &b, &x, &residual) <= 100.0 * ldexp(1.0, -50 * prec));
                } else { /* too hard for this precision, which the estimate shows */
                    printf("  column %lld   ", (long long)info);
                    assert_true(info > 1 && prec < PLUMB_QD);
                }
                plumb_array_destroy(context, &a);
                plumb_array_destroy(context, &b);
                plumb_array_destroy(context, &x);
                plumb_array_destroy(context, &residual);
            }
            printf("\n");
        }
}

static void options_change_what_they_say(void **state)
{
    (void)state;
    plumb_lsq_options options;
    plumb_lsq_report report;
    plumb_view a = array(PLUMB_DD, PLUMB_REAL, 9, 8), q = array(PLUMB_DD, PLUMB_REAL, 9, 8);
    double loss[2];
    hilbert(&a);
    for (int again = 0; again < 2; again++) {
        plumb_info info = -1;
        plumb_lsq_options_init(&options);
        options.reorthogonalize = again;
        options.orthogonality = 1;
        assert_int_equal(plumb_qr(context, &a, &q, NULL, NULL, &info, &options, &report), PLUMB_OK);
        assert_int_equal(info, 0);
        loss[again] = report.orthogonality;
    }
    printf("  loss of orthogonality %.1e, after a second pass %.1e\n", loss[0], loss[1]);
    assert_true(loss[0] > 1e-25 && loss[1] < 1e-29);
    plumb_array_destroy(context, &a);
    plumb_array_destroy(context, &q);
}

static void pivoting_finds_the_rank(void **state)
{
    (void)state;
    for (int32_t prec = 1; prec <= 4; prec *= 2)
        for (int64_t rank = 1; rank <= 5; rank++) {
            plumb_view a = array(prec, PLUMB_COMPLEX, 9, 6), b = array(prec, PLUMB_COMPLEX, 9, 1);
            plumb_view x = array(prec, PLUMB_COMPLEX, 6, 1);
            plumb_lsq_options options;
            plumb_lsq_report report;
            plumb_info info = -1;
            random_fill(&b, seed);
            for (int64_t i = 0; i < 9; i++) /* columns beyond the rank are sums of those within, in small integers */
                for (int32_t part = 0; part < 2; part++)
                    for (int64_t j = 0; j < 6; j++) {
                        double *row = a.data + part * prec * a.plane + i;
                        row[j * a.col] = j < rank ? (double)((i * 7 + j * 5 + part * 3 + i * i * j) % 11 - 5)
                                                  : row[(j % rank) * a.col] * (double)(j + 1) + row[0];
                    }
            plumb_lsq_options_init(&options);
            assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, &info, NULL, NULL), PLUMB_OK);
            assert_int_equal(info, rank + 1); /* the first that depends on others */
            assert_true(strstr(plumb_context_message(context), "column") != NULL);
            for (int64_t k = 0; k < 6; k++)
                assert_true(x.data[k] == 0.0);
            options.pivot = 1;
            assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, &info, &options, &report), PLUMB_OK);
            assert_int_equal(info, 0);
            assert_int_equal(report.rank, rank);
            int64_t used = 0;
            for (int64_t k = 0; k < 6; k++)
                used += x.data[k] != 0.0;
            assert_int_equal(used, rank);
            plumb_array_destroy(context, &a);
            plumb_array_destroy(context, &b);
            plumb_array_destroy(context, &x);
        }
}

static void bad_input_is_named(void **state)
{
    (void)state;
    plumb_view a = array(PLUMB_QD, PLUMB_REAL, 4, 3), b = array(PLUMB_QD, PLUMB_REAL, 4, 1);
    plumb_view x = array(PLUMB_QD, PLUMB_REAL, 3, 1), wide = array(PLUMB_QD, PLUMB_REAL, 2, 3);
    plumb_info info = 0;
    random_fill(&a, seed);
    random_fill(&b, seed + 1);
    a.data[a.plane + 2 * a.col + 1] = NAN; /* a lower limb */
    assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, &info, NULL, NULL), PLUMB_OK);
    assert_int_equal(info, -PLUMB_ERR_NONFINITE);
    assert_string_equal(plumb_context_message(context), "entry (2, 3) of a is not finite");
    random_fill(&a, seed);
    b.data[3] = INFINITY;
    assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, &info, NULL, NULL), PLUMB_OK);
    assert_string_equal(plumb_context_message(context), "entry (4, 1) of b is not finite");
    assert_int_equal(plumb_lsq(context, &wide, &b, &x, NULL, &info, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_lsq(context, &a, &x, &x, NULL, &info, NULL, NULL), PLUMB_ERR_ARGUMENT);
    plumb_view first = a; /* x within a */
    first.rows = 3, first.cols = 1;
    assert_int_equal(plumb_lsq(context, &a, &b, &first, NULL, &info, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_string_equal(plumb_context_message(context), "x overlaps a, which is not to be changed");
    assert_int_equal(plumb_lsq(context, NULL, &b, &x, NULL, &info, NULL, NULL), PLUMB_ERR_ARGUMENT);
    for (int64_t i = 0; i < 4; i++) { /* x = 1e200 / 1e-200 */
        for (int64_t j = 0; j < 3; j++)
            a.data[j * a.col + i] = i == j ? 1e-200 : 0.0;
        b.data[i] = 1e200;
    }
    for (int32_t c = 1; c < 4; c++)
        for (int64_t i = 0; i < 4; i++)
            b.data[c * b.plane + i] = a.data[c * a.plane + i] = a.data[c * a.plane + a.col + i] =
                a.data[c * a.plane + 2 * a.col + i] = 0.0;
    assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, &info, NULL, NULL), PLUMB_OK);
    assert_int_equal(info, -PLUMB_ERR_RANGE);
    plumb_array_destroy(context, &a);
    plumb_array_destroy(context, &b);
    plumb_array_destroy(context, &x);
    plumb_array_destroy(context, &wide);
}

/* x = (0, 1e308) out of columns 10^310 apart: the power of two between them is beyond any double. */
static void scales_may_be_far_apart(void **state)
{
    (void)state;
    plumb_view a = array(PLUMB_D, PLUMB_REAL, 2, 2), b = array(PLUMB_D, PLUMB_REAL, 2, 1);
    plumb_view x = array(PLUMB_D, PLUMB_REAL, 2, 1);
    plumb_info info = -1;
    a.data[0] = 1e-310;
    a.data[a.col + 1] = 1.0;
    b.data[1] = 1e308;
    assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, &info, NULL, NULL), PLUMB_OK);
    assert_int_equal(info, 0);
    assert_true(x.data[0] == 0.0 && fabs(x.data[1] / 1e308 - 1.0) <= 1e-15);
    plumb_array_destroy(context, &a);
    plumb_array_destroy(context, &b);
    plumb_array_destroy(context, &x);
}

static void scale_column(const plumb_view *view, int64_t j, int exponent)
{
    for (int32_t c = 0; c < view->prec * view->parts; c++)
        for (int64_t i = 0; i < view->rows; i++)
            view->data[c * view->plane + j * view->col + i] =
                ldexp(view->data[c * view->plane + j * view->col + i], exponent);
}

/* Columns of A and b times powers of two: the solution has the same bits, scaled. The powers that undo them take one factor
 * or, near the largest double, two. The matrix is by blocks of columns in d, by tiles in dd. */
static void powers_of_two_do_not_show(void **state)
{
    static const int exponents[][3] = {{700, -300, 400}, {1024, 0, 1000}, {300, 0, 1024}, {1024, 1000, 1024}};
    const int64_t m = 91, n = 83;
    (void)state;
    for (size_t i = 0; i < 2 * sizeof exponents / sizeof exponents[0]; i++) {
        const size_t k = i / 2;
        const int32_t prec = i % 2 ? PLUMB_DD : PLUMB_D;
        plumb_view a = array(prec, PLUMB_COMPLEX, m, n), b = array(prec, PLUMB_COMPLEX, m, 2);
        plumb_view x = array(prec, PLUMB_COMPLEX, n, 2), y = array(prec, PLUMB_COMPLEX, n, 2);
        plumb_info info = -1;
        random_fill(&a, seed + k);
        random_fill(&b, seed + k + 1);
        assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, &info, NULL, NULL), PLUMB_OK);
        assert_int_equal(info, 0);
        for (int64_t j = 0; j < n; j++)
            scale_column(&a, j, exponents[k][j % 2]);
        scale_column(&b, 1, exponents[k][2]);
        assert_int_equal(plumb_lsq(context, &a, &b, &y, NULL, &info, NULL, NULL), PLUMB_OK);
        assert_int_equal(info, 0);
        for (int64_t j = 0; j < n; j++)
            for (int32_t c = 0; c < 2 * prec; c++) {
                const double *with = x.data + c * x.plane + x.col + j, *to = y.data + c * y.plane + y.col + j;
                assert_true(ldexp(*to, exponents[k][j % 2] - exponents[k][2]) == *with);
            }
        plumb_array_destroy(context, &a);
        plumb_array_destroy(context, &b);
        plumb_array_destroy(context, &x);
        plumb_array_destroy(context, &y);
    }
}

/* The second shape is by tiles, and in d by blocks of columns; the third one by tiles of large matrices. */
static void factor_solves_with_the_same_bits(void **state)
{
    static const int64_t shapes[][3] = {{11, 9, 3}, {91, 83, 19}, {263, 257, 19}};
    (void)state;
    for (int32_t prec = 1; prec <= 4; prec *= 2)
        for (int k = 0; k < (prec == PLUMB_D ? 6 : prec == PLUMB_DD ? 5 : 4); k++) {
            const int32_t parts = k % 2 ? PLUMB_COMPLEX : PLUMB_REAL;
            const int64_t m = shapes[k / 2][0], n = shapes[k / 2][1], p = shapes[k / 2][2];
            plumb_view a = array(prec, parts, m, n), b = array(prec, parts, m, p), x = array(prec, parts, n, p);
            plumb_view y = array(prec, parts, n, p);
            plumb_factor *factor = NULL;
            plumb_info info = -1;
            random_fill(&a, seed);
            random_fill(&b, seed + 1);
            assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, &info, NULL, NULL), PLUMB_OK);
            assert_int_equal(plumb_factor_create(context, &a, NULL, &info, &factor), PLUMB_OK);
            assert_int_equal(info, 0);
            assert_int_equal(plumb_factor_solve(context, factor, &b, &y, NULL, &info, NULL), PLUMB_OK);
            assert_memory_equal(x.data, y.data, (size_t)(n * p * prec * parts) * sizeof(double));
            plumb_factor_destroy(factor);
            plumb_array_destroy(context, &a);
            plumb_array_destroy(context, &b);
            plumb_array_destroy(context, &x);
            plumb_array_destroy(context, &y);
        }
}

/* 5000 x 3, and strides wider than the matrix; the same bits as dense, on every instruction set and with 1 to 3 threads. */
static void strides_threads_and_sets_do_not_show(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {
        {5000, 3, PLUMB_DD}, {130, 120, PLUMB_DD}, {131, 121, PLUMB_D}, {260, 257, PLUMB_D}};
    for (int s = 0; s < 4; s++) {
        const int64_t m = shapes[s][0], n = shapes[s][1];
        const int32_t prec = (int32_t)shapes[s][2];
        plumb_view a = array(prec, PLUMB_COMPLEX, m, n), b = array(prec, PLUMB_COMPLEX, m, 1);
        plumb_view x = array(prec, PLUMB_COMPLEX, n, 1), roomy = array(prec, PLUMB_COMPLEX, m + 7, n + 2);
        plumb_info info = -1;
        random_fill(&a, seed);
        random_fill(&b, seed + 1);
        assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, &info, NULL, NULL), PLUMB_OK);
        assert_int_equal(info, 0);
        plumb_view inside = roomy;
        inside.rows = m;
        inside.cols = n;
        inside.data = roomy.data + 3;
        assert_int_equal(plumb_copy(context, &a, &inside, NULL), PLUMB_OK);
        for (int32_t k = 0; k < plumb_isa_count(); k++)
            for (int32_t threads = 1; threads <= 3; threads++) {
                plumb_isa_info isa;
                plumb_context_options options;
                plumb_context *other = NULL;
                plumb_view y = array(prec, PLUMB_COMPLEX, n, 1);
                assert_int_equal(plumb_isa_query(k, &isa), PLUMB_OK);
                plumb_context_options_init(&options);
                options.backend = PLUMB_BACKEND_CPU;
                options.isa = isa.name;
                options.threads = threads;
                if (isa.usable) {
                    assert_int_equal(plumb_context_create(&options, &other), PLUMB_OK);
                    assert_int_equal(plumb_lsq(other, &inside, &b, &y, NULL, &info, NULL, NULL), PLUMB_OK);
                    assert_memory_equal(x.data, y.data, (size_t)(n * 2 * prec) * sizeof(double));
                    plumb_context_destroy(other);
                }
                plumb_array_destroy(context, &y);
            }
        plumb_array_destroy(context, &a);
        plumb_array_destroy(context, &b);
        plumb_array_destroy(context, &x);
        plumb_array_destroy(context, &roomy);
    }
}

/* A large system with integer data and the solution 1, -1, 1, ...: columns are random, and minus twice the column before, except every
 * `chain`-th one, so that entries grow to 100 * 2^chain, and the condition number with them. All are exact for chains up to 36. */
static void integer_system(const plumb_view *a, const plumb_view *b, int64_t chain, uint64_t start)
{
    plumb_random rng = plumb_random_start(start);
    for (int64_t i = 0; i < a->rows; i++)
        for (int32_t p = 0; p < a->parts; p++) {
            double before = 0.0, sum = 0.0;
            for (int64_t j = 0; j < a->cols; j++) {
                const double now = (double)plumb_random_below(&rng, 201) - 100.0;
                const double entry = j % chain == 0 ? now : now - 2.0 * before;
                a->data[p * a->prec * a->plane + j * a->col + i] = entry;
                sum += j % 2 ? -entry : entry;
                before = entry;
            }
            b->data[p * b->prec * b->plane + i] = sum;
        }
}

/* The digits of an approximation of 1, -1, 1, ... */
static double digits_of(const plumb_view *x)
{
    double error = 0.0;
    for (int64_t j = 0; j < x->rows; j++)
        for (int32_t p = 0; p < x->parts; p++) {
            double rest = x->data[p * x->prec * x->plane + j] - (p ? 0.0 : j % 2 ? -1.0 : 1.0);
            for (int32_t c = 1; c < x->prec; c++)
                rest += x->data[(p * x->prec + c) * x->plane + j];
            error = fmax(error, fabs(rest));
        }
    return -log10(error);
}

/* Claims of modified Gram-Schmidt and of refinement hold for large systems of any condition number, and are not much too small. */
static void large_systems_have_their_digits(void **state)
{
    static const struct {
        int32_t prec, parts;
        int64_t chain; /* 1: a random matrix */
        int32_t refined;
        int64_t more; /* rows than columns */
    } cases[] = {{PLUMB_D, PLUMB_REAL, 1, 0, 0},      {PLUMB_D, PLUMB_COMPLEX, 1, 0, 1},
                 {PLUMB_D, PLUMB_REAL, 12, 0, 0},     {PLUMB_D, PLUMB_COMPLEX, 20, 0, 0},
                 {PLUMB_D, PLUMB_REAL, 24, 0, 40},    {PLUMB_DD, PLUMB_REAL, 1, 1, 0},
                 {PLUMB_DD, PLUMB_COMPLEX, 12, 1, 0}, {PLUMB_DD, PLUMB_REAL, 18, 1, 1},
                 {PLUMB_DD, PLUMB_COMPLEX, 30, 0, 0}, {PLUMB_DD, PLUMB_REAL, 36, 0, 0}};
    (void)state;
    const int64_t n = 258;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const int32_t prec = cases[k].prec, parts = cases[k].parts;
        const int64_t m = n + cases[k].more;
        plumb_view a = array(prec, parts, m, n), b = array(prec, parts, m, 1), x = array(prec, parts, n, 1);
        plumb_lsq_options options;
        plumb_lsq_report report;
        plumb_info info = -1;
        integer_system(&a, &b, cases[k].chain, seed + k);
        plumb_lsq_options_init(&options);
        options.method = cases[k].refined ? PLUMB_METHOD_REFINED : PLUMB_METHOD_MGS;
        assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, &info, &options, &report), PLUMB_OK);
        assert_int_equal(info, 0);
        assert_int_equal(report.method, options.method);
        const double right = digits_of(&x), all = prec == PLUMB_D ? 15.9 : 31.3;
        printf("  %s %s, %s: %.1f digits right, %.1f claimed, condition %.1e\n", plumb_prec_name(prec),
               parts == PLUMB_REAL ? "real" : "complex", cases[k].refined ? "refined" : "mgs", right, report.digits,
               report.condition);
        assert_true(report.digits <= right + 1.0 && right >= all - log10(report.condition) - 1.0);
        assert_true(report.digits >= all - log10(report.condition) - 4.0);
        plumb_array_destroy(context, &a);
        plumb_array_destroy(context, &b);
        plumb_array_destroy(context, &x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_there),
        cmocka_unit_test(options_change_what_they_say),
        cmocka_unit_test(pivoting_finds_the_rank),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(scales_may_be_far_apart),
        cmocka_unit_test(powers_of_two_do_not_show),
        cmocka_unit_test(factor_solves_with_the_same_bits),
        cmocka_unit_test(strides_threads_and_sets_do_not_show),
        cmocka_unit_test(large_systems_have_their_digits),
    };
    /* The last three are about bits, which are those of one machine. */
    const struct CMUnitTest on_gpu[] = {
        cmocka_unit_test(digits_are_there),        cmocka_unit_test(options_change_what_they_say),
        cmocka_unit_test(pivoting_finds_the_rank), cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(scales_may_be_far_apart),
    };
    backend = PLUMB_BACKEND_CPU;
    int failed = cmocka_run_group_tests(tests, make_context, end_context);
    plumb_device_info device;
    if (plumb_device_query(0, &device) != PLUMB_OK || !device.usable)
        return failed;
    printf("the same on the GPU\n");
    backend = PLUMB_BACKEND_GPU;
    return failed + cmocka_run_group_tests(on_gpu, make_context, end_context);
}
