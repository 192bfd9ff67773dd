/* memory_file.h - a stream that writes to memory and reports every failure.
 *
 * open_memstream does not do: where its memory cannot grow, writes fail without the error flag of the stream, and closing
 * it can lose the text. */
#ifndef PLUMB_TEXT_MEMORY_FILE_H
#define PLUMB_TEXT_MEMORY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct memory_file {
    FILE *file; /* NULL if it could not be opened, and after the end */
    char *text; /* what was written and flushed, followed by a 0; NULL if there is nothing. To be freed */
    size_t length, room;
    bool failed; /* something could not be written */
} memory_file;

/* *m must stay in its place until the end. Returns false without memory; m->file is then NULL. */
bool memory_file_begin(memory_file *m);

/* Closes the stream. True if everything that was written is in m->text, which is then not NULL. */
bool memory_file_end(memory_file *m);

#endif
