/* msolve.c - reads input files of msolve: the unknowns separated by commas on the first line, the characteristic of the
 * field on the second, then polynomials separated by commas. The characteristic must be 0.
 *
 * A first line of two or more names is an error in every other format. With one unknown, the file is recognised by a
 * second line that is a whole number, if there is a third one and no ';': as polynomials, one per line, the second one
 * would be a constant. */
#include <string.h>

#include "text/system/reader.h"

static bool at_line_end(const text_cursor *c)
{
    return text_peek(c, 0) < 0 || text_peek(c, 0) == '\n';
}

/* Does the rest have a line of one whole number, then more, and no ';'? */
static bool number_and_more_follow(text_cursor c)
{
    text_skip_space(&c);
    const char *number = c.at;
    while (text_is_digit(text_peek(&c, 0)))
        c.at++;
    if (c.at == number)
        return false;
    text_skip_blanks(&c);
    if (text_peek(&c, 0) != '\n')
        return false;
    text_skip_space(&c);
    return c.at < c.end && memchr(c.at, ';', (size_t)(c.end - c.at)) == NULL;
}

bool plumb_msolve_follows(const system_reader *r)
{
    text_cursor c = r->cursor;
    for (int64_t names = 1;; names++) {
        const size_t length = plumb_system_indexed_word(&c);
        if (length == 0)
            return false;
        c.at += length;
        text_skip_blanks(&c);
        if (at_line_end(&c))
            return names > 1 || number_and_more_follow(c);
        if (text_peek(&c, 0) != ',')
            return false;
        c.at++;
        text_skip_blanks(&c);
    }
}

static plumb_status read_unknowns(system_reader *r)
{
    for (;;) {
        const char *name;
        size_t length;
        plumb_status status = plumb_system_declared_name(r, &name, &length);
        if (status != PLUMB_OK)
            return status;
        if (plumb_names_find(&r->names, name, length) >= 0) {
            r->cursor.at = name;
            return plumb_text_expected(&r->cursor, "each unknown once", r->error);
        }
        status = plumb_names_add(&r->names, name, length);
        if (status != PLUMB_OK)
            return plumb_text_error_at(&r->cursor, name, status, r->error, "out of memory");
        text_skip_blanks(&r->cursor);
        if (text_peek(&r->cursor, 0) != ',')
            return PLUMB_OK;
        r->cursor.at++;
    }
}

static plumb_status read_characteristic(system_reader *r)
{
    plumb_system_skip(r);
    const text_cursor start = r->cursor;
    bool zero = true;
    while (text_is_digit(text_peek(&r->cursor, 0)))
        zero = *r->cursor.at++ == '0' && zero;
    if (r->cursor.at == start.at)
        return plumb_text_expected(&start, "the characteristic 0 after a line of unknowns, as in input files of msolve",
                                   r->error);
    text_skip_blanks(&r->cursor);
    if (!at_line_end(&r->cursor))
        return plumb_text_expected(&r->cursor, "the end of the line after the characteristic", r->error);
    return zero ? PLUMB_OK
                : plumb_text_expected(&start, "the characteristic 0: plumb computes with complex numbers", r->error);
}

plumb_status plumb_msolve_read(system_parts *s)
{
    system_reader *r = &s->reader;
    r->undeclared = "an unknown of the first line";
    r->no_imaginary = true;
    plumb_status status = read_unknowns(r);
    if (status == PLUMB_OK)
        status = read_characteristic(r);
    while (status == PLUMB_OK) {
        polynomial *p = plumb_system_add(s);
        if (p == NULL)
            return PLUMB_ERR_MEMORY;
        plumb_system_skip(r);
        status = plumb_system_expression(r, p);
        if (status != PLUMB_OK || text_peek(&r->cursor, 0) < 0)
            return status;
        if (text_peek(&r->cursor, 0) != ',')
            return plumb_system_expected_operator(r, false, "','");
        r->cursor.at++;
    }
    return status;
}
