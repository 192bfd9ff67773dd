/* npy.c - reads the header of an npy file: magic, version, and a Python dictionary with exactly three keys.
 *
 *   "\x93NUMPY" major minor length {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } spaces newline
 *
 * length has 2 bytes in version 1.0 and 4 in 2.0 and 3.0, little endian. Reference: numpy's format description (NEP 1).
 * Spaces, the order of keys, the kind of quotes and a last comma are free; anything else is an error. Vectors and
 * matrices have items of float64, float32, complex128, complex64 or integers of 1 to 8 bytes. Besides there is our own
 * form with the limbs of a number along the last axis: (m, n, L) for real and (m, n, 2, L) for complex matrices of
 * float64, L = 2 (dd) or 4 (qd). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/size.h"
#include "text/matrix/parts.h"

enum { MAGIC = 6, MOST_AXES = 4 };

typedef struct npy_fields {
    bool has_descr, has_order, has_shape;
    bool complex_items;
    int axes;
    int64_t shape[MOST_AXES];
    const char *shape_at, *shape_end;
} npy_fields;

plumb_status plumb_npy_error(const text_cursor *c, const char *where, plumb_text_error *error, const char *format, ...)
{
    if (error == NULL)
        return PLUMB_ERR_PARSE;
    error->line = 1;
    error->column = where - c->begin + 1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return PLUMB_ERR_PARSE;
}

/* Makes the error "found <text at the cursor>, expected ..." in the header, which ends at c->end. */
static plumb_status unexpected(const text_cursor *c, const char *expected, plumb_text_error *error)
{
    if (c->at == c->end)
        return plumb_npy_error(c, c->at, error, "found the end of the header, expected %s", expected);
    plumb_status status = plumb_text_expected(c, expected, error);
    if (error != NULL) { /* the bytes of the length before the header may look like line breaks */
        error->line = 1;
        error->column = c->at - c->begin + 1;
    }
    return status;
}

static bool accept(text_cursor *c, char sign)
{
    text_skip_space(c);
    if (text_peek(c, 0) != sign)
        return false;
    c->at++;
    return true;
}

/* Accepts a string without escapes. */
static bool accept_string(text_cursor *c, text_cursor *content)
{
    text_skip_space(c);
    int quote = text_peek(c, 0);
    if (quote != '\'' && quote != '"')
        return false;
    const char *start = c->at + 1, *stop = memchr(start, quote, (size_t)(c->end - start));
    if (stop == NULL || memchr(start, '\\', (size_t)(stop - start)) != NULL)
        return false;
    *content = (text_cursor){.begin = c->begin, .at = start, .end = stop};
    c->at = stop + 1;
    return true;
}

static bool is(const text_cursor *content, const char *word)
{
    size_t length = (size_t)(content->end - content->at);
    return length == strlen(word) && memcmp(content->at, word, length) == 0;
}

static bool accept_word(text_cursor *c, const char *word)
{
    text_skip_space(c);
    size_t length = strlen(word);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0 || text_is_name(text_peek(c, length)))
        return false;
    c->at += length;
    return true;
}

static plumb_status read_descr(text_cursor *c, npy_header *header, npy_fields *fields, plumb_text_error *error)
{
    text_skip_space(c);
    text_cursor type;
    if (text_peek(c, 0) == '[')
        return plumb_npy_error(c, c->at, error, "found a structured dtype, expected one type of numbers");
    if (!accept_string(c, &type))
        return unexpected(c, "a dtype as a string, like '<f8'", error);
    static const struct {
        const char *name; /* after the byte order */
        npy_scalar scalar;
        int width;
        bool is_complex;
    } types[] = {{"f8", NPY_FLOAT, 8, false},    {"f4", NPY_FLOAT, 4, false},    {"c16", NPY_FLOAT, 8, true},
                 {"c8", NPY_FLOAT, 4, true},     {"i8", NPY_SIGNED, 8, false},   {"i4", NPY_SIGNED, 4, false},
                 {"i2", NPY_SIGNED, 2, false},   {"i1", NPY_SIGNED, 1, false},   {"u8", NPY_UNSIGNED, 8, false},
                 {"u4", NPY_UNSIGNED, 4, false}, {"u2", NPY_UNSIGNED, 2, false}, {"u1", NPY_UNSIGNED, 1, false}};
    int order = text_peek(&type, 0);
    text_cursor name = type;
    name.at += order == '<' || order == '>' || order == '|';
    header->big_endian = order == '>';
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (is(&name, types[i].name) && name.at > type.at && (order != '|' || types[i].width == 1)) {
            header->scalar = types[i].scalar;
            header->width = types[i].width;
            fields->complex_items = types[i].is_complex;
            return PLUMB_OK;
        }
    char found[TEXT_SHORT];
    return plumb_npy_error(c, type.at, error,
                           "found dtype '%s', expected float64, float32, complex128, complex64 or an integer type%s",
                           plumb_text_shorten(type.at, type.end, found),
                           is(&type, "|O") ? ": objects are not numbers" : " ('<f8', '<i4', ...)");
}

/* Reads a tuple of integers; (3,) has one element. Python 2 wrote 3L for 3. */
static plumb_status read_shape(text_cursor *c, npy_fields *fields, plumb_text_error *error)
{
    text_skip_space(c);
    fields->shape_at = c->at;
    if (!accept(c, '('))
        return unexpected(c, "a shape like (3, 4)", error);
    bool comma = true;
    while (!accept(c, ')')) {
        text_skip_space(c);
        if (!comma)
            return unexpected(c, "',' or ')'", error);
        if (!text_is_digit(text_peek(c, 0)))
            return unexpected(c, fields->axes == 0 ? "an integer" : "an integer or ')'", error);
        const char *start = c->at;
        int64_t n = 0;
        bool fits = true;
        for (; text_is_digit(text_peek(c, 0)); c->at++)
            fits = fits && size_mul(n, 10, &n) && size_add(n, *c->at - '0', &n);
        char found[TEXT_SHORT];
        if (!fits)
            return plumb_npy_error(c, start, error, "found %s, expected a size below 2^63",
                                   plumb_text_shorten(start, c->at, found));
        if (text_peek(c, 0) == 'L')
            c->at++;
        if (fields->axes == MOST_AXES)
            return plumb_npy_error(c, start, error, "found more than %d axes, expected a matrix", MOST_AXES);
        fields->shape[fields->axes++] = n;
        comma = accept(c, ',');
    }
    fields->shape_end = c->at;
    if (fields->axes == 1 && !comma)
        return plumb_npy_error(c, fields->shape_at, error,
                               "found an integer in parentheses, expected a shape like (3,)");
    return PLUMB_OK;
}

static plumb_status read_key(text_cursor *c, npy_header *header, npy_fields *fields, plumb_text_error *error)
{
    text_cursor key;
    text_skip_space(c);
    const char *start = c->at;
    if (!accept_string(c, &key))
        return unexpected(c, "a key ('descr', 'fortran_order' or 'shape') or '}'", error);
    bool *has = is(&key, "descr")           ? &fields->has_descr
                : is(&key, "fortran_order") ? &fields->has_order
                : is(&key, "shape")         ? &fields->has_shape
                                            : NULL;
    char found[TEXT_SHORT];
    if (has == NULL || *has)
        return plumb_npy_error(c, start, error, "found key '%s'%s, expected 'descr', 'fortran_order' and 'shape'",
                               plumb_text_shorten(key.at, key.end, found), has == NULL ? "" : " twice");
    *has = true;
    if (!accept(c, ':'))
        return unexpected(c, "':'", error);
    if (has == &fields->has_descr)
        return read_descr(c, header, fields, error);
    if (has == &fields->has_shape)
        return read_shape(c, fields, error);
    header->fortran = accept_word(c, "True");
    if (!header->fortran && !accept_word(c, "False"))
        return unexpected(c, "True or False", error);
    return PLUMB_OK;
}

static plumb_status read_dictionary(text_cursor *c, npy_header *header, npy_fields *fields, plumb_text_error *error)
{
    if (!accept(c, '{'))
        return unexpected(c, "'{'", error);
    bool comma = true;
    while (!accept(c, '}')) {
        if (!comma)
            return unexpected(c, "',' or '}'", error);
        plumb_status status = read_key(c, header, fields, error);
        if (status != PLUMB_OK)
            return status;
        comma = accept(c, ',');
    }
    if (!fields->has_descr || !fields->has_order || !fields->has_shape)
        return plumb_npy_error(c, c->at - 1, error, "found no key '%s', expected 'descr', 'fortran_order' and 'shape'",
                               !fields->has_descr   ? "descr"
                               : !fields->has_order ? "fortran_order"
                                                    : "shape");
    text_skip_space(c);
    return c->at == c->end ? PLUMB_OK : unexpected(c, "spaces to the end of the header", error);
}

/* Determines the meaning of the axes and the stride along each of them. */
static plumb_status read_axes(const text_cursor *c, npy_header *header, const npy_fields *fields,
                              plumb_text_error *error)
{
    const int64_t *shape = fields->shape;
    int axes = fields->axes, limb_axis = axes > 2 ? axes - 1 : -1;
    bool limbs_fit = limb_axis < 0 || shape[limb_axis] == PLUMB_DD || shape[limb_axis] == PLUMB_QD;
    char found[TEXT_SHORT];
    if (axes == 0 || !limbs_fit || (axes == 4 && shape[2] != 2) ||
        (axes > 2 && (fields->complex_items || header->scalar != NPY_FLOAT || header->width != 8)))
        return plumb_npy_error(c, fields->shape_at, error,
                               "found shape %s%s, expected (m,), (m, n), or of float64 (m, n, L) or (m, n, 2, L) with "
                               "L = 2 or 4 limbs",
                               plumb_text_shorten(fields->shape_at, fields->shape_end, found),
                               fields->complex_items ? " of complex numbers" : "");
    text_matrix_info *info = &header->info;
    info->rows = shape[0];
    info->cols = axes > 1 ? shape[1] : 1;
    if (info->rows == 0 || info->cols == 0)
        return plumb_npy_error(c, fields->shape_at, error,
                               "found an empty array, expected at least one row and column");
    /* An integer of 8 bytes needs two limbs. */
    bool long_integers = header->scalar != NPY_FLOAT && header->width == 8;
    info->prec = limb_axis > 0 ? (int32_t)shape[limb_axis] : long_integers ? PLUMB_DD : PLUMB_D;
    info->parts = fields->complex_items || axes == 4 ? PLUMB_COMPLEX : PLUMB_REAL;

    int64_t step[MOST_AXES] = {0}, all = fields->complex_items ? 2 : 1;
    bool fits = true;
    for (int k = 0; k < axes; k++) {
        int axis = header->fortran ? k : axes - 1 - k;
        step[axis] = all;
        fits = fits && size_mul(all, shape[axis], &all);
    }
    header->row_step = step[0];
    header->col_step = step[1]; /* 0 when there is one column */
    header->part_step = fields->complex_items ? 1 : axes == 4 ? step[2] : 0;
    header->limb_step = limb_axis > 0 ? step[limb_axis] : 0;
    int64_t bytes = 0, there = c->end - (const char *)header->data;
    if (!fits || !size_mul(all, (int64_t)header->width, &bytes))
        return plumb_npy_error(c, fields->shape_at, error, "found shape %s, expected one that can be addressed",
                               plumb_text_shorten(fields->shape_at, fields->shape_end, found));
    if (bytes > there)
        return plumb_npy_error(c, c->end, error, "found end of file after %lld bytes of data, expected %lld",
                               (long long)there, (long long)bytes);
    if (bytes < there)
        return plumb_npy_error(c, (const char *)header->data + bytes, error,
                               "found %lld bytes after the data, expected the end of the file",
                               (long long)(there - bytes));
    info->stored = info->rows * info->cols;
    return PLUMB_OK;
}

plumb_status plumb_npy_header(const text_cursor *c, npy_header *header, plumb_text_error *error)
{
    *header = (npy_header){.info.format = PLUMB_FORMAT_NPY};
    text_cursor at = *c;
    at.at += MAGIC;
    int major = text_peek(&at, 0), minor = text_peek(&at, 1);
    if (minor < 0)
        return plumb_npy_error(c, c->end, error, "found end of file, expected the version");
    if (major < 1 || major > 3 || minor != 0)
        return plumb_npy_error(c, at.at, error, "found version %d.%d, expected 1.0, 2.0 or 3.0", major, minor);
    size_t length = 0, width = major == 1 ? 2 : 4;
    at.at += 2;
    if ((size_t)(at.end - at.at) < width)
        return plumb_npy_error(c, c->end, error, "found end of file, expected the length of the header");
    for (size_t i = 0; i < width; i++)
        length |= (size_t)text_peek(&at, i) << 8 * i;
    at.at += width;
    if ((size_t)(at.end - at.at) < length)
        return plumb_npy_error(c, c->end, error, "found end of file, expected a header of %zu bytes", length);
    at.end = at.at + length;
    header->data = (const unsigned char *)at.end;
    npy_fields fields = {.axes = 0};
    plumb_status status = read_dictionary(&at, header, &fields, error);
    return status == PLUMB_OK ? read_axes(c, header, &fields, error) : status;
}
