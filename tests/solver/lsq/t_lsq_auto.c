/* t_lsq_auto.c - tests plumb_lsq_auto against MPFR: it never claims too many digits (one is tolerated), for condition
 * numbers from 1 to 1e50, square and tall matrices, small and large residuals, Hilbert and Vandermonde matrices; it
 * uses the lowest sufficient precision, and reports if none is. The data are quad doubles, so that lower precisions
 * see them rounded. */
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

static const uint64_t seeds[] = {20261115, 4, 77};
static const double wanted[] = {0.0, 4.0, 11.0, 20.0, 27.0, 40.0, 60.0};
/* The worst of (claimed - right) so far: below 0 when every claim was cautious. */
static double worst_claim;

/* Every number of digits wanted on one problem. */
static void check_claims(const char *name, const plumb_view *a, const plumb_view *b)
{
    plumb_view x = problem_array(context, a->prec, a->parts, a->cols, b->cols);
    plumb_view residual = problem_array(context, a->prec, PLUMB_REAL, 1, b->cols);
    int32_t before = 0;
    printf("  %-44s", name);
    for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; w++) {
        plumb_info info = -1;
        plumb_lsq_report report;
        assert_int_equal(plumb_lsq_auto(context, a, b, &x, &residual, &info, wanted[w], NULL, &report), PLUMB_OK);
        if (info != 0) { /* dependent in the highest precision */
            printf(" dependent");
            assert_true(info > 0);
            continue;
        }
        if (report.factor_prec != before || w == 0) { /* the same precision has the same x */
            double right = fmax(0.0, oracle_digits(a, b, &x));
            printf(" %s %.1f/%.1f", plumb_prec_name(report.factor_prec), right, report.digits);
            worst_claim = fmax(worst_claim, report.digits - right);
            assert_true(report.digits <= right + 1.0);
        }
        assert_true(report.factor_prec >= before);
        assert_true(report.note[0] ? report.digits < wanted[w] && report.factor_prec == a->prec
                                   : report.digits >= wanted[w]);
        before = report.factor_prec;
    }
    printf("\n");
    plumb_array_destroy(context, &x);
    plumb_array_destroy(context, &residual);
}

static void claims_hold_over_conditions(void **state)
{
    (void)state;
    const int64_t shape[][2] = {{8, 8}, {13, 7}, {40, 3}};
    const double residuals[] = {0.0, 1e-25, 1e-8, 1.0};
    worst_claim = -INFINITY;
    printf("precision, digits right / claimed\n");
    for (size_t s = 0; s < sizeof seeds / sizeof seeds[0]; s++)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int k = 0; k < 3; k++)
                for (int r = 0; r < (k ? 4 : 1); r++)
                    for (int condition = 0; condition <= 50; condition += 5) {
                        char name[128];
                        plumb_view a = problem_array(context, PLUMB_QD, parts, shape[k][0], shape[k][1]);
                        plumb_view b = problem_array(context, PLUMB_QD, parts, shape[k][0], 1);
                        snprintf(name, sizeof name, "seed %llu %s %lldx%lld res %.0e cond 1e%d",
                                 (unsigned long long)seeds[s], parts == PLUMB_REAL ? "real" : "cplx",
                                 (long long)shape[k][0], (long long)shape[k][1], residuals[r], condition);
                        problem_matrix(&a, condition, seeds[s]);
                        problem_right_side(&a, &b, residuals[r], seeds[s]);
                        check_claims(name, &a, &b);
                        plumb_array_destroy(context, &a);
                        plumb_array_destroy(context, &b);
                    }
    printf("  worst claim: %.2f digits above what is right\n", worst_claim);
}

static void put_text(const plumb_view *view, int64_t i, int64_t j, const char *text)
{
    double limbs[PLUMB_QD];
    assert_int_equal(plumb_number_read(text, strlen(text), view->prec, limbs, NULL, NULL), PLUMB_OK);
    for (int32_t c = 0; c < view->prec; c++)
        view->data[c * view->plane + j * view->col + i] = limbs[c];
}

static void claims_hold_on_hilbert_and_vandermonde(void **state)
{
    (void)state;
    for (int64_t n = 2; n <= 30; n += 4)
        for (int64_t extra = 0; extra <= 5; extra += 5)
            for (int kind = 0; kind < 2; kind++)
                for (int r = 0; r < 2; r++) {
                    char text[64], name[64];
                    plumb_view a = problem_array(context, PLUMB_QD, PLUMB_REAL, n + extra, n);
                    plumb_view b = problem_array(context, PLUMB_QD, PLUMB_REAL, n + extra, 1);
                    for (int64_t i = 0; i < n + extra; i++)
                        for (int64_t j = 0; j < n; j++) {
                            if (kind == 0)
                                snprintf(text, sizeof text, "1/%lld", (long long)i + j + 1);
                            else /* rounded powers of points in [0, 1) */
                                snprintf(text, sizeof text, "%.17g", pow((double)i / (double)(n + extra), (double)j));
                            put_text(&a, i, j, text);
                        }
                    snprintf(name, sizeof name, "%s %lldx%lld res %d", kind ? "vandermonde" : "hilbert",
                             (long long)n + extra, (long long)n, r);
                    problem_right_side(&a, &b, r, seeds[0]);
                    check_claims(name, &a, &b);
                    plumb_array_destroy(context, &a);
                    plumb_array_destroy(context, &b);
                }
}

/* Not cautious beyond use: the precision that a condition asks for is the one taken. */
static void auto_takes_the_lowest_precision_that_will_do(void **state)
{
    (void)state;
    const struct {
        double digits;
        int condition;
        int32_t prec;
    } cases[] = {{10.0, 0, PLUMB_D},  {8.0, 2, PLUMB_D},    {20.0, 0, PLUMB_DD}, {12.0, 8, PLUMB_DD},
                 {5.0, 20, PLUMB_DD}, {30.0, 10, PLUMB_QD}, {15.0, 30, PLUMB_QD}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        plumb_view a = problem_array(context, PLUMB_QD, PLUMB_COMPLEX, 8, 8),
                   b = problem_array(context, PLUMB_QD, PLUMB_COMPLEX, 8, 1);
        plumb_view x = problem_array(context, PLUMB_QD, PLUMB_COMPLEX, 8, 1);
        plumb_info info = -1;
        plumb_lsq_report report;
        problem_matrix(&a, cases[k].condition, seeds[0]);
        problem_right_side(&a, &b, 0.0, seeds[0]);
        assert_int_equal(plumb_lsq_auto(context, &a, &b, &x, NULL, &info, cases[k].digits, NULL, &report), PLUMB_OK);
        assert_int_equal(info, 0);
        assert_int_equal(report.factor_prec, cases[k].prec);
        assert_string_equal(report.note, "");
        assert_int_equal(plumb_lsq_auto(context, &a, &b, &x, NULL, NULL, 100.0, NULL, NULL), PLUMB_OK);
        plumb_array_destroy(context, &a);
        plumb_array_destroy(context, &b);
        plumb_array_destroy(context, &x);
    }
}

/* The digits claimed for data of which the caller says how they were rounded. */
static double claimed(const plumb_view *a, const plumb_view *b, plumb_view *x, int32_t rounded)
{
    plumb_info info = -1;
    plumb_lsq_report report;
    plumb_lsq_auto_options options;
    plumb_lsq_auto_options_init(&options);
    assert_int_equal(options.rounded, PLUMB_ROUNDED_UNKNOWN);
    options.rounded = rounded;
    assert_int_equal(plumb_lsq_auto(context, a, b, x, NULL, &info, 100.0, &options, &report), PLUMB_OK);
    assert_int_equal(info, 0);
    return report.digits;
}

/* What the caller says about rounding decides; otherwise the last limb of numbers in dd and qd tells. */
static void claims_allow_for_what_was_rounded(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        plumb_view a = problem_array(context, prec, PLUMB_REAL, 6, 4),
                   b = problem_array(context, prec, PLUMB_REAL, 6, 1);
        plumb_view x = problem_array(context, prec, PLUMB_REAL, 4, 1);
        problem_matrix(&a, 3, seeds[1]);
        problem_right_side(&a, &b, 0.0, seeds[1]);
        const double exact = claimed(&a, &b, &x, PLUMB_ROUNDED_NONE), rounded = claimed(&a, &b, &x, PLUMB_ROUNDED_DATA);
        const double unknown = claimed(&a, &b, &x, PLUMB_ROUNDED_UNKNOWN);
        assert_true(rounded < exact);
        assert_true(claimed(&a, &b, &x, PLUMB_ROUNDED_SIDES) <= exact);
        assert_true(unknown == (prec == PLUMB_D ? exact : rounded));
        plumb_array_destroy(context, &a);
        plumb_array_destroy(context, &b);
        plumb_array_destroy(context, &x);
    }
}

static void auto_refuses_what_makes_no_sense(void **state)
{
    (void)state;
    plumb_view a = problem_array(context, PLUMB_DD, PLUMB_REAL, 3, 2),
               b = problem_array(context, PLUMB_DD, PLUMB_REAL, 3, 1);
    plumb_view x = problem_array(context, PLUMB_DD, PLUMB_REAL, 2, 1);
    plumb_info info = -1;
    plumb_lsq_report report;
    assert_int_equal(plumb_lsq_auto(NULL, &a, &b, &x, NULL, &info, 5.0, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_lsq_auto(context, NULL, &b, &x, NULL, &info, 5.0, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_lsq_auto(context, &a, NULL, &x, NULL, &info, 5.0, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_lsq_auto(context, &a, &b, NULL, NULL, &info, 5.0, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_lsq_auto(context, &a, &b, &x, NULL, &info, (double)NAN, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_lsq_auto(context, &a, &b, &x, NULL, &info, -1.0, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_lsq_auto(context, &a, &a, &x, NULL, &info, 5.0, NULL, NULL), PLUMB_ERR_ARGUMENT);
    /* All zero: dependent whatever the precision, and nothing is claimed. */
    assert_int_equal(plumb_lsq_auto(context, &a, &b, &x, NULL, &info, 5.0, NULL, &report), PLUMB_OK);
    assert_int_equal(info, 1);
    assert_true(report.digits == 0.0);
    a.data[1] = (double)INFINITY;
    assert_int_equal(plumb_lsq_auto(context, &a, &b, &x, NULL, &info, 5.0, NULL, &report), PLUMB_OK);
    assert_int_equal(info, -PLUMB_ERR_NONFINITE);
    plumb_array_destroy(context, &a);
    plumb_array_destroy(context, &b);
    plumb_array_destroy(context, &x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_hold_over_conditions),
        cmocka_unit_test(claims_hold_on_hilbert_and_vandermonde),
        cmocka_unit_test(auto_takes_the_lowest_precision_that_will_do),
        cmocka_unit_test(claims_allow_for_what_was_rounded),
        cmocka_unit_test(auto_refuses_what_makes_no_sense),
    };
    backend = PLUMB_BACKEND_CPU;
    int failed = cmocka_run_group_tests(tests, make_context, end_context);
    plumb_device_info device;
    if (plumb_device_query(0, &device) != PLUMB_OK || !device.usable)
        return failed;
    const struct CMUnitTest on_gpu[] = {
        cmocka_unit_test(auto_takes_the_lowest_precision_that_will_do),
        cmocka_unit_test(auto_refuses_what_makes_no_sense),
    };
    backend = PLUMB_BACKEND_GPU;
    return failed + cmocka_run_group_tests(on_gpu, make_context, end_context);
}
