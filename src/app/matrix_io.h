/* matrix_io.h - matrices between files and the subcommands: read with errors that name the place, written all or nothing.
 *
 * Every call returns CLI_OK, or says what is wrong in one line on stderr and returns the exit status: 2 for an input that
 * makes no sense, 1 for memory that runs out or an output that cannot be written. "-" is standard input or output. */
#ifndef PLUMB_APP_MATRIX_IO_H
#define PLUMB_APP_MATRIX_IO_H

#include <stdbool.h>
#include <stdio.h>

#include "text/matrix/matrix.h"

/* ---- reading -------------------------------------------------------------------------------------------------- */

/* Reads a matrix (Matrix Market or npy) at a precision; entries that are not finite are an error. The result goes back to
 * plumb_matrix_destroy. */
int cli_matrix_load(const char *command, const char *path, int32_t prec, text_matrix *matrix);

/* All bytes of a file, *bytes to be freed also after a failure. Reading stops early when may_be says that this is nothing the
 * caller could use: sources without an end (/dev/zero) are given up so. */
typedef bool cli_may_be(const unsigned char *bytes, size_t length);
int cli_bytes_load(const char *command, const char *path, cli_may_be *may_be, unsigned char **bytes, size_t *length);

/* What messages call a file: its path, or "standard input". */
const char *cli_input_name(const char *path);

/* A matrix of zeros in the memory of the context; a size this computer cannot hold is an error. */
int cli_array_create(const char *command, plumb_context *context, int32_t prec, int32_t parts, int64_t rows,
                     int64_t cols, plumb_view *view);

/* The same matrix as a complex one: *complex is the view itself when it is that already, else an array of the context in
 * *made, which goes back to plumb_array_destroy. */
int cli_matrix_complex(const char *command, plumb_context *context, const plumb_view *view, plumb_view *made,
                       plumb_view *complex_view);

/* ---- writing -------------------------------------------------------------------------------------------------- */

/* A file to be: what is written goes to a temporary file beside it, which takes its name when all is well. What is not a
 * plain file (a device, a pipe) is written to directly. */
typedef struct cli_output {
    const char *path; /* NULL: nothing to write */
    char *target, *temporary;
    FILE *file;
} cli_output;

/* Opens output->file for writing. *output starts as zeros. A path of NULL does nothing. */
int cli_output_open(const char *command, cli_output *output, const char *path);

/* npy when the name ends in .npy, else Matrix Market in full digits. The file is complete, but not in its place yet.
 * *output starts as zeros. A path of NULL does nothing. */
int cli_output_matrix(const char *command, cli_output *output, const char *path, const plumb_view *view);
int cli_output_commit(const char *command, cli_output *output); /* now it is */
void cli_output_discard(cli_output *output);                    /* after a commit: does nothing */

/* Is path standard output? */
int cli_is_stream(const char *path);

#endif
