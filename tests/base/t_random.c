/* t_random.c - tests base/number/random: the same seed gives the same numbers on every machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/number/random.h"

static void next_repeats_for_a_seed(void **state)
{
    (void)state;
    plumb_random a = plumb_random_start(7), b = plumb_random_start(7), other = plumb_random_start(8);
    int differ = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t word = plumb_random_next(&a);
        assert_true(word == plumb_random_next(&b));
        differ += word != plumb_random_next(&other);
    }
    assert_true(differ > 990);
}

/* Held fast: results in papers and reports name their seeds. */
static void next_keeps_its_sequence(void **state)
{
    (void)state;
    plumb_random r = plumb_random_start(1);
    static const uint64_t first[] = {UINT64_C(0x5c5b2489b31beb7b), UINT64_C(0xe6c3d212b3317fcc),
                                     UINT64_C(0x278db1d3aa85d562), UINT64_C(0x092e0f512077dccc)};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        assert_true(plumb_random_next(&r) == first[i]);
}

static void skip_equals_calls(void **state)
{
    (void)state;
    plumb_random a = plumb_random_start(3), b = a;
    for (int i = 0; i < 1234; i++)
        (void)plumb_random_next(&a);
    plumb_random_skip(&b, 1234);
    assert_true(plumb_random_next(&a) == plumb_random_next(&b));
}

static void unit_is_uniform(void **state)
{
    (void)state;
    plumb_random r = plumb_random_start(11);
    int tenth[10] = {0};
    for (int i = 0; i < 100000; i++) {
        double u = plumb_random_unit(&r);
        assert_true(u >= 0.0 && u < 1.0);
        tenth[(int)(10.0 * u)]++;
    }
    for (int k = 0; k < 10; k++) /* six standard deviations are 570 */
        assert_in_range(tenth[k], 10000 - 570, 10000 + 570);
}

static void below_stays_below(void **state)
{
    (void)state;
    plumb_random r = plumb_random_start(13);
    int seen[7] = {0};
    for (int i = 0; i < 70000; i++)
        seen[plumb_random_below(&r, 7)]++;
    for (int k = 0; k < 7; k++)
        assert_in_range(seen[k], 10000 - 560, 10000 + 560);
    for (int i = 0; i < 100; i++)
        assert_true(plumb_random_below(&r, UINT64_MAX) < UINT64_MAX);
    assert_true(plumb_random_below(&r, 1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_repeats_for_a_seed), cmocka_unit_test(next_keeps_its_sequence),
        cmocka_unit_test(skip_equals_calls),       cmocka_unit_test(unit_is_uniform),
        cmocka_unit_test(below_stays_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
