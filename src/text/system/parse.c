/* parse.c - recognises the format of a system, and reads polynomials with or without a header that counts them.
 *
 * A header is a first line of one or two whole numbers and nothing else. With a header, polynomials end with ';' and
 * their number is known; what follows them is ignored, as PHCpack does. Without a header, polynomials end with ';'
 * if the text has any ';', otherwise at the end of the line. A line that begins with a heading (THE SOLUTIONS :) ends
 * the system, because programs append results to the system they were given. Input files of Bertini and msolve begin
 * with what is an error in every other format: two words without an operator between them, or a comma. Parameters are
 * declared before the polynomials: `parameters a, b, c;`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/system/reader.h"

enum { MOST_PROMISED = 1000000000 };

typedef struct system_header {
    bool found, two_counts;
    int64_t equations;
    const char *at;
} system_header;

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

/* Reads the first line if it is a header; otherwise the cursor does not move. */
static plumb_status read_header(system_reader *r, system_header *header)
{
    plumb_system_skip(r);
    text_cursor start = r->cursor;
    int64_t equations = 0, unknowns = 0;
    r->by_lines = true; /* for the header alone */
    header->found = read_count(&r->cursor, &equations);
    if (header->found) {
        const char *end = r->cursor.at;
        plumb_system_skip_after(r);
        header->two_counts = r->cursor.at > end && read_count(&r->cursor, &unknowns);
        plumb_system_skip_after(r);
        int byte = text_peek(&r->cursor, 0);
        header->found = byte < 0 || byte == '\n';
    }
    r->by_lines = false;
    if (!header->found) {
        r->cursor = start;
        return PLUMB_OK;
    }
    header->at = start.at;
    header->equations = equations;
    r->most_unknowns = header->two_counts ? unknowns : equations;
    r->header_line = plumb_text_line(&start, start.at);
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
static int64_t find_end(system_reader *r, bool *more)
{
    system_reader ahead = *r;
    int64_t semicolons = 0;
    *more = false; /* text after the last ';' */
    while (ahead.cursor.at < ahead.cursor.end) {
        plumb_system_skip(&ahead);
        if (at_heading(&ahead.cursor)) {
            r->cursor.end = ahead.cursor.at;
            break;
        }
        ahead.by_lines = true;
        while (ahead.cursor.at < ahead.cursor.end && *ahead.cursor.at != '\n') {
            *more = *ahead.cursor.at != ';';
            semicolons += !*more;
            ahead.cursor.at++;
            plumb_system_skip_after(&ahead); /* comments may contain anything */
        }
    }
    return semicolons;
}

/* ---- Polynomials ----------------------------------------------------------------------------------------------- */

polynomial *plumb_system_add(system_parts *s)
{
    const text_cursor *c = &s->reader.cursor;
    if (s->count == s->room) {
        int64_t room = 2 * s->room + 16;
        polynomial *larger = realloc(s->polynomials, (size_t)room * sizeof *larger);
        if (larger == NULL) {
            plumb_text_error_at(c, c->at, PLUMB_ERR_MEMORY, s->reader.error, "out of memory");
            return NULL;
        }
        s->polynomials = larger;
        system_divisors *divisors = realloc(s->divisors, (size_t)room * sizeof *divisors);
        if (divisors == NULL) {
            plumb_text_error_at(c, c->at, PLUMB_ERR_MEMORY, s->reader.error, "out of memory");
            return NULL;
        }
        s->divisors = divisors;
        s->room = room;
    }
    s->divisors[s->count] = (system_divisors){.list = NULL};
    s->polynomials[s->count] = (polynomial){.terms = NULL};
    return &s->polynomials[s->count++];
}

/* Reads an equation and checks what ends it, which may be the end of the text unless it must be ';'. */
static plumb_status read_equation(system_parts *s, bool must_end)
{
    system_reader *r = &s->reader;
    polynomial *p = plumb_system_add(s);
    const char *start = r->cursor.at;
    if (p == NULL)
        return PLUMB_ERR_MEMORY;
    quotient q = {.under.list = NULL};
    r->quotients = &s->quotients;
    plumb_status status = plumb_system_equation(r, &q);
    *p = q.top;
    s->divisors[s->count - 1] = q.under;
    if (status != PLUMB_OK)
        return status;
    int byte = text_peek(&r->cursor, 0);
    if (byte == (r->by_lines ? '\n' : ';'))
        r->cursor.at++;
    else if (byte >= 0 || must_end)
        return plumb_system_expected_operator(r, memchr(start, '=', (size_t)(r->cursor.at - start)) == NULL,
                                              r->by_lines ? "the end of the line" : "';'");
    return PLUMB_OK;
}

static plumb_status read_counted(system_parts *s, const system_header *header)
{
    system_reader *r = &s->reader;
    while (s->count < header->equations) {
        plumb_system_skip(r);
        if (r->cursor.at == r->cursor.end || at_heading(&r->cursor))
            return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_PARSE, r->error,
                                       "found %lld polynomial%s, expected %lld as line %lld says", (long long)s->count,
                                       s->count == 1 ? "" : "s", (long long)header->equations,
                                       (long long)r->header_line);
        plumb_status status = read_equation(s, true);
        if (status != PLUMB_OK)
            return status;
    }
    plumb_system_skip(r);
    bool more = false;
    const long long line = (long long)plumb_text_line(&r->cursor, r->cursor.at), counts = (long long)r->header_line;
    const int64_t semicolons = find_end(r, &more), passed = semicolons + (more && semicolons > 0);
    if (semicolons > 0)
        plumb_notes_add(&s->notes, "line %lld: %lld polynomial%s after the %lld that line %lld announces %s ignored",
                        line, (long long)passed, passed == 1 ? "" : "s", (long long)s->count, counts,
                        passed == 1 ? "is" : "are");
    else if (more)
        plumb_notes_add(&s->notes,
                        "line %lld: the text after the %lld polynomial%s that line %lld announces is ignored", line,
                        (long long)s->count, s->count == 1 ? "" : "s", counts);
    return PLUMB_OK;
}

static plumb_status read_uncounted(system_parts *s)
{
    system_reader *r = &s->reader;
    bool more = false;
    r->by_lines = find_end(r, &more) == 0;
    plumb_system_skip(r);
    if (r->cursor.at == r->cursor.end)
        return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_PARSE, r->error,
                                   "found end of text, expected a number of equations or a polynomial");
    while (r->cursor.at < r->cursor.end) {
        int byte = text_peek(&r->cursor, 0);
        if (r->by_lines && (byte == '+' || byte == '='))
            return plumb_text_expected(
                &r->cursor, "one polynomial per line; to continue over several lines, end each with ';'", r->error);
        plumb_status status = read_equation(s, false);
        if (status != PLUMB_OK)
            return status;
        plumb_system_skip(r);
    }
    return PLUMB_OK;
}

/* ---- Unknowns -------------------------------------------------------------------------------------------------- */

static plumb_status check_unknowns(const system_parts *s, const system_header *header)
{
    const system_reader *r = &s->reader;
    int64_t found = r->names.count;
    for (int64_t k = 0; k < s->parameters.count; k++)
        found -= plumb_names_find(&r->names, s->parameters.name[k], strlen(s->parameters.name[k])) >= 0;
    const int64_t expected = r->most_unknowns - s->parameters.count; /* most_unknowns has them, too */
    if (!header->found && found == 0)
        return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_PARSE, r->error,
                                   "found no unknown, expected at least one");
    if (!header->found || found == expected)
        return PLUMB_OK;
    char names[60] = "";
    for (int64_t i = 0; i < r->names.count; i++) {
        size_t used = strlen(names), more = strlen(r->names.name[i]) + 2;
        if (used + more + 4 > sizeof names) {
            snprintf(names + used, sizeof names - used, ", ...");
            break;
        }
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", r->names.name[i]);
    }
    return plumb_text_error_at(
        &r->cursor, header->at, PLUMB_ERR_PARSE, r->error,
        "found %lld unknown%s%s%s%s, expected %lld as this line says; 0*name adds one that never occurs%s",
        (long long)found, found == 1 ? "" : "s", found > 0 ? " (" : "", names, found > 0 ? ")" : "",
        (long long)expected, header->two_counts ? "" : ", a second number here says how many there are");
}

plumb_status plumb_system_declared_name(system_reader *r, const char **at, size_t *length)
{
    plumb_system_skip_after(r);
    *at = r->cursor.at;
    *length = plumb_system_indexed_word(&r->cursor);
    if (*length == 0)
        return plumb_text_expected(&r->cursor, "a name of letters, digits and '_'", r->error);
    if (*length == 1 && (**at == 'i' || **at == 'I'))
        return plumb_text_expected(&r->cursor, "another name, because i and I are the imaginary unit here", r->error);
    r->cursor.at += *length;
    return PLUMB_OK;
}

plumb_status plumb_system_add_parameter(system_parts *s, const char *name, size_t length)
{
    system_reader *r = &s->reader;
    if (plumb_names_find(&s->parameters, name, length) >= 0) {
        r->cursor.at = name;
        return plumb_text_expected(&r->cursor, "a name that was not declared before", r->error);
    }
    return plumb_names_add(&s->parameters, name, length) == PLUMB_OK
               ? PLUMB_OK
               : plumb_text_error_at(&r->cursor, name, PLUMB_ERR_MEMORY, r->error, "out of memory");
}

/* True if the word `parameters` and a name follow: no polynomial begins so. */
static bool parameters_follow(const system_reader *r, size_t *length)
{
    system_reader ahead = *r;
    plumb_system_skip(&ahead);
    *length = plumb_system_word(&ahead.cursor);
    if (*length != strlen("parameters") || memcmp(ahead.cursor.at, "parameters", *length) != 0)
        return false;
    ahead.cursor.at += *length;
    text_skip_blanks(&ahead.cursor);
    return plumb_system_word(&ahead.cursor) > 0;
}

/* Reads declarations of parameters, which end with ';'. */
static plumb_status read_parameters(system_parts *s)
{
    system_reader *r = &s->reader;
    size_t length;
    while (parameters_follow(r, &length)) {
        int byte = ',';
        plumb_system_skip(r);
        for (r->cursor.at += length; byte == ',';) {
            const char *name;
            plumb_system_skip(r);
            plumb_status status = plumb_system_declared_name(r, &name, &length);
            if (status == PLUMB_OK)
                status = plumb_system_add_parameter(s, name, length);
            if (status != PLUMB_OK)
                return status;
            plumb_system_skip(r);
            byte = text_peek(&r->cursor, 0);
            if (byte != ',' && byte != ';')
                return plumb_text_expected(&r->cursor, "',' or ';' after the name of a parameter", r->error);
            r->cursor.at++;
        }
    }
    r->most_unknowns += r->most_unknowns >= 0 ? s->parameters.count : 0;
    return PLUMB_OK;
}

/* x[1][2] becomes x_1_2. Returns the length. */
static size_t remove_brackets(char *name)
{
    char *end = name;
    for (const char *c = name; *c != 0; c++)
        if (*c != ']')
            *end++ = *c == '[' ? '_' : *c;
    *end = 0;
    return (size_t)(end - name);
}

/* Names with indices in brackets become names without. */
static plumb_status rename_indexed(system_parts *s)
{
    system_reader *r = &s->reader;
    system_names given = r->names;
    plumb_status status = PLUMB_OK;
    char word[TEXT_SHORT];
    bool noted = false;
    r->names = (system_names){.name = NULL};
    for (int64_t i = 0; i < given.count && status == PLUMB_OK; i++) {
        char *name = given.name[i];
        const bool indexed = strchr(name, '[') != NULL;
        plumb_text_shorten(name, name + strlen(name), word);
        const size_t length = remove_brackets(name);
        if (indexed && !noted)
            plumb_notes_add(&s->notes, "names with indices are written without brackets: %s is %.40s", word, name);
        noted = noted || indexed;
        if (plumb_names_find(&r->names, name, length) >= 0)
            status = plumb_text_error_at(&r->cursor, r->cursor.begin, PLUMB_ERR_PARSE, r->error,
                                         "found two unknowns that are %s without brackets, expected different names",
                                         plumb_text_shorten(name, name + length, word));
        else if (plumb_names_add(&r->names, name, length) != PLUMB_OK)
            status = plumb_text_error_at(&r->cursor, r->cursor.begin, PLUMB_ERR_MEMORY, r->error, "out of memory");
    }
    plumb_names_clear(&given);
    for (int64_t k = 0; k < s->parameters.count; k++) /* they are among the others */
        remove_brackets(s->parameters.name[k]);
    return status;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static plumb_status read_text(system_parts *s)
{
    system_header header = {.found = false};
    plumb_status status = read_header(&s->reader, &header);
    if (status == PLUMB_OK)
        status = read_parameters(s);
    if (status != PLUMB_OK)
        return status;
    const bool other = !header.found && s->parameters.count == 0; /* another format is possible */
    const bool bertini = other && plumb_bertini_follows(&s->reader);
    if (bertini || (other && plumb_msolve_follows(&s->reader))) {
        s->reader.indexed = true;
        status = bertini ? plumb_bertini_read(s) : plumb_msolve_read(s);
        return status == PLUMB_OK ? rename_indexed(s) : status;
    }
    status = header.found ? read_counted(s, &header) : read_uncounted(s);
    if (status == PLUMB_OK)
        status = check_unknowns(s, &header);
    if (status == PLUMB_OK)
        plumb_system_remark(s);
    return status;
}

static plumb_status read_texts(system_parts *s, const char *const *texts, int64_t count)
{
    system_reader *r = &s->reader;
    plumb_status status = PLUMB_OK;
    int64_t k = 0;
    for (; k < count && status == PLUMB_OK; k++) {
        r->cursor = text_begin(texts[k], strlen(texts[k]));
        status = read_parameters(s);
        plumb_system_skip(r);
        if (status == PLUMB_OK && r->cursor.at == r->cursor.end && s->parameters.count > 0)
            continue; /* it declares parameters, and nothing else */
        do {
            plumb_system_skip(r);
            status = status == PLUMB_OK ? read_equation(s, false) : status;
            plumb_system_skip(r);
        } while (status == PLUMB_OK && r->cursor.at < r->cursor.end);
    }
    if (status == PLUMB_OK)
        status = check_unknowns(s, &(system_header){.found = false});
    if (status != PLUMB_OK)
        r->error->line = k > 0 ? k : 1; /* the number of the text; columns count from the beginning of its line */
    else
        plumb_system_remark(s);
    return status;
}

/* Moves the parameters to the end of the unknowns; those that never occur are added. */
static plumb_status move_parameters(system_parts *s, plumb_system **system)
{
    system_reader *r = &s->reader;
    plumb_system *moved = NULL;
    const plumb_status status =
        plumb_system_move(*system, (const char *const *)s->parameters.name, s->parameters.count, &moved);
    if (status != PLUMB_OK)
        return plumb_text_error_at(&r->cursor, r->cursor.begin, status, r->error, "%s",
                                   status == PLUMB_ERR_ARGUMENT ? plumb_last_message() : plumb_status_text(status));
    plumb_system_destroy(*system);
    *system = moved;
    return PLUMB_OK;
}

/* Makes the system if all could be read, and frees the parts. */
static plumb_status finish(system_parts *s, plumb_status status, plumb_system **system)
{
    system_reader *r = &s->reader;
    for (int64_t k = 0; k < s->parameters.count && status == PLUMB_OK; k++) {
        const char *name = s->parameters.name[k];
        if (plumb_names_find(&r->names, name, strlen(name)) < 0)
            status = plumb_names_add(&r->names, name, strlen(name));
    }
    if (status == PLUMB_OK && s->parameters.count > 0 && s->parameters.count >= r->names.count)
        status = plumb_text_error_at(&r->cursor, r->cursor.begin, PLUMB_ERR_PARSE, r->error,
                                     "found no unknown besides the parameters, expected at least one");
    if (status == PLUMB_OK) {
        status =
            plumb_system_build(s->polynomials, s->count, (const char *const *)r->names.name, r->names.count, system);
        if (status == PLUMB_OK && s->quotients.count > 0)
            status = plumb_system_divide(*system, s->quotients.list, s->quotients.count, s->divisors);
        if (status != PLUMB_OK)
            plumb_text_error_at(&r->cursor, r->cursor.begin, status, r->error, "%s", plumb_status_text(status));
        else if (s->parameters.count > 0)
            status = move_parameters(s, system);
    }
    if (status != PLUMB_OK) {
        plumb_system_destroy(*system);
        *system = NULL;
    }
    if (status == PLUMB_OK) {
        (*system)->notes = s->notes;
        s->notes.count = 0;
    }
    for (int64_t i = 0; i < s->count; i++)
        plumb_poly_clear(&s->polynomials[i]);
    for (int64_t i = 0; i < s->count; i++)
        free(s->divisors[i].list);
    free(s->polynomials);
    free(s->divisors);
    plumb_quotient_table_clear(&s->quotients);
    plumb_names_clear(&r->names);
    plumb_names_clear(&s->parameters);
    plumb_names_clear(&r->decimal_endings);
    plumb_notes_clear(&s->notes);
    return status;
}

static plumb_status parse(const char *text, size_t length, plumb_system **system, plumb_text_error *error)
{
    static const char empty[1];
    bool valid = system != NULL && (text != NULL || length == 0);
    if (text == NULL)
        text = empty;
    system_parts s = {.reader = {.cursor = text_begin(text, valid ? length : 0),
                                 .error = error,
                                 .work.left = POLY_MOST_WORK + (int64_t)length,
                                 .most_unknowns = -1}};
    if (!valid)
        return plumb_text_error_at(&s.reader.cursor, text, PLUMB_ERR_ARGUMENT, error, "%s",
                                   plumb_status_text(PLUMB_ERR_ARGUMENT));
    *system = NULL;
    return finish(&s, read_text(&s), system);
}

plumb_status plumb_system_parse(const char *text, size_t length, plumb_system **system, plumb_text_error *error)
{
    plumb_text_error mine = {0};
    if (error == NULL)
        error = &mine;
    return plumb_text_tell(parse(text, length, system, error), error);
}

static plumb_status parse_equations(const char *const *texts, int64_t count, plumb_system **system,
                                    plumb_text_error *error)
{
    bool valid = system != NULL && texts != NULL && count > 0;
    for (int64_t k = 0; k < count && valid; k++)
        valid = texts[k] != NULL;
    system_parts s = {.reader = {.error = error, .work.left = POLY_MOST_WORK, .most_unknowns = -1}};
    if (!valid) {
        *error = (plumb_text_error){.line = 1, .column = 1};
        snprintf(error->message, sizeof error->message, "%s", plumb_status_text(PLUMB_ERR_ARGUMENT));
        return PLUMB_ERR_ARGUMENT;
    }
    *system = NULL;
    for (int64_t k = 0; k < count; k++)
        s.reader.work.left += (int64_t)strlen(texts[k]);
    return finish(&s, read_texts(&s, texts, count), system);
}

plumb_status plumb_system_parse_equations(const char *const *texts, int64_t count, plumb_system **system,
                                          plumb_text_error *error)
{
    plumb_text_error mine = {0};
    if (error == NULL)
        error = &mine;
    return plumb_text_tell(parse_equations(texts, count, system, error), error);
}
