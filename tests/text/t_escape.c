/* t_escape.c - strings from outside inside JSON, CSV, gnuplot and messages; and lines of bounded length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/name.h"
#include "text/escape.h"
#include "text/file.h"
#include "text/lines.h"

/* What a function writes for a text. */
static void check_written(void (*escape)(FILE *, const char *), const char *text, const char *expected)
{
    char *bytes = NULL;
    size_t length;
    FILE *out = open_memstream(&bytes, &length);
    assert_non_null(out);
    escape(out, text);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(bytes, expected);
    free(bytes);
}

static void gnuplot_strings_cannot_be_left(void **state)
{
    (void)state;
    check_written(escape_gnuplot, "x1", "'x1'");
    check_written(escape_gnuplot, "x\nsystem(\"id > owned\")\n#", "'x system(\"id > owned\") #'");
    check_written(escape_gnuplot, "x'; system('id')", "'x''; system(''id'')'");
    check_written(escape_gnuplot, "`id`\\", "'`id`\\'"); /* neither means anything in single quotes */
    check_written(escape_gnuplot, "\xff\xc3\xa9\x1b", "'?\xc3\xa9 '");
}

static void csv_fields_are_quoted_where_needed(void **state)
{
    (void)state;
    check_written(escape_csv, "x1", "x1");
    check_written(escape_csv, "a,b", "\"a,b\"");
    check_written(escape_csv, "say \"x\"\n", "\"say \"\"x\"\"\n\"");
}

static void json_strings_are_valid(void **state)
{
    (void)state;
    check_written(escape_json, "a\"b\\\n\t\r\x01\x7f", "\"a\\\"b\\\\\\n\\t\\r\\u0001\\u007f\"");
    check_written(escape_json, "\xc3\xa9\xff", "\"\xc3\xa9\\ufffd\"");
    check_written(escape_json, "", "\"\"");
    check_written(escape_json, "plain text\nand \xc3\xa9 between, then ~",
                  "\"plain text\\nand \xc3\xa9 between, then ~\"");
}

static void check_line(const char *text, size_t size, const char *expected)
{
    char line[256];
    memset(line, '#', sizeof line);
    assert_string_equal(escape_line(line, size, text), expected);
    assert_true(strlen(line) < size);
    for (size_t i = size; i < sizeof line; i++)
        assert_int_equal(line[i], '#');
}

static void lines_have_no_control_characters(void **state)
{
    (void)state;
    check_line("plain \xc3\xa9", 64, "plain \xc3\xa9");
    check_line("a\nb\tc\rd", 64, "a\\nb\\tc\\rd");
    check_line("\x1b[31mred\x07\x7f", 64, "\\x1b[31mred\\x07\\x7f");
    check_line("\xff\xc0\x80", 64, "\\xff\\xc0\\x80");
    check_line("\xc2\x9b", 64, "\\u009b"); /* the other form of the escape character */
    check_line("\xe2\x80\xae"
               "fdp",
               64,
               "\\u202e"
               "fdp"); /* right to left */
    check_line("", 16, "");
}

static void long_lines_are_cut_in_the_middle(void **state)
{
    (void)state;
    check_line("0123456789abcde", 16, "0123456789abcde");
    check_line("0123456789abcdef", 16, "012345...abcdef");
    check_line("\x1b\x1b\x1b\x1b\x1b\x1b", 16, "\\x1b...\\x1b");
    char text[5000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    for (size_t size = 16; size < 200; size++) {
        char line[200];
        escape_line(line, size, text);
        assert_int_equal(strlen(line), size - 1);
        assert_non_null(strstr(line, "x...x"));
    }
}

static void names_are_letters_and_digits(void **state)
{
    (void)state;
    static const char *const good[] = {"x", "x1", "_", "alpha_2", "ii"};
    static const char *const bad[] = {"", "1x", "i", "I", "x y", "x\n", "x'", "\xc3\xa9", "x\"", "a-b"};
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++)
        assert_true(name_is_valid(good[k]) && name_is_usable(good[k]));
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        assert_false(name_is_valid(bad[k]));
    assert_false(name_is_valid(NULL) || name_is_usable(NULL) || name_is_usable("") || name_is_usable("a b"));
    assert_false(name_is_usable("a:") || name_is_usable("a=") || name_is_usable("a\n"));
    assert_true(name_is_usable("x[1]"));
}

static void lines_are_read_one_by_one(void **state)
{
    (void)state;
    static char text[] = "first\n\nthird\0x\nlast";
    FILE *file = fmemopen(text, sizeof text - 1, "rb");
    text_lines lines = lines_begin(file);
    static const struct {
        const char *text;
        size_t length;
        int64_t start;
        bool complete;
    } expected[] = {{"first", 5, 0, true}, {"", 0, 6, true}, {"third", 7, 7, true}, {"last", 4, 15, false}};
    for (int64_t k = 0; k < 4; k++) {
        assert_int_equal(lines_next(&lines), PLUMB_OK);
        assert_non_null(lines.text);
        assert_string_equal(lines.text, expected[k].text);
        assert_true(lines.length == expected[k].length && lines.start == expected[k].start);
        assert_true(lines.complete == expected[k].complete && lines.number == k + 1);
    }
    for (int again = 0; again < 2; again++) {
        assert_int_equal(lines_next(&lines), PLUMB_OK);
        assert_null(lines.text);
    }
    lines_end(&lines);
    fclose(file);
}

static void endless_files_are_given_up(void **state)
{
    (void)state;
    FILE *file = fopen("/dev/zero", "rb");
    assert_non_null(file);
    text_lines lines = lines_begin(file);
    assert_int_equal(lines_next(&lines), PLUMB_ERR_SIZE);
    lines_end(&lines);
    fclose(file);
    static const char *const paths[] = {"/dev/zero", "/dev/urandom"};
    for (int k = 0; k < 2; k++) {
        plumb_system *system;
        plumb_solutions *solutions;
        plumb_matrix matrix;
        plumb_text_error error;
        assert_int_equal(plumb_system_read_file(paths[k], &system, &error), PLUMB_ERR_PARSE);
        assert_int_equal(plumb_solutions_read_file(paths[k], PLUMB_D, &solutions, &error), PLUMB_ERR_PARSE);
        assert_int_equal(plumb_matrix_read_file(paths[k], PLUMB_D, &matrix, &error), PLUMB_ERR_PARSE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gnuplot_strings_cannot_be_left),   cmocka_unit_test(csv_fields_are_quoted_where_needed),
        cmocka_unit_test(json_strings_are_valid),           cmocka_unit_test(lines_have_no_control_characters),
        cmocka_unit_test(long_lines_are_cut_in_the_middle), cmocka_unit_test(names_are_letters_and_digits),
        cmocka_unit_test(lines_are_read_one_by_one),        cmocka_unit_test(endless_files_are_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
