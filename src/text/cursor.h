/* cursor.h - a position in a text, and error messages with line, column and what was found.
 *
 * Every reader of text works on the bytes between begin and end, which need no terminating 0 and may contain one. A
 * cursor only moves forward. Lines and columns are counted only when an error occurs, so that they cost nothing while
 * reading. */
#ifndef PLUMB_TEXT_CURSOR_H
#define PLUMB_TEXT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "plumb.h"

typedef struct text_cursor {
    const char *begin, *at, *end; /* begin is line 1, column 1 */
} text_cursor;

/* The beginning of a text. The byte order mark that some editors write before UTF-8 is not part of it. */
static inline text_cursor text_begin(const char *text, size_t length)
{
    static const char mark[] = "\xef\xbb\xbf";
    const size_t skipped = length >= sizeof mark - 1 && memcmp(text, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0;
    return (text_cursor){.begin = text + skipped, .at = text + skipped, .end = text + length};
}

enum { TEXT_SHORT = 36 }; /* room for the printable form of a token */

/* The byte `ahead` bytes after the cursor, or -1 beyond the end. */
static inline int text_peek(const text_cursor *c, size_t ahead)
{
    return ahead < (size_t)(c->end - c->at) ? (unsigned char)c->at[ahead] : -1;
}

static inline bool text_is_digit(int byte)
{
    return byte >= '0' && byte <= '9';
}

static inline bool text_is_space(int byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* True for the characters of names: ASCII letters, digits and _, independently of the locale. */
static inline bool text_is_name(int byte)
{
    return text_is_digit(byte) || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static inline void text_skip_space(text_cursor *c)
{
    while (c->at < c->end && text_is_space((unsigned char)*c->at))
        c->at++;
}

/* Skips white space within a line. */
static inline void text_skip_blanks(text_cursor *c)
{
    while (text_peek(c, 0) != '\n' && text_is_space(text_peek(c, 0)))
        c->at++;
}

/* Moves to the end of the line, before the line break. */
static inline void text_skip_line(text_cursor *c)
{
    const char *end = memchr(c->at, '\n', (size_t)(c->end - c->at));
    c->at = end != NULL ? end : c->end;
}

/* The number of the line that `where` is on, from 1. */
int64_t plumb_text_line(const text_cursor *c, const char *where);

/* Writes the bytes from start to end in printable form; a long text is abbreviated in the middle. Returns out. */
char *plumb_text_shorten(const char *start, const char *end, char out[TEXT_SHORT]);

/* Fills error (unless it is NULL) with the line and column of `where` and a printf-style message. Returns status. */
plumb_status plumb_text_error_at(const text_cursor *c, const char *where, plumb_status status, plumb_text_error *error,
                                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The end of a public call that reads text: makes the error the line that plumb_last_message returns. Returns status. */
plumb_status plumb_text_tell(plumb_status status, const plumb_text_error *error);

/* Makes the error "found <text at the cursor>, expected <expected>". Returns PLUMB_ERR_PARSE. */
plumb_status plumb_text_expected(const text_cursor *c, const char *expected, plumb_text_error *error);

#endif
