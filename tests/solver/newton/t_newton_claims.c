/* t_newton_claims.c - cases in which a report of Newton's method could claim digits that are not correct: roots much smaller than the
 * start, singular roots, terms that vanish by underflow, small equations beside large ones; and roots with unknowns that are zero, which
 * must not cost the digits of the others. The campaign claims_newton searches for more. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plumb.h"
#include "solver/context_test.h"

/* Newton's method on a system from a real start; the point is returned in x. */
static plumb_newton_report newton(const char *text, int32_t prec, int64_t max_steps, int64_t n, double *x)
{
    plumb_system *system = NULL;
    plumb_text_error error;
    plumb_view view;
    plumb_newton_options options;
    plumb_newton_report report;
    assert_int_equal(plumb_system_parse(text, strlen(text), &system, &error), PLUMB_OK);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, n, 1, 1, &view), PLUMB_OK);
    for (int64_t i = 0; i < n; i++)
        view.data[i] = x[i];
    plumb_newton_options_init(&options);
    options.max_steps = max_steps;
    assert_int_equal(plumb_newton(context, system, &view, &options, &report), PLUMB_OK);
    for (int64_t i = 0; i < n; i++)
        x[i] = view.data[i];
    printf("  %s: %s, %lld steps, x = %.17g, error %.1e, condition %.1e\n", text,
           plumb_newton_text((plumb_newton_code)report.code), (long long)report.steps, x[0], report.error,
           report.condition);
    plumb_array_destroy(context, &view);
    plumb_system_destroy(system);
    return report;
}

static void a_root_is_measured_against_itself(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        double x = -1e100;
        const plumb_newton_report r = newton("(x-1)*(x-1e100);", prec, 40, 1, &x);
        assert_int_equal(r.code, PLUMB_NEWTON_CONVERGED);
        assert_true(fabs(x - 1.0) <= r.error && r.error < 1e-12);
        x = -1e100; /* ended on the way */
        assert_true(newton("(x-1)*(x-1e100);", prec, 6, 1, &x).error >= 0.1);
    }
}

/* Near a double root condition numbers grow until rounding ends that; the root has none. */
static void singular_roots_have_no_condition(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        double x = 1.3;
        const plumb_newton_report r = newton("(x-1)^2*(x+2);", prec, 200, 1, &x);
        assert_int_equal(r.code, PLUMB_NEWTON_SLOW);
        assert_true(isinf(r.condition));
        assert_true(fabs(x - 1.0) <= r.error);
        assert_true(r.error <= pow(10.0, -6.0 * prec)); /* it claims what it has */
    }
}

static void terms_that_vanish_prove_nothing(void **state)
{
    (void)state;
    double x = 5e-80;
    const plumb_newton_report r = newton("(x-1e-81)^2*(x+1e-82)^2;", PLUMB_QD, 20, 1, &x);
    assert_true(r.code != PLUMB_NEWTON_CONVERGED && !(r.error < 1.0));
}

/* Zero is a root, and the point becomes it. */
static void a_root_at_zero_is_exact(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        double x = 0.01;
        const plumb_newton_report r = newton("x^2-x;", prec, 20, 1, &x);
        assert_int_equal(r.code, PLUMB_NEWTON_CONVERGED);
        assert_true(x == 0.0);
    }
}

/* The second equation is 1e-30 of the first, which determines a sum alone: without balance its Jacobian would be noise. */
static void equations_may_differ_in_size(void **state)
{
    (void)state;
    double x[2] = {3.1, 1.05};
    const plumb_newton_report r = newton("1e20*(x+y-4)*(x+y+1); 1e-10*(y-1)*(y+7);", PLUMB_D, 20, 2, x);
    assert_int_equal(r.code, PLUMB_NEWTON_CONVERGED);
    assert_true(r.error < 1e-12 && fabs(x[0] - 3.0) <= 3.0 * r.error && fabs(x[1] - 1.0) <= 3.0 * r.error);
}

/* The first equation determines x by y, the second y by z, and entries of a column differ by 29 decades: rows are balanced with the
 * sizes of the unknowns, and a Jacobian in d is enough. */
static void columns_may_differ_in_size(void **state)
{
    (void)state;
    double x[3] = {0.63213792763, 4068397.81697, 0.226839781697};
    const plumb_newton_report r = newton("1e29*(x-2e-7*y+0.50267)^2*(x-2e-7*y+0.18154163576);"
                                         "(1e-7*y-z-0.36254464710354228)*(1e-7*y-z-0.18)*(1e-7*y-z+0.8287130757445);"
                                         "z-0.22683978169709;",
                                         PLUMB_QD, 20, 3, x);
    assert_int_equal(r.code, PLUMB_NEWTON_CONVERGED);
    assert_int_equal(r.jacobian_prec, PLUMB_D);
    assert_true(r.error < 1e-60);
}

/* The third equation alone determines z, at a root of multiplicity three, and is far smaller than the others: the factor is noise there,
 * although no pivot is small. */
static void small_equations_beside_large_ones_are_not_trusted(void **state)
{
    (void)state;
    double x[3] = {-59998999999977912.0, -5.9999000000002245e-10, -5.9999999999970877};
    const plumb_newton_report r = newton("1e11*(1e-16*x-1e10*y)*(1e-16*x-1e10*y-9); 1e10*y-z-1e-4;"
                                         "(z-4)*z*(z+6)^3; (1e-16*x-1e10*y)*(1e-16*x-1e10*y-9);",
                                         PLUMB_DD, 100, 3, x);
    assert_true(!(r.error < 1e-13));
}

/* Unknowns that are zero at the root are noise at the start, and all terms of an equation are multiples of them. The systems are
 * katsura 2 and 4. */
static void unknowns_may_be_zero(void **state)
{
    static const char three[] = "x1^2+2*x2^2+2*x3^2-x1; 2*x1*x2+2*x2*x3-x2; x1+2*x2+2*x3-1;";
    static const char five[] = "x1^2+2*x2^2+2*x3^2+2*x4^2+2*x5^2-x1; 2*x1*x2+2*x2*x3+2*x3*x4+2*x4*x5-x2;"
                               "2*x1*x3+x2^2+2*x2*x4+2*x3*x5-x3; 2*x1*x4+2*x2*x3+2*x2*x5-x4;"
                               "x1+2*x2+2*x3+2*x4+2*x5-1;";
    static const double noise[] = {1e-17, 1e-18, 1e-20, 2e-37, 1e-65, 5e-188};
    const double third = 1.0 / 3.0;
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (size_t k = 0; k < sizeof noise / sizeof *noise; k++) {
            const double e = noise[k], least = pow(10.0, -14.0 * prec);
            double x[3] = {third, e, third}, y[3] = {1.0, -e, 3.0 * e}, z[5] = {third, e, -e, 2.0 * e, third};
            plumb_newton_report r = newton(three, prec, 20, 3, x);
            assert_int_equal(r.code, PLUMB_NEWTON_CONVERGED);
            assert_true(r.error <= 10.0 * least && fabs(x[1]) <= r.error * third && fabs(x[0] - third) <= 1e-16);
            r = newton(three, prec, 20, 3, y);
            assert_int_equal(r.code, PLUMB_NEWTON_CONVERGED);
            assert_true(r.error <= 10.0 * least && fabs(y[1]) <= r.error && fabs(y[2]) <= r.error);
            r = newton(five, prec, 20, 5, z);
            assert_int_equal(r.code, PLUMB_NEWTON_CONVERGED);
            assert_true(r.error <= 10.0 * least && fabs(z[1]) <= r.error * third && fabs(z[2]) <= r.error * third);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_root_is_measured_against_itself),
        cmocka_unit_test(singular_roots_have_no_condition),
        cmocka_unit_test(terms_that_vanish_prove_nothing),
        cmocka_unit_test(a_root_at_zero_is_exact),
        cmocka_unit_test(equations_may_differ_in_size),
        cmocka_unit_test(unknowns_may_be_zero),
        cmocka_unit_test(columns_may_differ_in_size),
        cmocka_unit_test(small_equations_beside_large_ones_are_not_trusted),
    };
    backend = PLUMB_BACKEND_CPU;
    return cmocka_run_group_tests(tests, make_context, end_context);
}
