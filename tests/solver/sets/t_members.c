/* t_members.c - tests plumb_components_member, _sample and _intersect, and the points they take. tests/campaigns/members.py asks about many
 * more points. */
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
#include "solver/context_test.h"

/* Each verdict is a letter: n off, y on, u undecided; the last one is that of isolated solutions. */
static const struct asked {
    const char *system, *unknowns, *point, *verdicts;
    double tolerance;
} asked[] = {
    /* components: y = 0; the parabola. They meet in the origin. */
    {"y*(y-x^2);", "\"x\", \"y\"", "[\"2\", \"0\"], [\"4\", \"0\"]", "nyn", 0.0},
    {"y*(y-x^2);", "\"x\", \"y\"", "[\"0.1\", \"0\"], [\"0.01\", \"0\"]", "nyn", 0.0},
    {"y*(y-x^2);", "\"x\", \"y\"", "[\"0\", \"3\"], [\"-9\", \"0\"]", "nyn", 0.0},
    {"y*(y-x^2);", "\"x\", \"y\"", "[\"1/3\", \"0\"], [\"0\", \"0\"]", "ynn", 0.0},
    {"y*(y-x^2);", "\"y\", \"x\"", "[\"0\", \"0\"], [\"1/3\", \"0\"]", "ynn", 0.0},
    {"y*(y-x^2);", "\"x\", \"y\"", "[\"0\", \"0\"], [\"0\", \"0\"]", "yyn", 0.0},
    {"y*(y-x^2);", "\"x\", \"y\"", "[\"1e-7\", \"0\"], [\"1e-14\", \"0\"]", "nyn", 0.0},
    {"y*(y-x^2);", "\"x\", \"y\"", "[\"1e-7\", \"0\"], [\"1.0000000000000000000000000000001e-14\", \"0\"]", "nnn", 0.0},
    {"y*(y-x^2);", "\"x\", \"y\"", "[\"1.4142135623730951\", \"0\"], [\"2\", \"0\"]", "nnn", 0.0},
    {"y*(y-x^2);", "\"x\", \"y\"", "[\"1.4142135623730951\", \"0\"], [\"2\", \"0\"]", "nyn", 1e-12},
    {"y*(y-x^2);", "\"x\", \"y\"", "[\"1.4142135623730951\", \"0\"], [\"2.00000001\", \"0\"]", "nnn", 1e-12},
    /* They touch at the origin: the conic is 1e-18 away, but the point is a smooth one of both together. */
    {"(x-y)*(x-y-1e-8*x^2);", "\"x\", \"y\"", "[\"1e-5\", \"0\"], [\"1e-5\", \"0\"]", "ynn", 0.0},
    {"(x-y)*(x-y-1e-8*x^2);", "\"x\", \"y\"", "[\"1e-5\", \"0\"], [\"9.999999999999e-6\", \"0\"]", "nyn", 0.0},
    {"(y-x^2)^2;", "\"x\", \"y\"", "[\"3\", \"0\"], [\"9\", \"0\"]", "yn", 0.0},
    {"(y-x^2)^2;", "\"x\", \"y\"", "[\"3\", \"0\"], [\"9.000000000001\", \"0\"]", "nn", 0.0},
    {"y^2-x^3;", "\"x\", \"y\"", "[\"0\", \"0\"], [\"0\", \"0\"]", "yn", 0.0},
    {"x^2*(x-1); x*y;", "\"x\", \"y\"", "[\"1\", \"0\"], [\"0\", \"0\"]", "ny", 0.0},
    {"x^2*(x-1); x*y;", "\"x\", \"y\"", "[\"0\", \"0\"], [\"5\", \"0\"]", "yn", 0.0},
    {"0*x+0*y;", "\"x\", \"y\"", "[\"7\", \"0\"], [\"0\", \"1\"]", "yn", 0.0},
};

static int prepare(void **state)
{
    backend = PLUMB_BACKEND_CPU;
    return make_context(state);
}

static plumb_system *parse(const char *text)
{
    plumb_system *s = NULL;
    plumb_text_error error;
    if (plumb_system_parse(text, strlen(text), &s, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    return s;
}

static plumb_components *decompose(const char *text)
{
    plumb_system *s = parse(text);
    plumb_components *c = NULL;
    if (plumb_decompose(context, s, NULL, &c) != PLUMB_OK)
        fail_msg("%s: %s", text, plumb_context_message(context));
    plumb_system_destroy(s);
    return c;
}

/* What is read back from the text that is written. */
static plumb_components *through_text(plumb_components *c)
{
    size_t size = 0;
    plumb_components *again = NULL;
    assert_int_equal(plumb_components_write(c, NULL, 0, &size), PLUMB_ERR_BUFFER);
    char *text = malloc(size);
    assert_non_null(text);
    assert_int_equal(plumb_components_write(c, text, size, NULL), PLUMB_OK);
    assert_int_equal(plumb_components_read(text, strlen(text), &again, NULL), PLUMB_OK);
    free(text);
    plumb_components_destroy(c);
    return again;
}

static void members_are_known(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof asked / sizeof asked[0]; k++) {
        char text[512], found[16] = "";
        plumb_components *c = decompose(asked[k].system);
        plumb_points *points = NULL;
        plumb_text_error error;
        plumb_member members[8];
        plumb_member_options options;
        if (k % 2)
            c = through_text(c);
        snprintf(text, sizeof text, "{\"unknowns\": [%s], \"solutions\": [{\"x\": [%s]}]}", asked[k].unknowns,
                 asked[k].point);
        if (plumb_points_read(text, strlen(text), &points, &error) != PLUMB_OK)
            fail_msg("%s: %s", text, error.message);
        plumb_member_options_init(&options);
        options.tolerance = asked[k].tolerance;
        if (plumb_components_member(context, c, points, &options, members) != PLUMB_OK)
            fail_msg("%s at %s: %s", asked[k].system, asked[k].point, plumb_context_message(context));
        for (int64_t i = 0; i <= plumb_components_count(c); i++)
            found[i] = "nyu"[members[i].verdict];
        if (strcmp(found, asked[k].verdicts) != 0)
            fail_msg("%s at %s: found %s, expected %s", asked[k].system, asked[k].point, found, asked[k].verdicts);
        plumb_points_destroy(points);
        plumb_components_destroy(c);
    }
}

static void points_are_exact(void **state)
{
    (void)state;
    static const char phc[] =
        "THE SOLUTIONS :\n1 2\n=====\nsolution 1 :\nt : 1 0\nm : 1\nthe solution for t :\n x : 0.1 0\n"
        " y : 0.01 0\n== err : 0 = rco : 1 = res : 0 =\n";
    static const char wrong[] = "{\"unknowns\": [\"x\"], \"solutions\": [{\"x\": [[\"inf\", \"0\"]]}]}";
    plumb_components *c = decompose("y-x^2;");
    plumb_points *points = NULL;
    plumb_member members[4];
    plumb_text_error error;
    assert_int_equal(plumb_points_read(phc, strlen(phc), &points, &error), PLUMB_OK);
    assert_int_equal(plumb_points_count(points), 1);
    assert_int_equal(plumb_points_unknowns(points), 2);
    assert_int_equal(plumb_components_member(context, c, points, NULL, members), PLUMB_OK);
    assert_int_equal(members[0].verdict, PLUMB_MEMBER_ON);
    plumb_points_destroy(points);
    assert_int_equal(plumb_points_read(wrong, strlen(wrong), &points, &error), PLUMB_ERR_PARSE);
    assert_null(points);
    double x[2] = {0.1, 0.01};
    plumb_view view;
    assert_int_equal(plumb_view_init(&view, x, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 2, 1, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_points_create(&view, NULL, &points), PLUMB_OK); /* doubles, which are not on the parabola */
    assert_int_equal(plumb_components_member(context, c, points, NULL, members), PLUMB_OK);
    assert_true(members[0].verdict == PLUMB_MEMBER_OFF && members[0].proven == 1);
    plumb_points_destroy(points);
    view.rows = 1;
    assert_int_equal(plumb_points_create(&view, NULL, &points), PLUMB_OK);
    assert_int_equal(plumb_components_member(context, c, points, NULL, members), PLUMB_ERR_ARGUMENT);
    plumb_points_destroy(points);
    plumb_components_destroy(c);
}

static double residual(const plumb_system *system, const plumb_solutions *s, int64_t k)
{
    double x[2 * PLUMB_QD * 4], f[2 * PLUMB_QD * 4], most = 0.0;
    plumb_view at, values;
    assert_int_equal(
        plumb_view_init(&at, x, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, plumb_solutions_unknowns(s), 1, 1, NULL),
        PLUMB_OK);
    assert_int_equal(
        plumb_view_init(&values, f, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, plumb_system_equations(system), 1, 1, NULL),
        PLUMB_OK);
    assert_int_equal(plumb_solutions_get(s, k, &at), PLUMB_OK);
    assert_int_equal(plumb_system_eval(context, system, &at, &values, NULL, NULL), PLUMB_OK);
    for (int64_t i = 0; i < values.rows; i++)
        most = fmax(most, fmax(fabs(f[i]), fabs(f[PLUMB_QD * values.rows + i])));
    return most;
}

static void samples_are_on_their_components(void **state)
{
    (void)state;
    static const char *const systems[] = {"x^2+y^2+z^2-1;", "y-x^2; z-x^3;", "(y-x^2)^2; z*(y-x^2);", "x*y-1; z*y-x;"};
    for (size_t k = 0; k < sizeof systems / sizeof systems[0]; k++)
        for (int real = 0; real < 2; real++) {
            plumb_components *c = decompose(systems[k]);
            plumb_sample_options options;
            plumb_solutions *s = NULL;
            plumb_sample_options_init(&options);
            options.count = 7;
            options.real = real;
            options.radius = 2.0;
            if (plumb_components_sample(context, c, 0, &options, &s) != PLUMB_OK)
                fail_msg("%s: %s", systems[k], plumb_context_message(context));
            assert_int_equal(plumb_solutions_count(s), 7);
            for (int64_t i = 0; i < 7; i++) {
                plumb_solution_record r;
                assert_int_equal(plumb_solutions_get_record(s, i, &r), PLUMB_OK);
                if (!(residual(plumb_components_system(c), s, i) < 1e-55) || (real && !r.real))
                    fail_msg("%s: point %d: %g", systems[k], (int)i, residual(plumb_components_system(c), s, i));
            }
            plumb_solutions_destroy(s);
            plumb_components_destroy(c);
        }
}

static void slices_intersect(void **state)
{
    (void)state;
    static const struct {
        const char *system, *slice;
        int64_t regular, singular, infinite, not_isolated, solutions, real;
    } cut[] = {{"x^2+y^2-1;", "x-1/2;", 2, 0, 0, 0, 2, 2},  {"x^2+y^2-1;", "x-2;", 2, 0, 0, 0, 2, 0},
               {"x^2+y^2-1;", "x-1;", 0, 2, 0, 0, 1, 1},    {"x*y-1;", "x-3;", 1, 0, 1, 0, 1, 1},
               {"x*y-1;", "x;", 0, 0, 2, 0, 0, 0},          {"z-x*y;", "x; z;", 0, 0, 0, 2, 0, 0},
               {"y-x^2; z-x^3;", "z-8;", 3, 0, 0, 0, 3, 1}, {"(y-x^2)^2;", "y-4;", 2, 0, 0, 0, 2, 2}};
    for (size_t k = 0; k < sizeof cut / sizeof cut[0]; k++) {
        plumb_components *c = decompose(cut[k].system);
        plumb_system *slice = parse(cut[k].slice);
        plumb_solutions *s = NULL;
        plumb_intersection a;
        if (plumb_components_intersect(context, c, 0, slice, 1, &s, &a) != PLUMB_OK)
            fail_msg("%s: %s", cut[k].system, plumb_context_message(context));
        if (a.regular != cut[k].regular || a.singular != cut[k].singular || a.infinite < cut[k].infinite ||
            a.solutions != cut[k].solutions || a.real != cut[k].real || a.failed != 0)
            fail_msg("%s, %s: %d regular, %d singular, %d infinite, %d not isolated, %d failed, %d solutions, %d real",
                     cut[k].system, cut[k].slice, (int)a.regular, (int)a.singular, (int)a.infinite, (int)a.not_isolated,
                     (int)a.failed, (int)a.solutions, (int)a.real);
        assert_int_equal(plumb_solutions_count(s), a.solutions);
        plumb_solutions_destroy(s);
        assert_int_equal(plumb_components_intersect(context, c, 0, plumb_components_system(c), 1, &s, NULL),
                         PLUMB_ERR_ARGUMENT);
        plumb_system_destroy(slice);
        plumb_components_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_known),
        cmocka_unit_test(points_are_exact),
        cmocka_unit_test(samples_are_on_their_components),
        cmocka_unit_test(slices_intersect),
    };
    return cmocka_run_group_tests(tests, prepare, end_context);
}
