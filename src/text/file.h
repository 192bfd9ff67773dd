/* file.h - whole files: reading one into memory, and writing one, or a buffer, by the same function. */
#ifndef PLUMB_TEXT_FILE_H
#define PLUMB_TEXT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "plumb.h"

/* Could a file with these first bytes be one that the caller can use? Sources without an end (/dev/zero, /dev/urandom)
 * are given up this way: reading stops where the answer is no, and the parser then reports what is wrong. */
typedef bool file_may_be(const unsigned char *bytes, size_t length);

/* Text: no zero byte among the first 4096, and less than 16 GiB. Matrices: text, or npy, which may have zero bytes. */
file_may_be file_may_be_text, file_may_be_matrix;

/* Reads a stream to its end. *bytes is to be freed, also on failure (then it may be NULL). PLUMB_ERR_IO with errno set,
 * or PLUMB_ERR_MEMORY, also for a stream that would take more memory than there is. */
PLUMB_USE_RESULT plumb_status plumb_stream_load(FILE *in, file_may_be *may_be, char **bytes, size_t *length);

/* The same for a file; error (not NULL) then has the path and the reason. */
PLUMB_USE_RESULT plumb_status plumb_file_load(const char *path, file_may_be *may_be, char **bytes, size_t *length,
                                              plumb_text_error *error);

/* Writes something to a stream and flushes it. */
typedef plumb_status (*file_writer)(FILE *out, const void *what);

/* Writes a file beside its place, which it takes when it is complete (output.h). A failure of the stream is PLUMB_ERR_IO with
 * a line that names the path; an old file is then still there. */
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
