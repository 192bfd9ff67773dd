/* t_components.c - tests files of components: what is written reads back to the same bytes, and what is wrong is refused with a line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "plumb.h"

/* A line and a point on its slice, and an isolated solution. */
#define HEAD                                                                                          \
    "{\"schema\":\"plumb/"                                                                            \
    "1\",\"unknowns\":[\"x\",\"y\"],\"seed\":1,\"least_dimension\":0,\"incomplete\":null,\"system\":" \
    "\"x*y;x*x-x;\","
#define PATHS                                                                                                  \
    "\"paths\":{\"total\":2,\"witness\":1,\"infinite\":0,\"not_isolated\":1,\"extraneous\":0,\"undecided\":0," \
    "\"failed\""                                                                                               \
    ":0},\"stopped\":false,\"incomplete\":null,"
#define DIMENSIONS \
    "\"dimensions\":[{\"dimension\":1," PATHS "\"slice\":\"x+y-3;\"},{\"dimension\":0," PATHS "\"slice\":null}],"
#define POINT "{\"x\":[[\"0\",\"0\"],[\"3\",\"0\"]]}"
#define COMPONENT                                                                                                 \
    "{\"dimension\":1,\"degree\":1,\"multiplicity\":2,\"multiplicity_is_bound\":false,\"state\":\"irreducible\"," \
    "\"trace_digits\":60.5,\"points\":[" POINT "]}"
#define TAIL "\"components\":[" COMPONENT "],\"isolated\":[{\"x\":[[\"1\",\"0\"],[\"0\",\"0\"]]}]}"

static plumb_status parse(const char *text, plumb_components **c, plumb_text_error *error)
{
    return plumb_components_read(text, strlen(text), c, error);
}

static char *written(const plumb_components *c)
{
    size_t size = 0;
    assert_int_equal(plumb_components_write(c, NULL, 0, &size), PLUMB_ERR_BUFFER);
    char *text = malloc(size);
    assert_non_null(text);
    assert_int_equal(plumb_components_write(c, text, size, NULL), PLUMB_OK);
    return text;
}

static void files_read_back(void **state)
{
    (void)state;
    plumb_components *c = NULL, *again = NULL;
    plumb_text_error error;
    plumb_component info;
    plumb_component_dimension d;
    if (parse(HEAD DIMENSIONS TAIL, &c, &error) != PLUMB_OK)
        fail_msg("%s", error.message);
    assert_int_equal(plumb_components_count(c), 1);
    assert_int_equal(plumb_components_dimensions(c), 2);
    assert_int_equal(plumb_components_get(c, 0, &info), PLUMB_OK);
    assert_true(info.multiplicity == 2 && info.degree == 1 && info.state == PLUMB_COMPONENT_IRREDUCIBLE);
    assert_int_equal(plumb_components_get_dimension(c, 0, &d), PLUMB_OK);
    assert_true(d.paths == 2 && d.witness == 1 && d.not_isolated == 1 && d.verdict == PLUMB_SOLVE_COMPLETE);
    assert_int_equal(plumb_solutions_count(plumb_components_isolated(c)), 1);
    char *text = written(c);
    assert_int_equal(parse(text, &again, &error), PLUMB_OK);
    char *second = written(again);
    assert_string_equal(text, second);
    plumb_components_destroy(again);
    char path[] = "/tmp/t_components_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(plumb_components_write_file(c, path), PLUMB_OK);
    assert_int_equal(plumb_components_read_file(path, &again, &error), PLUMB_OK);
    plumb_components_destroy(again);
    unlink(path);
    assert_int_equal(plumb_components_read_file(path, &again, &error), PLUMB_ERR_IO);
    assert_null(again);
    free(text);
    free(second);
    plumb_components_destroy(c);
}

static void replace(char *text, size_t size, const char *good, const char *from, const char *to)
{
    const char *at = strstr(good, from);
    assert_non_null(at);
    snprintf(text, size, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
}

static void wrong_values_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *said;
    } change[] = {
        {"\"unknowns\":[\"x\",\"y\"],", "", "\"unknowns\""},
        {"[\"x\",\"y\"]", "[\"x\",\"z\"]", "system: "},
        {"\"x*y;x*x-x;\"", "7", "system: expected equations"},
        {"\"x*y;x*x-x;\"", "\"x*(y;\"", "system: line"},
        {"\"x*y;x*x-x;\"", "\"x/y-1;x*y;\"", "system: expected polynomials"},
        {"\"least_dimension\":0", "\"least_dimension\":0.5", "least_dimension: "},
        {"{\"dimension\":1,\"paths\"", "{\"dimension\":3,\"paths\"", "dimensions[0].dimension: "},
        {"{\"dimension\":1,\"paths\"", "{\"dimension\":0,\"paths\"", "dimensions[0].slice: "},
        {"\"total\":2", "\"total\":-2", "dimensions[0].paths: "},
        {"\"stopped\":false", "\"stopped\":0", "dimensions[0].stopped: "},
        {"\"x+y-3;\"", "\"x*y-3;\"", "dimensions[0].slice: "},
        {"\"x+y-3;\"", "null", "dimensions[0].slice: "},
        {"\"degree\":1", "\"degree\":2", "components[0].points: expected as many"},
        {"\"degree\":1", "\"degree\":0", "components[0].degree"},
        {"\"state\":\"irreducible\"", "\"state\":\"good\"", "components[0].state: "},
        {"[\"3\",\"0\"]", "[\"3\"]", "components[0].solutions[0].x: "},
        {"\"isolated\":[", "\"isolated\":7,\"other\":[", "isolated: "},
    };
    for (size_t k = 0; k < sizeof change / sizeof change[0]; k++) {
        char text[4096];
        plumb_components *c = NULL;
        plumb_text_error error;
        replace(text, sizeof text, HEAD DIMENSIONS TAIL, change[k].from, change[k].to);
        if (parse(text, &c, &error) != PLUMB_ERR_PARSE || !strstr(error.message, change[k].said))
            fail_msg("%s: %s", change[k].to, error.message);
        assert_null(c);
    }
}

static void every_beginning_is_refused(void **state)
{
    (void)state;
    static const char whole[] = HEAD DIMENSIONS TAIL;
    for (size_t length = 0; length + 1 < sizeof whole; length++) {
        plumb_components *c = NULL;
        assert_int_equal(plumb_components_read(whole, length, &c, NULL), PLUMB_ERR_PARSE);
        assert_null(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_read_back),
        cmocka_unit_test(wrong_values_are_named),
        cmocka_unit_test(every_beginning_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
