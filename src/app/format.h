/* format.h - which format a file is written in: the end of its name decides.
 *
 * A command says which formats it can write; any other name is refused in one line that lists them. Standard output ("-")
 * and what is not a plain file (a device, a pipe) get the first format of the list. */
#ifndef PLUMB_APP_FORMAT_H
#define PLUMB_APP_FORMAT_H

#include "plumb.h"

/* A plumb_format, or one of those that only the programs write. */
typedef int32_t app_format;
enum {
    FORMAT_END = PLUMB_FORMAT_AUTO,  /* ends a list */
    FORMAT_SVG = PLUMB_FORMAT_COUNT, /* .svg */
    FORMAT_LINES,                    /* .jsonl: one JSON object per line */
    FORMAT_HTML,                     /* .html: a page */
};

/* The formats of matrices, of solutions and of systems; each ends with FORMAT_END. */
extern const app_format app_matrix_formats[], app_solution_formats[], app_system_formats[];

/* The format of the file that an option names; a path of NULL gives the first of the list. APP_OK, or one line and
 * APP_MISUSE: option is "--output" there. */
int app_format_of(const char *command, const char *option, const char *path, const app_format *possible,
                  app_format *format);

#endif
