/* cursor.h - a place in a text, and errors that say where and what.
 *
 * Every reader of text works on bytes between begin and end, which need no final 0 and may hold one. A cursor only
 * moves forward. Lines and columns are counted when an error is made, not on the way: reading does not pay for them. */
#ifndef PLUMB_TEXT_CURSOR_H
#define PLUMB_TEXT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

#include "plumb.h"

typedef struct text_cursor {
    const char *begin, *at, *end; /* begin is line 1, column 1 */
} text_cursor;

enum { TEXT_SHORT = 36 }; /* room for the printable form of a token */

/* The byte at the cursor plus ahead, or -1 past the end. */
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

/* Letters, digits and _: what a name is made of, in ASCII whatever the locale. */
static inline bool text_is_name(int byte)
{
    return text_is_digit(byte) || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static inline void text_skip_space(text_cursor *c)
{
    while (c->at < c->end && text_is_space((unsigned char)*c->at))
        c->at++;
}

/* The bytes from start to end in printable form, the middle left out when there are many. Returns out. */
char *plumb_text_shorten(const char *start, const char *end, char out[TEXT_SHORT]);

/* Fills error (when not NULL) with line and column of where and the printf-like message. Returns status. */
plumb_status plumb_text_error_at(const text_cursor *c, const char *where, plumb_status status, plumb_text_error *error,
                                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* "found <what stands at the cursor>, expected <expected>". Returns PLUMB_ERR_PARSE. */
plumb_status plumb_text_expected(const text_cursor *c, const char *expected, plumb_text_error *error);

#endif
