/* targets.h - the targets of a family as lines of CSV: values of its parameters, one row per target.
 *
 * The first line names the parameters, in any order: `a` for a real one, `a.re` and `a.im` for a complex one. Every other line has one
 * number per column. Blank lines and lines that begin with # are skipped. The reader takes one line at a time, so that a stream of
 * any length needs no memory. */
#ifndef PLUMB_TEXT_TARGETS_H
#define PLUMB_TEXT_TARGETS_H

#include <stdbool.h>

#include "text/cursor.h"

typedef struct target_columns {
    const char *const *names; /* of the parameters; not owned */
    int64_t parameters, count;
    int64_t *parameter; /* of each column */
    int32_t *part;      /* 0: the real part, 1: the imaginary one */
} target_columns;

/* True for a line that has nothing to read. */
bool plumb_targets_blank(const char *line, size_t length);

/* Reads the line that names the columns. error has the column of the line; its line is 1. On failure there is nothing to free. */
PLUMB_USE_RESULT plumb_status plumb_targets_header(const char *line, size_t length, const char *const *names,
                                                   int64_t parameters, target_columns *columns,
                                                   plumb_text_error *error);
void plumb_targets_free(target_columns *columns);

/* Reads a row: limb c of part p of parameter k goes to limbs[(p * prec + c) * parameters + k]. */
PLUMB_USE_RESULT plumb_status plumb_targets_row(const target_columns *columns, const char *line, size_t length,
                                                int32_t prec, double *limbs, plumb_text_error *error);

#endif
