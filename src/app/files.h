/* files.h - files between the disk and the commands: read whole, written all or nothing.
 *
 * Every call returns APP_OK, or says what is wrong in one line on stderr and returns the exit status: 2 for an input that
 * makes no sense, 1 for memory that runs out or an output that cannot be written. "-" is standard input or output. */
#ifndef PLUMB_APP_FILES_H
#define PLUMB_APP_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "text/file.h"
#include "text/output.h"

/* ---- Reading ------------------------------------------------------------------------------------------------------ */

/* All bytes of a file; *bytes is to be freed, also after a failure. Reading stops early when may_be says that the bytes so
 * far are nothing the caller could use. */
int app_bytes_load(const char *command, const char *path, file_may_be *may_be, unsigned char **bytes, size_t *length);

/* What messages call a file: its path, "standard input", or "-e" for NULL, where equations take its place. */
const char *app_input_name(const char *path);

/* Is path "-"? NULL is not. */
int app_is_stream(const char *path);

/* ---- Writing ------------------------------------------------------------------------------------------------------ */

/* A file in the making (text/output.h): it is written beside its place and takes it when all is well. A full disk, a failure
 * or a signal leaves what was there before, and no other file. Standard output and what is not a plain file (a device, a pipe)
 * are written to directly. */
typedef struct app_output {
    const char *path; /* NULL: nothing to write */
    FILE *file;
    file_output beside;
} app_output;

/* Opens output->file for writing. *output starts as zeros. A path of NULL does nothing. */
int app_output_open(const char *command, app_output *output, const char *path);

/* The files take their places, after all of them are complete on the disk. Discards them. */
int app_outputs_commit(const char *command, app_output *const *outputs, int count);
int app_output_commit(const char *command, app_output *output);

/* For a file that grows while it is in its place: takes it now, and stays open. Returns 0 or an errno: EEXIST where something is
 * there and replace is false. */
int app_output_place(app_output *output, bool replace);

/* Closes the file, and removes it unless it is in its place. After a commit it does nothing. */
void app_output_discard(app_output *output);

/* A file without a name, in $TMPDIR or /tmp, which vanishes when it is closed. NULL: errno is set. */
FILE *app_unnamed_file(void);

#endif
