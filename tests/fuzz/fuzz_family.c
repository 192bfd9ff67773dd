/* fuzz_family.c - any bytes as the file of a family with its generic solutions.
 *
 *     tests/fuzz/run family 60
 *
 * The family is that of the system at the beginning of the text, and a fixed one, to which the text may not belong. An error has a
 * place inside the text and a message, and leaves the family as it was; a text that can be read is written such that it reads back to
 * the same text. Calls that solve have stubs: reading solves nothing. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plumb.h"
#include "solver/family/family.h"

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

static char *write(const plumb_family *family)
{
    size_t needed = 0;
    CHECK(plumb_family_write(family, NULL, 0, &needed) == PLUMB_ERR_BUFFER);
    char *text = malloc(needed);
    CHECK(text != NULL);
    CHECK(plumb_family_write(family, text, needed, NULL) == PLUMB_OK);
    return text;
}

static void check(const plumb_system *system, const char *text, size_t size)
{
    plumb_family *family = NULL, *again = NULL;
    plumb_text_error error = {.line = 0};
    if (plumb_family_create(system, &family) != PLUMB_OK)
        return;
    const plumb_status status = plumb_family_read(family, text, size, &error);
    if (status == PLUMB_OK) {
        CHECK(plumb_family_paths(family) > 0 && plumb_family_omitted(family) >= 0);
        char *first = write(family);
        CHECK(plumb_family_create(system, &again) == PLUMB_OK);
        CHECK(plumb_family_read(again, first, strlen(first), &error) == PLUMB_OK);
        char *second = write(again);
        CHECK(strcmp(first, second) == 0);
        free(first);
        free(second);
        plumb_family_destroy(again);
    } else {
        CHECK(plumb_family_paths(family) == 0 && strlen(error.message) > 0);
        CHECK(error.line >= 1 && error.column >= 1 && error.line <= (int64_t)size + 1);
    }
    plumb_family_destroy(family);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char own[] = "parameters a, b; x^2 - 2*a*x + b;";
    plumb_system *system = NULL;
    plumb_text_error error;
    const char *text = (const char *)data;
    if (plumb_system_parse(text, size, &system, &error) == PLUMB_OK)
        check(system, text, size);
    plumb_system_destroy(system);
    CHECK(plumb_system_parse(own, strlen(own), &system, &error) == PLUMB_OK);
    check(system, text, size);
    plumb_system_destroy(system);
    return 0;
}

/* ---- What reading and writing do not call ------------------------------------------------------------------------ */

plumb_status plumb_array_create(plumb_context *context, int32_t where, int32_t prec, int32_t parts, int64_t rows,
                                int64_t cols, int64_t batch, plumb_view *view)
{
    (void)context, (void)where, (void)prec, (void)parts, (void)rows, (void)cols, (void)batch, (void)view;
    abort();
}

void plumb_array_destroy(plumb_context *context, plumb_view *view)
{
    (void)context, (void)view;
    abort();
}

plumb_status plumb_copy(plumb_context *context, const plumb_view *src, plumb_view *dst, plumb_stream stream)
{
    (void)context, (void)src, (void)dst, (void)stream;
    abort();
}

plumb_status plumb_newton(plumb_context *context, const plumb_system *system, plumb_view *x,
                          const plumb_newton_options *options, plumb_newton_report *reports)
{
    (void)context, (void)system, (void)x, (void)options, (void)reports;
    abort();
}

void plumb_newton_options_init(plumb_newton_options *options)
{
    (void)options;
    abort();
}

void plumb_solve_options_init(plumb_solve_options *options)
{
    (void)options;
    abort();
}

plumb_status plumb_solve(plumb_context *context, const plumb_system *system, const plumb_solve_options *options,
                         plumb_solutions **solutions)
{
    (void)context, (void)system, (void)options, (void)solutions;
    abort();
}
