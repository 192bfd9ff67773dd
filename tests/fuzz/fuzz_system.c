/* fuzz_system.c - any bytes at all through plumb_system_parse, and back.
 *
 *     tests/fuzz/run system 60
 *
 * A system must read back to the same one in both forms and be written the same again; an error must have its place
 * inside the bytes and the same status when nobody asks for it. The same bytes are read as separate equations. Notes are
 * lines without control characters. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/system/system.h"

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

static void check_error(const plumb_text_error *error, size_t size)
{
    CHECK(error->line >= 1 && error->column >= 1 && error->column <= (int64_t)size + 1);
    CHECK(error->line <= (int64_t)size + 1 && strlen(error->message) > 0);
}

static char *write_system(const plumb_system *system, int32_t form, size_t *length)
{
    CHECK(plumb_system_write(system, form, NULL, 0, length) == PLUMB_ERR_BUFFER);
    char *text = malloc(*length);
    CHECK(text != NULL);
    CHECK(plumb_system_write(system, form, text, *length, NULL) == PLUMB_OK);
    --*length;
    return text;
}

static void check_system(const char *text, size_t size)
{
    plumb_system *system, *back;
    plumb_text_error error = {.line = 0};
    plumb_status status = plumb_system_parse(text, size, &system, &error);
    if (status != PLUMB_OK) {
        CHECK(system == NULL);
        check_error(&error, size);
        CHECK(status == PLUMB_ERR_SIZE || plumb_system_parse(text, size, &back, NULL) == status);
        return;
    }
    const char *note;
    for (int64_t k = 0; (note = plumb_system_note(system, k)) != NULL; k++)
        for (const char *c = note; *c != 0; c++)
            CHECK(*c >= 0x20 && *c < 0x7f);
    for (int32_t form = PLUMB_FORMAT_PHC; form <= PLUMB_FORMAT_TXT; form++) {
        size_t length, again_length;
        char *written = write_system(system, form, &length);
        CHECK(plumb_system_parse(written, length, &back, NULL) == PLUMB_OK);
        CHECK(plumb_system_same(system, back));
        char *again = write_system(back, form, &again_length);
        CHECK(length == again_length && memcmp(written, again, length) == 0);
        free(again);
        free(written);
        plumb_system_destroy(back);
    }
    plumb_system_destroy(system);
}

/* The lines as separate equations, which may end anywhere. */
static void check_equations(const char *text, size_t size)
{
    enum { MOST = 8 };
    const char *texts[MOST];
    int64_t count = 1;
    char *copy = malloc(size + 1);
    CHECK(copy != NULL);
    memcpy(copy, text, size);
    copy[size] = 0;
    texts[0] = copy;
    for (size_t i = 0; i < size && count < MOST; i++)
        if (copy[i] == '\n') {
            copy[i] = 0;
            texts[count++] = copy + i + 1;
        }
    plumb_system *system;
    plumb_text_error error = {.line = 0};
    plumb_status status = plumb_system_parse_equations(texts, count, &system, &error);
    if (status != PLUMB_OK) {
        CHECK(system == NULL && error.line >= 1 && error.line <= count && strlen(error.message) > 0);
        CHECK(error.column >= 1 && error.column <= (int64_t)strlen(texts[error.line - 1]) + 1);
    }
    plumb_system_destroy(system);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_system((const char *)data, size);
    check_equations((const char *)data, size);
    return 0;
}
