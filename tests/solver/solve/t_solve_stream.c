/* t_solve_stream.c - plumb_solve_stream gives the solutions that plumb_solve lists, in the same order and with the same bits; and
 * plumb_solutions_choose keeps those that filters of plumb_solve keep. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/solutions.h"
#include "plumb.h"
#include "solver/context_test.h"

static const char CYCLIC[] = "a+b+c+d+e; a*b+b*c+c*d+d*e+e*a; a*b*c+b*c*d+c*d*e+d*e*a+e*a*b;"
                             "a*b*c*d+b*c*d*e+c*d*e*a+d*e*a*b+e*a*b*c; a*b*c*d*e-1;"; /* 70 solutions, 10 real */
static const char *const SYSTEMS[] = {
    CYCLIC,
    "x^2+y^2-5; x*y-2;",                /* all real */
    "x^3-x; y^2*(y-1);",                /* zeros, and a double one */
    "x^2+y^2-1; x-y; x^2-y^2;",         /* overdetermined */
    "x-3; y+2;",                        /* eliminated: no paths */
    "x-3; x-4;",                        /* none */
    "(x-1)^2*(x+2); y^2-x;",            /* double points */
    "x*y-1; x*z-1; (x-y)*(x-z)+x^2-2;", /* lifted after elimination */
    "10^16*x^4-10^8*x^2+1; y^2-x;",     /* other precisions */
};
enum { SYSTEM_COUNT = sizeof SYSTEMS / sizeof *SYSTEMS };

static plumb_system *parse(const char *text)
{
    plumb_system *s = NULL;
    plumb_text_error error;
    assert_int_equal(plumb_system_parse(text, strlen(text), &s, &error), PLUMB_OK);
    return s;
}

static plumb_solutions *solve(const plumb_system *system, const plumb_solve_options *options)
{
    plumb_solutions *found = NULL;
    if (plumb_solve(context, system, options, &found) != PLUMB_OK)
        fail_msg("%s", plumb_context_message(context));
    return found;
}

/* Solution k of one list, which may have fewer limbs if those that it lacks are zero, is solution j of the other. */
static void assert_same(const plumb_solutions *a, int64_t k, const plumb_solutions *b, int64_t j)
{
    assert_int_equal(a->unknowns, b->unknowns);
    assert_memory_equal(&a->record[k], &b->record[j], sizeof a->record[k]);
    for (int64_t i = 0; i < 2 * a->unknowns; i++)
        for (int32_t c = 0; c < a->prec || c < b->prec; c++) {
            const double *x = solution_value(a, k, 0) + i * a->prec, *y = solution_value(b, j, 0) + i * b->prec;
            assert_true((c < a->prec ? x[c] : 0.0) == (c < b->prec ? y[c] : 0.0));
        }
}

static plumb_solution_stream *open_stream(const plumb_system *system, const plumb_solve_options *options)
{
    plumb_solution_stream *stream = NULL;
    if (plumb_solve_stream(context, system, options, &stream) != PLUMB_OK)
        fail_msg("%s", plumb_context_message(context));
    return stream;
}

static void assert_streams(const plumb_system *system, const plumb_solve_options *options, int64_t at_once)
{
    plumb_solutions *list = solve(system, options), *some = NULL;
    plumb_solution_stream *stream = open_stream(system, options);
    plumb_solve_report report;
    int64_t at = 0;
    assert_int_equal(plumb_solution_stream_count(stream), list->count);
    assert_int_equal(plumb_solution_stream_report(stream, &report), PLUMB_OK);
    assert_memory_equal(&report, list->report, sizeof report);
    do {
        assert_int_equal(plumb_solution_stream_next(stream, at_once, &some), PLUMB_OK);
        assert_true(some->count <= at_once);
        for (int64_t k = 0; k < some->count; k++)
            assert_same(some, k, list, at + k);
        if (at_once == 1 && some->count == 1)
            assert_int_equal(some->prec, some->record[0].prec);
        at += some->count;
        at_once = some->count > 0 ? at_once : 0;
        plumb_solutions_destroy(some);
    } while (at_once > 0);
    assert_int_equal(at, list->count);
    plumb_solution_stream_destroy(stream);
    plumb_solutions_destroy(list);
}

static void streams_are_lists(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 3, 1000};
    for (int k = 0; k < SYSTEM_COUNT; k++)
        for (int i = 0; i < 3; i++) {
            plumb_system *system = parse(SYSTEMS[k]);
            plumb_solve_options options;
            plumb_solve_options_init(&options);
            options.real = i == 1;
            options.nonzero = i == 2;
            assert_streams(system, &options, sizes[i]);
            options.digits = 40;
            assert_streams(system, &options, sizes[i]);
            plumb_system_destroy(system);
        }
}

static void a_stream_reads_a_journal(void **state)
{
    char path[] = "/tmp/t_solve_stream_XXXXXX";
    (void)state;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    plumb_system *system = parse(CYCLIC);
    plumb_solve_options options;
    plumb_solve_options_init(&options);
    options.journal = path;
    options.resume = 1;
    assert_streams(system, &options, 7); /* makes it */
    assert_streams(system, &options, 7); /* tracks nothing */
    assert_int_equal(unlink(path), 0);
    plumb_system_destroy(system);
}

/* A stream may be left before its end. */
static void streams_may_be_left(void **state)
{
    plumb_system *system = parse(CYCLIC);
    plumb_solution_stream *stream = open_stream(system, NULL);
    plumb_solutions *some = NULL;
    (void)state;
    assert_int_equal(plumb_solution_stream_next(stream, 5, &some), PLUMB_OK);
    assert_int_equal(some->count, 5);
    plumb_solutions_destroy(some);
    assert_int_equal(plumb_solution_stream_next(stream, 0, &some), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_solution_stream_next(NULL, 1, &some), PLUMB_ERR_ARGUMENT);
    plumb_solution_stream_destroy(stream);
    plumb_solution_stream_destroy(NULL);
    plumb_system_destroy(system);
}

static void choosing_is_filtering(void **state)
{
    (void)state;
    for (int k = 0; k < SYSTEM_COUNT; k++)
        for (int filter = 0; filter < 8; filter++) {
            plumb_system *system = parse(SYSTEMS[k]);
            plumb_solve_options options;
            plumb_solve_options_init(&options);
            options.real = filter & 1;
            options.positive = filter >> 1 & 1;
            options.nonzero = filter >> 2 & 1;
            plumb_solutions *filtered = solve(system, &options);
            options.unfiltered = 1;
            plumb_solutions *all = solve(system, &options);
            assert_int_equal(plumb_solutions_choose(all, NULL, &options), PLUMB_OK);
            assert_int_equal(all->count, filtered->count);
            for (int64_t i = 0; i < all->count; i++)
                assert_same(all, i, filtered, i);
            plumb_solutions_destroy(all);
            plumb_solutions_destroy(filtered);
            plumb_system_destroy(system);
        }
}

static void plan_is_told(void *data, const plumb_solve_planned *planned)
{
    plumb_solve_planned *seen = data;
    *seen = *planned;
}

static void the_plan_is_told(void **state)
{
    plumb_system *system = parse(CYCLIC);
    plumb_solve_planned seen = {.paths = -1};
    plumb_solve_options options;
    (void)state;
    plumb_solve_options_init(&options);
    options.planned = plan_is_told;
    options.data = &seen;
    options.path_count = 10;
    plumb_solutions_destroy(solve(system, &options));
    assert_int_equal(seen.paths, 10);
    assert_int_equal(seen.report.total_degree, 120);
    assert_int_equal(seen.report.polyhedral, 70);
    assert_int_equal(seen.report.start, PLUMB_START_POLYHEDRAL);
    assert_int_equal(seen.report.paths, 70);
    assert_int_equal(seen.cells, PLUMB_CELLS_ENUMERATED);
    assert_null(seen.no_solution);
    plumb_system_destroy(system);
    system = parse("x-3; x-4;");
    plumb_solve_options_init(&options);
    options.planned = plan_is_told;
    options.data = &seen;
    plumb_solutions_destroy(solve(system, &options));
    assert_int_equal(seen.paths, 0);
    assert_non_null(seen.no_solution);
    plumb_system_destroy(system);
}

/* A sample of the paths, and no solutions; the same plan as that of a run. */
static void a_plan_alone_has_an_estimate(void **state)
{
    plumb_system *system = parse(CYCLIC);
    plumb_solve_planned seen = {.paths = -1};
    plumb_solve_options options;
    plumb_solve_report report;
    (void)state;
    plumb_solve_options_init(&options);
    options.plan_only = 1;
    options.planned = plan_is_told;
    options.data = &seen;
    plumb_solutions *none = solve(system, &options);
    assert_int_equal(seen.paths, 70);
    assert_int_equal(seen.report.paths, 70);
    assert_true(seen.sample >= 16 && seen.sample < 70);
    assert_true(seen.estimated_seconds > 0.0 && seen.estimated_seconds < 600.0);
    assert_int_equal(plumb_solutions_count(none), 0);
    assert_int_equal(plumb_solutions_report(none, &report), PLUMB_OK);
    assert_int_equal(report.polyhedral, 70);
    assert_int_equal(report.paths, 0);
    plumb_solutions_destroy(none);
    plumb_system_destroy(system);
}

/* Systems without paths have plans, too; what needs all paths is refused. */
static void a_plan_alone_has_limits(void **state)
{
    static const char *const texts[] = {"x-3; x-4;", "x-3; y-4;"};
    plumb_solve_planned seen = {.paths = -1};
    plumb_solve_options options;
    (void)state;
    plumb_solve_options_init(&options);
    options.plan_only = 1;
    options.planned = plan_is_told;
    options.data = &seen;
    for (int k = 0; k < 2; k++) {
        plumb_system *system = parse(texts[k]);
        plumb_solutions *none = solve(system, &options);
        assert_int_equal(seen.paths, 0);
        assert_int_equal(seen.sample, 0);
        assert_int_equal(plumb_solutions_count(none), 0);
        plumb_solutions_destroy(none);
        plumb_system_destroy(system);
    }
    plumb_system *system = parse(CYCLIC);
    plumb_solutions *none = NULL;
    options.path_count = 10;
    assert_int_equal(plumb_solve(context, system, &options, &none), PLUMB_ERR_ARGUMENT);
    options.path_count = 0;
    options.journal = "journal";
    assert_int_equal(plumb_solve(context, system, &options, &none), PLUMB_ERR_ARGUMENT);
    assert_null(none);
    plumb_system_destroy(system);
}

/* Asked often enough, and by any thread. */
static int stop_soon(void *data)
{
    return __atomic_add_fetch((int *)data, 1, __ATOMIC_RELAXED) > 20;
}

static void anyone_may_stop(void **state)
{
    plumb_system *system = parse(CYCLIC);
    int asked = 0;
    plumb_solve_options options;
    plumb_solve_report report;
    (void)state;
    plumb_solve_options_init(&options);
    options.start = PLUMB_START_TOTAL;
    options.stop = stop_soon;
    options.data = &asked;
    plumb_solutions *found = solve(system, &options);
    assert_int_equal(plumb_solutions_report(found, &report), PLUMB_OK);
    assert_true(asked > 20);
    assert_int_equal(report.stopped, 1);
    assert_int_equal(plumb_solve_verdict(&report, NULL, 0), PLUMB_SOLVE_STOPPED);
    plumb_solutions_destroy(found);
    plumb_system_destroy(system);
}

static void an_estimate_may_be_stopped(void **state)
{
    plumb_system *system = parse(CYCLIC);
    int asked = 15;
    plumb_solve_options options;
    plumb_solutions *none = NULL;
    (void)state;
    plumb_solve_options_init(&options);
    options.start = PLUMB_START_TOTAL;
    options.plan_only = 1;
    options.stop = stop_soon;
    options.data = &asked;
    assert_int_equal(plumb_solve(context, system, &options, &none), PLUMB_ERR_STOPPED);
    assert_null(none);
    plumb_system_destroy(system);
}

static int prepare(void **state)
{
    backend = PLUMB_BACKEND_CPU;
    return make_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_are_lists),
        cmocka_unit_test(a_stream_reads_a_journal),
        cmocka_unit_test(streams_may_be_left),
        cmocka_unit_test(choosing_is_filtering),
        cmocka_unit_test(the_plan_is_told),
        cmocka_unit_test(anyone_may_stop),
        cmocka_unit_test(a_plan_alone_has_an_estimate),
        cmocka_unit_test(a_plan_alone_has_limits),
        cmocka_unit_test(an_estimate_may_be_stopped),
    };
    return cmocka_run_group_tests(tests, prepare, end_context);
}
