/* fuzz_json.c - any bytes at all through json_read, and back through the writer.
 *
 *     tests/fuzz/run json 60
 *
 * What is read must read back to the same tree when it is written, in both layouts; an error must have its place inside
 * the bytes and the same status when nobody asks for it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/json/json.h"
#include "text/json/read.h"

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

static void write_node(json_writer *w, const json_node *node)
{
    switch (node->kind) {
    case JSON_NULL:
        json_string(w, node->key, NULL);
        break;
    case JSON_BOOL:
        json_bool(w, node->key, node->number != 0);
        break;
    case JSON_NUMBER:
        json_double(w, node->key, node->number);
        break;
    case JSON_STRING:
        json_string(w, node->key, node->string);
        break;
    default:
        (node->kind == JSON_OBJECT ? json_open_object : json_open_array)(w, node->key);
        for (const json_node *n = node->child; n != NULL; n = n->next)
            write_node(w, n);
        (node->kind == JSON_OBJECT ? json_close_object : json_close_array)(w);
    }
}

static json_node *there_and_back(const json_node *node, bool line)
{
    char *text = NULL;
    size_t length = 0;
    json_node *back = NULL;
    FILE *file = open_memstream(&text, &length);
    CHECK(file != NULL);
    json_writer w = line ? json_begin_line(file) : json_begin(file);
    write_node(&w, node);
    json_end(&w);
    CHECK(fclose(file) == 0);
    CHECK(!line || memchr(text, '\n', length) == text + length - 1);
    for (size_t i = 0; i + 1 < length; i++) /* only line breaks of the layout */
        CHECK((unsigned char)text[i] >= 0x20 || (!line && text[i] == '\n'));
    plumb_status status = json_read(text, length, &back, NULL);
    CHECK(status == PLUMB_OK || status == PLUMB_ERR_PARSE); /* bytes that are no UTF-8 can make two keys equal */
    free(text);
    return back;
}

static void check_same(const json_node *a, const json_node *b)
{
    for (; a != NULL && b != NULL; a = a->next, b = b->next) {
        CHECK(a->kind == b->kind && (a->key == NULL) == (b->key == NULL) && (a->string == NULL) == (b->string == NULL));
        CHECK(a->key == NULL || strcmp(a->key, b->key) == 0);
        CHECK(a->string == NULL || strcmp(a->string, b->string) == 0);
        CHECK(memcmp(&a->number, &b->number, sizeof a->number) == 0);
        check_same(a->child, b->child);
    }
    CHECK(a == NULL && b == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_node *node = NULL, *ignored = NULL;
    plumb_text_error error = {.line = 0};
    plumb_status status = json_read((const char *)data, size, &node, &error);
    if (status != PLUMB_OK) {
        CHECK(node == NULL && error.line >= 1 && error.column >= 1 && error.column <= (int64_t)size + 1);
        CHECK(error.line <= (int64_t)size + 1 && strlen(error.message) > 0);
        CHECK(json_read((const char *)data, size, &ignored, NULL) == status);
        return 0;
    }
    /* The first writing replaces bytes that are no UTF-8; the second must keep everything. */
    json_node *once = there_and_back(node, false);
    json_node *twice = once != NULL ? there_and_back(once, true) : NULL;
    CHECK(once == NULL || twice != NULL);
    if (once != NULL)
        check_same(once, twice);
    json_free(node);
    json_free(once);
    json_free(twice);
    return 0;
}
