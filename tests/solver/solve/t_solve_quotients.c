/* t_solve_quotients.c - tests plumb_solve on equations with denominators: points where one is zero are no solutions, whether they are regular or
 * singular, combined, lifted or found without paths. Each system is solved with several seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plumb.h"
#include "solver/context_test.h"

typedef struct answer {
    const char *system;
    int64_t distinct, extraneous;
    double x; /* the first unknown of the first solution */
} answer;

static const answer answers[] = {
    {"(x^2 - 1)/(x - 1);", 1, 1, -1.0},
    {"x/y - 1; x*y - 4;", 2, 0, -2.0},
    {"x^-1 + y^-1 - 1; x + y - 4;", 1, 0, 2.0}, /* a double solution */
    {"(x^2 - 1)/(x - 1); (y^2 - x^2)/(y + x);", 1, 3, -1.0},
    {"(x - 1)^2*(x - 2)/(x - 1);", 1, 2, 2.0},                                 /* a double point goes */
    {"(x - 1)^2*(x - 2)/(x - 2);", 1, 1, 1.0},                                 /* a double point stays */
    {"x - 2*y; (y^2 - 1)/(x - 2);", 1, 1, -2.0},                               /* the unknown was eliminated */
    {"(x^2 - 1)*(x - 3)/(x - 1); (x^2 - 1)*(x + 5); (y - 2)*x;", 1, -1, -1.0}, /* more equations than unknowns */
    {"(x^2 + 1)/(x - i);", 1, 1, 0.0},
    {"1/(1 + 1/x) - 2;", 1, 0, -2.0},
    {"(x - 3)/(y - 3); x - y;", 0, 0, 0.0}, /* no paths */
    {"x/y - 1; x*y/x;", 0, 0, 0.0},
    /* The denominator is not zero at the root of 2, but about 1e-66. */
    {"(x^2 - 2)/(x + 1.41421356237309504880168872420969807856967187537694807317667973799);", 2, 0, -1.4142135623730951},
};

static int prepare(void **state)
{
    backend = PLUMB_BACKEND_CPU;
    return make_context(state);
}

static plumb_system *parse(const char *text)
{
    plumb_system *system = NULL;
    plumb_text_error error;
    if (plumb_system_parse(text, strlen(text), &system, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    return system;
}

static double first_unknown(const plumb_solutions *solutions)
{
    plumb_view x;
    assert_int_equal(
        plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, plumb_solutions_unknowns(solutions), 1, 1, &x),
        PLUMB_OK);
    assert_int_equal(plumb_solutions_get(solutions, 0, &x), PLUMB_OK);
    const double value = x.data[0];
    plumb_array_destroy(context, &x);
    return value;
}

static void check(const answer *a, uint64_t seed)
{
    plumb_system *system = parse(a->system);
    plumb_solve_options options;
    plumb_solutions *solutions = NULL;
    plumb_solve_report r;
    plumb_solve_options_init(&options);
    options.seed = seed;
    if (plumb_solve(context, system, &options, &solutions) != PLUMB_OK)
        fail_msg("%s: %s", a->system, plumb_context_message(context));
    assert_int_equal(plumb_solutions_report(solutions, &r), PLUMB_OK);
    if (r.distinct != a->distinct || (a->extraneous >= 0 && r.extraneous != a->extraneous) || r.undecided != 0 ||
        plumb_solutions_count(solutions) != a->distinct)
        fail_msg("%s, seed %d: %d solutions, %d extraneous, %d undecided", a->system, (int)seed, (int)r.distinct,
                 (int)r.extraneous, (int)r.undecided);
    assert_int_equal(r.paths, r.regular + r.singular + r.infinite + r.not_isolated + r.extraneous + r.failed);
    if (a->distinct > 0)
        assert_true(first_unknown(solutions) - a->x < 1e-8 && a->x - first_unknown(solutions) < 1e-8);
    plumb_solutions_destroy(solutions);
    plumb_system_destroy(system);
}

static void zeros_of_denominators_are_no_solutions(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof answers / sizeof *answers; k++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            check(&answers[k], seed);
}

/* A double root of 2 is neither regular nor rational: nothing is guessed. */
static void what_cannot_be_decided_is_undecided(void **state)
{
    plumb_system *system = parse("(x^2 - 2)^2*(x - 5)/(x^2 - 2);");
    plumb_solutions *solutions = NULL;
    plumb_solve_report report;
    (void)state;
    assert_int_equal(plumb_solve(context, system, NULL, &solutions), PLUMB_OK);
    assert_int_equal(plumb_solutions_report(solutions, &report), PLUMB_OK);
    assert_int_equal(report.undecided, 4);
    assert_int_equal(report.distinct, 1);
    plumb_solutions_destroy(solutions);
    plumb_system_destroy(system);
}

/* Calls that need polynomials say so. */
static void other_calls_refuse_denominators(void **state)
{
    plumb_system *system = parse("x/y - 1; x*y - 4;"), *start = NULL;
    plumb_newton_report report;
    plumb_certificates *certificates = NULL;
    plumb_homotopy *homotopy = NULL;
    plumb_view x, values;
    (void)state;
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 2, 1, 1, &x), PLUMB_OK);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 2, 1, 1, &values), PLUMB_OK);
    assert_int_equal(plumb_system_eval(context, system, &x, &values, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "the equations have denominators"));
    assert_int_equal(plumb_newton(context, system, &x, NULL, &report), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_certify(context, system, &x, NULL, &certificates), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_start(system, 1, &start), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_homotopy_create(system, system, NULL, &homotopy), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_last_message(), "the equations have denominators"));
    plumb_array_destroy(context, &x);
    plumb_array_destroy(context, &values);
    plumb_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_of_denominators_are_no_solutions),
        cmocka_unit_test(what_cannot_be_decided_is_undecided),
        cmocka_unit_test(other_calls_refuse_denominators),
    };
    return cmocka_run_group_tests(tests, prepare, end_context);
}
