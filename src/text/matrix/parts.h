/* parts.h - declarations shared by the files that implement matrix.h. */
#ifndef PLUMB_TEXT_MATRIX_PARTS_H
#define PLUMB_TEXT_MATRIX_PARTS_H

#include "text/cursor.h"
#include "text/matrix/matrix.h"

/* ---- memory (matrix.c) ---- */

/* Creates a dense matrix of zeros. Pages that are never written are never touched, so a small file with a large shape
 * costs little memory. where is the position for errors. */
plumb_status plumb_matrix_create(text_matrix *matrix, const text_matrix_info *info, int32_t prec, const text_cursor *c,
                                 const char *where, plumb_text_error *error);

/* Sets part (0 real, 1 imaginary) of entry (row, col), counted from 0; a negated zero is +0. */
static inline void matrix_set(const plumb_view *view, int64_t row, int64_t col, int part, const double *limbs,
                              bool negated)
{
    double *at = view->data + part * view->prec * view->plane + col * view->col + row;
    for (int32_t limb = 0; limb < view->prec; limb++)
        at[limb * view->plane] = negated ? 0.0 - limbs[limb] : limbs[limb];
}

/* ---- Matrix Market (market.c, market_read.c) ---- */

typedef enum market_field { MARKET_REAL, MARKET_COMPLEX, MARKET_INTEGER, MARKET_PATTERN } market_field;
typedef enum market_symmetry { MARKET_GENERAL, MARKET_SYMMETRIC, MARKET_SKEW, MARKET_HERMITIAN } market_symmetry;

typedef struct market_header {
    bool coordinate;
    market_field field;
    market_symmetry symmetry;
    text_matrix_info info;
    const char *size_line; /* the line with the sizes */
} market_header;

/* Reads banner and sizes and leaves the cursor after the line with the sizes. */
plumb_status plumb_market_header(text_cursor *c, market_header *header, plumb_text_error *error);
plumb_status plumb_market_read(text_cursor *c, int32_t prec, text_matrix *matrix, plumb_text_error *error);

/* Lines: fields are separated by spaces, and an entry ends with its line. */

/* Skips blank lines and comments. Returns false at the end of the text. */
bool plumb_market_next_line(text_cursor *c);
/* Skips spaces inside a line and returns the end of the next field, which is empty at the end of the line. */
const char *plumb_market_field(text_cursor *c);
/* Reads a field that is an integer from least to most. Otherwise returns false with the cursor at the field. */
bool plumb_market_integer(text_cursor *c, int64_t least, int64_t most, int64_t *value);
/* Makes the error "found <the field at the cursor>, expected ...". */
plumb_status plumb_market_unexpected(text_cursor *c, plumb_text_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Checks that nothing is left on the line. */
plumb_status plumb_market_end_line(text_cursor *c, plumb_text_error *error);

/* ---- npy (npy.c, npy_read.c) ---- */

typedef enum npy_scalar { NPY_FLOAT, NPY_SIGNED, NPY_UNSIGNED } npy_scalar;

typedef struct npy_header {
    text_matrix_info info;
    bool big_endian, fortran;
    npy_scalar scalar;                                /* what a number, or a part of a complex one, is */
    int width;                                        /* of a scalar, in bytes */
    int64_t row_step, col_step, part_step, limb_step; /* in scalars */
    const unsigned char *data;
} npy_header;

plumb_status plumb_npy_header(const text_cursor *c, npy_header *header, plumb_text_error *error);
plumb_status plumb_npy_read(const text_cursor *c, int32_t prec, text_matrix *matrix, plumb_text_error *error);

/* Like plumb_text_error_at, but with the byte offset as column, because a binary file has no lines. */
plumb_status plumb_npy_error(const text_cursor *c, const char *where, plumb_text_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- writing (sink.c) ---- */

typedef struct matrix_sink {
    FILE *out;
    size_t used;
    int failed; /* errno of the first failure, or -1 */
    unsigned char buffer[8192];
} matrix_sink;

void plumb_sink_put(matrix_sink *sink, const void *bytes, size_t length);
plumb_status plumb_sink_finish(matrix_sink *sink, char *message, size_t size);
/* Checks what both formats require: a host matrix, batch 1, not empty. */
plumb_status plumb_sink_check(FILE *out, const plumb_view *view, char *message, size_t size);

#endif
