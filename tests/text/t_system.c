/* t_system.c - tests reading of systems: the meaning of each part of the grammar, shown by what is written, and the
 * queries. */
#include "system_texts.h"

typedef struct reading {
    const char *text, *written; /* in the plain form, without the final newline */
} reading;

static const reading readings[] = {
    {"x", "x;"},
    {"x;", "x;"},
    {"2\n x^2 + y;\n x*y - 1;\n", "x^2 + y;\nx*y - 1;"},
    {"2 x;y", NULL}, /* a header has a line of its own */
    {" 1 2 \n x + y ; ", "x + y;"},
    {"4 2\nx;y;x+y;x*y;", "x;\ny;\nx + y;\nx*y;"},
    /* lines, semicolons, comments */
    {"x - 1\ny - 2\n", "x - 1;\ny - 2;"},
    {"x - 1;\ny - 2", "x - 1;\ny - 2;"},
    {"x -\n1\n(y\n- 2)\n", "x - 1;\ny - 2;"},
    {"x\r\n\r\n  \t\r\ny\r\n", "x;\ny;"},
    {"# one\n% two\n// three\nx + y // more\n", "x + y;"},
    {"# 7\n2 # equations\n x + # first;\n y; % second\n// 3\n x - y;\n", "x + y;\nx - y;"},
    {"1\nx;\n\nTHE SOLUTIONS :\n1 1\n===\n;;;", "x;"},
    {"x\nROOT COUNTS :\ny z", "x;"},
    {"1\nx; TITLE : a title", "x;"},
    /* signs, order, merging, cancelling */
    {"- x", "- x;"},
    {"+ x", NULL},
    {"+ x;", "x;"},
    {"x - -y", "x + y;"},
    {"x + -+- y", "x + y;"},
    {"1 + x + x^2", "x^2 + x + 1;"},
    {"x*y*z + y^2 + x^3 + x*y", "x^3 + x*y*z + x*y + y^2;"}, /* unknowns in order of appearance: x, y, z */
    {"b + a^2 + a*b + b^2", "b^2 + b*a + a^2 + b;"},
    {"x*y + y*x", "2*x*y;"},
    {"x*x*x*y^0", "x - x + y - y + x^3;"},
    {"x - x", "x - x;"},
    {"x + y - x - y;x", "x - x + y - y;\nx;"},
    {"0*x + y", "x - x + y - y + y;"},
    {"0; x", "0;\nx;"},
    {"3;x", "3;\nx;"},
    {"x;0*x;2-2", "x;\n0;\n0;"},
    /* numbers */
    {"12345678901234567890123456789012345678901234567890*x", "12345678901234567890123456789012345678901234567890*x;"},
    {"1/3*x + 2/4*y", "1/3*x + 0.5*y;"},
    {"x/3 - y/7*2", "1/3*x - 2/7*y;"},
    {"1/2/5*x", "0.1*x;"},
    {"1/3^2*x", "1/9*x;"},
    {"1.5*x + .25*x + 2.*x", "3.75*x;"},
    {"1e3*x + 1.5E-3*y + 2d+1*z", "1000*x + 0.0015*y + 20*z;"},
    {"1e-30*x + 12.5e-20", "1E-30*x + 1.25E-19;"},
    {"0.1*x - 1/10*x + x", "x;"},
    {"2^10*x", "1024*x;"},
    {"0^0*x + 0^2*x", "x;"},
    /* complex */
    {"(1.0 - 2.5E+00*i)*x", "(1 - 2.5*i)*x;"},
    {"i*x + I*y", "(0 + 1*i)*x + (0 + 1*i)*y;"},
    {"i*i*x", "- x;"},
    {"i^3*x + i^4*y", "(0 - 1*i)*x + y;"},
    {"(1+i)^8*x", "16*x;"},
    {"x/(1+2*i)", "(0.2 - 0.4*i)*x;"},
    {"1/(3*i)*x", "(0 - 1/3*i)*x;"},
    {"(-1/3-2/7*i)*x", "(-1/3 - 2/7*i)*x;"},
    {"(x + i*y)*(x - i*y)", "x^2 + y^2;"},
    {"ii + i1 + I_ + e + E", "ii + i1 + I_ + e + E;"},
    /* products and powers of sums */
    {"(x+y)*(x-y)", "x^2 - y^2;"},
    {"(x + y)^3", "x^3 + 3*x^2*y + 3*x*y^2 + y^3;"},
    {"(x + y)**2*(x - y)**2", "x^4 - 2*x^2*y^2 + y^4;"},
    {"2*(x + 1)*y - y*(2 + x)", "x*y;"},
    {"-(x - (y - (z - 1)))", "- x + y - z + 1;"},
    {"((x))^((2))", NULL},
    {"(x^2*y)^3", "x^6*y^3;"},
    {"(x - 1)^0 + y", "x - x + y - y + y + 1;"},
    {"(x - x)^5 + y", "x - x + y - y + y;"},
    {"x*(y + 1)/2", "0.5*x*y + 0.5*x;"},
    {"(2*x)^3/(4^2)", "0.5*x^3;"},
    {"x^10000", "x^10000;"},
    {"(x*y^10)^1000", "x^1000*y^10000;"},
};

static void parse_means_what_it_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        const reading *r = &readings[i];
        plumb_system *system;
        if (r->written == NULL) {
            assert_int_not_equal(plumb_system_parse(r->text, strlen(r->text), &system, NULL), PLUMB_OK);
            continue;
        }
        system = parse_good(r->text);
        char *text = write_system(system, PLUMB_FORMAT_TXT);
        text[strlen(text) - 1] = 0;
        if (strcmp(text, r->written) != 0)
            fail_msg("%s\n  found    %s\n  expected %s", r->text, text, r->written);
        free(text);
        check_round_trip(system);
        plumb_system_destroy(system);
    }
}

static void calls_answer(void **state)
{
    (void)state;
    plumb_system *system = parse_good("3 2\n x^2*y - 1;\n 0;\n 5 - y;\n");
    assert_int_equal(plumb_system_equations(system), 3);
    assert_int_equal(plumb_system_unknowns(system), 2);
    assert_string_equal(plumb_system_name(system, 0), "x");
    assert_string_equal(plumb_system_name(system, 1), "y");
    assert_null(plumb_system_name(system, 2));
    assert_null(plumb_system_name(system, -1));
    const int64_t degrees[] = {3, -1, 1}, terms[] = {2, 0, 2};
    for (int64_t i = 0; i < 3; i++) {
        assert_int_equal(plumb_system_degree(system, i), degrees[i]);
        assert_int_equal(plumb_system_terms(system, i), terms[i]);
    }
    assert_int_equal(plumb_system_degree(system, 3), -1);
    assert_int_equal(plumb_system_terms(system, -1), 0);
    assert_int_equal(plumb_system_write(system, 2, NULL, 0, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_write(NULL, PLUMB_FORMAT_PHC, NULL, 0, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_write(system, PLUMB_FORMAT_PHC, NULL, 9, NULL), PLUMB_ERR_ARGUMENT);
    plumb_system_destroy(system);
    plumb_system_destroy(NULL);
    assert_int_equal(plumb_system_equations(NULL), 0);
    assert_int_equal(plumb_system_unknowns(NULL), 0);
}

/* Many unknowns, named in reverse in a later polynomial, and long lines: nothing is quadratic or cut. */
static void parse_takes_large_systems(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    char *text = malloc(40 * MANY), *at = text;
    assert_non_null(text);
    at += sprintf(at, "2 %d\n", MANY);
    for (int i = 0; i < MANY; i++)
        at += sprintf(at, "%sunknown_%d", i > 0 ? "+" : "", i);
    at += sprintf(at, ";\n");
    for (int i = MANY - 1; i >= 0; i--)
        at += sprintf(at, "%sunknown_%d", i < MANY - 1 ? "*" : "", i);
    sprintf(at, ";\n");
    plumb_system *system = parse_good(text);
    assert_int_equal(plumb_system_unknowns(system), MANY);
    assert_int_equal(plumb_system_degree(system, 1), MANY);
    assert_int_equal(plumb_system_terms(system, 0), MANY);
    check_round_trip(system);
    plumb_system_destroy(system);
    free(text);
}

/* Lines of PHCpack's form stay within 80 columns as long as terms do. */
static void write_breaks_lines(void **state)
{
    (void)state;
    plumb_system *system = parse_good("(x + y + z + 1)^6");
    char *text = write_system(system, PLUMB_FORMAT_PHC);
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        assert_true(end - line <= 80);
    free(text);
    plumb_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse_means_what_it_says),
        cmocka_unit_test(calls_answer),
        cmocka_unit_test(parse_takes_large_systems),
        cmocka_unit_test(write_breaks_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
