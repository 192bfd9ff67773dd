/* read.c - reads JSON by recursive descent, with one function per rule of the grammar.
 *
 * A node is linked into the tree before its contents are read, so that one json_free of the root cleans up after any
 * failure. */
#include "text/json/read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/cursor.h"

typedef struct reader {
    text_cursor cursor;
    plumb_text_error *error;
    int depth;
} reader;

static plumb_status read_value(reader *r, json_node *node);

static plumb_status expected(const reader *r, const char *what)
{
    return plumb_text_expected(&r->cursor, what, r->error);
}

static plumb_status no_memory(const reader *r)
{
    return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_MEMORY, r->error, "out of memory");
}

static void skip_space(reader *r)
{
    for (int c = text_peek(&r->cursor, 0); c == ' ' || c == '\t' || c == '\n' || c == '\r';
         c = text_peek(&r->cursor, 0))
        r->cursor.at++;
}

static bool take(reader *r, int byte)
{
    bool there = text_peek(&r->cursor, 0) == byte;
    r->cursor.at += there;
    return there;
}

/* ---- Strings ------------------------------------------------------------------------------------------------- */

static bool read_hex4(reader *r, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        int c = text_peek(&r->cursor, 0);
        int digit = text_is_digit(c)       ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return false;
        *code = 16 * *code + (uint32_t)digit;
        r->cursor.at++;
    }
    return true;
}

static char *put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    *out++ = (char)(lead[tail] | (code >> (6 * tail)));
    while (tail-- > 0)
        *out++ = (char)(0x80 | ((code >> (6 * tail)) & 0x3f));
    return out;
}

/* Reads the digits after \u. A high surrogate must be followed by a low one; U+0000 is refused because it would end
 * the C string. */
static plumb_status read_unicode(reader *r, char **out)
{
    uint32_t code, low;
    if (!read_hex4(r, &code))
        return expected(r, "four hexadecimal digits after \\u");
    if (code >= 0xd800 && code < 0xdc00) {
        if (!take(r, '\\') || !take(r, 'u') || !read_hex4(r, &low) || low < 0xdc00 || low > 0xdfff)
            return expected(r, "the second half of a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code == 0 || (code >= 0xdc00 && code < 0xe000)) {
        return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_PARSE, r->error,
                                   "\\u%04x stands for no character here", (unsigned)code);
    }
    *out = put_utf8(*out, code);
    return PLUMB_OK;
}

static plumb_status read_escape(reader *r, char **out)
{
    static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    int c = text_peek(&r->cursor, 0);
    const char *found = c > 0 ? strchr(letters, c) : NULL;
    if (found != NULL) {
        r->cursor.at++;
        *(*out)++ = bytes[found - letters];
        return PLUMB_OK;
    }
    if (take(r, 'u'))
        return read_unicode(r, out);
    return expected(r, "one of \" \\ / b f n r t u after a backslash");
}

static plumb_status read_string(reader *r, char **string)
{
    if (!take(r, '"'))
        return expected(r, "a string");
    size_t room = 0; /* a decoded string is never longer than its source */
    while (text_peek(&r->cursor, room) >= 0 && (text_peek(&r->cursor, room) != '"'))
        room += text_peek(&r->cursor, room) == '\\' ? 2 : 1;
    char *out = *string = malloc(room + 1);
    if (out == NULL)
        return no_memory(r);
    while (!take(r, '"')) {
        int c = text_peek(&r->cursor, 0);
        plumb_status status = PLUMB_OK;
        if (c < 0x20)
            status = expected(r, "a character or the \" that ends the string");
        else if (take(r, '\\'))
            status = read_escape(r, &out);
        else
            *out++ = *r->cursor.at++;
        if (status != PLUMB_OK) {
            *out = 0;
            return status;
        }
    }
    *out = 0;
    return PLUMB_OK;
}

/* ---- Numbers and words --------------------------------------------------------------------------------------- */

static bool skip_digits(reader *r)
{
    const char *start = r->cursor.at;
    while (text_is_digit(text_peek(&r->cursor, 0)))
        r->cursor.at++;
    return r->cursor.at > start;
}

static plumb_status read_number(reader *r, double *number)
{
    const char *start = r->cursor.at;
    take(r, '-');
    if (!take(r, '0') && !skip_digits(r))
        return expected(r, "a digit");
    if (take(r, '.') && !skip_digits(r))
        return expected(r, "a digit after the decimal point");
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '+'))
            take(r, '-');
        if (!skip_digits(r))
            return expected(r, "a digit of the exponent");
    }
    plumb_status status = plumb_number_read(start, (size_t)(r->cursor.at - start), PLUMB_D, number, NULL, NULL);
    if (status != PLUMB_OK)
        return plumb_text_error_at(&r->cursor, start, status, r->error, "%s", plumb_status_text(status));
    return PLUMB_OK;
}

static bool take_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(r->cursor.end - r->cursor.at) < length || memcmp(r->cursor.at, word, length) != 0)
        return false;
    r->cursor.at += length;
    return true;
}

/* ---- Containers ---------------------------------------------------------------------------------------------- */

static plumb_status read_member_key(reader *r, const json_node *object, json_node *member)
{
    const char *where = r->cursor.at;
    plumb_status status = read_string(r, &member->key);
    if (status != PLUMB_OK)
        return status;
    const json_node *first = json_member(object, member->key);
    if (first != member)
        return plumb_text_error_at(&r->cursor, where, PLUMB_ERR_PARSE, r->error, "the key \"%.60s\" comes twice",
                                   member->key);
    skip_space(r);
    return take(r, ':') ? PLUMB_OK : expected(r, "':' after a key");
}

static plumb_status read_container(reader *r, json_node *node, int close)
{
    json_node **link = &node->child;
    if (++r->depth > JSON_DEPTH)
        return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_PARSE, r->error, "nested more than %d deep",
                                   JSON_DEPTH);
    skip_space(r);
    bool ended = take(r, close);
    while (!ended) {
        plumb_status status = PLUMB_OK;
        json_node *member = *link = calloc(1, sizeof *member);
        if (member == NULL)
            return no_memory(r);
        link = &member->next;
        skip_space(r);
        if (node->kind == JSON_OBJECT)
            status = read_member_key(r, node, member);
        if (status == PLUMB_OK)
            status = read_value(r, member);
        if (status != PLUMB_OK)
            return status;
        skip_space(r);
        ended = take(r, close);
        if (!ended && !take(r, ','))
            return expected(r, node->kind == JSON_OBJECT ? "',' or '}'" : "',' or ']'");
    }
    r->depth--;
    return PLUMB_OK;
}

static plumb_status read_value(reader *r, json_node *node)
{
    skip_space(r);
    int c = text_peek(&r->cursor, 0);
    if (c == '"') {
        node->kind = JSON_STRING;
        return read_string(r, &node->string);
    }
    if (c == '-' || text_is_digit(c)) {
        node->kind = JSON_NUMBER;
        return read_number(r, &node->number);
    }
    if (take(r, '{')) {
        node->kind = JSON_OBJECT;
        return read_container(r, node, '}');
    }
    if (take(r, '[')) {
        node->kind = JSON_ARRAY;
        return read_container(r, node, ']');
    }
    if (take_word(r, "true") || take_word(r, "false")) {
        node->kind = JSON_BOOL;
        node->number = c == 't';
        return PLUMB_OK;
    }
    return take_word(r, "null") ? PLUMB_OK : expected(r, "a JSON value");
}

plumb_status json_read(const char *text, size_t length, json_node **root, plumb_text_error *error)
{
    reader r = {.cursor = text_begin(text, length), .error = error, .depth = 0};
    *root = NULL;
    json_node *node = calloc(1, sizeof *node);
    if (node == NULL)
        return no_memory(&r);
    plumb_status status = read_value(&r, node);
    if (status == PLUMB_OK) {
        skip_space(&r);
        if (r.cursor.at != r.cursor.end)
            status = expected(&r, "the end");
    }
    if (status == PLUMB_OK)
        *root = node;
    else
        json_free(node);
    return status;
}

void json_free(json_node *node)
{
    while (node != NULL) { /* only the depth is recursive, and JSON_DEPTH bounds it */
        json_node *next = node->next;
        json_free(node->child);
        free(node->key);
        free(node->string);
        free(node);
        node = next;
    }
}

/* ---- Look-up ------------------------------------------------------------------------------------------------- */

const json_node *json_member(const json_node *node, const char *key)
{
    if (node == NULL || node->kind != JSON_OBJECT)
        return NULL;
    for (const json_node *m = node->child; m != NULL; m = m->next)
        if (m->key != NULL && strcmp(m->key, key) == 0)
            return m;
    return NULL;
}

double json_member_number(const json_node *node, const char *key, double otherwise)
{
    const json_node *m = json_member(node, key);
    return m != NULL && m->kind == JSON_NUMBER ? m->number : otherwise;
}

const char *json_member_string(const json_node *node, const char *key, const char *otherwise)
{
    const json_node *m = json_member(node, key);
    return m != NULL && m->kind == JSON_STRING ? m->string : otherwise;
}
