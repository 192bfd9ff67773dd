/* targets.c - see targets.h. */
#include "text/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number/number.h"

bool plumb_targets_blank(const char *line, size_t length)
{
    text_cursor c = text_begin(line, length);
    text_skip_space(&c);
    return c.at == c.end || *c.at == '#';
}

/* What messages say of the parameters: "a, b, c". */
static void list_names(const target_columns *columns, char *text, size_t size)
{
    text[0] = 0;
    for (int64_t k = 0; k < columns->parameters; k++) {
        const size_t used = strlen(text), more = strlen(columns->names[k]);
        if (used + more + 8 > size) {
            (void)snprintf(text + used, size - used, ", ...");
            return;
        }
        (void)snprintf(text + used, size - used, "%s%s", k > 0 ? ", " : "", columns->names[k]);
    }
}

/* The parameter with this name; -1: there is none. */
static int64_t find(const target_columns *columns, const char *name, size_t length)
{
    for (int64_t k = 0; k < columns->parameters; k++)
        if (strlen(columns->names[k]) == length && memcmp(columns->names[k], name, length) == 0)
            return k;
    return -1;
}

/* A field that cannot be read, as a whole. */
static plumb_status unexpected(const text_cursor *start, const char *expected, plumb_text_error *error)
{
    char word[TEXT_SHORT];
    const char *end = start->at;
    while (end < start->end && *end != ',' && (unsigned char)*end >= 0x20 && (unsigned char)*end < 0x7f)
        end++;
    const bool is_text = end > start->at && (end == start->end || *end == ',');
    if (!is_text)
        return plumb_text_expected(start, expected, error);
    return plumb_text_error_at(start, start->at, PLUMB_ERR_PARSE, error, "found '%s', expected %s",
                               plumb_text_shorten(start->at, end, word), expected);
}

/* Moves over a field of the header: a name, in quotes or not, and an ending. */
static plumb_status read_name(text_cursor *c, target_columns *columns, plumb_text_error *error)
{
    char expected[160], list[96];
    text_skip_blanks(c);
    const bool quoted = text_peek(c, 0) == '"';
    const text_cursor start = *c;
    c->at += quoted;
    const char *name = c->at;
    while (text_is_name(text_peek(c, 0)))
        c->at++;
    const size_t length = (size_t)(c->at - name);
    const bool re = (size_t)(c->end - c->at) >= 3 && memcmp(c->at, ".re", 3) == 0;
    const bool im = (size_t)(c->end - c->at) >= 3 && memcmp(c->at, ".im", 3) == 0;
    c->at += re || im ? 3 : 0;
    bool ends = !quoted || text_peek(c, 0) == '"';
    c->at += quoted && ends;
    text_skip_blanks(c);
    ends = ends && (text_peek(c, 0) == ',' || c->at == c->end);
    const int64_t k = ends ? find(columns, name, length) : -1;
    if (k < 0) {
        const text_cursor whole = start;
        list_names(columns, list, sizeof list);
        (void)snprintf(expected, sizeof expected, "the name of a parameter (%s), or with .re or .im", list);
        return unexpected(&whole, expected, error);
    }
    for (int64_t j = 0; j < columns->count; j++)
        if (columns->parameter[j] == k && (columns->part[j] == im || (!re && !im)))
            return plumb_text_error_at(c, start.at, PLUMB_ERR_PARSE, error,
                                       "found a second column for the parameter %.48s, expected one",
                                       columns->names[k]);
    columns->parameter[columns->count] = k;
    columns->part[columns->count++] = im;
    return PLUMB_OK;
}

/* Every parameter has a column, and an imaginary part has a real one. */
static plumb_status check_columns(const text_cursor *c, const target_columns *columns, const bool *complex_names,
                                  plumb_text_error *error)
{
    for (int64_t k = 0; k < columns->parameters; k++) {
        bool has[2] = {false, false};
        for (int64_t j = 0; j < columns->count; j++)
            if (columns->parameter[j] == k)
                has[columns->part[j]] = true;
        if (!has[0] || (complex_names[k] && !has[1]))
            return plumb_text_error_at(c, c->begin, PLUMB_ERR_PARSE, error,
                                       "found no column for %s%.48s%s, expected one for each parameter",
                                       has[0] || has[1] ? "" : "the parameter ", columns->names[k],
                                       has[0]   ? ".im"
                                       : has[1] ? ".re"
                                                : "");
    }
    return PLUMB_OK;
}

plumb_status plumb_targets_header(const char *line, size_t length, const char *const *names, int64_t parameters,
                                  target_columns *columns, plumb_text_error *error)
{
    text_cursor c = text_begin(line, length);
    while (c.end > c.at && text_is_space((unsigned char)c.end[-1]))
        c.end--;
    *columns = (target_columns){.names = names, .parameters = parameters};
    columns->parameter = calloc((size_t)(2 * parameters) + 1, sizeof *columns->parameter);
    columns->part = calloc((size_t)(2 * parameters) + 1, sizeof *columns->part);
    bool *complex_names = calloc((size_t)parameters + 1, sizeof *complex_names);
    const bool good = columns->parameter && columns->part && complex_names;
    plumb_status status = good ? PLUMB_OK : plumb_text_error_at(&c, c.at, PLUMB_ERR_MEMORY, error, "out of memory");
    for (bool more = good; more && status == PLUMB_OK;) {
        const char *field = c.at;
        status = read_name(&c, columns, error);
        if (status == PLUMB_OK && memchr(field, '.', (size_t)(c.at - field)) != NULL)
            complex_names[columns->parameter[columns->count - 1]] = true;
        more = text_peek(&c, 0) == ',';
        c.at += more && status == PLUMB_OK;
    }
    if (good && status == PLUMB_OK)
        status = check_columns(&c, columns, complex_names, error);
    free(complex_names);
    if (status != PLUMB_OK)
        plumb_targets_free(columns);
    return status;
}

void plumb_targets_free(target_columns *columns)
{
    free(columns->parameter);
    free(columns->part);
    *columns = (target_columns){.count = 0};
}

/* Reads the number of column j. */
static plumb_status read_value(text_cursor *c, const target_columns *columns, int64_t j, int32_t prec, double *limbs,
                               plumb_text_error *error)
{
    const int64_t k = columns->parameter[j];
    number_token token;
    char expected[160];
    double value[PLUMB_QD];
    text_skip_blanks(c);
    const text_cursor start = *c;
    plumb_text_error mine;
    plumb_status status = plumb_number_scan(c, NUMBER_WITH_SIGN | NUMBER_WITH_RATIO | NUMBER_WITH_HEX, &token, &mine);
    text_skip_blanks(c);
    if (status != PLUMB_OK || (c->at < c->end && *c->at != ',')) {
        const char *end = memchr(start.at, ',', (size_t)(c->end - start.at)), *const name = columns->names[k];
        end = end != NULL ? end : c->end;
        const bool imaginary = end > start.at && (end[-1] == 'i' || end[-1] == 'j' || end[-1] == 'I');
        if (imaginary) /* as some languages write them */
            (void)snprintf(expected, sizeof expected, "a number; complex ones have two columns, %.40s.re and %.40s.im",
                           name, name);
        else
            (void)snprintf(expected, sizeof expected, "a finite number for the parameter %.40s", name);
        return unexpected(&start, expected, error);
    }
    status = plumb_number_round(&start, &token, prec, value, error);
    for (int32_t i = 0; i < prec && status == PLUMB_OK; i++)
        limbs[(columns->part[j] * prec + i) * columns->parameters + k] = value[i];
    return status;
}

plumb_status plumb_targets_row(const target_columns *columns, const char *line, size_t length, int32_t prec,
                               double *limbs, plumb_text_error *error)
{
    text_cursor c = text_begin(line, length);
    while (c.end > c.at && text_is_space((unsigned char)c.end[-1]))
        c.end--;
    memset(limbs, 0, (size_t)(2 * prec * columns->parameters) * sizeof *limbs);
    for (int64_t j = 0; j < columns->count; j++) {
        const plumb_status status = read_value(&c, columns, j, prec, limbs, error);
        if (status != PLUMB_OK)
            return status;
        const bool last = j + 1 == columns->count, more = text_peek(&c, 0) == ',';
        if (more == last)
            return plumb_text_error_at(&c, c.at, PLUMB_ERR_PARSE, error, "found %s%lld number%s, expected %lld",
                                       last ? "more than " : "", (long long)j + 1, j == 0 ? "" : "s",
                                       (long long)columns->count);
        c.at += more;
    }
    return PLUMB_OK;
}
