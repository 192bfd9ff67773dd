/* t_zeros.c - unknowns of a point are shown to be zero if the equations leave nothing else within the error, and only then. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "solver/solve/points/zeros.h"

enum { MOST = 8 };

/* The unknowns of a point that are shown to be zero, as bits; -1: nothing is shown. All that are not larger than 1e-10 may be. */
static int shown(const char *text, const double *re, const double *im, double error)
{
    plumb_system *s = NULL;
    plumb_text_error wrong;
    point_zeros zeros;
    double x[2 * MOST] = {0}, errors[MOST] = {0};
    bool zero[MOST] = {false};
    int bits = 0;
    if (plumb_system_parse(text, strlen(text), &s, &wrong) != PLUMB_OK)
        fail_msg("%s: %s", text, wrong.message);
    const int n = (int)s->unknowns;
    assert_true(n <= MOST);
    for (int i = 0; i < n; i++) {
        x[2 * i] = re[i];
        x[2 * i + 1] = im ? im[i] : 0.0;
        errors[i] = error;
        zero[i] = fabs(x[2 * i]) <= 1e-10 && fabs(x[2 * i + 1]) <= 1e-10;
    }
    assert_true(plumb_zeros_begin(s, &zeros));
    /* The room of an earlier point says nothing about the next one. */
    for (int again = 0; again < 2; again++) {
        bool now[MOST];
        memcpy(now, zero, sizeof now);
        const bool good = plumb_zeros_show(&zeros, x, 1, errors, now);
        int found = 0;
        for (int i = 0; i < n && good; i++)
            found |= now[i] ? 1 << i : 0;
        found = good ? found : -1;
        assert_true(again == 0 || found == bits);
        bits = found;
    }
    plumb_zeros_end(&zeros);
    plumb_system_destroy(s);
    return bits;
}

#define X(...) ((const double[MOST]){__VA_ARGS__})

static void zeros_that_the_equations_demand_are_shown(void **state)
{
    (void)state;
    /* x = 0 from each of two equations, x (y - 3) = 0 at y = 2. */
    assert_int_equal(shown("x*y - 3*x; y^2 - 4;", X(1e-17, 2.0), NULL, 1e-13), 1);
    /* Two unknowns that are opposite, and in a product with a third: the equations depend on one another otherwise. */
    assert_int_equal(shown("x + y; 0.01*x*z - 0.001*y; z - 100*y - 7;", X(1e-17, -3e-17, 7.0), NULL, 1e-12), 3);
    /* More equations than unknowns, one of them repeated, and an equation that is no use. */
    assert_int_equal(shown("x*z - 2*y; 2*x*z - 4*y; x + y; x*y; z^2 - 9;", X(1e-18, 3.0, 1e-18), NULL, 1e-13), 5);
    /* Complex unknowns; powers of those that may be zero vanish. */
    assert_int_equal(shown("x*z^2 + y + x^3 - y^2; x - y*z; z - 3;", X(0.0, 0.0, 1e-17), X(1e-17, 2.0, 0.0), 1e-13), 5);
    /* An unknown that may be zero as well, but need not be, does not keep another one from being shown. */
    assert_int_equal(shown("y*x - 3*x; z*y - 1e-20; z - 1;", X(1e-20, 1e-17, 1.0), NULL, 1e-13), 2);
    /* Units that differ by many powers of ten. */
    assert_int_equal(shown("1e-20*x*z; z - 1e20;", X(1e-17, 1e20), NULL, 1e4), 1);
}

static void small_unknowns_that_are_not_zero_are_not(void **state)
{
    (void)state;
    /* The equation has a term without it. */
    assert_int_equal(shown("1e30*x - y; y - 3;", X(3e-30, 3.0), NULL, 1e-13), 0);
    /* Zero and a tiny number solve it, and both are within the error. */
    assert_int_equal(shown("1e30*x^2 - x; y - 3;", X(1e-30, 3.0), NULL, 1e-13), -1);
    assert_int_equal(shown("1e30*x*y - x; y - 1e-30;", X(1e-31, 1e-30), NULL, 1e-13), -1);
    /* One of two is zero, the other one is tiny. */
    assert_int_equal(shown("x*z; 1e20*y - z; z - 3;", X(1e-18, 3.0, 3e-20), NULL, 1e-13), 1);
    /* x and y are only known to be proportional to each other. */
    assert_int_equal(shown("x - 2*y; x*z - 2*y*z; z - 3; y - 1e-19;", X(2e-19, 1e-19, 3.0), NULL, 1e-13), -1);
    /* The factor may vanish within the error, and does not within a smaller one. */
    assert_int_equal(shown("x*y - 3*x; y - 3 - 1e-9;", X(1e-17, 3.000000001), NULL, 1e-8), -1);
    assert_int_equal(shown("x*y - 3*x; y - 3 - 1e-9;", X(1e-17, 3.000000001), NULL, 1e-12), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_that_the_equations_demand_are_shown),
        cmocka_unit_test(small_unknowns_that_are_not_zero_are_not),
    };
    return cmocka_run_group_tests_name("zeros", tests, NULL, NULL);
}
