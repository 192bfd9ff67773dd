/* reader.h - declarations shared by parse.c, which finds the polynomials of a system, and expression.c, which reads
 * one. */
#ifndef PLUMB_TEXT_SYSTEM_READER_H
#define PLUMB_TEXT_SYSTEM_READER_H

#include "model/system/polynomial.h"
#include "text/cursor.h"
#include "text/system/names.h"

enum { SYSTEM_DEPTH = 200 }; /* maximum depth of parentheses */

typedef struct system_reader {
    text_cursor cursor;
    plumb_text_error *error;
    system_names names;
    poly_work work;
    int64_t most_unknowns; /* as given in the header; -1 without a header */
    int64_t header_line;
    int depth;     /* open parentheses */
    bool by_lines; /* the end of a line ends a polynomial, except inside parentheses */
} system_reader;

/* Skips white space and comments (#, % or // to the end of the line). */
void plumb_system_skip(system_reader *r);
/* The same where a polynomial may end: stops at the end of a line if by_lines is set. */
void plumb_system_skip_after(system_reader *r);

/* Reads one sum of products into p, which must be empty, and makes it normal. Stops at the first character that
 * cannot continue the sum: ';', the end, or something that the caller reports as an error. */
PLUMB_USE_RESULT plumb_status plumb_system_expression(system_reader *r, polynomial *p);

#endif
