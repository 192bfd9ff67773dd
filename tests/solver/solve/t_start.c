/* t_start.c - tests start systems that a program uses itself: their solutions solve them, each depends on its number alone, and
 * homotopies from there lead to the solutions that plumb_solve finds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plumb.h"

static plumb_context *context;

static int make_context(void **state)
{
    (void)state;
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    return plumb_context_create(&options, &context) != PLUMB_OK;
}

static int end_context(void **state)
{
    (void)state;
    plumb_context_destroy(context);
    return 0;
}

static plumb_system *parse(const char *text)
{
    plumb_system *system = NULL;
    assert_int_equal(plumb_system_parse(text, strlen(text), &system, NULL), PLUMB_OK);
    return system;
}

static plumb_view points(int32_t prec, int64_t unknowns, int64_t count)
{
    plumb_view x;
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, unknowns, 1, count, &x), PLUMB_OK);
    return x;
}

static plumb_start *start_of(const plumb_system *target, int32_t kind)
{
    plumb_start *start = NULL;
    plumb_start_options options;
    plumb_start_options_init(&options);
    options.kind = kind;
    assert_int_equal(plumb_start_create(context, target, &options, &start), PLUMB_OK);
    return start;
}

/* An eigenvalue problem with 3 solutions; total degree has 4 paths, two groups of unknowns have 3, and so have mixed cells. */
static const char eigen[] = "(2 - z)*x + y + 3; x*5 + (1 - z)*y - 2; 3*x - 7*y + (4 - z);";

/* Solutions of a start system have small values there. */
static void check_solutions(const plumb_start *start, const plumb_view *x)
{
    const plumb_system *system = plumb_start_system(start);
    plumb_view values = points(x->prec, plumb_system_equations(system), x->batch);
    assert_int_equal(plumb_system_eval(context, system, x, &values, NULL, NULL), PLUMB_OK);
    for (int64_t k = 0; k < x->batch; k++)
        for (int64_t i = 0; i < values.rows; i++)
            assert_true(hypot(values.data[k * values.next + i],
                              values.data[k * values.next + values.prec * values.plane + i]) < 1e-11);
    plumb_array_destroy(context, &values);
}

static void every_kind_leads_to_the_solutions(void **state)
{
    (void)state;
    static const int64_t expected[] = {3, 4, 3, 3};
    plumb_system *target = parse(eigen);
    for (int32_t kind = PLUMB_START_AUTO; kind <= PLUMB_START_POLYHEDRAL; kind++) {
        plumb_start *start = start_of(target, kind);
        const int64_t paths = plumb_start_paths(start);
        assert_int_equal(paths, expected[kind]);
        assert_true(kind == PLUMB_START_AUTO ? plumb_start_kind(start) != kind : plumb_start_kind(start) == kind);
        plumb_view x = points(PLUMB_D, 3, paths), ends = points(PLUMB_QD, 3, paths);
        assert_int_equal(plumb_start_solutions(context, start, NULL, &x), PLUMB_OK);
        check_solutions(start, &x);
        plumb_homotopy_options options;
        plumb_homotopy *homotopy = NULL;
        plumb_homotopy_options_init(&options);
        options.projective = 1;
        assert_int_equal(plumb_start_homotopy(start, target, &options, &homotopy), PLUMB_OK);
        plumb_path_record records[4];
        assert_int_equal(plumb_track(context, homotopy, &x, &ends, NULL, records), PLUMB_OK);
        int64_t arrived = 0;
        for (int64_t k = 0; k < paths; k++)
            arrived += records[k].code == PLUMB_PATH_SUCCESS && records[k].multiplicity == 1;
        assert_int_equal(arrived, 3);
        plumb_array_destroy(context, &x);
        plumb_array_destroy(context, &ends);
        plumb_homotopy_destroy(homotopy);
        plumb_start_destroy(start);
    }
    plumb_system_destroy(target);
}

static void a_solution_depends_on_its_number_alone(void **state)
{
    (void)state;
    plumb_system *target = parse(eigen);
    for (int32_t kind = PLUMB_START_TOTAL; kind <= PLUMB_START_POLYHEDRAL; kind++) {
        plumb_start *start = start_of(target, kind), *again = start_of(target, kind);
        plumb_view all = points(PLUMB_QD, 3, 3), some = points(PLUMB_QD, 3, 2);
        static const int64_t numbers[] = {0, 2};
        assert_int_equal(plumb_start_solutions(context, start, NULL, &all), PLUMB_OK);
        assert_int_equal(plumb_start_solutions(context, again, numbers, &some), PLUMB_OK);
        for (int64_t k = 0; k < 2; k++)
            for (int64_t i = 0; i < 3; i++)
                for (int64_t c = 0; c < 8; c++)
                    assert_true(some.data[k * some.next + c * some.plane + i] ==
                                all.data[numbers[k] * all.next + c * all.plane + i]);
        plumb_array_destroy(context, &all);
        plumb_array_destroy(context, &some);
        plumb_start_destroy(start);
        plumb_start_destroy(again);
    }
    plumb_system_destroy(target);
}

static void what_makes_no_start_is_refused(void **state)
{
    (void)state;
    plumb_system *target = parse(eigen), *wide = parse("x + y;"), *constant = parse("x + y - 1; 5;");
    plumb_start *start = NULL;
    plumb_start_options options;
    plumb_start_options_init(NULL);
    plumb_start_options_init(&options);
    assert_int_equal(plumb_start_create(NULL, target, NULL, &start), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_start_create(context, NULL, NULL, &start), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_start_create(context, target, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_start_create(context, wide, NULL, &start), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_start_create(context, constant, NULL, &start), PLUMB_ERR_ARGUMENT);
    options.kind = 4;
    assert_int_equal(plumb_start_create(context, target, &options, &start), PLUMB_ERR_ARGUMENT);
    options.kind = PLUMB_START_POLYHEDRAL;
    options.max_work = 1;
    assert_int_equal(plumb_start_create(context, target, &options, &start), PLUMB_ERR_STOPPED);
    assert_null(start);
    start = start_of(target, PLUMB_START_TOTAL);
    plumb_view x = points(PLUMB_D, 3, 2), flat = points(PLUMB_D, 2, 1);
    static const int64_t beyond[] = {1, 4}, twice[] = {1, 1}, negative[] = {-1, 0};
    assert_int_equal(plumb_start_solutions(NULL, start, NULL, &x), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_start_solutions(context, NULL, NULL, &x), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_start_solutions(context, start, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_start_solutions(context, start, NULL, &flat), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_start_solutions(context, start, beyond, &x), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "from 0 to 3"));
    assert_int_equal(plumb_start_solutions(context, start, twice, &x), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_start_solutions(context, start, negative, &x), PLUMB_ERR_ARGUMENT);
    plumb_homotopy *homotopy = NULL;
    assert_int_equal(plumb_start_homotopy(NULL, target, NULL, &homotopy), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_start_homotopy(start, NULL, NULL, &homotopy), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_start_homotopy(start, target, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_null(homotopy);
    assert_int_equal(plumb_start_kind(NULL), PLUMB_START_AUTO);
    assert_int_equal(plumb_start_paths(NULL), 0);
    assert_null(plumb_start_system(NULL));
    plumb_array_destroy(context, &x);
    plumb_array_destroy(context, &flat);
    plumb_start_destroy(start);
    plumb_start_destroy(NULL);
    plumb_system_destroy(target);
    plumb_system_destroy(wide);
    plumb_system_destroy(constant);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_leads_to_the_solutions),
        cmocka_unit_test(a_solution_depends_on_its_number_alone),
        cmocka_unit_test(what_makes_no_start_is_refused),
    };
    return cmocka_run_group_tests(tests, make_context, end_context);
}
