/* t_solve_mpfr.c - tests paths whose ends quad doubles leave open: solutions that are 10^-48 apart in systems of several unknowns, the limit
 * of digits, the same bits whatever the number of threads and after a stop, and the account of it in the report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "plumb.h"

/* Two pairs of solutions of each are about 10^-48 apart: x is about 1/1000. */
static const char close_roots[] = "x^30 - 2*(1000*x - 1)^2; y^2 - x*y - 2;";
/* As far apart in both unknowns, after a change of coordinates: 4 solutions. */
static const char close_grid[] = "(x + y - 1)*(x + y - 1 - 1e-48); (x - 2*y)*(x - 2*y - 1e-40);";
static const char close_three[] = "(x + y - 1)*(x + y - 1 - 1e-45); (x - 2*y + z)^2 - 2; x*z - 1 - y;";

/* Two cones of degree 20 = 4 * 5 in coordinates in which large terms cancel: 20 paths end at each of two irrational points. */
static const char two_cones[] =
    "2048*x^10+30720*x^9*y+207360*x^8*y^2-7680*x^8+829440*x^7*y^3-92160*x^7*y+2177280*x^6*y^4-483840*x^6*"
    "y^2+10872*x^6+3919104*x^5*y^5-1451520*x^5*y^3+100872*x^5*y-972*x^5+4898880*x^4*y^6-2721600*x^4*y^4+3"
    "84318*x^4*y^2-1620*x^4*y-8397*x^4+4199040*x^3*y^7-3265920*x^3*y^5+774264*x^3*y^3-1080*x^3*y^2-51516*"
    "x^3*y+2361960*x^2*y^8-2449440*x^2*y^6+873532*x^2*y^4-360*x^2*y^3-116478*x^2*y^2+3240*x^2+787320*x*y^"
    "9-1049760*x*y^7+524640*x*y^5-60*x*y^4-116604*x*y^3+9720*x*y+118098*y^10-196830*y^8+131202*y^6-4*y^5-"
    "43737*y^4+7290*y^2-486;3072*x^10+46080*x^9*y+311040*x^8*y^2-11520*x^8+1244160*x^7*y^3-138240*x^7*y+3"
    "265920*x^6*y^4-725760*x^6*y^2+16308*x^6+5878656*x^5*y^5-2177280*x^5*y^3+151308*x^5*y-1458*x^5+734832"
    "0*x^4*y^6-4082400*x^4*y^4+576477*x^4*y^2-2430*x^4*y-12312*x^4+6298560*x^3*y^7-4898880*x^3*y^5+116139"
    "6*x^3*y^3-1620*x^3*y^2-76896*x^3*y+3542940*x^2*y^8-3674160*x^2*y^6+1310298*x^2*y^4-540*x^2*y^3-17452"
    "8*x^2*y^2+4860*x^2+1180980*x*y^9-1574640*x*y^7+786960*x*y^5-90*x*y^4-174864*x*y^3+14580*x*y+177147*y"
    "^10-295245*y^8+196803*y^6-6*y^5-65602*y^4+10935*y^2-729;";

static plumb_context *make_context(int32_t threads)
{
    plumb_context *context = NULL;
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.threads = threads;
    assert_int_equal(plumb_context_create(&options, &context), PLUMB_OK);
    return context;
}

static plumb_solve_options make_options(void)
{
    plumb_solve_options options;
    plumb_solve_options_init(&options);
    options.start = PLUMB_START_TOTAL;
    return options;
}

static plumb_solutions *solve(const char *text, int32_t threads, const plumb_solve_options *options,
                              plumb_solve_report *report)
{
    plumb_context *context = make_context(threads);
    plumb_system *system = NULL;
    plumb_solutions *solutions = NULL;
    assert_int_equal(plumb_system_parse(text, strlen(text), &system, NULL), PLUMB_OK);
    if (plumb_solve(context, system, options, &solutions) != PLUMB_OK)
        fail_msg("%s: %s", text, plumb_context_message(context));
    assert_int_equal(plumb_solutions_report(solutions, report), PLUMB_OK);
    plumb_system_destroy(system);
    plumb_context_destroy(context);
    return solutions;
}

/* The solutions as a file has them; to be freed. */
static char *text_of(const plumb_solutions *solutions)
{
    size_t size = 0;
    (void)!plumb_solutions_write(solutions, PLUMB_FORMAT_JSON, NULL, 0, &size);
    char *text = malloc(size);
    assert_non_null(text);
    assert_int_equal(plumb_solutions_write(solutions, PLUMB_FORMAT_JSON, text, size, NULL), PLUMB_OK);
    return text;
}

static void close_solutions_are_told_apart(void **state)
{
    const struct {
        const char *system;
        int64_t count;
    } cases[] = {{close_roots, 60}, {close_grid, 4}, {close_three, 8}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        plumb_solve_report report;
        const plumb_solve_options options = make_options();
        plumb_solutions *solutions = solve(cases[c].system, 1, &options, &report);
        assert_int_equal(report.distinct, cases[c].count);
        assert_int_equal(report.regular, cases[c].count);
        assert_int_equal(plumb_solve_verdict(&report, NULL, 0), PLUMB_SOLVE_COMPLETE);
        assert_true(report.mpfr_paths >= 2 && report.mpfr_paths <= report.paths);
        assert_true(report.mpfr_digits > 64 && report.mpfr_digits <= 10000 && report.mpfr_steps > 0);
        assert_int_equal(report.exhausted, 0);
        plumb_solutions_destroy(solutions);
    }
}

/* Without MPFR nothing is believed; with too few digits the report says so. */
static void digits_are_limited(void **state)
{
    plumb_solve_report report;
    plumb_solve_options options = make_options();
    (void)state;
    for (int32_t digits = 0; digits <= 64; digits += 64) {
        options.max_digits = digits;
        plumb_solutions_destroy(solve(close_grid, 1, &options, &report));
        assert_int_equal(report.mpfr_paths, 0);
        assert_int_equal(plumb_solve_verdict(&report, NULL, 0), PLUMB_SOLVE_MISSING);
    }
    options.max_digits = 100;
    plumb_solutions_destroy(solve(close_grid, 1, &options, &report));
    assert_true(report.exhausted > 0 && report.mpfr_digits <= 100);
    assert_int_equal(plumb_solve_verdict(&report, NULL, 0), PLUMB_SOLVE_MISSING);
    options.max_digits = 1000;
    plumb_solutions_destroy(solve(close_grid, 1, &options, &report));
    assert_int_equal(report.exhausted, 0);
    assert_int_equal(report.regular, 4);
}

static void wrong_limits_are_refused(void **state)
{
    plumb_context *context = make_context(1);
    plumb_system *system = NULL;
    plumb_solutions *solutions = NULL;
    plumb_solve_options options = make_options();
    (void)state;
    assert_int_equal(plumb_system_parse("x^2 - 2;", 8, &system, NULL), PLUMB_OK);
    for (int32_t k = 0; k < 2; k++) {
        options.max_digits = k ? 10001 : -1;
        assert_int_equal(plumb_solve(context, system, &options, &solutions), PLUMB_ERR_ARGUMENT);
        assert_non_null(strstr(plumb_context_message(context), "max_digits"));
    }
    plumb_system_destroy(system);
    plumb_context_destroy(context);
}

static void threads_make_no_difference(void **state)
{
    plumb_solve_report one, three;
    const plumb_solve_options options = make_options();
    (void)state;
    plumb_solutions *a = solve(close_three, 1, &options, &one), *b = solve(close_three, 3, &options, &three);
    char *text = text_of(a), *other = text_of(b);
    assert_string_equal(text, other);
    assert_int_equal(one.mpfr_paths, three.mpfr_paths);
    assert_int_equal(one.mpfr_steps, three.mpfr_steps);
    assert_int_equal(one.mpfr_digits, three.mpfr_digits);
    free(text);
    free(other);
    plumb_solutions_destroy(a);
    plumb_solutions_destroy(b);
}

static int stop_at_once(void *data, int64_t done, int64_t failed, int64_t total)
{
    int *calls = data;
    assert_true(done >= 0 && failed >= 0 && done <= total && total > 0);
    ++*calls;
    return 1;
}

/* A stop among the paths in MPFR leaves them undecided; the journal has all paths, and a resumed run decides. */
static void stopped_runs_are_resumed(void **state)
{
    char journal[] = "/tmp/plumb-mpfr-XXXXXX";
    plumb_solve_report report;
    plumb_solve_options options = make_options();
    int calls = 0;
    (void)state;
    const int file = mkstemp(journal);
    assert_true(file >= 0);
    close(file);
    unlink(journal);
    plumb_solutions *whole = solve(close_roots, 2, &options, &report);
    options.journal = journal;
    options.mpfr_progress = stop_at_once;
    options.data = &calls;
    plumb_solutions_destroy(solve(close_roots, 2, &options, &report));
    assert_true(calls > 0);
    assert_int_equal(report.stopped, 1);
    assert_int_equal(plumb_solve_verdict(&report, NULL, 0), PLUMB_SOLVE_STOPPED);
    options.resume = 1;
    options.mpfr_progress = NULL;
    plumb_solutions *resumed = solve(close_roots, 1, &options, &report);
    assert_int_equal(report.regular, 60);
    char *text = text_of(whole), *other = text_of(resumed);
    assert_string_equal(text, other);
    free(text);
    free(other);
    plumb_solutions_destroy(whole);
    plumb_solutions_destroy(resumed);
    unlink(journal);
}

/* The paths have no verdict in quad doubles, but they are near one another: their mean leads to the points, whose local structures have
 * as many dimensions as there are paths. */
static void ends_near_each_other_are_looked_at_together(void **state)
{
    plumb_solve_report report;
    const plumb_solve_options options = make_options();
    (void)state;
    plumb_solutions_destroy(solve(two_cones, 2, &options, &report));
    assert_int_equal(report.distinct, 2);
    assert_int_equal(report.singular, 2 * 20);
    assert_int_equal(report.undecided + report.failed, 0);
    assert_int_equal(report.mpfr_paths, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_solutions_are_told_apart), cmocka_unit_test(digits_are_limited),
        cmocka_unit_test(wrong_limits_are_refused),       cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(stopped_runs_are_resumed),       cmocka_unit_test(ends_near_each_other_are_looked_at_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
