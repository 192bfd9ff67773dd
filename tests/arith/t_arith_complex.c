/* t_arith_complex.c - tests special values and the range of complex operations on every instruction set and in every
 * precision: division, modulus and square root overflow only if their result does, and lose nothing to underflow;
 * division by zero is NaN in both parts. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arith_run.h"

#define INF ((double)INFINITY)

static int is_clean(const number *x, int limbs)
{
    return is_normalised(x->limb, limbs) && is_normalised(x->limb + limbs, limbs);
}

/* (3 + 4i) 2^k has modulus 5 2^k, and for an even k the root (2 + i) 2^(k/2): exactly, over the whole range. */
static void modulus_and_root_use_the_whole_range_on(const isa_kernels *isa, int limbs)
{
    for (int k = -1074; k <= 1021; k++)
        for (int turn = 0; turn < 8; turn++) {
            double three = ldexp(turn & 1 ? -3.0 : 3.0, k), four = ldexp(turn & 2 ? -4.0 : 4.0, k);
            number x = number_of(limbs, turn & 4 ? four : three, turn & 4 ? three : four);
            number modulus = apply(isa, PLUMB_OP_ABS, limbs, PLUMB_COMPLEX, x, x, x);
            if (modulus.limb[0] != ldexp(5.0, k) || (limbs > 1 && modulus.limb[1] != 0.0))
                complain(isa, PLUMB_OP_ABS, limbs, PLUMB_COMPLEX, "not 5 2^k", &x, NULL, NULL, &modulus);
            if (k % 2 != 0 || turn & 4)
                continue;
            number root = apply(isa, PLUMB_OP_SQRT, limbs, PLUMB_COMPLEX, x, x, x);
            double re = ldexp(turn & 1 ? 1.0 : 2.0, k / 2), im = ldexp(turn & 1 ? 2.0 : 1.0, k / 2);
            if (root.limb[0] != re || root.limb[limbs] != (turn & 2 ? -im : im) ||
                (limbs > 1 && (root.limb[1] != 0.0 || root.limb[limbs + 1] != 0.0)))
                complain(isa, PLUMB_OP_SQRT, limbs, PLUMB_COMPLEX, "not (2 + i) 2^k or its mirror image", &x, NULL,
                         NULL, &root);
        }
}

static void modulus_and_root_use_the_whole_range(void **state)
{
    (void)state;
    failures = 0;
    for_every_isa(modulus_and_root_use_the_whole_range_on);
    assert_int_equal(failures, 0);
}

/* |found - expected| small, or both the same infinity; below the normal numbers some units of 2^-1074 are allowed. */
static int is_near(double found, double expected)
{
    return isinf(expected) ? found == expected : fabs(found - expected) <= fabs(expected) * 0x1p-50 + 0x1p-1072;
}

/* (3 + 4i) 2^k / ((2 + i) 2^j) = (2 + i) 2^(k-j): infinite where that is, and only there. */
static void quotient_uses_the_whole_range_on(const isa_kernels *isa, int limbs)
{
    for (int k = -1074; k <= 1021; k += k < 1021 && k + 83 > 1021 ? 1021 - k : 83)
        for (int j = -1074; j <= 1022; j += j < 1022 && j + 79 > 1022 ? 1022 - j : 79) {
            if (k - j == 1022 || k - j == 1023) /* next to the largest number: rounding decides */
                continue;
            number x = number_of(limbs, ldexp(3.0, k), ldexp(4.0, k)),
                   y = number_of(limbs, ldexp(2.0, j), ldexp(1.0, j));
            number q = apply(isa, PLUMB_OP_DIV, limbs, PLUMB_COMPLEX, x, y, x);
            if (!is_near(q.limb[0], ldexp(2.0, k - j)) || !is_near(q.limb[limbs], ldexp(1.0, k - j)))
                complain(isa, PLUMB_OP_DIV, limbs, PLUMB_COMPLEX, "not (2 + i) 2^(k-j)", &x, &y, NULL, &q);
            else if (!is_clean(&q, limbs))
                complain(isa, PLUMB_OP_DIV, limbs, PLUMB_COMPLEX, "not normalised", &x, &y, NULL, &q);
        }
    static const double sizes[] = {1e300, 1e-300, 1e308, 0x1p-1074, 0x1p-1040, 1.0};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        number z = number_of(limbs, sizes[k], sizes[k]), q = apply(isa, PLUMB_OP_DIV, limbs, PLUMB_COMPLEX, z, z, z);
        if (!is_near(q.limb[0], 1.0) || fabs(q.limb[limbs]) > 0x1p-50 || !is_clean(&q, limbs))
            complain(isa, PLUMB_OP_DIV, limbs, PLUMB_COMPLEX, "not 1", &z, &z, NULL, &q);
        number inverse = apply(isa, PLUMB_OP_INV, limbs, PLUMB_COMPLEX, z, z, z);
        if (!is_near(inverse.limb[0], 0.5 / sizes[k]) || !is_near(inverse.limb[limbs], -0.5 / sizes[k]) ||
            !is_clean(&inverse, limbs))
            complain(isa, PLUMB_OP_INV, limbs, PLUMB_COMPLEX, "not (1 - i) / (2 size)", &z, NULL, NULL, &inverse);
    }
}

static void quotient_uses_the_whole_range(void **state)
{
    (void)state;
    failures = 0;
    for_every_isa(quotient_uses_the_whole_range_on);
    assert_int_equal(failures, 0);
}

/* A modulus beyond the largest number is infinite, and has no further limbs; so has a quotient. */
static void overflow_is_infinite_on(const isa_kernels *isa, int limbs)
{
    static const double large[][2] = {{DBL_MAX, DBL_MAX}, {-DBL_MAX, 1e308}, {1.7e308, 1.7e308}, {1.3e308, -1.3e308}};
    for (size_t k = 0; k < sizeof large / sizeof large[0]; k++) {
        number z = number_of(limbs, large[k][0], large[k][1]),
               r = apply(isa, PLUMB_OP_ABS, limbs, PLUMB_COMPLEX, z, z, z);
        if (r.limb[0] != INF)
            complain(isa, PLUMB_OP_ABS, limbs, PLUMB_COMPLEX, "not infinite", &z, NULL, NULL, &r);
        else if (!is_normalised(r.limb, limbs))
            complain(isa, PLUMB_OP_ABS, limbs, PLUMB_COMPLEX, "limbs after an infinity", &z, NULL, NULL, &r);
        r = apply(isa, PLUMB_OP_SQRT, limbs, PLUMB_COMPLEX, z, z, z);
        double expected = 2.0 * sqrt(hypot(large[k][0] / 8, large[k][1] / 8) + large[k][0] / 8); /* of |z|/2 + re/2 */
        if (!is_near(r.limb[0], expected) || !isfinite(r.limb[limbs]) || !is_clean(&r, limbs))
            complain(isa, PLUMB_OP_SQRT, limbs, PLUMB_COMPLEX, "wrong", &z, NULL, NULL, &r);
        number small = number_of(limbs, 0.3, 0.1);
        r = apply(isa, PLUMB_OP_DIV, limbs, PLUMB_COMPLEX, z, small, z);
        if (!isinf(r.limb[0]) && !isinf(r.limb[limbs]))
            complain(isa, PLUMB_OP_DIV, limbs, PLUMB_COMPLEX, "not infinite", &z, &small, NULL, &r);
        else if (!is_clean(&r, limbs))
            complain(isa, PLUMB_OP_DIV, limbs, PLUMB_COMPLEX, "limbs after an infinity", &z, &small, NULL, &r);
    }
}

static void overflow_is_infinite(void **state)
{
    (void)state;
    failures = 0;
    for_every_isa(overflow_is_infinite_on);
    assert_int_equal(failures, 0);
}

static void division_by_zero_is_nan_on(const isa_kernels *isa, int limbs)
{
    static const double heads[][2] = {{1, 1}, {0, 0}, {-0.0, 5}, {DBL_MAX, -DBL_MAX}, {0x1p-1074, 0}, {INF, 1}};
    for (size_t k = 0; k < sizeof heads / sizeof heads[0]; k++)
        for (int sign = 0; sign < 4; sign++) {
            number x = number_of(limbs, heads[k][0], heads[k][1]);
            number zero = number_of(limbs, sign & 1 ? -0.0 : 0.0, sign & 2 ? -0.0 : 0.0);
            number q = apply(isa, PLUMB_OP_DIV, limbs, PLUMB_COMPLEX, x, zero, x);
            number inverse = apply(isa, PLUMB_OP_INV, limbs, PLUMB_COMPLEX, zero, zero, x);
            if (!isnan(q.limb[0]) || !isnan(q.limb[limbs]) || !is_clean(&q, limbs))
                complain(isa, PLUMB_OP_DIV, limbs, PLUMB_COMPLEX, "not NaN in both parts", &x, &zero, NULL, &q);
            if (!isnan(inverse.limb[0]) || !isnan(inverse.limb[limbs]) || !is_clean(&inverse, limbs))
                complain(isa, PLUMB_OP_INV, limbs, PLUMB_COMPLEX, "not NaN in both parts", &zero, NULL, NULL, &inverse);
        }
}

static void division_by_zero_is_nan(void **state)
{
    (void)state;
    failures = 0;
    for_every_isa(division_by_zero_is_nan_on);
    assert_int_equal(failures, 0);
}

/* Expected results with NaN as "NaN"; signs of zeros do not matter. */
typedef struct special_case {
    plumb_op op;
    double x[2], y[2], expected[2];
} special_case;

static void special_values_on(const isa_kernels *isa, int limbs)
{
    static const special_case cases[] = {
        {PLUMB_OP_ADD, {INF, 1}, {1, 1}, {INF, 2}},       {PLUMB_OP_SUB, {INF, 1}, {INF, 1}, {NAN, 0}},
        {PLUMB_OP_MUL, {INF, 0}, {1, 0}, {INF, NAN}},     {PLUMB_OP_MUL, {INF, 1}, {2, 1}, {INF, INF}},
        {PLUMB_OP_MUL, {INF, INF}, {1, 1}, {NAN, INF}},   {PLUMB_OP_MUL, {1e200, 0}, {1e200, 0}, {INF, 0}},
        {PLUMB_OP_MUL_D, {INF, 1}, {2, 0}, {INF, 2}},     {PLUMB_OP_MUL_D, {INF, 0}, {0, 0}, {NAN, 0}},
        {PLUMB_OP_DIV_D, {1, -1}, {0, 0}, {INF, -INF}},   {PLUMB_OP_DIV_D, {1, 0}, {INF, 0}, {0, 0}},
        {PLUMB_OP_ADD_D, {1, INF}, {INF, 0}, {INF, INF}}, {PLUMB_OP_SCALE, {INF, -INF}, {4, 0}, {INF, -INF}},
        {PLUMB_OP_NEG, {INF, -INF}, {0, 0}, {-INF, INF}}, {PLUMB_OP_CONJ, {1, INF}, {0, 0}, {1, -INF}},
        {PLUMB_OP_SQRT, {0, 0}, {0, 0}, {0, 0}},          {PLUMB_OP_SQRT, {-0.0, 0}, {0, 0}, {0, 0}},
        {PLUMB_OP_SQRT, {-4, 0}, {0, 0}, {0, 2}},         {PLUMB_OP_SQRT, {4, 0}, {0, 0}, {2, 0}},
        {PLUMB_OP_SQRT, {0, 2}, {0, 0}, {1, 1}},          {PLUMB_OP_SQRT, {0, -2}, {0, 0}, {1, -1}},
        {PLUMB_OP_ABS, {INF, 1}, {0, 0}, {INF, 0}},       {PLUMB_OP_ABS, {1, -INF}, {0, 0}, {INF, 0}},
        {PLUMB_OP_ABS, {-INF, INF}, {0, 0}, {INF, 0}},    {PLUMB_OP_ABS, {INF, NAN}, {0, 0}, {NAN, 0}},
        {PLUMB_OP_ABS, {NAN, INF}, {0, 0}, {NAN, 0}},     {PLUMB_OP_ABS, {NAN, 1}, {0, 0}, {NAN, 0}},
        {PLUMB_OP_ABS, {0, -0.0}, {0, 0}, {0, 0}},        {PLUMB_OP_ABS, {0, -7}, {0, 0}, {7, 0}},
        {PLUMB_OP_SQR, {1e200, 1}, {0, 0}, {INF, 2e200}}, {PLUMB_OP_DOT, {INF, 1}, {2, 1}, {INF, INF}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const special_case *c = &cases[k];
        number x = number_of(limbs, c->x[0], c->x[1]), y = number_of(limbs, c->y[0], c->y[1]);
        number found = apply(isa, c->op, limbs, PLUMB_COMPLEX, x, y, x);
        int right = 1;
        for (int part = 0; part < op_out_parts(c->op, PLUMB_COMPLEX); part++) {
            double head = found.limb[part * limbs], expected = c->expected[part];
            right &= head == expected || (isnan(head) && isnan(expected));
            right &= is_normalised(found.limb + part * limbs, limbs);
        }
        if (!right)
            complain(isa, c->op, limbs, PLUMB_COMPLEX, "wrong", &x, &y, NULL, &found);
    }
}

static void special_values_are_as_documented(void **state)
{
    (void)state;
    failures = 0;
    for_every_isa(special_values_on);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modulus_and_root_use_the_whole_range),
        cmocka_unit_test(quotient_uses_the_whole_range),
        cmocka_unit_test(overflow_is_infinite),
        cmocka_unit_test(division_by_zero_is_nan),
        cmocka_unit_test(special_values_are_as_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
