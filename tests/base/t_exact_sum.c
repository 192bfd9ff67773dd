/* t_exact_sum.c - tests base/number/exact_sum against MPFR, with as many bits as it takes: sums of products of doubles of all sizes, and
 * their expansions. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <mpfr.h>

#include "base/number/exact_sum.h"
#include "base/number/random.h"

enum { BITS = 8000, MOST_LIMBS = 130 };

/* Anything from the smallest double to the largest, and zero. */
static double any_double(plumb_random *rng)
{
    const double x = plumb_random_unit(rng) - 0.5;
    const int e = (int)plumb_random_below(rng, 2200) - 1120;
    const double scaled = ldexp(x, e);
    return plumb_random_below(rng, 20) == 0 ? 0.0 : fabs(scaled) <= DBL_MAX ? scaled : x;
}

/* Takes the sum apart, and all of it out of `truth`. */
static void check_expansion(exact_sum *s, mpfr_t truth)
{
    mpfr_t t;
    double f;
    int e, before = INT32_MAX;
    mpfr_init2(t, BITS);
    for (int k = 0; k < MOST_LIMBS && (f = exact_sum_take(s, &e)) != 0.0; k++) {
        assert_true(fabs(f) >= 0.5 && fabs(f) < 1.0);
        assert_true(e <= before - DBL_MANT_DIG || before == INT32_MAX);
        mpfr_set_d(t, f, MPFR_RNDN);
        mpfr_mul_2si(t, t, e, MPFR_RNDN);
        assert_true(mpfr_sgn(t) == mpfr_sgn(truth));
        mpfr_sub(truth, truth, t, MPFR_RNDN);
        before = e;
    }
    assert_true(mpfr_zero_p(truth));
    assert_true(exact_sum_take(s, &e) == 0.0 && e == 0);
    mpfr_clear(t);
}

static void sums_are_exact(void **state)
{
    (void)state;
    plumb_random rng = plumb_random_start(1);
    mpfr_t truth, t;
    mpfr_inits2(BITS, truth, t, (mpfr_ptr)0);
    for (int round = 0; round < 300; round++) {
        exact_sum s;
        exact_sum_clear(&s);
        mpfr_set_zero(truth, 1);
        for (int k = 0; k <= round % 40; k++) {
            const double a = any_double(&rng), b = any_double(&rng);
            exact_sum_add(&s, a, b, 0);
            mpfr_set_d(t, a, MPFR_RNDN);
            mpfr_mul_d(t, t, b, MPFR_RNDN);
            mpfr_add(truth, truth, t, MPFR_RNDN);
        }
        check_expansion(&s, truth);
    }
    mpfr_clears(truth, t, (mpfr_ptr)0);
}

/* Parts of a sum are factors of another. */
static void parts_of_sums_are_factors(void **state)
{
    (void)state;
    plumb_random rng = plumb_random_start(2);
    mpfr_t truth, t;
    mpfr_inits2(BITS, truth, t, (mpfr_ptr)0);
    for (int round = 0; round < 300; round++) {
        exact_sum s, other;
        int e;
        exact_sum_clear(&s);
        mpfr_set_zero(truth, 1);
        for (int k = 0; k < 10; k++) {
            exact_sum_clear(&other);
            exact_sum_add(&other, any_double(&rng), any_double(&rng), 0);
            exact_sum_add(&other, any_double(&rng), any_double(&rng), 0);
            const double f = exact_sum_take(&other, &e), a = any_double(&rng);
            exact_sum_add(&s, a, f, e);
            mpfr_set_d(t, a, MPFR_RNDN);
            mpfr_mul_d(t, t, f, MPFR_RNDN);
            mpfr_mul_2si(t, t, e, MPFR_RNDN);
            mpfr_add(truth, truth, t, MPFR_RNDN);
        }
        check_expansion(&s, truth);
    }
    mpfr_clears(truth, t, (mpfr_ptr)0);
}

static void extremes_fit(void **state)
{
    (void)state;
    const double least = 0x1p-1074;
    exact_sum s;
    int e;
    exact_sum_clear(&s);
    for (int k = 0; k < 100000; k++)
        exact_sum_add(&s, k % 2 ? DBL_MAX : -DBL_MAX, -DBL_MAX, 0);
    assert_true(exact_sum_take(&s, &e) == 0.0);
    exact_sum_add(&s, least, -least, 0);
    exact_sum_add(&s, DBL_MAX, DBL_MAX, 0);
    exact_sum_add(&s, DBL_MAX, -DBL_MAX, 0);
    assert_true(exact_sum_take(&s, &e) == -0.5 && e == 1 - 2148);
    assert_true(exact_sum_take(&s, &e) == 0.0);
    exact_sum_add(&s, least, -0.5, -2147); /* the least double times the least part of a sum */
    assert_true(exact_sum_take(&s, &e) == -0.5 && e == -1074 - 2147);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(parts_of_sums_are_factors),
        cmocka_unit_test(extremes_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
