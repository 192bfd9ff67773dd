/* t_system_bad.c - tests texts that are not systems: each has its place and its message, and no text causes a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number/random.h"
#include "plumb.h"

typedef struct bad_text {
    const char *text, *error;
} bad_text;

#define OPERATOR "'+', '-', '*', '/', '^', '=' or "
#define INSIDE "'+', '-', '*', '/', '^' or "

static const bad_text bad_texts[] = {
#include "data/systems/bad.inc"
};

/* Exactly as many bytes as there are, so that a sanitizer sees one byte too many being read. */
static plumb_status parse_copy(const char *text, size_t length, plumb_system **system, plumb_text_error *error)
{
    char *copy = malloc(length > 0 ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    plumb_status status = plumb_system_parse(copy, length, system, error);
    free(copy);
    return status;
}

static void parse_says_what_is_wrong(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof bad_texts / sizeof *bad_texts; i++) {
        plumb_system *system = (plumb_system *)&wrong;
        plumb_text_error error = {.line = 0};
        plumb_status status = parse_copy(bad_texts[i].text, strlen(bad_texts[i].text), &system, &error);
        char found[300];
        snprintf(found, sizeof found, "%lld:%lld: %s", (long long)error.line, (long long)error.column, error.message);
        if (status == PLUMB_OK || system != NULL || strcmp(found, bad_texts[i].error) != 0) {
            print_message("%s\n  found    %s\n  expected %s\n", bad_texts[i].text, found, bad_texts[i].error);
            wrong++;
        }
        assert_int_equal(parse_copy(bad_texts[i].text, strlen(bad_texts[i].text), &system, NULL), status);
    }
    assert_int_equal(wrong, 0);
}

static void parse_says_wrong_arguments(void **state)
{
    (void)state;
    plumb_system *system;
    plumb_text_error error;
    assert_int_equal(plumb_system_parse("x", 1, NULL, &error), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_parse(NULL, 1, &system, &error), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_parse(NULL, 0, &system, &error), PLUMB_ERR_PARSE);
    assert_null(system);
}

/* Parentheses as deep as they may be, and one deeper. */
static void parse_bounds_the_depth(void **state)
{
    (void)state;
    enum { MOST = 200 };
    for (size_t depth = MOST; depth <= MOST + 1; depth++) {
        char text[2 * MOST + 10];
        memset(text, '(', depth);
        text[depth] = 'x';
        memset(text + depth + 1, ')', depth);
        plumb_system *system;
        plumb_text_error error;
        plumb_status status = parse_copy(text, 2 * depth + 1, &system, &error);
        assert_int_equal(status, depth == MOST ? PLUMB_OK : PLUMB_ERR_SIZE);
        assert_true(depth == MOST || error.column == MOST + 1);
        plumb_system_destroy(system);
    }
}

/* Random strings of pieces of the grammar: many are systems, and all are answered. */
static void parse_survives_nonsense(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "x",  "y",  "z1", "2",  "1/3", "1.5e-3", "i", "(",   ")",   "+",     "-", "*",  "/",   "^",
        "**", "^2", ";",  "\n", "# c", "// ",    " ", ";\n", "2\n", "2 3\n", "0", "^3", ")*(", "THE SOLUTIONS :\n",
        "%",  ".",  "e"};
    const uint64_t seed = 20261115;
    printf("seed %llu\n", (unsigned long long)seed);
    plumb_random random = plumb_random_start(seed);
    int good = 0, rounds = 20000;
    for (int round = 0; round < rounds; round++) {
        char text[400] = "";
        size_t used = 0;
        for (uint64_t n = 1 + plumb_random_below(&random, 20); n > 0; n--) {
            const char *piece = pieces[plumb_random_below(&random, sizeof pieces / sizeof *pieces)];
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", piece);
        }
        plumb_system *system;
        plumb_text_error error = {.line = 0};
        if (parse_copy(text, strlen(text), &system, &error) == PLUMB_OK) {
            good++;
        } else {
            assert_null(system);
            assert_true(error.line >= 1 && error.column >= 1 && error.column <= (int64_t)strlen(text) + 1);
            assert_true(strlen(error.message) > 10);
        }
        plumb_system_destroy(system);
    }
    printf("%d of %d are systems\n", good, rounds);
    assert_true(good > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse_says_what_is_wrong),
        cmocka_unit_test(parse_says_wrong_arguments),
        cmocka_unit_test(parse_bounds_the_depth),
        cmocka_unit_test(parse_survives_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
