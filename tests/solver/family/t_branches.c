/* t_branches.c - tests branches of real solutions along a line of parameters: turning points, crossings and forks where they are known,
 * solutions that go to infinity, lines on which every target is special, the same bits for any number of threads, and neighbours as starts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plumb.h"

static plumb_context *make_context(int32_t threads)
{
    plumb_context *context = NULL;
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.threads = threads;
    options.backend = PLUMB_BACKEND_CPU;
    assert_int_equal(plumb_context_create(&options, &context), PLUMB_OK);
    return context;
}

static plumb_family *make_family(plumb_context *context, const char *text)
{
    plumb_system *s = NULL;
    plumb_family *family = NULL;
    plumb_text_error error;
    if (plumb_system_parse(text, strlen(text), &s, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    if (plumb_family_create(s, &family) != PLUMB_OK)
        fail_msg("%s", plumb_last_message());
    plumb_system_destroy(s);
    if (plumb_family_generic(context, family, NULL, NULL) != PLUMB_OK)
        fail_msg("%s", plumb_context_message(context));
    return family;
}

static plumb_branches *find(plumb_context *context, const plumb_family *family, double *from, double *to,
                            int64_t samples, plumb_branches_report *report)
{
    const int64_t m = plumb_family_parameters(family);
    plumb_view a, b;
    plumb_branches_options options;
    plumb_branches *branches = NULL;
    plumb_branches_options_init(&options);
    options.samples = samples;
    assert_int_equal(plumb_view_init(&a, from, PLUMB_HOST, PLUMB_D, PLUMB_REAL, m, 1, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_view_init(&b, to, PLUMB_HOST, PLUMB_D, PLUMB_REAL, m, 1, 1, NULL), PLUMB_OK);
    if (plumb_family_branches(context, family, &a, &b, &options, &branches, report) != PLUMB_OK)
        fail_msg("%s", plumb_context_message(context));
    return branches;
}

/* Families in one unknown x with the parameter a, on a line of a. */
static void branches_are_as_known(void **state)
{
    static const struct {
        const char *text;
        double from, to;
        int64_t samples, branches, turns, crossings, open, least, most;
    } cases[] = {
        {"parameters a; x^3 - a*x;", -1.0, 1.0, 20, 3, 1, 1, 0, 1, 3}, /* unknowns that are zero */
        {"parameters a; x*(x - a);", -1.0, 1.0, 20, 2, 0, 2, 0, 2, 2},
        {"parameters a; x^2 - a;", -1.0, 2.0, 31, 2, 1, 0, 0, 0, 2},               /* a fold */
        {"parameters a; x^2 - a;", -1.0, 1.0, 21, 2, 1, 0, 0, 0, 2},               /* at a target */
        {"parameters a; (x - 1)^3 - a*(x - 1);", -1.0, 1.0, 20, 3, 1, 1, 0, 1, 3}, /* a fork */
        {"parameters a; (x - 1)^3 + a*(x - 1);", -1.0, 1.0, 21, 3, 1, 1, 0, 1, 3}, /* the other way */
        {"parameters a; (x - 1)*(x - 1 - a);", -1.0, 1.0, 20, 2, 0, 2, 0, 2, 2},   /* a crossing */
        {"parameters a; x^3 - x - a;", -1.0, 1.0, 41, 3, 2, 0, 0, 1, 3},           /* an S */
        {"parameters a; x^3 - 10*x - a;", -100.0, 100.0, 301, 3, 2, 0, 0, 1, 3},
        {"parameters a; (x^2 - a)*((x - 5)^2 + a - 1);", -1.0, 2.0, 31, 4, 2, 0, 0, 2, 4},
        {"parameters a; a*x - 1;", -1.0, 1.0, 20, 2, 0, 0, 2, 1, 1},   /* a pole */
        {"parameters a; x^2 + a^2;", -1.0, 1.0, 20, 0, 0, 0, 0, 0, 0}, /* none; real at one place only */
        {"parameters a; (x^2 + 1)*(x - a);", -1.0, 1.0, 5, 1, 0, 0, 0, 1, 1},
    };
    plumb_context *context = make_context(2);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        plumb_family *family = make_family(context, cases[c].text);
        double from = cases[c].from, to = cases[c].to;
        plumb_branches_report r;
        plumb_branches *b = find(context, family, &from, &to, cases[c].samples, &r);
        if (r.branches != cases[c].branches || r.turns != cases[c].turns || r.crossings != cases[c].crossings ||
            r.open != cases[c].open || r.least != cases[c].least || r.most != cases[c].most || r.incomplete != 0)
            fail_msg("%s: %lld branches, %lld turns, %lld crossings, %lld open, %lld to %lld, %lld incomplete",
                     cases[c].text, (long long)r.branches, (long long)r.turns, (long long)r.crossings,
                     (long long)r.open, (long long)r.least, (long long)r.most, (long long)r.incomplete);
        assert_int_equal(plumb_branches_count(b), r.branches);
        plumb_branches_destroy(b);
        plumb_family_destroy(family);
    }
    plumb_context_destroy(context);
}

/* Every point solves the equation, branches do not jump, and a turning point is where it should be. */
static void branches_are_continuous(void **state)
{
    plumb_context *context = make_context(2);
    plumb_family *family =
        make_family(context, "parameters a; x^3 - 3*x - a;"); /* turns at a = -2, x = 1 and a = 2, x = -1 */
    double from = -4.0, to = 4.0;
    plumb_branches_report r;
    plumb_branches *all = find(context, family, &from, &to, 41, &r);
    (void)state;
    int ends = 0;
    for (int64_t k = 0; k < plumb_branches_count(all); k++) {
        plumb_branch b;
        assert_int_equal(plumb_branches_get(all, k, &b), PLUMB_OK);
        for (int64_t j = 0; j < b.points; j++) {
            const double a = from + b.s[j] * (to - from), x = b.x[j];
            const int tip =
                (j == 0 && b.begin == PLUMB_BRANCH_TURN) || (j == b.points - 1 && b.end == PLUMB_BRANCH_TURN);
            if (tip) {
                ends++;
                assert_true(fabs(fabs(a) - 2.0) < 1e-4 && fabs(fabs(x) - 1.0) < 1e-2 && a * x < 0.0);
            } else {
                assert_true(fabs(x * x * x - 3.0 * x - a) < 1e-9);
            }
            assert_true(j == 0 || (b.s[j] > b.s[j - 1] && fabs(x - b.x[j - 1]) < 0.5));
        }
    }
    assert_int_equal(ends, 4);
    plumb_branch none;
    assert_int_equal(plumb_branches_get(all, r.branches, &none), PLUMB_ERR_ARGUMENT);
    plumb_branches_destroy(all);
    plumb_family_destroy(family);
    plumb_context_destroy(context);
}

/* Special everywhere: one of three solutions is at infinity wherever b = 0, or two of them are one. */
static void special_lines_have_branches(void **state)
{
    plumb_context *context = make_context(2);
    plumb_family *family = make_family(context, "parameters a, b; b*x^3 + x^2 - a;");
    double from[2] = {-1.0, 0.0}, to[2] = {2.0, 0.0};
    plumb_branches_report r;
    plumb_branches_destroy(find(context, family, from, to, 31, &r));
    (void)state;
    assert_int_equal(r.branches, 2);
    assert_int_equal(r.turns, 1);
    assert_true(r.special == r.targets);
    plumb_family_destroy(family);
    family = make_family(context, "parameters a, b; (x^2 - b)*(x - a);");
    plumb_branches_destroy(find(context, family, from, to, 31, &r)); /* x^2 (x - a) */
    assert_true(r.branches >= 1 && r.incomplete == 0);
    plumb_family_destroy(family);
    plumb_context_destroy(context);
}

static void threads_do_not_change_branches(void **state)
{
    static const char text[] = "parameters a, b; x^3 + y^2 - a*x - 1; x*y - b*y + x - 1/2;";
    double from[2] = {-2.0, 0.3}, to[2] = {2.0, 0.7}, *first = NULL;
    int64_t points = 0;
    (void)state;
    for (int32_t threads = 1; threads <= 3; threads += 2) {
        plumb_context *context = make_context(threads);
        plumb_family *family = make_family(context, text);
        plumb_branches_report r;
        plumb_branches *all = find(context, family, from, to, 41, &r);
        double *x = malloc((size_t)(2 * r.points + 1) * sizeof *x);
        int64_t used = 0;
        assert_non_null(x);
        for (int64_t k = 0; k < r.branches; k++) {
            plumb_branch b;
            assert_int_equal(plumb_branches_get(all, k, &b), PLUMB_OK);
            memcpy(x + used, b.x, (size_t)(2 * b.points) * sizeof *x);
            used += 2 * b.points;
        }
        assert_int_equal(used, 2 * r.points);
        if (first) {
            assert_int_equal(points, r.points);
            assert_memory_equal(first, x, (size_t)used * sizeof *x);
            free(x);
        } else {
            first = x;
            points = r.points;
        }
        plumb_branches_destroy(all);
        plumb_family_destroy(family);
        plumb_context_destroy(context);
    }
    free(first);
}

static void misuse_is_refused(void **state)
{
    plumb_context *context = make_context(1);
    plumb_family *family = make_family(context, "parameters a; x^2 - a;"),
                 *complex_one = make_family(context, "parameters a; x^2 - i*a;");
    double number[2] = {1.0, 2.0};
    plumb_view a, b, z;
    plumb_branches *branches = NULL;
    plumb_branches_options options;
    (void)state;
    assert_int_equal(plumb_view_init(&a, number, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 1, 1, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_view_init(&b, number + 1, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 1, 1, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_view_init(&z, number, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_family_branches(context, complex_one, &a, &b, NULL, &branches, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_family_branches(context, family, &z, &b, NULL, &branches, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_family_branches(context, family, &a, NULL, NULL, &branches, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_family_branches(context, NULL, &a, &b, NULL, &branches, NULL), PLUMB_ERR_ARGUMENT);
    plumb_branches_options_init(&options);
    options.samples = 1;
    assert_int_equal(plumb_family_branches(context, family, &a, &b, &options, &branches, NULL), PLUMB_ERR_ARGUMENT);
    assert_null(branches);
    assert_int_equal(plumb_branches_count(NULL), 0);
    plumb_branches_destroy(NULL);
    plumb_family_destroy(family);
    plumb_family_destroy(complex_one);
    plumb_context_destroy(context);
}

/* ---- Neighbours ---------------------------------------------------------------------------------------------------- */

static int64_t solve(plumb_context *context, const plumb_family *family, double *values, int64_t count, int32_t group,
                     double *x, plumb_instance *instances)
{
    const int64_t m = plumb_family_parameters(family), n = plumb_family_unknowns(family),
                  paths = plumb_family_paths(family);
    plumb_view targets, solutions;
    plumb_family_options options;
    plumb_family_options_init(&options);
    options.neighbours = group;
    options.prec = PLUMB_DD;
    assert_int_equal(plumb_view_init(&targets, values, PLUMB_HOST, PLUMB_D, PLUMB_REAL, m, 1, count, NULL), PLUMB_OK);
    assert_int_equal(plumb_view_init(&solutions, x, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, n, 1, count * paths, NULL),
                     PLUMB_OK);
    if (plumb_family_solve(context, family, &targets, &options, &solutions, NULL, instances) != PLUMB_OK)
        fail_msg("%s", plumb_context_message(context));
    return solutions.next;
}

/* A motion through many turning points: with and without neighbours the same solutions, and no target that is not generic. */
static void neighbours_find_the_same(void **state)
{
    enum { COUNT = 90, PATHS = 4, N = 2 };
    static const char text[] = "parameters a, b, r; x^2 + y^2 - r; (x - a)^2 + 3*(y - b)^2 - x*y - 1;";
    static double values[3 * COUNT], x[2][COUNT * PATHS * N * 4];
    static plumb_instance instances[3][COUNT];
    plumb_context *context = make_context(2);
    plumb_family *family = make_family(context, text);
    (void)state;
    assert_int_equal(plumb_family_paths(family), PATHS);
    for (int64_t t = 0; t < COUNT; t++) {
        values[3 * t] = 1.5 * cos(0.07 * (double)t);
        values[3 * t + 1] = sin(0.05 * (double)t);
        values[3 * t + 2] = 1.0 + 0.5 * sin(0.11 * (double)t);
    }
    const int64_t next = solve(context, family, values, COUNT, 0, x[0], instances[0]);
    (void)solve(context, family, values, COUNT, 16, x[1], instances[1]);
    int64_t taken = 0;
    int changes = 0;
    for (int64_t t = 0; t < COUNT; t++) {
        assert_int_equal(instances[0][t].code, PLUMB_INSTANCE_GENERIC);
        assert_int_equal(instances[1][t].code, PLUMB_INSTANCE_GENERIC);
        assert_int_equal(instances[0][t].real, instances[1][t].real);
        assert_int_equal(instances[0][t].positive, instances[1][t].positive);
        assert_int_equal(instances[0][t].neighbour, PLUMB_NEIGHBOUR_NONE);
        assert_int_equal(instances[1][t].neighbour == PLUMB_NEIGHBOUR_NONE, t % 16 == 0);
        taken += instances[1][t].neighbour == PLUMB_NEIGHBOUR_TAKEN;
        changes += t > 0 && instances[0][t].real != instances[0][t - 1].real;
        for (int64_t k = 0; k < PATHS; k++) { /* each solution is there */
            double least = 1.0;
            for (int64_t j = 0; j < PATHS; j++) {
                double apart = 0.0;
                for (int64_t c = 0; c < 4; c += 2)
                    for (int64_t i = 0; i < N; i++)
                        apart = fmax(apart, fabs(x[0][(t * PATHS + k) * next + c * N + i] -
                                                 x[1][(t * PATHS + j) * next + c * N + i]));
                least = fmin(least, apart);
            }
            assert_true(least < 1e-9);
        }
    }
    assert_true(taken >= 70);
    assert_true(changes >= 3);
    plumb_context_destroy(context);
    context = make_context(1); /* the same bits, also when the groups are calls of their own */
    memset(x[0], 0, sizeof x[0]);
    for (int64_t t = 0; t < COUNT; t += 32)
        (void)solve(context, family, values + 3 * t, COUNT - t < 32 ? COUNT - t : 32, 16, x[0] + t * PATHS * next,
                    instances[2] + t);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    plumb_family_destroy(family);
    plumb_context_destroy(context);
}

/* Targets that are far apart, special ones between them, and paths that are given up: everything lost is found again. */
static void lost_solutions_are_found_again(void **state)
{
    enum { COUNT = 8 };
    static double values[2 * COUNT] = {1.0, 2.0, 1e6,  -3.0, 0.0, 0.0, 2.0, 1.0,
                                       4.0, 4.0, 1e-9, 1e-3, 3.0, 2.0, 3.0, 2.0};
    static double x[COUNT * 2 * 4];
    plumb_instance plain[COUNT], near[COUNT];
    plumb_context *context = make_context(2);
    plumb_family *family = make_family(context, "parameters a, b; x^2 - a*x + b;");
    (void)state;
    (void)solve(context, family, values, COUNT, 0, x, plain);
    (void)solve(context, family, values, COUNT, COUNT, x, near);
    for (int t = 0; t < COUNT; t++) {
        assert_int_equal(plain[t].code, near[t].code);
        assert_int_equal(plain[t].solutions, near[t].solutions);
        assert_int_equal(plain[t].real, near[t].real);
    }
    assert_int_equal(plain[2].code, PLUMB_INSTANCE_SPECIAL);
    assert_int_equal(near[2].neighbour, PLUMB_NEIGHBOUR_REPAIRED); /* x^2 */
    assert_int_equal(near[3].neighbour, PLUMB_NEIGHBOUR_NONE);     /* after a special one */
    assert_int_equal(near[7].neighbour, PLUMB_NEIGHBOUR_TAKEN);    /* the same target again */
    plumb_family_destroy(family);
    plumb_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(branches_are_as_known),
                                       cmocka_unit_test(branches_are_continuous),
                                       cmocka_unit_test(special_lines_have_branches),
                                       cmocka_unit_test(threads_do_not_change_branches),
                                       cmocka_unit_test(misuse_is_refused),
                                       cmocka_unit_test(neighbours_find_the_same),
                                       cmocka_unit_test(lost_solutions_are_found_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
