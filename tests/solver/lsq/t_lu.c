/* t_lu.c - tests Gaussian elimination: solutions and error estimates against MPFR over sizes, kinds and condition
 * numbers, zero pivots, rows and columns of extreme size, singular matrices, and the same bits everywhere. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lsq_problems.h"
#include "plumb.h"
#include "solver/context_test.h"

static const uint64_t seed = 18100430;
static plumb_lsq_options by_lu(void)
{
    plumb_lsq_options options;
    plumb_lsq_options_init(&options);
    options.method = PLUMB_METHOD_LU;
    return options;
}

static plumb_lsq_report solve(plumb_context *with, lsq_problem *p, plumb_info *info)
{
    const plumb_lsq_options options = by_lu();
    plumb_lsq_report report;
    *info = -1;
    assert_int_equal(plumb_lsq(with, &p->a, &p->b, &p->x, &p->residual, info, &options, &report), PLUMB_OK);
    return report;
}

static void set(const plumb_view *view, int64_t i, int64_t j, double value)
{
    for (int32_t c = 0; c < view->prec * view->parts; c++)
        view->data[c * view->plane + j * view->col + i] = c ? 0.0 : value;
}

static void lu_solves(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 2, 5, 12, 17};
    printf("seed %llu; digits right and claimed\n", (unsigned long long)seed);
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int s = 0; s < 5; s++)
                for (int condition = 0; condition <= 12 * prec; condition += 4 * prec) {
                    lsq_problem p = problem_make(context, prec, parts, sizes[s], sizes[s], 3);
                    plumb_info info;
                    problem_matrix(&p.a, condition, seed + (uint64_t)s);
                    problem_right_side(&p.a, &p.b, 0.0, seed);
                    plumb_lsq_report report = solve(context, &p, &info);
                    assert_int_equal(info, 0);
                    double digits = oracle_digits(&p.a, &p.b, &p.x);
                    double off = oracle_residual_error(&p.a, &p.b, &p.x, &p.residual);
                    printf("  %s %s n = %lld condition 1e%d (%.0e): %.1f %.1f\n", plumb_prec_name(prec),
                           parts == PLUMB_REAL ? "real" : "complex", (long long)sizes[s], condition, report.condition,
                           digits, report.digits);
                    assert_true(report.digits <= digits + 1.0);
                    assert_true(digits >= 15.9 * prec - condition - 3.0);
                    assert_true(report.digits >= 15.9 * prec - condition - 6.0);
                    assert_true(off <= 100.0 * ldexp(1.0, -53 * prec));
                    assert_true(sizes[s] == 1 || report.condition >= 0.1 * pow(10.0, condition) / (double)sizes[s]);
                    assert_true(report.condition <= 1000.0 * (double)sizes[s] * pow(10.0, condition));
                    assert_int_equal(report.method, PLUMB_METHOD_LU);
                    problem_free(context, &p);
                }
}

/* A permutation has a zero wherever elimination without exchanges would divide. */
static void lu_exchanges_rows(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
            lsq_problem p = problem_make(context, prec, parts, 7, 7, 1);
            plumb_info info;
            for (int64_t i = 0; i < 7; i++) {
                for (int64_t j = 0; j < 7; j++)
                    set(&p.a, i, j, (3 * i + 2) % 7 == j ? 3.0 : 0.0);
                set(&p.b, i, 0, 3.0 * (double)(i + 1));
            }
            solve(context, &p, &info);
            assert_int_equal(info, 0);
            for (int64_t i = 0; i < 7; i++) /* 3 times a rounded 1/3 */
                assert_true(fabs(p.x.data[(3 * i + 2) % 7] - (double)(i + 1)) <= 1e-14);
            problem_free(context, &p);
        }
}

static void lu_reports_singular_matrices(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        lsq_problem p = problem_make(context, prec, PLUMB_REAL, 6, 6, 1);
        plumb_info info;
        for (int64_t i = 0; i < 6; i++)
            for (int64_t j = 0; j < 6; j++) {
                double third = (double)((i * i * 5 + 3 * i + 1) % 7), first = (double)((i * 3 + 2) % 5);
                set(&p.a, i, j,
                    j == 4   ? third - 2.0 * first
                    : j == 2 ? third
                    : j == 0 ? first
                    : i == j ? 9.0
                             : 1.0 + (double)(i * j % 4));
            }
        for (int64_t i = 0; i < 6; i++)
            set(&p.b, i, 0, 1.0);
        solve(context, &p, &info);
        assert_int_equal(info, 5);
        for (int64_t i = 0; i < 6; i++)
            assert_true(p.x.data[i] == 0.0);
        for (int64_t i = 0; i < 6; i++)
            set(&p.a, i, 3, 0.0); /* a zero column */
        solve(context, &p, &info);
        assert_int_equal(info, 4);
        set(&p.b, 2, 0, (double)INFINITY);
        solve(context, &p, &info);
        assert_int_equal(info, -PLUMB_ERR_NONFINITE);
        assert_non_null(strstr(plumb_context_message(context), "(3, 1) of b"));
        problem_free(context, &p);
    }
}

/* Rows and columns times powers of two far apart: nothing overflows, and the digits are those without the scales. */
static void lu_knows_no_extremes(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        lsq_problem p = problem_make(context, prec, PLUMB_COMPLEX, 8, 8, 1);
        plumb_info info;
        problem_matrix(&p.a, 2.0, seed);
        problem_right_side(&p.a, &p.b, 0.0, seed);
        for (int32_t c = 0; c < 2 * prec; c++)
            for (int64_t i = 0; i < 8; i++) {
                int row = i == 1 ? 120 : i == 2 ? -130 : 0;
                for (int64_t j = 0; j < 8; j++)
                    p.a.data[c * p.a.plane + j * p.a.col + i] *= ldexp(1.0, (j == 5 ? 890 : j == 6 ? -500 : 0) + row);
                p.b.data[c * p.b.plane + i] *= ldexp(1.0, row);
            }
        plumb_lsq_report report = solve(context, &p, &info);
        assert_int_equal(info, 0);
        double digits = oracle_digits(&p.a, &p.b, &p.x);
        printf("  %s: %.1f right, %.1f claimed\n", plumb_prec_name(prec), digits, report.digits);
        assert_true(digits >= 15.9 * prec - 5.0);
        assert_true(report.digits <= digits + 1.0 && report.digits >= digits - 8.0);
        problem_free(context, &p);
    }
    lsq_problem p = problem_make(context, PLUMB_DD, PLUMB_REAL, 2, 2, 1); /* x = 1e400 */
    plumb_info info;
    set(&p.a, 0, 0, 1e-200), set(&p.a, 1, 1, 1.0), set(&p.b, 0, 0, 1e200), set(&p.b, 1, 0, 1.0);
    solve(context, &p, &info);
    assert_int_equal(info, -PLUMB_ERR_RANGE);
    assert_true(p.x.data[0] == 0.0 && p.x.data[1] == 0.0);
    problem_free(context, &p);
}

static void lu_refuses_rectangles(void **state)
{
    (void)state;
    plumb_view a = problem_array(context, PLUMB_D, PLUMB_REAL, 3, 2),
               b = problem_array(context, PLUMB_D, PLUMB_REAL, 3, 1);
    plumb_view x = problem_array(context, PLUMB_D, PLUMB_REAL, 2, 1);
    plumb_info info;
    plumb_lsq_report report;
    const plumb_lsq_options options = by_lu();
    assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, &info, &options, &report), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_lsq_batch(context, &a, &b, &x, NULL, &info, &options), PLUMB_ERR_ARGUMENT);
    plumb_array_destroy(context, &a);
    plumb_array_destroy(context, &b);
    plumb_array_destroy(context, &x);
}

static void results_do_not_show_the_machine(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
            lsq_problem p = problem_make(context, prec, parts, 101, 101, 3);
            plumb_random rng = plumb_random_start(seed);
            size_t count = (size_t)(p.x.plane * prec * parts);
            double *first = malloc(count * sizeof(double));
            int have = 0;
            assert_non_null(first);
            for (int64_t k = 0; k < p.a.plane * prec * parts; k++)
                p.a.data[k] = (2.0 * plumb_random_unit(&rng) - 1.0) * ldexp(1.0, -54 * (int)(k / p.a.plane % prec));
            for (int64_t k = 0; k < p.b.plane * prec * parts; k++)
                p.b.data[k] = (2.0 * plumb_random_unit(&rng) - 1.0) * ldexp(1.0, -54 * (int)(k / p.b.plane % prec));
            for (int32_t isa = 0; isa < plumb_isa_count(); isa++)
                for (int32_t threads = 1; threads <= 2; threads++) {
                    plumb_isa_info about;
                    plumb_context_options options;
                    plumb_context *with;
                    plumb_info info;
                    assert_int_equal(plumb_isa_query(isa, &about), PLUMB_OK);
                    if (!about.usable)
                        continue;
                    plumb_context_options_init(&options);
                    options.isa = about.name, options.threads = threads;
                    assert_int_equal(plumb_context_create(&options, &with), PLUMB_OK);
                    solve(with, &p, &info);
                    assert_int_equal(info, 0);
                    if (have)
                        assert_memory_equal(first, p.x.data, count * sizeof(double));
                    memcpy(first, p.x.data, count * sizeof(double));
                    have = 1;
                    plumb_context_destroy(with);
                }
            free(first);
            problem_free(context, &p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lu_solves),
        cmocka_unit_test(lu_exchanges_rows),
        cmocka_unit_test(lu_reports_singular_matrices),
        cmocka_unit_test(lu_knows_no_extremes),
        cmocka_unit_test(lu_refuses_rectangles),
        cmocka_unit_test(results_do_not_show_the_machine),
    };
    return cmocka_run_group_tests(tests, make_context, end_context);
}
