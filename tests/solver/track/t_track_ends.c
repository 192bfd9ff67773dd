/* t_track_ends.c - which paths end at the same point: endpoints agree within multiples of their errors and are never
 * joined in chains, at the origin, far from it, and in all digits; any order gives the same groups. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number/random.h"
#include "solver/track/ends.h"

enum { MOST = 600, MOST_UNKNOWNS = 2 };

/* Endpoints in qd, some of whose limbs are zero. */
typedef struct end_list {
    int64_t count, unknowns, reads;
    track_end end[MOST];
    double x[MOST][MOST_UNKNOWNS * 2 * PLUMB_QD];
    track_group group[MOST];
} end_list;

static bool read_end(void *data, int64_t k, double *x, int32_t *prec, int64_t *number)
{
    end_list *list = data;
    list->reads++;
    memcpy(x, list->x[k], (size_t)list->unknowns * 2 * PLUMB_QD * sizeof *x);
    *prec = PLUMB_QD;
    *number = k;
    return true;
}

/* Adds an endpoint whose unknowns are real, each the sum of two doubles. */
static void add(end_list *list, int32_t code, double error, const double (*value)[2])
{
    const plumb_path_record record = {.code = code, .component_error = error, .condition = 1.0};
    double *x = list->x[list->count];
    memset(x, 0, sizeof list->x[0]);
    for (int64_t i = 0; i < list->unknowns; i++) {
        x[2 * PLUMB_QD * i] = value[i][0];
        x[2 * PLUMB_QD * i + 1] = value[i][1];
    }
    list->end[list->count++] = track_end_of(&record, x, list->unknowns, 2 * PLUMB_QD, PLUMB_QD, NULL);
}

static void add_one(end_list *list, int32_t code, double error, double hi, double lo)
{
    const double value[1][2] = {{hi, lo}};
    add(list, code, error, value);
}

static void group(end_list *list)
{
    const track_ends ends = {.first = list->end,
                             .stride = sizeof *list->end,
                             .count = list->count,
                             .unknowns = list->unknowns,
                             .read = read_end,
                             .data = list};
    assert_int_equal(track_ends_group(&ends, list->group), PLUMB_OK);
}

static end_list *make_list(int64_t unknowns)
{
    end_list *list = calloc(1, sizeof *list);
    assert_non_null(list);
    list->unknowns = unknowns;
    return list;
}

/* Each agrees with the next one, the first and the last do not. */
static void groups_are_no_chains(void **state)
{
    (void)state;
    end_list *list = make_list(1);
    for (int k = 0; k < 20; k++)
        add_one(list, PLUMB_PATH_SUCCESS, 1e-12, 1.0 + 1.5e-11 * k, 0.0);
    group(list);
    for (int k = 0; k < 20; k++)
        for (int l = 0; l < k; l++)
            if (list->group[k].centre == list->group[l].centre)
                assert_true(1.5e-11 * (k - l) <= 2 * 2e-11 + 1e-15); /* both within a tolerance of their centre */
    assert_int_not_equal(list->group[0].centre, list->group[19].centre);
    free(list);
}

/* Roots down to 10^-30 apart are distinct if their errors are smaller, and not distinguished if they are not. */
static void close_roots_are_told_apart_by_their_errors(void **state)
{
    (void)state;
    for (int places = 6; places <= 30; places += 4) {
        const double apart = pow(10.0, -places);
        end_list *list = make_list(1);
        for (int k = 0; k < 3; k++)
            add_one(list, PLUMB_PATH_SUCCESS, 1e-2 * apart, 1.0, k * apart);
        group(list);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(list->group[k].all, 1);
            assert_int_equal(list->group[k].regular, 1);
            assert_false(list->group[k].doubtful);
        }
        for (int k = 0; k < 3; k++)
            list->end[k].error = 10 * apart;
        group(list);
        for (int k = 0; k < 3; k++)
            assert_int_equal(list->group[k].regular, 3);
        free(list);
    }
}

/* At the origin, where nothing is relative, and where unknowns are of very different sizes. */
static void sizes_do_not_matter(void **state)
{
    (void)state;
    end_list *list = make_list(2);
    const double origin[4][2][2] = {
        {{1e-20, 0}, {0, 0}}, {{-3e-13, 0}, {1e-13, 0}}, {{0, 0}, {-2e-25, 0}}, {{0, 0}, {0, 0}}};
    for (int k = 0; k < 4; k++)
        add(list, PLUMB_PATH_SINGULAR, 1e-12, origin[k]);
    const double large[4][2][2] = {
        {{1e14, 0}, {1, 0}}, {{1e14, 1e-3}, {1, 1e-17}}, {{1e14, 0}, {2, 0}}, {{1e12, 0}, {1, 0}}};
    for (int k = 0; k < 4; k++)
        add(list, PLUMB_PATH_SUCCESS, 1e-15, large[k]);
    group(list);
    for (int k = 0; k < 4; k++)
        assert_int_equal(list->group[k].all, 4);
    assert_int_equal(list->group[4].all, 2);
    assert_int_equal(list->group[5].all, 2);
    assert_int_equal(list->group[6].all, 1);
    assert_int_equal(list->group[7].all, 1);
    free(list);
}

/* A singular endpoint whose error reaches a regular one, and one that could belong to two points. */
static void contradictions_are_doubtful(void **state)
{
    (void)state;
    end_list *list = make_list(1);
    add_one(list, PLUMB_PATH_SUCCESS, 1e-15, 1.0, 0.0);
    add_one(list, PLUMB_PATH_SINGULAR, 1e-7, 1.0 + 1e-8, 0.0);
    add_one(list, PLUMB_PATH_SINGULAR, 1e-9, 3.0, 0.0);
    add_one(list, PLUMB_PATH_SINGULAR, 1e-9, 3.0 + 1e-6, 0.0);
    add_one(list, PLUMB_PATH_SINGULAR, 1e-7, 3.0 + 0.5e-6, 0.0);
    group(list);
    static const bool expected[] = {false, true, false, false, true};
    for (int k = 0; k < 5; k++)
        assert_int_equal(list->group[k].doubtful, expected[k]);
    assert_int_equal(list->group[0].all, 1);
    free(list);
}

/* The first in the order of the sums has neighbours that differ, and its match comes later. Only endpoints whose
 * fingerprints agree are read. */
static void later_matches_are_found(void **state)
{
    (void)state;
    end_list *list = make_list(2);
    const plumb_random start = plumb_random_start(7);
    plumb_random random = start;
    for (int k = 0; k < 400; k++) {
        const double value[2][2] = {{plumb_random_unit(&random), 0}, {plumb_random_unit(&random), 0}};
        add(list, PLUMB_PATH_SUCCESS, 1e-15, value);
    }
    random = start;
    for (int k = 0; k < 100; k++) {
        const double value[2][2] = {{plumb_random_unit(&random) + 1e-15, 0}, {plumb_random_unit(&random), 0}};
        add(list, PLUMB_PATH_SUCCESS, 1e-15, value);
    }
    group(list);
    for (int k = 0; k < 500; k++)
        assert_int_equal(list->group[k].regular, k < 100 || k >= 400 ? 2 : 1);
    assert_int_equal(list->reads, 200);
    free(list);
}

/* Points in clusters with errors of all sizes, some regular and some singular, in two orders; one path went elsewhere. */
static void any_order_gives_the_same_groups(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    const uint64_t seed = 20131115;
    plumb_random random = plumb_random_start(seed);
    end_list *list = make_list(1), *turned = make_list(1);
    int64_t cluster[COUNT];
    for (int k = 0; k < COUNT; k++) {
        cluster[k] = (int64_t)plumb_random_below(&random, 100);
        const double error = pow(10.0, -16.0 + 5.0 * plumb_random_unit(&random));
        const double off = error * (2.0 * plumb_random_unit(&random) - 1.0);
        add_one(list, cluster[k] % 5 ? PLUMB_PATH_SUCCESS : PLUMB_PATH_SINGULAR, error, 0.06 * (double)cluster[k], off);
    }
    list->end[7].code = PLUMB_PATH_AT_INFINITY;
    for (int k = 0; k < COUNT; k++) {
        turned->end[COUNT - 1 - k] = list->end[k];
        memcpy(turned->x[COUNT - 1 - k], list->x[k], sizeof list->x[k]);
    }
    turned->count = COUNT;
    group(list);
    group(turned);
    for (int k = 0; k < COUNT; k++) {
        int32_t expected = 0;
        for (int l = 0; l < COUNT; l++)
            expected += l != 7 && cluster[l] == cluster[k];
        assert_int_equal(list->group[k].all, k == 7 ? 0 : expected);
        assert_int_equal(list->group[k].regular, k == 7 || cluster[k] % 5 == 0 ? 0 : expected);
        assert_int_equal(turned->group[COUNT - 1 - k].all, list->group[k].all);
        assert_int_equal(list->group[k].centre < 0, k == 7);
        assert_false(list->group[k].doubtful);
    }
    free(list);
    free(turned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_no_chains),    cmocka_unit_test(close_roots_are_told_apart_by_their_errors),
        cmocka_unit_test(sizes_do_not_matter),     cmocka_unit_test(contradictions_are_doubtful),
        cmocka_unit_test(later_matches_are_found), cmocka_unit_test(any_order_gives_the_same_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
