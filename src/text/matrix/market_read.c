/* market_read.c - reads the entries of a Matrix Market file.
 *
 * An array has one entry per line, column by column. In coordinate format each line is "row column value", with each
 * place at most once. A symmetric file stores only the lower triangle, a skew-symmetric one without its diagonal; the
 * rest follows by symmetry. One bit per place records which places were seen; only if a place occurs twice is the
 * file searched for the first occurrence. */
#include <stdlib.h>
#include <string.h>

#include "text/matrix/parts.h"
#include "text/matrix/value.h"
#include "text/number/write.h"

typedef struct market_reader {
    text_cursor c;
    market_header header;
    plumb_view view;
    const char *body; /* after the line of sizes */
    bool exact;
    plumb_text_error *error;
    value_powers powers;
} market_reader;

static plumb_status read_value(market_reader *r, const char *what, double *limbs)
{
    const char *stop = plumb_market_field(&r->c);
    if (stop == r->c.at)
        return plumb_text_expected(&r->c, what, r->error);
    text_cursor ahead = r->c;
    const size_t length = (size_t)(stop - r->c.at);
    if (r->header.field == MARKET_INTEGER) {
        const char *at = r->c.at + (*r->c.at == '-' || *r->c.at == '+');
        bool digits = at < stop;
        for (; at < stop && digits; at++)
            digits = text_is_digit((unsigned char)*at);
        if (!digits)
            return plumb_market_unexpected(&r->c, r->error, "an integer: the file says integer");
    }
    /* The scanner gets the whole text, so that its errors can show it; a fraction must not extend beyond the field. */
    unsigned which = NUMBER_WITH_SIGN | NUMBER_WITH_WORDS | NUMBER_WITH_HEX;
    if (memchr(r->c.at, '/', length) != NULL)
        which |= NUMBER_WITH_RATIO;
    number_token token;
    plumb_status status = plumb_number_scan(&ahead, which, &token, r->error);
    if (status != PLUMB_OK)
        return status;
    if (ahead.at != stop) {
        bool beyond = ahead.at > stop;
        if (beyond)
            ahead.at = stop;
        return plumb_text_expected(&ahead, beyond ? "a fraction without spaces" : "the end of the number", r->error);
    }
    r->c.at = stop;
    return plumb_value_round(&r->powers, &ahead, &token, r->view.prec, limbs, &r->exact, r->error);
}

/* Stores one part of an entry in its place and in the place given by symmetry. */
static plumb_status read_part(market_reader *r, int64_t row, int64_t col, int part)
{
    double limbs[TEXT_MAX_LIMBS] = {0};
    market_symmetry symmetry = r->header.symmetry;
    const char *start = r->c.at;
    bool hermitian_imaginary = symmetry == MARKET_HERMITIAN && part == 1;
    plumb_status status = read_value(r, part == 1 ? "the imaginary part" : "a number", limbs);
    if (status != PLUMB_OK)
        return status;
    if (hermitian_imaginary && row == col && limbs[0] != 0) {
        r->c.at = start;
        return plumb_market_unexpected(&r->c, r->error, "0: the diagonal of a hermitian matrix is real");
    }
    matrix_set(&r->view, row, col, part, limbs, false);
    if (symmetry != MARKET_GENERAL && row != col)
        matrix_set(&r->view, col, row, part, limbs, symmetry == MARKET_SKEW || hermitian_imaginary);
    return PLUMB_OK;
}

static plumb_status read_entry(market_reader *r, int64_t row, int64_t col)
{
    plumb_status status = read_part(r, row, col, 0);
    if (status == PLUMB_OK && r->view.parts == PLUMB_COMPLEX)
        status = read_part(r, row, col, 1);
    return status == PLUMB_OK ? plumb_market_end_line(&r->c, r->error) : status;
}

static plumb_status ends_early(market_reader *r, int64_t count)
{
    return plumb_text_error_at(&r->c, r->c.at, PLUMB_ERR_PARSE, r->error,
                               "found end of text after %lld of %lld entries, expected all of them", (long long)count,
                               (long long)r->header.info.stored);
}

static plumb_status read_array(market_reader *r)
{
    market_symmetry symmetry = r->header.symmetry;
    int64_t count = 0;
    for (int64_t col = 0; col < r->view.cols; col++) {
        int64_t row = symmetry == MARKET_GENERAL ? 0 : symmetry == MARKET_SKEW ? col + 1 : col;
        for (; row < r->view.rows; row++, count++) {
            if (!plumb_market_next_line(&r->c))
                return ends_early(r, count);
            plumb_status status = read_entry(r, row, col);
            if (status != PLUMB_OK)
                return status;
        }
    }
    return PLUMB_OK;
}

/* Reads row and column, returned from 0. */
static plumb_status read_place(market_reader *r, int64_t *row, int64_t *col)
{
    const char *start = r->c.at;
    market_symmetry symmetry = r->header.symmetry;
    if (!plumb_market_integer(&r->c, 1, r->view.rows, row))
        return plumb_market_unexpected(&r->c, r->error, "a row from 1 to %lld", (long long)r->view.rows);
    if (!plumb_market_integer(&r->c, 1, r->view.cols, col))
        return plumb_market_unexpected(&r->c, r->error, "a column from 1 to %lld", (long long)r->view.cols);
    if (symmetry != MARKET_GENERAL && (*row < *col || (symmetry == MARKET_SKEW && *row == *col)))
        return plumb_text_error_at(&r->c, start, PLUMB_ERR_PARSE, r->error,
                                   "found row %lld, column %lld, expected a place below the diagonal%s",
                                   (long long)*row, (long long)*col,
                                   symmetry == MARKET_SKEW ? ": the matrix is skew-symmetric" : " or on it");
    --*row;
    --*col;
    return PLUMB_OK;
}

/* The entry that starts at `again` repeats a place: finds the line of its first occurrence. */
static plumb_status found_twice(market_reader *r, const char *again, int64_t row, int64_t col)
{
    int64_t first_row = -1, first_col = -1;
    plumb_text_error first = {.line = 0};
    text_cursor c = r->c;
    c.at = r->body;
    while (plumb_market_next_line(&c) && c.at < again) {
        const char *start = c.at;
        if (plumb_market_integer(&c, 1, r->view.rows, &first_row) &&
            plumb_market_integer(&c, 1, r->view.cols, &first_col) && first_row - 1 == row && first_col - 1 == col) {
            plumb_text_error_at(&c, start, PLUMB_ERR_PARSE, &first, "first");
            break;
        }
        const char *stop = memchr(c.at, '\n', (size_t)(again - c.at));
        c.at = stop != NULL ? stop : again;
    }
    return plumb_text_error_at(&r->c, again, PLUMB_ERR_PARSE, r->error,
                               "found row %lld, column %lld again (first on line %lld), expected each place once",
                               (long long)row + 1, (long long)col + 1, (long long)first.line);
}

static plumb_status read_coordinates(market_reader *r)
{
    uint64_t places = (uint64_t)r->view.plane; /* rows * cols */
    unsigned char *seen = calloc((size_t)(places / 8 + 1), 1);
    if (seen == NULL)
        return plumb_text_error_at(&r->c, r->header.size_line, PLUMB_ERR_MEMORY, r->error, "out of memory");
    plumb_status status = PLUMB_OK;
    for (int64_t count = 0; count < r->header.info.stored && status == PLUMB_OK; count++) {
        if (!plumb_market_next_line(&r->c)) {
            status = ends_early(r, count);
            break;
        }
        const char *start = r->c.at;
        int64_t row = 0, col = 0;
        status = read_place(r, &row, &col);
        if (status != PLUMB_OK)
            break;
        uint64_t place = (uint64_t)(col * r->view.rows + row);
        unsigned char bit = (unsigned char)(1u << place % 8);
        if ((seen[place / 8] & bit) != 0)
            status = found_twice(r, start, row, col);
        else
            status = read_entry(r, row, col);
        seen[place / 8] |= bit;
    }
    free(seen);
    return status;
}

plumb_status plumb_market_read(text_cursor *c, int32_t prec, text_matrix *matrix, plumb_text_error *error)
{
    market_reader r = {.c = *c, .error = error, .exact = true};
    plumb_status status = plumb_market_header(&r.c, &r.header, error);
    if (status == PLUMB_OK)
        status = plumb_matrix_create(matrix, &r.header.info, prec, &r.c, r.header.size_line, error);
    if (status != PLUMB_OK)
        return status;
    r.view = matrix->view;
    r.body = r.c.at;
    plumb_value_init(&r.powers);
    status = r.header.coordinate ? read_coordinates(&r) : read_array(&r);
    if (status == PLUMB_OK && plumb_market_next_line(&r.c))
        status = plumb_market_unexpected(&r.c, error, "the end of the file: all %lld entries are there",
                                         (long long)r.header.info.stored);
    matrix->exact = r.exact;
    return status;
}
