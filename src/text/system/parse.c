/* parse.c - reads the polynomials of a system, with or without a header that counts them.
 *
 * A header is a first line of one or two whole numbers and nothing else. With a header, polynomials end with ';' and
 * their number is known; nothing may follow except text that begins with a heading (THE SOLUTIONS :), because
 * programs append results to the system they were given. Without a header, polynomials end with ';' if the text has
 * any ';', otherwise at the end of the line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/system/reader.h"

enum { MOST_PROMISED = 1000000000 };

typedef struct system_parts {
    system_reader reader;
    polynomial *polynomials;
    int64_t count, room;
    bool has_header;
    int64_t equations; /* as given in the header */
    const char *counts_at;
    bool two_counts;
} system_parts;

/* ---- The kind of text ----------------------------------------------------------------------------------------- */

/* Reads a whole number at the cursor, clamped to just above MOST_PROMISED. Returns false if there is none. */
static bool read_count(text_cursor *c, int64_t *value)
{
    if (!text_is_digit(text_peek(c, 0)))
        return false;
    for (*value = 0; text_is_digit(text_peek(c, 0)); c->at++)
        if (*value <= MOST_PROMISED)
            *value = 10 * *value + (*c->at - '0');
    return true;
}

static int64_t line_of(const text_cursor *c, const char *where)
{
    int64_t line = 1;
    for (const char *s = c->begin; s < where; s++)
        line += *s == '\n';
    return line;
}

/* Reads the first line if it is a header; otherwise the cursor does not move. */
static plumb_status read_header(system_parts *s)
{
    system_reader *r = &s->reader;
    plumb_system_skip(r);
    text_cursor start = r->cursor;
    int64_t equations = 0, unknowns = 0;
    r->by_lines = true; /* for the header alone */
    bool header = read_count(&r->cursor, &equations);
    if (header) {
        const char *end = r->cursor.at;
        plumb_system_skip_after(r);
        s->two_counts = r->cursor.at > end && read_count(&r->cursor, &unknowns);
        plumb_system_skip_after(r);
        int byte = text_peek(&r->cursor, 0);
        header = byte < 0 || byte == '\n';
    }
    r->by_lines = false;
    if (!header) {
        r->cursor = start;
        return PLUMB_OK;
    }
    s->has_header = true;
    s->counts_at = start.at;
    s->equations = equations;
    r->most_unknowns = s->two_counts ? unknowns : equations;
    r->header_line = line_of(&start, start.at);
    if (equations < 1 || equations > MOST_PROMISED || r->most_unknowns < 1 || r->most_unknowns > MOST_PROMISED)
        return plumb_text_expected(&start, "numbers of equations and unknowns from 1 to 10^9", r->error);
    return PLUMB_OK;
}

/* True if a heading follows: at least four capital letters and spaces, then a colon. */
static bool at_heading(const text_cursor *c)
{
    size_t n = 0;
    while ((text_peek(c, n) >= 'A' && text_peek(c, n) <= 'Z') || text_peek(c, n) == ' ')
        n++;
    return n >= 4 && text_peek(c, n) == ':';
}

/* The system ends where a line begins with a heading. Returns the number of ';' before it. */
static int64_t find_end(system_reader *r)
{
    system_reader ahead = *r;
    int64_t semicolons = 0;
    while (ahead.cursor.at < ahead.cursor.end) {
        plumb_system_skip(&ahead);
        if (at_heading(&ahead.cursor)) {
            r->cursor.end = ahead.cursor.at;
            break;
        }
        ahead.by_lines = true;
        while (ahead.cursor.at < ahead.cursor.end && *ahead.cursor.at != '\n') {
            semicolons += *ahead.cursor.at == ';';
            ahead.cursor.at++;
            plumb_system_skip_after(&ahead); /* comments may contain anything */
        }
    }
    return semicolons;
}

/* ---- Polynomials ----------------------------------------------------------------------------------------------- */

static plumb_status add_polynomial(system_parts *s)
{
    system_reader *r = &s->reader;
    if (s->count == s->room) {
        int64_t room = 2 * s->room + 16;
        polynomial *larger = realloc(s->polynomials, (size_t)room * sizeof *larger);
        if (larger == NULL)
            return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_MEMORY, r->error, "out of memory");
        s->polynomials = larger;
        s->room = room;
    }
    s->polynomials[s->count] = (polynomial){.terms = NULL};
    return plumb_system_expression(r, &s->polynomials[s->count++]);
}

static plumb_status read_counted(system_parts *s)
{
    system_reader *r = &s->reader;
    while (s->count < s->equations) {
        plumb_system_skip(r);
        if (r->cursor.at == r->cursor.end || at_heading(&r->cursor))
            return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_PARSE, r->error,
                                       "found %lld polynomial%s, expected %lld as line %lld says", (long long)s->count,
                                       s->count == 1 ? "" : "s", (long long)s->equations, (long long)r->header_line);
        plumb_status status = add_polynomial(s);
        if (status != PLUMB_OK)
            return status;
        if (text_peek(&r->cursor, 0) != ';')
            return plumb_text_expected(&r->cursor, "'+', '-', '*', '/', '^' or ';'", r->error);
        r->cursor.at++;
    }
    plumb_system_skip(r);
    if (r->cursor.at == r->cursor.end || at_heading(&r->cursor))
        return PLUMB_OK;
    int64_t semicolons = find_end(r), found = s->count + (semicolons > 0 ? semicolons : 1);
    return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_PARSE, r->error,
                               "found %lld polynomials, expected %lld as line %lld says", (long long)found,
                               (long long)s->equations, (long long)r->header_line);
}

/* Checks the end of a polynomial in a text without a header. */
static plumb_status end_polynomial(system_reader *r)
{
    int byte = text_peek(&r->cursor, 0);
    if (byte < 0)
        return PLUMB_OK;
    if (byte != (r->by_lines ? '\n' : ';'))
        return plumb_text_expected(&r->cursor,
                                   r->by_lines ? "'+', '-', '*', '/', '^' or the end of the line"
                                               : "'+', '-', '*', '/', '^' or ';'",
                                   r->error);
    r->cursor.at++;
    return PLUMB_OK;
}

static plumb_status read_uncounted(system_parts *s)
{
    system_reader *r = &s->reader;
    r->by_lines = find_end(r) == 0;
    plumb_system_skip(r);
    if (r->cursor.at == r->cursor.end)
        return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_PARSE, r->error,
                                   "found end of text, expected a number of equations or a polynomial");
    while (r->cursor.at < r->cursor.end) {
        if (r->by_lines && text_peek(&r->cursor, 0) == '+')
            return plumb_text_expected(&r->cursor, "a polynomial a line; to go on over lines, end each with ';'",
                                       r->error);
        plumb_status status = add_polynomial(s);
        if (status == PLUMB_OK)
            status = end_polynomial(r);
        if (status != PLUMB_OK)
            return status;
        plumb_system_skip(r);
    }
    return PLUMB_OK;
}

/* ---- Unknowns -------------------------------------------------------------------------------------------------- */

static plumb_status check_unknowns(const system_parts *s)
{
    const system_reader *r = &s->reader;
    int64_t found = r->names.count;
    if (!s->has_header && found == 0)
        return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_PARSE, r->error,
                                   "found no unknown, expected at least one");
    if (!s->has_header || found == r->most_unknowns)
        return PLUMB_OK;
    char names[60] = "";
    for (int64_t i = 0; i < found; i++) {
        size_t used = strlen(names), more = strlen(r->names.name[i]) + 2;
        if (used + more + 4 > sizeof names) {
            snprintf(names + used, sizeof names - used, ", ...");
            break;
        }
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", r->names.name[i]);
    }
    return plumb_text_error_at(
        &r->cursor, s->counts_at, PLUMB_ERR_PARSE, r->error,
        "found %lld unknown%s%s%s%s, expected %lld as this line says; 0*name adds one that never occurs%s",
        (long long)found, found == 1 ? "" : "s", found > 0 ? " (" : "", names, found > 0 ? ")" : "",
        (long long)r->most_unknowns, s->two_counts ? "" : ", a second number here says how many there are");
}

static plumb_status parse(const char *text, size_t length, plumb_system **system, plumb_text_error *error)
{
    static const char empty[1];
    bool valid = system != NULL && (text != NULL || length == 0);
    if (text == NULL)
        text = empty;
    system_parts s = {.reader = {.cursor = {.begin = text, .at = text, .end = text + (valid ? length : 0)},
                                 .error = error,
                                 .most_unknowns = -1}};
    if (!valid)
        return plumb_text_error_at(&s.reader.cursor, text, PLUMB_ERR_ARGUMENT, error, "%s",
                                   plumb_status_text(PLUMB_ERR_ARGUMENT));
    *system = NULL;
    s.reader.work.left = POLY_MOST_WORK + (int64_t)length;
    plumb_status status = read_header(&s);
    if (status == PLUMB_OK)
        status = s.has_header ? read_counted(&s) : read_uncounted(&s);
    if (status == PLUMB_OK)
        status = check_unknowns(&s);
    if (status == PLUMB_OK) {
        status = plumb_system_build(s.polynomials, s.count, (const char *const *)s.reader.names.name,
                                    s.reader.names.count, system);
        if (status != PLUMB_OK)
            plumb_text_error_at(&s.reader.cursor, text, status, error, "%s", plumb_status_text(status));
    }
    for (int64_t i = 0; i < s.count; i++)
        plumb_poly_clear(&s.polynomials[i]);
    free(s.polynomials);
    plumb_names_clear(&s.reader.names);
    return status;
}

plumb_status plumb_system_parse(const char *text, size_t length, plumb_system **system, plumb_text_error *error)
{
    plumb_text_error mine = {0};
    if (error == NULL)
        error = &mine;
    return plumb_text_tell(parse(text, length, system, error), error);
}
