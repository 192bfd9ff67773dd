/* matrix.h - matrices in files: Matrix Market (text) and npy (binary), recognised by their first bytes.
 *
 * Readers work on bytes in memory that belong to the caller, so the same bytes can be read again in another
 * precision. Numbers in text, of any length, are correctly rounded to the requested precision. For any input the
 * result is a matrix or an error with its position; before memory is allocated, the sizes in a header are checked
 * against the length of the file. docs/files.md describes the formats. */
#ifndef PLUMB_TEXT_MATRIX_H
#define PLUMB_TEXT_MATRIX_H

#include <stdbool.h>
#include <stdio.h>

#include "plumb.h"

typedef enum matrix_format { MATRIX_MARKET, MATRIX_NPY } matrix_format;

typedef struct text_matrix_info {
    matrix_format format;
    int64_t rows, cols; /* at least 1 */
    int64_t stored;     /* number of entries in the file: fewer than rows * cols for coordinate or symmetric files */
    int32_t parts;      /* PLUMB_REAL or PLUMB_COMPLEX */
    int32_t prec;       /* limbs per number in the file; 0 for text, which has no precision */
} text_matrix_info;

/* Reads shape and kind from the header of the file alone. */
PLUMB_USE_RESULT plumb_status plumb_matrix_query(const void *bytes, size_t length, text_matrix_info *info,
                                                 plumb_text_error *error /* or NULL */);

typedef struct text_matrix {
    plumb_view view; /* dense, on the host, batch 1; the memory belongs to the library */
    bool exact;      /* true if no entry was rounded */
    void *memory;
} text_matrix;

/* On failure *matrix is empty. Errors in npy have line 1 and the byte (from 1) as column. */
PLUMB_USE_RESULT plumb_status plumb_matrix_read(const void *bytes, size_t length, int32_t prec, text_matrix *matrix,
                                                plumb_text_error *error /* or NULL */);
void plumb_matrix_destroy(text_matrix *matrix); /* NULL and an empty matrix are allowed */

/* Writes one matrix (on the host, batch 1, not empty, any strides) and flushes. digits as in plumb_number_write; with
 * 0 every canonical number reads back to the same limbs in the same precision. npy keeps all limbs. On failure
 * message (may be NULL) has one line of text; what has been written remains. */
PLUMB_USE_RESULT plumb_status plumb_matrix_write_market(FILE *out, const plumb_view *view, int32_t digits,
                                                        char *message, size_t size);
PLUMB_USE_RESULT plumb_status plumb_matrix_write_npy(FILE *out, const plumb_view *view, char *message, size_t size);

/* Tables of numbers, as CSV files and numpy's savetxt have them (table.c). Nothing at their start tells them apart from other
 * texts, so the caller decides. Written with commas and in full digits. */
PLUMB_USE_RESULT plumb_status plumb_table_read(const void *bytes, size_t length, int32_t prec, text_matrix *matrix,
                                               plumb_text_error *error /* or NULL */);
PLUMB_USE_RESULT plumb_status plumb_table_write(FILE *out, const plumb_view *view, char *message, size_t size);

#endif
