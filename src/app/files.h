/* files.h - files between the disk and the commands: read whole, written all or nothing.
 *
 * Every call returns CLI_OK, or says what is wrong in one line on stderr and returns the exit status: 2 for an input that
 * makes no sense, 1 for memory that runs out or an output that cannot be written. "-" is standard input or output. */
#ifndef PLUMB_APP_FILES_H
#define PLUMB_APP_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "text/file.h"

/* ---- Reading ------------------------------------------------------------------------------------------------------ */

/* All bytes of a file; *bytes is to be freed, also after a failure. Reading stops early when may_be says that the bytes so
 * far are nothing the caller could use. */
int cli_bytes_load(const char *command, const char *path, file_may_be *may_be, unsigned char **bytes, size_t *length);

/* What messages call a file: its path, or "standard input". */
const char *cli_input_name(const char *path);

/* Is path "-"? NULL is not. */
int cli_is_stream(const char *path);

/* ---- Writing ------------------------------------------------------------------------------------------------------ */

/* A file in the making: what is written goes to a temporary file beside it, which takes its name when all is well. What is
 * not a plain file (a device, a pipe) is written to directly. */
typedef struct cli_output {
    const char *path; /* NULL: nothing to write */
    char *target, *temporary;
    FILE *file;
} cli_output;

/* Opens output->file for writing. *output starts as zeros. A path of NULL does nothing. */
int cli_output_open(const char *command, cli_output *output, const char *path);
int cli_output_commit(const char *command, cli_output *output); /* the file takes its name */
void cli_output_discard(cli_output *output);                    /* after a commit: does nothing */

#endif
