/* table.c - matrices as tables of numbers: one row per line, fields between commas, semicolons or white space.
 *
 * The first line of numbers decides what separates fields: a comma if it has one, else a semicolon, else white space.
 * Blank lines and lines whose first character is '#' are ignored. A first line in which no field is a number is a
 * header. Fields may stand in double quotes. A field is a number as in docs/numbers.md; "1+2i" or "(1 + 2*i)" anywhere
 * makes the matrix complex (white space ends a field in tables without commas and semicolons).
 *
 * Two passes: the first one finds the shape and whether there are complex numbers, the second one reads. No memory is
 * taken before the number of fields is known, so it stays within a multiple of the length of the text. */
#include <string.h>

#include "base/call/message.h"
#include "text/matrix/parts.h"
#include "text/matrix/value.h"
#include "text/number/write.h"

typedef struct table_reader {
    text_cursor c;
    int separator; /* ',', ';' or ' ' */
    int64_t rows, cols, first_line;
    const char *body; /* after the header */
    bool complex_numbers, exact;
    value_powers powers;
    plumb_text_error *error;
} table_reader;

static bool is_blank(int byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\v' || byte == '\f';
}

static const char *line_end(const text_cursor *c)
{
    const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
    return newline != NULL ? newline : c->end;
}

static void skip_blanks(text_cursor *c, const char *end)
{
    while (c->at < end && is_blank((unsigned char)*c->at))
        c->at++;
}

/* Goes to the first field of the next line that has one; false at the end of the text. */
static bool next_line(text_cursor *c)
{
    while (c->at < c->end) {
        const char *end = line_end(c);
        skip_blanks(c, end);
        if (c->at < end && *c->at != '#')
            return true;
        c->at = end < c->end ? end + 1 : end;
    }
    return false;
}

/* Takes the next field of the line off the cursor: what stands in *field, without quotes and blanks around it. more: a
 * separator follows, so there is another field. */
static plumb_status take_field(table_reader *r, const char *end, text_cursor *field, bool *more)
{
    text_cursor *c = &r->c;
    skip_blanks(c, end);
    *field = *c;
    if (c->at < end && *c->at == '"') {
        const char *quote = memchr(c->at + 1, '"', (size_t)(end - c->at - 1));
        if (quote == NULL)
            return plumb_text_error_at(c, c->at, PLUMB_ERR_PARSE, r->error,
                                       "found a quote without an end, expected another one on the line");
        field->at = c->at + 1;
        field->end = quote;
        c->at = quote + 1;
    } else {
        const char *stop = c->at;
        while (stop < end && (r->separator == ' ' ? !is_blank((unsigned char)*stop) : *stop != r->separator))
            stop++;
        field->end = c->at = stop;
    }
    while (field->end > field->at && is_blank((unsigned char)field->end[-1]))
        field->end--;
    while (field->at < field->end && is_blank((unsigned char)*field->at))
        field->at++;
    skip_blanks(c, end);
    if (r->separator == ' ') {
        *more = c->at < end;
        return PLUMB_OK;
    }
    *more = c->at < end && *c->at == r->separator;
    if (c->at < end && !*more)
        return plumb_text_expected(c, r->separator == ',' ? "',' or the end of the line" : "';' or the end of the line",
                                   r->error);
    c->at += *more;
    return PLUMB_OK;
}

/* One real number that fills the field. */
static bool is_real(const text_cursor *field, number_token *token)
{
    text_cursor c = *field;
    const unsigned which = NUMBER_WITH_SIGN | NUMBER_WITH_WORDS | NUMBER_WITH_HEX | NUMBER_WITH_RATIO;
    return c.at < c.end && plumb_number_scan(&c, which, token, NULL) == PLUMB_OK && c.at == c.end;
}

/* Any number, real or complex; the limbs at the precision. */
static plumb_status read_complex(const text_cursor *field, int32_t prec, double *re, double *im,
                                 plumb_text_error *error)
{
    return plumb_number_read(field->at, (size_t)(field->end - field->at), prec, re, im, error);
}

static bool is_number(const text_cursor *field)
{
    number_token token;
    double re[TEXT_MAX_LIMBS], im[TEXT_MAX_LIMBS];
    return is_real(field, &token) || (field->at < field->end && read_complex(field, PLUMB_D, re, im, NULL) == PLUMB_OK);
}

static plumb_status not_a_number(const table_reader *r, const text_cursor *field)
{
    text_cursor at = {.begin = r->c.begin, .at = field->at, .end = field->end};
    char found[TEXT_SHORT];
    if (field->at == field->end)
        return plumb_text_error_at(&at, field->at, PLUMB_ERR_PARSE, r->error,
                                   "found an empty field, expected a number");
    return plumb_text_error_at(&at, field->at, PLUMB_ERR_PARSE, r->error, "found '%s', expected a number",
                               plumb_text_shorten(field->at, field->end, found));
}

static int find_separator(const text_cursor *c)
{
    size_t length = (size_t)(line_end(c) - c->at);
    return memchr(c->at, ',', length) != NULL ? ',' : memchr(c->at, ';', length) != NULL ? ';' : ' ';
}

/* Is the line a header: no field a number? The cursor stays. */
static bool is_header(const table_reader *r)
{
    table_reader ahead = {.c = r->c, .separator = r->separator};
    const char *end = line_end(&ahead.c);
    text_cursor field;
    for (bool more = true; more;)
        if (take_field(&ahead, end, &field, &more) != PLUMB_OK || is_number(&field))
            return false;
    return true;
}

/* Rows, columns, and whether a field is no real number. */
static plumb_status find_shape(table_reader *r)
{
    for (r->c.at = r->body; next_line(&r->c); r->rows++) {
        const char *start = r->c.at, *end = line_end(&r->c);
        int64_t fields = 0;
        for (bool more = true; more; fields++) {
            text_cursor field;
            number_token token;
            plumb_status status = take_field(r, end, &field, &more);
            if (status != PLUMB_OK)
                return status;
            if (!is_real(&field, &token)) {
                if (!is_number(&field))
                    return not_a_number(r, &field);
                r->complex_numbers = true;
            }
        }
        if (r->rows == 0) {
            plumb_text_error here;
            (void)plumb_text_error_at(&r->c, start, PLUMB_ERR_PARSE, &here, "first");
            r->first_line = here.line;
            r->cols = fields;
        } else if (fields != r->cols)
            return plumb_text_error_at(&r->c, start, PLUMB_ERR_PARSE, r->error,
                                       "found %lld field%s, expected %lld as in line %lld", (long long)fields,
                                       fields == 1 ? "" : "s", (long long)r->cols, (long long)r->first_line);
    }
    return PLUMB_OK;
}

static plumb_status read_entry(table_reader *r, const plumb_view *view, const text_cursor *field, int64_t row,
                               int64_t col)
{
    double limbs[2][TEXT_MAX_LIMBS] = {{0}};
    number_token token;
    plumb_status status;
    if (is_real(field, &token)) {
        status = plumb_value_round(&r->powers, field, &token, view->prec, limbs[0], &r->exact, r->error);
    } else {
        status = read_complex(field, view->prec, limbs[0], limbs[1], NULL);
        r->exact = false; /* the digits beyond the precision were not examined */
        if (status != PLUMB_OK)
            (void)plumb_text_error_at(&r->c, field->at, status, r->error,
                                      "found a number out of the range of a double");
    }
    for (int part = 0; part < view->parts; part++)
        matrix_set(view, row, col, part, limbs[part], false);
    return status;
}

static plumb_status read_entries(table_reader *r, const plumb_view *view)
{
    r->c.at = r->body;
    for (int64_t row = 0; row < view->rows && next_line(&r->c); row++) {
        const char *end = line_end(&r->c);
        for (int64_t col = 0; col < view->cols; col++) {
            text_cursor field;
            bool more;
            plumb_status status = take_field(r, end, &field, &more);
            if (status == PLUMB_OK)
                status = read_entry(r, view, &field, row, col);
            if (status != PLUMB_OK)
                return status;
        }
    }
    return PLUMB_OK;
}

static plumb_status read_table(const void *bytes, size_t length, int32_t prec, plumb_matrix *matrix,
                               plumb_text_error *error)
{
    static const char nothing[1];
    const char *text = bytes != NULL ? bytes : nothing;
    table_reader r = {.c = text_begin(text, bytes != NULL ? length : 0), .exact = true, .error = error};
    *matrix = (text_matrix){.memory = NULL};
    if (plumb_prec_name(prec) == NULL)
        return plumb_text_error_at(&r.c, text, PLUMB_ERR_ARGUMENT, error, "there is no precision of %d limbs",
                                   (int)prec);
    if (!next_line(&r.c))
        return plumb_text_expected(&r.c, "a table of numbers", error);
    r.separator = find_separator(&r.c);
    const char *header = r.c.at;
    if (is_header(&r)) {
        r.c.at = line_end(&r.c);
        if (!next_line(&r.c)) { /* words alone: show the first of them */
            text_cursor field;
            bool more;
            r.c.at = header;
            plumb_status status = take_field(&r, line_end(&r.c), &field, &more);
            return status == PLUMB_OK ? not_a_number(&r, &field) : status;
        }
        r.separator = find_separator(&r.c);
    }
    r.body = r.c.at;
    plumb_status status = find_shape(&r);
    text_matrix_info info = {.rows = r.rows,
                             .cols = r.cols,
                             .stored = r.rows * r.cols,
                             .parts = r.complex_numbers ? PLUMB_COMPLEX : PLUMB_REAL};
    if (status == PLUMB_OK)
        status = plumb_matrix_create(matrix, &info, prec, &r.c, r.body, error);
    if (status == PLUMB_OK) {
        plumb_value_init(&r.powers);
        status = read_entries(&r, &matrix->view);
        matrix->exact = r.exact;
    }
    if (status != PLUMB_OK)
        plumb_matrix_destroy(matrix);
    return status;
}

plumb_status plumb_table_read(const void *bytes, size_t length, int32_t prec, plumb_matrix *matrix,
                              plumb_text_error *error)
{
    plumb_text_error mine = {.line = 0};
    if (error == NULL)
        error = &mine;
    if (matrix == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, error->message, sizeof error->message, "matrix is NULL");
    *matrix = (plumb_matrix){.memory = NULL};
    if (bytes == NULL && length > 0)
        return plumb_say(PLUMB_ERR_ARGUMENT, error->message, sizeof error->message, "bytes is NULL");
    return plumb_text_tell(read_table(bytes, length, prec, matrix, error), error);
}

/* ---- Writing ------------------------------------------------------------------------------------------------------ */

static plumb_status put_entry(matrix_sink *sink, const plumb_view *view, const double *at, char last)
{
    enum { ROOM = 8192 }; /* two numbers of some 1,400 digits and what stands around them */
    double re[TEXT_MAX_LIMBS], im[TEXT_MAX_LIMBS];
    char text[ROOM];
    size_t needed = 0;
    for (int32_t limb = 0; limb < view->prec; limb++) {
        re[limb] = at[limb * view->plane];
        im[limb] = view->parts == PLUMB_COMPLEX ? at[(view->prec + limb) * view->plane] : 0;
    }
    plumb_status status = view->parts == PLUMB_COMPLEX
                              ? plumb_complex_write(view->prec, re, im, 0, text, sizeof text, &needed)
                              : plumb_number_write(view->prec, re, 0, text, sizeof text, &needed);
    if (status != PLUMB_OK)
        return status;
    /* Without spaces, "(1+2*i)": in a table of one column white space would end the field. */
    size_t used = 0;
    for (size_t i = 0; i + 1 < needed; i++)
        if (text[i] != ' ')
            text[used++] = text[i];
    text[used++] = last;
    plumb_sink_put(sink, text, used);
    return PLUMB_OK;
}

plumb_status plumb_table_write(FILE *out, const plumb_view *view, char *message, size_t size)
{
    plumb_status status = plumb_sink_check(out, view, message, size);
    if (status != PLUMB_OK)
        return status;
    matrix_sink sink = {.out = out};
    for (int64_t row = 0; row < view->rows && sink.failed == 0; row++)
        for (int64_t col = 0; col < view->cols; col++) {
            status = put_entry(&sink, view, view->data + col * view->col + row, col + 1 < view->cols ? ',' : '\n');
            if (status != PLUMB_OK)
                return plumb_say(status, message, size, "could not write row %lld, column %lld: %s", (long long)row + 1,
                                 (long long)col + 1, plumb_status_text(status));
        }
    return plumb_sink_finish(&sink, message, size);
}
