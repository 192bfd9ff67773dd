/* t_rest.c - tests a b, x - a b and x - a b -+ u v in quad double against MPFR: the bounds of qd_rest.h, and results
 * whose limbs do not overlap. The operands include numbers far apart, short and missing limbs, and products close to
 * x or to each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <mpfr.h>

#define PLUMB_PREC qd
#define PLUMB_LIMBS 4
#include "arith/qd_rest.h"
#include "base/number/random.h"

enum { BITS = 2200, LIMBS = 4, CASES = 40000 };

static const uint64_t seed = 20131121;

typedef struct oracle {
    mpfr_t x, product, error;
} oracle;

static void oracle_set(mpfr_t to, qd a)
{
    mpfr_set_d(to, a.x0, MPFR_RNDN);
    mpfr_add_d(to, to, a.x1, MPFR_RNDN);
    mpfr_add_d(to, to, a.x2, MPFR_RNDN);
    mpfr_add_d(to, to, a.x3, MPFR_RNDN);
}

/* The nearest quad double; the mpfr is lost. */
static qd nearest(mpfr_t from)
{
    double limb[LIMBS];
    for (int k = 0; k < LIMBS; k++) {
        limb[k] = mpfr_get_d(from, MPFR_RNDN);
        mpfr_sub_d(from, from, limb[k], MPFR_RNDN);
    }
    return qd_make(limb[0], limb[1], limb[2], limb[3]);
}

/* A number of any size in [2^-span, 2^span], with limbs that are full, a few bits long, at half a unit, or missing. */
static qd random_qd(plumb_random *random, oracle *o, int span)
{
    int exponent = (int)(plumb_random_unit(random) * 2 * span) - span;
    mpfr_set_zero(o->x, 1);
    for (int k = 0; k < LIMBS; k++) {
        double kind = plumb_random_unit(random), limb = plumb_random_unit(random) - 0.5;
        if (kind < 0.1)
            limb = 0.0;
        else if (kind < 0.2)
            limb = limb < 0.0 ? -0.5 : 0.5;
        else if (kind < 0.3)
            limb = (double)(int)(limb * 16) / 16;
        mpfr_add_d(o->x, o->x, ldexp(limb, exponent - 53 * k), MPFR_RNDN);
    }
    return nearest(o->x);
}

/* The rounded value of a b, up to sign what makes x - a b cancel. */
static qd product_of(oracle *o, qd a, qd b)
{
    oracle_set(o->x, a);
    oracle_set(o->product, b);
    mpfr_mul(o->x, o->x, o->product, MPFR_RNDN);
    return nearest(o->x);
}

static void take_product(oracle *o, qd a, qd b, int minus)
{
    mpfr_t factor;
    mpfr_init2(factor, BITS);
    oracle_set(factor, a);
    oracle_set(o->product, b);
    mpfr_mul(o->product, o->product, factor, MPFR_RNDN);
    if (minus)
        mpfr_sub(o->x, o->x, o->product, MPFR_RNDN);
    else
        mpfr_add(o->x, o->x, o->product, MPFR_RNDN);
    mpfr_clear(factor);
}

static int overlaps(double limb, double next)
{
    return limb + next != limb;
}

/* The error in units of 2^-212 (|x| + |a b| + |u v|), the exact result in o->x. */
static double error_of(oracle *o, qd result, double bound)
{
    assert_false(overlaps(result.x0, result.x1) || overlaps(result.x1, result.x2) || overlaps(result.x2, result.x3));
    oracle_set(o->error, result);
    mpfr_sub(o->error, o->error, o->x, MPFR_RNDN);
    return bound == 0.0 ? mpfr_get_d(o->error, MPFR_RNDN) : ldexp(fabs(mpfr_get_d(o->error, MPFR_RNDN)) / bound, 212);
}

static void rests_are_rounded_as_documented(void **unused)
{
    (void)unused;
    plumb_random random = plumb_random_start(seed);
    oracle o;
    double worst = 0.0, squares = 0.0;
    mpfr_inits2(BITS, o.x, o.product, o.error, (mpfr_ptr)0);
    for (int n = 0; n < CASES; n++) {
        int span = n % 4 == 0 ? 150 : n % 4; /* mostly of like size */
        qd x = random_qd(&random, &o, span), a = random_qd(&random, &o, span), b = random_qd(&random, &o, span);
        qd u = random_qd(&random, &o, span), v = random_qd(&random, &o, span);
        int minus = n / 4 % 2;
        if (n % 8 == 1)
            x = product_of(&o, a, b);
        if (n % 8 == 5)
            u = a, v = minus ? qd_neg(b) : b;
        if (n % 32 == 7)
            u = v = qd_set(0.0);
        mpfr_set_zero(o.x, 1);
        take_product(&o, a, b, 0);
        double product = error_of(&o, qd_product_fine(a, b), fabs(a.x0 * b.x0));
        double bound = fabs(x.x0) + fabs(a.x0 * b.x0);
        oracle_set(o.x, x);
        take_product(&o, a, b, 1);
        double one = error_of(&o, qd_rest(x, a, b), bound);
        take_product(&o, u, v, minus);
        double two = error_of(&o, qd_rest_2(x, a, b, u, v, minus), bound + fabs(u.x0 * v.x0));
        if (product > 1.0 || fmax(one, two) > 2.0)
            fail_msg("seed %llu case %d: errors %g, %g and %g units", (unsigned long long)seed, n, product, one, two);
        worst = fmax(worst, fmax(one, two));
        squares += one * one + two * two;
    }
    print_message("largest error %.3g, root mean square %.3g units of 2^-212\n", worst, sqrt(squares / (2.0 * CASES)));
    assert_true(sqrt(squares / (2.0 * CASES)) < 0.0625);
    mpfr_clears(o.x, o.product, o.error, (mpfr_ptr)0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rests_are_rounded_as_documented)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
