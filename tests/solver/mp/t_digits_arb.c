/* t_digits_arb.c - certifies by Arb that 1,000 digits of the roots of cyclic6 are right: by the interval Newton method, the box around each
 * root whose radius is what its digits leave contains a zero. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#ifdef PLUMB_ARB_IN_FLINT
#include <flint/acb_mat.h>
#else
#include <acb_mat.h>
#endif

#include "plumb.h"

enum { N = 6, ROOTS = 156, DIGITS = 1000, BITS = 4000 };

static const char cyclic6[] = "a+b+c+d+e+f; a*b+b*c+c*d+d*e+e*f+f*a; a*b*c+b*c*d+c*d*e+d*e*f+e*f*a+f*a*b;"
                              "a*b*c*d+b*c*d*e+c*d*e*f+d*e*f*a+e*f*a*b+f*a*b*c;"
                              "a*b*c*d*e+b*c*d*e*f+c*d*e*f*a+d*e*f*a*b+e*f*a*b*c+f*a*b*c*d; a*b*c*d*e*f-1;";

/* The values and the Jacobian of cyclic6, whose equation e is the sum of the products of e + 1 unknowns in a row. */
static void evaluate(acb_srcptr x, acb_mat_t values, acb_mat_t jacobian)
{
    acb_t product;
    acb_init(product);
    acb_mat_zero(values);
    acb_mat_zero(jacobian);
    for (int e = 0; e < N; e++) {
        acb_ptr value = acb_mat_entry(values, e, 0);
        for (int first = 0; first < (e == N - 1 ? 1 : N); first++)
            for (int without = -1; without <= e; without++) { /* -1: the product; otherwise its derivative */
                acb_one(product);
                for (int k = 0; k <= e; k++)
                    if (k != without)
                        acb_mul(product, product, x + (first + k) % N, BITS);
                acb_ptr to = without < 0 ? value : acb_mat_entry(jacobian, e, (first + without) % N);
                acb_add(to, to, product, BITS);
            }
        if (e == N - 1)
            acb_sub_ui(value, value, 1, BITS);
    }
    acb_clear(product);
}

/* Whether the box of the interval Newton method around the midpoints is inside the box that the digits leave. */
static int is_certified(acb_srcptr x)
{
    acb_ptr box = _acb_vec_init(N);
    acb_mat_t at, over, unused, step;
    arb_t radius;
    arb_init(radius);
    acb_mat_init(at, N, 1);
    acb_mat_init(step, N, 1);
    acb_mat_init(over, N, N);
    acb_mat_init(unused, N, 1);
    arb_set_ui(radius, 10);
    arb_pow_ui(radius, radius, DIGITS - 1, BITS);
    arb_inv(radius, radius, BITS); /* of unknowns of modulus 0.1 to 10; a digit is for rounding to decimals */
    for (int i = 0; i < N; i++) {
        acb_set(box + i, x + i);
        arb_add_error(acb_realref(box + i), radius);
        arb_add_error(acb_imagref(box + i), radius);
    }
    acb_mat_t jacobian;
    acb_mat_init(jacobian, N, N);
    evaluate(x, at, jacobian);
    evaluate(box, unused, over);
    int good = acb_mat_solve(step, over, at, BITS);
    for (int i = 0; i < N && good; i++) {
        acb_sub(acb_mat_entry(step, i, 0), x + i, acb_mat_entry(step, i, 0), BITS);
        good = acb_contains(box + i, acb_mat_entry(step, i, 0));
    }
    acb_mat_clear(jacobian);
    acb_mat_clear(at);
    acb_mat_clear(step);
    acb_mat_clear(over);
    acb_mat_clear(unused);
    arb_clear(radius);
    _acb_vec_clear(box, N);
    return good;
}

static void thousand_digits_are_certified(void **state)
{
    plumb_context *context = NULL;
    plumb_system *system = NULL;
    plumb_solutions *solutions = NULL;
    plumb_solve_options options;
    (void)state;
    plumb_solve_options_init(&options);
    options.digits = DIGITS;
    assert_int_equal(plumb_context_create(NULL, &context), PLUMB_OK);
    assert_int_equal(plumb_system_parse(cyclic6, strlen(cyclic6), &system, NULL), PLUMB_OK);
    assert_int_equal(plumb_solve(context, system, &options, &solutions), PLUMB_OK);
    assert_int_equal(plumb_solutions_count(solutions), ROOTS);
    const plumb_digits *digits = plumb_solutions_digits(solutions);
    assert_non_null(digits);
    acb_ptr x = _acb_vec_init(N);
    for (int64_t k = 0; k < ROOTS; k++) {
        for (int i = 0; i < N; i++) {
            assert_int_equal(arb_set_str(acb_realref(x + i), plumb_digits_re(digits, k, i), BITS), 0);
            assert_int_equal(arb_set_str(acb_imagref(x + i), plumb_digits_im(digits, k, i), BITS), 0);
            acb_get_mid(x + i, x + i);
        }
        assert_true(is_certified(x));
    }
    /* A digit that is wrong is noticed. */
    arb_t wrong;
    arb_init(wrong);
    arb_set_ui(wrong, 10);
    arb_pow_ui(wrong, wrong, DIGITS - 5, BITS);
    arb_inv(wrong, wrong, BITS);
    arb_add(acb_realref(x), acb_realref(x), wrong, BITS);
    acb_get_mid(x, x);
    assert_false(is_certified(x));
    arb_clear(wrong);
    _acb_vec_clear(x, N);
    plumb_solutions_destroy(solutions);
    plumb_system_destroy(system);
    plumb_context_destroy(context);
    flint_cleanup();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(thousand_digits_are_certified)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
