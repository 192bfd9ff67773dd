/* matrices.h - matrices between files and the commands; the conventions are those of files.h. */
#ifndef PLUMB_APP_MATRICES_H
#define PLUMB_APP_MATRICES_H

#include "app/files.h"
#include "app/format.h"
#include "text/matrix/matrix.h"

/* Reads a matrix at a precision: npy and Matrix Market are recognised by their first bytes, any other text is a table of
 * numbers (docs/files.md). Entries that are not finite are an error. The result goes back to plumb_matrix_destroy.
 *
 * Before the entries are read, more (or NULL) returns the number of bytes that the command will need for a matrix of that shape, its
 * results and its work included; the matrix itself is counted here. What does not fit into memory is refused with what it
 * needs and what there is. */
typedef int64_t app_matrix_more(const plumb_view *shape, const void *data);
int app_matrix_load(const char *command, const char *path, int32_t prec, app_matrix_more *more, const void *data,
                    text_matrix *matrix);

/* A matrix of zeros in the memory of the context; a size this computer cannot hold is an error. */
int app_array_create(const char *command, plumb_context *context, int32_t prec, int32_t parts, int64_t rows,
                     int64_t cols, plumb_view *view);

/* The same matrix as a complex one: *complex_view is the view itself when it is that already, else an array of the context
 * in *made, which goes back to plumb_array_destroy. */
int app_matrix_complex(const char *command, plumb_context *context, const plumb_view *view, plumb_view *made,
                       plumb_view *complex_view);

/* Writes a matrix in full digits, in a format of app_matrix_formats. The file is complete, but has not taken its name yet:
 * app_output_commit does that. *output starts as zeros. A path of NULL does nothing. */
int app_output_matrix(const char *command, app_output *output, const char *path, app_format format,
                      const plumb_view *view);

#endif
