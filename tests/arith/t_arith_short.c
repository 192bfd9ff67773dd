/* t_arith_short.c - tests the sums of dd and qd in an exact model: the same source on numbers of 6 to 10 bits.
 *
 * All numbers are integers below 2^50, so that every sum is known exactly, and the bounds of src/arith with u = 2^-p
 * instead of 2^-53 can be checked without another library. Random operands of so few bits meet every combination of ties,
 * gaps between limbs and cancellations of one to all limbs.
 *
 * PLUMB_TEST_COUNT pairs of operands for each number of bits (300,000 unless set), random numbers from
 * PLUMB_TEST_SEED. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define PLUMB_LANE_HEADER "arith/lane_short.h"
#include "arith/qd.h"

#include "base/number/random.h"

enum { TOP = 46 }; /* leading limbs are below 2^(TOP + 2) */

static int64_t count = 300000;
static uint64_t seed = 20130113;
static plumb_random rng;

static int below(int bound)
{
    return (int)plumb_random_below(&rng, (uint64_t)bound);
}

static double sign(void)
{
    return below(2) ? 1.0 : -1.0;
}

/* The largest power of two that is at most |x|; 0 for 0. */
static double power_of(double x)
{
    int exponent;
    if (x == 0.0)
        return 0.0;
    frexp(x, &exponent);
    return ldexp(1.0, exponent - 1);
}

static double half_unit(double x)
{
    return ldexp(power_of(x), -lane_bits);
}

/* An integer of lane_bits bits: random, or a pattern that makes carries run. */
static double mantissa(void)
{
    const int last = lane_bits - 1;
    uint64_t top = (uint64_t)1 << last, word = plumb_random_next(&rng) & (top - 1);
    switch (below(8)) {
    case 0:
        word = 0;
        break;
    case 1:
        word = top - 1;
        break;
    case 2:
        word = 1;
        break;
    case 3:
        word = top - 1 - ((uint64_t)1 << below(last));
        break;
    case 4:
        word = (uint64_t)1 << below(last);
        break;
    case 5:
        word &= ~(((uint64_t)1 << below(last)) - 1);
        break;
    default:
        break;
    }
    return (double)(top | word);
}

/* Normalised limbs, the first one in [power, 2 power), not always canonical. */
static void number(double power, double *x)
{
    x[0] = sign() * lane_short(trunc(ldexp(mantissa(), 1 - lane_bits) * power));
    for (int i = 1; i < 4; i++) {
        double most = half_unit(x[i - 1]), value;
        switch (below(8)) {
        case 0:
            value = 0.0;
            break;
        case 1:
            value = most * ldexp(mantissa(), -lane_bits - below(2 * lane_bits + 2));
            break;
        case 2:
            value = most * ldexp(1.0, -below(lane_bits + 4));
            break;
        case 3:
            value = most * ldexp(mantissa(), -lane_bits - below(3));
            break;
        case 4:
            value = most;
            break;
        case 5:
            value = most * (1.0 - ldexp(1.0, -lane_bits));
            break;
        default:
            value = most * ldexp(mantissa(), -lane_bits);
            break;
        }
        x[i] = sign() * lane_short(trunc(value));
    }
}

static int is_normal(const double *x, int limbs)
{
    for (int i = 1; i < limbs; i++)
        if (!(fabs(x[i]) <= half_unit(x[i - 1])))
            return 0;
    return 1;
}

/* -x and a few numbers of any size, rounded to four limbs. */
static void nearly_negative(const double *x, double *y)
{
    double sum = -(x[0] + x[1] + x[2] + x[3]), more[4];
    for (int k = 1 + below(3); k > 0; k--) {
        number(ldexp(1.0, below(TOP)), more);
        sum += more[0] + (below(2) ? more[1] : 0.0) + (below(3) ? 0.0 : more[2] + more[3]);
    }
    for (int i = 0; i < 4; i++) {
        y[i] = lane_short(sum);
        sum -= y[i];
    }
}

/* -x with a few units more or less in some limbs, others with the wrong sign or missing. */
static void nearly_negative_by_limbs(const double *x, double *y)
{
    for (int i = 0; i < 4; i++) {
        int kind = below(6);
        y[i] = kind == 3 && i > 0 ? x[i] : -x[i];
        if (kind < 2)
            y[i] += (below(5) - 2) * 2.0 * half_unit(x[i]);
        else if (kind == 2)
            y[i] += (below(3) - 1) * half_unit(x[i]);
        y[i] = trunc(lane_short(y[i]));
    }
    if (below(3) == 0)
        for (int i = 1 + below(3); i < 4; i++)
            y[i] = below(3) ? 0.0 : y[i];
}

/* Each limb of y cancels what the limbs before it and one to three more limbs of x leave, or is random. */
static void negative_in_stages(const double *x, double *y)
{
    double rest = 0.0, small[4];
    int used = 0;
    for (int i = 0; i < 4; i++) {
        for (int more = below(3) + (used <= i); more > 0 && used < 4; more--)
            rest += x[used++];
        y[i] = -lane_short(rest);
        if (below(5) == 0)
            y[i] += (below(3) - 1) * half_unit(y[i]);
        if (below(6) == 0) {
            number(half_unit(i > 0 ? y[i - 1] : x[0]), small);
            y[i] = small[0];
        }
        y[i] = trunc(lane_short(y[i]));
        rest += y[i];
    }
}

static void operands(double *x, double *y)
{
    do {
        number(ldexp(1.0, TOP - below(3)), x);
        int kind = below(10);
        if (kind < 2)
            number(ldexp(1.0, TOP - below(4)), y);
        else if (kind < 3)
            number(ldexp(1.0, TOP - below(3 * lane_bits + 2 < TOP ? 3 * lane_bits + 2 : TOP)), y);
        else if (kind < 5)
            nearly_negative(x, y);
        else if (kind < 8)
            negative_in_stages(x, y);
        else
            nearly_negative_by_limbs(x, y);
    } while (!is_normal(x, 4) || !is_normal(y, 4) || fabs(y[0]) >= ldexp(1.0, TOP + 2));
}

static void show(const char *name, const double *x, int limbs)
{
    printf("  %s =", name);
    for (int i = 0; i < limbs; i++)
        printf(" %.0f", x[i]);
    printf("\n");
}

/* Compares a result with the exact sum; returns the error relative to it in units of bound, or infinity. */
static double error_of(const double *x, const double *y, const double *z, int limbs, double bound)
{
    double sum = 0.0;
    for (int i = 0; i < limbs; i++)
        sum += x[i] + y[i]; /* integers, exact */
    double rest = sum;
    for (int i = 0; i < limbs; i++)
        rest -= z[i];
    double error = sum == 0.0 ? (rest == 0.0 ? 0.0 : (double)INFINITY) : fabs(rest / sum) / bound;
    if (!is_normal(z, limbs))
        error = (double)INFINITY;
    if (error > 1.0) {
        printf("wrong or not normalised, %d bits:\n", lane_bits);
        show("x", x, limbs);
        show("y", y, limbs);
        show("z", z, limbs);
    }
    return error;
}

/* Four limbs of 10 bits take 40 of the 48 bits; the rest is below the last limb. */
static const int widths[] = {6, 7, 8, 9, 10};

static void qd_sums_are_right(void **state)
{
    (void)state;
    double x[4], y[4];
    for (size_t k = 0; k < sizeof widths / sizeof widths[0]; k++) {
        lane_bits = widths[k];
        rng = plumb_random_start(seed + (uint64_t)lane_bits);
        double bound = ldexp(1.0, 1 - 4 * lane_bits), worst = 0.0; /* 2^-211 for 53 bits */
        for (int64_t i = 0; i < count && worst <= 1.0; i++) {
            operands(x, y);
            qd a = qd_make(x[0], x[1], x[2], x[3]), b = qd_make(y[0], y[1], y[2], y[3]);
            qd s = qd_add(a, b), t = qd_sub(a, qd_neg(b));
            double z[4] = {s.x0, s.x1, s.x2, s.x3};
            worst = fmax(worst, error_of(x, y, z, 4, bound));
            if (t.x0 != s.x0 || t.x1 != s.x1 || t.x2 != s.x2 || t.x3 != s.x3)
                worst = (double)INFINITY;
        }
        printf("qd add, %2d bits: largest error %.3f of the bound\n", lane_bits, worst);
        assert_true(worst <= 1.0);
    }
}

static void dd_sums_are_right(void **state)
{
    (void)state;
    double x[4], y[4];
    for (size_t k = 0; k < sizeof widths / sizeof widths[0]; k++) {
        lane_bits = widths[k];
        rng = plumb_random_start(seed + (uint64_t)lane_bits);
        double u = ldexp(1.0, -lane_bits), bound = 3 * u * u + 13 * u * u * u, worst = 0.0;
        for (int64_t i = 0; i < count && worst <= 1.0; i++) {
            operands(x, y);
            dd s = dd_add(dd_make(x[0], x[1]), dd_make(y[0], y[1]));
            double z[2] = {s.hi, s.lo};
            worst = fmax(worst, error_of(x, y, z, 2, bound));
        }
        printf("dd add, %2d bits: largest error %.3f of the bound\n", lane_bits, worst);
        assert_true(worst <= 1.0);
    }
}

int main(void)
{
    const char *count_text = getenv("PLUMB_TEST_COUNT"), *seed_text = getenv("PLUMB_TEST_SEED");
    if (count_text && strtoll(count_text, NULL, 10) > 0)
        count = strtoll(count_text, NULL, 10);
    if (seed_text)
        seed = strtoull(seed_text, NULL, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(qd_sums_are_right),
        cmocka_unit_test(dd_sums_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
