/* file.h - whole files: reading one into memory, and writing one, or a buffer, by the same function. */
#ifndef PLUMB_TEXT_FILE_H
#define PLUMB_TEXT_FILE_H

#include <stdio.h>

#include "plumb.h"

/* Reads a file. *bytes is to be freed, also on failure (then it may be NULL). PLUMB_ERR_IO or PLUMB_ERR_MEMORY;
 * error (not NULL) then has the path and the reason. */
PLUMB_USE_RESULT plumb_status plumb_file_load(const char *path, char **bytes, size_t *length, plumb_text_error *error);

/* Writes something to a stream and flushes it. */
typedef plumb_status (*file_writer)(FILE *out, const void *what);

/* Writes a file, which is replaced. A failure of the stream is PLUMB_ERR_IO with a line that names the path. */
PLUMB_USE_RESULT plumb_status plumb_file_save(const char *path, file_writer write, const void *what);

/* Writes into a buffer. end: whether the text is followed by a 0, which counts. needed (or NULL) receives the size;
 * PLUMB_ERR_BUFFER where that is more than size, and then a buffer with an end holds "". */
PLUMB_USE_RESULT plumb_status plumb_file_to_buffer(file_writer write, const void *what, int end, void *buffer,
                                                   size_t size, size_t *needed);

/* The format of a file that is to be written: the one given, or by the ending of the path (or NULL) where it is
 * PLUMB_FORMAT_AUTO. possible ends with PLUMB_FORMAT_AUTO; without a path the first one is meant.
 * PLUMB_ERR_ARGUMENT, with a line, for any other. */
PLUMB_USE_RESULT plumb_status plumb_file_format(const char *path, plumb_format given, const plumb_format *possible,
                                                plumb_format *format);

#endif
