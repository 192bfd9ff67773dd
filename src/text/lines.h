/* lines.h - reads a file line by line, such as path logs and journals. Lines are bounded, so a file that never ends a line
 * (/dev/zero, gigabytes of something else) is refused after LINES_MOST bytes instead of filling the memory. */
#ifndef PLUMB_TEXT_LINES_H
#define PLUMB_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "plumb.h"

/* One line of a path log has about 150 bytes per unknown. */
enum { LINES_MOST = 1 << 26 };

typedef struct text_lines {
    FILE *file;
    char *text;     /* the line without its line break, followed by a 0; NULL at the end of the file */
    size_t length;  /* without the line break */
    bool complete;  /* false for a last line without a line break */
    int64_t number; /* from 1 */
    int64_t start;  /* where the line begins, in bytes from where reading began */
    char *memory;
    size_t room;
    int64_t bytes; /* read so far */
} text_lines;

text_lines lines_begin(FILE *file);

/* Reads the next line. PLUMB_ERR_SIZE for one that is too long, PLUMB_ERR_MEMORY, PLUMB_ERR_IO. */
PLUMB_USE_RESULT plumb_status lines_next(text_lines *lines);

void lines_end(text_lines *lines); /* the file stays open */

#endif
