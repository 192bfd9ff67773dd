/* t_simplify.c - tests what is done to a system before any path is tracked (solver/solve/simplify.h) on small systems whose simple
 * forms are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/system/system.h"
#include "solver/solve/simplify.h"

/* ---- Systems by hand ----------------------------------------------------------------------------------------------- */

static plumb_system *parse(const char *text)
{
    plumb_system *system = NULL;
    assert_int_equal(plumb_system_parse(text, strlen(text), &system, NULL), PLUMB_OK);
    return system;
}

/* What is known of a simplified system. left is NULL if the system stays as it is or no unknown is left, lift if none is eliminated. */
typedef struct expectation {
    const char *given;
    int64_t eliminated, dependent, lowered;
    const char *left, *lift;
} expectation;

static void assert_same(const plumb_system *found, const char *expected)
{
    if (expected == NULL) {
        assert_null(found);
        return;
    }
    plumb_system *system = parse(expected);
    assert_non_null(found);
    if (!plumb_system_same(found, system)) {
        char text[512] = "";
        (void)!plumb_system_write(found, PLUMB_FORMAT_TXT, text, sizeof text, NULL);
        fail_msg("expected %s, found %s", expected, text);
    }
    plumb_system_destroy(system);
}

static void check(const expectation *e)
{
    plumb_system *given = parse(e->given), *before = parse(e->given);
    simple_system simple;
    print_message("%s\n", e->given);
    assert_int_equal(plumb_solve_simplify(given, &simple), PLUMB_OK);
    assert_false(simple.inconsistent);
    assert_int_equal(simple.eliminated, e->eliminated);
    assert_int_equal(simple.dependent, e->dependent);
    assert_int_equal(simple.lowered, e->lowered);
    assert_int_equal(simple.changed, e->eliminated + e->dependent + e->lowered > 0);
    assert_same(simple.system, e->left);
    assert_same(simple.lift, e->lift);
    assert_true(plumb_system_same(given, before));
    plumb_solve_simple_clear(&simple);
    plumb_system_destroy(given);
    plumb_system_destroy(before);
}

#define CHECK_ALL(list)                                         \
    for (size_t k = 0; k < sizeof(list) / sizeof(list)[0]; k++) \
    check(&(list)[k])

/* Where no unknown is left, the lift has constants, and one unknown that does not matter. */
static void linear_systems_are_solved(void **state)
{
    static const expectation list[] = {
        {"2*x - 3;", 1, 0, 0, NULL, "3/2 + 0*x;"},
        {"2*x + 3*y - 1; 4*x - y + 2;", 2, 0, 0, NULL, "-5/14 + 0*x; 4/7 + 0*x;"},
        {"(1 + i)*x - 2; x + i*y;", 2, 0, 0, NULL, "1 - i + 0*x; 1 + i + 0*x;"},
        {"x + y + z - 6; x - y; y - z;", 3, 0, 0, NULL, "2 + 0*x; 2 + 0*x; 2 + 0*x;"},
        {"x - 1; 3*x - 3; x + y; 2*x + 2*y;", 2, 2, 0, NULL, "1 + 0*x; -1 + 0*x;"},
    };
    (void)state;
    CHECK_ALL(list);
}

static void unknowns_of_linear_equations_are_substituted(void **state)
{
    static const expectation list[] = {
        {"x - 3; x^2 + y^2 - 10;", 1, 0, 0, "y^2 - 1;", "3 + 0*y; y;"},
        {"x - 2*y; x^2 + y^2 - 5;", 1, 0, 0, "5*y^2 - 5;", "2*y; y;"},
        {"x^2 - 2; y - z; z - x;", 2, 0, 0, "z^2 - 2;", "z; z; z;"},
        {"3*x - y; y^40 - 1;", 1, 0, 0, "y^40 - 1;", "y/3; y;"},
        {"x + i*y; y^3 - x - 1;", 1, 0, 0, "y^3 + i*y - 1;", "-i*y; y;"},
    };
    (void)state;
    CHECK_ALL(list);
}

/* z in the last system is in the value of w, where a substitution would raise the degree. */
static void unknowns_of_one_equation_are_postponed(void **state)
{
    static const expectation list[] = {
        {"x^2 + y^2 - 3; x*y - 1; 2*z - x^2 - y^3;", 1, 0, 0, "x^2 + y^2 - 3; x*y - 1;", "x; y; 1/2*x^2 + 1/2*y^3;"},
        {"x^2 + y^2 - 3; x*y - 1; z - x^3; w + i*x^2*y^2;", 2, 0, 0, "x^2 + y^2 - 3; x*y - 1;",
         "x; y; x^3; -i*x^2*y^2;"},
        {"x^2 + y^2 - 3; x*y - 1; z^2 - x;", 0, 0, 0, NULL, NULL},
        {"x^2 + y^2 - 3; x*y - 1; z - x*z - y;", 0, 0, 0, NULL, NULL},
        {"x^2 + y^2 - 3; x*y - 1; z - x^2; w - z^2;", 1, 0, 0, "x^2 + y^2 - 3; x*y - 1; z - x^2;", "x; y; z; z^2;"},
    };
    (void)state;
    CHECK_ALL(list);
}

/* The coefficient of z is never zero, because another equation says what its inverse is. It stays where that equation has z itself, or no
 * constant, or where other equations would get more terms or a higher degree. */
static void unknowns_with_a_unit_as_coefficient_are_substituted(void **state)
{
    static const expectation list[] = {
        {"x^2 + y^2 - 3; x*y - 1; x*z - y;", 1, 0, 0, "x^2 + y^2 - 3; x*y - 1;", "x; y; y^2;"},
        {"x^2 + y^2 - 3; 2*x*y - 3; 3*x^2*z + y - 5;", 1, 0, 0, "x^2 + y^2 - 3; 2*x*y - 3;",
         "x; y; -4/27*y^3 + 20/27*y^2;"},
        {"x^2 - y^2 - 2; x^3 + y^3 - x - 1; x*z + y*z - x;", 1, 0, 0, "x^2 - y^2 - 2; x^3 + y^3 - x - 1;",
         "x; y; 1/2*x^2 - 1/2*x*y;"},
        {"x*y - i; x*z - w; w^2 + z*y - x - 3; w^3 + x + y + 1;", 1, 0, 0,
         "x*y - i; w^2 - i*y^2*w - x - 3; w^3 + x + y + 1;", "x; y; -i*y*w; w;"},
        {"x^2 + y^2 - 3; x*y - x; x*z - y;", 0, 0, 0, NULL, NULL},
        {"x^2 + y^2 - 3; x*y*z - 1; x*z^2 - y;", 0, 0, 0, NULL, NULL},
        {"x^2 + y^2 - 3; x*y - 1 + z; x*z - y;", 0, 0, 0, NULL, NULL},
        {"x*y - 1; x*z - w; z^5 + w + x; z^4 + w^3 - y;", 0, 0, 0, NULL, NULL},
        {"x*y - 1; x*z - w - 1; z^2 + w^2 + x; z*w + w^2 - y;", 0, 0, 0, NULL, NULL},
    };
    (void)state;
    CHECK_ALL(list);
}

static void equations_that_follow_are_left_out(void **state)
{
    static const expectation list[] = {
        {"x^2 - 2; 3*x^2 - 6; y^2 - x;", 0, 1, 0, "x^2 - 2; y^2 - x;", NULL},
        {"x^2 - 2; y^2 - x; x^2 - 2 + 5*y^2 - 5*x;", 0, 1, 0, "x^2 - 2; y^2 - x;", NULL},
        {"x^2 - 2; x - x; y^2 - x;", 0, 1, 0, "x^2 - 2; y^2 - x;", NULL},
        {"x^2 - 2; y^2 - x; x^2*y - 2*y;", 0, 1, 0, "x^2 - 2; y^2 - x;", NULL},
        {"x - y; x^2 - 2; y^2 - 2;", 1, 1, 0, "y^2 - 2;", "y; y;"},
    };
    (void)state;
    CHECK_ALL(list);
}

static void combinations_of_lower_degree_replace_equations(void **state)
{
    static const expectation list[] = {
        {"x^2 + y^2 - 1; x^2 + y^2 - x;", 1, 0, 1, "y^2;", "1 + 0*y; y;"},
        {"x^2*y - 1; 2*x^2*y - y^2 + x;", 0, 0, 1, "x^2*y - 1; -y^2 + x + 2;", NULL},
    };
    (void)state;
    CHECK_ALL(list);
}

/* Substitution that would add terms, exceed the budget or make an exponent too large. */
static void what_would_grow_is_not_substituted(void **state)
{
    static const expectation list[] = {
        {"x^2 + y^2 - 5; x*y - 2;", 0, 0, 0, NULL, NULL},
        {"x + y + z - 1; x^3*y^3*z^3 - 2; x^5 + y^5 + z^5 - 3;", 0, 0, 0, NULL, NULL},
        {"x - y - 1; x^9999*y^9000 - 2;", 0, 0, 0, NULL, NULL},
        {"x - 2*y; x^6000*y^6000 - 2;", 0, 0, 0, NULL, NULL},
    };
    (void)state;
    CHECK_ALL(list);
}

/* ---- Systems without isolated solutions ---------------------------------------------------------------------------- */

static void contradictions_are_found(void **state)
{
    static const struct {
        const char *given, *why;
    } list[] = {
        {"x^2 - 1; 5; y;", "equation 2 is a constant other than zero"},
        {"x - 1; y - 1; x + y - 3;", "equation 3 contradicts the linear equations"},
        {"x - y; y - 2; x^2 - 5;", "equation 3 contradicts the others"},
        {"x - y; x^2 - 2*x*y + y^2 - 1; z^2 - x;", "equation 2 contradicts the linear equations"},
        {"x^2 - 1; x^2 - 2; y^2;", "equation 2 contradicts the others"},
        {"x^2 + y^2 - 1; x*y - 1; x^2 + 2*x*y + y^2 - 4;", "equation 3 contradicts the others"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        plumb_system *given = parse(list[k].given);
        simple_system simple;
        assert_int_equal(plumb_solve_simplify(given, &simple), PLUMB_OK);
        assert_true(simple.inconsistent);
        assert_string_equal(simple.why, list[k].why);
        assert_null(simple.system);
        assert_null(simple.lift);
        plumb_solve_simple_clear(&simple);
        plumb_system_destroy(given);
    }
}

static void systems_without_isolated_solutions_are_refused(void **state)
{
    static const struct {
        const char *given, *why;
    } list[] = {
        {"x^2 + y^2 - 1;", "1 independent equation for 2 unknowns: "},
        {"x^2 + y^2 - 1; 2*x^2 + 2*y^2 - 2;", "1 independent equation for 2 unknowns: "},
        {"x - y; y - z; x - z;", "2 independent equations for 3 unknowns: "},
        {"x - 1; y^2 - z;", "2 independent equations for 3 unknowns: "},
        {"x^2 - 1; x^3 + x^2 + x + 1 + 0*y;", "1 independent equation for 2 unknowns: "},
        {"x^2 + z^2 - 1; x*z - 2; x^2 - z^3 + 0*y;", "no equation determines y: "},
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        plumb_system *given = parse(list[k].given);
        simple_system simple;
        assert_int_equal(plumb_solve_simplify(given, &simple), PLUMB_ERR_ARGUMENT);
        assert_memory_equal(simple.why, list[k].why, strlen(list[k].why));
        plumb_solve_simple_clear(&simple);
        plumb_system_destroy(given);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_systems_are_solved),
        cmocka_unit_test(unknowns_of_linear_equations_are_substituted),
        cmocka_unit_test(unknowns_of_one_equation_are_postponed),
        cmocka_unit_test(unknowns_with_a_unit_as_coefficient_are_substituted),
        cmocka_unit_test(equations_that_follow_are_left_out),
        cmocka_unit_test(combinations_of_lower_degree_replace_equations),
        cmocka_unit_test(what_would_grow_is_not_substituted),
        cmocka_unit_test(contradictions_are_found),
        cmocka_unit_test(systems_without_isolated_solutions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
