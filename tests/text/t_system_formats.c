/* t_system_formats.c - tests the ways to write a system: equations with '=', products without '*', input files of
 * Bertini and msolve, equations as separate texts, and the notes about what may not be meant. Each text is compared
 * with the same system in plain form. */
#include "text/system_texts.h"

typedef struct same_texts {
    const char *text, *plain;
} same_texts;

static void check_same(const same_texts *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        plumb_system *a = parse_good(pairs[i].text), *b = parse_good(pairs[i].plain);
        if (!plumb_system_same(a, b))
            fail_msg("%s\nis not\n%s", pairs[i].text, pairs[i].plain);
        plumb_system_destroy(a);
        plumb_system_destroy(b);
    }
}
#define CHECK_SAME(pairs) check_same(pairs, sizeof(pairs) / sizeof *(pairs))

/* All notes of a text, separated by newlines. */
static const char *notes_of(const char *text)
{
    static char all[4096];
    plumb_system *system = parse_good(text);
    all[0] = 0;
    const char *note;
    for (int64_t k = 0; (note = plumb_system_note(system, k)) != NULL; k++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k > 0 ? "\n" : "", note);
    assert_null(plumb_system_note(system, -1));
    plumb_system_destroy(system);
    return all;
}

static void equations_are_differences(void **state)
{
    (void)state;
    static const same_texts pairs[] = {
        {"x^2 + y^2 = 5\nx*y = 2", "x^2 + y^2 - 5; x*y - 2;"},
        {"2\nx^2 = 5 - y^2;\n0 = x*y - 2;", "x - x + y - y + x^2 + y^2 - 5; -(x*y - 2);"},
        {"x = x\ny = 1", "0*x; y - 1;"},
        {"x =\n  3 +\n  y", "x - 3 - y;"},
        {"(x\n + 1) = (\n2)", "x - 1;"},
        {"x = 2; # one\ny = 3", "x - 2; y - 3;"},
    };
    CHECK_SAME(pairs);
}

static void products_need_no_star(void **state)
{
    (void)state;
    static const same_texts pairs[] = {
        {"2x", "2*x;"},
        {"2x^2 - 3y", "2*x^2 - 3*y;"},
        {"-2(x + 1)^2", "-2*(x + 1)^2;"},
        {"(x + 1)(y - 1)", "(x + 1)*(y - 1);"},
        {"2x^2y + (x - 1)^3y", "2*x^2*y + (x - 1)^3*y;"},
        {"x^2(y + 1)", "x^2*(y + 1);"},
        {"2(3)x", "6*x;"},
        {"1.5x + .5y", "1.5*x + 0.5*y;"},
        {"2i*x - 3I", "2*i*x - 3*i;"},
        {"2eta + 3E_1", "2*eta + 3*E_1;"},
        {"2e3*x + 1e-2y", "2000*x + 1/100*y;"},
        {"1/3*2x", "2/3*x;"},
        {"2x10 + 3x1*y", "2*x10 + 3*x1*y;"},
        {"10x + 0y", "10*x + 0*y;"},
        {"00x1 + 1", "0*x1 + 1;"},
        {"((2))((x))", "2*x;"},
    };
    CHECK_SAME(pairs);
}

static void msolve_files_are_read(void **state)
{
    (void)state;
    static const same_texts pairs[] = {
        {"x,y\n0\nx^2+y^2-5,\nx*y-2\n", "x^2 + y^2 - 5; x*y - 2;"},
        {"y,x\n0\nx^2+y^2-5,x*y\n-2", "y - y + x - x + x^2 + y^2 - 5; x*y - 2;"},
        {"  x1, x2 ,x3 \n0 \n-2/3*x2*x1^2\n+x3,\nx1,\r\nx2", "x1 - x1 + x2 - x2 - 2/3*x2*x1^2 + x3; x1; x2;"},
        {"x,y,z\n0\nx,\ny", "x + 0*y + 0*z; y;"},
        {"x\n0\nx^2-2", "x^2 - 2;"},
        {"# made elsewhere\nx,y\n0\nx-1,y-1", "x - 1; y - 1;"},
        {"_x[1], _x[2][10]\n0\n2*_x[1]-_x[2][10]^2,\n_x[1]", "2*_x_1 - _x_2_10^2; _x_1;"},
    };
    CHECK_SAME(pairs);
}

/* What is like an msolve file, but is none. */
static void msolve_files_are_not_guessed(void **state)
{
    (void)state;
    static const same_texts pairs[] = {
        {"x\n0", "x; 0;"},
        {"x\n0\n", "x; 0;"},
        {"x;\n0;\nx^2 - 2;", "x;0;x^2 - 2"},
        {"x\n0*y\nx^2 - 2", "x; 0*y; x^2 - 2;"},
        {"x\n0 + 1\nx", "x; 1; x;"},
        {"x\ny\n0\nx - y", "x; y; 0; x - y;"},
    };
    CHECK_SAME(pairs);
}

static void bertini_files_are_read(void **state)
{
    (void)state;
    static const same_texts pairs[] = {
        {"CONFIG\nTRACKTYPE: 0; % zero-dimensional\nFINALTOL: 1e-12;\nEND;\n\nINPUT\nvariable_group x, y;\nfunction f, "
         "g;\n"
         "f = x^2 + y^2 - 5;\ng = x*y - 2;\nEND;\n\nanything @ all",
         "x^2 + y^2 - 5; x*y - 2;"},
        {"variable_group y;\nvariable_group x;\nfunction f1,\n  f2;\nf2 = x - 1;\nf1 = x*y;", "y*x; x - 1;"},
        {"INPUT\nvariable_group x;\nfunction f;\nconstant a, b;\na = 1/3 + 2*I;\nb = a^2;\ns = (x + b)^2;\nf = s*a - "
         "s;\nEND;",
         "(x + (1/3 + 2*i)^2)^2*(1/3 + 2*i) - (x + (1/3 + 2*i)^2)^2"},
        {"config\nend;\ninput\nVARIABLE_GROUP x;\nfunction f;\nf = 1e-3*x - 0;\nend;", "1/1000*x;"},
        {"CONFIG\nUSERHOMOTOPY: 0;\nINPUT\nvariable z1;\nfunction f;\nf = z1;\nEND;", "z1;"},
        {"function f;\nvariable_group x, y;\nf = x;", "x + 0*y;"},
        {"variable_group Pi, x;\nfunction f;\nf = Pi*x;", "Pi*x;"},
        {"variable_group x;\nfunction f, g;\nf = x + 1;\ng = f^3 - f^0;", "x + 1; (x + 1)^3 - 1;"},
        {"INPUT;\nvariable_group x[1], x[2];\nfunction f[1];\nf[1] = x[1]*x[2];\nEND;", "x_1*x_2;"},
        {"hom_variable_group x, y;\nfunction f;\nf = x^2 - x*y;", "x^2 - x*y;"},
    };
    CHECK_SAME(pairs);
    plumb_system *pi = parse_good("variable_group x;\nfunction f;\nf = Pi*x - 22/7*x;");
    double difference = -mpq_get_d(pi->terms[0].re);
    assert_true(difference > 0.001264 && difference < 0.001265);
    plumb_system_destroy(pi);
}

/* Words of Bertini are names elsewhere. */
static void bertini_files_are_not_guessed(void **state)
{
    (void)state;
    static const same_texts pairs[] = {
        {"function + 1", "function+1;"},
        {"variable\nx - 1", "variable; x - 1;"},
        {"CONFIG\nx", "CONFIG; x;"},
        {"INPUT - OUTPUT;", "INPUT-OUTPUT"},
        {"input\noutput", "input; output;"},
        {"constant = 3\nrandom = constant", "constant - 3; random - constant;"},
        {"end - x", "end - x;"},
    };
    CHECK_SAME(pairs);
}

static void notes_tell_what_may_not_be_meant(void **state)
{
    (void)state;
    static const struct {
        const char *text, *notes;
    } given[] = {
        {"x*y - 1; x^2 + i*y;", ""},
        {"x1 + x11 + x111 - 1", ""},
        {"2\nx - y;\nx + y;\nTHE SOLUTIONS :\nx;", ""},
        {"2\nx - y;\nx + y;\n# the end", ""},
        {"2\n x - y;\n x + y;\n x*y;\n", "line 4: 1 polynomial after the 2 that line 1 announces is ignored"},
        {"1\n x - 1; x - 2; y @ z; x\n", "line 2: 3 polynomials after the 1 that line 1 announces are ignored"},
        {"1\n x;\nthe end", "line 3: the text after the 1 polynomial that line 1 announces is ignored"},
        {"pi*x - e",
         "pi is an unknown here, not the number 3.14159...\ne is an unknown here, not the number 2.71828..."},
        {"x + y - 2xy", "xy is an unknown of its own; the product is written x*y"},
        {"x1 + x2 - x1x2 + x1x1x2",
         "x1x2 is an unknown of its own, as are 1 other names like it; the product is written x1*x2"},
        {"i^2 + x", "i is the imaginary unit and not an unknown, also where it has an exponent"},
        {"j + k*i - 1", "i is the imaginary unit and not an unknown like j"},
        {"e1 + e2 + 2e2", "2e2 is a number here, 2*10^2, although e2 is also an unknown: write 2*e2"},
        {"variable_group x;\nfunction f;\nf = Pi - x;", "line 3: Pi is taken with 100 digits"},
        {"CONFIG\nTRACKTYPE: 1;\nEND;\nINPUT\nhom_variable_group x, y;\nfunction f;\nf = x - y;",
         "line 2: TRACKTYPE is ignored: only isolated solutions are computed\n"
         "line 5: unknowns of a hom_variable_group are read as others: set one of each group to 1 to find isolated "
         "solutions"},
        {"x,pi,y,xy\n0\nx*pi,y*xy", ""},
        {"x,y[1]\n0\nx,y[1]", "names with indices are written without brackets: y[1] is y_1"},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        assert_string_equal(notes_of(given[i].text), given[i].notes);
    assert_null(plumb_system_note(NULL, 0));
}

/* A text with more to say than there is room for is read all the same. */
static void notes_are_bounded(void **state)
{
    (void)state;
    char text[4096] = "";
    for (int k = 1; k <= 40; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "e%d + 2e%d\n", k, k);
    plumb_system *system = parse_good(text);
    assert_non_null(plumb_system_note(system, SYSTEM_MOST_NOTES - 1));
    assert_null(plumb_system_note(system, SYSTEM_MOST_NOTES));
    plumb_system_destroy(system);
}

static void separate_equations_are_read(void **state)
{
    (void)state;
    static const char *const good[] = {"x^2 + y^2 = 5", "x*y = 2; x = y # and a comment", " z - 1; "};
    static const char *const bad[] = {"x = 1", "y = 1;\n 2 y"};
    static const char *const empty[] = {"x", ""};
    static const char *const missing[] = {"x", NULL};
    plumb_system *system, *plain = parse_good("x^2 + y^2 - 5; x*y - 2; x - y; z - 1;");
    plumb_text_error error;
    assert_int_equal(plumb_system_parse_equations(good, 3, &system, &error), PLUMB_OK);
    assert_true(plumb_system_same(system, plain));
    plumb_system_destroy(system);
    plumb_system_destroy(plain);
    assert_int_equal(plumb_system_parse_equations(bad, 2, &system, &error), PLUMB_ERR_PARSE);
    assert_null(system);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 4);
    assert_string_equal(error.message, "found 'y', expected '+', '-', '*', '/', '^', '=' or ';'");
    assert_string_equal(plumb_last_message(),
                        "line 2, column 4: found 'y', expected '+', '-', '*', '/', '^', '=' or ';'");
    assert_int_equal(plumb_system_parse_equations(empty, 2, &system, &error), PLUMB_ERR_PARSE);
    assert_int_equal(error.line, 2);
    assert_int_equal(plumb_system_parse_equations((const char *const[]){"1"}, 1, &system, NULL), PLUMB_ERR_PARSE);
    assert_int_equal(plumb_system_parse_equations(missing, 2, &system, &error), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_parse_equations(good, 0, &system, &error), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_parse_equations(NULL, 1, &system, &error), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_parse_equations(good, 1, NULL, NULL), PLUMB_ERR_ARGUMENT);
}

/* Subfunctions that are substituted again and again would take any time and memory. */
static void substitution_is_bounded(void **state)
{
    (void)state;
    char text[8192] = "variable_group x, y;\nfunction f;\ns0 = x + y + 1;\n";
    for (int k = 1; k <= 60; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "s%d = s%d*s%d + s%d;\n", k, k - 1, k - 1, k - 1);
    snprintf(text + strlen(text), sizeof text - strlen(text), "f = s60;\n");
    plumb_system *system;
    plumb_text_error error;
    assert_int_equal(plumb_system_parse(text, strlen(text), &system, &error), PLUMB_ERR_SIZE);
    assert_null(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_are_differences),
        cmocka_unit_test(products_need_no_star),
        cmocka_unit_test(msolve_files_are_read),
        cmocka_unit_test(msolve_files_are_not_guessed),
        cmocka_unit_test(bertini_files_are_read),
        cmocka_unit_test(bertini_files_are_not_guessed),
        cmocka_unit_test(notes_tell_what_may_not_be_meant),
        cmocka_unit_test(notes_are_bounded),
        cmocka_unit_test(separate_equations_are_read),
        cmocka_unit_test(substitution_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
