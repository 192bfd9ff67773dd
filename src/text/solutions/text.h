/* text.h - solutions in files: PHCpack's form and JSON, recognised by content. docs/files.md describes both.
 *
 * What is written reads back to the same limbs at the same precision, when they are canonical. */
#ifndef PLUMB_TEXT_SOLUTIONS_TEXT_H
#define PLUMB_TEXT_SOLUTIONS_TEXT_H

#include <stdio.h>

#include "model/solutions.h"
#include "text/cursor.h"

/* Reads the first list of solutions in a text: also one appended to a system. Numbers are rounded correctly to the precision.
 * On failure *solutions is NULL. */
PLUMB_USE_RESULT plumb_status plumb_solutions_read(const char *text, size_t length, int32_t prec,
                                                   plumb_solutions **solutions, plumb_text_error *error /* or NULL */);

/* Write all of them and flush. PLUMB_ERR_IO when the file does not take it, PLUMB_ERR_RANGE for limbs that add up to more than
 * any double, which no decimal reads back to. */
PLUMB_USE_RESULT plumb_status plumb_solutions_write_phc(FILE *out, const plumb_solutions *solutions);
/* The same piece by piece, for lists that do not fit into memory: the head, solution k of s as number n of the list with a
 * remark for people (or NULL) on its first line, and the end, which flushes. */
void plumb_solutions_phc_begin(FILE *out, int64_t count, int64_t unknowns);
PLUMB_USE_RESULT plumb_status plumb_solutions_phc_one(FILE *out, const plumb_solutions *s, int64_t k, int64_t n,
                                                      const char *remark);
PLUMB_USE_RESULT plumb_status plumb_solutions_phc_end(FILE *out);
PLUMB_USE_RESULT plumb_status plumb_solutions_write_json(FILE *out, const plumb_solutions *solutions);

/* The JSON half of plumb_solutions_read. */
PLUMB_USE_RESULT plumb_status plumb_solutions_read_json(const text_cursor *c, int32_t prec, plumb_solutions **solutions,
                                                        plumb_text_error *error);

/* The shortest decimal that reads back, in memory of its own, into *text. */
PLUMB_USE_RESULT plumb_status plumb_solutions_decimal(int32_t prec, const double *limbs, char **text);

#endif
