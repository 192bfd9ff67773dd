/* t_track_rounds.c - tests the rounds of a run (solver/track/rounds.h) with paths that nobody tracks: their ends are those of a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solver/track/rounds.h"

enum { PATHS = 5, ROUNDS = 4 };

/* What becomes of path k in a round: the point at which it ends, and its code; -1: it is stopped. */
typedef struct outcome {
    double at;
    int code;
} outcome;

typedef struct table {
    outcome end[ROUNDS][PATHS];
    track_end now[PATHS];
    double x[PATHS];
    int64_t tracked[ROUNDS];
    bool chosen[ROUNDS][PATHS];
} table;

static bool read_end(void *data, int64_t k, double *x, int32_t *prec, int64_t *number)
{
    const table *t = data;
    x[0] = t->x[k];
    x[1] = 0.0;
    *prec = PLUMB_D;
    *number = k;
    return true;
}

static plumb_status track(void *data, bool *todo, int64_t left, int32_t rerun)
{
    table *t = data;
    t->tracked[rerun] = left;
    for (int64_t k = 0; k < PATHS; k++) {
        const outcome *o = &t->end[rerun][k];
        t->chosen[rerun][k] = todo[k];
        if (!todo[k] || o->code < 0)
            continue;
        const plumb_path_record record = {
            .path = k, .code = (uint8_t)o->code, .prec = PLUMB_D, .error = 1e-15, .component_error = 1e-15};
        const double x[2] = {o->at, 0.0};
        t->x[k] = o->at;
        t->now[k] = track_end_of(&record, x, 1, 2, 1, NULL);
        t->now[k].known = true;
        todo[k] = false;
    }
    return PLUMB_OK;
}

static plumb_status run(table *t, int32_t reruns, bool retry, bool *stopped)
{
    bool todo[PATHS] = {false};
    track_group groups[PATHS] = {{0}};
    const track_ends ends = {
        .first = t->now, .stride = sizeof t->now[0], .count = PATHS, .unknowns = 1, .read = read_end, .data = t};
    const track_rounds rounds = {
        .ends = &ends, .groups = groups, .todo = todo, .reruns = reruns, .retry = retry, .data = t, .track = track};
    return track_rounds_run(&rounds, stopped);
}

#define GOOD(x)                 \
    {                           \
        (x), PLUMB_PATH_SUCCESS \
    }

static void paths_with_a_common_regular_end_are_tracked_again(void **state)
{
    bool stopped;
    table t = {.end = {{GOOD(1), GOOD(2), GOOD(2), GOOD(3), GOOD(4)}, {{0}, GOOD(2), GOOD(5), {0}, {0}}}};
    (void)state;
    assert_int_equal(run(&t, 3, false, &stopped), PLUMB_OK);
    assert_false(stopped);
    assert_int_equal(t.tracked[0], PATHS);
    assert_int_equal(t.tracked[1], 2);
    assert_true(t.chosen[1][1] && t.chosen[1][2]);
    assert_int_equal(t.tracked[2], 0);
}

static void there_are_no_more_rounds_than_allowed(void **state)
{
    bool stopped;
    table t = {.end = {{GOOD(1), GOOD(1), GOOD(2), GOOD(3), GOOD(4)},
                       {GOOD(1), GOOD(1), {0}, {0}, {0}},
                       {GOOD(1), GOOD(1), {0}, {0}, {0}},
                       {GOOD(1), GOOD(6), {0}, {0}, {0}}}};
    (void)state;
    assert_int_equal(run(&t, 2, false, &stopped), PLUMB_OK);
    assert_false(stopped);
    assert_int_equal(t.tracked[2], 2);
    assert_int_equal(t.tracked[3], 0);
}

static void failed_paths_are_tracked_again_where_that_is_asked_for(void **state)
{
    const outcome failed = {0, PLUMB_PATH_STEP_TOO_SMALL}, undecided = {0, PLUMB_PATH_UNDECIDED};
    (void)state;
    for (int retry = 0; retry < 2; retry++) {
        bool stopped;
        table t = {.end = {{GOOD(1), failed, undecided, GOOD(3), GOOD(4)}, {{0}, GOOD(7), {0}, {0}, {0}}}};
        assert_int_equal(run(&t, 1, retry != 0, &stopped), PLUMB_OK);
        assert_int_equal(t.tracked[1], retry);
        assert_false(stopped);
    }
}

static void a_stop_ends_the_rounds(void **state)
{
    bool stopped;
    table t = {.end = {{GOOD(1), GOOD(1), {0, -1}, GOOD(3), GOOD(4)}}};
    (void)state;
    assert_int_equal(run(&t, 2, true, &stopped), PLUMB_OK);
    assert_true(stopped);
    assert_int_equal(t.tracked[1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_with_a_common_regular_end_are_tracked_again),
        cmocka_unit_test(there_are_no_more_rounds_than_allowed),
        cmocka_unit_test(failed_paths_are_tracked_again_where_that_is_asked_for),
        cmocka_unit_test(a_stop_ends_the_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
