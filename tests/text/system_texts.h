/* system_texts.h - shared by the tests of systems: parsing that must succeed, written texts, files of data/systems. */
#ifndef PLUMB_TEXT_SYSTEM_TEXTS_H
#define PLUMB_TEXT_SYSTEM_TEXTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/system/system.h"
#include "plumb.h"

static inline plumb_system *parse_good(const char *text)
{
    plumb_system *system;
    plumb_text_error error;
    if (plumb_system_parse(text, strlen(text), &system, &error) != PLUMB_OK)
        fail_msg("%s\n%d:%d: %s", text, (int)error.line, (int)error.column, error.message);
    return system;
}

/* To be freed. */
static inline char *write_system(const plumb_system *system, plumb_format form)
{
    size_t needed = 0, again = 0;
    char small[4] = "abc";
    assert_int_equal(plumb_system_write(system, form, NULL, 0, &needed), PLUMB_ERR_BUFFER);
    char *text = malloc(needed);
    assert_non_null(text);
    assert_int_equal(plumb_system_write(system, form, text, needed, &again), PLUMB_OK);
    assert_int_equal(needed, again);
    assert_int_equal(strlen(text), needed - 1);
    assert_int_equal(plumb_system_write(system, form, small, 2, &again), PLUMB_ERR_BUFFER);
    assert_string_equal(small, "");
    return text;
}

/* To be freed; NULL when there is no such file. */
static inline char *load_text(const char *name)
{
    char path[1024];
    const char *slash = strrchr(__FILE__, '/');
    int here = slash != NULL ? (int)(slash - __FILE__) + 1 : 0;
    snprintf(path, sizeof path, "%.*s../data/systems/%s", here, __FILE__, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s is missing", path);
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    assert_true(length >= 0);
    char *text = malloc((size_t)length + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)length, file), length);
    text[length] = 0;
    fclose(file);
    return text;
}

/* Both forms read back to the same system, and are then written the same. */
static inline void check_round_trip(const plumb_system *system)
{
    static const plumb_format forms[] = {PLUMB_FORMAT_PHC, PLUMB_FORMAT_TXT};
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        char *text = write_system(system, forms[k]);
        plumb_system *back = parse_good(text);
        if (!plumb_system_same(system, back))
            fail_msg("not the same when read back:\n%s", text);
        char *again = write_system(back, forms[k]);
        assert_string_equal(text, again);
        free(again);
        plumb_system_destroy(back);
        free(text);
    }
}

#endif
