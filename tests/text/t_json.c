/* t_json.c - tests the output of the JSON writer, byte for byte. */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number/random.h"
#include "text/json/json.h"

typedef struct page {
    char *text;
    size_t size;
    FILE *out;
    json_writer w;
} page;

static void page_expect(page *p, const char *text)
{
    json_end(&p->w);
    assert_int_equal(fclose(p->out), 0);
    assert_string_equal(p->text, text);
    free(p->text);
}

/* The stream keeps the addresses of text and size, so a page must not move once opened. */
#define PAGE(p)                               \
    page p = {.text = NULL};                  \
    p.out = open_memstream(&p.text, &p.size); \
    assert_non_null(p.out);                   \
    p.w = json_begin(p.out)

static void json_nests_with_two_levels_of_lines(void **state)
{
    (void)state;
    PAGE(p);
    json_open_object(&p.w, NULL);
    json_string(&p.w, "name", "plumb");
    json_open_array(&p.w, "results");
    for (int i = 0; i < 2; i++) {
        json_open_object(&p.w, NULL);
        json_int(&p.w, "i", i);
        json_open_object(&p.w, "peers");
        json_double(&p.w, "mpfr", 1.5);
        json_close_object(&p.w);
        json_open_array(&p.w, "list");
        json_bool(&p.w, NULL, true);
        json_bool(&p.w, NULL, false);
        json_close_array(&p.w);
        json_close_object(&p.w);
    }
    json_close_array(&p.w);
    json_close_object(&p.w);
    page_expect(&p, "{\n"
                    "  \"name\": \"plumb\",\n"
                    "  \"results\": [\n"
                    "    {\"i\": 0, \"peers\": {\"mpfr\": 1.5}, \"list\": [true, false]},\n"
                    "    {\"i\": 1, \"peers\": {\"mpfr\": 1.5}, \"list\": [true, false]}\n"
                    "  ]\n"
                    "}\n");
}

static void json_closes_empty_containers(void **state)
{
    (void)state;
    PAGE(p);
    json_open_object(&p.w, NULL);
    json_open_array(&p.w, "a");
    json_close_array(&p.w);
    json_open_object(&p.w, "b");
    json_close_object(&p.w);
    json_close_object(&p.w);
    page_expect(&p, "{\n  \"a\": [],\n  \"b\": {}\n}\n");
    PAGE(q);
    json_open_array(&q.w, NULL);
    json_close_array(&q.w);
    page_expect(&q, "[]\n");
    PAGE(r);
    json_int(&r.w, NULL, INT64_MIN);
    page_expect(&r, "-9223372036854775808\n");
}

static void json_string_escapes(void **state)
{
    (void)state;
    static const struct {
        const char *value, *text;
    } cases[] = {
        {"", "\"\"\n"},
        {NULL, "null\n"},
        {"a\"b\\c/d", "\"a\\\"b\\\\c/d\"\n"},
        {"\n\r\t\b\f\x01\x1f\x7f", "\"\\n\\r\\t\\u0008\\u000c\\u0001\\u001f\\u007f\"\n"},
        {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"\n"},
        {"\x80|\xc3|\xc0\x80|\xed\xa0\x80", "\"\\ufffd|\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd\"\n"},
        {"\xf4\x90\x80\x80|\xe2\x82", "\"\\ufffd\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd\"\n"},
        {"\xf0\x8f\xbf\xbf|\xe0\x9f\xbf", "\"\\ufffd\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd\"\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        PAGE(p);
        json_string(&p.w, NULL, cases[i].value);
        page_expect(&p, cases[i].text);
    }
    PAGE(p);
    json_open_object(&p.w, NULL);
    json_int(&p.w, "a\"\n", 1);
    json_close_object(&p.w);
    page_expect(&p, "{\n  \"a\\\"\\n\": 1\n}\n");
}

static void json_double_is_shortest(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0\n"},         {-0.0, "-0\n"},
        {0.1, "0.1\n"},       {1.0 / 3, "0.3333333333333333\n"},
        {1e300, "1e300\n"},   {DBL_MAX, "1.7976931348623157e308\n"},
        {5e-324, "5e-324\n"}, {123456789.0, "123456789\n"},
        {INFINITY, "null\n"}, {-INFINITY, "null\n"},
        {NAN, "null\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        PAGE(p);
        json_double(&p.w, NULL, cases[i].value);
        page_expect(&p, cases[i].text);
    }
}

static void json_double_reads_back(void **state)
{
    (void)state;
    const uint64_t seed = 20240601;
    print_message("seed %llu\n", (unsigned long long)seed);
    plumb_random random = plumb_random_start(seed);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = plumb_random_next(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        PAGE(p);
        json_double(&p.w, NULL, value);
        json_end(&p.w);
        assert_int_equal(fclose(p.out), 0);
        assert_true(strtod(p.text, NULL) == value);
        free(p.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_nests_with_two_levels_of_lines),
        cmocka_unit_test(json_closes_empty_containers),
        cmocka_unit_test(json_string_escapes),
        cmocka_unit_test(json_double_is_shortest),
        cmocka_unit_test(json_double_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
