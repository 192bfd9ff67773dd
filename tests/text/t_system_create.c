/* t_system_create.c - tests that systems made from arrays equal those made from texts, for any order of the terms,
 * that terms which are read back give the same system, and that invalid arrays are refused with a reason. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/system/system.h"

static plumb_system *parse(const char *text)
{
    plumb_system *system = NULL;
    assert_int_equal(plumb_system_parse(text, strlen(text), &system, NULL), PLUMB_OK);
    return system;
}

static void assert_same(plumb_system *made, const char *text)
{
    plumb_system *expected = parse(text);
    if (!plumb_system_same(made, expected)) {
        char found[512];
        assert_int_equal(plumb_system_write(made, PLUMB_FORMAT_TXT, found, sizeof found, NULL), PLUMB_OK);
        fail_msg("found %s, expected %s", found, text);
    }
    plumb_system_destroy(expected);
    plumb_system_destroy(made);
}

static const int64_t first[] = {0, 3, 6};
static const int32_t exponents[] = {0, 0, /* */ 2, 1, /* */ 0, 3, /* equation 2 */ 1, 0, /* */ 1, 0, /* */ 0, 1};

static void exact_coefficients_give_what_the_text_gives(void **state)
{
    (void)state;
    static const char *const coefficients[] = {"-1/3", "(1/7 + 2*i)", "0.1", "2", "-2", " 12345678901234567890123 "};
    static const char *const names[] = {"u", "v_2"};
    plumb_system *system = NULL;
    assert_int_equal(plumb_system_create_exact(2, 2, first, exponents, coefficients, names, &system), PLUMB_OK);
    assert_string_equal(plumb_last_message(), "");
    /* 2 u - 2 u is gone, so u does not come first in the second equation, but it is the first unknown. */
    assert_same(system, "(1/7 + 2*i)*u^2*v_2 + 1/10*v_2^3 - 1/3; 12345678901234567890123*v_2;");
}

static void floating_coefficients_are_taken_exactly(void **state)
{
    (void)state;
    plumb_context *context = NULL;
    plumb_view c;
    plumb_system *system = NULL;
    assert_int_equal(plumb_context_create(NULL, &context), PLUMB_OK);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, 6, 1, 1, &c), PLUMB_OK);
    static const double values[] = {0.5, 1.0, 0.1, 3.0, 4.0, -1.0};
    memcpy(c.data, values, sizeof values);
    c.data[c.plane + 1] = 0x1p-70;   /* second limb of the real part of term 2 */
    c.data[2 * c.plane + 0] = -0.25; /* imaginary part of term 1 */
    assert_int_equal(plumb_system_create(2, 2, first, exponents, &c, NULL, &system), PLUMB_OK);
    assert_same(system,
                "(1 + 1/1180591620717411303424)*x1^2*x2 + 3602879701896397/36028797018963968*x2^3 + (1/2 - 1/4*i);"
                "7*x1 - x2;");
    c.data[3] = (double)INFINITY;
    assert_int_equal(plumb_system_create(2, 2, first, exponents, &c, NULL, &system), PLUMB_ERR_NONFINITE);
    assert_non_null(strstr(plumb_last_message(), "coefficient 4"));
    assert_null(system);
    c.rows = 5;
    assert_int_equal(plumb_system_create(2, 2, first, exponents, &c, NULL, &system), PLUMB_ERR_ARGUMENT);
    c.rows = 6;
    plumb_array_destroy(context, &c);

    /* Real doubles, and an equation without terms. */
    static const int64_t starts[] = {0, 1, 1};
    static const int32_t cube[] = {3};
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 1, 1, 1, &c), PLUMB_OK);
    c.data[0] = 2.0;
    assert_int_equal(plumb_system_create(2, 1, starts, cube, &c, NULL, &system), PLUMB_OK);
    assert_int_equal(plumb_system_degree(system, 0), 3);
    assert_int_equal(plumb_system_degree(system, 1), -1);
    assert_string_equal(plumb_system_name(system, 0), "x1");
    plumb_system_destroy(system);
    plumb_array_destroy(context, &c);
    plumb_context_destroy(context);
}

#define ASSERT_REFUSED(status, word, ...)                                          \
    do {                                                                           \
        plumb_system *made = (plumb_system *)1;                                    \
        assert_int_equal(plumb_system_create_exact(__VA_ARGS__, &made), status);   \
        assert_null(made);                                                         \
        if (!strstr(plumb_last_message(), word))                                   \
            fail_msg("\"%s\", expected \"%s\" in it", plumb_last_message(), word); \
    } while (0)

static void what_makes_no_system_is_refused(void **state)
{
    (void)state;
    static const char *const good[] = {"1", "2", "3", "4", "5", "6"}, *const bad[] = {"1", "2", "3", "4..", "5", "6"},
                             *const infinite[] = {"1", "inf", "3", "4", "5", "6"}, *const none[] = {"1", NULL, "3",
                                                                                                    "4", "5",  "6"},
                             *const x[] = {"x", "x"}, *const i[] = {"i", "x"}, *const digit[] = {"x", "2x"},
                             *const sign[] = {"x", "y+"}, *const empty[] = {"", "y"};
    static const int64_t backwards[] = {0, 3, 2}, later[] = {1, 3, 6};
    int32_t wrong[12];
    ASSERT_REFUSED(PLUMB_ERR_PARSE, "coefficient 4", 2, 2, first, exponents, bad, NULL);
    ASSERT_REFUSED(PLUMB_ERR_PARSE, "coefficient 2", 2, 2, first, exponents, infinite, NULL);
    ASSERT_REFUSED(PLUMB_ERR_ARGUMENT, "coefficient 2", 2, 2, first, exponents, none, NULL);
    ASSERT_REFUSED(PLUMB_ERR_ARGUMENT, "two unknowns", 2, 2, first, exponents, good, x);
    ASSERT_REFUSED(PLUMB_ERR_ARGUMENT, "name 1", 2, 2, first, exponents, good, i);
    ASSERT_REFUSED(PLUMB_ERR_ARGUMENT, "name 2", 2, 2, first, exponents, good, digit);
    ASSERT_REFUSED(PLUMB_ERR_ARGUMENT, "name 2", 2, 2, first, exponents, good, sign);
    ASSERT_REFUSED(PLUMB_ERR_ARGUMENT, "name 1", 2, 2, first, exponents, good, empty);
    ASSERT_REFUSED(PLUMB_ERR_ARGUMENT, "first", 2, 2, backwards, exponents, good, NULL);
    ASSERT_REFUSED(PLUMB_ERR_ARGUMENT, "first", 2, 2, later, exponents, good, NULL);
    ASSERT_REFUSED(PLUMB_ERR_ARGUMENT, "first", 2, 2, NULL, exponents, good, NULL);
    ASSERT_REFUSED(PLUMB_ERR_ARGUMENT, "exponents", 2, 2, first, NULL, good, NULL);
    ASSERT_REFUSED(PLUMB_ERR_ARGUMENT, "coefficients", 2, 2, first, exponents, NULL, NULL);
    ASSERT_REFUSED(PLUMB_ERR_ARGUMENT, "equations", 0, 2, first, exponents, good, NULL);
    memcpy(wrong, exponents, sizeof wrong);
    wrong[3] = -1;
    ASSERT_REFUSED(PLUMB_ERR_RANGE, "term 2", 2, 2, first, wrong, good, NULL);
    wrong[3] = 10001;
    ASSERT_REFUSED(PLUMB_ERR_RANGE, "term 2", 2, 2, first, wrong, good, NULL);
    static const char *const far[] = {"1e-999999999", "2", "3", "4", "5", "6"};
    ASSERT_REFUSED(PLUMB_ERR_RANGE, "coefficient 1", 2, 2, first, exponents, far, NULL);
    assert_int_equal(plumb_system_create_exact(2, 2, first, exponents, good, NULL, NULL), PLUMB_ERR_ARGUMENT);
}

/* Makes a system from what is read back of another one, exactly or in a precision. */
static plumb_system *copy_of(const plumb_system *system, int32_t prec)
{
    enum { TERMS = 16, UNKNOWNS = 3, ROOM = 64 };
    const int64_t equations = plumb_system_equations(system), unknowns = plumb_system_unknowns(system);
    int64_t ends[4] = {0};
    int32_t powers[TERMS * UNKNOWNS];
    double numbers[TERMS * 2 * PLUMB_QD];
    char texts[TERMS][2 * ROOM + 8], parts[2][ROOM];
    const char *given[TERMS], *names[UNKNOWNS];
    plumb_view all, some;
    assert_true(equations < 4 && unknowns <= UNKNOWNS);
    for (int64_t e = 0; e < equations; e++)
        ends[e + 1] = ends[e] + plumb_system_terms(system, e);
    assert_int_equal(
        plumb_view_init(&all, numbers, PLUMB_HOST, prec ? prec : PLUMB_D, PLUMB_COMPLEX, ends[equations], 1, 1, NULL),
        PLUMB_OK);
    for (int64_t e = 0; e < equations; e++) {
        some = all;
        some.data += ends[e];
        some.rows = ends[e + 1] - ends[e];
        assert_int_equal(plumb_system_get_terms(system, e, powers + ends[e] * unknowns, prec ? &some : NULL), PLUMB_OK);
        for (int64_t k = ends[e]; k < ends[e + 1]; k++) {
            for (int32_t part = 0; part < 2; part++)
                assert_int_equal(plumb_system_write_coefficient(system, e, k - ends[e], part, parts[part], ROOM, NULL),
                                 PLUMB_OK);
            snprintf(texts[k], sizeof texts[k], parts[1][0] == '-' ? "(%s - %s*i)" : "(%s + %s*i)", parts[0],
                     parts[1][0] == '-' ? parts[1] + 1 : parts[1]);
            given[k] = texts[k];
        }
    }
    for (int64_t i = 0; i < unknowns; i++)
        names[i] = plumb_system_name(system, i);
    plumb_system *made = NULL;
    if (prec)
        assert_int_equal(plumb_system_create(equations, unknowns, ends, powers, &all, names, &made), PLUMB_OK);
    else
        assert_int_equal(plumb_system_create_exact(equations, unknowns, ends, powers, given, names, &made), PLUMB_OK);
    return made;
}

static void terms_that_are_read_back_give_the_same_system(void **state)
{
    (void)state;
    static const char *const texts[] = {"x^2*y - 3*y + (1/2 - i)*x + 1; 0.125*x*z^3 - 7;", "x - x + y; 5;",
                                        "(1/4 + 3/8*i)*x^10000 - 123456789*y; 0; y - 1;"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        plumb_system *system = parse(texts[k]);
        for (int32_t prec = 0; prec <= PLUMB_QD; prec = prec ? 2 * prec : PLUMB_D)
            assert_same(copy_of(system, prec), texts[k]);
        plumb_system_destroy(system);
    }
    plumb_system *thirds = parse("1/3*x - 2/7*i*y + 98765432109876543210/3;");
    assert_same(copy_of(thirds, 0), "1/3*x - 2/7*i*y + 98765432109876543210/3;");
    plumb_system_destroy(thirds);
}

static void coefficients_are_rounded_to_nearest(void **state)
{
    (void)state;
    double limbs[2 * PLUMB_QD], expected[PLUMB_QD];
    int32_t powers[2] = {7, 7};
    plumb_view view;
    plumb_system *system = parse("-1/3*x*y^2;");
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
            assert_int_equal(plumb_view_init(&view, limbs, PLUMB_HOST, prec, parts, 1, 1, 1, NULL), PLUMB_OK);
            assert_int_equal(plumb_system_get_terms(system, 0, powers, &view), PLUMB_OK);
            assert_int_equal(plumb_number_read("-1/3", 4, prec, expected, NULL, NULL), PLUMB_OK);
            assert_memory_equal(limbs, expected, (size_t)prec * sizeof *limbs);
            assert_true(parts == PLUMB_REAL || limbs[prec] == 0.0);
            assert_true(powers[0] == 1 && powers[1] == 2);
        }
    plumb_system_destroy(system);
}

static void terms_that_are_not_there_are_refused(void **state)
{
    (void)state;
    char text[8] = "before";
    size_t needed = 0;
    double limbs[4];
    int32_t powers[2];
    plumb_view view;
    plumb_system *system = parse("(1 + i)*x + 2; 123456789*x;"), *huge = parse("1/3*x - 10^400;");
    assert_int_equal(plumb_view_init(&view, limbs, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 2, 1, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_system_get_terms(NULL, 0, powers, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_get_terms(system, 2, powers, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_get_terms(system, -1, powers, NULL), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_last_message(), "equation is -1"));
    assert_int_equal(plumb_system_get_terms(system, 1, powers, &view), PLUMB_ERR_ARGUMENT); /* has one term */
    assert_non_null(strstr(plumb_last_message(), "one row per term"));
    assert_int_equal(plumb_system_get_terms(system, 0, powers, &view), PLUMB_ERR_ARGUMENT); /* is not real */
    assert_non_null(strstr(plumb_last_message(), "not real"));
    assert_int_equal(plumb_system_get_terms(huge, 0, powers, &view), PLUMB_ERR_RANGE);
    assert_int_equal(plumb_system_get_terms(system, 0, NULL, NULL), PLUMB_OK);
    assert_int_equal(plumb_system_write_coefficient(NULL, 0, 0, 0, text, 8, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_write_coefficient(system, 0, 2, 0, text, 8, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_write_coefficient(system, 0, -1, 0, text, 8, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_write_coefficient(system, 0, 0, 2, text, 8, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_write_coefficient(system, 0, 0, 0, NULL, 8, NULL), PLUMB_ERR_ARGUMENT);
    assert_string_equal(text, "before");
    assert_int_equal(plumb_system_write_coefficient(system, 1, 0, 0, text, 8, &needed), PLUMB_ERR_BUFFER);
    assert_string_equal(text, "");
    assert_int_equal(needed, 10);
    assert_int_equal(plumb_system_write_coefficient(system, 1, 0, 1, text, 8, &needed), PLUMB_OK);
    assert_string_equal(text, "0");
    plumb_system_destroy(system);
    plumb_system_destroy(huge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_coefficients_give_what_the_text_gives),
        cmocka_unit_test(floating_coefficients_are_taken_exactly),
        cmocka_unit_test(what_makes_no_system_is_refused),
        cmocka_unit_test(terms_that_are_read_back_give_the_same_system),
        cmocka_unit_test(coefficients_are_rounded_to_nearest),
        cmocka_unit_test(terms_that_are_not_there_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
