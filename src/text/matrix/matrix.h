/* matrix.h - matrices in files: Matrix Market (text) and npy (binary), recognised by their first bytes.
 *
 * Readers work on bytes in memory, which stay the caller's: the same bytes can be read again at another precision. Text
 * is rounded correctly to the precision asked for, however long its numbers are. Whatever the bytes are, the answer is
 * a matrix or an error with its place; before memory is taken, the sizes a header promises are held against what the
 * file can hold. docs/files.md describes the formats. */
#ifndef PLUMB_TEXT_MATRIX_H
#define PLUMB_TEXT_MATRIX_H

#include <stdbool.h>
#include <stdio.h>

#include "plumb.h"

typedef enum matrix_format { MATRIX_MARKET, MATRIX_NPY } matrix_format;

typedef struct text_matrix_info {
    matrix_format format;
    int64_t rows, cols; /* at least 1 */
    int64_t stored;     /* entries that the file has: fewer than rows * cols when coordinates or symmetric */
    int32_t parts;      /* PLUMB_REAL or PLUMB_COMPLEX */
    int32_t prec;       /* limbs a number has in the file; 0 for text, which has no precision of its own */
} text_matrix_info;

/* Shape and kind from the head of the file alone. */
PLUMB_USE_RESULT plumb_status plumb_matrix_query(const void *bytes, size_t length, text_matrix_info *info,
                                                 plumb_text_error *error /* or NULL */);

typedef struct text_matrix {
    plumb_view view; /* dense, on the host, batch 1; the memory is the library's */
    bool exact;      /* nothing was lost to rounding: every entry is what the file says */
    void *memory;
} text_matrix;

/* On failure *matrix is empty. Errors in npy have line 1 and the byte (from 1) as column. */
PLUMB_USE_RESULT plumb_status plumb_matrix_read(const void *bytes, size_t length, int32_t prec, text_matrix *matrix,
                                                plumb_text_error *error /* or NULL */);
void plumb_matrix_destroy(text_matrix *matrix); /* NULL and an empty one are fine */

/* Writes one matrix (host, batch 1, not empty, any strides) and flushes. digits: as in plumb_number_write; with 0 every
 * canonical number reads back to the same limbs at the same precision. npy keeps all limbs and knows no digits. A
 * failure leaves one line in message (may be NULL); what was written by then stays written. */
PLUMB_USE_RESULT plumb_status plumb_matrix_write_market(FILE *out, const plumb_view *view, int32_t digits,
                                                        char *message, size_t size);
PLUMB_USE_RESULT plumb_status plumb_matrix_write_npy(FILE *out, const plumb_view *view, char *message, size_t size);

#endif
