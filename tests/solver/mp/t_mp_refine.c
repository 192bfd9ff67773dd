/* t_mp_refine.c - tests numbers, refinement and the vanishing of equations with any number of digits. */
#include "solver/mp/refine.h"

#include "solver/mp/mp_test.h"
#include "solver/mp/system.h"

/* log2 of |x - square root of a|. */
static double off_root(mpfr_srcptr x, unsigned long a, int64_t bits)
{
    mpfr_t root;
    mpfr_init2(root, (mpfr_prec_t)(2 * bits));
    mpfr_sqrt_ui(root, a, MPFR_RNDN);
    mpfr_sub(root, root, x, MPFR_RNDN);
    const double off = mpfr_zero_p(root) ? -(double)INFINITY : (double)mpfr_get_exp(root);
    mpfr_clear(root);
    return off;
}

static void set(mp_complex *x, double re, double im)
{
    mpfr_set_d(x->re, re, MPFR_RNDN);
    mpfr_set_d(x->im, im, MPFR_RNDN);
}

/* ---- Refinement ---------------------------------------------------------------------------------------------------- */

static void square_roots_get_all_their_digits(void **state)
{
    plumb_system *s = parse("x^2 - 2; y^2 - 3*x^2/2; z*x - y;"); /* square roots of 2, 3 and 3/2 */
    (void)state;
    for (int64_t bits = 128; bits <= 8192; bits *= 4) {
        plumb_status status;
        double errors[3];
        mp_complex *x = mp_make(3, 64);
        assert_non_null(x);
        set(&x[0], 1.4142135, 1e-8);
        set(&x[1], 1.7320508, -1e-8);
        set(&x[2], 1.2247448, 0.0);
        assert_true(mp_refine(s, x, bits, log2(1e-3), NULL, errors, &status));
        assert_int_equal(status, PLUMB_OK);
        assert_int_equal(mpfr_get_prec(x[0].re), bits);
        for (unsigned long k = 0; k < 2; k++) {
            const double off = off_root(x[k].re, k + 2, bits);
            if (off > errors[k] || errors[k] > 32.0 - (double)bits)
                fail_msg("%lld bits, unknown %lu: off by 2^%.1f, estimated 2^%.1f", (long long)bits, k, off, errors[k]);
        }
        assert_true(mpfr_zero_p(x[0].im) || (double)mpfr_get_exp(x[0].im) <= errors[0]);
        mp_free(x, 3);
    }
    plumb_system_destroy(s);
}

static void complex_and_zero_coordinates_are_refined(void **state)
{
    plumb_system *s = parse("x^2 + 2; x*y + y^2 - 3*y;");
    plumb_status status;
    double errors[2];
    mp_complex *x = mp_make(2, 64);
    (void)state;
    assert_non_null(x);
    set(&x[0], 1e-9, 1.4142135);
    set(&x[1], 1e-9, -1e-9);
    assert_true(mp_refine(s, x, 1024, log2(1e-3), NULL, errors, &status));
    assert_true(off_root(x[0].im, 2, 1024) <= errors[0]);
    assert_true(mp_log2(&x[1]) <= errors[1] && errors[1] <= -900.0);
    mp_round_to_zero(x, 2, errors, 1.0);
    assert_true(mpfr_zero_p(x[0].re) && !mpfr_zero_p(x[0].im));
    assert_true(mpfr_zero_p(x[1].re) && mpfr_zero_p(x[1].im));
    mp_free(x, 2);
    plumb_system_destroy(s);
}

/* Roots that are 1e-48 apart: the one that is nearer is found, to all digits. */
static void close_roots_stay_apart(void **state)
{
    plumb_system *s = parse("(x - 1)*(x - 1 - 1/10^48);");
    plumb_status status;
    double error;
    mp_complex *x = mp_make(1, 256);
    (void)state;
    assert_non_null(x);
    mpfr_set_str(x[0].re, "1.000000000000000000000000000000000000000000000000999", 10, MPFR_RNDN);
    assert_true(mp_refine(s, x, 1024, log2(1e-3), NULL, &error, &status));
    mpfr_sub_ui(x[0].re, x[0].re, 1, MPFR_RNDN);
    assert_true(fabs(mpfr_get_d(x[0].re, MPFR_RNDN) * 1e48 - 1.0) < 1e-12);
    assert_true(error < -600.0);
    mp_free(x, 1);
    plumb_system_destroy(s);
}

static void what_does_not_converge_is_refused(void **state)
{
    static const struct {
        const char *system;
        double at, move;
    } cases[] = {
        {"x^2 - 2;", 1.4, 1e-3},    /* the first correction is larger */
        {"x^2;", 1e-3, 1.0},        /* a double root: only half of the distance is gained */
        {"(x - 1)^2;", 1.001, 1.0}, /* likewise */
        {"x^2 + 1;", 0.3, 10.0},    /* there is no real root */
        {"x^2 - 2;", 0.0, 1.0},     /* the Jacobian is singular */
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plumb_system *s = parse(cases[k].system);
        plumb_status status;
        double error;
        mp_complex *x = mp_make(1, 64);
        assert_non_null(x);
        set(&x[0], cases[k].at, 0.0);
        if (mp_refine(s, x, 512, log2(cases[k].move), NULL, &error, &status))
            fail_msg("%s from %g: refined", cases[k].system, cases[k].at);
        assert_int_equal(status, PLUMB_OK);
        mp_free(x, 1);
        plumb_system_destroy(s);
    }
}

/* ---- Equations that vanish ----------------------------------------------------------------------------------------- */

/* Refines the zero of the square system near at, and looks at other equations. */
static mp_zero look(const char *square, const char *others, const double *at, int64_t bits, double *miss)
{
    plumb_system *s = parse(square), *o = parse(others);
    const int64_t n = plumb_system_unknowns(s);
    assert_true(n >= 1 && n <= 4);
    plumb_status status;
    double errors[4] = {0};
    mp_complex *x = mp_make(n, 64);
    assert_non_null(x);
    assert_int_equal(plumb_system_unknowns(o), n);
    for (int64_t i = 0; i < n; i++)
        set(&x[i], at[i], 0.0); /* NOLINT(clang-analyzer-core.CallAndMessage): at has n numbers */
    if (!mp_refine(s, x, bits, log2(1e-3), NULL, errors, &status))
        fail_msg("%s is not refined", square);
    const mp_zero result = mp_vanishes(o, x, bits, errors, miss, &status);
    assert_int_equal(status, PLUMB_OK);
    mp_free(x, n);
    plumb_system_destroy(s);
    plumb_system_destroy(o);
    return result;
}

static void near_misses_are_told_from_zeros(void **state)
{
    const double at[2] = {1.4142135623730951, 1.7320508075688772};
    char others[128];
    double miss;
    (void)state;
    assert_int_equal(look("x^2 - 2; y^2 - 3;", "x^2 + y^2 - 5; x^2*y^2 - 6;", at, 512, &miss), MP_ZERO);
    assert_true(miss < 1e-100);
    for (int digits = 12; digits <= 60; digits++) {
        snprintf(others, sizeof others, "x^2 + y^2 - 5; x^2*y^2 - 6 + 1/10^%d;", digits);
        if (look("x^2 - 2; y^2 - 3;", others, at, 512, &miss) != MP_NOT_ZERO)
            fail_msg("misses by 1e-%d, and is called a zero", digits);
        const double wanted = pow(10.0, -digits) / 6.0; /* relative to the terms */
        if (!(miss > 0.2 * wanted && miss < 5.0 * wanted))
            fail_msg("misses by 1e-%d, relative %g, and is said to miss by %g", digits, wanted, miss);
    }
    /* Below the error of the point nothing can be told. */
    assert_int_equal(look("x^2 - 2; y^2 - 3;", "x^2 + y^2 - 5 + 1/10^60*x*y;", at, 128, &miss), MP_ZERO);
}

/* All terms of an equation vanish there: sizes of terms say nothing. */
static void zero_coordinates_are_told_from_small_ones(void **state)
{
    double miss;
    (void)state;
    assert_int_equal(look("x^2 - x + y; y^2 - y + 2*x;", "x*y; x^2;", (double[]){0, 0}, 512, &miss), MP_ZERO);
    assert_int_equal(look("x - 1/10^40; y^2 - y + 1/10^41;", "x*y; x^2;", (double[]){0, 0}, 1024, &miss), MP_NOT_ZERO);
    assert_true(miss > 1e-83 && miss < 1e-79);
    assert_int_equal(look("x; y - 1;", "x*y; x^2 - x; x^3*y^2;", (double[]){0, 1}, 512, &miss), MP_ZERO);
}

/* Unknowns of very different sizes. */
static void sizes_of_unknowns_do_not_matter(void **state)
{
    double miss;
    (void)state;
    assert_int_equal(look("x - 10^20; y*10^20 - 1;", "x*y - 1; x*y^2 - y;", (double[]){1e20, 1e-20}, 512, &miss),
                     MP_ZERO);
    assert_int_equal(look("x - 10^20; y*10^20 - 1;", "x*y - 1 + 1/10^30;", (double[]){1e20, 1e-20}, 512, &miss),
                     MP_NOT_ZERO);
}

/* ---- Decisions about precision ------------------------------------------------------------------------------------- */

static void bits_grow_with_the_coefficients(void **state)
{
    plumb_system *small = parse("x^2 - 2;"), *large = parse("x^2 - 2 + 1/10^300*x;");
    (void)state;
    assert_true(mp_bits_for(small, 512, 4) >= 512);
    assert_true(mp_bits_for(large, 512, 4) >= 512 + 900);
    assert_true(mp_bits_for(large, 512, 1000) <= 16384);
    assert_true(mp_system_cost(small, 1024) > mp_system_cost(small, 256));
    plumb_system_destroy(small);
    plumb_system_destroy(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(square_roots_get_all_their_digits),
        cmocka_unit_test(complex_and_zero_coordinates_are_refined),
        cmocka_unit_test(close_roots_stay_apart),
        cmocka_unit_test(what_does_not_converge_is_refused),
        cmocka_unit_test(near_misses_are_told_from_zeros),
        cmocka_unit_test(zero_coordinates_are_told_from_small_ones),
        cmocka_unit_test(sizes_of_unknowns_do_not_matter),
        cmocka_unit_test(bits_grow_with_the_coefficients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
