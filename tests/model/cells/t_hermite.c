/* t_hermite.c - tests the Hermite normal form: H = E U, H is reduced, and U is unimodular. */
#include <gmp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number/random.h"
#include "model/cells/hermite.h"

static const uint64_t seed = 1414;

enum { MOST = 12 };

/* d = det m, by elimination over the rationals. */
static void determinant(const int64_t *m, int64_t n, mpq_t d)
{
    mpq_t a[MOST * MOST], t;
    mpq_init(t);
    for (int64_t i = 0; i < n * n; i++) {
        mpq_init(a[i]);
        mpq_set_si(a[i], (long)m[i], 1);
    }
    mpq_set_si(d, 1, 1);
    for (int64_t c = 0; c < n && mpq_sgn(d) != 0; c++) {
        int64_t r = c;
        while (r < n && mpq_sgn(a[r * n + c]) == 0)
            r++;
        if (r == n) {
            mpq_set_si(d, 0, 1);
            break;
        }
        for (int64_t j = 0; r != c && j < n; j++)
            mpq_swap(a[r * n + j], a[c * n + j]);
        if (r != c)
            mpq_neg(d, d);
        mpq_mul(d, d, a[c * n + c]);
        for (int64_t i = c + 1; i < n; i++)
            for (int64_t j = n - 1; j >= c; j--) {
                mpq_div(t, a[i * n + c], a[c * n + c]);
                mpq_mul(t, t, a[c * n + j]);
                mpq_sub(a[i * n + j], a[i * n + j], t);
            }
    }
    mpq_clear(t);
    for (int64_t i = 0; i < n * n; i++)
        mpq_clear(a[i]);
}

static int sign_of_determinant(const int64_t *m, int64_t n)
{
    mpq_t d;
    mpq_init(d);
    determinant(m, n, d);
    int sign = mpq_sgn(d);
    mpq_clear(d);
    return sign;
}

static void check(int64_t n, const int64_t *e, const int64_t *h, const int64_t *u)
{
    mpz_t sum, product;
    mpq_t d;
    mpz_inits(sum, product, NULL);
    mpq_init(d);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++) {
            mpz_set_si(sum, 0);
            for (int64_t j = 0; j < n; j++) {
                mpz_set_si(product, e[i * n + j]);
                mpz_mul_si(product, product, u[j * n + k]);
                mpz_add(sum, sum, product);
            }
            assert_true(mpz_cmp_si(sum, h[i * n + k]) == 0);
            if (k > i)
                assert_int_equal(h[i * n + k], 0);
            if (k == i)
                assert_true(h[i * n + i] > 0);
            if (k < i)
                assert_true(h[i * n + k] >= 0 && h[i * n + k] < h[i * n + i]);
        }
    determinant(u, n, d);
    mpq_abs(d, d);
    assert_int_equal(mpq_cmp_si(d, 1, 1), 0);
    mpz_clears(sum, product, NULL);
    mpq_clear(d);
}

static void random_matrices_have_their_form(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(seed);
    int64_t e[MOST * MOST], h[MOST * MOST], u[MOST * MOST], checked = 0, singular = 0;
    for (int round = 0; round < 400; round++) {
        int64_t n = 1 + round % MOST;
        uint64_t most = round % 3 == 0 ? 1 : round % 3 == 1 ? 3 : 20;
        for (int64_t i = 0; i < n * n; i++)
            e[i] = (int64_t)plumb_random_below(&random, 2 * most + 1) - (int64_t)most;
        plumb_status status = plumb_hermite(n, e, h, u);
        if (status == PLUMB_ERR_SINGULAR) {
            assert_int_equal(sign_of_determinant(e, n), 0);
            singular++;
            continue;
        }
        assert_int_equal(status, PLUMB_OK);
        check(n, e, h, u);
        checked++;
    }
    assert_true(checked > 300);
    assert_true(singular > 5);
}

/* A form is its own form, and forms do not depend on column operations. */
static void forms_are_unique(void **state)
{
    (void)state;
    const int64_t e[] = {2, 4, 4, -6, 6, 12, 10, 4, 16}, f[] = {2, 0, 4, -6, 18, 12, 10, -16, 16};
    int64_t h[9], u[9], again[9], v[9];
    assert_int_equal(plumb_hermite(3, e, h, u), PLUMB_OK);
    check(3, e, h, u);
    assert_int_equal(plumb_hermite(3, f, again, v), PLUMB_OK); /* column 2 minus twice column 1 */
    assert_memory_equal(h, again, sizeof h);
    assert_int_equal(plumb_hermite(3, h, again, v), PLUMB_OK);
    assert_memory_equal(h, again, sizeof h);
    for (int64_t i = 0; i < 9; i++)
        assert_int_equal(v[i], i % 4 == 0);
}

static void large_entries_are_exact_or_refused(void **state)
{
    (void)state;
    const int64_t large = INT64_C(3037000499), prime = INT64_C(2147483647);
    int64_t h[4], u[4];
    const int64_t fits[] = {prime, prime - 1, prime - 2, prime - 4}; /* determinant -(prime + 2) */
    assert_int_equal(plumb_hermite(2, fits, h, u), PLUMB_OK);
    check(2, fits, h, u);
    assert_int_equal(h[0], 1);
    assert_int_equal(h[3], prime + 2);
    const int64_t wide[] = {large * 3, large * 3 - 1, -large * 2, large * 3 - 2}; /* a determinant above 2^63 */
    assert_int_equal(plumb_hermite(2, wide, h, u), PLUMB_ERR_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_matrices_have_their_form),
                                       cmocka_unit_test(forms_are_unique),
                                       cmocka_unit_test(large_entries_are_exact_or_refused)};
    print_message("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
