/* reader.h - what the two halves of reading a system share: system_parse.c finds the polynomials,
 * system_expression.c reads one. */
#ifndef PLUMB_TEXT_SYSTEM_READER_H
#define PLUMB_TEXT_SYSTEM_READER_H

#include "model/system/polynomial.h"
#include "text/cursor.h"
#include "text/system/names.h"

enum { SYSTEM_DEPTH = 200 }; /* of parentheses */

typedef struct system_reader {
    text_cursor cursor;
    plumb_text_error *error;
    system_names names;
    poly_work work;
    int64_t most_unknowns; /* as promised by the header; -1 without one */
    int64_t header_line;
    int depth;     /* open parentheses */
    bool by_lines; /* the end of a line ends a polynomial, outside of parentheses */
} system_reader;

/* Passes white space and comments (#, % or // to the end of the line). */
void plumb_system_skip(system_reader *r);
/* The same where a polynomial may end: stops at the end of a line when lines count. */
void plumb_system_skip_after(system_reader *r);

/* Reads one sum of products into p, which is empty, and makes it normal. Stops at what cannot go on: ';', the end, or whatever
 * the caller finds wrong there. */
PLUMB_USE_RESULT plumb_status plumb_system_expression(system_reader *r, polynomial *p);

#endif
