/* t_random_matrix.c - tests random matrices: each number is r e^(i theta) of the random choices, correct to the last
 * limb, for any layout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "base/number/random.h"
#include "text/matrix/random.h"

enum { M = 7, N = 5, BITS = 700, MOST = 2 * PLUMB_QD * M * N };

static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};

static plumb_view dense(double *memory, int32_t prec, int32_t parts)
{
    plumb_view v;
    assert_int_equal(plumb_view_init(&v, memory, PLUMB_HOST, prec, parts, M, N, 1, NULL), PLUMB_OK);
    return v;
}

/* The limbs of the same number computed the direct way, cos(2 pi u) 10^(g (2 v - 1)), with far more bits. */
static void oracle(double u, double v, int unit, double g, int part, int32_t prec, double *limbs)
{
    mpfr_t x, r;
    mpfr_inits2(BITS, x, r, (mpfr_ptr)0);
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_mul_d(x, x, 2 * u, MPFR_RNDN);
    (part == 0 ? mpfr_cos : mpfr_sin)(x, x, MPFR_RNDN);
    mpfr_set_d(r, v, MPFR_RNDN);
    mpfr_mul_ui(r, r, 2, MPFR_RNDN);
    mpfr_sub_ui(r, r, 1, MPFR_RNDN);
    mpfr_mul_d(r, r, g, MPFR_RNDN);
    mpfr_ui_pow(r, 10, r, MPFR_RNDN);
    if (!unit)
        mpfr_mul(x, x, r, MPFR_RNDN);
    for (int32_t k = 0; k < prec; k++) {
        limbs[k] = mpfr_get_d(x, MPFR_RNDN);
        mpfr_sub_d(x, x, limbs[k], MPFR_RNDN);
    }
    mpfr_clears(x, r, (mpfr_ptr)0);
}

static void check_all(int32_t prec, int unit, double g, uint64_t seed)
{
    double memory[MOST], limbs[PLUMB_QD];
    plumb_view v = dense(memory, prec, PLUMB_COMPLEX);
    assert_int_equal(plumb_random_matrix(&v, unit, g, seed), PLUMB_OK);
    plumb_random random = plumb_random_start(seed);
    for (int64_t e = 0; e < M * N; e++) { /* column by column */
        double turn = plumb_random_unit(&random), exponent = plumb_random_unit(&random);
        for (int part = 0; part < 2; part++) {
            oracle(turn, exponent, unit, g, part, prec, limbs);
            for (int32_t k = 0; k < prec; k++)
                assert_true(limbs[k] == memory[(part * prec + k) * M * N + e]);
        }
    }
}

static void random_matrix_is_correct_to_the_last_limb(void **state)
{
    (void)state;
    for (size_t p = 0; p < 3; p++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            check_all(precisions[p], 1, 0, seed);
            check_all(precisions[p], 0, 0, seed);
            check_all(precisions[p], 0, 3.7, seed);
            check_all(precisions[p], 0, 32, seed);
        }
}

/* 10^-300 has no room for four limbs: the lower ones become subnormal and then zero, but nothing is infinite or NaN. */
static void random_matrix_stays_in_range(void **state)
{
    (void)state;
    double memory[MOST];
    plumb_view v = dense(memory, PLUMB_QD, PLUMB_COMPLEX);
    assert_int_equal(plumb_random_matrix(&v, 0, 300, 5), PLUMB_OK);
    for (int i = 0; i < MOST; i++)
        assert_true(isfinite(memory[i]) && fabs(memory[i]) <= 1.0000001e300);
}

/* Results name their seeds: these bits stay. */
static void random_matrix_keeps_its_numbers(void **state)
{
    (void)state;
    double memory[MOST];
    plumb_view v = dense(memory, PLUMB_DD, PLUMB_COMPLEX);
    assert_int_equal(plumb_random_matrix(&v, 1, 0, 1), PLUMB_OK);
    double turn = (double)(UINT64_C(0x5c5b2489b31beb7b) >> 11) * 0x1p-53; /* the first word of seed 1 */
    assert_true(fabs(memory[0] - cos(6.283185307179586 * turn)) < 1e-15);
    assert_true(fabs(memory[2 * M * N] - sin(6.283185307179586 * turn)) < 1e-15);
}

/* Strides, a batch, and real parts alone: the same numbers in other places, and nothing else is touched. */
static void random_matrix_fits_any_view(void **state)
{
    (void)state;
    enum { COL = M + 3, PLANE = COL * N + 2, NEXT = PLANE * PLUMB_QD * 2 + 5 };
    static double memory[2 * NEXT];
    double plain[2 * MOST];
    for (int i = 0; i < 2 * NEXT; i++)
        memory[i] = 123.0;
    plumb_view wide = {memory, M, N, 2, PLANE, COL, NEXT, PLUMB_QD, PLUMB_REAL, PLUMB_HOST, 0}, batch;
    assert_int_equal(plumb_view_init(&batch, plain, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, M, N, 2, NULL), PLUMB_OK);
    assert_int_equal(plumb_random_matrix(&wide, 0, 8, 9), PLUMB_OK);
    assert_int_equal(plumb_random_matrix(&batch, 0, 8, 9), PLUMB_OK);
    int touched = 0;
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < PLUMB_QD; k++)
            for (int j = 0; j < N; j++)
                for (int i = 0; i < M; i++)
                    assert_true(memory[b * NEXT + k * PLANE + j * COL + i] == plain[b * MOST + (k * N + j) * M + i]);
    for (int i = 0; i < 2 * NEXT; i++)
        touched += memory[i] != 123.0;
    assert_int_equal(touched, 2 * PLUMB_QD * M * N);
    assert_memory_not_equal(plain, plain + MOST, MOST * sizeof plain[0]);
}

static void random_matrix_refuses_nonsense(void **state)
{
    (void)state;
    double memory[MOST];
    plumb_view v = dense(memory, PLUMB_D, PLUMB_COMPLEX), device = v;
    device.where = PLUMB_DEVICE;
    assert_int_equal(plumb_random_matrix(NULL, 1, 0, 1), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_random_matrix(&device, 1, 0, 1), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_random_matrix(&v, 0, -1, 1), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_random_matrix(&v, 0, 301, 1), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_random_matrix(&v, 0, (double)NAN, 1), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_random_matrix(&v, 1, (double)NAN, 1), PLUMB_OK); /* not looked at */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrix_is_correct_to_the_last_limb),
        cmocka_unit_test(random_matrix_stays_in_range),
        cmocka_unit_test(random_matrix_keeps_its_numbers),
        cmocka_unit_test(random_matrix_fits_any_view),
        cmocka_unit_test(random_matrix_refuses_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
