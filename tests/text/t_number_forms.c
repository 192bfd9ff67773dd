/* t_number_forms.c - tests the accepted forms of numbers, the messages for others, layouts and buffers. */
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
#include "plumb.h"
#include "text/number/number.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Reads from memory of exactly the right size, so that a sanitizer sees any step beyond it. */
static plumb_status read_exactly(const char *text, size_t length, int32_t prec, double *re, double *im,
                                 plumb_text_error *error)
{
    char *copy = malloc(length > 0 ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    plumb_status status = plumb_number_read(length > 0 ? copy : NULL, length, prec, re, im, error);
    free(copy);
    return status;
}

static bool same_double(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && (signbit(a) != 0) == (signbit(b) != 0));
}

static const struct good {
    const char *text;
    double re, im;
} GOOD[] = {
    {"0", 0, 0},
    {"-0", -0.0, 0},
    {"+3", 3, 0},
    {"  12\n", 12, 0},
    {"1.5", 1.5, 0},
    {"5.", 5, 0},
    {".5", 0.5, 0},
    {"007", 7, 0},
    {"1.5e3", 1500, 0},
    {"1.5E+03", 1500, 0},
    {"1.5d3", 1500, 0},
    {"15D-1", 1.5, 0},
    {"- 3", -3, 0},
    {"3/4", 0.75, 0},
    {"-3 / 4", -0.75, 0},
    {"0/5", 0, 0},
    {"-0/5", -0.0, 0},
    {"(1/4)", 0.25, 0},
    {"( (2) )", 2, 0},
    {"0x1.8p+1", 3, 0},
    {"0X1.8P1", 3, 0},
    {"-0x.8", -0.5, 0},
    {"0x10", 16, 0},
    {"0x0p+99999999999999999999", 0, 0},
    {"[0x1.8p+1]", 3, 0},
    {"[ -0x1.8p+1 , 0x0p+0 ]", -3, 0},
    {"-[0x1p0]", -1, 0},
    {"[inf]", INFINITY, 0},
    {"inf", INFINITY, 0},
    {"-inf", -INFINITY, 0},
    {"Infinity", INFINITY, 0},
    {"NaN", NAN, 0},
    {"nan", NAN, 0},
    {"(1.0 + 2.0*i)", 1, 2},
    {"(1.0 - 2.5E+00*i)", 1, -2.5},
    {"1.5-2i", 1.5, -2},
    {"2*i", 0, 2},
    {"2i", 0, 2},
    {"i", 0, 1},
    {"-i", 0, -1},
    {"I", 0, 1},
    {"+I", 0, 1},
    {"i*2", 0, 2},
    {"-i * 2", 0, -2},
    {"i * 1/4", 0, 0.25},
    {"2 i", 0, 2},
    {"(3/4 + 1/8*i)", 0.75, 0.125},
    {"2i + 1", 1, 2},
    {"-2*i-1", -1, -2},
    {"1-0i", 1, -0.0},
    {"-0 - 0*i", -0.0, -0.0},
    {"((1+i))", 1, 1},
    {"(nan - inf*i)", NAN, -INFINITY},
    {"1\n+\n2\n*\ni", 1, 2},
    {"[0x1p+0] - [0x1p+1]*i", 1, -2},
    {"1e-400", 0, 0},
    {"-1e-400i", 0, -0.0},
    {"0e999999999999999999", 0, 0},
    {"1e-99999999999999999999999999999", 0, 0},
    {"0.00000000000000000000000000000000000000001e41", 1, 0},
    {"100000000000000000000000000000000000000000e-41", 1, 0},
};

static void number_read_takes_every_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(GOOD); i++) {
        for (int32_t prec = 1; prec <= 4; prec *= 2) {
            double re[4], im[4];
            const char *text = GOOD[i].text;
            if (strchr(text, ',') != NULL && prec == 1)
                continue;
            plumb_text_error error = {.line = 0};
            plumb_status status = read_exactly(text, strlen(text), prec, re, im, &error);
            if (status != PLUMB_OK)
                fail_msg("%s: %s", text, error.message);
            if (!same_double(re[0], GOOD[i].re) || !same_double(im[0], GOOD[i].im))
                fail_msg("%s reads as %g and %g", text, re[0], im[0]);
            for (int32_t k = 1; k < prec; k++)
                assert_true(same_double(re[k], 0) && same_double(im[k], 0));
            if (memchr(text, 'i', strlen(text)) == NULL && memchr(text, 'I', strlen(text)) == NULL)
                assert_int_equal(read_exactly(text, strlen(text), prec, re, NULL, NULL), PLUMB_OK);
        }
    }
}

static const struct bad {
    const char *text;
    int64_t line, column;
    const char *message;
} BAD[] = {
    {"", 1, 1, "found end of text, expected a number"},
    {"   ", 1, 4, "found end of text, expected a number"},
    {"abc", 1, 1, "found 'abc', expected a number"},
    {"-", 1, 2, "found end of text, expected a number"},
    {"--3", 1, 2, "found '-', expected a number"},
    {".", 1, 1, "found '.', expected a number"},
    {"e5", 1, 1, "found 'e5', expected a number"},
    {"1.2.3", 1, 4, "found '.', expected the end of the number"},
    {"1 2", 1, 3, "found '2', expected the end of the number"},
    {"1,5", 1, 2, "found ',', expected the end of the number"},
    {"1\n\n  $", 3, 3, "found '$', expected the end of the number"},
    {"1_000", 1, 2, "found '_000', expected the end of the number"},
    {"12abc", 1, 3, "found 'abc', expected the end of the number"},
    {"1e", 1, 3, "found end of text, expected the digits of an exponent"},
    {"1e+", 1, 4, "found end of text, expected the digits of an exponent"},
    {"1ex", 1, 3, "found 'x', expected the digits of an exponent"},
    {"1e 5", 1, 3, "found a space, expected the digits of an exponent"},
    {"1/0", 1, 3, "found '0', expected a denominator other than zero"},
    {"1/000", 1, 3, "found '000', expected a denominator other than zero"},
    {"1/", 1, 3, "found end of text, expected an integer after '/'"},
    {"1/-3", 1, 3, "found '-', expected an integer after '/'"},
    {"1.5/2", 1, 4, "found '/', expected the end of the number"},
    {"1/3/5", 1, 4, "found '/', expected the end of the number"},
    {"0x", 1, 3, "found end of text, expected hexadecimal digits"},
    {"0xg", 1, 3, "found 'g', expected hexadecimal digits"},
    {"0x1p", 1, 5, "found end of text, expected the digits of an exponent"},
    {"[", 1, 2, "found end of text, expected a limb like 0x1.8p+1"},
    {"[]", 1, 2, "found ']', expected a limb like 0x1.8p+1"},
    {"[1.5]", 1, 2, "found '1', expected a limb like 0x1.8p+1"},
    {"[0x1p0,]", 1, 8, "found ']', expected a limb like 0x1.8p+1"},
    {"[0x1p0", 1, 7, "found end of text, expected ',' or ']'"},
    {"[0x1p0;0x1p0]", 1, 7, "found ';', expected ',' or ']'"},
    {"[0x1p0, 0x1p-60, 0x1p-120]", 1, 18, "found 3 limbs, expected at most 2"},
    {"[0x1.00000000000001p0]", 1, 2, "found 0x1.00000000000001p0, expected a limb of 53 bits"},
    {"[0x1p]", 1, 6, "found ']', expected the digits of an exponent"},
    {"(1", 1, 3, "found end of text, expected '+', '-' or ')'"},
    {"(1]", 1, 3, "found ']', expected '+', '-' or ')'"},
    {"1)", 1, 2, "found ')', expected the end of the number"},
    {"()", 1, 2, "found ')', expected a number"},
    {"(((1)))", 1, 3, "found '(', expected a number"},
    {"1+", 1, 3, "found end of text, expected a number"},
    {"1+2", 1, 2, "found a second real part, expected an imaginary part"},
    {"2i - 3i", 1, 4, "found a second imaginary part, expected a real part"},
    {"1+2i+3", 1, 5, "found a second real part, expected the end of the number"},
    {"2*", 1, 3, "found end of text, expected 'i'"},
    {"2*x", 1, 3, "found 'x', expected 'i'"},
    {"2ix", 1, 2, "found 'ix', expected the end of the number"},
    {"i*i", 1, 3, "found 'i', expected a number"},
    {"j", 1, 1, "found 'j', expected a number"},
    {"infi", 1, 1, "found 'infi', expected a number"},
    {"inf2", 1, 1, "found 'inf2', expected a number"},
    {"\xe2\x88\x92"
     "1",
     1, 1, "found byte 0xe2, expected a number"},
    {"1\x7f", 1, 2, "found byte 0x7f, expected the end of the number"},
    {"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ", 1, 1, "found 'abcdefghijklmnopqr...6789ABCDEFGHIJ'"},
};

static const struct bad OUT_OF_RANGE[] = {
    {"1e400", 1, 1, "1e400 is out of range: a number must be below about 1.8e308 in modulus"},
    {" -1e309", 1, 3, "1e309 is out of range: a number must be below about 1.8e308 in modulus"},
    {"1\n+ 1e999999999999999999999*i", 2, 3, "1e999999999999999999999 is out of range"},
    {"0x1p1024", 1, 1, "0x1p1024 is out of range"},
    {"0x1.fffffffffffff8p1023", 1, 1, "0x1.fffffffffffff8p1023 is out of range"},
    {"[0x1p1024]", 1, 2, "0x1p1024 is out of range"},
    {"1.7976931348623159e308", 1, 1, "1.7976931348623159e308 is out of range"},
};

static void check_bad(const struct bad *bad, plumb_status expected)
{
    double re[2], im[2];
    plumb_text_error error = {.line = 0};
    assert_int_equal(read_exactly(bad->text, strlen(bad->text), PLUMB_DD, re, im, &error), expected);
    if (error.line != bad->line || error.column != bad->column ||
        strncmp(error.message, bad->message, strlen(bad->message)) != 0)
        fail_msg("%s: %d:%d %s", bad->text, (int)error.line, (int)error.column, error.message);
    assert_int_equal(read_exactly(bad->text, strlen(bad->text), PLUMB_DD, re, im, NULL), expected);
}

static void number_read_says_where_and_what(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(BAD); i++)
        check_bad(&BAD[i], PLUMB_ERR_PARSE);
    for (size_t i = 0; i < COUNT(OUT_OF_RANGE); i++)
        check_bad(&OUT_OF_RANGE[i], PLUMB_ERR_RANGE);

    double re[4];
    plumb_text_error error;
    assert_int_equal(plumb_number_read("1\0", 2, 1, re, re + 1, &error), PLUMB_ERR_PARSE);
    assert_string_equal(error.message, "found byte 0x00, expected the end of the number");
    assert_int_equal(error.column, 2);
    assert_int_equal(plumb_number_read("1 + 2*i", 7, 1, re, NULL, &error), PLUMB_ERR_PARSE);
    assert_string_equal(error.message, "found an imaginary part, expected a real number");
    assert_int_equal(error.column, 7);
    assert_int_equal(plumb_number_read("1+2", 3, 1, re, NULL, &error), PLUMB_ERR_PARSE);
    assert_string_equal(error.message, "found a second real part, expected the end of the number");
    assert_int_equal(plumb_number_read("1", 1, 3, re, NULL, &error), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_number_read("1", 1, 1, NULL, NULL, &error), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_number_read(NULL, 1, 1, re, NULL, NULL), PLUMB_ERR_ARGUMENT);
}

/* Good tokens cut, doubled, and with bytes changed: whatever the answer, nothing beyond the bytes is touched and an
 * error has a place inside the text. */
static void number_read_survives_damage(void **state)
{
    (void)state;
    const uint64_t seed = 99;
    print_message("seed %llu\n", (unsigned long long)seed);
    plumb_random random = plumb_random_start(seed);
    for (int i = 0; i < 100000; i++) {
        char text[256];
        double re[4], im[4];
        size_t pick = plumb_random_below(&random, COUNT(GOOD) + COUNT(BAD));
        const char *from = pick < COUNT(GOOD) ? GOOD[pick].text : BAD[pick - COUNT(GOOD)].text;
        size_t length = strlen(from);
        memcpy(text, from, length);
        for (uint64_t k = plumb_random_below(&random, 3); k > 0 && length > 0; k--) {
            char byte = plumb_random_next(&random) & 1
                            ? (char)plumb_random_next(&random)
                            : "0123456789+-*/.eEpx[](), inaf"[plumb_random_below(&random, 29)];
            text[plumb_random_below(&random, length)] = byte;
        }
        length -= plumb_random_below(&random, length + 1) / 4;
        plumb_text_error error = {.line = 0};
        plumb_status status = read_exactly(text, length, PLUMB_QD, re, im, &error);
        if (status != PLUMB_OK) {
            assert_in_range(error.column, 1, length + 1);
            assert_in_range(error.line, 1, length + 1);
            assert_true(strlen(error.message) > 10 && strlen(error.message) < sizeof error.message);
        }
    }
}

static char *repeat(char c, size_t count, const char *before, const char *after)
{
    size_t head = strlen(before), tail = strlen(after);
    char *text = malloc(head + count + tail + 1);
    assert_non_null(text);
    memcpy(text, before, head);
    memset(text + head, c, count);
    memcpy(text + head + count, after, tail);
    text[head + count + tail] = 0;
    return text;
}

static void number_read_takes_a_million_digits(void **state)
{
    (void)state;
    enum { MANY = 1000000 };
    static const struct {
        const char *before, *after;
        plumb_status status;
        char digit;
        double value;
    } cases[] = {
        {"1", "e-1000000", PLUMB_OK, '0', 1},  {"0.", "25e1000000", PLUMB_OK, '0', 0.25},
        {"1.", "1", PLUMB_OK, '0', 1},         {"0.", "", PLUMB_OK, '9', 1},
        {"", "", PLUMB_ERR_RANGE, '9', 0},     {"", "e-1000000", PLUMB_OK, '9', 1},
        {"1/", "", PLUMB_OK, '3', 0},          {"", "/7", PLUMB_ERR_RANGE, '3', 0},
        {"0x1p", "", PLUMB_ERR_RANGE, '1', 0}, {"1e-", "", PLUMB_OK, '1', 0},
        {"", "2.5", PLUMB_OK, ' ', 2.5},       {"0x1.", "p3", PLUMB_OK, '0', 8},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        double re[4];
        char *text = repeat(cases[i].digit, MANY, cases[i].before, cases[i].after);
        assert_int_equal(plumb_number_read(text, strlen(text), PLUMB_QD, re, NULL, NULL), cases[i].status);
        if (cases[i].status == PLUMB_OK)
            assert_true(re[0] == cases[i].value && re[1] == 0);
        free(text);
    }
    /* (10^n - 1)/9 over 10^n - 1: a million digits on either side of 1/9 */
    char *ones = repeat('1', MANY, "", "/"), *both = repeat('9', MANY, ones, "");
    double re[4], ninth[4];
    assert_int_equal(plumb_number_read(both, strlen(both), PLUMB_QD, re, NULL, NULL), PLUMB_OK);
    assert_int_equal(plumb_number_read("1/9", 3, PLUMB_QD, ninth, NULL, NULL), PLUMB_OK);
    assert_memory_equal(re, ninth, sizeof re);
    free(ones);
    free(both);
    char *monster = repeat('7', 10000001, "1/", "");
    plumb_text_error error;
    assert_int_equal(plumb_number_read(monster, strlen(monster), PLUMB_QD, re, NULL, &error), PLUMB_ERR_SIZE);
    assert_string_equal(error.message, "found a fraction of more than 10000000 digits, expected fewer");
    free(monster);
}

static void number_write_lays_out(void **state)
{
    (void)state;
    static const struct {
        double limbs[2];
        int32_t digits;
        const char *text;
    } cases[] = {
        {{3}, 0, "3"},
        {{-3}, 0, "-3"},
        {{0}, 0, "0"},
        {{-0.0}, 0, "-0"},
        {{0.5}, 0, "0.5"},
        {{1e20}, 0, "100000000000000000000"},
        {{1e21}, 0, "1e21"},
        {{1.5e21}, 0, "1.5e21"},
        {{0x1p-1074}, 0, "5e-324"},
        {{0x1p-16}, 0, "0.0000152587890625"},
        {{0x1p-17}, 0, "7.62939453125e-6"},
        {{0x1p-20}, 0, "9.5367431640625e-7"},
        {{INFINITY}, 0, "inf"},
        {{-INFINITY}, 3, "-inf"},
        {{NAN}, 0, "nan"},
        {{1, NAN}, 0, "nan"},
        {{INFINITY, -INFINITY}, 0, "nan"},
        {{-INFINITY, 1}, 0, "-inf"},
        {{3}, 5, "3.0000"},
        {{123456}, 3, "1.23e5"},
        {{123456}, 6, "123456"},
        {{99999.5}, 5, "1.0000e5"},
        {{9.96}, 1, "1e1"},
        {{0}, 3, "0.00"},
        {{2.5}, 1, "2"},
        {{3.5}, 1, "4"},
        {{2.5, 0x1p-1000}, 1, "3"},
        {{2.5, -0x1p-1000}, 1, "2"},
        {{0.125}, 8, "0.12500000"},
        {{1, -1}, 0, "0"},
        {{0, 1}, 0, "1"},
        {{1, 1}, 0, "2"},
        {{1e-300}, 3, "1.00e-300"},
    };
    char text[400];
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(plumb_number_write(PLUMB_DD, cases[i].limbs, cases[i].digits, text, sizeof text, NULL),
                         PLUMB_OK);
        assert_string_equal(text, cases[i].text);
    }
    const double sum_too_large[2] = {0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023};
    assert_int_equal(plumb_number_write(PLUMB_DD, sum_too_large, 0, text, sizeof text, NULL), PLUMB_ERR_RANGE);
    assert_int_equal(plumb_number_write(PLUMB_DD, sum_too_large, 5, text, sizeof text, NULL), PLUMB_OK);
    assert_string_equal(text, "3.5954e308");
}

/* Halfway between two doubles, with the odd one in front: only neighbours of the sum read so, and one of them is
 * written. */
static void number_write_handles_sums_at_an_open_end(void **state)
{
    (void)state;
    static const double cases[][2] = {
        {0x1.0000000000001p+0, 0x1p-53},     {0x1.0000000000001p+0, -0x1p-53},    {-0x1.0000000000001p+604, 0x1p+551},
        {0x1.fffffffffffffp+1023, 0x1p+970}, {0x1.0000000000001p-960, 0x1p-1013}, {0x1.8000000000001p+52, 0.5},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[1000];
        double back[2];
        assert_int_equal(plumb_number_write(PLUMB_DD, cases[i], 0, text, sizeof text, NULL), PLUMB_OK);
        assert_int_equal(plumb_number_read(text, strlen(text), PLUMB_DD, back, NULL, NULL), PLUMB_OK);
        assert_memory_equal(back, cases[i], sizeof back);
    }
}

static void number_write_hex_is_exact(void **state)
{
    (void)state;
    static const struct {
        double limbs[2];
        const char *text;
    } cases[] = {
        {{3, 0}, "[0x1.8p+1,0x0p+0]"},
        {{-0.0, 0x1p-60}, "[-0x0p+0,0x1p-60]"},
        {{0x1p-1074, 0x1p-1022}, "[0x1p-1074,0x1p-1022]"},
        {{INFINITY, NAN}, "[inf,nan]"},
        {{-INFINITY, 0x1.23456789abcdep+1000}, "[-inf,0x1.23456789abcdep+1000]"},
        {{1, 1}, "[0x1p+0,0x1p+0]"},
        {{0x0.0000000000003p-1022, 100}, "[0x1.8p-1073,0x1.9p+6]"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[100];
        double back[2];
        size_t needed;
        assert_int_equal(plumb_number_write_hex(PLUMB_DD, cases[i].limbs, text, sizeof text, &needed), PLUMB_OK);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(needed, strlen(text) + 1);
        assert_int_equal(read_exactly(text, strlen(text), PLUMB_DD, back, NULL, NULL), PLUMB_OK);
        assert_true(same_double(back[0], cases[i].limbs[0]) && same_double(back[1], cases[i].limbs[1]));
    }
}

static void complex_write_reads_back(void **state)
{
    (void)state;
    static const struct {
        double re, im;
        const char *text;
    } cases[] = {
        {1, 2, "(1 + 2*i)"},
        {1, -2.5, "(1 - 2.5*i)"},
        {0, 0, "(0 + 0*i)"},
        {-0.0, -0.0, "(-0 - 0*i)"},
        {NAN, INFINITY, "(nan + inf*i)"},
        {-INFINITY, NAN, "(-inf + nan*i)"},
        {1e-7, -1e30, "(1e-7 - 1e30*i)"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[100];
        double re, im;
        size_t needed;
        assert_int_equal(plumb_complex_write(1, &cases[i].re, &cases[i].im, 0, text, sizeof text, &needed), PLUMB_OK);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(needed, strlen(text) + 1);
        assert_int_equal(read_exactly(text, strlen(text), 1, &re, &im, NULL), PLUMB_OK);
        assert_true(same_double(re, cases[i].re) && same_double(im, cases[i].im));
    }
}

static void writers_respect_the_buffer(void **state)
{
    (void)state;
    const double x[4] = {0.1, 0, 0, 0}, y[4] = {-2, 0, 0, 0};
    size_t full;
    char text[200];
    assert_int_equal(plumb_complex_write(PLUMB_QD, x, y, 0, text, sizeof text, &full), PLUMB_OK);
    for (size_t size = 0; size <= full; size++) {
        char *buffer = malloc(size > 0 ? size : 1);
        assert_non_null(buffer);
        size_t needed = 0;
        plumb_status status = plumb_complex_write(PLUMB_QD, x, y, 0, size > 0 ? buffer : NULL, size, &needed);
        assert_int_equal(status, size < full ? PLUMB_ERR_BUFFER : PLUMB_OK);
        assert_int_equal(needed, full);
        if (size > 0)
            assert_string_equal(buffer, size < full ? "" : text);
        free(buffer);
    }
    size_t needed;
    assert_int_equal(plumb_number_write(PLUMB_D, x, 1000000, NULL, 0, &needed), PLUMB_ERR_BUFFER);
    assert_int_equal(needed, 1000003);
    assert_int_equal(plumb_number_write_hex(PLUMB_D, x, text, 3, &needed), PLUMB_ERR_BUFFER);
    assert_string_equal(text, "");
    assert_int_equal(plumb_number_write(3, x, 0, text, sizeof text, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_number_write(1, NULL, 0, text, sizeof text, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_number_write(1, x, -1, text, sizeof text, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_number_write(1, x, 0, NULL, 10, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_complex_write(1, x, NULL, 0, text, sizeof text, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_number_write_hex(0, x, text, sizeof text, NULL), PLUMB_ERR_ARGUMENT);
}

/* The scanner in a larger text: it stops right after the number, and options turn forms off. */
static void number_scan_leaves_the_cursor_after_the_number(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned which;
        number_kind kind;
        size_t length; /* 0: an error */
    } cases[] = {
        {"12*x", NUMBER_WITH_RATIO, NUMBER_DECIMAL, 2},
        {"1/3*x", NUMBER_WITH_RATIO, NUMBER_RATIONAL, 3},
        {"1/3*x", 0, NUMBER_DECIMAL, 1},
        {"1 2", NUMBER_WITH_ALL, NUMBER_DECIMAL, 1},
        {"1.5e-3+y", NUMBER_WITH_ALL, NUMBER_DECIMAL, 6},
        {"-1", 0, NUMBER_DECIMAL, 0},
        {"-1", NUMBER_WITH_SIGN, NUMBER_DECIMAL, 2},
        {"nan*x", NUMBER_WITH_SIGN, NUMBER_DECIMAL, 0},
        {"nan*x", NUMBER_WITH_WORDS, NUMBER_NAN, 3},
        {"0x1p1 ", 0, NUMBER_DECIMAL, 1},
        {"0x1p1 ", NUMBER_WITH_HEX, NUMBER_HEX, 5},
        {"[0x1p1]", NUMBER_WITH_HEX, NUMBER_DECIMAL, 0},
        {"[0x1p1]]", NUMBER_WITH_LIST, NUMBER_LIST, 7},
        {"x", NUMBER_WITH_ALL, NUMBER_DECIMAL, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *text = cases[i].text;
        text_cursor c = {.begin = text, .at = text, .end = text + strlen(text)};
        number_token token;
        plumb_status status = plumb_number_scan(&c, cases[i].which, &token, NULL);
        assert_int_equal(status, cases[i].length > 0 ? PLUMB_OK : PLUMB_ERR_PARSE);
        assert_int_equal(c.at - text, cases[i].length);
        if (status == PLUMB_OK) {
            assert_int_equal(token.kind, cases[i].kind);
            assert_int_equal(token.text.length, cases[i].length);
        }
    }
}

static void exact_values_keep_monstrous_powers_aside(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t exponent;
        plumb_status status;
        double value;
    } cases[] = {
        {"1e400", 0, PLUMB_ERR_RANGE, 0},
        {"1e-400", 0, PLUMB_OK, 0},
        {"-1e-400", 0, PLUMB_OK, -0.0},
        {"25e999999999", 999999999, PLUMB_ERR_RANGE, 0},
        {"-25e-999999999", -999999999, PLUMB_OK, -0.0},
        {"0e999999999", 0, PLUMB_OK, 0},
        {"0x1p-999999999", -999999999, PLUMB_OK, 0},
        {"-0", 0, PLUMB_OK, -0.0},
        {"inf", 0, PLUMB_OK, INFINITY},
        {"-inf", 0, PLUMB_OK, -INFINITY},
        {"nan", 0, PLUMB_OK, NAN},
        {"-3/4", 0, PLUMB_OK, -0.75},
        {"0x1.8p+1", 0, PLUMB_OK, 3},
        {"0x180p-7", 0, PLUMB_OK, 3},
        {"[0x1p0,0x1p0]", 0, PLUMB_OK, 2},
        {"[inf,-inf]", 0, PLUMB_OK, NAN},
        {"[0x1p0,-inf]", 0, PLUMB_OK, -INFINITY},
        {"[-0x0p+0]", 0, PLUMB_OK, -0.0},
    };
    number_exact exact;
    plumb_exact_init(&exact);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *text = cases[i].text;
        text_cursor c = {.begin = text, .at = text, .end = text + strlen(text)};
        number_token token;
        double limbs[4];
        assert_int_equal(plumb_number_scan(&c, NUMBER_WITH_ALL, &token, NULL), PLUMB_OK);
        assert_int_equal(plumb_exact_from_token(&c, &token, &exact, NULL), PLUMB_OK);
        assert_int_equal(exact.exponent, cases[i].exponent);
        assert_int_equal(plumb_exact_to_limbs(&exact, PLUMB_QD, limbs), cases[i].status);
        if (cases[i].status == PLUMB_OK)
            assert_true(same_double(limbs[0], cases[i].value) && same_double(limbs[3], 0));
    }
    plumb_exact_clear(&exact);
}

/* Solutions have short decimals: limbs that lie far below the last bit are rounded away, and nothing else changes. */
static void shortened_numbers_have_few_digits(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(11);
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int turn = 0; turn < 20000; turn++) {
            const size_t most = prec == PLUMB_D ? 17 : prec == PLUMB_DD ? 33 : 65;
            double limbs[PLUMB_QD] = {0}, before[PLUMB_QD], minus[PLUMB_QD], difference[PLUMB_QD], size = 1.0;
            char text[2000];
            size_t needed;
            const int drop = (int)plumb_random_below(&random, 3); /* how steeply limbs decrease */
            for (int32_t c = 0; c < prec; c++) {
                limbs[c] = plumb_random_below(&random, 4) == 0 ? 0.0
                                                               : (0.5 + plumb_random_unit(&random) / 2) *
                                                                     (plumb_random_below(&random, 2) ? size : -size);
                size *= drop == 0 ? 0x1p-54 : ldexp(1.0, -(int)(54 + plumb_random_below(&random, 250)));
            }
            if (limbs[0] == 0.0)
                limbs[0] = 1.0;
            memcpy(before, limbs, sizeof before);
            plumb_number_shorten(prec, ldexp(1.0, -50 * prec), limbs);
            assert_int_equal(plumb_number_write(prec, limbs, 0, text, sizeof text, &needed), PLUMB_OK);
            const bool is_full = fabs(before[prec - 1]) > ldexp(fabs(before[0]), -53 * prec);
            assert_true(is_full || needed <= most + 8); /* sign, point, exponent */
            for (int32_t c = 0; c < prec; c++)
                difference[c] = limbs[c] - before[c];
            const double change = prec == PLUMB_D    ? difference[0]
                                  : prec == PLUMB_DD ? difference[0] + difference[1]
                                                     : difference[0] + difference[1] + difference[2] + difference[3];
            assert_true(fabs(change) <= fabs(before[0]) * 10 * pow(10.0, -(double)most));
            if (is_full)
                assert_memory_equal(limbs, before, sizeof limbs);
            for (int32_t c = 0; c < PLUMB_QD; c++) /* conjugates stay conjugates */
                minus[c] = -before[c];
            plumb_number_shorten(prec, ldexp(1.0, -50 * prec), minus);
            for (int32_t c = 0; c < prec; c++)
                assert_true(minus[c] == -limbs[c]);
            memcpy(minus, before, sizeof minus);
            plumb_number_shorten(prec, 0.0, minus); /* exact */
            assert_memory_equal(minus, before, sizeof minus);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_read_takes_every_form),
        cmocka_unit_test(number_read_says_where_and_what),
        cmocka_unit_test(number_read_survives_damage),
        cmocka_unit_test(number_read_takes_a_million_digits),
        cmocka_unit_test(number_write_lays_out),
        cmocka_unit_test(number_write_handles_sums_at_an_open_end),
        cmocka_unit_test(number_write_hex_is_exact),
        cmocka_unit_test(complex_write_reads_back),
        cmocka_unit_test(writers_respect_the_buffer),
        cmocka_unit_test(number_scan_leaves_the_cursor_after_the_number),
        cmocka_unit_test(shortened_numbers_have_few_digits),
        cmocka_unit_test(exact_values_keep_monstrous_powers_aside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
