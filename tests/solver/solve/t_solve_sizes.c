/* t_solve_sizes.c - solutions of very different sizes: units of the unknowns, large solutions beside small ones, and what the largest
 * size that is asked for leaves out. Sizes are those of the unknowns as they are given, whatever the scaling makes of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/solutions.h"

enum { TEXT = 1024, MOST = 64 };

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

/* The first two unknowns of the solutions that were found, leading limbs of their real parts. */
typedef struct found {
    plumb_solve_report report;
    int64_t count;
    int32_t prec; /* the highest that one has */
    double x[MOST][2];
} found;

static found solve(const char *text, uint64_t seed, double largest)
{
    plumb_system *s = NULL;
    plumb_solutions *solutions = NULL;
    plumb_text_error error;
    plumb_solve_options options;
    plumb_view x;
    found f = {.count = 0};
    plumb_solve_options_init(&options);
    options.seed = seed;
    options.largest = largest > 0 ? largest : options.largest;
    if (plumb_system_parse(text, strlen(text), &s, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    if (plumb_solve(context, s, &options, &solutions) != PLUMB_OK)
        fail_msg("%s: %s", text, plumb_context_message(context));
    assert_int_equal(plumb_solutions_report(solutions, &f.report), PLUMB_OK);
    const plumb_solve_report *r = &f.report;
    assert_int_equal(r->paths, r->regular + r->singular + r->infinite + r->beyond + r->not_isolated + r->extraneous +
                                   r->undecided + r->failed);
    f.count = plumb_solutions_count(solutions);
    assert_true(f.count <= MOST);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, plumb_solutions_prec(solutions), PLUMB_COMPLEX,
                                        plumb_solutions_unknowns(solutions), 1, 1, &x),
                     PLUMB_OK);
    for (int64_t k = 0; k < f.count; k++) {
        assert_int_equal(plumb_solutions_get(solutions, k, &x), PLUMB_OK);
        f.prec = solutions->record[k].prec > f.prec ? solutions->record[k].prec : f.prec;
        for (int i = 0; i < 2; i++)
            f.x[k][i] = x.data[i];
    }
    plumb_array_destroy(context, &x);
    plumb_solutions_destroy(solutions);
    plumb_system_destroy(s);
    return f;
}

static int has(const found *f, double x, double y)
{
    int times = 0;
    for (int64_t k = 0; k < f->count; k++)
        times += fabs(f->x[k][0] - x) <= 1e-9 * fabs(x) && fabs(f->x[k][1] - y) <= 1e-9 * fabs(y);
    return times;
}

/* 10^places, or 1/10^-places. */
static const char *power(int places)
{
    static char text[8][32];
    static int turn;
    char *to = text[turn = (turn + 1) % 8];
    snprintf(to, sizeof text[0], places < 0 ? "1/10^%d" : "10^%d", places < 0 ? -places : places);
    return to;
}

/* Solutions of moderate size, whose unknowns have units of 10^-15 and less because a coefficient is tiny. */
static void tiny_coefficients_do_not_hide_solutions(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const found two = solve("x^2 - 3*x*y + 2/10^30; y^2 - 1;", seed, 0);
        const found one = solve("-3*x*y - 3; -3*x*y - 3 + 1/10^16*(2*x*y - x^2*y - 1);", seed, 0);
        if (two.count != 4 || one.count != 1)
            print_message("  seed %llu: %lld of 4, %lld of 1\n", (unsigned long long)seed, (long long)two.count,
                          (long long)one.count);
        assert_int_equal(two.count, 4);
        assert_int_equal(has(&two, 3, 1), 1);
        assert_int_equal(has(&two, -3, -1), 1);
        assert_int_equal(one.count, 1);
        assert_int_equal(has(&one, 3, -1.0 / 3.0), 1);
    }
}

/* Conics with four intersections of about the size of the units, from 10^-30 to 10^30. */
static void units_do_not_matter(void **state)
{
    (void)state;
    for (int seed = 0; seed < 30; seed++) {
        char text[TEXT];
        const int p = 7 * seed % 61 - 30, q = 23 * seed % 61 - 30;
        const char *x = power(-p), *y = power(-q);
        snprintf(
            text, sizeof text,
            "(%s*x)^2 + 3*(%s*x)*(%s*y) - 2*(%s*y)^2 + %s*x - 5; 2*(%s*x)^2 - (%s*x)*(%s*y) + (%s*y)^2 - 3*%s*y - 7;",
            x, x, y, y, x, x, x, y, y, y);
        const found f = solve(text, (uint64_t)seed + 1, 0);
        if (f.report.regular != 4)
            print_message("  seed %d, units 10^%d and 10^%d: %lld of 4\n", seed + 1, p, q, (long long)f.report.regular);
        assert_int_equal(f.report.regular, 4);
    }
}

/* Planted solutions of sizes from 10^-30 to 10^30 beside those of size 1; and the same with a largest size, which leaves
 * out those above it. */
static void planted_sizes_are_found(void **state)
{
    (void)state;
    int64_t undecided = 0;
    for (int seed = 0; seed < 60; seed++) {
        char text[TEXT];
        const int p = 13 * seed % 61 - 30, q = 29 * seed % 31 - 15;
        const double a = pow(10, p), c = pow(10, q);
        snprintf(text, sizeof text, "(x - 3*%s)*(x - 2); x*y - 7*%s;", power(p), power(q));
        const found f = solve(text, (uint64_t)seed + 1, 0);
        const int good = has(&f, 3 * a, 7 * c / (3 * a)) == 1 && has(&f, 2, 3.5 * c) == 1;
        undecided += !good && f.report.undecided + f.report.failed > 0;
        if (!good)
            print_message("  seed %d: %s: %lld regular, %lld at infinity, %lld undecided\n", seed + 1, text,
                          (long long)f.report.regular, (long long)f.report.infinite, (long long)f.report.undecided);
        assert_true(good || f.report.undecided + f.report.failed > 0);
        const double sizes[] = {fmax(3 * a, 7 * c / (3 * a)), fmax(2, 3.5 * c)}, largest = 1e6;
        const found some = solve(text, (uint64_t)seed + 1, largest);
        const int64_t wanted = (sizes[0] <= largest) + (sizes[1] <= largest);
        if (some.report.undecided + some.report.failed == 0) {
            assert_int_equal(some.count, wanted);
            assert_true(wanted == 2 || some.report.beyond + some.report.infinite > 0);
            assert_true(some.report.beyond == 0 ? some.report.beyond_max == 0 : some.report.beyond_max > 0);
        }
    }
    assert_true(undecided <= 1);
}

/* Coefficients of size 1 whose digits cancel: one of six solutions has a size of 10^30. */
static void long_coefficients_have_large_roots(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const found f = solve("x^2 - y^2 + z - 1; x^2 - (1 + 1/10^30)*y^2 + x + z^2 - 3; x*z + y*z + x - 2;", seed, 0);
        double most = 0.0;
        assert_int_equal(f.report.regular, 6);
        assert_int_equal(f.report.infinite, 2);
        assert_int_equal(f.report.unfollowed, 0);
        for (int64_t k = 0; k < f.count; k++)
            most = fmax(most, fabs(f.x[k][0]));
        assert_true(most > 0.9e30 && most < 1.1e30);
    }
}

/* The steady states of a network: the structure of one with two, one of which has no negative concentration, and rate constants
 * over many powers of ten. */
static void networks_with_fast_and_slow_reactions(void **state)
{
    (void)state;
    for (int seed = 0; seed < 40; seed++) {
        char text[TEXT];
        const char *k[5];
        for (int i = 0; i < 5; i++)
            k[i] = power((17 * seed + 11 * i * i + 5 * i * seed) % 13 - 6);
        snprintf(text, sizeof text,
                 "e - 87000; -75*%s*a*e - 81*%s*a + 53*%s*e; "
                 "-95*%s*a*b + 38*%s*a*c - 800*b*e + 49*%s*c^2 + 740*e*d + 81*%s*a - 98*%s*b; "
                 "95*%s*a*b - 38*%s*a*c - 2*49*%s*c^2 + 2*98*%s*b; 800*b*e - 740*e*d;",
                 k[0], k[1], k[2], k[3], k[4], k[0], k[1], k[2], k[3], k[4], k[0], k[2]);
        const found f = solve(text, (uint64_t)seed + 1, 0);
        if (f.report.regular != 2)
            print_message("  seed %d: %lld of 2: %s\n", seed + 1, (long long)f.report.regular, text);
        assert_int_equal(f.report.regular, 2);
    }
}

/* Endpoints and paths that were given up beyond the largest size are counted, with their sizes; roots at infinity are not
 * among them. */
static void what_is_beyond_the_largest_size_is_counted(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const found all = solve("(x - 10^18)*(x - 1); x*y - 1;", seed, 0);
        const found some = solve("(x - 10^18)*(x - 1); x*y - 1;", seed, 1e10);
        const found tiny = solve("x - 1/10^9*y*z; y^2 - 10^20; z - x^2 - 1;", seed, 1e12);
        assert_int_equal(all.count, 2);
        assert_int_equal(all.report.beyond, 0);
        assert_int_equal(some.count, 1);
        assert_true(some.report.beyond > 0);
        assert_true(some.report.beyond_min > 0 && some.report.beyond_max <= 1.001e18);
        assert_int_equal(tiny.count + tiny.report.beyond, 4);
        assert_int_equal(tiny.report.beyond, 0);
    }
}

/* Paths to very large roots are given up at first, and followed again as far as possible if they are few. */
static void few_very_large_roots_are_found(void **state)
{
    (void)state;
    const found f = solve("3/10^28*x^2-50000000000000000000000000027/5/10^28*x-2*y^2-10/3*y+7/15;"
                          "3/5/10^27*x^2-50000000000000000000000000027/25/10^27*x-2*y^2-10/3*y+34/15;",
                          728167, 0);
    assert_int_equal(f.count, 4);
    assert_int_equal(f.report.regular, 4);
}

/* One of the 46 solutions has coordinates from 10^-237 to 10^245: relative to the largest one, most are zero in any precision that
 * a path has. */
static void a_solution_with_coordinates_of_all_sizes_is_found(void **state)
{
    (void)state;
    const found f = solve("-9/125/1000*x1*x3*x5^2-7300/7*x2^2*x3*x4*x6-8/5;"
                          "440000/3*x1*x2*x5^2*x6+110/3*x1*x6-73/7/100;"
                          "-59/2/10^6*x2*x4*x5^2*x6-11/5/100*x2*x4*x5^2+39/10;"
                          "120000/7*x1^2*x4*x5+2350*x2*x3*x4*x5^2*x6+3/2/10^5;"
                          "1200000*x1*x2*x4-1/2*x2*x3*x4*x5-17/14/10^4;"
                          "-11/5/10*x1^2*x2^2*x3*x4^2*x5^2+590*x1*x2*x4+800000/7;",
                          1, 0);
    assert_int_equal(f.report.regular, 46);
    assert_int_equal(has(&f, 5.464255548956886e174, 1.142287294892832e81), 1);
}

/* A small unknown gets the digits of a double; that x and y are zero follows from the equations, and needs none: without that, quad
 * doubles would look for them. */
static void zeros_beside_a_small_unknown_need_no_digits(void **state)
{
    const double a = 3.98946701382464695363e-7, b = 2.144744390267134626487803;
    int times = 0;
    (void)state;
    const found f = solve("a^2 + a*b - 1/1000*c - 2/1000*c^2; c^2 + c*b - 1/1000*d - 3/1000*d^2; b^2 + d^2 - 5;"
                          "b*d - 2 + 3/10*b; x^2 + 2*x*b + y; 2*x + y*b*d - 3*y;",
                          1, 0);
    assert_int_equal(f.count, 32);
    for (int64_t k = 0; k < f.count; k++)
        times += fabs(f.x[k][0] - a) <= 4e-16 * a && fabs(f.x[k][1] - b) <= 4e-16 * b;
    assert_in_range(times, 1, 4); /* x and y are zero in one of them */
    assert_int_equal(f.prec, PLUMB_DD);
}

/* All unknowns of the second solution are small, and have the digits of a double even so. */
static void small_solutions_have_all_digits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const found f =
            solve("3*x^2 + x*y - 13803/5000*x + 110461/200000000; x^2 + x*y - 4601/5000*x + 36861/200000000;", seed, 0);
        const double x = 2e-4, y = -1.525e-3;
        int times = 0;
        assert_int_equal(f.count, 2);
        for (int64_t k = 0; k < f.count; k++)
            times += fabs(f.x[k][0] - x) <= 4e-16 * x && fabs(f.x[k][1] - y) <= -4e-16 * y;
        assert_int_equal(times, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_coefficients_do_not_hide_solutions),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(planted_sizes_are_found),
        cmocka_unit_test(long_coefficients_have_large_roots),
        cmocka_unit_test(networks_with_fast_and_slow_reactions),
        cmocka_unit_test(what_is_beyond_the_largest_size_is_counted),
        cmocka_unit_test(few_very_large_roots_are_found),
        cmocka_unit_test(a_solution_with_coordinates_of_all_sizes_is_found),
        cmocka_unit_test(small_solutions_have_all_digits),
        cmocka_unit_test(zeros_beside_a_small_unknown_need_no_digits),
    };
    return cmocka_run_group_tests(tests, make_context, end_context);
}
