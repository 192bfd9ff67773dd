/* t_modulus.c - tests base/number/modulus against MPFR: results are the doubles nearest to the exact ones, whatever the exponents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <mpfr.h>

#include "base/number/modulus.h"
#include "base/number/random.h"

static double nearest(double re, double im)
{
    mpfr_t x, y;
    mpfr_inits2(53, x, y, (mpfr_ptr)0);
    mpfr_set_d(x, re, MPFR_RNDN);
    mpfr_set_d(y, im, MPFR_RNDN);
    mpfr_hypot(x, x, y, MPFR_RNDN);
    const double result = mpfr_get_d(x, MPFR_RNDN);
    mpfr_clears(x, y, (mpfr_ptr)0);
    return result;
}

/* Exponents of both parts over the whole range, and near each other, where both parts count. */
static void modulus_is_rounded_to_nearest(void **state)
{
    (void)state;
    plumb_random r = plumb_random_start(42);
    for (int i = 0; i < 300000; i++) {
        const int exponent = (int)plumb_random_below(&r, 2040) - 1018;
        const int apart = (int)plumb_random_below(&r, 64) - 32;
        const double re = ldexp(1.0 + plumb_random_unit(&r), exponent);
        const double im = -ldexp(1.0 + plumb_random_unit(&r), exponent + apart);
        const double found = plumb_modulus(re, im), right = nearest(re, im);
        if (right >= DBL_MIN)
            assert_true(found == right);
        else
            assert_true(fabs(found - right) <= DBL_TRUE_MIN); /* rounded twice */
        assert_true(plumb_modulus(im, re) == found);
    }
}

static void modulus_of_special_values_is_that_of_hypot(void **state)
{
    (void)state;
    static const double special[] = {0.0, -0.0,     1.0,       -3.0,    DBL_MIN, DBL_TRUE_MIN, DBL_MAX, -INFINITY,
                                     NAN, 0x1p-537, -0x1p-500, 0x1p500, 0x1p511, 0x1p-400,     0x1p-60, 0x1p1023};
    const int count = sizeof special / sizeof special[0];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            const double found = plumb_modulus(special[i], special[j]), right = hypot(special[i], special[j]);
            assert_true(isnan(right) ? isnan(found) : found == right);
            assert_false(signbit(found) && !isnan(found));
        }
    assert_true(plumb_modulus(3.0, -4.0) == 5.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modulus_is_rounded_to_nearest),
        cmocka_unit_test(modulus_of_special_values_is_that_of_hypot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
