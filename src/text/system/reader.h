/* reader.h - declarations shared by the readers of systems: parse.c recognises the format of a text and reads
 * polynomials with or without a header, bertini.c and msolve.c read the input files of these programs, expression.c
 * reads one polynomial for all of them, and remarks.c finds names that may not mean what their author meant. */
#ifndef PLUMB_TEXT_SYSTEM_READER_H
#define PLUMB_TEXT_SYSTEM_READER_H

#include "model/system/polynomial.h"
#include "text/cursor.h"
#include "text/system/names.h"
#include "text/system/quotient.h"

enum { SYSTEM_DEPTH = 200 }; /* maximum depth of parentheses */

/* A name that stands for a polynomial: a constant, function or subfunction of a Bertini file. */
typedef struct system_symbol {
    int kind;     /* of bertini.c */
    bool defined; /* false: declared, without a value so far */
    polynomial value;
} system_symbol;

typedef struct system_reader {
    text_cursor cursor;
    plumb_text_error *error;
    system_names names;
    poly_work work;
    int64_t most_unknowns; /* as given in the header; -1 without a header */
    int64_t header_line;
    quotient_table *quotients; /* the denominators so far; NULL: only numbers divide */
    int depth;                 /* open parentheses */
    bool by_lines;             /* the end of a line ends a polynomial, except inside parentheses */

    const char *undeclared;       /* what is expected where a name was not declared; NULL: any name is an unknown */
    bool no_imaginary;            /* i and I are names like others */
    bool indexed;                 /* names may have indices in brackets */
    const system_names *symbols;  /* NULL, or the names of values */
    const system_symbol *symbol;  /* one per name */
    const char *powers_of_i;      /* where i has an exponent above 1; NULL: nowhere */
    const char *imaginary;        /* where i or I occurs first; NULL: nowhere */
    system_names decimal_endings; /* e3 of 2e3, some of them */
} system_reader;

/* A system in the making. */
typedef struct system_parts {
    system_reader reader;
    polynomial *polynomials;
    system_divisors *divisors; /* what each of them is divided by */
    quotient_table quotients;
    int64_t count, room;
    system_names parameters; /* that are declared */
    system_notes notes;
} system_parts;

/* Skips white space and comments (#, % or // to the end of the line). */
void plumb_system_skip(system_reader *r);
/* The same where a polynomial may end: stops at the end of a line if by_lines is set. */
void plumb_system_skip_after(system_reader *r);

/* Reads one sum of products into p, which must be empty, and makes it normal. Stops at the first character that
 * cannot continue the sum: ';', '=', the end, or something that the caller reports as an error. */
PLUMB_USE_RESULT plumb_status plumb_system_expression(system_reader *r, polynomial *p);

/* The same for an equation: a sum, or two of them with '=' between them, of which the difference is taken. It may be a quotient if the
 * reader has a table for denominators; q must be empty. */
PLUMB_USE_RESULT plumb_status plumb_system_equation(system_reader *r, quotient *q);

/* Makes the error "found ..., expected an operator or <end>". */
plumb_status plumb_system_expected_operator(const system_reader *r, bool equals, const char *end);

/* Adds an empty polynomial at the end; NULL and an error where memory runs out. */
polynomial *plumb_system_add(system_parts *s);

/* The word at the cursor: how many bytes of a name, 0 if none begins there. */
size_t plumb_system_word(const text_cursor *c);

/* The same with indices in brackets, x[1] or x[1][2], which files of Bertini and msolve may have. */
size_t plumb_system_indexed_word(const text_cursor *c);

/* Reads a name that is declared. Refuses the imaginary unit. */
PLUMB_USE_RESULT plumb_status plumb_system_declared_name(system_reader *r, const char **at, size_t *length);

/* Declares a parameter. */
PLUMB_USE_RESULT plumb_status plumb_system_add_parameter(system_parts *s, const char *name, size_t length);

/* Whether a text without header is an input file of Bertini or msolve; the cursor is where the text begins. */
bool plumb_bertini_follows(const system_reader *r);
bool plumb_msolve_follows(const system_reader *r);

PLUMB_USE_RESULT plumb_status plumb_bertini_read(system_parts *s);
PLUMB_USE_RESULT plumb_status plumb_msolve_read(system_parts *s);

/* Adds notes about names of unknowns. */
void plumb_system_remark(system_parts *s);

#endif
