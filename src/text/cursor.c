/* cursor.c - error messages with line, column and what was found. */
#include "text/cursor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/call/message.h"

static char printable(char byte)
{
    return text_is_space((unsigned char)byte) ? ' ' : byte < 0x20 || byte >= 0x7f ? '?' : byte;
}

char *plumb_text_shorten(const char *start, const char *end, char out[TEXT_SHORT])
{
    size_t length = (size_t)(end - start), head = length, tail = 0;
    if (length > TEXT_SHORT - 1) {
        head = TEXT_SHORT / 2;
        tail = TEXT_SHORT - 1 - 3 - head;
    }
    char *o = out;
    for (size_t i = 0; i < head; i++)
        *o++ = printable(start[i]);
    if (tail > 0) {
        memcpy(o, "...", 3);
        o += 3;
        for (size_t i = 0; i < tail; i++)
            *o++ = printable(start[length - tail + i]);
    }
    *o = 0;
    return out;
}

plumb_status plumb_text_error_at(const text_cursor *c, const char *where, plumb_status status, plumb_text_error *error,
                                 const char *format, ...)
{
    if (error == NULL)
        return status;
    error->line = 1;
    const char *line_start = c->begin;
    for (const char *s = c->begin; s < where; s++) {
        if (*s == '\n') {
            error->line++;
            line_start = s + 1;
        }
    }
    error->column = where - line_start + 1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

int64_t plumb_text_line(const text_cursor *c, const char *where)
{
    int64_t line = 1;
    for (const char *s = c->begin; s < where; s++)
        line += *s == '\n';
    return line;
}

plumb_status plumb_text_tell(plumb_status status, const plumb_text_error *error)
{
    if (status == PLUMB_OK || error->line < 1)
        return plumb_call_end(status);
    return plumb_say(status, NULL, 0, "line %lld, column %lld: %s", (long long)error->line, (long long)error->column,
                     error->message);
}

plumb_status plumb_text_expected(const text_cursor *c, const char *expected, plumb_text_error *error)
{
    int byte = text_peek(c, 0);
    char found[TEXT_SHORT + 10], word[TEXT_SHORT];
    if (byte < 0) {
        snprintf(found, sizeof found, "end of text");
    } else if (byte == '\n' || byte == '\r') {
        snprintf(found, sizeof found, "end of line");
    } else if (byte == ' ' || byte == '\t') {
        snprintf(found, sizeof found, "a space");
    } else if (byte < 0x20 || byte >= 0x7f) {
        snprintf(found, sizeof found, "byte 0x%02x", (unsigned)byte);
    } else { /* a whole word, or a single sign */
        const char *stop = c->at;
        while (stop < c->end && text_is_name((unsigned char)*stop))
            stop++;
        snprintf(found, sizeof found, "'%s'", plumb_text_shorten(c->at, stop == c->at ? stop + 1 : stop, word));
    }
    return plumb_text_error_at(c, c->at, PLUMB_ERR_PARSE, error, "found %s, expected %s", found, expected);
}
