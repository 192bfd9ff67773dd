/* t_view.c - tests base/array/view and base/array/runs: valid and invalid views, overlap of views, and the division of loops into
 * runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/array/runs.h"
#include "base/array/view.h"
#include "base/number/random.h"

static double memory[4096];

static void init_is_dense(void **state)
{
    (void)state;
    plumb_view v;
    int64_t doubles = -1;
    assert_int_equal(plumb_view_init(&v, memory, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, 3, 5, 2, &doubles), PLUMB_OK);
    assert_int_equal(doubles, 3 * 5 * 8 * 2);
    assert_int_equal(v.col, 3);
    assert_int_equal(v.plane, 15);
    assert_int_equal(v.next, 120);
    assert_int_equal(plumb_view_check(&v, "v", NULL, 0), PLUMB_OK);
    assert_int_equal(plumb_view_span(&v), doubles);
    assert_int_equal(plumb_view_init(&v, NULL, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 0, 5, 2, NULL), PLUMB_OK);
    assert_int_equal(plumb_view_check(&v, "v", NULL, 0), PLUMB_OK);
    assert_int_equal(plumb_view_span(&v), 0);
}

static void init_refuses_bad_arguments(void **state)
{
    (void)state;
    plumb_view v;
    assert_int_equal(plumb_view_init(NULL, memory, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 1, 1, 1, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_view_init(&v, memory, PLUMB_HOST, 3, PLUMB_REAL, 1, 1, 1, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_view_init(&v, memory, PLUMB_HOST, PLUMB_D, 3, 1, 1, 1, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_view_init(&v, memory, 2, PLUMB_D, PLUMB_REAL, 1, 1, 1, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_view_init(&v, memory, PLUMB_HOST, PLUMB_D, PLUMB_REAL, -1, 1, 1, NULL), PLUMB_ERR_ARGUMENT);
    const int64_t big = INT64_C(1) << 31;
    assert_int_equal(plumb_view_init(&v, memory, PLUMB_HOST, PLUMB_D, PLUMB_REAL, big, big, 1, NULL), PLUMB_ERR_SIZE);
    assert_int_equal(plumb_view_init(&v, memory, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, big, big / 4, 1, NULL),
                     PLUMB_ERR_SIZE);
    assert_int_equal(plumb_view_init(&v, memory, PLUMB_HOST, PLUMB_D, PLUMB_REAL, INT64_MAX, 1, 1, NULL),
                     PLUMB_ERR_SIZE);
    assert_int_equal(plumb_view_init(&v, memory, PLUMB_HOST, PLUMB_D, PLUMB_REAL, big, big, big, NULL), PLUMB_ERR_SIZE);
}

static plumb_view dense(int64_t rows, int64_t cols, int64_t batch)
{
    plumb_view v;
    assert_int_equal(plumb_view_init(&v, memory, PLUMB_HOST, PLUMB_DD, PLUMB_REAL, rows, cols, batch, NULL), PLUMB_OK);
    return v;
}

#define ASSERT_REFUSED(view, status, text)                                                \
    do {                                                                                  \
        char message_[200] = "";                                                          \
        assert_int_equal(plumb_view_check(view, "A", message_, sizeof message_), status); \
        assert_non_null(strstr(message_, text));                                          \
        assert_memory_equal(message_, "A: ", 3);                                          \
    } while (0)

static void check_names_what_is_wrong(void **state)
{
    (void)state;
    plumb_view v = dense(4, 3, 2);
    ASSERT_REFUSED(NULL, PLUMB_ERR_ARGUMENT, "NULL");
    v.col = 3;
    ASSERT_REFUSED(&v, PLUMB_ERR_ARGUMENT, "col");
    v.col = -4;
    ASSERT_REFUSED(&v, PLUMB_ERR_ARGUMENT, "col");
    v = dense(4, 3, 2), v.plane = 11;
    ASSERT_REFUSED(&v, PLUMB_ERR_ARGUMENT, "plane");
    v = dense(4, 3, 2), v.next = 23;
    ASSERT_REFUSED(&v, PLUMB_ERR_ARGUMENT, "next");
    v = dense(4, 3, 2), v.next = INT64_MAX;
    ASSERT_REFUSED(&v, PLUMB_ERR_SIZE, "spans");
    v = dense(4, 3, 2), v.next = INT64_MAX / 8;
    ASSERT_REFUSED(&v, PLUMB_ERR_SIZE, "spans");
    v = dense(4, 3, 2), v.rows = -1;
    ASSERT_REFUSED(&v, PLUMB_ERR_ARGUMENT, "shape");
    v = dense(4, 3, 2), v.prec = 8;
    ASSERT_REFUSED(&v, PLUMB_ERR_ARGUMENT, "precision");
    v = dense(4, 3, 2), v.parts = 0;
    ASSERT_REFUSED(&v, PLUMB_ERR_ARGUMENT, "parts");
    v = dense(4, 3, 2), v.where = 7;
    ASSERT_REFUSED(&v, PLUMB_ERR_ARGUMENT, "where");
    v = dense(4, 3, 2), v.reserved = 1;
    ASSERT_REFUSED(&v, PLUMB_ERR_ARGUMENT, "reserved");
    v = dense(4, 3, 2), v.data = NULL;
    ASSERT_REFUSED(&v, PLUMB_ERR_ARGUMENT, "NULL");
    v = dense(4, 3, 2), v.data = (double *)(void *)((char *)memory + 4);
    ASSERT_REFUSED(&v, PLUMB_ERR_ARGUMENT, "aligned");
}

static void check_ignores_strides_nobody_walks(void **state)
{
    (void)state;
    plumb_view v = dense(4, 1, 1);
    v.col = -1, v.next = 0;
    assert_int_equal(plumb_view_check(&v, "v", NULL, 0), PLUMB_OK);
    v = dense(4, 3, 2), v.plane = 4, v.col = 8; /* the planes of a column side by side */
    assert_int_equal(plumb_view_check(&v, "v", NULL, 0), PLUMB_OK);
}

/* A random valid view inside memory: the three strides nest in a random order, with random gaps. */
static plumb_view random_view(plumb_random *r)
{
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
    plumb_view v = {.data = memory + plumb_random_below(r, 60),
                    .rows = 1 + (int64_t)plumb_random_below(r, 4),
                    .cols = 1 + (int64_t)plumb_random_below(r, 4),
                    .batch = 1 + (int64_t)plumb_random_below(r, 3),
                    .prec = precisions[plumb_random_below(r, 3)],
                    .parts = 1 + (int32_t)plumb_random_below(r, 2)};
    int64_t *stride[3] = {&v.col, &v.plane, &v.next}, count[3] = {v.cols, view_planes(&v), v.batch};
    int64_t extent = v.rows;
    int first = (int)plumb_random_below(r, 3), step = 1 + (int)plumb_random_below(r, 2);
    for (int k = 0; k < 3; k++) {
        int d = (first + k * step) % 3;
        *stride[d] = extent + (int64_t)(plumb_random_below(r, 3) * plumb_random_below(r, 10));
        extent += (count[d] - 1) * *stride[d];
    }
    assert_int_equal(plumb_view_check(&v, "v", NULL, 0), PLUMB_OK);
    assert_true(v.data + plumb_view_span(&v) <= memory + sizeof memory / sizeof memory[0]);
    return v;
}

/* Marks the places of a view; the number of places that were marked already. */
static int mark(const plumb_view *v, unsigned char *marks)
{
    int met = 0;
    for (int64_t b = 0; b < v->batch; b++)
        for (int64_t c = 0; c < view_planes(v); c++)
            for (int64_t j = 0; j < v->cols; j++)
                for (int64_t i = 0; i < v->rows; i++) {
                    unsigned char *place = &marks[v->data - memory + b * v->next + c * v->plane + j * v->col + i];
                    met += *place;
                    *place = 1;
                }
    return met;
}

static void overlap_is_exact(void **state)
{
    (void)state;
    const uint64_t seed = 20260101;
    printf("overlap_is_exact: seed %llu\n", (unsigned long long)seed);
    plumb_random r = plumb_random_start(seed);
    int overlapping = 0, apart_within_spans = 0;
    for (int trial = 0; trial < 30000; trial++) {
        plumb_view a = random_view(&r), b = random_view(&r);
        if (trial % 2) { /* two blocks of one array */
            b = a;
            b.data = memory + plumb_random_below(&r, 200);
        }
        unsigned char marks[4096] = {0};
        assert_int_equal(mark(&a, marks), 0); /* a view never meets itself */
        int expected = mark(&b, marks) > 0;
        assert_int_equal(plumb_view_overlap(&a, &b), expected);
        assert_int_equal(plumb_view_overlap(&b, &a), expected);
        overlapping += expected;
        apart_within_spans +=
            !expected && a.data < b.data + plumb_view_span(&b) && b.data < a.data + plumb_view_span(&a);
    }
    printf("overlap_is_exact: %d overlapped, %d did not although their spans did\n", overlapping, apart_within_spans);
    assert_true(overlapping > 1000 && apart_within_spans > 1000);
}

static void same_compares_places(void **state)
{
    (void)state;
    plumb_view a = dense(4, 1, 1), b = a;
    b.col = 99; /* one column: nobody walks it */
    assert_true(plumb_view_same(&a, &b));
    b.plane++;
    assert_false(plumb_view_same(&a, &b));
    b = a, b.data++;
    assert_false(plumb_view_same(&a, &b));
    b = a, b.rows--;
    assert_false(plumb_view_same(&a, &b));
}

static void runs_visit_every_entry_once(void **state)
{
    (void)state;
    plumb_random r = plumb_random_start(5);
    for (int trial = 0; trial < 2000; trial++) {
        plumb_view v = random_view(&r);
        runs loop = {v.rows, {v.cols, view_planes(&v), v.batch}, {{0}}};
        for (int k = 0; k < RUNS_OPERANDS; k++)
            loop.step[0][k] = v.col, loop.step[1][k] = v.plane, loop.step[2][k] = v.next;
        plumb_runs_merge(&loop);
        unsigned char expected[4096] = {0}, seen[4096] = {0};
        mark(&v, expected);
        for (int64_t k = 0; k < runs_total(&loop); k++)
            for (int64_t i = 0; i < loop.length; i++)
                assert_int_equal(seen[v.data - memory + runs_offset(&loop, k, 3) + i]++, 0);
        assert_memory_equal(seen, expected, sizeof seen);
    }
}

static void runs_of_dense_arrays_are_one(void **state)
{
    (void)state;
    plumb_view v = dense(4, 3, 2);
    runs loop = {v.rows, {v.cols, view_planes(&v), v.batch}, {{0}}};
    for (int k = 0; k < RUNS_OPERANDS; k++)
        loop.step[0][k] = v.col, loop.step[1][k] = v.plane, loop.step[2][k] = v.next;
    plumb_runs_merge(&loop);
    assert_int_equal(loop.length, plumb_view_span(&v));
    assert_int_equal(runs_total(&loop), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init_is_dense),
        cmocka_unit_test(init_refuses_bad_arguments),
        cmocka_unit_test(check_names_what_is_wrong),
        cmocka_unit_test(check_ignores_strides_nobody_walks),
        cmocka_unit_test(overlap_is_exact),
        cmocka_unit_test(same_compares_places),
        cmocka_unit_test(runs_visit_every_entry_once),
        cmocka_unit_test(runs_of_dense_arrays_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
