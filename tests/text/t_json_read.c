/* t_json_read.c - tests the JSON reader: valid texts, and errors with the place of the fault for all others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text/json/json.h"
#include "text/json/read.h"

static json_node *must_read(const char *text)
{
    json_node *root;
    plumb_text_error error;
    plumb_status status = json_read(text, strlen(text), &root, &error);
    if (status != PLUMB_OK)
        print_error("%s: %s\n", text, error.message);
    assert_int_equal(status, PLUMB_OK);
    return root;
}

static void json_read_takes_every_kind(void **state)
{
    (void)state;
    json_node *root =
        must_read(" {\"n\": null, \"t\": true, \"f\": false, \"x\": -12.5e-1, \"s\": \"a\", \"a\": [1, [], {}]}\n");
    assert_int_equal(json_member(root, "n")->kind, JSON_NULL);
    assert_int_equal(json_member(root, "t")->kind, JSON_BOOL);
    assert_true(json_member(root, "t")->number == 1);
    assert_true(json_member(root, "f")->number == 0);
    assert_true(json_member_number(root, "x", 0) == -1.25);
    assert_string_equal(json_member_string(root, "s", ""), "a");
    const json_node *a = json_member(root, "a")->child;
    assert_true(a->kind == JSON_NUMBER && a->number == 1);
    assert_true(a->next->kind == JSON_ARRAY && a->next->child == NULL);
    assert_true(a->next->next->kind == JSON_OBJECT && a->next->next->next == NULL);
    json_free(root);
}

static void json_read_decodes_escapes(void **state)
{
    (void)state;
    json_node *root = must_read("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20ac\\ud834\\udd1e\"");
    assert_string_equal(root->string, "\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e");
    json_free(root);
}

static void json_member_passes_over_what_is_not_there(void **state)
{
    (void)state;
    json_node *root = must_read("{\"a\": 1}");
    assert_null(json_member(root, "b"));
    assert_null(json_member(json_member(root, "b"), "c"));
    assert_null(json_member(json_member(root, "a"), "c"));
    assert_true(json_member_number(root, "b", 7) == 7);
    assert_string_equal(json_member_string(root, "a", "no string"), "no string");
    json_free(root);
}

static void json_read_refuses_and_says_where(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line, column;
    } bad[] = {
        {"", 1, 1},
        {"{", 1, 2},
        {"[1 2]", 1, 4},
        {"[1,]", 1, 4},
        {"{\"a\" 1}", 1, 6},
        {"{\"a\":1,}", 1, 8},
        {"{a:1}", 1, 2},
        {"01", 1, 2},
        {"-", 1, 2},
        {"1.", 1, 3},
        {"1e", 1, 3},
        {"tru", 1, 1},
        {"nul", 1, 1},
        {"[\n\n 1\n x]", 4, 2},
        {"1 2", 1, 3},
        {"\"a", 1, 3},
        {"\"\\x\"", 1, 3},
        {"\"\\u12g4\"", 1, 6},
        {"\"a\nb\"", 1, 3},
        {"NaN", 1, 1},
        {"{\"a\":1,\"a\":2}", 1, 8},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        json_node *root;
        plumb_text_error error = {0};
        assert_int_equal(json_read(bad[i].text, strlen(bad[i].text), &root, &error), PLUMB_ERR_PARSE);
        assert_null(root);
        if (error.line != bad[i].line || error.column != bad[i].column)
            print_error("%s: %d:%d %s\n", bad[i].text, (int)error.line, (int)error.column, error.message);
        assert_int_equal(error.line, bad[i].line);
        assert_int_equal(error.column, bad[i].column);
        assert_true(error.message[0] != 0);
    }
}

static void json_read_refuses_half_pairs_and_zero(void **state)
{
    (void)state;
    static const char *const bad[] = {"\"\\ud834\"", "\"\\ud834\\u0041\"", "\"\\udd1e\"", "\"\\u0000\""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        json_node *root;
        assert_int_equal(json_read(bad[i], strlen(bad[i]), &root, NULL), PLUMB_ERR_PARSE);
    }
}

static void json_read_bounds_the_depth(void **state)
{
    (void)state;
    char text[2 * JSON_DEPTH + 3];
    json_node *root;
    for (int depth = JSON_DEPTH; depth <= JSON_DEPTH + 1; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        plumb_status status = json_read(text, 2 * (size_t)depth, &root, NULL);
        assert_int_equal(status, depth == JSON_DEPTH ? PLUMB_OK : PLUMB_ERR_PARSE);
        json_free(root);
    }
}

/* Every prefix of a document is either refused or, for a bare number, a shorter one; none is read past its end. */
static void json_read_stays_within_every_prefix(void **state)
{
    (void)state;
    static const char text[] = "{\"a\": [1, -2.5e3, \"x\\u00e9\\n\", true, null], \"b\": {}}";
    for (size_t n = 0; n < sizeof text - 1; n++) {
        char *copy = malloc(n + 1); /* of exactly this size, so that a sanitizer sees a read too many */
        json_node *root;
        assert_non_null(copy);
        memcpy(copy, text, n);
        assert_int_equal(json_read(copy, n, &root, NULL), PLUMB_ERR_PARSE);
        free(copy);
    }
}

static void json_read_takes_back_what_json_wrote(void **state)
{
    (void)state;
    static const double values[] = {0.1, -1.0 / 3, 1e300, 5e-324, 123456789.0};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    json_writer w = json_begin(out);
    json_open_object(&w, NULL);
    json_string(&w, "quote \" and \\ and \n", "\x01 \xc3\xa9");
    json_open_array(&w, "values");
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        json_double(&w, NULL, values[i]);
    json_double(&w, NULL, (double)INFINITY);
    json_close_array(&w);
    json_close_object(&w);
    json_end(&w);
    fclose(out);

    json_node *root = must_read(text);
    assert_string_equal(json_member_string(root, "quote \" and \\ and \n", ""), "\x01 \xc3\xa9");
    const json_node *v = json_member(root, "values")->child;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++, v = v->next)
        assert_true(v->number == values[i]);
    assert_int_equal(v->kind, JSON_NULL);
    json_free(root);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_read_takes_every_kind),
        cmocka_unit_test(json_read_decodes_escapes),
        cmocka_unit_test(json_member_passes_over_what_is_not_there),
        cmocka_unit_test(json_read_refuses_and_says_where),
        cmocka_unit_test(json_read_refuses_half_pairs_and_zero),
        cmocka_unit_test(json_read_bounds_the_depth),
        cmocka_unit_test(json_read_stays_within_every_prefix),
        cmocka_unit_test(json_read_takes_back_what_json_wrote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
