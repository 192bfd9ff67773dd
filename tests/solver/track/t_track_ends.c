/* t_track_ends.c - which paths end at the same point: all pairs within their tolerances are found, in whatever order they lie; what
 * plumb_track says about it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "solver/track/ends.h"

/* Endpoints of one complex unknown. */
static track_end end_at(double re, double im, double error, int32_t code)
{
    const double x[2] = {re, im};
    const plumb_path_record record = {.code = code, .error = error};
    return track_end_of(&record, x, 1, 2, 1, NULL);
}

/* The weight of the first sum has modulus 1 and an angle that is fixed: the point whose first print is p and whose second is q. */
static track_end end_with_prints(double p, double q, double error)
{
    const track_end one = end_at(1.0, 0.0, 0.0, PLUMB_PATH_SUCCESS);
    const double c = one.print[0], s = one.print[1];
    return end_at(c * p + s * q, c * q - s * p, error, PLUMB_PATH_SUCCESS);
}

/* In the order of the sums the middle endpoint differs from both others, which are the same: the first has neighbours with tight
 * tolerances, and its match comes later. */
static void later_matches_are_found(void **state)
{
    (void)state;
    track_end ends[4] = {end_with_prints(1.0, 0.0, 1e-16), end_with_prints(1.0 + 2e-8, 1e-3, 1e-16),
                         end_with_prints(1.0 + 3e-8, -1e-3, 1e-16), end_with_prints(1.0 + 5e-8, 0.0, 1e-10)};
    int32_t all[4], regular[4];
    assert_true(track_same_ends(ends, sizeof *ends, 4, all, regular));
    const int32_t expected[4] = {2, 1, 1, 2};
    assert_memory_equal(all, expected, sizeof all);
    assert_memory_equal(regular, expected, sizeof regular);

    /* The first agrees with the second; the third has a larger error and agrees with the first, but not with the second. */
    ends[0] = end_with_prints(1.0, 0.0, 1.2e-10);
    ends[1] = end_with_prints(1.0 + 0.9e-7, 0.5e-7, 1e-16);
    ends[2] = end_with_prints(1.0 + 1.1e-7, -1.5e-7, 1e-10);
    assert_true(track_same_ends(ends, sizeof *ends, 3, all, regular));
    assert_int_equal(all[0], 3);
    assert_int_equal(all[2], 3);
}

/* Against all pairs, for points in clusters with errors of all sizes; any order gives the same counts. */
static void all_pairs_are_found(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    const uint64_t seed = 20131115;
    plumb_random random = plumb_random_start(seed);
    track_end *ends = calloc(COUNT, sizeof *ends), *turned = calloc(COUNT, sizeof *turned);
    int32_t all[COUNT], regular[COUNT], again[COUNT], ignored[COUNT];
    int64_t cluster[COUNT];
    assert_true(ends && turned);
    for (int k = 0; k < COUNT; k++) {
        cluster[k] = (int64_t)plumb_random_below(&random, 100);
        const double angle = 0.06 * (double)cluster[k], error = pow(10.0, -16.0 + 5.0 * plumb_random_unit(&random));
        const double off = 100.0 * error * (plumb_random_unit(&random) - 0.5);
        ends[k] = end_at(cos(angle) + off, sin(angle) - off, error, k % 5 ? PLUMB_PATH_SUCCESS : PLUMB_PATH_SINGULAR);
        turned[COUNT - 1 - k] = ends[k];
    }
    ends[7].code = turned[COUNT - 8].code = PLUMB_PATH_AT_INFINITY;
    assert_true(track_same_ends(ends, sizeof *ends, COUNT, all, regular));
    assert_true(track_same_ends(turned, sizeof *turned, COUNT, again, ignored));
    for (int k = 0; k < COUNT; k++) {
        int32_t expected = 0, good = 0;
        for (int l = 0; l < COUNT; l++) {
            expected += l != 7 && cluster[l] == cluster[k];
            good += l != 7 && cluster[l] == cluster[k] && l % 5 != 0;
        }
        assert_int_equal(all[k], k == 7 ? 0 : expected);
        assert_int_equal(regular[k], k == 7 || k % 5 == 0 ? 0 : good);
        assert_int_equal(again[COUNT - 1 - k], all[k]);
    }
    free(ends);
    free(turned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_matches_are_found),
        cmocka_unit_test(all_pairs_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
