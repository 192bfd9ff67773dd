/* fuzz_targets.c - any bytes as the targets of a family: the first line names the columns, the others are rows.
 *
 *     tests/fuzz/run targets 60
 *
 * An error has its place inside the line and a message, and a row that can be read has finite numbers. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/targets.h"

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

enum { PARAMETERS = 3 };

static void check_error(plumb_status status, const plumb_text_error *error, size_t length)
{
    CHECK(status == PLUMB_ERR_PARSE || status == PLUMB_ERR_RANGE || status == PLUMB_ERR_SIZE);
    CHECK(error->line == 1 && error->column >= 1 && error->column <= (int64_t)length + 1);
    CHECK(strlen(error->message) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[PARAMETERS] = {"a", "b1", "re"};
    const char *at = (const char *)data, *end = at + size;
    target_columns columns = {.count = 0};
    double limbs[2 * PLUMB_QD * PARAMETERS];
    for (int64_t line = 0; at < end; line++) {
        plumb_text_error error = {.line = 0};
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((stop ? stop : end) - at);
        plumb_status status = PLUMB_OK;
        if (line == 0) {
            status = plumb_targets_header(at, length, names, PARAMETERS, &columns, &error);
        } else if (!plumb_targets_blank(at, length)) {
            status = plumb_targets_row(&columns, at, length, PLUMB_QD, limbs, &error);
            for (int k = 0; status == PLUMB_OK && k < 2 * PLUMB_QD * PARAMETERS; k++)
                CHECK(isfinite(limbs[k]));
        }
        if (status != PLUMB_OK)
            check_error(status, &error, length);
        if (status != PLUMB_OK && line == 0)
            return 0; /* nothing to free */
        at += length + 1;
    }
    plumb_targets_free(&columns);
    return 0;
}
