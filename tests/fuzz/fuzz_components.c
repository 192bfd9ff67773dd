/* fuzz_components.c - any bytes at all through plumb_components_read, and back.
 *
 *     tests/fuzz/run components 60
 *
 * What was read is written to a text that reads back to the same text; an error has its place inside the bytes and one line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/components.h"

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

/* NULL for limbs that no decimal reads back to. */
static char *write_text(const plumb_components *c)
{
    size_t size = 0;
    if (plumb_components_write(c, NULL, 0, &size) != PLUMB_ERR_BUFFER)
        return NULL;
    char *text = malloc(size);
    CHECK(text && plumb_components_write(c, text, size, NULL) == PLUMB_OK);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    plumb_components *c = NULL, *again = NULL;
    plumb_text_error error;
    const plumb_status status = plumb_components_read((const char *)data, size, &c, &error);
    CHECK((status == PLUMB_OK) == (c != NULL));
    if (status != PLUMB_OK) {
        CHECK(error.line >= 1 && error.column >= 1 && error.column <= (int64_t)size + 1 && strlen(error.message) > 0);
        CHECK(plumb_components_read((const char *)data, size, &c, NULL) == status && !c);
        return 0;
    }
    for (int64_t k = 0; k < plumb_components_count(c); k++) {
        plumb_component info;
        CHECK(plumb_components_get(c, k, &info) == PLUMB_OK);
        CHECK(plumb_solutions_count(plumb_components_points(c, k)) == info.degree);
    }
    char *text = write_text(c);
    if (text) {
        CHECK(plumb_components_read(text, strlen(text), &again, NULL) == PLUMB_OK);
        char *second = write_text(again);
        CHECK(second && strcmp(text, second) == 0);
        free(second);
    }
    free(text);
    plumb_components_destroy(again);
    plumb_components_destroy(c);
    return 0;
}
