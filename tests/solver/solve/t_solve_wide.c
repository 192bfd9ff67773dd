/* t_solve_wide.c - systems whose solutions have very different sizes, from 10^-20 to 10^20: all of them are found, each unknown to 15 digits
 * of its own size, and every path is accounted for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plumb.h"

enum { TEXT = 4096, MOST = 64, UNKNOWNS = 4 };

static plumb_context *contexts[2]; /* with one thread and with two */

static int make_contexts(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        plumb_context_options options;
        plumb_context_options_init(&options);
        options.threads = k + 1;
        options.backend = PLUMB_BACKEND_CPU;
        assert_int_equal(plumb_context_create(&options, &contexts[k]), PLUMB_OK);
    }
    return 0;
}

static int end_contexts(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        plumb_context_destroy(contexts[k]);
    return 0;
}

typedef struct found {
    plumb_solve_report report;
    int64_t count;
    double x[MOST][2 * UNKNOWNS][PLUMB_QD]; /* real and imaginary parts */
} found;

static found solve_with(plumb_context *context, const char *text, const plumb_solve_options *options)
{
    static found f;
    plumb_system *s = NULL;
    plumb_solutions *solutions = NULL;
    plumb_text_error error;
    plumb_view x;
    memset(&f, 0, sizeof f);
    if (plumb_system_parse(text, strlen(text), &s, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    if (plumb_solve(context, s, options, &solutions) != PLUMB_OK)
        fail_msg("%s: %s", text, plumb_context_message(context));
    assert_int_equal(plumb_solutions_report(solutions, &f.report), PLUMB_OK);
    const plumb_solve_report *r = &f.report;
    assert_int_equal(r->paths, r->regular + r->singular + r->infinite + r->beyond + r->not_isolated + r->extraneous +
                                   r->undecided + r->failed);
    f.count = plumb_solutions_count(solutions);
    const int64_t n = plumb_solutions_unknowns(solutions);
    assert_true(f.count <= MOST && n <= UNKNOWNS);
    const int32_t prec = plumb_solutions_prec(solutions);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, n, 1, 1, &x), PLUMB_OK);
    for (int64_t k = 0; k < f.count; k++) {
        assert_int_equal(plumb_solutions_get(solutions, k, &x), PLUMB_OK);
        for (int64_t i = 0; i < n; i++)
            for (int32_t c = 0; c < 2 * prec; c++)
                f.x[k][2 * i + c / prec][c % prec] = x.data[c * x.plane + i];
    }
    plumb_array_destroy(context, &x);
    plumb_solutions_destroy(solutions);
    plumb_system_destroy(s);
    return f;
}

static found solve(const char *text)
{
    return solve_with(contexts[1], text, NULL);
}

/* Is the solution there once, with real unknowns that are right to 15 digits? */
static bool has(const found *f, const double *x, int n)
{
    int times = 0;
    for (int64_t k = 0; k < f->count; k++) {
        bool same = true;
        for (int i = 0; i < n; i++)
            same = same && fabs(f->x[k][2 * i][0] - x[i]) <= 1e-15 * fabs(x[i]) && f->x[k][2 * i + 1][0] == 0.0;
        times += same;
    }
    return times == 1;
}

/* A number as text that is exactly the one meant: digit 10^places. */
typedef struct size {
    int digit, places;
} size;

static const char *text_of(size s)
{
    static char text[16][40];
    static int turn;
    char *to = text[turn = (turn + 1) % 16];
    snprintf(to, sizeof text[0], s.places < 0 ? "%d/10^%d" : "%d*10^%d", s.digit, s.places < 0 ? -s.places : s.places);
    return to;
}

static double value_of(size s)
{
    char text[40], *end;
    snprintf(text, sizeof text, "%de%d", s.digit, s.places);
    const double value = strtod(text, &end);
    assert_int_equal(*end, 0);
    return value;
}

static size draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const int sign = *state >> 63 ? -1 : 1;
    return (size){sign * (int)(1 + (*state >> 33) % 9), (int)((*state >> 40) % 39) - 19};
}

/* (x - a1)*(x - a2) = 0 for each of 2 to 4 unknowns, in every second system combined into equations that have all of them. */
static void grids_are_found(void **state)
{
    static const char names[] = "xyzw";
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        const int n = 2 + (int)(seed % 3);
        uint64_t random = seed;
        char factor[UNKNOWNS][160], text[TEXT] = "";
        double root[UNKNOWNS][2];
        for (int i = 0; i < n; i++) {
            const size a = draw(&random);
            size b = draw(&random);
            b.digit += a.digit == b.digit && a.places == b.places;
            root[i][0] = value_of(a);
            root[i][1] = value_of(b);
            snprintf(factor[i], sizeof factor[i], "(%c - (%s))*(%c - (%s))", names[i], text_of(a), names[i],
                     text_of(b));
        }
        for (int i = 0; i < n; i++) {
            size_t length = strlen(text);
            length += (size_t)snprintf(text + length, sizeof text - length, "%s", factor[i]);
            if (seed % 2)
                length += (size_t)snprintf(text + length, sizeof text - length, " + 3*%s", factor[(i + 1) % n]);
            snprintf(text + length, sizeof text - length, ";");
        }
        const found f = solve(text);
        if (f.count != 1 << n || f.report.regular != 1 << n)
            fail_msg("seed %d: %d of %d: %s", (int)seed, (int)f.count, 1 << n, text);
        for (int k = 0; k < 1 << n; k++) {
            double x[UNKNOWNS];
            for (int i = 0; i < n; i++)
                x[i] = root[i][k >> i & 1];
            if (!has(&f, x, n))
                fail_msg("seed %d: solution %d is missing: %s", (int)seed, k, text);
        }
    }
}

/* Solutions whose sizes follow from each other: y = c/x or y = a, z = b x y. */
static void chains_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        uint64_t random = 100 + seed;
        size a[4];
        char text[TEXT];
        for (int i = 0; i < 4; i++) {
            a[i] = draw(&random);
            a[i].places /= 2;
        }
        a[1].digit += a[0].digit == a[1].digit && a[0].places == a[1].places;
        snprintf(text, sizeof text, "(x - (%s))*(x - (%s)); (x*y - (%s))*(y^2 - (%s)); ", text_of(a[0]), text_of(a[1]),
                 text_of(a[2]), text_of((size){a[3].digit * a[3].digit, 2 * a[3].places}));
        const found f = solve(text);
        if (f.count != 6)
            fail_msg("seed %d: %d of 6: %s", (int)seed, (int)f.count, text);
        for (int k = 0; k < 6; k++) {
            const double x = value_of(a[k % 2]), y = value_of(a[3]);
            assert_true(has(&f, (double[]){x, k < 2 ? value_of(a[2]) / x : k < 4 ? y : -y}, 2));
        }
    }
}

/* Solutions that differ in one tiny unknown are two, and tiny unknowns are positive and not zero. */
static void tiny_unknowns_count(void **state)
{
    static const char text[] = "(x - 1/10^20)*(x - 1/10^19); (y - 1)*(y - 10^20);";
    const double y[] = {1, 1e20};
    plumb_solve_options options;
    (void)state;
    plumb_solve_options_init(&options);
    options.positive = options.nonzero = 1;
    const found all = solve(text), positive = solve_with(contexts[0], text, &options);
    assert_int_equal(all.count, 4);
    assert_int_equal(positive.count, 4);
    for (int k = 0; k < 2; k++) {
        assert_true(has(&all, (double[]){1e-20, y[k]}, 2));
        assert_true(has(&all, (double[]){1e-19, y[k]}, 2));
    }
}

/* The leading terms of all equations have a common factor: paths go to infinity, and not to solutions of large size. */
static void paths_to_infinity_are_counted(void **state)
{
    (void)state;
    const found f = solve("(x + 10^15*y)*(x - 3/10^12) + y; (x + 10^15*y)*(y - 7*10^9) + 2*x;");
    assert_int_equal(f.report.paths, f.report.regular + f.report.infinite);
    assert_true(f.report.infinite > 0);
    assert_int_equal(f.count, f.report.regular);
}

/* Multiple solutions are left to the paths of double precision. */
static void multiple_solutions_are_left_to_others(void **state)
{
    (void)state;
    const found f = solve("(x - 10^8)^2*(x - 1/10^8); y^2 - x*y - 1;");
    assert_int_equal(f.report.singular, 4);
    assert_int_equal(f.report.regular, 2);
}

static void threads_do_not_matter(void **state)
{
    static const char text[] = "x^2*y - 10^15*x + 3/10^9*y^2 - 7; 5/10^12*x*y^2 - 10^6*y + x^2 - 1/10^15;";
    (void)state;
    const found one = solve_with(contexts[0], text, NULL), two = solve_with(contexts[1], text, NULL);
    assert_true(one.count > 0);
    assert_int_equal(one.count, two.count);
    assert_memory_equal(one.x, two.x, sizeof one.x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_are_found),
        cmocka_unit_test(chains_are_found),
        cmocka_unit_test(tiny_unknowns_count),
        cmocka_unit_test(paths_to_infinity_are_counted),
        cmocka_unit_test(multiple_solutions_are_left_to_others),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, make_contexts, end_contexts);
}
