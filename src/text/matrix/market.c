/* market.c - reads the header of a Matrix Market file and splits its lines into fields.
 *
 *   %%MatrixMarket matrix (array | coordinate) (real | complex | integer) (general | symmetric | ...)
 *   % comments, blank lines
 *   rows cols [entries]
 *
 * Reference: Boisvert, Pozo and Remington, The Matrix Market exchange formats, NISTIR 5935, 1996. Extensions:
 * comments and blank lines are allowed anywhere after the first line, lines may have any length, and upper case
 * equals lower case. */
#include <stdarg.h>
#include <string.h>

#include "base/memory/size.h"
#include "text/matrix/parts.h"

bool plumb_market_next_line(text_cursor *c)
{
    for (;;) {
        text_skip_space(c);
        if (c->at == c->end)
            return false;
        if (*c->at != '%')
            return true;
        const char *stop = memchr(c->at, '\n', (size_t)(c->end - c->at));
        c->at = stop != NULL ? stop : c->end;
    }
}

const char *plumb_market_field(text_cursor *c)
{
    while (c->at < c->end && *c->at != '\n' && text_is_space((unsigned char)*c->at))
        c->at++;
    const char *stop = c->at;
    while (stop < c->end && !text_is_space((unsigned char)*stop))
        stop++;
    return stop;
}

bool plumb_market_integer(text_cursor *c, int64_t least, int64_t most, int64_t *value)
{
    const char *stop = plumb_market_field(c), *at = c->at;
    int64_t n = 0;
    bool fits = at < stop;
    for (; at < stop && fits; at++)
        fits = text_is_digit((unsigned char)*at) && size_mul(n, 10, &n) && size_add(n, *at - '0', &n);
    if (!fits || n < least || n > most)
        return false;
    *value = n;
    c->at = stop;
    return true;
}

plumb_status plumb_market_unexpected(text_cursor *c, plumb_text_error *error, const char *format, ...)
{
    char expected[160], found[TEXT_SHORT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    const char *stop = plumb_market_field(c);
    if (stop == c->at)
        return plumb_text_expected(c, expected, error);
    return plumb_text_error_at(c, c->at, PLUMB_ERR_PARSE, error, "found '%s', expected %s",
                               plumb_text_shorten(c->at, stop, found), expected);
}

plumb_status plumb_market_end_line(text_cursor *c, plumb_text_error *error)
{
    if (plumb_market_field(c) != c->at)
        return plumb_market_unexpected(c, error, "the end of the line");
    return PLUMB_OK;
}

/* The index of the word that follows, in either case, or -1. */
static int one_of(text_cursor *c, const char *const *words)
{
    const char *stop = plumb_market_field(c);
    size_t length = (size_t)(stop - c->at);
    for (int k = 0; words[k] != NULL; k++) {
        size_t i = 0;
        while (i < length && words[k][i] != 0 && (c->at[i] == words[k][i] || (c->at[i] | 0x20) == words[k][i]))
            i++;
        if (i == length && words[k][i] == 0) {
            c->at = stop;
            return k;
        }
    }
    return -1;
}

static plumb_status read_banner(text_cursor *c, market_header *header, plumb_text_error *error)
{
    static const char *const banner[] = {"%%matrixmarket", NULL}, *const object[] = {"matrix", NULL};
    static const char *const format[] = {"array", "coordinate", NULL};
    static const char *const field[] = {"real", "complex", "integer", "pattern", NULL};
    static const char *const symmetry[] = {"general", "symmetric", "skew-symmetric", "hermitian", NULL};
    if (one_of(c, banner) < 0)
        return plumb_market_unexpected(c, error, "%%%%MatrixMarket");
    if (one_of(c, object) < 0)
        return plumb_market_unexpected(c, error, "matrix");
    int found = one_of(c, format);
    if (found < 0)
        return plumb_market_unexpected(c, error, "array or coordinate");
    header->coordinate = found == 1;
    plumb_market_field(c);
    text_cursor start = *c;
    found = one_of(c, field);
    if (found < 0 || found == MARKET_PATTERN)
        return plumb_market_unexpected(&start, error, "real, complex or integer%s",
                                       found < 0 ? "" : ": a pattern has no values");
    header->field = (market_field)found;
    plumb_market_field(c);
    start = *c;
    found = one_of(c, symmetry);
    if (found < 0)
        return plumb_market_unexpected(c, error, "general, symmetric, skew-symmetric or hermitian");
    header->symmetry = (market_symmetry)found;
    if (header->symmetry == MARKET_HERMITIAN && header->field != MARKET_COMPLEX)
        return plumb_market_unexpected(&start, error, "symmetric: only a complex matrix is hermitian");
    header->info.format = PLUMB_FORMAT_MTX;
    header->info.parts = header->field == MARKET_COMPLEX ? PLUMB_COMPLEX : PLUMB_REAL;
    return plumb_market_end_line(c, error);
}

/* Counts the entries of an array: all, or those of the lower triangle, column by column. */
static bool count_array(market_header *header)
{
    int64_t n = header->info.rows, *stored = &header->info.stored;
    if (header->symmetry == MARKET_GENERAL)
        return size_mul(n, header->info.cols, stored);
    bool fits = size_mul(n, header->symmetry == MARKET_SKEW ? n - 1 : n + 1, stored);
    *stored /= 2;
    return fits;
}

/* Checks the sizes in the header against the number of bytes that follow: each number takes at least a newline and
 * one character. */
static plumb_status check_promise(const text_cursor *c, const market_header *header, bool fits, plumb_text_error *error)
{
    int64_t least = 2 * header->info.parts + (header->coordinate ? 4 : 0), bytes = c->end - c->at;
    if (fits && header->info.stored <= bytes / least)
        return PLUMB_OK;
    char promise[64];
    if (header->coordinate)
        snprintf(promise, sizeof promise, "%lld", (long long)header->info.stored);
    else
        snprintf(promise, sizeof promise, "%lld x %lld", (long long)header->info.rows, (long long)header->info.cols);
    return plumb_text_error_at(c, header->size_line, PLUMB_ERR_SIZE, error,
                               "found a header for %s entries, expected at most %lld: only %lld bytes follow", promise,
                               (long long)(bytes / least), (long long)bytes);
}

plumb_status plumb_market_header(text_cursor *c, market_header *header, plumb_text_error *error)
{
    *header = (market_header){.info.format = PLUMB_FORMAT_MTX};
    plumb_status status = read_banner(c, header, error);
    if (status != PLUMB_OK)
        return status;
    if (!plumb_market_next_line(c))
        return plumb_text_expected(c, "the number of rows and columns", error);
    text_matrix_info *info = &header->info;
    header->size_line = c->at;
    if (!plumb_market_integer(c, 1, INT64_MAX - 1, &info->rows))
        return plumb_market_unexpected(c, error, "the number of rows (from 1, below 2^63)");
    if (!plumb_market_integer(c, 1, INT64_MAX - 1, &info->cols))
        return plumb_market_unexpected(c, error, "the number of columns (from 1, below 2^63)");
    if (header->symmetry != MARKET_GENERAL && info->rows != info->cols)
        return plumb_text_error_at(c, header->size_line, PLUMB_ERR_PARSE, error,
                                   "found %lld x %lld, expected as many rows as columns in a symmetric matrix",
                                   (long long)info->rows, (long long)info->cols);
    if (header->coordinate && !plumb_market_integer(c, 0, INT64_MAX, &info->stored))
        return plumb_market_unexpected(c, error, "the number of entries (below 2^63)");
    status = plumb_market_end_line(c, error);
    if (status != PLUMB_OK)
        return status;
    return check_promise(c, header, header->coordinate || count_array(header), error);
}
