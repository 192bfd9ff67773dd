/* t_solve.c - tests plumb_solve: small systems whose solutions are known, and the account of the paths. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plumb.h"
#include "solver/solve/plan.h"

static plumb_context *context;

static int make_context(void **state)
{
    plumb_context_options options;
    (void)state;
    plumb_context_options_init(&options);
    options.threads = 2;
    options.backend = PLUMB_BACKEND_CPU;
    assert_int_equal(plumb_context_create(&options, &context), PLUMB_OK);
    return 0;
}

static int end_context(void **state)
{
    (void)state;
    plumb_context_destroy(context);
    return 0;
}

static plumb_system *parse(const char *text)
{
    plumb_system *s = NULL;
    plumb_text_error error;
    if (plumb_system_parse(text, strlen(text), &s, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    return s;
}

/* Solves, and checks that every path is accounted for. */
static plumb_solutions *solve_with(const char *text, const plumb_solve_options *options, plumb_solve_report *report)
{
    plumb_system *s = parse(text);
    plumb_solutions *solutions = NULL;
    if (plumb_solve(context, s, options, &solutions) != PLUMB_OK)
        fail_msg("%s: %s", text, plumb_context_message(context));
    assert_int_equal(plumb_solutions_report(solutions, report), PLUMB_OK);
    assert_int_equal(report->paths, report->regular + report->singular + report->infinite + report->beyond +
                                        report->not_isolated + report->extraneous + report->undecided + report->failed);
    assert_int_equal(plumb_solutions_unknowns(solutions), plumb_system_unknowns(s));
    plumb_system_destroy(s);
    return solutions;
}

static plumb_solution_record record_of(const plumb_solutions *solutions, int64_t k)
{
    plumb_solution_record record;
    assert_int_equal(plumb_solutions_get_record(solutions, k, &record), PLUMB_OK);
    return record;
}

/* Leading limbs: re and im of unknown i of solution k. */
static void value_of(const plumb_solutions *solutions, int64_t k, int64_t i, double value[2])
{
    plumb_view x;
    const int32_t prec = plumb_solutions_prec(solutions);
    assert_int_equal(
        plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, plumb_solutions_unknowns(solutions), 1, 1, &x),
        PLUMB_OK);
    assert_int_equal(plumb_solutions_get(solutions, k, &x), PLUMB_OK);
    value[0] = x.data[i];
    value[1] = x.data[prec * x.plane + i];
    plumb_array_destroy(context, &x);
}

/* The number of solutions whose first unknowns are these real numbers. */
static int64_t count_near(const plumb_solutions *solutions, const double *at, int64_t n)
{
    int64_t found = 0;
    for (int64_t k = 0; k < plumb_solutions_count(solutions); k++) {
        bool near = true;
        for (int64_t i = 0; i < n; i++) {
            double value[2];
            value_of(solutions, k, i, value);
            near = near && hypot(value[0] - at[i], value[1]) <= 1e-12 * fmax(1.0, fabs(at[i]));
        }
        found += near;
    }
    return found;
}

/* ---- Solutions that are known -------------------------------------------------------------------------------------- */

static void a_circle_meets_a_hyperbola(void **state)
{
    static const double expected[4][2] = {{1, 2}, {2, 1}, {-1, -2}, {-2, -1}};
    plumb_solve_report report;
    plumb_solutions *s = solve_with("x^2 + y^2 - 5; x*y - 2;", NULL, &report);
    (void)state;
    assert_int_equal(plumb_solutions_count(s), 4);
    assert_int_equal(report.regular, 4);
    assert_int_equal(report.real, 4);
    assert_int_equal(report.distinct, 4);
    assert_int_equal(report.total_degree, 4);
    for (int k = 0; k < 4; k++) {
        const plumb_solution_record r = record_of(s, k);
        assert_int_equal(count_near(s, expected[k], 2), 1);
        assert_int_equal(r.kind, PLUMB_SOLUTION_REGULAR);
        assert_int_equal(r.multiplicity, 1);
        assert_int_equal(r.real, 1);
        assert_int_equal(r.prec, PLUMB_D);
        assert_true(r.known >= 14 && r.error <= 1e-14 && r.residual <= 1e-13);
    }
    plumb_solutions_destroy(s);
}

static void a_triple_root_is_one_solution(void **state)
{
    static const double origin[2] = {0, 0};
    plumb_solve_report report;
    plumb_solutions *s = solve_with("29*x^3 - 32*x*y; y - x^2;", NULL, &report);
    (void)state;
    assert_int_equal(plumb_solutions_count(s), 1);
    assert_int_equal(report.singular, 3);
    assert_int_equal(report.failed + report.undecided, 0);
    const plumb_solution_record r = record_of(s, 0);
    assert_int_equal(r.kind, PLUMB_SOLUTION_SINGULAR);
    assert_int_equal(r.multiplicity, 3);
    assert_int_equal(r.real, 1);
    double value[2];
    value_of(s, 0, 0, value);
    assert_true(hypot(value[0] - origin[0], value[1]) < 1e-10);
    plumb_solutions_destroy(s);
}

static void real_solutions_come_first(void **state)
{
    plumb_solve_report report;
    plumb_solutions *s = solve_with("x^4 - 1; y - x;", NULL, &report);
    (void)state;
    assert_int_equal(plumb_solutions_count(s), 4);
    assert_int_equal(report.real, 2);
    for (int k = 0; k < 4; k++)
        assert_int_equal(record_of(s, k).real, k < 2);
    plumb_solutions_destroy(s);
}

/* The largest distance of solution k from the nearest one of other, over the unknowns, relative to the size of the solution. */
static double distance_to(const plumb_solutions *solutions, int64_t k, const plumb_solutions *other)
{
    double least = (double)INFINITY;
    for (int64_t j = 0; j < plumb_solutions_count(other); j++) {
        double most = 0.0, size = 0.0;
        for (int64_t i = 0; i < plumb_solutions_unknowns(solutions); i++) {
            double x[2], y[2];
            value_of(solutions, k, i, x);
            value_of(other, j, i, y);
            most = fmax(most, hypot(x[0] - y[0], x[1] - y[1]));
            size = fmax(size, hypot(x[0], x[1]));
        }
        least = fmin(least, most / fmax(size, 1e-300));
    }
    return least;
}

/* Systems of which elimination leaves one equation in one unknown have the solutions that paths lead to. */
static void roots_agree_with_paths(void **state)
{
    static const char *const systems[] = {"x + y - 3; x^5 - y^2 + 1;",
                                          "x + y + z - 1; x - 2*y - 3; x*y*z - 5*x^2 + z;",
                                          "x + i*y - 1; x^3 + y^3 - 2*i;",
                                          "x^2 + y^2 - 25; (x - 1)^2 + y^2 - 20;",
                                          "3*x^7 - x^3 + i*x - 2;",
                                          "y - 2*x; (x - 3)^2*(y - 5);",
                                          "x^6 - 5*x^4 + x^3;"};
    (void)state;
    for (size_t c = 0; c < sizeof systems / sizeof *systems; c++) {
        plumb_solve_report by_roots, by_paths;
        plumb_solve_options options;
        plumb_solve_options_init(&options);
        plumb_solutions *roots = solve_with(systems[c], &options, &by_roots);
        options.start = PLUMB_START_TOTAL;
        plumb_solutions *paths = solve_with(systems[c], &options, &by_paths);
        assert_int_equal(by_roots.start, PLUMB_START_TOTAL);
        assert_int_equal(by_roots.paths, by_paths.paths);
        assert_int_equal(by_roots.total_degree, by_paths.total_degree);
        assert_int_equal(by_roots.regular, by_paths.regular);
        assert_int_equal(by_roots.singular, by_paths.singular);
        assert_int_equal(by_roots.distinct, by_paths.distinct);
        assert_int_equal(by_roots.real, by_paths.real);
        assert_int_equal(by_roots.eliminated, by_paths.eliminated);
        for (int64_t k = 0; k < plumb_solutions_count(roots); k++)
            if (!(distance_to(roots, k, paths) < 1e-14))
                fail_msg("%s: no path leads to solution %d", systems[c], (int)k);
        plumb_solutions_destroy(roots);
        plumb_solutions_destroy(paths);
    }
}

/* An eliminated unknown that is zero is 0, and a small one has its own digits, although it is a difference of large numbers: here
 * y = small - 10^40 (x - 7/10). */
static void eliminated_unknowns_have_their_digits(void **state)
{
    static const char *const systems[] = {"(x - 7/10)*(x^2 - 2) + x - 7/10 + y/10^40; (x - 7/10)*(x^2 - 2);",
                                          "(x - 7/10)*(x^2 - 2) + x - 7/10 + y/10^40 - 1/10^70; (x - 7/10)*(x^2 - 2);"};
    static const double small[] = {0.0, 1e-30};
    (void)state;
    for (int c = 0; c < 2; c++) {
        plumb_solve_report report;
        plumb_solutions *s = solve_with(systems[c], NULL, &report);
        int64_t found = 0;
        assert_int_equal(report.eliminated, 1);
        assert_int_equal(report.distinct, 3);
        assert_int_equal(report.real, 3);
        for (int64_t k = 0; k < 3; k++) {
            double x[2], y[2];
            value_of(s, k, 0, x);
            value_of(s, k, 1, y);
            found += fabs(x[0] - 0.7) < 1e-15 && fabs(y[0] - small[c]) <= 1e-15 * small[c];
        }
        assert_int_equal(found, 1);
        plumb_solutions_destroy(s);
    }
}

static void options_choose_among_the_solutions(void **state)
{
    plumb_solve_report report;
    plumb_solve_options options;
    plumb_solve_options_init(&options);
    (void)state;
    for (int which = 0; which < 3; which++) {
        static const int64_t expected[3] = {3, 1, 4}; /* x = 0, 1, -1, i, -i */
        options.real = which == 0;
        options.positive = which == 1;
        options.nonzero = which == 2;
        plumb_solutions *s = solve_with("x^5 - x;", &options, &report);
        assert_int_equal(report.distinct, 5);
        assert_int_equal(report.real, 3);
        assert_int_equal(plumb_solutions_count(s), expected[which]);
        plumb_solutions_destroy(s);
    }
}

/* The only solution is (30, 810000). */
static void larger_solutions_are_counted_on_their_own(void **state)
{
    plumb_solve_report report;
    plumb_solve_options options;
    plumb_solve_options_init(&options);
    (void)state;
    options.start = PLUMB_START_TOTAL;
    for (int large = 0; large < 2; large++) {
        plumb_solutions_destroy(solve_with("x^4 - y; x^5 - x*y + x - 30;", &options, &report));
        assert_int_equal(report.regular, large ? 0 : 1);
        assert_int_equal(report.infinite + report.beyond, large ? 20 : 19);
        assert_true(large ? report.beyond > 0 : report.beyond == 0); /* paths to infinity may be given up, too */
        assert_true(large ? report.beyond_min <= report.beyond_max : report.beyond_max == 0);
        options.largest = 1e4;
    }
}

/* A solution that is exactly zero has an absolute error, with every seed. */
static void zero_has_an_error(void **state)
{
    plumb_solve_report report;
    plumb_solve_options options;
    plumb_solve_options_init(&options);
    (void)state;
    for (options.seed = 1; options.seed <= 4; options.seed++) {
        plumb_solutions *s =
            solve_with("-5*y + 8*y^2 + 4*y^3 - 2*x - 8*x*y; 7*y - 6*y^2 + 5*y^3 + 7*x + 3*x*y;", &options, &report);
        assert_int_equal(plumb_solutions_count(s), 4);
        for (int64_t k = 0; k < plumb_solutions_count(s); k++)
            assert_true(record_of(s, k).error < 1e-12); /* not NaN */
        plumb_solutions_destroy(s);
    }
}

/* Polyhedral start solutions are paths themselves: a simple start system with as many paths is preferred. */
static void the_choice_counts_work(void **state)
{
    static const struct {
        const char *text;
        int32_t start;
        int64_t paths;
    } cases[] = {{"x^2 + y^2 - 5; x*y - 2;", PLUMB_START_TOTAL, 4},
                 {"1 + 2*x + 3*y + 5*x*y; 2 - x + y + 3*x*y + 7*x^2 + 2*x^2*y;", PLUMB_START_MULTIHOMOGENEOUS, 3},
                 {"x*y - 2*x + 1; y*z + 3*y - 5; x*z - 7*z + 2;", PLUMB_START_POLYHEDRAL, 2},
                 {"x^3*y^3 - 2*x + 1; x^3*y^4 + 3*y - 5;", PLUMB_START_POLYHEDRAL, 4}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        plumb_solve_report report;
        plumb_solutions *s = solve_with(cases[k].text, NULL, &report);
        assert_int_equal(report.start, cases[k].start);
        assert_int_equal(report.paths, cases[k].paths);
        assert_int_equal(report.failed + report.undecided, 0);
        plumb_solutions_destroy(s);
    }
}

static void paths_to_infinity_are_counted(void **state)
{
    plumb_solve_report report;
    plumb_solutions *s = solve_with("x*y - 1; x^2*y + x - 3;", NULL, &report);
    (void)state;
    assert_int_equal(plumb_solutions_count(s), 1);
    assert_int_equal(report.regular, 1);
    assert_int_equal(report.failed + report.undecided, 0);
    assert_int_equal(report.infinite, report.paths - 1);
    plumb_solutions_destroy(s);
}

/* Whatever the start system is, solutions with zero coordinates are found. */
static void start_systems_agree(void **state)
{
    static const struct {
        const char *text;
        int64_t distinct, sum;
    } cases[] = {{"x*(x + y - 3); y*(x - y - 1);", 4, 4},
                 {"x*(x + y + z - 3); y*(x - y - 1 + 2*z); z*(x + 5*y - 3*z + 1);", 8, 8},
                 {"x*y; x^2 + y^2 - 1;", 4, 4},
                 {"x^2*y - x; x*y^2 - 3*y + x^3*y;", 4, 4},
                 {"x*y*z - x; x*y^2 - 3*y + z - 1; z^2 - x*z;", 3, 4},
                 {"x^2 + y^2 - 5; x*y - 2;", 4, 4}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int32_t start = PLUMB_START_AUTO; start <= PLUMB_START_POLYHEDRAL; start++) {
            plumb_solve_report report;
            plumb_solve_options options;
            int64_t sum = 0;
            plumb_solve_options_init(&options);
            options.start = start;
            plumb_solutions *s = solve_with(cases[c].text, &options, &report);
            for (int64_t k = 0; k < plumb_solutions_count(s); k++)
                sum += record_of(s, k).multiplicity;
            if (report.distinct != cases[c].distinct || sum != cases[c].sum || report.failed + report.undecided > 0)
                fail_msg("%s from %s: %d solutions of %d, %d failed", cases[c].text, plumb_start_name(start),
                         (int)report.distinct, (int)cases[c].distinct, (int)(report.failed + report.undecided));
            assert_true(start == PLUMB_START_AUTO || report.start == start);
            plumb_solutions_destroy(s);
        }
}

/* ---- Any shape ----------------------------------------------------------------------------------------------------- */

/* The number of solutions and their multiplicities added up; no path is lost. */
static void expect(const char *text, int64_t distinct, int64_t sum)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        plumb_solve_report report;
        plumb_solve_options options;
        int64_t added = 0;
        plumb_solve_options_init(&options);
        options.seed = seed;
        plumb_solutions *s = solve_with(text, &options, &report);
        for (int64_t k = 0; k < plumb_solutions_count(s); k++)
            added += record_of(s, k).multiplicity;
        if (report.failed + report.undecided > 0 || report.distinct != distinct || added != sum)
            fail_msg("%s, seed %d: %d solutions of multiplicity %d, %d failed, %d undecided", text, (int)seed,
                     (int)report.distinct, (int)added, (int)report.failed, (int)report.undecided);
        plumb_solutions_destroy(s);
    }
}

static void linear_parts_are_solved_first(void **state)
{
    plumb_solve_report report;
    static const double at[3] = {2, 3, -1};
    (void)state;
    plumb_solutions *s = solve_with("x + y + z - 4; x - y - 2*z - 1; 3*x + z - 5;", NULL, &report);
    assert_int_equal(report.eliminated, 3);
    assert_int_equal(report.paths, 0);
    assert_int_equal(report.start, PLUMB_START_AUTO);
    assert_int_equal(plumb_solutions_count(s), 1);
    assert_int_equal(count_near(s, at, 3), 1);
    plumb_solutions_destroy(s);
    s = solve_with("x - 2*y; x^2 + y^2 - 5; z - 7;", NULL, &report);
    assert_int_equal(report.eliminated, 2);
    assert_int_equal(report.paths, 2);
    static const double one[3] = {2, 1, 7}, other[3] = {-2, -1, 7};
    assert_int_equal(count_near(s, one, 3), 1);
    assert_int_equal(count_near(s, other, 3), 1);
    plumb_solutions_destroy(s);
}

static void contradictions_have_no_solutions(void **state)
{
    (void)state;
    expect("x^2 - 1; 5 + 0*x;", 0, 0);
    expect("x - 1; x - 2; y^2 - 1;", 0, 0);
    expect("x + y - 1; x + y - 2;", 0, 0);
    expect("x^2 + y^2 - 1; x^2 + y^2 - 2;", 0, 0);
}

static void equations_may_be_zero_or_repeated(void **state)
{
    (void)state;
    expect("x^2 + y^2 - 5; x*y - 2; 2*x^2 + 2*y^2 - 10; x - x;", 4, 4);
    expect("x^3 - 1;", 3, 3);
    expect("(x - 1)^2*(x + 2);", 2, 3);
}

/* Combinations and multiples of others are left out, and combinations of lower degree take the place of equations. */
static void equations_that_follow_are_left_out(void **state)
{
    static const struct {
        const char *text;
        int64_t dependent, lowered, eliminated, paths, distinct;
    } cases[] = {{"x^2 - 2; 0*x;", 1, 0, 0, 2, 2},
                 {"x^2 + y^2 - 5; x*y - 2; x^2 + y^2 + 3*x*y - 11;", 1, 0, 0, 4, 4},
                 {"x^2 - 2; x^3 - 2*x; y^2 - x; x*y^2 - 2;", 2, 0, 0, 4, 4},
                 {"x^2 + y^2 - 5; x^2 + y^2 - x - 4; 2*x^2 + 2*y^2 - x - 9;", 1, 1, 1, 2, 2},
                 /* a reaction network with its conservation laws: A + B <-> C -> A + D */
                 {"-2*a*b + c + 3*c; -2*a*b + c; 2*a*b - c - 3*c; 3*c; a + c - 1; b + c + d - 2;", 2, 0, 4, 0, 1}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        plumb_solve_report r;
        plumb_solutions *s = solve_with(cases[k].text, NULL, &r);
        if (r.dependent != cases[k].dependent || r.lowered != cases[k].lowered || r.squared != 0 ||
            r.eliminated != cases[k].eliminated || r.paths != cases[k].paths || r.distinct != cases[k].distinct)
            fail_msg("%s: %d dependent, %d lowered, %d eliminated, %d combined, %d paths, %d solutions", cases[k].text,
                     (int)r.dependent, (int)r.lowered, (int)r.eliminated, (int)r.squared, (int)r.paths,
                     (int)r.distinct);
        plumb_solutions_destroy(s);
    }
}

static void more_equations_than_unknowns(void **state)
{
    plumb_solve_report report;
    (void)state;
    /* (1, 2) and (2, 1) solve all of them. */
    plumb_solutions *s = solve_with("x^2 + y^2 - 5; x*y - 2; x^3 + y^3 - 9;", NULL, &report);
    static const double one[2] = {1, 2}, other[2] = {2, 1};
    assert_int_equal(report.squared, 3);
    assert_int_equal(report.distinct, 2);
    assert_int_equal(report.extraneous, 4);
    assert_int_equal(report.failed + report.undecided, 0);
    assert_int_equal(count_near(s, one, 2), 1);
    assert_int_equal(count_near(s, other, 2), 1);
    for (int64_t k = 0; k < 2; k++) {
        const plumb_solution_record r = record_of(s, k);
        assert_true(r.real == 1 && r.kind == PLUMB_SOLUTION_REGULAR && r.residual < 1e-13 && r.error < 1e-12);
    }
    plumb_solutions_destroy(s);
    expect("x^2 - 1; x^3 - 1;", 1, 1);
    expect("x^2 + y^2 - 1; x^2 + y^2 - 2; x - y^2;", 0, 0);
}

static void fewer_equations_are_refused(void **state)
{
    static const char *const texts[] = {"x^2 + y^2 - 5;", "x + y + z - 1; x - y;", "x^2 + y^2 - 1; 2*x^2 + 2*y^2 - 2;",
                                        "x^2 - 1; (x - 1)*(x - 2) + 0*y;", "x*y + z; x*y + z^2; z - z^2;"};
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        plumb_system *s = parse(texts[k]);
        plumb_solutions *solutions = NULL;
        if (plumb_system_unknowns(s) > 1)
            assert_int_equal(plumb_solve(context, s, NULL, &solutions), PLUMB_ERR_ARGUMENT);
        assert_null(solutions);
        assert_true(plumb_system_unknowns(s) == 1 || strstr(plumb_context_message(context), "isolated") != NULL);
        plumb_system_destroy(s);
    }
}

static void digits_are_refined(void **state)
{
    plumb_solve_report report;
    plumb_solve_options options;
    plumb_solve_options_init(&options);
    (void)state;
    for (int32_t digits = 20; digits <= 60; digits += 20) {
        options.digits = digits;
        plumb_solutions *s = solve_with("x^2 - 2; y^3 - x - 1; z - x*y;", &options, &report);
        assert_int_equal(plumb_solutions_count(s), 6);
        for (int64_t k = 0; k < 6; k++) {
            const plumb_solution_record r = record_of(s, k);
            if (r.known < digits || r.error > pow(10.0, -digits))
                fail_msg("%d digits of %d, error %g", (int)r.known, (int)digits, r.error);
            assert_true(r.prec >= (digits < 30 ? PLUMB_DD : PLUMB_QD));
        }
        plumb_solutions_destroy(s);
    }
}

static void multiple_roots_have_digits_too(void **state)
{
    static const struct {
        const char *text;
        int64_t multiplicity;
        double at[2];
    } cases[] = {
        {"(x - 1/3)^3*(x + 2); y - x;", 3, {1.0 / 3, 1.0 / 3}},
        {"29*x^3 - 32*x*y; y - x^2;", 3, {0, 0}},
        {"x^2 + x + 3*y^2*x; x*y + y^4 - 2*x^2;", 4, {0, 0}},
        {"x^2 - 2*x + (x + y) - 1; y^2 - 2*y + (x + y) - 1;", 3, {1, 1}},
    };
    plumb_solve_report report;
    plumb_solve_options options;
    plumb_solve_options_init(&options);
    options.digits = 50;
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        plumb_solutions *s = solve_with(cases[c].text, &options, &report);
        int64_t found = 0;
        for (int64_t k = 0; k < plumb_solutions_count(s); k++) {
            const plumb_solution_record r = record_of(s, k);
            if (r.known < 50 || r.error > 1e-50)
                fail_msg("%s: %d digits, error %g", cases[c].text, (int)r.known, r.error);
            found += r.multiplicity == cases[c].multiplicity && r.kind == PLUMB_SOLUTION_SINGULAR;
        }
        assert_int_equal(found, 1);
        assert_int_equal(count_near(s, cases[c].at, 2), 1);
        plumb_solutions_destroy(s);
    }
}

/* ---- Calls --------------------------------------------------------------------------------------------------------- */

static int stop(void *data, int64_t done, int64_t failed, int64_t total)
{
    (void)done, (void)failed, (void)total;
    ++*(int *)data;
    return 1;
}

/* Enumerating the mixed cells of ten equations in ten unknowns takes long enough for progress to be asked. */
static void progress_stops_an_enumeration(void **state)
{
    enum { N = 10 };
    char text[N * 200] = "";
    size_t length = 0;
    for (int i = 0; i < N; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "x%d*x%d*x%d^2 + x%d^2*x%d - x%d*x%d - %d;\n", i,
                             (i + 1) % N, (i + 3) % N, (i + 2) % N, (i + 5) % N, (i + 7) % N, (i + 4) % N, i + 2);
    int calls = 0;
    plumb_system *system;
    plumb_solutions *solutions;
    plumb_solve_options options;
    (void)state;
    assert_int_equal(plumb_system_parse(text, length, &system, NULL), PLUMB_OK);
    plumb_solve_options_init(&options);
    options.progress = stop;
    options.data = &calls;
    options.start = PLUMB_START_POLYHEDRAL;
    assert_int_equal(plumb_solve(context, system, &options, &solutions), PLUMB_ERR_STOPPED);
    assert_non_null(strstr(plumb_context_message(context), "stopped on request"));
    assert_null(solutions);
    assert_int_equal(calls, 1);
    plumb_system_destroy(system);
}

static void progress_stops_it(void **state)
{
    int calls = 0;
    plumb_solve_report report;
    plumb_solve_options options;
    plumb_solve_options_init(&options);
    options.progress = stop;
    options.data = &calls;
    plumb_solutions *s = solve_with("x^20 - y - 1; y^20 - x - 2;", &options, &report);
    (void)state;
    assert_true(calls > 0);
    assert_true(report.unfinished > 0 && report.failed >= report.unfinished);
    plumb_solutions_destroy(s);
}

static void impossible_options_are_refused(void **state)
{
    plumb_system *s = parse("x^2 - 1;");
    plumb_solutions *solutions = NULL;
    plumb_solve_options options;
    plumb_solve_report report;
    (void)state;
    plumb_solve_options_init(&options);
    options.start = 4;
    assert_int_equal(plumb_solve(context, s, &options, &solutions), PLUMB_ERR_ARGUMENT);
    plumb_solve_options_init(&options);
    options.digits = 10001;
    assert_int_equal(plumb_solve(context, s, &options, &solutions), PLUMB_ERR_ARGUMENT);
    static const double largest[] = {0.0, 99.0, -1e26, -(double)INFINITY, (double)NAN};
    for (size_t k = 0; k < sizeof largest / sizeof *largest; k++) {
        plumb_solve_options_init(&options);
        options.largest = largest[k];
        assert_int_equal(plumb_solve(context, s, &options, &solutions), PLUMB_ERR_ARGUMENT);
        assert_non_null(strstr(plumb_context_message(context), "options: largest is "));
    }
    assert_int_equal(plumb_solve(NULL, s, NULL, &solutions), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_solve(context, NULL, NULL, &solutions), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_solve(context, s, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_null(solutions);
    assert_int_equal(plumb_solutions_report(NULL, &report), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_solutions_create(1, 1, PLUMB_D, NULL, &solutions), PLUMB_OK);
    assert_int_equal(plumb_solutions_report(solutions, &report), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_solutions_report(solutions, NULL), PLUMB_ERR_ARGUMENT);
    plumb_solutions_destroy(solutions);
    plumb_system_destroy(s);
    plumb_solve_options_init(NULL);
    assert_string_equal(plumb_start_name(PLUMB_START_TOTAL), "total");
    assert_string_equal(plumb_start_name(PLUMB_START_POLYHEDRAL), "polyhedral");
    assert_null(plumb_start_name(-1));
    assert_null(plumb_start_name(4));
}

/* Start systems that are out of the question are named with the reason; those that nobody asked for are not. */
static void start_systems_are_given_up_for_a_reason(void **state)
{
    (void)state;
    plumb_solve_options options;
    solve_plan plan;
    plumb_solve_options_init(&options);
    options.max_work = 10;
    plumb_system *s = parse("(x+y+z)^60*w-1; (x-y+z)^60*w-2; (x+y-z)^60*w-3; w*x-2;");
    assert_int_equal(plumb_solve_plan_make(context, s, &options, &plan), PLUMB_OK);
    assert_int_equal(plan.start.kind, PLUMB_START_TOTAL);
    assert_int_equal(plan.report.multihomogeneous, 226800);
    assert_int_equal(plan.report.polyhedral, -1);
    assert_string_equal(plan.given_up[PLUMB_START_TOTAL], "");
    assert_string_equal(plan.given_up[PLUMB_START_MULTIHOMOGENEOUS], "its equations have too many terms");
    assert_string_equal(plan.given_up[PLUMB_START_POLYHEDRAL], "mixed cells take more than 10 steps, or too long ones");
    plumb_solve_plan_clear(&plan);
    options.start = PLUMB_START_TOTAL;
    assert_int_equal(plumb_solve_plan_make(context, s, &options, &plan), PLUMB_OK);
    assert_string_equal(plan.given_up[PLUMB_START_POLYHEDRAL], "");
    plumb_solve_plan_clear(&plan);
    plumb_system_destroy(s);
}

/* The rule by hand, and on systems: with few steps per path some of their paths fail. */
static void the_verdict_follows_from_the_account(void **state)
{
    (void)state;
    char line[256] = "?";
    plumb_solve_report report = {.paths = 8, .regular = 5, .infinite = 2, .not_isolated = 1};
    assert_int_equal(plumb_solve_verdict(&report, line, sizeof line), PLUMB_SOLVE_COMPLETE);
    assert_string_equal(line, "");
    report.undecided = 1;
    assert_int_equal(plumb_solve_verdict(&report, line, sizeof line), PLUMB_SOLVE_MISSING);
    assert_string_equal(line, "1 of 8 paths failed or is undecided: up to 1 solution may be missing");
    report.failed = 2;
    assert_int_equal(plumb_solve_verdict(&report, line, sizeof line), PLUMB_SOLVE_MISSING);
    assert_string_equal(line, "3 of 8 paths failed or are undecided: up to 3 solutions may be missing");
    report.clusters = 1; /* says less */
    assert_int_equal(plumb_solve_verdict(&report, line, sizeof line), PLUMB_SOLVE_MISSING);
    assert_string_equal(line, "3 of 8 paths failed or are undecided: up to 3 solutions may be missing");
    report.unfinished = 2;
    assert_int_equal(plumb_solve_verdict(&report, line, sizeof line), PLUMB_SOLVE_STOPPED);
    assert_string_equal(line, "the run was stopped; 6 of 8 paths finished");
    assert_int_equal(plumb_solve_verdict(&report, NULL, 0), PLUMB_SOLVE_STOPPED);
    assert_int_equal(plumb_solve_verdict(&report, line, 4), PLUMB_SOLVE_STOPPED);
    assert_string_equal(line, "the");
    assert_int_equal(plumb_solve_verdict(NULL, line, sizeof line), PLUMB_SOLVE_MISSING);
    report = (plumb_solve_report){.paths = 8, .singular = 8, .clusters = 2};
    assert_int_equal(plumb_solve_verdict(&report, line, sizeof line), PLUMB_SOLVE_MISSING);
    assert_string_equal(line, "2 clusters of solutions could not be resolved: each may be one solution or several");
    static const char *const systems[] = {"x^2+y^2-5; x*y-2;", "x^40-2; y-x;", "x*(y+z-2); x*(y^2+z-5); y^2-x-1;",
                                          "x^3+y^3-1; x*y-1/10^12;"};
    static const int64_t steps[] = {8, 20, 10000};
    int64_t missing = 0;
    for (size_t k = 0; k < sizeof systems / sizeof *systems; k++)
        for (int i = 0; i < 3; i++) {
            plumb_solve_options options;
            plumb_solve_options_init(&options);
            options.max_steps = steps[i];
            plumb_solutions_destroy(solve_with(systems[k], &options, &report));
            const int32_t verdict = plumb_solve_verdict(&report, line, sizeof line);
            assert_int_equal(verdict,
                             report.failed + report.undecided > 0 ? PLUMB_SOLVE_MISSING : PLUMB_SOLVE_COMPLETE);
            assert_int_equal(verdict == PLUMB_SOLVE_COMPLETE, line[0] == '\0');
            assert_true(i < 2 || verdict == PLUMB_SOLVE_COMPLETE);
            missing += verdict == PLUMB_SOLVE_MISSING;
        }
    assert_true(missing > 0); /* paths that took too many steps are followed otherwise, but not to sets of solutions */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_circle_meets_a_hyperbola),
        cmocka_unit_test(a_triple_root_is_one_solution),
        cmocka_unit_test(real_solutions_come_first),
        cmocka_unit_test(roots_agree_with_paths),
        cmocka_unit_test(eliminated_unknowns_have_their_digits),
        cmocka_unit_test(options_choose_among_the_solutions),
        cmocka_unit_test(larger_solutions_are_counted_on_their_own),
        cmocka_unit_test(zero_has_an_error),
        cmocka_unit_test(the_choice_counts_work),
        cmocka_unit_test(paths_to_infinity_are_counted),
        cmocka_unit_test(progress_stops_it),
        cmocka_unit_test(start_systems_agree),
        cmocka_unit_test(progress_stops_an_enumeration),
        cmocka_unit_test(linear_parts_are_solved_first),
        cmocka_unit_test(contradictions_have_no_solutions),
        cmocka_unit_test(equations_may_be_zero_or_repeated),
        cmocka_unit_test(equations_that_follow_are_left_out),
        cmocka_unit_test(more_equations_than_unknowns),
        cmocka_unit_test(fewer_equations_are_refused),
        cmocka_unit_test(digits_are_refined),
        cmocka_unit_test(multiple_roots_have_digits_too),
        cmocka_unit_test(impossible_options_are_refused),
        cmocka_unit_test(start_systems_are_given_up_for_a_reason),
        cmocka_unit_test(the_verdict_follows_from_the_account),
    };
    return cmocka_run_group_tests(tests, make_context, end_context);
}
