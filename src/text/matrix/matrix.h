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

/* Readers and their structs are public: plumb_matrix_query, plumb_matrix_read, plumb_table_read (which nothing at
 * the start of a file tells apart from other texts), plumb_matrix_destroy. */
typedef plumb_matrix_info text_matrix_info;
typedef plumb_matrix text_matrix;

/* Whether bytes begin as a Matrix Market or npy file does. */
bool plumb_matrix_is_known(const void *bytes, size_t length);

/* Writes one matrix (on the host, batch 1, not empty, any strides) and flushes. digits as in plumb_number_write; with
 * 0 every canonical number reads back to the same limbs in the same precision. npy keeps all limbs. On failure
 * message (may be NULL) has one line of text; what has been written remains. */
PLUMB_USE_RESULT plumb_status plumb_matrix_write_market(FILE *out, const plumb_view *view, int32_t digits,
                                                        char *message, size_t size);
PLUMB_USE_RESULT plumb_status plumb_matrix_write_npy(FILE *out, const plumb_view *view, char *message, size_t size);

/* The same as a table, with commas between the fields and in full digits. */
PLUMB_USE_RESULT plumb_status plumb_table_write(FILE *out, const plumb_view *view, char *message, size_t size);

#endif
